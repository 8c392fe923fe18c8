"""Checkpoints: the state of a table after an entry of its log, so that only later ones are folded.

A checkpoint is a fact in the store. It counts only for the code that wrote it and for the entry it
names; in any other case, and if anything about it is wrong, the log is folded from its start. It
has a checksum and no signature: a key for signatures would lie in the same folder or database. What
it can do at worst is said in `table/checkpoint.py`.

When nothing happens at a table, a worker process folds its log from the start and compares.
"""

from __future__ import annotations

import hashlib
import logging
import sys
import zlib
from functools import cache, partial
from pathlib import Path
from typing import Final

import msgspec

from parlour.house.folding import fold_log
from parlour.house.library import Library, content_of
from parlour.house.recorded import folded
from parlour.house.workers import Lost, Workers
from parlour.protocol import Game
from parlour.store import Away, LogReader, Store
from parlour.table import Table
from parlour.table.checkpoint import freeze, packages, same_state, thaw

log = logging.getLogger("parlour.house")

CHECKPOINT: Final = "checkpoint:"
"""Before a table's id: the fact with its checkpoint."""
AFTER: Final = 500
"""Entries after which there is a new checkpoint: about as many are folded in 20 ms."""
LARGEST: Final = 1_048_576
"""Bytes of a state, before compression."""
LONGEST: Final = 60.0
"""Seconds for one check: more than a log of a million entries takes."""


class Checkpoint(msgspec.Struct, array_like=True):
    code: bytes
    """Of the server that wrote it (`code_of`)."""
    seq: int
    entry: bytes
    """The SHA-256 of entry `seq`."""
    content: list[str]
    """The hashes of content that the rules read."""
    sum: bytes
    """The SHA-256 of `state`."""
    state: bytes
    """Compressed."""
    checked: int
    """The last entry after which the state was compared with the fold."""


def code_of(game: Game) -> bytes:
    """A hash of the code on which the state of a table depends."""
    edition = hashlib.sha256(f"{game.id} {game.lobby.edition}".encode()).digest()
    return edition + _files_of(packages(game) | {"parlour", "parlour.table"})


@cache
def _files_of(named: frozenset[str]) -> bytes:
    digest = hashlib.sha256(f"{sys.version_info[:2]}".encode())
    for package in sorted(named):
        file = getattr(sys.modules[package], "__file__", None)
        for path in sorted(Path(file).parent.iterdir()) if file is not None else ():
            if path.suffix in (".py", ".so", ".pyd"):
                digest.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.digest()


def write(table: Table, entry: bytes, checked: int) -> bytes | None:
    """A checkpoint after this entry, the last one of the table; None: it would be too large."""
    state = freeze(table)
    if len(state) > LARGEST:
        return None
    packed = zlib.compress(state, 1)
    content = [each.digest for each in table.roster.content.values()]
    digest = hashlib.sha256(entry).digest()
    sum_ = hashlib.sha256(packed).digest()
    game = table.game
    assert isinstance(game, Game)
    code = code_of(game)
    return msgspec.msgpack.encode(
        Checkpoint(code, table.version, digest, content, sum_, packed, checked)
    )


def read(data: bytes, game: Game) -> Checkpoint | None:
    """A checkpoint; None: of other code. Raises `ValueError` if it is damaged."""
    found = msgspec.msgpack.decode(data, type=Checkpoint)
    if found.code != code_of(game):
        return None
    if hashlib.sha256(found.state).digest() != found.sum:
        raise ValueError("its checksum differs")
    return found


def _state(found: Checkpoint) -> bytes:
    unpacked = zlib.decompressobj()
    state = unpacked.decompress(found.state, LARGEST)
    if unpacked.unconsumed_tail:
        raise ValueError("it is too large")
    return state


async def restore(
    game: Game, library: Library, store: Store, table: str
) -> tuple[Table, Checkpoint | None]:
    """A table of this process, from its checkpoint and the entries after it. Raises `Damaged`."""
    key = CHECKPOINT + table
    data = await store.fact(key)
    if data is not None:
        try:
            found = read(data, game)
            if found is not None:
                entries = await store.entries(table, found.seq, found.seq + 1)
                if not entries or hashlib.sha256(entries[0].data).digest() != found.entry:
                    raise ValueError("the log has another entry there")
                for digest in found.content:
                    await library.fetch(digest)
                before = thaw(game, library.held, _state(found))
                return await fold_log(game, library, store, table, before), found
        except Away:
            raise
        except Exception as wrong:
            log.error("the checkpoint of table %s is not used: %s", table, wrong)
            store.remember(key, None)
    return await fold_log(game, library, store, table), None


async def is_right(game: Game, reader: LogReader, data: bytes) -> bool | None:
    """Whether a checkpoint agrees with the log; None: that took too long. In a worker process."""
    workers = Workers(1, waiting=1, within=LONGEST)
    try:
        answer: bool = await workers.run("", lambda: (agrees, (game, reader, data)))
        return answer
    except Lost:
        return None
    finally:
        workers.end()


def agrees(game: Game, reader: LogReader, data: bytes) -> bool:
    """Fold the log from its start up to the checkpoint, and compare. Raises `Away`."""
    found = read(data, game)
    if found is None:
        return False
    try:
        claimed = thaw(game, partial(content_of, reader), _state(found))
        for table, _ in folded(game, reader):
            if table.version == found.seq:
                return same_state(table, claimed)
    except Away:  # this says nothing about the checkpoint
        raise
    except Exception:
        log.exception("a checkpoint can't be compared")
    return False
