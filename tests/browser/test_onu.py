"""ONU on the page, in a real Chromium: people and characters over the relay at one table."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from typing import Any

import msgspec
import pytest
from playwright.async_api import Locator, Page, Position, expect

from parlour.games import installed_games
from parlour.games.onu import GAME
from parlour.games.onu.cards import SPECIAL, colour_of
from parlour.games.onu.client import bot as bot_module
from parlour.games.onu.lobby import RelaySeating
from parlour.kit import Setup
from parlour.onu import Action, Bot, DocumentBot, Turn
from parlour.rng import ProvableRng
from parlour.server.server import Server
from tests.browser.conftest import NewPerson, accessible, passed, screenshot, shared
from tests.wcp.clients import Session, Told

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

BACK = "back"
DRAW = "[data-action=draw]"
DECK, STACK = "[data-zone=deck]", "[data-zone=stack]"
OPPONENT, BANNER, HAND = (f"[data-testid={name}]" for name in ("opponent", "turn-banner", "hand"))
CORNER: Position = {"x": 10, "y": 12}


@pytest.fixture(autouse=True)
def with_onu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Houses have ONU, whatever is installed, and deal a hand in which everything can be tried."""
    games = [game for game in installed_games() if game.id != GAME.id]
    onu = replace(GAME, deal=_kindly_dealt)
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: (*games, onu))
    monkeypatch.setattr(bot_module, "TOGETHER", 0.02)
    monkeypatch.setattr(bot_module, "PING_EVERY", 0.2)
    monkeypatch.setattr("parlour.games.onu.host.host.PROBE", 0.3)
    monkeypatch.setattr("parlour.wcp.client.BACK_OFF", (0.2,))


def _kindly_dealt(setup: Setup, rng: Any, now: int) -> Any:
    """The first of our own shuffles in which every hand has a wild, a card that fits the start card
    and one that does not."""
    for seed in range(1000):
        match, events = GAME.deal(setup, ProvableRng(seed.to_bytes(4, "big"), "kindly"), now)
        if all(_is_kind(match, hand) for hand in events[0].hands):
            return match, events
    raise AssertionError("there is no such shuffle")


def _is_kind(match: Any, cards: list[Any]) -> bool:
    plain = [card for card in cards if colour_of(card) != SPECIAL]
    return len(plain) < len(cards) and {match.core.fits(card) for card in plain} == {True, False}


# -- characters -----------------------------------------------------------------------


class Character(Bot):
    """Plays as the document's bot does; it talks, and thinks for as long as it is told to."""

    def __init__(self, name: str, *, join: bool = True) -> None:
        super().__init__(name, join=join)
        self.document = DocumentBot()
        self.may_play = asyncio.Event()
        self.may_play.set()

    async def choose(self, turn: Turn) -> Action:
        # It repeats the sentence, so that a slow test still finds a bubble.
        while True:
            self.say(f"{self.name} here, with {len(turn.hand)} cards and a plan for each of them.")
            with suppress(TimeoutError):
                await asyncio.wait_for(self.may_play.wait(), 1.5)
                return self.document.choose(turn)


Enter = Callable[..., Any]


@shared
async def enter(server: Server) -> AsyncIterator[Enter]:
    """`enter(bot, channel, user)`: it is in the channel until the test is over."""
    tasks: list[asyncio.Task[None]] = []

    def come(bot: Bot, channel: str, user: str) -> Any:
        url = f"ws://127.0.0.1:{server.port}"
        tasks.append(asyncio.create_task(bot.play(url, channel, user, "secret")))
        return bot

    yield come
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


# -- what people do -------------------------------------------------------------------


async def make(page: Page, **settings: str) -> str:
    """Make a table in the hall with these settings, by their labels; its code."""
    await page.get_by_test_id("make-onu").click()
    dialog = page.get_by_test_id("make-table-dialog")
    await dialog.get_by_text("More settings").click()
    for label, value in {"Pace": "0", "Seconds for a turn": "300", **settings}.items():
        field = dialog.get_by_label(label, exact=True)
        await field.fill(value)
        await field.press("Tab")
    await page.get_by_test_id("create-table").click()
    await expect(page.get_by_test_id("lobby")).to_be_visible()
    return await page.get_by_test_id("lobby-code").get_attribute("data-code") or ""


def mine(page: Page) -> Locator:
    return page.locator("[data-testid=turn-banner][data-mine=true]")


def hand(page: Page) -> Locator:
    return page.get_by_test_id("hand").get_by_role("button")


def bubble(page: Page, name: str) -> Locator:
    return page.get_by_test_id("bubble").filter(has_text=f"{name} here")


async def take_turn(page: Page) -> None:
    """Play the first card that fits, a wild as red; or draw."""
    fitting = page.locator("[data-testid=hand] [data-fits=true]")
    held = await hand(page).count()
    if not await fitting.count():
        await page.locator(DRAW).click()
    else:
        # Cards overlap: the corner with the sign on it is what can always be touched.
        await fitting.first.click(position=CORNER)
        if await page.get_by_test_id("answer").count():
            await page.get_by_test_id("answer").filter(has_text="Red").click()
    await expect(hand(page)).not_to_have_count(held)


async def play_out(page: Page) -> None:
    """Take turns until the game is over."""
    end = page.get_by_test_id("match-end")
    while True:
        await expect(mine(page).or_(end).first).to_be_visible()
        if await end.count():
            return
        await take_turn(page)


async def stand_still(page: Page) -> None:
    """Wait until everything has its place after a move or a new size of the window."""
    await page.evaluate(
        """async () => {
            const frame = () => new Promise(requestAnimationFrame)
            const places = () => [...document.querySelectorAll('.cloth *')].map(e => {
                const r = e.getBoundingClientRect()
                return [r.x, r.y, r.width, r.height].map(Math.round).join()
            }).join(' ')
            let before = ''
            for (let tries = 0, same = 0; tries < 500 && same < 8; tries++) {
                await frame()
                const now = places()
                same = now === before ? same + 1 : 0
                before = now
            }
        }"""
    )


async def nothing_sticks_out(page: Page) -> None:
    await stand_still(page)
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    beside: list[str] = await page.evaluate(
        """[...document.querySelectorAll('.cloth *')]
            .filter(e => { const r = e.getBoundingClientRect()
                return r.width > 1 && (r.left < -1 || r.right > innerWidth + 1) })
            .map(e => e.outerHTML.slice(0, 200))"""
    )
    assert beside == []


async def nothing_is_covered(page: Page, *parts: str) -> None:
    """None of these parts of the page lies over another."""
    boxes = [await page.locator(part).first.bounding_box() for part in parts]
    for (name, one), (other_name, other) in combinations(zip(parts, boxes, strict=True), 2):
        assert one
        assert other
        assert (
            one["x"] + one["width"] <= other["x"] + 1
            or other["x"] + other["width"] <= one["x"] + 1
            or one["y"] + one["height"] <= other["y"] + 1
            or other["y"] + other["height"] <= one["y"] + 1
        ), (name, other_name)


async def tab_to(page: Page, what: str) -> None:
    """Press Tab until what this selector names has the focus."""
    for _ in range(80):
        if await page.evaluate("what => document.activeElement?.matches(what) ?? false", what):
            return
        await page.keyboard.press("Tab")
    pytest.fail(f"Tab does not reach {what}.")


# -- the tests ------------------------------------------------------------------------


async def test_a_person_plays_two_characters_over_the_relay_until_somebody_has_won(
    person: NewPerson, server: Server, enter: Enter
) -> None:
    ann = await person()
    code = await make(ann)
    await ann.get_by_test_id("table-name").fill("Ann")
    await ann.get_by_role("button", name="Save").click()
    nova, byte = enter(Character("Nova"), code, "nova"), enter(Character("Byte"), code, "byte")
    players = ann.get_by_test_id("player")
    await expect(players).to_have_count(3)
    await expect(players.first).to_contain_text("Ann")
    names = [await players.nth(seat).locator(".name").inner_text() for seat in (1, 2)]
    assert sorted(names) == ["Byte", "Nova"]
    await accessible(ann)
    phone = await person(f"/table/onu/{code}?watch", width=360, height=640, color_scheme="dark")
    await expect(phone.get_by_test_id("player")).to_have_count(3)
    await expect(phone.get_by_test_id("start")).to_have_count(0)
    await accessible(phone)
    async with Session(server.port, code, "window") as window:
        # Whoever sat down first begins; the characters think until they are told to go on.
        for bot in (nova, byte):
            bot.may_play.clear()
        await ann.get_by_test_id("start").click()
        await expect(mine(ann)).to_be_visible()
        await expect(hand(ann)).to_have_count(7)
        await accessible(ann)
        await expect(phone.get_by_test_id("opponent")).to_have_count(3)
        shown = phone.locator("[data-zone^='hand '] [data-card-id]")
        faces = "cards => cards.map(card => card.dataset.face)"
        assert await shown.evaluate_all(faces) == [BACK] * 21
        theirs = ann.locator("[data-testid=opponent] [data-card-id]")
        assert await theirs.evaluate_all(faces) == [BACK] * 14
        # A card that does not fit is refused with a message, and stays in the hand.
        await ann.locator("[data-testid=hand] [data-fits=false]").first.click(force=True)
        await passed(ann, "Play a card that fits")
        await expect(hand(ann)).to_have_count(7)
        await take_turn(ann)
        await expect(hand(ann)).to_have_count(6)
        thinking = ann.locator("[data-testid=opponent][data-turn=true]")
        await expect(thinking).to_have_count(1)
        await expect(thinking.get_by_test_id("bubble")).to_contain_text("a plan for each")
        await expect(phone.get_by_test_id("bubble").last).to_be_visible()
        await accessible(phone)
        await nothing_sticks_out(phone)
        await hand(ann).first.click(force=True, position=CORNER)
        await passed(ann, "turn.")
        await expect(ann.get_by_test_id("toasts").get_by_role("button")).to_have_count(0)
        for bot in (nova, byte):
            bot.may_play.set()
        await expect(mine(ann)).to_be_visible()
        await screenshot(ann, "onu")
        await play_out(ann)
        won = (await window.hear("onu-won"))["payload"]["content"]
        assert won in ("Ann", "Nova", "Byte")
    result = "You won!" if won == "Ann" else f"{won} won!"
    await expect(ann.get_by_test_id("match-end")).to_contain_text(result)
    await expect(phone.get_by_test_id("match-end")).to_contain_text(f"{won} won!")
    await expect(ann.get_by_test_id("match-scores").locator("tbody tr").first).to_contain_text(won)
    await expect(ann.get_by_test_id("match-scores").locator("tbody td").first).to_have_text("0")
    for page in (ann, phone):
        await accessible(page)
    await ann.get_by_test_id("play-again").click()
    await expect(ann.get_by_test_id("match-end")).to_have_count(0)
    await expect(phone.get_by_test_id("match-end")).to_have_count(0)
    await expect(mine(ann)).to_be_visible()
    await expect(hand(ann)).to_have_count(7)


async def test_the_opener_seats_who_is_in_the_channel_and_watches_them_play(
    person: NewPerson, server: Server, enter: Enter
) -> None:
    async with OtherHost(server.port, "stage", "window") as other:
        ann = await person()
        await make(ann, Channel="stage")
        # The channel has another host already: the page asks that host first.
        await expect(ann.get_by_test_id("yielded")).to_contain_text("window")
        await accessible(ann)
        await ann.get_by_test_id("take-over").click()
        await expect(ann.get_by_test_id("yielded")).to_have_count(0)
        users = ann.get_by_test_id("channel-users").locator("li")
        await expect(users).to_have_count(1)
        assert other.asked
    await expect(ann.get_by_test_id("channel-empty")).to_be_visible()
    nova, byte = (
        enter(Character(name.title(), join=False), "stage", name) for name in ("nova", "byte")
    )
    await expect(users).to_have_count(2)
    # A guest sees who is there, and seats nobody.
    guest = await person(f"{await ann.evaluate('location.pathname')}?watch")
    await expect(guest.get_by_test_id("channel-users").locator("li")).to_have_count(2)
    await expect(guest.get_by_test_id("seat")).to_have_count(0)

    await users.filter(has_text="nova").get_by_test_id("seat").click()
    await expect(users.filter(has_text="nova")).to_contain_text("seated")
    nova.say("Who else?")
    await expect(ann.get_by_test_id("chat")).to_contain_text("Who else?")
    await ann.get_by_test_id("add-bot").click()
    players = ann.get_by_test_id("player")
    await expect(players).to_have_count(3)
    await players.nth(2).get_by_test_id("remove-bot").click()
    await expect(players).to_have_count(2)
    await ann.get_by_test_id("watch-only").click()
    await expect(ann.get_by_test_id("sit-down")).to_be_visible()
    await expect(players).to_have_count(1)
    await expect(ann.get_by_test_id("start")).to_be_disabled()
    await users.filter(has_text="byte").get_by_test_id("seat").click()
    await expect(players).to_have_count(2)
    await players.filter(has_text="nova").get_by_test_id("remove-bot").click()
    await expect(players).to_have_count(1)
    await users.filter(has_text="nova").get_by_test_id("seat").click()
    await expect(players).to_have_count(2)
    nova.may_play.clear()
    byte.may_play.clear()
    await ann.get_by_test_id("start").click()
    # The first player has the name of their user, and what they say is shown.
    for page in (ann, guest):
        thinking = page.locator("[data-testid=opponent][data-turn=true]")
        await expect(thinking).to_have_attribute("data-player", "byte")
        await expect(thinking.get_by_test_id("bubble")).to_contain_text("with 7 cards and a plan")
        await expect(page.get_by_test_id("log")).to_contain_text("with 7 cards and a plan")
    nova.may_play.set()
    byte.may_play.set()
    for page in (ann, guest):
        await expect(page.get_by_test_id("match-end")).to_contain_text("won!")
    await ann.get_by_test_id("to-lobby").click()
    await ann.get_by_test_id("sit-down").click()
    await expect(players).to_have_count(3)


class OtherHost(Session):
    """A game window that says it hosts in this channel."""

    asked = False

    async def on_message(self, message: Told) -> None:
        if message["payload"]["name"] == "onu-hashost":
            self.asked = True
            await self.send("onu-ishost", "")


async def test_the_keyboard_alone_plays_a_wild_draws_and_talks(person: NewPerson) -> None:
    page = await person(color_scheme="dark")
    await make(page)
    await tab_to(page, "[data-testid=add-bot]")
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("player")).to_have_count(2)
    await tab_to(page, "[data-testid=start]")
    await page.keyboard.press("Enter")
    await expect(mine(page)).to_be_visible()
    said = page.get_by_test_id("announcer")
    await expect(said).to_contain_text("Play a card that fits, or draw one.")

    # Open and close the help.
    await page.keyboard.press("?")
    await expect(page.get_by_test_id("guide")).to_contain_text("Be the first to have no cards left")
    await accessible(page)
    await page.keyboard.press("Escape")
    await expect(page.get_by_test_id("guide")).not_to_be_visible()

    # Draw a card by its key.
    await page.keyboard.press("d")
    await expect(hand(page)).to_have_count(8)
    await expect(page.get_by_test_id("hand").get_by_label(", new")).to_have_count(1)
    await expect(said).to_contain_text("draws ")

    # Wilds are at the end of a hand. Cancel one, then play it; the focus must follow.
    await tab_to(page, "[data-testid=hand] button")
    await page.keyboard.press("Home")
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("ArrowLeft")
    await expect(hand(page).first).to_be_focused()
    await page.keyboard.press("End")
    await page.keyboard.press("Enter")
    colours = page.get_by_test_id("answer")
    await expect(colours.first).to_be_focused()
    await accessible(page)
    await page.keyboard.press("Escape")
    await expect(colours).to_have_count(0)
    await expect(hand(page)).to_have_count(8)
    await tab_to(page, "[data-testid=hand] button")
    await page.keyboard.press("End")
    await page.keyboard.press("Enter")
    await expect(colours.first).to_be_focused()
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("Enter")
    log = page.get_by_test_id("log")
    await expect(log).to_contain_text("and chooses red.")
    await expect(said).to_contain_text("and chooses red.")

    # Further turns by the keyboard alone.
    end = page.get_by_test_id("match-end")
    for _ in range(3):
        await expect(mine(page).or_(end).first).to_be_visible()
        if await end.count():
            break
        await by_keyboard(page)
    await tab_to(page, "[data-testid=chat-text]")
    await page.keyboard.type("all by keyboard")
    await page.keyboard.press("Enter")
    await expect(log).to_contain_text("all by keyboard")


async def by_keyboard(page: Page) -> None:
    """One turn: the first card that fits, or a draw."""
    held = await hand(page).count()
    fitting = await hand(page).evaluate_all(
        "cards => cards.findIndex(card => card.dataset.fits === 'true')"
    )
    if fitting < 0:
        await page.keyboard.press("d")
    else:
        await tab_to(page, "[data-testid=hand] button")
        await page.keyboard.press("Home")
        for _ in range(fitting):
            await page.keyboard.press("ArrowRight")
        await page.keyboard.press("Enter")
        if await page.get_by_test_id("answer").count():
            await page.keyboard.press("y")
    await expect(hand(page)).not_to_have_count(held)


async def test_an_overlay_waits_for_a_table_shows_it_and_comes_back(
    person: NewPerson, server: Server, enter: Enter
) -> None:
    overlay = await person("/onu/lounge/overlay", width=1600, height=600)
    small = await person("/onu/LOUNGE/overlay?size=0.5&theme=light&talk=off", width=800, height=400)
    shown = overlay.get_by_test_id("overlay")
    await expect(shown).to_have_attribute("data-phase", "waiting")
    ann = await person()
    await make(ann, Channel="lounge")
    await ann.get_by_test_id("watch-only").click()
    nova, byte = (enter(Character(name), "lounge", name.casefold()) for name in ("Nova", "Byte"))
    for page in (overlay, small):
        await expect(page.get_by_test_id("overlay-seat")).to_have_count(2)
    nova.may_play.clear()
    byte.may_play.clear()
    await ann.get_by_test_id("start").click()
    await expect(shown).to_have_attribute("data-phase", "game")
    for page in (overlay, small):
        hands = page.locator("[data-zone^='hand '] [data-card-id]")
        await expect(hands).to_have_count(14)
        faces = await hands.evaluate_all("cards => cards.map(card => card.dataset.face)")
        assert set(faces) == {BACK}
        await expect(page.get_by_test_id("direction")).to_have_attribute("data-direction", "right")
        top = (
            await page.get_by_test_id("overlay-stack")
            .locator("[data-face]")
            .first.get_attribute("data-face")
        )
        assert top != BACK
        assert await page.locator("button, a, input").count() == 0
        for element in ("documentElement", "body"):
            ground = f"getComputedStyle(document.{element}).backgroundColor"
            assert await page.evaluate(ground) == "rgba(0, 0, 0, 0)"
        await expect(page.locator("[data-testid=overlay-seat][data-turn=true]")).to_have_count(1)
        await accessible(page)
    first = await overlay.locator("[data-testid=overlay-seat][data-turn=true]").get_attribute(
        "data-player"
    )
    await expect(bubble(overlay, str(first))).to_contain_text("with 7 cards")
    await expect(small.get_by_test_id("bubble")).to_have_count(0)

    # The house restarts, and comes back: so do the characters and the overlay.
    await server.stop()
    again = Server(msgspec.structs.replace(server.config, port=server.port))
    await again.start()
    try:
        nova.may_play.set()
        byte.may_play.set()
        for page in (overlay, small):
            await expect(page.get_by_test_id("overlay-winner")).to_contain_text("won!")
            await expect(page.get_by_test_id("overlay")).to_have_attribute("data-phase", "over")
        await accessible(overlay)
        assert await overlay.get_by_test_id("toasts").count() == 0
    finally:
        await again.stop()


async def test_an_overlay_goes_on_with_the_next_table_of_its_channel(
    person: NewPerson, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RelaySeating, "empty", 0)
    overlay = await person("/onu/lounge/overlay", width=800, height=400)
    phase, seats = overlay.get_by_test_id("overlay"), overlay.get_by_test_id("overlay-seat")
    ann = await person()
    codes = []
    for _ in range(2):
        await expect(phase).to_have_attribute("data-phase", "waiting")
        codes.append(await make(ann, Channel="lounge"))
        await expect(phase).to_have_attribute("data-phase", "lobby")
        await expect(seats).to_have_count(1)
        # With the last person the table closes.
        await ann.get_by_role("button", name="Leave the table").click()
        await expect(ann.get_by_test_id("make-onu")).to_be_visible()
    await expect(phase).to_have_attribute("data-phase", "waiting")
    assert codes[0] != codes[1]


async def test_the_hall_leads_to_a_game_against_our_bots_on_a_small_phone(
    person: NewPerson,
) -> None:
    page = await person(width=360, height=640, has_touch=True)
    await page.get_by_test_id("play-onu").click()
    await expect(mine(page)).to_be_visible()
    await expect(page.get_by_test_id("opponent")).to_have_count(2)
    await nothing_sticks_out(page)
    await accessible(page)
    await page.locator("[data-testid=hand] [data-face^=wild]").first.click(position=CORNER)
    await expect(page.get_by_test_id("answer")).to_have_count(4)
    await nothing_sticks_out(page)
    await page.get_by_test_id("cancel").click()
    for width, height in ((568, 320), (320, 568), (360, 640)):
        await page.set_viewport_size({"width": width, "height": height})
        await nothing_sticks_out(page)
        await nothing_is_covered(page, OPPONENT, DECK, STACK, BANNER, DRAW, HAND)
    await take_turn(page)
    await page.reload()
    await expect(page.get_by_test_id("scene")).to_be_visible()
    await expect(page.get_by_test_id("opponent")).to_have_count(2)


async def test_a_bot_plays_for_somebody_who_is_away(person: NewPerson) -> None:
    host, guest = await person(), await person()
    await make(host)
    await guest.goto(host.url)
    await expect(host.get_by_test_id("player")).to_have_count(2)
    await host.get_by_test_id("start").click()
    await expect(hand(guest)).to_have_count(7)
    await guest.close()
    away = host.get_by_test_id("away")
    await expect(away).to_contain_text("is away")
    await expect(away).not_to_contain_text("a bot plays for them")
    await host.get_by_test_id("stand-in").click()
    await expect(away).to_contain_text("a bot plays for them")
    await expect(host.get_by_test_id("stand-in")).to_have_count(0)
    await accessible(host)
    # The stand-in plays, and it is our turn again.
    for _ in range(2):
        await expect(mine(host)).to_be_visible()
        while await mine(host).count():
            await take_turn(host)
