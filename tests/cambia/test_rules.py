"""The rules of one game: cards, turns, abilities, Cambia and the count."""

from __future__ import annotations

from collections import Counter
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.cards import deck
from parlour.games.cambia.actions import (
    Action,
    CallCambia,
    DiscardDrawn,
    DrawDiscard,
    DrawStockpile,
    Replace,
    Snap,
    SnapMove,
    Special,
)
from parlour.games.cambia.cards import ability_of, rank_letter, suit_letter, value_of
from parlour.games.cambia.events import (
    Dealt,
    Discarded,
    Drew,
    GameEnded,
    InitialCards,
    KingLooked,
    Peeked,
    Reshuffled,
    SpecialChoice,
    SpecialRefused,
    SpecialSkipped,
    Swapped,
    TurnBegan,
    view,
)
from parlour.games.cambia.rules import deal
from parlour.games.cambia.settings import HouseRules, Settings
from parlour.kit import Illegal, Outcome, Setup
from parlour.rng import FastRng, ProvableRng
from tests.cambia import tools
from tests.cambia.tools import (
    START,
    Table,
    face_of,
    fingerprint,
    kinds,
    only,
    played,
    refused,
    scripts,
    seated,
    take,
)

QUIET = "AH 2H 3H 4H"
OTHER = "AS 2S 3S 4S"


def draw_and_discard(table: Table, seat: int) -> list[Any]:
    table.do(seat, DrawStockpile())
    return table.do(seat, DiscardDrawn(table.drawn))


# Cards


def test_cards_count_what_the_spec_says() -> None:
    worth = {text: value_of(face_of(text)) for text in ("AS", "2H", "9C", "TD", "JS", "QH")}
    assert worth == {"AS": 1, "2H": 2, "9C": 9, "TD": 10, "JS": 11, "QH": 12}
    assert [value_of(face_of(k)) for k in ("KC", "KS", "KH", "KD")] == [13, 13, -1, -1]


def test_every_face_has_its_letters() -> None:
    letters = {rank_letter(f) + suit_letter(f) for f in deck(2)}
    assert letters == {r + s for r in "A23456789TJQK" for s in "HDCS"} | {"OR", "OB"}
    assert all(rank_letter(face_of(text)) + suit_letter(face_of(text)) == text for text in letters)


def test_seven_to_king_have_abilities_and_the_others_none() -> None:
    assert [ability_of(face_of(f"{rank}S")) for rank in "A234567"] == [""] * 6 + ["peek_self"]
    assert [ability_of(face_of(f"{rank}S")) for rank in "89TJQK"] == [
        "peek_self", "peek_other", "peek_other", "swap_blind", "swap_blind", "swap_peek",
    ]  # fmt: skip
    assert ability_of(face_of("OR")) == ""


# Settings


def test_house_rules_have_their_wire_names_and_defaults() -> None:
    told = msgspec.to_builtins(Settings())
    assert {part: told[part] for part in ("houseRules", "circuit", "settings")} == {
        "houseRules": {
            "allowDrawFromDiscardPile": False,
            "allowReplaceAbilities": False,
            "snapRace": False,
            "forfeitOnDisconnect": True,
            "penaltyDrawCount": 2,
            "autoKickTurnCount": 3,
            "turnTimerSec": 15,
            "allowOpponentSnapping": False,
            "lockCallerHand": True,
            "numJokers": 2,
            "initialViewCount": 2,
            "remindKnown": False,
        },
        "circuit": {
            "enabled": False,
            "mode": "",
            "rules": {
                "targetScore": 100,
                "winBonus": -1,
                "falseCambiaPenalty": 1,
                "freezeUserOnDisconnect": True,
            },
        },
        "settings": {"autoStart": True, "countdownSec": None},
    }


@pytest.mark.parametrize(
    "wrong",
    [
        {"snapRace": 1},
        {"turnTimerSec": "15"},
        {"turnTimerSec": -1},
        {"penaltyDrawCount": 2.5},
        {"numJokers": 3},
        {"initialViewCount": 5},
        {"lockCallerHand": None},
    ],
)
def test_house_rules_of_a_wrong_type_or_size_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"houseRules": wrong}, Settings)


def test_every_setting_says_what_it_is() -> None:
    def leaves(schema: Any) -> None:
        for name, part in schema.get("properties", {}).items():
            assert part.get("description"), name

    _, parts = msgspec.json.schema_components([Settings])
    for schema in parts.values():
        leaves(schema)


# The deal


@pytest.mark.parametrize(("seats", "cards"), [(2, 54), (4, 54), (5, 108), (8, 108)])
def test_one_deck_serves_four_players_and_two_serve_eight(seats: int, cards: int) -> None:
    table = Table(Settings(), seats, FastRng(1))
    layout = table.match.layout
    assert [len(hand) for hand in layout.hands] == [4] * seats
    assert len(layout.discards) == 1
    assert len(layout.stockpile) == cards - 4 * seats - 1
    assert Counter(layout.faces) == Counter(deck(2) * (cards // 54))


@pytest.mark.parametrize("jokers", [0, 1, 2])
def test_the_number_of_jokers_is_the_house_s(jokers: int) -> None:
    table = Table(Settings(houseRules=HouseRules(numJokers=jokers)), 6, FastRng(1))
    assert sum(1 for face in table.match.layout.faces if face >= 52) == 2 * jokers


@pytest.mark.parametrize("seats", [0, 1, 9])
def test_a_table_too_small_or_too_large_is_not_dealt_to(seats: int) -> None:
    with pytest.raises(Illegal):
        deal(Setup(Settings(), [f"p{s}" for s in range(seats)]), FastRng(1), 0)


def test_card_ids_are_random_uuids() -> None:
    table = Table(Settings(), 8, ProvableRng(b"seed", "table"))
    ids = table.match.layout.ids
    assert len(set(ids)) == len(ids)
    for name in ids:
        assert (str(UUID(name)), UUID(name).version) == (name, 4)


@pytest.mark.parametrize("count", [0, 1, 2, 4])
def test_everybody_is_shown_their_first_cards_and_nobody_else_s(count: int) -> None:
    table = Table(Settings(houseRules=HouseRules(initialViewCount=count)), 3, FastRng(4))
    for seat in range(3):
        shown = only(table.told[seat], InitialCards)
        assert shown.seat == seat
        assert [card.card for card in shown.cards] == [table.card(seat, i) for i in range(count)]
        assert [card.face for card in shown.cards] == table.faces(seat)[:count]
    assert kinds(table.told[None]) == ["Dealt"]


def test_the_deal_shows_ids_and_the_first_discard_to_all() -> None:
    first = Table(Settings(), 2, FastRng(4))
    for table, seat in ((first, 0), (Table(Settings(), 2, FastRng(5), first.match), 1)):
        layout = table.match.layout
        assert only(table.told[None], Dealt) == Dealt(
            players=["p0", "p1"],
            hands=[[table.card(seat, i) for i in range(4)] for seat in range(2)],
            top=layout.ids[layout.discards[0]],
            face=table.top,
            stockpile=45,
            settings=Settings(),
            first=seat,
            totals=None,
            at=START,
            deadline=START + 10_000,
        )


def test_the_first_turn_goes_round_from_game_to_game() -> None:
    match, _ = deal(Setup(Settings(), ["a", "b", "c"]), FastRng(1), 0)
    firsts = [match.first]
    for _ in range(3):
        match, _ = deal(Setup(Settings(), ["a", "b", "c"], previous=match), FastRng(1), 0)
        firsts.append(match.first)
    assert firsts == [0, 1, 2, 0]


# A turn


def test_a_drawn_card_is_its_player_s_secret() -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="6D")
    events = table.do(0, DrawStockpile())
    drew = only(events, Drew)
    assert (drew.face, drew.source, drew.stockpile) == (face_of("6D"), "stockpile", 44)
    assert view(drew, 0) is drew
    hidden = view(drew, 1)
    assert isinstance(hidden, Drew)
    assert hidden.face == -1
    assert view(drew, None) is hidden


def test_discarding_the_drawn_card_passes_the_turn() -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="6D")
    events = draw_and_discard(table, 0)
    assert kinds(events) == ["Discarded", "TurnBegan"]
    assert only(events, Discarded).idx == -1
    assert table.top == face_of("6D")
    assert only(events, TurnBegan).seat == 1
    assert only(events, TurnBegan).turn == 2


@pytest.mark.parametrize("named_by", ["hand card", "drawn card"])
def test_replacing_puts_the_drawn_card_at_the_old_one_s_place(named_by: str) -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="6D")
    table.do(0, DrawStockpile())
    old, drawn = table.card(0, 2), table.drawn
    name = old if named_by == "hand card" else drawn
    events = table.do(0, Replace(name, 2))
    discarded = only(events, Discarded)
    assert (discarded.card, discarded.face) == (old, face_of("3H"))
    assert (discarded.idx, discarded.drawn) == (2, drawn)
    assert table.card(0, 2) == drawn
    assert table.faces(0) == [face_of(c) for c in ("AH", "2H", "6D", "4H")]


def test_logs_of_before_an_idx_was_held_against_the_id_fold_as_they_did() -> None:
    """`owner` None: what an earlier version logged, stale idx and all."""
    table = seated(QUIET, OTHER, top="5C", stockpile="6D")
    table.do(0, DrawStockpile())
    only(table.do(0, Replace(table.card(0, 1), 3)), Discarded)
    assert table.faces(0) == [face_of(c) for c in ("AH", "6D", "3H", "4H")]


def test_what_is_not_possible_in_a_turn_is_refused() -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="6D 7D")
    assert refused(table, 1, DrawStockpile()) == "not-your-turn"
    assert refused(table, 1, CallCambia()) == "not-your-turn"
    assert refused(table, 0, DiscardDrawn(table.card(0, 0))) == "not-drawn"
    assert refused(table, 0, Replace(table.card(0, 0), 0)) == "not-drawn"
    assert refused(table, 0, Special("skip")) == "no-special"
    assert refused(table, 0, SnapMove(table.card(0, 0))) == "owes-nothing"
    table.do(0, DrawStockpile())
    assert refused(table, 0, DrawStockpile()) == "already-drawn"
    assert refused(table, 0, CallCambia()) == "already-drawn"
    assert refused(table, 0, DiscardDrawn(table.card(0, 0))) == "not-drawn"
    assert refused(table, 0, Replace(table.card(1, 0), 0)) == "not-yours"
    assert refused(table, 0, Replace("no such card", 0)) == "no-such-card"
    assert refused(table, 0, Replace(table.drawn, 4)) == "no-such-card"
    assert refused(table, 0, Replace(table.drawn, -1)) == "no-such-card"


def test_the_discard_pile_is_drawn_from_only_where_the_house_allows_it() -> None:
    table = seated(QUIET, OTHER, top="5C")
    assert DrawDiscard() not in table.match.legal(0)
    assert refused(table, 0, DrawDiscard()) == "house-rule"
    table = seated(QUIET, OTHER, top="5C", allowDrawFromDiscardPile=True)
    events = table.do(0, DrawDiscard())
    drew = only(events, Drew)
    assert (drew.source, drew.face, drew.discards) == ("discardpile", face_of("5C"), 0)
    assert view(drew, 1) is drew
    assert view(drew, None) is drew


def test_a_card_drawn_from_the_discard_pile_never_fires_its_ability() -> None:
    table = seated(QUIET, OTHER, top="7C", allowDrawFromDiscardPile=True)
    table.do(0, DrawDiscard())
    assert kinds(table.do(0, DiscardDrawn(table.drawn))) == ["Discarded", "TurnBegan"]


def test_an_empty_discard_pile_cannot_be_snapped_on() -> None:
    table = seated(QUIET, OTHER, top="7C", allowDrawFromDiscardPile=True)
    table.do(0, DrawDiscard())
    assert refused(table, 1, Snap(table.card(1, 0))) == "no-discard"
    table.do(0, Replace(table.card(0, 0), 0))
    assert table.top == face_of("AH")


# Abilities


@pytest.mark.parametrize("allowed", [False, True])
def test_a_replaced_card_s_ability_fires_only_where_the_house_allows_it(allowed: bool) -> None:
    table = seated("7H 2H 3H 4H", OTHER, top="5C", stockpile="6D", allowReplaceAbilities=allowed)
    table.do(0, DrawStockpile())
    events = table.do(0, Replace(table.card(0, 0), 0))
    assert kinds(events) == ["Discarded", "SpecialChoice" if allowed else "TurnBegan"]


@pytest.mark.parametrize("card", ["7D", "8D"])
def test_seven_and_eight_peek_at_an_own_card(card: str) -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile=card)
    choice = only(draw_and_discard(table, 0), SpecialChoice)
    assert (choice.special, choice.face) == ("peek_self", face_of(card))
    assert refused(table, 0, Special("peek_self", table.card(1, 0))) == "not-yours"
    assert refused(table, 0, Special("peek_self", "?")) == "no-such-card"
    assert refused(table, 0, Special("peek_other", table.card(1, 0))) == "wrong-special"
    assert refused(table, 0, DrawStockpile()) == "special-pending"
    assert refused(table, 1, Special("skip")) == "not-your-turn"
    events = table.do(0, Special("peek_self", table.card(0, 3)))
    peeked = only(events, Peeked)
    assert (peeked.card.owner, peeked.card.idx, peeked.card.face) == (0, 3, face_of("4H"))
    hidden = view(peeked, 1)
    assert isinstance(hidden, Peeked)
    assert (hidden.card.card, hidden.card.idx, hidden.card.face) == (table.card(0, 3), 3, -1)
    assert kinds(events) == ["Peeked", "TurnBegan"]


@pytest.mark.parametrize("card", ["9D", "TD"])
def test_nine_and_ten_peek_at_another_s_card(card: str) -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile=card)
    assert only(draw_and_discard(table, 0), SpecialChoice).special == "peek_other"
    assert refused(table, 0, Special("peek_other", table.card(0, 0))) == "your-own"
    events = table.do(0, Special("peek_other", table.card(1, 2)))
    assert only(events, Peeked).card.face == face_of("3S")


@pytest.mark.parametrize("card", ["JD", "QD"])
def test_jack_and_queen_swap_any_two_cards_blind(card: str) -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile=card)
    assert only(draw_and_discard(table, 0), SpecialChoice).special == "swap_blind"
    mine, theirs = table.card(0, 0), table.card(1, 3)
    assert refused(table, 0, Special("swap_blind", mine, mine)) == "same-card"
    assert refused(table, 0, Special("swap_blind", mine)) == "no-such-card"
    events = table.do(0, Special("swap_blind", mine, theirs))
    swapped = only(events, Swapped)
    assert (swapped.card1.card, swapped.card1.owner, swapped.card1.idx) == (mine, 1, 3)
    assert (swapped.card2.card, swapped.card2.owner, swapped.card2.idx) == (theirs, 0, 0)
    assert table.faces(0) == [face_of(c) for c in ("4S", "2H", "3H", "4H")]
    assert table.faces(1) == [face_of(c) for c in ("AS", "2S", "3S", "AH")]


@pytest.mark.parametrize("seats", [(0, 0), (1, 1), (1, 2)])
def test_a_swap_may_name_two_cards_of_anybody(seats: tuple[int, int]) -> None:
    table = seated(QUIET, OTHER, "AC 2C 3C 4C", top="5C", stockpile="JD")
    draw_and_discard(table, 0)
    one, other = table.card(seats[0], 0), table.card(seats[1], 1)
    table.do(0, Special("swap_blind", one, other))
    assert table.card(seats[0], 0) == other
    assert table.card(seats[1], 1) == one


def test_an_ability_may_be_skipped() -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="JD")
    draw_and_discard(table, 0)
    events = table.do(0, Special("skip"))
    assert kinds(events) == ["SpecialSkipped", "TurnBegan"]
    assert not only(events, SpecialSkipped).timed_out


@pytest.mark.parametrize("named", ["in order", "turned round", "not at all"])
def test_a_king_looks_at_two_cards_and_then_swaps_them(named: str) -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="KD")
    assert only(draw_and_discard(table, 0), SpecialChoice).special == "swap_peek"
    one, other = table.card(0, 0), table.card(1, 0)
    assert refused(table, 0, Special("swap_peek_swap", one, other)) == "wrong-special"
    assert refused(table, 0, Special("swap_peek", one, one)) == "same-card"
    events = table.do(0, Special("swap_peek", one, other))
    looked = only(events, KingLooked)
    assert (looked.card1.face, looked.card2.face) == (face_of("AH"), face_of("AS"))
    hidden = view(looked, 1)
    assert isinstance(hidden, KingLooked)
    assert (hidden.card1.card, hidden.card1.face, hidden.card2.face) == (one, -1, -1)
    assert kinds(events) == ["KingLooked"]
    third = table.card(0, 1)
    assert refused(table, 0, Special("swap_peek_swap", one, third)) == "not-those-cards"
    names = {"in order": (one, other), "turned round": (other, one), "not at all": ("", "")}
    events = table.do(0, Special("swap_peek_swap", *names[named]))
    assert kinds(events) == ["Swapped", "TurnBegan"]
    assert only(events, Swapped).special == "swap_peek_swap"
    assert table.card(0, 0) == other
    assert table.card(1, 0) == one


def test_a_king_looks_no_further_and_the_same_two_again_gain_no_time() -> None:
    """Who reloads after a King's first step is asked anew and may name the two cards anew."""
    table = seated(QUIET, OTHER, top="5C", stockpile="KD")
    draw_and_discard(table, 0)
    one, other, third = table.card(0, 0), table.card(1, 0), table.card(0, 1)
    deadline = only(table.do(0, Special("swap_peek", one, other)), KingLooked).deadline
    table.now += 1_000
    before = fingerprint(table.match)
    events = table.do(0, Special("swap_peek", other, one))
    again = only(events, KingLooked)
    assert (again.card1.face, again.card2.face) == (face_of("AS"), face_of("AH"))
    assert (again.deadline, again.ends) == (deadline, False)
    events = table.do(0, Special("swap_peek", one, third))
    assert kinds(events) == ["SpecialRefused"]
    assert only(events, SpecialRefused).deadline == deadline
    assert fingerprint(table.match) == before
    assert not table.match.layout.knows(0, table.match.layout.numbers[table.card(0, 3)])


def test_a_king_s_player_may_leave_the_cards_where_they_are() -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="KD")
    draw_and_discard(table, 0)
    table.do(0, Special("swap_peek", table.card(0, 0), table.card(1, 0)))
    assert kinds(table.do(0, Special("skip"))) == ["SpecialSkipped", "TurnBegan"]
    assert table.faces(0)[0] == face_of("AH")


def test_an_ability_without_a_target_is_passed_over() -> None:
    table = seated("5H 5S 5D 2C", OTHER, top="5C", stockpile="2D 6D 7D")
    for _ in range(3):
        table.do(0, Snap(table.card(0, 0)))
    draw_and_discard(table, 0)
    table.do(0, Snap(table.card(0, 0)))
    assert table.faces(0) == []
    draw_and_discard(table, 1)
    table.do(0, DrawStockpile())
    assert table.match.legal(0) == [DiscardDrawn(table.drawn)]
    assert kinds(table.do(0, DiscardDrawn(table.drawn))) == ["Discarded", "TurnBegan"]


# Cambia


def test_after_a_call_everybody_else_has_one_more_turn() -> None:
    table = seated(QUIET, OTHER, "AC 2C 3C 4C", top="5C", stockpile="6D 6S 6H")
    draw_and_discard(table, 0)
    assert kinds(table.do(1, CallCambia())) == ["CambiaCalled", "TurnBegan"]
    assert CallCambia() not in table.match.legal(2)
    assert refused(table, 2, CallCambia()) == "already-called"
    assert kinds(draw_and_discard(table, 2)) == ["Discarded", "TurnBegan"]
    events = draw_and_discard(table, 0)
    assert kinds(events) == ["Discarded", "GameEnded"]
    assert only(events, GameEnded).caller == 1
    assert table.match.due() is None
    assert all(table.match.legal(seat) == [] for seat in range(3))
    assert refused(table, 2, DrawStockpile()) == "game-over"
    assert refused(table, 0, Snap(table.card(0, 0))) == "game-over"


def called(stockpile: str, **rules: Any) -> Table:
    """Seat 0 has called; seat 1 is to draw `stockpile`."""
    table = seated(QUIET, OTHER, "AC 2C 3C 4C", top="5C", stockpile=stockpile, **rules)
    table.do(0, CallCambia())
    return table


def test_a_locked_hand_can_be_peeked_at() -> None:
    table = called("9D")
    draw_and_discard(table, 1)
    assert only(table.do(1, Special("peek_other", table.card(0, 1))), Peeked).card.owner == 0


def test_a_blind_swap_of_a_locked_card_is_refused_privately_and_may_be_retried() -> None:
    table = called("JD")
    draw_and_discard(table, 1)
    before = table.match.copy()
    table.wait(4_000)
    mine, locked = table.card(1, 0), table.card(0, 0)
    assert Special("swap_blind", mine, locked) not in table.match.legal(1)
    events = table.do(1, Special("swap_blind", mine, locked))
    failed = only(events, SpecialRefused)
    assert (failed.card1.card, failed.card2.card) == (mine, locked)
    assert (failed.card2.owner, failed.card2.idx) == (0, 0)
    assert [view(failed, seat) for seat in (0, 2, None)] == [None] * 3
    assert view(failed, 1) is failed
    # Nothing has changed, least of all the timer.
    assert table.match.clock.deadline == table.now + 11_000 == failed.deadline
    assert fingerprint(before) == fingerprint(table.match)
    assert kinds(table.do(1, Special("swap_blind", mine, table.card(2, 0)))) == [
        "Swapped",
        "TurnBegan",
    ]


@given(st.lists(st.integers(0, 5_000), max_size=30))
def test_refused_blind_swaps_hold_up_no_turn(pauses: list[int]) -> None:
    """However often a locked card is named, the special's time runs on."""
    table = called("JD")
    draw_and_discard(table, 1)
    deadline = table.match.clock.deadline
    assert deadline is not None
    for pause in pauses:
        table.wait(min(pause, deadline - 1 - table.now))
        failed = only(
            table.do(1, Special("swap_blind", table.card(1, 0), table.card(0, 0))), SpecialRefused
        )
        assert failed.deadline == table.match.due() == deadline
    assert kinds(table.wait(deadline - table.now)) == ["SpecialSkipped", "TurnBegan"]


def test_a_king_naming_a_locked_card_reveals_it_and_ends_at_once() -> None:
    table = called("KD")
    draw_and_discard(table, 1)
    events = table.do(1, Special("swap_peek", table.card(1, 0), table.card(0, 0)))
    assert kinds(events) == ["KingLooked", "TurnBegan"]
    looked = only(events, KingLooked)
    assert looked.ends
    assert looked.card2.face == face_of("AH")
    assert table.card(0, 0) == looked.card2.card


def test_without_the_lock_the_caller_s_cards_move_like_any_other() -> None:
    table = called("JD", lockCallerHand=False)
    draw_and_discard(table, 1)
    mine, theirs = table.card(1, 0), table.card(0, 0)
    table.do(1, Special("swap_blind", mine, theirs))
    assert table.card(0, 0) == mine
    assert any(isinstance(action, Snap) for action in table.match.legal(0))


# The end


def ended(*hands: str, caller: int = 0, top: str = "5C", **rules: Any) -> GameEnded:
    """Seat `caller` calls; everybody discards what they draw."""
    table = seated(*hands, top=top, stockpile="6D 6S 6H 6C", **rules)
    for seat in range(caller):
        draw_and_discard(table, seat)
    table.do(caller, CallCambia())
    while table.match.outcome() is None:
        draw_and_discard(table, table.match.current)
    return only(table.told[None], GameEnded)


def test_the_lowest_sum_wins_and_a_caller_who_has_it_pays_nothing() -> None:
    result = ended("AH AS 2H 2S", "9H 9S 2D 2C")
    assert result.scores == [6, 22]
    assert result.winners == [0]
    assert not result.penalty_applied
    assert not result.bonus_applied
    assert result.how == "cambia"


def test_a_caller_who_is_not_lowest_gets_one_more() -> None:
    result = ended("9H 9S 2D 2C", "AH AS 2H 2S")
    assert result.scores == [23, 6]
    assert result.winners == [1]
    assert result.penalty_applied


@pytest.mark.parametrize("forfeit", [True, False])
def test_the_outcome_is_the_count_s(forfeit: bool) -> None:
    """Whoever forfeits has no score in it; a copy of the game ended as the game did."""
    table = seated(QUIET, "AS AD 2S 2D", "9H 9S 2C 3C", top="5C", forfeitOnDisconnect=forfeit)
    table.do(0, CallCambia())
    table.gone(2)
    assert table.match.outcome() is None
    table.wait(60_000)
    scores = {0: 11, 1: 6} if forfeit else {0: 11, 1: 6, 2: 23}
    assert table.match.outcome() == Outcome((1,), "cambia", scores)
    assert table.match.copy().outcome() == table.match.outcome()


def test_the_caller_wins_ties() -> None:
    assert ended("AH AS 2H 2S", "AC AD 2C 2D", caller=1).winners == [1]


def test_a_tie_without_the_caller_is_shared() -> None:
    result = ended("AH AS 2H 2S", "AC AD 2C 2D", "9H 9S 8H 8S", caller=2)
    assert result.winners == [0, 1]
    assert result.scores == [6, 6, 35]


def test_red_kings_and_jokers_are_counted() -> None:
    assert ended("KH KD OR OB", "KS KC AH AS").scores == [-2, 28]


def test_the_hands_lie_open_at_the_end() -> None:
    result = ended(QUIET, OTHER)
    assert [[card.face for card in hand] for hand in result.hands] == [
        [face_of(c) for c in QUIET.split()],
        [face_of(c) for c in OTHER.split()],
    ]


@pytest.mark.parametrize("forfeit", [True, False])
def test_who_is_gone_at_the_end_has_no_score(forfeit: bool) -> None:
    table = seated("9H 9S 9D 9C", QUIET, top="5C", stockpile="6D 6S", forfeitOnDisconnect=forfeit)
    table.do(0, CallCambia())
    table.gone(1)
    result = only(table.wait(15_000), GameEnded)
    assert result.scores == ([36, None] if forfeit else [37, 10])
    assert result.winners == ([0] if forfeit else [1])
    outcome = table.match.outcome()
    assert outcome is not None
    assert outcome.scores == ({0: 36} if forfeit else {0: 37, 1: 10})


def test_who_comes_back_in_time_has_a_score() -> None:
    table = seated("9H 9S 9D 9C", QUIET, top="5C", stockpile="6D 6S")
    table.do(0, CallCambia())
    table.gone(1)
    table.back(1)
    assert only(draw_and_discard(table, 1), GameEnded).winners == [1]


def test_when_everybody_is_gone_nobody_wins() -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="6D 6S")
    table.do(0, CallCambia())
    table.gone(0)
    table.gone(1)
    result = only(table.wait(15_000), GameEnded)
    assert (result.scores, result.winners) == ([None, None], [])


def test_an_abandoned_game_ends_without_a_winner() -> None:
    table = seated(QUIET, OTHER, top="5C")
    result = only(table.match.abandon(table.rng, table.now), GameEnded)
    assert (result.scores, result.winners, result.how) == ([None, None], [], "abandoned")
    assert table.match.outcome() is not None
    assert table.match.due() is None
    assert table.match.abandon(table.rng, table.now) == []


# The stockpile


def test_a_draw_that_leaves_one_card_reshuffles_all_discards_but_the_top() -> None:
    table = seated(QUIET, OTHER, top="5C", numJokers=0)
    layout = table.match.layout
    while len(layout.stockpile) > 2:
        draw_and_skip(table)
    under = {layout.ids[c] for c in layout.discards[:-1]}
    faces = Counter(layout.faces[c] for c in layout.discards[:-1])
    top, last = layout.ids[layout.discards[-1]], layout.ids[layout.stockpile[0]]
    events = table.do(table.match.current, DrawStockpile())
    assert kinds(events) == ["Drew", "Reshuffled"]
    assert only(events, Drew).stockpile == 1
    assert only(events, Reshuffled).stockpile == len(under) + 1 == len(layout.stockpile)
    assert [layout.ids[card] for card in layout.discards] == [top]
    # They go under what is left, nobody knows them, and their old ids say nothing.
    assert layout.ids[layout.stockpile[-1]] == last
    assert Counter(layout.faces[c] for c in layout.stockpile[:-1]) == faces
    assert not under & set(layout.ids)
    assert not any(layout.knows(s, c) for s in (0, 1, None) for c in layout.stockpile)


def draw_and_skip(table: Table) -> None:
    seat = table.match.current
    draw_and_discard(table, seat)
    if table.match.current == seat:
        table.do(seat, Special("skip"))


@pytest.mark.parametrize("by", ["the player", "the timer"])
@pytest.mark.parametrize(
    ("left", "expected"),
    [
        (0, ["Reshuffled", "Drew"]),
        (1, ["Drew", "Reshuffled"]),
        (2, ["Drew", "Reshuffled"]),
        (3, ["Drew"]),
    ],
)
def test_a_card_is_drawn_before_the_pile_is_made_new_unless_it_is_empty(
    by: str, left: int, expected: list[str]
) -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="6C 6D 6H", penaltyDrawCount=1)
    layout = table.match.layout
    for seat in (0, 1):
        draw_and_discard(table, seat)
    while len(layout.stockpile) > 3:
        table.snap_wrong(1)
    # What is left in the stockpile changes hands, and nobody is told.
    for card in layout.stockpile[left:]:
        layout.put(card, 1, len(layout.hands[1]))
    del layout.stockpile[left:]
    for picture in table.pictures.values():
        picture.stockpile = left
        picture.players[1].hand = [layout.ids[card] for card in layout.hands[1]]
    table.match.snaps.rests.clear()
    events = table.do(0, DrawStockpile()) if by == "the player" else table.wait(15_000)
    assert kinds(events)[: len(expected)] == expected
    assert kinds(events).count("Reshuffled") == expected.count("Reshuffled")


def test_with_only_the_top_discard_nothing_is_reshuffled() -> None:
    table = seated(QUIET, OTHER, top="5C", penaltyDrawCount=1)
    layout = table.match.layout
    while len(layout.stockpile) > 1:
        assert kinds(table.snap_wrong(1)) == ["SnapFailed", "SnapPenalty"]
    assert kinds(table.do(0, DrawStockpile())) == ["Drew"]
    assert (len(layout.stockpile), len(layout.discards)) == (0, 1)


def test_when_there_is_nothing_to_draw_at_all_the_game_ends() -> None:
    table = seated(QUIET, OTHER, top="5C", penaltyDrawCount=6)
    while table.match.layout.can_draw():
        table.snap_wrong(1)
    result = only(table.do(0, DrawStockpile()), GameEnded)
    assert (result.how, result.winners, result.caller) == ("stockpile", [0], None)


def test_the_timer_too_ends_a_game_with_nothing_to_draw() -> None:
    table = seated(QUIET, OTHER, top="5C", penaltyDrawCount=6)
    while table.match.layout.can_draw():
        table.snap_wrong(1)
    assert only(table.wait(15_000), GameEnded).how == "stockpile"


def test_an_empty_stockpile_is_filled_from_later_discards_before_the_next_draw() -> None:
    table = seated(QUIET, OTHER, top="5C", penaltyDrawCount=6)
    layout = table.match.layout
    while len(layout.stockpile) > 6:
        table.snap_wrong(1)
    table.do(0, DrawStockpile())
    while layout.stockpile:
        table.snap_wrong(1)
    table.do(0, Replace(table.card(0, 0), 0))
    assert (len(layout.stockpile), len(layout.discards)) == (0, 2)
    assert kinds(table.do(1, DrawStockpile()))[:2] == ["Reshuffled", "Drew"]


# Promises about every game


@given(tools.settings, st.integers(2, 8), st.integers(0, 10**6), scripts)
@settings(deadline=None, max_examples=60)
def test_whatever_is_listed_applies(rules: Settings, seats: int, seed: int, script: Any) -> None:
    table = played(rules, seats, seed, script)
    for seat in range(seats):
        for action in table.match.legal(seat)[:60]:
            twin = table.match.copy()
            assert twin.apply(seat, action, FastRng(seed), table.now)


@given(tools.settings, st.integers(2, 8), st.integers(0, 10**6), scripts, st.data())
@settings(deadline=None, max_examples=60)
def test_a_rejected_action_leaves_no_trace(
    rules: Settings, seats: int, seed: int, script: Any, data: st.DataObject
) -> None:
    table = played(rules, seats, seed, script)
    names = st.sampled_from([*table.match.layout.ids, "", "nonsense"])
    specials = ("peek_self", "peek_other", "swap_blind", "swap_peek", "swap_peek_swap", "skip", "?")
    anything: st.SearchStrategy[Action] = st.one_of(
        st.builds(DrawStockpile),
        st.builds(DrawDiscard),
        st.builds(CallCambia),
        st.builds(DiscardDrawn, names),
        st.builds(Replace, names, st.integers(-2, 9)),
        st.builds(Snap, names),
        st.builds(SnapMove, names),
        st.builds(Special, st.sampled_from(specials), names, names),
    )
    for _ in range(10):
        seat, action = data.draw(st.integers(0, seats - 1)), data.draw(anything)
        before = fingerprint(table.match)
        try:
            table.match.copy().apply(seat, action, FastRng(1), table.now)
            table.do(seat, action)
        except Illegal as illegal:
            assert illegal.code
            assert illegal.sentence.endswith(".")
            assert fingerprint(table.match) == before


@given(tools.settings, st.integers(2, 8), st.integers(0, 10**6), scripts, st.integers(0, 70))
@settings(deadline=None, max_examples=40)
def test_a_copy_goes_its_own_way_and_the_same_inputs_lead_to_the_same_game(
    rules: Settings, seats: int, seed: int, script: Any, cut: int
) -> None:
    table = played(rules, seats, seed, script)
    again = Table(rules, seats, tools.StackedRng(None, seed))
    early = None
    for number, entry in enumerate(table.log):
        if number == cut:
            early = (again.match.copy(), fingerprint(again.match))
        again.repeat(entry)
    assert fingerprint(again.match) == fingerprint(table.match)
    assert again.told == table.told
    if early is not None:
        assert fingerprint(early[0]) == early[1]


@given(tools.settings, st.integers(2, 8), st.integers(0, 10**6), scripts)
@settings(deadline=None, max_examples=80)
def test_nothing_wedges(rules: Settings, seats: int, seed: int, script: Any) -> None:
    """From every state somebody can go on or a deadline is running; and the turn does pass."""
    table = Table(rules, seats, tools.StackedRng(None, seed))
    for step in script:
        match = table.match
        if match.outcome() is not None:
            return
        assert match.due() is not None or match.legal(match.current)
        take(table, step)
    turn, snaps = table.match.turn, table.match.snaps
    for _ in range(4 + len(snaps.debts) + len(snaps.rests)):
        match = table.match
        if match.outcome() is not None or match.turn > turn:
            return
        due = match.due()
        if due is not None:
            table.wait(due - table.now)
        else:
            first = match.legal(match.current)[0]
            assert not isinstance(first, (Snap, SnapMove))
            table.do(match.current, first)
    raise AssertionError("the turn has not passed")
