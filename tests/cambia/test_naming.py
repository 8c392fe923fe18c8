"""How a card is named: by its id, by its owner and idx, or by both if they agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.games.cambia.actions import DiscardDrawn, DrawStockpile, Replace, Snap, Special
from parlour.games.cambia.events import (
    NO_OWNER,
    Discarded,
    Peeked,
    SnapFailed,
    SnapWon,
    SpecialRefused,
    Swapped,
    view,
)
from tests.cambia.guests import Evening, Form
from tests.cambia.test_both_forms import dealt
from tests.cambia.tools import Table, fingerprint, only, refused, seated

HANDS = ("AH 2H 3H 4H", "AS 2S 3S 4S", "AD 2D 3D 4D")


def player(table: Table, seat: int) -> str:
    return table.match.layout.players[seat]


def with_special(card: str) -> Table:
    """Three players, the first of whom has just discarded `card`."""
    table = seated(*HANDS, top="5C", stockpile=card)
    table.do(0, DrawStockpile())
    table.do(0, DiscardDrawn(table.drawn))
    return table


@given(
    owner=st.integers(1, 2),
    idx=st.integers(0, 3),
    said=st.sampled_from(["id", "place", "both", "id and idx", "id and owner"]),
)
def test_every_true_name_means_the_same_card(owner: int, idx: int, said: str) -> None:
    table = with_special("9C")
    card = table.card(owner, idx)
    action = Special(
        "peek_other",
        card1="" if said == "place" else card,
        owner1=player(table, owner) if said in ("place", "both", "id and owner") else "",
        idx1=idx if said in ("place", "both", "id and idx") else -1,
    )
    assert only(table.do(0, action), Peeked).card.card == card


@given(
    owner=st.integers(0, 2),
    idx=st.integers(0, 3),
    said_owner=st.integers(0, 2),
    said_idx=st.integers(-1, 5),
)
def test_a_card_that_is_not_where_it_is_named_is_refused(
    owner: int, idx: int, said_owner: int, said_idx: int
) -> None:
    """By its player alone it is heard, nothing changes, and the timer runs on."""
    table = with_special("JC")
    one, other = table.card(owner, idx), table.card((owner + 1) % 3, 0)
    action = Special("swap_blind", one, other, player(table, said_owner), said_idx)
    before, deadline = fingerprint(table.match), table.match.clock.deadline
    events = table.do(0, action)
    if said_owner == owner and said_idx in (-1, idx):
        assert only(events, Swapped).card1.card == one
        return
    failed = only(events, SpecialRefused)
    assert (failed.card1.card, failed.card1.owner, failed.card1.idx) == (one, owner, idx)
    assert (failed.deadline, len(events)) == (deadline, 1)
    assert fingerprint(table.match) == before
    assert view(failed, 1) is None


def test_an_idx_of_nobody_in_particular_is_ones_own() -> None:
    table = with_special("7C")
    card = table.card(0, 3)
    assert only(table.do(0, Special("peek_self", idx1=3)), Peeked).card.card == card


@pytest.mark.parametrize(
    "action",
    [
        Special("peek_self", idx1=4),
        Special("peek_self"),
        Special("peek_self", idx1=0, owner1="nobody"),
        Special("peek_self", card1="no such card"),
    ],
)
def test_what_names_no_card_is_refused(action: Special) -> None:
    assert refused(with_special("7C"), 0, action) == "no-such-card"


def test_an_id_that_is_gone_is_not_taken_for_what_lies_in_its_place() -> None:
    """A card snapped away closes the row: another lies at its idx, which nobody clicked."""
    table = seated("9H 2H 3H 4H", *HANDS[1:], top="5C", stockpile="9C")
    table.do(0, DrawStockpile())
    table.do(0, DiscardDrawn(table.drawn))
    gone = table.card(0, 0)
    only(table.do(0, Snap(gone)), SnapWon)
    failed = only(table.do(0, Special("peek_other", gone, idx1=0)), SpecialRefused)
    assert (failed.card1.card, failed.card1.owner, failed.card2) == (gone, NO_OWNER, None)


def test_snaps_and_replaces_are_held_to_both_names() -> None:
    table = seated(*HANDS, top="5C", stockpile="6C")
    mine, me, you = table.card(0, 1), player(table, 0), player(table, 1)
    assert refused(table, 0, Snap(mine, idx=2)) == "card-moved"
    assert refused(table, 0, Snap(mine, you, 1)) == "card-moved"
    assert refused(table, 0, Snap("", you, 1)) == "not-yours"
    assert only(table.do(0, Snap(mine, me, 1)), SnapFailed).card.card == mine
    table.do(0, DrawStockpile())
    assert refused(table, 0, Replace(mine, 0, "")) == "card-moved"
    assert refused(table, 0, Replace(mine, 1, you)) == "card-moved"
    assert refused(table, 0, Replace("", 1, you)) == "not-yours"
    assert only(table.do(0, Replace("", 1, me)), Discarded).card == mine


@pytest.mark.parametrize("forms", [("flat", "enveloped"), ("enveloped", "flat")])
async def test_it_is_so_in_both_forms(evening: Evening, forms: tuple[Form, Form]) -> None:
    table = await dealt(evening, "JC", forms, turnTimerSec=0)
    one = table.one
    await table.draw(one)
    mine = table.hand(one)
    assert await one.refused("action_replace", card={"id": mine[0], "idx": 1}) == "card-moved"
    await one.say("action_replace", card={"idx": 1})
    assert (await table.all_hear("player_discard"))["card"]["id"] == mine[1]


@pytest.mark.parametrize("forms", [("flat", "enveloped"), ("enveloped", "flat")])
async def test_a_special_with_a_moved_card_fails_privately(
    evening: Evening, forms: tuple[Form, Form]
) -> None:
    table = await dealt(evening, "9C", forms, turnTimerSec=0)
    one, other = table.one, table.other
    await table.draw_and_discard(one)
    card = table.hand(other)[2]
    named = {"id": card, "idx": 1, "user": {"id": other.id}}
    await one.say("action_special", special="peek_other", card1=named)
    told = await one.game.until("private_special_action_fail")
    assert told["card"] == told["card1"] == {"id": card, "idx": 2, "user": {"id": other.id}}
    assert "card2" not in told
    if one.form == "enveloped":
        await one.game.expect("private_sync_state")
        await one.game.expect("player_special_choice")
    await one.say("action_special", special="peek_other", card1={**named, "idx": 2})
    assert (await one.game.expect("player_special_action"))["card"]["id"] == card
    assert all(m["type"] != "private_special_action_fail" for m in other.game.heard)
