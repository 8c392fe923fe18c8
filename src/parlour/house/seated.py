"""A table with its company: who is connected to it, its alarm clock, its bots."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import SystemRandom
from typing import Any

from parlour.bus import Line
from parlour.kit import Bot, Millis, Plan
from parlour.rng import FastRng
from parlour.table import Player, Question, Table, Wire
from parlour.table import events as tell
from parlour.table.wire import RETELL


@dataclass(slots=True, eq=False)
class Visit:
    """One connection at one table: as a player, or (without a place) watching."""

    line: Line
    wire: Wire
    visitor: str
    place: int | None
    for_match: bool = False
    """It ends with the match under way."""


@dataclass(slots=True, eq=False)
class Seated:
    """One table and everything around it that is no part of the fold."""

    table: Table
    now: Callable[[], Millis]
    visits: list[Visit] = field(default_factory=list)
    """Changed by `welcome` and `dismiss` alone."""
    alarm: asyncio.TimerHandle | None = None
    alarm_at: Millis | None = None
    bots: dict[int, Bot[Any, Any]] = field(default_factory=dict)
    plans: dict[int, tuple[Plan[Any], asyncio.TimerHandle]] = field(default_factory=dict)
    left: Millis = 0
    """When the last connection was gone."""
    _tongues: list[tuple[Wire, list[Visit], list[Line]]] = field(default_factory=list)

    def player(self, visit: Visit) -> Player | None:
        return None if visit.place is None else self.table.roster.at(visit.place)

    def connected(self, place: int, to_play: bool = False) -> bool:
        """Whether anybody is, for that place; `to_play`: and can do more than see the lobby."""
        return any(v.place == place and not (to_play and v.wire.lobby_only) for v in self.visits)

    def welcome(self, visit: Visit) -> None:
        self.visits.append(visit)
        self._group()

    def dismiss(self, visit: Visit) -> None:
        self.visits.remove(visit)
        self._group()
        self.left = self.now()

    def _group(self) -> None:
        """By wire. New lists every time: letters on their way still hold the old ones."""
        by_wire: dict[Wire, list[Visit]] = {}
        for visit in self.visits:
            by_wire.setdefault(visit.wire, []).append(visit)
        self._tongues = [(w, visits, [v.line for v in visits]) for w, visits in by_wire.items()]

    def tell(self, happened: list[Any]) -> list[tuple[list[Line], bytes]]:
        """What goes to whom. What looks the same to several is encoded once."""
        out: list[tuple[list[Line], bytes]] = []
        view, roster = self.table.game.view, self.table.roster
        for event in happened:
            public = event if type(event) in tell.TABLE_EVENTS else view(event, None)
            for wire, visits, lines in self._tongues:
                if type(event) in wire.retold or wire.personal(event):
                    self._tell_each(event, wire, visits, out)
                    continue
                # What a spectator is shown whole, everybody is: nearly every event.
                if public is not event:
                    lines = self._tell_privy(event, public, wire, visits, out)
                if public is not None and lines:
                    for data in wire.encode(public, roster, None):
                        out.append((lines, data))
        return out

    def _tell_privy(
        self,
        event: Any,
        public: Any,
        wire: Wire,
        visits: list[Visit],
        out: list[tuple[list[Line], bytes]],
    ) -> list[Line]:
        """Tell an event to those who are shown more of it than the public; give the others."""
        view, roster = self.table.game.view, self.table.roster
        at_place = {player.place: player for player in roster.players}
        others: list[Line] = []
        privy: list[tuple[Any, Player | None, list[Line]]] = []
        for visit in visits:
            player = None if visit.place is None else at_place.get(visit.place)
            viewed = public if player is None else view(event, player.seat)
            if viewed is public:
                others.append(visit.line)
            elif viewed is not None:
                for same, _, lines in privy:
                    if same is viewed:
                        lines.append(visit.line)
                        break
                else:
                    privy.append((viewed, player, [visit.line]))
        for viewed, player, lines in privy:
            for data in wire.encode(viewed, roster, player):
                out.append((lines, data))
        return others

    def _tell_each(
        self, event: Any, wire: Wire, visits: list[Visit], out: list[tuple[list[Line], bytes]]
    ) -> None:
        """An event told to everybody in words of their own."""
        table, roster = self.table, self.table.roster
        for visit in visits:
            player = self.player(visit)
            viewed = table.view(event, player)
            if viewed is None:
                continue
            told: Sequence[bytes]
            if type(event) in wire.retold:
                question = Question(RETELL, self.now())
                told = (wire.answer(question, table.seen(player), roster, player),)
            else:
                told = wire.encode(viewed, roster, player)
            for data in told:
                out.append(([visit.line], data))

    # -- bots -------------------------------------------------------------------------

    def show_bots(self, happened: list[Any]) -> None:
        """Let the bots see what happened, each through its own seat's eyes."""
        table = self.table
        for event in happened:
            if type(event) is tell.Dealt:
                self.bots = {p.place: _new_bot(table, p) for p in table.roster.bots}
            elif type(event) not in tell.TABLE_EVENTS:
                for place, bot in self.bots.items():
                    viewed = table.view(event, table.roster.at(place))
                    if viewed is not None:
                        bot.see(viewed)
        if not table.roster.running:
            self.bots = {}

    def wake_bots(self) -> None:
        """After a restart: new bots, shown all that their seats had been shown."""
        if self.table.roster.running:
            for player in self.table.roster.bots:
                bot = self.bots[player.place] = _new_bot(self.table, player)
                for event in self.table.seen(player):
                    bot.see(event)

    def plan_bots(self, now: Millis, pace: float, play: Callable[[int], None]) -> None:
        """Ask each bot what it means to do; `play(place)` is called when its time comes."""
        match = self.table.match
        loop = asyncio.get_running_loop()
        for place in list(self.plans):
            self.plans.pop(place)[1].cancel()
        if match is None or not self.table.roster.running:
            return
        for place, bot in self.bots.items():
            player = self.table.roster.at(place)
            if player is None or player.seat is None:
                continue
            legal = match.legal(player.seat)
            plan = bot.plan(legal, now) if legal else None
            if plan is not None:
                wait = max(0.0, (plan.at - now) / 1000 * pace)
                self.plans[place] = (plan, loop.call_later(wait, play, place))

    def rest(self) -> None:
        """Stop every clock of this table."""
        if self.alarm is not None:
            self.alarm.cancel()
            self.alarm = self.alarm_at = None
        for _, timer in self.plans.values():
            timer.cancel()
        self.plans.clear()


def _new_bot(table: Table, player: Player) -> Bot[Any, Any]:
    maker = table.game.bot
    if maker is None or player.seat is None:
        raise LookupError("a bot needs a game with bots, and a seat")
    # A bot's whims are no part of the fold: its actions are logged, its reasons are not.
    return maker(player.seat, FastRng(SystemRandom().getrandbits(64)))
