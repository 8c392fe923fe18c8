"""Loads tables when somebody comes, or when something is due there.

At the start only the rows of live tables are read. One task reads their notes (`asleep.py`), then
the tables whose notes are missing or old, and afterwards those at which something is due, one by
one. A table that somebody asks for does not wait for these. A table that nobody has asked for in a
minute goes back to its note.

Longer than most modules: whether a table is in memory is decided here alone.
"""

from __future__ import annotations

import asyncio
import heapq
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from parlour.bus import TRY_AGAIN
from parlour.house.asleep import ASLEEP, Asleep, fallen_asleep, read_note, sleeps_until
from parlour.house.checkpoints import restore
from parlour.house.folding import joined
from parlour.house.index import NO_SUCH_TABLE, TABLE_SHUT
from parlour.house.live import LEFT_FOR, LiveTable
from parlour.kit import Illegal, Millis
from parlour.protocol import Game
from parlour.store import COMMON, Away, TableRow
from parlour.table import Roster

if TYPE_CHECKING:
    from parlour.house.index import Entry
    from parlour.house.services import Services

log = logging.getLogger("parlour.house")

_SHUT = "shut:"
"""Before a table's id: the fact since when (in milliseconds) it cannot be opened."""
SETTLED: Final = 5.0
"""Seconds without an entry after which a table's note is written."""
PAGE: Final = 50
"""Notes that are read with one query."""
AT_ONCE: Final = 5
"""Notes that are written or read before the event loop does its other work: half a millisecond."""

Begin: TypeAlias = Callable[[LiveTable], None]


class Loader:
    """Tables of one house between the log, the index and memory."""

    def __init__(self, services: Services, games: Mapping[str, Game]) -> None:
        self._services = services
        self._games = games
        self._journal = services.journal
        self._store = services.journal.store
        self._index = services.index
        self._begin: dict[str, Begin] = {}
        """By id: how each table that is not in memory goes on (`LiveTable.wake` or `go_on`)."""
        self._were_shut: set[str] = set()
        """By id: tables that are loaded at once, because they may stay shut."""
        self._due: list[tuple[Millis, str]] = []
        """A heap of tables asleep."""
        self._loading: dict[str, asyncio.Task[LiveTable]] = {}
        self._more = asyncio.Event()
        self._all_read = asyncio.Event()
        self._all_read.set()
        self._to_check: asyncio.Queue[LiveTable] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []
        self._waiting: dict[asyncio.Task[None], None] = {}

    # -- from the log into the index --------------------------------------------------

    async def add(self, rows: Sequence[TableRow], begin: Begin) -> int:
        """Find these tables from now on; returns how many have a game that is installed."""
        if not self._tasks:
            loop = asyncio.get_running_loop()
            steps = (self._read(), self._write(), self._check())
            self._tasks = [loop.create_task(step) for step in steps]
        known_shut = await self._store.recall(_SHUT) if rows else {}
        for row in rows:
            if row.game in self._games:
                self._index.expect(row)
                self._begin[row.id] = begin
                if _SHUT + row.id in known_shut:
                    self._were_shut.add(row.id)
            else:
                log.error("table %s stays shut: no game %s is installed", row.id, row.game)
                await self._keep_shut(row, "its game is not installed here")
        self._services.hooks.tables(len(self._index))
        if self._index.unread:
            self._all_read.clear()
            self._more.set()
        return len(rows) - sum(row.game not in self._games for row in rows)

    async def rest(self) -> None:
        """Load nothing more."""
        tasks: list[asyncio.Task[Any]] = [*self._tasks, *self._waiting, *self._loading.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def all_read(self) -> None:
        """Returns once the index knows every table."""
        await self._all_read.wait()

    async def _read(self) -> None:
        while True:
            self._more.clear()
            try:
                await self._read_notes()
                for table in list(self._index.unread):
                    await self._try(table)
                self._all_read.set()
                now = self._journal.clock()
                while self._due and self._due[0][0] <= now and not self._index.unread:
                    _, table = heapq.heappop(self._due)
                    await self._try(table)
            except Exception:
                if self._journal.lifecycle.lost:
                    return
                log.exception("tables can't be loaded")
                await asyncio.sleep(1.0)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._wait()):
                    await self._more.wait()

    def _wait(self) -> float | None:
        """Seconds until something is due."""
        if not self._due:
            return None
        return max(0.0, (self._due[0][0] - self._journal.clock()) / 1000)

    async def _try(self, table: str) -> None:
        with suppress(Illegal):  # it stays shut, or is at another node
            await self.load(table)

    async def _read_notes(self) -> None:
        waiting = list(self._index.unread.values())
        for start in range(0, len(waiting), PAGE):
            page = waiting[start : start + PAGE]
            notes = await self._store.look_up([ASLEEP + row.id for row in page])
            for number, row in enumerate(page):
                if number % AT_ONCE == 0:
                    await asyncio.sleep(0)
                data = notes.get(ASLEEP + row.id)
                if data is not None and row.id in self._index.unread:
                    self._read_note(row, data)

    def _read_note(self, row: TableRow, data: bytes) -> None:
        game = self._games[row.game]
        note = read_note(data, game)
        if (
            note is None
            or row.id in self._were_shut
            or row.id in self._loading
            or note.seq != self._store.next_seq(row.id) - 1
        ):
            return
        moved = self._begin[row.id] is LiveTable.go_on
        due = sleeps_until(note, game, self._journal.clock(), moved=moved)
        asleep = Asleep(game, row, data, note)
        self._opened(asleep, asleep.roster)
        if due is not None:
            heapq.heappush(self._due, (due, row.id))

    def _opened(self, entry: Entry, roster: Roster) -> None:
        """Add a table to the index, from its note or from its log."""
        self._index.add(entry, roster)
        if roster.opener is None and roster.public:
            # Logs from before this fact was kept may have several such tables.
            key, mine = COMMON + roster.game, roster.id.encode()
            self._store.amend([key], lambda facts: {} if facts[key] else {key: mine})
        for player in roster.people:
            if player.resumable:
                self._store.seated(roster.id, player.visitor or "", roster.game)
        self._services.hooks.opened(roster)

    # -- from the index into memory ---------------------------------------------------

    async def find(self, table: str) -> Entry | None:
        """By its id, its code, or the id of a match there; loaded only if there is no note."""
        table = table.replace(" ", "")
        if self._index.find(table) is None and self._index.unread:
            unread = self._index.unread_id(table)
            if unread is None:
                await self.all_read()
            else:
                await self.load(unread)
        return self._index.find(table)

    async def found(self, table: str, sentence: str) -> LiveTable:
        """The same, loaded, or `Illegal` with this sentence or with why it is shut."""
        await self.find(table)
        return await self.awake(self._index.found(table, sentence))

    async def awake(self, entry: Entry) -> LiveTable:
        """A table of the index, in memory. Raises `Illegal` if it stays shut."""
        if isinstance(entry, Asleep):
            return await self.load(entry.row.id)
        entry.left_at = self._journal.clock()
        return entry

    def is_awake(self, table: str) -> bool:
        """Whether a table is in memory, or there is none."""
        entry = self._index.find(table)
        return isinstance(entry, LiveTable) if entry is not None else not self._index.unread

    def when_awake(self, table: str, then: Callable[[Illegal | None], None]) -> None:
        """Call `then` when this table is loaded, or with the reason why it is not."""

        async def wait() -> None:
            try:
                entry = await self.find(table)
                if entry is not None:
                    await self.awake(entry)
            except Illegal as no:
                then(no)
            else:
                then(None)

        task = asyncio.get_running_loop().create_task(wait())
        self._waiting[task] = None
        task.add_done_callback(self._waiting.pop)

    async def load(self, table: str) -> LiveTable:
        """Load a table by its id, once for all who ask."""
        entry = self._index.find(table)
        if isinstance(entry, LiveTable):
            return entry
        row = self._index.unread.get(table) if entry is None else entry.row
        if row is None or not self._journal.lifecycle.open:
            self._index.check_not_shut(table)
            raise Illegal(NO_SUCH_TABLE, "There is no such table.")
        task = self._loading.get(table)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._load(row))
            self._loading[table] = task
            task.add_done_callback(lambda task: self._loaded(table, task))
        return await asyncio.shield(task)

    def _loaded(self, table: str, task: asyncio.Task[LiveTable]) -> None:
        del self._loading[table]
        if not task.cancelled():
            task.exception()  # everybody who waited has got it

    async def _load(self, row: TableRow) -> LiveTable:
        game = self._games[row.game]
        try:
            table, found = await restore(game, self._services.library, self._store, row.id)
        except Away as away:
            raise Illegal(TRY_AGAIN, "The log can't be read now: try again in a moment.") from away
        except Exception as wrong:
            # The cause is an exception of the rules (see `fold`): log its traceback.
            log.critical("table %s stays shut: %s", row.id, wrong, exc_info=wrong.__cause__)
            if wrong.__cause__ is not None:
                reader = self._store.reader(row.id)
                await self._services.failures.keep(game, reader, wrong.__cause__)
            why = await self._keep_shut(row, "its game can't be read back")
            raise Illegal(TABLE_SHUT, why) from None
        entry = self._index.find(row.id)
        if entry is None and row.id not in self._index.unread:
            raise Illegal(TRY_AGAIN, "This table is being moved: try again in a moment.")
        self._journal.clock.not_before(table.last_at)
        live = LiveTable(game, table, self._services, found)
        if entry is None:
            self._opened(live, live.roster)
        else:
            self._index.add(live, live.roster)
        if row.id in self._were_shut:
            self._were_shut.remove(row.id)
            self._store.remember(_SHUT + row.id, None)
        self._begin.pop(row.id)(live)
        return live

    def drop(self, table: str) -> None:
        """Another node runs this table, which was not in memory."""
        self._index.drop_unread(table)
        self._begin.pop(table, None)

    def forget(self, entry: Asleep) -> None:
        """Delete a table at which nothing was ever played."""
        table = entry.row.id
        self._index.remove(entry)
        self._services.hooks.tables(len(self._index))
        self._begin.pop(table, None)
        self._store.remember(ASLEEP + table, None)
        self._services.library.forget(table)
        self._store.forget_table(table)

    # -- notes ------------------------------------------------------------------------

    async def _write(self) -> None:
        while True:
            await asyncio.sleep(SETTLED)
            written = 0
            with suppress(Illegal):  # the log is lost
                for entry in self._index:
                    if not isinstance(entry, LiveTable):
                        continue
                    settled = entry.saved.settled()
                    if settled or entry.saved.outgrown:
                        entry.saved.write()
                        written += 1
                        if written % AT_ONCE == 0:
                            await asyncio.sleep(0)
                    if settled and entry.saved.unchecked:
                        self._to_check.put_nowait(entry)
                await self._put_to_sleep()

    async def _put_to_sleep(self) -> None:
        """Keep only the notes of tables that nobody needs in memory."""
        if not any(isinstance(entry, LiveTable) and entry.may_sleep() for entry in self._index):
            return
        # They are loaded from the log again, so it must have all of their entries.
        await self._journal.kept(None)
        now = self._journal.clock()
        slept = awake = 0
        for live in self._index:
            if not isinstance(live, LiveTable):
                continue
            awake += 1
            if not live.may_sleep():
                continue
            found = fallen_asleep(live.game, live.table, live.taken_by, now)
            if found is None or (found[1] is not None and found[1] < now + LEFT_FOR):
                continue
            entry, due = found
            live.sleep()
            slept += 1
            self._begin[entry.id] = LiveTable.go_on
            self._index.add(entry, live.roster)
            if due is not None:
                heapq.heappush(self._due, (due, entry.id))
                self._more.set()
        self._services.hooks.slept(slept, awake - slept)

    async def _check(self) -> None:
        while True:
            live = await self._to_check.get()
            try:
                await live.saved.check()
            except Exception:
                if self._journal.lifecycle.lost:
                    return
                log.exception("the checkpoint of table %s can't be checked", live.roster.id)

    def write_notes(self) -> None:
        """At the end of the process: write all notes that are missing."""
        for entry in self._index:
            if isinstance(entry, LiveTable):
                entry.saved.write()

    async def _keep_shut(self, row: TableRow, why: str) -> str:
        """Refuse this table to everybody who looks for it; remember since when."""
        key = _SHUT + row.id
        known = await self._store.fact(key)
        if known is None:
            self._store.remember(key, str(self._journal.clock()).encode())
        since = datetime.fromtimestamp(int(known or self._journal.clock()) / 1000, UTC)
        date = f"{since.day} {since:%B %Y}"
        sentence = f"This table is shut since {date}: {why}. Nothing of it is deleted."
        visitors = await asyncio.to_thread(joined, self._store.reader(row.id))
        self._index.shut(row, sentence, visitors)
        return sentence
