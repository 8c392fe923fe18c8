"""What lobbies decide, and what a table is from its first moment on."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from parlour.kit import Illegal
from parlour.rng import ProvableRng, commitment
from parlour.table import SOLO, Lobby, Player, Roster, Table
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table import lobby as lobbies
from parlour.table.lobby import Names, Start, WhenReady
from parlour.table.roster import Stage
from parlour.table.seating import Kept, Seating
from tests.table.notebook import (
    GAME,
    HOSTED,
    STANDING,
    Do,
    Note,
    Notebook,
    opened,
    playing,
    refused,
)

# Names


def test_a_name_has_one_to_twenty_letters_and_one_that_can_be_read() -> None:
    assert Names().good("  A ") == "A"
    assert Names().good("x" * 20) == "x" * 20
    for wrong in ("", "   ", "x" * 21, "??", "a\x07b"):
        with pytest.raises(Illegal) as no:
            Names().good(wrong)
        assert no.value.code == "bad-name"


def test_who_has_a_taken_name_gets_the_next_free_number() -> None:
    table = opened(people=0)
    table.roster.max_seats = 9
    for number, name in enumerate(["Ada", "ADA", "ada", "x" * 18, "X" * 18, "y" * 17, "y" * 17]):
        table.receive(do.Join(f"v{number}", name), 0)
    assert [p.name for p in table.roster.players] == [
        "Ada", "ADA 2", "ada 3", "x" * 18, "X" * 18 + " 2", "y" * 17, "y" * 17 + " 2",
    ]  # fmt: skip


@pytest.mark.parametrize("length", range(15, 21))
def test_a_number_never_makes_a_name_too_long(length: int) -> None:
    roster = opened(people=0).roster
    name = "ab " * 6 + "cd"
    for count in range(1, 13):
        free = roster.free_name(name[:length].strip())
        assert len(free) <= 20
        assert "  " not in free
        assert free.casefold() not in {p.name.casefold() for p in roster.players}
        roster.players.append(Player(count, "id", free, None))
    assert roster.players[-1].name.endswith(" 12")
    assert roster.players[1].name.endswith(" 2")


def test_bots_have_names_of_the_games_own_as_long_as_there_are_any() -> None:
    table = opened(people=1)
    for _ in range(4):
        table.receive(do.AddBot(0), 9)
    names = [p.name for p in table.roster.bots]
    assert sorted(names[:2]) == ["Ada", "Bo"]
    assert names[2:] == ["Bot", "Bot 2"]
    assert not any(p.resumable or p.human for p in table.roster.bots)


# What a table is from the start


def test_a_new_table_is_what_its_opening_says() -> None:
    opening = do.Open(
        id="some id", code="654321", game="high", seed="5e" * 32, settings={"tricks": 2},
        public=True, opener="v7",
    )  # fmt: skip
    table = Table(GAME, opening, 77)
    roster = table.roster
    assert (roster.id, roster.code, roster.game, roster.public) == (
        "some id",
        "654321",
        "high",
        True,
    )
    assert (roster.opened, roster.opener, roster.settings.tricks) == (77, "v7", 2)
    assert roster.stage is Stage.WAITING
    assert (table.version, table.played, table.story, table.match) == (0, False, [], None)
    assert table.usual_span == 0
    with pytest.raises(LookupError, match="no content aa"):
        Table(GAME, msg_replace(opening, content={"x": "aa"}), 0)


def msg_replace(opening: do.Open, **changes: Any) -> do.Open:
    fields = {name: getattr(opening, name) for name in opening.__struct_fields__}
    return do.Open(**{**fields, **changes})


def test_all_ids_and_chance_come_from_the_seed_and_nothing_else() -> None:
    """They are in the log of every table that ever was: another order would be another game."""
    table, _ = playing()
    seed = bytes.fromhex("5e" * 32)
    chance = ProvableRng(seed, "table")
    assert [p.id for p in table.roster.players] == [chance.tokens(1)[0] for _ in range(2)]
    assert table.roster.match_id == str(UUID(chance.tokens(1)[0], version=4))
    assert UUID(table.roster.match_id).version == 4
    assert table.roster.commitment == commitment(table.match_seed(1))
    phase: Any = table.phase
    assert phase.rng.tokens(1) == ProvableRng(table.match_seed(1), "match").tokens(1)
    assert table.match_seed(2) == hashlib.sha256(seed + b"match" + b"2").digest()
    table.receive(do.Act(0, Do("end")), 9)
    table.receive(do.Start(do.HOUSE), 10)
    assert table.roster.match_id == str(UUID(chance.tokens(1)[0], version=4))


def test_who_comes_in_mid_match_has_an_id_of_their_places_own() -> None:
    """The rules may refuse them, and then the table's own chance has not been touched."""
    table, _ = playing(STANDING)
    table.receive(do.Join("late", "Late"), 9)
    own = ProvableRng(bytes.fromhex("5e" * 32), "place 2").tokens(1)[0]
    assert table.roster.players[2].id == own


def test_who_sits_down_alone_is_dealt_to_at_that_moment() -> None:
    table = opened(replace(GAME, lobby=SOLO, min_seats=1, max_seats=1), people=0)
    assert table.receive(do.Join("v0", "Ada"), 7) == [
        tell.Sat(0),
        tell.Dealt(1),
        Note("dealt", (7,)),
    ]


def test_a_lobby_may_make_ids_of_visitors() -> None:
    class Named(Names):
        def player_id(self, visitor: str | None, token: str) -> str:
            return f"{visitor}/{len(token)}"

    table = opened(replace(GAME, lobby=Lobby(names=Named())))
    table.receive(do.AddBot(0), 0)
    assert [p.id for p in table.roster.players] == ["v0/32", "v1/32", "None/32"]


def test_a_picture_is_made_for_its_viewer() -> None:
    table, _ = playing()
    assert table.picture(None).viewer is None
    assert [table.picture(p).viewer for p in table.roster.seating] == [0, 1]


def test_what_is_due_first_is_due() -> None:
    table, _ = playing(people=3)
    table.receive(do.Away(1), 10)
    table.receive(do.Away(2), 20)
    assert table.due() == 30_010
    table.receive(do.Act(0, Do("due")), 30)
    assert table.due() == 80


def test_a_copied_roster_stays_as_it_was() -> None:
    table = opened()
    table.receive(do.Invite(0, "w"), 1)
    table.receive(do.Start(do.HOUSE), 5)
    table.receive(do.Queue("q", "Waiter"), 5)
    table.roster.brought["mine"] = True
    table.roster.series.target = 200
    copy = table.roster.copy()
    assert copy == table.roster
    assert copy.seating[1] is copy.players[1]
    table.receive(do.Invite(0, "x"), 6)
    table.receive(do.Away(1), 7)
    table.roster.invited.append("y")
    table.roster.banned.append("z")
    table.roster.match_ids.append("m")
    table.roster.players.pop()
    table.roster.seating.pop()
    table.roster.queue.pop().until = 5
    table.roster.brought.clear()
    table.roster.series.target = 300
    assert [(waiter.visitor, waiter.until) for waiter in copy.queue] == [("q", None)]
    assert (copy.brought, copy.series.target) == ({"mine": True}, 200)
    assert copy.invited == ["w"]
    assert copy.banned == []
    assert len(copy.match_ids) == 1
    assert [p.present for p in copy.players] == [True, True]
    assert len(copy.players) == len(copy.seating) == 2


# Being ready


def test_everybody_ready_starts_a_countdown_of_the_usual_span() -> None:
    table = opened(HOSTED)
    assert table.receive(do.Ready(0, True, 4_000), 9) == [
        tell.Readied(0, True),
        tell.LobbyChanged(),
    ]
    told = table.receive(do.Ready(1, True, 3_000), 10)
    assert told == [
        tell.Readied(1, True),
        tell.CountdownSet(3_010, 3_000),
        tell.LobbyChanged(),
    ]
    assert table.roster.countdown == table.due() == 3_010
    assert table.receive(do.Ready(1, True, 3_000), 11) == [
        tell.Readied(1, True),
        tell.LobbyChanged(),
    ]
    assert table.roster.countdown == 3_010
    told = table.receive(do.Tick(), 3_010)
    assert told == [tell.Dealt(1), Note("dealt", (3_010,))]


def test_who_goes_away_is_ready_no_longer() -> None:
    table = opened(HOSTED)
    for place in (0, 1):
        table.receive(do.Ready(place, True, 3_000), 9)
    told = table.receive(do.Away(1), 10)
    assert told == [tell.WentAway(1), tell.CountdownSet(None), tell.Readied(1, False)]
    assert [p.ready for p in table.roster.players] == [True, False]
    assert table.receive(do.Back(1), 11) == [tell.CameBack(1)]
    assert table.roster.players[1].present


def test_who_all_the_others_waited_for_leaves_and_it_begins() -> None:
    table = opened(HOSTED, people=3)
    for place in (0, 2):
        table.receive(do.Ready(place, True, 3_000), 9)
    told = table.receive(do.Leave(1), 10)
    assert tell.CountdownSet(3_010, 3_000) in told


def test_after_a_match_nobody_is_ready() -> None:
    table = opened(HOSTED)
    for place in (0, 1):
        table.receive(do.Ready(place, True), 9)
    table.receive(do.Start(0), 10)
    table.receive(do.Act(0, Do("end")), 11)
    assert [p.ready for p in table.roster.players] == [False, False]


def test_where_absence_is_heard_at_once_the_rules_hear_of_it_at_once() -> None:
    table = opened(HOSTED, people=3)
    for place in range(3):
        table.receive(do.Ready(place, True), 9)
    table.receive(do.Start(0), 10)
    assert table.receive(do.Away(1), 11) == [
        tell.WentAway(1),
        tell.DroppedOut(1),
        Note("gone", (1, 11)),
    ]
    assert table.receive(do.Back(1), 12) == [tell.CameBack(1), Note("back", (1, 12))]


def test_who_was_away_before_the_deal_is_gone_from_it() -> None:
    class Hasty(WhenReady):
        check = Start.check

    table = opened(replace(GAME, lobby=replace(HOSTED.lobby, start=Hasty())), people=3)
    table.receive(do.Away(1), 4)
    told = table.receive(do.Start(0), 5)
    assert told == [
        tell.Dealt(1),
        Note("dealt", (5,)),
        tell.DroppedOut(1),
        Note("gone", (1, 5)),
    ]


# Parts of lobbies


def test_a_table_has_so_many_seats_and_no_more() -> None:
    table = opened(people=6)
    assert refused(table, do.Join("late", "Late")) == "table-full"
    table, _ = playing()
    assert refused(table, do.Join("late", "Late")) == "round-running"


def test_who_sits_there_already_does_not_sit_down_twice() -> None:
    assert refused(opened(), do.Join("v1", "Zoe")) == "already-here"


def test_nobody_runs_a_table_of_the_houses_own() -> None:
    game = replace(GAME, lobby=lobbies.STANDING)
    table = opened(game, opener=None)
    assert refused(table, do.AddBot(0)) == "host-only"
    assert game.lobby.entry.host(table.roster) is None
    table = opened(game, opener="v1")
    assert game.lobby.entry.host(table.roster) is table.roster.players[1]
    assert refused(table, do.AddBot(0)) == "host-only"
    table.receive(do.AddBot(1), 9)


def test_a_standing_table_keeps_places_for_a_match_only_and_starts_at_once() -> None:
    lobby = lobbies.STANDING
    roster = opened(replace(GAME, lobby=lobby)).roster

    def countdown() -> int | None:
        return lobby.start.countdown(roster, lobby.here(roster), 5_000)

    assert countdown() is None
    for player in roster.players:
        player.ready = True
    assert countdown() == 0
    roster.players[1].present = False
    assert countdown() is None
    # Whoever is away when a match ends has as long as during one.
    assert lobby.seating.kept(roster, roster.players[1]) == Kept(120_000, 0, 120_000)


def test_a_game_for_one_is_over_once_its_player_has_gone() -> None:
    table = opened(replace(GAME, lobby=SOLO, min_seats=1, max_seats=1), people=1)
    [player] = table.roster.people
    month = 30 * 24 * 3_600_000
    assert SOLO.seating.kept(table.roster, player) == Kept(month, month, month)
    told = table.receive(do.Act(0, Do("end")), 9)
    assert table.match is not None
    assert table.match.outcome() is not None
    assert not any(isinstance(event, tell.Finished) for event in told)
    assert table.roster.running
    told = table.receive(do.Leave(0), 10)
    assert any(isinstance(event, tell.Finished) for event in told)


def test_a_lobby_is_asked_about_this_table() -> None:
    asked: list[Any] = []

    class Keeping(Seating):
        def kept(self, roster: Roster, player: Player) -> Kept:
            asked.append(roster)
            return Kept(5, 5, 5)

    class Again(Start):
        def again(self, match: Any) -> int | None:
            asked.append(match)
            return 700

    table = opened(replace(GAME, lobby=Lobby(seating=Keeping(), start=Again())))
    table.receive(do.Start(do.HOUSE), 5)
    match = table.match
    assert isinstance(match, Notebook)
    table.receive(do.Away(1), 6)
    assert table.roster.players[1].until == 11
    told = table.receive(do.Act(0, Do("end")), 9)
    assert tell.Finished(match.ended, 700) in told  # type: ignore[arg-type]
    assert [a for a in asked if isinstance(a, Notebook)] == [match]
    assert all(a is table.roster for a in asked if isinstance(a, Roster))
    assert table.due() == 11
    table.receive(do.Back(1), 10)
    assert table.due() == 709
    again = table.receive(do.Tick(), 709)
    assert again == [tell.Dealt(2), Note("dealt", (709,))]
    assert table.due() is None
