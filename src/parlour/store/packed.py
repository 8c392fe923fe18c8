"""Logs of closed tables in one compressed, checksummed record each.

A record holds the entries exactly as they were written, with their checksums, so everybody who
reads a log reads the same from it. Only a log without damage is packed. The lists of tables stay as
they are.
"""

from __future__ import annotations

import sqlite3
import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from parlour.store import Damaged, LogEntry, StoreTrouble
from parlour.store.checksum import checked, checksum

Row: TypeAlias = tuple[int, int, int, bytes, int | None]
"""An entry: its table's number, its own, its moment, its bytes, its checksum."""

FIRST_FORMAT: Final = 6
"""The first data format with such records."""
LEVEL: Final = 6
"""Level 9 is 3 % smaller and 5 times as slow; LZMA is a quarter smaller and 25 times as slow."""
LARGEST: Final = 16 * 1024 * 1024
"""Bytes of an entry, more than any input has: a forged record can't fill the memory."""
_HEAD: Final = struct.Struct("<qqi")
"""Before each entry: its moment, its checksum (-1: none), and how many bytes it has."""
_CHUNK: Final = 65_536
_PLAIN: Final = 'SELECT "table", seq, at, data, sum FROM log WHERE "table" = ? ORDER BY seq'


def pack(rows: Iterable[Row]) -> tuple[bytes, int, int]:
    """A record of these entries, how many there are, and how many bytes they have."""
    press = zlib.compressobj(LEVEL)
    packed = bytearray()
    count = size = 0
    for _, _, at, data, kept in rows:
        packed += press.compress(_HEAD.pack(at, -1 if kept is None else kept, len(data)) + data)
        count, size = count + 1, size + len(data)
    packed += press.flush()
    return bytes(packed), count, size


def unpack(number: int, record: bytes) -> Iterator[Row]:
    """The entries of a record; raises `ValueError` if it is not as it was written."""
    press, held, seq = zlib.decompressobj(), b"", 0
    while not press.eof:
        try:
            more = press.decompress(record, _CHUNK)
        except zlib.error as wrong:
            raise ValueError(str(wrong)) from None
        record, held, at = press.unconsumed_tail, held + more, 0
        if not (more or record or press.eof):
            break
        while len(held) - at >= _HEAD.size:
            moment, kept, size = _HEAD.unpack_from(held, at)
            end = at + _HEAD.size + size
            if not 0 <= size <= LARGEST:
                raise ValueError("an entry of it is too large")
            if end > len(held):
                break
            yield number, seq, moment, held[end - size : end], None if kept < 0 else kept
            seq, at = seq + 1, end
        held = held[at:]
    if held or not press.eof:
        raise ValueError("it ends too early")


def row_of(number: int, entry: LogEntry) -> Row:
    """An entry of table `number`, with its checksum."""
    at, data = entry.at, entry.data
    return number, entry.seq, at, data, checksum(number, entry.seq, at, data)


def repacked(rows: Iterable[Row], new: Iterable[LogEntry]) -> tuple[bytes, int, int]:
    """As `pack`, with other entries in place of some."""
    changed = {each.seq: each for each in new}
    return pack(row_of(row[0], changed[row[1]]) if row[1] in changed else row for row in rows)


def record_sum(number: int, count: int, record: bytes) -> int:
    """The checksum of a whole record."""
    return zlib.crc32(record, zlib.crc32(struct.pack("<qq", number, count)))


def plain_rows(db: sqlite3.Connection, number: int, table: str) -> Iterator[Row]:
    """The entries of one table that is not packed."""
    return db.execute(_PLAIN, (number,))


def rows_of(db: sqlite3.Connection, number: int, table: str) -> Iterator[Row]:
    """The entries of one table, packed or not, in order; raises `Damaged`."""
    query = 'SELECT count, data, sum FROM packed WHERE "table" = ?'
    found = db.execute(query, (number,)).fetchone()
    if found is None:
        return plain_rows(db, number, table)
    return checked_record(table, number, *found)


def checked_record(table: str, number: int, count: int, record: bytes, kept: int) -> Iterator[Row]:
    """The entries of a record; raises `Damaged`."""
    seq = -1
    try:
        if record_sum(number, count, record) != kept:
            raise ValueError("the packed record of this log has changed")
        for row in unpack(number, record):
            seq = row[1]
            yield row
        if seq + 1 != count:
            raise ValueError("the packed record of this log has too few entries")
    except ValueError as wrong:
        raise Damaged(table, seq + 1, f"can't be read: {wrong}") from None


def pack_table(db: sqlite3.Connection, number: int, table: str) -> tuple[int, int]:
    """Pack a closed table's log; returns its bytes before and after. Raises `Damaged`.

    In one transaction: it is packed or not, whenever the process ends.
    """
    rows = list(plain_rows(db, number, table))
    for _ in checked(table, rows):
        pass
    record, count, size = pack(rows)
    if list(unpack(number, record)) != rows:
        raise StoreTrouble(f"Table {table} can't be packed: it would not be read back the same.")
    with db:
        db.execute("BEGIN IMMEDIATE")
        # Somebody may have been erased from it meanwhile.
        same = list(plain_rows(db, number, table)) == rows
        closed = db.execute("SELECT closed FROM tables WHERE no = ?", (number,)).fetchone()
        if not same or closed is None or closed[0] is None:
            raise StoreTrouble(f"Table {table} was changed meanwhile.")
        db.execute(
            "INSERT INTO packed VALUES (?, ?, ?, ?, ?)",
            (number, count, size, record, record_sum(number, count, record)),
        )
        for kept in ("entries", "staging"):
            db.execute(f'DELETE FROM {kept} WHERE "table" = ?', (number,))  # noqa: S608 - ours
    return size, len(record)


def replace_entries(db: sqlite3.Connection, number: int, table: str, new: list[LogEntry]) -> None:
    """Write some entries of a closed table anew, packed or not; all of them or none."""
    with db:
        db.execute("BEGIN IMMEDIATE")
        closed = db.execute("SELECT closed FROM tables WHERE no = ?", (number,)).fetchone()
        if closed is None or closed[0] is None:
            raise StoreTrouble(f"Table {table} was changed meanwhile.")
        if db.execute('SELECT 1 FROM packed WHERE "table" = ?', (number,)).fetchone():
            record, count, size = repacked(rows_of(db, number, table), new)
            db.execute(
                'UPDATE packed SET size = ?, data = ?, sum = ? WHERE "table" = ?',
                (size, record, record_sum(number, count, record), number),
            )
        else:
            for each in new:
                _, seq, _, data, sum_ = row_of(number, each)
                for kept in ("entries", "staging"):
                    db.execute(
                        f'UPDATE {kept} SET data = ?, sum = ? WHERE "table" = ? AND seq = ?',  # noqa: S608
                        (data, sum_, number, seq),
                    )
