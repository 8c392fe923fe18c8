"""Commit before sending: tables write their logs here, and every message is sent from here.

A table goes on in memory at once. Its messages are handed in together with their log entry, and
wait here until that entry is committed; so do answers over HTTP and the counting of inputs. Facts
are read and written directly (`store`), because that sends nothing to anybody.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections import Counter, deque
from collections.abc import Sequence
from typing import Final, TypeAlias, TypeVar

from parlour.bus import Bus, ConnectionId, Farewell, Letter
from parlour.kit import Millis
from parlour.store import Store, TableRow, Ticket
from parlour.table import inputs as do

log = logging.getLogger("parlour.house")

T = TypeVar("T")

MOST_WAITING: Final = 268_435_456
"""Bytes that may wait for their commit unless told otherwise."""
SERVICE_RESTART: Final = 1012
"""The close code of connections that are to come back at once."""

__all__ = ["Farewell", "Journal", "Letter"]

Waiting: TypeAlias = tuple[Ticket, Sequence[Letter], str, int, str, int]
"""A ticket, the letters to send once it is committed, their table and its version, the game of an
input that is to be counted ("": none), and the size of the letters in bytes."""


def salt(entry: do.Input) -> None:
    """Give an entry with private fields its salt, for a log that is chained."""
    entry.proof = do.Proof(secrets.token_hex(16))


class SteadyClock:
    """The time by which tables live, in milliseconds since the epoch: it only goes forward.

    It starts at the machine's clock. Whoever sets that clock back or forward by an hour neither
    stops every timer nor ends everybody's turn at once.
    """

    def __init__(self) -> None:
        self.base: Millis = time.time_ns() // 1_000_000 - _process_time()
        """Added to the time that the process has run."""

    def __call__(self) -> Millis:
        return self.base + time.monotonic_ns() // 1_000_000

    def right(self, moment: Millis) -> None:
        """It is this moment by the clock of those who share the log."""
        self.base = moment - _process_time()

    def not_before(self, moment: Millis) -> None:
        """The log has an entry of this moment: no later one may seem to be earlier."""
        self.base = max(self.base, moment - _process_time())


def _process_time() -> Millis:
    return time.monotonic_ns() // 1_000_000


class Journal:
    """The logs of tables, their clock, and the messages that wait for a commit."""

    def __init__(
        self,
        store: Store,
        bus: Bus,
        counts: Counter[str] | None = None,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        """`counts`: by game, the inputs that were kept; counted up here."""
        self.store = store
        self.lifecycle = store.lifecycle
        self.clock = SteadyClock()
        self._bus = bus
        self._counts: Counter[str] = Counter() if counts is None else counts
        self._waiting: deque[Waiting] = deque()
        """In the order of their tickets."""
        self._queued = 0
        """Bytes of all that waits."""
        self._most_waiting = most_waiting
        self._kept: Ticket = 0
        store.on_commit(self._flush)

    # -- writing ----------------------------------------------------------------------

    def open_table(self, row: TableRow, opening: do.Open) -> bytes:
        """A new table and its first entry; returns the bytes of the entry."""
        self.store.open_table(row)
        data = do.encode(opening)
        self.store.append(row.id, 0, row.opened, data)
        return data

    def append(
        self,
        table: str,
        seq: int,
        at: Millis,
        entry: do.Input,
        letters: Sequence[Letter] = (),
        counted: str = "",
    ) -> bytes:
        """One entry, and what is to be said once it is kept. `counted`: the game whose input it is.

        Returns the bytes of the entry. The table has moved on already: if the log is lost, nobody
        will ever hear of it.
        """
        data = do.encode(entry)
        self.store.append(table, seq, at, data)
        self.say(letters, table, seq, counted)
        return data

    def rewrite(self, table: str, entries: Sequence[tuple[Millis, do.Input]]) -> list[bytes]:
        """In place of all of a table's entries, these: they lead to the same table. Returns the
        bytes of each."""
        encoded = [(at, do.encode(entry)) for at, entry in entries]
        self.store.rewrite(table, encoded)
        return [data for _, data in encoded]

    # -- telling ----------------------------------------------------------------------

    def say(
        self, letters: Sequence[Letter], table: str = "", version: int = 0, counted: str = ""
    ) -> None:
        """Send these, and count the input, once everything written so far is kept."""
        if not (letters or counted) or self.lifecycle.lost:
            return
        size = 0
        for _, data in letters:
            if type(data) is bytes:
                size += len(data)
        ticket = self.store.last_ticket
        self._waiting.append((ticket, letters, table, version, counted, size))
        self._queued += size
        if ticket <= self._kept and self.store.current():
            self._flush(self._kept)
        elif self._queued > self._most_waiting:
            self._cut_largest()

    async def kept(self, answer: T) -> T:
        """`answer`, once everything it may follow from is kept.

        It must not change any more: what happens while we wait is not committed yet.
        """
        await self.store.kept()
        return answer

    def _cut_largest(self) -> None:
        """Close the connections with most bytes waiting until an eighth is free; drop the bytes."""
        held: Counter[ConnectionId] = Counter()
        for _, letters, *_ in self._waiting:
            for connections, data in letters:
                if isinstance(data, bytes):
                    # One copy serves all its readers, so each holds a share of it.
                    share = len(data) // len(connections) + 1
                    held.update(dict.fromkeys(connections, share))
        over = self._queued - self._most_waiting * 7 // 8
        cut: set[ConnectionId] = set()
        for connection, size in held.most_common():
            if over <= 0:
                break
            cut.add(connection)
            over -= size
        log.warning("too much waits for its commit: %d connections are closed", len(cut))
        self._waiting = deque(_without(cut, waiting) for waiting in self._waiting)
        self._queued = sum(size for *_, size in self._waiting)
        farewell = Farewell(SERVICE_RESTART, "too much waits to be sent")
        self._bus.tell([([connection], farewell) for connection in cut])

    def _flush(self, kept: Ticket) -> None:
        """Everything up to this ticket is kept: send what waited for it."""
        self._kept = kept
        waiting, tell = self._waiting, self._bus.tell
        while waiting and waiting[0][0] <= kept:
            _, letters, table, version, counted, size = waiting.popleft()
            self._queued -= size
            if counted:
                self._counts[counted] += 1
            if letters:
                tell(letters, table, version)


def _without(cut: set[ConnectionId], waiting: Waiting) -> Waiting:
    """`waiting` without messages for these connections."""
    ticket, letters, table, version, counted, _ = waiting
    left: list[Letter] = []
    size = 0
    for connections, data in letters:
        if isinstance(data, bytes):
            connections = [each for each in connections if each not in cut]
            if not connections:
                continue
            size += len(data)
        left.append((connections, data))
    return ticket, left, table, version, counted, size
