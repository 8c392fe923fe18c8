"""The picture that a viewer has of Crazy Eights, and the scene drawn from it."""

from __future__ import annotations

from parlour.cards import SUITS, suit_of
from parlour.choices import Choices
from parlour.kit import Seat
from parlour.scenes import Scene, Tabletop, Zone, french
from parlour_eights.rules import Drew, Ended, Event, Played, TurnedUp


class EightsPicture(Tabletop[Event]):
    """How the table lies: the zones are the pile, and each player's hand."""

    def __init__(self, viewer: Seat | None) -> None:
        super().__init__(viewer)
        self.suit = 0
        self.points: list[int] = []
        """By seat, once the hand is over."""

    def see(self, event: Event) -> None:
        super().see(event)
        match event:
            case TurnedUp(card):
                self.suit = suit_of(card)
                self.lay("pile", [card])
            case Played(seat, index, card, suit):
                self.suit = suit
                self.move(f"hand {seat}", "pile", card, index)
            case Drew(seat, drawn):
                self.move("stock", f"hand {seat}", drawn)
            case Ended(_, hands, points):
                self.points = points
                for seat, cards in enumerate(hands):
                    self.show(f"hand {seat}", cards)


def scene(picture: EightsPicture, choices: Choices) -> Scene:
    """The stock and the pile in the middle, the hands around them."""
    left = 52 - sum(map(len, picture.zones.values()))
    stock = Zone("stock", "Stock", "pile", more=left)
    return Scene(
        viewer=picture.viewer,
        seats=picture.seats(points=picture.points),
        zones=[stock, picture.pile("pile", "Pile"), *picture.hands("position")],
        prompt=_prompt(picture, choices),
        awaits=[] if picture.points else [picture.turn],
        counters={"suit": SUITS[picture.suit]},
        targets={"draw": ["stock"], "play.index": picture.own("hand")},
        choices=choices,
    )


def _prompt(picture: EightsPicture, choices: Choices) -> str:
    if picture.points:
        return "The hand is over."
    # Between the events of one input nobody can do anything yet.
    if picture.turn != picture.viewer or not choices:
        return picture.waiting
    if any(choice.action == "play" for choice in choices):
        return f"Lay a card of {SUITS[picture.suit]} or of the same rank, or an eight."
    return "Nothing you hold fits: draw, or pass."


def words(event: Event, picture: EightsPicture) -> str:
    """A sentence about the event; `{0}` is the name of the player at seat 0."""
    match event:
        case TurnedUp(card):
            return f"{french(card)} is turned up."
        case Played(seat, _, card, suit):
            named = "" if suit == suit_of(card) else f" and names {SUITS[suit]}"
            return f"{{{seat}}} plays {french(card)}{named}."
        case Drew(seat, card):
            return f"{{{seat}}} draws {french(card) or 'a card'}."
        case Ended(how):
            return {"out": "The hand is over.", "stock": "The stock is used up."}.get(how, "")
        case _:
            return ""
