"""The size of the files a visitor loads: the first screen, then each game's table, as sent."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.browser.conftest import NewPerson

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

LOADED = """() => [...performance.getEntriesByType('navigation'),
    ...performance.getEntriesByType('resource')]
    .filter(({ name }) => !/\\/api\\/tables/.test(name))
    .reduce((sum, each) => sum + each.encodedBodySize, 0)"""
"""Without lists of tables, which are as long as there are tables."""
FIRST = 70_000
TABLE = 50_000


async def loaded(page: Page) -> int:
    """Compressed bytes, once nothing more comes."""
    await page.wait_for_load_state("networkidle")
    return int(await page.evaluate(LOADED))


@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
async def test_the_first_screen_is_small(person: NewPerson, locale: str) -> None:
    page = await person(locale=locale)
    await expect(page.get_by_test_id("play-now")).to_be_visible()
    assert 20_000 < await loaded(page) <= FIRST


@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
@pytest.mark.parametrize("game", ["rummy", "cambia", "onu", "mo", "quips"])
async def test_a_game_adds_little(person: NewPerson, game: str, locale: str) -> None:
    page = await person(locale=locale)
    await expect(page.get_by_test_id(f"play-{game}")).to_be_visible()
    before = await loaded(page)
    await page.get_by_test_id(f"play-{game}").click()
    turn = page.locator("[data-testid=turn-banner], [data-testid=mat]")
    await expect(turn.first).to_be_visible()
    assert 10_000 < await loaded(page) - before <= TABLE
