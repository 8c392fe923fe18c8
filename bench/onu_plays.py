"""The work that `bench.onu_rules` measures, run once on each side: rates per CPU-second, as JSON.

    PYTHONPATH=<a copy of the rules> python bench/onu_plays.py ours 2.0
    <RLCard's environment>/bin/python bench/onu_plays.py rlcard 2.0

Imports nothing but the side it measures.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from random import Random
from time import process_time

GAMES = 20
"""Games that are played between two reads of the clock."""


def ours(seconds: float) -> dict[str, float]:
    from bench.onu_playout import RandomGames

    # RLCard's rules: 108 cards, and a drawn card ends the turn.
    alike = RandomGames(2, True, 1, 1)
    usual = RandomGames(2, False, 0, 1)
    games, actions = _rates(alike.play, seconds)
    usual_games, usual_actions = _rates(usual.play, seconds)

    def stepped(count: int) -> int:
        """One call from Python to choose and one to step, for every action."""
        done = 0
        for _ in range(count):
            usual.deal()
            while not usual.game.over:
                usual.do(usual.choose())
                done += 1
        return done

    return {
        "random games as RLCard plays them": games,
        "their actions": actions,
        "random games by the usual rules": usual_games,
        "the usual rules' actions": usual_actions,
        "actions stepped from Python": _rates(stepped, seconds)[1],
    }


def rlcard(seconds: float) -> dict[str, float]:
    from rlcard.games.uno import Game

    game = Game(num_players=2)
    chance = Random(1)

    def play(count: int) -> int:
        done = 0
        for _ in range(count):
            state, _ = game.init_game()
            while not game.is_over():
                # The returned state has the legal actions; asking again would slow RLCard down.
                state, _ = game.step(chance.choice(state["legal_actions"]))
                done += 1
        return done

    games, actions = _rates(play, seconds)
    return {"random games as RLCard plays them": games, "their actions": actions}


def _rates(play: Callable[[int], int], seconds: float) -> tuple[float, float]:
    """Games and actions per CPU-second."""
    play(GAMES)
    games = actions = 0
    began = process_time()
    while (spent := process_time() - began) < seconds:
        actions += play(GAMES)
        games += GAMES
    return games / spent, actions / spent


if __name__ == "__main__":
    measure = {"ours": ours, "rlcard": rlcard}[sys.argv[1]]
    print(json.dumps(measure(float(sys.argv[2]))))
