"""The page of a house below a path, behind bad proxies, and on localhost."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import Page, expect

from parlour.server.config import Config
from parlour.server.server import Server
from tests.browser.conftest import NewContext, NewPerson, accessible
from tests.proxy import below, proxied, with_header, without

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


@asynccontextmanager
async def opened(**settings: Any) -> AsyncIterator[Server]:
    usual = {"host": "127.0.0.1", "port": 0, "data": ":memory:", "bot_pace": 0.05}
    server = Server(Config(**{**usual, **settings}))
    await server.start()
    yield server
    await server.stop()


async def arrived(context: NewContext, url: str, **settings: Any) -> Page:
    page = await (await context(reduced_motion="reduce", **settings)).new_page()
    await page.goto(url)
    return page


async def test_below_a_path_everything_is_found_and_stays_there(context: NewContext) -> None:
    async with (
        opened(public_url="https://cards.example/games/parlour") as server,
        proxied(server.port, below("/games/parlour")) as port,
    ):
        # The cookie is for https alone; browsers make an exception of this machine.
        base = f"http://localhost:{port}/games/parlour"
        page = await arrived(context, f"{base}/")
        await page.get_by_test_id("make-table").click()
        await page.get_by_test_id("create-table").click()
        await expect(page.get_by_test_id("lobby")).to_be_visible()
        code = await page.get_by_test_id("lobby-code").get_attribute("data-code")
        assert page.url == f"{base}/table/rummy/{code}"
        await expect(page.get_by_test_id("share-field")).to_have_value(
            f"https://cards.example/games/parlour/table/rummy/{code}"
        )
        await page.reload()
        await expect(page.get_by_test_id("lobby")).to_be_visible()
        await page.get_by_label("Parlour: to the hall").click()
        await expect(page.get_by_test_id("hall")).to_be_visible()
        assert page.url == f"{base}/"
        await page.get_by_role("link", name=re.compile("Return|Join")).first.click()
        await expect(page.get_by_test_id("lobby")).to_be_visible()
        assert page.url == f"{base}/table/rummy/{code}"
        # A short link without the game's name.
        await page.goto(f"{base}/table/{code}")
        await expect(page.get_by_test_id("lobby")).to_be_visible()


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (without("upgrade", "connection"), "your proxy does not pass WebSocket upgrades"),
        (with_header("Host", "inside:3000"), "has to say so with --public-url"),
    ],
)
async def test_the_page_says_why_no_table_can_be_reached(
    person: NewPerson, server: Server, fault: Any, said: str
) -> None:
    host = await person()
    table = await host.evaluate(
        """async () => (await fetch('/api/tables', {method: 'POST',
            headers: {'Content-Type': 'application/json'}, body: '{"game": "rummy"}'})).json()"""
    )
    async with proxied(server.port, fault) as port:
        await host.goto(f"http://127.0.0.1:{port}/table/rummy/{table['code']}")
        await expect(host.get_by_test_id("trouble")).to_contain_text(said)
        for width in (1280, 360):
            await host.set_viewport_size({"width": width, "height": 740})
            assert await host.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await accessible(host)
    # The connection works again, and the warning is gone.
    async with proxied(server.port) as port:
        await host.goto(f"http://127.0.0.1:{port}/table/rummy/{table['code']}")
        await expect(host.get_by_test_id("lobby")).to_be_visible()
        await expect(host.get_by_test_id("trouble")).to_have_count(0)


async def test_who_hosts_on_localhost_hands_out_the_networks_address(
    context: NewContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.server.addresses._hosts", lambda family: iter(["192.168.1.7"]))
    async with opened(host="0.0.0.0") as server:
        page = await arrived(context, f"http://localhost:{server.port}/play/mo?seed=x")
        await page.goto(f"http://localhost:{server.port}/")
        await page.get_by_test_id("make-table").click()
        await page.get_by_test_id("create-table").click()
        link = page.get_by_test_id("share-field")
        await expect(link).to_have_value(
            re.compile(rf"^http://192\.168\.1\.7:{server.port}/table/")
        )
        await expect(page.get_by_text("works only on this computer")).to_have_count(0)
        await page.get_by_test_id("share-qr").click()
        await expect(page.get_by_test_id("qr")).to_contain_text("http://192.168.1.7:")
