"""The client library: what it sends and hears, and how it comes back."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from parlour.wcp import BlockingClient, Client, Message, NotConnected, Refused, connect
from parlour.wcp import client as client_module
from tests.support import PATIENCE, Opener, OpenHouse, own_port, soon
from tests.wcp.clients import Session
from tests.wcp.conftest import Entrant


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "BACK_OFF", (0.05, 0.1, 0.2))
    monkeypatch.setattr("parlour.relay.relay.UNHURRIED", 0.02)


def url(house: OpenHouse) -> str:
    return f"ws://127.0.0.1:{house.server.port}"


async def test_texts_and_data_go_to_the_channel_and_come_back(
    house: OpenHouse, enter: Entrant
) -> None:
    other = await enter(Session, house, "lounge", "ben")
    heard: list[Message] = []
    async with connect(url(house), "lounge", "ann") as client:
        client.on_message = heard.append
        await client.send_text("Höllo", name="Ann")
        await client.send_data("label", "{}", ["ben"])
        await soon(lambda: len(heard) == 2)
        assert client.connected
    assert not client.connected
    assert heard[0] == Message("ann", ("all",), "Ann", "Höllo", "message")
    assert heard[1] == Message("ann", ("ben",), "label", "{}", "data")
    assert [m["payload"]["content"] for m in other.heard] == ["Höllo", "{}"]
    with pytest.raises(NotConnected):
        await client.send_text("too late")


async def test_who_is_refused_is_told_why(open_house: Opener) -> None:
    house = await open_house(wcp_open=False)
    house.server.relay.registry.add_user("änn".replace("ä", "a"), "pä:ss")
    house.server.relay.registry.add_channel("lounge")
    with pytest.raises(Refused, match="password") as no:
        await connect(url(house), "lounge", "ann", "wrong")
    assert no.value.status == 401
    with pytest.raises(Refused, match="channel"):
        await connect(url(house), "attic", "ann", "pä:ss")
    with pytest.raises(ConnectionError, match="reached"):
        await connect("ws://127.0.0.1:1", "lounge", "ann")
    client = await connect(url(house), "lounge", "ann", "pä:ss")
    await client.close()
    await client.closed()


async def test_it_comes_back_after_a_restart(
    open_house: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    house = await open_house(port=own_port())
    entered: list[int] = []
    heard: list[str] = []
    client = Client(url(house), "lounge", "ann")
    client.on_connect = lambda: entered.append(1)
    client.on_message = lambda message: heard.append(message.content)
    await client.open()
    await house.server.stop()
    await soon(lambda: not client.connected)
    with pytest.raises(NotConnected):
        await client.send_text("nobody hears this")
    await soon(lambda: "can't be reached" in caplog.text)
    await open_house(port=house.server.port)
    await soon(lambda: client.connected)
    await client.send_text("here again")
    await soon(lambda: heard == ["here again"])
    assert len(entered) == 2
    await client.close()


async def test_a_handler_that_fails_ends_nothing(
    house: OpenHouse, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[Message] = []

    async def handler(message: Message) -> None:
        heard.append(message)
        raise RuntimeError("mine")

    async with connect(url(house), "lounge", "ann") as client:
        client.on_message = handler
        await client.send_text("one")
        await client.send_text("two")
        await soon(lambda: len(heard) == 2)
    assert "a handler of yours failed" in caplog.text


async def test_code_that_blocks_has_a_client_too(house: OpenHouse) -> None:
    def session() -> list[Any]:
        with BlockingClient(url(house), "lounge", "ann") as client:
            client.send_text("one")
            client.send_data("label", "two")
            told = [client.receive(PATIENCE), client.receive(PATIENCE), client.receive(0.01)]
        assert client.receive() is None
        client.close()
        with pytest.raises(ConnectionError):
            BlockingClient("ws://127.0.0.1:1", "lounge", "ann")
        return told

    one, two, nothing = await asyncio.to_thread(session)
    assert (one.content, two.content, nothing) == ("one", "two", None)
