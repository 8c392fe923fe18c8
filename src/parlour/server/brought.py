"""Files that a game brings for the page (`Game.assets`): an emblem, decks, a board of its own."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from aiohttp import web

from parlour.protocol import Game
from parlour.server.page import CheckRate
from parlour.server.routes import unless_known

log = logging.getLogger("parlour.server")

TYPES: Final = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webp": "image/webp",
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".woff2": "font/woff2",
}
MOST_FILES: Final = 500
LARGEST: Final = 1_000_000
"""Bytes of a file."""
_NAME: Final = re.compile(r"(?:[a-z0-9_-]{1,60}/){0,3}[a-z0-9_-]{1,60}\.[a-z0-9]{2,5}")


@lru_cache
def files_of(assets: str) -> Mapping[str, Path]:
    """The files of a folder that may be served, by their paths below it; read once.

    Only files that are found here are served, so no address leads out of the folder.
    """
    if not assets:
        return {}
    files: dict[str, Path] = {}
    for name, file in _found(Path(assets)):
        fault = _fault(name, file)
        if fault:
            log.warning("%s is not served: %s", file, fault)
        elif len(files) == MOST_FILES:
            log.warning("%s has more than %d files: the others are not served", assets, MOST_FILES)
            break
        else:
            files[name] = file
    return files


def _found(folder: Path) -> Iterator[tuple[str, Path]]:
    for file in sorted(folder.rglob("*")):
        # A link could lead out of the package. Compressed copies are sent instead of their files.
        if file.is_file() and file.resolve() == folder.resolve() / file.relative_to(folder):
            yield file.relative_to(folder).as_posix(), file


def _fault(name: str, file: Path) -> str:
    if file.suffix not in TYPES:
        return "files of this type are not"
    if not _NAME.fullmatch(name):
        return "its name may have small letters, digits, _ and - in it"
    if file.stat().st_size > LARGEST:
        return f"it has more than {LARGEST} bytes"
    return ""


def brings(game: Game) -> list[str]:
    """The files of a game; for a deck only the name of its folder."""
    names = files_of(game.assets)
    return sorted({"/".join(name.split("/")[:2]) for name in names})


def add_brought(app: web.Application, games: Sequence[Game], check_rate: CheckRate) -> None:
    """Serve these files below `/package/{game}/`."""
    by_game = {game.id: files_of(game.assets) for game in games}

    async def brought(request: web.Request) -> web.StreamResponse:
        check_rate(request)
        file = by_game.get(request.match_info["game"], {}).get(request.match_info["name"])
        if file is None or not file.is_file():
            raise web.HTTPNotFound
        headers = {"Cache-Control": "no-cache", "Content-Type": TYPES[file.suffix]}
        if file.suffix == ".json":
            # Translations: a middleware compresses JSON that is not a file.
            return unless_known(request, web.Response(body=file.read_bytes(), headers=headers))
        return web.FileResponse(file, headers=headers)

    app.router.add_get("/package/{game}/{name:.{1,250}}", brought)
