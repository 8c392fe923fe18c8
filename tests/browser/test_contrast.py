"""Every text on a table stands out from what is painted behind it; and the measure can fail."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from parlour.server.server import Server
from tests.browser.conftest import NewPerson, hard_to_read, have_looked, legible

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

FELT = "width: max-content; background: radial-gradient(#3a7d60, #1f4f3a)"
BADLY_LIT = f"""
<p style="{FELT}; color: #9fbfae">pale</p>
<p style="{FELT}; color: #fff"><span style="opacity: .6">faded</span></p>
<p style="{FELT}; color: #3a7d60">lost</p>
<p style="{FELT}; color: #9fbfae; font-size: 24px">large</p>
<input style="background: #222; color: #777" value="typed">
<svg width="90" height="20"><text y="15" fill="#ccc">drawn</text></svg>
"""
WELL_LIT = f"""
<p style="{FELT}; color: #fff">clear</p>
<p style="{FELT}; color: #b9d3c5; font-size: 24px">large</p>
<p style="{FELT}; color: #fff"
  ><span style="position: absolute; clip-path: inset(50%); color: #3a7d60">unseen</span> here</p>
<button disabled style="color: #ccc; background: #fff">not now</button>
<div style="position: relative"><p style="color: #ddd">covered</p>
<p style="position: absolute; inset: -20px 0; background: #fff; color: #000">on top of it</p></div>
"""
UNDER_A_NOTE = """
<p style="width: max-content; background: #fff; color: #000">clear</p>
<div style="position: relative; background: #1f4f3a"><p style="color: #fff">below the note</p>
<p id="note" style="position: absolute; inset: -20px 0; background: #fff; color: #000">a note</p>
</div>
"""


async def test_what_is_hard_to_read_is_found_over_gradients(person: NewPerson) -> None:
    page = await person()
    await page.set_content(WELL_LIT)
    await legible(page)
    await page.set_content(BADLY_LIT)
    found = await hard_to_read(page)
    for theme in ("light", "dark"):
        named = re.findall(rf'{theme}: "(\w+)"', "\n".join(found))
        assert named == ["pale", "faded", "lost", "large", "drawn", "typed"]


async def test_a_text_that_goes_meanwhile_is_not_taken_for_the_one_below(
    person: NewPerson,
) -> None:
    page = await person()
    await page.set_content(UNDER_A_NOTE)
    await page.evaluate("""() => {
        const note = document.getElementById('note');
        const place = note.parentElement;
        const { decode } = Image.prototype;
        // The pictures are there, and nothing was read from them yet.
        Image.prototype.decode = function () {
            note.remove();
            window.went = true;
            setTimeout(() => place.append(note), 500);
            return decode.call(this);
        };
    }""")
    assert await hard_to_read(page) == []
    assert await page.evaluate("window.went")


async def test_a_text_that_changes_its_colour_meanwhile_is_not_judged(person: NewPerson) -> None:
    page = await person()
    await page.set_content(UNDER_A_NOTE)
    await page.evaluate("""() => {
        const text = document.querySelector('p');
        const { replaceSync } = CSSStyleSheet.prototype;
        // Its colour was noted, and no picture was taken yet.
        CSSStyleSheet.prototype.replaceSync = function (css) {
            if (css.includes('white')) text.style.cssText = 'background: #000; color: #fff';
            return replaceSync.call(this, css);
        };
    }""")
    assert await hard_to_read(page) == []
    assert await page.locator("p").first.evaluate("text => text.style.color") != ""


async def test_pages_that_scroll_are_legible_down_to_their_end(person: NewPerson) -> None:
    page = await person(width=360, height=5000)
    await expect(page.get_by_test_id("hall")).to_be_visible()
    await legible(page)
    await page.get_by_test_id("me-link").click()
    await expect(page.get_by_test_id("no-matches")).to_be_visible()
    await legible(page)
    assert await page.evaluate("document.documentElement.scrollHeight <= innerHeight")


@pytest.mark.parametrize(("width", "height"), [(360, 740), (768, 1024), (1280, 800)])
@pytest.mark.parametrize("game", ["rummy", "cambia", "quips", "onu", "mo"])
async def test_a_table_is_legible(
    person: NewPerson, server: Server, game: str, width: int, height: int
) -> None:
    page = await person(width=width, height=height)
    await page.get_by_test_id(f"play-{game}").click()
    if game == "cambia":
        await have_looked(page, server)
    table = page.locator("[data-testid=turn-banner][data-mine=true], [data-testid=mat]")
    await expect(table.first).to_be_visible()
    await legible(page)
