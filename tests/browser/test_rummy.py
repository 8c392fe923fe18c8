"""Super Rummy on the page, in a real Chromium, as people play it."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

from parlour.server.server import Server
from tests.browser.conftest import NewPerson, accessible, make_table, passed, screenshot
from tests.browser.test_onu import nothing_is_covered, stand_still

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

EASY = {
    # House rules under which hands fit together quickly, so that a round has an end in sight.
    "hand_size": 7,
    "enable_jokers": True,
    "allow_run_mixed_suit": True,
    "allow_set_duplicate_suit": True,
}


DECK = "[data-zone=deck]"
MELD, DISCARD = "[data-action=meld]", "[data-action=discard]"


async def faces(page: Page) -> list[str]:
    cards = page.get_by_test_id("hand").locator("[data-card-id]")
    return sorted(await cards.evaluate_all("cards => cards.map(card => card.dataset.face)"))


async def holds(page: Page, count: int) -> None:
    """Wait until the hand has so many cards: dealing them takes the page a moment."""
    cards = page.get_by_test_id("hand").locator("[data-card-id]")
    await expect(cards).to_have_count(count)


async def over(page: Page) -> bool:
    return bool(await page.get_by_test_id("match-end").count())


async def take_turn(page: Page, meld: bool = True) -> None:
    """Draw, meld whatever the page finds, discard."""
    banner = page.get_by_test_id("turn-banner")
    hand = page.get_by_test_id("hand").locator("[data-card-id]")
    await page.locator(DECK).click()
    await expect(banner).to_have_attribute("data-state", "discard")
    while meld and not await over(page):
        before = await hand.count()
        await page.get_by_test_id("find").click()
        if not await page.locator(f"{MELD}.lit").count():
            break
        await page.locator(MELD).click()
        await expect(hand).not_to_have_count(before)
        if not await hand.count():
            await expect(page.get_by_test_id("match-end")).to_be_visible()
    if await over(page):
        return
    # What was found to be laid stays in the hand.
    await page.keyboard.press("Escape")
    await hand.last.click()
    await page.locator(DISCARD).click()
    await expect(
        page.locator("[data-testid=turn-banner][data-mine=true][data-state=discard]")
    ).to_have_count(0)


async def play_out(people: list[Page]) -> None:
    """Everybody takes their turns until the round ends for all of them."""
    while True:
        for page in people:
            if await over(page):
                for other in people:
                    await expect(other.get_by_test_id("match-end")).to_be_visible()
                return
            mine = page.locator("[data-testid=turn-banner][data-mine=true][data-state=draw]")
            if await mine.count():
                await take_turn(page)
        await people[0].wait_for_timeout(30)


async def test_two_people_play_a_round_to_its_end_and_one_reloads_in_the_middle(
    person: NewPerson, server: Server
) -> None:
    first = await person()
    await accessible(first)
    code = await make_table(first, "rummy", EASY)
    second = await person()
    await second.get_by_test_id("join-code").fill(" ".join(code))
    await second.get_by_test_id("join-button").click()
    await expect(second.get_by_test_id("lobby")).to_be_visible()
    await expect(first.get_by_test_id("player")).to_have_count(2)
    await accessible(second)
    await second.get_by_test_id("start").click()
    mine = first.locator("[data-testid=turn-banner][data-mine=true][data-state=draw]")
    await expect(mine).to_be_visible()
    await accessible(first)
    await take_turn(first, meld=False)

    await holds(second, 7)
    held = await faces(second)
    await second.reload()
    await expect(second.locator("[data-testid=turn-banner][data-mine=true]")).to_be_visible()
    await holds(second, 7)
    assert await faces(second) == held

    await play_out([first, second])
    await first.get_by_test_id("result-aside").click()
    await expect(first.get_by_test_id("match-scores")).to_have_count(0)
    await first.get_by_test_id("result-aside").click()
    await expect(first.get_by_test_id("match-scores")).to_be_visible()
    scores = [await page.get_by_test_id("scores").first.inner_text() for page in (first, second)]
    assert all(re.search(r"\d", text) for text in scores)
    await first.get_by_test_id("play-again").click()
    await expect(second.get_by_test_id("match-end")).to_have_count(0)
    await holds(second, 7)


async def first_turn(page: Page) -> None:
    """Wait for the first turn, in the next round if bots had cards to go out with before it."""
    mine = page.locator("[data-testid=turn-banner][data-mine=true][data-state=draw]")
    ended = page.get_by_test_id("match-end")
    while True:
        await expect(mine.or_(ended).first).to_be_visible()
        if not await over(page):
            return
        await page.get_by_test_id("play-again").click()
        await expect(ended).to_have_count(0)


async def test_one_person_plays_bots_from_the_hall_on_a_phone(person: NewPerson) -> None:
    page = await person(width=390, height=844, color_scheme="dark")
    await page.get_by_test_id("play-now").click()
    await first_turn(page)
    await accessible(page)
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await take_turn(page)
    mine = page.locator("[data-testid=turn-banner][data-mine=true][data-state=draw]")
    await expect(mine.or_(page.get_by_test_id("match-end")).first).to_be_visible()


async def test_a_spectator_sees_backs_only(person: NewPerson) -> None:
    player = await person()
    code = await make_table(player, "rummy", bots=3)
    await player.get_by_test_id("start").click()
    await expect(player.locator("[data-testid=turn-banner][data-mine=true]")).to_be_visible()
    await screenshot(player, "rummy")
    watcher = await person(f"/table/rummy/{code}?watch")
    await expect(watcher.get_by_test_id("turn-banner")).to_contain_text("turn")
    hands = watcher.locator("[data-zone^='hand '] [data-card-id]")
    shown = await hands.evaluate_all("cards => cards.map(card => card.dataset.face)")
    assert set(shown) == {"back"}


async def test_on_a_small_phone_nothing_covers_anything(person: NewPerson) -> None:
    page = await person(width=568, height=320)
    await make_table(page, "rummy", bots=3)
    await page.get_by_test_id("start").click()
    await expect(page.locator("[data-testid=turn-banner][data-mine=true]")).to_be_visible()
    await page.locator(DECK).click()
    await expect(page.get_by_test_id("turn-banner")).to_have_attribute("data-state", "discard")
    for width, height in ((568, 320), (320, 568)):
        await page.set_viewport_size({"width": width, "height": height})
        await stand_still(page)
        await nothing_is_covered(
            page,
            DECK,
            "[data-zone=discards]",
            "[data-testid=rest]",
            "[data-testid=turn-banner]",
            MELD,
            "[data-testid=hand]",
        )


async def test_the_hand_is_sorted_marked_and_says_why_nothing_happened(person: NewPerson) -> None:
    page = await person()
    await make_table(page, "rummy", {"hand_size": 10}, bots=1)
    await page.get_by_test_id("start").click()
    mine = page.locator("[data-testid=turn-banner][data-mine=true][data-state=draw]")
    await expect(mine).to_be_visible()
    await page.keyboard.press("m")
    await passed(page, "Draw the top card of the deck")
    await page.locator(DECK).click()
    await holds(page, 11)
    await expect(page.get_by_test_id("hand").get_by_label(", new")).to_have_count(1)
    await page.locator(DISCARD).click(force=True)
    await passed(page, "Discard: pick one first.")

    cards = page.get_by_test_id("hand").locator("[data-card-id]")
    order = "cards => cards.map(card => card.dataset.face)"
    by_suit = await cards.evaluate_all(order)
    await page.get_by_test_id("sort").click()
    by_rank = await cards.evaluate_all(order)
    ranks = ["A", *map(str, range(2, 11)), "J", "Q", "K", "W"]
    assert by_rank == sorted(by_suit, key=lambda face: ranks.index(face.split("-")[1]))

    # By hand: the first card, dragged to the end, and with the keyboard one step back.
    first, last = await cards.first.bounding_box(), await cards.last.bounding_box()
    assert first
    assert last
    await page.mouse.move(first["x"] + 8, first["y"] + 60)
    await page.mouse.down()
    await page.mouse.move(last["x"] + last["width"] - 4, last["y"] + 60, steps=5)
    await page.mouse.up()
    await expect(cards.last).to_have_attribute("data-face", by_rank[0])
    assert await cards.evaluate_all(order) == [*by_rank[1:], by_rank[0]]
    await page.get_by_test_id("hand").get_by_role("button").last.focus()
    await page.keyboard.press("Shift+ArrowLeft")
    assert await cards.evaluate_all(order) == [*by_rank[1:-1], by_rank[0], by_rank[-1]]
    await accessible(page)
