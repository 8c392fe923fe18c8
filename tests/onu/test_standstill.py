"""Matches that would never end: the deck is closed, and opened again once everybody has passed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.games.onu import GAME
from parlour.games.onu.core import EDITION, HARDLY_ANY, MOST_ROUNDS, STANDSTILL
from parlour.games.onu.document_bot import DocumentBot
from parlour.games.onu.moves import Draw, Ended, Passed, Play, view
from parlour.games.onu.picture import Picture
from parlour.games.onu.rules import Onu
from parlour.games.onu.settings import Settings
from parlour.rng import FastRng
from parlour.table import Table
from parlour.table import inputs as do
from tests.onu.tools import SEEDS, hand, kinds, new_match, position
from tests.support import Opener

RNG = FastRng(1)
FIRST_EDITION = 1


def go_on(match: Onu) -> None:
    """Whoever is in turn plays the first card that fits, or draws."""
    plays = [one for one in match.legal(match.core.turn) if isinstance(one, Play)]
    match.apply(match.core.turn, plays[0] if plays else Draw(), RNG, 0)


def ring(edition: int = EDITION) -> Onu:
    """Whoever plays a pick-two has it drawn by the next, who plays it: no hand gets smaller."""
    return position(
        "blue pick 2, red 1, red 2",
        "green 3, red 3, red 4",
        top="green pick 2",
        colour=0,
        edition=edition,
    )


def played_by_document_bots(seats: int, seed: int) -> Onu:
    chance = FastRng(seed)
    match, events = new_match(Settings(), seats, chance)
    bots = [DocumentBot(Picture(seat), FastRng(seat)) for seat in range(seats)]
    while match.ended is None:
        for event in events:
            for seat, bot in enumerate(bots):
                bot.show(view(event, seat))
        plan = bots[match.core.turn].plan(match.legal(match.core.turn), 0)
        assert plan is not None
        events = match.apply(match.core.turn, plan.action, chance, 0)
    return match


@given(st.integers(4, 7), SEEDS)
@settings(max_examples=25)
def test_games_of_the_documents_bots_alone_are_won(seats: int, seed: int) -> None:
    """By the first edition four in ten of them were not, with four players."""
    match = played_by_document_bots(seats, seed)
    assert match.ended is not None
    assert match.ended.winner is not None


def test_cards_that_go_round_and_round_are_stopped() -> None:
    match = ring()
    held = list(match.core.held)
    while not match.core.closed:
        assert match.core.turns < STANDSTILL * 2
        assert match.core.deck_size + match.core.stack_size <= HARDLY_ANY
        go_on(match)
    # What was played last is not drawn again.
    assert sum(match.core.held) == sum(held) - 1
    while match.core.closed and match.ended is None:
        before = sum(match.core.held)
        go_on(match)
        assert sum(match.core.held) <= before
    assert sum(match.core.held) < sum(held) - 1


def test_cards_in_the_stack_are_there_to_be_drawn_as_well_as_those_in_the_deck() -> None:
    match = position("blue 8, blue 1", "blue 9, blue 4", top="blue 7", deck="red 6, red 8")
    for _ in range(2):
        match.apply(match.core.turn, Play(0), RNG, 0)
        assert match.core.stalled == 0


def test_with_the_deck_closed_nobody_is_made_to_draw_and_to_draw_is_to_pass() -> None:
    match = position(
        "red pick 2, wild, blue 8", "blue 1, green 1", top="red 5", buried="red 6, red 7"
    )
    match.core.closed = True
    events = match.apply(0, Play(0), RNG, 0)
    assert kinds(events) == ["Played", "Prompted"]
    events = match.apply(1, Draw(), RNG, 0)
    assert kinds(events) == ["Passed", "Prompted"]
    assert events[0] == Passed(1, "nothing-to-draw")
    assert hand(match, 1) == ["blue 1", "green 1"]
    assert match.core.stack_size == 4


def test_once_everybody_has_passed_in_turn_the_deck_is_open_again() -> None:
    match = position("blue 1, red 8", "blue 2, blue 4", "blue 3", top="red 5", buried="red 6")
    match.core.closed = True
    for seat in (0, 1):
        match.apply(seat, Draw(), RNG, 0)
    match.core.turn = 0
    # Who plays has not passed: it takes another time round.
    match.apply(0, Play(1), RNG, 0)
    for seat in (1, 2, 0):
        assert match.core.closed
        match.apply(seat, Draw(), RNG, 0)
    assert not match.core.closed
    # Whatever comes is counted anew.
    assert (match.core.stalled, match.core.passes) == (0, 0)
    events = match.apply(1, Draw(), RNG, 0)
    assert kinds(events) == ["Reshuffled", "Drew", "Prompted"]


def test_what_was_to_be_drawn_before_can_still_be_drawn() -> None:
    match = position("blue 1", "blue 2", top="red 5", deck="red 6")
    match.core.closed = True
    assert kinds(match.apply(0, Draw(), RNG, 0)) == ["Drew", "Prompted"]


@given(st.integers(2, 7), SEEDS)
@settings(max_examples=10)
def test_players_who_only_draw_find_an_end(seats: int, seed: int) -> None:
    chance = FastRng(seed)
    match, _ = new_match(Settings(), seats, chance)
    while match.ended is None:
        match.apply(match.core.turn, Draw(), chance, 0)
    assert match.ended == Ended(None, "endless")
    # Games that a bot plays in its head have no more of a match than this.
    assert match.core.over
    outcome = match.outcome()
    assert outcome is not None
    assert outcome.winners == ()
    # All the cards were drawn in the first turn; a standstill, and once round to see that it is.
    assert match.core.turns == (STANDSTILL + 1) * seats


def test_a_match_has_an_end_even_if_nobody_wants_it() -> None:
    """Each draws one card and plays it: with enough of a stack that is no standstill."""
    match = position(
        "blue 1, blue 2", "blue 3, blue 4", top="red 5", deck="red 6, red 7, red 8, red 9, red 1"
    )
    while match.ended is None:
        seat = match.core.turn
        if match.core.draws == 0:
            match.apply(seat, Draw(), RNG, 0)
        else:
            match.apply(seat, Play(2), RNG, 0)
    assert match.core.turns == MOST_ROUNDS * 2


# Editions


def test_by_the_first_edition_a_standstill_is_given_up() -> None:
    match = ring(FIRST_EDITION)
    while match.ended is None:
        assert not match.core.closed
        go_on(match)
    assert match.ended == Ended(None, "endless")
    assert match.core.turns == 30 * 2


@pytest.mark.parametrize("edition", [FIRST_EDITION, EDITION])
def test_a_table_goes_on_by_the_rules_it_was_opened_with(edition: int) -> None:
    opening = do.Open("an-id", "123456", "onu", "ab" * 32, {}, opener="ann")
    if edition != FIRST_EDITION:
        # In the first there was no word for it.
        opening.edition = edition
    kept = do.decode(do.encode(opening))
    assert isinstance(kept, do.Open)
    table = Table(GAME, kept, 0)
    for user in ("ann", "ben"):
        table.receive(do.Join(user, user), 0)
    table.receive(do.Start(do.HOUSE), 0)
    assert isinstance(table.match, Onu)
    assert table.match.core.edition == edition
    assert table.match.copy().core.edition == edition


async def test_a_new_table_is_opened_with_the_newest(open_house: Opener) -> None:
    house = await open_house()
    visitor = await house.visitor()
    status, _ = await visitor.call("POST", "/api/tables", {"game": "onu"})
    assert status == 201
    (live,) = house.tables
    assert live.opening.edition == EDITION
