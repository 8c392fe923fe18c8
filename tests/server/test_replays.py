"""Replays as somebody would ask for them who means no good: too soon, too long, too often."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest

from parlour.battery import Trial
from parlour.battery.night import open_night
from parlour.bus import Refusal
from parlour.games import installed_games
from parlour.house import replay as replays
from parlour.house.replay import Replay, Replays, replay_of
from parlour.kit import Match, Setup
from parlour.protocol import Game
from parlour.rng import ProvableRng, Rng, commitment
from parlour.store import TableRow
from parlour.store.memory import MemoryStore
from parlour.table import inputs as do
from parlour.table.seating import OpenSeats
from tests import highcard
from tests.server import slow
from tests.support import PATIENCE, Client, Opener, OpenHouse, Visitor, soon
from tests.test_schemas import TRIALS

Log: TypeAlias = list[tuple[int, do.Input]]
Asking: TypeAlias = "asyncio.Future[msgspec.Raw | Refusal]"


async def seated(house: OpenHouse, public: bool = False) -> tuple[Visitor, Client, dict[str, Any]]:
    """Somebody who sits with a bot at a table of High Card, and the table."""
    visitor = await house.visitor()
    body = {"game": "high", "public": public, "bots": 1, "settings": {"tricks": 1}}
    status, table = await visitor.call("POST", "/api/tables", body)
    assert status == 201, table
    client = Client(await visitor.socket(f"/high?table={table['code']}"))
    await client.until("hello")
    return visitor, client, table


async def begin(client: Client, visitor: Visitor, code: str) -> int:
    """Start a match of one trick; gives the card in this player's hand."""
    await visitor.call("POST", f"/api/tables/{code}/start")
    while True:
        for card in (await client.until("dealt"))["cards"]:
            if card != highcard.HIDDEN:
                return int(card)


async def play(client: Client, visitor: Visitor, code: str) -> None:
    """A match of one trick, to its end."""
    await client.send("lay", card=await begin(client, visitor, code))
    await client.until("over")


def spoil(folder: Path) -> None:
    """Let no fold of any log come to anything from now on."""
    file = folder / "data" / "parlour.sqlite"
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        for kept in ("entries", "staging"):
            db.execute(f"UPDATE {kept} SET data = CAST('spoilt' AS BLOB)")


async def test_what_is_not_over_is_refused_without_a_look_at_the_log(
    high: None, open_house: Opener, tmp_path: Path
) -> None:
    house = await open_house()
    visitor, client, table = await seated(house)
    await play(client, visitor, table["code"])
    await begin(client, visitor, table["code"])
    # The first is over, and told from now on whatever becomes of the log; the second is not.
    status, _ = await visitor.call("GET", f"/api/replays/{table['id']}-1")
    assert status == 200
    spoil(tmp_path)
    for number in (0, 2, 3, 999_999_999):
        status, told = await visitor.call("GET", f"/api/replays/{table['id']}-{number}")
        assert (status, told["error"]["code"]) == (404, "no-such-replay"), number
    assert (await visitor.call("GET", f"/api/replays/{table['id']}-1"))[0] == 200


async def test_made_up_matches_of_a_closed_table_are_refused_without_a_look_at_the_log(
    high: None, open_house: Opener, tmp_path: Path
) -> None:
    house = await open_house()
    visitor, client, table = await seated(house)
    await play(client, visitor, table["code"])
    await client.send("quit")
    await soon(lambda: house.tables == [])
    spoil(tmp_path)
    for again in range(2):
        for number in (2, 3, 999_999_999):
            status, told = await visitor.call("GET", f"/api/replays/{table['id']}-{number}")
            assert (status, told["error"]["code"]) == (404, "no-such-replay")
        # The first one is there, and would be folded.
        status, told = await visitor.call("GET", f"/api/replays/{table['id']}-1")
        assert (status, told["error"]["code"]) == (409, "damaged")
        if not again:
            await house.server.stop()
            house = await open_house()
            visitor = await house.visitor()


async def test_a_spoilt_log_is_refused_not_folded_over_and_over(
    high: None, open_house: Opener, tmp_path: Path
) -> None:
    house = await open_house()
    visitor, client, table = await seated(house)
    await play(client, visitor, table["code"])
    spoil(tmp_path)
    status, told = await visitor.call("GET", f"/api/replays/{table['id']}-1")
    assert (status, told["error"]["code"]) == (409, "damaged")


async def test_a_replay_that_takes_for_ever_holds_up_nobody_and_not_the_end(
    open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = (*installed_games(), slow.ENDLESS)
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: games)
    house = await open_house()
    visitor, client, table = await seated(house)
    await play(client, visitor, table["code"])
    asked = [
        asyncio.ensure_future(visitor.call("GET", f"/api/replays/{table['id']}-1"))
        for _ in range(20)
    ]
    await soon(lambda: bool(house.server.house.replays._under_way))
    assert (await visitor.call("GET", "/api/games"))[0] == 200
    async with asyncio.timeout(PATIENCE):
        await house.server.stop()
    await asyncio.gather(*asked, return_exceptions=True)


async def test_a_replay_that_takes_too_long_is_given_up(
    open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replays, "LONGEST", 0.01)
    games = (*installed_games(), slow.ENDLESS)
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: games)
    house = await open_house()
    visitor, client, table = await seated(house)
    await play(client, visitor, table["code"])
    status, told = await visitor.call("GET", f"/api/replays/{table['id']}-1")
    assert (status, told["error"]["code"]) == (503, "too-busy")


@pytest.mark.parametrize("public", [True, False])
async def test_what_was_said_at_a_private_table_stays_with_those_who_were_there(
    high: None, open_house: Opener, public: bool
) -> None:
    house = await open_house()
    visitor, client, table = await seated(house, public)
    card = await begin(client, visitor, table["code"])
    await client.send("say", text="between us")
    await client.until("said")
    await client.send("lay", card=card)
    await client.until("over")
    stranger = await house.visitor()
    bodies = [
        (await someone.get(f"/api/replays/{table['id']}-1")).body
        for someone in (visitor, stranger, visitor, stranger)
    ]
    assert [b"between us" in body for body in bodies] == [True, public] * 2
    # All else is the same.
    quiet = [told(body) for body in bodies]
    for replay in quiet:
        replay["steps"] = [step for step in replay["steps"] if step["input"]["do"] != "Say"]
        assert replay == quiet[0]


# One replay, folded here


BONUS = b"x"
"""What the tables here have pinned: one more card for everybody."""


def opening(**more: Any) -> do.Open:
    settings = {"tricks": 1, "think": 1000, "password": "sesame"}
    pinned = {"bonus": sha256(BONUS).hexdigest()}
    seed = "07" * 32
    return do.Open("t", "123456", "standing", seed, settings, content=pinned, **more)


def two_matches(**more: Any) -> Log:
    """Ada and a bot play two tricks; then more people come and go, and three are played."""
    return [
        (100, opening(opener="opener", **more)),
        (200, do.Join("visitor one", "Ada", address="first house")),
        (300, do.AddBot(do.HOUSE)),
        (400, do.Start(do.HOUSE)),
        (1400, do.Tick()),
        (2400, do.Tick()),
        (2500, do.Say(0, "before")),
        (2600, do.Configure(do.HOUSE, {"tricks": 2})),
        (2700, do.Join("visitor two", "Bob", address="second house")),
        (3000, do.Start(do.HOUSE)),
        (3100, do.Say(0, "between us")),
        (3200, do.Join("visitor three", "Cy", address="third house")),
        (3300, do.Leave(2)),
        (4000, do.Tick()),
        (5000, do.Tick()),
        (6000, do.Tick()),
        (6100, do.Say(0, "after")),
        (6200, do.Join("visitor four", "Di")),
    ]


def write(store: MemoryStore, table: str, log: Log) -> None:
    store.open_table(TableRow(table, table, "standing", 0))
    store.remember(f"content:{sha256(BONUS).hexdigest()}", BONUS)
    for seq, (at, entry) in enumerate(log):
        store.append(table, seq, at, do.encode(entry))


def folded(log: Log, number: int, game: Game = highcard.STANDING) -> Replay | int:
    """What comes of a table's log."""
    store = MemoryStore()
    write(store, "t", log)
    return replay_of(game, store.reader("t"), number)


def made_of(log: Log, number: int, game: Game = highcard.STANDING) -> Replay:
    made = folded(log, number, game)
    assert isinstance(made, Replay)
    return made


def told(replay: bytes) -> Any:
    return msgspec.json.decode(replay)


def test_a_replay_tells_one_match_from_its_deal_to_its_end() -> None:
    replay = told(made_of(two_matches(), 2).whole)
    assert (replay["id"], replay["game"]) == ("t-2", "standing")
    # As they were when it was dealt.
    assert replay["settings"] == {"tricks": 2, "think": 1000, "open_door": True}
    names = [(player["name"], player["human"]) for player in replay["players"]]
    assert names == [("Ada", True), ("Bo", False), ("Bob", True)]
    assert [(step["at"], step["input"]["do"]) for step in replay["steps"]] == [
        (3000, "Start"),
        (3100, "Say"),
        (3200, "Join"),
        (3300, "Leave"),
        (4000, "Tick"),
        (5000, "Tick"),
        (6000, "Tick"),
    ]
    assert replay["steps"][1]["input"] == {"do": "Say", "place": 0, "text": "between us"}
    said = {"event": "Said", "place": 0, "text": "between us", "at": 3100}
    assert replay["steps"][1]["events"] == [said]
    finished = [e for e in replay["steps"][-1]["events"] if e["event"] == "Finished"]
    assert sum(finished[0]["outcome"]["scores"].values()) == 3
    # The first is another one.
    first = told(made_of(two_matches(), 1).whole)
    assert [step["at"] for step in first["steps"]] == [400, 1400, 2400]
    assert (first["settings"]["tricks"], len(first["players"])) == (1, 2)
    assert first["seed"] != replay["seed"]


@pytest.mark.parametrize("number", [1, 2])
def test_who_has_a_replays_seed_can_deal_its_match_again(number: int) -> None:
    replay = told(made_of(two_matches(), number).whole)
    seed = bytes.fromhex(replay["seed"])
    assert replay["commitment"] == commitment(seed)
    settings = msgspec.convert(replay["settings"], highcard.Settings)
    names = [player["name"] for player in replay["players"]]
    setup = Setup(settings, names, content={"bonus": BONUS})
    _, dealt = highcard.deal(setup, ProvableRng(seed, "match"), 0)
    start = [e for e in replay["steps"][0]["events"] if e["event"] == "Dealt" and "cards" in e]
    assert [e["cards"] for e in start] == [e.cards for e in dealt if type(e) is highcard.Dealt]


def test_a_replay_says_nothing_by_which_a_player_is_known_elsewhere() -> None:
    for number in (1, 2):
        replay = made_of(two_matches(), number)
        for secret in (b"visitor", b"house", b"opener", b"sesame", b"07" * 32):
            assert secret not in replay.whole
            assert secret not in replay.without_talk


@pytest.mark.parametrize("prefix", [b"", b"wcp:"], ids=["visitors", "users"])
@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.game.id)
def test_no_games_replay_has_a_visitor_in_it(trial: Trial, prefix: bytes) -> None:
    """Some protocols call a player by it, or by a user's name; a replay is for anybody."""
    night = open_night(trial, trial.game.min_seats, {}, "07" * 32)
    for player in night.table.roster.players[:]:
        if not night.running:
            break
        night.receive(do.Leave(player.place))
    store = MemoryStore()
    content = trial.game.lobby.own_content(trial.game.settings())
    for data in content.values():
        store.remember(f"content:{sha256(data).hexdigest()}", data)
    store.open_table(TableRow("a", "a", trial.game.id, 0))
    for seq, (at, entry) in enumerate(night.log):
        store.append("a", seq, at, entry.replace(b'"visitor-', b'"%svisitor-' % prefix))
    replay = replay_of(trial.game, store.reader("a"), 1)
    assert isinstance(replay, Replay)
    assert b'"Finished"' in replay.whole
    assert b"visitor-" not in replay.whole


class Attended(OpenSeats):
    """A standing table at which others may be given places, too."""

    def outsider(self, who: str) -> str:
        return f"user {who}"


def test_a_replay_does_not_say_as_whom_a_relay_knows_its_players() -> None:
    log = two_matches()
    log.insert(-4, (3400, do.Seat(do.HOUSE, "secret", "Eve")))
    lobby = replace(highcard.STANDING.lobby, seating=Attended())
    replay = made_of(log, 2, replace(highcard.STANDING, lobby=lobby))
    assert b"Eve" in replay.whole
    assert b"secret" not in replay.whole


def test_a_replay_says_who_was_put_out() -> None:
    log = two_matches()
    log.insert(-4, (3400, do.Kick(do.HOUSE, 1)))
    steps = told(made_of(log, 2).whole)["steps"]
    (kick,) = [step["input"] for step in steps if step["input"]["do"] == "Kick"]
    assert (kick["place"], kick["who"]) == (do.HOUSE, 1)


def test_only_who_sat_there_before_the_end_is_told_what_was_said() -> None:
    replay = made_of(two_matches(), 2)
    heard = {
        who: b"between us" in replay.told_to(who)
        for who in ("visitor one", "visitor two", "visitor three", "visitor four", "Ada", None)
    }
    assert [who for who, has in heard.items() if has] == [
        "visitor one",
        "visitor two",
        "visitor three",
    ]
    # All else is the same.
    whole, others = told(replay.whole), told(replay.without_talk)
    whole["steps"] = [step for step in whole["steps"] if step["input"]["do"] != "Say"]
    assert whole == others
    assert len(replay) == len(replay.whole) + len(replay.without_talk)


def test_who_waited_for_a_seat_is_told_what_was_said_if_they_came_to_it() -> None:
    log: Log = [(0, opening(opener="opener"))]
    log += [(1, do.Join(f"visitor {number}", "Ada")) for number in range(4)]
    log += [(2, do.Queue("patient", "Bo")), (2, do.Queue("gone", "Cy"))]
    log += [(3, do.Leave(1)), (3, do.Leave(2)), (4, do.Back(4))]
    log += [(5, do.Start(do.HOUSE)), (6, do.Say(0, "between us"))]
    log += [(1005, do.Tick()), (2005, do.Tick())]
    replay = made_of(log, 1)
    assert b"between us" in replay.told_to("patient")
    assert b"between us" not in replay.told_to("gone")


@pytest.mark.parametrize(("public", "number"), [(True, 1), (True, 2), (False, 1)])
def test_where_there_is_nothing_to_leave_out_a_replay_is_held_once(
    public: bool, number: int
) -> None:
    replay = made_of(two_matches(public=public), number)
    assert replay.told_to("visitor one") is replay.told_to(None)
    assert len(replay) == len(replay.whole)


@pytest.mark.parametrize(
    ("log", "over"),
    [
        ([], 0),
        ([(0, do.Join("ada", "Ada"))], 0),
        (two_matches()[:5], 0),
        (two_matches()[:15], 1),
        (two_matches(), 2),
    ],
)
def test_of_what_is_not_over_a_fold_says_how_much_is(log: Log, over: int) -> None:
    for number in (over + 1, over + 7):
        assert folded(log, number) == over


@dataclass
class Odd:
    """An event that holds what JSON does not know."""

    number: complex


def deal_oddly(setup: Setup, rng: Rng, now: int) -> tuple[Match[Any, Any], list[Any]]:
    match, events = highcard.deal(setup, rng, now)
    return match, [Odd(1j), *events]


def test_what_json_does_not_know_is_told_in_pythons_words() -> None:
    odd = replace(highcard.STANDING, deal=deal_oddly)
    replay = told(made_of(two_matches(), 1, odd).whole)
    assert {"event": "Odd", "number": "1j"} in replay["steps"][0]["events"]


def test_a_replay_is_no_larger_than_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "LARGEST", 1000)
    log: Log = [(0, opening(opener="ada")), (1, do.Join("ada", "Ada")), (2, do.AddBot(do.HOUSE))]
    log += [(3, do.Start(do.HOUSE)), *((4, do.Say(0, f"word {number}")) for number in range(100))]
    log += [(5, do.Leave(0))]
    made = made_of(log, 1)
    replay = told(made.whole)
    assert len(made.whole) < 3000
    assert replay["left_out"] == 102 - len(replay["steps"])
    assert len(replay["seed"]) == 64
    # For others nothing is left out but the talk.
    others = told(made.without_talk)
    assert [step["input"]["do"] for step in others["steps"]] == ["Start", "Leave"]
    assert "left_out" not in others


# Many who ask


class Archive:
    """Tables of one match each, and what is written down of the folds that are made of them."""

    def __init__(self, folder: Path) -> None:
        self.notes = folder / "notes"
        store = MemoryStore()
        self.replays = Replays(store)
        for table in "abcdef":
            write(store, table, two_matches()[:6])

    def ask(self, table: str, number: int = 1, visitor: str | None = None) -> Asking:
        game = replace(highcard.STANDING, deal=partial(slow.deal_noted, self.notes, table))
        return asyncio.ensure_future(self.replays.of(game, table, number, visitor))

    @property
    def folded(self) -> str:
        """The tables whose logs were folded, in order."""
        return "".join(self.notes.read_text().split())


@pytest.fixture
async def archive(tmp_path: Path) -> AsyncIterator[Archive]:
    made = Archive(tmp_path)
    yield made
    made.replays.rest()


async def test_many_who_ask_for_the_same_match_wait_for_one_fold(archive: Archive) -> None:
    asked = [archive.ask("a", visitor=f"visitor {number}") for number in range(5)]
    await asyncio.sleep(0)
    # Who goes away does not end it for the others.
    asked[0].cancel()
    answers = await asyncio.gather(*asked[1:])
    assert all(isinstance(answer, msgspec.Raw) for answer in answers)
    assert await archive.ask("a") == answers[0]
    assert archive.folded == "a"


async def test_how_many_matches_are_over_is_found_out_once(archive: Archive) -> None:
    for table, number in (("a", 2), ("a", 2), ("a", 9), ("b", 2)):
        assert await archive.ask(table, number) == replays.NOT_OVER
    assert archive.folded == "ab"
    assert isinstance(await archive.ask("a"), msgspec.Raw)


async def test_many_who_make_up_numbers_at_once_wait_for_one_fold(archive: Archive) -> None:
    asked = [archive.ask("a", number) for number in range(2, 12)]
    real = archive.ask("a")
    assert await asyncio.gather(*asked) == [replays.NOT_OVER] * 10
    assert isinstance(await real, msgspec.Raw)
    assert archive.folded == "aa"


async def test_the_replays_asked_for_last_are_held_as_far_as_there_is_room(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await archive.ask("a")
    assert isinstance(one, msgspec.Raw)
    monkeypatch.setattr(replays, "MOST_HELD", 3 * len(bytes(one)))
    for table in "bc":
        await archive.ask(table)
    # There is room for three; "a" was asked for later than "b".
    await archive.ask("a")
    await archive.ask("d")
    assert archive.folded == "abcd"
    for table in "acd":
        await archive.ask(table)
    assert archive.folded == "abcd"
    for table in "ba":
        await archive.ask(table)
    assert archive.folded == "abcdba"


async def test_who_asks_for_many_replays_waits_for_themselves(
    archive: Archive, tmp_path: Path
) -> None:
    first = archive.replays.of(
        replace(highcard.STANDING, deal=partial(slow.deal_held_up, tmp_path / "go")), "a", 1, None
    )
    asked = [asyncio.ensure_future(first)]
    await asyncio.sleep(0)
    asked += [archive.ask(table, visitor="greedy") for table in "bcd"]
    asked += [archive.ask(table, visitor="modest") for table in "e"]
    asked += [archive.ask(table) for table in "f"]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    # One is folded at a time, as there are those who play.
    await soon(lambda: archive.replays._workers.waiting == 5)
    (tmp_path / "go").touch()
    await asyncio.gather(*asked)
    assert archive.folded == "befcd"


async def test_what_failed_once_is_tried_again(archive: Archive) -> None:
    broken = replace(highcard.STANDING, deal=partial(slow.deal_noted, Path("/nowhere/at/all"), "a"))
    assert isinstance(await archive.replays.of(broken, "a", 1, None), Refusal)
    assert isinstance(await archive.ask("a"), msgspec.Raw)
