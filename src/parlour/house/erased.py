"""Takes a person out of the logs of closed tables: names, talk, ids and addresses.

Every move stays, and the chain of a log still holds (docs/fairness.md): in place of what is erased
it has the salted hashes that it was made of, and their salts are gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from parlour.house.recorded import folded
from parlour.kit import Illegal
from parlour.protocol import Game
from parlour.store import LogEntry, LogReader
from parlour.store.archive import Archive
from parlour.table import inputs as do
from parlour.table import secret_settings
from parlour.table.chain import hidden, private_fields, salt_of

NAME: Final = "Gone"
"""In place of a name."""
_WHO: Final = ("visitor", "who", "opener")
"""Fields that name a person."""
_OF_PERSON: Final = {"name": NAME, "address": "", "source": ""}
"""Fields of the same entries, and what replaces them."""


class Rewritten:
    """A log with other entries in place of some."""

    def __init__(self, reader: LogReader, changed: dict[int, LogEntry]) -> None:
        self._reader = reader
        self._changed = changed

    def entries(self) -> Iterator[LogEntry]:
        return (self._changed.get(entry.seq, entry) for entry in self._reader.entries())

    def unchecked(self) -> Iterator[bytes]:
        return (entry.data for entry in self.entries())

    def fact(self, key: str) -> bytes | None:
        return self._reader.fact(key)


def erased(game: Game, reader: LogReader, visitor: str) -> list[LogEntry]:
    """The entries that change when a visitor is taken out of a log; raises `Illegal` if another
    match would result."""
    changed: dict[int, LogEntry] = {}
    places: set[int] = set()
    secret = secret_settings(game.settings)
    first = next(iter(reader.entries()), None)
    steps = [(0, first.at, do.decode(first.data), first.data)] if first is not None else []
    for seq, (table, step) in enumerate(folded(game, reader), 1):
        steps.append((seq, step.at, step.input, step.data))
        places.update(player.place for player in table.roster.people if player.visitor == visitor)
    for seq, at, entry, data in steps:
        made = _without(entry, msgspec.json.decode(data), visitor, places, secret)
        if made is not None:
            changed[seq] = LogEntry(seq, at, made)
    before, after = (_course(game, each) for each in (reader, Rewritten(reader, changed)))
    if before != after:
        raise Illegal("bad-log", "without this person another match would result")
    return list(changed.values())


def _without(
    entry: do.Input,
    plain: dict[str, Any],
    visitor: str,
    places: set[int],
    secret: frozenset[str],
) -> bytes | None:
    """The bytes of an entry without a person; None: it has nothing about them."""
    new: dict[str, Any] = {}
    for field in _WHO:
        if plain.get(field) == visitor:
            new[field] = f"erased {min(places, default=0)}"
            new |= {each: value for each, value in _OF_PERSON.items() if each in plain}
    if plain.get("place") in places:
        if isinstance(entry, do.Say):
            new["text"] = "…"
        elif isinstance(entry, do.Rename):
            new["name"] = NAME
    if not new:
        return None
    proof = entry.proof
    if proof is not None:
        made = do.Proof(salts=dict(proof.salts), hashes=dict(proof.hashes))
        for field, value in private_fields(entry, plain, secret).items():
            key = proof.salts.get(field) or salt_of(proof.salt, field)
            if field in new:
                made.salts.pop(field, None)
                made.hashes.setdefault(field, hidden(value, key))
            elif field not in proof.hashes:
                # The salt of the whole entry must go, so each of the others gets its own.
                made.salts[field] = key
        new["proof"] = made
    return msgspec.json.encode(plain | new)


def _course(game: Game, reader: LogReader) -> Sequence[object]:
    """The events of a log, without names."""
    return [
        (step.at, [type(event).__name__ for event in step.happened], table.roster.round)
        for table, step in folded(game, reader)
    ]


class Erased(msgspec.Struct):
    """How much was done."""

    tables: int = 0
    entries: int = 0
    open: int = 0
    """Tables where the person was, which have not closed yet."""
    refused: list[str] = []
    """Why tables stay as they are."""


def erase(archive: Archive, games: Sequence[Game], visitor: str) -> Erased:
    """Take a visitor out of the logs of all closed tables, beside a running server or without."""
    made = Erased()
    by_id = {game.id: game for game in games}
    with archive.changing() as replace:
        for row in archive.tables():
            reader = archive.reader(row.id)
            if not any(visitor.encode() in entry for entry in reader.unchecked()):
                continue
            if row.closed is None:
                made.open += 1
                continue
            try:
                if row.game not in by_id:
                    raise Illegal("no-such-game", f"the game {row.game} is not installed")
                changed = erased(by_id[row.game], reader, visitor)
            except Exception as wrong:
                made.refused.append(f"table {row.id}: {wrong}")
                continue
            replace(row.id, changed)
            made.tables += 1
            made.entries += len(changed)
    return made


def visitor_of(game: Game, reader: LogReader, number: int, name: str) -> str:
    """The visitor who played a match under a name; raises `Illegal`."""
    for table, _ in folded(game, reader):
        if table.roster.round == number:
            found = [p.visitor for p in table.roster.people if p.name == name and p.visitor]
            if found:
                return found[0]
    raise Illegal("no-such-player", f"Nobody called {name} played in this match.")
