"""The base classes of every game."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.kit import Bot, Bots, Illegal, Match, OpenMatch, Outcome, Plan, Setup, Story
from parlour.rng import FastRng, Rng
from parlour.turns import MOST_STAND_INS, TurnMatch

RNG = FastRng(0)


def test_a_refusal_has_a_code_and_a_sentence_also_from_another_process() -> None:
    no = Illegal("a-code", "A sentence.")
    assert (no.code, no.sentence, str(no)) == ("a-code", "A sentence.", "A sentence.")
    far: Illegal = pickle.loads(pickle.dumps(no))
    assert (far.code, far.sentence) == ("a-code", "A sentence.")


@pytest.mark.parametrize(
    ("outcome", "places"),
    [
        (Outcome((1,), "played"), [1, 0, 1]),
        (Outcome((), "abandoned"), [0, 0, 0]),
        (Outcome((0,), "played", {0: 3, 1: 5, 2: 4}), [0, 2, 1]),
        (Outcome((1,), "played", {0: 3, 1: 5, 2: 4}, most_points_win=True), [2, 0, 1]),
        # A player without a score comes last, whichever way points count.
        (Outcome((0,), "played", {0: 3, 2: 99}), [0, 2, 1]),
        (Outcome((0,), "played", {0: 3, 2: -99}, most_points_win=True), [0, 2, 1]),
        # Winners come first even where their points would say otherwise.
        (Outcome((2,), "played", {0: 1, 1: 1, 2: 9}), [1, 1, 0]),
    ],
)
def test_places_follow_from_winners_and_then_from_points(
    outcome: Outcome, places: list[int]
) -> None:
    assert outcome.places(3) == places


scores = st.dictionaries(st.integers(0, 4), st.integers(-20, 20))


@given(scores, st.sets(st.integers(0, 4)), st.booleans())
def test_places_are_a_ranking(points: dict[int, int], winners: set[int], most: bool) -> None:
    places = Outcome(tuple(winners), "played", points, most).places(5)
    assert set(places) == set(range(len(set(places))))
    assert all(places[w] <= places[s] for w in winners for s in range(5) if s not in winners)


class Count(TurnMatch[str, object]):
    """Say one more in turn; who says ten has won."""

    said = 0

    def moves(self) -> list[str]:
        return ["more"]

    def stand_in(self, rng: Rng, now: int) -> list[object]:
        return self.do("more", rng, now)

    def do(self, action: str, rng: Rng, now: int) -> list[object]:
        self.said += 1
        told = self.turn
        self.turn = self.next_seat()
        if self.said == 10:
            self.result = Outcome((told,), "said")
        return [told]


def test_a_match_of_turns_waits_for_nobody_who_is_away() -> None:
    match = Count(3, 1)
    with pytest.raises(Illegal, match="can't do that"):
        match.apply(1, "less", RNG, 0)
    assert [match.legal(seat) for seat in range(3)] == [[], ["more"], []]
    with pytest.raises(Illegal, match="not your turn"):
        match.apply(0, "more", RNG, 0)
    assert match.gone(2, RNG, 0) == []
    assert match.apply(1, "more", RNG, 0) == [1, 2]
    assert match.next_seat() == 1
    assert match.gone(0, RNG, 0) == [0]
    assert match.next_seat(present=True) == 1
    assert match.gone(1, RNG, 0) == [], "nobody is there"
    assert match.next_seat(present=True) == match.turn
    assert match.back(0, RNG, 0) == [1, 2]
    assert match.turn == 0
    assert match.apply(0, "more", RNG, 0) == [0, 1, 2]
    assert match.outcome() is None
    assert match.apply(0, "more", RNG, 0) == [0, 1], "it ends where it ends"
    assert match.outcome() == Outcome((1,), "said")
    assert match.legal(match.turn) == []
    with pytest.raises(Illegal):
        match.apply(match.turn, "more", RNG, 0)


def test_rules_that_stand_in_without_end_are_stopped() -> None:
    class Endless(Count):
        def do(self, action: str, rng: Rng, now: int) -> list[object]:
            self.said += 1
            return []

    match = Endless(2, 0)
    with pytest.raises(RuntimeError, match=r"Endless\.stand_in was called 10000 times"):
        match.gone(0, RNG, 0)
    assert match.said == MOST_STAND_INS


def test_the_first_turn_goes_round_from_match_to_match() -> None:
    first = Count.first_seat(Setup(None, ["a", "b", "c"]))
    second = Count.first_seat(Setup(None, ["a", "b", "c"], previous=Count(3, first)))
    last = Count.first_seat(Setup(None, ["a", "b", "c"], previous=Count(3, 2)))
    assert (first, second, last) == (0, 1, 0)


def test_a_match_of_turns_can_be_abandoned() -> None:
    match = Count(2, 0)
    assert match.abandon(RNG, 0) == []
    assert match.outcome() == Outcome((), "abandoned")


def test_the_fewest_points_win() -> None:
    assert Outcome.fewest([3, 1, 1], "over") == Outcome((1, 2), "over", {0: 3, 1: 1, 2: 1})


def test_what_a_match_need_not_have() -> None:
    match: Match[Any, Any] = Match()
    assert match.due() is None
    assert match.retold() is None
    for nothing in (
        match.tick(RNG, 0),
        match.gone(0, RNG, 0),
        match.back(0, RNG, 0),
        match.abandon(RNG, 0),
    ):
        assert nothing == []
    with pytest.raises(Illegal) as no:
        match.fumble(0, RNG, 0)
    assert no.value.code == "no-fumble"
    opened: OpenMatch[Any, Any] = OpenMatch()
    assert opened.asleep(0) is False
    assert opened.stirred(0, RNG, 0) == []


def test_a_copy_of_a_match_has_nothing_in_common_with_it() -> None:
    class Played(Match[Any, Any]):
        def __init__(self) -> None:
            self.cards = [[1], [2]]

    match = Played()
    twin = match.copy()
    assert isinstance(twin, Played)
    twin.cards[0].append(3)
    assert (match.cards, twin.cards) == ([[1], [2]], [[1, 3], [2]])


def test_a_bot_notices_an_event_before_its_picture_takes_it() -> None:
    class Watcher(Bot[Any, str, Story[str]]):
        noticed: list[tuple[str, list[str]]]

        def notice(self, event: str) -> None:
            self.noticed.append((event, self.picture.shown[:]))

    bot = Watcher(Story(2), RNG)
    bot.noticed = []
    assert (bot.picture.viewer, bot.rng) == (2, RNG)
    bot.show("first")
    bot.show("second")
    assert bot.noticed == [("first", []), ("second", ["first"])]
    assert bot.picture.shown == ["first", "second"]


def test_plans_are_equal_by_what_and_when() -> None:
    plan = Plan(5, "act")
    assert (plan.at, plan.action) == (5, "act")
    assert plan == Plan(5, "act")
    assert hash(plan) == hash(Plan(5, "act"))
    assert plan != Plan(6, "act")
    assert plan != Plan(5, "rest")
    assert plan != (5, "act")


def test_bots_are_made_as_strong_as_they_are_asked_to_be() -> None:
    def strong(*given: Any) -> Any:
        return ("strong", *given)

    def weak(*given: Any) -> Any:
        return ("weak", *given)

    bots = Bots(strong, ("Robot",), weaker={"easy": weak})
    assert bots.strengths == ("easy", "hard")
    picture, rng = Story(0), FastRng(0)
    made: list[Any] = [bots.bot(picture, rng, strength)[0] for strength in ("easy", "hard", "")]
    assert made == ["weak", "strong", "strong"]
    assert bots.bot(picture, rng) == ("strong", picture, rng)


def test_bots_are_given_what_bots_have_learned_or_that_it_is_nothing() -> None:
    def make(picture: Any, rng: Any, experience: Any) -> Any:
        return experience

    bots = Bots(make, ("Robot",), experience=lambda stored: ("read", stored))  # type: ignore[arg-type,return-value]
    learned: Any = "much"
    assert bots.bot(Story(0), FastRng(0), experience=learned) == "much"
    assert bots.bot(Story(0), FastRng(0)) == ("read", None)
