"""A small proxy between a house and one of its servers, to cut what runs through it."""

from __future__ import annotations

import asyncio
from contextlib import suppress


class Proxy:
    """Listens on a port of this machine and passes bytes on, as long as it is told to."""

    def __init__(self, to: str | tuple[str, int]) -> None:
        """`to` is a unix socket, or a host and a port."""
        self._to = to
        self._open = asyncio.Event()
        self._open.set()
        self._back = asyncio.Event()
        self._back.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def hold(self) -> None:
        """From now on nothing gets through, and nobody is told so: a network that has gone."""
        self._open.clear()
        self._back.clear()

    def hold_answers(self) -> None:
        """What is sent arrives, what is answered does not."""
        self._back.clear()

    def let_go(self) -> None:
        self._open.set()
        self._back.set()

    def cut(self) -> None:
        """End every connection there is; new ones can be made."""
        for writer in self._writers:
            writer.transport.abort()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with suppress(OSError, asyncio.CancelledError):
                await self._open.wait()
                if isinstance(self._to, str):
                    there, back = await asyncio.open_unix_connection(self._to)
                else:
                    there, back = await asyncio.open_connection(*self._to)
                self._writers |= {writer, back}
                async with asyncio.TaskGroup() as both:
                    both.create_task(_pass_on(reader, back, self._open))
                    both.create_task(_pass_on(there, writer, self._back))
        finally:
            self._tasks.discard(task)


async def _pass_on(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, open_: asyncio.Event
) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            await open_.wait()
            writer.write(data)
            await writer.drain()
    writer.transport.abort()
