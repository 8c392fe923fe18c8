"""Cambia on the page, in a real Chromium, as people play it."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Locator, Page, expect

from parlour.server.server import Server
from tests.browser.conftest import NewPerson, accessible, let_pass, make_table, screenshot

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

KING_THEN_FIVE = f"{630438:064x}"
"""A table's seed whose first game for three has all that the long test plays.

The first number of which the first draw is a King and the first player's first card is worse
than the second's; the second draw is a 5 of which only the third player holds another.
Hands: 6♥ J♥ 9♠ 2♥, 3♥ Q♥ 8♣ A♥, 6♣ 8♦ 10♣ 5♠; drawn: K♠ 5♣ (K♦ K♥ blind) 2♣ 6♦. All three
pages have the same part in it (`conftest.py`).
"""

FIRST_CARDS = (
    ("hearts-6", "hearts-J"),
    ("hearts-3", "hearts-Q"),
    ("clubs-6", "diamonds-8"),
)

UNHURRIED = {"houseRules": {"turnTimerSec": 600}, "settings": {"countdownSec": 1}}


async def asked(page: Page, sentence: str) -> None:
    """Wait until the table asks this person for something."""
    banner = page.locator("[data-testid=turn-banner][data-mine=true]", has_text=sentence)
    await expect(banner).to_be_visible()


TO_DRAW = "Draw a card"
IN_HANDS = "[data-idx] [data-card-id]"
OPEN = f"{IN_HANDS}:not([data-face=back])"


def own(page: Page, idx: int) -> Locator:
    return page.get_by_test_id("hand").locator(f"[data-idx='{idx}'] [data-card-id]")


def own_cards(page: Page) -> Locator:
    return page.get_by_test_id("hand").locator(IN_HANDS)


def hand(page: Page, seat: int) -> Locator:
    return page.locator(f"[data-zone='hand {seat}']")


def discards(page: Page) -> Locator:
    return page.locator("button[data-zone=discards]")


def top_discard(page: Page) -> Locator:
    return discards(page).locator("[data-card-id]").last


async def shown(page: Page) -> list[str]:
    """The faces that lie open in anybody's hand, as this person sees the table."""
    faces: list[str] = await page.locator(OPEN).evaluate_all("all => all.map(c => c.dataset.face)")
    return sorted(faces)


async def sees(page: Page, *faces: str) -> None:
    """Wait until exactly these lie open."""
    await expect(page.locator(OPEN)).to_have_count(len(faces))
    assert await shown(page) == list(faces)


async def draw(page: Page, face: str) -> None:
    await asked(page, TO_DRAW)
    await page.locator("button[data-zone=stockpile]").click()
    await asked(page, "You drew")
    await expect(page.get_by_test_id("drawn").locator("[data-card-id]")).to_have_attribute(
        "data-face", face
    )


async def carry(page: Page, card: Locator, to: Locator) -> None:
    """Drag with the mouse, as slowly as a hand does it."""
    await card.hover()
    await page.mouse.down()
    target = await to.bounding_box()
    assert target is not None
    x, y = target["x"] + target["width"] / 2, target["y"] + target["height"] / 2
    await page.mouse.move(x, y, steps=6)
    await page.mouse.up()


async def test_three_people_play_a_game_to_its_end(
    person: NewPerson, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.house.opening.new_seed", lambda: KING_THEN_FIVE)
    monkeypatch.setattr("parlour.games.cambia.rules.PRE_GAME", 600_000)
    ann = await person()
    code = await make_table(ann, "cambia", UNHURRIED)
    bob = await person(f"/table/cambia/{code}")
    await expect(ann.get_by_test_id("player")).to_have_count(2)
    cid = await person(f"/table/cambia/{code}", width=390, height=844)
    people = [ann, bob, cid]
    await expect(ann.get_by_test_id("player")).to_have_count(3)
    await accessible(ann)
    for page in people:
        await page.get_by_test_id("ready").click()

    # At first all players see two cards of their own, for a while.
    for page, faces in zip(people, FIRST_CARDS, strict=True):
        await expect(page.get_by_test_id("hand")).to_be_visible()
        await expect(page.get_by_test_id("timer")).to_be_visible()
        await sees(page, *faces)
    await accessible(ann)
    let_pass(server, 600)
    await asked(ann, TO_DRAW)
    for page in people:
        await sees(page)

    # A King: two cards are chosen, looked at by Ann alone, and swapped.
    await draw(ann, "spades-K")
    await discards(ann).click()
    await asked(ann, "You may look at two cards")
    # Only what the moment asks for has a button.
    await expect(ann.get_by_test_id("action")).to_have_text(["Leave itL", "SnapS"])
    await own(ann, 0).click()
    await hand(ann, 1).locator("[data-idx='0']").click()
    await asked(ann, "You may swap the two")
    await expect(ann.get_by_test_id("king")).to_contain_text("Your cards: 1")
    await sees(ann, "hearts-3", "hearts-6")
    await sees(bob)
    await sees(cid)
    await accessible(ann)
    await screenshot(ann, "cambia")
    await ann.get_by_role("button", name="Swap the two").click()
    await expect(ann.get_by_test_id("king")).to_have_count(0)

    # A snap by tapping twice, and a wrong one by the keyboard.
    await draw(bob, "clubs-5")
    await bob.keyboard.press("d")
    await asked(cid, TO_DRAW)
    await own(cid, 3).click()
    await expect(own_cards(cid)).to_have_count(4)
    await own(cid, 3).click()
    for page in people:
        await expect(top_discard(page)).to_have_attribute("data-face", "spades-5")
    await expect(own_cards(cid)).to_have_count(3)
    await ann.keyboard.press("s")
    await ann.keyboard.press("2")
    await expect(own_cards(ann)).to_have_count(6)
    for page in people:
        await expect(page.locator(f"{IN_HANDS}[data-face=hearts-J]")).to_be_visible()

    # After a reload in mid-game Cid sees the same table, but no cards that were peeked at. A
    # wrong snap lies open until the next player draws.
    await cid.reload()
    await asked(cid, TO_DRAW)
    await sees(cid, "hearts-J")
    await expect(own_cards(cid)).to_have_count(3)
    await expect(hand(cid, 1).locator("[data-idx]")).to_have_count(4)

    # Cid calls. Ann replaces by a click, Bob by carrying the card; then all hands are turned up.
    await cid.get_by_role("button", name="Call Cambia").click()
    await cid.get_by_test_id("cambia-confirm").click()
    await expect(ann.get_by_test_id("opponent").nth(1)).to_contain_text("called Cambia")
    await expect(cid.get_by_test_id("turn-banner")).to_contain_text("called Cambia")
    await expect(cid.locator("[data-action=snap]")).to_have_count(0)
    await draw(ann, "clubs-2")
    for page in people:
        await sees(page)
    await own(ann, 1).click()
    await draw(bob, "diamonds-6")
    await carry(bob, bob.get_by_test_id("drawn").locator("[data-card-id]"), own(bob, 0))
    for page in people:
        await expect(page.get_by_test_id("match-end")).to_be_visible()
        scores = page.get_by_test_id("match-scores").locator("tbody tr")
        for at, row in enumerate(
            (
                ["14", "1"],  # 3♥ 2♣ 9♠ 2♥ K♦ K♥; one game won
                ["25", "0"],  # 6♣ 8♦ 10♣, and one for having called
                ["27", "0"],  # 6♦ Q♥ 8♣ A♥
            )
        ):
            await expect(scores.nth(at).locator("td:not(.held)")).to_have_text(row)
        await expect(page.get_by_test_id("match-scores").locator("thead")).to_contain_text("Wins")
        await expect(page.locator(OPEN)).to_have_count(13)
    await expect(ann.get_by_test_id("match-end")).to_contain_text("You won with 14 points")
    await accessible(cid)

    # The replay: all cards open, or as somebody saw it.
    replay = await person(await ann.get_by_test_id("watch-replay").get_attribute("href") or "")
    await expect(replay.locator(IN_HANDS)).to_have_count(12)
    await expect(replay.locator(f"{IN_HANDS}[data-face=back]")).to_have_count(0)
    # Drawn by Cambia's own board, on which nothing can be done.
    await expect(hand(replay, 0).locator("button")).to_have_count(0)
    await expect(replay.get_by_test_id("action")).to_have_count(0)
    await accessible(replay)
    await replay.get_by_test_id("replay-view").select_option("0")
    await expect(replay.locator(f"{IN_HANDS}[data-face=back]")).to_have_count(10)
    await replay.get_by_role("button", name=re.compile("looks at")).click()
    await sees(replay, "hearts-3", "hearts-6")

    # Back to the lobby for another game.
    await ann.get_by_test_id("play-again").click()
    await expect(ann.get_by_test_id("lobby")).to_be_visible()
    await bob.get_by_test_id("to-lobby").click()
    ready = bob.locator("[data-testid=player][data-ready=true]")
    await expect(ready).to_have_count(1)


async def test_a_full_table_fits_a_phone_and_the_host_makes_its_rules(
    person: NewPerson, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.games.cambia.rules.PRE_GAME", 600_000)
    host = await person(width=360, height=640, color_scheme="dark", has_touch=True)
    rules = {"houseRules": {"turnTimerSec": 600}, "settings": {"countdownSec": 60}}
    code = await make_table(host, "cambia", rules)
    for _ in range(6):
        await host.get_by_test_id("add-bot").click()
    guest = await person(f"/table/cambia/{code}")
    await expect(host.get_by_test_id("player")).to_have_count(8)
    await host.get_by_test_id("settings").locator("summary").first.click()
    await host.get_by_text("House rules", exact=True).click()
    await host.get_by_label("First look").fill("4")
    await host.get_by_label("First look").press("Enter")
    await guest.get_by_test_id("settings").locator("summary").first.click()
    await guest.get_by_text("House rules", exact=True).click()
    await expect(guest.get_by_label("First look")).to_have_value("4")
    await expect(guest.get_by_label("First look")).to_be_disabled()
    await accessible(host)

    # When all are ready a countdown starts; somebody who is no longer ready stops it.
    await guest.get_by_test_id("ready").click()
    await host.get_by_test_id("ready").click()
    await expect(guest.get_by_test_id("countdown")).to_be_visible()
    await guest.get_by_test_id("ready").click()
    await expect(guest.get_by_test_id("countdown")).to_have_count(0)
    await guest.get_by_test_id("chat-text").fill("Good luck!")
    await guest.get_by_test_id("chat-send").click()
    await expect(host.get_by_test_id("chat")).to_contain_text("Good luck!")
    await guest.get_by_test_id("ready").click()
    await host.get_by_test_id("start").click()
    await expect(host.get_by_test_id("hand")).to_be_visible()
    await expect(host.locator(OPEN)).to_have_count(4)
    assert await host.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for seat in await host.get_by_test_id("opponent").all():
        await expect(seat).to_be_in_viewport(ratio=1)

    watcher = await person(f"/table/cambia/{code}?watch")
    await expect(watcher.get_by_test_id("opponent")).to_have_count(8)
    await sees(watcher)
    await accessible(watcher)
    let_pass(server, 600)
    await asked(host, TO_DRAW)
    await accessible(host)

    # A whole turn by the keyboard; the live region announces it.
    await host.keyboard.press("d")
    await asked(host, "You drew")
    await host.keyboard.press("1")
    said = host.get_by_test_id("announcer")
    await expect(said).to_contain_text("keeps the drawn card as card 1 and discards")
