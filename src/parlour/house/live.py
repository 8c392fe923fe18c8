"""A live table: it takes inputs, sets its timers, asks its bots and repairs itself after a fault.

`Table` is the pure fold; this is everything around one of them. The house finds, opens and
closes live tables. Longer than most modules, because every method changes the one table that the
class holds.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress

from parlour.bus import TRY_AGAIN
from parlour.house.alarm import Alarm
from parlour.house.asleep import MOST_MATCHES
from parlour.house.audience import Attachment, Audience
from parlour.house.bots import TableBots
from parlour.house.checkpoints import Checkpoint
from parlour.house.failures import Failed, viewers_of
from parlour.house.folding import fold_log
from parlour.house.index import FAILED_AGAIN, TABLE_SHUT
from parlour.house.journal import SERVICE_RESTART, Farewell, Letter, salt
from parlour.house.newcomers import Newcomers
from parlour.house.replay import MATCHES
from parlour.house.requests import FAULT, Requests
from parlour.house.saved import Saved
from parlour.house.services import Services
from parlour.kit import Illegal, Millis, Outcome
from parlour.protocol import Game, Scope
from parlour.store import Away, LogEntry
from parlour.table import Roster, Table
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.chain import PRIVATE, SEAL_AFTER
from parlour.table.checkpoint import become
from parlour.table.condense import condensed

log = logging.getLogger("parlour.house")

GONE_AWAY = 4410
"""Close code for connections to a table that has closed."""
COME_ALONG = 10.0
"""Seconds that connections have to follow a table to another node. Guests lose their seats after
that, so it is longer than a busy machine keeps a gateway waiting."""
CONDENSE_AFTER = 2_000
"""Entries after which a log is searched for moves that were taken back."""
LEFT_FOR: Millis = 60_000
"""How long nobody has asked for a table before it is no longer kept in memory."""
MOST_FAULTS = 3
"""Faults after which a table is folded again; one more, and it stays shut."""
READ_AGAIN = 1.0
"""Seconds until the log is read again where it could not be read."""
MOST_OVERDUE = 100
"""Ticks in a row after which something may still be due. Rules that need more are broken, and would
fill the log as fast as it can be written."""


class LiveTable:
    """One table with its connections, its bots and its alarm clock."""

    def __init__(
        self, game: Game, table: Table, services: Services, found: Checkpoint | None = None
    ) -> None:
        """`found`: the checkpoint from which the table was loaded."""
        self.game = game
        self._services = services
        self.requests = Requests(self, services)
        self.newcomers = Newcomers(self, services)
        self._journal = services.journal
        self._lifecycle = services.journal.lifecycle
        self._clock = services.journal.clock
        self._alarm = Alarm(self._clock, self._ring)
        self._overdue = 0
        """Ticks in a row after which something was still due."""
        self._faults = 0
        self.shut = False
        """Whether it failed too often and is not folded again."""
        self._mending: asyncio.Task[None] | None = None
        self._missing: asyncio.TimerHandle | None = None
        self.left_at: Millis = self._clock()
        """When the last connection was gone, or the table was last asked for."""
        self._asleep = False
        self._failed: Failed | None = None
        """The last failure, until it is written down."""
        self._condense_at = CONDENSE_AFTER
        self._followers: list[list[LogEntry]] = []
        self.saved = Saved(self, services, found)
        self._set_up(table)

    def _set_up(self, table: Table) -> None:
        self.table = table
        self._face: Roster | None = None
        self.audience = Audience(table, self._clock)
        services = self._services
        self.bots = TableBots(
            table, services.experience.get(table.game.id), services.bot_pace, self._play_bot
        )

    @property
    def roster(self) -> Roster:
        return self.table.roster

    @property
    def id(self) -> str:
        return self.table.roster.id

    @property
    def face(self) -> Roster:
        """A copy of the roster, for answers that wait for a commit while the table goes on.

        The same copy until something changes, so it must not be written to.
        """
        if self._face is None:
            self._face = self.roster.copy()
        return self._face

    @property
    def in_use(self) -> bool:
        """Whether somebody is here, or anything was ever played."""
        return bool(self.audience.attachments) or self.table.played

    @property
    def taken_by(self) -> str:
        """The address whose limit of tables it counts for; in older logs, a visitor."""
        opening = self.table.opening
        return opening.source or opening.opener or ""

    def wake(self) -> None:
        """After a restart: everybody is away until they reconnect."""
        self.bots.wake()
        self.note(do.Wake())

    def go_on(self) -> None:
        """Run a table of another node. Players whose connections do not follow are away."""
        self.bots.wake()
        self.set_clocks()
        loop = asyncio.get_running_loop()
        self._missing = loop.call_later(COME_ALONG, self._mark_absent)

    def _mark_absent(self) -> None:
        for player in self.roster.people:
            if player.present and not self.audience.connected(player.place):
                self.note(do.Away(player.place))
        for waiter in list(self.roster.queue):
            self._left_queue(waiter.visitor)

    def may_sleep(self) -> bool:
        """Whether a note is enough until somebody comes."""
        if self.audience.attachments or self._followers or self.shut:
            return False
        if self._mending is not None and not self._mending.done():
            return False
        if self._clock() - max(self.left_at, self.table.last_at) <= LEFT_FOR:
            return False
        # Public tables are listed all the time, and a note finds only the last matches.
        roster = self.roster
        small = not roster.public and len(roster.match_ids) <= MOST_MATCHES
        return small and self.saved.up_to_date

    def sleep(self) -> None:
        """Another object runs this table from now on. Whoever still has this one is refused."""
        self.rest()
        self.shut = self._asleep = True

    def _refusal(self) -> Illegal:
        if self._asleep:
            return Illegal(TRY_AGAIN, "This table is being loaded: try again in a moment.")
        return Illegal(TABLE_SHUT, FAILED_AGAIN)

    # -- connections ------------------------------------------------------------------

    async def mended(self) -> None:
        """Returns once the table is usable; raises `Illegal` if it stays shut."""
        # It may fail once more while it is folded again.
        while self._mending is not None and not self._mending.done():
            await asyncio.shield(self._mending)
        if self.shut:
            raise self._refusal()

    def attach(self, attachment: Attachment) -> None:
        """Send this connection all that happens from now on."""
        if self._asleep:
            raise self._refusal()
        self.audience.attach(attachment)
        self._services.attachments[attachment.connection] = (self, attachment)

    def greet(self, attachment: Attachment) -> None:
        """The same; first, send it what has happened so far."""
        self.attach(attachment)
        self._journal.say(self.audience.greet(attachment))

    def take_up(self, attachment: Attachment, missed: Sequence[Letter]) -> None:
        """The same; first, send it what it missed."""
        self.attach(attachment)
        self._journal.say(missed)

    def detach(self, attachment: Attachment) -> None:
        self.audience.detach(attachment)
        del self._services.attachments[attachment.connection]
        self.left_at = self._clock()

    def disconnected(self, attachment: Attachment) -> None:
        """A connection is gone. If it was its player's last one, the player is away."""
        self._services.slow_answers.drop(attachment)
        self.detach(attachment)
        if not self._lifecycle.open:
            # The process is ending: `Wake` marks everybody as away when the table is opened again.
            return
        player = self.audience.player(attachment)
        if attachment.place is None:
            self._left_queue(attachment.visitor)
        elif player is not None and player.present:
            # A player without a connection to the match is away, even if one to its lobby is left.
            to_play = attachment.wire.scope is Scope.MATCH and self.roster.running
            if not self.audience.connected(player.place, to_play):
                self.note(do.Away(player.place))

    def _left_queue(self, visitor: str) -> None:
        """A spectator's connection is gone: perhaps the last one of somebody in the queue."""
        waiter = self.roster.waiter(visitor)
        if waiter is not None and waiter.until is None:
            if not any(a.visitor == visitor for a in self.audience.attachments):
                self.note(do.QueueAway(visitor))

    def leave(self, attachment: Attachment) -> None:
        """This connection goes to another table. If it was its player's last one, they get up."""
        self.detach(attachment)
        if attachment.place is not None and not self.audience.connected(attachment.place):
            self.receive(do.Leave(attachment.place))

    # -- the way of a move ------------------------------------------------------------

    def note(self, entry: do.Input) -> None:
        """Take an input that nobody has asked for. It is refused only if the table has closed or
        failed, or if the log is lost; nobody needs to hear of that."""
        with suppress(Illegal):
            self.receive(entry)

    def receive(self, entry: do.Input, counted: bool = False) -> None:
        """One input: fold it, log it, tell of it. Raises `Illegal`."""
        if self.shut:
            raise self._refusal()
        table = self.table
        now = self._clock()
        matches = table.roster.round
        try:
            happened = table.receive(entry, now)
            self._face = None
            letters: list[Letter] = []
            if self.audience.attachments:
                for event in happened:
                    if type(event) is tell.Kicked:
                        letters += self._put_out(event)
                letters += self.audience.tell(happened)
            game = table.game.id if counted else ""
            self._log(now, entry, letters, game)
            if type(entry) is do.Invite:
                self._services.index.concerns(entry.visitor, self)
            if table.roster.round > matches:
                self.audience.pictures.forget()
                self._services.index.dealt(self)
                self.bots.show(happened)
            elif self.bots.playing or type(entry) is do.AddBot:
                self.bots.show(happened)
            chain = table.chain
            if chain is not None and chain.unsealed >= SEAL_AFTER:
                self._seal(now)
            for event in happened:
                if type(event) is tell.Finished:
                    self._seal(now)
                    self._finish(event.outcome, happened)
            if table.version >= self._condense_at:
                self._condense(now)
            self.set_clocks()
        except Illegal:
            raise
        except Exception as wrong:
            log.exception("table %s failed at %s", table.roster.id, type(entry).__name__)
            viewers = viewers_of(self.audience)
            self._failed = Failed(wrong, now, do.encode(entry), viewers)
            self.mend()
            raise Illegal(FAULT, "Something went wrong: this table is set up again.") from None

    def _log(
        self, now: Millis, entry: do.Input, letters: Sequence[Letter] = (), counted: str = ""
    ) -> None:
        """Write an entry that the table has taken."""
        table = self.table
        chain, version = table.chain, table.version
        if chain is not None and type(entry) in PRIVATE:
            salt(entry)
        data = self._journal.append(table.roster.id, version, now, entry, letters, counted)
        if chain is not None:
            # `Table.logged`, without the call.
            chain.add(now, entry, data)
        for follower in self._followers:
            follower.append(LogEntry(version, now, data))
        self.saved.last = data

    def _seal(self, now: Millis) -> None:
        """Log how the chain of the log stands now; it must stand so whenever it is checked."""
        if self.table.chain is None:
            return
        entry = self.table.chain.seal()
        self._log(now, entry, self.audience.tell(self.table.receive(entry, now)))

    @contextmanager
    def followed(self) -> Generator[list[LogEntry], None, None]:
        """A list that the inputs from now on are added to, before they are committed."""
        follower: list[LogEntry] = []
        self._followers.append(follower)
        try:
            yield follower
        finally:
            # By identity: two that are empty are equal.
            self._followers = [each for each in self._followers if each is not follower]

    def _condense(self, now: Millis) -> None:
        """Rewrite the log without moves that were taken back, if it folds to the same table."""
        found = condensed(self.table, now)
        if found is None:
            self._condense_at = 2 * self.table.version
            return
        entries, twin = found
        written = self._journal.rewrite(self.roster.id, entries)
        # It must be the same table that is folded from this log later.
        become(self.table, twin)
        self.table.chained_anew()
        for (at, entry), data in zip(entries, written, strict=True):
            self.table.logged(at, entry, data)
        self.saved.forget()
        self.saved.last = written[-1]
        # Not again before most of the log may be superfluous, so that the cost per input is small.
        self._condense_at = max(CONDENSE_AFTER, 4 * self.table.version)

    def _put_out(self, event: tell.Kicked) -> list[Letter]:
        """The last messages to a player whom the host or the rules have put out."""
        letters: list[Letter] = []
        for attachment in self.audience.at_place(event.place):
            self.detach(attachment)
            end = attachment.wire.turn_away(event.reason, event.sentence)
            if end.first is not None:
                letters.append(([attachment.connection], end.first))
            letters.append(([attachment.connection], Farewell(end.code, end.sentence)))
        return letters

    def _finish(self, outcome: Outcome, happened: tell.Happened) -> None:
        """A match has ended: report it, learn from it, and close connections for it alone."""
        self._services.hooks.finished(self.roster, outcome)
        experience = self._services.experience.get(self.game.id)
        if experience is not None:
            experience.learn(self.table.picture(None))
            self._journal.store.remember(f"lessons:{self.game.id}", experience.dump())
        ended: list[Letter] = [
            ([a.connection], Farewell(1000, "the game is over"))
            for a in self.audience.attachments
            if a.wire.scope is Scope.MATCH
        ]
        self._journal.say(ended)
        self.newcomers.gather_lobby(happened)

    # -- clocks -----------------------------------------------------------------------

    def set_clocks(self) -> None:
        """After an input: set the clocks anew; clear the table away if it has closed."""
        if self.table.closed:
            self.close()
            return
        if not self._lifecycle.open:
            return
        due = self.table.due()
        if due != self._alarm.at:
            self._alarm.set(due)
        if self.bots.playing or self.bots.plans:
            self.bots.plan(self._clock())

    def _ring(self) -> None:
        due = self.table.due()
        if due is None or due > self._clock():
            self._overdue = 0
            self.set_clocks()
            return
        try:
            self.receive(do.Tick())
        except Illegal as no:
            log.error("what was due at table %s was refused: %s", self.roster.id, no.code)
            return
        due = None if self.table.closed else self.table.due()
        self._overdue = 0 if due is None or due > self._clock() else self._overdue + 1
        if self._overdue >= MOST_OVERDUE:
            self._faults = MOST_FAULTS
            self.mend(f"its rules have something due after {MOST_OVERDUE} ticks in a row")

    def _play_bot(self, place: int, action: object) -> None:
        try:
            self.receive(do.Act(place, action))
        except Illegal as no:
            # The table has changed since the plan (a snapped card is gone, say): ask again.
            log.info("a bot's action was refused at table %s: %s", self.roster.id, no.code)
            if no.code != FAULT:
                self.set_clocks()

    def rest(self) -> None:
        """Stop every clock of this table."""
        self._alarm.set(None)
        if self._missing is not None:
            self._missing.cancel()
        self.bots.rest()

    # -- closing and mending ----------------------------------------------------------

    def _dismiss(self, farewell: Farewell) -> None:
        """Stop the clocks and close all connections, after the messages sent so far."""
        self.rest()
        leaving = list(self.audience.attachments)
        for attachment in leaving:
            self.detach(attachment)
        self._journal.say([([a.connection], farewell) for a in leaving])

    def close(self) -> None:
        """Clear the table away. Its log is kept if anything was ever played there."""
        self._dismiss(Farewell(GONE_AWAY, "the table has closed"))
        services, table = self._services, self.roster.id
        self.saved.forget()
        services.index.remove(self)
        services.hooks.tables(len(services.index))
        if self.roster.round:
            self._journal.store.close_table(table, self._clock())
            over = str(self.roster.matches_over).encode()
            self._journal.store.remember(MATCHES + table, over)
        else:
            services.library.forget(table)
            self._journal.store.forget_table(table)

    def mend(self, fault: str = "it fails again and again") -> None:
        """After a fault the table in memory cannot be trusted: fold it again from its log."""
        self._dismiss(Farewell(SERVICE_RESTART, "the table is set up again"))
        self._faults += 1
        if self._faults > MOST_FAULTS:
            self.shut = True
            log.critical("table %s stays shut: %s", self.roster.id, fault)
            return
        self._mending = asyncio.get_running_loop().create_task(self._fold_again())

    async def _fold_again(self) -> None:
        try:
            # The log must hold everything that was sent before the table is folded from it.
            await self._journal.kept(None)
            failed, self._failed = self._failed, None
            if failed is not None:
                reader = self._journal.store.reader(self.id)
                await self._services.failures.keep(self.game, reader, failed.wrong, failed)
            table = await self._folded()
            if table is not None:
                self._set_up(table)
                self.wake()
        except Illegal:  # the log is lost
            return
        except Exception as wrong:
            log.critical("table %s stays shut: %s", self.roster.id, wrong, exc_info=wrong)
            self.shut = True

    async def _folded(self) -> Table | None:
        """The table as its log says; None: the house closes."""
        library, store = self._services.library, self._journal.store
        while self._lifecycle.open:
            try:
                return await fold_log(self.game, library, store, self.roster.id)
            except Away as away:
                log.warning("table %s waits: %s", self.roster.id, away)
                await asyncio.sleep(READ_AGAIN)
        return None
