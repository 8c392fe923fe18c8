"""The page in other languages: German, and two made-up ones that show what is not ready for them.

The made-up languages have accents and are 1.4 times as long; ar-XB is read from right to left.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable

import pytest
from playwright.async_api import Page, expect

from parlour.server.server import Server
from tests.browser.conftest import NewContext, NewPerson, make_table
from tests.browser.test_night import open_for_bots, post

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

LONG, BACKWARDS = "en-XA", "ar-XB"
# Texts of people, of cards and of programs, which no language changes.
OTHER_TEXTS = r"""
  code, input, [lang]:not(html), [data-testid=chat], [data-player], .card, .slip, .code, .pack,
  svg, .name,
  [data-testid=lobby-code], [data-testid=language] option, .brand, .where, .me, .game h3,
  [data-testid=me] h1, [data-testid=evening] li b, [data-testid=screen] h1
"""
UNTRANSLATED = """(skip) => {
  const found = new Set()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const node = walker.currentNode
    const text = node.textContent.trim()
    const at = node.parentElement
    if (!/[a-z]{3}/i.test(text) || at.closest(`${skip}, script, style, noscript`)) continue
    if (!at.checkVisibility()) continue
    if (!/[~ÅÉÎÖÛåéîöûýñçš]/.test(text)) found.add(text)
  }
  return [...found]
}"""
CUT_OFF = """() => [...document.querySelectorAll('button, label, h1, h2, h3, p, dt, dd, th')]
  .filter((at) => at.checkVisibility() && at.innerText.includes('~'))
  .filter((at) => !at.closest('.unseen'))
  .filter((at) => at.scrollWidth > at.clientWidth + 2)
  .filter((at) => at.tagName === 'BUTTON' || getComputedStyle(at).overflowX !== 'visible')
  .map((at) => at.innerText.trim().slice(0, 60))"""
TOO_WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


async def speak(page: Page, language: str) -> None:
    kept = json.dumps({"language": language})
    await page.evaluate("kept => localStorage.setItem('parlour.preferences', kept)", kept)
    await page.reload()


async def check(page: Page) -> None:
    assert await page.evaluate(UNTRANSLATED, OTHER_TEXTS) == []
    assert await page.evaluate(CUT_OFF) == []
    assert await page.evaluate(TOO_WIDE) <= 0


async def hall(page: Page) -> None:
    await expect(page.get_by_test_id("game-rummy")).to_be_visible()


async def preferences(page: Page) -> None:
    await page.get_by_test_id("preferences").click()
    await expect(page.get_by_test_id("language")).to_be_visible()


async def lobby(page: Page) -> None:
    await make_table(page, "rummy", bots=1)


async def new_table(page: Page) -> None:
    await page.get_by_test_id("make-table").click()
    await page.get_by_role("dialog").locator("summary").first.click()


async def me(page: Page) -> None:
    await page.get_by_test_id("me-link").click()
    await page.get_by_test_id("erase").click()
    await expect(page.get_by_test_id("erase-name")).to_be_visible()


async def evening(page: Page) -> None:
    await page.get_by_test_id("open-evening").click()
    await expect(page.get_by_test_id("evening-scores")).to_be_visible()


async def big_screen(page: Page) -> None:
    code = await open_for_bots(page, "cambia")
    await page.goto(re.sub(r"(https?://[^/]+).*", rf"\1/cambia/{code}/screen", page.url))
    await expect(page.get_by_test_id("lobby")).to_be_visible()
    # Not squeezed beside the code to one letter a line.
    join = await page.get_by_test_id("join").bounding_box()
    assert join
    assert join["width"] > 200


async def replay(page: Page) -> None:
    code = await open_for_bots(page, "rummy")
    await post(page, f"/api/tables/{code}/start")
    await page.goto(re.sub(r"(https?://[^/]+).*", rf"\1/table/rummy/{code}?watch", page.url))
    await expect(page.get_by_test_id("match-end")).to_be_visible(timeout=120_000)
    await check(page)
    link = await page.get_by_test_id("watch-replay").get_attribute("href")
    await page.goto(re.sub(r"(https?://[^/]+).*", rf"\1{link}", page.url))
    await expect(page.get_by_test_id("replay-moment")).to_be_visible()


def table(game: str) -> Callable[[Page], Awaitable[None]]:
    async def opened(page: Page) -> None:
        await page.get_by_test_id(f"play-{game}").click()
        turn = page.locator("[data-testid=turn-banner], [data-testid=mat]")
        await expect(turn.first).to_be_visible()

    opened.__name__ = game
    return opened


async def lesson(page: Page) -> None:
    await page.goto(re.sub(r"(https?://[^/]+).*", r"\1/learn/rummy/first-round", page.url))
    await expect(page.get_by_test_id("lesson-text")).to_be_visible()


GAMES = [table(game) for game in ("rummy", "cambia", "onu", "quips", "mo")]
SCREENS = [hall, new_table, preferences, me, evening, lobby, lesson, *GAMES, big_screen, replay]


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: str(screen.__name__))
@pytest.mark.parametrize("language", [LONG, BACKWARDS])
async def test_screens_are_ready_for_other_languages(
    person: NewPerson, screen: Callable[[Page], Awaitable[None]], language: str
) -> None:
    page = await person(width=360, height=740)
    await speak(page, language)
    await screen(page)
    assert await page.evaluate("document.documentElement.lang") == language
    await check(page)


async def test_the_browsers_language_is_the_usual_one_and_can_be_changed(
    server: Server, context: NewContext
) -> None:
    page = await (await context(locale="de-AT")).new_page()
    await page.goto(f"http://127.0.0.1:{server.port}/")
    await expect(page.get_by_text("Sammle Sätze und Folgen")).to_be_visible()
    assert await page.evaluate("document.documentElement.lang") == "de"
    await page.get_by_test_id("preferences").click()
    await page.get_by_test_id("language").select_option("en")
    await expect(page.get_by_text("Gather sets and runs")).to_be_visible()
    assert await page.evaluate("document.documentElement.lang") == "en"


async def test_what_the_server_tells_at_a_table_is_in_german(person: NewPerson) -> None:
    page = await person(locale="de-DE")
    await page.get_by_test_id("play-rummy").click()
    banner = page.get_by_test_id("turn-banner")
    await expect(banner).to_contain_text("Zieh die oberste Karte vom Stapel oder von der Ablage.")
    await expect(page.get_by_test_id("actions")).to_contain_text("Auslegen")
    way = await page.get_by_test_id("to-screen").get_attribute("href")
    screen = await person(str(way), locale="de-DE")
    await expect(screen.get_by_test_id("turn-banner")).to_contain_text("ist dran")
