"""The door of a protocol: decides which connections are opened, for which table, and refusals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

if TYPE_CHECKING:
    from parlour.table.roster import Roster


@dataclass(frozen=True, slots=True)
class Hello:
    """A connection about to be made, as far as a wire may care."""

    path: str
    params: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    cookies: Mapping[str, str] = field(default_factory=dict, repr=False)
    """As they were sent: not decoded, and with those that this server has set."""
    offered: tuple[str, ...] = ()
    """Subprotocols the client offers."""
    origin: str | None = None
    """The origin of the page that connects; programs have none."""
    address: str = ""
    """The network address that it connects from, as limits count it."""
    credentials: tuple[str, str] | None = field(default=None, repr=False)
    """User and password of HTTP Basic, as they were sent."""
    visitor: str | None = None
    """The visitor that the client has proved to be; None: it has proved nothing."""
    bad_token: bool = False
    """It showed a token, but not one of ours."""
    bad_user: bool = False
    """It showed a token of ours that names nobody."""


@dataclass(frozen=True, slots=True)
class TurnAway:
    """No connection: an HTTP status, before any upgrade."""

    status: int
    sentence: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CloseWith:
    """Upgraded, so that the client can read why, then closed with this code."""

    code: int
    sentence: str
    first: bytes | None = None
    """A last message before the close."""


class At(msgspec.Struct, frozen=True, tag=True):
    """The table with this id or code, or where this match is played."""

    table: str


class Own(msgspec.Struct, frozen=True, tag=True):
    """A new private table with these settings; with `last`, the table at which this visitor sat
    last, if it still exists."""

    settings: dict[str, Any] = {}
    last: bool = False


class Common(msgspec.Struct, frozen=True, tag=True):
    """The house's own table of this game, there for everybody and opened when first needed."""


class Seek(msgspec.Struct, frozen=True, kw_only=True):
    """Where the newcomer wants to be."""

    where: At | Own | Common
    watch: bool = False
    key: str | None = None
    """The password it sends, where the table has one."""
    claim: str | None = None
    """The key of the player it says it is."""
    by_name: bool = False
    """Whether its protocol knows no key: it is the player of its name who came from its address by
    the same protocol, and is away."""
    stranger: bool = False
    """Whether it is a new visitor each time, even in a browser whose name we know."""
    resumable: bool = False
    """Whether the visitor can prove later to be the same one."""
    name: str | None = None
    """The name it asks for; None: the name that the house knows."""
    language: str = ""
    """The language of its person (BCP 47), if its client names one."""


class Origins(Enum):
    """The origins whose pages may connect, besides those that are configured."""

    OUR_PAGE = "our page"
    SAME_HOST = "same host"
    """Pages from any port of the host we are reached by. They speak for no visitor of ours."""


GUESSED_WRONG: Final = frozenset({"no-such-table", "table-shut", "bad-password"})
"""Refusals after a wrong code or password. They count against the limit for guesses."""

_CLOSE_CODES = {"no-such-table": 4404, "table-full": 4409, "round-running": 4409, "closing": 1001}


class Door:
    """Decides about connections of one protocol. The usual way is here; subclasses differ."""

    subprotocols: ClassVar[tuple[str, ...]] = ()
    cookie: ClassVar[str] = ""
    """The cookie in which clients keep the session's token, besides ours; "": none. A newcomer's is
    set in the upgrade, and by the game's routes."""
    origins: ClassVar[Origins] = Origins.OUR_PAGE

    def meant(self, hello: Hello) -> bool:
        """Whether a connection is for this protocol, where several are spoken at one address.

        The first of a game's doors that says so has it.
        """
        return True

    def seek(self, hello: Hello) -> Seek | TurnAway | CloseWith:
        """Where this connection belongs.

        Unless a protocol has its own way: `?table=` and `?watch=` name a table, `?token=` alone
        goes back to the last one. Without any of them each connection is a player of its own, at
        a new private table, so that two windows of one browser can play against each other.
        """
        if hello.bad_token and "token" in hello.query:
            return TurnAway(403, "This token is not one of ours.")
        if "watch" in hello.query:
            return Seek(where=At(hello.query["watch"]), watch=True)
        if "table" in hello.query:
            return Seek(where=At(hello.query["table"]), resumable=hello.visitor is not None)
        known = "token" in hello.query
        return Seek(where=Own(last=known), stranger=not known, resumable=known)

    def admit(self, hello: Hello, roster: Roster | None) -> TurnAway | CloseWith | None:
        """A last check before the upgrade, with the table that was found (None: there is none)."""
        return None

    def turn_away(self, code: str, sentence: str) -> CloseWith:
        """How a connection ends that the table refused, or whose player was put out.

        The code "closing" is for those who should come back: the server restarts, or they were
        silent for too long. Without a last message (`first`), that is the codec's refusal.
        """
        return CloseWith(_CLOSE_CODES.get(code, 4403), sentence)
