"""The battery finds rules that are wrong."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import pytest

from parlour.games.rummy.rules import Rummy
from parlour.kit import Illegal
from parlour.protocol import Preset
from parlour.rng import Rng
from tests import highcard
from tests.battery import made_up
from tests.battery.breaking import (
    BYTES,
    ENDS,
    NO_TRACE,
    PLACES,
    PRESETS,
    REPLAY,
    broken,
    fails,
    match_of,
)
from tests.battery.made_up import EIGHTS, HIGH, Eights
from tests.rummy.trial import RUMMY

pytestmark = pytest.mark.slow


# Settings


def test_presets_that_are_no_settings_or_say_nothing_are_found() -> None:
    good = Preset("Brisk", "Seven cards.", {"hand_size": 7})
    assert not fails(broken(RUMMY, presets=(good,)), PRESETS)
    for presets in (
        (Preset("Brisk", "Six cards.", {"hand_size": 6}),),
        (Preset("Brisk", "Seven cards.", {"handsize": 7}),),
        (Preset("", "Seven cards.", {}),),
        (Preset("Brisk", "", {}),),
        (good, good),
    ):
        assert fails(broken(RUMMY, presets=presets), PRESETS), presets


# Rules


def test_a_fold_that_reads_a_clock_is_found() -> None:
    class Impatient(highcard.HighCard):
        def set_deadline(self, now: int) -> None:
            # In nanoseconds: two folds may take place within one millisecond.
            self.deadline = time.time_ns()

    assert fails(match_of(Impatient, HIGH), REPLAY)


def test_a_fold_that_reads_what_is_not_in_the_log_is_found() -> None:
    count = itertools.count()

    class Counted(highcard.HighCard):
        def set_deadline(self, now: int) -> None:
            self.deadline = now + 5_000 + next(count)

    assert fails(match_of(Counted, HIGH), REPLAY)


@pytest.mark.parametrize(
    "refusal",
    [
        lambda match: Illegal("not-in-hand", f"You do not hold it; on top lies {match.deck[-1]}."),
        lambda match: Illegal("red" if match.deck[-1] < 26 else "black", "You do not hold it."),
    ],
    ids=["in its sentence", "in its code"],
)
def test_a_refusal_that_tells_a_card_is_found(refusal: Callable[[Any], Illegal]) -> None:
    class Talkative(highcard.HighCard):
        def apply(self, seat: int, action: Any, rng: Rng, now: int) -> Any:
            if action.card not in self.hands[seat]:
                raise refusal(self)
            return super().apply(seat, action, rng, now)

    assert fails(match_of(Talkative, HIGH), BYTES)


def test_an_offer_that_tells_a_card_is_found() -> None:
    class Helpful(highcard.HighCard):
        def legal(self, seat: int) -> Any:
            listed = super().legal(seat)
            other = self.hands[1 - seat] if seat < 2 else []
            return listed[::-1] if other and other[0] < 26 else listed

    assert fails(match_of(Helpful, HIGH), BYTES)


def test_a_lost_card_is_found() -> None:
    class Careless(Rummy):
        def _pass_on(self, events: Any, rng: Rng) -> None:
            if len(self.discards) > 6:
                del self.discards[0]
            super()._pass_on(events, rng)

    assert fails(match_of(Careless, RUMMY), PLACES)


def test_a_refusal_that_has_changed_something_is_found() -> None:
    class Hasty(highcard.HighCard):
        def apply(self, seat: int, action: Any, rng: Rng, now: int) -> Any:
            self.hands[seat].sort()
            return super().apply(seat, action, rng, now)

    assert fails(match_of(Hasty, HIGH), NO_TRACE)


def test_a_trace_of_an_action_that_was_right_earlier_is_found() -> None:
    class Tiring(Eights):
        def apply(self, seat: int, action: Any, rng: Rng, now: int) -> Any:
            if isinstance(action, made_up.Play) and action.card in self.pile:
                self.left -= 1
            return super().apply(seat, action, rng, now)

    assert fails(match_of(Tiring, EIGHTS), NO_TRACE)


def test_a_match_that_gets_stuck_is_found() -> None:
    class Stuck(Eights):
        def legal(self, seat: int) -> Any:
            return [] if len(self.pile) > 4 else super().legal(seat)

    assert fails(match_of(Stuck, EIGHTS), ENDS)
