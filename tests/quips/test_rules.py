"""Playing, judging, scoring: the rules of a game whose people stay (spec: "Rules")."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.games.quips.actions import Discard, Judge, Play, Upgrade, VoteSkip
from parlour.games.quips.deck import canonical, custom_id, custom_text
from parlour.games.quips.events import GAME_END, JUDGING, PLAYING, ROUND_END, Dealt
from parlour.kit import Illegal
from parlour.rng import FastRng
from tests.quips.tools import (
    StackedRng,
    Table,
    black,
    mixed_cards,
    pack,
    plain_cards,
    refused,
    states,
    tiered,
    white,
)


def one_black(pick: int, draw: int = 0, whites: int = 200) -> dict[str, bytes]:
    return pack([*plain_cards(whites, ()), black(0, pick, draw)])


# Stages


def test_a_round_goes_through_its_stages() -> None:
    table = Table(4)
    assert (table.state.stage, table.state.round, table.state.judge) == (PLAYING, 1, 0)
    assert table.state.pending == [1, 2, 3]
    table.play(2)
    assert (table.state.stage, table.state.pending, table.state.plays) == (PLAYING, [1, 3], [])
    table.play(1)
    table.play(3)
    assert (table.state.stage, table.state.pending) == (JUDGING, [])
    assert sorted(table.state.plays) == sorted(table.pictures[s].played for s in (1, 2, 3))
    plays = table.state.plays
    table.judge(3)
    assert (table.state.stage, table.state.winning_player) == (ROUND_END, 3)
    assert table.state.plays == plays
    assert plays[table.state.winning_play] == table.pictures[3].played
    table.wait(4.999)
    assert table.state.stage == ROUND_END
    table.wait(0.001)
    assert (table.state.stage, table.state.round, table.state.judge) == (PLAYING, 2, 1)
    assert (table.state.winning_play, table.state.winning_player) == (-1, -1)


@pytest.mark.parametrize("limit", [{"max_points": 2, "max_rounds": 9}, {"max_rounds": 2}])
def test_a_game_ends_at_its_points_or_its_rounds(limit: dict[str, int]) -> None:
    table = Table(4, round_end_timeout=1000, game_end_timeout=7000, **limit)
    table.round(winner=3)
    assert table.state.stage == PLAYING
    table.round(winner=3)
    assert table.state.stage == GAME_END
    assert table.state.results is not None
    assert table.state.results.winners == [3]
    table.wait(6.999)
    assert table.match.outcome() is None
    table.wait(0.001)
    outcome = table.match.outcome()
    assert outcome is not None
    assert (outcome.winners, outcome.how) == ((3,), "played")
    assert outcome.scores == {0: 0, 1: 0, 2: 0, 3: 2}
    assert table.match.due() is None


def test_all_with_the_top_score_win() -> None:
    table = Table(4, max_rounds=2)
    table.round(winner=3)
    table.round(winner=2)
    assert table.state.results is not None
    assert table.state.results.winners == [2, 3]


def test_nothing_can_be_done_when_it_is_over() -> None:
    table = Table(3, max_rounds=1)
    table.round()
    for action in (Play([0]), Judge(0), Discard(0), Upgrade(0), VoteSkip(True)):
        assert refused(table, 1, action)
    assert table.match.legal(1) == []
    table.wait(30)
    assert refused(table, 1, Play([0])) == "match-over"
    with pytest.raises(Illegal):
        table.match.join("late", False, table.rng, table.now)


# Hands


def test_hands_are_dealt_and_refilled_after_a_play() -> None:
    table = Table(4, content=one_black(2))
    assert [len(table.hand(seat)) for seat in range(4)] == [10, 10, 10, 10]
    before = table.hand(1)
    table.play(1)
    assert len(table.hand(1)) == 10
    assert table.hand(1)[:8] == before[2:]
    assert table.pictures[1].played == before[:2]


def test_draw_deals_extra_cards_to_all_but_the_judge() -> None:
    table = Table(4, content=one_black(3, draw=2))
    assert [len(table.hand(seat)) for seat in range(4)] == [10, 12, 12, 12]
    table.play(1)
    assert len(table.hand(1)) == 10  # 12 less 3, and one more


def test_what_was_drawn_extra_and_not_used_stays() -> None:
    table = Table(4, content=one_black(1, draw=2), max_players=4)
    table.round()
    # 12, less one played, and two extra in the second round; the new judge gets none.
    assert [len(table.hand(seat)) for seat in range(4)] == [12, 11, 13, 13]


def test_small_packs_mean_small_hands_and_too_small_ones_no_game() -> None:
    table = Table(3, content=one_black(2, whites=18), max_players=3)
    assert [len(table.hand(seat)) for seat in range(3)] == [4, 4, 4]
    with pytest.raises(Illegal, match="need at least 12 white cards, and there are 11"):
        Table(3, content=one_black(2, whites=11), max_players=3)
    with pytest.raises(Illegal, match="no black card"):
        Table(3, content=pack(plain_cards(100, ())))


def test_the_pile_is_refilled_from_what_was_played() -> None:
    table = Table(3, content=one_black(1, whites=18), max_players=3, max_rounds=60, max_points=99)
    for _ in range(40):  # 80 cards are played of 18
        table.round()
    assert [len(table.hand(seat)) for seat in range(3)] == [5, 5, 5]


def test_black_cards_all_come_before_one_comes_again() -> None:
    table = Table(3, content=pack(plain_cards(100, ((1, 0),) * 4)), max_rounds=60, max_points=99)
    seen = [table.state.black]
    for _ in range(7):
        table.round()
        seen.append(table.state.black)
    # The one turned up when the pile ran out waits for the next time.
    assert len(set(seen[:4])) == 4
    assert all(a != b for a, b in itertools.pairwise(seen))


def test_pick_one_only_leaves_the_others_out() -> None:
    table = Table(3, content=pack(mixed_cards()), pick_one_only=True, max_players=4)
    assert {card.pick for card in table.match.shelf.blacks.values()} == {1}


# Plays


def test_whoever_may_not_play_is_refused() -> None:
    table = Table(4)
    assert refused(table, 0, Play([0])) == "judge-plays-not"
    table.play(1)
    assert refused(table, 1, Play([1])) == "already-played"
    assert refused(table, 1, Play([])) == "already-played"
    assert refused(table, 9, Play([0])) == "not-seated"
    assert refused(table, -1, Play([0])) == "not-seated"
    table.play_all()
    assert refused(table, 2, Play([0])) == "not-playing"


def test_a_play_has_exactly_as_many_cards_as_the_black_card_takes() -> None:
    table = Table(4, content=one_black(2))
    for slots in ([], [0], [0, 1, 2]):
        assert refused(table, 1, Play([*slots])) == "wrong-count"
    assert refused(table, 1, Play([0, 99])) == "not-in-hand"
    assert refused(table, 1, Play([0, -1])) == "not-in-hand"


def test_cards_are_played_in_the_order_of_the_gaps() -> None:
    table = Table(4, content=one_black(3))
    hand = table.hand(1)
    table.do(1, Play([7, 0, 4]))
    assert table.pictures[1].played == [hand[7], hand[0], hand[4]]


def test_a_slot_is_never_given_twice() -> None:
    table = Table(4)
    table.do(1, Play([0]))
    assert [slot for slot, _ in table.pictures[1].hand] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    table.do(2, Discard(3))
    assert refused(table, 2, Discard(3)) == "not-in-hand"


# Blanks


def test_blanks_are_written_on_and_used_up() -> None:
    table = Table(4, content=one_black(2), blank_cards=2)
    hand = table.hand(1)
    table.do(1, Play(["  my <b>own ", 4]))
    assert table.pictures[1].played == [custom_id("my b>own"), hand[4]]
    assert table.pictures[1].blanks == 1
    assert len(table.hand(1)) == 10
    assert refused(table, 2, Play(["one", "two", "three"])) == "wrong-count"


def test_two_blanks_with_the_same_text_are_two_cards() -> None:
    table = Table(4, content=one_black(2), blank_cards=2)
    table.do(1, Play(["same", "same"]))
    assert table.pictures[1].played == [custom_id("same")] * 2
    assert table.pictures[1].blanks == 0
    table.do(2, Play(["same", 0]))
    table.play(3)
    table.judge(2)
    table.wait(5)
    assert refused(table, 2, Play(["a", "b"])) == "no-blanks"


@pytest.mark.parametrize("text", ["", "   ", "<", " < ", "\ud800"])
def test_a_blank_without_text_is_refused(text: str) -> None:
    assert refused(Table(4, blank_cards=2), 1, Play([text])) == "bad-blank"


@given(st.text(), st.integers(1, 200))
def test_the_canonical_text_is_trimmed_bounded_and_its_own_canonical_text(
    text: str, longest: int
) -> None:
    try:
        said = canonical(text, longest)
    except Illegal:
        assert not text.replace("<", "").strip()
        return
    assert 0 < len(said) <= longest
    assert "<" not in said
    assert said == said.strip()
    assert canonical(said, longest) == said
    assert text.replace("<", "").strip().startswith(said)
    assert custom_text(custom_id(said)) == said


def test_a_custom_card_disappears_and_scores_no_tier() -> None:
    table = Table(4, blank_cards=1, round_end_timeout=0)
    table.do(1, Play(["mine"]))
    table.play_all()
    table.judge(1)
    assert table.pictures[1].entry(1).score == 1  # type: ignore[union-attr]
    table.wait(0)  # conservation is checked at every step
    assert table.pictures[1].blanks == 0


# Discards


def test_a_discard_is_replaced_and_counted() -> None:
    table = Table(4, discards=2)
    first = table.hand(1)[3]
    table.do(1, Discard(3))
    assert len(table.hand(1)) == 10
    assert first not in table.hand(1)
    assert table.pictures[1].discards == 1
    table.do(1, Discard(4))
    assert refused(table, 1, Discard(5)) == "no-discards"
    assert refused(Table(4, discards=0), 1, Discard(0)) == "no-discards"


def test_the_judge_and_those_who_have_played_may_discard_too() -> None:
    table = Table(4)
    table.do(0, Discard(0))
    table.play(1)
    table.do(1, Discard(9))
    table.play_all()
    table.do(2, Discard(9))
    table.judge(1)
    table.do(2, Discard(8))
    assert table.pictures[2].discards == 3


# Upgrades and scores


def upgrading(**settings: int | bool) -> Table:
    """Everybody's first card is `w_0`, `w_1`... and can be upgraded for 1 and then for 2 points."""
    cards = [card for n in range(8) for card in tiered(n, (1, 2))]
    cards += [white(n) for n in range(8, 150)] + [black(0), black(1, 2), black(2, 2)]
    tops = [f"w_{n if i == 0 else 10 + 9 * n + i}" for n in range(4) for i in range(10)]
    rng = StackedRng("b_1", "b_2", "b_0", *tops)
    return Table(4, rng, pack(cards), **settings)


def test_a_win_scores_and_earns_as_many_points_as_cards_were_played() -> None:
    table = upgrading()
    assert table.hand(1)[0] == "w_1"
    table.round(winner=3)
    entry = table.pictures[None].entry(3)
    assert entry is not None
    assert (entry.score, entry.points) == (1, 2)
    assert table.pictures[3].points == 2


def test_an_upgrade_costs_points_and_changes_the_card_in_place() -> None:
    table = upgrading()
    assert refused(table, 3, Upgrade(0)) == "too-few-points"
    table.do(3, Play([1, 2]))
    table.play_all()
    table.judge(3)
    slots = table.pictures[3].hand
    assert slots[0] == (0, "w_3")
    assert Upgrade(0) in table.match.legal(3)
    table.do(3, Upgrade(0))
    assert table.pictures[3].hand == [(0, "w_3_1"), *slots[1:]]
    assert table.pictures[3].points == 1
    assert refused(table, 3, Upgrade(0)) == "too-few-points"  # the next one costs 2
    assert refused(table, 3, Upgrade(3)) == "no-upgrade"
    assert refused(table, 3, Upgrade(1)) == "not-in-hand"


def test_tiers_of_the_winning_cards_count() -> None:
    table = upgrading()
    table.do(3, Play([1, 2]))
    table.play_all()
    table.judge(3)
    table.do(3, Upgrade(0))
    table.wait(5)
    table.do(3, Play([3, 0]))
    table.play_all()
    table.judge(3)
    entry = table.pictures[None].entry(3)
    assert entry is not None
    assert entry.score == 1 + 1 + 1  # two wins, one of them with a card of tier 1
    table.wait(5)
    assert "w_3" in table.match.supply.whites.discards  # it goes back as what it was


def test_without_upgrades_no_card_has_a_next_tier() -> None:
    table = upgrading(enable_upgrades=False)
    assert all(not card.next_tier_id for card in table.match.shelf.whites.values())
    table.round(winner=3)
    assert refused(table, 3, Upgrade(table.pictures[3].hand[0][0])) == "no-upgrade"


# Judging


def test_only_the_judge_judges_and_only_what_is_there() -> None:
    table = Table(4)
    assert refused(table, 0, Judge(0)) == "not-judging"
    table.play_all()
    assert refused(table, 1, Judge(0)) == "not-judge"
    for index in (-1, 3):
        assert refused(table, 0, Judge(index)) == "no-such-play"
    table.do(0, Judge(2))
    assert refused(table, 0, Judge(2)) == "not-judging"


def test_the_last_play_leads_straight_to_judging() -> None:
    table = Table(3)
    assert [state.stage for state in states(table.play(1))] == [PLAYING]
    assert [state.stage for state in states(table.play(2))] == [JUDGING]


# Trophies


def trophy(id: str, grade: int, *requirements: object) -> dict[str, object]:
    return {
        "id": id,
        "name": {"en": id},
        "desc": {"en": "For tests."},
        "trophy_class": "winning",
        "trophy_grade": grade,
        "requirements": list(requirements),
    }


def test_trophies_are_in_the_results_the_best_of_a_class_alone() -> None:
    trophies = [
        trophy("t_some", 1, {"type": "win_proportion", "min": 0.1}),
        trophy("t_all", 2, {"type": "win_proportion", "min": 1}),
        {**trophy("t_robot", 1, {"type": "lost_to_bot"}), "trophy_class": "robots"},
    ]
    content = pack(plain_cards(), trophies)
    table = Table(4, content=content, max_rounds=2, computers=[3])
    table.round(winner=3)
    assert table.board.judge == 1
    table.leave(0)
    table.join()
    table.round(winner=3)
    results = table.state.results
    assert results is not None
    won = {seat: [trophy.id for trophy in trophies] for seat, trophies in results.trophies}
    # Seat 1 and 2 each played a round and lost to a bot; seat 4 came late, and played one too.
    assert won == {1: ["t_robot"], 2: ["t_robot"], 3: ["t_all"], 4: ["t_robot"]}


def test_who_played_no_round_gets_no_trophy() -> None:
    content = pack(plain_cards(), [trophy("t_any", 1, {"type": "cards_played", "max": 100})])
    table = Table(4, content=content, max_rounds=1)
    table.round()
    results = table.state.results
    assert results is not None
    assert [seat for seat, _ in results.trophies] == [1, 2, 3]


def test_points_and_cards_add_up_over_rounds() -> None:
    cards = [*tiered(500, (1,)), *(white(n) for n in range(60)), black(0, 2)]
    table = Table(4, StackedRng("w_500"), pack(cards), round_end_timeout=0)
    holder = next(s for s in range(4) if "w_500" in table.hand(s))
    rival = next(s for s in range(4) if s != holder)
    for _ in range(4):
        for seat in table.board.pending():
            slots = [slot for slot, card in table.pictures[seat].hand if card != "w_500"]
            table.do(seat, Play([*slots[:2]]))
        table.judge(holder if holder in table.board.order else rival)
        table.wait(0)
    player = table.board.players[holder]
    # Three rounds of two cards each; one round was theirs to judge.
    assert (player.wins, player.rounds, player.points, len(player.cards)) == (3, 3, 6, 6)
    table.do(holder, Upgrade(next(s for s, c in table.pictures[holder].hand if c == "w_500")))
    assert player.points == 5


def test_what_somebody_writes_is_cut_to_what_fits() -> None:
    table = Table(3, max_blank_card_length=4)
    table.do(1, Play(["Überlang"]))
    assert [custom_text(card) for card in table.pictures[1].played] == ["Über"]


class Counting(FastRng):
    """Chance that remembers of how many it chose."""

    def __init__(self) -> None:
        super().__init__(1)
        self.asked: list[int] = []

    def below(self, bound: int) -> int:
        self.asked.append(bound)
        return super().below(bound)


def test_every_order_of_the_plays_is_equally_likely() -> None:
    """Each goes to one of all places among those before it."""
    rng = Counting()
    table = Table(5, rng)
    for seat in (1, 2, 3):
        table.play(seat)
    rng.asked.clear()
    table.play(4)
    assert rng.asked == [1, 2, 3, 4]


def _run_out(table: Table) -> None:
    """Nothing is left to draw: whatever is drawn next has to be shuffled first."""
    pile = table.match.supply.whites
    pile.discards += pile.cards
    pile.cards.clear()


def test_a_discard_is_replaced_though_the_pile_has_run_out() -> None:
    table = Table(4)
    _run_out(table)
    table.do(1, Discard(table.pictures[1].hand[0][0]))
    assert len(table.hand(1)) == 10


def test_the_extra_cards_of_a_newcomer_may_be_the_first_of_a_new_pile() -> None:
    table = Table(4, content=pack([*plain_cards(140, ()), black(0, 1, 2)]))
    _run_out(table)
    pile = table.match.supply.whites
    pile.cards, pile.discards = pile.discards[:10], pile.discards[10:]
    table.join()
    assert len(table.hand(4)) == 12


def test_whenever_a_card_is_drawn_the_pile_may_run_out() -> None:
    content = pack([*plain_cards(140, ()), black(0, 1, 2), black(1, 1, 4)])
    table = Table(4, StackedRng("b_0"), content, round_end_timeout=0)
    _run_out(table)
    table.do(1, Discard(table.pictures[1].hand[0][0]))
    _run_out(table)
    table.play(1)
    _run_out(table)
    table.join()
    assert len(table.hand(4)) == 12
    _run_out(table)
    for seat in (1, 2, 3):
        table.do(seat, VoteSkip(True))
    assert len(table.hand(4)) == 14
    _run_out(table)
    table.round()
    assert table.state.round == 2


def test_a_game_is_dealt_to_its_players_with_its_cards() -> None:
    table = Table(3, players=["ann", "ben", "cid"])
    (dealt,) = [event for event in table.story if isinstance(event, Dealt)]
    assert dealt == Dealt(["ann", "ben", "cid"], table.match.shelf)
    assert [player.id for player in table.board.players] == ["ann", "ben", "cid"]
