"""The battery: what every game must pass. One suite, all games."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parlour.games import installed_games
from parlour.kit import Illegal
from parlour.rng import FastRng
from parlour.table import BadMessage
from parlour.table import inputs as do
from tests import golden
from tests.battery.games import TRIALS
from tests.battery.trial import (
    Dealer,
    Night,
    Trial,
    again,
    fingerprint,
    marks_in,
    play_bots,
    play_on,
    random_night,
    table_fingerprint,
)

each_game = pytest.mark.parametrize("trial", TRIALS, ids=lambda t: t.game.id)
seeds = st.integers(0, 2**32)


def tried(examples: int):  # type: ignore[no-untyped-def]
    return settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def test_every_game_of_the_house_is_in_the_battery() -> None:
    assert {t.game.id for t in TRIALS} == {g.id for g in installed_games()}


# 1. Conservation


@each_game
@tried(25)
@given(seed=seeds)
def test_every_card_is_in_exactly_one_place_after_every_action(trial: Trial, seed: int) -> None:
    rnd = Random(seed)
    night = random_night(trial, rnd, 0)
    count = len(list(trial.cards(night.match)))
    for _ in range(80):
        play_on(night, rnd, 1)
        cards = Counter(trial.cards(night.match))
        assert sum(cards.values()) == count
        assert max(cards.values()) == 1


# 2. Non-interference


def _another_world(night: Night, hidden: set[tuple[int, int]], rnd: Random) -> Dealer:
    """A dealer who deals everything hidden differently, and the rest the same."""
    swaps: dict[int, dict[int, int]] = {}
    for shuffle in {k for k, _ in hidden}:
        places = sorted(p for k, p in hidden if k == shuffle)
        other = places[:]
        rnd.shuffle(other)
        swaps[shuffle] = dict(zip(places, other, strict=True))
    return Dealer(swaps)


def _shown(night: Night, seat: int | None) -> set[tuple[int, int]]:
    player = None if seat is None else night.table.roster.seating[seat]
    return set(marks_in([night.table.view(event, player) for event in night.table.story]))


def _places(night: Night) -> set[tuple[int, int]]:
    return {(k, p) for k, deck in enumerate(night.dealer.decks) for p in range(len(deck))}


@each_game
@tried(40)
@given(seed=seeds)
def test_what_a_seat_cannot_know_changes_no_byte_it_is_sent(trial: Trial, seed: int) -> None:
    rnd = Random(seed)
    night = random_night(trial, rnd, rnd.randint(0, 120))
    if not night.table.roster.running:
        return  # the end of a match shows what was hidden
    for seat in [None, *range(len(night.table.roster.seating))]:
        if trial.hidden is not None:
            hidden = trial.hidden(night.table.story, night.dealer)
        else:
            hidden = _places(night) - _shown(night, seat)
        twin = again(night, _another_world(night, hidden, rnd))
        assert twin.heard(seat) == night.heard(seat)
        assert twin.greetings(seat) == night.greetings(seat)


@each_game
@tried(25)
@given(seed=seeds)
def test_what_a_spectator_is_shown_whole_everybody_is(trial: Trial, seed: int) -> None:
    """The house asks once, and takes the answer for all."""
    night = random_night(trial, Random(seed), 120)
    view = trial.game.view
    for event in night.table.story:
        if view(event, None) is event:
            assert all(view(event, seat) is event for seat in range(night.seats))


@each_game
@tried(40)
@given(seed=seeds)
def test_what_a_seat_has_lost_the_right_to_is_in_no_resync(trial: Trial, seed: int) -> None:
    if trial.knows is None:
        return
    rnd = Random(seed)
    night = random_night(trial, rnd, rnd.randint(0, 120))
    if not night.table.roster.running:
        return
    public = _shown(night, None)
    for seat in range(len(night.table.roster.seating)):
        known = set(marks_in(list(trial.knows(night.match, seat))))
        twin = again(night, _another_world(night, _places(night) - public - known, rnd))
        assert twin.greetings(seat) == night.greetings(seat)


# 3. Replay


@each_game
@tried(15)
@given(seed=seeds)
def test_folding_the_log_gives_the_same_table_and_the_same_bytes(trial: Trial, seed: int) -> None:
    night = random_night(trial, Random(seed), 100)
    twin = again(night)
    assert table_fingerprint(twin.table) == table_fingerprint(night.table)
    assert twin.told == night.told


@each_game
@tried(10)
@given(seed=seeds, cut=st.floats(0, 1))
def test_a_log_cut_anywhere_and_gone_on_with_ends_the_same(
    trial: Trial, seed: int, cut: float
) -> None:
    night = random_night(trial, Random(seed), 80)
    at = 1 + int(cut * (len(night.log) - 1))
    twin = again(night, upto=at)
    for when, data in night.log[at:]:
        twin.now = when
        twin.receive(do.decode(data))
    twin.now = night.now
    assert table_fingerprint(twin.table) == table_fingerprint(night.table)


# 4. Legal means legal


@each_game
@tried(15)
@given(seed=seeds)
def test_everything_listed_as_legal_applies(trial: Trial, seed: int) -> None:
    rnd = Random(seed)
    night = random_night(trial, rnd, rnd.randint(0, 80))
    if not night.table.roster.running:
        return
    for seat in range(len(night.table.roster.seating)):
        for action in night.match.legal(seat):
            night.match.copy().apply(seat, action, FastRng(seed), night.now)


@each_game
@tried(25)
@given(seed=seeds)
def test_a_refused_action_leaves_no_trace(trial: Trial, seed: int) -> None:
    rnd = Random(seed)
    night = random_night(trial, rnd, rnd.randint(0, 60))
    if not night.table.roster.running:
        return
    for _ in range(12):
        seat = rnd.randrange(len(night.table.roster.seating))
        action = trial.garbage(rnd, night.match)
        before = table_fingerprint(night.table)
        twin = night.match.copy()
        try:
            twin.apply(seat, action, FastRng(seed), night.now)
        except Illegal as no:
            assert no.code
            assert no.sentence.endswith(".")
            assert fingerprint(twin) == fingerprint(night.match)
        assert table_fingerprint(night.table) == before


@each_game
@tried(10)
@given(seed=seeds)
def test_a_copy_goes_its_own_way(trial: Trial, seed: int) -> None:
    rnd = Random(seed)
    night = random_night(trial, rnd, 30)
    before = fingerprint(night.match)
    twin = night.match.copy()
    assert fingerprint(twin) == before
    rng = FastRng(seed)
    for _ in range(20):
        movers = [s for s in range(len(night.table.roster.seating)) if twin.legal(s)]
        if not movers or twin.outcome() is not None:
            break
        seat = rnd.choice(movers)
        twin.apply(seat, rnd.choice(list(twin.legal(seat))), rng, night.now)
    assert fingerprint(night.match) == before


# 5. It ends


@each_game
def test_bot_games_end(trial: Trial) -> None:
    if trial.game.bots is None:
        return
    for seats in range(trial.game.min_seats, trial.game.max_seats + 1):
        for seed in range(trial.bot_games):
            play_bots(trial, seats, seed)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@each_game
def test_a_thousand_bot_games_of_every_size_end(trial: Trial) -> None:
    if trial.game.bots is None:
        return
    for seats in range(trial.game.min_seats, trial.game.max_seats + 1):
        for seed in range(1000):
            play_bots(trial, seats, seed)


# 6. Golden playthroughs, and 7. counting


@pytest.mark.parametrize("file", sorted(golden.wanted()), ids=lambda f: f.name)
def test_golden_files_are_what_the_code_makes_of_them(file: Path) -> None:
    text = file.read_text() if file.exists() else ""
    assert text == golden.wanted()[file](), "if this change is meant: make golden, and read it"


# 8. Bad bytes


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=10,
)


@each_game
@tried(300)
@given(data=st.binary(max_size=200))
def test_random_bytes_are_cleanly_refused(trial: Trial, data: bytes) -> None:
    _decode_everywhere(trial, data)


@each_game
@tried(300)
@given(data=st.data())
def test_near_messages_are_taken_or_cleanly_refused(trial: Trial, data: st.DataObject) -> None:
    for wire in trial.game.wires:
        kinds = msgspec.inspect.multi_type_info(wire.incoming.__args__)
        kind = data.draw(st.sampled_from(list(kinds)))
        message = {kind.tag_field: kind.tag}
        for field in kind.fields:
            if data.draw(st.booleans()):
                message[field.encode_name] = data.draw(
                    st.text(max_size=12) | st.integers(-3, 9) | json_values
                )
        _decode_everywhere(trial, msgspec.json.encode(_finite(message)))


def _finite(value):  # type: ignore[no-untyped-def]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return max(-(2**63), min(2**63 - 1, value))
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_finite(v) for v in value]
    return value


def _decode_everywhere(trial: Trial, data: bytes) -> None:
    for wire in trial.game.wires:
        try:
            wire.decode(data)
        except BadMessage as bad:
            assert bad.code
            assert bad.sentence
