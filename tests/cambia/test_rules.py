"""The rules of one game: cards, settings, the deal, a turn; and what holds in every game."""

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
    InitialCards,
    TurnBegan,
    view,
)
from parlour.games.cambia.rules import deal
from parlour.games.cambia.settings import HouseRules, Settings
from parlour.kit import Illegal, Setup
from parlour.rng import FastRng, ProvableRng
from tests.cambia import tools
from tests.cambia.tools import (
    OTHER,
    QUIET,
    START,
    Table,
    draw_and_discard,
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
    assert [ability_of(face_of(f"{rank}S")) for rank in "A234567"] == [None] * 6 + ["peek_self"]
    assert [ability_of(face_of(f"{rank}S")) for rank in "89TJQK"] == [
        "peek_self", "peek_other", "peek_other", "swap_blind", "swap_blind", "swap_peek",
    ]  # fmt: skip
    assert ability_of(face_of("OR")) is None


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
    for table in (first, Table(Settings(), 2, FastRng(5), first.match)):
        layout = table.match.layout
        assert only(table.told[None], Dealt) == Dealt(
            hands=[[table.card(seat, i) for i in range(4)] for seat in range(2)],
            top=layout.ids[layout.discards[0]],
            face=table.top,
            stockpile=45,
            settings=Settings(),
            totals=None,
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
