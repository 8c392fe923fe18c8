"""How well ONU is played: our bot against the document's, over seeded games.

`parlour arena onu --games 10000`. Game n is dealt from seed n, and our bot sits at seat n modulo
the number of seats, so that everybody measures the same games and no seat is favoured. With
`--ours all` or `none` it is to be seen how games among bots of one kind end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Final, Literal, TypeAlias

from rich.console import Console
from rich.table import Table

from parlour.arena.measuring import Meter, Step, interval, pool, processes
from parlour.games.onu.bot import OnuBot
from parlour.games.onu.document_bot import DocumentBot
from parlour.games.onu.moves import Action, Event, view
from parlour.games.onu.picture import Picture
from parlour.games.onu.rules import deal
from parlour.games.onu.settings import Settings
from parlour.kit import Bot, Seat, Setup
from parlour.rng import FastRng

SIZES: Final = (2, 4)
_BATCH: Final = 50


Ours: TypeAlias = Literal["one", "all", "none"]
"""How many seats our bot has; the document's has the others."""
_TITLES: Final = {
    "one": "our bot against the document's",
    "all": "our bots alone",
    "none": "the document's bots alone",
}


@dataclass(slots=True)
class Tally:
    """Games of one size. `slowest` is our bot's longest decision, in processor seconds."""

    seats: int
    games: int = 0
    wins: int = 0
    undecided: int = 0
    slowest: float = 0.0

    @property
    def fair(self) -> float:
        """Our bot's share of the wins if it played as the others do."""
        return 1 / self.seats

    @property
    def share(self) -> float:
        return self.wins / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share."""
        return interval(self.wins, self.games)

    def add(self, other: Tally) -> None:
        self.games += other.games
        self.wins += other.wins
        self.undecided += other.undecided
        self.slowest = max(self.slowest, other.slowest)


def play(seats: int, seed: int, deck: str, ours: Ours = "one") -> tuple[Seat | None, float]:
    """One game: who won it, and our bot's longest decision."""
    ours_at = {"one": [seed % seats], "all": range(seats), "none": []}[ours]
    chance = FastRng(seed)
    settings = Settings(deck="classic" if deck == "classic" else "compact")
    players = [f"seat-{seat}" for seat in range(seats)]
    match, events = deal(Setup(settings, players), chance, 0)
    bots: list[Bot[Action, Event, Picture]] = [
        (OnuBot if seat in ours_at else DocumentBot)(Picture(seat), FastRng(seed))
        for seat in range(seats)
    ]
    slowest = 0.0
    while match.ended is None:
        for event in events:
            for seat, bot in enumerate(bots):
                bot.show(view(event, seat))
        turn: Seat = match.core.turn
        legal = match.legal(turn)
        began = process_time()
        plan = bots[turn].plan(legal, 0)
        if turn in ours_at:
            slowest = max(slowest, process_time() - began)
        assert plan is not None, "whoever is in turn may at least draw"
        events = match.apply(turn, plan.action, chance, 0)
    return match.ended.winner, slowest


def _play_batch(task: tuple[int, str, range, Ours]) -> Tally:
    seats, deck, seeds, ours = task
    tally = Tally(seats)
    for seed in seeds:
        winner, slowest = play(seats, seed, deck, ours)
        won = winner == seed % seats
        tally.add(Tally(seats, 1, int(won), int(winner is None), slowest))
    return tally


def run(
    games: int,
    seats: int,
    deck: str = "compact",
    workers: int | None = None,
    progress: Step | None = None,
    ours: Ours = "one",
) -> Tally:
    """So many games of one size, on all cores unless told; `progress` hears now and then."""
    tally = Tally(seats)
    tasks: list[tuple[int, str, range, Ours]] = [
        (seats, deck, range(first, min(first + _BATCH, games)), ours)
        for first in range(0, games, _BATCH)
    ]
    with pool(processes(workers, len(tasks))) as hands:
        for part in hands.imap_unordered(_play_batch, tasks):
            tally.add(part)
            if progress is not None:
                progress(tally.games, tally.wins)
    return tally


def report(
    console: Console,
    games: int = 10_000,
    deck: str = "compact",
    workers: int | None = None,
    ours: Ours = "one",
    sizes: Sequence[int] = SIZES,
) -> list[Tally]:
    """Measure with two players and with four, or as told, and print a table."""
    began = perf_counter()
    tallies: list[Tally] = []
    players = " and ".join(str(seats) for seats in sizes)
    what = f"ONU, {deck} deck: {games} games of {players} players each, {_TITLES[ours]}."
    with Meter(console, what) as meter:
        for seats in sizes:
            step = meter.row(f"{seats} players", games)
            tallies.append(run(games, seats, deck, workers, step, ours))
    table = Table(title=f"ONU, {deck} deck: {_TITLES[ours]}, games 0 to {games - 1}")
    for name in ("players", "won", "share", "95 %", "fair", "undecided", "slowest ms"):
        table.add_column(name, justify="right")
    for tally in tallies:
        low, high = tally.interval
        table.add_row(
            str(tally.seats),
            f"{tally.wins}/{tally.games}",
            f"{tally.share:.1%}",
            f"{low:.1%}-{high:.1%}",
            f"{tally.fair:.1%}",
            str(tally.undecided),
            f"{tally.slowest * 1000:.1f}",
        )
    console.print(table)
    console.print(f"{perf_counter() - began:.0f} s in all.", highlight=False)
    return tallies
