"""The house: all tables this process owns. It finds, opens and closes them; they run themselves.

See `parlour.bus.Owner` for what is asked of it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar, TypeVarTuple

from parlour.bus import Bus, ConnectionId, JoinRequest, Letter, Refusal, Welcome
from parlour.house.common import CommonTables
from parlour.house.failures import Failures
from parlour.house.journal import Journal
from parlour.house.library import Library
from parlour.house.live import LiveTable
from parlour.house.loader import Loader
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
        failures: Path | None = None,
    ) -> None:
        """`defaults` are by game; `failures`: the folder in which failures are written down."""
        self.games = {game.id: game for game in games}
        self.journal = journal
        self.clock = journal.clock
        self.library = Library(journal.store, journal.clock)
        self._hooks = hooks or Hooks()
        self.services = Services(
            journal=journal,
            bus=bus,
            library=self.library,
            hooks=self._hooks,
            limits=limits or HouseLimits(),
            defaults=defaults or {},
            words=words or WordList(),
            bot_pace=bot_pace,
            failures=Failures(failures),
        )
        self.index = self.services.index
        self.opening = Opening(self.services)
        self.loader = self.services.loader = Loader(self.services, self.games)
        self.common = CommonTables(self.services, self.opening)
        self.replays = Replays(journal.store)
        journal.lifecycle.on_change(self._condition_changed)
        bus.attach_owner(self)

    # -- opening and closing the house ------------------------------------------------

    async def reopen(self) -> int:
        """Find every live table of the log from now on; returns how many there are."""
        load_lookalikes()
        now = await self.journal.store.now()
        if now is not None:
            self.clock.right(now)
        await self.journal.store.read_watched()
        await self.opening.room.load()
        for game in self.games.values():
            if game.bots is not None and game.bots.experience is not None:
                known = await self.journal.store.fact(_EXPERIENCE + game.id)
                self.services.experience[game.id] = game.bots.experience(known)
        return await self.loader.add(await self.journal.store.live_tables(), LiveTable.wake)

    async def close(self) -> None:
        """Stop all clocks; returns once everything so far is committed and sent."""
        self.journal.lifecycle.close()
        self.services.slow_answers.rest()
        self.replays.rest()
        await self.loader.rest()
        with suppress(Illegal):  # the log is lost, as the lifecycle says
            self.loader.write_notes()
            await self.journal.kept(None)

    def _condition_changed(self) -> None:
        if self.journal.lifecycle.lost:
            why = self.journal.lifecycle.why
            log.critical("the log can no longer be written: the house closes (%s)", why)
        if not self.journal.lifecycle.open:
            for entry in self.index:
                if isinstance(entry, LiveTable):
                    entry.rest()

    # -- the owner's side of the bus --------------------------------------------------

    @property
    def connections(self) -> Iterable[ConnectionId]:
        return self.services.attachments

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
        attachments = self.services.attachments
        if connection in attachments and request is not None:
            live, attachment = attachments[connection]
            live.requests.submit(attachment, request)

    def submit_frame(self, connection: ConnectionId, frame: bytes) -> bool:
        if connection not in self.services.attachments:
            return False
        live, attachment = self.services.attachments[connection]
        try:
            if attachment.request.extras is not None and extras.meant(frame):
                self.submit(connection, extras.decode(frame))
            else:
                self.submit(connection, attachment.wire.decode(frame))
        except BadMessage as bad:
            live.requests.refuse(attachment, Illegal(bad.code, bad.sentence))
        return True

    def disconnect(self, connection: ConnectionId) -> None:
        if connection in self.services.attachments:
            live, attachment = self.services.attachments[connection]
            live.disconnected(attachment)

    async def call(self, operation: Operation[A, *Args], *arguments: *Args) -> A:
        answer: A = await FUNCTIONS[operation.name](self, *arguments)
        return await self.journal.kept(answer)

    async def _sought(self, request: JoinRequest, game: Game) -> LiveTable:
        """The table that a newcomer asks for; opened if it is to be their own or the house's."""
        match request.seek.where:
            case At(table):
                await self.loader.find(table)
                entry = self.index.found(table, "There is no table with that code.")
                if entry.game is not game:
                    raise Illegal("no-such-table", "There is no table with that code.")
                return await self.loader.awake(entry)
            case Own(settings, last):
                if last:
                    await self.loader.all_read()
                    known = self.index.last_of(request.visitor, game.id)
                    if known is not None:
                        return await self.loader.awake(known)
                return self.opening.open(game, request.visitor, settings, address=request.address)
            case Common():
                return await self.common.table(game)

    def change_defaults(self, defaults: Mapping[str, TableDefaults], words: WordList) -> None:
        """Open new tables with these defaults, and replace these words by stars, from now on."""
        self.services.defaults, self.services.words = defaults, words

    # -- with other nodes -------------------------------------------------------------

    def say(self, letters: Sequence[Letter]) -> None:
        self.journal.say(letters)

    async def adopt(self, rows: Sequence[TableRow]) -> None:
        """Run tables that another node ran until now."""
        await self.loader.add(rows, LiveTable.go_on)
        await self.loader.all_read()

    def release(self, table: str) -> None:
        """Stop running a table so that another node can; its connections hear nothing."""
        entry = self.index.find(table)
        if entry is None:
            self.loader.drop(table)
            return
        if isinstance(entry, LiveTable):
            entry.rest()
            entry.saved.write()
            for attachment in list(entry.audience.attachments):
                entry.detach(attachment)
        self.index.remove(entry)
        self.loader.drop(table)
        self._hooks.tables(len(self.index))
        self._hooks.released(entry.roster)
