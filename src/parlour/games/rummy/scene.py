"""How a round of Super Rummy looks to one viewer, and what happens in it, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from parlour.choices import Choices
from parlour.games.rummy.melds import Card
from parlour.games.rummy.moves import (
    DRAW,
    TO_DISCARDS,
    TO_HAND,
    Ended,
    Event,
    Moved,
    Redecked,
    Turned,
)
from parlour.games.rummy.picture import RummyPicture
from parlour.scenes import Scene, SeatInfo, Thing, Zone, french


def scene(picture: RummyPicture, choices: Choices) -> Scene:
    """The deck, the discards and the melds in the middle, the hands around them."""
    viewer, turned, ended = picture.viewer, picture.turned, picture.ended
    zones = [
        Zone("deck", "Deck", "pile", _deck_top(picture), more=max(len(picture.deck) - 1, 0)),
        Zone(
            "discards",
            "Discard pile",
            "pile",
            _things(picture.discards[-1:]),
            more=max(len(picture.discards) - 1, 0),
        ),
    ]
    for number, meld in enumerate(picture.melds):
        label = f"Meld {number + 1}"
        zones.append(Zone(f"meld {number}", label, "spread", _things(meld), name=number))
    zones.append(Zone("melds", "New meld", "spread"))
    for seat, hand in enumerate(picture.hands):
        own = seat == viewer
        label = "Your hand" if own else f"{{{seat}}}'s hand"
        zones.append(Zone(f"hand {seat}", label, "hand", _things(hand), seat, sortable=own))
    values = ended.hand_values if ended is not None else {}
    return Scene(
        viewer=viewer,
        seats=[
            SeatInfo(seat, {"points in hand": values[seat]} if seat in values else {})
            for seat in range(len(picture.hands))
        ],
        zones=zones,
        prompt=_prompt(picture),
        awaits=[] if turned is None or ended is not None else [turned.seat],
        targets={} if viewer is None else _targets(f"hand {viewer}", len(picture.melds)),
        choices=choices,
    )


def _deck_top(picture: RummyPicture) -> list[Thing]:
    """The card on top, with its face for somebody who may look at it before drawing."""
    shown = picture.turned.deck_top if picture.turned is not None else None
    return [Thing(card, french(shown.face) if shown else None) for card in picture.deck[-1:]]


def _things(cards: Sequence[Card]) -> list[Thing]:
    return [Thing(card.id, french(card.face)) for card in cards]


def _targets(hand: str, melds: int) -> dict[str, Sequence[str]]:
    return {
        "draw.card_id": ["deck", "discards"],
        "meld.card_ids": [hand],
        "lay.card_ids": [hand],
        "lay.meld_number": [f"meld {number}" for number in range(melds)],
        "meld": ["melds"],
        "discard.card_id": [hand],
        "discard": ["discards"],
    }


def _prompt(picture: RummyPicture) -> str:
    turned = picture.turned
    if picture.ended is not None:
        return "The round is over."
    if turned is None:
        return "The cards are dealt."
    if turned.seat != picture.viewer:
        return f"It is {{{turned.seat}}}'s turn."
    if turned.state == DRAW:
        return "Draw the top card of the deck or of the discards."
    return "Lay cards down if you like, then discard one."


ENDINGS: Final = {
    "standstill": "nobody can go out any more",
    "deck-exhausted": "the deck has run out",
    "abandoned": "too few are left",
}
"""Why nobody has won a round."""


def words(event: Event, picture: RummyPicture) -> str:
    """A sentence about the event; `{0}` is the name of the player at seat 0."""
    # A move to a meld or to the discards does not say whose it is: the turn before it does.
    player = "" if picture.turned is None else f"{{{picture.turned.seat}}}"
    match event:
        case Moved([card], destination) if not player:
            # Of the deal only the first card of the discards is worth a sentence.
            return f"{french(card.face)} is turned up." if destination == TO_DISCARDS else ""
        case Turned(_, _, top):
            return "" if top is None else f"{french(top.face)} lies on top of the deck."
        case Moved([card], destination, seat) if destination == TO_HAND:
            face = french(card.face) or "a card"
            if picture.discards and picture.discards[-1].id == card.id:
                return f"{{{seat}}} takes {face} from the discards."
            return f"{{{seat}}} draws {face}."
        case Moved([card], destination) if destination == TO_DISCARDS:
            return f"{player} discards {french(card.face)}."
        case Moved([card], _, _, number):
            return f"{player} lays {french(card.face)} on meld {number + 1}."
        case Moved(cards, _, _, number):
            faces = " ".join(french(card.face) or "" for card in cards)
            if number == len(picture.melds):
                return f"{player} melds {faces}."
            return f"{player} lays cards: meld {number + 1} is now {faces}."
        case Redecked():
            return "The deck is used up: the discards become the deck."
        case Ended(winner, _, how):
            if winner is None:
                return f"Nobody wins this round: {ENDINGS[how]}."
            return f"{{{winner}}} is out and wins the round."
        case _:
            return ""
