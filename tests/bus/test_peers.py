"""The links between nodes: what is not taken, what is not confirmed, and in which version."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace

import msgspec
import pytest

from parlour.bus import Item
from parlour.bus.items import VERSIONS, AnyItem, Frame, decode_items
from parlour.bus.peers import Peers
from parlour.bus.sealed import MOST_EARLY, SealedCarrier
from tests.bus.network import Network
from tests.support import soon

HERE, THERE = 11, 12
KEY = bytes(32)
NODES = {address: (bytes([address]) * 32, VERSIONS) for address in (HERE, THERE)}


class End:
    """One node's links, and what came over them."""

    def __init__(self, address: int, network: Network) -> None:
        self.network = network
        self.dropped: list[str] = []
        self.got: list[Item] = []
        self.lost: list[Item] = []
        self.out_of_touch: list[int] = []
        self.carrier = SealedCarrier(address, NODES[address][0], network, self.dropped.append)
        self.peers = Peers(self.carrier, self._receive, self._lose)

    def _receive(self, peer: int, life: int, number: int, items: list[AnyItem]) -> None:
        self.got += items
        self.peers.finished(peer, life, number)

    def _lose(self, peer: int, unconfirmed: list[Item]) -> None:
        self.lost += unconfirmed
        self.out_of_touch.append(peer)


@pytest.fixture
async def ends() -> AsyncIterator[tuple[End, End]]:
    network = Network()
    both = End(HERE, network), End(THERE, network)
    for end in both:
        await end.peers.start()
        end.carrier.meet(NODES)
    yield both
    for end in both:
        await end.peers.stop()


async def test_what_can_not_be_read_is_never_confirmed(
    ends: tuple[End, End], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = ends
    here.peers.put(THERE, Frame(1, b"first"))
    await soon(lambda: there.got == [Frame(1, b"first")] and not here.peers.waiting(THERE))
    unreadable = iter([True])

    def decode(data: bytes) -> list[AnyItem]:
        if next(unreadable, False):
            raise msgspec.ValidationError
        return decode_items(data)

    monkeypatch.setattr("parlour.bus.peers.decode_items", decode)
    here.peers.put(THERE, Frame(1, b"second"))
    # Who sent it knows that it was not done.
    await soon(lambda: here.lost == [Frame(1, b"second")])
    assert there.dropped == ["unreadable"]
    here.peers.put(THERE, Frame(1, b"third"))
    await soon(lambda: there.got == [Frame(1, b"first"), Frame(1, b"third")])
    await soon(lambda: not here.peers.waiting(THERE))


async def test_the_other_side_hears_of_a_new_link_though_nobody_has_anything_to_say(
    ends: tuple[End, End], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it would take its connections for attached where they no longer are."""
    monkeypatch.setattr("parlour.bus.link.MOST_WAITING", 1)
    here, there = ends
    network = here.network
    network.cut = True
    here.peers.put(THERE, Frame(1, b"waits"))
    await asyncio.sleep(0)
    network.cut = False
    here.peers.put(THERE, Frame(1, b"too much"))
    await soon(lambda: there.out_of_touch == [HERE])
    assert here.out_of_touch == [THERE]
    assert here.lost == [Frame(1, b"waits"), Frame(1, b"too much")]
    assert there.got == []


async def test_what_gets_lost_is_sent_again_by_itself(
    ends: tuple[End, End], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.bus.link.AGAIN_AFTER", 0.0)
    here, there = ends
    here.network.cut = True
    here.peers.put(THERE, Frame(1, b"lost"))
    await asyncio.sleep(0)
    here.network.cut = False
    await soon(lambda: there.got == [Frame(1, b"lost")])


def test_dropped_packets_are_counted_and_spoken_of_once_a_minute(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = 1000.0
    monkeypatch.setattr("parlour.bus.sealed.time", SimpleNamespace(monotonic=lambda: now))
    end = End(HERE, Network())
    for later, said in ((0.0, 1), (59.0, 1), (1.0, 2)):
        now += later
        end.carrier.drop("forged")
        assert len(caplog.messages) == said
    end.carrier.drop("replayed")
    assert len(caplog.messages) == 3
    assert end.dropped == ["forged"] * 3 + ["replayed"]


async def test_a_packet_of_a_node_that_is_new_waits_until_it_is_known(
    ends: tuple[End, End], caplog: pytest.LogCaptureFixture
) -> None:
    here, there = ends
    there.carrier.meet({})
    here.peers.put(THERE, Frame(1, b"hello"))
    await soon(lambda: bool(there.carrier._early))
    # This look began before the packet came.
    there.carrier.meet({})
    there.carrier.meet(NODES)
    assert there.got == [Frame(1, b"hello")]
    assert there.dropped == []
    there.carrier.meet({})
    there.carrier._open(bytes([VERSIONS[-1]]) + bytes(50))
    there.carrier.meet({})
    assert there.dropped == []
    there.carrier.meet({})
    assert there.dropped == ["unknown"]
    large = bytes([VERSIONS[-1]]) + bytes(MOST_EARLY)
    there.carrier._open(large)
    assert there.dropped == ["unknown"] * 2
    assert not there.carrier._early


def test_nodes_speak_the_newest_version_that_both_know(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.bus.sealed.VERSIONS", (2, 3, 4))
    carrier = End(HERE, Network()).carrier
    carrier.meet({1: (KEY, [1, 2]), 2: (KEY, [3, 4, 5]), 3: (KEY, [5]), 4: (b"", [])})
    assert [carrier.version(node) for node in (1, 2)] == [2, 4]
    # Of others nothing is known that could be spoken.
    assert [carrier.version(node) for node in (3, 4, 5)] == [2, 2, 2]
