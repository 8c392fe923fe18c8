"""Lessons: a game explained by playing it, as data.

A lesson is a list of sentences and expected actions on a deal that was chosen for it. It is played
by the game's own rules (`teaching.py`), so it can't contradict them. Nothing is logged, and no
table is opened.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableSequence, Sequence
from typing import TypeAlias, TypeVar, final

import msgspec

from parlour.choices import Value
from parlour.kit import Seat
from parlour.rng import FastRng, Rng

T = TypeVar("T")

LEARNER: Seat = 0
"""The learner's seat."""


class At(msgspec.Struct, frozen=True):
    """A thing in a zone of the scene, named by its position: for things that lie face down."""

    zone: str
    position: int = -1
    """The first is 0; -1 is the last, the top of a pile."""


Named: TypeAlias = Value | At
"""A value of an action's field. A text is the face of a thing where the field's values lie
(`targets` of the scene), or a word that the choices have for a value, or the value itself."""

Fields: TypeAlias = Mapping[str, Named | Sequence[Named]]


class Say(msgspec.Struct, frozen=True):
    """Something to read. `{1}` is the name of the player at seat 1."""

    text: str
    look: Sequence[str] = ()
    """Zones of the scene to look at while reading."""


class Do(msgspec.Struct, frozen=True):
    """Something that the learner is to do."""

    text: str
    action: str
    """Its name in the choices."""
    fields: Fields = {}
    otherwise: str = "Not that one. Read the sentence again, or press what is marked."
    """Shown to a learner who does something else: why this is better."""
    look: Sequence[str] = ()


class Other(msgspec.Struct, frozen=True):
    """An action of another player. It is shown before the next sentence."""

    seat: Seat
    action: str
    fields: Fields = {}


class Wait(msgspec.Struct, frozen=True):
    """Time passes until the next timer fires. This is shown before the next sentence."""


Step: TypeAlias = Say | Do | Other | Wait


class Deck(msgspec.Struct, frozen=True):
    """Cards after a shuffle. Those that are not listed lie between these, the same each time."""

    top: Sequence[object] = ()
    """The end of the list, from which rules draw with `pop()`: the first to be drawn first."""
    bottom: Sequence[object] = ()
    """The beginning of the list."""


class Lesson(msgspec.Struct, frozen=True, kw_only=True):
    """About five minutes."""

    id: str
    """Lowercase letters, digits and hyphens; it is part of the address."""
    title: str
    seats: int
    steps: Sequence[Step]
    """The first and the last are sentences: nothing is shown after the last sentence."""
    settings: Mapping[str, object] = {}
    """Those that differ from the game's defaults."""
    shuffles: Sequence[Deck] = ()
    """The results of the first shuffles. Later ones give the same each time."""
    numbers: Sequence[int] = ()
    """The first results of `rng.below`: dice, for example."""


@final
class Arranged(Rng):
    """The random numbers of a lesson: those it asks for, then the same ones each time."""

    def __init__(self, lesson: Lesson) -> None:
        self._rest = FastRng(0)
        self._shuffles = list(lesson.shuffles)
        self._numbers = list(lesson.numbers)

    def bits(self, count: int) -> int:
        return self._rest.bits(count)

    def below(self, bound: int) -> int:
        if not self._numbers:
            return super().below(bound)
        number = self._numbers.pop(0)
        if not 0 <= number < bound:
            raise ValueError(f"{number} is not below {bound}")
        return number

    def shuffle(self, cards: MutableSequence[T]) -> None:
        self._rest.shuffle(cards)
        if self._shuffles:
            deck = self._shuffles.pop(0)
            top, bottom = _taken(cards, deck.top), _taken(cards, deck.bottom)
            cards[:] = [*bottom, *cards, *reversed(top)]


def _taken(cards: MutableSequence[T], wanted: Sequence[object]) -> list[T]:
    """Removes these cards, and returns them."""
    missing = [card for card in wanted if card not in cards]
    if missing:
        raise ValueError(f"{missing[0]!r} is not among the cards that are shuffled")
    return [cards.pop(cards.index(card)) for card in wanted]


def dealt(*hands: Sequence[T]) -> list[T]:
    """The cards of these hands in the order in which they are dealt: one to each player in turn."""
    return [card for cards in zip(*hands, strict=True) for card in cards]
