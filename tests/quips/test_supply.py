"""How many white cards it takes, and how many of them one player may have."""

from __future__ import annotations

import pytest

from parlour.games.quips.board import Player
from parlour.games.quips.packfile import read
from parlour.games.quips.packs import Shelf, gather
from parlour.games.quips.settings import Settings
from parlour.games.quips.supply import Supply, shuffled
from parlour.kit import Illegal
from parlour.rng import FastRng
from tests.quips.tools import pack, plain_cards

RNG = FastRng(1)


def shelf_of(whites: int, pick: int) -> Shelf:
    [body] = pack(plain_cards(whites, [(pick, 0)])).values()
    return gather([read(body)])


@pytest.mark.parametrize("pick", [1, 2, 3])
def test_so_many_cards_are_enough_and_one_less_is_not(pick: int) -> None:
    settings = Settings(max_players=4)
    needed = 2 * pick * 4
    supply = shuffled(shelf_of(needed, pick), settings, RNG)
    assert (supply.share, supply.hand_size) == (2 * pick, pick)
    with pytest.raises(Illegal, match=f"at least {needed} white cards"):
        shuffled(shelf_of(needed - 1, pick), settings, RNG)


def test_nobody_has_more_than_a_share_with_what_they_have_played() -> None:
    supply = shuffled(shelf_of(40, 2), Settings(max_players=4), RNG)
    player = Player("a", False, 0, 0)
    supply.draw(player, 6, RNG)
    player.play = [player.hand.pop() for _ in range(2)]
    supply.draw(player, 100, RNG)
    assert supply.share == 10
    assert (len(player.hand), len(player.play)) == (8, 2)


def piles(supply: Supply) -> list[list[str]]:
    both = (supply.whites, supply.blacks)
    return [list(cards) for pile in both for cards in (pile.cards, pile.discards)]
