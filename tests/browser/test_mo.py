"""MO on the page, in a real Chromium: by mouse, finger and keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser.conftest import NewPerson, accessible, look_at, passed, screenshot

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

DEALS = ("daily-2026-11-15", "daily-2026-11-16", "daily-2026-11-17")
"""Following hints wins most games; these are tried until one is won."""


def pile(page: Page, name: str) -> Locator:
    return page.get_by_test_id(f"pile-{name}")


async def names(page: Page) -> list[str]:
    """The whole grid, as a screen reader calls it."""
    piles = page.locator("[data-testid^=pile-]")
    return [await one.get_attribute("aria-label") or "" for one in await piles.all()]


async def moves(page: Page) -> int:
    return int(await page.get_by_test_id("felt").get_attribute("data-moves") or 0)


async def stands_at(page: Page, count: int) -> None:
    await expect(page.get_by_test_id("felt")).to_have_attribute("data-moves", str(count))


async def drag(page: Page, to: str) -> None:
    """The next card, by mouse, from the draw pile to another."""
    start = await pile(page, "e5").bounding_box()
    end = await pile(page, to).bounding_box()
    assert start
    assert end
    await page.mouse.move(start["x"] + 20, start["y"] + 30)
    await page.mouse.down()
    await page.mouse.move(start["x"] - 20, start["y"] - 20)
    await page.mouse.move(end["x"] + 20, end["y"] + 30, steps=3)
    await page.mouse.up()


async def follow_hint(page: Page) -> None:
    """H shows the pile and goes there, Enter plays."""
    before = await moves(page)
    await page.keyboard.press("h")
    await page.locator(".pile--valid.hinted:focus").wait_for()
    await page.keyboard.press("Enter")
    await stands_at(page, before + 1)


async def follow_hints(page: Page, count: int) -> None:
    for _ in range(count):
        if await page.get_by_test_id("felt").get_attribute("data-status") != "playing":
            return
        await follow_hint(page)


async def play_badly(page: Page) -> None:
    """Always the last pile that takes the card, until the game is over."""
    for count in range(1, 60):
        await page.locator(".pile--valid").last.click()
        await stands_at(page, count)
        if await page.get_by_test_id("felt").get_attribute("data-status") != "playing":
            return
    pytest.fail("the game did not end")


async def test_a_learner_walks_through_the_tutorial(person: NewPerson) -> None:
    page = await person()
    await page.get_by_test_id("play-mo").click()
    await page.get_by_test_id("learn").click()
    tutorial = page.get_by_test_id("tutorial")
    await accessible(page)
    await page.get_by_test_id("tutorial-next").click()

    # On a wrong pile the page says why not, and nothing changes.
    await pile(page, "b2").click()
    await expect(page.get_by_test_id("correction")).to_contain_text("b2 does not take")
    await expect(tutorial).to_have_attribute("data-step", "1")

    await pile(page, "a3").click()
    await drag(page, "e3")
    await expect(tutorial).to_have_attribute("data-step", "3")
    await pile(page, "e5").focus()
    for key in ("ArrowLeft", "ArrowLeft", "Enter"):
        await page.keyboard.press(key)
    await expect(tutorial).to_have_attribute("data-step", "4")

    await pile(page, "c3").click()
    await expect(pile(page, "d3")).to_have_accessible_name(
        "d3, 6 of hearts on top, 1 card, valid, defeats the king of clubs"
    )
    await pile(page, "d3").click()
    await expect(pile(page, "a3")).to_have_accessible_name("a3, king of clubs defeated")
    await pile(page, "c2").click()
    await pile(page, "b3").click()

    await expect(page.locator(".pile--valid")).to_have_count(3)
    await accessible(page)
    await pile(page, "c4").click()
    await expect(page.get_by_test_id("correction")).to_contain_text("defeats nobody")
    await pile(page, "b2").click()
    for fallen in ("e2", "b5"):
        await expect(pile(page, fallen)).to_have_accessible_name(re.compile("jack of .* defeated"))
    await pile(page, "c4").click()
    await pile(page, "a2").click()
    await expect(pile(page, "a2")).to_have_accessible_name(re.compile("counts 16 of 20"))
    for width, height in ((360, 640), (740, 360)):
        await page.set_viewport_size({"width": width, "height": height})
        await expect(page.get_by_test_id("tutorial-next")).to_be_in_viewport(ratio=1)
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await page.get_by_test_id("tutorial-next").click()
    await stands_at(page, 0)


async def test_a_game_is_won_by_its_hints_over_undo_redo_and_a_reload(person: NewPerson) -> None:
    page = await person(f"/play/mo?seed={DEALS[0]}&profile=classic")
    await expect(page.get_by_test_id("seed")).to_have_text(DEALS[0])
    await accessible(page)
    await follow_hints(page, 20)

    there = await names(page)
    for back in range(1, 4):
        await page.keyboard.press("u")
        await stands_at(page, 20 - back)
    assert await names(page) != there
    await page.get_by_test_id("redo").click()
    await page.get_by_test_id("redo").click()
    await stands_at(page, 19)
    await page.keyboard.press("r")
    await stands_at(page, 20)
    await expect(page.get_by_test_id("redo")).to_be_disabled()
    assert await names(page) == there

    await page.reload()
    await stands_at(page, 20)
    assert await names(page) == there
    await screenshot(page, "mo")

    await pile(page, "e5").focus()
    await follow_hints(page, 200)
    for seed in DEALS[1:]:
        if await page.get_by_test_id("felt").get_attribute("data-status") == "won":
            break
        await page.goto(f"{page.url.split('/play')[0]}/play/mo?seed={seed}")
        await expect(page.get_by_test_id("seed")).to_have_text(seed)
        await follow_hints(page, 200)
    await expect(page.get_by_test_id("reason")).to_have_attribute("data-reason", "won")
    await accessible(page)
    won_in = await moves(page)
    await expect(page.get_by_test_id("ending")).to_contain_text("Won with hints.")
    await page.keyboard.press("Escape")
    await expect(page.get_by_test_id("stats-won")).to_have_text("1")
    await expect(page.get_by_test_id("stats-helped")).to_contain_text("with hints")
    histogram = page.get_by_role("img", name="Moves of your wins")
    await expect(histogram).to_have_accessible_name(re.compile("moves: 1 win."))

    # A win is counted once, and is kept.
    await page.keyboard.press("u")
    await stands_at(page, won_in - 1)
    await page.keyboard.press("r")
    await expect(page.get_by_test_id("reason")).to_contain_text(f"after {won_in} moves")
    await page.get_by_test_id("ending-new").click()
    await stands_at(page, 0)
    await expect(page.get_by_test_id("stats-won")).to_have_text("1")


async def test_a_lost_game_says_why_and_can_be_taken_back(person: NewPerson) -> None:
    page = await person("/play/mo?seed=seed-150&profile=classic")
    await expect(page.get_by_test_id("seed")).to_have_text("seed-150")
    await play_badly(page)
    ending = page.get_by_test_id("reason")
    await expect(ending).to_have_attribute("data-reason", "no-place")
    await expect(ending).to_contain_text("No pile takes the")
    await expect(page.get_by_test_id("ending")).to_contain_text("Won 0 of 1 game.")
    await expect(page.get_by_role("button", name="Share this deal")).to_be_visible()
    await accessible(page)
    lost_in = await moves(page)
    await page.get_by_test_id("ending-undo").click()
    await stands_at(page, lost_in - 1)
    await expect(page.locator(".pile--valid")).not_to_have_count(0)

    # The page asks before it replaces an unfinished deal.
    await page.get_by_test_id("new").click()
    await expect(page.get_by_test_id("deals")).to_contain_text("counts as not won")
    await accessible(page)
    await page.get_by_label("Printed").check()
    await page.get_by_test_id("seed-field").fill("seed-252")
    await page.get_by_test_id("deal-seed").click()
    await stands_at(page, 0)
    await expect(page.get_by_test_id("seed")).to_have_text("seed-252")

    # A spectator sees everything and can press nothing.
    tables = await page.evaluate("fetch('/api/tables').then((answer) => answer.json())")
    friend = await person(f"/table/mo/{tables['tables'][0]['code']}?watch")
    await expect(friend.get_by_text("You are watching.")).to_be_visible()
    await expect(friend.get_by_test_id("undo")).to_have_count(0)
    await play_badly(page)
    await expect(friend.get_by_test_id("reason")).to_have_attribute("data-reason", "too-strong")
    await expect(ending).to_have_attribute("data-reason", "too-strong")
    await expect(ending).to_contain_text("more than 20")


async def test_a_replay_is_drawn_with_mos_own_board(person: NewPerson) -> None:
    page = await person("/play/mo?seed=seed-150&profile=classic")
    await expect(page.get_by_test_id("seed")).to_have_text("seed-150")
    await play_badly(page)
    await expect(page.get_by_test_id("ending")).to_be_visible()
    await page.keyboard.press("Escape")
    last, count = await names(page), await moves(page)
    await page.get_by_test_id("undo").click()
    await stands_at(page, count - 1)
    await page.locator(".pile--valid").last.click()
    await stands_at(page, count)
    await page.get_by_test_id("watch-replay").click()
    await expect(page).to_have_url(re.compile("/replay/"))
    await expect(page.get_by_test_id("mat")).to_be_visible()
    await page.keyboard.press("End")
    felt = page.get_by_test_id("felt")
    await expect(felt).to_contain_text(re.compile(rf"moves {count}(?!\d)"))
    # The same position, but without what only the player is told: where the card may go.
    tops = [re.sub(",.*", "", name.partition(", ")[2]) for name in last]
    assert [re.sub(",.*", "", name.partition(", ")[2]) for name in await names(page)] == tops
    royals = [name for name in last if "defeated" in name]
    assert [name for name in await names(page) if "defeated" in name] == royals
    # The first deal was the visitor's own, then came that of the link.
    await page.keyboard.press("Home")
    await expect(felt).to_contain_text(re.compile(r"moves 0(?!\d)"))
    for size, name in (((1280, 800), "laptop"), ((390, 844), "phone")):
        await page.set_viewport_size({"width": size[0], "height": size[1]})
        await page.keyboard.press("End")
        await accessible(page)
        await look_at(page, f"mo-replay-{name}")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await page.goto(re.sub(r"(https?://[^/]+).*", r"\1/play/mo", page.url))
    await stands_at(page, 0)


async def test_whoever_plays_on_before_the_hint_gets_the_next_one(person: NewPerson) -> None:
    page = await person("/play/mo?seed=seed-163")
    await expect(page.get_by_test_id("seed")).to_have_text("seed-163")
    for count in range(1, 6):
        # Faster than a person: the second click comes before the server's answer.
        await page.evaluate(
            """() => {
              document.querySelector('[data-testid=hint]').click()
              document.querySelector('.pile--valid').click()
            }"""
        )
        await stands_at(page, count)
        await page.keyboard.press("h")
        await expect(page.locator(".pile--valid.hinted")).to_have_count(1)
    # Nothing went wrong, as a toast would have said.
    assert await page.locator("html").get_attribute("data-passed") is None


async def test_two_tabs_play_one_game_and_count_it_once(person: NewPerson) -> None:
    page = await person("/play/mo?seed=seed-252&profile=printed")
    await expect(page.get_by_test_id("seed")).to_have_text("seed-252")
    other = await page.context.new_page()
    await other.goto(page.url)
    await page.bring_to_front()
    await play_badly(page)
    for tab in (page, other):
        await expect(tab.get_by_test_id("reason")).to_be_visible()
        await tab.keyboard.press("Escape")
        await expect(tab.get_by_test_id("stats-played")).to_have_text("1")

    # The daily deal is the same for everybody, whatever rules they played by before.
    await expect(other.get_by_test_id("daily")).to_contain_text("classic")
    await other.get_by_test_id("daily").click()
    await expect(page.get_by_test_id("seed")).to_have_text(re.compile("^daily-"))
    await expect(page.get_by_text("classic rules · 0 moves")).to_be_visible()
    await page.locator(".pile--valid").first.click()
    await stands_at(other, 1)
    await other.get_by_test_id("new").click()
    await other.get_by_test_id("deal-fresh").click()
    for tab in (page, other):
        await stands_at(tab, 0)
        await expect(tab.get_by_test_id("stats-played")).to_have_text("2")
        await expect(tab.get_by_test_id("daily-result")).to_contain_text("not won yet")


async def test_a_phone_has_room_for_everything_and_peeks_by_touch(person: NewPerson) -> None:
    page = await person(
        "/play/mo?seed=seed-163", 360, 740, color_scheme="dark", has_touch=True, is_mobile=True
    )
    await expect(page.get_by_test_id("seed")).to_have_text("seed-163")
    for count in range(1, 9):
        await page.locator(".pile--valid").last.tap()
        await stands_at(page, count)
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await accessible(page)

    for width, height in ((740, 360), (360, 740)):
        await page.set_viewport_size({"width": width, "height": height})
        await expect(page.get_by_test_id("mat")).to_be_in_viewport(ratio=1)
        for button in await page.locator("[data-testid^=peek-]").all():
            box = await button.bounding_box()
            assert box
            assert min(box["width"], box["height"]) >= 24

    # A pile that takes no card says what lies there instead.
    taken = page.locator("[data-testid^=pile-][data-valid=false]").first
    await taken.tap()
    await expect(page.get_by_test_id("aside")).to_contain_text("may not go here")
    await stands_at(page, 8)

    peek = page.locator("[data-testid^=peek-]").first
    count = int(await peek.inner_text())
    await peek.tap()
    await expect(page.get_by_test_id("peek").get_by_role("img")).to_have_count(count)
    await accessible(page)
    await page.keyboard.press("Escape")
    await expect(page.get_by_test_id("peek")).to_be_hidden()

    # A long press looks through a pile too, and plays nothing.
    touch = await page.context.new_cdp_session(page)
    box = await pile(page, "c3").bounding_box()
    assert box
    point = {"x": box["x"] + 20, "y": box["y"] + 20}
    await touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    await expect(page.get_by_test_id("peek")).to_be_visible()
    await touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    await stands_at(page, 8)


async def test_the_deal_of_the_day_has_a_streak_a_history_and_a_result_to_share(
    person: NewPerson,
) -> None:
    page = await person("/play/mo", 360, 740)
    await expect(page.get_by_test_id("daily-result")).to_contain_text("until midnight UTC")
    # The days on which this browser has won, today included.
    await page.evaluate(
        """() => {
          const day = (ago) => new Date(Date.now() - ago * 864e5).toISOString().slice(0, 10)
          const game = (ago, won, helped) => ({seed: `daily-${day(ago)}`, profile: 'classic',
            won, moves: 60 + ago, open: false, helped})
          localStorage.setItem('parlour.mo', JSON.stringify(
            [game(3, false), game(2, true), game(1, true, true), game(0, true)]))
        }"""
    )
    await page.reload()
    panel = page.get_by_test_id("daily-panel")
    await expect(panel).to_contain_text("won in 60 moves. 3 days in a row.")
    history = panel.get_by_role("listitem")
    await expect(history).to_have_count(14)
    signs = await history.locator("[aria-hidden]").all_inner_texts()
    assert signs[-4:] == ["✕", "★", "☆", "★"]
    await expect(history.nth(12)).to_contain_text("won with hints in 61 moves")
    await page.get_by_test_id("daily-share").click()
    await passed(page, "copied")
    await panel.scroll_into_view_if_needed()
    await look_at(page, "mo-daily")
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await accessible(page)
