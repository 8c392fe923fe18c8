"""The picture that a viewer has of Liar's Dice, and the scene drawn from it."""

from __future__ import annotations

from parlour.choices import Choices
from parlour.kit import Seat
from parlour.scenes import Scene, SeatInfo, Tabletop, Thing, Zone
from parlour_dice.rules import NUMBERS, Event, Lost, Raised, Rolled, Shown


class DicePicture(Tabletop[Event]):
    """How the table lies: the zones are each player's dice."""

    def __init__(self, viewer: Seat | None) -> None:
        super().__init__(viewer)
        self.dice: list[int] = []
        """How many each player has."""
        self.bid: Raised | None = None
        self.shown: Shown | None = None
        """Until the next roll."""
        self.over = False

    @property
    def own_dice(self) -> list[int]:
        return self.known(f"dice {self.viewer}")

    def see(self, event: Event) -> None:
        super().see(event)
        match event:
            case Rolled(seat, dice):
                self.bid = self.shown = None
                self.dice[seat : seat + 1] = [len(dice)]
                self.lay(f"dice {seat}", dice)
            case Raised():
                self.bid = event
            case Shown():
                self.shown = event
                for seat, numbers in enumerate(event.dice):
                    self.show(f"dice {seat}", numbers)
            case Lost(seat, left):
                self.dice[seat] = left
                self.over = sum(map(bool, self.dice)) == 1


def scene(picture: DicePicture, choices: Choices) -> Scene:
    """The bid in the middle, the dice around it."""
    bid = [] if picture.bid is None else [Thing("bid", said(picture.bid), marks=_result(picture))]
    seats = range(len(picture.dice))
    return Scene(
        viewer=picture.viewer,
        seats=[SeatInfo(seat, marks=[] if picture.dice[seat] else ["out"]) for seat in seats],
        zones=[
            Zone("bid", "Bid", "text", bid, deck="text"),
            *(_dice(picture, seat) for seat in seats),
        ],
        prompt=_prompt(picture, choices),
        awaits=[] if picture.over or picture.shown else [picture.turn],
        counters={"dice": sum(picture.dice)},
        choices=choices,
    )


def said(bid: Raised) -> str:
    """A bid in words: "3 sixes", "1 five"."""
    if bid.count > 1:
        return f"{bid.count} {NUMBERS[bid.number]}"
    return f"1 {NUMBERS[bid.number].removesuffix('es' if bid.number == 6 else 's')}"


def _result(picture: DicePicture) -> list[str]:
    """How many there really were, once all dice are shown."""
    return [] if picture.shown is None else [f"really {picture.shown.count}"]


def _dice(picture: DicePicture, seat: Seat) -> Zone:
    things = [
        Thing(each.id, None if each.face is None else str(each.face))
        for each in picture.zones[f"dice {seat}"]
    ]
    return Zone(f"dice {seat}", picture.whose(seat, "dice"), "dice", things, seat, deck="dice")


def _prompt(picture: DicePicture, choices: Choices) -> str:
    if picture.over:
        return "The game is over."
    if picture.shown is not None:
        return "All dice are shown."
    # Between the events of one input nobody can do anything yet.
    if picture.turn != picture.viewer or not choices:
        return picture.waiting
    if picture.bid is None:
        return "Make the first bid: how many dice, of all players, show which number?"
    return f"Bid more than {said(picture.bid)}, or call {{{picture.bid.seat}}} a liar."


def words(event: Event, picture: DicePicture) -> str:
    """A sentence about the event; `{0}` is the name of the player at seat 0."""
    match event:
        case Rolled(0, _):
            return "Everybody rolls."
        case Raised(seat, _, _):
            return f"{{{seat}}} bids {said(event)}."
        case Shown(seat, bidder, _, count):
            return f"{{{seat}}} does not believe {{{bidder}}}. There are {count}."
        case Lost(seat, left):
            rest = f"has {left} left" if left else "is out"
            return f"{{{seat}}} loses a die, and {rest}."
        case _:
            return ""
