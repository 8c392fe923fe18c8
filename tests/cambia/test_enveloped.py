"""The enveloped form: one socket, numbered frames, phases."""

from __future__ import annotations

import uuid

import pytest

from parlour.games.cambia.wire import lobby
from tests.cambia.guests import EnvelopedClient, Evening, Guest, fields, same
from tests.cambia.test_flat import LOBBY_STATE, closed_with
from tests.support import Opener


async def test_the_door_takes_its_subprotocol_or_none(evening: Evening) -> None:
    visitor, lobby_id = await evening.lobby()
    path = f"/ws/{lobby_id}"
    socket = await visitor.socket(path, protocols=["cambia", "a-token"])
    assert socket.protocol == "cambia"
    assert await closed_with(visitor, path, protocols=["lobby"]) == 3000
    assert await closed_with(visitor, f"{path}?token=forged") == 3001
    assert await closed_with(visitor, f"/ws/{uuid.uuid4()}") == 3003


async def test_the_lobby_is_told_with_its_phase_on_every_change(evening: Evening) -> None:
    host, guest = await evening.guests("enveloped", "enveloped")
    assert fields(host.state) >= {*LOBBY_STATE, "phase"}
    assert host.state["phase"] == "open"
    heard = await host.lobby.until("lobby_state")
    assert [u["id"] for u in heard["lobby_status"]["users"]] == [host.id, guest.id]
    await host.say("ready")
    for one in (host, guest):
        heard = await one.lobby.expect("lobby_state")
        assert [u["is_ready"] for u in heard["lobby_status"]["users"]] == [True, False]
        assert heard["your_id"] == one.id
    await guest.say("ready")
    phase = {"type": "phase_change", "phase": "countdown", "seconds": 3}
    assert await host.lobby.expect("phase_change") == phase
    assert (await host.lobby.expect("lobby_state"))["phase"] == "countdown"
    await guest.say("unready")
    assert await host.lobby.expect("phase_change") == {"type": "phase_change", "phase": "open"}
    assert (await host.lobby.expect("lobby_state"))["phase"] == "open"
    await host.say("update_rules", rules={"circuit": {"enabled": True}})
    assert (await host.lobby.expect("lobby_state"))["circuit"]["enabled"] is True
    await guest.close()
    heard = await host.lobby.expect("lobby_state")
    assert [u["connected"] for u in heard["lobby_status"]["users"]] == [True, False]


async def test_a_game_starts_and_ends_with_its_phases(evening: Evening) -> None:
    guests = await evening.guests("enveloped", "enveloped", houseRules={"turnTimerSec": 5})
    host, guest = guests
    for _ in range(2):
        for one in guests:
            await one.say("ready")
        await host.lobby.until("phase_change", phase="countdown")
        evening.watch.forward(3_000)
        assert (await host.lobby.until("phase_change"))["phase"] == "in_game"
        started = await host.lobby.expect("game_started")
        assert started["players"] == [host.id, guest.id]
        state = await host.lobby.expect("lobby_state")
        assert (state["in_game"], state["phase"]) == (True, "in_game")
        assert state["game_id"] == started["game_id"]
        assert (await host.game.expect("private_sync_state"))["state"]["preGameActive"]
        cards = await host.game.expect("private_initial_cards")
        assert cards["card2"]["idx"] == 1
        evening.watch.forward(10_000)
        assert (await host.game.expect("private_sync_state"))["state"]["started"]
        turn = await host.game.expect("game_player_turn")
        first = next(one for one in guests if one.id == turn["user"]["id"])
        await first.say("action_cambia")
        await host.game.until("player_cambia")
        evening.watch.forward(5_000)
        await host.game.until("game_end")
        assert (await host.lobby.expect("phase_change"))["phase"] == "post_game"
        await host.lobby.expect("game_results")
        state = await host.lobby.expect("lobby_state")
        assert (state["in_game"], state["game_id"], state["phase"]) == (False, None, "post_game")
        await guest.lobby.until("lobby_state", phase="post_game")


async def test_whoever_comes_during_a_game_hears_its_state_first(evening: Evening) -> None:
    guests = await evening.guests("enveloped", "enveloped")
    await evening.begin(guests)
    again = await Guest(guests[1].visitor, "enveloped", guests[0].lobby_id).enter()
    await again.say("ping")
    await again.lobby.until("pong")
    kinds = [m["type"] for m in again.lobby.heard]
    assert kinds[:-1] == ["private_sync_state", "lobby_state", "sync_state", "private_sync_state"]
    first, lobby, both, last, _ = again.lobby.heard
    assert same(first, last)
    assert fields(both) == {*fields(lobby), "state"}
    assert same(both["state"], first["state"])
    assert all(both[name] == lobby[name] for name in fields(lobby))


async def test_fields_may_come_in_a_body_and_a_stale_seq_drops_nothing(evening: Evening) -> None:
    host, guest = await evening.guests("enveloped", "enveloped")
    await guest.lobby.send("chat", body={"msg": "in a body"}, last_seq=0)
    heard = await host.lobby.until("chat")
    assert heard == {
        "type": "chat",
        "userID": guest.id,
        "username": "Player 2",
        "msg": "in a body",
    }
    await guest.lobby.send("chat", msg="flat", last_seq=-7)
    assert (await host.lobby.expect("chat"))["msg"] == "flat"
    await guest.lobby.send("chat", msg='a "body" of text')
    assert (await host.lobby.expect("chat"))["msg"] == 'a "body" of text'
    await evening.begin([host, guest])
    await host.lobby.send("action_draw_stockpile", body={}, last_seq=1)
    card = (await host.game.until("private_draw_stockpile"))["card"]["id"]
    await host.lobby.send("action_discard", body={"card": {"id": card}}, last_seq=0)
    assert (await host.game.until("player_discard"))["card"]["id"] == card


async def test_an_error_says_why_under_every_name(evening: Evening) -> None:
    (host,) = await evening.guests("enveloped")
    await host.say("start_game")
    heard = await host.lobby.expect("error")
    assert fields(heard) == {"error", "code", "message"}
    assert heard["error"] == heard["message"]
    await host.lobby.send_raw("not json")
    assert (await host.lobby.expect("error"))["code"] == "bad-json"
    await host.lobby.send("ping", last_seq=3)
    assert await host.lobby.expect("pong") == {"type": "pong"}


async def test_a_snap_that_must_wait_is_not_answered_but_in_the_extras(evening: Evening) -> None:
    evening.stack(("AH 2H 3H 4H", "AS 2S 3S 4S"), "9C")
    host, guest = await evening.guests("enveloped", "flat")
    await host.close()
    await host.enter("?extras")
    plain = await Guest(host.visitor, "enveloped", host.lobby_id).enter()
    await evening.begin([host, guest])
    await plain.game.until("game_player_turn")

    async def unanswered(code: str, card: str) -> None:
        for one in (host, plain):
            heard = len(one.game.heard)
            await one.say("action_snap", card={"id": card})
            await one.say("ping")
            await one.game.until("pong")
            told = [m for m in one.game.heard[heard:-1] if m["type"] != "extras_table"]
            assert [m["type"] for m in told] == (["extras_refused"] if one is host else [])
            assert all(m["code"] == code and m["message"] for m in told)

    wrong = evening.hand(host)[0]
    await plain.say("action_snap", card={"id": wrong})
    for one in (host, plain):
        await one.game.until("player_snap_penalty")
        await one.game.until("player_snap_penalty")
        await one.game.until("private_sync_state")
    await unanswered("snap-rest", wrong)
    evening.watch.forward(2_500)
    await host.say("action_cambia")
    for one in (host, plain):
        await one.game.until("game_player_turn")
    await unanswered("locked", wrong)
    # The flat form, whose clients show refusals as they come, is told as before.
    assert await guest.refused("action_snap", card={"id": wrong}) == "not-yours"


async def test_a_lobby_that_is_locked_says_so(evening: Evening) -> None:
    (host,) = await evening.guests("enveloped")
    path = f"/api/tables/{host.state['code']}/lock"
    assert (await host.visitor.call("PUT", path, {"locked": True}))[0] == 200
    stranger = await evening.house.visitor()
    socket = EnvelopedClient(await stranger.socket(f"/ws/{host.lobby_id}"))
    assert (await socket.expect("error"))["code"] == "locked"
    assert await socket.closed() == 4403


async def test_spectators_see_what_all_see_and_touch_nothing(evening: Evening) -> None:
    guests = await evening.guests("enveloped", "flat")
    stranger = await evening.house.visitor()
    watcher = await Guest(stranger, "enveloped", guests[0].lobby_id).enter("?watch")
    assert watcher.state["your_id"] is None
    assert len(watcher.state["lobby_status"]["users"]) == 2
    assert await watcher.refused("ready") == "watching"
    await evening.begin(guests)
    state = (await watcher.game.until("private_sync_state"))["state"]
    assert not any(c["known"] for p in state["players"] for c in p["revealedHand"])
    await guests[0].say("action_draw_stockpile")
    heard = await watcher.game.until("player_draw_stockpile")
    assert fields(heard["card"]) == {"id"}
    assert await watcher.refused("action_draw_stockpile") == "watching"
    assert not any(m["type"].startswith("private_d") for m in watcher.game.heard)


@pytest.mark.parametrize("named", ["id", "code"])
async def test_a_lobbys_code_is_as_good_as_its_id(evening: Evening, named: str) -> None:
    (host,) = await evening.guests("enveloped")
    wanted = host.lobby_id if named == "id" else host.state["code"]
    guest = await Guest(await evening.house.visitor(), "enveloped", wanted).enter()
    assert guest.state["lobby_id"] == host.lobby_id


async def test_a_game_goes_on_after_the_house_was_shut(open_house: Opener) -> None:
    with Evening(await open_house()) as evening:
        guests = await evening.guests("enveloped", "enveloped", houseRules={"turnTimerSec": 0})
        await evening.begin(guests)
        hands = {guest.id: evening.hand(guest) for guest in guests}
        await evening.house.server.stop()
    with Evening(await open_house()) as evening:
        for guest in guests:
            guest.visitor.base = evening.house.base
            await guest.enter()
            state = guest.game.heard[0]["state"]
            told = {p["playerId"]: [c["id"] for c in p["revealedHand"]] for p in state["players"]}
            assert told == hands
        await guests[0].say("action_draw_stockpile")
        await guests[0].game.until("private_draw_stockpile")


@pytest.mark.parametrize("change", ["ready", "join", "rules", "bot", "reload", "leave"])
async def test_nothing_sends_anybody_back_to_the_results(evening: Evening, change: str) -> None:
    """`post_game` is said when the game ends; whatever changes then, the lobby is open again."""
    guests = await evening.guests("enveloped", "enveloped", houseRules={"turnTimerSec": 5})
    host, guest = guests
    await evening.begin(guests)
    await host.say("action_cambia")
    await host.game.until("player_cambia")
    evening.watch.forward(5_000)
    for one in guests:
        await one.lobby.until("lobby_state", phase="post_game")
    again = await Guest(host.visitor, "enveloped", host.lobby_id).enter()
    assert [m["phase"] for m in again.lobby.heard] == ["open", "open"], "a second tab"
    await guest.say("chat", msg="well played")
    assert (await host.lobby.until("chat"))["msg"] == "well played"
    assert lobby.phase_of(evening.roster(host)) == "post_game", "to talk is not to go on"
    match change:
        case "ready":
            await guest.say("ready")
        case "join":
            await evening.another(host, "enveloped")
        case "rules":
            await host.say("update_rules", rules={"houseRules": {"numJokers": 1}})
        case "bot":
            await host.say("add_bot")
        case "reload":
            await guest.close()
        case _:
            await guest.say("leave_lobby")
    assert await host.lobby.expect("phase_change") == {"type": "phase_change", "phase": "open"}
    assert (await host.lobby.expect("lobby_state"))["phase"] == "open"
    if change == "reload":
        await guest.enter()
        assert guest.state["phase"] == "open"
        assert (await host.lobby.expect("lobby_state"))["phase"] == "open"
    elif change == "ready":
        await guest.say("unready")
        assert (await host.lobby.expect("lobby_state"))["phase"] == "open"
