"""Seeded games on the bare core, written down whole: run interpreted and compiled, and compared.

Run as a program with a copy of the rules on its path; imports nothing but that.
"""

from __future__ import annotations

import json
import pickle
from copy import deepcopy
from hashlib import sha256
from typing import Any

from bench import onu_playout as playout
from parlour.games.onu import cards, core

GAMES = 40


def bits() -> list[Any]:
    """What every operation on bits makes of every card, and of numbers at the edges."""
    deck = [*cards.classic_deck(), *cards.compact_deck(), cards.HIDDEN]
    of = (
        cards.colour_of,
        cards.symbol_of,
        cards.number_of,
        cards.effect_of,
        lambda card: cards.described(card, 2),
    )
    chance = playout.Chance(2**62 + 12345)
    return [
        [[one(card) for one in of] for card in deck],
        [cards.card_of(c, s, n) for c in range(5) for s in range(15) for n in range(4)],
        [core.play_of(index, colour) for index in range(108) for colour in range(4)],
        [chance.below(bound) for bound in (1, 2, 54, 108, 2**31 - 1) for _ in range(20)],
        chance.state,
    ]


def games(seats: int, classic: bool, max_draws: int) -> list[Any]:
    """A digest of all records and choices, and how the last game lies at its end."""
    played = playout.RandomGames(seats, classic, max_draws, seats * 1000 + max_draws)
    game = played.game
    written = sha256()
    winners = []
    for number in range(GAMES):
        played.deal()
        while not game.over:
            count = game.legal()
            choices = [game.choices[at] for at in range(count)]
            # Now and then somebody does not answer, or draws though they could play.
            pick = played.chance.below(count + 2)
            action = choices[pick] if pick < count else played.choose()
            if played.chance.below(20) == 0:
                action = core.DRAW_AND_PASS
            played.do(action)
            records = [game.records[at] for at in range(game.happened)]
            written.update(json.dumps([choices, action, records]).encode())
        winners.append(game.winner)
        if number % 7 == 0:
            for twin in (deepcopy(game), pickle.loads(pickle.dumps(game))):
                written.update(json.dumps(_state(twin)).encode())
    return [written.hexdigest(), winners, _state(game)]


def _state(game: core.Core) -> list[Any]:
    numbers = [game.colour, game.direction, game.turn, game.effect, game.owed, game.draws]
    numbers += [
        game.turns,
        game.stalled,
        game.closed,
        game.passes,
        game.winner,
        game.deck_size,
        game.stack_size,
    ]
    hands = [[game.card(s, at) for at in range(game.held[s])] for s in range(game.seats)]
    stack = [game.stack[at] for at in range(game.stack_size)]
    return [numbers, hands, stack, [game.deck[at] for at in range(game.deck_size)]]


def everything() -> list[Any]:
    sizes = [(2, False, 0), (3, True, 1), (4, False, 2), (5, True, 0), (7, False, 1)]
    return [bits(), *(games(*size) for size in sizes)]


if __name__ == "__main__":
    print(json.dumps([core.__file__, everything()]))
