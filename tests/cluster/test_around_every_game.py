"""What there is around every game, for people at one node whose table another one runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from parlour.house import live as lives
from parlour.server.gateway import SIGNED_OUT
from tests.quips.tools import black, brought, white
from tests.support import Client, Opener, OpenHouse, Visitor, soon


async def opened(house: OpenHouse, **body: Any) -> tuple[Visitor, dict[str, Any]]:
    opener = await house.visitor()
    status, table = await opener.call("POST", "/api/tables", {"game": "rummy", **body})
    assert status == 201, table
    return opener, table


async def test_extras_come_and_go_between_nodes(open_node: Opener) -> None:
    first, second = await open_node(), await open_node()
    host, table = await opened(first)
    code = table["code"]
    players = [await host.rummy(f"?table={code}&extras")]
    for _ in range(3):
        visitor = await second.visitor()
        await visitor.token()
        players.append(await visitor.rummy(f"?table={code}&extras"))
    for player in players:
        await player.until("lobby")
    late = await second.visitor()
    await late.call("PUT", "/api/me", {"name": "Cleo"})
    watcher = await late.rummy(f"?watch={code}&extras=story")
    assert not (await watcher.until("extras_table"))["free"]
    await watcher.send("extras_queue")
    await players[0].until("extras_table", queue=[{"name": "Cleo"}])
    await players[1].send("extras_say", text="hello")
    for client in (players[0], watcher):
        assert (await client.until("extras_said"))["text"] == "hello"
    await players[2].send("extras_target", points=-5)
    assert (await players[2].until("error"))["code"] != ""
    await players[1].send("extras_leave")
    assert await players[1].closed() == 1000
    await watcher.until("extras_table", seated=True, queue=[])


async def test_a_replay_is_told_at_every_node_to_each_what_they_may_know(
    open_node: Opener,
) -> None:
    first, second = await open_node(), await open_node()
    host, table = await opened(first, bots=1)
    name = f"/api/replays/{table['id']}-1"
    player = await host.rummy(f"?table={table['code']}&extras")
    await player.until("lobby")
    await player.send("start")
    await player.until("turn")
    await player.send("extras_say", text="between us")
    stranger, token = await second.visitor(), await host.token()
    assert (await stranger.call("GET", name))[0] == 404
    await player.play_round()
    status, told = await stranger.call("GET", name)
    assert status == 200
    mine = (await stranger.call("GET", f"{name}?token={token}"))[1]
    assert len(mine["steps"]) == len(told["steps"]) + 1
    assert "between us" in str(mine)
    assert "between us" not in str(told)


async def test_who_signs_out_at_one_node_is_signed_out_at_all(open_node: Opener) -> None:
    first, second = await open_node(), await open_node()
    here, there = await first.visitor(), await second.visitor()
    await here.call("POST", "/user/guest")
    token = await here.token()
    assert (await there.call("GET", f"/api/me?token={token}"))[0] == 200
    socket = await there.rummy(f"?token={token}")
    await socket.expect("lobby")
    assert (await here.call("POST", "/user/logout"))[0] == 200
    assert await socket.closed() == SIGNED_OUT
    await soon(lambda: second.server.sessions.check(token)[0] is None)
    assert (await there.call("GET", f"/api/me?token={token}"))[0] == 403


async def test_a_name_is_its_owners_at_all_nodes(open_node: Opener) -> None:
    first, second = await open_node(), await open_node()
    owner, guest = await first.visitor(), await second.visitor()
    await guest.call("PUT", "/api/me", {"name": "Ada"})
    body = {"username": "Ada", "password": "correct horse"}
    assert (await owner.call("POST", "/user/create", body))[0] == 201
    # At the other node as soon as it has heard of it; a table asks the node that runs it.
    _, table = await opened(first)
    client = await guest.rummy(f"?table={table['code']}")
    lobby = await client.expect("lobby")
    assert [player["name"] for player in lobby["lobby"]["players"]] == ["Ada 2"]
    mine = await owner.rummy(f"?table={table['code']}")
    lobby = await mine.expect("lobby")
    assert [player["name"] for player in lobby["lobby"]["players"]] == ["Ada 2", "Ada"]

    async def refused() -> bool:
        return (await guest.call("PUT", "/api/me", {"name": "ADA"}))[0] == 409

    await soon(refused)


async def test_a_pack_goes_from_a_table_of_one_node_to_one_of_another(open_node: Opener) -> None:
    first, second = await open_node(), await open_node()
    ann, mine = await opened(first, game="quips")
    ben, yours = await opened(second, game="quips")
    pack = {"name": "mine", "pack": brought([white(1), black(1)])}
    status, told = await ann.call("POST", f"/api/tables/{mine['code']}/packs", pack)
    assert status == 201, told
    body = {"name": "mine", "shared": True}
    await ann.call("PUT", f"/api/tables/{mine['code']}/packs", body)
    take = {"name": "mine", "table": mine["code"]}
    status, told = await ben.call("POST", f"/api/tables/{yours['code']}/packs", take)
    assert (status, told["brought"]) == (201, [{"name": "mine", "shared": False}])
    (here,), (there,) = first.tables, second.tables
    assert here.roster.content["mine"] == there.roster.content["mine"]
    assert here.roster.content["mine"].data == there.roster.content["mine"].data != b""
    # Its bytes stay for the one when the other's log is thrown away, and go with the last.
    key = f"content:{here.roster.content['mine'].digest}"
    for house, table in ((first, here), (second, there)):
        assert await second.server.store.recall(key)
        live = house.server.house.index.find(table.roster.id)
        assert live is not None
        live.close()
        assert await house.server.store.settled()

    async def gone() -> bool:
        return not await second.server.store.recall(key)

    await soon(gone)


async def test_a_join_screen_is_shown_at_every_node(open_node: Opener) -> None:
    first, second = await open_node(), await open_node()
    told = [await (await house.visitor()).call("GET", "/gameinfo") for house in (first, second)]
    assert [status for status, _ in told] == [200, 200]
    assert len(first.tables) + len(second.tables) == 1
    assert told[0][1]["pack_info"] == told[1][1]["pack_info"] != []


async def test_a_solitaire_whose_log_was_written_anew_goes_on_elsewhere(
    open_node: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lives, "CONDENSE_AFTER", 50)
    first, second = await open_node(), await open_node(role="owner")
    visitor = await first.visitor()
    await visitor.token()
    client = Client(await visitor.socket("/mo"))
    board = await client.event()
    await client.send("play", to=board["valid"][0])
    await client.until("board")
    (table,) = first.tables
    for _ in range(4):
        for _ in range(10):
            await client.send("undo")
            await client.send("redo")
        for _ in range(20):
            board = await client.until("board")
    assert table.version < 50
    await first.hand_over()
    await soon(lambda: len(second.tables) == 1)
    # Nothing is told again: the next board follows from the next move.
    assert board["moves"] == 1
    await client.send("undo")
    assert (await client.until("board"))["moves"] == 0


async def test_a_table_of_another_node_is_charged_for_no_miss(open_node: Opener) -> None:
    first, second = await open_node(), await open_node()
    counted: list[str] = []
    services = second.server.house.services
    services.hooks = replace(services.hooks, charge_miss=counted.append)
    host = await first.rummy()
    guest = await second.rummy("?extras")
    await guest.send("join", code=host.code)
    while len((await host.expect("lobby"))["lobby"]["players"]) < 2:
        pass
    await guest.until("extras_story")
    assert counted == []
    other = await second.rummy()
    assert await other.refused("join", code="no such") == "no-such-table"
    assert len(counted) == 1
