"""The echo: a server that does only what every table needs, to compare with.

It is a plain aiohttp server that writes as fast as aiohttp can: frames go to the transport without
waiting, and all frames of a connection in one iteration of the loop go out in one write. It has the
same kind of messages and the same fan-out: one message in and validated, two encodings (the owner's
and the public one), one message out to everybody at the table. It has no rules, no log, no tables
and no limits. A client may ask for more frames (`frames`) of more bytes (`bytes`) to each reader.
"""

from __future__ import annotations

import asyncio
import sys

import msgspec
import uvloop
from aiohttp import WSMsgType, web

from parlour.games.rummy.wire import messages as wire
from parlour.server import frames

_decode = msgspec.json.Decoder(wire.Action).decode
_encode = msgspec.json.Encoder().encode
_FACE = wire.Face("hearts", "10")
_PLAYER = "fedcba9876543210fedcba9876543210"


_HEADS = [frames.head(frames.TEXT, size) for size in range(1024)]


class Sender:
    """Gathers the frames of one connection, and writes them together."""

    def __init__(self, transport: asyncio.WriteTransport) -> None:
        self._transport = transport
        self._frames: list[bytes] = []
        self._call_soon = asyncio.get_running_loop().call_soon

    def send(self, data: bytes) -> None:
        if not self._frames:
            self._call_soon(self._flush)
        size = len(data)
        head = _HEADS[size] if size < len(_HEADS) else frames.head(frames.TEXT, size)
        self._frames += (head, data)

    def _flush(self) -> None:
        self._transport.write(b"".join(self._frames))
        self._frames = []


async def _echo(request: web.Request) -> web.WebSocketResponse:
    tables: dict[str, list[Sender]] = request.app[_TABLES]
    ws = web.WebSocketResponse(heartbeat=3600, compress=False, decode_text=False)
    await ws.prepare(request)
    transport = request.transport
    assert transport is not None
    me = Sender(transport)
    table = tables.setdefault(request.query["table"], [])
    table.append(me)
    me.send(b'{"type":"lobby"}')
    each, size = float(request.query.get("frames", "1")), int(request.query.get("bytes", "0"))
    due = 0.0
    while (frame := await ws.receive()).type is WSMsgType.TEXT:
        action = _decode(frame.data)
        assert type(action) is wire.DrawAction
        owners = _encode(_move(action.card_id, _FACE)).ljust(size)
        public = _encode(_move(action.card_id, None)).ljust(size)
        due += each
        for other in table:
            other.send(owners if other is me else public)
            for _ in range(1, int(due)):
                other.send(public)
        due %= 1
    table.remove(me)
    return ws


def _move(card: str, face: wire.Face | None) -> wire.MoveEvent:
    return wire.MoveEvent([wire.Card(card, face)], wire.ToPlayer(_PLAYER, 3))


_TABLES = web.AppKey("tables", dict)


async def main(port: int) -> None:
    app = web.Application()
    app[_TABLES] = {}
    app.router.add_get("/echo", _echo)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1])))
