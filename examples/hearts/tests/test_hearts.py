"""Hearts in the battery that every game must pass, and what only its own rules know."""

from __future__ import annotations

import pytest

from parlour.battery import Battery, Trial
from parlour.cards import CLUBS, Face, deck, face, faces
from parlour.kit import Illegal, Outcome, Seat, Setup
from parlour.rng import FastRng
from parlour.turns import Turn
from parlour_hearts import GAME
from parlour_hearts.rules import (
    Dealt,
    Direction,
    Event,
    Hearts,
    Pass,
    Passed,
    Passing,
    Play,
    Played,
    Scored,
    Taken,
    deal,
    points_of,
)
from parlour_hearts.settings import Settings

RNG = FastRng(1)


def _cards(match: Hearts) -> list[Face]:
    lying = [*match.hands, *match.taken, match.trick]
    return [card for cards in lying for card in cards]


def _knows(match: Hearts, seat: Seat | None) -> list[Face]:
    seen = [*match.trick, *(card for cards in match.taken for card in cards)]
    if seat is None:
        return seen
    return [*seen, *match.hands[seat], *match.chosen.get(seat, ())]


def _reveals(event: Event) -> list[Face]:
    """The last card of a deal is shuffled again at once."""
    return [event.card] if isinstance(event, Played) else []


def _follows(event: Event) -> Event | None:
    """The player with the lowest club leads; the rules choose cards for absent players."""
    return event if isinstance(event, Turn | Passed | Played) else None


class TestHearts(Battery):
    trial = Trial(
        game=GAME, cards=_cards, knows=_knows, reveals=_reveals, follows=_follows, bot_games=8
    )


def in_play(*hands: str, settings: Settings | None = None) -> Hearts:
    """A match of these hands in which a trick has been played."""
    match = Hearts(settings or Settings(points=0), players=len(hands))
    match.hands = [faces(hand) for hand in hands]
    match.taken = [[face(CLUBS, 2)], *([] for _ in hands[1:])]
    return match


def played(match: Hearts, *text: str) -> list[Event]:
    events: list[Event] = []
    for card in text:
        events = match.apply(match.turn, Play(*faces(card)), RNG, 0)
    return events


def refusal(match: Hearts, card: str) -> str:
    with pytest.raises(Illegal) as refused:
        match.apply(match.turn, Play(*faces(card)), RNG, 0)
    return refused.value.code


def test_the_lowest_club_is_led_to_the_first_trick_which_takes_no_points() -> None:
    match, _ = deal(Setup(Settings(passing=False), ["a", "b", "c"]), RNG, 0)
    match.hands = [faces("3♣ 4♣"), faces("2♣ A♣"), faces("Q♠ 5♦")]
    match.turn = 1
    assert refusal(match, "A♣") == "lowest-club"
    played(match, "2♣")
    assert refusal(match, "Q♠") == "no-points-yet"
    played(match, "5♦")
    assert isinstance(played(match, "3♣")[1], Taken)
    assert match.turn == 0


def test_suit_must_be_followed_and_hearts_can_be_led_once_one_was_played() -> None:
    match = in_play("5♦ 6♥ 7♥", "9♦ 2♥ 3♥", "8♠ 9♠ 4♥")
    assert refusal(match, "6♥") == "not-broken"
    played(match, "5♦")
    assert refusal(match, "2♥") == "follow-suit"
    assert refusal(match, "5♦") == "no-such-card"
    assert played(match, "9♦", "4♥")[1:] == [Taken(1, 1), Turn(1)]
    played(match, "2♥")
    assert match.trick == faces("2♥")


def test_only_hearts_can_be_led_where_nothing_else_is_held() -> None:
    match = in_play("6♥", "9♦", "8♠")
    assert match.legal(0) == [Play(*faces("6♥"))]


def test_whoever_takes_all_the_points_has_shot_the_moon() -> None:
    rest = [card for card in deck() if points_of(card) and card not in faces("Q♠")]
    match = in_play("A♠", "2♠", "Q♠")
    match.taken[0] += rest
    assert played(match, "A♠", "2♠", "Q♠")[-1] == Scored([0, 26, 26], [0, 26, 26], moon=0)
    assert match.result == Outcome((0,), "played", {0: 0, 1: 26, 2: 26})


def test_a_game_goes_on_until_somebody_has_enough_and_the_fewest_win() -> None:
    match = in_play("A♠", "2♠", "Q♠", settings=Settings(points=50, passing=False))
    match.totals = [36, 30, 30]
    events = played(match, "A♠", "2♠", "Q♠")
    assert events[2] == Scored([13, 0, 0], [49, 30, 30], moon=None)
    assert isinstance(events[3], Dealt)
    match.hands, match.taken = [faces("A♠"), faces("2♠"), faces("3♥")], [[0], [], []]
    match.turn = 0
    played(match, "A♠", "2♠", "3♥")
    assert match.result is not None
    assert match.result.winners == (1, 2)


@pytest.mark.parametrize(
    ("deals", "direction", "to"), [(0, "left", 1), (1, "right", 3), (2, "across", 2)]
)
def test_cards_are_passed_left_then_right_then_across(
    deals: int, direction: Direction, to: int
) -> None:
    match = Hearts(Settings(), 4)
    match.deals = deals
    assert match.deal(RNG)[-1] == Passing(direction)
    given = [hand[:3] for hand in match.hands]
    with pytest.raises(Illegal, match="First everybody passes"):
        match.apply(0, Play(match.hands[0][0]), RNG, 0)
    for seat in range(4):
        events = match.apply(seat, Pass(given[seat]), RNG, 0)
    assert events[1] == Passed(0, to, given[0])
    assert set(given[0]) <= set(match.hands[to])
    assert [len(hand) for hand in match.hands] == [13] * 4
    assert isinstance(events[-1], Turn)


def test_the_fourth_deal_is_played_without_passing() -> None:
    match = Hearts(Settings(), 4)
    match.deals = 3
    assert isinstance(match.deal(RNG)[-1], Turn)


def test_for_those_who_are_away_the_rules_pass_and_play() -> None:
    match, _ = deal(Setup(Settings(points=0), ["a", "b", "c"]), RNG, 0)
    match.gone(1, RNG, 0)
    match.gone(2, RNG, 0)
    while match.outcome() is None:
        action = match.legal(0)[0]
        match.apply(0, action, RNG, 0)
    assert sum(match.totals) in (26, 52)
