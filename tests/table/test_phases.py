"""What the phases of a table ask the rules and tell everybody, input by input and to the letter."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from parlour.kit import Illegal, Outcome, Setup
from parlour.protocol import Game
from parlour.table import Lobby, Table
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.lobby import Options
from parlour.table.management import MOST_INVITED
from parlour.table.phase import sooner
from parlour.table.playing import Playing
from parlour.table.roster import MOST_BANNED, Stage
from parlour.table.seating import OpenSeats
from parlour.table.table import EMPTY_FOR
from tests import highcard
from tests.table.notebook import (
    GAME,
    HOSTED,
    STANDING,
    All,
    Do,
    Note,
    Notebook,
    Noted,
    opened,
    playing,
    refused,
)

# Names


@pytest.mark.parametrize("game", [GAME, STANDING], ids=["between", "in mid-match"])
def test_a_player_is_renamed_and_everybody_told(game: Game) -> None:
    table = opened(game)
    if game is STANDING:
        table.receive(do.Start(do.HOUSE), 5)
    told = table.receive(do.Rename(1, "  Zoe "), 9)
    assert told[0] == tell.Renamed(1, "Zoe")
    assert table.roster.players[1].name == "Zoe"
    assert told[1:] == [Note("stirred", (1, 9))] if game is STANDING else [tell.LobbyChanged()]


def test_a_name_can_be_kept_but_not_be_somebody_elses() -> None:
    table = opened()
    assert refused(table, do.Rename(1, "guest 0")) == "name-taken"
    assert refused(table, do.Rename(7, "Zoe")) == "not-here"
    table.receive(do.Rename(1, "GUEST 1"), 9)
    assert table.roster.players[1].name == "GUEST 1"


def test_where_seats_are_not_open_names_stay_while_a_match_runs() -> None:
    table, _ = playing()
    assert refused(table, do.Rename(1, "Zoe")) == "round-running"


# Settings


def test_a_lobby_says_what_a_patch_really_changes() -> None:
    Noted.asked.clear()
    table = opened()
    before = table.roster.settings
    told = table.receive(do.Configure(0, {"tricks": 2}), 9)
    assert Noted.asked == [(before, {"tricks": 2}, 2)]
    assert table.roster.settings == highcard.Settings(tricks=2, think=7)
    assert told == [tell.Configured(), tell.LobbyChanged()]
    assert (table.roster.min_seats, table.roster.max_seats) == (2, 6)


def test_settings_with_too_few_seats_for_who_is_there_are_refused() -> None:
    class Narrow(Options):
        def seats(self, settings: Any, least: int, most: int) -> tuple[int, int]:
            return least, settings.tricks + 1

    table = opened(replace(GAME, lobby=Lobby(options=Narrow())), people=3)
    assert refused(table, do.Configure(0, {"tricks": 1})) == "too-many"
    table.receive(do.Configure(0, {"tricks": 2}), 9)
    assert (table.roster.min_seats, table.roster.max_seats) == (2, 3)


@pytest.mark.parametrize(
    "entry",
    [do.Configure(0, {}), do.Start(0), do.AddBot(0), do.RemoveBot(0), do.Ready(0, True)],
    ids=lambda entry: type(entry).__name__,
)
def test_what_has_to_wait_for_the_end_of_a_match(entry: do.Input) -> None:
    table, _ = playing()
    assert refused(table, entry) == "round-running"


@pytest.mark.parametrize(
    "entry",
    [do.Configure(1, {}), do.Start(1), do.AddBot(1), do.RemoveBot(1), do.Kick(1, 0), do.Pin(1, {})],
    ids=lambda entry: type(entry).__name__,
)
def test_what_only_the_host_does(entry: do.Input) -> None:
    assert refused(opened(HOSTED), entry) == "host-only"


def test_content_is_pinned_for_the_next_match() -> None:
    opening = do.Open(
        id="t", code="1", game="high", seed="5e" * 32, settings={}, content={"pack": "aa"}
    )
    table = Table(GAME, opening, 0, {"aa": b"old", "bb": b"new"}.__getitem__)
    for number in range(2):
        table.receive(do.Join(f"v{number}", f"Guest {number}"), 0)
    table.receive(do.Start(do.HOUSE), 5)
    match = table.match
    assert isinstance(match, Notebook)
    assert refused(table, do.Pin(0, {"pack": "bb"}), 6) == "round-running"
    assert match.setup.content == {"pack": b"old"}
    table.receive(do.Act(0, Do("end")), 7)
    assert tell.Pinned() in table.receive(do.Pin(0, {"pack": "bb"}), 7)
    table.receive(do.Start(do.HOUSE), 8)
    again = table.match
    assert isinstance(again, Notebook)
    assert again.setup.content == {"pack": b"new"}
    assert again.setup.previous is match


# Being put out


def test_who_is_put_out_between_matches_is_gone_at_once() -> None:
    table = opened()
    player = table.roster.players[1]
    told = table.receive(do.Kick(0, 1), 9)
    assert told == [
        tell.Kicked(1, player.id, "Guest 1", "kicked", "You were put out of this table."),
        tell.Left(1, player.id, "Guest 1"),
        tell.LobbyChanged(),
    ]
    assert [p.place for p in table.roster.players] == [0]
    table.receive(do.Join("v1", "Guest 1"), 10)
    assert table.roster.banned == []


def test_who_is_banned_does_not_come_in_again() -> None:
    table = opened()
    table.receive(do.Kick(0, 1, ban=True), 9)
    assert refused(table, do.Join("v1", "Guest 1")) == "banned"
    assert "v1" in table.roster.banned


def test_who_is_banned_in_mid_match_does_not_come_back() -> None:
    table, match = playing(people=3)
    table.receive(do.Kick(0, 1, ban=True), 9)
    assert match.asked == [Note("gone", (1, 9))]
    assert not table.roster.players[1].present
    assert table.roster.players[1].until is None
    assert refused(table, do.Back(1)) == "banned"


def test_bans_are_forgotten_the_oldest_first() -> None:
    table = opened(people=1)
    for number in range(MOST_BANNED + 1):
        table.receive(do.Join(f"w{number}", "Guest"), 9)
        table.receive(do.Kick(0, table.roster.players[-1].place, ban=True), 9)
    assert len(table.roster.banned) == MOST_BANNED
    assert "w0" not in table.roster.banned
    assert f"w{MOST_BANNED}" in table.roster.banned


def test_rules_put_somebody_out_and_the_others_are_told_in_order() -> None:
    table, _ = playing(people=3)
    player = table.roster.players[1]
    told = table.receive(do.Act(0, Do("put out")), 9)
    assert told == [
        Note("before", ()),
        tell.Kicked(1, player.id, "Guest 1", "idle", "Too slow."),
        tell.Left(1, player.id, "Guest 1"),
        Note("after", ()),
    ]
    assert player not in table.roster.players
    assert not player.present
    assert table.story[-2:] == [Note("before", ()), Note("after", ())]


# Coming and going


def test_who_sits_down_in_mid_match_has_the_next_seat() -> None:
    table, match = playing(STANDING)
    told = table.receive(do.Join("late", "Late"), 9)
    player = table.roster.players[-1]
    assert told == [tell.Sat(2), Note("join", (player.id, False, 9))]
    assert (player.place, player.seat) == (2, 2)
    assert table.roster.seating[2] is player
    assert match.asked == [Note("join", (player.id, False, 9))]
    table.receive(do.AddBot(0), 10)
    assert match.asked[-1] == Note("join", (table.roster.players[-1].id, True, 10))


def test_who_gets_up_in_mid_match_leaves_the_place_at_once() -> None:
    table, match = playing(STANDING, people=3)
    player = table.roster.players[1]
    told = table.receive(do.Leave(1), 9)
    departed = tell.Departed(1, player.id, "Guest 1", "left")
    assert told == [departed, tell.Left(1, player.id, "Guest 1"), Note("leave", (1, 9))]
    assert [p.place for p in table.roster.players] == [0, 2]
    assert match.asked == [Note("leave", (1, 9))]


def test_where_seats_are_not_open_who_leaves_is_gone_until_the_end() -> None:
    table, match = playing(people=3)
    assert table.receive(do.Leave(1), 9)[1:] == [tell.DroppedOut(1), Note("gone", (1, 9))]
    assert table.receive(do.Back(1), 10) == [tell.CameBack(1), Note("back", (1, 10))]
    assert match.asked == [Note("gone", (1, 9)), Note("back", (1, 10))]
    phase = table.phase
    assert isinstance(phase, Playing)
    assert match.rngs == {id(phase.rng)}


def test_who_was_never_gone_is_not_back() -> None:
    table, match = playing()
    table.receive(do.Away(1), 9)
    assert table.receive(do.Back(1), 10) == [tell.CameBack(1)]
    assert match.asked == []


def test_a_match_everybody_has_left_is_abandoned_once_nobody_is_waited_for() -> None:
    table, match = playing()
    table.receive(do.Away(1), 9)
    assert table.receive(do.Leave(0), 10)[2] == Note("gone", (0, 10))
    assert match.ended is None, "one may still come back"
    told = table.receive(do.Tick(), 9 + 30_000)
    assert [n for n in told if isinstance(n, Note)] == [
        Note("gone", (1, 30_009)),
        Note("abandon", (30_009,)),
    ]
    assert table.closed


def test_places_kept_for_two_are_given_up_together_and_the_lobby_told_once() -> None:
    table = opened(people=3)
    left = table.roster.players[1:]
    for place in (1, 2):
        assert table.receive(do.Away(place), 9) == [tell.WentAway(place)]
    told = table.receive(do.Tick(), 30_009)
    gone = [
        (tell.Departed(p.place, p.id, p.name, "expired"), tell.Left(p.place, p.id, p.name))
        for p in left
    ]
    assert told == [*gone[0], *gone[1], tell.LobbyChanged()]


def test_a_countdown_that_comes_to_nothing_is_no_change_of_the_lobby() -> None:
    def never(setup: Setup, rng: Any, now: int) -> Any:
        raise Illegal("no", "No.")

    table = opened(replace(HOSTED, deal=never))
    for place in (0, 1):
        table.receive(do.Ready(place, True, 50), 9)
    assert table.receive(do.Tick(), 59) == [tell.CountdownSet(None), tell.NotDealt("no", "No.")]


def test_bots_come_and_go_by_place_by_id_or_the_last_first() -> None:
    table = opened(people=1)
    for _ in range(4):
        table.receive(do.AddBot(0), 9)
    bots = table.roster.bots
    table.receive(do.RemoveBot(0), 9)
    table.receive(do.RemoveBot(0, bots[0].place), 9)
    table.receive(do.RemoveBot(0, bots[2].id), 9)
    assert table.roster.bots == [bots[1]]
    assert refused(table, do.RemoveBot(0, 77)) == "no-bot"
    assert table.roster.bots == [bots[1]]


# What is no action


def test_a_fumble_is_the_rules_business_while_a_match_runs() -> None:
    table, match = playing()
    assert table.receive(do.Fumble(1), 9) == [Note("fumble", (1, 9))]
    assert match.asked == [Note("fumble", (1, 9))]
    assert refused(opened(), do.Fumble(1)) == "no-round"
    assert refused(opened(), do.Act(1, Do("x"))) == "no-round"


def test_what_is_said_is_told_cleaned_and_cut() -> None:
    table, _ = playing()
    told = table.receive(do.Say(1, "  hi\x07 there " + "x" * 400), 9)
    assert told == [tell.Said(1, ("hi there " + "x" * 400)[:300], 9), Note("stirred", (1, 9))]
    assert refused(table, do.Say(1, " \x07 ")) == "nothing-said"
    assert table.receive(do.Say(0, "x"), 9)[0] == tell.Said(0, "x", 9)
    assert opened().receive(do.Say(0, "x"), 9) == [tell.Said(0, "x", 9)]


def test_the_last_one_invited_comes_last_and_the_oldest_is_forgotten() -> None:
    table = opened()
    for number in range(MOST_INVITED + 1):
        assert table.receive(do.Invite(0, f"w{number}"), 9) == []
    assert table.roster.invited == [f"w{n}" for n in range(1, MOST_INVITED + 1)]
    table.receive(do.Invite(0, "w1"), 9)
    assert table.roster.invited[-1] == "w1"
    assert len(table.roster.invited) == MOST_INVITED
    assert refused(table, do.Invite(9, "w1")) == "not-here"


# Actions, time and the end


def test_an_action_from_the_log_is_the_same_as_one_from_a_wire() -> None:
    table, _ = playing()
    assert table.receive(do.Act(1, ["Do", "x"]), 9) == [Note("apply", (1, "x", 9))]
    assert table.receive(do.Act(1, Do("x")), 9) == [Note("apply", (1, "x", 9))]
    assert refused(table, do.Act(1, ["Dance", "x"])) == "unknown-action"
    assert table.played


def test_who_has_no_seat_in_the_match_does_not_act() -> None:
    table, _ = playing(replace(GAME, lobby=Lobby(seating=OpenSeats())))
    table.receive(do.Join("late", "Late"), 6)
    table.roster.players[2].seat = None
    assert refused(table, do.Act(2, Do("x"))) == "no-round"


def test_the_match_is_asked_only_when_it_has_something_due() -> None:
    table, match = playing()
    table.receive(do.Act(0, Do("due")), 9)
    assert table.due() == 59
    assert refused(table, do.Tick(), 58) == "nothing-due"
    assert table.receive(do.Tick(), 59) == [Note("tick", (59,))]
    assert match.asked[-1] == Note("tick", (59,))


def test_time_that_is_somebody_elses_is_not_the_matchs() -> None:
    table, match = playing(people=3)
    table.receive(do.Away(1), 9)
    assert table.receive(do.Tick(), 30_009)[2] == Note("gone", (1, 30_009))
    assert [note.what for note in match.asked] == ["gone"]


def test_all_chance_of_a_match_is_from_one_place() -> None:
    table, match = playing(STANDING, people=3)
    phase = table.phase
    assert isinstance(phase, Playing)
    entries: list[do.Input] = [do.Act(0, Do("due")), do.Tick(), do.Fumble(0), do.Say(0, "x")]
    entries += [do.Join("late", "Late"), do.Leave(1), do.Leave(0), do.Leave(2), do.Leave(3)]
    for number, entry in enumerate(entries):
        table.receive(entry, 100 * number)
    assert match.asked[-1] == Note("abandon", (100 * (len(entries) - 1),))
    assert match.rngs == {id(phase.rng)}


def test_a_match_that_ends_makes_a_lobby_again() -> None:
    table, match = playing(people=3)
    table.receive(do.Leave(1), 8)
    left = table.roster.players[1]
    told = table.receive(do.Act(0, Do("end")), 9)
    outcome = Outcome((0,), "done")
    assert told == [
        Note("apply", (0, "end", 9)),
        tell.Finished(outcome),
        tell.Left(1, left.id, "Guest 1"),
        tell.LobbyChanged(),
    ]
    assert table.match is table.previous is match
    assert table.roster.stage is Stage.WAITING


def test_what_shows_everything_makes_what_came_before_needless() -> None:
    table, _ = playing()
    table.receive(do.Act(0, Do("all")), 9)
    assert table.story == [All("everything")]
    table.receive(do.Act(0, Do("x")), 9)
    assert table.story == [All("everything"), Note("apply", (0, "x", 9))]


def test_a_match_is_dealt_to_who_is_there_with_seats_in_order() -> None:
    table = opened(people=2)
    table.receive(do.AddBot(0), 4)
    told = table.receive(do.Start(0), 5)
    match = table.match
    assert isinstance(match, Notebook)
    assert told == [tell.Dealt(1), Note("dealt", (5,))]
    assert match.setup.players == [p.id for p in table.roster.players]
    assert match.setup.computers == frozenset({2})
    assert match.setup.previous is None
    assert [p.seat for p in table.roster.players] == [0, 1, 2]
    assert table.roster.round == 1
    assert len(table.roster.match_ids) == 1


def test_an_empty_table_closes_after_a_while_and_says_so() -> None:
    table = opened(people=0, now=1_000)
    assert table.due() == 1_000 + EMPTY_FOR
    assert table.receive(do.Tick(), 1_000 + EMPTY_FOR) == [tell.Closed()]
    assert refused(table, do.Join("v0", "Ada")) == "table-closed"


def test_the_house_closes_a_table_and_opens_none_twice() -> None:
    table = opened()
    assert refused(table, table.opening) == "already-open"
    version = table.version
    assert table.receive(do.Close(), 9) == [tell.Closed()]
    assert table.version == version + 1


def test_a_table_knows_when_it_was_last_told_something() -> None:
    table = opened(now=3)
    assert table.last_at == 3
    table.receive(do.Say(0, "x"), 9)
    assert table.last_at == 9


def test_what_is_due_in_a_match_of_bots_comes_before_the_table_is_cleared_away() -> None:
    table = opened(people=0)
    for _ in range(2):
        table.receive(do.AddBot(do.HOUSE), 1)
    table.receive(do.Start(do.HOUSE), 5)
    table.receive(do.Act(0, Do("due")), 9)
    assert table.due() == 59


def test_the_sooner_of_two_moments() -> None:
    assert sooner(None, None) is None
    assert sooner(3, None) == sooner(None, 3) == sooner(3, 5) == sooner(5, 3) == 3


TAKEN: dict[str, set[str]] = defaultdict(set)
"""By name of a method, the types of the inputs that methods of that name take. From the sources,
because compiled methods have no annotations."""
for file in Path(do.__file__).parent.glob("*.py"):
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.FunctionDef):
            for argument in node.args.args:
                if argument.arg == "entry" and argument.annotation is not None:
                    TAKEN[node.name].add(ast.unparse(argument.annotation))


def test_each_input_is_taken_by_the_method_that_is_called_like_it() -> None:
    for table in (opened(), playing()[0]):
        steps = table.phase.steps
        assert steps.keys() == set(get_args(do.Input)) - {do.Open, do.Close}
        for kind, step in steps.items():
            assert TAKEN[step.__name__] == {f"do.{kind.__name__}"}
