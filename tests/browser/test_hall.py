"""The hall in a real Chromium: wrong codes and addresses, names, a server that stops and starts."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from playwright.async_api import Locator, Page, expect

from parlour.server.server import Server
from tests.browser.conftest import NewPerson, accessible, look_at, make_table, passed
from tests.support import another_writer

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

LONGEST = "W" * 20


async def call_oneself(page: Page, name: str) -> None:
    await page.get_by_test_id("name-input").fill(name)
    await page.get_by_test_id("name-save").click()
    await expect(page.get_by_test_id("name-save")).to_be_disabled()


async def test_a_wrong_code_is_answered_where_it_was_typed(person: NewPerson) -> None:
    page = await person()
    code, join = page.get_by_test_id("join-code"), page.get_by_test_id("join-button")
    for typed, answer in (("12", "six digits"), ("999 999", "no table with that code")):
        await code.fill(typed)
        await join.click()
        await expect(page.get_by_role("alert")).to_contain_text(answer)
        await expect(code).to_have_value(typed)
        await expect(page.get_by_test_id("hall")).to_be_visible()
    await accessible(page)


@pytest.mark.parametrize("game", ["rummy", "cambia"])
async def test_a_door_offers_to_watch_only_where_there_is_a_table(
    person: NewPerson, game: str
) -> None:
    stranger = await person(f"/table/{game}/000000")
    refused = stranger.get_by_test_id("refused")
    await expect(refused).to_contain_text("No table here")
    await expect(refused.get_by_role("button", name="Watch")).to_have_count(0)

    host = await person()
    full = await make_table(host, game, bots=3 if game == "rummy" else 7)
    await stranger.goto(host.url)
    await expect(refused).to_contain_text("This table is full.")
    await accessible(stranger)
    await refused.get_by_role("button", name="Watch").click()
    await expect(stranger.get_by_test_id("lobby")).to_be_visible()
    await expect(stranger.get_by_test_id("lobby-code")).to_have_attribute("data-code", full)


@pytest.mark.parametrize("game", ["rummy", "cambia"])
async def test_the_longest_name_stays_on_its_sheet(person: NewPerson, game: str) -> None:
    page = await person()
    await call_oneself(page, LONGEST)
    await make_table(page, game)
    for width in (1280, 760, 360):
        await page.set_viewport_size({"width": width, "height": 740})
        sheet = await page.locator(".sheet").first.bounding_box()
        seat = await page.get_by_test_id("player").bounding_box()
        assert sheet
        assert seat
        assert seat["x"] + seat["width"] < sheet["x"] + sheet["width"]
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_who_sits_down_and_leaves_is_said_aloud(person: NewPerson) -> None:
    host = await person()
    await make_table(host, "rummy")
    guest = await person()
    await call_oneself(guest, "Dora")
    await guest.goto(host.url)
    said = host.get_by_test_id("announcer")
    await expect(said).to_contain_text("Dora has sat down.")
    await host.get_by_test_id("add-bot").click()
    await expect(host.get_by_test_id("player")).to_have_count(3)
    await host.get_by_test_id("remove-bot").click()
    await expect(said).to_contain_text("left.")


async def test_rules_under_which_nobody_can_go_out_are_gently_warned_of(person: NewPerson) -> None:
    page = await person()
    await make_table(page, "rummy", bots=1)
    await page.get_by_test_id("settings").locator("summary").click()
    await page.get_by_label("Largest meld").select_option(label="Three")
    lobby = page.get_by_test_id("lobby")
    await expect(lobby).to_contain_text("nobody can go out from 10 cards")
    await page.get_by_label("Cards dealt").select_option(label="9")
    await expect(lobby).not_to_contain_text("nobody can go out from")
    await expect(page.get_by_test_id("start")).to_be_enabled()


async def test_pages_come_back_by_themselves_when_the_house_does(
    person: NewPerson, server: Server
) -> None:
    player, hall, learner = await person(), await person(), await person("/play/mo")
    await make_table(player, "rummy", bots=1)
    await player.get_by_test_id("start").click()
    mine = player.locator("[data-testid=turn-banner][data-mine=true]")
    await expect(mine).to_be_visible()
    await expect(learner.get_by_test_id("mat")).to_be_visible()
    cards = player.get_by_test_id("hand").locator("[data-card-id]")
    faces = "cards => cards.map(card => card.dataset.face)"
    held = await cards.evaluate_all(faces)

    await server.stop()
    for page in (player, learner):
        await expect(page.get_by_test_id("connection")).to_contain_text("Reconnecting")
    # Each try changes the text that is read here, so wait for one that is some seconds away.
    far_off = re.compile(r"[4-9] seconds until the next try")
    await expect(player.get_by_test_id("connection")).to_contain_text(far_off, timeout=30_000)
    await accessible(player)
    await expect(hall.get_by_test_id("tables")).to_contain_text("does not answer")
    await player.locator("[data-zone=deck]").click()
    await passed(player, "Connection lost")
    # A passing notice hides neither this text nor the button to try again at once.
    line = await player.get_by_test_id("connection").bounding_box()
    toasts = await player.get_by_test_id("toasts").bounding_box()
    assert line is not None
    assert toasts is not None
    assert toasts["y"] >= line["y"] + line["height"]

    again = Server(msgspec.structs.replace(server.config, port=server.port))
    await again.start()
    try:
        for page in (player, learner):
            await expect(page.get_by_test_id("connection")).not_to_contain_text("Reconnecting")
        await expect(mine).to_be_visible()
        await expect(cards).to_have_count(len(held))
        assert await cards.evaluate_all(faces) == held
        await expect(hall.get_by_test_id("tables")).not_to_contain_text("does not answer")
        await player.locator("[data-zone=deck]").click()
        await expect(mine).to_have_attribute("data-state", "discard")
    finally:
        await again.stop()


async def test_a_page_says_that_it_waits_for_the_house(person: NewPerson, server: Server) -> None:
    page = await person()
    await make_table(page, "rummy", bots=1)
    await page.get_by_test_id("start").click()
    mine = page.locator("[data-testid=turn-banner][data-mine=true]")
    await expect(mine).to_have_attribute("data-state", "draw")
    line = page.get_by_test_id("connection")
    await expect(line).to_be_empty()
    with another_writer(Path(server.config.data) / "parlour.sqlite"):
        await page.locator("[data-zone=deck]").click()
        await expect(line).to_contain_text("Waiting for the server")
        await accessible(page)
        await look_at(page, "waiting-for-the-house")
        await expect(mine).to_have_attribute("data-state", "draw")
    await expect(mine).to_have_attribute("data-state", "discard")
    await expect(line).to_be_empty()
    # If this connection gets no answer, the page opens another one.
    with another_writer(Path(server.config.data) / "parlour.sqlite"):
        await page.get_by_test_id("hand").locator("[data-card-id]").first.click()
        await page.locator("[data-action=discard]").click()
        await line.get_by_role("button", name="Try now").click()
        await expect(line).to_contain_text("Reconnecting")
    await expect(line).to_be_empty()
    await expect(mine).to_have_attribute("data-state", "draw")


async def test_a_table_is_shared_over_plain_http(person: NewPerson) -> None:
    page = await person(width=390, height=844)
    # The APIs that a browser gives to a page that was loaded over plain HTTP.
    await page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    code = await make_table(page, "rummy")
    link = page.get_by_test_id("share-field")
    await expect(link).to_have_value(page.url)
    await page.get_by_test_id("share-link").click()
    await passed(page, "Copied")
    selected = "field => field.value.slice(field.selectionStart, field.selectionEnd)"
    assert await link.evaluate(selected) == page.url
    await page.get_by_test_id("table-name").press("Control+A")
    await page.get_by_test_id("table-name").press("Control+V")
    await expect(page.get_by_test_id("table-name")).to_have_value(page.url[:20])
    await page.get_by_test_id("share-code").click()
    await page.get_by_test_id("table-name").press("Control+A")
    await page.get_by_test_id("table-name").press("Control+V")
    await expect(page.get_by_test_id("table-name")).to_have_value(code)
    await page.get_by_test_id("share-qr").click()
    await expect(page.get_by_test_id("qr").get_by_role("img")).to_be_in_viewport(ratio=1)
    await accessible(page)


@pytest.mark.parametrize("game", ["rummy", "cambia", "mo"])
async def test_how_a_game_is_played_is_read_at_its_table(person: NewPerson, game: str) -> None:
    page = await person(width=1280, height=800)
    if game == "mo":
        await page.get_by_test_id("play-mo").click()
    else:
        await make_table(page, game)
    button = page.get_by_test_id("how-to-play")
    await expect(button).to_have_text("How to play")
    await page.locator("#main").press("?")
    guide = page.get_by_test_id("guide")
    await expect(guide).to_be_visible()
    await expect(guide.locator("dt").nth(5)).to_be_visible()
    await accessible(page)
    await page.keyboard.press("Escape")
    await expect(guide).to_be_hidden()
    # A visitor who has read it is not asked again, and the button stays.
    await expect(button).to_have_text("")
    await page.reload()
    await expect(button).to_have_text("")
    await button.click()
    await expect(guide).to_be_visible()
    # Beside the narrowest table the header keeps its buttons.
    await page.keyboard.press("Escape")
    await page.evaluate("localStorage.clear()")
    await page.reload()
    await page.set_viewport_size({"width": 320, "height": 568})
    for each in (page.get_by_test_id("preferences"), button):
        await expect(each).to_be_in_viewport(ratio=0.95)


async def test_more_tables_are_shown_when_asked_for(
    server: Server, person: NewPerson, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.house.index.PAGE", 2)
    opener = await person()
    for _ in range(5):
        opened = await opener.request.post(
            f"http://127.0.0.1:{server.port}/api/tables", data={"game": "rummy", "public": True}
        )
        assert opened.status == 201
    page = await person()
    tables, more = page.get_by_test_id("open-table"), page.get_by_test_id("more-tables")
    for shown in (2, 4, 5):
        await expect(tables).to_have_count(shown)
        await accessible(page)
        if shown < 5:
            await more.click()
    await expect(more).to_have_count(0)
    # The list is loaded again every few seconds: expanded rows stay expanded.
    async with page.expect_response(lambda answer: "after=" in answer.url):
        pass
    await expect(tables).to_have_count(5)


async def test_the_list_tells_bots_from_people(server: Server, person: NewPerson) -> None:
    host = await person()
    await call_oneself(host, "Dora")
    opened = await host.request.post(
        f"http://127.0.0.1:{server.port}/api/tables", data={"game": "rummy", "public": True}
    )
    code = (await opened.json())["code"]
    await host.goto(f"http://127.0.0.1:{server.port}/table/rummy/{code}")
    guest = await person()
    table = guest.get_by_test_id("open-table")
    for company in ("Dora", "Dora and 1 bot", "Dora and 2 bots"):
        await expect(table.locator(".who")).to_have_text(company)
        watch = table.get_by_role("link", name=re.compile(f"Watch.*Super Rummy, {company}$"))
        await expect(watch).to_be_visible()
        await host.get_by_test_id("add-bot").click()
    await accessible(guest)


async def test_the_name_of_a_game_fits_the_header_of_a_phone(
    server: Server, person: NewPerson
) -> None:
    page = await person(width=360, height=740)
    for game in server.games:
        await page.goto(f"http://127.0.0.1:{server.port}/table/{game.id}/000000")
        title = page.locator("header .where")
        await expect(title).to_have_text(game.name)
        assert await title.evaluate("title => title.scrollWidth <= title.clientWidth"), game.name
        await expect(page.get_by_role("link", name="Parlour: to the hall")).to_be_visible()
        await expect(page.get_by_test_id("preferences")).to_be_in_viewport(ratio=0.95)


async def opened(page: Page, server: Server, **table: object) -> str:
    """Open a table for this person over HTTP, without sitting down there; its code."""
    answer = await page.request.post(f"http://127.0.0.1:{server.port}/api/tables", data=table)
    assert answer.status == 201
    return str((await answer.json())["code"])


async def test_the_hall_leads_back_to_every_unfinished_game(
    server: Server, person: NewPerson
) -> None:
    page = await person(width=360, height=740)
    await make_table(page, "rummy", bots=1)
    await page.get_by_test_id("start").click()
    await expect(page.get_by_test_id("turn-banner")).to_be_visible()
    await page.goto(f"http://127.0.0.1:{server.port}/play/mo")
    await expect(page.get_by_test_id("mat")).to_be_visible()
    await page.goto(f"http://127.0.0.1:{server.port}/")
    games = page.get_by_test_id("back-to-game")
    await expect(games).to_have_count(2)
    for each in await games.all():
        await expect(each).to_be_in_viewport(ratio=1)
    # They are not listed a second time.
    await expect(page.get_by_test_id("open-table")).to_have_count(0)
    await accessible(page)
    await look_at(page, "hall-unfinished-360")
    await games.filter(has_text="MO").get_by_role("link").click()
    await expect(page.get_by_test_id("mat")).to_be_visible()


async def test_open_tables_are_in_sight_below_three_unfinished_games(
    server: Server, person: NewPerson
) -> None:
    host = await person()
    for _ in range(2):
        await opened(host, server, game="quips", public=True)
    page = await person(width=390, height=844)
    for game in ("rummy", "cambia"):
        await page.get_by_test_id(f"play-{game}").click()
        await expect(page.get_by_test_id("turn-banner")).to_be_visible()
        await page.goto(f"http://127.0.0.1:{server.port}/")
    await page.goto(f"http://127.0.0.1:{server.port}/play/mo")
    await expect(page.get_by_test_id("mat")).to_be_visible()
    await page.goto(f"http://127.0.0.1:{server.port}/")
    await expect(page.get_by_test_id("back-to-game")).to_have_count(3)
    for table in await page.get_by_test_id("open-table").all():
        await expect(table).to_be_in_viewport(ratio=1)
    await look_at(page, "hall-three-unfinished")


async def test_the_large_button_offers_the_game_that_was_played_last(
    server: Server, person: NewPerson
) -> None:
    page = await person()
    await expect(page.get_by_test_id("play-now")).to_have_text("Play Super Rummy now against bots")
    await expect(page.get_by_test_id("play-cambia")).to_have_text("Play Cambia now against bots")
    await page.get_by_test_id("play-cambia").click()
    await expect(page.get_by_test_id("turn-banner")).to_be_visible()
    await page.goto(f"http://127.0.0.1:{server.port}/")
    await page.get_by_test_id("play-now").filter(has_text="Play Cambia").click()
    await expect(page.get_by_test_id("turn-banner")).to_be_visible()
    assert "/table/cambia/" in page.url


async def test_open_tables_are_in_sight_and_change_by_themselves(
    server: Server, person: NewPerson
) -> None:
    host = await person()
    await call_oneself(host, "Dora")
    named = {"server_name": "Aunt Dora's kitchen", "player_password": "tea"}
    secret = await opened(host, server, game="quips", public=True, settings=named)
    full = await opened(host, server, game="rummy", public=True, bots=3)
    fourth = await host.request.post(f"http://127.0.0.1:{server.port}/api/tables/{full}/bots")
    assert fourth.status == 201
    free = await opened(host, server, game="cambia", public=True, bots=1)
    page = await person(width=360, height=740)

    def table(code: str) -> Locator:
        return page.locator(f"[data-testid=open-table][data-code='{code}']")

    for code in (secret, full, free):
        await expect(table(code)).to_be_in_viewport(ratio=1)
    await expect(table(secret)).to_contain_text("Aunt Dora's kitchen")
    await expect(table(secret)).to_contain_text("Quips")
    await expect(table(secret).get_by_title("A password is needed")).to_be_visible()
    await expect(table(full)).to_contain_text("4 bots")
    await expect(table(full)).to_contain_text("Full")
    await expect(table(full).get_by_role("link", name="Join")).to_have_count(0)
    await expect(table(free)).to_contain_text("7 free seats")
    await expect(page.get_by_title("A password is needed")).to_have_count(1)
    await accessible(page)
    await look_at(page, "hall-360")
    await page.emulate_media(color_scheme="dark")
    await look_at(page, "hall-360-dark")
    await host.goto(f"http://127.0.0.1:{server.port}/table/cambia/{free}")
    await expect(table(free)).to_contain_text("Dora and 1 bot")
    await expect(table(free)).to_contain_text("6 free seats")
    lock = f"/api/tables/{free}/lock"
    await host.request.put(f"http://127.0.0.1:{server.port}{lock}", data={"locked": True})
    await expect(table(free)).to_contain_text("Locked")
    await expect(table(free).get_by_role("link", name="Join")).to_have_count(0)
    for width, height in ((1280, 800), (1920, 1080)):
        await page.set_viewport_size({"width": width, "height": height})
        await expect(table(free)).to_be_in_viewport(ratio=1)
        for scheme in ("light", "dark"):
            await page.emulate_media(color_scheme=scheme)
            await look_at(page, f"hall-{width}-{scheme}")
        await accessible(page)


async def test_every_game_offers_friends_a_friendly_preset_first(
    server: Server, person: NewPerson
) -> None:
    page = await person(width=390, height=844)
    for game in server.games:
        if game.lobby.solo:
            continue
        await page.get_by_test_id(f"make-{game.id}").click()
        dialog = page.get_by_test_id("make-table-dialog")
        for name in ("Relaxed", "Brisk", "By the book"):
            await expect(dialog.get_by_role("radio", name=name)).to_have_count(1)
        await expect(dialog.get_by_role("radio", name="Relaxed")).to_be_checked()
        # All settings, unfolded: nothing sticks out sideways.
        await dialog.get_by_text("More settings").click()
        await expect(dialog.get_by_role("switch").nth(1)).to_be_visible()
        await dialog.evaluate(
            "box => box.querySelectorAll('details').forEach(it => it.open = true)"
        )
        sideways = """box => [...box.querySelectorAll('*')]
            .filter(each => each.scrollWidth > each.clientWidth && each.clientWidth
                && getComputedStyle(each).overflowX !== 'visible'
                && !each.matches('input, select, .unseen')).map(each => each.className)"""
        assert await dialog.evaluate(sideways) == []
        await page.keyboard.press("Escape")


async def test_a_table_for_friends_begins_with_a_friendly_preset(
    server: Server, person: NewPerson
) -> None:
    page = await person(width=360, height=740)
    await page.get_by_test_id("make-cambia").click()
    dialog = page.get_by_test_id("make-table-dialog")
    await expect(dialog.get_by_role("radio", name="Relaxed")).to_be_checked()
    more = dialog.get_by_text("More settings")
    await expect(dialog.get_by_text("House rules")).to_be_hidden()
    await accessible(page)
    await look_at(page, "make-table-360")
    await dialog.get_by_role("radio", name="Brisk").check()
    await more.click()
    await dialog.get_by_text("House rules").click()
    await expect(dialog.get_by_label("Seconds a turn")).to_have_value("30")
    await dialog.get_by_label("Seconds a turn").fill("45")
    await dialog.get_by_label("Jokers").fill("0")
    await look_at(page, "make-table-more-360")
    await dialog.get_by_role("radio", name="Relaxed").check()
    await expect(dialog.get_by_label("Seconds a turn")).to_have_value("0")
    await dialog.get_by_label("Jokers").fill("1")
    await dialog.get_by_test_id("make-name").fill("The kitchen")
    await page.get_by_test_id("create-table").click()
    await expect(page.get_by_test_id("lobby")).to_be_visible()
    code = await page.get_by_test_id("lobby-code").get_attribute("data-code")
    told = await page.request.get(f"http://127.0.0.1:{server.port}/api/tables/{code}")
    table = await told.json()
    assert table["name"] == "The kitchen"
    rules = table["settings"]["houseRules"]
    assert (rules["turnTimerSec"], rules["remindKnown"], rules["numJokers"]) == (0, True, 1)
