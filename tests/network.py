"""A small proxy between a node and its PostgreSQL or NATS, to interrupt their traffic."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from tests.support import soon

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Port:
    """Listens on a port of this machine; `stop` closes all its connections."""

    def __init__(self, serve: Serve) -> None:
        self._serve = serve
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopped = False
        self.number = 0
        self.connections = 0
        """How many were made so far."""

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.number = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        self._stopped = True
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        """Drop every connection with the data on its way; new connections are possible."""
        for writer in self._writers:
            writer.transport.abort()
        for task in self._tasks:
            task.cancel()

    # Not a coroutine function: `cut` and `stop` must know of the connection at once.
    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._stopped:
            writer.transport.abort()
            return
        self.connections += 1
        task = asyncio.get_running_loop().create_task(self._served(reader, writer))
        self._tasks.add(task)
        self._writers.add(writer)
        task.add_done_callback(self._tasks.discard)
        # Also for a task that is cancelled before it runs.
        task.add_done_callback(lambda _: self._close(writer))

    async def _served(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):  # one of the two has gone
            await self._serve(reader, writer)

    def _close(self, writer: asyncio.StreamWriter) -> None:
        self._writers.discard(writer)
        writer.transport.abort()


class Proxy:
    """Listens on a port of this machine and forwards bytes, until `hold`."""

    def __init__(self, to: str | tuple[str, int]) -> None:
        """`to` is a unix socket, or a host and a port."""
        self._to = to
        self._open = asyncio.Event()
        self._open.set()
        self._back = asyncio.Event()
        self._back.set()
        self._port = Port(self._serve)
        self.start, self.stop, self.cut = self._port.start, self._port.stop, self._port.cut

    @property
    def port(self) -> int:
        return self._port.number

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def tried(self, times: int = 3) -> None:
        """Return after so many further connection attempts."""
        before = self._port.connections
        await soon(lambda: self._port.connections >= before + times)

    def hold(self) -> None:
        """Forward nothing from now on, without closing connections: a network that fails."""
        self._open.clear()
        self._back.clear()

    def hold_answers(self) -> None:
        """Forward requests, but no answers."""
        self._back.clear()

    def let_go(self) -> None:
        self._open.set()
        self._back.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._open.wait()
        if isinstance(self._to, str):
            there, back = await asyncio.open_unix_connection(self._to)
        else:
            there, back = await asyncio.open_connection(*self._to)
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(_pass_on(reader, back, self._open))
                both.create_task(_pass_on(there, writer, self._back))
        finally:
            back.transport.abort()


class TlsProxy(Proxy):
    """The same, and it speaks TLS on behalf of a PostgreSQL that was built without TLS."""

    def __init__(self, to: str, certificate: Path, key: Path) -> None:
        super().__init__(to)
        self._tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._tls.load_cert_chain(certificate, key)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(8)  # a client's request for TLS
        writer.write(b"S")
        await writer.start_tls(self._tls)
        await super()._serve(reader, writer)


def through(proxy: Proxy, database: str) -> str:
    """The URL of a database, through a proxy to the server's socket."""
    name = database.partition("?")[0].rpartition("/")[2]
    return f"postgresql://parlour@127.0.0.1:{proxy.port}/{name}?sslmode=disable"


async def _pass_on(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, open_: asyncio.Event
) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            await open_.wait()
            writer.write(data)
            await writer.drain()
    writer.transport.abort()
