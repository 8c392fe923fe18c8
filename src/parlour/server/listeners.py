"""Listeners: what is done with a connection's messages.

The gateway holds connections and limits how much they send; it hands every message to the
connection's listener. A game's protocol is one listener, the relay is another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from parlour.bus import Bus, ConnectionId, JoinRequest, Refusal
from parlour.kit import Illegal
from parlour.protocol import (
    GUESSED_WRONG,
    CloseWith,
    Framing,
    Game,
    Hello,
    Origins,
    Seek,
    TurnAway,
    Wire,
    extras,
)
from parlour.protocol.operations import FIND
from parlour.server.limits import RateLimiter
from parlour.server.sessions import Sessions


@dataclass(frozen=True, slots=True)
class Admission:
    """A connection that may be upgraded."""

    visitor: str
    opened: Callable[[ConnectionId], Awaitable[CloseWith | None]]
    """Called once the connection is open; a `CloseWith` closes it again."""
    cookie: str = ""
    """The name of the cookie to set, with a token for the visitor; "": none."""


class Overrun(Enum):
    """The treatment of messages over the rate limit."""

    REFUSE = "refuse"
    """Each is refused; after too many the connection is closed."""
    DELAY = "delay"
    """They are read later, when the rate allows it."""


class Parting(Enum):
    """How the server ends a connection."""

    CLOSE = "close"
    """With a close frame that says why."""
    DROP = "drop"
    """By closing TCP without a close frame: some clients reconnect only then."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Limits and treatment of one kind of connection. None: as configured for all."""

    origins: Origins = Origins.OUR_PAGE
    overrun: Overrun = Overrun.REFUSE
    come_back: int = 1001
    """The close code when the server restarts, or when nothing was heard for too long."""
    parting: Parting = Parting.CLOSE
    pong_within: float | None = None
    """Seconds in which a ping must be answered; None: half the time between two pings."""
    message_size: int | None = None
    """The largest message accepted, in bytes."""
    rate: float | None = None
    """Messages per second."""
    burst: int | None = None
    idle_timeout: float | None = None
    """Seconds without a message after which a connection is closed."""


class Listener(ABC):
    """One kind of connection, as the gateway sees it."""

    name: str
    """For metrics and logs."""
    game: str
    subprotocols: tuple[str, ...] = ()
    framing: Framing | None = None
    """Where a protocol numbers frames."""
    terms = Terms()

    def meant(self, hello: Hello) -> bool:
        """Whether a connection is for this listener, where several share an address."""
        return True

    async def turn_away(self, refusal: TurnAway) -> TurnAway:
        """How this listener words a refusal before the upgrade."""
        return refusal

    @abstractmethod
    async def admit(self, hello: Hello) -> Admission | TurnAway | CloseWith:
        """Whether a connection may be opened."""

    def received(self, connection: ConnectionId, data: bytes) -> None:  # noqa: B027 - optional
        """One text message; raises `BadMessage` if it can't be read."""

    def closed(self, connection: ConnectionId) -> None:  # noqa: B027 - optional
        """The connection is gone."""

    def refuse(self, code: str, sentence: str) -> bytes | None:
        """The message that tells a client of a refusal; None: it is told nothing."""
        return None


class Notices(Protocol):
    """The operator's messages to everybody (`admin/notices.py`)."""

    def greet(self, connection: ConnectionId) -> None:
        """Tell a new connection."""

    def forget(self, connection: ConnectionId) -> None: ...


class TableListener(Listener):
    """A game's protocol: messages become requests, and go over the bus to a table."""

    def __init__(
        self,
        bus: Bus,
        sessions: Sessions,
        game: Game,
        wire: Wire,
        requests: RateLimiter,
        notices: Notices,
    ) -> None:
        self._bus = bus
        self._notices = notices
        self._requests = requests
        self._sessions = sessions
        self._wire = wire
        self._decode = wire.decode
        self._submit = bus.submit
        self._with_extras: set[ConnectionId] = set()
        self.name = wire.name
        self.game = game.id
        self.subprotocols = wire.door.subprotocols
        self.framing = wire.framing
        come_back = wire.door.turn_away("closing", "").code
        self.terms = Terms(origins=wire.door.origins, come_back=come_back)

    def meant(self, hello: Hello) -> bool:
        return self._wire.door.meant(hello)

    async def admit(self, hello: Hello) -> Admission | TurnAway | CloseWith:
        door = self._wire.door
        seek = door.seek(hello)
        if not isinstance(seek, Seek):
            return seek
        sought = getattr(seek.where, "table", None)
        try:
            table = None if sought is None else await self._bus.call(FIND, sought)
        except Illegal as no:
            return self._wire.turn_away(no.code, no.sentence)
        verdict = door.admit(hello, table)
        if verdict is not None:
            if sought is not None and (table is None or table.game != self.game):
                self._requests.charge_miss(hello.address)
            return verdict
        visitor = hello.visitor or self._sessions.new_visitor()

        async def join(connection: ConnectionId) -> CloseWith | None:
            request = JoinRequest(
                connection=connection,
                game=self.game,
                wire=self.name,
                visitor=self._sessions.new_visitor() if seek.stranger else visitor,
                name=self._sessions.name(visitor),
                seek=seek,
                address=hello.address,
                extras=hello.query.get("extras"),
                since=hello.query.get("since"),
                person=visitor,
            )
            answer = await self._bus.join(request)
            if isinstance(answer, Refusal):
                if answer.code in GUESSED_WRONG:
                    self._requests.charge_miss(hello.address)
                return self._wire.turn_away(answer.code, answer.sentence)
            if request.extras is not None:
                self._with_extras.add(connection)
            if request.asks("notice"):
                self._notices.greet(connection)
            return None

        return Admission(visitor, join, door.cookie if hello.visitor is None else "")

    def received(self, connection: ConnectionId, data: bytes) -> None:
        if connection in self._with_extras and extras.meant(data):
            self._submit(connection, extras.decode(data), data)
        else:
            self._submit(connection, self._decode(data), data)

    def closed(self, connection: ConnectionId) -> None:
        self._with_extras.discard(connection)
        self._notices.forget(connection)
        self._bus.disconnect(connection)

    def refuse(self, code: str, sentence: str) -> bytes | None:
        return self._wire.codec.refuse(code, sentence)
