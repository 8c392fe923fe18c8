"""The melds and lays among the choices are all there are, and none is told twice."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.cards import deck
from parlour.choices import Choices, Some, admits, listed
from parlour.games.rummy.choices import MOST_LISTED
from parlour.games.rummy.melds import Card, arrange, melds_in
from parlour.games.rummy.moves import ACTIONS, Action, Discard, Draw, Lay, Meld
from parlour.games.rummy.rules import Rummy
from parlour.games.rummy.settings import Settings
from parlour.rng import FastRng
from tests.rummy import ANY_SETTINGS, SEEDS, position


def laid(choices: Choices) -> list[tuple[int, list[str]]]:
    """The melds (-1) and lays (on which meld) among these choices."""
    actions: list[Action] = listed(choices, ACTIONS)
    found = []
    for action in actions:
        if isinstance(action, Meld | Lay):
            number = action.meld_number if isinstance(action, Lay) else -1
            found.append((number, sorted(action.card_ids)))
    return sorted(found)


def tried(match: Rummy) -> list[tuple[int, list[str]]]:
    """What comes of trying every list of cards on everything."""
    hand = match.hands[0]
    free = len(hand) - match.end_discard
    return sorted(
        (number, sorted(card.id for card in cards))
        for number, lying in enumerate([[], *match.melds], -1)
        for count in range(1, free + 1)
        for cards in combinations(hand, count)
        if arrange([*lying, *cards], match.rules) is not None
    )


@given(ANY_SETTINGS, SEEDS, st.integers(1, 9))
def test_every_meld_and_lay_is_among_the_choices(options: Settings, seed: int, held: int) -> None:
    rng = FastRng(seed)
    faces = deck(2 if options.enable_jokers else 0) * options.deck_count
    rng.shuffle(faces)
    match = position([""], settings=options, drawn=True)
    cards = [Card(f"c{number}", face) for number, face in enumerate(faces)]
    match.hands[0], rest = cards[:held], cards[held : held + 12]
    match.melds = [arrange(meld, match.rules) or [] for meld in melds_in(rest, match.rules)[:1]]
    match.room = [0] * len(match.melds)
    choices = match.choices(0)
    lists = [each.fields["card_ids"] for each in choices if "card_ids" in each.fields]
    if all(isinstance(each, Some) and each.whole for each in lists):
        assert laid(choices) == tried(match)


def test_a_hand_with_very_many_melds_lists_some_and_lets_others_be_tried() -> None:
    many = Settings(
        deck_count=4, enable_jokers=True, allow_run_mixed_suit=True, allow_set_duplicate_suit=True
    )
    hand = "5H 5H' 5S 5S' 6H 6S 7H 7S 8H 8S W1 W2 W1'"
    match = position([hand, ""], settings=many, drawn=True, melds=["9H TH JH", "2C 2D 2S"])
    choices = match.choices(0)
    assert len(laid(choices)) == MOST_LISTED
    assert admits(choices, Meld(["5H", "5H'", "5S", "5S'", "W1", "W2", "W1'"]))
    assert admits(choices, Lay(["7H", "8S"], 0))


@pytest.mark.parametrize("keep", [False, True])
def test_a_card_is_kept_where_going_out_needs_a_discard(keep: bool) -> None:
    match = position(
        ["5H 6H 7H"], drawn=True, taken="7H", settings=Settings(require_end_discard=keep)
    )
    choices = match.choices(0)
    assert admits(choices, Meld(["7H", "6H", "5H"])) is not keep
    assert admits(choices, Discard("5H"))
    assert not admits(choices, Discard("7H"))


def test_who_is_to_draw_draws_and_the_others_wait() -> None:
    match = position(["5H 6H 7H", "2C"], deck="2S 3S", discards="4S")
    assert listed(match.choices(0), ACTIONS) == [Draw("3S"), Draw("4S")]
    assert list(match.choices(1)) == []
