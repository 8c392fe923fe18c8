"""An evening of four on the page: one code, a lost connection, a late friend, a rematch.

`make test` plays two games, `make soak` all of them, and the solitaire.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence

import pytest
from playwright.async_api import Page, expect

from parlour.server.server import Server
from tests.browser import test_onu, test_quips, test_rummy
from tests.browser.conftest import NewPerson, accessible, let_pass, look_at
from tests.browser.test_hall import call_oneself
from tests.browser.test_mo import follow_hints
from tests.network import Proxy

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

PHONE = {"width": 390, "height": 844}
LAPTOP = {"width": 1366, "height": 768}

CHANGED = """before => document.querySelector('[data-testid=match-end]')
    || document.querySelector('[data-testid=turn-banner]')?.innerText !== before"""

Turn = Callable[[Page], Awaitable[None]]


async def arrives(page: Page, name: str, code: str) -> None:
    """Give oneself a name, and come to the game night by its code."""
    await call_oneself(page, name)
    await page.get_by_test_id("join-code").fill(code.lower())
    await page.get_by_test_id("join-button").click()
    await page.get_by_test_id("join-evening").click()
    await expect(page.get_by_test_id("leave-evening")).to_be_visible()


async def play_out(people: Sequence[Page], turn: Turn) -> None:
    """Let the awaited player take a turn, until the match is over for all."""
    ends = [page.get_by_test_id("match-end") for page in people]
    while not await ends[0].count():
        for page in people:
            if await page.locator("[data-testid=turn-banner][data-mine=true]").count():
                await turn(page)
                break
        else:
            mine = people[0].locator("[data-testid=turn-banner][data-mine=true]")
            another = people[0].locator("[data-testid=turn-banner][data-mine=false]")
            await expect(mine.or_(another).or_(ends[0]).first).to_be_visible()
    for number, (page, end) in enumerate(zip(people, ends, strict=True)):
        await expect(end).to_be_visible()
        await expect(end.get_by_test_id("match-how")).not_to_be_empty()
        await look_at(page, f"end-{page.url.split('/')[4]}-{number}")


async def cambia_turn(page: Page) -> None:
    """Call Cambia if that is possible; else draw and discard."""
    before = await page.get_by_test_id("turn-banner").inner_text()
    for name in ("Leave it", "Discard", "Call Cambia", "Draw"):
        button = page.locator("[data-testid=action]:not([aria-disabled])", has_text=name)
        if await button.count():
            await button.first.click()
            if name == "Call Cambia":
                await page.get_by_test_id("cambia-confirm").click()
            await page.wait_for_function(CHANGED, arg=before)
            return


async def at_table(people: Sequence[Page], game: str) -> None:
    for page in people:
        await page.wait_for_url(re.compile(rf"/table/{game}/\d{{6}}$"))
        await expect(page.get_by_test_id("player")).to_have_count(len(people))


async def points(page: Page) -> int:
    """Everybody's together."""
    rows = page.get_by_test_id("evening-scores").locator("tbody tr")
    await expect(rows.first).to_be_visible()
    sum_up = "rows => rows.reduce((sum, row) => sum + Number(row.cells[2].innerText), 0)"
    return int(await rows.evaluate_all(sum_up))


async def gather(person: NewPerson) -> tuple[Page, Page, Page, str]:
    """Three people under one code; the first is the host."""
    ann, bob = await person(**LAPTOP), await person(**PHONE)
    cid = await person(**LAPTOP, color_scheme="dark")
    await call_oneself(ann, "Ann")
    await ann.get_by_test_id("open-evening").click()
    code = await ann.get_by_test_id("night-code").inner_text()
    await arrives(bob, "Bob", code)
    await arrives(cid, "Cid", code)
    await expect(ann.get_by_test_id("evening-scores").locator("tbody tr")).to_have_count(3)
    return ann, bob, cid, code


async def ready(people: Sequence[Page]) -> None:
    for page in people:
        await page.get_by_test_id("ready").click()
    for page in people:
        await expect(page.get_by_test_id("hand")).to_be_visible()


async def lose_the_connection(page: Page, server: Server, other: Page) -> None:
    """The network of `page` fails for a while, which `other` sees; then it works again."""
    proxy = Proxy(("127.0.0.1", server.port))
    await proxy.start()
    here = page.url
    # The same cookie holds for all ports of this machine.
    await page.goto(re.sub(r":\d+/", f":{proxy.port}/", here, count=1))
    await expect(page.get_by_test_id("hand")).to_be_visible()
    await expect(other.get_by_test_id("away")).to_have_count(0)
    proxy.hold()
    proxy.cut()
    await expect(page.get_by_test_id("connection")).to_contain_text("Connection lost")
    await expect(other.get_by_test_id("away")).to_contain_text("Bob")
    proxy.let_go()
    proxy.cut()
    await expect(page.get_by_test_id("connection")).to_be_empty()
    await expect(other.get_by_test_id("away")).to_have_count(0)
    await page.goto(here)
    await expect(page.get_by_test_id("hand")).to_be_visible()
    await expect(other.get_by_test_id("away")).to_have_count(0)
    await proxy.stop()


async def comes_late(person: NewPerson, code: str) -> Page:
    """A friend who comes by the link while the others play, and goes to their table."""
    dan = await person(f"/evening/{code}", **PHONE, color_scheme="dark")
    await dan.get_by_test_id("evening-name").fill("Dan")
    await dan.get_by_test_id("join-evening").click()
    await expect(dan.get_by_test_id("evening-scores").get_by_role("rowheader")).to_have_text(
        [re.compile(name) for name in ("Ann", "Bob", "Cid", "Dan")]
    )
    await dan.get_by_test_id("to-table").click()
    return dan


async def rematch(three: Sequence[Page], dan: Page) -> None:
    """Those who have played want to play again; the late friend is seated with them."""
    for page in three:
        await page.get_by_test_id("play-again").click()
    sit = dan.get_by_role("button", name=re.compile("wait for a seat|Sit down"))
    while not await dan.locator("[data-testid=player].you").count():
        await expect(sit.or_(dan.locator("[data-testid=player].you")).first).to_be_visible()
        if await sit.count():
            await sit.first.click()
    await dan.get_by_test_id("ready").click()
    for page in (*three, dan):
        await expect(page.get_by_test_id("hand")).to_be_visible()


async def choose(people: Sequence[Page], host: Page, game: str) -> None:
    """From the result to the choice of the next game; all follow the host to its table."""
    for page in people:
        await page.get_by_test_id("next-game").click()
    for page in people:
        await page.get_by_test_id(f"vote-{game}").click()
    # Votes for an earlier game are gone: this one leads.
    await host.get_by_test_id("play-leading").click()
    await at_table(people, game)


async def points_grow(page: Page, before: int) -> None:
    while await points(page) <= before:
        await page.wait_for_event("response", lambda answer: "/api/evenings/" in answer.url)


async def test_an_evening_of_four(person: NewPerson, server: Server) -> None:
    ann, bob, cid, code = await gather(person)

    # They vote, and all go to the table of the game with the most votes.
    await cid.get_by_test_id("vote-rummy").click()
    await expect(ann.get_by_test_id("poll-rummy").get_by_test_id("voters")).to_have_text("Cid")
    await cid.get_by_test_id("vote-cambia").click()
    await bob.get_by_test_id("vote-cambia").click()
    await expect(ann.get_by_test_id("poll-cambia").get_by_test_id("voters")).to_have_text(
        "Bob and Cid"
    )
    await expect(bob.get_by_test_id("play-leading")).to_have_count(0)
    for page, name in ((ann, "laptop"), (bob, "phone"), (cid, "laptop-dark")):
        await accessible(page)
        await look_at(page, f"evening-{name}")
    await ann.get_by_test_id("play-leading").click()
    three = [ann, bob, cid]
    await at_table(three, "cambia")
    await ready(three)
    await lose_the_connection(bob, server, ann)
    dan = await comes_late(person, code)
    await play_out(three, cambia_turn)
    await accessible(ann)
    await look_at(ann, "evening-result")
    four = [*three, dan]

    # A rematch takes everybody along.
    await rematch(three, dan)
    let_pass(server, 10)
    await play_out(four, cambia_turn)

    # Hosting passes to Bob, who starts another game; everybody follows from the result.
    await bob.get_by_test_id("next-game").click()
    before = await points(bob)
    assert before > 0
    await ann.get_by_test_id("next-game").click()
    await ann.get_by_role("button", name="Make Bob the host").click()
    await expect(ann.get_by_test_id("play-leading")).to_have_count(0)
    await ann.get_by_test_id("vote-onu").click()
    # Cid's phone has dropped the tab meanwhile, and loads it again.
    table = cid.url
    await cid.goto("about:blank")
    await bob.get_by_test_id("play-leading").click()
    await bob.wait_for_url(re.compile("/table/onu/"))
    await cid.goto(table)
    await at_table(four, "onu")
    await bob.get_by_test_id("start").click()
    await play_out(four, test_onu.take_turn)
    await bob.get_by_test_id("next-game").click()
    await points_grow(bob, before)
    await bob.set_viewport_size({"width": 1920, "height": 1080})
    await accessible(bob)
    await look_at(bob, "evening-1920")


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_a_whole_evening_over_all_games(person: NewPerson, server: Server) -> None:
    ann, bob, cid, code = await gather(person)
    three = [ann, bob, cid]

    # Super Rummy, in which one of them loses the connection.
    for page in three:
        await page.get_by_test_id("vote-rummy").click()
    await ann.get_by_test_id("play-leading").click()
    await at_table(three, "rummy")
    await ann.get_by_test_id("start").click()
    for page in three:
        await expect(page.get_by_test_id("hand")).to_be_visible()
    await lose_the_connection(bob, server, ann)
    await play_out(three, test_rummy.take_turn)

    # Cambia: a late friend, and a rematch with them.
    await choose(three, ann, "cambia")
    await ready(three)
    dan = await comes_late(person, code)
    await play_out(three, cambia_turn)
    await rematch(three, dan)
    let_pass(server, 10)
    four = [*three, dan]
    await play_out(four, cambia_turn)

    # Quips, until somebody has two points.
    await choose(four, ann, "quips")
    await ann.get_by_test_id("settings").locator("summary").click()
    goal = ann.get_by_label("Points that end the game")
    await goal.fill("2")
    await goal.press("Enter")
    await ready(four)
    names = ("Ann", "Bob", "Cid", "Dan")
    await test_quips.play_rounds_to_the_end(dict(zip(names, four, strict=True)))
    for page in four:
        await expect(page.get_by_test_id("match-end")).to_contain_text("won")

    # ONU, and the scores of the evening.
    await choose(four, ann, "onu")
    await ann.get_by_test_id("start").click()
    await play_out(four, test_onu.take_turn)
    for page in four:
        await page.get_by_test_id("next-game").click()
        await accessible(page)
    await points_grow(ann, 0)
    tables = [await page.get_by_test_id("evening-scores").inner_text() for page in four]
    assert all(name in table for name in names for table in tables)

    # Alone at the end: MO on a phone and on a laptop.
    for page in (ann, dan):
        await page.goto(f"http://127.0.0.1:{server.port}/play/mo")
        await follow_hints(page, 60)
        await expect(page.get_by_test_id("felt")).not_to_have_attribute("data-status", "playing")
        await accessible(page)
