"""After every change of a hand the enveloped form tells the whole state (spec: "What the existing
web client relies on"), and the flat form does not."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.battery import play_on, random_night
from parlour.games.cambia import events as ev
from tests.cambia.guests import Evening, Guest
from tests.cambia.trial import CAMBIA
from tests.support import Event

CALM = {"turnTimerSec": 0}


async def heard_by(guest: Guest) -> list[Event]:
    """What was on its way to a guest, and nothing that comes later."""
    before = len(guest.game.heard)
    await guest.lobby.send("ping")
    await guest.lobby.until("pong")
    return guest.game.heard[before:-1]


def kinds(messages: list[Event]) -> list[str]:
    return [message["type"] for message in messages]


def hands(message: Event) -> dict[str, list[str]]:
    return {
        p["playerId"]: [c["id"] for c in p["revealedHand"]] for p in message["state"]["players"]
    }


async def test_a_replaced_card_is_followed_by_the_state_for_everybody(evening: Evening) -> None:
    evening.stack(["AH 2H 3H 4H", "AD 2D 3D 4D"], top="5C", stockpile="6C 6S")
    guests = await evening.guests("enveloped", "enveloped", houseRules=CALM)
    await evening.begin(guests)
    await guests[0].say("action_draw_stockpile")
    drawn = (await guests[0].game.until("private_draw_stockpile"))["card"]["id"]
    await guests[1].game.until("player_draw_stockpile")
    old = evening.hand(guests[0])[2]
    await guests[0].say("action_replace", card={"id": old, "idx": 2})
    for guest in guests:
        heard = await heard_by(guest)
        assert kinds(heard) == ["player_discard", "game_player_turn", "private_sync_state"]
        assert hands(heard[-1]) == {g.id: evening.hand(g) for g in guests}
        assert hands(heard[-1])[guests[0].id][2] == drawn
        # The state is the one after all that happened, not the one of the moment of the replace.
        assert heard[-1]["state"]["currentPlayerId"] == guests[1].id


async def test_the_ability_that_waits_is_told_again_behind_the_state(evening: Evening) -> None:
    evening.stack(["AH 2H 3H 4H", "7D 2D 3D 4D"], top="5C", stockpile="7C 6S")
    guests = await evening.guests("enveloped", "enveloped", houseRules=CALM)
    one, other = guests
    await evening.begin(guests)
    await one.say("action_draw_stockpile")
    drawn = (await one.game.until("private_draw_stockpile"))["card"]["id"]
    await one.say("action_discard", card={"id": drawn})
    choice = await one.game.until("player_special_choice")
    await other.game.until("player_special_choice")
    await other.say("action_snap", card={"id": evening.hand(other)[0]})
    await other.game.until("player_snap_success")
    for guest in guests:
        heard = [m for m in await heard_by(guest) if m["type"] != "player_snap_success"]
        assert kinds(heard) == ["private_sync_state", "player_special_choice"]
        again = heard[1]
        assert {**again, "payload": choice["payload"]} == choice
    # Whoever reloads now is told it last of all.
    back = await Guest(one.visitor, "enveloped", one.lobby_id).enter()
    await heard_by(back)
    assert kinds(back.lobby.heard[:-1]) == [
        "private_sync_state",
        "lobby_state",
        "sync_state",
        "private_sync_state",
        "player_special_choice",
    ]


async def test_a_reload_with_a_drawn_card_ends_with_a_state_that_has_it(evening: Evening) -> None:
    guests = await evening.guests("enveloped", "enveloped", houseRules=CALM)
    await evening.begin(guests)
    await guests[0].say("action_draw_stockpile")
    drawn = (await guests[0].game.until("private_draw_stockpile"))["card"]["id"]
    back = await Guest(guests[0].visitor, "enveloped", guests[0].lobby_id).enter()
    await heard_by(back)
    last = back.lobby.heard[-2]
    assert last["type"] == "private_sync_state"
    mine = next(p for p in last["state"]["players"] if p["playerId"] == back.id)
    assert (mine["drawnCard"]["id"], mine["drawnCard"]["known"]) == (drawn, True)


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_states_follow_changes_of_hands_and_nothing_else(seed: int) -> None:
    """By form and connection, over random games."""
    rnd = Random(seed)
    night = random_night(CAMBIA, rnd, 0)

    def hold_against(entry: Any, happened: list[Any], letters: Any) -> None:
        if any(isinstance(event, (ev.Dealt, ev.PlayStarted)) for event in happened):
            return
        moving = (ev.Swapped, ev.SnapWon, ev.SnapPenalty, ev.SnapMoved, ev.SpecialRefused)
        moves = [
            event
            for event in happened
            if isinstance(event, moving) or (isinstance(event, ev.Discarded) and event.idx >= 0)
        ]
        over = any(isinstance(event, ev.GameEnded) for event in happened)
        for attachment in night.audience.attachments:
            player = night.audience.player(attachment)
            moved = any(night.table.view(event, player) is not None for event in moves)
            told = [
                msgspec.json.decode(data)["type"]
                for connections, data in letters
                if attachment.connection in connections
            ]
            states = told.count("private_sync_state")
            assert states == int(attachment.wire.name == "cambia" and moved and not over)
            if states:
                after = told[told.index("private_sync_state") + 1 :]
                pending = night.table.picture(None).choice is not None  # type: ignore[attr-defined]
                assert after == ["player_special_choice"] * pending

    night.witnesses.append(hold_against)
    play_on(night, rnd, 60)
