"""Whether stronger bots play better: seeded games of one strength against another.

`parlour arena strengths rummy --games 1000`. Game n is dealt from seed n; the bot that is measured
sits at each seat in turn, and all others are of the other strength. In Quips a person judges, by a
taste of their own that the bots' lessons were learnt from.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from hashlib import blake2b
from time import perf_counter
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from parlour.arena.measuring import interval, pool
from parlour.games import installed_games
from parlour.games.quips.bot import QuipsBot
from parlour.kit import Bot, Lessons, Outcome, Picture, Seat, Setup
from parlour.protocol import Game
from parlour.rng import FastRng

PAIRS: Final = (("hard", "normal"), ("normal", "easy"), ("hard", "easy"))
_BATCH: Final = 20
_LONGEST: Final = 20_000
"""In steps; a game that takes longer nobody wins."""
_SCHOOLING: Final = 60
"""Games that lessons are learnt from before anything is measured."""

Maker = Callable[..., Bot[Any, Any, Any]]


@dataclass(frozen=True)
class Terms:
    """How a game is measured: how many bots play, by which settings, and who else sits there."""

    seats: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    person: Maker | None = None
    """Sits at the first seat and takes no side."""


class TastefulJudge(QuipsBot):
    """Stands for a person: likes some cards better than others, always the same ones."""

    def _worth(self, black: str, cards: Sequence[str]) -> float:
        digests = [blake2b(card.encode(), digest_size=4).digest() for card in cards]
        return float(sum(int.from_bytes(digest) for digest in digests))


TERMS: Final = {
    "rummy": Terms(2),
    "cambia": Terms(2),
    "onu": Terms(2),
    "quips": Terms(3, person=TastefulJudge),
}


@dataclass(slots=True)
class Tally:
    """How often the measured bot won, of the games that one bot won alone."""

    games: int = 0
    won: int = 0
    decided: int = 0

    def add(self, other: Tally) -> None:
        self.games += other.games
        self.won += other.won
        self.decided += other.decided

    @property
    def share(self) -> float:
        return self.won / self.decided if self.decided else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return interval(self.won, self.decided)


@cache
def _game(name: str) -> Game:
    return next(game for game in installed_games() if game.id == name)


def play(
    game: Game, makers: Sequence[Maker], people: int, seed: int
) -> tuple[Outcome | None, Picture[Any]]:
    """One game in virtual time, everybody from their own picture; and what spectators saw of it.

    `people` at the first seats are no computer players to the rules. None: it did not end.
    """
    chance = FastRng(seed)
    terms = TERMS[game.id]
    settings = game.configure(game.settings(), dict(terms.settings))
    ids = [f"player {seat}" for seat in range(len(makers))]
    computers = frozenset(range(people, len(makers)))
    content = game.lobby.own_content(settings)
    match, told = game.deal(Setup(settings, ids, computers, None, content), chance, 0)
    audience = game.picture(None)
    bots = [
        make(game.picture(seat), FastRng(seed * 100 + seat)) for seat, make in enumerate(makers)
    ]
    now = 0
    for _ in range(_LONGEST):
        for event in told:
            shown = game.view(event, None)
            if shown is not None:
                audience.see(shown)
            for seat, bot in enumerate(bots):
                viewed = game.view(event, seat)
                if viewed is not None:
                    bot.show(viewed)
        outcome = match.outcome()
        if outcome is not None:
            return outcome, audience
        first: tuple[int, Seat, Any] | None = None
        for seat, bot in enumerate(bots):
            legal = match.legal(seat)
            plan = bot.plan(legal, now) if legal else None
            if plan is not None and (first is None or plan.at < first[0]):
                first = (plan.at, seat, plan.action)
        due = match.due()
        if first is not None and (due is None or first[0] <= due):
            now = max(now, first[0])
            told = match.apply(first[1], first[2], chance, now)
        elif due is not None:
            now = max(now, due)
            told = match.tick(chance, now)
        else:
            raise LookupError("nobody can move and nothing is due")
    return None, audience


@cache
def _lessons(name: str) -> Lessons | None:
    """What bots of this game know who have played a while."""
    game, terms = _game(name), TERMS[name]
    assert game.bots is not None
    if game.bots.lessons is None:
        return None
    lessons = game.bots.lessons(None)
    for seed in range(_SCHOOLING):
        makers = [*_people(terms), *[_taught(game.bots.make, lessons)] * terms.seats]
        lessons.learn(play(game, makers, len(_people(terms)), -1 - seed)[1])
    return lessons


def _people(terms: Terms) -> list[Maker]:
    return [] if terms.person is None else [terms.person]


def _taught(make: Maker, lessons: Lessons | None) -> Maker:
    return make if lessons is None else lambda picture, rng: make(picture, rng, lessons)


def measure(name: str, strength: str, rivals: str, seeds: range) -> Tally:
    """These games, one bot of `strength` among `rivals`."""
    game, terms = _game(name), TERMS[name]
    assert game.bots is not None
    lessons = _lessons(name)
    people = _people(terms)
    tally = Tally()
    for seed in seeds:
        ours = len(people) + seed % terms.seats
        makers = list(people)
        for seat in range(len(people), len(people) + terms.seats):
            maker = game.bots.maker(strength if seat == ours else rivals)
            makers.append(_taught(maker, lessons))
        outcome, _ = play(game, makers, len(people), seed // terms.seats)
        tally.games += 1
        if outcome is not None and len(outcome.winners) == 1:
            tally.decided += 1
            tally.won += outcome.winners[0] == ours
    return tally


def _measure_batch(name: str, task: tuple[str, str, range]) -> tuple[str, str, Tally]:
    strength, rivals, seeds = task
    return strength, rivals, measure(name, strength, rivals, seeds)


def run(name: str, games: int, workers: int | None = None) -> dict[tuple[str, str], Tally]:
    """So many games of each pair of strengths, on all cores unless told."""
    found = {pair: Tally() for pair in PAIRS}
    tasks = [
        (*pair, range(first, min(first + _BATCH, games)))
        for pair in PAIRS
        for first in range(0, games, _BATCH)
    ]
    with pool(min(workers or os.cpu_count() or 1, len(tasks))) as processes:
        done = processes.imap_unordered(partial(_measure_batch, name), tasks)
        for strength, rivals, tally in done:
            found[strength, rivals].add(tally)
    return found


def report(console: Console, name: str, games: int, workers: int | None = None) -> None:
    """Measure the strengths of one game's bots, and print a table."""
    began = perf_counter()
    seats = TERMS[name].seats
    found = run(name, games, workers)
    table = Table(title=f"{_game(name).name}: one bot among others, {games} games of {seats} bots")
    for column in ("bot", "among", "won", "share", "95 %", "even"):
        table.add_column(column, justify="right")
    for (strength, rivals), tally in found.items():
        low, high = tally.interval
        table.add_row(
            strength,
            rivals,
            f"{tally.won}/{tally.decided}",
            f"{tally.share:.1%}",
            f"{low:.1%}-{high:.1%}",
            f"{1 / seats:.1%}",
        )
    console.print(table)
    console.print(f"{perf_counter() - began:.0f} s in all.", highlight=False)
