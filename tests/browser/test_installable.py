"""The page as an app: it can be installed, and says so when the server can't be reached."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path

import pytest
from aiohttp import web
from playwright.async_api import expect

from parlour.server.page import folder
from tests.browser.conftest import NewContext, NewPerson, accessible, look_at
from tests.browser.test_reached import arrived, opened

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

CONTROLLED = """() => new Promise(done => {
    if (navigator.serviceWorker.controller) done(true);
    else navigator.serviceWorker.addEventListener("controllerchange", () => done(true));
})"""
"""Resolves once the service worker handles the page's requests. `wait_for_function` would evaluate
a string in the page, which its security policy forbids."""


async def test_a_browser_finds_nothing_that_keeps_it_from_installing(person: NewPerson) -> None:
    page = await person()
    await expect(page.get_by_test_id("hall")).to_be_visible()
    devtools = await page.context.new_cdp_session(page)
    manifest = await devtools.send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert manifest["url"].endswith("/manifest.webmanifest")
    faults = await devtools.send("Page.getInstallabilityErrors")
    # Browsers install nothing from a private window, which is what tests are given.
    found = [fault["errorId"] for fault in faults["installabilityErrors"]]
    assert found in ([], ["in-incognito"])


async def _bad_gateway(request: web.BaseRequest) -> web.Response:
    answer = web.Response(status=502, text="Bad Gateway")
    answer.force_close()
    return answer


@pytest.mark.parametrize(
    ("locale", "title", "why"),
    [
        ("en-GB", "No connection to Parlour", "the server does not answer"),
        ("de-DE", "Keine Verbindung zu Parlour", "der Server antwortet nicht"),
    ],
)
async def test_without_the_server_a_screen_says_so_and_goes_when_it_is_back(
    context: NewContext, locale: str, title: str, why: str
) -> None:
    async with opened() as server:
        base = f"http://127.0.0.1:{server.port}"
        page = await arrived(context, f"{base}/", locale=locale)
        await expect(page.get_by_test_id("hall")).to_be_visible()
        await page.evaluate(CONTROLLED)
    await page.goto(f"{base}/replay/123456")
    await expect(page.get_by_role("heading", name=title)).to_be_visible()
    await expect(page.get_by_text(why)).to_be_visible()
    assert await page.evaluate("document.documentElement.lang") == locale[:2]
    await look_at(page, f"offline-{locale[:2]}")
    await accessible(page)
    # A proxy in front of the server answers in its stead.
    loop = asyncio.get_running_loop()
    async with await loop.create_server(web.Server(_bad_gateway), "127.0.0.1", server.port):
        await page.reload()
        await expect(page.get_by_role("heading", name=title)).to_be_visible()
    async with opened(port=server.port):
        # Nobody presses anything.
        await expect(page.get_by_role("link", name="Parlour:")).to_be_visible()


async def test_a_new_server_is_never_answered_from_an_old_page(
    context: NewContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = shutil.copytree(folder(), tmp_path / "page")
    for module in ("page", "preview"):
        monkeypatch.setattr(f"parlour.server.{module}.folder", lambda: built)
    async with opened() as server:
        base = f"http://127.0.0.1:{server.port}"
        page = await arrived(context, f"{base}/")
        await expect(page.get_by_test_id("hall")).to_be_visible()
        await page.evaluate(CONTROLLED)
        await page.reload()
        await expect(page.get_by_test_id("hall")).to_be_visible()
    # The update: another main script, and the old one is gone.
    (old,) = re.findall(r"src=.\./assets/(index-.+?\.js)", (built / "index.html").read_text())
    script = (built / "assets" / old).read_text()
    for copy in (built / "assets").glob(f"{old}*"):
        copy.unlink()
    changed = "Come in, the cards are on the table.", "This is the new page."
    assert changed[0] in script
    (built / "assets" / "index-new.js").write_text(script.replace(*changed))
    index = (built / "index.html").read_text().replace(old, "index-new.js")
    (built / "index.html").write_text(index)
    async with opened(port=server.port):
        await page.reload()
        await expect(page.get_by_role("heading", name=changed[1])).to_be_visible()
        assert await page.evaluate("caches.keys()") == []


async def test_over_plain_http_the_page_does_without_and_says_so_once(context: NewContext) -> None:
    async with opened(host="0.0.0.0") as server:
        # Any address but loopback will do; Linux leads this one to itself, too.
        page = await arrived(context, f"http://0.0.0.0:{server.port}/")
        await expect(page.get_by_test_id("hall")).to_be_visible()
        assert not await page.evaluate("isSecureContext")
        await page.get_by_test_id("preferences").click()
        await expect(page.get_by_test_id("insecure")).to_have_count(1)
        await expect(page.get_by_text(re.compile("my turn"))).to_have_count(0)
        await look_at(page, "insecure")
