"""A simulated PostgreSQL: what nodes ask of it, over connections that may be lost at any moment.

It stands behind `asyncpg.connect`, so that everything of the server that knows SQL is the real
code: leases, epochs, owners, batches. A statement is done when it arrives, all of it or nothing,
even if the node that sent it is gone by then or its answer is lost. Transactions come one by one.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from contextvars import Context, copy_context
from random import Random
from typing import Any, ClassVar, Final

import asyncpg

from parlour.store import Away, Ticket
from parlour.store.postgres import PostgresStore
from simulation.machine import BEGIN, HERE, Machine
from simulation.statements import Data, NotSimulated, Row, execute

HOLDS_UP: Final = 2.0
"""Seconds for which a transaction may hold up others before it is rolled back."""

Request = tuple["SimulatedConnection", str, tuple[Any, ...], "asyncio.Future[list[Row]]"]


class SimulatedPostgres:
    """The server and its one database."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.data = Data()
        self.data.now = lambda: BEGIN + time.monotonic()
        self.away: dict[str, bool] = {}
        """The places of nodes that can't reach it; True: their packets vanish, False: their
        connections are reset."""
        self.connections: dict[SimulatedConnection, None] = {}
        self._holder: SimulatedConnection | None = None
        self._before: Data | None = None
        """As it was before the transaction of `_holder`."""
        self._waiting: deque[Request] = deque()
        self.slow = 0.0
        self.committed: Callable[[list[tuple[str, int, int, bytes]]], None] = lambda entries: None
        self.rewritten: Callable[[str, list[tuple[int, bytes]]], None] = lambda table, log: None

    def latency(self) -> float:
        return self.rng.uniform(0.0003, 0.003) + self.rng.random() * self.slow

    def unreachable(self, machine: Machine | None) -> bool | None:
        """None: it can be reached; otherwise as `away` says."""
        return None if machine is None else self.away.get(machine.place)

    async def connect(self, url: str, **how: Any) -> SimulatedConnection:
        machine = HERE.get()
        await asyncio.sleep(3 * self.latency())
        silent = self.unreachable(machine)
        if silent is not None:
            if silent:
                await asyncio.sleep(how["timeout"])
                raise TimeoutError
            raise ConnectionRefusedError("the database is away")
        connection = SimulatedConnection(self, machine)
        self.connections[connection] = None
        return connection

    def cut(self, place: str, *, silent: bool) -> None:
        """A node can't reach the database any more."""
        self.away[place] = silent
        for connection in list(self.connections):
            if connection.place == place and not silent:
                connection.lose()

    def died(self, machine: Machine) -> None:
        """The server notices that the connections of a machine are gone."""
        for connection in list(self.connections):
            if connection.machine is machine:
                self.close(connection)

    # -- statements -------------------------------------------------------------------

    def send(self, request: Request) -> None:
        """A statement is under way to the server."""
        if self.unreachable(request[0].machine) is None:
            _later(self.latency(), self._arrived, request)

    def _arrived(self, request: Request) -> None:
        if self._holder not in (None, request[0]):
            self._waiting.append(request)
            _later(HOLDS_UP, self._lost_patience, self._holder)
        else:
            self._do(request)

    def _do(self, request: Request) -> None:
        connection, sql, args, future = request
        if connection not in self.connections:
            # Its transaction was rolled back: a statement of it must not be done by itself.
            return
        try:
            rows = self._execute(connection, sql, args)
        except NotSimulated:
            raise
        except asyncpg.PostgresError as wrong:
            connection.answer(future, None, wrong)
        else:
            connection.answer(future, rows, None)

    def _execute(
        self, connection: SimulatedConnection, sql: str, args: tuple[Any, ...]
    ) -> list[Row]:
        if sql == "BEGIN":
            self._holder, self._before = connection, self.data.copy()
            return []
        if sql in ("COMMIT", "ROLLBACK"):
            if self._holder is connection:
                self._end(keep=sql == "COMMIT")
            elif sql == "COMMIT":
                raise asyncpg.exceptions.ConnectionDoesNotExistError("it was rolled back")
            return []
        rows = execute(self.data, sql, args)
        if self._holder is None:
            self._published()
        return rows

    def _end(self, *, keep: bool) -> None:
        assert self._before is not None
        if not keep:
            self.data = self._before
        self._holder = self._before = None
        self._published()
        while self._waiting and self._holder is None:
            self._do(self._waiting.popleft())

    def _published(self) -> None:
        """Send the committed notifications to the listeners."""
        data = self.data
        kept, data.kept = data.kept, []
        notified, data.notified = data.notified, []
        for kind, what in kept:
            if kind == "entries":
                self.committed(what)
            else:
                self.rewritten(*what)
        for channel, payload in notified:
            for connection in list(self.connections):
                connection.notify(channel, payload)

    def _lost_patience(self, holder: SimulatedConnection | None) -> None:
        if holder is not None and self._holder is holder and self._waiting:
            holder.lose()
            self.close(holder)

    def close(self, connection: SimulatedConnection) -> None:
        """A connection has ended at the server."""
        self.connections.pop(connection, None)
        if self._holder is connection:
            self._end(keep=False)

    def read(self, sql: str, *values: Any) -> list[Row]:
        """For a worker process, which reads on a connection of its own."""
        if self.unreachable(HERE.get()) is not None:
            raise Away("The database is away.")
        return execute(self._committed, sql, values)

    # -- for the checks ---------------------------------------------------------------

    @property
    def _committed(self) -> Data:
        return self.data if self._before is None else self._before

    def logs(self) -> dict[str, list[tuple[int, bytes]]]:
        data = self._committed
        return {
            data.tables[no].id: [(at, value) for _, at, value, _ in entries]
            for no, entries in data.entries.items()
        }


class SimulatedConnection:
    """In place of an `asyncpg.Connection`."""

    def __init__(self, server: SimulatedPostgres, machine: Machine | None) -> None:
        self._server = server
        self.machine = machine
        self.place = "" if machine is None else machine.place
        self._context = copy_context()
        self._closed = False
        self._asked: dict[asyncio.Future[list[Row]], None] = {}
        self._listeners: dict[str, Callable[..., None]] = {}
        self._last = 0.0
        """When the last notification arrives: they keep their order."""

    # -- as asyncpg has it ------------------------------------------------------------

    async def fetch(self, query: str, *args: Any) -> list[Row]:
        if self._closed:
            raise asyncpg.InterfaceError("connection is closed")
        future: asyncio.Future[list[Row]] = asyncio.get_running_loop().create_future()
        self._asked[future] = None
        self._server.send((self, query, args, future))
        try:
            return await future
        finally:
            self._asked.pop(future, None)

    async def fetchrow(self, query: str, *args: Any) -> Row | None:
        rows = await self.fetch(query, *args)
        return rows[0] if rows else None

    async def fetchval(self, query: str, *args: Any) -> Any:
        row = await self.fetchrow(query, *args)
        return None if row is None else row[0]

    async def execute(self, query: str, *args: Any) -> str:
        await self.fetch(query, *args)
        return ""

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[None]:
        await self.fetch("BEGIN")
        try:
            yield
        except BaseException:
            if not self._closed:
                await self.fetch("ROLLBACK")
            raise
        await self.fetch("COMMIT")

    async def add_listener(self, channel: str, hear: Callable[..., None]) -> None:
        await asyncio.sleep(self._server.latency())
        self._listeners[channel] = hear

    def is_closed(self) -> bool:
        return self._closed

    def terminate(self) -> None:
        self.lose()
        _later(self._server.latency(), self._server.close, self)

    async def close(self, **how: Any) -> None:
        self.terminate()

    # -- what comes from the server ---------------------------------------------------

    def lose(self) -> None:
        """The connection is reset."""
        self._closed = True
        for future in list(self._asked):
            if not future.done():
                loop = asyncio.get_running_loop()
                loop.call_soon(_fail, future, context=self._context)

    def answer(self, future: Any, rows: list[Row] | None, wrong: Exception | None) -> None:
        """An answer is under way; it may not arrive."""
        server = self._server
        if server.unreachable(self.machine) is None:
            _later(server.latency(), self._answered, future, rows, wrong, context=self._context)

    def _answered(self, future: Any, rows: list[Row] | None, wrong: Exception | None) -> None:
        if future.done() or self._closed or self._server.unreachable(self.machine) is not None:
            return
        if wrong is not None:
            future.set_exception(wrong)
        else:
            future.set_result(rows)

    def notify(self, channel: str, payload: str) -> None:
        hear = self._listeners.get(channel)
        if hear is not None and self._server.unreachable(self.machine) is None:
            loop = asyncio.get_running_loop()
            self._last = max(self._last, loop.time() + self._server.latency())
            loop.call_at(self._last, hear, self, 0, channel, payload, context=self._context)


_AT_THE_SERVER: Final = Context()


def _later(
    seconds: float, call: Callable[..., None], *args: Any, context: Context = _AT_THE_SERVER
) -> None:
    loop = asyncio.get_running_loop()
    loop.call_at(loop.time() + seconds, call, *args, context=context)


def _fail(future: Any) -> None:
    if not future.done():
        future.set_exception(ConnectionResetError("the connection was reset"))


class SimulatedStore(PostgresStore):
    """The real store, which also notes what a log had before it was rewritten."""

    server: ClassVar[SimulatedPostgres]

    def rewrite(self, table: str, entries: Sequence[tuple[int, bytes]]) -> Ticket:
        batch, number = self._gathered, self._tables[table].number
        replaced = [
            (table, seq, at, data)
            for no, seq, at, data in zip(
                batch.tables, batch.seqs, batch.ats, batch.datas, strict=True
            )
            if no == number
        ]
        self.server.data.replaced.setdefault((self.node, number), []).extend(replaced)
        return super().rewrite(table, entries)
