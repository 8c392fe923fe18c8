"""Games from outside on the page, which knows nothing of them but their scenes and choices."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.async_api import Page, Position, expect

from parlour.choices import Choices
from parlour.games import installed_games
from parlour.scenes import Scene
from parlour.table import Lobby
from tests import asking
from tests.browser.conftest import NewPerson, accessible, look_at, make_table
from tests.browser.test_lessons import at_step, follow
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
    await expect(page.get_by_test_id("share-replay")).to_be_visible()
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


async def test_names_are_read_beside_what_is_said_of_players_on_a_phone(person: NewPerson) -> None:
    page = await person(width=390, height=844)
    await make_table(page, "hearts", {"points": 0}, bots=3)
    await page.get_by_test_id("start").click()
    await expect(page.get_by_test_id("opponent").get_by_text("has chosen")).to_have_count(3)
    names = page.get_by_test_id("opponent").locator(".name")
    cut = await names.evaluate_all("all => all.filter(one => one.clientWidth < one.scrollWidth)")
    assert cut == []


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


@pytest.fixture
def summed(installed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """In Eights, the points of all matches at a table add up."""
    games = {game.id: game for game in installed_games()}
    lobby = Lobby(most_points=250, won_by="fewest")
    games["eights"] = replace(games["eights"], lobby=lobby)
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: tuple(games.values()))


async def test_matches_are_played_for_points(summed: None, person: NewPerson) -> None:
    page = await person()
    await make_table(page, "eights", bots=1)
    target = page.get_by_test_id("target")
    until = [f"Until somebody has {points} points" for points in (100, 200, 250)]
    await expect(target.locator("option")).to_have_text(["As long as we like", *until])
    await target.select_option("250")
    other = await person(page.url[page.url.index("/table") :])
    await expect(other.get_by_test_id("target")).to_have_value("250")


# Where an action has two fields that are both pressed on the table


@pytest.fixture
def askers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The house has a game in which first a player is pressed and then a card."""
    games = (*installed_games(), asking.GAME)
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: games)


async def ask(page: Page, players: int) -> None:
    """The last of the other players, if there are several, for the first rank."""
    hands = page.get_by_test_id("zone-button")
    assert await hands.count() == players - 1
    cards = page.locator("[data-testid=hand] [data-testid=thing]")
    if players > 2:
        await expect(cards.first).to_have_attribute("aria-disabled", "true")
        await hands.last.click()
        if not await page.get_by_test_id("cancel").count():
            # One rank is left, so nothing else was to be pressed.
            return
    await expect(cards.first).to_have_attribute("data-fits", "true")
    await cards.first.click(position={"x": 10, "y": 12})


async def test_a_player_and_then_a_card_are_pressed(askers: None, person: NewPerson) -> None:
    page = await person()
    await make_table(page, "asking", bots=2)
    await page.get_by_test_id("start").click()
    while await my_turn(page):
        lines = await page.get_by_test_id("log").locator("li").count()
        await look_at(page, f"asking-{lines}")
        await ask(page, players=3)
        # The two others have asked, too.
        await settled(page, lines + 2)
    await look_at(page, "asking-end")


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("size", [(390, 844), (740, 360)])
async def test_the_hands_of_others_are_pressed_on_a_phone(
    askers: None, person: NewPerson, players: int, size: tuple[int, int]
) -> None:
    page = await person(width=size[0], height=size[1])
    await make_table(page, "asking", bots=players - 1)
    await page.get_by_test_id("start").click()
    assert await my_turn(page)
    await look_at(page, f"asking-{players}-{size[0]}")
    await ask(page, players)
    await page.get_by_role("button", name="moves and talk").click()
    await expect(page.get_by_test_id("log").locator("li").last).to_contain_text(" asks ")


@pytest.mark.parametrize("players", [2, 3])
async def test_a_lesson_marks_the_player_before_the_card(
    askers: None, person: NewPerson, players: int
) -> None:
    page = await person(f"/learn/asking/for-{players}")
    await at_step(page, 0)
    await follow(page)
    await at_step(page, 1)


# What a package brings

SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 50 70">
<rect width="50" height="70" fill="{}"/></svg>"""
BOARD = """
export function mount(element, board) {
  element.dataset.acts = board.act !== null
  const list = document.createElement('ul')
  element.append(list)
  return board.watch(scene => {
    list.replaceChildren(...(scene.choices ?? []).map(({action, fields}) => {
      const item = document.createElement('li')
      const button = document.createElement('button')
      button.textContent = board.text(`{${scene.viewer}}: ${action}`)
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


def of_house(old: Callable[[object, Choices], Scene], picture: object, choices: Choices) -> Scene:
    """The scene with cards of a deck called "house"."""
    drawn = old(picture, choices)
    zones = [msgspec.structs.replace(zone, deck="house") for zone in drawn.zones]
    return msgspec.structs.replace(drawn, zones=zones)


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

    scene = partial(of_house, old.scene)
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
    await expect(buttons.first).to_contain_text("Player: ")
    await expect(page.locator("[data-acts=true]")).to_be_attached()
    spectator = await person(path=f"{page.url[page.url.index('/table') :]}?watch")
    await expect(spectator.locator("[data-acts=false]")).to_be_attached()
    await accessible(page)
    while await my_turn(page):
        lines = await page.get_by_test_id("log").locator("li").count()
        await expect(buttons.first).to_be_visible()
        await expect(page.get_by_test_id("watching")).to_have_count(0)
        await buttons.first.click()
        await settled(page, min(lines, 79))
    await expect(page.get_by_test_id("match-end")).to_contain_text("Points")
    async with page.context.expect_page() as opened:
        await page.get_by_test_id("watch-replay").click()
    replay = await opened.value
    await replay.get_by_test_id("replay-forward").click()
    await expect(replay.locator("[data-testid=own-board][data-acts=false]")).to_be_attached()
    await expect(replay.get_by_test_id("watching")).to_have_count(0)


@pytest.mark.parametrize("brought", [{"board.js": FAULTY}], indirect=True)
async def test_a_board_that_fails_gives_way_to_ours(brought: None, person: NewPerson) -> None:
    page = await person()
    fails = "board.js can't be used"
    async with page.expect_console_message(lambda line: fails in line.text):
        await page.get_by_test_id("play-eights").click()
    await expect(page.get_by_test_id("scene")).to_be_visible()
    assert await my_turn(page)
