"""The house: all tables this process owns. What comes in passes here, and goes to the log.

What goes out waits in the outbox until the log has kept the input it follows from.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from parlour.bus import Bus, Knock, Line, OpenTable, Refusal, RunTable, Welcome
from parlour.house.floor import Floor
from parlour.house.outbox import Farewell, Outbox
from parlour.house.replay import replay_of
from parlour.house.seated import Seated, Visit
from parlour.house.thinkers import Thinkers
from parlour.kit import Illegal, Millis, Outcome
from parlour.store import Store, StoreTrouble, TableRow
from parlour.table import Answer, Elsewhere, Game, Question, Quit, Roster, Table, Wire, Wish
from parlour.table import events as tell
from parlour.table import inputs as do

log = logging.getLogger("parlour.house")

_OF_THE_HOUSE = (do.Open, do.Join, do.Tick, do.Close, do.Wake)
"""Inputs that nobody at a table may send."""

_CLOSING = Refusal("closing", "The house is closing.")

_COUNT = re.compile(r"[0-9]{1,9}")

GONE_AWAY = 4410
"""Close code for those still watching a table that has closed."""
SERVICE_RESTART = 1012
"""Close code for those at a table that is set up again from its log: come back."""
FAULT = "fault"
"""Why a move is refused at which a table failed."""
MOST_FAULTS = 3
"""How often a table is set up again before it stays shut."""


@dataclass(frozen=True)
class HouseLimits:
    """What one visitor, and the whole house, may have at a time."""

    tables: int = 10_000
    tables_per_visitor: int = 20
    spectators: int = 50


@dataclass(frozen=True)
class Heard:
    """What the house reports to those who count."""

    action: Callable[[str], None] = lambda game: None
    finished: Callable[[Roster, Outcome], None] = lambda roster, outcome: None
    refused: Callable[[str, str], None] = lambda game, code: None
    tables: Callable[[int], None] = lambda count: None


class House:
    """The owner of tables. See `parlour.bus.Owner` for what is asked of it."""

    def __init__(
        self,
        games: Sequence[Game],
        store: Store,
        bus: Bus,
        *,
        limits: HouseLimits | None = None,
        heard: Heard | None = None,
        bot_pace: float = 1.0,
        on_trouble: Callable[[], None] = lambda: None,
        clock: Callable[[], Millis] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self._games = {game.id: game for game in games}
        self._store = store
        self._bus = bus
        self._limits = limits or HouseLimits()
        self._heard = heard or Heard()
        self._bot_pace = bot_pace
        self._on_trouble = on_trouble
        self._clock = clock
        self.floor = Floor()
        self._visits: dict[Line, tuple[Seated, Visit]] = {}
        self._outbox = Outbox(store, bus, self._log_lost)
        self._thinkers = Thinkers()
        self._faults: Counter[str] = Counter()
        self._mending: set[asyncio.Task[None]] = set()
        self.draining = False
        bus.attach_owner(self)

    # -- opening and closing the house ------------------------------------------------

    def reopen(self) -> int:
        """Fold every live table of the log; give how many there are."""
        for row in self._store.live_tables():
            self._take_up(row)
        return len(self.floor)

    def _take_up(self, row: TableRow) -> None:
        """Set a table up as its log says it was left, and let its people come back to it."""
        try:
            seated = self._refold(row)
            seated.wake_bots()
        except Exception:
            log.exception("table %s can't be read back and stays shut", row.id)
            return
        self.floor.set_up(seated)
        self._heard.tables(len(self.floor))
        with suppress(Illegal):  # a fault, and dealt with already
            self._receive(seated, do.Wake())

    def _refold(self, row: TableRow) -> Seated:
        entries = self._store.entries(row.id)
        first = next(entries)
        opening = do.decode(first.data)
        if not isinstance(opening, do.Open):
            raise ValueError("its log does not begin with its opening")
        table = Table(self._games[row.game], opening, first.at)
        for entry in entries:
            table.receive(do.decode(entry.data), entry.at)
        return Seated(table, self._clock)

    async def close(self) -> None:
        """Stop all clocks and let everything said so far be kept and told."""
        self.draining = True
        for seated in self.floor:
            seated.rest()
        self._thinkers.rest()
        await self._store.settled()

    # -- the owner's side of the bus --------------------------------------------------

    async def knock(self, knock: Knock) -> Welcome | Refusal:
        game = self._games[knock.game]
        wire = next(w for w in game.wires if w.name == knock.wire)
        visit = Visit(knock.line, wire, knock.visitor, None, knock.for_match)
        try:
            seated = self._where(knock, game)
            if seated is None and knock.make is None:
                raise Illegal("no-such-table", "There is no such table.")
            if seated is None:
                seated = self._open_table(game, knock.visitor, knock.make or {}, public=False)
            if knock.watch:
                self._check_spectators(seated)
            else:
                visit.place = self._sit(seated, knock.visitor, knock.name, knock.resumable, wire)
        except Illegal as no:
            self._heard.refused(knock.game, no.code)
            return Refusal(no.code, no.sentence)
        self._greet(seated, visit)
        if wire.ponders:
            self._thinkers.expect(wire)
        if not await self._store.settled():
            return _CLOSING
        roster = seated.table.roster
        return Welcome(roster.id, roster.code, visit.place)

    def post(self, line: Line, wish: Wish) -> None:
        if line not in self._visits or wish is None:
            return
        seated, visit = self._visits[line]
        try:
            if type(wish) is do.Act and visit.place is not None:
                # Nearly every message. Who sent it is what the house knows, not what it says.
                wish.place = visit.place
                self._receive(seated, wish)
                self._heard.action(seated.table.game.id)
            elif isinstance(wish, Answer):
                self._outbox.put([([line], wish.data)])
            elif isinstance(wish, Question):
                self._ask(seated, visit, wish)
            elif visit.place is None:
                raise Illegal("watching", "You are watching, not playing.")
            elif isinstance(wish, Elsewhere):
                self._move(seated, visit, wish.code)
            elif isinstance(wish, Quit):
                self._quit(seated, visit.place)
            elif isinstance(wish, _OF_THE_HOUSE):
                raise Illegal("not-yours", "That is for the house to do.")
            else:
                wish.place = visit.place
                self._receive(seated, wish)
                self._heard.action(seated.table.game.id)
        except Illegal as no:
            self._heard.refused(seated.table.game.id, no.code)
            self._outbox.put([([line], visit.wire.refuse(no.code, no.sentence))])

    def hang(self, line: Line) -> None:
        if line not in self._visits:
            return
        seated, visit = self._visits.pop(line)
        self._thinkers.drop(visit.visitor, line)
        seated.dismiss(visit)
        place, table = visit.place, seated.table
        # Who has lost the connection they played on is away, also while they are in the lobby.
        to_play = visit.for_match and table.roster.running
        if place is None or seated.connected(place, to_play) or self.draining:
            # Draining: everybody is about to be away, and `Wake` will say so.
            return
        player = table.roster.at(place)
        if player is not None and player.present and not table.closed:
            # Refused only when the log is lost: then `Wake` will say it, too.
            with suppress(Illegal):
                self._receive(seated, do.Away(place))

    async def open(self, request: OpenTable) -> Roster | Refusal:
        try:
            game = self._games.get(request.game)
            if game is None:
                raise Illegal("no-such-game", f"There is no game called {request.game!r}.")
            most = game.max_seats - 1 if game.bot is not None else 0
            if not 0 <= request.bots <= most:
                raise Illegal("bad-bots", f"{game.name} takes up to {most} bots.")
            seated = self._open_table(game, request.visitor, request.settings, request.public)
            for _ in range(request.bots):
                self._receive(seated, do.AddBot(do.HOUSE))
        except Illegal as no:
            return Refusal(no.code, no.sentence)
        return seated.table.roster if await self._store.settled() else _CLOSING

    async def run(self, request: RunTable) -> Roster | Refusal:
        seated = self.floor.find(request.table)
        if seated is None:
            return Refusal("no-such-table", "There is no such table.")
        if seated.table.opening.opener != request.visitor:
            player = seated.table.roster.of_visitor(request.visitor)
            if player is None or isinstance(request.input, _OF_THE_HOUSE):
                return Refusal("not-here", "Only those at the table may do that.")
            # A member may do here what it may do over its protocol, and no more.
            request.input.place = player.place
        try:
            self._receive(seated, request.input)
        except Illegal as no:
            return Refusal(no.code, no.sentence)
        return seated.table.roster if await self._store.settled() else _CLOSING

    async def find(self, table: str) -> Roster | None:
        seated = self.floor.find(table)
        roster = self.floor.ended(table) if seated is None else seated.table.roster
        return roster if await self._store.settled() else None

    async def list_tables(self, game: str | None, visitor: str | None) -> Sequence[Roster]:
        if not await self._store.settled():
            return []
        rosters = [seated.table.roster for seated in self.floor]
        return [
            r
            for r in rosters
            if (game is None or r.game == game)
            and (r.public or (visitor is not None and _concerns(r, visitor)))
        ]

    async def replay(self, replay: str) -> dict[str, Any] | Refusal:
        table_id, _, number = replay.rpartition("-")
        row = self._store.find_table(table_id)
        # No table sees a billion rounds, and a number too long is not even read as one.
        if row is None or row.game not in self._games or not _COUNT.fullmatch(number):
            return Refusal("no-such-replay", "There is no such replay.")
        entries = list(self._store.entries(table_id))
        return await asyncio.to_thread(replay_of, self._games[row.game], entries, int(number))

    # -- tables -----------------------------------------------------------------------

    def _open_table(
        self, game: Game, visitor: str, settings: dict[str, Any], public: bool
    ) -> Seated:
        if self.draining:
            raise Illegal("closing", "The house is closing: no new tables.")
        if len(self.floor) >= self._limits.tables:
            self._make_room()
        if self.floor.opened_by(visitor) >= self._limits.tables_per_visitor:
            raise Illegal("too-many-tables", "You have enough tables open already.")
        now = self._clock()
        opening = do.Open(
            id=str(uuid.uuid4()),
            code=self.floor.free_code(),
            game=game.id,
            seed=secrets.token_hex(32),
            settings=settings,
            public=public,
            opener=visitor,
        )
        seated = Seated(Table(game, opening, now), self._clock)
        self.floor.set_up(seated)
        self._heard.tables(len(self.floor))
        self._store.open_table(TableRow(opening.id, opening.code, game.id, now))
        self._outbox.handed = self._store.append(opening.id, 0, now, do.encode(opening))
        self._after(seated)
        return seated

    def _make_room(self) -> None:
        """A full house closes tables nobody is at; many at once, for looking for them is work."""
        for seated in self.floor.deserted(1 + self._limits.tables // 100):
            with suppress(Illegal):  # a fault there is no reason not to sit down here
                self._receive(seated, do.Close())
        if len(self.floor) >= self._limits.tables:
            raise Illegal("house-full", "The house has no free table.")

    def _where(self, knock: Knock, game: Game) -> Seated | None:
        """The table a newcomer means, if it is there."""
        if knock.table is not None:
            seated = self.floor.find(knock.table)
            if seated is None or seated.table.game is not game:
                raise Illegal("no-such-table", "There is no table with that code.")
            return seated
        return self.floor.last_of(knock.visitor, game.id) if knock.resume_last else None

    def _sit(self, seated: Seated, visitor: str, name: str, resumable: bool, wire: Wire) -> int:
        player = seated.table.roster.of_visitor(visitor)
        if player is None:
            self._receive(seated, do.Join(visitor, name, resumable))
            player = seated.table.roster.of_visitor(visitor)
        elif not player.present and not (wire.lobby_only and seated.table.roster.running):
            self._receive(seated, do.Back(player.place))
        if player is None:
            raise Illegal("not-here", "You do not sit at this table.")
        self.floor.sat_down(visitor, seated)
        return player.place

    def _move(self, seated: Seated, visit: Visit, code: str) -> None:
        target = self.floor.find(code)
        if target is None or target.table.game is not seated.table.game:
            raise Illegal("no-such-table", "There is no table with that code.")
        if target is seated:
            return
        if seated.table.roster.running:
            raise Illegal("round-running", "That has to wait: a round is running.")
        player = seated.player(visit)
        if player is None or player.visitor is None:
            raise Illegal("not-here", "You do not sit at this table.")
        # The new place first: if it can't be had, the old one is still there.
        place = self._sit(target, player.visitor, player.name, player.resumable, visit.wire)
        self._leave(seated, visit)
        visit.place = place
        self._greet(target, visit)

    def _leave(self, seated: Seated, visit: Visit) -> None:
        seated.dismiss(visit)
        del self._visits[visit.line]
        if visit.place is not None and not seated.connected(visit.place):
            self._receive(seated, do.Leave(visit.place))

    def _quit(self, seated: Seated, place: int) -> None:
        """Get up for good, on every connection this player has."""
        leaving = [v for v in seated.visits if v.place == place]
        for visit in leaving:
            seated.dismiss(visit)
            del self._visits[visit.line]
        self._receive(seated, do.Leave(place))
        self._outbox.put([([v.line for v in leaving], Farewell(1000, "goodbye"))])

    def _greet(self, seated: Seated, visit: Visit) -> None:
        seated.welcome(visit)
        self._visits[visit.line] = (seated, visit)
        player = seated.player(visit)
        table = seated.table
        seen = table.seen(player)
        greeting = visit.wire.greet(seen, table.roster, player, self._clock())
        self._outbox.put([([visit.line], data) for data in greeting])

    def _check_spectators(self, seated: Seated) -> None:
        if sum(1 for v in seated.visits if v.place is None) >= self._limits.spectators:
            raise Illegal("table-full", "There is no room for more spectators.")

    # -- the way of a move ------------------------------------------------------------

    def _receive(self, seated: Seated, entry: do.Input) -> None:
        try:
            self._take(seated, entry)
        except Illegal:
            raise
        except Exception:
            log.exception("a fault at table %s", seated.table.roster.id)
            self._mend(seated)
            raise Illegal(FAULT, "Something went wrong: this table is set up again.") from None

    def _take(self, seated: Seated, entry: do.Input) -> None:
        table = seated.table
        now = self._clock()
        matches = table.roster.round
        happened = table.receive(entry, now)
        dealt = table.roster.round > matches
        if dealt:
            self.floor.dealt(seated)
        try:
            self._outbox.handed = self._store.append(
                table.roster.id, table.version, now, do.encode(entry)
            )
        except StoreTrouble:
            # The table has moved on, but nobody will ever hear of it.
            self._outbox.give_up()
            raise Illegal("closing", "The house is closing.") from None
        if seated.visits:
            self._outbox.put(seated.tell(happened))
        if matches and not table.roster.running:
            self._end_match(seated, happened)
        if seated.bots or dealt:
            seated.show_bots(happened)
        self._after(seated)

    def _end_match(self, seated: Seated, happened: list[Any]) -> None:
        """If a match has just ended, say so to who counts, and end what was there for it."""
        for event in happened:
            if type(event) is tell.Finished:
                self._heard.finished(seated.table.roster, event.outcome)
                lines = [v.line for v in seated.visits if v.for_match]
                self._outbox.put([(lines, Farewell(1000, "the game is over"))] if lines else [])
                self._gather_lobby(seated, happened)

    def _gather_lobby(self, seated: Seated, happened: list[Any]) -> None:
        """Who was away from the match, but in its lobby all the while, is there again."""
        names = {event.place: event.name for event in happened if type(event) is tell.Left}
        for visit in [] if seated.table.closed else list(seated.visits):
            player = seated.player(visit)
            if visit.place is None or visit.for_match or (player is not None and player.present):
                continue
            name = names.get(visit.place, "")
            try:
                visit.place = self._sit(seated, visit.visitor, name, True, visit.wire)
            except Illegal as no:
                # That somebody has taken the place is no harm; that the table is put away ends it.
                if no.code == FAULT:
                    raise

    def _after(self, seated: Seated) -> None:
        """Set the clocks anew; clear the table away if it has closed."""
        if seated.table.closed:
            self._clear_away(seated)
            return
        if self.draining:
            return
        due, at = seated.table.due(), seated.alarm_at
        # An alarm that rings too early asks again, so a deadline that moves off with every
        # action needs no new one every time.
        if due != at and (due is None or at is None or due < at):
            if seated.alarm is not None:
                seated.alarm.cancel()
                seated.alarm = None
            seated.alarm_at = due
            if due is not None:
                wait = max(0.0, (due - self._clock()) / 1000)
                loop = asyncio.get_running_loop()
                seated.alarm = loop.call_later(wait, self._ring, seated)
        if seated.bots or seated.plans:
            seated.plan_bots(self._clock(), self._bot_pace, lambda p: self._play_bot(seated, p))

    def _ring(self, seated: Seated) -> None:
        seated.alarm = seated.alarm_at = None
        due = seated.table.due()
        if due is not None and due <= self._clock():
            try:
                self._receive(seated, do.Tick())
            except Illegal as no:
                log.error("what was due at %s can't be: %s", seated.table.roster.id, no.code)
        else:
            self._after(seated)

    def _play_bot(self, seated: Seated, place: int) -> None:
        plan, _ = seated.plans.pop(place)
        try:
            self._receive(seated, do.Act(place, plan.action))
        except Illegal as no:
            # It meant to snap a card that is gone, say. It will be asked again.
            log.info("bot refused at %s: %s", seated.table.roster.id, no.code)
            if no.code != FAULT:
                self._after(seated)

    def _mend(self, seated: Seated) -> None:
        """After a fault in mid-move a table's memory can't be trusted. Its log can."""
        table = seated.table.roster.id
        self._put_away(seated, Farewell(SERVICE_RESTART, "the table is set up again"))
        self._faults[table] += 1
        if self._faults[table] > MOST_FAULTS:
            log.critical("table %s stays shut: it fails again and again", table)
            return
        task = asyncio.get_running_loop().create_task(self._set_up_again(table))
        self._mending.add(task)
        task.add_done_callback(self._mending.discard)

    async def _set_up_again(self, table: str) -> None:
        # Not before all that was said there is in the log.
        if await self._store.settled() and not self.draining:
            row = self._store.find_table(table)
            if row is not None:
                self._take_up(row)

    def _clear_away(self, seated: Seated) -> None:
        """A table that has closed: off the floor, and out of the log if nobody ever played."""
        roster = seated.table.roster
        self._put_away(seated, Farewell(GONE_AWAY, "the table has closed"))
        self._faults.pop(roster.id, None)
        if roster.round:
            self._outbox.handed = self._store.close_table(roster.id, self._clock())
        else:
            self._outbox.handed = self._store.forget_table(roster.id)

    def _put_away(self, seated: Seated, farewell: Farewell) -> None:
        seated.rest()
        self.floor.take_away(seated)
        self._heard.tables(len(self.floor))
        lines = [visit.line for visit in seated.visits]
        for visit in list(seated.visits):
            seated.dismiss(visit)
            del self._visits[visit.line]
        # Not before they have heard all that was said at it.
        self._outbox.put([(lines, farewell)] if lines else [])

    def _ask(self, seated: Seated, visit: Visit, question: Question) -> None:
        player = seated.player(visit)
        seen = seated.table.seen(player)
        args = (question, seen, seated.table.roster, player)
        if not question.slow:
            self._outbox.put([([visit.line], visit.wire.answer(*args))])
            return

        def answered(data: bytes) -> None:
            if visit.line in self._visits:
                self._outbox.put([([visit.line], data)])

        self._thinkers.ask(visit.visitor, visit.line, visit.wire, args, answered)

    def _log_lost(self) -> None:
        self.draining = True
        for seated in self.floor:
            seated.rest()
        self._on_trouble()


def _concerns(roster: Roster, visitor: str) -> bool:
    return visitor in roster.invited or roster.of_visitor(visitor) is not None
