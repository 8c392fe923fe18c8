"""Whose address counts behind a proxy, and which proxies are believed."""

from __future__ import annotations

import asyncio
import logging

import pytest
from multidict import CIMultiDict

from parlour.server.config import BadConfig, Config
from tests.support import PATIENCE, Opener


async def test_a_proxys_word_counts_only_where_it_is_believed(open_house: Opener) -> None:
    trusting = await open_house(proxy_headers=True, address_connections=1)
    visitor = await trusting.visitor()
    far = {"X-Forwarded-For": "10.9.9.9, 192.0.2.1"}
    one = await visitor.rummy(headers=far)
    await one.expect("lobby")
    # Only the nearest proxy's word counts: the rest is what anybody may have written.
    forged = {"X-Forwarded-For": "10.1.1.1, 192.0.2.1"}
    assert await visitor.refusal("/rummy", headers=forged) == 429
    # Some proxies add a line of their own behind what they were sent.
    lines = CIMultiDict([("X-Forwarded-For", "10.1.1.1"), ("X-Forwarded-For", "192.0.2.1")])
    assert await visitor.refusal("/rummy", headers=lines) == 429
    two = await visitor.rummy(headers={"X-Forwarded-For": "192.0.2.2"})
    await two.expect("lobby")
    six = await visitor.rummy(headers={"X-Forwarded-For": "2001:db8::1"})
    await six.expect("lobby")
    neighbour = {"X-Forwarded-For": "[2001:db8::2]:4000"}
    assert await visitor.refusal("/rummy", headers=neighbour) == 429
    answer = await visitor.get("/api/me", headers={"X-Forwarded-Proto": "https"})
    assert "; Secure" in answer.headers["Set-Cookie"]
    visitor = await trusting.visitor()
    assert "; Secure" not in (await visitor.get("/api/me")).headers["Set-Cookie"]


async def test_a_proxys_word_is_ignored_where_it_is_not_believed(open_house: Opener) -> None:
    house = await open_house(address_connections=1)
    visitor = await house.visitor()
    one = await visitor.rummy(headers={"X-Forwarded-For": "192.0.2.1"})
    await one.expect("lobby")
    assert await visitor.refusal("/rummy", headers={"X-Forwarded-For": "192.0.2.2"}) == 429
    answer = await visitor.get("/api/me", headers={"X-Forwarded-Proto": "https"})
    assert "; Secure" not in answer.headers["Set-Cookie"]


@pytest.mark.parametrize(
    ("trusted", "said", "address"),
    [
        (["127.0.0.1"], "192.0.2.1, 10.0.0.2", "10.0.0.2"),
        (["127.0.0.0/8", "10.0.0.0/8"], "192.0.2.1, 198.51.100.9, 10.0.0.2", "198.51.100.9"),
        (["127.0.0.0/8", "10.0.0.0/8"], "10.0.0.3, 10.0.0.2", "10.0.0.3"),
        (["127.0.0.0/8", "10.0.0.0/8"], "forged, nonsense, 10.0.0.2", "nonsense"),
        (["127.0.0.1", "2001:db8::/32"], "192.0.2.1, [2001:db8::7]:4000", "192.0.2.1"),
        (["127.0.0.1"], "::ffff:127.0.0.1", "127.0.0.1"),
        (["10.0.0.0/8"], "192.0.2.1", "127.0.0.1"),
        ([], "192.0.2.1", "127.0.0.1"),
    ],
)
async def test_the_address_is_the_last_that_no_trusted_proxy_has(
    open_house: Opener, trusted: list[str], said: str, address: str
) -> None:
    house = await open_house(proxy_headers=True, trusted_proxies=trusted, data=":memory:")
    visitor = await house.visitor()
    headers = {"X-Forwarded-For": said, "X-Forwarded-Proto": "https"}
    _, seen = await visitor.call("GET", "/api/connection", headers=headers)
    believed = "127.0.0.1" in trusted or "127.0.0.0/8" in trusted
    told = ("believed", "https") if believed else ("ignored", "http")
    assert (seen["address"], seen["proxy"], seen["scheme"]) == (address, *told)


async def test_who_is_no_trusted_proxy_is_treated_like_anybody_and_the_log_says_so_once(
    open_house: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    house = await open_house(
        proxy_headers=True, trusted_proxies=("10.0.0.1",), address_connections=1, data=":memory:"
    )
    visitor = await house.visitor()
    for number in range(9):
        headers = {"X-Forwarded-For": f"192.0.2.{number}", "Host": "cards.example"}
        assert (await visitor.get("/api/me", headers=headers)).status == 421
    assert (await visitor.get("/api/me", headers={"X-Forwarded-For": "192.0.2.1"})).status == 200
    lines = [r.getMessage() for r in caplog.records if "trusted_proxies" in r.getMessage()]
    assert len(lines) == 1
    assert "127.0.0.1" in lines[0]
    # Its TCP connections are counted, too.
    standing = [await asyncio.open_connection("127.0.0.1", house.server.port) for _ in range(9)]
    async with asyncio.timeout(PATIENCE):
        assert await standing[-1][0].read() == b""
    for _, writer in standing:
        writer.close()


@pytest.mark.parametrize("wrong", ["proxy.example", "10.0.0.0/33", ""])
def test_a_trusted_proxy_is_an_address_or_a_network(wrong: str) -> None:
    with pytest.raises(BadConfig, match="trusted_proxies"):
        Config(trusted_proxies=(wrong,)).check()


async def test_what_a_proxy_calls_an_address_is_never_logged_at_length(
    open_house: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    house = await open_house(proxy_headers=True, address_connections=1)
    visitor = await house.visitor()
    far = {"X-Forwarded-For": "x" * 7000}
    one = await visitor.rummy(headers=far)
    await one.expect("lobby")
    assert await visitor.refusal("/rummy", headers=far) == 429
    assert "has too many connections" in caplog.text
    assert all(len(record.getMessage()) < 200 for record in caplog.records)
