"""How a round ends: the deck runs out, somebody goes out, hands are counted."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings

from parlour.games.rummy.moves import (
    TO_DISCARDS,
    TO_MELD,
    Action,
    Discard,
    Draw,
    Ended,
    Event,
    Lay,
    Meld,
    Moved,
    Redecked,
)
from parlour.games.rummy.rules import deal
from parlour.games.rummy.settings import Settings
from parlour.kit import Outcome, Setup
from parlour.rng import FastRng
from tests.rummy import ANY_SETTINGS, SEATS, SEEDS, position, texts
from tests.rummy.rounds import RNG, play, refused, shape

# The deck runs out


def test_flipped_discards_become_the_deck_with_the_oldest_on_top() -> None:
    match = position(["2H 9C", "3D 4S"], deck="", discards="5H 6C 7D", drawn=True)
    told = match.apply(0, Discard("9C"), RNG, 0)
    assert shape(told) == ["to-discard", "redecked", "to-discard", "turn-1-draw"]
    redecked = told[1]
    assert isinstance(redecked, Redecked)
    assert redecked.new_card_ids == [card.id for card in [*match.deck, *match.discards]]
    assert all(len(card) == 32 for card in redecked.new_card_ids)
    assert texts(match.deck) == "9C 7D 6C"
    assert texts(match.discards) == "5H"


def test_shuffled_discards_become_the_deck_in_an_order_of_chance() -> None:
    options = Settings(deck_exhaust="shuffle_discard")
    pile = "5H 6C 7D 8S TH JC QD"
    orders: set[str] = set()
    for seed in range(12):
        match = position(["2H 9C", "3D 4S"], discards=pile, settings=options, drawn=True)
        match.apply(0, Discard("9C"), FastRng(seed), 0)
        assert sorted(texts([*match.deck, *match.discards]).split()) == sorted(
            [*pile.split(), "9C"]
        )
        assert len(match.discards) == 1
        orders.add(texts(match.deck))
    assert len(orders) > 6


def test_the_round_can_end_with_the_deck() -> None:
    options = Settings(deck_exhaust="end_round")
    match = position(["2H 9C", "3D KS"], discards="5H 6C", settings=options, drawn=True)
    assert match.apply(0, Discard("9C"), RNG, 0) == [
        Moved([match.discards[-1]], TO_DISCARDS),
        Ended(None, {0: 2, 1: 13}, "deck-exhausted"),
    ]
    assert refused(match, Draw("9C"), seat=1) == "round-over"


def test_with_one_discard_and_no_deck_the_next_player_must_take_it() -> None:
    match = position(["2H 9C 4D", "3D 4S KH"], discards="", drawn=True)
    assert shape(match.apply(0, Discard("9C"), RNG, 0)) == ["to-discard", "turn-1-draw"]
    assert match.legal(1) == [Draw("9C")]
    match.apply(1, Draw("9C"), RNG, 0)
    assert shape(match.apply(1, Discard("KH"), RNG, 0)) == ["to-discard", "turn-0-draw"]


def test_with_nothing_to_draw_nobody_can_move_and_the_round_ends() -> None:
    match = position(["2H 9C", "3D 4S", "5C KH"], discards="7S")
    match.apply(0, Draw("7S"), RNG, 0)
    assert match.gone(0, RNG, 0) == [Ended(None, {0: 18, 1: 7, 2: 15}, "standstill")]


def test_when_no_card_can_ever_be_laid_again_the_round_ends() -> None:
    options = Settings(limit_meld_size=3)
    match = position(
        ["2H 9C", "3D"],
        deck="5H TC",
        discards="6C",
        melds=["4H 4C 4S"],
        settings=options,
        drawn=True,
    )
    assert match.apply(0, Discard("9C"), RNG, 0)[-1] == Ended(None, {0: 2, 1: 3}, "standstill")


@pytest.mark.parametrize(
    ("hands", "end_discard", "over"),
    [
        (["2H 9C 4D 8S 9D", "3D KS 4S JH"], False, True),
        (["2H 9C 4D 8S 9D", "3D KS 4S JH JC"], False, False),
        (["2H 9C 4D 8S 9D", "3D KS 4S"], False, False),
        (["2H 9C 4D 8S 9D", "3D KS 4S JH JC"], True, True),
        (["2H 9C 4D 8S 9D", "3D KS 4S"], True, False),
    ],
)
def test_melds_of_three_that_never_come_out_even_end_with_the_deck(
    hands: list[str], end_discard: bool, over: bool
) -> None:
    options = Settings(limit_meld_size=3, require_end_discard=end_discard)
    match = position(hands, deck="", discards="5H 6C 7D", settings=options, drawn=True)
    match.apply(0, Discard("9C"), RNG, 0)
    assert (match.ended and match.ended.how) == ("standstill" if over else None)
    # Nor with any cards left in it, nor where a meld may grow.
    for left, limit in (("TD", 3), ("", 4), ("", None)):
        options = msgspec.structs.replace(options, limit_meld_size=limit)
        match = position(hands, deck=left, discards="5H 6C 7D", settings=options, drawn=True)
        match.apply(0, Discard("9C"), RNG, 0)
        assert match.ended is None


@settings(max_examples=40, deadline=None)
@given(ANY_SETTINGS, SEATS, SEEDS)
def test_whoever_could_never_go_out_never_does(options: Settings, seats: int, seed: int) -> None:
    """Seven or ten cards in threes leave one over; no order of play changes that."""
    options = msgspec.structs.replace(options, limit_meld_size=3, hand_size=0)
    for match, _ in play(options, seats, FastRng(seed), leaving=False):
        if match.ended is not None:
            assert match.ended.winner is None


@pytest.mark.parametrize("fits", ["AH", "5H"])
@pytest.mark.parametrize("where", ["nowhere", *range(6)])
@pytest.mark.parametrize("end_discard", [False, True])
def test_small_hands_play_on_while_a_card_fits_wherever_it_lies(
    end_discard: bool, where: int | str, fits: str
) -> None:
    """In the first hand or the last, at the bottom of the deck or of the pile."""
    options = Settings(require_end_discard=end_discard)
    places = ["2C", "3D", "4S", "6C", "7C", "8D"]
    if where != "nowhere":
        places[int(where)] = fits
    *cards, bottom, top, pile = places
    extra = ("JC", "QD", "KS") if end_discard else ("", "", "")
    hands = [f"{card} {more}" for card, more in zip(cards, extra, strict=True)]
    hands[0] += " 9C"
    match = position(
        hands, deck=f"{bottom} {top}", discards=pile, melds=["2H 3H 4H"],
        settings=options, drawn=True,
    )  # fmt: skip
    match.apply(0, Discard("9C"), RNG, 0)
    assert (match.ended and match.ended.how) == ("standstill" if where == "nowhere" else None)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("end_discard", "most"), [(False, 1), (True, 2)])
def test_a_hand_that_may_still_hold_a_meld_plays_on(
    seat: int, end_discard: bool, most: int
) -> None:
    """With the card drawn it makes three, and with one to discard four."""
    options = Settings(require_end_discard=end_discard)
    for held in (most, most + 1):
        sizes = [most, most]
        sizes[seat] = held
        cards = (["2C", "JC", "6D"], ["3D", "QD", "6C"])
        hands = [" ".join(hand[:size]) for hand, size in zip(cards, sizes, strict=True)]
        hands[0] += " 9C"
        match = position(
            hands, deck="6S 7S", discards="8D", melds=["2H 3H 4H"], settings=options, drawn=True
        )
        match.apply(0, Discard("9C"), RNG, 0)
        assert (match.ended is not None) == (held == most)


def test_a_round_in_which_nobody_ever_lays_a_card_ends() -> None:
    rng = FastRng(11)
    match, _ = deal(Setup(Settings(), ["a", "b"]), rng, 0)
    turns = 0
    redecks = 0
    while match.ended is None:
        seat = match.turn
        drawn = match.deck[-1].id
        match.apply(seat, Draw(drawn), rng, 0)
        redecks += "redecked" in shape(match.apply(seat, Discard(drawn), rng, 0))
        turns += 1
    assert match.ended.how == "standstill"
    # Not before the whole deck has gone by several times.
    assert redecks >= 4
    # As the protocol's page has it.
    assert turns == 100 + 2 * (52 - 20)


def test_a_card_laid_lets_everybody_s_patience_begin_anew() -> None:
    match = position(
        ["8H 2H 9C", "3D 4S KS"], deck="5C 6C 7C 8C QD JD", discards="TD", melds=["5H 6H 7H"]
    )
    match.patience = 3
    for turn in range(6):
        seat, drawn = match.turn, match.deck[-1].id
        match.apply(seat, Draw(drawn), RNG, 0)
        if turn == 2:
            match.apply(seat, Lay(["8H"], 0), RNG, 0)
        match.apply(seat, Discard(drawn), RNG, 0)
        # Two turns, the lay, and then three more.
        assert (match.ended is not None) == (turn == 5)


def test_passing_the_discard_back_and_forth_for_ever_ends_too() -> None:
    match = position(["2H 9C", "3D 4S"], deck="5H", discards="7C")
    match.patience = 50
    while match.ended is None:
        seat = match.turn
        match.apply(seat, Draw(match.discards[-1].id), RNG, 0)
        discards = [action for action in match.legal(seat) if isinstance(action, Discard)]
        match.apply(seat, discards[0], RNG, 0)
    assert match.ended.how == "standstill"


# Going out


@pytest.mark.parametrize(
    ("hand", "action", "told"),
    [
        ("9C 9D 9S", Meld(["9C", "9D", "9S"]), "to-meld"),
        ("8H", Lay(["8H"], 0), "to-meld"),
        ("8H 9H", Lay(["9H", "8H"], 0), "to-meld"),
        ("9C", Discard("9C"), "to-discard"),
    ],
)
def test_going_out_by_meld_lay_or_discard_ends_the_round_at_once(
    hand: str, action: Action, told: str
) -> None:
    out = position([hand, "3D KS"], deck="KD", discards="2C", melds=["5H 6H 7H"], drawn=True)
    out.laid[0] = True
    assert out.outcome() is None
    events = out.apply(0, action, RNG, 0)
    assert shape(events) == [told, "ended"]
    assert events[-1] == Ended(0, {1: 13}, "out")
    assert out.legal(0) == out.legal(1) == []
    assert out.outcome() == Outcome((0,), "out", {0: 13, 1: 0})


@pytest.mark.parametrize("keep", [False, True])
def test_what_may_leave_a_hand_is_listed_down_to_the_last_card(keep: bool) -> None:
    """With `require_end_discard` all but one; a card can still be laid while two are held."""
    options = Settings(require_end_discard=keep)

    def legal(hand: str) -> list[Action]:
        hands = [hand, "3D KS"]
        return position(
            hands, deck="KD", discards="2C", melds=["5H 6H 7H"], settings=options, drawn=True
        ).legal(0)

    nines = Meld(["9C", "9D", "9S"])
    rest: list[Action] = [Discard("9C"), Discard("9D"), Discard("9S")]
    assert legal("9C 9D 9S") == (rest if keep else [nines, *rest])
    assert legal("4C 9C 9D 9S") == [nines, Discard("4C"), *rest]
    assert legal("8H") == ([Discard("8H")] if keep else [Lay(["8H"], 0), Discard("8H")])
    assert legal("8H 4C") == [Lay(["8H"], 0), Discard("8H"), Discard("4C")]


def test_going_out_with_the_last_card_of_the_deck_needs_no_redeck() -> None:
    match = position(["9C", "3D KS"], deck="", discards="2C 2D", drawn=True)
    assert shape(match.apply(0, Discard("9C"), RNG, 0)) == ["to-discard", "ended"]


def test_rummy_doubles_all_hands_and_only_the_losers_are_listed() -> None:
    match = position(["9C 9D 9S", "3D KS", "AH JD"], deck="KD", discards="2C", drawn=True)
    ended = match.apply(0, Meld(["9C", "9D", "9S"]), RNG, 0)[-1]
    assert ended == Ended(0, {1: 26, 2: 22}, "out")
    outcome = match.outcome()
    assert outcome is not None
    assert outcome.scores == {0: 48, 1: 0, 2: 0}


def test_laying_in_the_winning_turn_still_is_rummy() -> None:
    match = position(["9C 9D 9S 4C", "3D KS"], deck="KD", discards="2C", drawn=True)
    match.apply(0, Meld(["9C", "9D", "9S"]), RNG, 0)
    assert match.apply(0, Discard("4C"), RNG, 0)[-1] == Ended(0, {1: 26}, "out")


@pytest.mark.parametrize("first", [Meld(["9C", "9D", "9S"]), Lay(["8H"], 0)])
def test_whoever_laid_a_card_in_an_earlier_turn_does_not_double(first: Action) -> None:
    match = position(
        ["9C 9D 9S 8H 4C 4D", "3D KS"], deck="KH QH", discards="2C", melds=["5H 6H 7H"], drawn=True
    )
    match.apply(0, first, RNG, 0)
    match.apply(0, Discard("4C"), RNG, 0)
    match.apply(1, Draw("QH"), RNG, 0)
    match.apply(1, Discard("QH"), RNG, 0)
    match.apply(0, Draw("KH"), RNG, 0)
    rest = [card.id for card in match.hands[0]]
    if "8H" in rest:
        match.apply(0, Lay(["8H"], 0), RNG, 0)
    else:
        match.apply(0, Meld(["9C", "9D", "9S"]), RNG, 0)
    match.hands[0] = [card for card in match.hands[0] if card.id == "KH"]
    assert match.apply(0, Discard("KH"), RNG, 0)[-1] == Ended(0, {1: 13}, "out")


def test_when_nobody_wins_everybody_is_listed_and_nothing_doubled() -> None:
    options = Settings(deck_exhaust="end_round", ace_rank="high", enable_jokers=True)
    match = position(["AH 9C", "W1 KS"], discards="5H", settings=options, drawn=True)
    assert match.apply(0, Discard("9C"), RNG, 0)[-1] == Ended(
        None, {0: 11, 1: 25}, "deck-exhausted"
    )


def test_with_require_end_discard_one_card_must_stay_to_be_discarded() -> None:
    options = Settings(require_end_discard=True)
    match = position(
        ["9C 9D 9S", "3D KS"], deck="KD", discards="2C", melds=["9H TH JH"],
        settings=options, drawn=True,
    )  # fmt: skip
    assert refused(match, Meld(["9C", "9D", "9S"])) == "keep-a-card"
    assert all(isinstance(action, Discard) for action in match.legal(0))
    match = position(
        ["8H", "3D KS"], deck="KD", discards="2C", melds=["9H TH JH"], settings=options, drawn=True
    )
    assert refused(match, Lay(["8H"], 0)) == "keep-a-card"
    assert match.legal(0) == [Discard("8H")]
    assert shape(match.apply(0, Discard("8H"), RNG, 0)) == ["to-discard", "ended"]


def test_losers_lay_off_what_fits_before_hands_are_counted() -> None:
    options = Settings(lay_at_end=True, enable_jokers=True)
    match = position(
        ["4C", "8H TH 9S W1", "9H 4S", "JH JS"], deck="KD", discards="2C",
        melds=["5H 6H 7H", "4H 4C' 4D"], settings=options, drawn=True,
    )  # fmt: skip
    match.laid[0] = True
    match.active[3] = False
    told = match.apply(0, Discard("4C"), RNG, 0)
    # Seat 1 lays the eight, the joker as a nine, the ten. Seat 2 lays the nine, which takes
    # the joker's place, and the four. Seat 3 is away and lays nothing.
    assert shape(told) == ["to-discard", *["to-meld"] * 5, "ended"]
    assert texts(match.melds[0]) == "5H 6H 7H 8H 9H TH W1"
    assert texts(match.melds[1]) == "4H 4C 4D 4S"
    assert told[-1] == Ended(0, {1: 9, 2: 0, 3: 20}, "out")


def test_losers_lay_off_round_and_round_until_nothing_fits() -> None:
    options = Settings(lay_at_end=True)
    match = position(
        ["4C", "5H 3H KS", "6H 4H KD"], deck="QD", discards="2C", melds=["7H 8H 9H"],
        settings=options, drawn=True,
    )  # fmt: skip
    match.laid[0] = True
    told = match.apply(0, Discard("4C"), RNG, 0)
    # Seat 1's five fits once seat 2 has laid the six, and its three once the four lies there.
    assert texts(match.melds[0]) == "3H 4H 5H 6H 7H 8H 9H"
    assert told[-1] == Ended(0, {1: 10, 2: 10}, "out")


def laid_off(events: list[Event]) -> list[str]:
    """Which cards were laid at the end, one by one."""
    melded = [e for e in events if isinstance(e, Moved) and e.destination == TO_MELD]
    return [card.id for event in melded for card in event.cards if len(event.cards) == 1]


@pytest.mark.parametrize(
    ("hand", "order"),
    [
        # The dearest first, a joker after every card it could stand in for, equals in order.
        ("8H KS W1", ["KS", "8H", "W1"]),
        ("AC W1", ["AC", "W1"]),
        ("AC W2", ["AC", "W2"]),
        ("8H 8S", ["8H", "8S"]),
    ],
)
def test_a_loser_lays_off_the_dearest_card_first_and_jokers_last(
    hand: str, order: list[str]
) -> None:
    options = Settings(lay_at_end=True, enable_jokers=True)
    match = position(
        ["4C", hand], deck="3D", discards="2C",
        melds=["5H 6H 7H", "5S 6S 7S", "KH KC KD", "2C 3C 4C'"], settings=options, drawn=True,
    )  # fmt: skip
    # However the hand lies: what counts is the value.
    match.hands[1].sort(key=lambda card: card.face < 52)
    assert laid_off(match.apply(0, Discard("4C"), RNG, 0)) == order


def test_whoever_ended_the_round_lays_off_last() -> None:
    """Three players hold the eight that one meld takes; the next to play is the first to lay."""
    options = Settings(lay_at_end=True, deck_exhaust="end_round", deck_count=2)
    hands = ["4C 8H", "8H' 3C", "8H'' 3D"]
    match = position(hands, discards="2C", melds=["5H 6H 7H"], settings=options, drawn=True)
    events = match.apply(0, Discard("4C"), RNG, 0)
    assert laid_off(events) == ["8H'"]
    assert events[-1] == Ended(None, {0: 8, 1: 3, 2: 11}, "deck-exhausted")
    assert match.outcome() == Outcome((), "deck-exhausted", {0: 0, 1: 0, 2: 0})


@settings(max_examples=80, deadline=None)
@given(ANY_SETTINGS, SEATS, SEEDS)
def test_after_lay_at_end_no_loser_who_is_there_holds_a_card_that_fits(
    options: Settings, seats: int, seed: int
) -> None:
    options = msgspec.structs.replace(options, lay_at_end=True)
    *_, (match, _) = play(options, seats, FastRng(seed), leaving=True)
    assert match.ended is not None
    if match.ended.how == "abandoned":
        return
    for seat, hand in enumerate(match.hands):
        if match.active[seat]:
            assert not any(room >> card.face & 1 for room in match.room for card in hand)


def test_without_lay_at_end_losers_are_counted_as_they_are() -> None:
    match = position(["4C", "8H TH"], deck="KD", discards="2C", melds=["5H 6H 7H"], drawn=True)
    match.laid[0] = True
    assert match.apply(0, Discard("4C"), RNG, 0)[-1] == Ended(0, {1: 18}, "out")
