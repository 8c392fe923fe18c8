"""How well MO is played: the same seeded deals for a beginner, honest players and the solver.

`parlour mo arena --deals 200`. Deals are `arena-1`, `arena-2`, ... so that everybody measures
the same ones. The honest player plays every hint, and passes the line that came with it on to the
next, as the house does.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Final, Literal

from rich.console import Console
from rich.table import Table

from parlour.arena.measuring import Meter, interval, processes, run
from parlour.games.mo.board import NUMBER, PILES, WON
from parlour.games.mo.picture import MoPicture
from parlour.games.mo.rules import Play, deal, view
from parlour.games.mo.search import greedy, hint, sampled
from parlour.games.mo.settings import Profile, Settings
from parlour.games.mo.solver import solve
from parlour.games.mo.tableau import Line
from parlour.games.mo.worth import weigh
from parlour.kit import Setup
from parlour.rng import FastRng

Who = Literal["greedy", "glance", "honest", "solver"]
PLAYERS: Final[tuple[Who, ...]] = ("greedy", "glance", "honest", "solver")

WHAT_THEY_KNOW: Final[dict[Who, str]] = {
    "greedy": "what falls now",
    "glance": "one move ahead",
    "honest": "what is seen",
    "solver": "the order",
}


@dataclass(frozen=True, slots=True)
class Deal:
    """One deal, played to its end. `slowest` is its longest decision, in processor seconds."""

    seed: str
    reason: str
    moves: int
    defeated: int
    seconds: float
    slowest: float

    @property
    def won(self) -> bool:
        return self.reason == WON


def play_deal(who: Who, profile: Profile, seed: str) -> Deal:
    """One deal, played by the match's own rules; the honest player is shown the viewed events."""
    chance = FastRng(0)
    game, events = deal(Setup(Settings(profile=profile, seed=seed), ["arena"]), chance, 0)
    picture = MoPicture(0)
    for event in events:
        picture.see(view(event, 0))
    began = process_time()
    slowest = 0.0
    line: list[int] = []
    if who == "solver":
        line = solve(game.board).line or []
        slowest = process_time() - began
    plan: Line | None = None
    while not (shown := picture.dealt()).reason:
        asked = process_time()
        if who == "honest":
            found, plan = hint(shown, plan)
            pile = NUMBER[found.to]
        elif who == "glance":
            pile = max(weigh(sampled(shown.board, chance)))[1]
        elif shown.moves < len(line):
            pile = line[shown.moves]
        else:
            pile = greedy(shown.board)
        slowest = max(slowest, process_time() - asked)
        for event in game.apply(0, Play(PILES[pile]), chance, 0):
            picture.see(view(event, 0))
    return Deal(
        seed,
        shown.reason,
        shown.moves,
        len(shown.defeated),
        process_time() - began,
        slowest,
    )


def report(
    console: Console,
    deals: int = 200,
    profile: Profile = "classic",
    players: tuple[Who, ...] = PLAYERS,
    workers: int | None = None,
    first: int = 1,
) -> None:
    """Measure these players one after the other, saying how far each is, and print a table.

    Times are a processor's: for a deal, and for the slowest decision of all.
    """
    began = perf_counter()
    title = f"MO, {profile}: deals arena-{first} to arena-{first + deals - 1}"
    hands = processes(workers, deals * len(players))
    what = f"{title}, played by {', '.join(players)} in {hands} processes."
    seeds = [f"arena-{number}" for number in range(first, first + deals)]
    rows: list[list[tuple[Who, Profile, str]]] = [
        [(who, profile, seed) for seed in seeds] for who in players
    ]
    with Meter(console, what) as meter:
        steps = [meter.row(who, deals) for who in players]
        played = dict(zip(players, run(play_deal, rows, workers, steps), strict=True))
    table = Table(title=title)
    table.add_column("player")
    table.add_column("knows")
    for name in ("won", "rate", "95 %", "s/deal", "slowest ms"):
        table.add_column(name, justify="right")
    for who, dealt in played.items():
        wins = sum(deal.won for deal in dealt)
        low, high = interval(wins, deals)
        table.add_row(
            who,
            WHAT_THEY_KNOW[who],
            f"{wins}/{deals}",
            f"{wins / deals:.1%}",
            f"{low:.1%}-{high:.1%}",
            f"{sum(deal.seconds for deal in dealt) / deals:.2f}",
            f"{max(deal.slowest for deal in dealt) * 1000:.0f}",
        )
    console.print(table)
    for who, dealt in played.items():
        lost = [f"{deal.seed} ({deal.reason})" for deal in dealt if not deal.won]
        if 0 < len(lost) <= 20:
            console.print(f"{who} did not win: {', '.join(lost)}", highlight=False)
    console.print(f"{perf_counter() - began:.0f} s in all.", highlight=False)
