"""The codec of a protocol: bytes to requests, viewed events to bytes. No I/O, and no state.

A codec never sees a match. For the lobby it reads the `Roster`, which holds public facts only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, Union

import msgspec
from typing_extensions import TypeVar

from parlour.kit import E, Millis, P, S
from parlour.protocol.requests import Answer, BadMessage, Question, Request
from parlour.table.events import Event

if TYPE_CHECKING:
    from parlour.table.roster import Player, Roster

M = TypeVar("M", default=Any)
"""A protocol's messages from clients."""
Told: TypeAlias = E | Event
"""An event of a game, or of any table."""


class Manner(Enum):
    """How an event is told."""

    SHARED = "shared"
    """By `encode`, once for all who are shown the same."""
    PERSONAL = "personal"
    """By `encode`, for each: the bytes depend on who reads them, not only on what they see."""
    SNAPSHOT = "snapshot"
    """By `snapshot`, for each, instead of `encode`."""
    FOLLOWED = "followed"
    """As `SHARED`; and once everything that happened at the same time is told, by a `snapshot`
    without an event, which shows how the match stands then."""
    PERSONAL_FOLLOWED = "personal, followed"
    """As `PERSONAL`, with the same `snapshot` after it."""

    @property
    def followed(self) -> bool:
        return self in (Manner.FOLLOWED, Manner.PERSONAL_FOLLOWED)


def union_of(root: type[msgspec.Struct]) -> Any:
    """The union of a protocol's messages: all below `root` that have a tag of their own."""
    found = [kind for kind in _below(root) if kind.__struct_config__.tag != kind.__name__]
    return Union[tuple(found)]  # noqa: UP007


def _below(root: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for kind in root.__subclasses__():
        yield kind
        yield from _below(kind)


class ErrorEvent(msgspec.Struct, tag="error", frozen=True):
    """Your request was refused, and nothing has changed. To you alone."""

    code: str
    message: str


class Codec(Generic[M, S, E, P]):
    """One protocol's messages, for a game with these settings, events and picture.

    Subclasses translate; one object serves every connection.
    """

    incoming: Any
    """The union of message types clients send; the published documents are made from both."""
    outgoing: Any
    """The union of message types we send."""
    retells: ClassVar[bool] = False
    """Whether a greeting repeats all that was shown of the match: `greet` is then given a `Story`
    instead of the game's picture."""
    worker_module: ClassVar[str] = ""
    """The module its slow answers need, loaded before the first is asked for; "": none."""

    def __init__(self) -> None:
        self._decoder: msgspec.json.Decoder[M] = msgspec.json.Decoder(self.incoming)

    def __reduce__(self) -> tuple[object, ...]:
        """Sent to worker processes, which make their own decoder."""
        return type(self), ()

    # -- coming in --------------------------------------------------------------------

    def decode(self, data: bytes) -> Request:
        """The request in a frame; raises `BadMessage`, whatever the bytes are."""
        try:
            message = self._decoder.decode(data)
        except msgspec.ValidationError as wrong:
            raise BadMessage("bad-message", f"That is no message of ours: {wrong}.") from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise BadMessage("bad-json", "That is not JSON.") from None
        return self.request(message)

    def request(self, message: M) -> Request:
        """The request in a message."""
        raise NotImplementedError

    def understand(self, message: M, picture: P, roster: Roster[S], me: Player | None) -> Request:
        """The request in a message that was sent `InContext`; raises `Illegal`."""
        raise NotImplementedError

    def set_right(self, message: M, picture: P, me: Player | None) -> Sequence[bytes]:
        """Messages that repeat to its sender what is true, after such a message was refused."""
        return ()

    # -- going out --------------------------------------------------------------------

    def manner(self, event: Told[E]) -> Manner:
        """How an event is told. Asked of the event as it happened."""
        return Manner.SHARED

    def encode(self, event: Told[E], roster: Roster[S], me: Player | None) -> Sequence[bytes]:
        """The messages for an event as `me` was shown it; often one, sometimes none."""
        raise NotImplementedError

    def snapshot(
        self,
        event: Told[E] | None,
        picture: P,
        roster: Roster[S],
        me: Player | None,
        now: Millis,
    ) -> Sequence[bytes]:
        """All that `me` has been shown: see `Manner.SNAPSHOT` and, for no event, `FOLLOWED`."""
        raise NotImplementedError

    def greet(self, picture: P, roster: Roster[S], me: Player | None, now: Millis) -> list[bytes]:
        """The first messages for a new or returning connection, made from its picture."""
        raise NotImplementedError

    def refuse(self, code: str, sentence: str) -> bytes | None:
        """The answer to something refused; None: nothing is said."""
        return msgspec.json.encode(ErrorEvent(code, sentence))

    def answer(
        self, question: Question, picture: P, roster: Roster[S], me: Player | None
    ) -> bytes | Answer | None:
        """The answer to a question."""
        return self.refuse("no-question", "This game has nothing to ask.")
