"""The house: all tables this process owns. It finds, opens and closes them; they run themselves.

See `parlour.bus.Owner` for what is asked of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TypeVar, TypeVarTuple

from parlour.bus import Bus, ConnectionId, JoinRequest, Letter, Refusal, Welcome
from parlour.house.common import CommonTables
from parlour.house.folding import fold, joined
from parlour.house.journal import Journal
from parlour.house.library import Library
from parlour.house.live import LiveTable
from parlour.house.lookalikes import load as load_lookalikes
from parlour.house.opening import Opening
from parlour.house.operations import FUNCTIONS
from parlour.house.replay import Replays
from parlour.house.services import Hooks, HouseLimits, Services, TableDefaults
from parlour.house.words import WordList
from parlour.kit import Illegal
from parlour.protocol import At, BadMessage, Common, Game, Operation, Own, Request, extras
from parlour.store import TableRow, closing

A = TypeVar("A")
Args = TypeVarTuple("Args")

log = logging.getLogger("parlour.house")

_SHUT = "shut:"
"""Before a table's id: the fact since when (in milliseconds) it cannot be opened."""
_EXPERIENCE = "lessons:"
"""Before a game's id: what its bots have learned."""


class House:
    """The owner of tables."""

    def __init__(
        self,
        games: Sequence[Game],
        journal: Journal,
        bus: Bus,
        *,
        limits: HouseLimits | None = None,
        hooks: Hooks | None = None,
        defaults: Mapping[str, TableDefaults] | None = None,
        words: WordList | None = None,
        bot_pace: float = 1.0,
    ) -> None:
        """`defaults` are by game."""
        self.games = {game.id: game for game in games}
        self.journal = journal
        self.clock = journal.clock
        self.library = Library(journal.store, journal.clock)
        self._hooks = hooks or Hooks()
        self._services = Services(
            journal=journal,
            bus=bus,
            library=self.library,
            hooks=self._hooks,
            limits=limits or HouseLimits(),
            defaults=defaults or {},
            words=words or WordList(),
            bot_pace=bot_pace,
        )
        self.index = self._services.index
        self.opening = Opening(self._services)
        self.common = CommonTables(self._services, self.opening)
        self.replays = Replays(journal.store)
        journal.lifecycle.on_change(self._condition_changed)
        bus.attach_owner(self)

    # -- opening and closing the house ------------------------------------------------

    async def reopen(self) -> int:
        """Fold every live table of the log; returns how many there are."""
        load_lookalikes()
        now = await self.journal.store.now()
        if now is not None:
            self.clock.right(now)
        await self.library.load()
        await self.opening.room.load()
        for game in self.games.values():
            if game.bots is not None and game.bots.experience is not None:
                key = _EXPERIENCE + game.id
                known = (await self.journal.store.recall(key)).get(key)
                self._services.experience[game.id] = game.bots.experience(known)
        await self._open_again(await self.journal.store.live_tables(), LiveTable.wake)
        return len(self.index)

    async def _open_again(
        self, rows: Sequence[TableRow], begin: Callable[[LiveTable], None]
    ) -> None:
        known_shut = await self.journal.store.recall(_SHUT)
        for row in rows:
            if row.game not in self.games:
                log.error("table %s stays shut: no game %s is installed", row.id, row.game)
                await self._keep_shut(row, known_shut, "its game is not installed here")
                continue
            try:
                game = self.games[row.game]
                entries = await self.journal.store.entries(row.id)
                table = await fold(game, self.library, row.id, entries)
            except Exception as wrong:
                # The cause is an exception of the rules (see `fold`): log its traceback.
                log.critical("table %s stays shut: %s", row.id, wrong, exc_info=wrong.__cause__)
                await self._keep_shut(row, known_shut, "its game can't be read back")
                continue
            if _SHUT + row.id in known_shut:
                self.journal.store.remember(_SHUT + row.id, None)
            self.clock.not_before(table.last_at)
            live = LiveTable(game, table, self._services)
            self.index.add(live)
            for player in live.roster.people:
                if player.resumable:
                    self.journal.store.seated(row.id, player.visitor or "", row.game)
            begin(live)
            self._hooks.opened(live.roster)
            if live.roster.opener is None and live.roster.public:
                # Logs from before this fact was kept may have several such tables.
                await self.common.claim(live, None)
        self._hooks.tables(len(self.index))

    async def _keep_shut(self, row: TableRow, known: Mapping[str, bytes], why: str) -> None:
        """Refuse this table to everybody who looks for it; remember since when."""
        key = _SHUT + row.id
        if key not in known:
            self.journal.store.remember(key, str(self.clock()).encode())
        since = datetime.fromtimestamp(int(known.get(key, self.clock())) / 1000, UTC)
        date = f"{since.day} {since:%B %Y}"
        sentence = f"This table is shut since {date}: {why}. Nothing of it is deleted."
        visitors = await asyncio.to_thread(joined, self.journal.store.reader(row.id))
        self.index.shut(row, sentence, visitors)

    async def close(self) -> None:
        """Stop all clocks; returns once everything so far is committed and sent."""
        self.journal.lifecycle.close()
        self._services.slow_answers.rest()
        self.replays.rest()
        with suppress(Illegal):  # the log is lost, as the lifecycle says
            await self.journal.kept(None)

    def _condition_changed(self) -> None:
        if self.journal.lifecycle.lost:
            why = self.journal.lifecycle.why
            log.critical("the log can't be written any more: the house closes (%s)", why)
        if not self.journal.lifecycle.open:
            for live in self.index:
                live.rest()

    # -- the owner's side of the bus --------------------------------------------------

    @property
    def connections(self) -> Iterable[ConnectionId]:
        return self._services.attachments

    async def join(self, request: JoinRequest) -> Welcome | Refusal:
        game = self.games[request.game]
        try:
            if not self.journal.lifecycle.open:
                raise closing()
            live = await self._sought(request, game)
            await live.mended()
            attachment = await live.newcomers.join(request, game.wire(request.wire))
            roster = live.roster
            version = live.table.version
            welcome = Welcome(roster.id, roster.code, attachment.place, version)
            return await self.journal.kept(welcome)
        except Illegal as no:
            self._hooks.refused(request.game, no.code)
            return Refusal(no.code, no.sentence)

    def submit(self, connection: ConnectionId, request: Request) -> None:
        attachments = self._services.attachments
        if connection in attachments and request is not None:
            live, attachment = attachments[connection]
            live.requests.submit(attachment, request)

    def submit_frame(self, connection: ConnectionId, frame: bytes) -> bool:
        if connection not in self._services.attachments:
            return False
        live, attachment = self._services.attachments[connection]
        try:
            if attachment.request.extras is not None and extras.meant(frame):
                self.submit(connection, extras.decode(frame))
            else:
                self.submit(connection, attachment.wire.decode(frame))
        except BadMessage as bad:
            live.requests.refuse(attachment, Illegal(bad.code, bad.sentence))
        return True

    def disconnect(self, connection: ConnectionId) -> None:
        if connection in self._services.attachments:
            live, attachment = self._services.attachments[connection]
            live.disconnected(attachment)

    async def call(self, operation: Operation[A, *Args], *arguments: *Args) -> A:
        answer: A = await FUNCTIONS[operation.name](self, *arguments)
        return await self.journal.kept(answer)

    async def _sought(self, request: JoinRequest, game: Game) -> LiveTable:
        """The table that a newcomer asks for; opened if it is to be their own or the house's."""
        match request.seek.where:
            case At(table):
                live = self.index.found(table, "There is no table with that code.")
                if live.game is not game:
                    raise Illegal("no-such-table", "There is no table with that code.")
                return live
            case Own(settings, last):
                known = self.index.last_of(request.visitor, game.id) if last else None
                return known or self.opening.open(
                    game, request.visitor, settings, address=request.address
                )
            case Common():
                return await self.common.table(game)

    def change_defaults(self, defaults: Mapping[str, TableDefaults], words: WordList) -> None:
        """Open new tables with these defaults, and replace these words by stars, from now on."""
        self._services.defaults, self._services.words = defaults, words

    # -- with other nodes -------------------------------------------------------------

    def say(self, letters: Sequence[Letter]) -> None:
        self.journal.say(letters)

    async def adopt(self, rows: Sequence[TableRow]) -> None:
        """Run tables that another node ran until now."""
        await self._open_again(rows, LiveTable.go_on)

    def release(self, table: str) -> None:
        """Stop running a table so that another node can; its connections hear nothing."""
        live = self.index.find(table)
        if live is not None:
            live.rest()
            for attachment in list(live.audience.attachments):
                live.detach(attachment)
            self.index.remove(live)
            self._hooks.tables(len(self.index))
            self._hooks.released(live.roster)
