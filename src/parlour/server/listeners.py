"""Listeners: who is told of a connection's messages.

The gateway holds connections and their limits; what is said on them is a listener's. A wire at
a table is one; a relay between channels is another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Protocol

import msgspec

from parlour.bus import Bus, ConnectionId, JoinRequest, Refusal
from parlour.kit import Illegal
from parlour.protocol import (
    GUESSED_WRONG,
    CloseWith,
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
    cookie: str = ""
    """The cookie in which the visitor is told who it is; "": none."""
    about: Any = None
    """Whatever the listener wants to know of this connection once it is open."""


class Overrun(Enum):
    """What becomes of messages that come faster than they may."""

    REFUSE = "refuse"
    """Each is refused; after too many the connection is closed."""
    DELAY = "delay"
    """They are read when their time has come, and not before."""


class Parting(Enum):
    """How a connection ends that we end."""

    CLOSE = "close"
    """With a close frame that says why."""
    DROP = "drop"
    """The TCP connection just ends: some clients come back after nothing else."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a kind of connection may send, and how it is treated."""

    origins: Origins = Origins.OUR_PAGE
    overrun: Overrun = Overrun.REFUSE
    come_back: int = 1001
    """The close code of those who are to come back: the server restarts, or cuts the silent."""
    parting: Parting = Parting.CLOSE
    pong_within: float | None = None
    """Seconds to answer a ping in; None: half the time between two."""
    message_size: int | None = None
    """Largest message taken, in bytes; None: as the configuration says for all."""
    rate: float | None = None
    """Messages per second; None: as the configuration says for all."""
    burst: int | None = None
    idle_timeout: float | None = None
    """Seconds it may say nothing at all; None: as the configuration says for all."""


USUAL: Final = Terms()


class Listener(Protocol):
    """One kind of connection, as the gateway sees it."""

    name: str
    """For metrics and logs."""
    game: str
    subprotocols: tuple[str, ...]
    frame: Callable[[bytes, int], bytes] | None
    """Makes one outgoing message the connection's nth frame, where frames are numbered."""
    terms: Terms

    def meant(self, hello: Hello) -> bool:
        """Whether a connection is this listener's, of several at one address."""
        ...

    async def turn_away(self, refusal: TurnAway) -> TurnAway:
        """A refusal before the upgrade, by whomever, in this listener's words and its own time."""
        ...

    async def admit(self, hello: Hello) -> Admission | TurnAway | CloseWith:
        """Whether a connection may be made."""
        ...

    async def opened(self, connection: ConnectionId, admission: Admission) -> CloseWith | None:
        """The connection is made; a `CloseWith` ends it at once."""
        ...

    def received(self, connection: ConnectionId, data: bytes) -> None:
        """One text message; `BadMessage` if it can't be read."""
        ...

    def closed(self, connection: ConnectionId) -> None:
        """The connection is gone."""
        ...

    def refuse(self, code: str, sentence: str) -> bytes | None:
        """What is answered to something refused; None: nothing."""
        ...


class TableListener:
    """A wire at a table: messages become wishes, and go over the bus."""

    def __init__(
        self, bus: Bus, sessions: Sessions, game: Game, wire: Wire, requests: RateLimiter
    ) -> None:
        self._bus = bus
        self._requests = requests
        self._sessions = sessions
        self._wire = wire
        self._decode = wire.codec.decode
        self._submit = bus.submit
        self._with_extras: set[ConnectionId] = set()
        self.name = wire.name
        self.game = game.id
        self.subprotocols = wire.door.subprotocols
        self.frame: Callable[[bytes, int], bytes] | None = (
            None if wire.framing is None else wire.framing.frame
        )
        self.terms = Terms(origins=wire.door.origins, come_back=wire.door.come_back)

    def meant(self, hello: Hello) -> bool:
        return self._wire.door.meant(hello)

    async def turn_away(self, refusal: TurnAway) -> TurnAway:
        return refusal

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
        request = JoinRequest(
            connection=0,  # numbered once it is open
            game=self.game,
            wire=self.name,
            visitor=self._sessions.new_visitor() if seek.stranger else visitor,
            name=self._sessions.name(visitor),
            seek=seek,
            address=hello.address,
            extras=hello.query.get("extras"),
            person=visitor,
        )
        return Admission(visitor, door.cookie if hello.visitor is None else "", request)

    async def opened(self, connection: ConnectionId, admission: Admission) -> CloseWith | None:
        request: JoinRequest = admission.about
        answer = await self._bus.join(msgspec.structs.replace(request, connection=connection))
        if isinstance(answer, Refusal):
            if answer.code in GUESSED_WRONG:
                self._requests.charge_miss(request.address)
            return self._wire.turn_away(answer.code, answer.sentence)
        if request.extras is not None:
            self._with_extras.add(connection)
        return None

    def received(self, connection: ConnectionId, data: bytes) -> None:
        if connection in self._with_extras and extras.meant(data):
            self._submit(connection, extras.decode(data), data)
        else:
            self._submit(connection, self._decode(data), data)

    def closed(self, connection: ConnectionId) -> None:
        self._with_extras.discard(connection)
        self._bus.disconnect(connection)

    def refuse(self, code: str, sentence: str) -> bytes | None:
        return self._wire.codec.refuse(code, sentence)
