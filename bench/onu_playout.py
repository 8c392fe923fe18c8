"""Whole random games on ONU's bare core, in one call, for measuring and for tests.

The random numbers are a seeded sequence, quick and the same everywhere, interpreted or compiled;
matches at a table get theirs from the house.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i64

from parlour.games.onu.cards import SPECIAL, classic_deck, colour_of, compact_deck
from parlour.games.onu.core import DRAW, Core

_FACTOR: Final[i64] = 6364136223846793005
_STEP: Final[i64] = 1442695040888963407
_POSITIVE: Final[i64] = 0x7FFFFFFFFFFFFFFF


@final
class Chance:
    """A linear congruential sequence. Not for play: its next number can be guessed."""

    def __init__(self, seed: i64) -> None:
        self.state = seed & _POSITIVE

    def below(self, bound: i64) -> i64:
        self.state = (self.state * _FACTOR + _STEP) & _POSITIVE
        # The upper bits are the better ones.
        return (self.state >> 32) * bound >> 31

    def shuffle(self, cards: vec[i64]) -> None:
        """Fisher and Yates, in place."""
        for place in range(len(cards) - 1, 0, -1):
            other = self.below(place + 1)
            card = cards[place]
            cards[place] = cards[other]
            cards[other] = card


@final
class RandomGames:
    """One deck, shuffled and played again and again."""

    def __init__(self, seats: i64, classic: bool, max_draws: i64, seed: i64) -> None:
        cards = classic_deck() if classic else compact_deck()
        self.deck = vec[i64](cards)
        self.game = Core(seats, max_draws)
        self.chance = Chance(seed)

    def deal(self) -> None:
        """A start card that is no wild, and the rest in any order."""
        deck, chance = self.deck, self.chance
        last = len(deck) - 1
        place = chance.below(last + 1)
        while colour_of(deck[place]) == SPECIAL:
            place = chance.below(last + 1)
        start = deck[place]
        deck[place] = deck[last]
        deck[last] = start
        rest = deck[:last]
        chance.shuffle(rest)
        self.game.deal(start, rest)

    def choose(self) -> i64:
        """Any play; a card only where there is none."""
        count = self.game.plays()
        return DRAW if count == 0 else self.game.choices[self.chance.below(count)]

    def do(self, action: i64) -> None:
        """The step, with the shuffle it may need."""
        game = self.game
        game.step(action)
        while game.waits_for_shuffle():
            buried = game.stack[: game.stack_size - 1]
            self.chance.shuffle(buried)
            game.reshuffle(buried)

    def play(self, games: i64) -> i64:
        """So many games to their end; how many actions they took."""
        actions: i64 = 0
        game = self.game
        for _ in range(games):
            self.deal()
            while not game.over:
                self.do(self.choose())
                actions += 1
        return actions
