"""A real server and a real Chromium, for tests that play as people do."""

from __future__ import annotations

import os
import re
import shutil
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

from parlour.house.live import LiveTable
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


def let_pass(server: Server, seconds: int) -> None:
    """What the house would do by itself after so much time, it does now."""
    clock = server.house.clock
    clock.not_before(clock() + seconds * 1000)
    for live in server.house.index:
        assert isinstance(live, LiveTable)
        live._ring()


async def have_looked(page: Page, server: Server) -> None:
    """A game of Cambia has begun, and the ten seconds are over in which all look at their cards."""
    await expect(page.get_by_test_id("hand")).to_be_visible()
    let_pass(server, 10)


@shared
async def server(tmp_path: Path, same_cards: None) -> AsyncIterator[Server]:
    """A whole Parlour on a free port of this machine, its log in a fresh folder."""
    if not (folder() / "index.html").is_file():
        pytest.fail("The page is not built: run `make page`.")
    config = Config(
        host="127.0.0.1",
        port=0,
        data=str(tmp_path / "data"),
        games={"cambia": {"houseRules": {"turnTimerSec": 600}}},
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


REMEMBER = """
new MutationObserver((changes) => {
    const passing = '[data-testid=toasts], [data-testid=cheer], [data-testid=share-link]'
    for (const { target, addedNodes } of changes)
        for (const node of [target, ...addedNodes]) {
            const text = (node.closest ? node : node.parentElement)?.closest(passing)?.textContent
            const { dataset } = document.documentElement
            if (text) dataset.passed = `${dataset.passed ?? ''} ${text}`
        }
}).observe(document, { childList: true, characterData: true, subtree: true })
"""
"""Keeps what a page shows for a few seconds: on a busy machine it is gone when a test looks."""

NewContext = Callable[..., Awaitable[BrowserContext]]
NewPerson = Callable[..., Awaitable[Page]]


@shared
async def context(browser: Browser) -> AsyncIterator[NewContext]:
    """`await context()`: a browser of somebody's own, for as long as the test runs."""
    contexts: list[BrowserContext] = []

    async def opened(**settings: Any) -> BrowserContext:
        contexts.append(await browser.new_context(**settings))
        contexts[-1].set_default_timeout(PATIENCE)
        await contexts[-1].add_init_script(REMEMBER)
        return contexts[-1]

    yield opened
    # Before a server stops: a page that connects meanwhile could leave a socket open.
    for each in contexts:
        await each.close()


@shared
async def person(server: Server, context: NewContext) -> AsyncIterator[NewPerson]:
    """`await person()` is somebody with a browser of their own, at the door of the hall.

    Whatever goes wrong in their page's scripts fails the test at its end, and so does a request to
    another host, on whichever screen.
    """
    errors: list[str] = []

    async def arrive(path: str = "/", width: int = 1280, height: int = 800, **more: object) -> Page:
        theirs = await context(
            viewport={"width": width, "height": height}, reduced_motion="reduce", **more
        )
        # Every page has a part in the deals: always the same, so that the cards are.
        await theirs.add_init_script("crypto.getRandomValues = (bytes) => bytes.fill(7)")
        page = await theirs.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.extend(unreadable(line)))
        theirs.on("request", lambda request: errors.extend(elsewhere(request)))
        await page.goto(f"http://127.0.0.1:{server.port}{path}")
        return page

    yield arrive
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


async def passed(page: Page, text: str) -> None:
    """Wait until a page has shown this for a moment, in a toast for example."""
    await expect(page.locator("html")).to_have_attribute("data-passed", re.compile(re.escape(text)))


AXE = """() => window.axe?.run(document, { resultTypes: ['violations'] }).then((found) =>
    found.violations.map(({ id, help, nodes }) => `${id}: ${help} at ${nodes[0].target}`))"""


async def accessible(page: Page) -> None:
    """No violation that axe-core knows of on the page as it stands."""
    problems = await page.evaluate(AXE)
    if problems is None:
        await page.evaluate((ROOT / "web/node_modules/axe-core/axe.min.js").read_text())
        problems = await page.evaluate(AXE)
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
    # It is not detached: that would take the passkeys away which a test has given to its page.
    devtools = await page.context.new_cdp_session(page)

    async def picture(colour: str) -> str:
        await kit.evaluate("(kit, colour) => kit.paint(colour)", colour)
        taken = await devtools.send("Page.captureScreenshot", {"optimizeForSpeed": True})
        return str(taken["data"])

    dark = await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    faults: list[str] = []
    # The last theme is the one that the page had before.
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark") if dark else ("dark", "light")
    for scheme in schemes:
        await kit.evaluate("kit => kit.paint('')")
        await page.emulate_media(color_scheme=scheme)
        await page.evaluate(SETTLED)
        await kit.evaluate("kit => kit.look()")
        pictures = [await picture(colour) for colour in ("white", "black", "transparent")]
        found = await kit.evaluate("(kit, pictures) => kit.measure(pictures)", pictures)
        if found["bad"]:
            # Two more tell whether something moved meanwhile.
            pictures += [await picture(colour) for colour in ("white", "transparent")]
            found = await kit.evaluate("(kit, pictures) => kit.measure(pictures)", pictures)
        assert found["seen"] > 0
        faults += [f"{scheme}: {fault}" for fault in found["bad"]]
    await page.evaluate("document.adoptedStyleSheets = []")
    return faults
