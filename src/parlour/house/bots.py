"""The computer players of one table: what they see, and when they act."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import SystemRandom

from parlour.kit import Bot, Experience, Millis, Plan
from parlour.rng import FastRng
from parlour.table import Player, Table
from parlour.table import events as tell

_NEWS = frozenset({tell.Dealt, tell.Left, tell.Sat})


class TableBots:
    """One bot per place that has one, while a match runs."""

    def __init__(
        self,
        table: Table,
        experience: Experience | None,
        pace: float,
        play: Callable[[int, object], None],
    ) -> None:
        """`play(place, action)` is called when a bot acts; `pace` 0 lets them act at once."""
        self._table = table
        self._experience = experience
        self._pace = pace
        self._play = play
        self.playing: dict[int, Bot] = {}
        """By place."""
        self.plans: dict[int, tuple[Plan, asyncio.TimerHandle]] = {}
        self._news = False
        """Whether something has happened in the match since their last plans."""

    def show(self, happened: tell.Happened) -> None:
        """Show the bots what happened, each as its seat may see it."""
        table = self._table
        newcomers: list[int] = []
        for event in happened:
            of_match = type(event) not in tell.TABLE_EVENTS
            self._news = self._news or of_match or type(event) in _NEWS
            if isinstance(event, tell.Dealt):
                players = [p for p in table.roster.players if p.played_by_bot]
                self.playing = {p.place: self._new_bot(p) for p in players}
            elif isinstance(event, tell.Left):
                self.playing.pop(event.place, None)
            elif isinstance(event, tell.Sat | tell.StoodIn):
                newcomers.append(event.place)
            elif isinstance(event, tell.CameBack) and event.place in self.playing:
                del self.playing[event.place]
                self._drop_plan(event.place)
            elif of_match:
                for place, bot in self.playing.items():
                    viewed = table.view(event, table.roster.at(place))
                    if viewed is not None:
                        bot.show(viewed)
        if not table.roster.running:
            self.playing = {}
            return
        for place in newcomers:
            self._catch_up(table.roster.at(place))

    def wake(self) -> None:
        """After a restart: make new bots and show them all that their seats have seen."""
        if self._table.roster.running:
            for player in self._table.roster.players:
                self._catch_up(player)

    def _catch_up(self, player: Player | None) -> None:
        if player is None or not player.played_by_bot or player.place in self.playing:
            return
        bot = self.playing[player.place] = self._new_bot(player)
        for event in self._table.story:
            viewed = self._table.view(event, player)
            if viewed is not None:
                bot.show(viewed)

    def plan(self, now: Millis) -> None:
        """Ask each bot what it will do, and when; ask again after something has happened.

        Talk, and people who come and go, must not make a bot start thinking again.
        """
        roster = self._table.roster
        match = self._table.match if roster.running else None
        if self._news or match is None:
            self._news = False
            self.rest()
        if match is None:
            return
        loop = asyncio.get_running_loop()
        for place, bot in self.playing.items():
            player = roster.at(place)
            if place in self.plans or player is None or player.seat is None:
                continue
            legal = match.legal(player.seat)
            plan = bot.plan(legal, now) if legal else None
            if plan is not None:
                wait = max(0.0, (plan.at - now) / 1000 * self._pace)
                self.plans[place] = (plan, loop.call_later(wait, self._act, place))

    def _act(self, place: int) -> None:
        plan, _ = self.plans.pop(place)
        self._play(place, plan.action)

    def rest(self) -> None:
        """Drop every plan."""
        for place in list(self.plans):
            self._drop_plan(place)

    def _drop_plan(self, place: int) -> None:
        if place in self.plans:
            self.plans.pop(place)[1].cancel()

    def _new_bot(self, player: Player) -> Bot:
        game = self._table.game
        if game.bots is None or player.seat is None:
            raise LookupError("a bot needs a game with bots, and a seat")
        picture = game.picture(player.seat)
        # Not the table's random numbers: actions of bots are logged, so a fold asks no bot.
        rng = FastRng(SystemRandom().getrandbits(64))
        return game.bots.bot(picture, rng, player.strength, self._experience)
