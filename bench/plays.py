"""The programs that `bench.rules` measures, run with each copy of the rules: rates per CPU-second.

    PYTHONPATH=<a copy of the rules> python bench/plays.py 2.0

Imports only the rules, so that a copy needs no other modules. There is one function per row; to add
a game, add its functions to `ROWS`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from time import process_time
from typing import Any

from parlour.games.cambia.actions import CallCambia
from parlour.games.cambia.rules import deal as deal_cambia
from parlour.games.cambia.settings import Settings as CambiaSettings
from parlour.games.mo.board import PILES
from parlour.games.mo.rules import Play, Solitaire, opening
from parlour.games.mo.search import hint
from parlour.games.mo.solver import solve
from parlour.games.rummy.bot import RummyBot
from parlour.games.rummy.moves import view as view_rummy
from parlour.games.rummy.picture import RummyPicture
from parlour.games.rummy.rules import deal as deal_rummy
from parlour.games.rummy.settings import Settings as RummySettings
from parlour.kit import Setup
from parlour.rng import FastRng

FOUR = ("north", "east", "south", "west")


def rummy(seconds: float) -> float:
    """Rounds of four with random legal actions."""
    rng = FastRng(1)
    settings = RummySettings()
    previous = None
    done = 0
    began = process_time()
    while process_time() - began < seconds:
        match, _ = deal_rummy(Setup(settings, FOUR, previous=previous), rng, 0)
        while match.ended is None:
            seat = match.turn
            legal = match.legal(seat)
            match.apply(seat, legal[rng.below(len(legal))], rng, 0)
            done += 1
        previous = match
    return done / (process_time() - began)


def rummy_bots(seconds: float) -> float:
    """Rounds of four bots: every event is folded into four pictures, every decision is made."""
    deal = done = 0
    began = process_time()
    while process_time() - began < seconds:
        deal += 1
        rng = FastRng(deal)
        match, told = deal_rummy(Setup(RummySettings(), FOUR), rng, 0)
        bots = [RummyBot(RummyPicture(seat), FastRng(seat)) for seat in range(len(FOUR))]
        while True:
            for event in told:
                for seat, bot in enumerate(bots):
                    bot.show(view_rummy(event, seat))
            if match.ended is not None:
                break
            plan = bots[match.turn].plan(match.legal(match.turn), 0)
            assert plan is not None
            told = match.apply(match.turn, plan.action, rng, 0)
            done += 1
    return done / (process_time() - began)


def cambia(seconds: float) -> float:
    """Games of four with random legal actions, but Cambia is seldom called."""
    rng = FastRng(1)
    settings = CambiaSettings()
    done = 0
    began = process_time()
    while process_time() - began < seconds:
        match, _ = deal_cambia(Setup(settings, FOUR), rng, 0)
        now = match.due() or 0
        match.tick(rng, now)
        while match.result is None:
            seat = match.current
            match.apply(seat, _seldom(rng, match.legal(seat), CallCambia, 50), rng, now)
            done += 1
    return done / (process_time() - began)


def mo(seconds: float) -> float:
    """Random games through the match: every move is checked, told and stored for undo."""
    rng = FastRng(1)
    deal = done = 0
    began = process_time()
    while process_time() - began < seconds:
        deal += 1
        game = Solitaire("bench", "classic", opening(f"bench-{deal}", "classic"))
        while not game.now.reason:
            valid = game.board.valid()
            game.apply(0, Play(PILES[valid[rng.below(len(valid))]]), rng, 0)
            done += 1
    return done / (process_time() - began)


def mo_solver(seconds: float) -> float:
    """Beams of 64 over one deal after the other."""
    deal = looked = 0
    began = process_time()
    while process_time() - began < seconds:
        deal += 1
        looked += solve(opening(f"bench-{deal}", "classic"), (64,)).positions
    return looked / (process_time() - began)


def mo_hints(seconds: float) -> float:
    """Hints at the opening, where most is unknown. One hint before that fills the caches."""
    deal = 0
    hint(Solitaire("bench", "classic", opening("bench-0", "classic")).tableau().veiled())
    began = process_time()
    while process_time() - began < seconds:
        deal += 1
        tableau = Solitaire("bench", "classic", opening(f"bench-{deal}", "classic")).tableau()
        hint(tableau.veiled())
    return deal / (process_time() - began)


def _seldom(rng: FastRng, legal: Sequence[Any], kind: type[Any], one_in: int) -> Any:
    """A random action, but one of `kind` only seldom."""
    chosen = legal[rng.below(len(legal))]
    while isinstance(chosen, kind) and rng.below(one_in):
        chosen = legal[rng.below(len(legal))]
    return chosen


ROWS: dict[str, Callable[[float], float]] = {
    "Super Rummy, random actions": rummy,
    "Super Rummy, bots' actions": rummy_bots,
    "Cambia, random actions": cambia,
    "MO, random plies": mo,
    "MO, solver's positions": mo_solver,
    "MO, opening hints": mo_hints,
}


if __name__ == "__main__":
    print(json.dumps({name: measure(float(sys.argv[1])) for name, measure in ROWS.items()}))
