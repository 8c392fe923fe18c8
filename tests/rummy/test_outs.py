"""The bot's arithmetic, against what anybody can work out by trying everything."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.games.rummy.melds import Card, arrange, meld_rules, melds_in, room_on, value_of
from parlour.games.rummy.outs import laid_off, plan_hand
from parlour.games.rummy.settings import Settings
from tests.rummy import ANY_SETTINGS, cards

FACES = st.sampled_from([*range(7), *range(13, 20), 26, 27, 28, 39, 40, 41, 52])
HANDS = st.lists(FACES, min_size=1, max_size=8)


def hand_of(faces: list[int]) -> list[Card]:
    return [Card(f"card{number}", face) for number, face in enumerate(faces)]


@settings(max_examples=150, deadline=None)
@given(HANDS, ANY_SETTINGS, st.booleans(), st.data())
def test_no_other_choice_of_melds_leaves_less_over(
    faces: list[int], options: Settings, keep_one: bool, data: st.DataObject
) -> None:
    rules = meld_rules(options)
    hand = hand_of(faces)
    layable = data.draw(st.sets(st.sampled_from([card.id for card in hand])))
    plan = plan_hand(hand, layable, keep_one, rules)
    melded = [card.id for meld in plan.melds for card in meld]
    assert len(set(melded)) == len(melded) <= len(hand) - keep_one
    assert all(arrange(meld, rules) is not None for meld in plan.melds)
    assert plan.deadwood == [
        card for card in hand if card.id not in layable and card.id not in melded
    ]

    def weight(over: list[Card]) -> tuple[int, int]:
        return len(over), sum(value_of(card.face, rules) for card in over)

    found = melds_in(hand, rules)
    for count in (0, 1, 2):
        for chosen in combinations(found, count):
            down = [card.id for meld in chosen for card in meld]
            if len(set(down)) < len(down) or len(down) > len(hand) - keep_one:
                continue
            over = [card for card in hand if card.id not in layable and card.id not in down]
            assert weight(plan.deadwood) <= weight(over)


@settings(max_examples=150, deadline=None)
@given(HANDS, ANY_SETTINGS)
def test_what_is_laid_off_can_be_laid_one_card_after_the_other(
    faces: list[int], options: Settings
) -> None:
    rules = meld_rules(options)
    hand = hand_of(faces)
    table = [meld for meld in (cards("3H 4H 5H"), cards("2C 2D 2S")) if arrange(meld, rules)]
    fitting = laid_off(hand, table, [room_on(meld, rules) for meld in table], rules)
    grown = [meld[:] for meld in table]
    left = [card for card in hand if card.id in fitting]
    while left:
        at, card, meld = next(
            (at, card, meld)
            for card in left
            for at, before in enumerate(grown)
            if (meld := arrange([*before, card], rules)) is not None
        )
        grown[at] = meld
        left.remove(card)
    if not fitting:
        assert not any(arrange([*meld, card], rules) for meld in table for card in hand)


def test_without_melds_on_the_table_nothing_is_laid_off() -> None:
    assert laid_off(cards("5H 6H"), [], [], meld_rules(Settings())) == set()


def test_a_card_that_fits_only_after_another_is_laid_off_too() -> None:
    rules = meld_rules(Settings())
    table = [cards("5H 6H 7H")]
    hand = cards("3H 4H 9H KC")
    assert laid_off(hand, table, [room_on(meld, rules) for meld in table], rules) == {"3H", "4H"}
    assert table == [cards("5H 6H 7H")]
