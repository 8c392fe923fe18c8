"""A game night on the page: late guests, people who leave, talk, and scores."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

from parlour.server.server import Server
from tests.browser.conftest import NewPerson, accessible, have_looked, look_at, make_table
from tests.browser.test_rummy import first_turn

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

PHONE = {"width": 360, "height": 740}


async def fits(page: Page) -> None:
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def post(page: Page, path: str) -> None:
    await page.evaluate("path => fetch(path, {method: 'POST'}).then(r => r.json())", path)


async def open_for_bots(page: Page, game: str) -> str:
    """A table with two bots, at which its opener does not sit."""
    code = await page.evaluate(
        """game => fetch('/api/tables', {method: 'POST',
            headers: {'Content-Type': 'application/json'}, body: JSON.stringify({game, bots: 2})})
            .then(answer => answer.json()).then(table => table.code)""",
        game,
    )
    return str(code)


@pytest.mark.parametrize("game", ["rummy", "cambia"])
async def test_a_late_friend_waits_in_line_and_gets_the_seat_that_comes_free(
    person: NewPerson, game: str
) -> None:
    host = await person()
    await make_table(host, game, bots=3 if game == "rummy" else 7)
    late = await person(host.url.removeprefix(host.url[: host.url.index("/table")]), **PHONE)
    await late.get_by_test_id("refused").get_by_role("button", name="wait for a seat").click()
    await expect(late.get_by_test_id("watching")).to_contain_text("You are next in line")
    await expect(late.get_by_test_id("announcer")).to_contain_text("next in line")
    await expect(host.get_by_test_id("queue")).to_contain_text("Waiting for a seat: ")
    await fits(late)
    await accessible(late)
    await look_at(late, f"queue-{game}")
    # After a reload the page shows the same state.
    await late.reload()
    await expect(late.get_by_test_id("stop-waiting")).to_be_visible()
    await host.get_by_test_id("remove-bot").first.click()
    await expect(late.get_by_test_id("watching")).to_have_count(0)
    await expect(late).not_to_have_url(re.compile(r"\?watch$"))
    await expect(late.locator("[data-testid=player].you")).to_be_visible()
    await expect(host.get_by_test_id("queue")).to_have_count(0)
    # If a seat is free, the spectator sits down at once.
    third = await person(f"{host.url[host.url.index('/table') :]}?watch")
    await expect(third.get_by_test_id("wait-for-seat")).to_be_visible()
    await host.get_by_test_id("remove-bot").first.click()
    await third.get_by_test_id("sit-down").click()
    await expect(third.locator("[data-testid=player].you")).to_be_visible()


async def test_who_leaves_in_mid_round_is_asked_and_finds_the_way_back(person: NewPerson) -> None:
    page = await person(**PHONE)
    await page.get_by_test_id("play-now").click()
    await first_turn(page)
    mine = page.locator("[data-testid=turn-banner][data-mine=true]")
    table = page.url
    question = page.get_by_test_id("leave-question")
    await page.get_by_role("link", name="Parlour: to the hall").click()
    await expect(question).to_be_visible()
    await accessible(page)
    await look_at(page, "leave-question")
    await page.get_by_test_id("stay").click()
    await expect(question).to_be_hidden()
    assert page.url == table
    # The browser's back button asks first, too.
    await page.go_back()
    await expect(question).to_be_visible()
    await expect(page).to_have_url(table)
    await page.get_by_test_id("leave-for-now").click()
    back = page.get_by_test_id("back-to-game")
    await expect(back).to_contain_text("Super Rummy")
    await expect(back).to_be_in_viewport(ratio=1)
    await fits(page)
    await accessible(page)
    await look_at(page, "back-to-game")
    await back.get_by_role("link", name="Go on with Super Rummy").click()
    await expect(mine).to_be_visible()
    await expect(page).to_have_url(table)
    await page.get_by_role("button", name="Scores, moves and talk").click()
    await look_at(page, "side-panel")
    await page.get_by_test_id("leave-table").click()
    await page.get_by_test_id("leave-for-good").click()
    await expect(page.get_by_test_id("hall")).to_be_visible()
    await expect(page.get_by_test_id("tables")).not_to_contain_text("Loading the tables")
    await expect(back).to_have_count(0)


async def test_others_see_who_is_away_and_go_on_without_them(person: NewPerson) -> None:
    host, guest = await person(), await person()
    await make_table(host, "rummy")
    await guest.goto(host.url)
    await expect(guest.locator("[data-testid=player].you")).to_be_visible()
    await host.get_by_test_id("start").click()
    await expect(guest.get_by_test_id("turn-banner")).to_be_visible()
    away = host.get_by_test_id("away")
    await expect(away).to_have_count(0)
    await guest.close()
    await expect(away).to_contain_text(re.compile(r"is away, seat kept for\s+(10:00|9:\d\d)"))
    moves = host.get_by_test_id("log")
    await expect(moves).to_contain_text("lost the connection.")
    await expect(host.get_by_test_id("announcer")).to_contain_text("lost the connection.")
    await accessible(host)
    await look_at(host, "away")
    await host.set_viewport_size({"width": 360, "height": 740})
    await fits(host)
    await look_at(host, "away-phone")
    await host.get_by_test_id("go-on").click()
    await expect(host.get_by_test_id("ended-by")).to_contain_text("The round ended because ")
    await expect(host.get_by_test_id("announcer")).to_contain_text("The others go on without ")
    await expect(away).to_have_count(0)
    await look_at(host, "ended-by")


async def test_scores_are_the_tables_and_not_one_tabs(person: NewPerson) -> None:
    opener = await person()
    # Only bots play, and they end a round by themselves.
    code = await open_for_bots(opener, "rummy")
    one = await person(f"/table/rummy/{code}?watch")
    two = await person(f"/table/rummy/{code}?watch", **PHONE, color_scheme="dark")
    for number in (1, 2):
        await post(opener, f"/api/tables/{code}/start")
        for page in (one, two):
            await expect(page.get_by_test_id("match-end")).to_be_visible(timeout=120_000)
        rounds = one.get_by_test_id("rounds").locator("li")
        await expect(rounds).to_have_count(number)
    totals = await one.get_by_test_id("match-scores").locator(".total").all_inner_texts()
    await expect(two.get_by_test_id("match-scores").locator(".total")).to_have_text(totals)
    assert any(re.fullmatch(r"[1-9]\d*", total) for total in totals)
    await expect(two.get_by_test_id("match-scores").locator(".winner")).to_contain_text("+")
    await look_at(two, "round-end")
    await look_at(one, "scores")
    await one.reload()
    await expect(one.get_by_test_id("lobby")).to_be_visible()
    await expect(one.get_by_test_id("scores").locator(".total")).to_have_text(totals)
    await one.get_by_test_id("rounds").locator("summary").click()
    await look_at(one, "scores-lobby")
    await accessible(one)


async def test_a_table_plays_for_a_target_and_is_left_without_a_question_between_rounds(
    person: NewPerson,
) -> None:
    page = await person()
    await make_table(page, "rummy", bots=2)
    await page.get_by_test_id("target").select_option("200")
    other = await person(page.url[page.url.index("/table") :])
    await expect(other.get_by_test_id("target")).to_have_value("200")
    await look_at(other, "target")
    await page.get_by_role("button", name="Leave the table").click()
    await expect(page.get_by_test_id("hall")).to_be_visible()
    # The seat is free at once.
    await expect(other.get_by_test_id("player")).to_have_count(3)


async def test_bots_are_chosen_by_their_strength(person: NewPerson, server: Server) -> None:
    page = await person(**PHONE)
    code = await make_table(page, "cambia")
    await page.get_by_test_id("bot-strength").select_option("easy")
    await page.get_by_test_id("add-bot").click()
    await expect(page.get_by_test_id("player")).to_have_count(2)
    await fits(page)
    for name in ("bot-strength", "add-bot"):
        await expect(page.get_by_test_id(name)).to_be_in_viewport(ratio=1)
    seat = await page.get_by_test_id("player").first.bounding_box()
    button = await page.get_by_test_id("add-bot").bounding_box()
    assert seat
    assert button
    assert button["x"] + button["width"] <= seat["x"] + seat["width"]
    await accessible(page)
    await look_at(page, "strength")
    table = server.house.index.find(code)
    assert table is not None
    assert [player.strength for player in table.roster.bots] == ["easy"]
    # It is remembered for the next table, also one of another game.
    await page.goto(page.url[: page.url.index("/table")])
    await page.get_by_test_id("make-table").click()
    await page.get_by_role("button", name="More bots").click()
    await expect(page.get_by_test_id("bot-strength")).to_have_value("easy")
    await look_at(page, "strength-dialog")
    await accessible(page)


async def test_a_newcomers_first_game_of_cambia_has_no_clock(
    person: NewPerson, server: Server
) -> None:
    page = await person(**PHONE, color_scheme="dark")
    await page.get_by_test_id("play-cambia").click()
    await have_looked(page, server)
    mine = page.locator("[data-testid=turn-banner][data-mine=true]")
    await expect(mine).to_contain_text("Draw a card")
    await expect(page.get_by_role("timer")).to_have_count(0)
    await look_at(page, "cambia-quick")
    await fits(page)


async def test_what_is_said_at_rummy_is_heard_and_counted_on_a_phone(person: NewPerson) -> None:
    host = await person()
    await make_table(host, "rummy")
    guest = await person(host.url[host.url.index("/table") :], **PHONE)
    await expect(host.get_by_test_id("player")).to_have_count(2)
    await host.get_by_test_id("chat-text").fill("Good evening!")
    await host.get_by_test_id("chat-send").click()
    await expect(guest.get_by_test_id("chat")).to_contain_text("Good evening!")
    await host.get_by_test_id("start").click()
    await expect(guest.get_by_test_id("turn-banner")).to_be_visible()
    await expect(guest.get_by_test_id("unread")).to_have_count(0)
    await host.get_by_test_id("chat-text").fill("Who has the queen?")
    await host.get_by_test_id("chat-send").click()
    await expect(guest.get_by_test_id("unread")).to_have_text("1")
    await expect(guest.get_by_test_id("announcer")).to_contain_text("says: Who has the queen?")
    await look_at(guest, "unread")
    await fits(guest)
    await accessible(guest)
    for number in range(9):
        await host.get_by_test_id("chat-text").fill(f"Anybody? {number}")
        await host.get_by_test_id("chat-send").click()
    await expect(guest.get_by_test_id("unread")).to_have_text("9+")
    await accessible(guest)
    await guest.get_by_role("button", name="9+ unread").click()
    await expect(guest.get_by_test_id("log")).to_contain_text("Who has the queen?")
    await expect(guest.get_by_test_id("unread")).to_have_count(0)


STUBS = """
localStorage['parlour.preferences'] = JSON.stringify({ sounds: true, notifications: true });
window.tones = [];
window.notified = [];
window.titles = [];
new MutationObserver(() => {
    if (window.titles.at(-1) !== document.title) window.titles.push(document.title);
}).observe(document, { childList: true, characterData: true, subtree: true });
window.away = false;
Object.defineProperty(document, 'hidden', { get: () => window.away });
const gain = new Proxy({}, { get: () => () => {} });
window.AudioContext = class {
    state = 'running';
    currentTime = 0;
    destination = null;
    createGain = () => ({ gain, connect() {} });
    createOscillator = () => ({
        connect() {}, stop() {},
        frequency: { set value(pitch) { window.tones.push(pitch) } },
        start() {},
    });
};
window.Notification = class {
    static permission = 'granted';
    constructor(title) { window.notified.push(title) }
};
"""
"""Lists tones and notifications instead of playing and showing them, and the tab's titles."""


async def test_a_tab_in_the_background_says_whose_turn_it_is(person: NewPerson) -> None:
    page = await person()
    await page.add_init_script(STUBS)
    await page.reload()
    await make_table(page, "rummy", bots=2)
    await page.get_by_test_id("start").click()
    await first_turn(page)
    tones = await page.evaluate("window.tones")
    deal, turn = [380, 420, 380, 420, 380, 420], [587, 784]
    assert tones[:6] == deal
    assert tones[-2:] == turn
    # Nobody is notified of what they look at.
    assert await page.evaluate("window.notified") == []
    await page.evaluate("window.tones = []")
    await page.locator("[data-zone=deck]").click()
    await page.get_by_test_id("hand").locator("[data-card-id]").last.click()
    await page.evaluate("window.away = true")
    await page.locator("[data-action=discard]").click()
    ended = page.get_by_test_id("match-end")
    mine = page.locator("[data-testid=turn-banner][data-mine=true][data-state=draw]")
    await expect(mine.or_(ended).first).to_be_visible()
    titles = ["Your turn · Parlour", "Super Rummy · Parlour"]
    if not await ended.count():
        titles.append("Your turn · Parlour")
        await expect(page).to_have_title(titles[-1])
        assert await page.evaluate("window.notified") == ["Your turn"]
        assert (await page.evaluate("window.tones"))[-2:] == turn
    assert (await page.evaluate("window.titles"))[-len(titles) :] == titles


@pytest.mark.parametrize("game", ["rummy", "cambia"])
async def test_moves_made_while_a_page_was_away_are_in_its_list(
    person: NewPerson, server: Server, game: str
) -> None:
    page = await person()
    await make_table(page, game, bots=2)
    if game == "cambia":
        await page.get_by_test_id("ready").click()
    await page.get_by_test_id("start").click()
    if game == "cambia":
        await have_looked(page, server)
    mine = page.locator("[data-testid=turn-banner][data-mine=true]")
    await expect(mine).to_be_visible()
    deck, shown = {"rummy": ("deck", "draws"), "cambia": ("stockpile", "discards")}[game]
    await page.locator(f"button[data-zone={deck}]").click()
    if game == "cambia":
        await page.locator("[data-testid=action][data-action=discard_drawn]").click()
    lines = page.get_by_test_id("log").locator("li").filter(has_text=shown)
    await expect(lines.first).to_be_visible()
    told = await page.get_by_test_id("log").locator("li").all_inner_texts()
    moves = [line for line in reversed(told) if shown in line]
    await page.reload()
    again = page.get_by_test_id("log").locator("li")
    await expect(again.filter(has_text=moves[0]).first).to_be_visible()
    listed = await again.all_inner_texts()
    assert [line for line in reversed(listed) if shown in line][: len(moves)] == moves
