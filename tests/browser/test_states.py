"""Screens for what goes wrong: each says what happened and what can be done.

Their pictures are kept (`snapshots.py`), at three sizes and in both themes.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.async_api import Page, expect

from parlour.house.live import LiveTable
from parlour.server.running import WaitingRoom
from parlour.server.server import Server
from parlour.table import inputs as do
from tests.browser.conftest import NewContext, NewPerson, accessible, make_table, passed
from tests.browser.snapshots import HALF, as_kept
from tests.browser.test_replay import play_eights
from tests.examples.conftest import examples
from tests.network import Proxy
from tests.support import another_writer

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

__all__ = ["examples"]


@pytest.fixture(autouse=True)
def installed(examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(examples)


@asynccontextmanager
async def without_database(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[WaitingRoom]:
    """Listens in place of a server that can't write its log."""

    async def never(config: object) -> bool:
        return False

    await server.stop()
    monkeypatch.setattr("parlour.server.running._can_be_written", never)
    room = WaitingRoom(msgspec.structs.replace(server.config, port=server.port), "a disk is full")
    waits = asyncio.create_task(room.until_it_can_be_written(0.1))
    yield room
    waits.cancel()
    await asyncio.gather(waits, return_exceptions=True)


async def at_a_match(page: Page) -> None:
    """This person plays against a bot, and it is their turn."""
    await make_table(page, "rummy", bots=1)
    await page.get_by_test_id("start").click()
    await expect(page.locator("[data-testid=turn-banner][data-mine=true]")).to_be_visible()


async def over_http(page: Page, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    answer = await page.request.fetch(
        f"{page.url[: page.url.index('/', 8)]}{path}", method=method, data=body
    )
    assert answer.ok
    return await answer.json()


async def test_a_table_that_is_being_reached(person: NewPerson) -> None:
    page = await person(**HALF)
    await page.route_web_socket(re.compile("/rummy"), lambda socket: None)
    await page.goto(f"{page.url}table/rummy/123456")
    await expect(page.get_by_text("Connecting to the table …")).to_be_visible()
    await as_kept(page, "connecting")
    await accessible(page)


async def test_a_lost_connection(person: NewPerson, server: Server) -> None:
    proxy = Proxy(("127.0.0.1", server.port))
    await proxy.start()
    page = await person(**HALF)
    await page.goto(f"http://127.0.0.1:{proxy.port}/")
    await at_a_match(page)
    await proxy.stop()
    lost = page.get_by_test_id("connection")
    await expect(lost).to_contain_text("Connection lost. Reconnecting…")
    await expect(lost.get_by_role("button", name="Try now")).to_be_visible()
    await expect(lost).to_contain_text(re.compile("[4-9] seconds until"))
    await as_kept(page, "connection-lost")


async def test_a_server_that_restarts(person: NewPerson, server: Server) -> None:
    page = await person(**HALF)
    await at_a_match(page)
    await server.stop()
    lost = page.get_by_test_id("connection")
    await expect(lost).to_contain_text("The server restarts or was stopped. Reconnecting…")
    await expect(lost).to_contain_text(re.compile("[4-9] seconds until"))
    await as_kept(page, "server-restarting")
    again = Server(msgspec.structs.replace(server.config, port=server.port))
    await again.start()
    await expect(lost).to_be_empty()
    await again.stop()


async def test_a_database_that_is_away(
    person: NewPerson, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    player, newcomer = await person(**HALF), await person(**HALF)
    await at_a_match(player)
    why = "can't write to its database just now. Nothing is lost"
    async with without_database(server, monkeypatch):
        await expect(player.get_by_test_id("trouble")).to_contain_text(why)
        await expect(player.get_by_test_id("connection")).to_contain_text(
            re.compile("[4-9] seconds until")
        )
        await as_kept(player, "database-away-table")
        # Somebody who comes now is told so as well, and not in JSON.
        await newcomer.reload()
        await expect(newcomer.get_by_role("alert")).to_contain_text(why)
        await as_kept(newcomer, "database-away")
        await accessible(newcomer)
    again = Server(msgspec.structs.replace(server.config, port=server.port))
    await again.start()
    await expect(newcomer.get_by_test_id("hall")).to_be_visible()
    await expect(player.get_by_test_id("connection")).to_be_empty()
    await expect(player.get_by_test_id("trouble")).to_have_count(0)
    await again.stop()


async def test_a_server_that_is_slow_to_answer(person: NewPerson, server: Server) -> None:
    page = await person(**HALF)
    await at_a_match(page)
    with another_writer(Path(server.config.data) / "parlour.sqlite"):
        await page.locator("[data-zone=deck]").click()
        await expect(page.get_by_test_id("connection")).to_contain_text("Waiting for the server")
        await as_kept(page, "waiting")


async def test_a_table_that_has_closed_leads_to_its_replay(
    person: NewPerson, server: Server
) -> None:
    page = await person(**HALF)
    await play_eights(page)
    await expect(page.get_by_test_id("watch-replay")).to_be_visible()
    (live,) = server.house.index
    assert isinstance(live, LiveTable)
    live.note(do.Close())
    refused = page.get_by_test_id("refused")
    await expect(refused).to_contain_text("This table has closed")
    await accessible(page)
    await as_kept(page, "table-gone")
    await refused.get_by_role("button", name="Watch the last match of this table").click()
    await expect(page.get_by_test_id("replay-moment")).to_be_visible()


async def test_a_table_that_nobody_knows_leads_to_ones_matches(person: NewPerson) -> None:
    page = await person("/table/rummy/000000", **HALF)
    mine = page.get_by_test_id("refused").get_by_role("button", name="Your matches")
    await expect(mine).to_be_visible()
    await as_kept(page, "no-table")
    await mine.click()
    await expect(page).to_have_url(page.url[: page.url.index("/", 8)] + "/me")


async def test_a_full_table(person: NewPerson) -> None:
    host = await person()
    await make_table(host, "rummy", bots=3)
    page = await person(host.url[host.url.index("/table") :], **HALF)
    await expect(page.get_by_test_id("refused")).to_contain_text("This table is full.")
    await as_kept(page, "full")
    await accessible(page)


@pytest.mark.parametrize("ban", [False, True], ids=["removed", "banned"])
async def test_somebody_who_was_removed(person: NewPerson, ban: bool) -> None:
    host = await person()
    code = await make_table(host, "rummy")
    page = await person(host.url[host.url.index("/table") :], **HALF)
    await expect(page.locator("[data-testid=player].you")).to_be_visible()
    await over_http(host, "POST", f"/api/tables/{code}/kick", {"place": 1, "ban": ban})
    refused = page.get_by_test_id("refused")
    await expect(refused).to_contain_text("You were put out of this table")
    # The same sentence passes by above the table that was there.
    await passed(page, "You were put out of this table")
    await expect(page.get_by_test_id("toasts").get_by_role("button")).to_have_count(0)
    wait = refused.get_by_role("button", name="Watch, and wait for a seat")
    if ban:
        await page.reload()
        await expect(refused.get_by_role("button", name="To the hall")).to_be_visible()
        await page.wait_for_load_state("networkidle")
        await expect(wait).to_be_hidden()
    else:
        await expect(wait).to_be_visible()
    await as_kept(page, "banned" if ban else "removed")
    await accessible(page)


async def test_a_wrong_password(person: NewPerson) -> None:
    host = await person()
    table = await over_http(
        host, "POST", "/api/tables", {"game": "quips", "settings": {"player_password": "duck"}}
    )
    page = await person(f"/table/quips/{table['code']}", **HALF)
    asked = page.get_by_test_id("rejected")
    await expect(asked).to_contain_text("This table asks players for a password.")
    await page.get_by_test_id("password").fill("goose")
    await page.get_by_role("button", name="Come in").click()
    await expect(asked).to_contain_text("That is not this table's password.")
    await as_kept(page, "wrong-password")
    await accessible(page)


async def test_a_page_that_does_not_exist(person: NewPerson) -> None:
    page = await person("/play/whist", **HALF)
    await expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()
    await as_kept(page, "no-such-page")
    await accessible(page)


async def test_an_address_that_the_server_does_not_know(person: NewPerson) -> None:
    page = await person()
    answer = await page.goto(f"{page.url}nowhere/at/all")
    assert answer is not None
    assert answer.status == 404
    await expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()
    await page.get_by_role("button", name="To the hall").click()
    await expect(page.get_by_test_id("hall")).to_be_visible()
    german = await person("/nowhere", locale="de-AT")
    await expect(german.get_by_role("heading", name="Diese Seite gibt es nicht")).to_be_visible()


async def test_a_link_with_a_code_that_no_table_has(person: NewPerson) -> None:
    page = await person("/table/000000", **HALF)
    await expect(page.get_by_role("heading", name="No table here")).to_be_visible()
    await expect(page.get_by_role("button", name="Your matches")).to_be_visible()
    await as_kept(page, "wrong-link")
    await accessible(page)


async def test_a_part_of_the_page_that_is_missing(server: Server, context: NewContext) -> None:
    page = await (await context(**HALF)).new_page()
    await page.goto(f"http://127.0.0.1:{server.port}/")
    await expect(page.get_by_test_id("hall")).to_be_visible()
    await page.route("**/assets/*.js", lambda route: route.abort())
    await page.get_by_test_id("me-link").click()
    await expect(page.get_by_role("heading", name="could not be loaded")).to_be_visible()
    await as_kept(page, "incomplete")
    await page.unroute_all()
    await page.get_by_role("button", name="Load again").click()
    await expect(page.get_by_test_id("no-matches")).to_be_visible()
    # A table stays when only its guide is missing.
    await page.goto(f"http://127.0.0.1:{server.port}/")
    await at_a_match(page)
    await page.route("**/assets/*.js", lambda route: route.abort())
    await page.get_by_test_id("how-to-play").click()
    await passed(page, "Load it again")
    await expect(page.get_by_test_id("hand")).to_be_visible()


@pytest.mark.parametrize(("language", "words"), [("en-GB", "too old"), ("de-DE", "zu alt")])
async def test_an_old_browser_is_told_so(
    server: Server, context: NewContext, language: str, words: str
) -> None:
    page = await (await context(locale=language, **HALF)).new_page()
    await page.add_init_script("CSS.supports = () => false")
    # Such a browser may not understand the page's scripts.
    await page.route("**/assets/*.js", lambda route: route.fulfill(content_type="text/javascript"))
    await page.goto(f"http://127.0.0.1:{server.port}/")
    await expect(page.locator("#cannot-run")).to_contain_text(words)
    if language == "en-GB":
        await as_kept(page, "old-browser")


async def test_a_page_that_can_not_be_loaded_says_so(server: Server, context: NewContext) -> None:
    page = await (await context(**HALF)).new_page()
    await page.route("**/assets/*.js", lambda route: route.abort())
    await page.goto(f"http://127.0.0.1:{server.port}/")
    await expect(page.locator("#cannot-run")).to_contain_text("could not be loaded")
    await as_kept(page, "not-loaded")


async def test_a_browser_that_is_new_enough_is_told_nothing(person: NewPerson) -> None:
    page = await person()
    await expect(page.get_by_test_id("hall")).to_be_visible()
    await expect(page.locator("#cannot-run")).to_have_count(0)
