"""HTTP as data: a route says its method, its path, what it reads and how it answers.

An answer knows the `Desk` and no web framework. Origins, limits, cookies, JSON, statuses and
the OpenAPI document are the server's, once for all routes.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from types import FunctionType
from typing import Any, Final, Literal, Protocol, TypeAlias, TypeVar, TypeVarTuple, get_type_hints

import msgspec

from parlour.kit import Illegal
from parlour.protocol.operations import CONTENT, Identity, Operation
from parlour.table.roster import Content

_COUNT: Final = re.compile(r"[0-9]{1,15}")

A = TypeVar("A")
Args = TypeVarTuple("Args")
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Arrival:
    """How a request reached us, as far as its headers can be trusted."""

    address: str = ""
    """The sender's address, as limits count it."""
    scheme: str = "http"
    host: str = ""
    port: int = 0
    """The port at which browsers reach us."""
    local: bool = False
    """From this very machine, and not by way of a proxy on it."""
    proxy: Literal["none", "ignored", "believed", "missing"] = "none"
    """Whether a proxy's `X-Forwarded-For` was used; see `ConnectionInfo.proxy`."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, as an answer sees it."""

    visitor: str | None
    """The visitor who asks; None: no session, at a route that needs none."""
    params: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    """The body of the request, as the route's `body` type."""
    arrival: Arrival = field(default_factory=Arrival)
    device: str = field(default="", repr=False)
    """The cookie of a browser in which somebody signed in before; not verified yet."""

    def after(self) -> int:
        """The number in `?after=`, where a page of a list begins; 0: this is the first page."""
        # It says a node, too (`NODES_APART`): up to 15 digits.
        after = self.query.get("after", "0")
        if not _COUNT.fullmatch(after):
            raise Illegal("bad-message", "`after` is the number under `next` of the page before.")
        return int(after)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that is more than its data."""

    data: Any
    status: int = 200
    sign_in: str | None = None
    """The visitor that this browser is from now on."""
    sign_out: bool = False
    missed: bool = False
    """Whether the table asked for does not exist: counts against the limit for guesses."""


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


class Desk(Protocol):
    """The house, for HTTP routes. All its answers have been committed.

    What can't be done raises `Illegal`.
    """

    async def call(self, operation: Operation[A, *Args], *arguments: *Args) -> A:
        """Run one of the house's operations."""
        ...

    def new_visitor(self) -> str: ...

    def token(self, visitor: str) -> str:
        """A token that proves to be this visitor."""
        ...

    def name_of(self, visitor: str) -> str: ...

    async def rename(self, visitor: str, name: str) -> None: ...

    async def rename_account(self, name: str, to: str) -> None:
        """Give the account of this name another one."""
        ...

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

        `address` and `device` (`Arrival.address`, `Asked.device`) are for the limits on guesses,
        which are wider where the owner has signed in before.
        """
        ...

    async def sign_out(self, visitor: str) -> None:
        """Make every token of this visitor's void."""
        ...

    async def ranking(self, pool: str) -> Sequence[Rank]:
        """Everybody with an account in a pool of ratings, the best first."""
        ...


async def read_content(desk: Desk, content: Content) -> Content:
    """With its bytes: those of a table that another node runs are read from the record."""
    return (
        content
        if content.here
        else Content(content.digest, await desk.call(CONTENT, content.digest))
    )


Method: TypeAlias = Literal["GET", "POST", "PUT", "DELETE"]

Answer: TypeAlias = Callable[[Desk, Asked], Awaitable[Any]]
"""Gives data to be sent as JSON, or a `Reply`; refuses with `Illegal`."""


async def _nothing(desk: Desk, asked: Asked) -> None:
    raise NotImplementedError


@dataclass(frozen=True)
class Route:
    """One address and what it does. It can also decorate the method that answers (`routes_of`)."""

    method: Method
    path: str
    """With `{names}` in braces."""
    answer: Answer = _nothing
    """Its docstring describes the route in the OpenAPI document."""
    _: KW_ONLY
    who: Identity = "nobody"
    body: type[msgspec.Struct] | None = None
    """The type of the request's body. If all its fields have defaults, the body may be missing."""
    largest: int = 262_144
    """Bytes that are read for it."""
    gives: Any = Any
    """The type of the answer, for the OpenAPI document."""
    status: int = 200
    cache: str = "no-store"
    """The header `Cache-Control` of the answer."""
    slow: bool = False
    """Whether it costs so much (hashing a password) that a stricter limit holds."""

    @property
    def summary(self) -> str:
        return " ".join((self.answer.__doc__ or "").split())

    def __call__(self, function: F) -> F:
        vars(function)[Route.__name__] = self
        return function


def routes_of(owner: object) -> tuple[Route, ...]:
    """The routes that decorate methods of an object. A method that returns a struct gives that."""
    found: list[Route] = []
    for function in vars(type(owner)).values():
        if isinstance(function, FunctionType) and Route.__name__ in vars(function):
            route: Route = vars(function)[Route.__name__]
            returned = get_type_hints(function)["return"]
            if isinstance(returned, type) and issubclass(returned, msgspec.Struct):
                route = replace(route, gives=returned)
            found.append(replace(route, answer=getattr(owner, function.__name__)))
    return tuple(found)


def _refusal(code: str, sentence: str) -> dict[str, dict[str, str]]:
    return {"error": {"code": code, "message": sentence}}


@dataclass(frozen=True, kw_only=True)
class RouteSet:
    """The routes of one protocol, and how it says no."""

    title: str
    routes: tuple[Route, ...]
    refusal: Callable[[str, str], Any] = _refusal
    """Makes the JSON of a refusal from a code for programs and a sentence for people."""
    any_content_type: bool = False
    """Whether bodies are read as JSON whatever they say they are: some clients say nothing."""
