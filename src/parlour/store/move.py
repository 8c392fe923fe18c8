"""Copies a whole house from a data folder into a PostgreSQL database, or back; also as a backup.

Entries keep their table's number, which is part of their checksum, so their checksums stay valid.
Numbers in a file are small, or came from a database; a database gives new tables numbers above all
that were copied into it.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import AsyncExitStack, ExitStack, closing
from itertools import islice
from pathlib import Path
from typing import Final

import asyncpg
import msgspec

from parlour.store import StoreTrouble
from parlour.store.backup import DATABASE, KEY, Contents, check, sync
from parlour.store.packed import checked_record, rows_of
from parlour.store.postgres import PostgresStore
from parlour.store.postgres_link import LOST, Link, connected, first, reason, shown
from parlour.store.postgres_schema import check_version
from parlour.store.sqlite import SqliteStore

KEY_FACT: Final = "key:session"
"""The fact in which a database keeps the key that a folder has in a file."""
AT_ONCE: Final = 5_000
"""Rows held in memory."""
_PUT: Final = 'INSERT INTO entries ("table", seq, at, data, sum) VALUES (?, ?, ?, ?, ?)'


class Moved(msgspec.Struct, frozen=True):
    """How much was copied."""

    tables: int
    live: int
    entries: int
    facts: int


def is_database(place: str) -> bool:
    return place.startswith(("postgresql://", "postgres://"))


async def move(source: str, target: str) -> Moved:
    """Copy everything; one of the two is a data folder, the other a database.

    Neither may be in use. The target must hold nothing yet.
    """
    if is_database(source) == is_database(target):
        raise StoreTrouble("One of the two must be a data folder, the other postgresql://...")
    try:
        if is_database(target):
            return await _into_database(Path(source), target)
        return await _into_folder(source, Path(target))
    except (OSError, sqlite3.Error, asyncpg.PostgresError, *LOST) as wrong:
        raise StoreTrouble(f"That can't be moved: {reason(wrong)}.") from None


async def _into_database(folder: Path, url: str) -> Moved:
    for name in (DATABASE, KEY):
        if not (folder / name).is_file():
            raise StoreTrouble(f"There is no {folder / name}.")
    key = (folder / KEY).read_bytes()
    async with AsyncExitStack() as until_end:
        # Opening both as a house does keeps others away and migrates them to the newest format.
        held = SqliteStore(folder / DATABASE)
        until_end.push_async_callback(held.stop)
        there = await _connect(url, until_end)
        here = until_end.enter_context(closing(sqlite3.connect(folder / DATABASE)))
        async with there.transaction():
            return await _fill_database(here, there, key)


async def _connect(url: str, until_end: AsyncExitStack) -> asyncpg.Connection:
    """A connection to a database that no other house uses."""
    node, link = PostgresStore(url), Link(url)
    await node.start()
    until_end.push_async_callback(node.stop)
    until_end.push_async_callback(link.close)
    return await first(link, url)


async def _fill_database(here: sqlite3.Connection, there: asyncpg.Connection, key: bytes) -> Moved:
    for kept in ("tables", "entries", "facts"):
        if await there.fetchval(f"SELECT EXISTS (SELECT FROM {kept})"):  # noqa: S608 - ours
            raise StoreTrouble("The database holds a house already: name an empty one.")
    tables = here.execute("SELECT no, id, code, game, opened, closed FROM tables").fetchall()
    live = [table[0] for table in tables if table[5] is None]
    await there.copy_records_to_table("tables", records=tables)
    # They belong to no node: the next one that starts takes them over.
    await there.copy_records_to_table("owners", records=[(number, 0, 0) for number in live])
    # Opening the database has reserved codes at random: a table may have one of them.
    await there.execute("DELETE FROM codes")
    codes = [(table[2], 0) for table in tables if table[5] is None]
    await there.copy_records_to_table("codes", columns=["code", "node"], records=codes)
    # An entry that is there twice is copied once, and counts as damaged in the database as well.
    rows = here.execute(
        'SELECT "table", seq, at, data, sum FROM log GROUP BY "table", seq ORDER BY "table", seq'
    )
    entries = 0
    while some := rows.fetchmany(AT_ONCE):
        await there.copy_records_to_table("entries", records=some)
        entries += len(some)
    for number, table in here.execute('SELECT no, id FROM tables JOIN packed ON "table" = no'):
        unpacked = rows_of(here, number, table)
        while some := list(islice(unpacked, AT_ONCE)):
            await there.copy_records_to_table("entries", records=some)
            entries += len(some)
    await there.copy_records_to_table("facts", records=[(KEY_FACT, key)])
    facts = 1
    rows = here.execute("SELECT key, value FROM facts")
    while some := rows.fetchmany(AT_ONCE):
        await there.copy_records_to_table("facts", records=some)
        facts += len(some)
    above = (max([0, *(number for number, *_ in tables)]) >> 32) + 1
    last = await there.fetchval("SELECT max(no) FROM nodes")
    if (last or 0) < above:
        await there.execute(f"ALTER TABLE nodes ALTER COLUMN no RESTART WITH {above}")
    return Moved(len(tables), len(live), entries, facts)


async def _into_folder(url: str, folder: Path) -> Moved:
    _check_free(folder)
    async with AsyncExitStack() as until_end:
        return await _write_folder(await _connect(url, until_end), url, folder)


async def back_up(url: str, folder: Path) -> Contents:
    """Copy a database as it is at one moment, in use or not, into a folder; checks the copy."""
    _check_free(folder)
    async with connected(url) as here:
        await check_version(here)
        async with here.transaction(isolation="repeatable_read", readonly=True):
            try:
                await _write_folder(here, url, folder)
            except (OSError, sqlite3.Error) as wrong:
                raise StoreTrouble(f"{folder} can't be written: {reason(wrong)}.") from None
    return check(folder)


def _check_free(folder: Path) -> None:
    if any((folder / name).exists() for name in (DATABASE, KEY)):
        raise StoreTrouble(f"The data folder {folder} holds data already: name an empty one.")


async def _write_folder(here: asyncpg.Connection, url: str, folder: Path) -> Moved:
    with ExitStack() as until_end:
        _make(folder)
        unfinished = folder / f"{DATABASE}.unfinished"
        until_end.callback(_remove, unfinished)
        await SqliteStore(unfinished).stop()
        with closing(sqlite3.connect(unfinished)) as there:
            moved, key = await _fill_folder(here, there, url)
            there.commit()
            # In one piece, without a write-ahead log beside it.
            there.execute("PRAGMA journal_mode = DELETE")
        with os.fdopen(os.open(folder / KEY, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(key)
        for written in (folder / KEY, unfinished):
            sync(written)
        unfinished.replace(folder / DATABASE)
        sync(folder)
    return moved


def _make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)


def _remove(unfinished: Path) -> None:
    for file in unfinished.parent.glob(f"{unfinished.name}*"):
        file.unlink()


async def _fill_folder(
    here: asyncpg.Connection, there: sqlite3.Connection, url: str
) -> tuple[Moved, bytes]:
    key = await here.fetchval("SELECT value FROM facts WHERE key = $1", KEY_FACT)
    if key is None:
        raise StoreTrouble(f"{shown(url)} holds no house.")
    rows = await here.fetch("SELECT no, id, code, game, opened, closed FROM tables ORDER BY no")
    tables = [tuple(row) for row in rows]
    there.executemany("INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?)", tables)
    entries = 0
    async with here.transaction():
        cursor = await here.cursor(
            'SELECT "table", seq, at, data, sum FROM entries ORDER BY "table", seq'
        )
        while some := await cursor.fetch(AT_ONCE):
            there.executemany(_PUT, [tuple(row) for row in some])
            entries += len(some)
        packed = await here.cursor(
            'SELECT id, no, count, data, sum FROM packed JOIN tables ON no = "table"'
        )
        while some := await packed.fetch(1):
            unpacked = checked_record(*some[0])
            while rows := list(islice(unpacked, AT_ONCE)):
                there.executemany(_PUT, rows)
                entries += len(rows)
        facts = 1
        cursor = await here.cursor("SELECT key, value FROM facts WHERE key <> $1", KEY_FACT)
        while some := await cursor.fetch(AT_ONCE):
            there.executemany("INSERT INTO facts VALUES (?, ?)", [tuple(fact) for fact in some])
            facts += len(some)
    live = sum(table[5] is None for table in tables)
    return Moved(len(tables), live, entries, facts), bytes(key)
