"""A complete game of each by keyboard, and one by a player who knows only what is read aloud.

The keyboard's players look at the page as people do who see it. The last one reads nothing but the
live region, as it fills.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from playwright.async_api import Page, expect

from parlour.server.server import Server
from tests.browser.conftest import NewPerson, accessible, have_looked, let_pass, make_table
from tests.browser.test_mo import follow_hint
from tests.browser.test_onu import by_keyboard as onu_turn
from tests.browser.test_onu import tab_to
from tests.browser.test_quips import UNHURRIED
from tests.browser.test_rummy import EASY

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


async def state(page: Page) -> str:
    """The page's prompt, once it waits for this player; "": the match is over."""
    banner = page.locator("[data-testid=turn-banner][data-mine=true]")
    end = page.get_by_test_id("match-end")
    await expect(banner.or_(end).first).to_be_visible()
    return "" if await end.count() else await banner.get_attribute("data-state") or ""


async def changed(page: Page, press: str) -> None:
    """Press a key, and wait until the list of moves is longer or the match is over."""
    lines = page.get_by_test_id("log").locator("li")
    last = min(await lines.count(), 79)
    await page.keyboard.press(press)
    await expect(lines.nth(last).or_(page.get_by_test_id("match-end")).first).to_be_attached()


async def key_of(page: Page, action: str) -> str:
    """The key that is written on a button."""
    key = await page.locator(f"[data-action={action}]").get_attribute("aria-keyshortcuts")
    assert key
    return key.lower()


async def rummy_turn(page: Page) -> None:
    if await state(page) != "discard":
        await changed(page, "d")
    while await state(page):
        await page.keyboard.press("f")
        if not await page.locator("[data-action=meld].lit").count():
            break
        await changed(page, "m")
    if not await state(page):
        return
    await page.keyboard.press("Escape")
    await tab_to(page, "[data-testid=hand] button")
    await page.keyboard.press("End")
    await page.keyboard.press("Enter")
    await changed(page, await key_of(page, "discard"))


async def cambia_turn(page: Page) -> None:
    """Draw, put the card in place of the first one, and call Cambia soon."""
    asked = await state(page)
    moves = await page.get_by_test_id("log").locator("li").count()
    if asked == "replace":
        await page.keyboard.press("1")
    else:
        await page.keyboard.press(await key_of(page, "call_cambia") if moves > 16 else "d")
    still = page.locator(f"[data-testid=turn-banner][data-mine=true][data-state={asked}]")
    await expect(still).to_have_count(0)


async def quips_turn(page: Page) -> None:
    if await state(page) == "judging":
        turned = page.locator("[data-testid=play][data-open=true]")
        for count in range(1, 1 + await page.get_by_test_id("play").count()):
            await page.keyboard.press(str(count))
            await expect(turned).to_have_count(count)
        await changed(page, "c")
    else:
        count = await page.get_by_test_id("gap").count()
        for number in range(1, count + 1):
            await page.keyboard.press(str(number))
            await expect(page.get_by_test_id("filled")).to_have_count(number)
        await changed(page, "p")


Turn = Callable[[Page], Awaitable[None]]
GAMES: list[tuple[str, dict[str, Any], int, Turn]] = [
    ("rummy", EASY, 1, rummy_turn),
    ("cambia", {"houseRules": {"turnTimerSec": 0}}, 1, cambia_turn),
    ("quips", {**UNHURRIED, "max_points": 1, "bot_czars": True}, 3, quips_turn),
    ("onu", {"pace": 0}, 1, onu_turn),
]


@pytest.mark.parametrize(
    ("game", "settings", "bots", "turn"), GAMES, ids=[each[0] for each in GAMES]
)
async def test_a_game_is_played_to_its_end_by_keyboard(
    person: NewPerson,
    server: Server,
    game: str,
    settings: dict[str, Any],
    bots: int,
    turn: Turn,
) -> None:
    page = await person()
    await make_table(page, game, settings, bots=bots)
    await tab_to(page, "[data-testid=start], [data-testid=ready]")
    await page.keyboard.press("Enter")
    if game == "cambia":
        await have_looked(page, server)
    while await state(page):
        await turn(page)
    # The result moves what is on the page: contrast is measured when all of it is there.
    await expect(page.get_by_test_id("watch-replay")).to_be_visible()
    await accessible(page)
    await tab_to(page, "[data-testid=watch-replay]")
    async with page.context.expect_page() as opened:
        await page.keyboard.press("Enter")
    replay = await opened.value
    if game == "quips":
        # The match is over when its result has been shown for long enough.
        let_pass(server, 600)
    await expect(replay.get_by_test_id("replay-moment")).to_be_visible()
    await accessible(replay)
    # Quips goes on by itself.
    if game != "quips":
        await page.bring_to_front()
        await tab_to(page, "[data-testid=play-again]")
        await page.keyboard.press("Enter")
        await expect(page.get_by_test_id("match-end")).to_have_count(0)


async def test_mo_is_played_to_its_end_by_keyboard(person: NewPerson) -> None:
    page = await person("/")
    await tab_to(page, "[data-testid=play-mo]")
    await page.keyboard.press("Enter")
    felt = page.get_by_test_id("felt")
    await expect(felt).to_be_visible()
    while await felt.get_attribute("data-status") == "playing":
        await follow_hint(page)


class Ears:
    """The lines that are added to the live region, in order; all that this player knows."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._lines: asyncio.Queue[str] = asyncio.Queue()

    async def open(self) -> None:
        await self._page.expose_function("heard", self._lines.put_nowait)
        await self._page.evaluate(
            """() => new MutationObserver((changes) => {
                for (const { addedNodes } of changes)
                  for (const node of addedNodes) if (node.textContent) heard(node.textContent)
            }).observe(document.querySelector('[aria-live]'), { childList: true })"""
        )

    async def next(self) -> str:
        return await asyncio.wait_for(self._lines.get(), 45)


async def go(page: Page, start: str, goal: str) -> None:
    """By arrow keys; the grid has no corners, so by way of its third column."""
    columns, rows = "abcde", "12345"
    for at, way in ((start, "c"), ("c" + start[1], "c"), ("c" + goal[1], goal[0])):
        steps = columns.index(way) - columns.index(at[0])
        for _ in range(abs(steps)):
            await page.keyboard.press("ArrowRight" if steps > 0 else "ArrowLeft")
        if at == "c" + start[1]:
            down = rows.index(goal[1]) - rows.index(start[1])
            for _ in range(abs(down)):
                await page.keyboard.press("ArrowDown" if down > 0 else "ArrowUp")


async def test_a_game_is_played_by_what_is_read_aloud_alone(person: NewPerson) -> None:
    page = await person("/play/mo?seed=daily-2026-11-15&profile=classic")
    await expect(page.get_by_test_id("felt")).to_be_visible()
    ears = Ears(page)
    await ears.open()
    await page.keyboard.press("h")
    said = await ears.next()
    at = ""
    walked = hints = 0
    while "You won!" not in said and "The game is lost." not in said:
        hint = re.match(r"Hint: (\w\d)\.", said)
        piles = re.search(r"Next, [^:]+: (?:only )?(\w\d)(?:[, ].*)? takes? it", said)
        if hint:
            # The keyboard's focus follows a hint.
            at = hint[1]
            hints += 1
        elif piles and at:
            await go(page, at, piles[1])
            at = piles[1]
            walked += 1
        else:
            await page.keyboard.press("h")
            said = await ears.next()
            continue
        await page.keyboard.press("Enter")
        said = await ears.next()
    assert walked >= 5
    await expect(page.get_by_test_id("felt")).not_to_have_attribute("data-status", "playing")
