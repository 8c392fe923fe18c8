"""Quips on the page, in a real Chromium, as people play it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from parlour.games import installed_games
from parlour.games.quips import GAME
from parlour.server.server import Server
from tests.browser.conftest import (
    NewPerson,
    accessible,
    let_pass,
    look_at,
    make_table,
    passed,
    screenshot,
)

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

UNHURRIED: dict[str, Any] = {
    "round_end_timeout": 1_000,
    "game_end_timeout": 600_000,
    "afk_time_seconds": 3600,
    "idle_kick_time_seconds": 3600,
}
"""Long times, so that on a slow machine nobody counts as idle, and the result stays visible."""


@pytest.fixture(autouse=True)
def with_quips(monkeypatch: pytest.MonkeyPatch) -> None:
    """Houses have Quips, whatever is installed."""
    games = tuple(game for game in installed_games() if game.id != GAME.id)
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: (*games, GAME))


async def named(page: Page, name: str) -> Page:
    """The same person, from now on called `name`."""
    await page.evaluate(
        """async (name) => fetch('/api/me', {method: 'PUT',
            headers: {'Content-Type': 'application/json'}, body: JSON.stringify({name})})""",
        name,
    )
    return page


async def sit_down(person: NewPerson, server: Server, code: str, name: str, **more: Any) -> Page:
    page = await named(await person(**more), name)
    await page.goto(f"http://127.0.0.1:{server.port}/table/quips/{code}")
    return page


async def in_stage(page: Page, stage: str) -> None:
    await expect(page.locator(f"[data-testid=quips][data-stage={stage}]")).to_be_visible()


def doing(page: Page, what: str) -> Locator:
    """The seats of players who, as this page shows it, are doing `what`."""
    return page.locator(f"[data-testid=seat][data-doing={what}]")


async def judge_of(page: Page) -> str:
    return await doing(page, "judge").get_attribute("data-player") or ""


async def hand_of(page: Page) -> list[str]:
    return await page.get_by_test_id("card").locator(".text").all_inner_texts()


async def fill_gaps(page: Page) -> list[str]:
    """Choose as many cards as the black card takes; what is written on them."""
    await expect(page.locator("[data-testid=turn-banner][data-mine=true]")).to_be_visible()
    count = await page.get_by_test_id("gap").count()
    assert count > 0
    texts = (await hand_of(page))[:count]
    for number in range(count):
        await page.get_by_test_id("card").nth(number).click()
    await expect(page.get_by_test_id("filled")).to_have_text(texts)
    return texts


async def play(page: Page) -> list[str]:
    texts = await fill_gaps(page)
    await page.get_by_test_id("play-cards").click()
    await expect(page.get_by_test_id("play-cards")).to_have_count(0)
    return texts


def rounds(page: Page) -> Locator:
    """The lines of the list of moves that say that a round has begun."""
    return page.get_by_test_id("log").locator("li").filter(has_text=re.compile(r"Round \d+:"))


async def waits(page: Page, begun: int) -> None:
    """Wait until others are to act, or until bots have and another round than these has begun."""
    others = page.locator("[data-testid=turn-banner][data-mine=false]")
    ended = page.get_by_test_id("match-end")
    await expect(others.or_(ended).or_(rounds(page).nth(begun)).first).to_be_attached()


def opened(page: Page) -> Locator:
    """The answers that lie open, as this person sees the table."""
    return page.locator("[data-testid=play][data-open=true]")


async def turn_all(judge: Page, answers: int) -> None:
    """One by one; nothing is open that the judge has not turned over."""
    plays = judge.get_by_test_id("play")
    await expect(plays).to_have_count(answers)
    for number in range(answers):
        await expect(opened(judge)).to_have_count(number)
        await judge.get_by_test_id("turn-next").click()
    await expect(judge.get_by_test_id("turn-next")).to_have_count(0)


async def play_rounds_to_the_end(people: dict[str, Page]) -> None:
    """Everybody plays what comes first, and every judge crowns the first answer."""
    anybody = next(iter(people.values()))
    while True:
        stage = anybody.locator("[data-stage=playing], [data-stage=game_end]")
        await expect(stage).to_be_visible()
        if await stage.get_attribute("data-stage") == "game_end":
            return
        name = await judge_of(anybody)
        for other, page in people.items():
            if other != name:
                await play(page)
        judge = people[name]
        await turn_all(judge, len(people) - 1)
        await judge.get_by_test_id("play").first.click()
        await judge.get_by_test_id("crown").click()
        await expect(anybody.locator("[data-stage=judging]")).to_have_count(0)
        await expect(anybody.locator("[data-stage=round_end]")).to_have_count(0)


async def nothing_is_cut_off(page: Page) -> None:
    """Nothing sticks out sideways: neither of the page, nor of a card."""
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    wide: list[str] = await page.evaluate(
        """[...document.querySelectorAll('.slip, .prompt .words')]
            .filter(e => e.scrollWidth > e.clientWidth + 1)
            .map(e => e.innerText)"""
    )
    assert wide == []


async def test_four_people_play_a_game_while_others_come_and_go(
    person: NewPerson, server: Server
) -> None:
    ann = await named(await person(), "Ann")
    code = await make_table(ann, "quips", {**UNHURRIED, "max_points": 2, "max_rounds": 6})
    bob = await sit_down(person, server, code, "Bob", width=390, height=844, has_touch=True)
    cid = await sit_down(person, server, code, "Cid")
    await expect(ann.get_by_test_id("player")).to_have_count(3)
    await accessible(bob)
    screen = await person(f"/quips/{code}/screen", width=1600, height=900)
    await expect(screen.get_by_test_id("screen-code")).to_have_text(f"{code[:3]} {code[3:]}")
    await expect(screen.get_by_test_id("seat")).to_have_count(3)
    await accessible(screen)
    for page in (ann, bob, cid):
        await page.get_by_test_id("ready").click()

    # The first round: Ann judges. Two play; one of the cards is Bob's own.
    for page in (ann, bob, cid):
        await in_stage(page, "playing")
        await expect(page.get_by_test_id("card")).not_to_have_count(0)
        assert await judge_of(page) == "Ann"
    await expect(doing(ann, "choosing")).to_have_count(2)
    await expect(ann.get_by_test_id("play-cards")).to_have_count(0)
    await accessible(bob)
    await nothing_is_cut_off(bob)
    await fill_gaps(bob)
    await bob.get_by_test_id("filled").last.click()
    await bob.get_by_test_id("blank").click()
    await bob.get_by_test_id("own-card").fill("Überzeugte Enten & Söhne")
    await accessible(bob)
    await screenshot(bob, "quips")
    await bob.get_by_test_id("play-cards").click()
    await expect(bob.get_by_test_id("prompt")).to_contain_text("Überzeugte Enten & Söhne")
    await expect(doing(ann, "choosing")).to_have_count(1)
    await expect(screen.get_by_test_id("count")).to_contain_text("1 answer in, 1 still choosing")
    await accessible(screen)

    # A player who sits down in mid-round also plays in it.
    dan = await sit_down(person, server, code, "Dan", width=360, height=640)
    await expect(dan.get_by_test_id("card")).not_to_have_count(0)
    await nothing_is_cut_off(dan)
    await expect(doing(ann, "choosing")).to_have_count(2)
    await expect(ann.get_by_test_id("log")).to_contain_text("Dan joins.")
    await play(dan)
    await expect(doing(ann, "choosing")).to_have_count(1)

    # Cid loses the connection and the session; the token alone leads back to the seat.
    held = await hand_of(cid)
    address, context = cid.url, cid.context
    await cid.close()
    await context.clear_cookies()
    cid = await context.new_page()
    await cid.goto(address)
    await in_stage(cid, "playing")
    assert await hand_of(cid) == held
    await expect(doing(ann, "choosing")).to_have_count(1)
    await expect(ann.get_by_test_id("seat")).to_have_count(4)
    watcher = await person(f"/table/quips/{code}?watch")
    await in_stage(watcher, "playing")
    await expect(watcher.get_by_test_id("hand")).to_have_count(0)
    await accessible(watcher)
    mine = await play(cid)

    # The judge sees three answers, face down at first.
    await expect(ann.locator("[data-testid=play][data-open=false]")).to_have_count(3)
    await expect(ann.get_by_test_id("announcer")).to_contain_text("Ann is to judge 3 plays.")
    await accessible(ann)
    # Everybody sees the answers that the judge has turned over, and no others.
    await ann.get_by_test_id("play").nth(1).click()
    for page in (bob, watcher, screen):
        await expect(opened(page)).to_have_count(1)
        await expect(page.get_by_test_id("play").nth(1)).to_have_attribute("data-open", "true")
    late = await person(f"/table/quips/{code}?watch")
    await expect(opened(late)).to_have_count(1)
    for _ in range(2):
        await ann.get_by_test_id("turn-next").click()
    for page in (ann, bob, watcher, screen, late):
        await expect(opened(page)).to_have_count(3)
    await accessible(ann)
    # A spectator applauds; the table and the big screen show it.
    await accessible(watcher)
    await watcher.get_by_test_id("applaud").first.click()
    await passed(screen, "Bravo!")
    await expect(ann.get_by_test_id("log")).to_contain_text("(a spectator)")
    await late.close()
    theirs = ann.get_by_test_id("play").filter(has_text=mine[0])
    await theirs.click()
    await expect(ann.get_by_test_id("prompt")).to_contain_text(mine[0])
    await accessible(screen)
    await ann.get_by_test_id("crown").click()
    for page in (ann, watcher, cid):
        await expect(page.get_by_test_id("log")).to_contain_text("Cid wins the round:")
    await expect(ann.locator("[data-testid=scores] [data-player=Cid] .score")).to_have_text("1")

    # More rounds, until somebody has two points.
    await in_stage(ann, "playing")
    await play_rounds_to_the_end({"Ann": ann, "Bob": bob, "Cid": cid, "Dan": dan})
    for page in (ann, bob, cid, dan, watcher):
        await expect(page.get_by_test_id("match-end")).to_contain_text("won!")
    table = ann.get_by_test_id("match-scores").locator("tbody td")
    await expect(table.nth(1)).to_have_text("1")
    cells = await table.all_inner_texts()
    scores, wins = cells[::2], cells[1::2]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == "2"
    assert wins == ["1", "0", "0", "0"]
    await expect(ann.get_by_test_id("match-how")).to_have_text("The goal of 2 points is reached.")
    await expect(screen.get_by_test_id("screen-end")).to_contain_text("won the game")
    for page in (bob, screen):
        await accessible(page)
    await bob.get_by_test_id("play-again").click()
    await expect(bob.get_by_test_id("match-end")).to_contain_text("You play again.")
    # Between matches, people who leave are not asked whether they want to.
    await cid.get_by_test_id("match-end").get_by_role("button", name="Leave").click()
    await expect(cid.get_by_test_id("hall")).to_be_visible()


async def tab_to(page: Page, testid: str) -> None:
    """Press Tab until what is called `testid` has the focus."""
    for _ in range(60):
        if await page.evaluate("document.activeElement?.dataset?.testid") == testid:
            return
        await page.keyboard.press("Tab")
    pytest.fail(f"Tab does not reach {testid}.")


async def test_the_keyboard_alone_plays_judges_and_talks(person: NewPerson, server: Server) -> None:
    page = await named(await person(color_scheme="dark"), "Ann")
    settings = {**UNHURRIED, "bot_czars": True, "max_rounds": 20, "max_points": 100}
    code = await make_table(page, "quips", settings, bots=3)
    await expect(page.get_by_test_id("player")).to_have_count(4)
    await tab_to(page, "ready")
    await page.keyboard.press("Enter")

    banner = page.locator("[data-testid=turn-banner][data-mine=true]")
    said = page.get_by_test_id("announcer")
    judged = played = False
    wrote = False
    while not (judged and played and wrote):
        await expect(banner).to_be_visible()
        begun = await rounds(page).count()
        if await banner.get_attribute("data-state") == "judging":
            # Three answers: two by the key of the button, one by its own number.
            # A key pressed again before its answer is open is taken for the same one.
            turned = page.locator("[data-testid=play][data-open=true]")
            for count, key in enumerate(("t", "t", "3"), start=1):
                await page.keyboard.press(key)
                await expect(turned).to_have_count(count)
            await expect(said).to_contain_text("Answer 3:")
            await accessible(page)
            await page.keyboard.press("c")
            judged = True
        elif not played:
            count = await page.get_by_test_id("gap").count()
            # With arrow keys and space, after the first by its number.
            await page.keyboard.press("1")
            await expect(page.get_by_test_id("filled")).to_have_count(1)
            await tab_to(page, "card")
            for _ in range(1, count):
                await page.keyboard.press("ArrowRight")
                await page.keyboard.press("Space")
            await expect(page.get_by_test_id("filled")).to_have_count(count)
            await page.keyboard.press("p")
            played = True
        else:
            count = await page.get_by_test_id("gap").count()
            for number in range(1, count):
                await page.keyboard.press(str(number))
            await page.keyboard.press("b")
            await page.keyboard.type("typed in place")
            await page.keyboard.press("Enter")
            wrote = True
        await waits(page, begun)
    await expect(said).to_contain_text(re.compile(r"Round \d+: \w+ judges"))
    await expect(page.get_by_test_id("log")).to_contain_text("Ann plays typed in place.")

    await tab_to(page, "chat-text")
    await page.keyboard.type("all by keyboard")
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("log")).to_contain_text("all by keyboard")
    assert code in page.url


TINY: dict[str, Any] = {
    "id": "tiny",
    "name": "Tiny",
    "cards": [
        {"id": "b_tiny", "content": {"en": "Nothing but ______."}},
        {"id": "w_tiny", "content": {"en": "A very small pack"}},
    ],
}


async def bring(page: Page, pack: dict[str, Any]) -> None:
    data = json.dumps(pack).encode()
    await page.get_by_test_id("pack").set_input_files(
        {"name": "tiny.json", "mimeType": "application/json", "buffer": data}
    )


async def test_a_host_locks_and_puts_out_and_anybody_can_mute(
    person: NewPerson, server: Server
) -> None:
    ann = await named(await person(), "Ann")
    await ann.reload()
    await ann.get_by_test_id("make-quips").click()
    await ann.get_by_test_id("make-table-dialog").get_by_role("button", name="Make").click()
    await expect(ann.get_by_test_id("lobby")).to_be_visible()
    code = ann.url.rsplit("/", 1)[1]
    bob = await sit_down(person, server, code, "Bob")
    cid = await sit_down(person, server, code, "Cid")
    await expect(ann.get_by_test_id("player")).to_have_count(3)
    await expect(bob.get_by_label("Lock the table")).to_have_count(0)

    # The mistakes of a bad pack are explained; a good pack is used.
    await bring(ann, {"id": "tiny", "name": "Tiny", "cards": [{"id": "x", "content": {}}]})
    await passed(ann, "Card 1")
    await bring(ann, TINY)
    await expect(bob.get_by_test_id("packs")).to_contain_text("Tiny")

    # Only the person who muted somebody does not see what they say.
    await cid.get_by_test_id("chat-text").fill("first")
    await cid.get_by_test_id("chat-send").click()
    await expect(bob.get_by_test_id("chat")).to_contain_text("first")
    await bob.locator("[data-testid=scores] [data-player=Cid]").get_by_test_id("about").click()
    await bob.get_by_test_id("mute").click()
    await accessible(bob)
    await bob.keyboard.press("Escape")
    await expect(bob.get_by_test_id("chat")).to_have_count(0)
    await cid.get_by_test_id("chat-text").fill("second")
    await cid.get_by_test_id("chat-send").click()
    await ann.get_by_test_id("chat-text").fill("third")
    await ann.get_by_test_id("chat-send").click()
    await expect(ann.get_by_test_id("chat")).to_contain_text("second")
    await expect(bob.get_by_test_id("chat")).to_have_text("Ann: third")

    # Each person can choose the language of the cards.
    for page in (ann, bob, cid):
        await page.get_by_test_id("ready").click()
    await in_stage(bob, "playing")
    english = await hand_of(bob)
    await bob.get_by_test_id("language").select_option("de")
    await expect(bob.locator(".slip .text").first).to_have_attribute("lang", "de")
    german = await hand_of(bob)
    assert len(german) == len(english)
    assert german != english

    # A spectator can sit down at any time.
    dan = await named(await person(), "Dan")
    await dan.goto(f"http://127.0.0.1:{server.port}/table/quips/{code}?watch")
    await expect(dan.get_by_test_id("hand")).to_have_count(0)
    await dan.get_by_test_id("sit-down").click()
    await expect(dan.get_by_test_id("card")).to_have_count(len(english))
    await expect(bob.get_by_test_id("seat")).to_have_count(4)

    # The judge throws a card away; three of four vote the black card away.
    first = (await hand_of(ann))[0]
    await ann.get_by_test_id("card").first.click()
    await ann.get_by_test_id("discard").click()
    await expect(ann.get_by_test_id("card").first).not_to_contain_text(first)
    await expect(ann.get_by_test_id("card")).to_have_count(len(english))
    words = ann.get_by_test_id("prompt").locator(".words")
    black = await words.inner_text()
    for page in (ann, cid):
        await page.get_by_test_id("skip").click()
        await expect(page.get_by_test_id("skip")).to_have_attribute("aria-pressed", "true")
    await expect(bob.get_by_test_id("skip")).to_contain_text("2/3")
    assert await words.inner_text() == black
    await dan.get_by_test_id("skip").click()
    await expect(ann.get_by_test_id("log")).to_contain_text("was voted away")
    await expect(words).not_to_have_text(black, use_inner_text=True)

    # A locked table refuses newcomers; a banned player stays out.
    await ann.get_by_test_id("table-tools").locator("summary").click()
    await ann.get_by_label("Lock the table").check()
    late = await sit_down(person, server, code, "Eve")
    await expect(late.get_by_test_id("rejected")).to_be_visible()
    await accessible(late)
    await ann.locator("[data-testid=scores] [data-player=Cid]").get_by_test_id("about").click()
    await ann.get_by_test_id("ban").click()
    await expect(cid.get_by_test_id("rejected")).to_have_attribute("data-reason", "reject_banned")
    await expect(ann.get_by_test_id("seat")).to_have_count(3)
    await ann.get_by_label("Lock the table").uncheck()
    await cid.reload()
    await expect(cid.get_by_test_id("rejected")).to_have_attribute("data-reason", "reject_banned")


async def test_whoever_is_host_changes_the_rules_and_puts_people_out(
    person: NewPerson, server: Server
) -> None:
    ann = await named(await person(), "Ann")
    code = await make_table(ann, "quips", UNHURRIED)
    bob = await sit_down(person, server, code, "Bob", width=360, height=640, color_scheme="dark")
    cid = await sit_down(person, server, code, "Cid")
    for page in (ann, bob, cid):
        await expect(page.get_by_test_id("player")).to_have_count(3)
        await page.get_by_test_id("settings").locator("summary").click()
    points = "Points that end the game"
    await expect(bob.get_by_label(points)).to_be_disabled()
    await ann.get_by_label(points).fill("3")
    await ann.get_by_label(points).press("Enter")
    await expect(bob.get_by_label(points)).to_have_value("3")
    await expect(bob.get_by_label("Lock the table")).to_have_count(0)
    await accessible(ann)

    # The host has left: the next player becomes the host.
    await ann.close()
    await expect(bob.get_by_label("Lock the table")).to_be_visible()
    await expect(cid.get_by_label("Lock the table")).to_have_count(0)
    await expect(cid.get_by_test_id("player").filter(has_text="Bob")).to_contain_text("host")
    await bob.get_by_label(points).fill("2")
    await bob.get_by_label(points).press("Enter")
    await expect(cid.get_by_label(points)).to_have_value("2")
    await bring(bob, TINY)
    await expect(cid.get_by_test_id("packs")).to_contain_text("Tiny")
    await bob.get_by_label("Share “tiny”").check()
    await accessible(bob)
    await nothing_is_cut_off(bob)
    dan = await named(await person(), "Dan")
    await make_table(dan, "quips", UNHURRIED)
    await dan.get_by_test_id("pack-table").fill(f"{code[:3]} {code[3:]}")
    await dan.get_by_test_id("pack-table").press("Enter")
    await expect(dan.get_by_test_id("packs")).to_contain_text("Tiny")

    # A kicked player may come back; a banned one may not.
    await bob.locator("[data-testid=scores] [data-player=Cid]").get_by_test_id("about").click()
    await bob.get_by_test_id("kick").click()
    out = cid.get_by_test_id("rejected")
    await expect(out).to_have_attribute("data-reason", "reject_kicked")
    await accessible(cid)
    await cid.get_by_test_id("again").click()
    await expect(cid.get_by_test_id("player")).to_have_count(2)
    await bob.locator("[data-testid=scores] [data-player=Cid]").get_by_test_id("about").click()
    await bob.get_by_test_id("ban").click()
    await expect(out).to_have_attribute("data-reason", "reject_banned")


async def test_a_password_is_asked_for_and_the_hall_leads_to_a_game_against_bots(
    person: NewPerson, server: Server
) -> None:
    page = await person()
    await page.get_by_test_id("play-quips").click()
    await expect(page.get_by_test_id("quips")).to_be_visible()
    await expect(page.get_by_test_id("seat")).to_have_count(4)

    table = await page.evaluate(
        """async () => (await fetch('/api/tables', {method: 'POST',
            headers: {'Content-Type': 'application/json'},
            body: JSON.stringify({game: 'quips', settings: {player_password: 'duck'}})})).json()"""
    )
    # The person who opened the table needs no password, and is the host.
    await page.goto(f"http://127.0.0.1:{server.port}/table/quips/{table['code']}")
    await expect(page.get_by_test_id("lobby")).to_be_visible()
    guests = [await sit_down(person, server, table["code"], name) for name in ("Bob", "Cid")]
    for guest in guests:
        asked = guest.locator("[data-testid=rejected][data-reason=reject_bad_password]")
        await expect(asked).to_contain_text("This table asks players for a password.")
        await expect(asked).not_to_contain_text("not this table's")
        await guest.get_by_test_id("password").fill("goose")
        await guest.keyboard.press("Enter")
        await expect(asked).to_contain_text("That is not this table's password.")
        await expect(guest.get_by_test_id("password")).to_have_value("")
        await accessible(guest)
        await guest.get_by_test_id("password").fill("duck")
        await guest.keyboard.press("Enter")
        await expect(guest.get_by_test_id("lobby")).to_be_visible()
    # The password is needed once, not again after a reload.
    await guests[0].reload()
    players = guests[0].get_by_test_id("player")
    await expect(players).to_have_count(3)
    await expect(players.filter(has_text="host")).to_have_count(1)
    await expect(page.get_by_test_id("player").filter(has_text="host")).to_contain_text("you")

    nowhere = await person("/quips/000000/screen")
    await expect(nowhere.get_by_test_id("refused")).to_contain_text("No table here")


async def test_a_game_against_bots_is_looked_at_again(person: NewPerson, server: Server) -> None:
    """Its replay shows Quips' own cards: all hands, as spectators saw it, and as a player did."""
    page = await named(await person(), "Ann")
    settings = {**UNHURRIED, "bot_czars": True, "max_rounds": 2, "max_points": 100}
    await make_table(page, "quips", settings, bots=3)
    await page.get_by_test_id("ready").click()
    banner = page.locator("[data-testid=turn-banner][data-mine=true]")
    played: list[str] = []
    while not await page.get_by_test_id("match-end").count():
        await expect(banner.or_(page.get_by_test_id("match-end"))).to_be_visible()
        begun = await rounds(page).count()
        if await page.get_by_test_id("turn-next").count():
            await look_at(page, "quips-judge")
            await turn_all(page, 3)
            await page.get_by_test_id("crown").click()
        elif await page.get_by_test_id("play-cards").count():
            await look_at(page, "quips-play")
            played = await fill_gaps(page)
            await page.get_by_test_id("play-cards").click()
        await waits(page, begun)
    await expect(page.get_by_test_id("match-end")).to_be_visible()
    await look_at(page, "quips-end")
    # The match is over when its result has been shown for long enough; the replay waits for that.
    async with page.context.expect_page() as tab:
        await page.get_by_test_id("watch-replay").click()
    replay = await tab.value
    await expect(replay.get_by_test_id("replay-trouble")).to_contain_text("not over yet")
    let_pass(server, 600)

    # Every hand lies open.
    hands = replay.get_by_test_id("shown-hand")
    await expect(hands).to_have_count(4)
    assert await hands.first.locator(".slip").count() == 10
    await accessible(replay)
    await nothing_is_cut_off(replay)
    await look_at(replay, "quips-replay")
    moves = replay.get_by_test_id("replay-moves").get_by_role("button")
    await moves.filter(has_text=f"Ann plays {played[0]}").first.click()
    await expect(replay.locator("[data-zone='played 0'] .text").first).to_have_text(played[0])

    # As a spectator saw it, nobody's hand; the verdict has a crown and fills the gap.
    await moves.filter(has_text="wins the round").first.click()
    view = replay.get_by_test_id("replay-view")
    await view.select_option("spectator")
    await expect(hands).to_have_count(0)
    won = replay.locator("[data-testid=play][data-won]")
    await expect(won).to_have_count(1)
    text = await won.locator(".text").first.inner_text()
    await expect(replay.get_by_test_id("prompt")).to_contain_text(text)
    await accessible(replay)
    await look_at(replay, "quips-replay-verdict")

    # As Ann saw it: her own hand alone.
    await view.select_option("0")
    await expect(hands).to_have_count(1)
    await expect(hands).to_contain_text("Ann’s cards")
    for width, height, scheme in ((390, 844, "dark"), (1280, 800, "dark"), (1920, 1080, "light")):
        other = await person(replay.url[replay.url.index("/replay/") :], width, height)
        await other.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        await expect(other.get_by_test_id("shown-hand")).to_have_count(1)
        await look_at(other, f"quips-replay-{width}")
        await accessible(other)
        await nothing_is_cut_off(other)
