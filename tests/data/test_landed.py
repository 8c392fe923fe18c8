"""What an earlier version wrote, this one goes on with. See README.md."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from parlour.games import installed_games
from parlour.games.rummy.rules import Rummy
from parlour.house.folding import fold
from parlour.house.library import Library
from parlour.house.replay import replay_of
from parlour.kit import Illegal
from parlour.store import schema
from parlour.store.archive import SqliteArchive
from parlour.store.compact import compact
from parlour.store.sqlite import SqliteStore
from parlour.table import Table
from tests.data.write import Expected, lasting
from tests.support import Event, Opener

HERE = Path(__file__).parent
FOLDERS = sorted(path.parent for path in HERE.glob("*/expected.json"))
GAMES = {game.id: game for game in installed_games()}

WHAT_TO_DO = (
    "A version that landed keeps folding. Let the change hold for new tables alone, as "
    "tests/data/README.md says; do not write the folder anew."
)


@pytest.fixture(params=FOLDERS, ids=lambda folder: folder.name)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of one of them."""
    return Path(shutil.copytree(request.param, tmp_path / request.param.name))


@pytest.fixture
def expected(folder: Path) -> Expected:
    return msgspec.json.decode((folder / "expected.json").read_bytes(), type=Expected)


@pytest.fixture
async def store(folder: Path) -> AsyncIterator[SqliteStore]:
    made = SqliteStore(folder / "parlour.sqlite")
    yield made
    await made.stop()


async def folded(folder: Path, store: SqliteStore, game: str, table: str) -> Table:
    """A table of this folder; or a sentence that says what to do."""
    try:
        entries = await store.entries(table)
        return await fold(GAMES[game], Library(store, lambda: 0), table, entries)
    except Exception as wrong:
        why = f"{wrong} ({wrong.__cause__!r})"
        raise AssertionError(f"{folder.name}, {game}: {why} {WHAT_TO_DO}") from wrong


def test_every_data_format_has_a_folder() -> None:
    formats = set()
    for folder in FOLDERS:
        db = sqlite3.connect(f"{(folder / 'parlour.sqlite').as_uri()}?immutable=1", uri=True)
        formats.add(db.execute("PRAGMA user_version").fetchone()[0])
        db.close()
    newest = len(schema.MIGRATIONS)
    assert newest in formats, (
        f"Data format {newest} has no folder in tests/data: write one as its README.md says."
    )


async def test_every_table_stands_where_it_stood(
    folder: Path, store: SqliteStore, expected: Expected
) -> None:
    assert expected.tables
    for was in expected.tables:
        table = await folded(folder, store, was.game, was.id)
        stands = (
            [player.name for player in table.roster.players],
            table.roster.running,
            table.roster.round,
        )
        changed = f"{folder.name}, {was.game}: table {was.id} folds to something else. {WHAT_TO_DO}"
        assert stands == (was.players, was.running, was.round), changed
        if was.greeting:
            told = [lasting(g) for wire in GAMES[was.game].wires for g in greeted(table, wire)]
            assert any(tells(greeting, lasting(was.greeting)) for greeting in told), changed


def greeted(table: Table, wire: Any) -> list[list[Event]]:
    """What the people at a table are told when they come back to it, one list each."""
    return [
        [
            json.loads(data)
            for data in wire.codec.greet(table.picture(player), table.roster, player, table.last_at)
        ]
        for player in table.roster.people
    ]


def tells(told: list[Event], was: list[Event]) -> bool:
    """Whether all messages of then are told still, in their order; new ones may be in between."""
    rest = iter(told)
    return all(any(holds(message, before) for message in rest) for before in was)


def holds(told: Any, was: Any) -> bool:
    """Whether all that was said is said still; new fields may have come."""
    if isinstance(was, dict):
        return isinstance(told, dict) and all(
            key in told and holds(told[key], value) for key, value in was.items()
        )
    if isinstance(was, list):
        same_length = isinstance(told, list) and len(told) == len(was)
        return same_length and all(map(holds, told, was))
    return bool(told == was)


async def test_every_finished_match_ended_as_it_ended(
    folder: Path, store: SqliteStore, expected: Expected
) -> None:
    assert expected.finished
    for was in expected.finished:
        table, _, number = was.id.rpartition("-")
        row = await store.find_table(table)
        assert row is not None
        await folded(folder, store, row.game, table)
        made = replay_of(GAMES[row.game], store.reader(table), int(number))
        assert not isinstance(made, int), f"{was.id}: {made} are over. {WHAT_TO_DO}"
        replay = json.loads(made.whole)
        events = [event for step in replay["steps"] for event in step["events"]]
        (outcome,) = [event["outcome"] for event in events if event["event"] == "Finished"]
        ended = (replay["seed"], len(replay["steps"]), outcome)
        assert holds(list(ended), [was.seed, was.steps, was.outcome]), (
            f"{folder.name}, {row.game}: match {was.id} ends differently. {WHAT_TO_DO}"
        )


async def test_a_packed_log_gives_the_same_replays(folder: Path, expected: Expected) -> None:
    await SqliteStore(folder / "parlour.sqlite").stop()
    archive = SqliteArchive(folder)
    games = {row.id: GAMES[row.game] for row in archive.tables()}

    def replays() -> list[object]:
        matches = [was.id.rpartition("-") for was in expected.finished]
        return [
            replay_of(games[id_], archive.reader(id_), int(number)) for id_, _, number in matches
        ]

    before = replays()
    with closing(sqlite3.connect(folder / "parlour.sqlite")) as db:
        db.execute("UPDATE tables SET closed = opened")
        db.commit()
    made = compact(folder)
    assert made.packed == len(games)
    assert not made.damages
    assert replays() == before


async def test_a_house_opens_it_whole(
    folder: Path, open_house: Opener, expected: Expected, caplog: pytest.LogCaptureFixture
) -> None:
    house = await open_house(data=str(folder))
    assert "stays shut" not in caplog.text
    known = {table.id for table in expected.tables}
    # Years later, what nobody came back to may be closed; nothing else may be there.
    assert {table.roster.id for table in house.tables} <= known


async def test_rules_that_no_longer_fold_are_told_what_to_do(
    folder: Path, store: SqliteStore, expected: Expected, monkeypatch: pytest.MonkeyPatch
) -> None:
    (rummy,) = [table for table in expected.tables if table.game == "rummy"]

    def apply(*_: object) -> None:
        raise Illegal("not-any-more", "That was legal once.")

    monkeypatch.setattr(Rummy, "apply", apply)
    with pytest.raises(AssertionError, match=r"Entry \d+ of table .* keeps folding.*README"):
        await folded(folder, store, "rummy", rummy.id)


@pytest.mark.parametrize(
    ("told", "was", "so"),
    [
        ([{"a": 1, "b": 2}], [{"a": 1}], True),
        ([{"a": 2}], [{"a": 1}], False),
        ([{}], [{"a": 1}], False),
        ([{"a": 1}, {"b": 1}], [{"b": 1}], True),
        ([{"a": 1}, {"b": 1}], [{"b": 1}, {"a": 1}], False),
        ([{"a": 1}], [{"a": 1}, {"a": 1}], False),
        ([{"a": [1, 2]}], [{"a": [1]}], False),
        ([{"a": [{"b": 1, "c": 1}]}], [{"a": [{"b": 1}]}], True),
    ],
)
def test_what_was_told_may_be_told_with_more(told: list[Event], was: list[Event], so: bool) -> None:
    assert tells(told, was) is so
