"""The games of the house: ours, and those of whatever else is installed.

A game is found by an entry point in the group `parlour.games` that names its `Game` record,
whoever ships it.
"""

from importlib.metadata import EntryPoint, entry_points

from parlour.table import Game

GROUP = "parlour.games"
OURS = ("rummy", "cambia", "quips", "mo")
"""In the order the hall shows them; games of others come after, by name."""


def installed_games() -> tuple[Game, ...]:
    """All games there are, in the order the hall shows them."""
    found = {point.name: point for point in entry_points(group=GROUP)}
    return tuple(_load(found[name]) for name in sorted(found, key=_rank))


def _rank(name: str) -> tuple[int, str]:
    return (OURS.index(name), "") if name in OURS else (len(OURS), name)


def _load(point: EntryPoint) -> Game:
    game = point.load()
    if not isinstance(game, Game):
        raise TypeError(f"the entry point {point.name} of {GROUP} names no game: {point.value}")
    return game
