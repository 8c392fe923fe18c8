"""The settings and the files (card packs) that the configuration gives to tables of each game."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from parlour.house import TableDefaults, WordList
from parlour.kit import Illegal
from parlour.protocol import Game
from parlour.server.config import BadConfig, Config, is_file, read_text

log = logging.getLogger("parlour.server")

MOST_FILES = 200
MOST_BYTES = 4 * 1024 * 1024
"""Of one file: more than any game accepts."""


def table_defaults(games: Sequence[Game], config: Config) -> dict[str, TableDefaults]:
    """By game. A file that no game accepts is logged and skipped."""
    known = {game.id: game for game in games}
    for name, patch in config.games.items():
        if name not in known:
            raise BadConfig(f"games: there is no game called {name!r}.")
        try:
            known[name].configure(known[name].settings(), patch)
        except Illegal as no:
            raise BadConfig(f"games.{name}: {no.sentence}") from None
    content = _read_packs(games, config)
    return {
        game.id: TableDefaults(config.games.get(game.id, {}), content.get(game.id, {}))
        for game in games
    }


def _read_packs(games: Sequence[Game], config: Config) -> dict[str, dict[str, bytes]]:
    found: dict[str, dict[str, bytes]] = {}
    if config.packs is None:
        return found
    for file in _files(Path(config.packs)):
        try:
            if file.stat().st_size > MOST_BYTES:
                raise Illegal("bad-content", "It is too large.")
            game, data = _taken(games, found, file.read_bytes())
        except Illegal as no:
            log.warning("%s is skipped: %s", file.name, no.sentence)
        except OSError as wrong:
            log.warning("%s is skipped: it can't be read (%s)", file.name, wrong.strerror)
        else:
            found.setdefault(game.id, {})[f"packs/{file.name}"] = data
    return found


def _files(folder: Path) -> Iterator[Path]:
    files = sorted(file for file in folder.iterdir() if file.suffix == ".json" and file.is_file())
    for file in files[MOST_FILES:]:
        log.warning("%s is skipped: there are more than %d files", file.name, MOST_FILES)
    yield from files[:MOST_FILES]


def _taken(
    games: Sequence[Game], found: Mapping[str, Mapping[str, bytes]], data: bytes
) -> tuple[Game, bytes]:
    """The game that accepts these bytes, and what it reads; `Illegal` if none does."""
    reasons: list[str] = []
    for game in games:
        if game.lobby.content is None:
            continue
        try:
            there = {**game.lobby.content.own(game.settings()), **found.get(game.id, {})}
            return game, game.lobby.content.read(data, there)
        except Illegal as no:
            reasons.append(no.sentence)
    raise Illegal("bad-content", " ".join(reasons) or "No game takes files.")


def word_list(config: Config) -> WordList:
    if config.word_list is None:
        return WordList()
    if not is_file(config.word_list):
        # Reading another kind of file may never end.
        raise BadConfig(f"The word list {config.word_list} is not there, or no regular file.")
    return WordList(read_text("word list", Path(config.word_list)).splitlines())
