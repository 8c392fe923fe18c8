"""What a record says that everybody was told: its log folded by the plain table code.

Nothing of the journal, the bus or rejoining is part of this. Answers to a connection alone
(refusals, hints, pongs) follow from no entry and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import asyncpg

from parlour.games import installed_games
from parlour.house.pictures import Pictures
from parlour.protocol import Game, Manner, Wire
from parlour.table import Player, Table
from parlour.table import inputs as do

Viewer: TypeAlias = tuple[str, int | None]
"""A wire and a place; None: who watches."""

ANSWERS: Final[Mapping[str, tuple[bytes, ...]]] = {
    "rummy": (b'{"type":"error"',),
    "cambia": (b'{"type":"error"', b'{"type":"pong"'),
    "quips": (b'{"msg":"s_error"', b'{"msg":"s_rejectclient"'),
    "mo": (b'{"type":"error"', b'{"type":"hint"', b'{"type":"pile"'),
    "onu": (b'{"type":"error"',),
}
"""How messages begin that are for one connection alone."""
_MOMENT: Final = re.compile(rb'"serverNow":\d+')
_SECONDS: Final = re.compile(rb'"seconds":\d+')


@dataclass
class Record:
    """One table as the database has it."""

    id: str
    game: Game
    entries: list[tuple[int, bytes]]
    """Moment and input, from the first one on."""
    content: dict[str, bytes]

    @property
    def version(self) -> int:
        return len(self.entries) - 1


async def read_record(store: str, table: str) -> Record:
    connection = await asyncpg.connect(store)
    try:
        number, game = await connection.fetchrow("SELECT no, game FROM tables WHERE id = $1", table)
        rows = await connection.fetch(
            'SELECT seq, at, data FROM entries WHERE "table" = $1 ORDER BY seq', number
        )
        facts = await connection.fetch("SELECT key, value FROM facts WHERE key LIKE 'content:%'")
    finally:
        await connection.close()
    assert [row[0] for row in rows] == list(range(len(rows))), "the log has a gap"
    content = {key.removeprefix("content:"): bytes(value) for key, value in facts}
    kind = next(each for each in installed_games() if each.id == game)
    return Record(table, kind, [(row[1], bytes(row[2])) for row in rows], content)


@dataclass
class Telling:
    """What one viewer is told of a table, from its first entry to its last."""

    told: list[bytes] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    """By version: how much of `told` there is then."""
    greetings: list[tuple[bytes, ...] | None] = field(default_factory=list)
    """By version: what they would be greeted with; None: they are not at the table then."""

    def version_at(self, position: int) -> int:
        """The first version by which so much has been told."""
        return next(version for version, end in enumerate(self.ends) if end >= position)


def tellings(record: Record, wires: Iterable[str]) -> dict[Viewer, Telling]:
    """What everybody who was ever there is told, over each of these wires."""
    speaking = [wire for wire in record.game.wires if wire.name in set(wires)]
    places = {None, *_places(record)}
    found = {(wire.name, place): Telling() for wire in speaking for place in places}
    opening = do.decode(record.entries[0][1])
    assert isinstance(opening, do.Open)
    table = Table(record.game, opening, record.entries[0][0], record.content.__getitem__)
    pictures = Pictures(table)
    for number, (at, data) in enumerate(record.entries):
        rounds = table.roster.round
        happened = table.receive(do.decode(data), at) if number else []
        if table.roster.round > rounds:
            pictures.forget()
        for wire in speaking:
            for place in places:
                player = None if place is None else table.roster.at(place)
                telling = found[wire.name, place]
                here = place is None or player is not None
                # Whose player has left is told what anybody is, while the connection lasts.
                if here or any(telling.greetings):
                    telling.told += _told(wire, table, pictures, happened, player, at)
                telling.ends.append(len(telling.told))
                telling.greetings.append(
                    _greeting(wire, table, pictures, player, at) if here else None
                )
    return found


def _places(record: Record) -> set[int]:
    """All that were ever given: counted from nought, never given twice."""
    joined = sum(
        isinstance(do.decode(data), do.Join | do.AddBot | do.Seat | do.Queue)
        for _, data in record.entries
    )
    return set(range(joined))


def _told(
    wire: Wire, table: Table, pictures: Pictures, happened: list[Any], me: Player | None, now: int
) -> list[bytes]:
    """Of one entry, on the plainest way: event by event, for this viewer alone."""
    out: list[bytes] = []
    codec, followed = wire.codec, False
    for event in happened:
        viewed = table.view(event, me)
        if viewed is None:
            continue
        manner = codec.manner(event)
        if manner is Manner.SNAPSHOT:
            out += codec.snapshot(event, pictures.of(me), table.roster, me, now)
        else:
            out += codec.encode(viewed, table.roster, me)
        followed = followed or manner.followed
    if followed:
        out += codec.snapshot(None, pictures.of(me), table.roster, me, now)
    return [plain(data) for data in out if not is_answer(table.game.id, data)]


def _greeting(
    wire: Wire, table: Table, pictures: Pictures, me: Player | None, now: int
) -> tuple[bytes, ...]:
    greeting = wire.codec.greet(pictures.of(me), table.roster, me, now)
    return tuple(seconds_left(plain(data)) for data in greeting)


def plain(data: bytes) -> bytes:
    """Without the moment at which it was written."""
    return _MOMENT.sub(b'"serverNow":0', data) if b'"serverNow"' in data else data


def seconds_left(data: bytes) -> bytes:
    """A greeting says how much of a countdown is left at that moment."""
    return _SECONDS.sub(b'"seconds":0', data) if b'"seconds"' in data else data


def is_answer(game: str, data: bytes) -> bool:
    return data.startswith(ANSWERS[game])


@dataclass
class Fault:
    """Where a history and the record part."""

    who: str
    what: str
    at: int
    """Which of its frames."""
    frame: bytes = b""
    expected: bytes = b""

    def __str__(self) -> str:
        return (
            f"{self.who}: {self.what} at frame {self.at}: heard {self.frame[:300]!r}, "
            f"expected {self.expected[:300]!r}"
        )


@dataclass
class Verdict:
    """What became of one history."""

    fault: Fault | None
    since: int = 0
    """The version it was greeted with, or (as far as that can be told) the latest it may be."""
    upto: int = 0
    """The version up to which it was told."""
    greeted_again: int = 0
