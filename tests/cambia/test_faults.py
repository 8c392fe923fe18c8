"""Faults seen in the two original servers of this protocol: each once, so that none comes back.

Those of the lobby (the countdown, the host locked out) are its own tests' matter.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.games.cambia.actions import DiscardDrawn, DrawStockpile, Replace, Snap, Special
from parlour.games.cambia.cards import rank_letter, suit_letter, value_of
from parlour.games.cambia.events import Discarded, SnapFailed, SnapWon, TurnBegan
from parlour.games.cambia.picture import CambiaPicture
from parlour.games.cambia.settings import Settings
from parlour.rng import FastRng
from tests.cambia import tools
from tests.cambia.tools import Table, face_of, kinds, only, played, refused, scripts, seated

HANDS = ("AH 2H 3H 4H", "AS 2S 3S 4S")


@pytest.mark.parametrize("seats", range(2, 9))
def test_frozen_at_the_first_turn(seats: int) -> None:
    """The pre-game ends by itself, the first player can move, and so can everybody after."""
    table = Table(Settings(), seats, FastRng(seats))
    assert kinds(table.wait(10_000)) == ["PlayStarted", "TurnBegan"]
    for turn in range(1, 3 * seats):
        seat = table.match.current
        assert table.match.turn == turn
        assert seat == (turn - 1) % seats
        table.do(seat, DrawStockpile())
        only(table.do(seat, Replace(table.card(seat, 0), 0)), TurnBegan)


@pytest.mark.parametrize("seats", range(3, 9))
@pytest.mark.parametrize("card", ["JD", "KD"])
def test_panic_with_more_than_two_players(seats: int, card: str) -> None:
    """Abilities name cards of any two of many players."""
    low = [f"{rank}{suit}" for rank in "A23456" for suit in "HCS"] * 2
    hands = [" ".join(low[4 * seat : 4 * seat + 4]) for seat in range(seats)]
    table = seated(*hands, top="9H", stockpile=card)
    table.do(0, DrawStockpile())
    table.do(0, DiscardDrawn(table.drawn))
    one, other = table.card(seats - 1, 0), table.card(seats - 2, 3)
    if card == "KD":
        table.do(0, Special("swap_peek", one, other))
        table.do(0, Special("swap_peek_swap", one, other))
    else:
        table.do(0, Special("swap_blind", one, other))
    assert (table.card(seats - 1, 0), table.card(seats - 2, 3)) == (other, one)
    assert table.match.current == 1


@pytest.mark.parametrize("by", ["choice", "timer"])
def test_wedge_after_skipping_a_replaced_card_s_ability(by: str) -> None:
    table = seated("7H 2H 3H 4H", HANDS[1], top="5C", allowReplaceAbilities=True)
    table.do(0, DrawStockpile())
    table.do(0, Replace(table.card(0, 0), 0))
    events = table.do(0, Special("skip")) if by == "choice" else table.wait(15_000)
    assert kinds(events) == ["SpecialSkipped", "TurnBegan"]
    table.do(1, DrawStockpile())
    only(table.do(1, Replace(table.card(1, 0), 0)), TurnBegan)


@given(tools.settings, st.integers(2, 8), st.integers(0, 10**6), scripts, st.integers(0, 8))
@settings(deadline=None, max_examples=30)
def test_no_game_state_after_a_reload(
    rules: Settings, seats: int, seed: int, script: Any, viewer: int
) -> None:
    """Whoever is told the story again, from its beginning, has the whole picture again."""
    table = played(rules, seats, seed, script)
    who = viewer if viewer < seats else None
    again = CambiaPicture(who)
    for event in table.told[who]:
        again.see(event)
    assert vars(again) == vars(table.pictures[who])
    assert len(again.players) == len(table.match.layout.players)
    assert again.settings == rules
    assert sum(len(player.hand) for player in again.players) > 0


def test_two_messages_in_flight() -> None:
    """A second message sent before the answer to the first is refused or judged, never mixed up."""
    table = seated(*HANDS, top="5C", stockpile="6D 6S")
    table.do(0, DrawStockpile())
    drawn, old = table.drawn, table.card(0, 0)
    assert refused(table, 0, DrawStockpile()) == "already-drawn"
    table.do(0, Replace(old, 0))
    assert refused(table, 0, Replace(old, 0)) == "not-your-turn"
    assert refused(table, 0, DiscardDrawn(drawn)) == "not-your-turn"
    # Two snaps of one card: the second finds it gone.
    table = seated("5H 2H 3H 4H", HANDS[1], top="5C")
    card = table.card(0, 0)
    only(table.do(0, Snap(card)), SnapWon)
    assert refused(table, 0, Snap(card)) == "no-such-card"
    # A replace named by an idx that a snap has made stale: nobody guesses which was meant.
    table.do(0, DrawStockpile())
    name = table.card(0, 1)
    assert refused(table, 0, Replace(name, 2, "")) == "card-moved"
    assert only(table.do(0, Replace(name, 1, "")), Discarded).card == name


def test_a_hand_growing_past_six() -> None:
    table = seated(*HANDS, top="9C", stockpile="6D 6S 6H 6C 8D 8S 5D 3C", penaltyDrawCount=2)
    for _ in range(3):
        only(table.snap_wrong(0), SnapFailed)
    assert len(table.faces(0)) == 10
    assert len(table.pictures[1].players[0].hand) == 10
    table.do(0, DrawStockpile())
    assert Replace(table.card(0, 9), 9) in table.match.legal(0)
    last = table.card(0, 9)
    discarded = only(table.do(0, Replace(last, 9)), Discarded)
    assert (discarded.card, discarded.idx) == (last, 9)
    assert table.top == face_of("8S")


def test_the_turn_advanced_twice() -> None:
    """A deadline and the player's own move in the same instant pass the turn once."""
    table = seated(*HANDS, "AC 2C 3C 4C", top="5C", stockpile="6D 6S 6H")
    table.do(0, DrawStockpile())
    drawn = table.drawn
    table.wait(15_000)
    assert (table.match.turn, table.match.current) == (2, 1)
    assert table.tick() == []
    assert refused(table, 0, DiscardDrawn(drawn)) == "not-your-turn"
    table.do(1, DrawStockpile())
    table.do(1, DiscardDrawn(table.drawn))
    assert table.tick() == []
    assert (table.match.turn, table.match.current) == (3, 2)


@given(tools.settings, st.integers(2, 8), st.integers(0, 10**6), scripts)
@settings(deadline=None, max_examples=30)
def test_turns_are_counted_one_by_one_round_the_table(
    rules: Settings, seats: int, seed: int, script: Any
) -> None:
    table = played(rules, seats, seed, script)
    turns = [event for event in table.told[None] if isinstance(event, TurnBegan)]
    assert [event.turn for event in turns] == list(range(1, len(turns) + 1))
    assert [event.seat for event in turns] == [n % seats for n in range(len(turns))]


def test_joker_value_0_missing() -> None:
    for joker, suit in (("OR", "R"), ("OB", "B")):
        face = face_of(joker)
        assert (rank_letter(face), suit_letter(face), value_of(face)) == ("O", suit, 0)
    table = seated("OR 2H 3H 4H", HANDS[1], top="5C")
    assert table.pictures[0].known[table.card(0, 0)] == face_of("OR")
