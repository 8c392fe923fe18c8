"""Random numbers for other worlds: the same shuffles, with cards marked or dealt differently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableSequence
from dataclasses import fields, is_dataclass
from random import Random
from typing import Any, TypeVar

import msgspec

from parlour.battery.night import Elsewhere
from parlour.battery.trial import Trial
from parlour.rng import ProvableRng, Rng

T = TypeVar("T")

Key = tuple[int, int]
"""Where a card came from: the number of a shuffle, and its place after it. The numbers that were
drawn one by one, which may be dice, are like a first shuffle, with the number 0."""


class _Int(int):
    key: Key


class _Drawn(_Int):
    """A die is often a number drawn, and one: it keeps its mark."""

    def __add__(self, other: int) -> int:
        if isinstance(other, _Int):
            return int(self) + int(other)
        return _with_key(_Drawn(int(self) + other), self.key)

    __radd__ = __add__


class _Str(str):
    key: Key


_MARKED: dict[type[Any], type[Any]] = {int: _Int, str: _Str}


class _Shuffles:
    """Every shuffle of cards, in order, passes through `dealt`; every number through `drawn`."""

    def __init__(self, is_card: Callable[[Any], bool]) -> None:
        self._is_card = is_card
        self.decks: list[list[Any]] = [[]]
        """The numbers drawn, and then the cards after each shuffle, without marks."""

    def __call__(self, seed: bytes, label: str) -> Rng:
        return _Chance(self, ProvableRng(seed, label))

    def shuffled(self, cards: MutableSequence[Any]) -> None:
        if cards and all(self._is_card(card) for card in cards):
            cards[:] = self.dealt(len(self.decks), list(cards))

    def dealt(self, number: int, cards: list[object]) -> list[object]:
        raise NotImplementedError

    def drawn(self, number: int, bound: int) -> int:
        raise NotImplementedError


class _Chance(Rng):
    def __init__(self, shuffles: _Shuffles, rng: ProvableRng) -> None:
        self._shuffles = shuffles
        self._rng = rng

    def bits(self, count: int) -> int:
        return self._rng.bits(count)

    def below(self, bound: int) -> int:
        return self._shuffles.drawn(self._rng.below(bound), bound)

    def tokens(self, count: int) -> list[str]:
        return self._rng.tokens(count)

    def shuffle(self, cards: MutableSequence[T]) -> None:
        self._rng.shuffle(cards)
        self._shuffles.shuffled(cards)


class Marker(_Shuffles):
    """Deals the same cards, each marked with the place it was dealt from.

    Numbers and texts are marked by a subclass. Rules take it for the plain value; JSON encoders do
    not, so a marked table has no wires. Other cards are known by their object's identity.
    """

    def __init__(self, is_card: Callable[[Any], bool]) -> None:
        super().__init__(is_card)
        self._objects: dict[int, tuple[Key, object]] = {}
        self._places: dict[object, list[Key]] = {}
        self.past: set[Key] = set()
        """Where cards came from that have been shuffled again since."""

    def dealt(self, number: int, cards: list[object]) -> list[object]:
        self.past.update(self.keys_of_cards(cards))
        plain = [_plain(card) for card in cards]
        self.decks.append(plain)
        places: dict[object, list[Key]] = {}
        for place, card in enumerate(plain):
            if _hashable(card):
                places.setdefault(card, []).append((number, place))
        self._places.update(places)
        return [self._marked(card, (number, place)) for place, card in enumerate(plain)]

    def drawn(self, number: int, bound: int) -> int:
        self.decks[0].append(number)
        return _with_key(_Drawn(number), (0, len(self.decks[0]) - 1))

    def _marked(self, card: object, key: Key) -> object:
        if type(card) not in _MARKED:
            self._objects[id(card)] = (key, card)
            return card
        return _with_key(_MARKED[type(card)](card), key)

    def key(self, card: object) -> Key | None:
        """The origin of a marked card; None: it has no mark."""
        if isinstance(card, _Int | _Str):
            return card.key
        known = self._objects.get(id(card))
        return None if known is None else known[0]

    def keys(self, thing: object) -> Iterator[Key]:
        """The origins of all marked cards in something, however deeply nested."""
        key = self.key(thing)
        if key is not None:
            yield key
        elif isinstance(thing, int | str | bytes | float | type(None)):
            return
        elif isinstance(thing, msgspec.Struct):
            for name in thing.__struct_fields__:
                yield from self.keys(getattr(thing, name))
        elif isinstance(thing, dict):
            for key, value in thing.items():
                yield from self.keys(key)
                yield from self.keys(value)
        elif isinstance(thing, list | tuple | set | frozenset):
            for item in thing:
                yield from self.keys(item)
        elif is_dataclass(thing):
            for each in fields(thing):
                # Fields that do not compare hold cached values.
                if each.compare:
                    yield from self.keys(getattr(thing, each.name))

    def keys_of_cards(self, cards: Iterable[object]) -> Iterator[Key]:
        """The origins of cards. A card that has lost its mark (as bytes, say) is looked up by its
        value in the last shuffle that had it."""
        for card in cards:
            marked = False
            for key in self.keys(card):
                marked = True
                yield key
            if not marked and _hashable(card):
                yield from self._places.get(card, ())


def _with_key(marked: T, key: Key) -> T:
    marked.key = key  # type: ignore[attr-defined]
    return marked


def _plain(card: object) -> object:
    if isinstance(card, _Int):
        return int(card)
    return str.__str__(card) if isinstance(card, _Str) else card


def _hashable(card: object) -> bool:
    return type(card).__hash__ is not None


class World(_Shuffles):
    """Deals some places differently, and draws other numbers for some.

    `fixed` places keep their cards (if that is impossible, it raises `Elsewhere`), `loose` ones are
    dealt again, and all others keep their cards where possible.
    """

    def __init__(
        self,
        trial: Trial,
        decks: list[list[Any]],
        fixed: set[Key],
        loose: set[Key],
        rnd: Random,
    ) -> None:
        super().__init__(trial.is_card)
        self._alike = trial.alike
        self._before = decks
        self._fixed = fixed
        self._loose = loose
        self._rnd = rnd
        self.changed: set[Key] = set()
        """Places that have another card than before."""

    def drawn(self, number: int, bound: int) -> int:
        place = len(self.decks[0])
        if place < len(self._before[0]):
            before = self._before[0][place]
            number = self._rnd.randrange(bound) if (0, place) in self._loose else before
            if number >= bound:
                raise Elsewhere
            if number != before:
                self.changed.add((0, place))
        self.decks[0].append(number)
        return number

    def dealt(self, number: int, cards: list[object]) -> list[object]:
        if number >= len(self._before) or len(cards) != len(self._before[number]):
            raise Elsewhere
        before = self._before[number]
        left = list(cards)
        made: dict[int, object] = {}
        for place, card in enumerate(before):
            if (number, place) in self._fixed:
                if card not in left:
                    raise Elsewhere
                left.remove(card)
                made[place] = card
        for place, card in enumerate(before):
            if place not in made and (number, place) not in self._loose and card in left:
                left.remove(card)
                made[place] = card
        self._rnd.shuffle(left)
        kinds: dict[object, list[object]] = {}
        for card in left:
            kinds.setdefault(self._alike(card), []).append(card)
        for place, card in enumerate(before):
            if place not in made:
                others = kinds.get(self._alike(card))
                if not others:
                    raise Elsewhere
                made[place] = others.pop()
        now = [made[place] for place in range(len(before))]
        self.changed |= {(number, p) for p, card in enumerate(now) if card != before[p]}
        self.decks.append(now)
        return now[:]
