"""A standing table: people come and go in mid-match, and are put out of it."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from parlour.kit import Illegal
from parlour.table import Table, shown_settings
from parlour.table import events as tell
from parlour.table import inputs as do
from tests import highcard

ONE_MORE = hashlib.sha256(b"x").hexdigest()
LIBRARY = {ONE_MORE: b"x", hashlib.sha256(b"xx").hexdigest(): b"xx"}


def opened(opener: str | None = "ann", **settings: Any) -> Table:
    opening = do.Open(
        id="table",
        code="123456",
        game="standing",
        seed="5e" * 32,
        settings=settings,
        opener=opener,
        content={"bonus": ONE_MORE},
    )
    return Table(highcard.STANDING, opening, 0, LIBRARY.__getitem__)


def playing(*visitors: str, **settings: Any) -> Table:
    table = opened(**settings)
    for visitor in visitors:
        table.receive(do.Join(visitor, visitor.title(), True), 0)
    table.receive(do.Start(do.HOUSE), 0)
    return table


def match_of(table: Table) -> highcard.HighCard:
    assert isinstance(table.match, highcard.HighCard)
    return table.match


def kinds(happened: list[Any]) -> list[str]:
    return [type(event).__name__ for event in happened]


def refusal(table: Table, entry: do.Input, now: int = 0) -> str:
    with pytest.raises(Illegal) as no:
        table.receive(entry, now)
    return no.value.code


def test_who_leaves_in_mid_match_makes_room_at_once() -> None:
    table = playing("ann", "ben", "cleo", "dan")
    assert refusal(table, do.Join("eve", "Eve")) == "table-full"
    assert kinds(table.receive(do.Leave(1), 0)) == ["Departed", "Left"]
    assert [p.name for p in table.roster.players] == ["Ann", "Cleo", "Dan"]
    assert kinds(table.receive(do.Join("eve", "Eve"), 0)) == ["Sat", "Dealt"]
    eve = table.roster.of_visitor("eve")
    assert eve is not None
    # Seats keep their numbers: the one left stays empty.
    assert (eve.place, eve.seat) == (4, 4)
    assert match_of(table).left == [False, True, False, False, False]
    assert refusal(table, do.Act(1, highcard.Lay(0))) == "not-here"


def test_a_trick_that_waited_for_who_left_is_taken() -> None:
    table = playing("ann", "ben", "cleo")
    hands = match_of(table).hands
    table.receive(do.Act(0, highcard.Lay(hands[0][0])), 0)
    table.receive(do.Act(1, highcard.Lay(hands[1][0])), 0)
    assert kinds(table.receive(do.Leave(2), 0)) == ["Departed", "Left", "Taken"]


def test_a_lost_line_is_heard_of_at_once_and_its_place_kept_for_a_while() -> None:
    table = playing("ann", "ben", "cleo")
    assert kinds(table.receive(do.Away(1), 1_000)) == ["WentAway", "DroppedOut", "Laid"]
    assert table.due() == 121_000
    assert kinds(table.receive(do.Back(1), 2_000)) == ["CameBack"]
    assert match_of(table).absent == [False, False, False]
    table.receive(do.Away(1), 3_000)
    assert "Left" in kinds(table.receive(do.Tick(), 123_000))
    assert table.roster.of_visitor("ben") is None


def test_between_matches_no_place_is_kept() -> None:
    table = opened()
    for visitor in ("ann", "ben"):
        table.receive(do.Join(visitor, visitor.title(), True), 0)
    table.receive(do.Away(1), 5_000)
    assert table.due() == 5_000
    assert "Left" in kinds(table.receive(do.Tick(), 5_000))


def test_a_table_is_still_there_for_who_was_alone_and_reloads() -> None:
    table = opened()
    table.receive(do.Join("ann", "Ann", True), 0)
    table.receive(do.Away(0), 5_000)
    table.receive(do.Tick(), 5_000)
    assert (table.roster.players, table.closed, table.due()) == ([], False, 65_000)
    table.receive(do.Join("ann", "Ann", True), 6_000)
    assert table.due() is None
    table.receive(do.Leave(1), 7_000)
    assert kinds(table.receive(do.Tick(), 67_000)) == ["Closed"]


def test_names_and_bots_change_in_mid_match_where_seats_are_open() -> None:
    table = playing("ann", "ben")
    assert kinds(table.receive(do.Rename(1, "Benny"), 0)) == ["Renamed"]
    assert kinds(table.receive(do.AddBot(0), 0)) == ["Sat", "Dealt"]
    assert table.roster.bots[0].seat == 2
    assert kinds(table.receive(do.RemoveBot(0), 0))[:2] == ["Departed", "Left"]
    assert refusal(table, do.Configure(0, {"tricks": 2})) == "round-running"


def test_the_host_puts_somebody_out_perhaps_for_good() -> None:
    table = playing("ann", "ben", "cleo")
    assert refusal(table, do.Kick(1, 2)) == "host-only"
    happened = table.receive(do.Kick(0, 1), 0)
    assert kinds(happened)[:2] == ["Kicked", "Left"]
    assert (happened[0].place, happened[0].reason) == (1, "kicked")
    table.receive(do.Join("ben", "Ben"), 0)
    table.receive(do.Kick(0, 3, ban=True), 0)
    assert refusal(table, do.Join("ben", "Ben")) == "banned"


def test_the_rules_put_somebody_out() -> None:
    table = playing("ann", "ben", "cleo")
    for _ in range(2):
        assert kinds(table.receive(do.Fumble(1), 0)) == ["Fumbled"]
    happened = table.receive(do.Fumble(1), 0)
    assert kinds(happened) == ["Fumbled", "Kicked", "Left"]
    assert happened[1].reason == "clumsy"
    assert table.roster.of_visitor("ben") is None
    assert match_of(table).left[1]
    # What was told is what who comes now is told.
    assert highcard.Fumbled(1) in table.story
    assert not any(isinstance(event, tell.Kicked) for event in table.story)


def test_who_talks_or_changes_their_name_is_awake() -> None:
    table = playing("ann", "ben")
    table.receive(do.Say(1, "hello"), 0)
    table.receive(do.Rename(1, "Benny"), 0)
    assert match_of(table).stirs == [0, 2]


def test_nobody_runs_a_table_of_the_house() -> None:
    table = opened(opener=None)
    for visitor in ("ann", "ben"):
        table.receive(do.Join(visitor, visitor.title()), 0)
    for entry in (do.Start(0), do.AddBot(0), do.Configure(0, {"tricks": 1}), do.Kick(0, 1)):
        assert refusal(table, entry) == "host-only"
    table.receive(do.Start(do.HOUSE), 0)


def test_everybody_ready_starts_a_match_and_a_newcomer_who_is_not_holds_it_up() -> None:
    table = opened()
    for visitor in ("ann", "ben"):
        table.receive(do.Join(visitor, visitor.title()), 0)
    table.receive(do.Ready(0, True), 10)
    assert table.due() is None
    assert "CountdownSet" in kinds(table.receive(do.Ready(1, True), 20))
    assert table.due() == 20
    table.receive(do.Join("cleo", "Cleo"), 20)
    assert table.due() is None
    # Who was waited for leaves: now all are ready.
    table.receive(do.Leave(2), 30)
    assert table.due() == 30
    assert "Dealt" in kinds(table.receive(do.Tick(), 30))


def test_rules_read_the_content_a_table_was_opened_with() -> None:
    table = playing("ann", "ben", tricks=2)
    assert [len(hand) for hand in match_of(table).hands] == [3, 3]
    table = opened(tricks=2)
    for visitor in ("ann", "ben"):
        table.receive(do.Join(visitor, visitor.title()), 0)
    table.receive(do.Pin(0, {"bonus": hashlib.sha256(b"xx").hexdigest()}), 0)
    table.receive(do.Start(0), 0)
    assert [len(hand) for hand in match_of(table).hands] == [4, 4]


def test_a_secret_setting_is_in_no_public_answer() -> None:
    table = opened(password="open sesame")
    assert table.roster.settings.password == "open sesame"
    shown = shown_settings(table.roster.settings)
    assert shown == {"tricks": 3, "think": 0, "open_door": True}
