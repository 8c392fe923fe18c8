"""What every game's rules must do: keep all cards, fold the same again, and keep to `legal`."""

from __future__ import annotations

import pickle
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from os import environ
from random import Random
from typing import Any, ClassVar
from unittest.mock import patch

import pytest

from parlour.battery.night import Elsewhere, Night, again
from parlour.battery.play import night_under_way, play_bots, play_on, random_night
from parlour.battery.state import fingerprint, table_fingerprint
from parlour.battery.trial import Trial
from parlour.kit import Illegal
from parlour.rng import FastRng
from parlour.table import inputs as do

EFFORT = int(environ.get("PARLOUR_BATTERY_EFFORT", "1"))
"""How many times as many nights as usual to try."""


@contextmanager
def noted(where: str) -> Generator[None]:
    """A failure in this block says where it was."""
    try:
        yield
    except Exception as failure:
        failure.add_note(where)
        raise


def nights(count: int) -> Callable[[Callable[[Any, Random], None]], Callable[[Any], None]]:
    """Run a test on so many nights, each with its own random numbers."""

    def decorate(test: Callable[[Any, Random], None]) -> Callable[[Any], None]:
        def tried(self: Any) -> None:
            for seed in range(count * EFFORT):
                with noted(f"on the night of Random({seed})"):
                    test(self, Random(seed))

        tried.__name__, tried.__doc__ = test.__name__, test.__doc__
        return tried

    return decorate


class RulesSuite:
    """The tests that look at a match and its table."""

    trial: ClassVar[Trial]

    # Conservation

    @nights(25)
    def test_every_card_is_in_exactly_one_place_after_every_action(self, rnd: Random) -> None:
        night = random_night(self.trial, rnd, 0)
        count = len(list(self.trial.cards(night.match)))
        assert count, "`cards` lists none"
        for _ in range(80):
            play_on(night, rnd, 1)
            cards = Counter(self.trial.cards(night.match))
            assert sum(cards.values()) == count, "the number of cards has changed"
            assert max(cards.values()) == 1, "a card lies in two places"

    # Replay

    def test_the_game_can_be_sent_to_another_process(self) -> None:
        """Replays are folded there, so its functions must be found by their names."""
        sent = pickle.loads(pickle.dumps(self.trial.game))  # noqa: S301 - our own bytes
        assert sent.id == self.trial.game.id

    @nights(15)
    def test_folding_the_log_gives_the_same_table_and_the_same_bytes(self, rnd: Random) -> None:
        night = random_night(self.trial, rnd, 100)
        with _another_day():
            twin = _folded_again(night, len(night.log))
        assert table_fingerprint(twin.table) == table_fingerprint(night.table)
        assert twin.told == night.told

    @nights(10)
    def test_a_log_cut_anywhere_and_gone_on_with_ends_the_same(self, rnd: Random) -> None:
        night = random_night(self.trial, rnd, 80)
        at = rnd.randint(1, len(night.log))
        twin = _folded_again(night, at)
        for when, data in night.log[at:]:
            twin.now = when
            twin.receive(do.decode(data))
        assert table_fingerprint(twin.table) == table_fingerprint(night.table)

    # Legal means legal

    @nights(15)
    def test_everything_listed_as_legal_applies(self, rnd: Random) -> None:
        night = night_under_way(self.trial, rnd, 80)
        before = fingerprint(night.match)
        for seat in range(night.seats):
            for action in night.match.legal(seat):
                night.match.copy().apply(seat, action, FastRng(1), night.now)
        assert fingerprint(night.match) == before, "to ask what is legal changes nothing"

    @nights(25)
    def test_a_refused_action_leaves_no_trace(self, rnd: Random) -> None:
        night = night_under_way(self.trial, rnd, 60)
        before = table_fingerprint(night.table)
        for _ in range(12):
            seat = rnd.randrange(night.seats)
            action = self.trial.some_action(rnd, night.match, night.seats)
            twin = night.match.copy()
            try:
                twin.apply(seat, action, FastRng(1), night.now)
            except Illegal as no:
                assert no.code
                assert no.sentence.endswith(".")
                assert fingerprint(twin) == fingerprint(night.match)
        assert table_fingerprint(night.table) == before

    @nights(10)
    def test_a_copy_goes_its_own_way(self, rnd: Random) -> None:
        """So does one that was pickled, and both go on in the same way."""
        night = random_night(self.trial, rnd, 30)
        before = fingerprint(night.match)
        copied = night.match.copy()
        pickled = pickle.loads(pickle.dumps(night.match))  # noqa: S301 - our own bytes
        assert fingerprint(copied) == before, "the copy differs"
        chance, same_chance = FastRng(1), FastRng(1)
        for _ in range(20):
            assert fingerprint(pickled) == fingerprint(copied), "what was pickled differs"
            legal = [(s, action) for s in range(night.seats) for action in copied.legal(s)]
            if not legal or copied.outcome() is not None:
                break
            seat, action = rnd.choice(legal)
            copied.apply(seat, action, chance, night.now)
            pickled.apply(seat, action, same_chance, night.now)
        assert fingerprint(night.match) == before

    # It ends

    def test_bot_games_of_every_size_end(self) -> None:
        self._play_bots(self.trial.bot_games * EFFORT, restless=False)

    def test_bot_games_end_while_people_come_and_go(self) -> None:
        self._play_bots(max(1, self.trial.bot_games * EFFORT // 4), restless=True)

    def _play_bots(self, games: int, restless: bool) -> None:
        game = self.trial.game
        if game.bots is None:
            pytest.skip("the game has no computer players")
        for seats in range(game.min_seats, game.max_seats + 1):
            for seed in range(games):
                with noted(f"with {seats} seats, seed {seed}"):
                    night = play_bots(self.trial, seats, seed, restless=restless)
                    assert night.match.outcome() is not None


def _folded_again(night: Night, upto: int) -> Night:
    try:
        twin = again(night, upto=upto)
    except (Illegal, Elsewhere) as no:
        raise AssertionError(f"folded again, the log leads elsewhere: {no!r}") from no
    twin.now = night.now
    return twin


def _another_day() -> ExitStack:
    """All clocks show another time."""
    stack = ExitStack()
    for name in ("time", "monotonic", "perf_counter"):
        stack.enter_context(patch.object(time, name, lambda: 4_102_444_800.5))
        stack.enter_context(patch.object(time, f"{name}_ns", lambda: 4_102_444_800_500_000_000))
    return stack
