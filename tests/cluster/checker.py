"""Whether all that anybody was told is what the record says, in its order, once.

At the end a table's log is read from PostgreSQL and folded by the plain table code: after each
entry, what each viewer is told of it, and what a newcomer would be greeted with. A connection's
history must then be, byte for byte, the greeting of one version and everything told after it,
without a gap: to the log's end where the connection is still open, to anywhere where it was lost.
Nothing of the journal, the bus or rejoining is part of this.

Answers to a connection alone (refusals, hints, pongs) follow from no entry and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

import asyncpg

from parlour.games import installed_games
from parlour.house.pictures import Pictures
from parlour.table import Game, Player, Table, Wire
from parlour.table import inputs as do
from tests.cluster.players.person import History

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
_SET_RIGHT: Final = b'{"msg":"s_hand"'
"""What Quips puts before a refusal."""
_ENVELOPE: Final = re.compile(rb'\{"seq":(\d+),"type":"\w+","payload":(.*)\}', re.DOTALL)
_MOMENT: Final = re.compile(rb'"serverNow":\d+')
_SECONDS: Final = re.compile(rb'"seconds":\d+')
AROUND: Final = 60
"""Frames before and after, among which one is looked for that came where another belongs."""


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
    table: Table | None = None
    for at, data in record.entries:
        put = do.decode(data)
        happened: list[Any] = []
        if table is None:
            assert isinstance(put, do.Open)
            table = Table(record.game, put, at, record.content.__getitem__)
            pictures = Pictures(table)
        else:
            rounds = table.roster.round
            happened = table.receive(put, at)
            if table.roster.round > rounds:
                pictures.forget()
        for wire in speaking:
            for place in places:
                player = None if place is None else table.roster.at(place)
                telling = found[wire.name, place]
                here = place is None or player is not None
                if here:
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
    followed = False
    for event in happened:
        viewed = table.view(event, me)
        if viewed is None:
            continue
        if type(event) in wire.snapshot_on:
            out += wire.snapshot(event, pictures.of(me), table.roster, me, now)
        else:
            out += wire.encode(viewed, table.roster, me)
        followed = followed or wire.snapshot_after(event)
    if followed:
        out += wire.snapshot(None, pictures.of(me), table.roster, me, now)
    return [_plain(data) for data in out if not _is_answer(table.game.id, data)]


def _greeting(
    wire: Wire, table: Table, pictures: Pictures, me: Player | None, now: int
) -> tuple[bytes, ...]:
    greeting = wire.greet(pictures.of(me), table.roster, me, now)
    return tuple(_seconds_left(_plain(data)) for data in greeting)


def _plain(data: bytes) -> bytes:
    """Without the moment at which it was written."""
    return _MOMENT.sub(b'"serverNow":0', data) if b'"serverNow"' in data else data


def _seconds_left(data: bytes) -> bytes:
    """A greeting says how much of a countdown is left at that moment."""
    return _SECONDS.sub(b'"seconds":0', data) if b'"seconds"' in data else data


def _is_answer(game: str, data: bytes) -> bool:
    return data.startswith(ANSWERS[game])


def heard(history: History) -> list[bytes]:
    """What a connection was told, without answers to it alone."""
    frames = [_unwrapped(number, data) for number, data in enumerate(history.frames, 1)]
    out: list[bytes] = []
    for number, data in enumerate(frames):
        if _is_answer(history.game, data):
            continue
        following = frames[number + 1] if number + 1 < len(frames) else b""
        refused = history.game == "quips" and _is_answer("quips", following)
        if not (refused and data.startswith(_SET_RIGHT)):
            out.append(_plain(data))
    return out


def _unwrapped(number: int, data: bytes) -> bytes:
    found = _ENVELOPE.fullmatch(data)
    if found is None:
        return data
    assert int(found[1]) == number, "a frame has the wrong number"
    return found[2]


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


def judge(history: History, telling: Telling, complete_to: int) -> Verdict:
    """Whether this history can be this viewer's. Open connections were told up to `complete_to`."""
    frames = heard(history)
    who = f"{history.person} at {history.game} {history.table[:8]}"
    if not frames:
        if history.over:
            return Verdict(None, len(telling.ends) - 1, 0)
        return Verdict(Fault(who, "never greeted", 0))
    greeted = _greeted(frames, telling, 0, history.over)
    if not greeted:
        first = next((g for g in telling.greetings if g), (b"",))
        return Verdict(Fault(who, "greeted with what never was so", 0, frames[0], first[0]))
    at = min(size for size, _ in greeted)
    positions = {telling.ends[version] for size, version in greeted if size == at}
    since = max(version for size, version in greeted if size == at)
    again = 0
    while at < len(frames):
        following = {
            p + 1 for p in positions if p < len(telling.told) and telling.told[p] == frames[at]
        }
        if following:
            positions, at = following, at + 1
            continue
        before = telling.version_at(min(positions))
        anew = [g for g in _greeted(frames, telling, at, history.over) if g[1] >= before]
        if not anew:
            return Verdict(_parted(who, frames[at], at, telling, positions), since, before, again)
        size = max(size for size, _ in anew)
        positions = {telling.ends[version] for each, version in anew if each == size}
        at, again = at + size, again + 1
    upto = telling.version_at(min(positions))
    if not history.over and max(positions) < telling.ends[complete_to]:
        missing = telling.told[max(positions)]
        return Verdict(Fault(who, "not told the rest", at, b"", missing), since, upto, again)
    return Verdict(None, since, upto, again)


def _greeted(
    frames: Sequence[bytes], telling: Telling, at: int, lost: bool
) -> list[tuple[int, int]]:
    """The versions whose greeting stands here, each with how many frames that takes; of a lost
    connection the end of it may be missing."""
    found: list[tuple[int, int]] = []
    left = [_seconds_left(data) for data in frames[at : at + 200]]
    for version, greeting in enumerate(telling.greetings):
        if not greeting:
            continue
        size = min(len(greeting), len(left)) if lost else len(greeting)
        if size and tuple(left[:size]) == greeting[:size]:
            found.append((size, version))
    return found


def _parted(who: str, frame: bytes, at: int, telling: Telling, positions: set[int]) -> Fault:
    position = max(positions)
    expected = telling.told[position] if position < len(telling.told) else b""
    if frame in telling.told[position + 1 : position + AROUND]:
        what = "something was left out"
    elif frame in telling.told[max(0, position - AROUND) : position]:
        what = "told twice, or in another order"
    else:
        what = "told what the record does not have"
    return Fault(who, what, at, frame, expected)


class Checker:
    """Holds the histories of all who were at one table against its record."""

    def __init__(self, record: Record, histories: Sequence[History], complete_to: int) -> None:
        self._histories = histories
        self._complete_to = complete_to
        self._tellings = tellings(record, {history.wire for history in histories})
        self.faults: list[Fault] = []
        self.greeted_again = 0
        self.frames = 0

    def check(self) -> None:
        for history in self._histories:
            verdict = self._judge(history)
            self.frames += len(history.frames)
            self.greeted_again += verdict.greeted_again
            if verdict.fault is not None:
                self.faults.append(verdict.fault)
            elif history.before is not None and heard(history):
                self._check_return(history, verdict, *history.before)

    def _check_return(self, history: History, verdict: Verdict, before: History, to: int) -> None:
        """Nobody comes back to what was so before they left."""
        left = self._judge(replace(before, frames=before.frames[:to], over=True))
        if left.fault is None and verdict.since < left.upto:
            what = f"greeted with version {verdict.since} after version {left.upto}"
            self.faults.append(Fault(history.person, what, 0))

    def _judge(self, history: History) -> Verdict:
        """As the viewer whom it fits best: nobody says which place is theirs."""
        best: Verdict | None = None
        for (wire, place), telling in self._tellings.items():
            if wire != history.wire or history.watching != (place is None):
                continue
            verdict = judge(history, telling, self._complete_to)
            if verdict.fault is None and not verdict.greeted_again:
                return verdict
            if best is None or _score(verdict) > _score(best):
                best = verdict
        assert best is not None
        return best


def _score(verdict: Verdict) -> tuple[int, int]:
    fault = verdict.fault
    return (1, -verdict.greeted_again) if fault is None else (0, fault.at)
