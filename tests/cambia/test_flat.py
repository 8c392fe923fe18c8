"""The flat form: its two sockets, who gets in, and what the lobby says."""

from __future__ import annotations

import uuid
from typing import Any

import jwt

from tests.cambia.guests import Evening, Guest, fields
from tests.support import Client, Visitor

LOBBY_STATE = {
    "lobby_id",
    "host_id",
    "your_id",
    "your_is_host",
    "lobby_type",
    "game_mode",
    "in_game",
    "game_id",
    "house_rules",
    "circuit",
    "settings",
    "lobby_status",
}
USER = {"id", "username", "is_host", "is_ready"}
STATE = {
    "gameId",
    "preGameActive",
    "started",
    "gameOver",
    "currentPlayerId",
    "turnId",
    "stockpileSize",
    "discardSize",
    "discardTop",
    "players",
    "cambiaCalled",
    "cambiaCallerId",
    "houseRules",
    "turnDeadline",
    "serverNow",
    "specialAction",
}
PLAYER = {
    "playerId",
    "username",
    "handSize",
    "hasCalledCambia",
    "connected",
    "isCurrentTurn",
    "revealedHand",
}


async def closed_with(visitor: Visitor, path: str, **options: Any) -> int | None:
    return await Client(await visitor.socket(path, **options)).closed()


async def test_the_lobby_door_has_four_close_codes(evening: Evening) -> None:
    visitor, lobby_id = await evening.lobby()
    key = evening.house.server.sessions._key._private
    path = f"/lobby/ws/{lobby_id}"
    nobody = jwt.encode({"sub": "nobody"}, key, algorithm="EdDSA")
    lobby = {"protocols": ["lobby"]}
    assert await closed_with(visitor, path) == 3000
    assert await closed_with(visitor, path, protocols=["game"]) == 3000
    assert await closed_with(visitor, f"{path}?token=forged", **lobby) == 3001
    assert await closed_with(visitor, f"{path}?token={nobody}", **lobby) == 3002
    for no_lobby in (uuid.uuid4(), "nonsense", "000 000"):
        assert await closed_with(visitor, f"/lobby/ws/{no_lobby}", **lobby) == 3003


async def test_the_game_door_answers_before_the_upgrade_and_knows_its_players(
    evening: Evening,
) -> None:
    stranger = await evening.house.visitor()
    game = {"protocols": ["game"]}
    assert await stranger.refusal("/game/ws/nonsense", **game) == 400
    assert await stranger.refusal(f"/game/ws/{uuid.uuid4()}", **game) == 404
    guests = await evening.guests("flat", "flat")
    assert await stranger.refusal(f"/game/ws/{guests[0].lobby_id}", **game) == 404
    await evening.begin(guests)
    path = f"/game/ws/{evening.roster(guests[0]).match_id}"
    assert await closed_with(stranger, path, **game) == 1008
    assert await closed_with(guests[0].visitor, path, protocols=["lobby"]) == 3000
    assert await closed_with(guests[0].visitor, f"{path}?token=forged", **game) == 3001
    await guests[0].say("action_cambia")
    await guests[0].game.until("player_cambia")
    evening.watch.forward(15_000)
    await guests[0].game.until("game_end")
    # The socket is for this game, and ends with it.
    assert await guests[0].game.closed() == 1000
    assert await guests[0].visitor.refusal(path, **game) == 410


async def test_a_game_has_ended_even_when_its_table_has_closed(evening: Evening) -> None:
    guests = await evening.guests("flat", "flat")
    await evening.begin(guests)
    match_id = evening.roster(guests[0]).match_id
    for guest in guests:
        await guest.say("leave_lobby")
        assert await guest.lobby.closed() == 1000
    visitor = guests[0].visitor
    assert (await visitor.call("POST", f"/lobby/{guests[0].lobby_id}/join"))[0] == 404
    assert await visitor.refusal(f"/game/ws/{match_id}", protocols=["game"]) == 410
    assert await closed_with(visitor, f"/lobby/ws/{match_id}", protocols=["lobby"]) == 3003
    assert (await visitor.call("GET", f"/api/tables/{match_id}"))[0] == 404


async def test_the_subprotocol_is_the_sockets_own_whatever_else_is_offered(
    evening: Evening,
) -> None:
    visitor, lobby_id = await evening.lobby()
    socket = await visitor.socket(f"/lobby/ws/{lobby_id}", protocols=["game", "lobby"])
    assert socket.protocol == "lobby"


async def test_an_upgrade_without_a_cookie_makes_a_guest_who_stays_one(evening: Evening) -> None:
    _, lobby_id = await evening.lobby()
    newcomer = await evening.house.visitor()
    guest = await Guest(newcomer, "flat", lobby_id).enter()
    cookies = {c.key: c for c in newcomer.http.cookie_jar}
    assert cookies["auth_token"]["httponly"]
    assert cookies["auth_token"]["samesite"] == "Lax"
    status, me = await newcomer.call("GET", "/user/me")
    assert status == 200
    assert me["id"] == guest.id
    again = await Guest(newcomer, "flat", lobby_id).enter()
    assert again.id == guest.id


async def test_a_refused_upgrade_gives_no_identity(evening: Evening) -> None:
    newcomer = await evening.house.visitor()
    path = f"/lobby/ws/{uuid.uuid4()}"
    assert await closed_with(newcomer, path, protocols=["lobby"]) == 3003
    assert not list(newcomer.http.cookie_jar)


async def test_the_lobby_tells_a_newcomer_everything(evening: Evening) -> None:
    rules = {"turnTimerSec": 30}
    host, guest = await evening.guests(
        "flat", "flat", type="public", gameMode="group_of_4", houseRules=rules, name="Ours"
    )
    state = guest.state
    assert fields(state) >= LOBBY_STATE
    assert state["lobby_id"] == host.lobby_id
    assert state["host_id"] == host.id
    assert state["your_id"] == guest.id != host.id
    assert (state["your_is_host"], host.state["your_is_host"]) == (False, True)
    assert (state["lobby_type"], state["game_mode"]) == ("public", "group_of_4")
    assert (state["in_game"], state["game_id"]) == (False, None)
    assert state["house_rules"]["turnTimerSec"] == 30
    assert len(state["house_rules"]) == 12
    assert fields(state["circuit"]) == {"enabled", "mode", "rules"}
    assert state["settings"]["autoStart"] is True
    assert (state["name"], state["max_players"]) == ("Ours", 4)
    users = state["lobby_status"]["users"]
    assert all(fields(user) >= USER for user in users)
    assert [(u["id"], u["is_host"], u["is_ready"]) for u in users] == [
        (host.id, True, False),
        (guest.id, False, False),
    ]


async def test_the_lobby_tells_of_every_change(evening: Evening) -> None:
    (host,) = await evening.guests("flat")
    guest = await evening.another(host, "flat")
    told = await host.lobby.expect("lobby_update")
    assert [u["id"] for u in told["lobby_status"]["users"]] == [host.id, guest.id]
    assert told["host_id"] == host.id

    await guest.say("chat", msg="  hello ")
    for one in (host, guest):
        told = await one.lobby.expect("chat")
        assert fields(told) == {"user_id", "username", "msg", "ts"}
        assert (told["user_id"], told["msg"]) == (guest.id, "hello")
        # Seconds, as clients of this form expect them.
        assert 1_600_000_000 < told["ts"] < 10_000_000_000

    await host.say("update_rules", rules={"houseRules": {"numJokers": 0}})
    for one in (host, guest):
        told = await one.lobby.expect("lobby_rules_updated")
        assert told["rules"]["houseRules"]["numJokers"] == 0
        assert fields(told["rules"]) == {"houseRules", "house_rules", "circuit", "settings"}

    for who in (host, guest):
        await who.say("ready")
        for one in (host, guest):
            told = await one.lobby.expect("ready_update")
            assert fields(told) == {"user_id", "username", "is_ready"}
            assert (told["user_id"], told["is_ready"]) == (who.id, True)
    assert await host.lobby.expect("lobby_countdown_start") == {
        "type": "lobby_countdown_start",
        "seconds": 10,
    }
    await guest.lobby.expect("lobby_countdown_start")
    await guest.say("unready")
    assert (await host.lobby.expect("ready_update"))["is_ready"] is False
    await host.lobby.expect("lobby_countdown_cancel")
    await guest.close()
    told = await host.lobby.expect("lobby_update")
    assert [u["connected"] for u in told["lobby_status"]["users"]] == [True, False]


async def test_a_game_begins_with_its_state_and_two_cards(evening: Evening) -> None:
    evening.stack(("AH KD 3D 4S", "5H 6D 5C 9S"), "OB")
    host, guest = await evening.guests("flat", "flat")
    await host.say("ready")
    await guest.say("ready")
    await host.lobby.until("lobby_countdown_start")
    evening.watch.forward(10_000)
    told = await host.lobby.expect("game_start")
    assert fields(told) == {"game_id"}
    socket = await host.visitor.socket(f"/game/ws/{told['game_id']}", protocols=["game"])
    host.game = Client(socket)
    state = (await host.game.expect("private_sync_state"))["state"]
    assert set(state) == STATE
    assert state["gameId"] == told["game_id"]
    assert uuid.UUID(state["gameId"]).version == 4
    assert (state["preGameActive"], state["started"], state["gameOver"]) == (True, False, False)
    assert (state["currentPlayerId"], state["turnId"]) == (None, 0)
    assert (state["stockpileSize"], state["discardSize"]) == (45, 1)
    assert fields(state["discardTop"]) == {"id", "known", "rank", "suit", "value"}
    assert state["discardTop"]["value"] == 0
    assert (state["cambiaCalled"], state["cambiaCallerId"]) == (False, None)
    assert state["turnDeadline"] > state["serverNow"]
    assert state["specialAction"] == {"active": False, "playerId": None, "cardRank": None}
    for player, who in zip(state["players"], (host, guest), strict=True):
        assert fields(player) >= PLAYER
        assert (player["playerId"], player["handSize"]) == (who.id, 4)
        assert (player["connected"], player["isCurrentTurn"]) == (True, False)
        assert [c["idx"] for c in player["revealedHand"]] == [0, 1, 2, 3]
        known = [c["known"] for c in player["revealedHand"]]
        assert known == [who is host, who is host, False, False]

    told = await host.game.expect("private_initial_cards")
    user = {"id": host.id}
    ids = evening.hand(host)
    card1 = {"id": ids[0], "rank": "A", "suit": "H", "value": 1, "idx": 0, "user": user}
    card2 = {"id": ids[1], "rank": "K", "suit": "D", "value": -1, "idx": 1, "user": user}
    assert told["card1"] == card1
    assert told["card2"] == card2

    # Fault: frozen at the first turn.
    evening.watch.forward(10_000)
    state = (await host.game.until("private_sync_state"))["state"]
    assert (state["preGameActive"], state["started"], state["turnId"]) == (False, True, 1)
    assert state["currentPlayerId"] == host.id
    assert not any(c["known"] for p in state["players"] for c in p["revealedHand"])
    turn = await host.game.expect("game_player_turn")
    assert turn["user"] == {"id": host.id}
    assert state["turnDeadline"] == turn["payload"]["turnDeadline"]


async def test_refusals_go_to_their_sender_alone(evening: Evening) -> None:
    host, guest = await evening.guests("flat", "flat")
    await guest.say("start_game")
    told = await guest.lobby.until("error")
    assert fields(told) == {"code", "message"}
    assert told["code"] == "host-only"
    assert await host.refused("start_game") == "not-ready"
    await evening.begin([host, guest])
    assert await guest.refused("action_draw_stockpile") == "not-your-turn"
    await host.game.send("ready")
    assert (await host.game.until("error"))["code"] == "bad-message"
    await host.game.send("ping")
    assert await host.game.expect("pong") == {"type": "pong"}
    await host.lobby.send("ping")
    assert await host.lobby.until("pong") == {"type": "pong"}
    assert "error" not in [m["type"] for m in guest.game.heard[:-1]]
