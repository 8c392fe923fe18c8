"""How many actions a minute a player makes in each game: computer players in virtual time.

They decide about as fast as a person who knows the game. Most people are slower, so this is an
upper bound.
"""

from __future__ import annotations

from typing import Any, Final

from parlour.games import installed_games
from parlour.kit import Setup
from parlour.protocol import Game
from parlour.rng import FastRng

TABLES: Final = {"rummy": 4, "cambia": 4, "onu": 4, "quips": 5}
"""The games with computer players, and the number of players at a table."""
MATCHES: Final = 20
LONGEST: Final = 2_000
"""Actions after which a match is abandoned."""


def actions_per_minute() -> dict[str, float]:
    """By game, of one person."""
    games = {game.id: game for game in installed_games()}
    found: dict[str, float] = {}
    for name, seats in TABLES.items():
        played = [_played(games[name], seats, seed) for seed in range(MATCHES)]
        actions, millis = (sum(column) for column in zip(*played, strict=True))
        found[name] = actions / seats / (millis / 60_000)
    return found


def _played(game: Game, seats: int, seed: int) -> tuple[int, int]:
    """One match: the actions of all, and the milliseconds it took."""
    assert game.bots is not None
    chance = FastRng(seed)
    settings = game.settings()
    ids = [f"player {seat}" for seat in range(seats)]
    setup = Setup(settings, ids, frozenset(range(seats)), None, game.lobby.own_content(settings))
    match, told = game.deal(setup, chance, 0)
    bots = [game.bots.bot(game.picture(seat), FastRng(seed * 100 + seat)) for seat in range(seats)]
    now = actions = 0
    while match.outcome() is None and actions < LONGEST:
        for event in told:
            for seat, bot in enumerate(bots):
                viewed = game.view(event, seat)
                if viewed is not None:
                    bot.show(viewed)
        plans: list[tuple[int, int, Any]] = []
        for seat, bot in enumerate(bots):
            legal = match.legal(seat)
            plan = bot.plan(legal, now) if legal else None
            if plan is not None:
                plans.append((plan.at, seat, plan.action))
        first, due = min(plans, key=lambda plan: plan[:2], default=None), match.due()
        if first is not None and (due is None or first[0] <= due):
            now = max(now, first[0])
            told = match.apply(first[1], first[2], chance, now)
            actions += 1
        else:
            assert due is not None
            now = max(now, due)
            told = match.tick(chance, now)
    return actions, now
