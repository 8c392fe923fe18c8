"""A real server and a real Chromium, for tests that play as people do."""

from __future__ import annotations

import os
import re
import shutil
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    async_playwright,
    expect,
)

from parlour.server.config import Config
from parlour.server.page import folder
from parlour.server.server import Server

ROOT = Path(__file__).parents[2]

# Long, because a busy machine may take long to draw a page. No test checks speed.
PATIENCE = 45_000
expect.set_options(timeout=PATIENCE)
QUIET = (
    # As a Chromium with windows draws letters.
    "--font-render-hinting=none",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


# Chromium takes a second to start, so all tests of a process share one, and the event loop that it
# belongs to.
shared = pytest_asyncio.fixture(loop_scope="session")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@shared
async def server(tmp_path: Path, same_cards: None) -> AsyncIterator[Server]:
    """A whole Parlour on a free port of this machine, its log in a fresh folder."""
    if not (folder() / "index.html").is_file():
        pytest.fail("The page is not built: run `make page`.")
    config = Config(
        host="127.0.0.1",
        port=0,
        data=str(tmp_path / "data"),
        bot_pace=0.05,
        message_rate=1000,
        message_burst=1000,
        address_rate=5000,
        address_burst=5000,
        request_rate=5000,
        request_burst=5000,
    )
    server = Server(config)
    await server.start()
    yield server
    await server.stop()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("PARLOUR_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield browser
        await browser.close()


NewPerson = Callable[..., Awaitable[Page]]


@shared
async def person(browser: Browser, server: Server) -> AsyncIterator[NewPerson]:
    """`await person()` is somebody with a browser of their own, at the door of the hall.

    Whatever goes wrong in their page's scripts fails the test at its end, and so does a request to
    another host, on whichever screen.
    """
    errors: list[str] = []
    contexts: list[BrowserContext] = []

    async def arrive(path: str = "/", width: int = 1280, height: int = 800, **more: object) -> Page:
        context = await browser.new_context(
            viewport={"width": width, "height": height}, reduced_motion="reduce", **more
        )
        contexts.append(context)
        # Every page has a part in the deals: always the same, so that the cards are.
        await context.add_init_script("crypto.getRandomValues = (bytes) => bytes.fill(7)")
        page = await context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.extend(unreadable(line)))
        context.on("request", lambda request: errors.extend(elsewhere(request)))
        await page.goto(f"http://127.0.0.1:{server.port}{path}")
        return page

    yield arrive
    # Before the server stops: a page that connects meanwhile could leave a socket open.
    for context in contexts:
        await context.close()
    assert errors == []


def unreadable(line: ConsoleMessage) -> list[str]:
    """Console messages of a page that got a message of another type than it was built with."""
    return [line.text] if line.text.startswith("Ignored what the server sent") else []


def elsewhere(request: Request) -> list[str]:
    """The address of a request that leaves this machine."""
    address = urlsplit(request.url)
    if address.scheme in ("data", "blob") or address.hostname in ("127.0.0.1", "localhost"):
        return []
    return [f"a request to another host: {request.url}"]


async def make_table(
    page: Page, game: str, settings: dict[str, Any] | None = None, bots: int = 0
) -> str:
    """Open a table through the same API the page uses, sit down at it, and then seat bots.

    So the first turn is the page's: bots who sat there before would play on while a test looks.
    """
    table = await page.evaluate(
        """async (body) => (await fetch('/api/tables', {method: 'POST',
            headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)})).json()""",
        {"game": game, "settings": settings or {}},
    )
    await page.goto(re.sub(r"(https?://[^/]+).*", rf"\1/table/{game}/{table['code']}", page.url))
    await expect(page.get_by_test_id("lobby")).to_be_visible()
    for _ in range(bots):
        status = await page.evaluate(
            "path => fetch(path, {method: 'POST'}).then(answer => answer.status)",
            f"/api/tables/{table['code']}/bots",
        )
        assert status == 201
    await expect(page.get_by_test_id("player")).to_have_count(1 + bots)
    return str(table["code"])


async def accessible(page: Page) -> None:
    """No violation that axe-core knows of on the page as it stands."""
    await page.evaluate((ROOT / "web/node_modules/axe-core/axe.min.js").read_text())
    found = await page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    problems = [f"{v['id']}: {v['help']} at {v['nodes'][0]['target']}" for v in found["violations"]]
    assert problems == []
    await legible(page)


async def screenshot(page: Page, name: str) -> None:
    """The pictures in the docs, made by the tests when asked to (`make screenshot`)."""
    if os.environ.get("PARLOUR_SCREENSHOTS"):
        await page.screenshot(path=ROOT / "docs/images" / f"{name}.png")


async def look_at(page: Page, name: str) -> None:
    """A picture to be looked at, in the folder that `PARLOUR_LOOK` names; no part of a test."""
    if os.environ.get("PARLOUR_LOOK"):
        await page.screenshot(path=Path(os.environ["PARLOUR_LOOK"]) / f"{name}.png")


async def legible(page: Page) -> None:
    """Every text stands out from the pixels behind it."""
    faults = await hard_to_read(page)
    assert not faults, "\n".join(faults)


SETTLED = """() => Promise.allSettled(document.getAnimations()
    .filter((one) => one.effect.getComputedTiming().endTime < Infinity)
    .map((one) => one.finished))"""
"""Cards that fly past behind a text are not its background."""


async def hard_to_read(page: Page) -> list[str]:
    """Texts with too little contrast to the pixels behind them (`contrast.js`), in both themes."""
    kit = await page.evaluate_handle((ROOT / "tests/browser/contrast.js").read_text())
    dark = await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    faults: list[str] = []
    # The last theme is the one that the page had before.
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark") if dark else ("dark", "light")
    for scheme in schemes:
        await kit.evaluate("kit => kit.paint('')")
        await page.emulate_media(color_scheme=scheme)
        await page.evaluate(SETTLED)
        await kit.evaluate("kit => kit.look()")
        pictures = []
        for colour in ("transparent", "white", "black", "transparent", "white"):
            await kit.evaluate("(kit, colour) => kit.paint(colour)", colour)
            pictures.append(b64encode(await page.screenshot()).decode())
        found = await kit.evaluate("(kit, pictures) => kit.measure(pictures)", pictures)
        assert found["seen"] > 0
        faults += [f"{scheme}: {fault}" for fault in found["bad"]]
    await page.evaluate("document.adoptedStyleSheets = []")
    return faults
