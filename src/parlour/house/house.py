"""The house: all tables this process owns. It finds, opens and closes them; they run themselves.

See `parlour.bus.Owner` for what is asked of it.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime

import msgspec

from parlour.bus import (
    Bus,
    ConnectionId,
    JoinRequest,
    Letter,
    OpenRequest,
    PinRequest,
    Refusal,
    Rejoined,
    RejoinRequest,
    RunRequest,
    Welcome,
)
from parlour.house.audience import Attachment
from parlour.house.clock import SteadyClock
from parlour.house.common import CommonTables
from parlour.house.hooks import Hooks
from parlour.house.index import NO_SUCH_TABLE, TableIndex
from parlour.house.journal import Journal, closing
from parlour.house.library import Library
from parlour.house.live import TABLE_SHUT, LiveTable
from parlour.house.lookalikes import load as load_lookalikes
from parlour.house.moving import Moving
from parlour.house.opening import HouseLimits, Opening, TableDefaults
from parlour.house.rejoin import rejoin
from parlour.house.replay import NOT_OVER, Replays
from parlour.house.requests import NOT_FROM_OUTSIDE
from parlour.house.services import Services, fold, joined
from parlour.house.slow_answers import SlowAnswers
from parlour.house.words import WordList
from parlour.kit import Illegal, Lessons, Outcome
from parlour.protocol import (
    GUESSED_WRONG,
    At,
    BadMessage,
    Common,
    Game,
    MoveTo,
    Own,
    Request,
    TablePage,
    extras,
)
from parlour.store import TableRow
from parlour.table import Roster
from parlour.table import inputs as do

log = logging.getLogger("parlour.house")

_COUNT = re.compile(r"[0-9]{1,9}")
_SHUT = "shut:"
"""Before a table's id: the fact since when, in milliseconds, it can't be opened."""
_LESSONS = "lessons:"
"""Before a game's id: what its bots have learned."""

MOST_ADDED = 10
"""How much content may be brought to one table."""


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
        self._games = {game.id: game for game in games}
        limits = limits or HouseLimits()
        self._hooks = hooks or Hooks()
        self.clock = SteadyClock()
        self.index = TableIndex()
        self.journal = journal
        self._attachments: dict[ConnectionId, tuple[LiveTable, Attachment]] = {}
        self._lessons: dict[str, Lessons] = {}
        self._library = Library(journal, self.clock)
        self._common = CommonTables(
            self.index, journal, lambda game: self._opening.open(game, None, {}, public=True)
        )
        self._replays = Replays(journal)
        self._services = Services(
            registry=self,
            journal=self.journal,
            slow_answers=SlowAnswers(),
            clock=self.clock,
            alive=bus.alive,
            lessons=self._lessons,
            words=words or WordList(),
            name_held=self._hooks.name_held,
            bot_pace=bot_pace,
            spectators=limits.spectators,
        )
        self._opening = Opening(
            self._services,
            self.index,
            self._library,
            limits=limits,
            hooks=self._hooks,
            defaults=defaults or {},
        )
        self._moving = Moving(self.index, journal, bus, self._hooks)
        journal.lifecycle.on_change(self._condition_changed)
        bus.attach_owner(self)

    # -- opening and closing the house ------------------------------------------------

    async def reopen(self) -> int:
        """Fold every live table of the log; give how many there are."""
        load_lookalikes()
        now = await self.journal.now()
        if now is not None:
            self.clock.right(now)
        await self._library.load()
        await self._opening.load()
        for game in self._games.values():
            if game.bots is not None and game.bots.lessons is not None:
                key = _LESSONS + game.id
                self._lessons[game.id] = game.bots.lessons(
                    (await self.journal.recall(key)).get(key)
                )
        await self._open_again(await self.journal.live_tables(), LiveTable.wake)
        return len(self.index)

    async def _open_again(
        self, rows: Sequence[TableRow], begin: Callable[[LiveTable], None]
    ) -> None:
        known_shut = await self.journal.recall(_SHUT)
        for row in rows:
            if row.game not in self._games:
                log.error("table %s stays shut: no game %s is installed", row.id, row.game)
                await self._keep_shut(row, known_shut, "its game is not installed here")
                continue
            try:
                game = self._games[row.game]
                table = await fold(game, self.journal, row.id)
            except Exception as wrong:
                # Why the rules would not have it (see `fold`) is worth a traceback.
                log.critical("table %s stays shut: %s", row.id, wrong, exc_info=wrong.__cause__)
                await self._keep_shut(row, known_shut, "its game can't be read back")
                continue
            if _SHUT + row.id in known_shut:
                self.journal.remember(_SHUT + row.id, None)
            self.clock.not_before(table.last_at)
            live = LiveTable(game, table, self._services)
            self.index.add(live)
            for player in live.roster.people:
                if player.resumable:
                    self.journal.seated(row.id, player.visitor or "", row.game)
            begin(live)
            self._hooks.opened(live.roster)
            if live.roster.opener is None and live.roster.public:
                # Before it was written down which one that is, there could be more than one.
                await self._common.claim(live, None)
        self._hooks.tables(len(self.index))

    async def _keep_shut(self, row: TableRow, known: Mapping[str, bytes], why: str) -> None:
        """Let those who look for this table know; since when is remembered over restarts."""
        key = _SHUT + row.id
        if key not in known:
            self.journal.remember(key, str(self.clock()).encode())
        since = datetime.fromtimestamp(int(known.get(key, self.clock())) / 1000, UTC)
        date = f"{since.day} {since:%B %Y}"
        sentence = f"This table is shut since {date}: {why}. Nothing of it is deleted."
        visitors = await asyncio.to_thread(joined, self.journal.reader(row.id))
        self.index.shut(row, sentence, visitors)

    async def close(self) -> None:
        """Stop all clocks and let everything said so far be kept and told."""
        self.journal.lifecycle.close()
        self._services.slow_answers.rest()
        self._replays.rest()
        with suppress(Illegal):  # lost, and the lifecycle says so
            await self.journal.kept(None)

    def _condition_changed(self) -> None:
        if self.journal.lifecycle.lost:
            why = self.journal.lifecycle.why
            log.critical("the log can't be written any more: the house closes (%s)", why)
        if not self.journal.lifecycle.open:
            for live in self.index:
                live.rest()

    # -- the owner's side of the bus --------------------------------------------------

    async def join(self, request: JoinRequest) -> Welcome | Refusal:
        game = self._games[request.game]
        try:
            if not self.journal.lifecycle.open:
                raise closing()
            live = await self._sought(request, game)
            await live.mended()
            attachment = await live.join(request, game.wire(request.wire))
            roster = live.roster
            version = live.table.version
            welcome = Welcome(roster.id, roster.code, attachment.place, version)
            return await self.journal.kept(welcome)
        except Illegal as no:
            self._hooks.refused(request.game, no.code)
            return Refusal(no.code, no.sentence)

    def submit(self, connection: ConnectionId, request: Request) -> None:
        if connection not in self._attachments or request is None:
            return
        live, attachment = self._attachments[connection]
        if not isinstance(request, MoveTo):
            live.requests.submit(attachment, request)
            return
        try:
            self._moving.move(live, attachment, request.code)
        except Illegal as no:
            if no.code == NO_SUCH_TABLE and not live.roster.running:
                self._moving.move_elsewhere(live, attachment, request.code)
            else:
                live.requests.refuse(attachment, no)

    def submit_frame(self, connection: ConnectionId, frame: bytes) -> bool:
        if connection not in self._attachments:
            return False
        live, attachment = self._attachments[connection]
        try:
            if attachment.extras is not None and extras.meant(frame):
                self.submit(connection, extras.decode(frame))
            else:
                self.submit(connection, attachment.wire.codec.decode(frame))
        except BadMessage as bad:
            live.requests.refuse(attachment, Illegal(bad.code, bad.sentence))
        return True

    def disconnect(self, connection: ConnectionId) -> None:
        if connection in self._attachments:
            live, attachment = self._attachments[connection]
            live.disconnected(attachment)

    async def open(self, request: OpenRequest) -> Roster | Refusal:
        try:
            game = self._games.get(request.game)
            if game is None:
                raise Illegal("no-such-game", f"There is no game called {request.game!r}.")
            most = game.max_seats - 1 if game.bots is not None else 0
            if not 0 <= request.bots <= most:
                raise Illegal("bad-bots", f"{game.name} takes up to {most} bots.")
            if request.strength and request.bots and game.bots is not None:
                # Before there is a table: one that can't have its bots is not opened.
                if request.strength not in game.bots.strengths:
                    raise Illegal("bad-strength", f"{game.name} has no bots of that strength.")
            live = await self._opening.open_alone(game, request)
            for _ in range(request.bots):
                live.receive(do.AddBot(do.HOUSE, request.strength))
            return await self.journal.kept(live.face)
        except Illegal as no:
            return Refusal(no.code, no.sentence)

    async def run(self, request: RunRequest) -> Roster | Refusal:
        try:
            live = self.index.found(request.table, "There is no such table.")
            place = self._place_of(live, request.visitor)
            if place != do.HOUSE:
                if isinstance(request.input, NOT_FROM_OUTSIDE):
                    raise Illegal("not-here", "Only those at the table may do that.")
                # A member may do by HTTP what its protocol lets it do, with the same checks.
                request.input.place = place
            live.receive(request.input)
            return await self.journal.kept(live.face)
        except Illegal as no:
            return Refusal(no.code, no.sentence)

    async def pin(self, request: PinRequest) -> Roster | Refusal:
        try:
            live = self.index.found(request.table, "There is no such table.")
            place = self._place_of(live, request.visitor)
            live.table.check_may_run(place)
            # All that could speak against it comes before anything is kept.
            live.table.phase.check_between_matches()
            there = live.roster.content
            others = {name: there[name] for name in there if name != request.name}
            if live.game.lobby.content is None:
                raise Illegal("no-content", "This game takes no files.")
            data = live.game.lobby.content.read(request.data, others)
            added = live.table.pinned.keys() - live.table.opening.content.keys()
            if request.name not in added and len(added) >= MOST_ADDED:
                raise Illegal("too-much-content", f"A table takes {MOST_ADDED} of these.")
            digest = await self._library.bring(
                live.roster.id, data, (request.visitor, request.address)
            )
            live.receive(do.Pin(place, {**live.table.pinned, request.name: digest}))
            return await self.journal.kept(live.face)
        except Illegal as no:
            return Refusal(no.code, no.sentence)

    async def common(self, game: str) -> Roster | Refusal:
        try:
            live = await self._common.table(self._games[game])
            return await self.journal.kept(live.face)
        except Illegal as no:
            return Refusal(no.code, no.sentence)

    async def find(self, table: str) -> Roster | Refusal | None:
        live = self.index.find(table)
        why_shut = self.index.why_shut(table)
        if live is None and why_shut is not None:
            return Refusal(TABLE_SHUT, why_shut)
        roster = self.index.ended(table) if live is None else live.face
        with suppress(Illegal):
            return await self.journal.kept(roster)
        return None

    async def list_tables(self, game: str | None, visitor: str | None, after: int = 0) -> TablePage:
        listed, next_ = self.index.page(game, visitor, after)
        page = TablePage([live.face for live in listed], next_)
        with suppress(Illegal):
            return await self.journal.kept(page)
        return TablePage([])

    async def replay(self, replay: str, visitor: str | None) -> msgspec.Raw | Refusal:
        table, _, digits = replay.rpartition("-")
        try:
            # What is over in memory may not be kept yet.
            await self.journal.kept(None)
        except Illegal as no:
            return Refusal(no.code, no.sentence)
        row = await self.journal.find_table(table)
        # Bounded before `int` reads it: Python refuses, or takes long over, very long numbers.
        if row is None or row.game not in self._games or not _COUNT.fullmatch(digits):
            return Refusal("no-such-replay", "There is no such replay.")
        number = int(digits)
        live = self.index.find(row.id)
        if live is None and row.closed is None:
            why_shut = self.index.why_shut(row.id)
            return NOT_OVER if why_shut is None else Refusal(TABLE_SHUT, why_shut)
        if number < 1 or (live is not None and number > live.roster.matches_over):
            return NOT_OVER
        return await self._replays.of(self._games[row.game], row.id, number, visitor)

    # -- finding and opening tables ---------------------------------------------------

    def _place_of(self, live: LiveTable, visitor: str | None) -> int:
        """As whom somebody asks something of a table: the operator (None) or its opener, or who
        sits there."""
        if visitor is None or live.table.opening.opener == visitor:
            return do.HOUSE
        player = live.roster.of_visitor(visitor)
        if player is None:
            raise Illegal("not-here", "Only those at the table may do that.")
        return player.place

    async def _sought(self, request: JoinRequest, game: Game) -> LiveTable:
        """The table a newcomer means; opened if it is to be their own, or the house's."""
        match request.seek.where:
            case At(table):
                live = self.index.found(table, "There is no table with that code.")
                if live.game is not game:
                    raise Illegal("no-such-table", "There is no table with that code.")
                return live
            case Own(settings, last):
                known = self.index.last_of(request.visitor, game.id) if last else None
                return known or self._opening.open(
                    game, request.visitor, settings, address=request.address
                )
            case Common():
                return await self._common.table(game)

    def change_defaults(self, defaults: Mapping[str, TableDefaults], words: WordList) -> None:
        """From now on new tables are opened with these, and these words are not said."""
        self._opening.change_defaults(defaults)
        self._services.words.become(words)

    # -- in company -------------------------------------------------------------------

    async def rejoin(self, request: RejoinRequest) -> Rejoined | Refusal:
        try:
            live = self.index.found(request.table, "There is no such table.")
            await live.mended()
            return await rejoin(live, self.journal, request)
        except Illegal as no:
            return Refusal(no.code, no.sentence)

    async def content(self, digest: str) -> bytes | None:
        return await self.journal.fetch(digest)

    def say(self, letters: Sequence[Letter]) -> None:
        self.journal.say(letters)

    async def adopt(self, rows: Sequence[TableRow]) -> None:
        """Run tables that another node ran until now."""
        await self._open_again(rows, LiveTable.go_on)

    def release(self, table: str) -> None:
        """Stop running a table, so that another node can; nobody is told."""
        live = self.index.find(table)
        if live is not None:
            live.rest()
            for attachment in list(live.audience.attachments):
                live.detach(attachment)
            self.index.remove(live)
            self._hooks.tables(len(self.index))
            self._hooks.released(live.roster)

    # -- what live tables tell (`Registry`) -------------------------------------------

    def attached(self, live: LiveTable, attachment: Attachment) -> None:
        self._attachments[attachment.connection] = (live, attachment)

    def detached(self, attachment: Attachment) -> None:
        del self._attachments[attachment.connection]

    def sat_down(self, live: LiveTable, visitor: str) -> None:
        self.index.sat_down(visitor, live)
        player = live.roster.of_visitor(visitor)
        if player is not None and player.resumable:
            self.journal.sat_down(live.roster.id, visitor, live.game.id)

    def invited(self, live: LiveTable, visitor: str) -> None:
        self.index.concerns(visitor, live)

    def dealt(self, live: LiveTable) -> None:
        self.index.dealt(live)

    def finished(self, roster: Roster, outcome: Outcome) -> None:
        self._hooks.finished(roster, outcome)

    def may_look(self, address: str) -> bool:
        return self._hooks.may_look(address)

    def refused(self, game: str, code: str, address: str) -> None:
        self._hooks.refused(game, code)
        if code in GUESSED_WRONG:
            self._hooks.charge_miss(address)

    def closed(self, live: LiveTable) -> None:
        self.index.remove(live)
        if not live.leaves_a_trace:
            self._library.forget(live.roster.id)
        self._hooks.tables(len(self.index))
