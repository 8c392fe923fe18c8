"""The computer player: what it keeps, what it infers, and that it beats the document's."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given, settings

from parlour.arena.duels import Duel, measure, run
from parlour.games.onu import cards as c
from parlour.games.onu.bot import OnuBot
from parlour.games.onu.moves import (
    ASKED_FOR,
    FORCED,
    Action,
    Dealt,
    Draw,
    Drew,
    Passed,
    Play,
    Prompted,
    Reshuffled,
    view,
)
from parlour.games.onu.picture import Picture
from parlour.games.onu.settings import Settings
from parlour.rng import FastRng
from tests.onu.tools import SEATS, SEEDS, SETTINGS, card, cards, new_match

BLUE, RED, YELLOW, GREEN = range(4)


def bot_at(hand: str, top: str, others: tuple[int, ...] = (7,), deck: int = 60) -> OnuBot:
    """A bot at seat 0 that holds `hand` and is about to play on `top`."""
    bot = OnuBot(Picture(0), FastRng(1))
    hands = [cards(hand), *([c.HIDDEN] * held for held in others)]
    options = Settings(deck="classic")
    bot.show(Dealt(["x"] * len(hands), hands, card(top), [c.HIDDEN] * deck, options))
    bot.show(Prompted(0, c.NONE, True, 60_000))
    return bot


def choice(bot: OnuBot) -> Action:
    picture = bot.picture
    top = c.symbol_of(picture.stack[-1])
    legal: list[Action] = []
    for index, held in enumerate(picture.hand):
        if c.colour_of(held) == c.SPECIAL:
            legal += [Play(index, colour) for colour in range(4)]
        elif c.colour_of(held) == picture.colour or c.symbol_of(held) == top:
            legal.append(Play(index))
    plan = bot.plan([*legal, Draw()], 100)
    assert plan is not None
    assert plan.at > 100
    return plan.action


def test_it_keeps_its_wilds_while_something_else_fits() -> None:
    assert choice(bot_at("wild, red 3, wild, green 1", "red 5")) == Play(1)
    assert choice(bot_at("wild pick 4, red 3, green 1", "red 5", (7, 7, 7))) == Play(1)


def test_it_plays_a_wild_before_it_draws_and_names_a_colour_it_holds() -> None:
    assert choice(bot_at("wild, green 3, green 4", "red 5")) == Play(0, GREEN)


def test_it_draws_when_nothing_fits() -> None:
    assert choice(bot_at("blue 3, green 4", "red 5")) == Draw()


def test_with_its_last_card_it_goes_out() -> None:
    for last in ("wild", "wild pick 4", "red 2", "red pick 2"):
        action = choice(bot_at(last, "red 5", deck=0))
        assert isinstance(action, Play)
        assert action.index == 0


def test_it_stops_a_next_player_who_is_about_to_win() -> None:
    hand = "red 3, red pick 2, red 4, red 6"
    assert choice(bot_at(hand, "red 5", (1, 7, 7))) == Play(1)
    hand = "red 3, red skip, red 4, red 6"
    assert choice(bot_at(hand, "red 5", (1, 7, 7))) == Play(1)


def test_it_turns_away_from_a_next_player_who_is_about_to_win() -> None:
    """Reversed, the last seat comes after it."""
    hand = "red 3, red reverse, red 4, red 6"
    assert choice(bot_at(hand, "red 5", (1, 7, 7))) == Play(1)
    assert choice(bot_at(hand, "red 5", (7, 7, 1))) != Play(1)


def test_it_leaves_the_colour_that_the_next_player_could_not_follow() -> None:
    """Who drew on red without being made to holds no red; forced draws say nothing."""
    both = [Play(0, RED), Play(0, GREEN)], [Play(0, GREEN), Play(0, RED)]
    for legal in both:
        bot = bot_at("wild, green 5, red 5", "red 9", (3,))
        bot.show(Drew(1, [c.HIDDEN], ASKED_FOR))
        assert bot.choose(legal) == Play(0, RED)
        bot = bot_at("wild, green 5, red 5", "green 9", (3,))
        bot.show(Drew(1, [c.HIDDEN], ASKED_FOR))
        assert bot.choose(legal) == Play(0, GREEN)
        # As many of red as of green are seen: only the draw tells them apart.
        bot = bot_at("wild, green 5, red 5, red 6", "green 9", (3,))
        bot.show(Drew(1, [c.HIDDEN], FORCED))
        forced = bot.choose(legal)
        bot = bot_at("wild, green 5, red 5, red 6", "green 9", (3,))
        bot.show(Drew(1, [c.HIDDEN], ASKED_FOR))
        assert (forced, bot.choose(legal)) == (legal[0], Play(0, GREEN))


def test_what_it_infers_fades_with_the_cards_they_draw() -> None:
    bot = bot_at("green 5, red 5, wild", "green 9", (3,))
    bot.show(Drew(1, [c.HIDDEN], ASKED_FOR))
    assert bot.maybe[1] == [4, 4, 4, 1, 1]
    bot.show(Drew(1, [c.HIDDEN] * 2, FORCED))
    assert bot.maybe[1] == [6, 6, 6, 3, 3]


def test_in_a_standstill_it_passes_rather_than_let_a_wild_go_round() -> None:
    bot = bot_at("wild pick 4, green 3, green 4", "red 5", (20,), deck=1)
    assert isinstance(choice(bot), Play)
    bot = bot_at("wild pick 4, green 3, green 4", "red 5", (20,), deck=0)
    bot.show(Reshuffled([]))
    assert choice(bot) == Draw()
    # All the others have passed: if it did, too, nobody would ever play.
    bot.show(Passed(1, "nothing-to-draw"))
    assert isinstance(choice(bot), Play)
    bot = bot_at("wild pick 4, red 3, green 4", "red 5", (20,), deck=0)
    assert choice(bot) == Play(1)


@given(SETTINGS, SEATS, SEEDS)
@settings(max_examples=25)
def test_its_choices_are_legal_and_its_games_end(options: Settings, seats: int, seed: int) -> None:
    chance = FastRng(seed)
    match, events = new_match(options, seats, chance)
    bots = [OnuBot(Picture(seat), FastRng(seat)) for seat in range(seats)]
    while match.ended is None:
        for event in events:
            for seat, bot in enumerate(bots):
                bot.show(view(event, seat))
        turn = match.core.turn
        assert bots[turn].plan([], 0) is None
        legal = match.legal(turn)
        plan = bots[turn].plan(legal, 0)
        assert plan is not None
        assert plan.action in legal
        events = match.apply(turn, plan.action, chance, 0)


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 4])
def test_it_beats_the_documents_bot(seats: int) -> None:
    """Few games for a quick answer: four standard deviations above fair, and always the same."""
    games = 240
    tally = measure(Duel("onu", seats), range(games))
    fair = 1 / seats
    assert tally.won / games > fair + 4 * sqrt(fair * (1 - fair) / games)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seats", [2, 4])
def test_over_ten_thousand_games_it_is_far_above_fair(seats: int) -> None:
    (tally,) = run([Duel("onu", seats)], 10_000)
    assert tally.interval[0] > 1 / seats + 0.05
