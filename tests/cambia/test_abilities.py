"""Abilities in every field: what may be chosen, what everybody is told, how a refusal reads."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.cards import deck
from parlour.games.cambia.actions import (
    CallCambia,
    DiscardDrawn,
    DrawDiscard,
    DrawStockpile,
    Replace,
    Snap,
    Special,
)
from parlour.games.cambia.events import (
    NO_OWNER,
    CardAt,
    Discarded,
    KingLooked,
    Peeked,
    SpecialChoice,
    SpecialRefused,
    SpecialSkipped,
    Swapped,
    TurnBegan,
)
from parlour.games.cambia.layout import Layout
from parlour.games.cambia.specials import fires
from tests.cambia.tools import Table, face_of, fingerprint, kinds, only, refused, seated

HANDS = ("AH 2H 3H 4H", "AS 2S 3S 4S", "AD 2D 3D 4D")
TURN = 15_000
LOCKED = "The hand of whoever called Cambia is locked. Choose other cards, or skip."


def at(table: Table, seat: int, idx: int, face: str = "") -> CardAt:
    """The card at a place as an event tells it, face up where `face` is given."""
    return CardAt(table.card(seat, idx), seat, idx, face_of(face) if face else -1)


def choosing(card: str, called: bool = False) -> Table:
    """Seat 1 has discarded `card` in the game's second turn; perhaps seat 0 has called Cambia."""
    table = seated(*HANDS, top="5C", stockpile=card if called else f"6C {card}")
    if called:
        table.do(0, CallCambia())
    else:
        table.do(0, DrawStockpile())
        table.do(0, DiscardDrawn(table.drawn))
    table.do(1, DrawStockpile())
    table.wait(1_000)
    table.do(1, DiscardDrawn(table.drawn))
    return table


def deciding() -> tuple[Table, str, str]:
    """Seat 1 has looked at seat 2's first card and at its own last with a King."""
    table = choosing("KC")
    one, other = table.card(2, 0), table.card(1, 3)
    table.do(1, Special("swap_peek", one, other))
    table.wait(1_000)
    return table, one, other


# What may be chosen


@pytest.mark.parametrize("called", [False, True])
@pytest.mark.parametrize(
    ("card", "special", "seats"),
    [
        ("7C", "peek_self", [1]),
        ("9C", "peek_other", [0, 2]),
        ("JC", "swap_blind", [0, 1, 2]),
        ("KC", "swap_peek", [0, 1, 2]),
    ],
)
def test_every_use_of_an_ability_is_listed_once(
    card: str, special: str, seats: list[int], called: bool
) -> None:
    """A locked hand may be looked into; its cards stay where they are."""
    table = choosing(card, called)
    if called and special == "swap_blind":
        seats = seats[1:]
    cards = [table.card(seat, idx) for seat in seats for idx in range(4)]
    if special.startswith("peek"):
        uses = [Special(special, one) for one in cards]
    else:
        uses = [Special(special, one, other) for one, other in combinations(cards, 2)]
    snaps = [Snap(table.card(1, idx)) for idx in range(4)]
    assert table.match.legal(1) == [*uses, Special("skip"), *snaps]


@pytest.mark.parametrize("discards", [False, True])
def test_every_action_of_a_turn_is_listed_once(discards: bool) -> None:
    table = seated(*HANDS, top="5C", allowDrawFromDiscardPile=discards)
    snaps = [Snap(table.card(0, idx)) for idx in range(4)]
    draws = [DrawStockpile(), DrawDiscard()] if discards else [DrawStockpile()]
    assert table.match.legal(0) == [*draws, CallCambia(), *snaps]
    table.do(0, DrawStockpile())
    replaces = [Replace(table.card(0, idx), idx) for idx in range(4)]
    assert table.match.legal(0) == [DiscardDrawn(table.drawn), *replaces, *snaps]


def test_a_king_s_player_swaps_the_two_or_not() -> None:
    table, one, other = deciding()
    assert table.match.legal(1)[:2] == [Special("swap_peek_swap", one, other), Special("skip")]


@given(st.integers(0, 2), st.integers(0, 2), st.sampled_from([None, 0, 1]))
def test_an_ability_fires_where_it_has_enough_cards_to_name(
    mine: int, yours: int, locked: int | None
) -> None:
    """Peeks need one card of the right hands, swaps two, which are not locked."""
    faces = deck(0)
    layout = Layout([str(number) for number in range(52)], faces, ["p0", "p1"], 2)
    for seat, count in enumerate((mine, yours)):
        for card in layout.hands[seat][count:]:
            layout.lift(card)
    movable = sum(count for seat, count in enumerate((mine, yours)) if seat != locked)
    expected = {
        "peek_self": mine >= 1,
        "peek_other": yours >= 1,
        "swap_blind": movable >= 2,
        "swap_peek": mine + yours >= 2,
    }
    assert {special: fires(layout, 0, special, locked) for special in expected} == expected


def test_a_blind_swap_without_two_unlocked_cards_is_passed_over() -> None:
    """One card of one's own is left, and four that are locked."""
    table = seated("AH 2H 3H 4H", "5H 5S 5D 2C", top="5C", stockpile="JC")
    for _ in range(3):
        table.do(1, Snap(table.card(1, 0)))
    table.do(0, CallCambia())
    table.do(1, DrawStockpile())
    assert kinds(table.do(1, DiscardDrawn(table.drawn))) == ["Discarded", "GameEnded"]


# What everybody is told


def test_a_discard_says_whose_it_is_and_that_nobody_else_did_it() -> None:
    table = seated(*HANDS, top="5C", stockpile="6C 6D")
    table.do(0, DrawStockpile())
    drawn = table.drawn
    discarded, began = table.do(0, DiscardDrawn(drawn))
    assert discarded == Discarded(0, drawn, face_of("6C"), idx=-1, drawn="", timed_out=False)
    assert began == TurnBegan(1, 2, table.now, table.now + TURN)
    table.do(1, DrawStockpile())
    drawn, old = table.drawn, table.card(1, 0)
    # The drawn card's own id, with the place it is to have: the first is one, too.
    assert table.do(1, Replace(drawn, 0))[0] == Discarded(1, old, face_of("AS"), 0, drawn, False)


@pytest.mark.parametrize(
    ("card", "special"),
    [("8C", "peek_self"), ("TC", "peek_other"), ("QC", "swap_blind"), ("KC", "swap_peek")],
)
def test_an_ability_says_whose_it_is_of_which_card_and_until_when(card: str, special: str) -> None:
    table = choosing(card)
    layout = table.match.layout
    top = layout.ids[layout.discards[-1]]
    choice = only(table.told[None], SpecialChoice)
    assert choice == SpecialChoice(1, top, face_of(card), special, table.now, table.now + TURN)
    table.wait(500)
    assert table.do(1, Special("skip")) == [
        SpecialSkipped(1, timed_out=False),
        TurnBegan(2, 3, table.now, table.now + TURN),
    ]


@pytest.mark.parametrize("timed_out", ["choosing", "deciding"])
def test_an_ability_that_times_out_says_whose_it_was(timed_out: str) -> None:
    table = choosing("KC") if timed_out == "choosing" else deciding()[0]
    events = table.wait(TURN)
    assert events[0] == SpecialSkipped(1, timed_out=True)


def test_peeks_and_swaps_are_told_in_full() -> None:
    for card, special, owner in (("7C", "peek_self", 1), ("9C", "peek_other", 2)):
        table = choosing(card)
        events = table.do(1, Special(special, table.card(owner, 1)))
        assert events[0] == Peeked(1, special, at(table, owner, 1, ("2S", "2D")[owner - 1]))
    table = choosing("JC")
    one, other = table.card(1, 2), table.card(2, 0)
    events = table.do(1, Special("swap_blind", one, other))
    assert events[0] == Swapped(1, "swap_blind", CardAt(one, 2, 0), CardAt(other, 1, 2))
    assert events[1] == TurnBegan(2, 3, table.now, table.now + TURN)


def test_a_king_s_look_and_swap_are_told_in_full() -> None:
    table = choosing("KC")
    one, other = at(table, 2, 0, "AD"), at(table, 1, 3, "4S")
    table.wait(2_000)
    since = table.now
    looked = KingLooked(1, one, other, since, since + TURN)
    assert table.do(1, Special("swap_peek", one.card, other.card)) == [looked]
    table.wait(1_000)
    again = KingLooked(1, other, one, table.now, since + TURN)
    assert table.do(1, Special("swap_peek", other.card, one.card)) == [again]
    swapped = Swapped(1, "swap_peek_swap", CardAt(one.card, 1, 3), CardAt(other.card, 2, 0))
    assert table.do(1, Special("swap_peek_swap"))[0] == swapped


def test_a_king_s_look_at_a_locked_card_says_that_it_ends() -> None:
    table = choosing("KC", called=True)
    locked, mine = at(table, 0, 1, "2H"), at(table, 1, 0, "AS")
    events = table.do(1, Special("swap_peek", locked.card, mine.card))
    assert events == [
        KingLooked(1, locked, mine, table.now, table.now + TURN),
        TurnBegan(2, 3, table.now, table.now + TURN),
    ]


# Refusals


@pytest.mark.parametrize("named", ["by id", "by place", "by both"])
def test_a_refused_blind_swap_says_where_both_cards_lie(named: str) -> None:
    table = choosing("JC", called=True)
    deadline = table.match.clock.deadline
    mine, locked = at(table, 1, 2), at(table, 0, 0)
    action = Special(
        "swap_blind",
        card1="" if named == "by place" else mine.card,
        card2="" if named == "by place" else locked.card,
        idx1=-1 if named == "by id" else 2,
        owner2="" if named == "by id" else table.match.layout.players[0],
        idx2=-1 if named == "by id" else 0,
    )
    table.wait(3_000)
    before = fingerprint(table.match)
    refusal = SpecialRefused(1, "swap_blind", mine, locked, LOCKED, table.now, deadline)
    assert table.do(1, action) == [refusal]
    # The other way round the same: each card has its own owner and idx.
    turned = Special(
        "swap_blind",
        action.card2,
        action.card1,
        owner1=action.owner2,
        idx1=action.idx2,
        owner2=action.owner1,
        idx2=action.idx1,
    )
    refusal = SpecialRefused(1, "swap_blind", locked, mine, LOCKED, table.now, deadline)
    assert table.do(1, turned) == [refusal]
    assert fingerprint(table.match) == before


def test_a_refused_peek_says_where_its_one_card_lies() -> None:
    table = choosing("9C")
    deadline, theirs = table.match.clock.deadline, at(table, 2, 1)
    table.wait(3_000)
    failed = only(table.do(1, Special("peek_other", theirs.card, idx1=3)), SpecialRefused)
    sentence = "That card is not where you named it: look again."
    assert failed == SpecialRefused(1, "peek_other", theirs, None, sentence, table.now, deadline)


@pytest.mark.parametrize("named", [True, False])
def test_a_king_s_swap_of_a_card_snapped_away_says_which_is_gone(named: bool) -> None:
    table = seated("AH 2H 3H 4H", "KS 2S 3S 4S", top="5C", stockpile="6C KC")
    table.do(0, DrawStockpile())
    table.do(0, DiscardDrawn(table.drawn))
    table.do(1, DrawStockpile())
    table.do(1, DiscardDrawn(table.drawn))
    gone, left = table.card(1, 0), at(table, 0, 3)
    table.do(1, Special("swap_peek", gone, left.card))
    deadline = table.match.clock.deadline
    table.do(1, Snap(gone))
    table.wait(2_000)
    action = Special("swap_peek_swap", gone, left.card) if named else Special("swap_peek_swap")
    refusal = SpecialRefused(
        1,
        "swap_peek_swap",
        CardAt(gone, NO_OWNER, -1),
        left,
        "One of the two cards has been snapped away: skip.",
        table.now,
        deadline,
    )
    assert table.do(1, action) == [refusal]
    snaps = [Snap(table.card(1, idx)) for idx in range(3)]
    assert table.match.legal(1) == [Special("skip"), *snaps]


# A King's decision

TWO = (("place 2 0", "place 1 3"), ("id 2 0", "place 1 3"), ("place 2 0", "id 1 3"))


def named(table: Table, first: str, second: str) -> Special:
    """A King's decision that names its cards by id or by place: "id 2 0", "place 1 3"."""
    said: list[tuple[str, str, int]] = []
    for name in (first, second):
        how, seat, idx = name.split()
        card = table.card(int(seat), int(idx)) if how == "id" else ""
        player = table.match.layout.players[int(seat)] if how == "place" else ""
        said.append((card, player, int(idx) if how == "place" else -1))
    (card1, owner1, idx1), (card2, owner2, idx2) = said
    return Special("swap_peek_swap", card1, card2, owner1, idx1, owner2, idx2)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("pair", [*TWO, ("id 2 0", "id 1 3")])
def test_a_king_s_two_cards_may_be_named_in_every_way(pair: tuple[str, str], turned: bool) -> None:
    table, one, other = deciding()
    action = named(table, *(reversed(pair) if turned else pair))
    assert kinds(table.do(1, action)) == ["Swapped", "TurnBegan"]
    assert (table.card(1, 3), table.card(2, 0)) == (one, other)


@pytest.mark.parametrize(
    "pair",
    [
        ("place 2 0", "place 1 0"),
        ("place 0 0", "place 1 3"),
        ("id 2 0", "place 0 3"),
        ("place 0 0", "id 1 3"),
        ("id 2 0", "id 2 1"),
        ("place 2 0", "place 2 0"),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_a_king_swaps_no_other_two(pair: tuple[str, str], turned: bool) -> None:
    table, *_ = deciding()
    action = named(table, *(reversed(pair) if turned else pair))
    assert refused(table, 1, action) == "not-those-cards"


@pytest.mark.parametrize(
    "half",
    [
        Special("swap_peek_swap", idx1=0),
        Special("swap_peek_swap", idx2=0),
        Special("swap_peek_swap", idx1=3),
        Special("swap_peek_swap", idx2=3),
    ],
)
def test_a_king_s_decision_names_both_cards_or_none(half: Special) -> None:
    assert refused(deciding()[0], 1, half) == "no-such-card"


@pytest.mark.parametrize("which", ["card1", "card2"])
def test_one_id_alone_names_no_pair(which: str) -> None:
    table, one, other = deciding()
    half = Special("swap_peek_swap", **{which: one if which == "card1" else other})
    assert refused(table, 1, half) == "no-such-card"
