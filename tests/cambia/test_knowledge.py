"""What each seat has a right to remember: in the state, in the picture, in the bot; and no more.

`tools.Table` compares state and pictures after every step of every test, spectators included.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from parlour.cards import Face
from parlour.games.cambia.actions import (
    CallCambia,
    DiscardDrawn,
    DrawDiscard,
    DrawStockpile,
    Replace,
    Snap,
    SnapMove,
    Special,
)
from parlour.games.cambia.bot import CambiaBot
from parlour.games.cambia.events import CardAt, Dealt, Event, GameEnded, InitialCards
from parlour.games.cambia.picture import CambiaPicture
from parlour.games.cambia.settings import Settings
from parlour.kit import Seat
from parlour.rng import FastRng
from tests.cambia import tools
from tests.cambia.tools import StackedRng, Table, face_of, knows, played, scripts, seated

HANDS = ("AH 2H 3H 4H", "AS 2S 3S 4S", "AC 2C 3C 4C")


def knowers(table: Table, seat: Seat, idx: int) -> list[Seat | None]:
    """Who may remember the face of this card."""
    return [v for v, picture in table.pictures.items() if table.card(seat, idx) in picture.known]


def use(card: str, **rules: Any) -> Table:
    """Seat 0 has drawn and discarded `card`."""
    table = seated(*HANDS, top="5C", stockpile=card, **rules)
    table.do(0, DrawStockpile())
    table.do(0, DiscardDrawn(table.drawn))
    return table


def test_the_initial_cards_are_known_to_their_player_alone() -> None:
    table = seated(*HANDS, top="5C")
    assert [knowers(table, 1, idx) for idx in range(4)] == [[1], [1], [], []]


def test_a_drawn_card_put_into_the_hand_is_known_to_its_player() -> None:
    table = seated(*HANDS, top="5C", stockpile="6D")
    table.do(0, DrawStockpile())
    table.do(0, Replace(table.card(0, 3), 3))
    assert knowers(table, 0, 3) == [0]


def test_a_card_taken_from_the_discard_pile_is_known_to_all() -> None:
    table = seated(*HANDS, top="5C", allowDrawFromDiscardPile=True)
    table.do(0, DrawDiscard())
    table.do(0, Replace(table.card(0, 3), 3))
    assert knowers(table, 0, 3) == [0, 1, 2, None]


def test_a_peek_is_remembered_by_whoever_looked() -> None:
    table = use("7D")
    table.do(0, Special("peek_self", table.card(0, 3)))
    assert knowers(table, 0, 3) == [0]
    table = use("9D")
    table.do(0, Special("peek_other", table.card(1, 0)))
    assert knowers(table, 1, 0) == [0, 1]


def test_a_blind_swap_makes_everybody_forget_both_cards() -> None:
    table = use("JD")
    mine, theirs = table.card(0, 0), table.card(1, 1)
    table.do(0, Special("swap_blind", mine, theirs))
    assert knowers(table, 1, 1) == []
    assert knowers(table, 0, 0) == []


def test_a_card_peeked_at_and_then_swapped_away_is_forgotten_by_its_owner() -> None:
    table = use("QD")
    table.do(0, Special("swap_blind", table.card(1, 0), table.card(2, 3)))
    assert knowers(table, 2, 3) == []
    assert knowers(table, 1, 0) == []
    assert knowers(table, 1, 1) == [1], "what was not moved is still remembered"


def test_a_king_s_player_keeps_what_they_looked_at_and_the_owners_do_not() -> None:
    table = use("KD")
    mine, theirs = table.card(0, 0), table.card(1, 0)
    table.do(0, Special("swap_peek", mine, theirs))
    assert knowers(table, 1, 0) == [0, 1]
    table.do(0, Special("swap_peek_swap", mine, theirs))
    assert knowers(table, 0, 0) == [0]
    assert knowers(table, 1, 0) == [0]


def test_a_wrong_snap_shows_its_card_to_all_until_it_is_moved() -> None:
    table = use("JD")
    table.do(1, Snap(table.card(1, 0)))
    assert knowers(table, 1, 0) == [0, 1, 2, None]
    table.do(0, Special("swap_blind", table.card(1, 0), table.card(1, 1)))
    assert knowers(table, 1, 0) == []
    assert knowers(table, 1, 1) == []


def test_penalty_cards_are_known_to_nobody() -> None:
    table = seated(*HANDS, top="5C")
    table.do(1, Snap(table.card(1, 0)))
    assert [knowers(table, 1, idx) for idx in (4, 5)] == [[], []]


def test_a_row_that_closes_up_forgets_nothing() -> None:
    table = seated("5H 2H 3H 4H", "AS 2S 3S 4S", top="5C")
    table.do(0, Snap(table.card(0, 0)))
    assert table.face(0, 0) == face_of("2H")
    assert knowers(table, 0, 0) == [0]


def test_a_card_handed_over_after_a_snap_is_forgotten() -> None:
    table = seated("5H 2H 3H 4H", "AS 2S 3S 4S", top="5C", allowOpponentSnapping=True)
    table.do(1, Snap(table.card(0, 0)))
    table.do(1, SnapMove(table.card(1, 0)))
    assert table.face(0, 0) == face_of("AS")
    assert knowers(table, 0, 0) == []


@pytest.mark.parametrize("turned", [False, True])
def test_a_king_s_player_does_not_keep_a_card_handed_over_between_look_and_swap(
    turned: bool,
) -> None:
    hands = ("AH 2H 3H 4H", "AS 2S 3S 4S", "KC 2C 3C 4C")
    table = seated(*hands, top="5C", stockpile="KD", allowOpponentSnapping=True)
    table.do(0, DrawStockpile())
    table.do(0, DiscardDrawn(table.drawn))
    mine, theirs = table.card(0, 0), table.card(1, 0)
    pair = (theirs, mine) if turned else (mine, theirs)
    table.do(0, Special("swap_peek", *pair))
    table.do(1, Snap(table.card(2, 0)))
    table.do(1, SnapMove(theirs))
    table.do(0, Special("swap_peek_swap", mine, theirs))
    assert table.card(0, 0) == theirs
    assert knowers(table, 0, 0) == []
    assert knowers(table, 2, 0) == [0]


def test_at_the_end_everything_lies_open() -> None:
    table = seated("AH 2H 3H 4H", "AS 2S 3S 4S", top="5C", stockpile="6D")
    table.do(0, CallCambia())
    table.do(1, DrawStockpile())
    table.do(1, DiscardDrawn(table.drawn))
    assert [knowers(table, s, i) for s in (0, 1) for i in range(4)] == [[0, 1, None]] * 8


# What a re-sync shows


@pytest.mark.parametrize("remind", [False, True])
def test_a_re_sync_reminds_only_where_the_house_does(remind: bool) -> None:
    table = seated(*HANDS, top="5C", remindKnown=remind)
    picture = table.pictures[1]
    shown = [picture.shown_again().get(table.card(1, idx), -1) for idx in range(4)]
    assert shown == ([face_of("AS"), face_of("2S"), -1, -1] if remind else [-1] * 4)


def test_a_re_sync_shows_the_initial_cards_while_they_are_being_looked_at() -> None:
    table = Table(Settings(), 2, FastRng(1))
    picture = table.pictures[0]
    assert [picture.shown_again().get(table.card(0, i), -1) for i in range(3)] == [
        *table.faces(0)[:2],
        -1,
    ]


def test_a_re_sync_shows_a_king_s_cards_until_they_are_decided_about() -> None:
    table = use("KD")
    one, other = table.card(0, 3), table.card(1, 3)
    table.do(0, Special("swap_peek", one, other))
    mine, theirs = table.pictures[0], table.pictures[1]
    assert [mine.shown_again().get(c, -1) for c in (one, other)] == [face_of("4H"), face_of("4S")]
    assert [theirs.shown_again().get(c, -1) for c in (one, other)] == [-1, -1]
    table.do(0, Special("skip"))
    assert [mine.shown_again().get(c, -1) for c in (one, other)] == [-1, -1]


# Non-interference


def shown_in(events: list[Event]) -> set[str]:
    """The ids of all cards whose faces these events show."""
    ids: set[str] = set()
    for event in events:
        if isinstance(event, Dealt):
            ids.add(event.top)
        if isinstance(event, InitialCards):
            ids.update(card.card for card in event.cards)
        if isinstance(event, GameEnded):
            ids.update(card.card for hand in event.hands for card in hand)
        for name in ("card", "card1", "card2"):
            part = getattr(event, name, None)
            if isinstance(part, CardAt) and part.face >= 0:
                ids.add(part.card)
            elif isinstance(part, str) and getattr(event, "face", -1) >= 0:
                ids.add(part)
    return ids


def unfinished(rules: Settings, seats: int, seed: int, script: Any, order: Any = None) -> Table:
    """A game stopped before its end, which shows everything."""
    table = played(rules, seats, seed, script, order)
    while table.match.outcome() is not None:
        log = table.log[:-1]
        table = Table(rules, seats, StackedRng(order, seed))
        for entry in log:
            table.repeat(entry)
    return table


def other_world(
    table: Table, rules: Settings, seats: int, seed: int, secret: list[int], shift: int
) -> Table:
    """The same log over a deck in which the `secret` places have changed faces."""
    assert isinstance(table.rng, StackedRng)
    order: list[Face] = list(table.rng.dealt)
    faces = [order[place] for place in secret]
    FastRng(shift).shuffle(faces)
    for place, face in zip(secret, faces, strict=True):
        order[place] = face
    again = Table(rules, seats, StackedRng(order, seed))
    for entry in table.log:
        again.repeat(entry)
    return again


@given(
    tools.settings, st.integers(2, 8), st.integers(0, 10**6), scripts, st.integers(0, 8),
    st.integers(0, 10**6),
)  # fmt: skip
@settings(deadline=None, max_examples=60)
def test_what_a_viewer_was_not_shown_changes_nothing_they_are_told(
    rules: Settings, seats: int, seed: int, script: Any, viewer: int, shift: int
) -> None:
    table = unfinished(rules, seats, seed, script)
    who = viewer if viewer < seats else None
    first_ids = Table(rules, seats, StackedRng(None, seed)).match.layout.ids
    shown = shown_in(table.told[who])
    # A place that ever was on the pile has been shown; so reshuffles touch no secret place.
    secret = [place for place, name in enumerate(first_ids) if name not in shown]
    again = other_world(table, rules, seats, seed, secret, shift)
    assert again.told[who] == table.told[who]
    assert vars(again.pictures[who]) == vars(table.pictures[who])


@given(
    tools.settings, st.integers(2, 4), st.integers(0, 10**6), tools.swappy_scripts,
    st.integers(0, 3), st.integers(0, 10**6),
)  # fmt: skip
@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.filter_too_much])
def test_a_face_one_has_lost_the_right_to_changes_neither_re_sync_nor_bot(
    rules: Settings, seats: int, seed: int, script: Any, viewer: int, shift: int
) -> None:
    """Cards peeked at and then swapped away unseen are dealt anew: now is the same either way."""
    rules = tools.with_house_rules(rules, initialViewCount=4)
    who = viewer % seats
    order = tools.courtly(seats, rules.houseRules.numJokers, seed)
    table = unfinished(rules, seats, seed, script, order)
    first_ids = Table(rules, seats, StackedRng(order, seed)).match.layout.ids
    layout = table.match.layout
    public, private = shown_in(table.told[None]), shown_in(table.told[who])
    # Hidden from this viewer now, and never public before.
    secret = [
        place
        for place, name in enumerate(first_ids)
        if name not in public and not knows(layout, who, place)
    ]
    assume(any(first_ids[place] in private for place in secret))
    again = other_world(table, rules, seats, seed, secret, shift)
    assert vars(again.pictures[who]) == vars(table.pictures[who])
    plans = []
    for world in (table, again):
        bot = CambiaBot(CambiaPicture(who), FastRng(seed))
        for event in world.told[who]:
            bot.show(event)
        # At the same moment: a wait at the end is in no log.
        plans.append(bot.plan(world.match.legal(who), table.now))
    assert plans[0] == plans[1]


def test_the_test_above_would_notice_a_remembered_face() -> None:
    """A blind swap of an initial card: two worlds differ in what was seen, not in what is known."""
    worlds = []
    for card in ("AH", "9H"):
        rest = "9H" if card == "AH" else "AH"
        table = seated(f"{card} 2H 3H 4H", f"AS 2S 3S {rest}", top="5C", stockpile="JD")
        table.do(0, DrawStockpile())
        table.do(0, DiscardDrawn(table.drawn))
        table.do(0, Special("swap_blind", table.card(0, 0), table.card(1, 3)))
        worlds.append(table)
    assert worlds[0].told[0] != worlds[1].told[0]
    assert vars(worlds[0].pictures[0]) == vars(worlds[1].pictures[0])
    assert worlds[0].told[1] == worlds[1].told[1]
