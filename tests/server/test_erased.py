"""A person is taken out of the logs, and the logs are verified as before."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from parlour.cli import app
from parlour.games.rummy import GAME as RUMMY
from parlour.house.erased import Rewritten, erased
from parlour.house.exported import Exported
from parlour.house.live import LiveTable
from parlour.house.verified import published, verdict
from parlour.lifecycle import Lifecycle
from parlour.protocol import At, Own, Seek
from parlour.store.archive import PostgresArchive, SqliteArchive
from parlour.store.backup import DATABASE, KEY, check
from parlour.store.compact import compact
from parlour.store.move import move
from parlour.store.postgres_compact import check as check_database
from parlour.store.postgres_compact import compact as compact_database
from parlour.store.sqlite import SqliteStore
from parlour.table import inputs as do
from tests import highcard
from tests.server.hall import Hall

ADA, BO = "Ada Lovelace", "Bo Diddley"
SECRETS = (ADA, "Augusta", "engine", "visitor one")


async def played(hall: Hall, **settings: object) -> LiveTable:
    """A match by two who talk and change their names."""
    own = Seek(where=Own(settings), resumable=True, language="de")
    live = await hall.join(1, own, visitor="visitor one", name=ADA, address="192.0.2.77")
    there = Seek(where=At(live.roster.code), resumable=True, key="open sesame")
    await hall.join(2, there, visitor="visitor two", name=BO, address="192.0.2.78")
    live.receive(do.Say(0, "My engine is analytical"))
    live.receive(do.Say(1, "Who do you love"))
    live.receive(do.Rename(0, "Augusta"))
    live.receive(do.Start(do.HOUSE))
    while live.table.match is not None and live.table.roster.running:
        match = live.table.match
        seat = next(seat for seat in range(2) if match.legal(seat))
        live.receive(do.Act(seat, match.legal(seat)[0]))
    return live


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    """Two closed tables, and one that is open."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / KEY).write_bytes(b"key")
    store = SqliteStore(folder / DATABASE, lifecycle=Lifecycle())
    await store.start()
    hall = Hall(RUMMY, store=store)  # type: ignore[arg-type]
    await hall.house.reopen()
    for closed in (True, True, False):
        live = await played(hall)
        if closed:
            live.receive(do.Close())
        else:
            hall.house.disconnect(1)
            hall.house.disconnect(2)
    await hall.house.close()
    await store.stop()
    return folder


def lines_of(folder: Path) -> list[list[bytes]]:
    """The published logs of the closed tables."""
    archive = SqliteArchive(folder)
    closed = [row.id for row in archive.tables() if row.closed is not None]
    return [published(RUMMY, archive.reader(table), 1) for table in closed]


def stored(folder: Path, *, closed: bool = True) -> bytes:
    """The entries of the closed tables, or of all."""
    archive = SqliteArchive(folder)
    rows = [row for row in archive.tables() if row.closed is not None or not closed]
    return b"".join(entry.data for row in rows for entry in archive.reader(row.id).entries())


def erase(folder: Path, *arguments: str) -> tuple[int, str]:
    ran = CliRunner().invoke(app, ["data", "erase", *arguments, "--data", str(folder)])
    return ran.exit_code, ran.output


@pytest.mark.parametrize("packed", [False, True])
async def test_a_person_is_erased_and_the_logs_are_verified(data: Path, packed: bool) -> None:
    if packed:
        compact(data)
    before = lines_of(data)
    counted = check(data)
    assert all(word.encode() in stored(data) for word in SECRETS)
    code, said = erase(data, "visitor one")
    assert code == 0, said
    assert "of 2 tables" in said
    assert "1 table is still open" in said
    assert check(data) == counted
    log = stored(data)
    assert not [word for word in SECRETS if word.encode() in log]
    assert b"Who do you love" in log
    after = lines_of(data)
    for one, other in zip(before, after, strict=True):
        header, was = Exported("it", other, [RUMMY]).header, Exported("it", one, [RUMMY]).header
        fair, sentence = verdict(Exported("it", other, [RUMMY]))
        assert fair, sentence
        assert (header.head, header.seed) == (was.head, was.seed)
        assert [player.name for player in header.players] == ["Gone", BO]


@pytest.mark.slow
async def test_people_are_erased_in_a_database_packed_or_not(data: Path, database: str) -> None:
    await move(str(data), database)
    archive = PostgresArchive(database)

    def erased(who: str) -> str:
        ran = CliRunner().invoke(app, ["data", "erase", who, "--store", database])
        assert ran.exit_code == 0, ran.output
        return ran.output

    def logs() -> bytes:
        closed = [row for row in archive.tables() if row.closed is not None]
        for row in closed:
            fair, sentence = verdict(
                Exported("it", published(RUMMY, archive.reader(row.id), 1), [RUMMY])
            )
            assert fair, sentence
        return b"".join(each.data for row in closed for each in archive.reader(row.id).entries())

    before = await asyncio.to_thread(logs)
    assert all(word.encode() in before for word in (*SECRETS, BO))
    assert "of 2 tables" in await asyncio.to_thread(erased, "visitor one")
    assert (await compact_database(database)).packed == 2
    assert "of 2 tables" in await asyncio.to_thread(erased, "visitor two")
    after = await asyncio.to_thread(logs)
    assert not [word for word in (*SECRETS, BO, "Who do you love") if word.encode() in after]
    assert (await check_database(database)).damages == ()


async def test_nothing_of_a_person_stays_in_the_file(data: Path) -> None:
    with closing(sqlite3.connect(data / DATABASE)) as db:
        db.execute("DELETE FROM facts")
        db.commit()
    erase(data, "visitor one")
    archive = SqliteArchive(data)
    (live,) = (row.id for row in archive.tables() if row.closed is None)
    open_ = b"".join(entry.data for entry in archive.reader(live).entries())
    raw = b"".join((data / name).read_bytes() for name in os.listdir(data) if DATABASE in name)
    for word in ("Augusta", "engine"):
        assert raw.count(word.encode()) == open_.count(word.encode())


async def test_a_person_is_found_by_a_match_and_a_name(data: Path) -> None:
    archive = SqliteArchive(data)
    closed = next(row.id for row in archive.tables() if row.closed is not None)
    code, said = erase(data, BO, "--match", f"{closed}-1")
    assert code == 0, said
    assert BO.encode() not in stored(data)
    assert ADA.encode() in stored(data)
    code, said = erase(data, "Nobody", "--match", f"{closed}-1")
    assert (code, "Nobody called Nobody" in said) == (2, True)


async def test_a_log_that_would_tell_of_another_match_stays_as_it_was(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = stored(data, closed=False)
    monkeypatch.setattr("parlour.house.erased.NAME", "")
    code, said = erase(data, "visitor one")
    assert (code, said.count("not changed")) == (1, 2), said
    assert stored(data, closed=False) == before


async def test_a_published_log_says_no_more_about_a_table_whose_opener_was_erased() -> None:
    hall = Hall(highcard.GAME)
    live = await played(hall, password="open sesame")
    reader = hall.store.reader(live.roster.id)
    before = published(highcard.GAME, reader, 1)
    changed = erased(highcard.GAME, reader, "visitor one")
    lines = published(highcard.GAME, Rewritten(reader, {each.seq: each for each in changed}), 1)
    fair, sentence = verdict(Exported("it", lines, [highcard.GAME]))
    assert fair, sentence
    assert b"open sesame" not in b"".join(lines)
    # Only names have salts there, as before: without one, a password can't be tried.
    salts = [json.loads(line).get("input", {}).get("proof", {}).get("salts", {}) for line in lines]
    assert {field for each in salts for field in each} == {"name"}
    assert len(before) == len(lines)
