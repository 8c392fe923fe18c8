"""A wire: one published protocol, as two translations without any I/O.

In: bytes to what somebody wants. Out: an event, already viewed, to bytes. A wire never
sees a match; for the lobby it reads the `Roster`, which holds public facts only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import msgspec

from parlour.kit import Millis
from parlour.table.events import Kicked
from parlour.table.inputs import Input

if TYPE_CHECKING:
    from parlour.table.roster import Player, Roster


class BadMessage(Exception):
    """Bytes that are no message of this protocol: a code for programs, a sentence for people."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


# What a frame may ask for


@dataclass(frozen=True, slots=True)
class MoveTo:
    """Get up here and sit down at the table with this code."""

    code: str


@dataclass(frozen=True, slots=True)
class SitDown:
    """Who watches wants to play, if there is room."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """An action where a wrong answer counts too: refused, it is logged as a `Fumble`.

    None: not even an action could be read from the message.
    """

    action: Any | None


@dataclass(frozen=True, slots=True)
class Question:
    """Something to be answered to the asker alone, from what it has been shown."""

    kind: str
    about: Any = None
    slow: bool = False
    """Takes long enough that a worker process answers."""
    effort: float = 1.0
    """How much of its usual thought a slow answer may cost: less when many wait."""
    notes: Any = None
    """What an earlier answer to the same asker noted for the next ones (`Answer.notes`)."""


@dataclass(frozen=True, slots=True)
class InContext:
    """A message whose meaning hangs on what its sender has been shown: see `Wire.understand`."""

    message: Any


@dataclass(frozen=True, slots=True)
class Answer:
    """Messages to send straight back; the table need not hear of it.

    `notes` go into the asker's next `Question`, as long as this process runs the table: what an
    answer says must be right without them. None: the earlier ones stay.
    """

    data: bytes | Sequence[bytes]
    notes: Any = None


@dataclass(frozen=True, slots=True)
class Applaud:
    """Who watches calls something out (see `Talk.words`). It leaves no trace."""

    text: str


@dataclass(frozen=True, slots=True)
class Quit:
    """Get up for good, and close the connection."""


@dataclass(frozen=True, slots=True)
class WaitForSeat:
    """Who watches wants the next free seat. `key`: what the table asks for (a password)."""

    key: str | None = None


@dataclass(frozen=True, slots=True)
class StopWaiting:
    """Who waits for a seat no longer wants one."""


Wish: TypeAlias = (
    Input
    | MoveTo
    | SitDown
    | WaitForSeat
    | StopWaiting
    | Attempt
    | InContext
    | Question
    | Answer
    | Applaud
    | Quit
    | None
)
"""What one frame asks for. None: nothing (a pong, say), or nothing we would answer."""


# Coming in


@dataclass(frozen=True, slots=True)
class Hello:
    """A connection about to be made, as far as a wire may care."""

    path: str
    params: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    cookies: Mapping[str, str] = field(default_factory=dict, repr=False)
    """As they were sent: not decoded, and names of ours among them."""
    offered: tuple[str, ...] = ()
    """Subprotocols the client offers."""
    origin: str | None = None
    """The origin of the page that connects; programs have none."""
    address: str = ""
    """Where it connects from, as far as limits tell addresses apart."""
    credentials: tuple[str, str] | None = field(default=None, repr=False)
    """User and password of HTTP Basic, as they were sent."""
    visitor: str | None = None
    """Who the client proved to be, if it did."""
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
    """A private table of one's own with these settings; or rather, where `last`, the one this
    visitor last sat at, if that still is."""

    settings: dict[str, Any] = {}
    last: bool = False


class Common(msgspec.Struct, frozen=True, tag=True):
    """The house's own table of this game, there for everybody and opened when first needed."""


class Seek(msgspec.Struct, frozen=True, kw_only=True):
    """Where the newcomer wants to be."""

    where: At | Own | Common
    watch: bool = False
    key: str | None = None
    """What it shows to be let in, where the table asks for something (a password)."""
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
    """What it wants to be called here; None: what the house knows it by."""
    for_match: bool = False
    """Whether the connection is for the match under way only, and ends with it."""
    language: str = ""
    """What its person reads (BCP 47), as far as its client says so."""


class Origins(Enum):
    """Whose pages may connect, besides those that the configuration allows."""

    OUR_PAGE = "our page"
    SAME_HOST = "same host"
    """Pages from any port of the host we are reached by. They speak for no visitor of ours."""


_CLOSE_CODES = {"no-such-table": 4404, "table-full": 4409, "round-running": 4409, "closing": 1001}


class Wire:
    """One protocol of one game. Subclasses speak it; what most of them need is here."""

    name: ClassVar[str]
    paths: ClassVar[tuple[str, ...]]
    incoming: ClassVar[Any]
    """The union of message types clients send; the published documents are made from both."""
    outgoing: ClassVar[Any]
    """The union of message types we send."""
    subprotocols: ClassVar[tuple[str, ...]] = ()
    upgrade_cookie: ClassVar[str] = ""
    """The cookie in which a newcomer's identity is set in the upgrade; "": none."""
    worker_module: ClassVar[str] = ""
    """The module its slow answers need, loaded before the first is asked for; "": none."""
    snapshot_on: ClassVar[frozenset[type[Any]]] = frozenset()
    """Events of which everybody is told by `snapshot` instead of `encode`."""
    lobby_only: ClassVar[bool] = False
    """Whether nobody can play over it: to be connected so is not to be at the match."""
    framed: ClassVar[bool] = False
    """Whether `frame` has anything to do."""
    envelope: ClassVar[type[msgspec.Struct] | None] = None
    """What `frame` puts around a message, for the published documents: its `type` is that of
    the message, its `payload` is the message. None: frames are messages."""
    origins: ClassVar[Origins] = Origins.OUR_PAGE
    unanswered: ClassVar[frozenset[str]] = frozenset()
    """Codes of refused actions that are not answered, because existing clients offer them in the
    ordinary course of play; `extras_refused` says why to those who ask for extras."""
    come_back: ClassVar[int] = 1001
    """The close code of those who are to come back: the server restarts, or cuts the silent."""

    _decoder: ClassVar[msgspec.json.Decoder[Any]]

    def __init_subclass__(cls) -> None:
        if hasattr(cls, "incoming"):
            cls._decoder = msgspec.json.Decoder(cls.incoming)

    # -- coming in --------------------------------------------------------------------

    def meant(self, hello: Hello) -> bool:
        """Whether a connection is for this protocol, where several are spoken at one address.

        The first of a game's wires that says so has it.
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
        """A last word before the upgrade, now that the table is found (or not)."""
        return None

    def turn_away(self, code: str, sentence: str) -> CloseWith:
        """How a connection ends that the table would not have."""
        return CloseWith(_CLOSE_CODES.get(code, 4403), sentence, self.refuse(code, sentence))

    def put_out(self, event: Kicked) -> CloseWith:
        """How the connections of somebody end who was put out."""
        return CloseWith(4403, event.sentence, self.refuse(event.reason, event.sentence))

    def decode(self, data: bytes) -> Wish:
        """What a frame asks for, or `BadMessage`, whatever the bytes are."""
        try:
            message = self.read(data)
        except msgspec.ValidationError as wrong:
            raise BadMessage("bad-message", f"That is no message of ours: {wrong}.") from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise BadMessage("bad-json", "That is not JSON.") from None
        return self.wish(message)

    def read(self, data: bytes) -> Any:
        """A frame as one of the `incoming` messages."""
        return self._decoder.decode(data)

    def wish(self, message: Any) -> Wish:
        """What a message asks for."""
        raise NotImplementedError

    def understand(self, message: Any, picture: Any, roster: Roster, me: Player | None) -> Wish:
        """What a message asks for that was sent `InContext`; or `Illegal`."""
        raise NotImplementedError

    def set_right(self, message: Any, picture: Any, me: Player | None) -> Sequence[bytes]:
        """What its sender is told again after such a message was refused, before `refuse`."""
        return ()

    # -- going out --------------------------------------------------------------------

    def encode(self, event: Any, roster: Roster, me: Player | None) -> Sequence[bytes]:
        """The messages for an event as `me` was shown it; often one, sometimes none."""
        raise NotImplementedError

    def personal(self, event: Any) -> bool:
        """Whether the bytes depend on who reads them, not only on what they were shown.

        Asked of the event as it happened.
        """
        return False

    def snapshot_after(self, event: Any) -> bool:
        """Whether those who are told of this event are told a `snapshot` besides.

        It comes once, when all that happened at the same time has been told, and shows how the
        match stands then. Asked of the event as it happened.
        """
        return False

    def snapshot(
        self, event: Any, picture: Any, roster: Roster, me: Player | None, now: Millis
    ) -> Sequence[bytes]:
        """All that `me` has been shown: in place of an event of `snapshot_on`, or (without one)
        after those of `snapshot_after`."""
        raise NotImplementedError

    def greet(self, picture: Any, roster: Roster, me: Player | None, now: Millis) -> list[bytes]:
        """What somebody who has just come (back) is told: made from what it has been shown."""
        raise NotImplementedError

    def refuse(self, code: str, sentence: str) -> bytes | None:
        """The answer to something refused; None: nothing is said."""
        raise NotImplementedError

    def answer(
        self, question: Question, picture: Any, roster: Roster, me: Player | None
    ) -> bytes | Answer | None:
        """The answer to a question."""
        return self.refuse("no-question", "This game has nothing to ask.")

    def frame(self, data: bytes, number: int) -> bytes:
        """One outgoing message as this connection's `number`th frame."""
        return data
