"""Names nobody gave this house: refused, whoever asks and for whatever."""

from __future__ import annotations

import logging
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.server.config import Config
from parlour.server.hosts import HostNames
from parlour.server.policy import RequestPolicy
from tests.support import Opener

OURS = [
    "127.0.0.1",
    "127.0.0.1:3000",
    "[::1]:3000",
    "192.168.1.7:3000",
    "localhost",
    "LOCALHOST:3000",
    "parlour.localhost",
    "parlour",
    "gamebox.local",
    "gamebox.lan:3000",
    "cards.home.arpa.",
    socket.gethostname(),
]
STRANGE = ["evil.example", "evil.example:3000", "127.0.0.1.evil.example", "local.evil.example",
           "evilocal.com", "[", "", "cards.example."]  # fmt: skip


def names(config: Config) -> HostNames:
    return HostNames(config, RequestPolicy(config))


@pytest.mark.parametrize("host", OURS)
def test_names_that_only_we_can_have_are_ours(host: str) -> None:
    assert names(Config()).ours(host)


@pytest.mark.parametrize("host", STRANGE)
def test_other_names_are_not(host: str) -> None:
    assert not names(Config()).ours(host)


@given(st.text(max_size=40))
def test_any_header_is_judged(host: str) -> None:
    assert names(Config()).ours(host) in (True, False)


def test_names_can_be_given() -> None:
    public = Config(public_url="https://Cards.example:8443/")
    assert names(public).ours("cards.example:8443")
    assert not names(public).ours("games.example")
    assert names(Config(hosts=["games.example"])).ours("Games.Example:1")
    assert not names(Config(hosts=["games.example"])).ours("a.games.example")
    assert names(Config(hosts=["*"])).ours("evil.example")
    assert names(Config(host="games.example")).ours("games.example")


async def test_a_name_that_leads_here_by_somebody_elses_doing_is_refused(
    open_house: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    house = await open_house(wcp_port=0, wcp_open=True)
    visitor = await house.visitor()
    rebound = {"Host": f"evil.example:{house.server.port}" + "x" * 500}
    rebound["Origin"] = f"http://{rebound['Host']}"
    with caplog.at_level(logging.DEBUG):
        for path in ("/", "/api/me", "/api/tables", "/metrics", "/rummy", "/nowhere"):
            for _ in range(5):
                page = await visitor.get(path, headers=rebound)
                assert page.status == 421, path
                assert "Set-Cookie" not in page.headers
        assert await visitor.refusal("/mo", headers=rebound) == 421
    lines = [record.getMessage() for record in caplog.records if "unknown host name" in record.msg]
    assert len(lines) == 1
    assert len(lines[0]) < 200
    # Who watches over the house may call it by any name.
    for path in ("/healthz", "/readyz"):
        assert (await visitor.get(path, headers=rebound)).status == 200
    relay = f"http://127.0.0.1:{house.server._ports[-1].number}/"
    async with visitor.http.get(relay, headers={"Host": "evil.example"}) as answer:
        assert answer.status == 421


async def test_a_page_of_ours_by_another_scheme_is_not_ours(open_house: Opener) -> None:
    house = await open_house()
    visitor = await house.visitor()
    here = f"127.0.0.1:{house.server.port}"
    assert await visitor.refusal("/rummy", headers={"Origin": f"https://{here}"}) == 403
    socket = await visitor.socket("/rummy", headers={"Origin": f"http://{here}"})
    await socket.close()
    behind = await open_house(proxy_headers=True, data=":memory:")
    visitor = await behind.visitor(headers={"X-Forwarded-Proto": "https", "Host": "cards.example"})
    socket = await visitor.socket("/rummy", headers={"Origin": "https://cards.example"})
    await socket.close()
    assert await visitor.refusal("/rummy", headers={"Origin": "http://cards.example"}) == 403
