"""A game from outside on the page, which knows nothing of it but its scenes and choices."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.browser.conftest import NewPerson, accessible
from tests.examples.conftest import eights

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

__all__ = ["eights"]


@pytest.fixture(autouse=True)
def installed(eights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(eights)


async def my_turn(page: Page) -> bool:
    """Wait until the table waits for this player; False: the match is over."""
    here = page.locator("[data-testid=turn-banner][data-mine=true]")
    end = page.get_by_test_id("match-end")
    await expect(here.or_(end).first).to_be_visible()
    return not await end.count()


async def press_something(page: Page) -> None:
    """Press the first thing that is lit, else a button; answer what is asked then."""
    lit = page.locator("[data-fits=true]")
    buttons = page.get_by_test_id("action")
    # Cards overlap: their corners can always be touched.
    await (lit if await lit.count() else buttons).first.click(position={"x": 10, "y": 12})
    while await page.get_by_test_id("cancel").count():
        await page.get_by_test_id("answer").first.click()


async def press_something_by_keyboard(page: Page) -> None:
    """The first card that fits by arrow keys and Enter, else the first letter of a button."""
    things = page.get_by_test_id("thing")
    fits = await things.evaluate_all("all => all.map(one => one.dataset.fits)")
    if "true" in fits:
        await page.locator("[data-testid=hand] [tabindex='0']").focus()
        await page.keyboard.press("Home")
        for _ in range(fits.index("true")):
            await page.keyboard.press("ArrowRight")
        await page.keyboard.press("Enter")
    else:
        label = await page.get_by_test_id("action").first.inner_text()
        await page.keyboard.press(label[0].lower())
    while await page.get_by_test_id("cancel").count():
        # The first answer has the focus.
        await page.keyboard.press("Enter")


async def settled(page: Page, before: int) -> None:
    """Wait until the page has shown something that happened."""
    lines = page.get_by_test_id("log").locator("li")
    end = page.get_by_test_id("match-end")
    await expect(lines.nth(before).or_(end).first).to_be_attached()


@pytest.mark.parametrize(
    "press",
    [press_something, pytest.param(press_something_by_keyboard, marks=pytest.mark.soak)],
    ids=["pointer", "keyboard"],
)
async def test_a_game_is_played_to_its_end(person: NewPerson, press: object) -> None:
    assert callable(press)
    page = await person()
    await page.get_by_test_id("play-eights").click()
    await expect(page.get_by_test_id("scene")).to_be_visible()
    looked = False
    while await my_turn(page):
        if not looked:
            await accessible(page)
            looked = True
        lines = await page.get_by_test_id("log").locator("li").count()
        await press(page)
        await settled(page, min(lines, 79))
    await expect(page.get_by_test_id("match-end")).to_contain_text("Points")
    await accessible(page)
    await page.get_by_test_id("play-again").click()
    await expect(page.get_by_test_id("match-end")).to_have_count(0)


async def test_who_reloads_finds_the_same_hand_and_the_moves(person: NewPerson) -> None:
    page = await person(width=390, height=844, color_scheme="dark")
    await page.get_by_test_id("play-eights").click()
    assert await my_turn(page)
    hand = page.locator(".own [data-card-id]")
    faces = await hand.evaluate_all("cards => cards.map(card => card.dataset.face)")
    await accessible(page)
    await page.reload()
    assert await my_turn(page)
    again = await hand.evaluate_all("cards => cards.map(card => card.dataset.face)")
    assert again == faces
    await page.get_by_role("button", name="Moves and talk").click()
    await expect(page.get_by_test_id("log").locator("li").last).to_contain_text("turned up")


async def test_who_watches_sees_the_table_and_no_hand(person: NewPerson) -> None:
    page = await person()
    await page.get_by_test_id("play-eights").click()
    assert await my_turn(page)
    code = page.url.rpartition("/")[2]
    spectator = await person(path=f"/table/eights/{code}?watch")
    await expect(spectator.get_by_test_id("scene")).to_be_visible()
    await expect(spectator.get_by_test_id("thing")).to_have_count(0)
