"""Listeners: who is told of a connection's messages.

The gateway holds connections and their limits; what is said on them is a listener's. A wire at
a table is one; a relay between channels is another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from parlour.bus import Bus, ConnectionId, JoinRequest, Refusal
from parlour.server.sessions import Sessions
from parlour.table import CloseWith, Game, Hello, Seek, TurnAway, Wire


@dataclass(frozen=True, slots=True)
class Admission:
    """A connection that may be upgraded."""

    visitor: str
    cookie: str = ""
    """The cookie in which the visitor is told who it is; "": none."""
    about: Any = None
    """Whatever the listener wants to know of this connection once it is open."""


class Listener(Protocol):
    """One kind of connection, as the gateway sees it."""

    name: str
    """For metrics and logs."""
    game: str
    subprotocols: tuple[str, ...]
    frame: Callable[[bytes, int], bytes] | None
    """Makes one outgoing message the connection's nth frame, where frames are numbered."""

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

    def __init__(self, bus: Bus, sessions: Sessions, game: Game, wire: Wire) -> None:
        self._bus = bus
        self._sessions = sessions
        self._wire = wire
        self._decode = wire.decode
        self._submit = bus.submit
        self.name = wire.name
        self.game = game.id
        self.subprotocols = wire.subprotocols
        self.frame: Callable[[bytes, int], bytes] | None = wire.frame if wire.framed else None

    async def admit(self, hello: Hello) -> Admission | TurnAway | CloseWith:
        seek = self._wire.seek(hello)
        if not isinstance(seek, Seek):
            return seek
        sought = getattr(seek.where, "table", None)
        table = None if sought is None else await self._bus.find(sought)
        if isinstance(table, Refusal):
            return self._wire.turn_away(table.code, table.sentence)
        verdict = self._wire.admit(hello, table)
        if verdict is not None:
            return verdict
        if hello.visitor is not None:
            return Admission(hello.visitor, about=seek)
        return Admission(self._sessions.new_visitor(), self._wire.upgrade_cookie, seek)

    async def opened(self, connection: ConnectionId, admission: Admission) -> CloseWith | None:
        seek: Seek = admission.about
        visitor = admission.visitor
        answer = await self._bus.join(
            JoinRequest(
                connection=connection,
                game=self.game,
                wire=self.name,
                visitor=self._sessions.new_visitor() if seek.stranger else visitor,
                name=self._sessions.name(visitor),
                seek=seek,
            )
        )
        if isinstance(answer, Refusal):
            return self._wire.turn_away(answer.code, answer.sentence)
        return None

    def received(self, connection: ConnectionId, data: bytes) -> None:
        self._submit(connection, self._decode(data))

    def closed(self, connection: ConnectionId) -> None:
        self._bus.disconnect(connection)

    def refuse(self, code: str, sentence: str) -> bytes | None:
        return self._wire.refuse(code, sentence)
