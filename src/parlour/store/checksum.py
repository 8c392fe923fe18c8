"""A checksum per entry finds what a disk, a memory or a person has changed.

It is the CRC-32 of the entry's table, number and moment (three little-endian 64-bit integers) and
its bytes. It is not chained to the entry before: a gap in the numbers shows a missing entry, and
neither would show a missing end. It is no signature: a program that can write the file can write a
checksum, too.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Any
from zlib import crc32

from parlour.store import Damaged, LogEntry

_place = struct.Struct("<qqq").pack


def checksum(number: int, seq: int, at: int, data: bytes) -> int:
    """Of one entry; `number` is its table's."""
    return crc32(data, crc32(_place(number, seq, at)))


def checked(table: str, rows: Iterable[Any], start: int = 0) -> Iterator[LogEntry]:
    """The entries of one table from number `start` on, given in order with their checksums;
    raises `Damaged`.

    Entries from before there were checksums have none, and are taken as they are.
    """
    summed = False
    for expected, (number, seq, at, data, kept) in enumerate(rows, start):
        if seq < expected:
            raise Damaged(table, seq, "is there twice")
        if seq > expected:
            raise Damaged(table, expected, "is missing")
        if kept is None and summed:
            raise Damaged(table, seq, "has lost its checksum")
        if kept is not None:
            summed = True
            if not _fits(number, seq, at, data, kept):
                raise Damaged(table, seq, "is not what was written: its checksum differs")
        yield LogEntry(seq, at, data)


def _fits(number: int, seq: int, at: int, data: bytes, kept: int) -> bool:
    try:
        return checksum(number, seq, at, data) == kept
    except (TypeError, struct.error):  # SQLite keeps any type in any column
        return False
