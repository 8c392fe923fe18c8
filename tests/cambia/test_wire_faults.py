"""What went wrong on the wires of other servers, and what must not on ours."""

from __future__ import annotations

import asyncio
import pickle
from itertools import pairwise
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.battery import open_night, play_on, random_night
from parlour.games.cambia import GAME, actions
from parlour.games.cambia.wire import WIRES
from parlour.games.cambia.wire.enveloped import Enveloped
from parlour.games.cambia.wire.flat import FlatGame, FlatLobby
from parlour.protocol import BadMessage
from parlour.table import inputs as do
from tests.cambia.follower import Follower
from tests.cambia.guests import Evening, Form
from tests.cambia.trial import CAMBIA
from tests.support import Event

CODECS = (Enveloped(), FlatLobby(), FlatGame())
ENVELOPED, GAME_SOCKET = 0, 2


# State after a reload


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(0, 2**32))
def test_the_messages_of_a_game_add_up_to_its_state(seed: int) -> None:
    """Whoever has listened from the deal on knows what somebody who reloads is told."""
    rnd = Random(seed)
    night = random_night(CAMBIA, rnd, 0)
    for _ in range(6):
        play_on(night, rnd, 25)
        if not night.table.roster.running:
            return
        for seat, player in enumerate(night.table.roster.seating):
            for wire in (ENVELOPED, GAME_SOCKET):
                told = [msgspec.json.decode(m) for m in night.told[100 * (seat + 1) + wire]]
                first = next(i for i, m in enumerate(told) if m["type"] == "private_sync_state")
                follower = Follower(told[first]["state"])
                for message in told[first + 1 :]:
                    follower.hear(message)
                reload = CODECS[wire].greet(
                    night.table.picture(player), night.table.roster, player, night.now
                )
                fresh = msgspec.json.decode(reload[0])
                assert fresh["type"] == "private_sync_state"
                known, true = follower.summary(), Follower(fresh["state"]).summary()
                if known["discardTop"] is None:
                    del known["discardTop"], true["discardTop"]
                assert known == true


@settings(max_examples=25)
@given(st.integers(0, 2**32))
def test_a_snapshot_in_between_is_the_snapshot_of_a_reload(seed: int) -> None:
    rnd = Random(seed)
    night = random_night(CAMBIA, rnd, rnd.randint(0, 60))
    roster = night.table.roster
    if not roster.running:
        return
    for player in roster.seating:
        picture = night.table.picture(player)
        for codec in (CODECS[ENVELOPED], CODECS[GAME_SOCKET]):
            greeting = codec.greet(picture, roster, player, night.now)
            snapshot = list(codec.snapshot(None, picture, roster, player, night.now))
            assert snapshot[:1] == greeting[:1]
            if codec is CODECS[ENVELOPED]:
                assert greeting[-len(snapshot) :] == snapshot


# Hidden faces


def _cards(thing: Any) -> list[Event]:
    if isinstance(thing, dict):
        inner = [card for value in thing.values() for card in _cards(value)]
        return [thing, *inner] if "id" in thing and ("idx" in thing or "rank" in thing) else inner
    if isinstance(thing, list):
        return [card for item in thing for card in _cards(item)]
    return []


@settings(max_examples=20)
@given(st.integers(0, 2**32))
def test_a_face_is_whole_or_not_there_and_zero_is_a_value(seed: int) -> None:
    """Fault: a joker's value 0 was left out."""
    night = random_night(CAMBIA, Random(seed), 120)
    for data in (m for told in night.told.values() for m in told):
        for card in _cards(msgspec.json.decode(data)):
            face = {"rank", "suit", "value"} & set(card)
            assert face in (set(), {"rank", "suit", "value"})
            assert card.get("known", bool(face)) is bool(face)
            if face and card["rank"] == "O":
                assert card["value"] == 0
                assert card["suit"] in "RB"


# More than two players, two messages in flight, one turn at a time


@pytest.mark.parametrize("seats", [3, 5, 8])
def test_there_may_be_more_than_two_players(seats: int) -> None:
    """Fault: a panic with more than two players."""
    night = open_night(CAMBIA, seats, {}, "ab" * 32)
    play_on(night, Random(seats), 400)
    told = [msgspec.json.decode(m) for m in night.told[100 * seats + GAME_SOCKET]]
    assert len(told[0]["state"]["players"]) == seats
    whose = {m["user"]["id"] for m in told if m["type"] == "game_player_turn"}
    assert len(whose) == seats


@settings(max_examples=15)
@given(st.integers(0, 2**32))
def test_turns_are_counted_one_by_one_and_go_round(seed: int) -> None:
    """Fault: the turn advanced twice."""
    night = random_night(CAMBIA, Random(seed), 150)
    order = [player.id for player in night.table.roster.seating]
    told = [msgspec.json.decode(m) for m in night.told[GAME_SOCKET]]
    turns = [m for m in told if m["type"] == "game_player_turn"]
    assert [m["payload"]["turn"] for m in turns] == list(range(1, len(turns) + 1))
    for one, following in pairwise(turns):
        at = order.index(one["user"]["id"])
        assert following["user"]["id"] == order[(at + 1) % len(order)]


@pytest.mark.parametrize("form", ["flat", "enveloped"])
async def test_two_messages_in_flight_are_both_taken_in_order(evening: Evening, form: Form) -> None:
    """Fault: the second of two messages sent without waiting was dropped or raced the first."""
    evening.stack(("AH 6C 3D 4S", "5H 6D 5C 9S"), "8C", "2C 2H")
    one, other = await evening.guests(form, form)
    await evening.begin([one, other])
    first = evening.match(one).layout
    drawn = first.ids[first.stockpile[-1]]
    await one.say("action_draw_stockpile")
    await one.say("action_discard", card={"id": drawn})
    await one.say("action_draw_stockpile")
    assert (await one.game.until("player_discard"))["card"]["id"] == drawn
    assert (await one.game.until("game_player_turn"))["user"] == {"id": other.id}
    assert (await one.game.until("error"))["code"] == "not-your-turn"
    assert evening.match(one).turn == 2


async def test_two_snaps_in_flight_have_one_winner(evening: Evening) -> None:
    evening.stack(("6H 6C 3D 4S", "5H 6D 5C 9S"), "6S")
    guests = await evening.guests("flat", "enveloped", houseRules={"snapRace": True})
    await evening.begin(guests)
    cards = [evening.hand(guests[0])[0], evening.hand(guests[1])[1]]
    await asyncio.gather(
        *(g.say("action_snap", card={"id": c}) for g, c in zip(guests, cards, strict=True))
    )
    for guest in guests:
        await guest.game.until("player_snap_success")
        await guest.game.until("player_snap_fail")
    assert sorted(len(evening.hand(guest)) for guest in guests) == [3, 6]


async def test_a_game_of_many_is_played_to_its_end_over_both_forms(evening: Evening) -> None:
    """Fault: frozen at the first turn. Four people, two bots, timers and all."""
    rules = {"turnTimerSec": 5, "allowReplaceAbilities": True, "allowDrawFromDiscardPile": True}
    guests = await evening.guests("flat", "enveloped", "flat", "enveloped", houseRules=rules)
    for _ in range(2):
        await guests[0].say("add_bot")
    await guests[1].lobby.until("lobby_state")
    for _ in range(2):
        await evening.begin(guests)
        results = await asyncio.gather(*(_play(evening, guest) for guest in guests))
        assert len({msgspec.json.encode(r) for r in results}) == 1
        assert len(results[0]["scores"]) == 6


async def _play(evening: Evening, me: Any) -> Event:
    """Draw, replace the first card, skip abilities; call Cambia in the third round."""
    turns = 0
    turn = me.game.heard[-1]
    while True:
        if turn["type"] == "game_player_turn" and turn["user"]["id"] == me.id:
            turns += 1
            called = evening.match(me).caller is not None
            await me.say("action_cambia" if turns > 2 and not called else "action_draw_stockpile")
        turn = await me.game.event()
        if turn["type"] == "private_draw_stockpile":
            hand = evening.hand(me)
            if hand:
                await me.say("action_replace", card={"id": hand[0], "idx": 0})
            else:
                await me.say("action_discard", card={"id": turn["card"]["id"]})
        elif turn["type"] == "player_special_choice" and turn["user"]["id"] == me.id:
            await me.say("action_special", special="skip")
        elif turn["type"] == "game_end":
            await me.lobby.until("game_results")
            return turn["payload"]  # type: ignore[no-any-return]


# Bad messages


WRONG: list[dict[str, Any]] = [
    {"type": "action_discard"},
    {"type": "action_discard", "card": None},
    {"type": "action_discard", "card": "id"},
    {"type": "action_discard", "card": {"id": 7}},
    {"type": "action_replace", "card": {"id": "x", "idx": "0"}},
    {"type": "action_replace", "card": {"id": "x", "idx": 0.5}},
    {"type": "action_replace", "card": {"id": "x", "idx": 2**70}},
    {"type": "action_replace", "card": {"id": "x", "idx": -5}},
    {"type": "action_snap", "card": {"id": "x" * 65}},
    {"type": "action_special"},
    {"type": "action_special", "special": "peek"},
    {"type": "action_special", "special": "skip", "card1": 1},
    {"type": "action_special", "special": None},
    {"type": "ACTION_CAMBIA"},
    {"type": 7},
    {"card": {}},
]


@pytest.mark.parametrize("message", WRONG, ids=repr)
def test_wrong_types_are_refused(message: dict[str, Any]) -> None:
    data = msgspec.json.encode(message) if 2**70 not in _ints(message) else _huge(message)
    for wire in (WIRES[ENVELOPED], WIRES[GAME_SOCKET]):
        with pytest.raises(BadMessage) as refused:
            wire.decode(data)
        assert refused.value.code == "bad-message"
    body = {k: v for k, v in message.items() if k != "type"}
    if "type" in message and 2**70 not in _ints(message):
        with pytest.raises(BadMessage):
            WIRES[ENVELOPED].decode(msgspec.json.encode({"type": message["type"], "body": body}))


def _ints(message: dict[str, Any]) -> list[Any]:
    card = message.get("card")
    return list(card.values()) if isinstance(card, dict) else []


def _huge(message: dict[str, Any]) -> bytes:
    return repr(message).replace("'", '"').encode()


@settings(max_examples=200)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=6),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["type", "body", "card", "id", "idx", "rules", "msg", "special"])
                | st.text(max_size=4),
                inner,
                max_size=5,
            )
        ),
        max_leaves=12,
    ),
    st.sampled_from(
        [kind.tag for kind in msgspec.inspect.multi_type_info(Enveloped().incoming.__args__)]
    ),  # type: ignore[attr-defined]
)
def test_any_json_is_a_wish_or_a_clean_refusal(value: Any, kind: str) -> None:
    message = {**value, "type": kind} if isinstance(value, dict) else value
    try:
        data = msgspec.json.encode(message)
    except OverflowError:
        return
    for wire in WIRES:
        try:
            wire.decode(data)
        except BadMessage as bad:
            assert bad.sentence.endswith(".")


def test_wires_in_use_can_be_sent_to_other_processes() -> None:
    ping = b'{"type":"ping"}'
    for wire in WIRES:
        assert pickle.loads(pickle.dumps(wire)).decode(ping) == wire.decode(ping)
        assert pickle.loads(pickle.dumps(wire)).decode(ping) == wire.decode(ping)


def test_deep_nonsense_is_not_json() -> None:
    for wire in WIRES:
        for data in (
            b"[" * 10_000,
            b'{"body":' * 5_000,
            b"\xff\xfe",
            b"",
            b"{",
            b'{"type":"\xc3"}',
        ):
            with pytest.raises(BadMessage):
                wire.decode(data)


def test_aliases_are_taken_and_their_meaning_logged() -> None:
    card = {"card": {"id": "c"}, "card2": {"id": "d"}}
    for alias, meant in (
        ("blind_swap", "swap_blind"),
        ("peek_swap", "swap_peek"),
        ("swap_look", "swap_peek"),
    ):
        data = msgspec.json.encode({"type": "action_special", "special": alias, **card})
        for wire in (WIRES[ENVELOPED], WIRES[GAME_SOCKET]):
            request = wire.decode(data)
            assert isinstance(request, do.Act)
            assert request.action == actions.Special(meant, "c", "d")


async def test_a_refused_message_changes_nothing(evening: Evening) -> None:
    one, other = await evening.guests("flat", "enveloped")
    await evening.begin([one, other])
    before = evening.match(one).copy()
    theirs = evening.hand(other)[0]
    for type, more in (
        ("action_discard", {"card": {"id": theirs}}),
        ("action_replace", {"card": {"id": theirs, "idx": 0}}),
        ("action_draw_discardpile", {}),
        ("action_special", {"special": "peek_self", "card1": {"id": theirs}}),
        ("action_snap", {"card": {"id": theirs}}),
        ("action_snap", {"card": {"id": "no such card"}}),
        ("action_snap", {}),
        ("action_snap_move", {"card": {"id": theirs}}),
    ):
        assert await one.refused(type, **more)
    after = evening.match(one)
    assert after.turn == before.turn
    assert after.layout.hands == before.layout.hands
    assert after.layout.stockpile == before.layout.stockpile
    assert after.due() == before.due()


def test_every_message_a_wire_sends_is_of_a_type_it_publishes() -> None:
    told: dict[int, set[str]] = {0: set(), 1: set(), 2: set()}
    for seed in range(12):
        night = random_night(CAMBIA, Random(seed), 250)
        for line, messages in night.told.items():
            for data in messages:
                message = msgspec.json.decode(data, type=GAME.wires[line % 100].codec.outgoing)
                told[line % 100].add(msgspec.json.decode(data)["type"])
                assert msgspec.json.encode(message) == data
    game = {"game_player_turn", "player_draw_stockpile", "player_discard", "game_end"}
    assert told[ENVELOPED] >= {*game, "lobby_state", "phase_change", "game_started"}
    assert told[1] >= {"lobby_update", "ready_update", "game_start", "game_results"}
    assert told[GAME_SOCKET] >= {*game, "private_sync_state", "private_initial_cards"}
