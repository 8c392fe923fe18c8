"""The cost of scenes: the work for each viewer after an action, and the bytes that are sent.

Matches of bots, at tables of four (MO: of one, who plays at random). First without viewers: the
rules alone. Then everybody is shown scenes as `house/scenes.py` shows them.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from statistics import fmean, median, quantiles
from time import process_time
from typing import Any

import msgspec
from rich.console import Console

from bench.report import Run, grid
from parlour.games import installed_games
from parlour.kit import Bot, Match, Setup
from parlour.protocol import Game, extras
from parlour.rng import FastRng
from parlour.show import Show

SEATS = 4
MOST_ACTIONS = 400
"""Of one match."""


class Cost(msgspec.Struct):
    """One game."""

    game: str
    rules: float
    """Microseconds of processor time that an action takes in the rules."""
    viewer: float
    """Microseconds for each viewer of an action."""
    whole: tuple[int, int]
    """Bytes of a whole scene: median, and the 95th percentile."""
    sent: tuple[int, int]
    """Bytes that a viewer is sent after an action: mean, and the 95th percentile."""


class Report(Run, kw_only=True):
    costs: list[Cost]


class Played:
    """A match of bots."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.seats = min(SEATS, game.max_seats)
        self.spent = 0.0
        """Seconds of processor time in the rules."""
        self._rng = FastRng(seed)
        self._rnd = Random(seed)
        settings = game.settings()
        names = [f"p{seat}" for seat in range(self.seats)]
        content = game.lobby.own_content(settings)
        setup: Setup[Any] = Setup(settings, names, frozenset(range(self.seats)), None, content)
        self.match: Match
        self.match, self.dealt = game.deal(setup, self._rng, 0)
        self._bots = [self._bot(seat) for seat in range(self.seats)] if game.bots else []

    def _bot(self, seat: int) -> Bot:
        bots = self.game.bots
        assert bots is not None
        return bots.bot(self.game.picture(seat), FastRng(seat))

    def inputs(self) -> Iterator[list[Any]]:
        """The events of one input after the other."""
        now, events = 0, self.dealt
        for _ in range(MOST_ACTIONS):
            yield events
            if self.match.outcome() is not None:
                return
            for seat, bot in enumerate(self._bots):
                for event in events:
                    seen = self.game.view(event, seat)
                    if seen is not None:
                        bot.show(seen)
            plan = self._next(now)
            due = self.match.due()
            began = process_time()
            if plan is None or (due is not None and due < plan[0]):
                assert due is not None, "nobody can move and nothing is due"
                now = max(now, due)
                events = self.match.tick(self._rng, now)
            else:
                at, seat, action = plan
                now = max(now, at)
                events = self.match.apply(seat, action, self._rng, now)
            self.spent += process_time() - began

    def _next(self, now: int) -> tuple[int, int, Any] | None:
        if not self._bots:
            return now, 0, self._rnd.choice(self.match.legal(0))
        plans = [
            (plan.at, seat, plan.action)
            for seat, bot in enumerate(self._bots)
            if (legal := self.match.legal(seat)) and (plan := bot.plan(legal, now))
        ]
        return min(plans, key=lambda plan: plan[:2], default=None)


def measure(game: Game, seconds: float) -> Cost:
    """Matches for so many seconds of work on scenes."""
    spent = rules = 0.0
    actions = seed = 0
    whole: list[int] = []
    sent: list[int] = []
    while spent < seconds:
        played = Played(game, seed)
        shows = [Show(game, seat, _fail) for seat in range(played.seats)]
        inputs = played.inputs()
        first = next(inputs)
        for show in shows:
            show.catch_up(first, played.match)
        for events in inputs:
            actions += 1
            for show in shows:
                began = process_time()
                frames = show.frames(events, played.match)
                told = [
                    extras.change(frame.before, frame.scene, frame.move)
                    for frame in frames
                    if frame.before and frame.scene and (frame.scene != frame.before or frame.move)
                ]
                spent += process_time() - began
                sent.append(sum(map(len, told)))
                whole.append(len(msgspec.json.encode(show.scene)))
        rules += played.spent
        seed += 1
    return Cost(
        game.id,
        rules / actions * 1e6,
        spent / len(sent) * 1e6,
        (round(median(whole)), round(quantiles(whole, n=20)[-1])),
        (round(fmean(sent)), round(quantiles(sent, n=20)[-1])),
    )


def _fail(error: Exception) -> None:
    raise error


def main(seconds: float) -> int:
    say = Console(highlight=False)
    costs: list[Cost] = []
    for game in installed_games():
        if game.scene is not None:
            with say.status(f"showing {game.name}"):
                costs.append(measure(game, seconds))
    table = grid("What scenes cost", "rules, µs", "a viewer, µs", "whole, bytes", "sent")
    for cost in costs:
        table.add_row(
            cost.game,
            f"{cost.rules:.0f}",
            f"{cost.viewer:.0f}",
            f"{cost.whole[0]:,} / {cost.whole[1]:,}",
            f"{cost.sent[0]:,} / {cost.sent[1]:,}",
        )
    say.print(table)
    Report(costs=costs).keep("scenes", say)
    return 0
