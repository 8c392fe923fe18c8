"""A person's matches on the page: history, replay, account, another device, export, deletion."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from parlour.server.server import Server
from tests.browser.conftest import NewPerson, accessible, look_at
from tests.browser.test_replay import play_eights
from tests.examples.conftest import examples
from tests.server.test_history import person as visitor_id
from tests.server.test_history import roster, won_by

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

__all__ = ["examples"]

PASSPHRASE = "correct horse"


@pytest.fixture(autouse=True)
def installed(examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(examples)


async def enter(page: Page, name: str, button: str = "make-account") -> None:
    await page.get_by_test_id("account-name").fill(name)
    await page.get_by_test_id("account-password").fill(PASSPHRASE)
    await page.get_by_test_id(button).click()


async def test_what_was_played_is_kept_and_followed_to_another_device(person: NewPerson) -> None:
    page = await person()
    await page.get_by_test_id("me-link").click()
    await expect(page.get_by_test_id("no-matches")).to_be_visible()
    await expect(page.get_by_test_id("no-ratings")).to_be_visible()
    await accessible(page)
    await page.goto(page.url.replace("/me", "/"))
    await play_eights(page)
    await expect(page.get_by_test_id("watch-replay")).to_be_visible()

    await page.goto(page.url.partition("/table")[0] + "/me")
    matches = page.get_by_test_id("matches").get_by_role("listitem")
    await expect(matches).to_have_count(1)
    await expect(matches.first).to_contain_text("Crazy Eights")
    await expect(matches.first).to_contain_text("(bot)")

    # By keyboard, to its replay and back.
    await matches.first.get_by_role("link").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("replay-moment")).to_be_visible()
    await page.go_back()
    await expect(matches).to_have_count(1)

    await enter(page, "Ada")
    await expect(page.get_by_test_id("sign-out")).to_be_visible()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    await expect(matches).to_have_count(1)
    await look_at(page, "me-desktop")

    other = await person("/me", width=360, height=740)
    await enter(other, "Ada", "make-account")
    await expect(other.get_by_test_id("account-trouble")).to_contain_text("has that username")
    await enter(other, "Ada", "sign-in")
    there = other.get_by_test_id("matches").get_by_role("listitem")
    await expect(there).to_have_count(1)
    await accessible(other)
    await look_at(other, "me-phone")

    # Everything about her as a file, and then nothing any more.
    async with other.expect_download() as downloaded:
        await other.get_by_test_id("export").click()
    file = await (await downloaded.value).path()
    export = json.loads(await asyncio.to_thread(file.read_text))
    assert export["account"]["name"] == "Ada"
    assert len(export["matches"]) == 1
    await other.get_by_test_id("erase").click()
    await other.get_by_test_id("erase-name").fill("Bob")
    await other.get_by_test_id("erase-now").click()
    await expect(other.get_by_test_id("erase-dialog").get_by_role("alert")).not_to_be_empty()
    await accessible(other)
    await other.get_by_test_id("erase-name").fill("Ada")
    await other.get_by_test_id("erase-now").click()
    await expect(other.get_by_test_id("no-matches")).to_be_visible()
    await expect(other.get_by_test_id("make-account")).to_be_visible()
    await page.reload()
    await expect(page.get_by_test_id("no-matches")).to_be_visible()


async def test_public_pages_show_those_who_agreed(person: NewPerson, server: Server) -> None:
    ada, bob = await person("/me"), await person("/me")
    ids: list[str] = []
    for page, name in ((ada, "Ada"), (bob, "Bob")):
        await enter(page, name)
        await expect(page.get_by_test_id("sign-out")).to_be_visible()
        told = await page.evaluate("fetch('/api/me').then((answer) => answer.json())")
        ids.append(told["id"])
    for number in range(1, 31):
        face = roster([*ids, None, visitor_id(1)], number)
        face.game, face.public = "rummy", True
        face.settings = next(g for g in server.games if g.id == "rummy").settings()
        for player, name in zip(face.seating, ("Ada", "Bob", "Pip", "A guest"), strict=True):
            player.name, player.address = name, name
        server.people.finished(face, won_by(number % 3 == 0))
    assert await server.store.settled()

    base = ada.url.removesuffix("/me")
    await ada.reload()
    await expect(ada.get_by_test_id("rating")).to_contain_text("Super Rummy")
    await expect(ada.get_by_test_id("matches").get_by_role("listitem")).to_have_count(20)
    await ada.get_by_test_id("more-matches").click()
    await expect(ada.get_by_test_id("matches").get_by_role("listitem")).to_have_count(30)
    await expect(ada.get_by_test_id("more-matches")).to_have_count(0)
    rivals = ada.get_by_test_id("rivals").get_by_role("row")
    await expect(rivals).to_have_count(3)
    await expect(ada.get_by_test_id("rivals").get_by_role("link")).to_have_count(0)

    stranger = await person("/player/Ada")
    await expect(stranger.get_by_test_id("no-player")).to_be_visible()
    await accessible(stranger)
    await stranger.goto(f"{base}/ratings/rummy")
    await expect(stranger.get_by_test_id("no-leaders")).to_be_visible()
    await accessible(stranger)

    await ada.get_by_role("switch", name="Show me to everybody").click()
    await expect(ada.get_by_test_id("my-profile")).to_be_visible()
    await bob.reload()
    link = bob.get_by_test_id("rivals").get_by_role("link", name="Ada")
    await link.click()
    await expect(bob.get_by_test_id("against-you")).to_contain_text("Super Rummy")
    await bob.get_by_role("link", name="Leaderboard of Super Rummy").click()
    board = bob.get_by_test_id("leaderboard")
    await expect(board.get_by_role("row")).to_have_count(3)
    await expect(board).to_contain_text("Bob (you)")
    await stranger.reload()
    await expect(stranger.get_by_test_id("leaderboard").get_by_role("row")).to_have_count(2)
    await stranger.get_by_role("link", name="Ada").click()
    await expect(stranger.get_by_test_id("rating")).to_be_visible()

    for page, path, name in (
        (ada, "/me", "me"),
        (stranger, "/player/Ada", "player"),
        (bob, "/ratings/rummy", "ratings"),
    ):
        await page.goto(base + path)
        await expect(page.get_by_role("heading", level=1)).to_be_visible()
        for width, height in ((360, 740), (1280, 800), (1920, 1080)):
            await page.set_viewport_size({"width": width, "height": height})
            await accessible(page)
            await look_at(page, f"{name}-{width}")
            wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert await page.evaluate(wider) <= 0


async def test_an_account_has_passkeys(person: NewPerson, server: Server) -> None:
    page = await person()
    await page.goto(f"http://127.0.0.1:{server.port}/me")
    await expect(page.get_by_test_id("make-account")).to_be_visible()
    # Browsers have none for an address of numbers.
    await expect(page.get_by_test_id("sign-in-passkey")).to_have_count(0)
    devices = await page.context.new_cdp_session(page)
    await devices.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    added = await devices.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    device = {"authenticatorId": added["authenticatorId"]}
    await page.goto(f"http://localhost:{server.port}/me")
    await enter(page, "Ada")
    await page.get_by_test_id("add-passkey").click()
    listed = page.get_by_test_id("passkeys").get_by_role("listitem")
    await expect(listed).to_have_count(1)
    await accessible(page)
    # A second one in the same device would replace the first.
    await page.get_by_test_id("add-passkey").click()
    await expect(page.get_by_test_id("account-trouble")).to_have_text("No passkey was used.")

    sent: list[dict[str, Any]] = []
    page.on("request", lambda request: sent.append(request.post_data_json or {}))
    for _ in range(2):
        await page.get_by_test_id("sign-out").click()
        await page.get_by_test_id("sign-in-passkey").click()
        await expect(page.get_by_test_id("sign-out")).to_be_visible()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    credentials = await devices.send("WebAuthn.getCredentials", device)
    assert [each["signCount"] for each in credentials["credentials"]] == [3]

    # An answer is good once, and for its own challenge.
    answers = [each for each in sent if "ticket" in each]
    assert len(answers) == 2
    mixed = {"ticket": answers[0]["ticket"], "credential": answers[1]["credential"]}
    for answer in (*answers, mixed, {"ticket": "x", "credential": {}}):
        status = await page.evaluate(
            """answer => fetch('/api/session/passkey', {method: 'POST',
            headers: {'content-type': 'application/json'}, body: JSON.stringify(answer)})
            .then((told) => told.status)""",
            answer,
        )
        assert status == 403

    await listed.get_by_role("button").click()
    await expect(listed).to_have_count(0)
    await page.get_by_test_id("sign-out").click()
    await page.get_by_test_id("sign-in-passkey").click()
    await expect(page.get_by_test_id("account-trouble")).to_contain_text("does not fit")
