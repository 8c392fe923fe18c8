"""What a viewer of Crazy Eights has been shown, and how it looks."""

from __future__ import annotations

from parlour.cards import SUITS, Face, suit_of
from parlour.choices import Choices
from parlour.kit import Seat, Story
from parlour.scenes import Scene, SeatInfo, Thing, Track, Zone, french
from parlour_eights.rules import (
    Dealt,
    Drew,
    Ended,
    Event,
    Played,
    Reshuffled,
    Turn,
    TurnedUp,
)


class EightsPicture(Story[Event]):
    """All that was shown and, made from it, how the table lies."""

    def __init__(self, viewer: Seat | None) -> None:
        super().__init__(viewer)
        self.track = Track()
        self.hands: list[list[Face | None]] = []
        self.pile: list[Face] = []
        self.suit = 0
        self.turn = 0
        self.stock = 52
        self.ended: Ended | None = None

    @property
    def hand(self) -> list[Face]:
        """The viewer's own cards."""
        own = [] if self.viewer is None else self.hands[self.viewer]
        return [card for card in own if card is not None]

    def see(self, event: Event) -> None:
        super().see(event)
        match event:
            case Dealt(seat, hand):
                self.hands.append(list(hand))
                self.stock -= len(hand)
                self.track.fresh(f"hand {seat}", len(hand))
            case TurnedUp(card):
                if not self.pile:
                    self.stock -= 1
                self.pile, self.suit = [card], suit_of(card)
                self.track.fresh("pile", 1)
            case Turn(seat):
                self.turn = seat
            case Played(seat, index, card, suit):
                del self.hands[seat][index]
                self.pile.append(card)
                self.suit = suit
                self.track.move(f"hand {seat}", index, "pile")
            case Drew(seat, drawn):
                self.hands[seat].append(drawn)
                self.stock -= 1
                self.track.move("stock", -1, f"hand {seat}")
            case Reshuffled():
                self.stock = len(self.pile) - 1
                del self.pile[:-1]
                del self.track.zones["pile"][:-1]
            case Ended():
                self.ended = event
                self.hands = [list(hand) for hand in event.hands]


def scene(picture: EightsPicture, choices: Choices) -> Scene:
    """The stock and the pile in the middle, the hands around them."""
    ended, ids = picture.ended, picture.track.zones
    top = Thing(ids["pile"][-1], french(picture.pile[-1]))
    zones = [
        Zone("stock", "Stock", "pile", more=picture.stock),
        Zone("pile", "Pile", "pile", [top], more=len(picture.pile) - 1),
    ]
    for seat, hand in enumerate(picture.hands):
        own = seat == picture.viewer
        things = [
            Thing(ids[f"hand {seat}"][index], french(card), index if own else None)
            for index, card in enumerate(hand)
        ]
        label = "Your hand" if own else f"{{{seat}}}'s hand"
        zones.append(Zone(f"hand {seat}", label, "hand", things, seat))
    seats = range(len(picture.hands))
    return Scene(
        viewer=picture.viewer,
        seats=[SeatInfo(seat, {"points": ended.points[seat]} if ended else {}) for seat in seats],
        zones=zones,
        prompt=_prompt(picture, choices),
        awaits=[] if ended else [picture.turn],
        counters={"suit": SUITS[picture.suit]},
        targets={}
        if picture.viewer is None
        else {"draw": ["stock"], "play.index": [f"hand {picture.viewer}"]},
        choices=choices,
    )


def _prompt(picture: EightsPicture, choices: Choices) -> str:
    if picture.ended is not None:
        return "The hand is over."
    # Between the events of one input nobody can do anything yet.
    if picture.turn != picture.viewer or not choices:
        return f"It is {{{picture.turn}}}'s turn."
    if any(choice.action == "play" for choice in choices):
        return f"Lay a card of {SUITS[picture.suit]} or of the same rank, or an eight."
    return "Nothing you hold fits: draw, or pass."


def words(event: Event, picture: EightsPicture) -> str:
    """What happened, in a sentence; `{0}` is the name of the player at seat 0."""
    match event:
        case TurnedUp(card):
            return f"{french(card)} is turned up."
        case Played(seat, _, card, suit) if suit != suit_of(card):
            return f"{{{seat}}} plays {french(card)} and names {SUITS[suit]}."
        case Played(seat, _, card):
            return f"{{{seat}}} plays {french(card)}."
        case Drew(seat, card):
            return f"{{{seat}}} draws {french(card) or 'a card'}."
        case Reshuffled():
            return "The pile is shuffled and becomes the stock."
        case Ended(how):
            return {"out": "The hand is over.", "blocked": "Nobody can move."}.get(how, "")
        case _:
            return ""
