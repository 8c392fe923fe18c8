"""Tables on phones and on large screens: sizes, the side panel, and addresses for others."""

from __future__ import annotations

import json
import re

import pytest
from playwright.async_api import Locator, Page, expect

from parlour.server.server import Server
from tests.browser.conftest import NewPerson, accessible, have_looked, look_at, make_table
from tests.browser.test_languages import TOO_WIDE

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

WIDE = {"width": 1920, "height": 1080}
PHONE = {"width": 360, "height": 740}


async def width(element: Locator) -> float:
    await expect(element).to_be_visible()
    box = await element.bounding_box()
    assert box is not None
    return box["width"]


@pytest.mark.parametrize(
    ("game", "card", "least"),
    [
        ("rummy", "[data-zone=deck]", 170),
        ("rummy", "[data-testid=hand] [data-card-id]", 130),
        ("cambia", "[data-testid=hand] [data-testid=card]", 150),
        ("onu", "[data-zone=deck]", 170),
        ("quips", "[data-testid=hand] [data-testid=card]", 270),
        ("mo", "[data-testid=pile-b2]", 110),
    ],
)
async def test_cards_use_the_space_of_a_large_screen(
    person: NewPerson, game: str, card: str, least: int
) -> None:
    page = await person(**WIDE)
    await page.get_by_test_id(f"play-{game}").click()
    assert await width(page.locator(card).first) >= least
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await look_at(page, f"{game}-1920")


async def test_the_four_cards_of_another_lie_in_one_row(person: NewPerson) -> None:
    page = await person(**WIDE)
    await page.get_by_test_id("play-cambia").click()
    await expect(page.get_by_test_id("hand")).to_be_visible()
    theirs = page.locator(".others .cards").first.locator(".place")
    await expect(theirs).to_have_count(4)
    tops = "all => new Set(all.map(one => one.offsetTop)).size"
    for width, height in ((1366, 768), (1600, 900), (1920, 1080), (3840, 2160)):
        await page.set_viewport_size({"width": width, "height": height})
        assert await theirs.evaluate_all(tops) == 1, width


@pytest.mark.parametrize("game", ["rummy", "cambia", "onu", "quips"])
async def test_a_phone_shows_the_hand_and_talk_is_one_tap_away(
    person: NewPerson, game: str
) -> None:
    page = await person(**PHONE)
    await page.get_by_test_id(f"play-{game}").click()
    banner = page.get_by_test_id("turn-banner")
    await expect(banner).to_be_in_viewport(ratio=1)
    await expect(page.get_by_test_id("hand")).to_be_in_viewport(ratio=0.5)
    await expect(page.get_by_test_id("chat-text")).to_have_count(0)
    await page.get_by_role("button", name="Scores, moves and talk").click()
    await expect(page.get_by_test_id("chat-text")).to_be_in_viewport(ratio=1)
    await accessible(page)


async def test_moves_and_talk_come_before_the_hosts_tools(person: NewPerson) -> None:
    page = await person(width=1280, height=800)
    await page.get_by_test_id("play-quips").click()
    await expect(page.get_by_test_id("quips")).to_be_visible()
    said = await page.get_by_test_id("chat-text").bounding_box()
    scores = await page.get_by_test_id("scores").bounding_box()
    assert said is not None
    assert scores is not None
    assert said["y"] < scores["y"]
    lock = page.get_by_label("Lock the table")
    await expect(lock).to_be_hidden()
    await page.get_by_test_id("table-tools").locator("summary").click()
    await expect(lock).to_be_visible()
    await accessible(page)
    await look_at(page, "quips-side")


async def test_one_button_has_the_overlays_address_that_others_can_reach(
    person: NewPerson, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "parlour.server.reach.network_url", lambda config, port: "http://192.168.1.7:8080"
    )
    page = await person(**PHONE)
    await page.get_by_test_id("play-onu").click()
    await page.get_by_role("button", name="Scores, moves and talk").click()
    await page.get_by_test_id("streamers").click()
    dialog = page.get_by_test_id("streamers-dialog")
    address = re.compile(r"^http://192\.168\.1\.7:8080/onu/\w+/overlay$")
    await expect(dialog.get_by_test_id("overlay-field")).to_have_value(address)
    await expect(dialog.locator("code")).to_have_text(re.compile(r"^ws://192\.168\.1\.7:8080/\w+$"))
    await accessible(page)
    await look_at(page, "onu-streamers-360")


@pytest.mark.parametrize("game", ["rummy", "cambia", "onu"])
async def test_a_big_screen_shows_the_table_to_the_whole_room(person: NewPerson, game: str) -> None:
    page = await person(**WIDE)
    await page.get_by_test_id(f"play-{game}").click()
    await expect(page.get_by_test_id("hand")).to_be_visible()
    way = await page.get_by_test_id("to-screen").get_attribute("href")
    assert way is not None
    screen = await person(way, **WIDE)
    code = page.url.rsplit("/", 1)[1]
    await expect(screen.get_by_test_id("join")).to_contain_text(f"{code[:3]} {code[3:]}")
    await expect(screen.get_by_role("img", name="QR code")).to_be_visible()
    await expect(screen.locator("[data-player]")).to_have_count(3)
    # Nobody writes or sits down there, and no hand is open.
    for thing in ("chat-text", "watching", "hand", "action"):
        await expect(screen.get_by_test_id(thing)).to_have_count(0)
    # Names and the sentence are read from across the room.
    for text in ("[data-player] .name", "[data-testid=turn-banner]"):
        size = "at => parseFloat(getComputedStyle(at).fontSize)"
        assert await screen.locator(text).first.evaluate(size) >= 26
    await accessible(screen)
    assert await screen.evaluate("document.documentElement.scrollHeight <= innerHeight")
    for scheme in ("light", "dark"):
        await screen.emulate_media(color_scheme=scheme)
        await look_at(screen, f"screen-{game}-{scheme}")


async def test_a_game_for_one_is_shown_to_the_whole_room(person: NewPerson) -> None:
    page = await person("/play/mo", **WIDE)
    async with page.context.expect_page() as opened:
        await page.get_by_test_id("to-screen").click()
    screen = await opened.value
    await screen.set_viewport_size(WIDE)
    felt = screen.get_by_test_id("felt")
    await expect(felt).to_have_attribute("data-moves", "0")
    await accessible(screen)
    await page.locator(".pile--valid").first.click()
    await expect(felt).to_have_attribute("data-moves", "1")
    await expect(screen.get_by_role("complementary")).to_have_count(0)
    assert await screen.evaluate("document.documentElement.scrollHeight <= innerHeight")
    await look_at(screen, "screen-mo")


async def prefer(page: Page, **kept: object) -> None:
    """Set preferences as the switches do, and load the page again."""
    await page.evaluate(
        "kept => localStorage.setItem('parlour.preferences', kept)", json.dumps(kept)
    )
    await page.reload()


@pytest.mark.parametrize(
    ("game", "card"),
    [
        ("rummy", "[data-zone=deck]"),
        ("rummy", "[data-testid=hand] [data-card-id]"),
        ("cambia", "[data-testid=hand] [data-testid=card]"),
        ("onu", "[data-testid=hand] [data-card-id]"),
        ("quips", "[data-testid=hand] [data-testid=card] .text"),
        ("mo", "[data-testid=pile-b2] .small"),
    ],
)
async def test_cards_are_large_where_somebody_wants_that(
    person: NewPerson, game: str, card: str
) -> None:
    sizes = []
    for large in (False, True):
        # On phones MO's cards have large numbers in any case.
        page = await person(**(WIDE if game == "mo" else PHONE))
        await prefer(page, largeCards=large)
        await page.get_by_test_id(f"play-{game}").click()
        at = page.locator(card).first
        await expect(
            page.locator("[data-testid=turn-banner], [data-testid=mat]").first
        ).to_be_visible()
        if game == "quips":
            text = await at.evaluate("at => parseFloat(getComputedStyle(at).fontSize)")
            sizes.append(text)
        elif game == "mo":
            # The board fills the screen already: there the numbers grow.
            sizes.append(1.5 if await at.is_visible() else 1)
        else:
            sizes.append(await width(at))
        assert await page.evaluate(TOO_WIDE) <= 0
    assert sizes[1] > sizes[0] * 1.05
    await accessible(page)
    await look_at(page, f"large-{game}")


async def test_what_is_pressed_changes_sides_for_left_handed_people(person: NewPerson) -> None:
    page = await person(width=1280, height=800)
    for left in (False, True):
        await page.goto(re.sub(r"(https?://[^/]+).*", r"\1/", page.url))
        await prefer(page, leftHanded=left)
        await page.get_by_test_id("play-rummy").click()
        at = []
        for thing in ("[data-zone=deck]", "[data-zone=discards]", "aside", "[role=log]"):
            box = await page.locator(thing).first.bounding_box()
            assert box is not None
            at.append(box["x"])
        assert (at[0] > at[1]) is left
        assert (at[2] < at[0]) is left
    await accessible(page)


async def test_hearts_and_diamonds_differ_in_a_four_colour_deck(person: NewPerson) -> None:
    page = await person()
    for four in (False, True):
        await prefer(page, fourColours=four)
        root = "getComputedStyle(document.documentElement).getPropertyValue('--%s')"
        colours = [
            await page.evaluate(root % suit) for suit in ("hearts", "diamonds", "clubs", "spades")
        ]
        assert len(set(colours)) == (4 if four else 2)


async def test_a_table_gives_more_time_where_somebody_has_asked_for_it(person: NewPerson) -> None:
    page = await person()
    await page.get_by_test_id("preferences").click()
    await page.get_by_role("switch", name="Longer timers").click()
    await page.keyboard.press("Escape")
    await make_table(page, "cambia", bots=1)
    await expect(page.get_by_test_id("unhurried")).to_contain_text("three times as long: Player")
    await accessible(page)
    await page.get_by_test_id("ready").click()
    # Ten seconds are usual.
    longer = re.compile("^(1[1-9]|2[0-9]|30)$")
    await expect(page.get_by_test_id("timer")).to_have_attribute("data-seconds", longer)
    # A match that begins at once, too, where a minute is usual.
    await page.goto(re.sub(r"(https?://[^/]+).*", r"\1/", page.url))
    await page.get_by_test_id("play-onu").click()
    await expect(page.get_by_test_id("timer")).to_contain_text(re.compile("1[5-8][0-9] seconds"))


async def test_nothing_goes_on_moving_where_somebody_switched_motion_off(
    person: NewPerson, server: Server
) -> None:
    page = await person()
    await page.emulate_media(reduced_motion="no-preference")
    for motion in (True, False):
        await prefer(page, motion=motion)
        await page.get_by_test_id("play-cambia").click()
        await have_looked(page, server)
        await expect(page.locator("[data-testid=turn-banner][data-mine=true]")).to_be_visible()
        endless = await page.evaluate(
            """() => document.getAnimations()
                .filter((one) => one.effect.getComputedTiming().endTime === Infinity).length"""
        )
        assert (endless > 0) is motion
        await page.goto(re.sub(r"(https?://[^/]+).*", r"\1/", page.url))
