"""Plays a match of every game and pickles it again and again, with whatever build is imported.

    PYTHONPATH=<a copy of the package> python tests/compiled.py

It imports nothing of the tests, so that a copy of the package is all it needs.
"""

from __future__ import annotations

import json
import pickle
import sys
from hashlib import sha256
from random import Random

from parlour.games import installed_games
from parlour.kit import Match, Setup
from parlour.protocol import Game
from parlour.rng import FastRng

STEPS = 120


def everything() -> dict[str, list[str]]:
    """By game, the file of its rules, and a digest of what happened in a match."""
    found: dict[str, list[str]] = {}
    for game in installed_games():
        match, events = _dealt(game)
        file = str(sys.modules[type(match).__module__].__file__)
        happened = repr([*events, *_played(match, game.min_seats)])
        found[game.id] = [file, sha256(happened.encode()).hexdigest()]
    return found


def _dealt(game: Game) -> tuple[Match, list[object]]:
    settings = game.settings()
    players = [f"player {seat}" for seat in range(game.min_seats)]
    content = game.lobby.own_content(settings)
    setup = Setup(settings, players, content=content, edition=game.lobby.edition)
    return game.deal(setup, FastRng(1), 0)


def _played(match: Match, seats: int) -> list[object]:
    """The events after the deal. Each step is made by a copy, and once more by a pickled match."""
    happened: list[object] = []
    now = 0
    for step in range(STEPS):
        others = match.copy(), pickle.loads(pickle.dumps(match))
        due = match.due()
        if due is not None:
            now = max(now, due)
        results = [repr(_step(each, seats, step, now)) for each in (match, *others)]
        assert results[0] == results[1], f"a copy went on in another way in step {step}"
        assert results[0] == results[2], f"what was pickled went on in another way in step {step}"
        happened.append(results[0])
        match = others[1]
        if match.outcome() is not None:
            break
    return happened


def _step(match: Match, seats: int, step: int, now: int) -> list[object]:
    """A random legal action, or what is due."""
    rng = FastRng(step)
    legal = [(seat, action) for seat in range(seats) for action in match.legal(seat)]
    if not legal or (step % 5 == 4 and match.due() is not None):
        return match.tick(rng, now)
    seat, action = Random(step).choice(legal)
    return match.apply(seat, action, rng, now - 1)


if __name__ == "__main__":
    print(json.dumps(everything()))
