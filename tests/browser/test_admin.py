"""The operator's page in a real Chromium: its link, a table, its people, a message to all."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Page, Route, expect

from parlour.server.admin.operators import new_link
from parlour.server.keys import SigningKey
from parlour.server.server import Server
from tests.browser.conftest import NewPerson, accessible, look_at, make_table

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


@pytest.fixture
def link(server: Server, tmp_path: Path) -> str:
    return "/admin#" + new_link(SigningKey.of_folder(tmp_path / "data"))


async def _call_oneself(page: Page, name: str) -> None:
    await page.evaluate(
        """async (name) => fetch('/api/me', {method: 'PUT',
            headers: {'Content-Type': 'application/json'}, body: JSON.stringify({name})})""",
        name,
    )


async def test_strangers_are_told_how_to_get_a_link(person: NewPerson) -> None:
    page = await person("/admin")
    await expect(page.get_by_test_id("admin-refused")).to_contain_text("parlour admin")
    await accessible(page)


async def test_tables_on_later_pages_are_kept_up_to_date(person: NewPerson, link: str) -> None:
    async def one_a_page(route: Route) -> None:
        address, _, after = route.request.url.partition("?after=")
        told = await (await route.fetch(url=address)).json()
        at = int(after or 0)
        rest = told["tables"][at:]
        told |= {"tables": rest[:1], "own": [rest[0]["code"]]}
        await route.fulfill(json=told | ({"next": at + 1} if len(rest) > 1 else {}))

    guest = await person()
    codes = [await make_table(guest, "rummy") for _ in range(2)]
    page = await person("/")
    await page.route("**/api/operator/open*", one_a_page)
    await page.goto(page.url[:-1] + link)
    shown = page.get_by_test_id("admin-tables").locator("[data-code]")
    await expect(shown).to_have_count(1)
    await page.get_by_role("button", name="Show more tables").click()
    await expect(shown).to_have_count(2)
    await expect(shown.nth(1)).to_contain_text("Belongs to the server")
    await page.get_by_role("button", name=f"Close table {codes[1]}").click()
    await page.get_by_test_id("admin-confirm").click()
    await expect(shown).to_have_count(1)


@pytest.mark.parametrize("width", [360, 1280])
async def test_an_operator_runs_a_table(person: NewPerson, link: str, width: int) -> None:
    guest = await person()
    await _call_oneself(guest, "Dora")
    code = await make_table(guest, "rummy", bots=1)

    page = await person(link, width=width, height=800)
    await expect(page.get_by_test_id("admin")).to_be_visible()
    # The secret is gone from the address.
    assert page.url.endswith("/admin")
    table = page.locator(f"[data-code='{code}']")
    await expect(table).to_contain_text("Dora")
    await expect(page.get_by_test_id("admin-figures")).to_contain_text("Connections")
    await accessible(page)
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await look_at(page, f"admin-{width}")

    await table.get_by_role("button", name=f"Lock table {code}").click()
    await expect(table).to_contain_text("Locked")
    await table.get_by_role("button", name="Rename Dora").click()
    await page.get_by_test_id("admin-new-name").fill("Player 1")
    await page.get_by_test_id("admin-confirm").click()
    await expect(table).to_contain_text("Player 1")
    await expect(guest.get_by_test_id("player").first).to_contain_text("Player 1")

    await page.get_by_test_id("admin-notice-text").fill("We restart at ten.")
    await page.get_by_role("button", name="Tell everybody").click()
    await expect(guest.get_by_test_id("notice")).to_contain_text("We restart at ten.")
    await accessible(guest)
    in_the_hall = await person()
    await expect(in_the_hall.get_by_test_id("notice")).to_contain_text("We restart at ten.")
    await in_the_hall.get_by_role("button", name="Dismiss").click()
    await expect(in_the_hall.get_by_test_id("notice")).to_have_text("")
    await page.get_by_role("button", name="Take back").click()
    await expect(guest.get_by_test_id("notice")).to_have_text("")

    await table.get_by_role("button", name=f"Close table {code}").click()
    await accessible(page)
    await page.get_by_test_id("admin-confirm").click()
    await expect(page.get_by_test_id("admin-tables")).to_contain_text("No table is open.")
    await page.get_by_role("button", name="Look again").click()
    record = page.get_by_test_id("admin-record")
    for what in ("lock", "rename", "Dora", "notice", "close"):
        await expect(record).to_contain_text(what)

    await page.get_by_role("button", name="Give up the right").click()
    await expect(page.get_by_test_id("hall")).to_be_visible()
    await page.goto(page.url + "admin")
    await expect(page.get_by_test_id("admin-refused")).to_be_visible()
