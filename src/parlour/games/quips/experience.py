"""The experience of computer players at this house: which white cards win with which black ones.

For every white card, and for every pair of a black and a white one, two numbers are kept: how
often it won, and how often it would have won if judges chose at random. Their ratio, moved towards
1 while there is little evidence, is a card's fit. Only people's verdicts count: bots that learn
from each other would only confirm their own guesses.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final, final

import msgspec

from parlour.games.quips.deck import CUSTOM
from parlour.games.quips.packs import Shelf
from parlour.games.quips.picture import Picture, Verdict

_CAUTION_CARD: Final = 2.0
_CAUTION_PAIR: Final = 0.5
"""How many won rounds' worth of evidence the guess before any evidence counts for."""

_MOST: Final = 50_000
"""How many cards and how many pairs are remembered at most: those seen last."""


class _Count(msgspec.Struct, array_like=True):
    won: float = 0.0
    by_lot: float = 0.0


class _Kept(msgspec.Struct, array_like=True):
    cards: dict[str, _Count] = {}
    pairs: dict[str, _Count] = {}
    """By black and white card id, with a space between."""


@final
class Experience:
    """A house's experience; `Experience(None)` has none, `Experience(data)` what `dump` kept."""

    def __init__(self, data: bytes | None) -> None:
        self._kept = _Kept()
        if data is not None:
            # Where another version kept it, begin anew: experience is worth little enough.
            with suppress(msgspec.DecodeError):
                self._kept = msgspec.msgpack.decode(data, type=_Kept)

    def dump(self) -> bytes:
        return msgspec.msgpack.encode(self._kept)

    def learn(self, picture: Picture) -> None:
        """Take in the verdicts of a game that is over."""
        for verdict in picture.verdicts:
            if verdict.by_person and len(verdict.plays) > 1:
                self._take_in(verdict, picture.shelf)

    def _take_in(self, verdict: Verdict, shelf: Shelf) -> None:
        by_lot = 1 / len(verdict.plays)
        for index, play in enumerate(verdict.plays):
            won = float(index == verdict.winning_play)
            for card in play:
                if not card.startswith(CUSTOM):
                    base = shelf.bases[card]
                    _add(self._kept.cards, base, won, by_lot)
                    _add(self._kept.pairs, f"{verdict.black} {base}", won, by_lot)

    def fit(self, black: str, white: str, shelf: Shelf) -> float:
        """How much oftener than by lot `white` may win with `black`: 1 where nothing is known."""
        base = shelf.bases.get(white, white)
        fit = _ratio(self._kept.cards.get(base), 1.0, _CAUTION_CARD)
        return _ratio(self._kept.pairs.get(f"{black} {base}"), fit, _CAUTION_PAIR)


def _add(counts: dict[str, _Count], key: str, won: float, by_lot: float) -> None:
    # Put in again at the end, so that what was not seen for longest comes first.
    count = counts.pop(key, None) or _Count()
    count.won += won
    count.by_lot += by_lot
    counts[key] = count
    if len(counts) > _MOST:
        del counts[next(iter(counts))]


def _ratio(count: _Count | None, guess: float, caution: float) -> float:
    if count is None:
        return guess
    return (count.won + caution * guess) / (count.by_lot + caution)
