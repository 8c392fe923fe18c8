"""Services that all tables of a house share, and the server's hooks and limits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from parlour.bus import Bus, ConnectionId
from parlour.house.failures import Failures
from parlour.house.index import TableIndex
from parlour.house.journal import Journal
from parlour.house.library import Library
from parlour.house.slow_answers import SlowAnswers
from parlour.house.words import WordList
from parlour.kit import Experience, Millis, Outcome
from parlour.protocol import Game
from parlour.table import Roster

if TYPE_CHECKING:
    from parlour.house.audience import Attachment
    from parlour.house.live import LiveTable
    from parlour.house.loader import Loader


AT_ONCE: Final = 4
"""Logs that are folded at the same time for people who come back."""


async def _nothing_to_claim(game: Game, settings: object) -> str | None:
    return None


@dataclass(frozen=True)
class Hooks:
    """Functions of the server that the house calls."""

    finished: Callable[[Roster, Outcome], None] = lambda roster, outcome: None
    """A match is over. To be written down, not to be told: it is not committed yet."""
    may_open: Callable[[Game, object], None] = lambda game, settings: None
    """Somebody wants a table with these settings; raises `Illegal` if they can't be had."""
    claim: Callable[[Game, object], Awaitable[str | None]] = _nothing_to_claim
    """Somebody wants a table with these settings. If they contain a name that only one live table
    may have, reserve it in the store and return the code of the table to be; `Illegal` if taken."""
    opened: Callable[[Roster], None] = lambda roster: None
    """A table is open, or open again. This is not committed yet."""
    released: Callable[[Roster], None] = lambda roster: None
    """Another node runs this table from now on."""
    name_held: Callable[[str, Container[str]], bool] = lambda name, visitors: False
    """Whether a name belongs to an account of none of these visitors."""
    refused: Callable[[str, str], None] = lambda game, code: None
    may_look: Callable[[str], bool] = lambda address: True
    """Whether this address may try one more table code or password over a socket."""
    charge_miss: Callable[[str], None] = lambda address: None
    """That code or password was wrong."""
    checkpoint_wrong: Callable[[], None] = lambda: None
    """A checkpoint differs from the log; it is no longer used."""
    slept: Callable[[int, int], None] = lambda count, awake: None
    """So many tables have left the memory; so many are still there."""
    tables: Callable[[int], None] = lambda count: None
    """How many tables there are now."""


@dataclass(frozen=True)
class HouseLimits:
    """Limits for one visitor, and for the whole house."""

    tables: int = 10_000
    tables_per_visitor: int = 20
    spectators: int = 50
    keep_seats: Millis = 600_000
    """How long the seats of people who are away are kept, at tables opened from now on."""


@dataclass(frozen=True)
class TableDefaults:
    """Defaults for the tables of one game at this house."""

    settings: Mapping[str, object] = field(default_factory=dict)
    """A patch of the game's settings; what a table is opened with overrides it."""
    content: Mapping[str, bytes] = field(default_factory=dict)
    """By name, besides the game's own; checked by `Content.read`."""


@dataclass
class Services:
    """Shared by all live tables of a house."""

    journal: Journal
    bus: Bus
    library: Library
    hooks: Hooks
    limits: HouseLimits
    defaults: Mapping[str, TableDefaults]
    """By game."""
    words: WordList
    bot_pace: float
    failures: Failures
    loader: Loader = field(init=False)
    index: TableIndex = field(default_factory=TableIndex)
    slow_answers: SlowAnswers = field(default_factory=SlowAnswers)
    experience: dict[str, Experience] = field(default_factory=dict)
    """By game: what its bots have learned."""
    catching_up: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    """Held while a log is folded for somebody who comes back."""
    attachments: dict[ConnectionId, tuple[LiveTable, Attachment]] = field(default_factory=dict)
    """All connections of all tables."""
