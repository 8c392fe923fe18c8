"""A match that is over, looked at again: from its result to any moment, as anybody saw it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import Page, Route, expect

from tests.browser.conftest import NewPerson, accessible, look_at
from tests.browser.test_described import my_turn, press_something, settled
from tests.examples.conftest import examples

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

__all__ = ["examples"]


@pytest.fixture(autouse=True)
def installed(examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(examples)


async def play_eights(page: Page) -> None:
    """A match against a bot, to its end."""
    await page.get_by_test_id("play-eights").click()
    while await my_turn(page):
        lines = await page.get_by_test_id("log").locator("li").count()
        await press_something(page)
        await settled(page, min(lines, 79))


async def at(page: Page, moment: int) -> None:
    """Wait until this moment is shown, by the buttons and in the address."""
    await expect(page.get_by_test_id("replay-moment")).to_have_text(re.compile(rf"^{moment} /"))
    await expect(page).to_have_url(re.compile(rf"[?&]at={moment}\b"))


FACE_DOWN = ".others [data-face=back]"
"""Cards that lie face down before a player."""


async def test_a_match_is_looked_at_again(person: NewPerson) -> None:
    player = await person()
    await play_eights(player)
    async with player.context.expect_page() as opened:
        await player.get_by_test_id("watch-replay").click()
    page = await opened.value
    await at(page, 0)
    # All cards are open unless somebody wants to see less.
    await expect(page.locator(".others [data-card-id]").nth(9)).to_be_visible()
    await expect(page.locator(FACE_DOWN)).to_have_count(0)
    await look_at(page, "replay-desktop")
    await accessible(page)

    # Steps, by buttons and by keys.
    await page.get_by_test_id("replay-forward").click()
    await at(page, 1)
    await page.keyboard.press("ArrowRight")
    await at(page, 2)
    await page.keyboard.press("ArrowLeft")
    await page.get_by_test_id("replay-back").click()
    await at(page, 0)
    await page.keyboard.press("ArrowLeft")
    await page.keyboard.press("End")
    last = int((await page.get_by_test_id("replay-moment").inner_text()).rpartition("/")[2])
    await at(page, last)
    await expect(page.get_by_test_id("turn-banner")).to_contain_text("over")
    await page.keyboard.press("Home")
    await page.get_by_test_id("replay-turn").click()
    await expect(page.get_by_test_id("replay-controls")).to_contain_text("Turn 2 of")

    # The list of moves: the current one is marked, a press jumps to it.
    moves = page.get_by_test_id("replay-moves").get_by_role("button")
    current = page.get_by_test_id("replay-moves").locator("[aria-current=step]")
    await moves.nth(3).click()
    moment = await moves.nth(3).get_attribute("data-at") or ""
    await expect(current).to_have_attribute("data-at", moment)
    await at(page, int(moment))

    # The same moment as spectators and as the bot saw it.
    view = page.get_by_test_id("replay-view")
    await view.select_option("spectator")
    await expect(page.locator(FACE_DOWN).first).to_be_visible()
    await expect(page).to_have_url(re.compile(r"view=spectator"))
    # Or the last moment of the same move.
    same = re.compile(rf"^({moment}|{int(moment) + 1}) /")
    await expect(page.get_by_test_id("replay-moment")).to_have_text(same)
    await view.select_option("1")
    await expect(page.locator(".own [data-zone] [data-card-id]").first).to_be_visible()
    await expect(page.locator(FACE_DOWN).first).to_be_visible()

    # The address leads others to the same moment.
    link = page.url
    path = link[link.index("/replay/") :]
    friend = await person(path=path)
    shown = await page.get_by_test_id("replay-moment").inner_text()
    await expect(friend.get_by_test_id("replay-moment")).to_have_text(shown)
    await expect(friend.get_by_test_id("replay-view")).to_have_value("1")
    await expect(friend.get_by_test_id("replay-field")).to_have_value(link)

    # It plays by itself, slowly or fast, until somebody stops it,
    await friend.keyboard.press("Home")
    await friend.get_by_test_id("replay-speed").select_option("0.5")
    button = friend.get_by_test_id("replay-play")
    await button.click()
    await expect(button).to_have_attribute("aria-label", "Pause")
    await button.click()
    # or to the end; here only the last turns of it.
    await friend.keyboard.press("End")
    for _ in range(2):
        await friend.keyboard.press("ArrowUp")
    await expect(friend.get_by_test_id("turn-banner")).not_to_contain_text("over")
    await friend.get_by_test_id("replay-speed").select_option("4")
    await button.click()
    await at(friend, last)
    await expect(button).to_have_attribute("aria-label", "Play")
    await expect(friend.get_by_test_id("turn-banner")).to_contain_text("over")

    # On a phone the moves are behind a button.
    phone = await person(path=path, width=390, height=844, color_scheme="dark")
    await expect(phone.get_by_test_id("replay-controls")).to_be_visible()
    await look_at(phone, "replay-phone")
    await accessible(phone)
    await phone.get_by_role("button", name="Moves").click()
    await expect(phone.get_by_test_id("replay-moves")).to_be_visible()
    await look_at(phone, "replay-phone-moves")
    await accessible(phone)
    await phone.keyboard.press("Escape")
    await phone.set_viewport_size({"width": 844, "height": 390})
    await expect(phone.get_by_test_id("replay-controls")).to_be_in_viewport(ratio=1)
    await expect(phone.get_by_test_id("hand")).to_be_in_viewport(ratio=0.9)
    await look_at(phone, "replay-phone-landscape")


async def test_the_deal_of_a_match_is_checked(person: NewPerson) -> None:
    player = await person()
    await play_eights(player)
    async with player.context.expect_page() as opened:
        await player.get_by_test_id("watch-replay").click()
    page = await opened.value
    verdict = page.get_by_test_id("deal-verdict")
    await page.get_by_test_id("check-deal").click()
    await expect(verdict).to_contain_text("Yes: your browser found the log unchanged")
    await expect(verdict).to_contain_text("Your own number is in the seed")
    await page.get_by_test_id("deal-verdict").scroll_into_view_if_needed()
    await look_at(page, "replay-fair")
    await accessible(page)

    # Somebody who did not play can check the rest.
    stranger = await person(path=page.url[page.url.index("/replay/") :], width=390, height=844)
    await stranger.get_by_role("button", name="Moves").click()
    await stranger.get_by_test_id("check-deal").click()
    verdict = stranger.get_by_test_id("deal-verdict")
    await expect(verdict).to_contain_text("Yes: ")
    await expect(verdict).not_to_contain_text("own number")
    await look_at(stranger, "replay-fair-phone")

    # A server that publishes another log than it has played is found out.
    async def tamper(route: Route) -> None:
        answer = await route.fetch()
        log = await answer.json()
        number = next(i for i, line in enumerate(log["lines"]) if '"do":"Act"' in line)
        log["lines"][number] = log["lines"][number].replace('"at":', '"at":1', 1)
        tampered.append(number - 1)
        await route.fulfill(response=answer, json=log)

    tampered: list[int] = []
    await stranger.route("**/log", tamper)
    await stranger.get_by_test_id("check-deal").click()
    await expect(verdict).to_contain_text("No: entry")
    assert await verdict.inner_text() == f"No: entry {tampered[0]} of the log was changed."

    # And so is one that has written the whole log anew, by whoever played there.
    await page.evaluate(
        """() => {
            const kept = localStorage.getItem('deals')
            localStorage.setItem('deals', kept.replace(/"head":"../, '"head":"xx'))
        }"""
    )
    await page.get_by_test_id("check-deal").click()
    await expect(page.get_by_test_id("deal-verdict")).to_contain_text("another end of the log")


async def test_what_cannot_be_shown_is_said(person: NewPerson) -> None:
    page = await person(path="/replay/none-1")
    await expect(page.get_by_test_id("replay-trouble")).to_contain_text("no such replay")
    await accessible(page)
    await page.goto(page.url.partition("/replay")[0])
    await page.get_by_test_id("play-eights").click()
    assert await my_turn(page)
    code = page.url.rpartition("/")[2]
    replay = await page.evaluate(
        "code => fetch(`/api/tables/${code}`).then((answer) => answer.json())"
        ".then((table) => table.fairness.replay)",
        code,
    )
    stranger = await person(path=f"/replay/{replay}")
    await expect(stranger.get_by_test_id("replay-trouble")).to_contain_text("not over yet")
    await stranger.get_by_role("button", name="Watch the match").click()
    await expect(stranger.get_by_test_id("scene")).to_be_visible()
