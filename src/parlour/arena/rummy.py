"""How well Super Rummy's bot plays: rounds against a bot that lays down what it can at once.

`parlour arena rummy --rounds 4000`. Rounds are dealt from the seeds 0, 1, 2, ... so that
everybody measures the same ones. Each deal is played once with the bot in every seat.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from time import perf_counter

from rich.console import Console
from rich.table import Table

from parlour.arena.measuring import Meter, Step, interval, pool, processes
from parlour.games.rummy.bot import RummyBot
from parlour.games.rummy.moves import Ended
from parlour.games.rummy.picture import RummyPicture
from parlour.games.rummy.rules import deal, view
from parlour.games.rummy.settings import Settings
from parlour.games.rummy.weaker import NormalBot
from parlour.kit import Seat, Setup
from parlour.rng import FastRng

_ROUNDS_A_TASK = 50


@dataclass(slots=True)
class Score:
    """How some rounds went for the bot and for all of its rivals together."""

    rounds: int = 0
    won: int = 0
    lost: int = 0
    points: int = 0
    rivals_points: int = 0

    def add(self, other: Score) -> None:
        self.rounds += other.rounds
        self.won += other.won
        self.lost += other.lost
        self.points += other.points
        self.rivals_points += other.rivals_points

    @property
    def decided(self) -> int:
        """Rounds that somebody won."""
        return self.won + self.lost

    @property
    def share(self) -> float:
        """Of the rounds somebody won, those the bot did."""
        return self.won / self.decided if self.decided else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return interval(self.won, self.decided)


def play_round(seed: int, seats: int, seat: Seat) -> Ended:
    """One round by the match's own rules, the bot in this seat, everybody from their picture."""
    chance = FastRng(seed)
    setup = Setup(Settings(), [f"player {number}" for number in range(seats)])
    match, told = deal(setup, chance, 0)
    bots: list[RummyBot] = []
    for each in range(seats):
        kind = RummyBot if each == seat else NormalBot
        bots.append(kind(RummyPicture(each), FastRng(seed + each)))
    while True:
        for event in told:
            for each, bot in enumerate(bots):
                bot.show(view(event, each))
        if match.ended is not None:
            return match.ended
        plan = bots[match.turn].plan(match.legal(match.turn), 0)
        if plan is None:
            raise LookupError("a bot in turn always has a plan")
        told = match.apply(match.turn, plan.action, chance, 0)


def play_rounds(first: int, count: int, seats: int) -> Score:
    """Some rounds in a row, by their numbers."""
    score = Score()
    for number in range(first, first + count):
        seat = number % seats
        ended = play_round(number // seats, seats, seat)
        points = sum(ended.hand_values.values())
        score.rounds += 1
        if ended.winner == seat:
            score.won += 1
            score.points += points
        elif ended.winner is not None:
            score.lost += 1
            score.rivals_points += points
    return score


def _play_task(seats: int, task: tuple[int, int]) -> Score:
    return play_rounds(task[0], task[1], seats)


def run(
    rounds: int,
    seats: int = 2,
    workers: int | None = None,
    progress: Step | None = None,
) -> Score:
    """Play that many rounds, on all cores unless told; `progress` hears how it goes."""
    total = Score()
    tasks = [
        (first, min(_ROUNDS_A_TASK, rounds - first)) for first in range(0, rounds, _ROUNDS_A_TASK)
    ]
    with pool(processes(workers, len(tasks))) as hands:
        for score in hands.imap_unordered(partial(_play_task, seats), tasks):
            total.add(score)
            if progress is not None:
                progress(total.rounds, total.won)
    return total


def report(console: Console, rounds: int = 4000, workers: int | None = None) -> list[Score]:
    """Measure the bot at tables of two, three and four, and print a table."""
    scores: list[Score] = []
    began = perf_counter()
    what = (
        f"Super Rummy: {rounds} rounds at tables of two, three and four, the bot in every seat in "
        "turn, against bots that meld at once."
    )
    with Meter(console, what) as meter:
        for seats in (2, 3, 4):
            scores.append(run(rounds, seats, workers, meter.row(f"{seats} players", rounds)))
    table = Table(title=f"Super Rummy: the bot against bots that meld at once, {rounds} rounds")
    for name in ("players", "won", "share", "95 %", "even", "points", "a rival's"):
        table.add_column(name, justify="right")
    for seats, score in zip((2, 3, 4), scores, strict=True):
        low, high = score.interval
        table.add_row(
            str(seats),
            f"{score.won}/{score.decided}",
            f"{score.share:.1%}",
            f"{low:.1%}-{high:.1%}",
            f"{1 / seats:.1%}",
            f"{score.points:,}",
            f"{score.rivals_points / (seats - 1):,.0f}",
        )
    console.print(table)
    console.print(f"{perf_counter() - began:.0f} s in all.", highlight=False)
    return scores
