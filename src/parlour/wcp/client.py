"""A client of the Websocket Collab Protocol for asyncio: it reconnects when the connection is lost.

async with connect("ws://localhost:3000", "lounge", "ann", "secret") as client:
    client.on_message = print
    await client.send_text("Hello.")
    await client.closed()
"""

from __future__ import annotations

import asyncio
import logging
from base64 import b64encode
from collections.abc import Awaitable, Callable, Generator, Iterable
from contextlib import suppress
from functools import partial
from itertools import chain, repeat
from typing import Final, TypeAlias
from urllib.parse import quote

import aiohttp

from parlour.wcp.message import ALL, DATA, TEXT, Message, NotAMessage, read

log = logging.getLogger("parlour.wcp.client")

BACK_OFF: Final = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds before each attempt to reconnect; the last number is used again and again."""
HEARTBEAT: Final = 30.0

Handler: TypeAlias = Callable[[Message], Awaitable[None] | None]


class Refused(ConnectionError):
    """The relay refused the connection: 401 for wrong credentials, 404 for no such channel."""

    def __init__(self, status: int) -> None:
        reasons = {401: "user or password are wrong", 404: "there is no such channel"}
        super().__init__(f"The relay refused: {reasons.get(status, f'HTTP status {status}')}.")
        self.status = status


class NotConnected(ConnectionError):
    """There is no connection now: the message was not sent, and is not sent later."""


class Client:
    """One session in a channel, made by `connect`. After `close` it does not come back."""

    def __init__(self, url: str, channel: str, user: str, password: str = "") -> None:
        """`url` as far as the host and port: `ws://localhost:3000`."""
        self.user = user
        self.channel = channel
        self.on_message: Handler = lambda message: None
        """Called with every message of the channel, our own included, one after the other. A
        plain function or a coroutine; a fault in it is logged and ends nothing."""
        self.on_connect: Callable[[], Awaitable[None] | None] = lambda: None
        """Called each time it is connected."""
        self._address = f"{url.rstrip('/')}/{quote(channel)}"
        # Encoded here: aiohttp's own takes Latin-1 and refuses a colon.
        self._authorization = "Basic " + b64encode(f"{user}:{password}".encode()).decode()
        self._http: aiohttp.ClientSession | None = None
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._running: asyncio.Task[None] | None = None

    @property
    def connected(self) -> bool:
        return self._socket is not None and not self._socket.closed

    # -- from the beginning to the end ------------------------------------------------

    async def open(self) -> None:
        """Connect; from then on, reconnect whenever the connection is lost.

        Raises `Refused`, or another `ConnectionError`, if the first attempt fails.
        """
        if self._running is not None:
            raise RuntimeError("This client has been opened already.")
        self._http = aiohttp.ClientSession()
        try:
            await self._connect()
        except BaseException:
            await self._http.close()
            raise
        self._running = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Leave the channel, and do not reconnect."""
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
        if self._socket is not None:
            await self._socket.close()
        if self._http is not None:
            await self._http.close()

    async def closed(self) -> None:
        """Returns once it has been closed."""
        if self._running is not None:
            with suppress(asyncio.CancelledError):
                await asyncio.wait([self._running])

    async def _open(self) -> Client:
        if self._running is None:
            await self.open()
        return self

    def __await__(self) -> Generator[object, None, Client]:
        return self._open().__await__()

    async def __aenter__(self) -> Client:
        return await self._open()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _connect(self) -> None:
        assert self._http is not None
        headers = {"Authorization": self._authorization}
        try:
            self._socket = await self._http.ws_connect(
                self._address, headers=headers, heartbeat=HEARTBEAT, max_msg_size=1 << 20
            )
        except aiohttp.WSServerHandshakeError as no:
            raise Refused(no.status) from None
        except aiohttp.ClientError as wrong:
            raise ConnectionError(f"The relay can't be reached: {wrong}.") from None

    async def _run(self) -> None:
        while True:
            await _called(self.on_connect)
            await self._listen()
            await self._come_back()

    async def _listen(self) -> None:
        assert self._socket is not None
        async for frame in self._socket:
            if frame.type is aiohttp.WSMsgType.TEXT:
                with suppress(NotAMessage):
                    await _called(partial(self.on_message, read(frame.data)))

    async def _come_back(self) -> None:
        """Reconnect, however the connection ended: a restarting relay sends no close frame."""
        for seconds in chain(BACK_OFF, repeat(BACK_OFF[-1])):
            await asyncio.sleep(seconds)
            try:
                await self._connect()
            except ConnectionError as no:
                log.info("%s", no)
            else:
                return

    # -- speaking ---------------------------------------------------------------------

    async def send(self, message: Message) -> None:
        """Send a message, or raise `NotConnected`."""
        if self._socket is None or self._socket.closed:
            raise NotConnected("The relay can't be reached at the moment.")
        await self._socket.send_str(message.encode().decode())

    async def send_text(self, text: str, to: Iterable[str] = (ALL,), name: str = "") -> None:
        """Say something; `name` is how the speaker is shown, the user name if it is left out."""
        await self.send(Message(self.user, tuple(to), name or self.user, text, TEXT))

    async def send_data(self, label: str, content: str, to: Iterable[str] = (ALL,)) -> None:
        """Tell programs something under a label."""
        await self.send(Message(self.user, tuple(to), label, content, DATA))


async def _called(handler: Callable[[], Awaitable[None] | None]) -> None:
    try:
        waiting = handler()
        if waiting is not None:
            await waiting
    except Exception:
        log.exception("a handler of yours failed")


def connect(url: str, channel: str, user: str, password: str = "") -> Client:
    """Enter a channel: `async with connect(…) as client`, or `client = await connect(…)`."""
    return Client(url, channel, user, password)
