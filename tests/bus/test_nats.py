"""The connection to NATS: what it carries, and what an operator reads when it is lost."""

from __future__ import annotations

import logging

import pytest

from parlour.bus.nats import NatsCarrier, NatsTrouble
from tests.network import Proxy
from tests.servers import NatsServer
from tests.support import soon


async def test_packets_arrive_where_they_are_sent(nats_server: NatsServer) -> None:
    carriers = [NatsCarrier(nats_server.url) for _ in range(2)]
    heard: list[list[bytes]] = [[], []]
    for address, carrier in enumerate(carriers, 1):
        await carrier.start(address, heard[address - 1].append)
        assert carrier.connected
    carriers[0].carry(2, b"one")
    carriers[0].carry(2, b"two")
    carriers[1].carry(1, b"back")
    await soon(lambda: heard == [[b"back"], [b"one", b"two"]])
    for carrier in carriers:
        await carrier.stop()
        assert not carrier.connected


# nats-py forgets a connection that was never answered, and leaves it to Python to close it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("how", ["held", "cut"])
async def test_a_connection_that_is_lost_is_made_again_and_that_is_said_once(
    before_nats: Proxy, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "parlour.bus")
    carrier = NatsCarrier(f"nats://{before_nats.address}")
    heard: list[bytes] = []
    await carrier.start(1, heard.append)
    before_nats.hold()
    if how == "cut":
        before_nats.cut()
    await soon(lambda: "is away" in caplog.text)
    before_nats.cut()
    before_nats.let_go()
    await soon(lambda: "is back" in caplog.text)
    carrier.carry(1, b"again")
    await soon(lambda: heard == [b"again"])
    await carrier.stop()
    # Before it, perhaps, why.
    said = [entry.getMessage()[:12] for entry in caplog.records]
    assert said[-2:] == ["NATS is away", "NATS is back"]
    assert len(said) <= 3


async def test_a_server_that_does_not_answer_is_named_so(
    before_nats: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.bus.nats.STARTING", 0.2)
    before_nats.hold()
    carrier = NatsCarrier(f"nats://{before_nats.address}")
    with pytest.raises(NatsTrouble, match=r"^NATS can't be used: it does not answer\.$"):
        await carrier.start(1, lambda data: None)
