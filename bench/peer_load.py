"""The load on other people's servers: the same fan-out in each one's own protocol.

    python -m bench.peer_load '{"port": 3000, "pid": 123, "script": "colyseus", ...}'

`fan-out` is the echo's protocol, which the servers on Node's `ws` and on FastAPI speak.
`colyseus/1.5` asks a Colyseus room for one and a half messages an action to each, on average.
`eights` plays Crazy Eights at a Parlour server, over the plain protocol.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from functools import partial
from typing import ClassVar

import msgspec
import uvloop

from bench.load import Order, Socket, Table, interval_of, main
from bench.scripts import Echo, Script, Send, posted

_CARD = "0123456789abcdef0123456789abcdef"


class FanOut(Echo):
    """The echo's protocol."""

    name: ClassVar[str] = "fan-out"


class BinarySocket(Socket):
    """A WebSocket client that sends binary frames."""

    first_byte = 0x82


class Colyseus(Echo):
    """A Colyseus room: a byte for the kind of message, a type, and the rest in MessagePack."""

    name: ClassVar[str] = "colyseus"
    JOIN: ClassVar[bytes] = b"\x0a"

    def __init__(self, number: int, frames: float = 1.0) -> None:
        super().__init__(number)
        self._frames = frames
        self._owed = 0.0
        self._heard = 0
        self._expected = 0
        self._port = 0

    async def prepare(self, port: int) -> None:
        self._port = port

    async def reserve(self) -> str:
        """The address of a seat in the table's room."""
        wanted = msgspec.json.encode({"table": self._table})
        seat = await posted(self._port, "/matchmake/joinOrCreate/table", wanted)
        room = seat["room"]
        return f"/{room['processId']}/{room['roomId']}?sessionId={seat['sessionId']}"

    def begin(self) -> Send:
        return self._draw(0)

    def hear(self, seat: int, data: bytes) -> Send | None:
        if b"suit" not in data:
            return None
        self._heard += 1
        return self._draw((seat + 1) % self.seats) if self._heard == self._expected else None

    def _draw(self, seat: int) -> Send:
        self._owed += self._frames
        frames = int(self._owed)
        self._owed -= frames
        self._heard, self._expected = 0, frames
        body = msgspec.msgpack.encode({"card_id": _CARD, "frames": frames})
        return seat, b"\x0d" + msgspec.msgpack.encode("draw") + body


class BoardgameIo(Echo):
    """A match of boardgame.io, over socket.io's protocol in one WebSocket."""

    name: ClassVar[str] = "boardgame"

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self._moves = 0
        self.answered = asyncio.Event()
        """Somebody at the table got a message."""

    def address(self, seat: int) -> str:
        return "/socket.io/?EIO=4&transport=websocket"

    def joined(self, seat: int) -> list[bytes]:
        """A player's messages after the handshake: connect, then ask for the match."""
        return [b"40/table,", self._emit("sync", f"match-{self._table}", str(seat), None, 4)]

    def begin(self) -> Send:
        return self._draw(0)

    def hear(self, seat: int, data: bytes) -> Send | None:
        self.answered.set()
        # Earlier states may still be on their way to the mover.
        if seat != self._moves % self.seats or b'"_stateID":%d}' % (self._moves + 1) not in data:
            return None
        self._moves += 1
        return self._draw(self._moves % self.seats)

    def _draw(self, seat: int) -> Send:
        move = {"type": "draw", "args": [_CARD], "playerID": str(seat), "credentials": None}
        action = {"type": "MAKE_MOVE", "payload": move}
        match = f"match-{self._table}"
        # The second word is the number of the state that the move is made in.
        return seat, self._emit("update", action, self._moves, match, str(seat))

    def _emit(self, *words: object) -> bytes:
        return b"42/table," + msgspec.json.encode(words)


class _Card(msgspec.Struct):
    rank: str
    suit: str


class _Welcome(msgspec.Struct, tag="welcome"):
    code: str


class _Dealt(msgspec.Struct, tag="dealt"):
    seat: int
    hand: list[_Card | None]


class _TurnedUp(msgspec.Struct, tag="turned_up"):
    card: _Card


class _Played(msgspec.Struct, tag="played"):
    seat: int
    index: int
    card: _Card
    suit: str


class _Drew(msgspec.Struct, tag="drew"):
    seat: int
    card: _Card | None


class _Turn(msgspec.Struct, tag="turn"):
    seat: int


class _Lobby(msgspec.Struct, tag="lobby"):
    running: bool


_eights = msgspec.json.Decoder(_Welcome | _Dealt | _TurnedUp | _Played | _Drew | _Turn | _Lobby)
_IGNORED = (b'{"type":"match"', b'{"type":"result"', b'{"type":"ended"')
_START = b'{"type":"start"}'


class Eights:
    """Plays the first card that fits, otherwise draws, otherwise passes; match after match."""

    name: ClassVar[str] = "eights"
    seats: ClassVar[int] = 4
    warm_up: ClassVar[float] = 1.0

    def __init__(self, number: int) -> None:
        self._code = ""
        # By seat, as each was told: messages to different players come in any order.
        self._hands: list[list[_Card]] = [[] for _ in range(self.seats)]
        self._tops = [_Card("", "")] * self.seats
        self._suits = [""] * self.seats
        self._drawn = False

    async def prepare(self, port: int) -> None:
        return

    def address(self, seat: int) -> str:
        return f"/plain/eights?table={self._code}" if self._code else "/plain/eights"

    def begin(self) -> Send:
        return 0, _START

    def hear(self, seat: int, data: bytes) -> Send | None:
        if data.startswith(b'{"type":"error"'):
            raise RuntimeError(data.decode())
        if data.startswith(_IGNORED):
            return None
        told = _eights.decode(data)
        if isinstance(told, _Turn):
            self._drawn = False
            return self._next(seat) if told.seat == seat else None
        if isinstance(told, _Played):
            if told.seat == seat:
                del self._hands[seat][told.index]
            self._tops[seat], self._suits[seat] = told.card, told.suit
        elif isinstance(told, _Drew):
            if told.card is not None:
                self._hands[seat].append(told.card)
                self._drawn = True
                return self._next(seat)
        elif isinstance(told, _Dealt):
            if told.seat == seat:
                self._hands[seat] = [card for card in told.hand if card is not None]
        elif isinstance(told, _TurnedUp):
            self._tops[seat], self._suits[seat] = told.card, told.card.suit
        elif isinstance(told, _Welcome):
            self._code = told.code
        elif seat == 0 and not told.running and self._tops[0].rank:
            # The match is over.
            self._tops[0] = _Card("", "")
            return 0, _START
        return None

    def _next(self, seat: int) -> Send:
        top, suit = self._tops[seat], self._suits[seat]
        for index, card in enumerate(self._hands[seat]):
            if card.rank == "8":
                return seat, b'{"type":"play","index":%d,"suit":"clubs"}' % index
            if card.suit == suit or card.rank == top.rank:
                return seat, b'{"type":"play","index":%d}' % index
        return seat, b'{"type":"pass"}' if self._drawn else b'{"type":"draw"}'


class PeerTable(Table):
    """The sockets of one table at somebody else's server."""

    async def open(self, port: int) -> None:
        script = self._script
        await script.prepare(port)
        for seat in range(script.seats):
            address = (
                await script.reserve() if isinstance(script, Colyseus) else script.address(seat)
            )
            kind = BinarySocket if isinstance(script, Colyseus) else Socket
            make = partial(kind, address, partial(self._hear, seat))
            _, socket = await self._loop.create_connection(make, "127.0.0.1", port)
            self.sockets.append(socket)
            await socket.first
            if isinstance(script, Colyseus):
                socket.send(script.JOIN)
            if isinstance(script, BoardgameIo):
                for message in script.joined(seat):
                    script.answered.clear()
                    socket.send(message)
                    await script.answered.wait()


def tables_of(order: Order) -> tuple[list[Table], float]:
    kind, _, frames = order.script.partition("/")
    scripts: dict[str, Callable[[int], Script]] = {
        "fan-out": FanOut,
        "colyseus": partial(Colyseus, frames=float(frames or 1)),
        "boardgame": BoardgameIo,
        "eights": Eights,
    }
    interval = interval_of(order)
    return [PeerTable(scripts[kind](n), interval) for n in range(order.tables)], Echo.warm_up


if __name__ == "__main__":
    uvloop.run(main(msgspec.json.decode(sys.argv[1], type=Order), tables_of))
