"""Connections to PostgreSQL that are made again when they are lost, and what can be wrong."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from ssl import SSLCertVerificationError
from typing import Final
from urllib.parse import urlsplit

import asyncpg

from parlour.store import StoreTrouble

CONNECTING: Final = 5
"""Seconds a connection may take to be made."""
CLOSING: Final = 1.0
"""Seconds in which the server must answer a goodbye."""
ONE_TRY: Final = 10.0
"""Seconds after which a connection that does not answer is dropped."""
IDLE: Final = 300.0
"""Seconds after which an unused connection is replaced: a firewall may have dropped it silently."""

LOST: Final = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.TransactionRollbackError,
)
"""Errors that may be over in a moment: the server is away, stops, starts, or is full."""


class Link:
    """One connection, made when it is needed."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: asyncpg.Connection | None = None
        self._used = 0.0

    async def get(self) -> asyncpg.Connection:
        """The connection; raises one of `LOST` where none can be had."""
        if time.monotonic() - self._used > IDLE:
            self.drop()
        connection = self._connection
        if connection is None or connection.is_closed():
            connection = self._connection = await asyncpg.connect(
                self._url,
                timeout=CONNECTING,
                server_settings={"application_name": "parlour", "search_path": "public"},
            )
        self._used = time.monotonic()
        return connection

    def drop(self) -> None:
        """Without a goodbye: what was under way on it may be done or not."""
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None

    async def close(self) -> None:
        if self._connection is None:
            return
        try:
            await self._connection.close(timeout=CLOSING)
        except LOST:
            self.drop()
        self._connection = None


async def first(link: Link, url: str) -> asyncpg.Connection:
    """The first connection of a process; `StoreTrouble` if the database can't be used."""
    try:
        return await link.get()
    except (*LOST, asyncpg.PostgresError, ValueError) as wrong:
        raise StoreTrouble(f"{shown(url)} can't be used: {reason(wrong)}.") from None


@asynccontextmanager
async def connected(url: str) -> AsyncGenerator[asyncpg.Connection]:
    """A connection for a command, which is no node; `StoreTrouble` for whatever goes wrong."""
    link = Link(url)
    try:
        yield await first(link, url)
    except (*LOST, asyncpg.PostgresError) as wrong:
        raise StoreTrouble(f"{shown(url)} can't be used: {reason(wrong)}.") from None
    finally:
        await link.close()


def shown(url: str) -> str:
    """A database's URL without the password in it."""
    try:
        parts = urlsplit(url)
        where = parts.hostname or "this machine"
        return f"The database {parts.path.lstrip('/') or 'postgres'} on {where}"
    except ValueError:
        return "The database"


def reason(wrong: BaseException) -> str:
    """The error in one line."""
    if isinstance(wrong, asyncio.TimeoutError):
        return "it does not answer"
    if isinstance(wrong, SSLCertVerificationError):
        return f"its certificate is not trusted ({wrong.verify_message.rstrip('.')})"
    return " ".join(str(wrong).split()).rstrip(".") or type(wrong).__name__
