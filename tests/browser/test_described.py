"""Games from outside on the page, which knows nothing of them but their scenes and choices."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.async_api import Page, Position, expect

from parlour.choices import Choices
from parlour.games import installed_games
from parlour.scenes import Scene
from tests.browser.conftest import NewPerson, accessible, look_at, make_table
from tests.examples.conftest import examples

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

__all__ = ["examples"]


@pytest.fixture(autouse=True)
def installed(examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(examples)


async def my_turn(page: Page) -> bool:
    """Wait until the table waits for this player; False: the match is over."""
    here = page.locator("[data-testid=turn-banner][data-mine=true]")
    end = page.get_by_test_id("match-end")
    await expect(here.or_(end).first).to_be_visible()
    return not await end.count()


async def press_something(page: Page) -> None:
    """Press a card that fits; else pick cards until there is a button; answer what is asked."""
    lit = page.locator("[data-fits=true]")
    buttons = page.locator("[data-testid=action]:not([aria-disabled])")
    # Cards overlap: their corners can always be touched.
    corner: Position = {"x": 10, "y": 12}
    while not await lit.count() and not await buttons.count():
        await page.locator("[data-testid=thing][aria-pressed=false]").first.click(position=corner)
    await (lit if await lit.count() else buttons).first.click(position=corner)
    while await page.get_by_test_id("cancel").count():
        await page.get_by_test_id("answer").first.click()


async def press_something_by_keyboard(page: Page) -> None:
    """The same by arrow keys, Enter, and the letters of buttons."""
    things = page.get_by_test_id("thing")
    fits = await things.evaluate_all("all => all.map(one => one.dataset.fits)")
    buttons = page.locator("[data-testid=action]:not([aria-disabled])")
    if "true" in fits or not await buttons.count():
        await page.locator("[data-testid=hand] [tabindex='0']").focus()
        await page.keyboard.press("Home")
    if "true" in fits:
        for _ in range(fits.index("true")):
            await page.keyboard.press("ArrowRight")
        await page.keyboard.press("Enter")
    else:
        while not await buttons.count():
            await page.keyboard.press("Enter")
            await page.keyboard.press("ArrowRight")
        label = await buttons.first.inner_text()
        await page.keyboard.press(label[0].lower())
    while await page.get_by_test_id("cancel").count():
        # The first answer has the focus.
        await page.keyboard.press("Enter")


Press = Callable[[Page], Awaitable[None]]


async def settled(page: Page, before: int) -> None:
    """Wait until the page has shown something that happened."""
    lines = page.get_by_test_id("log").locator("li")
    end = page.get_by_test_id("match-end")
    await expect(lines.nth(before).or_(end).first).to_be_attached()


async def play_to_the_end(page: Page, game: str, press: Press) -> None:
    await expect(page.get_by_test_id("scene")).to_be_visible()
    turns = 0
    while await my_turn(page):
        turns += 1
        if turns == 1:
            await accessible(page)
        await look_at(page, f"{game}-{turns}")
        lines = await page.get_by_test_id("log").locator("li").count()
        await press(page)
        await settled(page, min(lines, 79))
    await look_at(page, f"{game}-end")
    await accessible(page)
    await page.get_by_test_id("play-again").click()
    await expect(page.get_by_test_id("match-end")).to_have_count(0)


def by(press: Press, *, soak: bool) -> Any:
    """Each game is played in one way in every run, and in the other way in long runs."""
    name = "pointer" if press is press_something else "keyboard"
    return pytest.param(press, id=name, marks=[pytest.mark.soak] if soak else [])


@pytest.mark.parametrize(
    "press", [by(press_something, soak=False), by(press_something_by_keyboard, soak=True)]
)
async def test_eights_is_played_to_its_end(person: NewPerson, press: Press) -> None:
    page = await person()
    await page.get_by_test_id("play-eights").click()
    await play_to_the_end(page, "eights", press)


@pytest.mark.parametrize(
    "press", [by(press_something, soak=True), by(press_something_by_keyboard, soak=False)]
)
async def test_hearts_is_played_to_its_end(person: NewPerson, press: Press) -> None:
    page = await person()
    await make_table(page, "hearts", {"points": 0}, bots=3)
    await page.get_by_test_id("start").click()
    await play_to_the_end(page, "hearts", press)


@pytest.mark.parametrize(
    "press", [by(press_something, soak=False), by(press_something_by_keyboard, soak=True)]
)
async def test_dice_are_played_to_their_end(person: NewPerson, press: Press) -> None:
    page = await person()
    await make_table(page, "dice", {"dice": 3}, bots=2)
    await page.get_by_test_id("start").click()
    await play_to_the_end(page, "dice", press)


async def test_who_reloads_finds_the_same_hand_and_the_moves(person: NewPerson) -> None:
    page = await person(width=390, height=844, color_scheme="dark")
    await page.get_by_test_id("play-eights").click()
    assert await my_turn(page)
    hand = page.locator(".own [data-card-id]")
    faces = await hand.evaluate_all("cards => cards.map(card => card.dataset.face)")
    await accessible(page)
    await page.reload()
    assert await my_turn(page)
    again = await hand.evaluate_all("cards => cards.map(card => card.dataset.face)")
    assert again == faces
    await page.get_by_role("button", name="Moves and talk").click()
    await expect(page.get_by_test_id("log").locator("li").last).to_contain_text("turned up")


async def test_who_watches_sees_the_table_and_no_hand(person: NewPerson) -> None:
    page = await person()
    await page.get_by_test_id("play-eights").click()
    assert await my_turn(page)
    code = page.url.rpartition("/")[2]
    spectator = await person(path=f"/table/eights/{code}?watch")
    await expect(spectator.get_by_test_id("scene")).to_be_visible()
    await expect(spectator.get_by_test_id("thing")).to_have_count(0)


@pytest.fixture
def undrawn(installed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eights has a scene that raises."""

    def scene(picture: object, choices: Choices) -> Scene:
        raise ZeroDivisionError("no such scene")

    games = {game.id: game for game in installed_games()}
    games["eights"] = replace(games["eights"], scene=scene)
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: tuple(games.values()))


async def test_the_page_says_that_a_game_cannot_be_drawn(
    undrawn: None, person: NewPerson, caplog: pytest.LogCaptureFixture
) -> None:
    page = await person()
    await page.get_by_test_id("play-eights").click()
    await expect(page.get_by_text("can't be drawn right now").first).to_be_visible()
    lines = [each for each in caplog.records if "eights" in each.getMessage()]
    assert lines
    assert lines[0].exc_info is not None
    assert "no such scene" in str(lines[0].exc_info[1])


# What a package brings

SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 50 70">
<rect width="50" height="70" fill="{}"/></svg>"""
BOARD = """
export function mount(element, board) {
  const list = document.createElement('ul')
  element.append(list)
  return board.watch(scene => {
    list.replaceChildren(...(scene.choices ?? []).map(({action, fields}) => {
      const item = document.createElement('li')
      const button = document.createElement('button')
      button.textContent = `${board.name(scene.viewer)}: ${action}`
      const first = Object.entries(fields ?? {}).map(([name, {of}]) => [name, of[0]])
      button.onclick = () => board.act(action, Object.fromEntries(first))
      item.append(button)
      return item
    }))
  })
}
"""


PICTURES = {name: SVG.format("red") for name in ("decks/house/back.svg", "emblem.svg")}
FAULTY = "export function mount() { throw new Error('no') }"


@pytest.fixture
def brought(
    tmp_path: Path,
    installed: None,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    """Eights brings these files for the page; its cards are of a deck called "house"."""
    for name, text in request.param.items():
        file = tmp_path / "assets" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    games = {game.id: game for game in installed_games()}
    old = games["eights"]

    def scene(picture: object, choices: Choices) -> Scene:
        drawn: Scene = old.scene(picture, choices)
        zones = [msgspec.structs.replace(zone, deck="house") for zone in drawn.zones]
        return msgspec.structs.replace(drawn, zones=zones)

    games["eights"] = replace(old, assets=str(tmp_path / "assets"), scene=scene)
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: tuple(games.values()))


@pytest.mark.parametrize("brought", [PICTURES], indirect=True)
async def test_a_package_brings_an_emblem_and_a_deck(brought: None, person: NewPerson) -> None:
    page = await person()
    emblem = page.get_by_test_id("game-eights").locator("img")
    assert await emblem.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    await page.get_by_test_id("play-eights").click()
    assert await my_turn(page)
    back = page.locator("[data-testid=opponent] img").first
    assert await back.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    await accessible(page)


@pytest.mark.parametrize("brought", [{"board.js": BOARD}], indirect=True)
async def test_a_package_brings_a_board_of_its_own(brought: None, person: NewPerson) -> None:
    page = await person()
    await page.get_by_test_id("play-eights").click()
    buttons = page.get_by_test_id("own-board").get_by_role("button")
    while await my_turn(page):
        lines = await page.get_by_test_id("log").locator("li").count()
        await expect(buttons.first).to_be_visible()
        await buttons.first.click()
        await settled(page, min(lines, 79))
    await expect(page.get_by_test_id("match-end")).to_contain_text("Points")


@pytest.mark.parametrize("brought", [{"board.js": FAULTY}], indirect=True)
async def test_a_board_that_fails_gives_way_to_ours(brought: None, person: NewPerson) -> None:
    page = await person()
    said: list[str] = []
    page.on("console", lambda line: said.append(line.text))
    await page.get_by_test_id("play-eights").click()
    await expect(page.get_by_test_id("scene")).to_be_visible()
    assert any("board.js can't be used" in line for line in said)
    assert await my_turn(page)
