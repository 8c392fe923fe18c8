"""How a game is shown: the order and the pauses, a table that is mended, and who won."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from parlour.games.onu.host.show import Show
from parlour.relay.hosting import HostedTable
from tests.support import PATIENCE, OpenHouse, soon
from tests.wcp.clients import AnsweringBot, Session, Window
from tests.wcp.conftest import Entrant
from tests.wcp.tables import DRAW, host_in, open_table, ping, two_at_table


@pytest.fixture
def paused(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is paused for and what is told, in order; nothing really waits."""
    happened: list[Any] = []
    send = HostedTable.send

    def pause(self: Show, millis: int) -> list[float]:
        if millis:
            happened.append(millis)
        return []

    def noted(
        self: HostedTable, sessions: Any, to: Any, label: str, content: Any, story: Any = None
    ) -> None:
        if label == "onu-player-turn":
            happened.append(f"{label} {to[0]}")
        elif to == ("ann",) or "all" in to:
            happened.append(label)
        send(self, sessions, to, label, content, story)

    monkeypatch.setattr(Show, "_pause", pause)
    monkeypatch.setattr(HostedTable, "send", noted)
    return happened


async def test_a_game_is_shown_at_the_pace_of_windows(
    house: OpenHouse, enter: Entrant, paused: list[Any]
) -> None:
    table = await open_table(house, pace=1)
    bots = [await enter(AnsweringBot, house, table.code, user) for user in ("ann", "ben")]
    await ping(table, *bots)
    paused.clear()
    await table.start()
    await bots[0].hear("onu-won")
    assert paused[:3] == ["onu-start", "onu-turn", "onu-player-turn ann"]
    assert paused.count("onu-won") == 1
    turns = [n for n, what in enumerate(paused) if str(what).startswith("onu-player-turn")]
    plays = [n for n, what in enumerate(paused) if what == "onu-play-anim"]
    for at in plays:
        # A card flies, lies there, and is looked at, before anything else is told; or it won.
        assert paused[at + 1 : at + 3] == [600, "onu-turn"]
        assert paused[at + 3] == ("onu-won" if at == plays[-1] else 2000)
        if at != plays[-1]:
            assert paused[at + 4] == "onu-turn"
            assert paused[at + 5].startswith("onu-player-turn")
    for number, at in enumerate(turns[:-1]):
        if paused[at + 1 : at + 3] == ["onu-turn", 1000]:
            # A draw: the state, a second, and the same player again.
            assert paused[at + 3] == paused[at]
        elif paused[at + 1] == "onu-turn":
            # Nothing was left to draw, which passes: no card to look at, and the other is asked.
            assert paused[at + 2].startswith("onu-player-turn")
            assert paused[at + 2] != paused[at]
        else:
            assert paused[at + 1] == "onu-play-anim", number


async def test_a_pause_is_as_long_as_the_table_says(
    house: OpenHouse, enter: Entrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    pause = Show._pause

    def counted(self: Show, millis: int) -> Iterator[float]:
        for seconds in pause(self, millis):
            waited.append(seconds)
            yield 0

    _table, ann, _ = await two_at_table(house, enter, pace=0.5)
    monkeypatch.setattr(Show, "_pause", counted)
    await ann.send("onu-player-action", DRAW)
    await ann.hear("onu-player-turn", 2)
    assert waited == [0.5]


async def test_a_closing_house_shows_what_is_left_to_be_shown(
    house: OpenHouse, enter: Entrant
) -> None:
    table, ann, _ben = await two_at_table(house, enter, pace=1)
    window = await enter(Window, house, table.code, "eve")
    await ann.send("onu-player-action", DRAW)
    await window.hear("onu-turn", 1)
    await house.server.stop()
    await ann.dropped()
    # The prompt was to come a second later.
    assert len(ann.named("onu-player-turn")) == 2


async def test_a_table_that_is_mended_is_hosted_on(
    house: OpenHouse, enter: Entrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    _table, ann, ben = await two_at_table(house, enter)
    held = json.loads(ann.contents("onu-player-turn")[-1])["HandCards"]
    failed: list[int] = []
    apply = type(house.tables[0].match).apply

    def faulty(self: Any, *args: Any) -> Any:
        if not failed:
            failed.append(1)
            raise RuntimeError("a fault in the rules")
        return apply(self, *args)

    monkeypatch.setattr(type(house.tables[0].match), "apply", faulty)
    await ann.send("onu-player-action", DRAW)
    # They are told as who comes back is, and asked again.
    await ann.hear("onu-start", 2)
    await ann.hear("onu-player-turn", 2)
    assert json.loads(ann.contents("onu-player-turn")[-1])["HandCards"] == held
    await ann.send("onu-player-action", DRAW)

    def asked_with() -> int:
        return len(json.loads(ann.contents("onu-player-turn")[-1])["HandCards"])

    # On a slow machine she may be asked once more for the move that she has just sent.
    await soon(lambda: asked_with() == len(held) + 1)
    assert len(ben.named("onu-start")) == 2


async def test_a_game_given_up_is_won_by_nobody(house: OpenHouse, enter: Entrant) -> None:
    table, ann, _ben = await two_at_table(house, enter)
    window = await enter(Window, house, table.code, "eve")
    for player in (await table.info())["players"]:
        kick = {"place": player["place"]}
        assert (await table.opener.call("POST", table.path + "/kick", kick))[0] == 200
        # Still in the channel, but nobody plays for them any more.
        await window.fence()
        assert house.tables[0].roster.at(player["place"]) is None or (
            not house.tables[0].roster.players[player["place"]].present
        )
    assert (await window.hear("onu-won"))["payload"]["content"] == "Nobody"
    # Put out is put out: they take a seat again only if they ask for it.
    await soon(lambda: not house.tables[0].roster.players)
    await ann.send("onu-ping", "Ann", ["onu-host"])
    await table.seated(1)
    assert (await table.opener.call("POST", table.path + "/seats", {"user": "ben"}))[0] == 201
    await soon(lambda: all(player.present for player in house.tables[0].roster.players))


async def test_a_table_stays_in_its_channel(house: OpenHouse) -> None:
    table = await open_table(house)
    page = await table.opener.socket(f"/onu?table={table.code}")
    await page.send_json({"type": "settings", "settings": {"channel": "elsewhere"}})
    while (told := json.loads((await page.receive(PATIENCE)).data))["type"] != "error":
        pass
    assert told["code"] == "channel-stays"
    await page.send_json({"type": "settings", "settings": {"maxDraws": 2}})
    while (told := json.loads((await page.receive(PATIENCE)).data))["type"] != "lobby":
        pass
    assert told["settings"]["maxDraws"] == 2
    await page.close()


async def test_a_table_that_closes_leaves_its_channel(house: OpenHouse, enter: Entrant) -> None:
    table = await open_table(house)
    live = next(iter(house.server.house.index))
    ann = await enter(Session, house, table.code, "ann")
    await ping(table, ann)
    from parlour.table import inputs as do

    live.receive(do.Close())
    await soon(lambda: host_in(house, table.code) is None)
    before = len(ann.heard)
    await ann.send("onu-hashost", "")
    await ann.fence()
    assert len(ann.heard) == before + 2
