"""What happens at a table besides its matches: talk, seats that are given, what people brought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from parlour.kit import Illegal, Outcome
from parlour.rng import ProvableRng
from parlour.table import Lobby, Player, Roster, Table
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.lobby import Entry, Names, Options, Talk, Terms
from parlour.table.phase import MOST_REMEMBERED, MOST_SPOKEN
from parlour.table.playing import Playing
from parlour.table.seating import Seating
from tests.table.notebook import (
    GAME,
    HOSTED,
    Do,
    Note,
    Notebook,
    opened,
    playing,
    refused,
)

# Talk


class Talkative(Talk):
    """Notes of whom it is asked, and lets nobody speak at the moment 13."""

    def __init__(self) -> None:
        self.paces: list[tuple[Sequence[int], int]] = []

    def words(self, roster: Roster, text: str, said: Sequence[int], now: int) -> str:
        self.paces.append((said, now))
        if now == 13:
            raise Illegal("too-fast", "Not now.")
        return f"{text} at {roster.code}"


def test_who_speaks_is_held_against_when_they_last_did() -> None:
    talk = Talkative()
    table = opened(replace(GAME, lobby=Lobby(talk=talk)))
    assert table.receive(do.Say(1, "Hi"), 7) == [tell.Said(1, "Hi at 123456", 7)]
    assert refused(table, do.Say(1, "Hi"), 13) == "too-fast"
    for now in range(20, 20 + MOST_REMEMBERED):
        table.receive(do.Say(1, "Hi"), now)
    table.receive(do.Say(0, "Oh"), 99)
    assert talk.paces[:3] == [((), 7), ((7,), 13), ((7,), 20)]
    assert talk.paces[-1] == ((), 99)
    # So many moments are remembered, the last ones.
    assert table.roster.players[1].said == tuple(range(20, 20 + MOST_REMEMBERED))


def test_what_was_said_last_is_kept_for_who_comes_later() -> None:
    table = opened()
    for number in range(MOST_SPOKEN + 2):
        table.receive(do.Say(number % 2, f"Line {number}"), number)
    assert len(table.spoken) == MOST_SPOKEN
    assert table.spoken[0] == ("Guest 0", "Line 2", 2)
    assert table.spoken[-1] == (f"Guest {(MOST_SPOKEN + 1) % 2}", f"Line {MOST_SPOKEN + 1}", 51)


# Who is awake


def test_whoever_sends_anything_is_awake_while_a_match_runs() -> None:
    table, match = playing()
    assert table.receive(do.Stir(1), 9) == [Note("stirred", (1, 9))]
    assert match.asked == [Note("stirred", (1, 9))]
    assert refused(table, do.Stir(7)) == "not-here"
    assert opened().receive(do.Stir(1), 9) == []


def test_a_match_that_is_over_when_somebody_wakes_is_ended() -> None:
    table, match = playing()
    match.ended = Outcome((0,), "done")
    told = table.receive(do.Stir(1), 9)
    assert [type(event) for event in told] == [Note, tell.Finished, tell.LobbyChanged]


# Seats that are given to people elsewhere


class Relayed(Seating):
    """People come over a relay; whoever is called nobody does not."""

    def outsider(self, who: str) -> str:
        if who == "nobody":
            raise Illegal("bad-user", "There is nobody of that name.")
        return f"relay:{who}"


RELAYED = replace(GAME, lobby=Lobby(seating=Relayed()))


def test_who_is_given_a_seat_is_away_until_they_come() -> None:
    table = opened(RELAYED, people=1)
    told = table.receive(do.Seat(0, "ben", "Ben"), 9)
    player = table.roster.players[1]
    assert (player.visitor, player.name, player.resumable) == ("relay:ben", "Ben", True)
    assert not player.present
    assert player.until == 9 + table.game.lobby.seating.kept(table.roster, player).waiting
    assert [type(event) for event in told] == [tell.Sat, tell.LobbyChanged, tell.WentAway]
    table.receive(do.Back(1), 10)
    assert player.present


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        (do.Seat(0, "nobody", "Ben"), "bad-user"),
        (do.Seat(7, "ben", "Ben"), "not-here"),
        (do.Seat(0, "ben", "\x07"), "bad-name"),
    ],
)
def test_what_seat_can_not_be_given(entry: do.Seat, code: str) -> None:
    table = opened(RELAYED, people=1)
    assert refused(table, entry) == code
    assert len(table.roster.players) == 1


def test_where_people_come_themselves_no_seat_is_given() -> None:
    assert refused(opened(), do.Seat(0, "ben", "Ben")) == "no-outsiders"
    assert refused(opened(HOSTED), do.Seat(1, "ben", "Ben")) == "host-only"


# Coming back


def test_who_comes_back_may_speak_another_protocol() -> None:
    table = opened()
    table.receive(do.Join("late", "Late", resumable=True, wire="old"), 1)
    for now, said, spoken in ((2, "", "old"), (4, "new", "new"), (6, "", "new")):
        table.receive(do.Away(2), now)
        table.receive(do.Back(2, said), now + 1)
        assert table.roster.players[2].wire == spoken


@pytest.mark.parametrize("mark", ["visitor", "key"])
def test_who_is_banned_by_any_mark_does_not_come_back(mark: str) -> None:
    table = opened()
    table.receive(do.Away(1), 1)
    table.roster.banned.append(getattr(table.roster.players[1], mark))
    assert refused(table, do.Back(1)) == "banned"


def test_who_is_put_out_for_good_is_told_so() -> None:
    table = opened()
    player = table.roster.players[1]
    [kicked, *_] = table.receive(do.Kick(0, 1, ban=True), 9)
    sentence = "You were put out of this table for good."
    assert kicked == tell.Kicked(1, player.id, "Guest 1", "banned", sentence)


def test_newcomers_are_held_against_the_address_they_come_from() -> None:
    asked: list[str] = []

    class Long(Names):
        longest = 24

    class Choosy(Entry):
        def check_newcomer(self, roster: Roster, visitor: str, address: str) -> None:
            super().check_newcomer(roster, visitor, address)
            asked.append(address)

    lobby = Lobby(names=Long(), entry=Choosy())
    table = opened(replace(GAME, lobby=lobby, max_seats=2), people=0)
    table.receive(do.Join("a", "A" * 24, address="here"), 1)
    table.receive(do.Join("b", "A" * 24, address="there"), 1)
    # As long as names may be here, with the number that tells them apart.
    assert table.roster.players[1].name == "A" * 22 + " 2"
    table.receive(do.Queue("c", "C", address="elsewhere"), 1)
    assert asked == ["here", "there", "elsewhere"]
    table.roster.banned.append("elsewhere")
    assert refused(table, do.Queue("d", "D", address="elsewhere")) == "banned"


# After a restart


def test_how_the_lobby_looks_is_said_once_when_all_are_away() -> None:
    table = opened(people=0)
    for number in range(3):
        table.receive(do.Join(f"v{number}", f"Guest {number}", resumable=number == 2), 0)
    told = table.receive(do.Wake(), 9)
    # The first two could not prove who they are: they have left.
    kinds = 2 * [tell.Departed, tell.Left] + [tell.WentAway, tell.LobbyChanged]
    assert [type(event) for event in told] == kinds
    assert [player.place for player in table.roster.players] == [2]


def test_where_nothing_is_left_of_it_the_lobby_is_not_told() -> None:
    table = opened(people=0)
    for number in range(2):
        table.receive(do.Join(f"v{number}", f"Guest {number}"), 0)
    told = table.receive(do.Wake(), 9)
    assert [type(event) for event in told] == [*2 * [tell.Departed, tell.Left], tell.Closed]
    table, _ = playing()
    assert tell.LobbyChanged() not in table.receive(do.Wake(), 9)
    table = opened()
    assert tell.LobbyChanged() not in table.receive(do.Wake(), 9)


# When a match is just over


def test_the_first_change_of_the_lobby_after_a_match_is_told_as_such() -> None:
    table, _ = playing()
    assert not table.roster.just_over
    table.receive(do.Act(0, Do("end")), 6)
    assert table.roster.just_over
    # What is said is no change of the lobby, nor is a queue.
    assert tell.MovedOn() not in table.receive(do.Say(0, "Again?"), 7)
    assert table.roster.just_over
    told = table.receive(do.Rename(0, "Zoe"), 8)
    assert told == [tell.MovedOn(), tell.Renamed(0, "Zoe"), tell.LobbyChanged()]
    assert not table.roster.just_over
    assert tell.MovedOn() not in table.receive(do.Rename(0, "Ada"), 9)


def test_the_next_match_begins_without_it() -> None:
    table, _ = playing()
    table.receive(do.Act(0, Do("end")), 6)
    told = table.receive(do.Start(do.HOUSE), 7)
    assert told[0] == tell.Dealt(2)
    assert not table.roster.just_over


# What rules read


def test_what_people_brought_is_theirs_until_they_share_it() -> None:
    content = {"aa": b"ours", "bb": b"theirs", "cc": b"new"}
    asked: list[str] = []

    def library(digest: str) -> bytes:
        asked.append(digest)
        return content[digest]

    opening = do.Open(
        id="t", code="1", game="high", seed="5e" * 32, settings={}, content={"pack": "aa"}
    )
    table = Table(GAME, opening, 0, library)
    table.receive(do.Join("v0", "Guest", resumable=True), 0)
    assert table.roster.brought == {}
    table.receive(do.Pin(0, {"pack": "aa", "mine": "bb"}), 1)
    assert table.roster.brought == {"mine": False}
    assert refused(table, do.Share(0, "pack", True)) == "no-such-content"
    assert refused(table, do.Share(7, "mine", True)) == "not-here"
    assert table.receive(do.Share(0, "mine", True), 2) == [tell.LobbyChanged()]
    assert table.roster.brought == {"mine": True}
    # It is shared still when something else is pinned; what is known is not read again.
    table.receive(do.Pin(0, {"mine": "bb", "pack": "cc"}), 3)
    assert table.roster.brought == {"mine": True, "pack": False}
    there = {name: each.data for name, each in table.roster.content.items()}
    assert there == {"mine": b"theirs", "pack": b"new"}
    assert asked == ["aa", "bb", "cc"]
    table.receive(do.Share(0, "mine", False), 4)
    assert table.roster.brought == {"mine": False, "pack": False}


def test_only_the_host_shares_what_was_brought() -> None:
    assert refused(opened(HOSTED), do.Share(1, "mine", True)) == "host-only"


def test_rules_are_told_the_edition_their_table_was_opened_with() -> None:
    opening = do.Open(id="t", code="1", game="high", seed="5e" * 32, settings={}, edition=7)
    table = Table(GAME, opening, 0)
    for number in range(2):
        table.receive(do.Join(f"v{number}", f"Guest {number}"), 0)
    table.receive(do.Start(do.HOUSE), 5)
    assert isinstance(table.match, Notebook)
    assert table.match.setup.edition == 7


# Chance


def test_chance_that_was_spent_stays_spent() -> None:
    table, _ = playing()
    assert isinstance(table.phase, Playing)
    rng = table.phase.rng
    assert isinstance(rng, ProvableRng)
    assert table.receive(do.Spend(rng.spent + 5), 6) == []
    spent = rng.spent
    assert refused(table, do.Spend(spent - 1)) == "spent-already"
    assert table.receive(do.Spend(spent), 7) == []
    assert rng.spent == spent
    assert refused(opened(), do.Spend(5)) == "no-round"


def test_of_a_game_for_one_what_lasts_is_remembered() -> None:
    game = replace(GAME, lobby=Lobby(solo=True), min_seats=1, max_seats=1)
    alone = Table(game, opened().opening, 0)
    join, lock = do.Join("v0", "Guest", resumable=True), do.Lock(0, True)
    alone.receive(join, 1)
    alone.receive(do.Away(0), 2)
    alone.receive(do.Back(0), 3)
    alone.receive(lock, 4)
    assert alone.lasting == [(1, join), (4, lock)]
    assert opened().lasting is None


# What a lobby decides


def test_a_lobby_is_asked_who_runs_it_with_the_roster_there_is() -> None:
    asked: list[Any] = []

    class Named(Options):
        def computers(
            self, settings: Any, usual: tuple[str, ...], edition: int
        ) -> tuple[int, tuple[str, ...]]:
            asked.append(settings)
            return 0, ("Robot",)

    class Asked(Entry):
        def check_may_run(self, roster: Roster, player: Player) -> None:
            asked.append((roster.code, player.place))

    table = opened(replace(GAME, lobby=Lobby(entry=Asked(), options=Named())))
    table.receive(do.AddBot(1), 5)
    assert asked == [("123456", 1), table.roster.settings]
    bot = table.roster.players[2]
    assert (bot.name, bot.visitor, bot.resumable) == ("Robot", None, False)


def test_what_happens_at_the_table_is_for_all_whatever_the_game_hides() -> None:
    table = opened(replace(GAME, view=lambda event, seat: None))
    for viewer in (None, table.roster.players[0]):
        assert table.view(tell.Sat(1), viewer) == tell.Sat(1)
        assert table.view(Note("dealt", (5,)), viewer) is None


class Strict(Entry):
    def terms(self, settings: Any) -> Terms:
        return Terms(password="sesame", spectators=2, one_per_address=True)


def test_a_password_is_asked_of_players_and_spectators_are_counted() -> None:
    entry, roster = Strict(), opened().roster
    entry.check_password(roster, "sesame")
    for wrong in ("aloe", "", None):
        with pytest.raises(Illegal, match="password"):
            entry.check_password(roster, wrong)
    entry.check_watch(roster, 1)
    with pytest.raises(Illegal, match="no room"):
        entry.check_watch(roster, 2)
    for anything in ("aloe", None):
        Entry().check_password(roster, anything)
    Entry().check_watch(roster, 1000)


def test_where_each_address_has_one_player_they_may_come_from_it_again() -> None:
    table = opened(replace(GAME, lobby=Lobby(entry=Strict())), people=0)
    table.receive(do.Join("a", "Ada", resumable=True, address="here"), 1)
    table.receive(do.Join("b", "Ben", address="there"), 1)
    assert refused(table, do.Join("c", "Cleo", address="here")) == "duplicate"
    assert refused(table, do.Queue("c", "Cleo", address="here")) == "duplicate"
    for visitor in ("d", "e"):  # nobody knows where these are
        table.receive(do.Join(visitor, visitor), 1)
    table.receive(do.Away(0), 2)
    table.receive(do.Join("c", "Cleo", address="here"), 3)
