"""Cambia on the page, in a real Chromium, as people play it."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, Page, expect

from parlour.server.server import Server
from tests.browser.conftest import NewPerson, accessible, make_table, screenshot

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

KING_THEN_FIVE = f"{487:064x}"
"""A table's seed whose first game for three has all that the long test plays.

The first number of which the first draw is a King and the first player's first card is worse
than the second's; the second draw is a 5 of which only the third player holds another.
Hands: J♣ 8♠ 2♥ 4♣, 2♠ 10♠ joker Q♥, 8♥ 8♣ J♥ 5♣; drawn: K♠ 5♠ (9♥ A♣ blind) 3♥ J♦.
"""

UNHURRIED = {"houseRules": {"turnTimerSec": 600}, "settings": {"countdownSec": 1}}


async def asked(page: Page, state: str) -> None:
    """Wait until the table asks this person for `state`."""
    banner = page.locator(f"[data-testid=turn-banner][data-mine=true][data-state={state}]")
    await expect(banner).to_be_visible()


def own(page: Page, idx: int) -> Locator:
    return page.get_by_test_id("hand").locator(f"[data-idx='{idx}']")


def held_by(page: Page, player: str, idx: int) -> Locator:
    seat = page.locator(f"[data-testid=opponent][data-player='{player}']")
    return seat.locator(f"[data-idx='{idx}']")


def top_discard(page: Page) -> Locator:
    return page.get_by_test_id("discard").locator("[data-card-id]").last


async def id_of(page: Page) -> str:
    return await own(page, 0).get_attribute("data-owner") or ""


async def shown(page: Page) -> list[str]:
    """The faces that lie open in anybody's hand, as this person sees the table."""
    faces: list[str] = await page.evaluate(
        "[...document.querySelectorAll('[data-card-id][data-idx]')].map(c => c.dataset.face)"
    )
    return sorted(face for face in faces if face != "back")


async def sees(page: Page, *faces: str) -> None:
    """Wait until exactly these lie open."""
    await expect(page.locator("[data-card-id][data-idx]:not([data-face=back])")).to_have_count(
        len(faces)
    )
    assert await shown(page) == list(faces)


async def draw(page: Page, face: str) -> None:
    await asked(page, "draw")
    await page.get_by_test_id("stockpile").click()
    await asked(page, "place")
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

    # In the first ten seconds all players see two cards of their own.
    for page, faces in zip(people, (("8S", "JC"), ("2S", "TS"), ("8C", "8H")), strict=True):
        await expect(page.get_by_test_id("hand")).to_be_visible()
        await expect(page.get_by_test_id("timer")).to_be_visible()
        await sees(page, *faces)
    await accessible(ann)
    await asked(ann, "draw")
    for page in people:
        await sees(page)

    # A King: two cards are chosen, looked at by Ann alone, and swapped.
    bob_id, cid_id = await id_of(bob), await id_of(cid)
    await draw(ann, "KS")
    await ann.get_by_test_id("discard").click()
    await asked(ann, "choose")
    await expect(ann.get_by_test_id("special")).to_have_attribute("data-special", "swap_peek")
    await own(ann, 0).click()
    await held_by(ann, bob_id, 0).click()
    await asked(ann, "decide")
    await sees(ann, "2S", "JC")
    await sees(bob)
    await sees(cid)
    await accessible(ann)
    await screenshot(ann, "cambia")
    await ann.get_by_test_id("swap").click()
    await expect(own(ann, 0)).to_have_attribute("data-face", "2S")

    # A right snap by two taps, then a wrong one by the keyboard.
    await draw(bob, "5S")
    await bob.keyboard.press("x")
    await asked(cid, "draw")
    await own(cid, 3).click()
    await own(cid, 3).click()
    for page in people:
        await expect(top_discard(page)).to_have_attribute("data-face", "5C")
    await expect(cid.get_by_test_id("hand").locator("[data-card-id]")).to_have_count(3)
    await ann.keyboard.press("s")
    await ann.keyboard.press("2")
    await expect(ann.get_by_test_id("hand").locator("[data-card-id]")).to_have_count(6)
    await expect(bob.locator("[data-idx][data-face='8S']")).to_be_visible()
    for page in people:
        await sees(page)

    # After a reload in mid-game Cid sees the same table, but no cards that were peeked at.
    await cid.reload()
    await asked(cid, "draw")
    await sees(cid)
    await expect(cid.get_by_test_id("hand").locator("[data-card-id]")).to_have_count(3)
    await expect(cid.locator(f"[data-player='{bob_id}'] [data-idx]")).to_have_count(4)

    # Cid calls. Ann replaces by a click, Bob by carrying the card; then all hands are turned up.
    await cid.get_by_test_id("cambia").click()
    await cid.get_by_test_id("cambia-confirm").click()
    lock = ann.locator(f"[data-testid=opponent][data-player='{cid_id}'] [data-testid=lock]")
    await expect(lock).to_be_visible()
    await expect(cid.get_by_test_id("lock")).to_be_visible()
    await expect(cid.get_by_test_id("snap")).to_be_disabled()
    await draw(ann, "3H")
    await own(ann, 1).click()
    await draw(bob, "JD")
    await carry(bob, bob.get_by_test_id("drawn").locator("[data-card-id]"), own(bob, 0))
    for page in people:
        await expect(page.get_by_test_id("game-end")).to_be_visible()
        scores = page.get_by_test_id("scores").locator("tbody tr")
        assert [await scores.nth(i).locator(".score").inner_text() for i in range(3)] == [
            "21",  # 2♠ 3♥ 2♥ 4♣ 9♥ A♣
            "28",  # 8♥ 8♣ J♥, and one for having called
            "33",  # J♦ 10♠ joker Q♥
        ]
        assert len(await shown(page)) == 13
    await expect(ann.get_by_test_id("game-end")).to_contain_text("You won with 21 points")
    await accessible(cid)

    # Back to the lobby for another game.
    await ann.get_by_test_id("again").click()
    await expect(ann.get_by_test_id("lobby")).to_be_visible()
    await bob.get_by_test_id("to-lobby").click()
    ready = bob.locator("[data-testid=player][data-ready=true]")
    await expect(ready).to_have_count(1)


async def test_a_full_table_fits_a_phone_and_the_host_makes_its_rules(person: NewPerson) -> None:
    host = await person(width=360, height=640, color_scheme="dark", has_touch=True)
    code = await make_table(host, "cambia", {"houseRules": {"turnTimerSec": 600}})
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
    await expect(host.locator("[data-idx]:not([data-face=back])")).to_have_count(4)
    assert await host.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for seat in await host.get_by_test_id("opponent").all():
        await expect(seat).to_be_in_viewport(ratio=1)

    watcher = await person(f"/table/cambia/{code}?watch")
    await expect(watcher.get_by_test_id("opponent")).to_have_count(8)
    await sees(watcher)
    await accessible(watcher)
    await asked(host, "draw")
    await accessible(host)

    # A whole turn by the keyboard; the live region announces it.
    await host.keyboard.press("d")
    await asked(host, "place")
    await host.keyboard.press("1")
    said = host.get_by_test_id("announcer")
    await expect(said).to_contain_text("You replaced card 1 and discarded")
