"""The facts about a game that its author gives to the battery; it derives all others."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Protocol
from unittest.mock import patch

from parlour.battery.derive import random_action, random_settings
from parlour.battery.plain import plain_client
from parlour.kit import Seat
from parlour.protocol import Game, Wire
from parlour.rng import Rng

MakeRng = Callable[[bytes, str], Rng]
"""Replaces `ProvableRng`: `(seed, label) -> Rng`."""


class Client(Protocol):
    """A strict client of a wire: it knows what its messages told it, and nothing else."""

    def hear(self, message: bytes) -> None:
        """One message, in the order of sending; a greeting's come first."""
        ...

    def summary(self) -> Any:
        """The part that must be the same for an old and a new connection."""
        ...


@dataclass(frozen=True)
class Transcript:
    """A night whose every frame is kept in a golden file."""

    name: str
    seats: int
    seed: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    steps: int = 0
    """Steps of random play, with people who come and go; 0: bots play to the end."""


@dataclass(frozen=True)
class Position:
    """A deal from which the reachable positions are counted."""

    seats: int
    seed: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    depth: int = 3


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One game in the battery. A simple game gives `game`, `cards` and `knows`."""

    game: Game
    cards: Callable[[Any], Iterable[Any]]
    """Every physical card of a match, one hashable entry per place it lies in. Dice and other
    numbers that are drawn with `rng.below` and hidden from somebody, too."""
    knows: Callable[[Any, Seat | None], Iterable[Any]]
    """The cards whose faces a seat (None: a spectator) may know now, from the rules' state.

    As they were shuffled (in a game that shuffles faces: the faces), alone or inside of
    dataclasses and lists. Write it from the rules, never from `view`: the two are compared. It is
    not asked once a match is over.
    """
    follows: Callable[[Any], Any] = lambda event: None
    """The part of an event that the rules tell everybody, though it follows from cards that stay
    hidden: who lost when two hands were compared. None: nothing. Worlds in which this differs are
    left out."""
    open: bool = False
    """Whether everything lies open, so that there is nothing to hide."""
    reveals: Callable[[Any], Iterable[Any]] = lambda event: ()
    """Cards that an event shows to everybody, and that are hidden again after the same input: a
    start card that was buried, say. No state shows these."""
    remembers: bool = False
    """Whether a seat may be shown again what it knew once and does not know now."""
    is_card: Callable[[Any], bool] = lambda thing: True
    """Whether something that the rules shuffle is a card (and not a seat, say)."""
    alike: Callable[[Any], Any] = lambda card: None
    """The part of a hidden card that everybody can see, its price say: in other worlds, cards are
    exchanged only where this is the same."""
    settings: Callable[[Random], dict[str, Any]] | None = None
    """A random settings patch; None: made from the types and limits of the settings."""
    garbage: Callable[[Random, Any], Any] | None = None
    """A random action, most likely wrong, with ids partly from the match; None: made from the
    fields of the actions."""
    meant: Callable[[Any, Seat, Any], Any] = lambda match, seat, action: action
    """`(match, seat, action)`: the same action as choices spell it, where the rules take other
    spellings too: a card named by its place instead of its id, say."""
    answered: tuple[type[Any], ...] = ()
    """Kinds of action that are sometimes answered by an event instead of being refused. Then they
    change nobody's choices."""
    client: Callable[[Wire], Client | None] = plain_client
    """A strict client for a wire, where there is one; for a `plain_wire` there is."""
    chance: tuple[str, ...] = ("parlour.table.table.ProvableRng",)
    """Where the game gets its random numbers, as a name for `unittest.mock.patch`."""
    rare: Mapping[type[Any], float] = field(default_factory=dict)
    """Kinds of action that random play takes less often, such as ending the match."""
    bot_games: int = 40
    """How many bot games per player count a quick run plays to the end."""
    golden: Path | None = None
    """The folder of its golden files, beside its tests; None: it has none."""
    transcripts: tuple[Transcript, ...] = ()
    """The golden transcripts; without any, one night of random play."""
    positions: tuple[Position, ...] = ()
    """Where counting begins; without any, one deal to the smallest number of players."""

    def some_settings(self, rnd: Random) -> dict[str, Any]:
        """A patch that the game takes."""
        if self.settings is not None:
            return self.settings(rnd)
        return random_settings(self.game, rnd)

    def some_action(self, rnd: Random, match: Any, seats: int) -> Any:
        """An action, most likely wrong."""
        if self.garbage is not None:
            return self.garbage(rnd, match)
        return random_action(self.game.actions, rnd, match, seats)

    @contextmanager
    def dealt_by(self, make_rng: MakeRng | None) -> Generator[None]:
        """In this block random numbers come from `make_rng`; None: from the usual place."""
        with ExitStack() as stack:
            if make_rng is not None:
                for name in self.chance:
                    stack.enter_context(patch(name, make_rng))
            yield
