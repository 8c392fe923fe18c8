"""The load on a relay: rooms in which all speak in turn, and tables of ONU.

    python -m bench.relay_load '{"port": 3000, "pid": 123, "script": "room-8", ...}'

An action in a room is one message, which everybody there receives. At a table of ONU it is a
player's answer and all messages that follow from it. `echo-8` is compared with a room of eight: the
same number of sockets at `bench.echo`. In `echo-4-3.5-2400` an action
is 3.5 frames of 2,400 bytes to each of four.
"""

from __future__ import annotations

import asyncio
import sys
from base64 import b64encode
from functools import partial
from typing import ClassVar

import msgspec
import uvloop

from bench.load import Order, Socket, Table, interval_of, main
from bench.scripts import Echo, Script, Send, open_table

ROOMS = (2, 8, 50)
PLAYERS = 4


class Session(Socket):
    """A session of the relay. The relay sends no greeting, so it is ready after the handshake."""

    def __init__(self, path: str, user: str, hear: partial[None]) -> None:
        credentials = b64encode(f"{user}:x".encode()).decode()
        super().__init__(path, hear, f"Authorization: Basic {credentials}\r\n")

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.upgraded and not self.first.done():
            self.first.set_result(None)


class EchoRoom(Echo):
    """A room at the echo server."""

    def __init__(self, number: int, size: int, frames: str = "1", length: str = "0") -> None:
        super().__init__(number)
        self._size = size
        self._asked = f"&frames={frames}&bytes={length}"

    def address(self, seat: int) -> str:
        return super().address(seat) + self._asked

    def hear(self, seat: int, data: bytes) -> Send | None:
        sent = super().hear(seat, data)
        return None if sent is None else ((seat + 1) % self._size, sent[1])


class Room:
    """All speak in turn, each after the one before has received their own message."""

    name: ClassVar[str] = "room"
    warm_up: ClassVar[float] = 1.0

    def __init__(self, number: int, size: int) -> None:
        self._room = number
        users = [user(seat) for seat in range(size)]
        self._messages = [_message(name, "label", "0123456789abcdef" * 4) for name in users]
        self._marks = [b'"from":"%s"' % name.encode() for name in users]
        self._speaks = 0

    async def prepare(self, port: int) -> None:
        return

    def address(self, seat: int) -> str:
        return f"/room-{self._room}"

    def begin(self) -> Send:
        return 0, self._messages[0]

    def hear(self, seat: int, data: bytes) -> Send | None:
        if seat != self._speaks or self._marks[seat] not in data:
            return None
        self._speaks = (seat + 1) % len(self._messages)
        return self._speaks, self._messages[self._speaks]


class _Card(msgspec.Struct):
    Color: int
    Number: int
    Effect: int


class _Turn(msgspec.Struct):
    TopStackCard: _Card
    HandCards: list[_Card]


class _Payload(msgspec.Struct):
    name: str
    content: str


class _Told(msgspec.Struct):
    payload: _Payload


_told = msgspec.json.Decoder(_Told)
_turn = msgspec.json.Decoder(_Turn)


class Onu:
    """Plays the first card that fits, but never the last one: so a game lasts long enough."""

    name: ClassVar[str] = "onu"
    seats: ClassVar[int] = PLAYERS
    warm_up: ClassVar[float] = 1.0

    def __init__(self, number: int) -> None:
        self._code = ""
        self._first: Send | None = None
        self._begun = False
        self.asked = asyncio.Event()
        """Somebody has been asked for the first time."""

    async def prepare(self, port: int) -> None:
        settings = {
            "pace": 0,
            "autoSeat": True,
            "autoStart": self.seats,
            "deck": "classic",
            "turnTimeout": 3600,
        }
        wanted = msgspec.json.encode({"game": "onu", "settings": settings})
        self._code = await open_table(port, wanted)

    def address(self, seat: int) -> str:
        return f"/{self._code}"

    def begin(self) -> Send:
        assert self._first is not None
        self._begun = True
        return self._first

    def hear(self, seat: int, data: bytes) -> Send | None:
        if b'"onu-player-turn"' not in data:
            if b'"onu-won"' in data:
                raise RuntimeError(data.decode())
            return None
        turn = _turn.decode(_told.decode(data).payload.content)
        sent = seat, _message(user(seat), "onu-player-action", _answer(turn))
        if self._begun:
            return sent
        self._first = sent
        self.asked.set()
        return None


def _answer(turn: _Turn) -> str:
    top = turn.TopStackCard
    if len(turn.HandCards) > 1:
        for index, card in enumerate(turn.HandCards):
            if (
                card.Color in (4, top.Color)
                or (card.Number >= 0 and card.Number == top.Number)
                or (card.Effect != 0 and card.Effect == top.Effect)
            ):
                return f'{{"Action":0,"CardIndex":{index},"WildColor":1}}'
    return '{"Action":1,"CardIndex":null,"WildColor":1}'


def user(seat: int) -> str:
    return f"user-{seat}"


def _message(sender: str, name: str, content: str) -> bytes:
    return msgspec.json.encode(
        {
            "version": 1,
            "type": "data",
            "from": sender,
            "to": ["all"],
            "payload": {"name": name, "content": content},
        }
    )


class RoomTable(Table):
    """The sockets of one room, at the relay or at the echo server."""

    def __init__(self, script: Script, interval: float | None, size: int) -> None:
        super().__init__(script, interval)
        self._size = size

    async def open(self, port: int) -> None:
        script = self._script
        await script.prepare(port)
        for seat in range(self._size):
            hear = partial(self._hear, seat)
            make = (
                partial(Socket, script.address(seat), hear)
                if isinstance(script, Echo)
                else partial(Session, script.address(seat), user(seat), hear)
            )
            _, socket = await self._loop.create_connection(make, "127.0.0.1", port)
            self.sockets.append(socket)
            await socket.first
        if isinstance(script, Onu):
            async with asyncio.timeout(30):
                await script.asked.wait()


def rooms_of(order: Order) -> tuple[list[Table], float]:
    """`room-8`, `echo-8` or `onu`, so many times."""
    kind, *numbers = order.script.split("-")
    seats = int(numbers[0]) if numbers else PLAYERS
    interval = interval_of(order)

    def script(number: int) -> Script:
        if kind == "echo":
            return EchoRoom(number, seats, *numbers[1:])
        return Room(number, seats) if kind == "room" else Onu(number)

    return [RoomTable(script(number), interval, seats) for number in range(order.tables)], 1.0


if __name__ == "__main__":
    uvloop.run(main(msgspec.json.decode(sys.argv[1], type=Order), rooms_of))
