"""Somebody on the bus who is no node: what they hear, and what becomes of what they send."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from typing import Any

import asyncpg
import msgspec
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from nats.aio.client import Client

from parlour.bus import JoinRequest
from parlour.bus.items import VERSIONS, Ask, encode
from parlour.protocol import At, Seek
from tests.cluster.test_two_nodes import play_round, seated
from tests.servers import NatsServer
from tests.support import Opener, OpenHouse, RummyClient, soon

OUTSIDER = 77
"""An address that no node has."""


class Outsider:
    """Can connect to NATS, and knows everything but the keys in the database."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.heard: list[tuple[int, bytes]] = []
        """All that there is to hear: the node that it is for, and the packet."""

    async def listen(self) -> None:
        async def hear(message: Any) -> None:
            self.heard.append((int(message.subject.rpartition(".")[2]), message.data))

        await self._client.subscribe("parlour.node.*", cb=hear)
        await self._client.flush()

    async def send(self, node: int, data: bytes) -> None:
        await self._client.publish(f"parlour.node.{node}", data)
        await self._client.flush()


@pytest.fixture
async def outsider(nats_server: NatsServer) -> AsyncIterator[Outsider]:
    client: Any = Client()
    await client.connect(nats_server.url)
    there = Outsider(client)
    await there.listen()
    yield there
    await client.close()


def address(house: OpenHouse) -> int:
    return house.cluster.bus.address


def dropped(house: OpenHouse) -> dict[str, int]:
    """How many packets its node has dropped, by why."""
    found = re.findall(
        r'parlour_bus_dropped_packets_total\{why="(\w+)"\} (\d+)',
        house.server.metrics.text().decode(),
    )
    return {why: int(count) for why, count in found}


async def test_nobody_else_can_read_what_nodes_say(
    open_node: Opener, outsider: Outsider, database: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    first, second = await open_node(), await open_node()
    clients = await seated(first, second)
    await clients[1].send("start")
    await play_round(clients)
    assert {node for node, _ in outsider.heard} >= {address(first), address(second)}
    said = b"".join(data for _, data in outsider.heard)
    assert b"discard" not in said
    assert clients[1].me.encode() not in said
    connection = await asyncpg.connect(database)
    keys = [row[0] for row in await connection.fetch("SELECT key FROM nodes")]
    await connection.close()
    assert {len(key) for key in keys} == {32}
    assert len(set(keys)) == 2
    for key in keys:
        assert key not in said
        assert repr(key) not in caplog.text
        assert key.hex() not in caplog.text


def unsigned(house: OpenHouse, host: RummyClient, heard: list[bytes]) -> bytes:
    """What a node of the first version would send: a seat at this table for the host, please."""
    request = JoinRequest(
        connection=OUTSIDER << 35,
        game="rummy",
        wire="rummy",
        visitor=host.me,
        name="Host",
        seek=Seek(where=At(host.code)),
    )
    ask = Ask(1, "join", msgspec.Raw(encode((request,))))
    return encode([OUTSIDER, 1, 0, False, encode([ask]), 1])


def head(house: OpenHouse, sender: int, count: int = 1 << 40) -> bytes:
    numbers = (sender, address(house), count)
    return bytes([VERSIONS[-1]]) + b"".join(each.to_bytes(8, "big") for each in numbers)


def sealed(house: OpenHouse, sender: int) -> bytes:
    """As a node would, with a key of the outsider's own."""
    begin = head(house, sender)
    packet = encode([1, 0, False, encode([]), 1])
    return begin + AESGCM(bytes(32)).encrypt((1 << 40).to_bytes(12, "big"), packet, begin)


def forged(house: OpenHouse, host: RummyClient, heard: list[bytes]) -> bytes:
    """In the name of a node that there is."""
    return sealed(house, int.from_bytes(heard[0][1:9], "big"))


def unknown(house: OpenHouse, host: RummyClient, heard: list[bytes]) -> bytes:
    return sealed(house, OUTSIDER)


def replayed(house: OpenHouse, host: RummyClient, heard: list[bytes]) -> bytes:
    return heard[-1]


def renumbered(house: OpenHouse, host: RummyClient, heard: list[bytes]) -> bytes:
    """A packet that was heard, said to be a later one."""
    return head(house, int.from_bytes(heard[-1][1:9], "big")) + heard[-1][25:]


def truncated(house: OpenHouse, host: RummyClient, heard: list[bytes]) -> bytes:
    return heard[-1][:-1]


def beheaded(house: OpenHouse, host: RummyClient, heard: list[bytes]) -> bytes:
    return heard[-1][:20]


def of_another_version(house: OpenHouse, host: RummyClient, heard: list[bytes]) -> bytes:
    return bytes([VERSIONS[-1] + 1]) + heard[-1][1:]


Attack = Callable[[OpenHouse, RummyClient, list[bytes]], bytes]


@pytest.mark.parametrize(
    ("attack", "why"),
    [
        (unsigned, "unreadable"),
        (of_another_version, "unreadable"),
        (beheaded, "unreadable"),
        (unknown, "unknown"),
        (forged, "forged"),
        (renumbered, "forged"),
        (truncated, "forged"),
        (replayed, "replayed"),
    ],
)
async def test_what_is_no_nodes_is_dropped_and_counted_and_the_house_goes_on(
    open_node: Opener,
    outsider: Outsider,
    attack: Attack,
    why: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    first, second = await open_node(), await open_node()
    clients = await seated(first, second)
    to_first = [data for node, data in outsider.heard if node == address(first)]
    data = attack(first, clients[0], to_first)
    assert dropped(first) == {}
    for _ in range(3):
        await outsider.send(address(first), data)
    await soon(lambda: dropped(first) == {why: 3})
    assert caplog.text.count("packets on the bus are dropped") == 1
    await clients[1].send("start")
    await play_round(clients)
    assert OUTSIDER not in {node for node, _ in outsider.heard}
    assert dropped(first) == {why: 3}


async def test_what_was_said_to_another_node_is_not_heard(
    open_node: Opener, outsider: Outsider
) -> None:
    first, second, third = [await open_node() for _ in range(3)]
    clients = await seated(first, second)
    to_first = [data for node, data in outsider.heard if node == address(first)]
    for data in to_first:
        await outsider.send(address(third), data)
    await soon(lambda: dropped(third) == {"replayed": len(to_first)})
    await clients[1].send("start")
    await play_round(clients)
