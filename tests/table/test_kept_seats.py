"""Seats of people who are away: how long they are kept, and what the others can do meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from parlour.games import cambia, onu, quips, rummy
from parlour.protocol import Game
from parlour.rng import FastRng
from parlour.table import Table
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.notes import Note
from parlour.table.seating import PATIENCE
from tests.table.notebook import GAME, HOSTED, Do, playing, refused

KEEP = 600_000
DAY = 24 * 3_600_000


def table_of(game: Game, people: int, bots: int = 0, opener: str | None = "v0") -> Table:
    opening = do.Open(
        id="t",
        code="123456",
        game=game.id,
        seed="5e" * 32,
        settings={},
        opener=opener,
        edition=game.lobby.edition,
        keep_seats=KEEP,
    )
    table = Table(game, opening, 0)
    for number in range(people):
        table.receive(do.Join(f"v{number}", f"Guest {number}", resumable=True), 0)
    for _ in range(bots):
        table.receive(do.AddBot(do.HOUSE), 0)
    return table


def round_of(people: int, bots: int = 0) -> Table:
    """A round of Super Rummy in which everybody has drawn and discarded once."""
    table = table_of(rummy.GAME, people, bots)
    table.receive(do.Start(0), 0)
    for _ in range(people + bots):
        turn(table, 0)
    return table


def in_turn(table: Table) -> int:
    match = table.match
    assert match is not None
    return next(p.place for p in table.roster.seating if match.legal(p.seat or 0))


def turn(table: Table, now: int) -> list[Any]:
    """Whoever's turn it is draws from the deck and discards what they drew."""
    place = in_turn(table)
    assert table.match is not None
    happened = table.receive(do.Act(place, table.match.legal(place)[0]), now)
    assert table.match is not None
    happened += table.receive(do.Act(place, table.match.legal(place)[-1]), now)
    return happened


def kinds(happened: Sequence[Any]) -> list[str]:
    return [type(event).__name__ for event in happened]


# How long


@pytest.mark.parametrize(
    "game", [rummy.GAME, cambia.GAME, onu.GAME, GAME], ids=lambda game: game.id
)
def test_a_lone_player_who_loses_the_connection_finds_the_table_again(game: Game) -> None:
    table = table_of(game, 1)
    table.receive(do.Away(0), 1_000)
    table.receive(do.Tick(), 1_000 + PATIENCE)
    assert table.due() == 1_000 + KEEP
    table.receive(do.Back(0), KEEP)
    assert [p.present for p in table.roster.players] == [True]


def test_a_table_is_gone_when_its_last_seat_is_kept_no_longer() -> None:
    table = table_of(rummy.GAME, 1)
    table.receive(do.Away(0), 0)
    table.receive(do.Tick(), PATIENCE)
    table.receive(do.Tick(), KEEP)
    assert table.closed


def test_a_round_that_everybody_is_away_from_stands_still_and_is_kept() -> None:
    table = round_of(2)
    table.receive(do.Away(1), 1_000)
    table.receive(do.Away(0), 2_000)
    assert table.due() == 1_000 + KEEP, "nobody is there whose time it would be"
    table.receive(do.Back(0), 400_000)
    table.receive(do.Back(1), 500_000)
    assert table.roster.running
    turn(table, 500_000)


def test_a_solo_game_against_bots_is_kept_for_a_day() -> None:
    table = round_of(1, bots=2)
    table.receive(do.Away(0), 1_000)
    assert table.due() == 1_000 + DAY
    table.receive(do.Back(0), DAY)
    assert table.roster.running


def test_somebody_whose_seat_is_kept_no_longer_ends_the_round_by_leaving() -> None:
    table = round_of(2)
    table.receive(do.Away(1), 0)
    while table.roster.running:
        due = table.due()
        if in_turn(table) == 0:
            turn(table, 0 if due is None else due - 1)
        else:
            assert due is not None
            table.receive(do.Tick(), due)
    assert table.last_at == KEEP
    assert table.roster.ended_by == "Guest 1"
    assert table.notes[-2:] == [
        (len(table.story), Note("expired", table.roster.seating[1].id, "Guest 1")),
        (len(table.story), Note("ended", "", "Guest 1")),
    ]
    assert [p.name for p in table.roster.players] == ["Guest 0"]


def test_tables_of_older_logs_keep_seats_as_they_did() -> None:
    opening = do.Open(id="t", code="1", game="rummy", seed="5e" * 32, settings={}, opener="v0")
    table = Table(rummy.GAME, opening, 0)
    for number in range(2):
        table.receive(do.Join(f"v{number}", f"Guest {number}", resumable=True), 0)
    table.receive(do.AddBot(0), 0)
    table.receive(do.Start(0), 0)
    table.receive(do.Away(1), 0)
    assert table.due() == 30_000
    assert "DroppedOut" in kinds(table.receive(do.Tick(), 30_000))


# Turns meanwhile


def test_each_turn_of_somebody_who_is_away_is_waited_for_and_then_skipped() -> None:
    table = round_of(2)
    table.receive(do.Away(1), 1_000)
    now = 1_000
    for _ in range(3):
        assert in_turn(table) == 0
        turn(table, now)
        assert in_turn(table) == 1
        assert table.due() == now + PATIENCE
        assert refused(table, do.Tick(), now + PATIENCE - 1) == "nothing-due"
        now += PATIENCE
        happened = table.receive(do.Tick(), now)
        assert kinds(happened)[0] == "Skipped"
        assert kinds(happened)[-1] == "Turned"
    assert [note.kind for _, note in table.notes] == ["away", "skipped", "skipped", "skipped"]


def test_nobody_waits_for_somebody_who_was_put_out() -> None:
    table = round_of(3)
    table.receive(do.Away(0), 1_000)
    assert in_turn(table) == 0
    assert table.due() == 1_000 + PATIENCE
    table.receive(do.Kick(1, 0), 2_000)
    assert in_turn(table) == 1
    assert table.due() is None, "the rules would think that they are back"


def test_whoever_is_back_in_time_plays_the_turn() -> None:
    table = round_of(2)
    turn(table, 0)
    table.receive(do.Away(1), 1_000)
    assert table.due() == 1_000 + PATIENCE
    table.receive(do.Back(1), 20_000)
    assert table.due() is None
    assert in_turn(table) == 1


def test_waiting_begins_when_somebody_comes_back_who_can_wait() -> None:
    table = round_of(2)
    turn(table, 0)
    table.receive(do.Away(1), 0)
    table.receive(do.Away(0), 10_000)
    table.receive(do.Back(0), 100_000)
    assert table.due() == 100_000 + PATIENCE


def test_somebody_dealt_in_while_away_is_waited_for_too() -> None:
    table = table_of(rummy.GAME, 2)
    table.receive(do.Away(0), 0)
    table.receive(do.Start(1), 0)
    assert in_turn(table) == 0
    assert table.due() == PATIENCE


def test_a_match_says_by_gone_and_back_what_skipping_is_unless_it_says_more() -> None:
    _, match = playing()
    match.skip(1, FastRng(1), 9)
    assert [note.what for note in match.asked] == ["gone", "back"]


# Between matches


def test_after_a_while_others_may_start_without_somebody_who_is_away() -> None:
    table = table_of(cambia.GAME, 3)
    table.receive(do.Away(2), 0)
    table.receive(do.Ready(0, True), 1)
    table.receive(do.Ready(1, True), 2)
    assert table.roster.countdown is None
    happened = table.receive(do.Tick(), PATIENCE)
    assert "CountdownSet" in kinds(happened)
    assert len(table.roster.players) == 3, "the seat is kept"


def test_nothing_starts_by_itself_without_enough_who_are_there() -> None:
    table = table_of(cambia.GAME, 2)
    table.receive(do.Away(1), 0)
    table.receive(do.Ready(0, True), 1)
    table.receive(do.Tick(), PATIENCE)
    assert table.roster.countdown is None
    assert refused(table, do.Start(0), PATIENCE) == "not-ready"


@pytest.mark.parametrize("game", [HOSTED, GAME], ids=["heard at once", "waited for"])
def test_seats_outlast_the_match_that_went_on_without_their_players(game: Game) -> None:
    table = table_of(game, 3)
    for place in range(3) if game is HOSTED else ():
        table.receive(do.Ready(place, True), 0)
    table.receive(do.Start(0), 0)
    table.receive(do.Away(1), 10)
    table.receive(do.Act(0, Do("end")), 20)
    assert not table.roster.running
    assert [p.place for p in table.roster.players] == [0, 1, 2]
    assert table.roster.players[1].gone, "nobody need wait for them"
    table.receive(do.Back(1), 30)
    assert not table.roster.players[1].gone


# Going on without them


def test_the_host_decides_alone_about_people_who_are_away() -> None:
    table = table_of(HOSTED, 4)
    assert refused(table, do.VoteOut(0, 3)) == "no-vote", "who is there is put out by `Kick`"
    table.receive(do.Away(3), 10)
    assert kinds(table.receive(do.VoteOut(1, 3), 11)) == ["VotesChanged"]
    table.receive(do.VoteOut(1, 3, out=False), 12)
    happened = table.receive(do.VoteOut(0, 3), 13)
    assert kinds(happened)[:2] == ["Departed", "Left"]
    assert len(table.roster.players) == 3


def test_where_nobody_runs_the_table_more_than_half_decide() -> None:
    table = table_of(rummy.GAME, 4)
    table.receive(do.Start(0), 0)
    table.receive(do.Away(3), 10)
    assert kinds(table.receive(do.VoteOut(0, 3), 11)) == ["VotesChanged"]
    assert kinds(table.receive(do.VoteOut(0, 3), 12)) == ["VotesChanged"], "one vote each"
    table.receive(do.VoteOut(0, 3, out=False), 13)
    assert kinds(table.receive(do.VoteOut(1, 3), 14)) == ["VotesChanged"]
    happened = table.receive(do.VoteOut(2, 3), 15)
    assert kinds(happened)[:2] == ["Departed", "DroppedOut"]
    assert happened[0].why == "voted"


def test_votes_are_void_when_somebody_is_back() -> None:
    table = table_of(rummy.GAME, 4)
    table.receive(do.Away(3), 10)
    table.receive(do.VoteOut(0, 3), 11)
    table.receive(do.Back(3), 12)
    assert kinds(table.receive(do.VoteOut(1, 3), 13)) == ["VotesChanged"]
    table.receive(do.Away(3), 14)
    assert kinds(table.receive(do.VoteOut(2, 3), 15)) == ["VotesChanged"]


def test_of_two_players_the_other_decides() -> None:
    table = round_of(2)
    table.receive(do.Away(1), 10)
    table.receive(do.VoteOut(0, 1), 11)
    assert not table.roster.running
    assert table.roster.ended_by == "Guest 1"


@pytest.mark.parametrize("game", [rummy.GAME, quips.GAME], ids=lambda game: game.id)
def test_two_or_more_can_vote_somebody_out_where_nobody_runs_the_table(game: Game) -> None:
    table = table_of(game, 3, opener=None)
    assert kinds(table.receive(do.VoteOut(0, 2), 1)) == ["VotesChanged"]
    happened = table.receive(do.VoteOut(1, 2), 2)
    assert isinstance(happened[0], tell.Kicked)
    assert refused(table, do.Join("v2", "Guest 2")) == "banned"
    assert refused(table, do.VoteOut(0, 0)) == "no-vote"
    assert kinds(table.receive(do.VoteOut(0, 1), 3)) == ["VotesChanged"], "one is not enough"


# Who runs a table


@pytest.mark.parametrize("game", [cambia.GAME, onu.GAME, HOSTED], ids=["cambia", "onu", "hosted"])
def test_the_right_to_run_a_table_passes_to_who_came_next_and_back(game: Game) -> None:
    table = table_of(game, 3)
    assert refused(table, do.AddBot(1)) == "host-only"
    happened = table.receive(do.Away(0), 10)
    for _ in range(2):
        if table.due() is not None and not table.roster.players[0].gone:
            happened = table.receive(do.Tick(), table.due() or 0)
    assert tell.LobbyChanged() in happened, "clients are told who runs the table now"
    table.receive(do.AddBot(1), table.last_at)
    assert refused(table, do.AddBot(2), table.last_at) == "host-only"
    if len(table.roster.people) == 3:
        assert tell.LobbyChanged() in table.receive(do.Back(0), table.last_at)
        table.receive(do.AddBot(0), table.last_at)


def test_a_user_of_a_relay_does_not_come_to_run_a_table() -> None:
    table = table_of(onu.GAME, 0)
    for visitor in ("wcp:ann", "v0", "v1"):
        table.receive(do.Join(visitor, visitor[-3:], resumable=True), 0)
    table.receive(do.Leave(1), 1)
    table.receive(do.AddBot(2), 2)
    assert refused(table, do.AddBot(0)) == "host-only"
