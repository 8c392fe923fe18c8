"""Prompts, timeouts, bad answers, players who go (spec: "Rules", "Pace")."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from parlour.games.onu import cards as c
from parlour.games.onu.moves import (
    ASKED_FOR,
    FORCED,
    MISTAKES,
    NOTHING_TO_DRAW,
    TIMEOUT,
    Draw,
    Drew,
    Ended,
    Fumbled,
    Passed,
    Play,
    Prompted,
    Reshuffled,
)
from parlour.games.onu.rules import Onu
from parlour.games.onu.settings import Settings
from parlour.kit import Illegal
from parlour.rng import FastRng
from tests.onu.tools import (
    SEATS,
    SEEDS,
    SETTINGS,
    card,
    cards,
    fingerprint,
    new_match,
    position,
    refused,
    wander,
)

RNG = FastRng(1)
DECK = "blue 2, blue 3, blue 4, blue 5"


def table(**options: int) -> Onu:
    wanted = Settings(**{"pace": 0, **options})
    return position("blue 1, red 1", "red 2, red 3", top="red 5", deck=DECK, settings=wanted)


def test_no_answer_in_time_is_a_draw_and_a_pass() -> None:
    match = table(turnTimeout=20)
    assert match.due() == 20_000
    assert match.tick(RNG, 19_999) == []
    assert match.tick(RNG, 20_000) == [
        Drew(0, [card("blue 5")], TIMEOUT),
        Passed(0, TIMEOUT),
        Prompted(1, c.NONE, True, 40_000),
    ]
    assert match.due() == 40_000


def test_a_timeout_with_nothing_to_draw_is_a_pass() -> None:
    match = position("blue 1", "red 2", top="red 5")
    assert match.tick(RNG, 60_000) == [
        Passed(0, TIMEOUT),
        Prompted(1, c.NONE, True, 120_000),
    ]


def test_after_a_draw_there_is_a_whole_time_to_answer_again() -> None:
    match = table(turnTimeout=20)
    match.apply(0, Draw(), RNG, 15_000)
    assert match.tick(RNG, 20_000) == []
    assert match.due() == 35_000


def test_the_time_to_answer_begins_when_all_is_shown() -> None:
    match = table(pace=1)
    assert match.apply(0, Draw(), RNG, 0)[-1] == Prompted(0, c.NONE, False, 61_000)
    assert match.apply(0, Play(1), RNG, 0)[-1] == Prompted(1, c.NONE, True, 62_600)
    match = table(pace=2)
    assert match.apply(0, Play(1), RNG, 0)[-1] == Prompted(1, c.NONE, True, 65_200)


def test_a_forced_draw_takes_no_time_of_its_own() -> None:
    # The first card of the hand and the first colour: the action whose number is nought.
    hands = ("red pick 2, blue 1", "red 2")
    match = position(*hands, top="red 5", deck=DECK, settings=Settings(pace=1))
    assert match.apply(0, Play(0), RNG, 0)[1:] == [
        Drew(1, cards("blue 5, blue 4"), FORCED),
        Prompted(1, c.PICK_2, True, 62_600),
    ]


def test_a_prompt_that_comes_again_has_nothing_to_show() -> None:
    match = table(pace=1)
    match.fumble(0, RNG, 5_000)
    assert match.tick(RNG, 6_000) == [Prompted(0, c.NONE, False, 66_000)]


def test_the_draw_after_too_many_bad_answers_may_need_a_new_deck() -> None:
    match = position("blue 1", "red 2", top="red 5", buried="blue 3")
    for now in range(0, 5_000, 1_000):
        match.fumble(0, RNG, now)
        match.tick(RNG, now + 1_000)
    assert match.fumble(0, RNG, 5_000)[:2] == [
        Reshuffled([card("blue 3")]),
        Drew(0, [card("blue 3")], MISTAKES),
    ]


def test_a_bad_answer_is_asked_once_more_after_a_second() -> None:
    match = table()
    assert match.fumble(0, RNG, 5_000) == [Fumbled(0, 1, 6_000)]
    assert match.due() == 6_000
    assert match.tick(RNG, 5_999) == []
    assert match.tick(RNG, 6_000) == [Prompted(0, c.NONE, False, 66_000)]
    assert match.tick(RNG, 6_000) == []


def test_no_effect_is_told_with_a_prompt_that_comes_again() -> None:
    match = position("red pick 2, blue 1", "red 2", top="red 5", deck=DECK)
    assert match.apply(0, Play(0), RNG, 0)[-1] == Prompted(1, c.PICK_2, True, 60_000)
    match.fumble(1, RNG, 0)
    assert match.tick(RNG, 1_000) == [Prompted(1, c.NONE, False, 61_000)]


def test_between_a_bad_answer_and_the_prompt_nothing_is_taken() -> None:
    match = table()
    match.fumble(0, RNG, 0)
    assert match.legal(0) == []
    assert refused(match, 0, Play(1)) == "not-asked"
    assert refused(match, 0, Draw()) == "not-asked"
    before = fingerprint(match)
    with pytest.raises(Illegal):
        match.fumble(0, RNG, 0)
    assert fingerprint(match) == before


def test_five_new_prompts_and_then_a_draw_and_a_pass() -> None:
    match = table()
    now = 0
    for times in range(1, 6):
        assert match.fumble(0, RNG, now) == [Fumbled(0, times, now + 1_000)]
        now += 1_000
        assert isinstance(match.tick(RNG, now)[0], Prompted)
    assert match.fumble(0, RNG, now) == [
        Drew(0, [card("blue 5")], MISTAKES),
        Passed(0, MISTAKES),
        Prompted(1, c.NONE, True, now + 60_000),
    ]
    # The next player begins with none.
    assert match.fumble(1, RNG, now) == [Fumbled(1, 1, now + 1_000)]


def test_a_draw_in_between_does_not_forgive_bad_answers() -> None:
    match = table()
    match.fumble(0, RNG, 0)
    match.tick(RNG, 1_000)
    assert match.apply(0, Draw(), RNG, 1_000)[0] == Drew(0, [card("blue 5")], ASKED_FOR)
    assert match.fumble(0, RNG, 1_000) == [Fumbled(0, 2, 2_000)]


def test_only_the_awaited_player_can_answer_badly() -> None:
    match = table()
    before = fingerprint(match)
    with pytest.raises(Illegal, match="not your turn"):
        match.fumble(1, RNG, 0)
    assert fingerprint(match) == before


def test_a_gone_players_seat_is_kept_and_played_by_the_timeout() -> None:
    match = table()
    before = fingerprint(match)
    assert match.gone(0, RNG, 10) == []
    assert match.gone(1, RNG, 10) == []
    assert fingerprint(match) == before
    assert match.tick(RNG, 60_000)[1] == Passed(0, TIMEOUT)
    assert match.back(1, RNG, 60_001) == []
    assert match.apply(1, Play(0), RNG, 60_002)[-1] == Prompted(0, c.NONE, True, 120_002)


def test_a_table_without_people_ends_without_a_winner() -> None:
    match = table()
    assert match.abandon(RNG, 0) == [Ended(None, "abandoned")]
    outcome = match.outcome()
    assert outcome is not None
    assert (outcome.winners, outcome.how) == ((), "abandoned")
    assert match.due() is None
    assert match.tick(RNG, 10**9) == []
    assert match.abandon(RNG, 0) == []


def test_a_table_where_nobody_answers_comes_to_an_end() -> None:
    match, _ = new_match(Settings(), 4, FastRng(4))
    while match.ended is None:
        due = match.due()
        assert due is not None
        match.tick(RNG, due)
    assert match.ended == Ended(None, "endless")


@given(SETTINGS, SEATS, SEEDS)
@settings(max_examples=25)
def test_whatever_happens_ends_with_a_prompt_a_wait_or_the_end(
    options: Settings, seats: int, seed: int
) -> None:
    """The host waits for what comes last: there is exactly one of it, and it says who is next."""
    chance = FastRng(seed)
    match, _ = new_match(options, seats, chance)
    for given_, events in wander(match, FastRng(seed), chance, 120):
        assert events
        assert isinstance(events[-1], Prompted | Fumbled | Ended)
        assert sum(isinstance(x, Prompted | Fumbled | Ended) for x in events) == 1
        if isinstance(events[-1], Prompted):
            assert events[-1].seat == match.core.turn
            assert events[-1].deadline == match.due()
            assert events[-1].deadline > given_[3]
        for event in events:
            if isinstance(event, Passed) and event.why == NOTHING_TO_DRAW:
                assert not any(isinstance(x, Drew) for x in events)
