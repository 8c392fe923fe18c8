"""The host over real sockets: who is shown what, and who gets a seat."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.games.onu.lobby import RelaySeating
from tests.support import OpenHouse, Visitor, soon
from tests.wcp.clients import AnsweringBot, Session, Window
from tests.wcp.conftest import Entrant
from tests.wcp.tables import BLANK, cards, open_table, ping, prompt, turns

pytestmark = pytest.mark.usefixtures("host_hurries")


# -- secrets --------------------------------------------------------------------------


async def test_everybody_is_sent_a_state_of_their_own(house: OpenHouse, enter: Entrant) -> None:
    table = await open_table(house)
    ann, ben, eve = [await enter(Window, house, table.code, user) for user in ("ann", "ben", "eve")]
    await ping(table, ann, ben)
    await table.start()
    for session in (ann, ben, eve):
        await session.hear("onu-start")
        await session.hear("onu-turn")
    for session, others in ((ann, ["ben"]), (ben, ["ann"]), (eve, ["ann", "ben"])):
        told = cards(session)
        assert all(told[user] == [BLANK] * 7 for user in others)
        if session is not eve:
            assert BLANK not in told[session.user]
            assert len(told[session.user]) == 7
        state = session.state
        assert state["Deck"] == [BLANK] * (54 - 14 - 1)
        assert len(state["Stack"]) == 1
        assert state["Stack"][0]["Color"] in range(4)
        assert state["Host"] == "onu-host"
        assert state["PlayerTurn"] == "Ann"
        assert state["Direction"] == "Right"
        # Nobody overhears what is for somebody else.
        assert all(
            m["to"] in ([session.user], ["all"]) for m in session.heard if m["from"] == "onu-host"
        )
    await ann.hear("onu-player-turn")
    assert prompt(ann)["HandCards"] == cards(ann)["ann"]
    assert prompt(ann) == {
        "TurnDirection": "Right",
        "TopStackCard": ann.state["Stack"][-1],
        "HandCards": cards(ann)["ann"],
        "PlayerHands": [{"Name": "Ann", "CardCount": 7}, {"Name": "Ben", "CardCount": 7}],
        "PlayerOrder": ["Ann", "Ben"],
        "TurnEffect": 0,
    }
    assert not turns(ben)


async def test_with_open_state_the_hands_over_the_relay_are_shown(
    house: OpenHouse, enter: Entrant
) -> None:
    table = await open_table(house, openState=True)
    ann, ben, eve = [await enter(Window, house, table.code, user) for user in ("ann", "ben", "eve")]
    await ping(table, ann, ben)
    status, _ = await table.opener.call("POST", table.path + "/bots")
    assert status == 201
    await table.start()
    for session in (ann, ben, eve):
        await session.hear("onu-start")
    assert cards(eve) == cards(ann) == cards(ben)
    told = cards(eve)
    assert BLANK not in told["ann"] + told["ben"]
    # A computer player's hand is not ours to show, nor would a person's on the page be.
    assert [hand for user, hand in told.items() if user.startswith("bot:")] == [[BLANK] * 7]


# -- seats ----------------------------------------------------------------------------


async def test_a_ping_seats_once_and_never_renames(house: OpenHouse, enter: Entrant) -> None:
    table = await open_table(house)
    ann = await enter(Session, house, table.code, "ann")
    await ping(table, ann)
    await ann.send("onu-ping", "Somebody else", ["onu-host"])
    assert (await ann.hear("onu-pong", 2))["payload"]["content"] == "Parlour"
    ben = await enter(Session, house, table.code, "ben")
    # Display names are unique at a table.
    await ben.send("onu-ping", "  ANN\n", ["onu-host"])
    await table.seated(2)
    cleo = await enter(Session, house, table.code, "cleo")
    await cleo.send("onu-ping", "???", ["onu-host"])
    await table.seated(3)
    assert await table.names() == ["Ann", "ANN 2", "cleo"]
    dora = await enter(Session, house, table.code, "dora")
    await dora.send("onu-ping", "a name that is far longer than it may be", ["onu-host"])
    await table.seated(4)
    assert (await table.names())[3] == "a name that is far l"


async def test_the_opener_seats_who_is_in_the_channel(house: OpenHouse, enter: Entrant) -> None:
    table = await open_table(house)
    await enter(Session, house, table.code, "ann")
    await enter(Session, house, table.code, "ben")
    status, info = await table.opener.call("POST", table.path + "/seats", {"user": "ann"})
    assert status == 201
    assert info == {
        "channel": table.code,
        "users": ["ann", "ben"],
        "standing": "hosting",
        "other_host": None,
    }
    named = {"user": "ben", "name": "The Ben"}
    assert (await table.opener.call("POST", table.path + "/seats", named))[0] == 201
    assert await table.names() == ["ann", "The Ben"]

    async def refusal(who: Visitor, user: str) -> Any:
        status, no = await who.call("POST", table.path + "/seats", {"user": user})
        return status, no["error"]["code"]

    assert await refusal(table.opener, "ann") == (409, "already-here")
    assert await refusal(table.opener, "nobody") == (409, "not-connected")
    assert await refusal(await house.visitor(), "ann") == (403, "not-here")
    # They are attended for, so their seats are kept.
    await soon(lambda: all(p.present for p in house.tables[0].roster.players))


async def test_auto_seat_and_auto_start_need_nobody(house: OpenHouse, enter: Entrant) -> None:
    table = await open_table(house, autoSeat=True, autoStart=3)
    bots = [await enter(AnsweringBot, house, table.code, user) for user in ("ann", "ben")]
    await table.seated(2)
    window = await enter(Window, house, table.code, "ann")
    assert not window.named("onu-start")
    bots.append(await enter(AnsweringBot, house, table.code, "cleo"))
    won = await bots[0].hear("onu-won")
    assert won["payload"]["content"] in ("ann", "ben", "cleo")


async def test_a_waiting_seat_without_a_session_is_freed(
    house: OpenHouse, enter: Entrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.games.onu.lobby.WAITING_SEAT", 50)
    table = await open_table(house)
    one, two = [await enter(Session, house, table.code, "ann") for _ in range(2)]
    await ping(table, one)
    await one.leave()
    await two.fence()
    assert await table.names() == ["Ann"]
    await two.leave()
    await table.seated(0)
    # The table is still there for who comes next.
    again = await enter(Session, house, table.code, "ann")
    await ping(table, again)


async def test_a_table_full_pongs_and_seats_nobody(house: OpenHouse, enter: Entrant) -> None:
    table = await open_table(house)
    users = [f"u{number}" for number in range(8)]
    sessions = [await enter(Session, house, table.code, user) for user in users]
    await ping(table, *sessions[:7])
    await sessions[7].send("onu-ping", "Eight", ["onu-host"])
    await sessions[7].hear("onu-pong", 8)
    await sessions[7].fence()
    assert len(await table.names()) == 7


async def test_a_table_is_opened_in_a_channel_that_there_is(
    house: OpenHouse, enter: Entrant
) -> None:
    house.server.relay.registry.add_channel("Stage")
    ann = await enter(Session, house, "stage", "ann")
    table = await open_table(house, channel="stage", takeOver=True)
    await ping(table, ann)

    async def refusal(channel: str) -> Any:
        wanted = {"game": "onu", "settings": {"channel": channel}}
        status, no = await table.opener.call("POST", "/api/tables", wanted)
        return status, no["error"]["code"]

    assert await refusal("STAGE") == (409, "channel-taken")
    assert await refusal("metrics") == (409, "no-such-channel")


async def test_a_table_is_found_by_its_channel_for_as_long_as_it_is_open(
    house: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RelaySeating, "empty", 0)
    house.server.relay.registry.add_channel("Stage")
    anybody = await house.visitor()

    async def found(channel: str) -> Any:
        status, told = await anybody.call("GET", f"/api/channels/{channel}/table")
        return told if status == 200 else (status, told["error"]["code"])

    nothing = (404, "no-such-table")
    assert await found("stage") == nothing
    assert await found("no%2Fsuch") == nothing
    table = await open_table(house, channel="stage")
    own = await open_table(house)
    assert await found("sTAGE") == {"code": table.code, "channel": "Stage"}
    assert await found(own.code) == {"code": own.code, "channel": own.code}
    # A table in a channel of another name is not found by its code.
    assert await found(table.code) == nothing
    # With the last person it closes.
    person = await table.opener.socket(f"/onu?table={table.code}")
    await table.seated(1)
    await person.send_json({"type": "leave"})

    async def closed() -> bool:
        return await found("stage") == nothing

    await soon(closed)
