"""What the tests of rummy's rules share: random rounds, and how to speak of what happened."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from parlour.games.rummy.moves import Action, Event, Moved, Turned
from parlour.games.rummy.rules import Rummy, deal
from parlour.games.rummy.settings import Settings
from parlour.kit import Illegal, Setup
from parlour.rng import FastRng, Rng
from tests.rummy import pick, snapshot

RNG = FastRng(1)


def play(
    options: Settings, seats: int, rng: Rng, *, leaving: bool
) -> Iterator[tuple[Rummy, list[Event]]]:
    """A random round, step by step; with `leaving`, players go away and come back."""
    match, events = deal(Setup(options, [f"player{seat}" for seat in range(seats)]), rng, 0)
    yield match, events
    while match.ended is None:
        if leaving and rng.below(12) == 0:
            seat = rng.below(seats)
            if not match.active[seat]:
                yield match, match.back(seat, rng, 0)
            elif match.active.count(True) > 2 or rng.below(20) == 0:
                yield match, match.gone(seat, rng, 0)
            continue
        yield match, match.apply(match.turn, pick(match, rng), rng, 0)


def shape(events: list[Event]) -> list[str]:
    """What happened, in a word each."""
    words: list[str] = []
    for event in events:
        if isinstance(event, Moved):
            words.append(f"to-{event.destination}")
        elif isinstance(event, Turned):
            words.append(f"turn-{event.seat}-{event.state}")
        else:
            words.append(type(event).__name__.lower())
    return words


def refused(match: Rummy, action: Action, seat: int = 0) -> str:
    before = snapshot(match)
    with pytest.raises(Illegal) as caught:
        match.apply(seat, action, RNG, 0)
    assert snapshot(match) == before
    return caught.value.code
