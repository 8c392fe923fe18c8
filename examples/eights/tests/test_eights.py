"""Crazy Eights in the battery that every game must pass, and what only its own rules know."""

from __future__ import annotations

from parlour.battery import Battery, Trial
from parlour.cards import CLUBS, HEARTS, SPADES, Face, face
from parlour.kit import Seat
from parlour.rng import FastRng
from parlour_eights import GAME
from parlour_eights.rules import Eights, Play
from parlour_eights.settings import Settings


def _cards(match: Eights) -> list[Face]:
    return [*match.stock, *match.pile, *(card for hand in match.hands for card in hand)]


def _knows(match: Eights, seat: Seat | None) -> list[Face]:
    return match.pile + ([] if seat is None else match.hands[seat])


class TestEights(Battery):
    trial = Trial(game=GAME, cards=_cards, knows=_knows)


def test_a_card_fits_by_its_suit_or_its_rank_and_an_eight_always() -> None:
    match = Eights(Settings(must_play=True), players=2, first=0)
    match.pile, match.suit, match.stock = [face(HEARTS, 5)], HEARTS, [face(SPADES, 3)]
    match.hands[0] = [face(HEARTS, 9), face(CLUBS, 5), face(SPADES, 8), face(CLUBS, 9)]
    match.hands[1] = [face(SPADES, 2), face(CLUBS, 2)]
    assert match.legal(0) == [Play(0), Play(1), *[Play(2, suit) for suit in range(4)]]
    match.apply(0, Play(2, CLUBS), FastRng(1), 0)
    assert match.legal(1) == [Play(1)]
