"""A house of two nodes: people at one table, each at another node's door."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from parlour.bus import link
from parlour.bus.operations import JOIN
from parlour.protocol import Operation
from tests.network import Proxy
from tests.support import Opener, OpenHouse, RummyClient, moved, soon


async def seated(first: OpenHouse, second: OpenHouse) -> list[RummyClient]:
    """Two guests in one lobby, the second of whom is at the other node's door."""
    host = await first.rummy()
    guest = await second.rummy()
    await guest.send("join", code=host.code)
    for client in (host, guest):
        while len(client.lobby["players"]) < 2 or client.code != host.code:
            await client.expect("lobby")
    return [host, guest]


async def play_round(clients: list[RummyClient]) -> None:
    """To its end, without any ambition; everybody has seen the same cards go to the same places."""
    await asyncio.gather(*(client.play_round() for client in clients))
    moves = [
        [
            (event["destination"]["type"], [card["id"] for card in event["cards"]])
            for event in client.heard
            if event["type"] == "move"
        ]
        for client in clients
    ]
    assert moves[0] == moves[1] != []


async def test_two_people_play_through_two_nodes(open_node: Opener) -> None:
    first, second = await open_node(), await open_node()
    clients = await seated(first, second)
    await soon(lambda: [len(house.tables) for house in (first, second)] == [1, 0])
    await clients[1].send("start")
    await play_round(clients)


async def test_a_gateway_runs_no_tables_and_an_owner_is_no_door(open_node: Opener) -> None:
    owner, gateway = await open_node(role="owner"), await open_node(role="gateway")
    host = await gateway.rummy()
    guest = await gateway.rummy()
    await guest.send("join", code=host.code)
    await host.expect("lobby")
    assert len((await guest.expect("lobby"))["lobby"]["players"]) == 2
    await soon(lambda: [len(house.tables) for house in (owner, gateway)] == [1, 0])
    assert (await (await owner.visitor()).call("GET", "/readyz"))[0] == 200
    assert (await (await owner.visitor()).get("/rummy")).status == 404


async def test_every_node_knows_tables_names_and_tokens(open_node: Opener) -> None:
    first, second = await open_node(), await open_node()
    here = await first.visitor()
    await here.call("PUT", "/api/me", {"name": "Ada"})
    token = await here.token()
    _, opened = await here.call("POST", "/api/tables", {"game": "rummy", "public": True})
    there = await second.visitor()
    status, found = await there.call("GET", f"/api/tables/{opened['code']}")
    assert (status, found["id"]) == (200, opened["id"])
    _, listed = await there.call("GET", "/api/tables")
    assert [table["code"] for table in listed["tables"]] == [opened["code"]]
    status, added = await there.call("POST", f"/api/tables/{opened['code']}/bots?token={token}")
    assert (status, len(added["players"])) == (201, 1)

    async def known_there() -> bool:
        return bool((await there.call("GET", f"/api/me?token={token}"))[1]["name"] == "Ada")

    # A name goes round when it is kept, and nobody waits for that.
    await soon(known_there)
    status, none = await there.call("GET", "/api/tables/000000x")
    assert (status, none["error"]["code"]) == (404, "no-such-table")


async def test_who_leaves_at_one_node_is_missed_at_the_other(open_node: Opener) -> None:
    first, second = await open_node(), await open_node()
    host, guest = await seated(first, second)
    await guest.close()
    assert len((await host.expect("lobby"))["lobby"]["players"]) == 1


async def test_who_leaves_while_they_move_to_another_node_is_missed_there(
    open_node: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await open_node(), await open_node()
    host, guest = await first.rummy(), await second.rummy()
    bus, may_know = second.cluster.bus, asyncio.Event()
    ask = bus.ask

    async def late(node: int, operation: Operation[Any, Any], *arguments: Any) -> object:
        """The table greets them before their own node hears that they have joined it."""
        answer = await ask(node, operation, *arguments)
        if operation is JOIN:
            await may_know.wait()
        return answer

    monkeypatch.setattr(bus, "ask", late)
    await guest.send("join", code=host.code)
    while len((await host.expect("lobby"))["lobby"]["players"]) < 2:
        pass
    await guest.close()
    await soon(lambda: second.server.gateway.connections == 0)
    may_know.set()
    assert len((await host.expect("lobby"))["lobby"]["players"]) == 1


async def test_who_moves_to_another_node_takes_along_all_that_is_known_of_them(
    open_node: Opener,
) -> None:
    first, second = [await open_node(proxy_headers=True) for _ in range(2)]
    hosts = [await first.rummy(), await second.rummy()]
    visitor = await second.visitor(headers={"X-Forwarded-For": "192.0.2.7"})
    guest = await visitor.rummy(f"?token={await visitor.token()}&extras")
    await guest.send("name", name="Ada")
    # There, and from there back to another table.
    for host, house in zip(hosts, (first, second), strict=True):
        await guest.send("join", code=host.code)
        await moved(guest, "Ada", "192.0.2.7", host, house)
    # Where they were nobody misses them, and a table without anybody has closed.
    await soon(lambda: [len(house.tables) for house in (first, second)] == [1, 1])
    await soon(lambda: [len(t.roster.people) for t in first.tables + second.tables] == [1, 2])


async def test_who_has_moved_is_found_when_the_table_moves(open_node: Opener) -> None:
    owner, gateway = await open_node(role="owner"), await open_node(role="gateway")
    host, guest = await gateway.rummy(), await gateway.rummy()
    await guest.send("join", code=host.code)
    for client in (host, guest):
        await client.expect("lobby")
    other = await open_node(role="owner")
    await owner.hand_over()
    # Nothing is said to them again, and nothing is lost.
    assert [await client.fence() for client in (host, guest)] == [[], []]
    await guest.send("name", name="Ada")
    for client in (host, guest):
        assert [p["name"] for p in (await client.expect("lobby"))["lobby"]["players"]][1] == "Ada"
    assert [t.roster.code for t in other.tables] == [host.code]
    await guest.close()
    assert len((await host.expect("lobby"))["lobby"]["players"]) == 1


async def test_a_code_that_there_is_not_is_refused_everywhere(open_node: Opener) -> None:
    first, _ = await open_node(), await open_node()
    guest = await first.rummy()
    assert await guest.refused("join", code="no such") == "no-such-table"


async def test_a_node_that_stops_hands_its_tables_over(open_node: Opener) -> None:
    first, second, third = await open_node(), await open_node(), await open_node()
    clients = await seated(second, third)
    host, guest = clients
    await soon(lambda: [len(house.tables) for house in (second, third)] == [1, 0])
    await guest.send("start")
    # Both are at nodes that stay; the table's own node is told to stop in mid-round.
    playing = asyncio.create_task(play_round(clients))
    await host.in_the_middle()
    assert not playing.done()
    await second.hand_over()
    await playing
    assert second.tables == []
    assert [t.roster.code for t in first.tables + third.tables] == [host.code]


class FullLink:
    """Two people in a round, and a link between their nodes that is soon full when it is cut."""

    def __init__(self, nodes: list[OpenHouse], clients: list[RummyClient], network: Proxy) -> None:
        self._here, self._there = nodes
        self.host, self.guest = self.clients = clients
        self.network = network

    async def fill(self) -> None:
        """Nothing gets through; the guest's node gives the link up and begins another."""
        life = self._life()
        while self._life() == life:
            await self.guest.send("draw", card_id="no such card")
            await asyncio.sleep(0)

    async def found_again(self) -> None:
        seats = self._there.cluster.bus._connections._by_id
        await soon(lambda: all(seat.node for seat in seats.values()))
        lives = [self._life(), self._life(back=True)]
        assert lives[0] == lives[1]

    def _life(self, *, back: bool = False) -> int:
        ends = [self._there.cluster.bus, self._here.cluster.bus]
        here, there = reversed(ends) if back else ends
        return int(here._peers._links[there.address].life)


@pytest.fixture
async def full_link(
    open_node: Opener, before_nats: Proxy, monkeypatch: pytest.MonkeyPatch
) -> FullLink:
    monkeypatch.setattr(link, "MOST_WAITING", 40)
    first = await open_node()
    second = await open_node(bus=f"nats://{before_nats.address}")
    host = await first.rummy()
    visitor = await second.visitor()
    # Who shows a token keeps the seat while nobody hears of them.
    guest = await visitor.rummy(f"?table={host.code}&token={await visitor.token()}")
    for client in (host, guest):
        await client.expect("lobby")
    # Greeted is not admitted yet: that comes with the next packet.
    await soon(lambda: bool(second.cluster.bus._connections._by_id))
    await host.send("start")
    return FullLink([first, second], [host, guest], before_nats)


async def test_a_link_that_is_full_begins_anew_and_nobody_misses_anything(
    full_link: FullLink,
) -> None:
    playing = asyncio.create_task(play_round(full_link.clients))
    for _ in range(3):
        full_link.network.hold()
        await full_link.fill()
        assert not playing.done()
        full_link.network.let_go()
        await full_link.found_again()
    await playing


async def test_a_move_that_a_full_link_has_lost_is_sent_again(full_link: FullLink) -> None:
    host, guest = full_link.clients
    await host.until("turn")
    if host.turn == (host.me, "draw"):
        await host.play_turn()
        await host.until("turn")
    await guest.my_turn()
    full_link.network.hold()
    top = guest.deck[-1]
    await guest.send("draw", card_id=top)
    await full_link.fill()
    full_link.network.cut()
    full_link.network.let_go()
    # By now the record has that they were away.
    drawn = await host.expect("move")
    assert [card["id"] for card in drawn["cards"]] == [top]
    await full_link.found_again()
    await guest.until("turn", player_id=guest.me, state="play")
