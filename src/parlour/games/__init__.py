"""The games of the house: ours, and those of whatever else is installed.

A game is found by an entry point in the group `parlour.games` that names its `Game` record,
in whatever package. A game that can't be loaded is logged and left out; the others are served.
"""

import logging
from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points

from parlour.protocol import Game

log = logging.getLogger("parlour.games")

GROUP = "parlour.games"
OURS = ("rummy", "cambia", "quips", "onu", "mo")
"""In the order the hall shows them; games of others come after, by name."""


def installed_games() -> tuple[Game, ...]:
    """All games there are, in the order the hall shows them."""
    games: list[Game] = []
    for point in sorted(entry_points(group=GROUP), key=_rank):
        try:
            game = _load(point)
            _check_room(game, games)
        # A broken package of somebody else must not keep the server from starting.
        except Exception as wrong:
            log.error("%s is left out: %s: %s", _origin(point), type(wrong).__name__, wrong)
        else:
            games.append(game)
    return tuple(games)


def _rank(point: EntryPoint) -> tuple[int, str]:
    # Nobody else's package takes the name of one of ours.
    ours = point.name in OURS and point.value.startswith("parlour.")
    return (OURS.index(point.name), "") if ours else (len(OURS), point.name)


def _load(point: EntryPoint) -> Game:
    game = point.load()
    if not isinstance(game, Game):
        raise TypeError(f"{point.value} is not a parlour.protocol.Game")
    if game.id != point.name:
        raise ValueError(f"its entry point is called {point.name}, its Game.id is {game.id}")
    return game


def _check_room(game: Game, others: Iterable[Game]) -> None:
    """Whether a game's name and addresses are free."""
    for other in others:
        if other.id == game.id:
            raise ValueError("there is a game of that name already")
        for path in _paths(game) & _paths(other):
            raise ValueError(f"its address {path} is taken by the game {other.id}")


def _paths(game: Game) -> set[str]:
    return {path for wire in game.wires for path in wire.paths}


def _origin(point: EntryPoint) -> str:
    package = "" if point.dist is None else f" of the package {point.dist.name}"
    return f"the game {point.name}{package}"
