"""The bare core: what it calls legal, and how it waits for chance."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from librt.vecs import vec
from mypy_extensions import i64

from bench.onu_playout import RandomGames
from parlour.games.onu.cards import SPECIAL, colour_of
from parlour.games.onu.core import DRAW, ROOM, Core, play_of
from tests.onu.tools import SEATS, SEEDS, position


@given(SEATS, st.booleans(), SEEDS, st.integers(0, 60))
@settings(max_examples=40)
def test_what_is_legal_is_what_fits_and_drawing(
    seats: int, classic: bool, seed: int, steps: int
) -> None:
    games = RandomGames(seats, classic, 0, seed)
    game = games.game
    games.deal()
    for _ in range(steps):
        if not game.over:
            games.do(games.choose())
    if game.over:
        return
    count = game.legal()
    listed = [int(game.choices[at]) for at in range(count)]
    assert listed[-1] == DRAW
    assert len(set(listed)) == len(listed)
    assert game.plays() == count - 1
    # Listed is each wild with every colour, and every other card with its own.
    expected = {
        play_of(index, colour)
        for index in range(game.held[game.turn])
        if game.fits(card := game.card(game.turn, index))
        for colour in range(4)
        if colour_of(card) in (SPECIAL, colour)
    }
    assert set(listed[:-1]) == expected


@given(SEATS, SEEDS, st.integers(0, 400))
@settings(max_examples=30)
def test_a_deal_leaves_nothing_of_the_game_before(seats: int, seed: int, steps: int) -> None:
    games = RandomGames(seats, False, 0, seed)
    games.deal()
    for _ in range(steps):
        if not games.game.over:
            games.do(games.choose())
    games.deal()
    used = games.game
    fresh = Core(seats, 0)
    dealt = {card for seat in range(seats) for card in used.hands[seat * ROOM : seat * ROOM + 7]}
    assert len(dealt) == 7 * seats
    # The deck was dealt from its end: what is left of it, and then the hands, last seat first.
    order = list(used.deck[: used.deck_size])
    order += [used.card(seat, at) for at in reversed(range(7)) for seat in reversed(range(seats))]
    fresh.deal(used.top(), vec[i64](order))
    assert numbers(used) == numbers(fresh)
    assert not used.over
    games.do(games.choose())
    assert used.happened > 0


def numbers(game: Core) -> dict[str, object]:
    return {name: value for name, value in vars(game).items() if not isinstance(value, vec)}


@given(SEATS, st.sampled_from([1, -1]))
def test_turns_go_round_the_table_in_either_direction(seats: int, direction: int) -> None:
    game = Core(seats, 0)
    game.direction = direction
    asked = []
    for _ in range(seats + 1):
        asked.append(int(game.turn))
        game.turn = game.next_seat()
    assert asked == [direction * turn % seats for turn in range(seats + 1)]


def test_a_step_waits_for_the_shuffle_and_then_goes_on() -> None:
    game = position("blue 1", "red 2", top="red 5", buried="blue 2, blue 3").core
    game.step(DRAW)
    assert game.waits_for_shuffle()
    assert game.happened == 0
    game.reshuffle(game.stack[:2])
    assert not game.waits_for_shuffle()
    assert (game.deck_size, game.stack_size, game.held[0]) == (1, 1, 2)


@given(SEATS, SEEDS)
@settings(max_examples=20)
def test_the_same_seed_plays_the_same_games(seats: int, seed: int) -> None:
    one, other = (RandomGames(seats, False, 0, seed) for _ in range(2))
    assert one.play(2) == other.play(2)
    assert one.chance.state == other.chance.state
    assert one.game.winner == other.game.winner
    # Another deal is another game.
    one.deal()
    assert list(one.game.deck) != list(other.game.deck)
