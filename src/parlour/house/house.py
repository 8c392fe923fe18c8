"""The house: all tables this process owns. It finds, opens and closes them; they run themselves.

See `parlour.bus.Owner` for what is asked of it.
"""

from __future__ import annotations

import logging
import re
import secrets
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec

from parlour.bus import (
    Bus,
    ConnectionId,
    JoinRequest,
    Letter,
    Moved,
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
from parlour.house.index import TableIndex
from parlour.house.journal import Journal, closing
from parlour.house.library import Library
from parlour.house.live import LiveTable
from parlour.house.looks import load as load_looks
from parlour.house.rejoin import rejoin
from parlour.house.replay import NOT_OVER, Replays
from parlour.house.requests import NOT_FROM_OUTSIDE
from parlour.house.room import Room
from parlour.house.services import Services, fold
from parlour.house.slow_answers import SlowAnswers
from parlour.house.words import WordList
from parlour.kit import Illegal, Lessons, Outcome
from parlour.store import TableRow
from parlour.table import (
    At,
    BadMessage,
    Common,
    Game,
    MoveTo,
    Own,
    Roster,
    Seek,
    Table,
    TablePage,
    Wish,
    extras,
)
from parlour.table import inputs as do

log = logging.getLogger("parlour.house")

NO_SUCH_TABLE, TABLE_SHUT = "no-such-table", "table-shut"
_COUNT = re.compile(r"[0-9]{1,9}")
_SHUT = "shut:"
"""Before a table's id: the fact since when, in milliseconds, it can't be opened."""
_LESSONS = "lessons:"
"""Before a game's id: what its bots have learned."""

MOST_ADDED = 10
"""How much content may be brought to one table."""


@dataclass(frozen=True)
class HouseLimits:
    """What one visitor, and the whole house, may have at a time."""

    tables: int = 10_000
    tables_per_visitor: int = 20
    spectators: int = 50


@dataclass(frozen=True)
class Furnishing:
    """What the tables of one game have at this house without being told."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    """A patch of the game's own, below what a table is opened with."""
    content: Mapping[str, bytes] = field(default_factory=dict)
    """By name, besides the game's own; checked by `OpenLobby.read_content`."""


async def _nothing_to_claim(game: Game, settings: Any) -> str | None:
    return None


@dataclass(frozen=True)
class Hooks:
    """What the house reports to those who count."""

    finished: Callable[[Roster, Outcome], None] = lambda roster, outcome: None
    """A match is over. To be written down, not to be told: it is not committed yet."""
    may_open: Callable[[Game, Any], None] = lambda game, settings: None
    """Somebody wants a table with these settings; raises `Illegal` if they can't be had."""
    claim: Callable[[Game, Any], Awaitable[str | None]] = _nothing_to_claim
    """Somebody wants a table with these settings: if no other live table may have something of
    them, a code that has it for itself in the record; raises `Illegal` if it is taken."""
    opened: Callable[[Roster], None] = lambda roster: None
    """A table is open, or open again. Not committed yet: who attends it over the bus hears more."""
    released: Callable[[Roster], None] = lambda roster: None
    """Another node runs this table of ours from now on."""
    refused: Callable[[str, str], None] = lambda game, code: None
    may_look: Callable[[str], bool] = lambda address: True
    """Somebody at this address names a table by its code, outside of a request by HTTP."""
    wrong_door: Callable[[str], None] = lambda address: None
    """The table they named there is none."""
    tables: Callable[[int], None] = lambda count: None


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
        furnishings: Mapping[str, Furnishing] | None = None,
        words: WordList | None = None,
        bot_pace: float = 1.0,
    ) -> None:
        """`furnishings` are by game."""
        self._games = {game.id: game for game in games}
        self._limits = limits or HouseLimits()
        self._hooks = hooks or Hooks()
        self._furnishings = furnishings or {}
        self.clock = SteadyClock()
        self.index = TableIndex()
        self.journal = journal
        self._bus = bus
        self._attachments: dict[ConnectionId, tuple[LiveTable, Attachment]] = {}
        self._lessons: dict[str, Lessons] = {}
        self._library = Library(journal)
        self._common = CommonTables(
            self.index, journal, lambda game: self._open_table(game, None, {}, public=True)
        )
        self._replays = Replays(journal)
        self._room = Room(self.index, journal, self._limits.tables)
        self._services = Services(
            registry=self,
            journal=self.journal,
            slow_answers=SlowAnswers(),
            clock=self.clock,
            alive=bus.alive,
            lessons=self._lessons,
            words=words or WordList(),
            bot_pace=bot_pace,
            spectators=self._limits.spectators,
        )
        journal.lifecycle.on_change(self._condition_changed)
        bus.attach_owner(self)

    # -- opening and closing the house ------------------------------------------------

    async def reopen(self) -> int:
        """Fold every live table of the log; give how many there are."""
        load_looks()
        now = await self.journal.now()
        if now is not None:
            self.clock.right(now)
        await self._library.load()
        await self._room.load()
        known_shut = await self.journal.recall(_SHUT)
        for game in self._games.values():
            if game.bots is not None and game.bots.lessons is not None:
                key = _LESSONS + game.id
                self._lessons[game.id] = game.bots.lessons(
                    (await self.journal.recall(key)).get(key)
                )
        await self._open_again(await self.journal.live_tables(), LiveTable.wake, known_shut)
        return len(self.index)

    async def _open_again(
        self,
        rows: Sequence[TableRow],
        begin: Callable[[LiveTable], None],
        known_shut: Mapping[str, bytes] | None = None,
    ) -> None:
        known_shut = await self.journal.recall(_SHUT) if known_shut is None else known_shut
        for row in rows:
            if row.game not in self._games:
                log.error("table %s stays shut: no game %s is installed", row.id, row.game)
                self._keep_shut(row, known_shut, "its game is not installed here")
                continue
            try:
                table = await fold(self._games[row.game], self.journal, row.id)
            except Exception as wrong:
                # Why the rules would not have it (see `fold`) is worth a traceback.
                log.critical("table %s stays shut: %s", row.id, wrong, exc_info=wrong.__cause__)
                self._keep_shut(row, known_shut, "its game can't be read back")
                continue
            if _SHUT + row.id in known_shut:
                self.journal.remember(_SHUT + row.id, None)
            self.clock.not_before(table.last_at)
            live = LiveTable(table, self._services)
            self.index.add(live)
            begin(live)
            self._hooks.opened(live.roster)
            if live.roster.opener is None and live.roster.public:
                # Before it was written down which one that is, there could be more than one.
                await self._common.claim(live, None)
        self._hooks.tables(len(self.index))

    def _keep_shut(self, row: TableRow, known: Mapping[str, bytes], why: str) -> None:
        """Let those who look for this table know; since when is remembered over restarts."""
        key = _SHUT + row.id
        if key not in known:
            self.journal.remember(key, str(self.clock()).encode())
        since = datetime.fromtimestamp(int(known.get(key, self.clock())) / 1000, UTC)
        date = f"{since.day} {since:%B %Y}"
        self.index.shut(row, f"This table is shut since {date}: {why}. Nothing of it is deleted.")

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
        wire = next(w for w in game.wires if w.name == request.wire)
        try:
            if not self.journal.lifecycle.open:
                raise closing()
            live = await self._sought(request, game)
            await live.mended()
            attachment = await live.join(request, wire)
            roster = live.roster
            version = live.table.version
            welcome = Welcome(roster.id, roster.code, attachment.place, version)
            return await self.journal.kept(welcome)
        except Illegal as no:
            self._hooks.refused(request.game, no.code)
            return Refusal(no.code, no.sentence)

    def submit(self, connection: ConnectionId, wish: Wish) -> None:
        if connection not in self._attachments or wish is None:
            return
        live, attachment = self._attachments[connection]
        if not isinstance(wish, MoveTo):
            live.requests.submit(attachment, wish)
            return
        try:
            self._move(live, attachment, wish.code)
        except Illegal as no:
            if no.code == NO_SUCH_TABLE and not live.roster.running:
                self._move_elsewhere(live, attachment, wish.code)
            else:
                self._refuse_move(live, attachment, no)

    def submit_frame(self, connection: ConnectionId, frame: bytes) -> bool:
        if connection not in self._attachments:
            return False
        live, attachment = self._attachments[connection]
        try:
            if attachment.extras is not None and extras.meant(frame):
                self.submit(connection, extras.decode(frame))
            else:
                self.submit(connection, attachment.wire.decode(frame))
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
            live = await self._open_alone(game, request)
            for _ in range(request.bots):
                live.receive(do.AddBot(do.HOUSE, request.strength))
            return await self.journal.kept(live.face)
        except Illegal as no:
            return Refusal(no.code, no.sentence)

    async def run(self, request: RunRequest) -> Roster | Refusal:
        try:
            live = self._found(request.table, "There is no such table.")
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
            live = self._found(request.table, "There is no such table.")
            place = self._place_of(live, request.visitor)
            live.table.check_may_run(place)
            # All that could speak against it comes before anything is kept.
            live.table.phase.check_between_matches()
            there = live.roster.content
            others = {name: there[name] for name in there if name != request.name}
            data = live.game.lobby.read_content(request.data, others)
            added = live.table.pinned.keys() - live.table.opening.content.keys()
            if request.name not in added and len(added) >= MOST_ADDED:
                raise Illegal("too-much-content", f"A table takes {MOST_ADDED} of these.")
            digest = await self._library.bring(live.roster.id, data)
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
            return Refusal("table-shut", why_shut)
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
            return NOT_OVER if why_shut is None else Refusal("table-shut", why_shut)
        if number < 1 or (live is not None and number > live.roster.matches_over):
            return NOT_OVER
        return await self._replays.of(self._games[row.game], row.id, number, visitor)

    # -- finding and opening tables ---------------------------------------------------

    def _found(self, table: str, sentence: str) -> LiveTable:
        live = self.index.find(table)
        if live is None:
            why_shut = self.index.why_shut(table)
            if why_shut is not None:
                raise Illegal(TABLE_SHUT, why_shut)
            raise Illegal(NO_SUCH_TABLE, sentence)
        return live

    def _place_of(self, live: LiveTable, visitor: str) -> int:
        """As whom somebody asks something of a table: its opener, or who sits there."""
        if live.table.opening.opener == visitor:
            return do.HOUSE
        player = live.roster.of_visitor(visitor)
        if player is None:
            raise Illegal("not-here", "Only those at the table may do that.")
        return player.place

    async def _sought(self, request: JoinRequest, game: Game) -> LiveTable:
        """The table a newcomer means; opened if it is to be their own, or the house's."""
        match request.seek.where:
            case At(table):
                live = self._found(table, "There is no table with that code.")
                if live.game is not game:
                    raise Illegal("no-such-table", "There is no table with that code.")
                return live
            case Own(settings, last):
                known = self.index.last_of(request.visitor, game.id) if last else None
                if known is None or known.shut:
                    return self._open_table(
                        game, request.visitor, settings, address=request.address
                    )
                return known
            case Common():
                return await self._common.table(game)

    async def _open_alone(self, game: Game, request: OpenRequest) -> LiveTable:
        """Open a table that no other node opens at the same moment."""
        settings = _laid_over(self._furnishing(game).settings, request.settings)
        code = await self._hooks.claim(game, game.configure(game.settings(), settings))
        try:
            return self._open_table(
                game, request.visitor, request.settings, request.public, request.address, code
            )
        except Illegal:
            if code is not None:
                await self.journal.return_code(code)
            raise

    def _open_table(
        self,
        game: Game,
        opener: str | None,
        settings: dict[str, Any],
        public: bool = False,
        address: str = "",
        code: str | None = None,
    ) -> LiveTable:
        if not self.journal.lifecycle.open:
            raise Illegal("closing", "The house is closing: no new tables.")
        source = self._room.mark(address)
        self._room.make(source or opener)
        if opener is not None and self.index.opened_by(opener) >= self._limits.tables_per_visitor:
            raise Illegal("too-many-tables", "You have enough tables open already.")
        self._hooks.may_open(game, game.configure(game.settings(), settings))
        now = self.clock()
        settings = _laid_over(self._furnishing(game).settings, settings)
        opening = do.Open(
            id=str(uuid.uuid4()),
            code=code or self.journal.free_code() or self.index.free_code(),
            game=game.id,
            seed=secrets.token_hex(32),
            settings=settings,
            public=public,
            opener=opener,
            content=self._pinned(game, settings),
            source=source,
            edition=game.lobby.edition,
        )
        live = LiveTable(Table(game, opening, now, self.journal.content), self._services)
        self.journal.open_table(TableRow(opening.id, opening.code, game.id, now), opening)
        self.index.add(live)
        self._hooks.tables(len(self.index))
        live.start_clocks()
        for _ in range(game.lobby.first_bots(live.roster.settings)):
            live.receive(do.AddBot(do.HOUSE))
        self._hooks.opened(live.roster)
        return live

    def _pinned(self, game: Game, settings: dict[str, Any]) -> dict[str, str]:
        """What the rules read besides the settings, kept under its hash."""
        pinned: dict[str, str] = {}
        content = {
            **game.lobby.content(game.configure(game.settings(), settings)),
            **self._furnishing(game).content,
        }
        for name, data in content.items():
            pinned[name] = self._library.keep_own(data)
        return pinned

    def refurnish(self, furnishings: Mapping[str, Furnishing], words: WordList) -> None:
        """From now on new tables are opened with these, and these words are not said."""
        self._furnishings = furnishings
        self._services.words.become(words)

    def _furnishing(self, game: Game) -> Furnishing:
        return self._furnishings.get(game.id, _BARE)

    def _move(self, live: LiveTable, attachment: Attachment, code: str) -> None:
        """From one table to another, on the same connection."""
        if attachment.place is None:
            raise Illegal("watching", "You are watching, not playing.")
        if not self._hooks.may_look(attachment.source):
            raise Illegal("too-fast", "That was too fast: slow down.")
        target = self._found(code, "There is no table with that code.")
        if target.game is not live.game:
            raise Illegal(NO_SUCH_TABLE, "There is no table with that code.")
        if target is live:
            return
        if live.roster.running:
            raise Illegal("round-running", "That has to wait: a round is running.")
        player = live.audience.player(attachment)
        if player is None or player.visitor is None:
            raise Illegal("not-here", "You do not sit at this table.")
        there = Attachment(
            attachment.connection,
            attachment.wire,
            player.visitor,
            None,
            player.name,
            player.resumable,
            attachment.for_match,
            target.table.mark(attachment.source),
            attachment.language,
            attachment.source,
            attachment.extras,
        )
        # Sit down there before getting up here: if it is refused, nothing has changed.
        there.place = target.sit(there)
        live.leave(attachment)
        target.attach(there)
        roster, version = target.roster, target.table.version
        moved = Moved(roster.id, roster.code, there.place, version)
        self.journal.say([([there.connection], moved)])

    def _move_elsewhere(self, live: LiveTable, attachment: Attachment, code: str) -> None:
        """To a table of another node's; that connection's gateway knows the way."""
        player = live.audience.player(attachment)

        def answered(answer: Welcome | Refusal) -> None:
            if attachment not in live.audience.attachments:
                return
            if isinstance(answer, Refusal):
                self._refuse_move(live, attachment, Illegal(answer.code, answer.sentence))
                return
            with suppress(Illegal):  # a fault, and dealt with already
                live.leave(attachment)

        self._bus.move(
            JoinRequest(
                connection=attachment.connection,
                game=live.game.id,
                wire=attachment.wire.name,
                visitor=attachment.visitor,
                name=attachment.name if player is None else player.name,
                seek=Seek(
                    where=At(code),
                    resumable=attachment.resumable if player is None else player.resumable,
                    for_match=attachment.for_match,
                    language=attachment.language,
                ),
                address=attachment.source,
                extras=attachment.extras,
            ),
            answered,
        )

    def _refuse_move(self, live: LiveTable, attachment: Attachment, no: Illegal) -> None:
        if no.code in (NO_SUCH_TABLE, TABLE_SHUT):
            self._hooks.wrong_door(attachment.source)
        live.requests.refuse(attachment, no)

    # -- in company -------------------------------------------------------------------

    async def rejoin(self, request: RejoinRequest) -> Rejoined | Refusal:
        try:
            live = self._found(request.table, "There is no such table.")
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

    def refused(self, game: str, code: str) -> None:
        self._hooks.refused(game, code)

    def closed(self, live: LiveTable) -> None:
        self.index.remove(live)
        if not live.leaves_a_trace:
            self._library.forget(live.roster.id)
        self._hooks.tables(len(self.index))


_BARE = Furnishing()


def _laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Two patches as one; where both say something, the one above is right."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            value = _laid_over(old, value)
        merged[key] = value
    return merged
