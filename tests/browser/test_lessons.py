"""Lessons on the page: by pointer and by keyboard, with something wrong in between."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from parlour.games import installed_games
from tests.browser.conftest import NewPerson, accessible, look_at
from tests.examples.conftest import examples

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

__all__ = ["examples"]


@pytest.fixture(autouse=True)
def installed(examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(examples)


async def at_step(page: Page, number: int) -> None:
    await expect(page.locator(f"[data-testid=lesson][data-step='{number}']")).to_be_visible()


def marked(page: Page) -> Locator:
    """The buttons that the lesson marks."""
    return page.locator("button[data-marked], [data-marked] [data-testid=zone-button]")


async def read_on(page: Page) -> None:
    await page.get_by_test_id("lesson-next").click()


async def follow(page: Page) -> None:
    """Press what is marked until the next sentence comes."""
    step = await page.get_by_test_id("lesson").get_attribute("data-step")
    while await page.get_by_test_id("lesson").get_attribute("data-step") == step:
        await expect(marked(page).first).to_be_visible()
        await marked(page).first.click()


async def read_or_follow(page: Page) -> None:
    if await page.get_by_test_id("lesson-next").count():
        await read_on(page)
    else:
        await follow(page)


async def test_rummy_is_learnt_by_pointer(person: NewPerson) -> None:
    page = await person()
    await page.get_by_test_id("learn-rummy").click()
    await at_step(page, 0)
    await accessible(page)
    for _ in range(3):
        await read_on(page)
    await follow(page)
    await at_step(page, 4)
    # An action that the rules allow, but the lesson does not ask for.
    await page.get_by_role("button", name="king of diamonds").click()
    await page.locator("[data-action=discard]").click()
    await expect(page.get_by_test_id("correction")).to_contain_text("meld the run")
    await at_step(page, 4)
    await expect(page.get_by_role("button", name="king of diamonds")).to_be_visible()
    await look_at(page, "lesson-rummy")
    await accessible(page)
    # Three cards are marked, and then the button.
    await expect(marked(page)).to_have_count(3)
    await follow(page)
    await expect(page.get_by_test_id("correction")).to_have_count(0)
    await page.get_by_test_id("lesson-back").click()
    await at_step(page, 4)
    await expect(page.get_by_role("button", name="five of hearts")).to_be_visible()
    while not await page.get_by_test_id("lesson-play").count():
        await read_or_follow(page)
    await accessible(page)
    await page.get_by_test_id("lesson-again").click()
    await at_step(page, 0)
    await page.get_by_test_id("lesson-next").focus()
    # A lesson opens no table.
    tables = await page.evaluate("fetch('/api/tables').then(answer => answer.json())")
    assert tables["tables"] == []


async def test_cambia_is_learnt_by_keyboard_on_a_phone(person: NewPerson) -> None:
    page = await person("/learn/cambia", width=390, height=844, color_scheme="dark")
    await at_step(page, 0)
    corrected = False
    while not await page.get_by_test_id("lesson-play").count():
        before = await page.get_by_test_id("lesson").get_attribute("data-step")
        if await page.get_by_test_id("lesson-next").count():
            # The button has the focus already, so one key is enough.
            await expect(page.get_by_test_id("lesson-next")).to_be_focused()
            await page.keyboard.press("Enter")
        elif not corrected:
            await page.get_by_role("button", name="Call Cambia").focus()
            await page.keyboard.press("Enter")
            await expect(page.get_by_test_id("correction")).to_contain_text("Not yet")
            await at_step(page, int(before or 0))
            await accessible(page)
            corrected = True
            continue
        else:
            await expect(marked(page).first).to_be_visible()
            await marked(page).first.focus()
            await page.keyboard.press("Enter")
    await accessible(page)
    await look_at(page, "lesson-cambia")
    await page.get_by_test_id("lesson-play").focus()
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/table/cambia/*")


async def test_every_lesson_can_be_followed_by_what_is_marked(person: NewPerson) -> None:
    """One page for all of them, so that this takes little time."""
    paths = [
        f"/learn/{game.id}/{lesson.id}" for game in installed_games() for lesson in game.lessons
    ]
    assert len(paths) >= 7
    page = await person(paths[0], width=390, height=844)
    house = page.url.removesuffix(paths[0])
    for path in paths:
        await page.goto(house + path)
        await at_step(page, 0)
        while not await page.get_by_test_id("lesson-again").count():
            step = await page.get_by_test_id("lesson").get_attribute("data-step")
            await look_at(page, f"lesson{path.replace('/', '-')}-{step}")
            # Whoever presses the table need not wait for what others do.
            table = page.get_by_role("group", name="The table", exact=True)
            await table.dispatch_event("pointerdown")
            if await page.locator("[data-marked]").count():
                await expect(page.locator("[data-marked]").first).to_be_in_viewport(ratio=0.3)
            await read_or_follow(page)
        await look_at(page, f"lesson{path.replace('/', '-')}-end")


async def test_how_to_play_leads_to_the_lesson(person: NewPerson) -> None:
    page = await person("/learn/onu/nothing")
    await expect(page.get_by_role("alert")).to_contain_text("There is no such lesson")
    await page.get_by_test_id("how-to-play").click()
    await page.get_by_test_id("guide").get_by_test_id("learn-onu").click()
    await at_step(page, 0)
    await expect(page.get_by_test_id("guide")).to_be_hidden()
    # Steps can be read or skipped.
    await read_on(page)
    await page.get_by_test_id("lesson-skip").click()
    await at_step(page, 2)
