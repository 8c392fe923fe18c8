"""How a game of ONU looks to one viewer, and what happens in it, in words."""

from __future__ import annotations

from typing import Final

from parlour.choices import Choices
from parlour.games.onu.cards import (
    COLOUR_NAMES,
    HIDDEN,
    REVERSE,
    SPECIAL,
    Card,
    colour_of,
    described,
    effect_of,
)
from parlour.games.onu.choices import PASSES, PLAYS
from parlour.games.onu.moves import (
    FORCED,
    TIMEOUT,
    Dealt,
    Drew,
    Ended,
    Event,
    Fumbled,
    Passed,
    Played,
    Reshuffled,
    Skipped,
)
from parlour.games.onu.picture import DECK, STACK, Picture, hand_zone
from parlour.kit import Seat
from parlour.scenes import Scene, SeatInfo, Thing, Zone

CARDS: Final = "onu"
"""The name of this deck of faces: `face_of` writes them."""


def face_of(card: Card, colour: int = SPECIAL) -> str | None:
    """A card as a scene writes it: "red 7", "green skip", "wild pick 4". A wild on the stack has
    the colour that was chosen for it: "blue wild". None: it lies face down."""
    if card == HIDDEN:
        return None
    chosen = f"{COLOUR_NAMES[colour]} " if colour_of(card) == SPECIAL != colour else ""
    return chosen + described(card)


def scene(picture: Picture, choices: Choices) -> Scene:
    """The deck and the stack in the middle, the hands around them."""
    viewer = picture.viewer
    ids = picture.track.zones[STACK]
    top = [Thing(ids[-1].id, face_of(card, picture.colour)) for card in picture.stack[-1:]]
    zones = [
        Zone(DECK, "Deck", "pile", more=len(picture.deck), deck=CARDS),
        Zone(STACK, "Stack", "pile", top, more=len(picture.stack) - len(top), deck=CARDS),
        *(_hand(picture, seat) for seat in range(len(picture.hands))),
    ]
    return Scene(
        viewer=viewer,
        seats=[SeatInfo(seat, marks=_marks(picture, seat)) for seat in range(len(picture.hands))],
        zones=zones,
        prompt=_prompt(picture, choices),
        awaits=[picture.turn] if picture.awaited else [],
        counters={"colour": COLOUR_NAMES[picture.colour], "play goes": _way(picture.direction)},
        deadline=picture.deadline if picture.awaited else None,
        targets={} if viewer is None else _targets(hand_zone(viewer)),
        choices=choices,
    )


def _targets(hand: str) -> dict[str, list[str]]:
    return {"draw": [DECK], "play.index": [hand], "play": [STACK]}


def _hand(picture: Picture, seat: Seat) -> Zone:
    own = seat == picture.viewer
    ids = picture.track.zones[hand_zone(seat)]
    things = [
        Thing(ids[index].id, face_of(card), index if own else None)
        for index, card in enumerate(picture.hands[seat])
    ]
    label = "Your hand" if own else f"{{{seat}}}'s hand"
    return Zone(hand_zone(seat), label, "hand", things, seat, deck=CARDS, sortable=own)


def _marks(picture: Picture, seat: Seat) -> list[str]:
    if picture.ended is not None:
        return ["winner"] if seat == picture.ended.winner else []
    marks = {
        "next": seat == (picture.turn + picture.direction) % len(picture.hands) != picture.turn,
        "one card left": len(picture.hands[seat]) == 1,
    }
    return [mark for mark, holds in marks.items() if holds]


def _way(direction: int) -> str:
    return "right" if direction > 0 else "left"


def _prompt(picture: Picture, choices: Choices) -> str:
    if picture.ended is not None:
        return "The game is over."
    if picture.turn != picture.viewer:
        return f"It is {{{picture.turn}}}'s turn."
    if not choices:
        return "One moment …"
    labels = [choice.label for choice in choices]
    if PLAYS in labels:
        return f"Play a card that fits, or {'pass' if PASSES in labels else 'draw one'}."
    if PASSES in labels:
        return "Nothing fits, and there is nothing to draw. Pass."
    return "Nothing fits. Draw a card."


def words(event: Event, picture: Picture) -> str:
    """A sentence about the event; `{0}` is the name of the player at seat 0."""
    match event:
        case Dealt():
            return f"The cards are dealt. {described(event.start).capitalize()} is turned up."
        case Played(seat, _, card, colour, direction):
            return f"{{{seat}}} plays {_played(card, colour, direction)}."
        case Skipped(seat):
            return f"{{{seat}}} is skipped."
        case Drew(seat, cards, why):
            draws = {FORCED: "has to draw", TIMEOUT: "does not answer in time and draws"}
            return f"{{{seat}}} {draws.get(why, 'draws')} {_drawn(cards)}."
        case Reshuffled():
            return "The deck is used up: the stack below its top is shuffled and becomes the deck."
        case Passed(seat):
            return f"{{{seat}}} passes."
        case Fumbled(seat):
            return f"{{{seat}}} has given an answer that is not possible."
        case Ended(None):
            return "The game is over. Nobody wins."
        case Ended(winner):
            return f"The game is over. {{{winner}}} wins."
        case _:
            return ""


def _played(card: Card, colour: int, direction: int) -> str:
    if colour_of(card) == SPECIAL:
        return f"{described(card)} and chooses {COLOUR_NAMES[colour]}"
    turned = f": play goes {_way(direction)} now" if effect_of(card) == REVERSE else ""
    return described(card) + turned


def _drawn(cards: list[Card]) -> str:
    faces = [described(card) for card in cards if card != HIDDEN]
    if faces:
        return ", ".join(faces)
    return "a card" if len(cards) == 1 else f"{len(cards)} cards"
