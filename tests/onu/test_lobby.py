"""How a table of ONU is run: seats from outside, starting by itself, and outliving its players."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.games import rummy
from parlour.games.onu import GAME, lobby
from parlour.games.onu.lobby import NEXT_GAME, WAITING_SEAT
from parlour.games.onu.moves import Draw, Passed, Prompted
from parlour.kit import Illegal
from parlour.table import Table
from parlour.table import events as tell
from parlour.table import inputs as do
from tests import highcard

HOUR = 3_600_000


def opened(game: Any = GAME, keep_seats: int = 0, **settings: Any) -> Table:
    opening = do.Open(
        "id", "123456", game.id, "00" * 32, settings, opener="opener", keep_seats=keep_seats
    )
    return Table(game, opening, 0)


def join(table: Table, user: str, now: int = 0) -> list[Any]:
    return table.receive(do.Join(f"wcp:{user}", user.title(), resumable=True), now)


def kinds(happened: list[Any]) -> list[type[Any]]:
    return [type(event) for event in happened]


def refused(table: Table, entry: do.Input, now: int = 0) -> str:
    with pytest.raises(Illegal) as no:
        table.receive(entry, now)
    return no.value.code


def test_who_is_seated_from_outside_is_away_until_they_are_attended_for() -> None:
    table = opened()
    table.receive(do.Seat(do.HOUSE, "ann", "Ann"), 0)
    (ann,) = table.roster.players
    assert (ann.id, ann.name, ann.visitor, ann.present) == ("ann", "Ann", "wcp:ann", False)
    assert table.due() == WAITING_SEAT
    table.receive(do.Back(ann.place), 1)
    assert ann.present
    assert refused(table, do.Seat(do.HOUSE, "ann", "Ann")) == "already-here"
    assert refused(table, do.Seat(do.HOUSE, "a b", "Ann")) == "bad-user"
    # Nobody attends for ben, so the seat is free again.
    table.receive(do.Seat(do.HOUSE, "ben", "Ben"), 1)
    happened = table.receive(do.Tick(), 1 + WAITING_SEAT)
    assert tell.Left in kinds(happened)
    assert [player.id for player in table.roster.players] == ["ann"]


def test_only_the_opener_runs_a_table() -> None:
    table = opened()
    join(table, "ann")
    table.receive(do.Join("opener", "Opener", resumable=True), 0)
    assert refused(table, do.Start(0)) == "host-only"
    assert refused(table, do.Seat(0, "ben", "Ben")) == "host-only"
    table.receive(do.Seat(1, "ben", "Ben"), 0)
    table.receive(do.Start(1), 0)
    assert table.roster.running


def test_elsewhere_nobody_is_seated_from_outside() -> None:
    assert refused(opened(highcard.GAME), do.Seat(do.HOUSE, "ann", "Ann")) == "no-outsiders"


def test_a_user_name_is_told_apart_from_people_on_the_page_and_bots() -> None:
    table = opened()
    join(table, "ann")
    table.receive(do.Join("2f0c", "Person", resumable=True), 0)
    table.receive(do.AddBot(do.HOUSE), 0)
    ids = [player.id for player in table.roster.players]
    assert ids[0] == "ann"
    assert ids[1].startswith("page:")
    assert ids[2].startswith("bot:")
    assert not any(lobby.USER.fullmatch(each) for each in ids[1:])


def test_it_starts_by_itself_once_enough_are_there() -> None:
    table = opened(autoStart=2)
    assert tell.CountdownSet not in kinds(join(table, "ann"))
    assert tell.CountdownSet in kinds(join(table, "ben", 10))
    assert table.due() == 10
    table.receive(do.Tick(), 10)
    assert table.roster.running


def test_who_is_away_does_not_count_and_who_comes_back_does() -> None:
    table = opened(autoStart=2)
    join(table, "ann")
    table.receive(do.Away(0), 0)
    join(table, "ben", 1)
    assert table.roster.countdown is None
    table.receive(do.Back(0), 2)
    assert table.roster.countdown == 2


def played_to_the_end(table: Table, now: int) -> int:
    """Nobody answers until it is over; gives when that was."""
    while table.roster.running:
        due = table.due()
        assert due is not None
        now = max(now, due)
        table.receive(do.Tick(), now)
    return now


def test_a_gone_player_keeps_the_seat_for_the_game_and_no_longer() -> None:
    table = opened(turnTimeout=1, pace=0, maxDraws=1)
    for user in ("ann", "ben"):
        join(table, user)
    table.receive(do.Start(do.HOUSE), 0)
    table.receive(do.Act(0, Draw()), 1)
    table.receive(do.Away(1), 1)
    now = played_to_the_end(table, 1)
    ben = table.roster.at(1)
    assert ben is not None
    assert not ben.gone
    assert ben.until is not None
    assert ben.until <= now + WAITING_SEAT
    table.receive(do.Tick(), now + WAITING_SEAT)
    assert [player.id for player in table.roster.players] == ["ann"]


def ann_and_ben(**options: Any) -> Table:
    """Ann has drawn and passed, so it is Ben's turn; who goes away at once."""
    table = opened(pace=0, maxDraws=1, **options)
    for user in ("ann", "ben"):
        join(table, user)
    table.receive(do.Start(do.HOUSE), 0)
    table.receive(do.Act(0, Draw()), 1_000)
    table.receive(do.Away(1), 1_000)
    return table


def waited_for_ben(table: Table, now: int) -> int:
    """How long it takes until Ben's turn is over; it is Ann's then."""
    due = table.due()
    assert due is not None
    happened = table.receive(do.Tick(), due)
    assert [e.seat for e in happened if type(e) is Passed] == [1]
    assert [e.seat for e in happened if type(e) is Prompted] == [0]
    return due - now


def test_a_gone_player_is_waited_for_in_full_once_and_then_shortly() -> None:
    table = ann_and_ben(keep_seats=HOUR)
    assert waited_for_ben(table, 1_000) == 60_000
    for now in (100_000, 200_000):
        table.receive(do.Act(0, Draw()), now)
        assert waited_for_ben(table, now) == 10_000
    # Back in a short turn, they have the rest of the full time; gone again, all of it once more.
    table.receive(do.Act(0, Draw()), 300_000)
    table.receive(do.Back(1), 305_000)
    assert waited_for_ben(table, 300_000) == 60_000
    table.receive(do.Away(1), 370_000)
    table.receive(do.Act(0, Draw()), 380_000)
    assert waited_for_ben(table, 380_000) == 60_000
    table.receive(do.Act(0, Draw()), 450_000)
    assert waited_for_ben(table, 450_000) == 10_000


def test_a_bot_plays_for_a_gone_player_until_they_are_back() -> None:
    table = ann_and_ben(keep_seats=HOUR)
    ben = table.roster.players[1]
    assert refused(table, do.AddBot(0, instead=1), 2_000) == "host-only"
    assert refused(table, do.AddBot(do.HOUSE, instead=0), 2_000) == "not-away"
    assert refused(table, do.AddBot(do.HOUSE, instead=7), 2_000) == "not-here"
    assert refused(table, do.AddBot(do.HOUSE, "godlike", instead=1), 2_000) == "bad-strength"
    waited_for_ben(table, 1_000)
    table.receive(do.Act(0, Draw()), 100_000)
    happened = table.receive(do.AddBot(do.HOUSE, "easy", instead=1), 101_000)
    assert happened == [tell.StoodIn(1)]
    assert (ben.stand_in, ben.strength, ben.human) == (True, "easy", True)
    # Nobody is in a hurry with a bot.
    assert table.due() == 160_000
    table.receive(do.Back(1), 102_000)
    assert not ben.stand_in
    assert refused(table, do.AddBot(do.HOUSE, instead=1), 102_000) == "not-away"


def test_between_games_and_elsewhere_no_bot_plays_for_anybody() -> None:
    table = opened()
    for user in ("ann", "ben"):
        join(table, user)
    table.receive(do.Away(1), 0)
    assert refused(table, do.AddBot(do.HOUSE, instead=1)) == "no-round"
    other = opened(rummy.GAME)
    for user in ("ann", "ben"):
        join(other, user)
    other.receive(do.Start(0), 0)
    other.receive(do.Away(1), 0)
    assert refused(other, do.AddBot(do.HOUSE, instead=1)) == "no-stand-ins"


def test_an_older_table_waits_in_full_every_time() -> None:
    table = ann_and_ben()
    for now in (1_000, 100_000, 200_000):
        if now > 1_000:
            table.receive(do.Act(0, Draw()), now)
        assert waited_for_ben(table, now) == 60_000


def test_the_next_game_waits_until_windows_are_back() -> None:
    table = opened(turnTimeout=1, pace=0, autoStart=2)
    for user in ("ann", "ben"):
        join(table, user)
    table.receive(do.Tick(), 0)
    now = played_to_the_end(table, 0)
    assert table.roster.countdown == now + NEXT_GAME
    assert NEXT_GAME >= 15_000
    # Who comes meanwhile does not hurry it.
    join(table, "cleo", now + 1)
    assert table.roster.countdown == now + 1 + NEXT_GAME


def test_a_table_outlives_its_last_player_for_a_day() -> None:
    table = opened()
    join(table, "ann")
    table.receive(do.Leave(0), 5)
    assert not table.closed
    assert table.due() == 5 + 24 * HOUR
    join(table, "ben", 6)
    assert table.due() is None
    table.receive(do.Leave(1), 7)
    assert tell.Closed in kinds(table.receive(do.Tick(), 7 + 24 * HOUR))


@pytest.mark.parametrize(
    ("wanted", "name"),
    [("Ann", "Ann"), (" a\tb\n", "a b"), ("x" * 30, "x" * 20), ("a" * 19 + " b", "a" * 19)],
)
def test_names_are_made_to_fit(wanted: str, name: str) -> None:
    assert GAME.lobby.names.good(wanted) == name


def test_a_name_without_a_letter_is_none() -> None:
    with pytest.raises(Illegal):
        GAME.lobby.names.good("?! ")
