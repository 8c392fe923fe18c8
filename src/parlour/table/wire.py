"""A wire: one published protocol, as two translations without any I/O.

In: bytes to what somebody wants. Out: an event, already viewed, to bytes. A wire never
sees a match; for the lobby it reads the `Roster`, which holds public facts only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import msgspec

from parlour.kit import Millis
from parlour.table.inputs import Input

if TYPE_CHECKING:
    from parlour.table.roster import Player, Roster


class BadMessage(Exception):
    """Bytes that are no message of this protocol: a code for programs, a sentence for people."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Get up here and sit down at the table with this code."""

    code: str


@dataclass(frozen=True, slots=True)
class Question:
    """Something to be answered to the asker alone, from what it has been shown."""

    kind: str
    about: Any = None
    slow: bool = False
    """Takes long enough that the shell lets a worker process answer."""


RETELL = "retell"
"""The kind of question a table asks for somebody who is to be told everything; its `about` is
the moment."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Bytes to send straight back; the table need not hear of it."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Quit:
    """Get up for good, and close the connection."""


Wish: TypeAlias = Input | Elsewhere | Question | Answer | Quit | None
"""What one frame asks for. None: nothing (a pong, say)."""


@dataclass(frozen=True, slots=True)
class Hello:
    """A connection about to be made, as far as a wire may care."""

    path: str
    params: dict[str, str]
    query: dict[str, str]
    offered: tuple[str, ...] = ()
    """Subprotocols the client offers."""
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


@dataclass(frozen=True, slots=True)
class CloseWith:
    """Upgraded, so that the client can read why, then closed with this code."""

    code: int
    sentence: str
    first: bytes | None = None


@dataclass(frozen=True, slots=True)
class Seek:
    """Where the newcomer wants to be."""

    table: str | None = None
    """A table's id or code; None: see `make`."""
    watch: bool = False
    resume_last: bool = False
    """Without a table: back to where this visitor last sat in this game, if that still is."""
    stranger: bool = False
    """Whether it is a new visitor each time, even in a browser whose name we know."""
    resumable: bool = False
    """Whether the visitor can prove later to be the same one."""
    make: dict[str, Any] | None = field(default=None)
    """Without a table: open a private one with these settings."""
    for_match: bool = False
    """Whether the connection is for the match under way only, and ends with it."""


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
    ponders: ClassVar[str] = ""
    """The module its slow answers need, loaded before the first is asked for; "": none."""
    retold: ClassVar[frozenset[type[Any]]] = frozenset()
    """Events told by a snapshot: by `answer` to `RETELL` instead of `encode`."""
    lobby_only: ClassVar[bool] = False
    """Whether nobody can play over it: to be connected so is not to be at the match."""
    framed: ClassVar[bool] = False
    """Whether `frame` has anything to do."""

    _decoder: ClassVar[msgspec.json.Decoder[Any]]

    def __init_subclass__(cls) -> None:
        if hasattr(cls, "incoming"):
            cls._decoder = msgspec.json.Decoder(cls.incoming)

    # -- coming in --------------------------------------------------------------------

    def seek(self, hello: Hello) -> Seek | TurnAway | CloseWith:
        """Where this connection belongs."""
        raise NotImplementedError

    def admit(self, hello: Hello, roster: Roster | None) -> TurnAway | CloseWith | None:
        """A last word before the upgrade, now that the table is found (or not)."""
        return None

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

    # -- going out --------------------------------------------------------------------

    def encode(self, event: Any, roster: Roster, me: Player | None) -> Sequence[bytes]:
        """The messages for an event as `me` was shown it; often one, sometimes none."""
        raise NotImplementedError

    def personal(self, event: Any) -> bool:
        """Whether the bytes depend on who reads them, not only on what they were shown.

        Asked of the event as it happened.
        """
        return False

    def greet(
        self, seen: Sequence[Any], roster: Roster, me: Player | None, now: Millis
    ) -> list[bytes]:
        """What somebody who has just come (back) is told: a fold of what it may see."""
        raise NotImplementedError

    def refuse(self, code: str, sentence: str) -> bytes:
        """The answer to something refused."""
        raise NotImplementedError

    def answer(
        self, question: Question, seen: Sequence[Any], roster: Roster, me: Player | None
    ) -> bytes:
        """The answer to a question."""
        return self.refuse("no-question", "This game has nothing to ask.")

    def frame(self, data: bytes, number: int) -> bytes:
        """One outgoing message as this connection's `number`th frame."""
        return data
