"""A solitaire's log without what was taken back: shorter, and still nothing but inputs."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.games.mo import GAME
from parlour.games.mo.rules import New, Play, Redo, Solitaire, Undo
from parlour.house import live as lives
from parlour.house.recorded import folded as recorded
from parlour.kit import Illegal
from parlour.protocol import Own, Seek
from parlour.table import Table
from parlour.table import inputs as do
from parlour.table.checkpoint import same_state
from parlour.table.condense import Shorter, condensed
from tests.server.hall import Hall
from tests.support import Client, Opener, OpenHouse, Process, Visitor

OPENING = do.Open("t", "123456", "mo", "5a" * 32, {})

steps = st.lists(
    st.one_of(
        st.tuples(st.just("play"), st.integers(0, 20)),
        st.tuples(st.sampled_from(["undo", "redo", "leave and come back"]), st.integers(1, 6)),
        st.tuples(st.just("new"), st.integers(0, 3)),
    ),
    max_size=60,
)


def opened() -> Table:
    table = Table(GAME, OPENING, 1000)
    table.receive(do.Join("ada", "Ada", resumable=True, wire="mo"), 1000)
    return table


def go(table: Table, what: str, number: int, now: int) -> list[Any]:
    """What came of one step, refusals included."""
    told: list[Any] = []
    match what:
        case "play":
            legal = [a for a in table.match.legal(0) if isinstance(a, Play)]  # type: ignore[union-attr]
            inputs: list[do.Input] = [do.Act(0, legal[number % len(legal)])] if legal else []
        case "undo" | "redo":
            inputs = [do.Act(0, Undo() if what == "undo" else Redo())] * number
        case "new":
            made = (New(), New("shared"), New(None, "printed"), New("other", "classic"))[number]
            inputs = [do.Act(0, made)]
        case _:
            inputs = [do.Away(0), do.Back(0)]
    for entry in inputs:
        try:
            told += table.receive(entry, now)
        except Illegal as no:
            told.append(no.code)
    return told


def folded(entries: list[tuple[int, do.Input]]) -> Table:
    """From the bytes, as after a restart."""
    kept = [(at, do.encode(entry)) for at, entry in entries]
    opening = do.decode(kept[0][1])
    assert isinstance(opening, do.Open)
    table = Table(GAME, opening, kept[0][0])
    for at, data in kept[1:]:
        table.receive(do.decode(data), at)
    return table


def shown(table: Table) -> tuple[Any, Any]:
    match = table.match
    assert isinstance(match, Solitaire)
    boards = [position.board.pack() for position in match.line[: match.moves + 1]]
    return match.tableau(), boards


@settings(deadline=None)
@given(steps, steps)
def test_the_shorter_log_comes_to_the_same_and_goes_on_the_same(
    before: list[tuple[str, int]], after: list[tuple[str, int]]
) -> None:
    table = opened()
    for now, (what, number) in enumerate(before, 1001):
        go(table, what, number, now)
    found = condensed(table, 2000)
    if found is None:
        match = table.match
        assert match is not None
        assert table.version <= len(match.retold() or ()) + 2
        return
    entries, made = found
    assert len(entries) - 1 < table.version
    twin = folded(entries)
    assert shown(made) == shown(twin)
    assert shown(twin) == shown(table)
    assert twin.roster == table.roster
    for now, (what, number) in enumerate(after, 2001):
        assert go(twin, what, number, now) == go(table, what, number, now)
        assert shown(twin) == shown(table)


# At the third card there is but one place for it.
@pytest.mark.parametrize("kept", [0, 1, 3, 4, 5, 6])
def test_of_a_longer_line_only_what_differs_is_taken_back(kept: int) -> None:
    table = opened()
    for number in range(7):
        go(table, "play", number, 1001)
    match = table.match
    assert isinstance(match, Solitaire)
    longest = [position.to for position in match.line[1:]]
    go(table, "undo", 7 - kept, 1002)
    other = next(a for a in match.legal(0) if isinstance(a, Play) and a.to != longest[kept])
    table.receive(do.Act(0, other), 1003)
    line = [position.to for position in match.line[1:]]
    assert line == [*longest[:kept], other.to]
    told: list[Any] = [New(match.seed, match.profile)]
    if kept == 6:  # as long as the line that was taken back
        told += [Play(to) for to in line]
    else:
        told += [*(Play(to) for to in longest), *[Undo()] * (7 - kept), other]
    assert match.retold() == told


def test_what_can_not_be_done_again_can_not_be_done_again_later() -> None:
    table = opened()
    go(table, "play", 0, 1001)
    go(table, "play", 0, 1001)
    go(table, "play", 0, 1001)
    match = table.match
    assert isinstance(match, Solitaire)
    second = match.line[2].to
    go(table, "undo", 2, 1002)
    other = next(a for a in match.legal(0) if isinstance(a, Play) and a.to != second)
    table.receive(do.Act(0, other), 1003)
    go(table, "undo", 1, 1004)
    table.receive(do.Act(0, Play(second)), 1005)
    for _ in range(20):
        go(table, "undo", 1, 1006)
        go(table, "redo", 1, 1006)
    assert not match.can_redo
    found = condensed(table, 2000)
    assert found is not None
    entries, _ = found
    assert shown(folded(entries)) == shown(table)


def test_what_was_turned_up_stays_turned_up() -> None:
    table = opened()
    for number in range(8):
        go(table, "play", number, 1001)
    go(table, "undo", 8, 1002)
    go(table, "play", 1, 1003)
    for _ in range(40):
        go(table, "undo", 1, 1004)
        go(table, "redo", 1, 1004)
    found = condensed(table, 2000)
    assert found is not None
    entries, _ = found
    assert len(entries) < 25
    match, twin = table.match, folded(entries).match
    assert isinstance(match, Solitaire)
    assert isinstance(twin, Solitaire)
    assert twin.tableau().veiled() == match.tableau().veiled()


def test_fresh_deals_do_not_come_twice() -> None:
    """Chance that was drawn stays drawn, however often somebody deals anew."""
    table = opened()
    seeds = []
    for now in range(300):
        go(table, "new", 0, 1001 + now)
        seeds.append(shown(table)[0].seed)
    found = condensed(table, 2000)
    assert found is not None
    entries, _ = found
    assert len(entries) == 4
    twin = folded(entries)
    go(twin, "new", 0, 2001)
    assert shown(twin)[0].seed not in seeds


async def undo_and_redo(client: Client, times: int) -> dict[str, Any]:
    """Make a move, take it back and make it again so many times; gives the last board."""
    board = await client.event()
    await client.send("play", to=board["valid"][0])
    await client.until("board")
    for _ in range(times // 20):
        for _ in range(20):
            await client.send("undo")
            await client.send("redo")
        for _ in range(40):
            board = await client.until("board")
    return board


def token_of(visitor: Visitor) -> str:
    return next(c.value for c in visitor.http.cookie_jar if c.key == "parlour_session")


def entries_of(data: Path) -> int:
    with closing(sqlite3.connect(data / "parlour.sqlite")) as db:
        return int(db.execute("SELECT count(*) FROM log").fetchone()[0])


async def test_a_log_of_undo_and_redo_stays_short(
    open_house: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lives, "CONDENSE_AFTER", 50)
    house = await open_house()
    visitor = await house.visitor()
    client = Client(await visitor.socket("/mo"))
    board = await undo_and_redo(client, 500)
    [table] = house.tables
    assert table.version <= 50
    await house.shut(client)
    assert entries_of(tmp_path / "data") <= 60
    house = await open_house()
    again = await house.visitor()
    client = Client(await again.socket(f"/mo?token={token_of(visitor)}"))
    assert await client.event() == board
    await client.send("undo")
    assert (await client.until("board"))["moves"] == 0
    # Its replay is a fold like any other, and says from which seed it was dealt.
    [table] = house.tables
    live = house.server.house.index.find(table.roster.id)
    assert live is not None
    seed, commitment = table.match_seed(1).hex(), table.roster.commitment
    live.receive(do.Leave(table.roster.players[0].place))
    status, replay = await again.call("GET", f"/api/replays/{table.roster.id}-1")
    assert status == 200
    assert (replay["seed"], replay["commitment"]) == (seed, commitment)
    assert "Finished" in [event["event"] for event in replay["steps"][-1]["events"]]
    assert len(replay["steps"]) < 70
    # The shorter log has a chain of its own, and says that it replaces a longer one.
    _, log = await again.call("GET", f"/api/replays/{table.roster.id}-1/log")
    assert log["fair"], log["sentence"]
    assert "replaces a longer one" in log["sentence"]


async def test_the_table_goes_on_as_its_shorter_log_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lives, "CONDENSE_AFTER", 40)
    hall = Hall(GAME)
    live = await hall.join(1, Seek(where=Own(), resumable=True))
    rng = Random(1)
    shortened = 0
    for number in range(400):
        version = live.table.version
        chance = rng.random()
        if chance < 0.05:
            inputs: list[do.Input] = [do.Away(0), do.Back(0)]
        else:
            match = live.table.match
            assert isinstance(match, Solitaire)
            plays = [action for action in match.legal(0) if isinstance(action, Play)]
            if match.can_undo and (chance < 0.4 or not plays):
                action: object = Undo()
            else:
                action = Redo() if match.can_redo and chance < 0.6 else rng.choice(plays)
            inputs = [do.Act(0, action)]
        for entry in inputs:
            live.receive(entry)
        if live.table.version < version:
            shortened += 1
        if shortened:
            *_, (table, _) = recorded(GAME, hall.store.reader(live.roster.id))
            assert same_state(table, live.table), f"after {number} inputs"
    assert shortened > 1


async def test_a_log_is_looked_through_seldom_and_left_alone_if_nothing_was_taken_back(
    house: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lives, "CONDENSE_AFTER", 3)
    looked: list[int] = []

    def look(table: Table, now: int) -> Shorter | None:
        looked.append(table.version)
        return condensed(table, now)

    monkeypatch.setattr(lives, "condensed", look)
    client = Client(await (await house.visitor()).socket("/mo"))
    board = await client.event()
    for moves in range(1, 8):
        await client.send("play", to=board["valid"][0])
        board = await client.until("board", moves=moves)
    [table] = house.tables
    log = [do.decode(entry.data) for entry in await house.server.store.entries(table.roster.id)]
    assert [type(entry) for entry in log].count(do.Act) == 7
    assert looked == [3, 6]
    versions = []
    for _ in range(25):
        for what in ("undo", "redo"):
            await client.send(what)
            await client.until("board")
            versions.append(table.version)
    # Or each input would have to pay for all of them.
    assert sum(after < before for before, after in pairwise(versions)) == 2
    # After twice as many where nothing could go, and after four times what was left where it could.
    assert looked == [3, 6, 12, 40]


async def test_the_power_may_go_off_at_any_time(
    serve: Callable[..., Awaitable[Process]],
    guests: Callable[[Process], Awaitable[Visitor]],
    tmp_path: Path,
) -> None:
    flags = ("--message-rate", "1e6", "--message-burst", "1000000", "--address-burst", "1000000")
    process = await serve(*flags)
    visitor = await guests(process)
    client = Client(await visitor.socket("/mo"))
    board = await undo_and_redo(client, 4000)
    assert process.process.pid is not None
    os.kill(process.process.pid, signal.SIGKILL)
    await process.ended()
    # Only so many of eight thousand, and the board is the one that was told last.
    assert entries_of(tmp_path / "data") <= 2100
    process = await serve(*flags)
    again = await guests(process)
    client = Client(await again.socket(f"/mo?token={token_of(visitor)}"))
    assert await client.event() == board
