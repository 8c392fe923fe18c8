"""The picture that a viewer has of Crazy Eights, and the scene drawn from it."""

from __future__ import annotations

from parlour.cards import SUITS, suit_of
from parlour.choices import Choices
from parlour.kit import Seat, Turn
from parlour.scenes import Scene, SeatInfo, Tabletop, Zone, french
from parlour_eights.rules import Dealt, Drew, Ended, Event, Played, Reshuffled, TurnedUp


class EightsPicture(Tabletop[Event]):
    """How the table lies: the zones are the pile, and each player's hand."""

    def __init__(self, viewer: Seat | None) -> None:
        super().__init__(viewer)
        self.players = 0
        self.stock = 52
        self.suit = 0
        self.turn = 0
        self.ended: Ended | None = None

    def see(self, event: Event) -> None:
        match event:
            case Dealt(seat, hand):
                self.players += 1
                self.stock -= len(hand)
                self.lay(f"hand {seat}", hand)
            case TurnedUp(card):
                # An eight goes back, and the next card takes its place.
                self.stock -= "pile" not in self.zones
                self.suit = suit_of(card)
                self.lay("pile", [card])
            case Turn(seat):
                self.turn = seat
            case Played(seat, index, card, suit):
                self.suit = suit
                self.move(f"hand {seat}", "pile", card, index)
            case Drew(seat, drawn):
                self.stock -= 1
                self.move("stock", f"hand {seat}", drawn)
            case Reshuffled():
                self.stock = len(self.zones["pile"]) - 1
                del self.zones["pile"][:-1]
            case Ended():
                self.ended = event
                for seat, cards in enumerate(event.hands):
                    self.show(f"hand {seat}", cards)


def scene(picture: EightsPicture, choices: Choices) -> Scene:
    """The stock and the pile in the middle, the hands around them."""
    points = picture.ended.points if picture.ended else []
    seats = range(picture.players)
    stock = Zone("stock", "Stock", "pile", more=picture.stock)
    return Scene(
        viewer=picture.viewer,
        seats=[SeatInfo(seat, {"points": points[seat]} if points else {}) for seat in seats],
        zones=[stock, picture.pile("pile", "Pile"), *picture.hands(picture.players, "position")],
        prompt=_prompt(picture, choices),
        awaits=[] if points else [picture.turn],
        counters={"suit": SUITS[picture.suit]},
        targets={"draw": ["stock"], "play.index": picture.own("hand")},
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
        case Played(seat, _, card, suit):
            named = "" if suit == suit_of(card) else f" and names {SUITS[suit]}"
            return f"{{{seat}}} plays {french(card)}{named}."
        case Drew(seat, card):
            return f"{{{seat}}} draws {french(card) or 'a card'}."
        case Reshuffled():
            return "The pile is shuffled and becomes the stock."
        case Ended(how):
            return {"out": "The hand is over.", "blocked": "Nobody can move."}.get(how, "")
        case _:
            return ""
