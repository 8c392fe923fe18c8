"""HTTP as data: a route says its method, its path, what it reads and how it answers.

An answer knows the `Desk` and no web framework. Origins, limits, cookies, JSON, statuses and
the OpenAPI document are the server's, once for all routes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from parlour.table.inputs import Input
from parlour.table.roster import Roster

Identity: TypeAlias = Literal["nobody", "anybody", "known", "newcomer"]
"""Who may ask: nobody in particular (no session is looked at), anybody (None for who has no
session), only who is known (401 without a session, 403 with a bad one), or anybody, who has a
session from then on."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """How a request reached us, as far as we believe it."""

    address: str = ""
    """What limits know its sender by."""
    scheme: str = "http"
    host: str = ""
    port: int = 0
    """The port at which browsers reach us."""
    local: bool = False
    """From this very machine, and not by way of a proxy on it."""
    proxy: Literal["none", "ignored", "believed", "missing"] = "none"
    """What became of a proxy's word (`X-Forwarded-For`)."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, as far as an answer may care."""

    visitor: str | None
    """Who asks; None where the route lets anybody ask and nobody said who they are."""
    params: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    """What was sent, as the route's `body` type."""
    arrival: Arrival = field(default_factory=Arrival)
    device: str = field(default="", repr=False)
    """What it shows to prove that somebody has signed in there before; not checked yet."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that is more than its data."""

    data: Any
    status: int = 200
    sign_in: str | None = None
    """The visitor that this browser is from now on."""
    sign_out: bool = False
    missed: bool = False
    """It was asked about a table that is none: that costs as much as to be refused for it."""


@dataclass(frozen=True, slots=True)
class Rank:
    """Somebody's standing in a pool of ratings."""

    rank: int
    visitor: str
    name: str
    rating: float
    rd: float
    """How far off the rating may be."""
    games: int
    wins: int
    peak: float


@dataclass(frozen=True, slots=True)
class TablePage:
    """Some tables of a list, and where it goes on."""

    tables: Sequence[Roster]
    next: int = 0
    """What the next page comes after; 0: this is the last."""


class Desk(Protocol):
    """What the house does for who asks by HTTP. Everything told here has been committed.

    What can't be done raises `Illegal`.
    """

    async def open_table(
        self,
        game: str,
        visitor: str,
        settings: dict[str, Any],
        *,
        public: bool = False,
        bots: int = 0,
        strength: str = "",
        address: str = "",
    ) -> Roster:
        """`address` is where it was asked from (`Arrival.address`)."""
        ...

    async def find_table(self, table: str) -> Roster | None:
        """By id or code, or by the id of a match played there: then even if it has closed.

        Raises `Illegal` if there is such a table but it stays shut.
        """
        ...

    async def list_tables(self, game: str | None, visitor: str | None, after: int = 0) -> TablePage:
        """The tables this visitor sits at or is invited to, and then the public ones, a page at
        a time: `after` is the page before's `next`."""
        ...

    async def run_table(self, table: str, visitor: str | None, entry: Input) -> Roster:
        """Do something to a table as its opener or as a member; None: as the operator."""
        ...

    async def common_table(self, game: str) -> Roster:
        """The house's own table of a game, opened if there is none."""
        ...

    async def add_content(
        self, table: str, visitor: str, name: str, data: bytes, address: str = ""
    ) -> Roster:
        """Let the rules read more content at a table that this visitor runs; `address` is where
        it was asked from."""
        ...

    async def replay(self, replay: str, visitor: str | None) -> Any:
        """A finished match, as far as this visitor may know it."""
        ...

    def new_visitor(self) -> str: ...

    def token(self, visitor: str) -> str:
        """What proves to be this visitor."""
        ...

    def name_of(self, visitor: str) -> str: ...

    async def rename(self, visitor: str, name: str) -> None: ...

    def account_of(self, visitor: str) -> str | None:
        """The username of their account; None: a guest."""
        ...

    async def register(
        self, visitor: str, username: str, password: str, email: str, address: str
    ) -> None:
        """Give a visitor an account."""
        ...

    async def login(self, handle: str, password: str, address: str, device: str) -> str | None:
        """The visitor whose username or e-mail address and password these are.

        `address` and `device` are where it was asked from (`Arrival.address`, `Asked.device`): who
        guesses is slowed down, and not where the owner has signed in before.
        """
        ...

    async def sign_out(self, visitor: str) -> None:
        """Make every token of this visitor's void."""
        ...

    async def ranking(self, pool: str) -> Sequence[Rank]:
        """Everybody with an account in a pool of ratings, the best first."""
        ...


Answer: TypeAlias = Callable[[Desk, Asked], Awaitable[Any]]
"""Gives data to be sent as JSON, or a `Reply`; refuses with `Illegal`."""


@dataclass(frozen=True, kw_only=True)
class Route:
    """One address and what it does."""

    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    """With `{names}` in braces."""
    answer: Answer
    summary: str
    who: Identity = "nobody"
    body: type[Any] | None = None
    """What is read from the request; it may be left out where all its fields have defaults."""
    largest: int = 262_144
    """Bytes that are read for it."""
    gives: Any = Any
    """What is answered, for the OpenAPI document."""
    status: int = 200
    cache: str = "no-store"
    """What caches may do with the answer (`Cache-Control`)."""
    slow: bool = False
    """Whether it costs so much (hashing a password) that a stricter limit holds."""


@dataclass(frozen=True, kw_only=True)
class RouteSet:
    """The routes of one protocol, and how it says no."""

    title: str
    routes: tuple[Route, ...]
    refusal: Callable[[str, str], Any]
    """What a refusal looks like: of a code for programs and a sentence for people."""
    cookie: str = ""
    """The name under which this protocol's clients know the session's token, besides ours."""
    any_content_type: bool = False
    """Whether bodies are read as JSON whatever they say they are: some clients say nothing."""
