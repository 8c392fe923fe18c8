"""Who comes back to a game, people on the page beside characters, and other hosts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from parlour.games.onu.host.show import Show
from parlour.relay.hosting import HostedTable
from tests.support import PATIENCE, Opener, OpenHouse, soon
from tests.wcp.clients import AnsweringBot, Session, Told, Window
from tests.wcp.conftest import Entrant
from tests.wcp.tables import (
    BLANK,
    DRAW,
    a_play,
    cards,
    host_in,
    open_table,
    ping,
    prompt,
    turns,
    two_at_table,
)

pytestmark = pytest.mark.usefixtures("host_hurries")


async def nobody_is_asked_again() -> None:
    """Some time longer than the one after which a new session is asked (`host_hurries`)."""
    await asyncio.sleep(0.15)


# -- coming back ----------------------------------------------------------------------


async def test_a_new_session_of_the_awaited_user_is_told_and_asked_alone(
    house: OpenHouse, enter: Entrant
) -> None:
    _, ann, ben = await two_at_table(house, enter)
    late = await enter(Window, house, ann.url.rsplit("/", 1)[1], "ann")
    await late.hear("onu-player-turn")
    assert [m["payload"]["name"] for m in late.heard] == ["onu-start", "onu-player-turn"]
    assert prompt(late) == prompt(ann)
    assert cards(late) == cards(ann)
    # Nobody else is disturbed.
    for session in (ann, ben):
        await session.fence()
        assert len(session.named("onu-start")) == 1
    assert turns(ann) == 1
    # A user who is not awaited is told, but not asked.
    later = await enter(Window, house, ann.url.rsplit("/", 1)[1], "ben")
    await later.hear("onu-start")
    await nobody_is_asked_again()
    await later.fence()
    assert not turns(later)


async def test_who_lost_the_last_session_comes_back_to_the_same_seat(
    house: OpenHouse, enter: Entrant
) -> None:
    table, ann, ben = await two_at_table(house, enter)
    held = cards(ann)["ann"]
    await ann.leave()
    await soon(lambda: not house.tables[0].roster.players[0].present)
    again = await enter(AnsweringBot, house, table.code, "ann")
    await again.hear("onu-start")
    assert cards(again)["ann"] == held
    await again.hear("onu-player-turn")
    await ben.until(lambda: turns(ben) or ben.named("onu-play-anim"))


async def test_a_bot_plays_for_who_is_gone_until_they_are_back(
    open_house: Opener, enter: Entrant
) -> None:
    house = await open_house(bot_pace=0)
    table, ann, ben = await two_at_table(house, enter, maxDraws=1)
    place = house.tables[0].roster.players[0].place
    instead = {"strength": "easy", "instead": place}
    assert (await table.opener.call("POST", table.path + "/bots", instead))[0] == 409
    await ann.leave()
    await soon(lambda: not house.tables[0].roster.players[0].present)
    assert (await (await house.visitor()).call("POST", table.path + "/bots", instead))[0] == 403
    status, _ = await table.opener.call("POST", table.path + "/bots", instead)
    assert status == 201
    watching = await table.opener.socket(f"/onu?watch={table.code}&extras=1")
    while (told := json.loads((await watching.receive(PATIENCE)).data))["type"] != "extras_table":
        pass
    stood_in = [(person.get("away"), person.get("stand_in")) for person in told["people"]]
    assert stood_in == [(True, True), (None, None)]
    # It plays turn after turn, at once.
    for count in (1, 2):
        await ben.hear("onu-player-turn", count)
        await ben.send("onu-player-action", DRAW)
    # Back, ann plays herself.
    again = await enter(Session, house, table.code, "ann")
    await again.hear("onu-start")
    await soon(lambda: not house.tables[0].roster.players[0].stand_in)
    await soon(lambda: again.named("onu-player-turn") or turns(ben) > 2)
    while not turns(again):
        count = turns(ben)
        await ben.send("onu-player-action", DRAW)
        await soon(lambda count=count: again.named("onu-player-turn") or turns(ben) > count)
    match = house.tables[0].match
    assert match is not None
    assert match.legal(0), "a bot would have moved before she heard that it is her turn"
    await watching.close()


def states(session: Session) -> list[Told]:
    """All that this session was told of the game, as label and State or prompt."""
    shown = ("onu-start", "onu-turn", "onu-player-turn")
    return [told["payload"] for told in session.heard if told["payload"]["name"] in shown]


def assert_own_hand(session: Session) -> None:
    """They were told `onu-start` before anything else, and never a blank hand of their own."""
    assert states(session)[0]["name"] == "onu-start"
    for told in states(session):
        for player in json.loads(told["content"]).get("Players", []):
            assert (player["UserName"] == session.user) == (BLANK not in player["Cards"]), told


async def play_until(session: Session, over: Callable[[], bool]) -> None:
    """Play, or draw, for who is asked."""
    while not over():
        asked, play = turns(session), a_play(prompt(session))
        await session.send("onu-player-action", DRAW if play is None else json.dumps(play))
        await session.until(lambda asked=asked: over() or turns(session) > asked)


async def test_who_is_not_yet_attended_for_again_is_shown_no_blank_hand(
    house: OpenHouse,
    enter: Entrant,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What happened between their return and our joining the table was shown with a blank hand."""
    table, ann, ben = await two_at_table(house, enter)
    await ben.leave()
    await soon(lambda: not house.tables[0].roster.players[1].present)
    joining, may_join = asyncio.Event(), asyncio.Event()
    join = HostedTable.join

    async def held(self: HostedTable, *args: Any) -> bool:
        joining.set()
        await may_join.wait()
        return await join(self, *args)

    monkeypatch.setattr(HostedTable, "join", held)
    brief = await enter(Session, house, table.code, "ben")
    await joining.wait()
    await brief.leave()
    await soon(lambda: "ben" not in house.server.relay.listener.users(table.code))
    again = await enter(Session, house, table.code, "ben")
    await play_until(ann, lambda: house.tables[0].match.core.turn == 1)
    await again.fence()
    assert not states(again)
    may_join.set()
    await again.hear("onu-player-turn")
    assert_own_hand(again)
    await nobody_is_asked_again()
    await again.fence()
    assert turns(again) == 1
    assert not [record for record in caplog.records if record.exc_info]


class Gate:
    """Pauses of the show that end when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.paused, self.go_on = asyncio.Event(), asyncio.Event()

        def pause(show: Show, millis: int) -> Iterator[float]:
            if millis:
                self.paused.set()
                while not self.go_on.is_set():
                    yield 0.001

        monkeypatch.setattr(Show, "_pause", pause)


async def test_a_new_session_in_a_pause_is_told_the_start_before_the_turn(
    house: OpenHouse, enter: Entrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, ann, _ben = await two_at_table(house, enter)
    await play_until(ann, lambda: a_play(prompt(ann)) is not None)
    gate = Gate(monkeypatch)
    await ann.send("onu-player-action", json.dumps(a_play(prompt(ann))))
    await gate.paused.wait()
    late = await enter(Session, house, table.code, "ben")
    await late.fence()
    gate.go_on.set()
    await late.hear("onu-turn")
    assert_own_hand(late)


async def test_a_new_session_is_not_asked_again_for_what_it_was_asked_since(
    house: OpenHouse, enter: Entrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow bot would act twice."""
    table, ann, _ben = await two_at_table(house, enter)
    gate = Gate(monkeypatch)
    await ann.send("onu-player-action", DRAW)
    await gate.paused.wait()
    late = await enter(Session, house, table.code, "ann")
    await late.fence()
    gate.go_on.set()
    await late.hear("onu-player-turn")
    # Another session of the same user is asked by itself, and the first one is not disturbed.
    later = await enter(Session, house, table.code, "ann")
    await later.hear("onu-player-turn")
    await nobody_is_asked_again()
    for session in (late, later):
        await session.fence()
        assert turns(session) == 1
        assert_own_hand(session)


async def test_a_ping_in_a_game_brings_a_state_to_who_plays_and_a_pong_to_others(
    house: OpenHouse, enter: Entrant
) -> None:
    table, ann, ben = await two_at_table(house, enter)
    await ben.send("onu-ping", "Ben", ["onu-host"])
    await ben.hear("onu-start", 2)
    eve = await enter(Session, house, table.code, "eve")
    await eve.send("onu-ping", "Eve", ["onu-host"])
    await eve.hear("onu-pong")
    await eve.fence()
    assert not eve.named("onu-start")
    assert len(await table.names()) == 2
    assert len(ann.named("onu-start")) == 1
    # Who is awaited is not asked a second time for that.
    await ann.send("onu-ping", "Ann", ["onu-host"])
    await ann.hear("onu-start", 2)
    await nobody_is_asked_again()
    await ann.fence()
    assert turns(ann) == 1


# -- people on the page ---------------------------------------------------------------


async def test_a_person_on_the_page_plays_with_characters_and_keeps_a_secret(
    house: OpenHouse, enter: Entrant
) -> None:
    table = await open_table(house)
    bot = await enter(AnsweringBot, house, table.code, "ann")
    eve = await enter(Window, house, table.code, "eve", stays=60)
    await ping(table, bot)
    page = await table.opener.socket(f"/onu?table={table.code}")
    await table.seated(2)
    await table.start()
    hand: list[Told] = []
    seat = 1
    while True:
        told = json.loads((await page.receive(PATIENCE)).data)
        match told["type"]:
            case "dealt":
                assert told["players"][0]["cards"] == [BLANK] * 7
                hand, top = told["players"][seat]["cards"], told["stack"][-1]
                assert BLANK not in hand
            case "drew" if told["seat"] == seat:
                hand += told["cards"]
            case "played":
                top = {**told["card"], "Color": told["color"]}
                if told["seat"] == seat:
                    del hand[told["index"]]
            case "prompted" if told["seat"] == seat:
                play = a_play({"TopStackCard": top, "HandCards": hand})
                if play is None:
                    await page.send_json({"type": "draw"})
                else:
                    move = {"type": "play", "index": int(play["CardIndex"]), "color": 2}
                    await page.send_json(move)
            case "ended":
                break
            case "error":
                raise AssertionError(told)
    await eve.hear("onu-won")
    await page.close()
    for state in (*eve.states, *map(json.loads, bot.contents("onu-turn"))):
        person = state["Players"][seat]
        assert person["UserName"].startswith("page:")
        assert person["Cards"] == [BLANK] * len(person["Cards"])


async def test_what_players_say_is_said_at_the_table(house: OpenHouse, enter: Entrant) -> None:
    table = await open_table(house)
    ann = await enter(Session, house, table.code, "ann")
    eve = await enter(Session, house, table.code, "eve")
    await ping(table, ann)
    watching = await (await house.visitor()).socket(f"/onu?watch={table.code}")
    for session in (eve, ann):
        await session.send("whoever", f"{session.user} speaks", type="message")
    while (told := json.loads((await watching.receive(PATIENCE)).data))["type"] != "said":
        pass
    assert (told["name"], told["text"]) == ("Ann", "ann speaks")
    await watching.close()


async def test_a_bot_is_not_kept_from_its_move_by_talk(open_house: Opener) -> None:
    house = await open_house(bot_pace=1)
    opener = await house.visitor()
    wanted = {"game": "onu", "bots": 1, "settings": {"pace": 0}}
    _, info = await opener.call("POST", "/api/tables", wanted)
    page = await opener.socket(f"/onu?table={info['code']}")
    await page.send_json({"type": "start"})
    told: set[str] = set()
    async with asyncio.timeout(PATIENCE):
        while not told & {"played", "drew"}:
            # Again and again while it thinks.
            await page.send_json({"type": "say", "text": "hm"})
            while (event := json.loads((await page.receive()).data)["type"]) != "said":
                told.add(event)
    await page.close()


# -- other hosts ----------------------------------------------------------------------


async def test_we_answer_whether_there_is_a_host_in_games_too(
    house: OpenHouse, enter: Entrant
) -> None:
    _, ann, ben = await two_at_table(house, enter)
    await ben.send("onu-hashost", "")
    told = await ann.hear("onu-ishost")
    assert (told["from"], told["to"], told["payload"]["content"]) == ("onu-host", ["all"], "")


async def test_nobody_else_speaks_as_the_host_where_we_do(house: OpenHouse, enter: Entrant) -> None:
    """In the original a second host displaced the first."""
    table = await open_table(house)
    ann = await enter(Session, house, table.code, "ann")
    ben = await enter(Session, house, table.code, "ben")
    for label in ("ishost", "pong", "start", "turn", "player-turn", "play-anim", "won"):
        # The document's bot reads the label and never the type.
        for kind in ("data", "Data", "DATA", "message", "other"):
            await ann.send(f"onu-{label}", "{}", type=kind)
        await ann.send(f"ONU-{label.title()}", "{}")
    # Somebody opens a waiting room of their own, and is told that there is a host.
    await ann.send("onu-ping", "Ann", ["ann"])
    await ben.hear("onu-ishost")
    told = [m["payload"]["name"] for m in ben.heard]
    assert told == ["onu-ping", "onu-ishost"]
    assert not await table.names()


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """While a host asks whether there is another one, it waits until this is set."""
    event = asyncio.Event()
    waits = SimpleNamespace(
        sleep=lambda seconds: event.wait(), get_running_loop=asyncio.get_running_loop
    )
    monkeypatch.setattr("parlour.games.onu.host.host.asyncio", waits)
    return event


class OtherHost(Session):
    async def on_message(self, message: Told) -> None:
        if message["payload"]["name"] == "onu-hashost":
            await self.send("onu-ishost", "")


async def test_a_game_is_not_shown_where_somebody_else_hosts(
    house: OpenHouse, enter: Entrant, answered: asyncio.Event
) -> None:
    house.server.relay.registry.add_channel("stage")
    ann = await enter(Session, house, "stage", "ann")
    await enter(OtherHost, house, "stage", "cleo")
    table = await open_table(house, channel="stage")
    await ann.hear("onu-ishost")
    answered.set()
    await soon(lambda: host_in(house, table.code).standing.value == "yielded")
    page = await table.opener.socket(f"/onu?table={table.code}")
    for action in ("add_bot", "start", "draw"):
        await page.send_json({"type": action})
    while json.loads((await page.receive(PATIENCE)).data)["type"] != "drew":
        pass
    await ann.fence()
    assert {told["from"] for told in ann.heard if told["payload"]["name"] != "onu-hashost"} == {
        "ann",
        "cleo",
    }
    await page.close()


async def test_where_somebody_else_hosts_we_do_not(
    house: OpenHouse, enter: Entrant, answered: asyncio.Event
) -> None:
    house.server.relay.registry.add_channel("stage")
    other = await enter(OtherHost, house, "stage", "cleo")
    ann = await enter(Session, house, "stage", "ann")
    table = await open_table(house, channel="stage")
    await ann.hear("onu-ishost")
    answered.set()
    await soon(lambda: host_in(house, table.code).standing.value == "yielded")
    status, info = await table.opener.call("GET", table.path + "/channel")
    assert (status, info["standing"], info["other_host"]) == (200, "yielded", "cleo")
    await ann.send("onu-ping", "Ann", ["onu-host"])
    await other.send("onu-turn", "{}")
    await ann.hear("onu-turn")
    await ann.fence()
    assert not ann.named("onu-pong")
    assert (await table.opener.call("POST", table.path + "/seats", {"user": "ann"}))[0] == 409
    # Asked again, and answered again; overridden, we host.
    stranger = await house.visitor()
    assert (await stranger.call("POST", table.path + "/host", {"override": True}))[0] == 403
    answered.clear()
    asking = asyncio.create_task(table.opener.call("POST", table.path + "/host"))
    await ann.hear("onu-ishost", 2)
    answered.set()
    status, info = await asking
    assert info["standing"] == "yielded"
    assert not [told for told in other.named("onu-ishost") if told["from"] == "onu-host"]
    status, info = await table.opener.call("POST", table.path + "/host", {"override": True})
    assert info["standing"] == "hosting"
    # Once, so that the other's window leaves its waiting room.
    await other.fence()
    ours = [told for told in other.named("onu-ishost") if told["from"] == "onu-host"]
    assert [told["to"] for told in ours] == [["all"]]
    await ping(table, ann)


async def test_a_table_opened_to_take_over_says_so(house: OpenHouse, enter: Entrant) -> None:
    house.server.relay.registry.add_channel("stage")
    other = await enter(Session, house, "stage", "cleo")
    await open_table(house, channel="stage", takeOver=True)
    await other.hear("onu-ishost")
    await other.fence()
    assert [(m["from"], m["payload"]["name"]) for m in other.heard[:-1]] == [
        ("onu-host", "onu-ishost")
    ]


async def test_whoever_opens_a_waiting_room_while_we_ask_is_the_host(
    house: OpenHouse, enter: Entrant, answered: asyncio.Event
) -> None:
    """It asked before we did, and nobody answered it."""
    house.server.relay.registry.add_channel("stage")
    other = await enter(Session, house, "stage", "cleo")
    table = await open_table(house, channel="stage")
    await other.hear("onu-hashost")
    await other.send("onu-ping", "Cleo", ["cleo"])
    await other.fence()
    answered.set()
    await soon(lambda: host_in(house, table.code).standing.value != "probing")
    _, info = await table.opener.call("GET", table.path + "/channel")
    assert (info["standing"], info["other_host"]) == ("yielded", "cleo")
    assert not other.named("onu-ishost")


async def test_who_asks_for_a_seat_before_we_know_whether_we_host_gets_it(
    house: OpenHouse, enter: Entrant, answered: asyncio.Event
) -> None:
    """Nobody asks twice."""
    house.server.relay.registry.add_channel("stage")
    ann = await enter(Session, house, "stage", "ann")
    table = await open_table(house, channel="stage")
    host = host_in(house, table.code)
    assert host is not None
    await ann.hear("onu-hashost")
    await ann.send("onu-ping", "Ann", ["onu-host"])
    await ann.fence()
    assert host.standing.value == "probing"
    answered.set()
    await ann.hear("onu-pong")
    await table.seated(1)
    assert await table.names() == ["Ann"]


async def test_where_nobody_hosts_nobody_says_so(house: OpenHouse, enter: Entrant) -> None:
    ann = await enter(Session, house, "lounge", "ann")
    await ann.send("onu-hashost", "")
    await ann.fence()
    assert len(ann.heard) == 2
