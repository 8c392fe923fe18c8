"""A failure at a table as a file, from which it is repeated elsewhere (`parlour debug`).

The file has all inputs of the table up to the one that failed, who was told of it over which wire,
and where it failed. It names nobody: names, ids, addresses, passwords and talk are replaced. It has
the secrets of the matches so far, so keep it from players whose match still runs.
"""

from __future__ import annotations

import asyncio
import logging
import platform
import traceback
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final
from zlib import crc32

import msgspec

from parlour.bus import JoinRequest
from parlour.house.audience import Attachment, Audience
from parlour.house.exported import Aliases, Retold, bot_names, lines_of, own_content
from parlour.house.library import content_of
from parlour.house.recorded import Step
from parlour.kit import Illegal
from parlour.protocol import Game
from parlour.store import LogEntry, LogReader
from parlour.table import Table
from parlour.table import inputs as do

log = logging.getLogger("parlour.house")

FORMAT: Final = 1
MOST: Final = 20
"""Files in the folder: an operator is to look at these before there are more."""
_FRAMES: Final = 12
"""The last ones of a traceback that are written down."""


class Viewer(msgspec.Struct, frozen=True):
    """A connection that was told what happened."""

    wire: str
    place: int | None
    extras: str | None


class Head(msgspec.Struct, kw_only=True):
    """The first line."""

    parlour_failure: int
    """The version of the format."""
    parlour: str
    python: str
    game: str
    edition: int
    failed: str
    """The kind of exception, and where it was raised: without its text, which may name somebody."""
    trace: list[str]
    viewers: list[Viewer]
    secrets: list[str]
    commitments: list[str]
    bots: list[str]


class Line(msgspec.Struct):
    """Each further line."""

    at: int
    input: msgspec.Raw


class Failed(msgspec.Struct, frozen=True):
    """A failure of a live table: the exception, the input, and who was told of it."""

    wrong: Exception
    at: int
    input: bytes
    viewers: list[Viewer]


def viewers_of(audience: Audience) -> list[Viewer]:
    return [Viewer(a.wire.name, a.place, a.request.extras) for a in audience.attachments]


def where(wrong: BaseException) -> str:
    """The kind of an exception, and the function that raised it."""
    frames = _frames(wrong)
    last = f" in {frames[-1].name} ({_file(frames[-1])})" if frames else ""
    return type(wrong).__name__ + last


def _frames(wrong: BaseException) -> list[traceback.FrameSummary]:
    return list(traceback.extract_tb(wrong.__traceback__))


def _file(frame: traceback.FrameSummary) -> str:
    """Without the folders of this machine."""
    return "/".join(Path(frame.filename).parts[-3:])


class Failures:
    """The folder with the failures of a house."""

    def __init__(self, folder: Path | None) -> None:
        """None: they are not kept."""
        self._folder = folder

    async def keep(
        self, game: Game, reader: LogReader, wrong: BaseException, failed: Failed | None = None
    ) -> None:
        """Write a file. `failed`: the input is perhaps not in the log."""
        if self._folder is not None:
            try:
                await asyncio.to_thread(self._keep, self._folder, game, reader, wrong, failed)
            except Exception:
                log.exception("the failure can't be written down")

    @staticmethod
    def _keep(
        folder: Path, game: Game, reader: LogReader, wrong: BaseException, failed: Failed | None
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        # The first of its kind is enough: a table that is set up again may fail again.
        file = folder / f"{game.id}-{crc32(where(wrong).encode()):08x}.jsonl"
        if file.exists():
            return
        if sum(1 for _ in folder.iterdir()) >= MOST:
            log.warning("%s has %d failures: no more are written down", folder, MOST)
            return
        lines = bundled(game, reader, wrong, failed)
        file.write_bytes(b"".join(line + b"\n" for line in lines))
        log.error("what is needed to repeat the failure is in %s (parlour debug)", file)


def bundled(
    game: Game, reader: LogReader, wrong: BaseException, failed: Failed | None = None
) -> list[bytes]:
    """The lines of the file."""
    entries = list(reader.entries())
    last = None if failed is None else LogEntry(len(entries), failed.at, failed.input)
    if last is not None and (last.at, last.data) != (entries[-1].at, entries[-1].data):
        entries.append(last)
    opening = do.decode(entries[0].data)
    assert isinstance(opening, do.Open)
    table = Table(game, opening, entries[0].at, partial(content_of, reader))
    aliases = Aliases(game, nameless=True)
    lines: list[bytes] = []
    bots: list[str] = []
    for entry in entries:
        step = Step(entry.at, do.decode(entry.data), [], entry.data)
        aliases.learn(table)
        lines.append(msgspec.json.encode(Line(entry.at, msgspec.Raw(aliases.input(step)))))
        try:
            if lines[1:]:
                happened = table.receive(step.input, entry.at)
                bots += bot_names(table, step._replace(happened=happened))
            table.logged(entry.at, step.input, entry.data)
        except Exception:  # the one that is written down
            break
    # The input that failed may be the one that deals.
    dealt = table.roster.round + 1
    head = Head(
        parlour_failure=FORMAT,
        parlour=version("parlour"),
        python=platform.python_version(),
        game=game.id,
        edition=opening.edition,
        failed=where(wrong),
        trace=[f"{_file(f)}:{f.lineno} {f.name}" for f in _frames(wrong)[-_FRAMES:]],
        viewers=[] if failed is None else failed.viewers,
        secrets=[table.match_secret(number + 1).hex() for number in range(dealt)],
        commitments=[table.promise(number + 1) for number in range(dealt + 1)],
        bots=bots,
    )
    return [msgspec.json.encode(head), *lines]


def read(path: Path) -> tuple[Head, list[LogEntry]]:
    """A file; raises `Illegal` if it is none of ours."""
    try:
        with path.open("rb") as file:
            first, *rest = lines_of(file)
        head = msgspec.json.decode(first, type=Head)
        lines = [msgspec.json.decode(line, type=Line) for line in rest]
    except (ValueError, OSError):
        raise Illegal("bad-file", f"{path} is no failure that Parlour wrote down.") from None
    if head.parlour_failure != FORMAT:
        raise Illegal("bad-file", f"{path} was written by a newer Parlour.")
    return head, [LogEntry(seq, line.at, bytes(line.input)) for seq, line in enumerate(lines)]


def repeat(game: Game, head: Head, entries: Sequence[LogEntry]) -> Exception | None:
    """Fold the entries and tell the viewers of the last one; returns how that fails."""
    try:
        first, *others, last = entries
        opening, content = do.decode(first.data), partial(_content, game)
        known = head.secrets, head.commitments, head.bots
        table = Retold(*known, game, opening, first.at, content)
        table.logged(first.at, opening, first.data)
        for entry in others:
            put = do.decode(entry.data)
            table.receive(put, entry.at)
            table.logged(entry.at, put, entry.data)
        audience = Audience(table, lambda: last.at)
        for number, viewer in enumerate(head.viewers, 1):
            audience.follow(_attachment(game, number, viewer))
        audience.tell(table.receive(do.decode(last.data), last.at))
    except Exception as wrong:
        return wrong
    return None


def _attachment(game: Game, number: int, viewer: Viewer) -> Attachment:
    request = JoinRequest(
        connection=number, game=game.id, wire=viewer.wire, visitor="", extras=viewer.extras
    )
    return Attachment(request, game.wire(viewer.wire), "", viewer.place)


def _content(game: Game, digest: str) -> bytes:
    data = own_content(game, digest)
    if data is None:
        raise LookupError(f"the table had content that is not in the file ({digest})")
    return data
