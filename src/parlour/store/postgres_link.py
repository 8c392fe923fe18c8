"""A connection to PostgreSQL that is made again when it is lost."""

from __future__ import annotations

import asyncio
import time
from ssl import SSLCertVerificationError
from typing import Any, Final
from urllib.parse import urlsplit

import asyncpg

from parlour.store.base import StoreTrouble

CONNECTING: Final = 5
"""Seconds a connection may take to be made."""
CLOSING: Final = 1.0
"""Seconds for a goodbye: who does not hear it finds out."""
ONE_TRY: Final = 10.0
"""Seconds after which a connection that does not answer is given up."""
IDLE: Final = 300.0
"""Seconds after which one that nobody has used is not trusted: whatever lies between may have
forgotten it, and tells nobody."""

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
"""What may be over in a moment: the server is away, stops, starts, or is full."""


class Link:
    """One connection, made when it is needed."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Any = None
        self._used = 0.0

    async def get(self) -> Any:
        """The connection; raises one of `LOST` where none can be had."""
        if time.monotonic() - self._used > IDLE:
            self.drop()
        if self._connection is None or self._connection.is_closed():
            self._connection = await asyncpg.connect(
                self._url,
                timeout=CONNECTING,
                server_settings={"application_name": "parlour", "search_path": "public"},
            )
        self._used = time.monotonic()
        return self._connection

    def drop(self) -> None:
        """What was under way on it is unknown: the next one asks."""
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


async def first(link: Link, url: str) -> Any:
    """The first connection of a process; a sentence if it can't be had."""
    try:
        return await link.get()
    except (*LOST, asyncpg.PostgresError, ValueError) as wrong:
        raise StoreTrouble(f"{shown(url)} can't be used: {reason(wrong)}.") from None


def shown(url: str) -> str:
    """A database's URL without the password in it."""
    try:
        parts = urlsplit(url)
        where = parts.hostname or "this machine"
        return f"The database {parts.path.lstrip('/') or 'postgres'} on {where}"
    except ValueError:
        return "The database"


def reason(wrong: BaseException) -> str:
    """What is wrong, in one line."""
    if isinstance(wrong, asyncio.TimeoutError):
        return "it does not answer"
    if isinstance(wrong, SSLCertVerificationError):
        return f"its certificate is not trusted ({wrong.verify_message.rstrip('.')})"
    return " ".join(str(wrong).split()).rstrip(".") or type(wrong).__name__
