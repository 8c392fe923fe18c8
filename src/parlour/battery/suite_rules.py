"""Tests of rules: they keep all cards, fold the same again, and keep to `legal`."""

from __future__ import annotations

import pickle
from collections import Counter
from random import Random
from typing import ClassVar

import pytest

from parlour.battery.checks import EFFORT, check, nights, noted
from parlour.battery.night import Elsewhere, Night, again, digests
from parlour.battery.other_process import folded_elsewhere
from parlour.battery.play import night_under_way, play_bots, play_on, random_night, wrong_actions
from parlour.battery.state import fingerprint, table_fingerprint
from parlour.battery.trial import Trial
from parlour.kit import Illegal
from parlour.rng import FastRng
from parlour.table import inputs as do
from parlour.table.checkpoint import freeze, same_state, thaw


class RulesSuite:
    """The tests that look at a match and its table."""

    trial: ClassVar[Trial]

    # Conservation

    @nights(25, "cards")
    def test_every_card_is_in_exactly_one_place_after_every_action(self, rnd: Random) -> None:
        night = random_night(self.trial, rnd, 0)
        before = Counter(self.trial.cards(night.match))
        assert before, "`cards` lists none"
        for _ in range(80):
            play_on(night, rnd, 1)
            cards = Counter(self.trial.cards(night.match))
            assert cards.total() == before.total(), "the number of cards has changed"
            # Cards that look alike must stay as many as they were.
            assert max(cards.values()) == 1 or cards == before, "a card lies in two places"

    # Settings

    @check("presets")
    def test_every_preset_is_a_valid_patch_of_the_settings(self) -> None:
        game = self.trial.game
        names = [preset.name for preset in game.presets]
        assert len(set(names)) == len(names), "two presets have the same name"
        for preset in game.presets:
            with noted(f"in the preset {preset.name!r}"):
                assert preset.name, "it has no name"
                assert preset.blurb, "it has no blurb"
                try:
                    game.configure(game.settings(), preset.settings)
                except Illegal as no:
                    raise AssertionError(no.sentence) from None

    # Replay

    @check("replays")
    def test_another_process_folds_the_log_to_the_same_table(self) -> None:
        """As it does for replays: there the game's functions are found by their names. It has
        another hash seed, which sets are ordered by, and other clocks."""
        played = [random_night(self.trial, Random(seed), 100) for seed in range(5)]
        elsewhere = folded_elsewhere(played)
        for seed, (night, there) in enumerate(zip(played, elsewhere, strict=True)):
            with noted(f"on the night of Random({seed})"):
                here = digests(self.trial.game, night.log, night.content)
                same = [one == other for one, other in zip(here, there, strict=True)]
                assert all(same), f"entry {same.index(False) + 1} has other consequences there"

    @nights(15, "replays")
    def test_folding_the_log_gives_the_same_table_and_the_same_bytes(self, rnd: Random) -> None:
        night = random_night(self.trial, rnd, 100)
        twin = _folded_again(night, len(night.log))
        assert table_fingerprint(twin.table) == table_fingerprint(night.table)
        assert twin.told == night.told

    @nights(10, "replays")
    def test_a_log_cut_anywhere_and_gone_on_with_ends_the_same(self, rnd: Random) -> None:
        night = random_night(self.trial, rnd, 80)
        at = rnd.randint(1, len(night.log))
        twin = _folded_again(night, at)
        for when, data in night.log[at:]:
            twin.now = when
            twin.receive(do.decode(data))
        assert table_fingerprint(twin.table) == table_fingerprint(night.table)

    @nights(15, "replays")
    def test_a_table_goes_on_from_a_checkpoint_as_it_does_from_its_log(self, rnd: Random) -> None:
        night = random_night(self.trial, rnd, 80)
        at = rnd.randint(1, len(night.log))
        twin = _folded_again(night, at)
        twin.now = night.log[at - 1][0]
        resumed = Night(self.trial, thaw(self.trial.game, twin.table.library, freeze(twin.table)))
        resumed.now = twin.now
        for seat in [None, *range(twin.seats)] if twin.table.match is not None else [None]:
            assert resumed.greetings(seat) == twin.greetings(seat), "it greets otherwise"
        for when, data in night.log[at:]:
            for each in (twin, resumed):
                each.now = when
                each.receive(do.decode(data))
            happened = fingerprint(twin.happened[-1])
            assert fingerprint(resumed.happened[-1]) == happened, "something else happens"
        assert table_fingerprint(resumed.table) == table_fingerprint(twin.table)
        assert same_state(resumed.table, twin.table)

    # Legal means legal

    @nights(15, "legal-actions")
    def test_everything_listed_as_legal_applies(self, rnd: Random) -> None:
        night = night_under_way(self.trial, rnd, 80)
        before = fingerprint(night.match)
        for seat in range(night.seats):
            for action in night.match.legal(seat):
                night.match.copy().apply(seat, action, FastRng(1), night.now)
        assert fingerprint(night.match) == before, "to ask what is legal changes nothing"

    @nights(25, "legal-actions")
    def test_a_refused_action_leaves_no_trace(self, rnd: Random) -> None:
        night = night_under_way(self.trial, rnd, 60)
        before = table_fingerprint(night.table)
        for action in wrong_actions(night, rnd, 16):
            seat = rnd.randrange(night.seats)
            twin = night.match.copy()
            try:
                twin.apply(seat, action, FastRng(1), night.now)
            except Illegal as no:
                assert no.code
                assert no.sentence.endswith(".")
                assert fingerprint(twin) == fingerprint(night.match)
        assert table_fingerprint(night.table) == before

    @nights(10, "copies")
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

    @check("matches-end")
    def test_bot_games_of_every_size_end(self) -> None:
        self._play_bots(self.trial.bot_games * EFFORT, restless=False)

    @check("matches-end")
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
