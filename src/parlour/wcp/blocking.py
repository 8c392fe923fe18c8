"""The same client for code without asyncio: it runs in a thread of its own.

with BlockingClient("ws://localhost:3000", "lounge", "ann", "secret") as client:
    client.send_text("Hello.")
    for message in client:
        print(message.sender, message.content)
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterable, Iterator
from queue import Empty, SimpleQueue
from typing import TypeVar

from parlour.wcp.client import Client
from parlour.wcp.message import ALL, Message

T = TypeVar("T")


class BlockingClient:
    """A session whose methods block. It connects when it is made; `close` ends it."""

    def __init__(self, url: str, channel: str, user: str, password: str = "") -> None:
        self._heard: SimpleQueue[Message | None] = SimpleQueue()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._client = Client(url, channel, user, password)
        self._client.on_message = self._heard.put
        try:
            self._wait(self._client.open())
        except BaseException:
            self._end()
            raise

    def send_text(self, text: str, to: Iterable[str] = (ALL,), name: str = "") -> None:
        self._wait(self._client.send_text(text, to, name))

    def send_data(self, label: str, content: str, to: Iterable[str] = (ALL,)) -> None:
        self._wait(self._client.send_data(label, content, to))

    def receive(self, timeout: float | None = None) -> Message | None:
        """The next message; None once it is closed, or when nothing came in time."""
        try:
            return self._heard.get(timeout=timeout)
        except Empty:
            return None

    def __iter__(self) -> Iterator[Message]:
        """Every message, until it is closed."""
        while (message := self.receive()) is not None:
            yield message

    def close(self) -> None:
        """Leave the channel; `receive` and iteration end."""
        if self._thread.is_alive():
            self._wait(self._client.close())
            self._heard.put(None)
            self._end()

    def __enter__(self) -> BlockingClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wait(self, work: Coroutine[object, None, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
