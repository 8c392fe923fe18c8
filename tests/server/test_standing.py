"""A standing table over real sockets: sitting down, being put out, the house's own table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from parlour.games import installed_games
from parlour.kit import Millis, Plan, PutOut
from parlour.rng import Rng
from parlour.table import inputs as do
from parlour.table.lobby import Names
from tests import highcard
from tests.support import Client, Opener, OpenHouse, Visitor, recalled, soon


@pytest.fixture
def standing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Houses opened from here on have a game whose people come and go."""
    games = (*installed_games(), highcard.STANDING)
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: games)


@pytest.fixture
async def house(standing: None, open_house: Opener) -> OpenHouse:
    return await open_house()


async def come(visitor: Visitor, query: str) -> Client:
    return Client(await visitor.socket(f"/standing?{query}"))


async def opened(house: OpenHouse, **settings: object) -> tuple[Visitor, str]:
    """A table, by its code, and who opened it."""
    opener = await house.visitor()
    body = {"game": "standing", "settings": settings, "public": True}
    status, table = await opener.call("POST", "/api/tables", body)
    assert status == 201
    return opener, table["code"]


async def test_who_watches_may_sit_down_when_there_is_room(house: OpenHouse) -> None:
    opener, code = await opened(house)
    host = await come(opener, f"table={code}")
    others = [await come(await house.visitor(), f"table={code}") for _ in range(3)]
    watcher = await come(await house.visitor(), f"watch={code}")
    assert (await watcher.expect("hello"))["place"] is None
    await watcher.send("sit")
    assert (await watcher.until("error"))["code"] == "table-full"
    await others[0].send("quit")
    await watcher.until("left", place=1)
    await watcher.send("sit")
    assert (await watcher.until("hello"))["place"] == 4
    await host.until("lobby", names=["Player", "Player 3", "Player 4", "Player 2"])
    await watcher.send("sit")
    assert (await watcher.until("error"))["code"] == "already-here"


async def test_who_is_put_out_hears_why_and_so_do_the_others(house: OpenHouse) -> None:
    opener, code = await opened(house)
    host = await come(opener, f"table={code}")
    await host.until("hello")
    guest = await house.visitor()
    one, two = await come(guest, f"table={code}"), await come(guest, f"table={code}")
    for client in (one, two):
        await client.until("hello")
    status, table = await opener.call("POST", f"/api/tables/{code}/kick", {"place": 1})
    assert (status, len(table["players"])) == (200, 1)
    for client in (one, two):
        assert (await client.until("out"))["reason"] == "kicked"
        assert await client.closed() == 4400
    await host.until("kicked", place=1, reason="kicked")
    await host.until("left", place=1)
    # Not for good: they may come again, until they may not.
    again = await come(guest, f"table={code}")
    assert (await again.until("hello"))["place"] == 2
    await opener.call("POST", f"/api/tables/{code}/kick", {"place": 2, "ban": True})
    assert await again.closed() == 4400
    banned = await come(guest, f"table={code}")
    assert (await banned.expect("out"))["reason"] == "banned"
    status, _ = await guest.call("POST", f"/api/tables/{code}/kick", {"place": 0})
    assert status == 403


async def test_who_is_not_host_may_not_put_anybody_out_by_http_either(house: OpenHouse) -> None:
    opener, code = await opened(house)
    host = await come(opener, f"table={code}")
    await host.until("hello")
    member = await house.visitor()
    there = await come(member, f"table={code}")
    await there.until("hello")
    status, no = await member.call("POST", f"/api/tables/{code}/kick", {"place": 0})
    assert (status, no["error"]["code"]) == (403, "host-only")
    status, table = await opener.call("GET", f"/api/tables/{code}")
    assert (status, len(table["players"])) == (200, 2)


async def test_wrong_answers_are_logged_and_the_rules_put_their_player_out(
    house: OpenHouse,
) -> None:
    opener, code = await opened(house)
    host = await come(opener, f"table={code}")
    clumsy = await come(await house.visitor(), f"table={code}")
    await clumsy.until("hello")
    await opener.call("POST", f"/api/tables/{code}/start")
    await host.send("try", card=(await host.until("dealt", seat=0))["cards"][0])
    await host.until("laid", seat=0)
    await clumsy.send("lay", card=(await clumsy.until("dealt", seat=1))["cards"][0])
    for _ in range(3):
        await clumsy.send("try", card=99)
        await host.until("fumbled", seat=1)
    assert (await clumsy.until("out"))["reason"] == "clumsy"
    assert await clumsy.closed() == 4400
    [table] = house.tables
    log = [do.decode(entry.data) for entry in await house.server.store.entries(table.roster.id)]
    assert [type(entry) for entry in log].count(do.Fumble) == 3
    assert [entry.place for entry in log if isinstance(entry, do.Act)] == [0, 1]
    metrics = await opener.get("/metrics")
    assert b'parlour_actions_total{game="standing"} 5.0' in metrics.body


async def test_a_protocol_need_not_have_a_word_for_refusals(
    house: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(highcard.HighCodec, "refuse", lambda *_: None)
    opener, code = await opened(house)
    player = await come(opener, f"table={code}")
    await player.until("hello")
    await player.send("lay", card=1)
    await player.send("echo", text="still here")
    await player.until("echo", text="still here")


async def test_everybody_whom_the_rules_put_out_at_once_hears_why(
    house: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    def a_brawl(match: highcard.HighCard, seat: int, rng: Rng, now: Millis) -> list[Any]:
        out = [PutOut(each, "brawl", "Out, both of you.") for each in (seat, seat + 1)]
        return [*out, *match.leave(seat, rng, now), *match.leave(seat + 1, rng, now)]

    monkeypatch.setattr(highcard.HighCard, "fumble", a_brawl)
    opener, code = await opened(house)
    players = [await come(opener, f"table={code}")]
    players += [await come(await house.visitor(), f"table={code}") for _ in range(3)]
    for player in players:
        await player.until("hello")
    await opener.call("POST", f"/api/tables/{code}/start")
    await players[1].send("try", card=99)
    for player in players[1:3]:
        assert (await player.until("out"))["reason"] == "brawl"
        assert await player.closed() == 4400
    for player in (players[0], players[3]):
        for place in (1, 2):
            await player.until("kicked", place=place)


async def test_who_watches_goes_on_watching_when_a_match_is_over(
    house: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    # There are games in which nobody needs a name to sit down.
    monkeypatch.setattr(Names, "good", lambda _, name: name or "Guest")
    opener, code = await opened(house)
    watcher = await come(opener, f"watch={code}")
    for _ in range(2):
        await opener.call("POST", f"/api/tables/{code}/bots")
    await opener.call("POST", f"/api/tables/{code}/start")
    await watcher.until("over")
    [table] = house.tables
    assert table.roster.people == []


async def test_a_bot_whose_move_is_refused_is_asked_again(
    standing: None, open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = highcard.HighBot.plan
    mistaken: list[highcard.HighBot] = []

    def mistaken_at_first(
        bot: highcard.HighBot, legal: Sequence[highcard.Lay], now: Millis
    ) -> Plan[highcard.Lay] | None:
        if bot in mistaken:
            return plan(bot, legal, now)
        mistaken.append(bot)
        return Plan(now, highcard.Lay(99))

    monkeypatch.setattr(highcard.HighBot, "plan", mistaken_at_first)
    house = await open_house()
    opener, code = await opened(house)
    for _ in range(2):
        await opener.call("POST", f"/api/tables/{code}/bots")
    watcher = await come(opener, f"watch={code}")
    await opener.call("POST", f"/api/tables/{code}/start")
    await watcher.until("over")
    assert len(mistaken) == 2


async def test_the_house_has_a_table_for_everybody_and_opens_it_when_first_needed(
    standing: None, open_house: Opener
) -> None:
    house = await open_house()
    assert house.tables == []
    one = await come(await house.visitor(), "common")
    two = await come(await house.visitor(), "common")
    codes = {(await client.until("hello"))["code"] for client in (one, two)}
    assert len(codes) == len(house.tables) == 1
    _, listed = await (await house.visitor()).call("GET", "/api/tables?game=standing")
    assert [table["code"] for table in listed["tables"]] == list(codes)
    visitor = await house.visitor()
    three = await come(visitor, "common")
    await three.until("hello")
    await visitor.call("POST", f"/api/tables/{codes.pop()}/start")
    await house.shut(one, two, three)
    # After a restart it is the same one.
    house = await open_house()
    four = await come(await house.visitor(), "common")
    await four.until("hello")
    assert len(house.tables) == 1


async def test_a_password_lets_in_and_is_told_to_nobody(house: OpenHouse) -> None:
    _, code = await opened(house, password="open sesame")
    visitor = await house.visitor()
    for query in (f"table={code}", f"table={code}&password=sesame"):
        client = await come(visitor, query)
        assert (await client.expect("error"))["code"] == "bad-password"
        assert await client.closed() == 4403
    # It is for players: nobody sees a hand by watching.
    for query in (f"watch={code}", f"table={code}&password=open%20sesame"):
        client = await come(visitor, query)
        await client.until("hello")
    for path in (f"/api/tables/{code}", "/api/tables"):
        answer = await visitor.get(path)
        assert b"sesame" not in answer.body


async def test_a_table_folds_with_the_content_it_was_opened_with(
    standing: None, open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = await open_house()
    opener, code = await opened(house, tricks=2)
    host = await come(opener, f"table={code}")
    await host.until("hello")
    await opener.call("POST", f"/api/tables/{code}/bots")
    await opener.call("POST", f"/api/tables/{code}/start")
    before = (await host.until("dealt", seat=0))["cards"]
    assert len(before) == 3
    _, table = await opener.call("GET", f"/api/tables/{code}")
    await house.shut(host)
    monkeypatch.setitem(highcard.BONUS, "bonus", b"xx")
    # Both are away when the house opens again, so the match is played to its end at once.
    house = await open_house()
    await soon(lambda: not any(table.roster.running for table in house.tables))
    path = f"/api/replays/{table['fairness']['replay']}"
    status, replay = await (await house.visitor()).call("GET", path)
    assert status == 200
    dealt = [e for step in replay["steps"] for e in step["events"] if e.get("seat") == 0]
    assert dealt[0]["cards"] == before
    # A table opened now has what there is now.
    opener, code = await opened(house, tricks=2)
    host = await come(opener, f"table={code}")
    await opener.call("POST", f"/api/tables/{code}/bots")
    await opener.call("POST", f"/api/tables/{code}/start")
    assert len((await host.until("dealt", seat=0))["cards"]) == 4


async def test_bots_keep_what_they_learnt_also_over_a_restart(
    standing: None, open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    knew: list[int] = []
    init = highcard.HighBot.__init__

    def noted(
        bot: highcard.HighBot,
        picture: highcard.HighPicture,
        rng: Rng,
        experience: highcard.HighExperience | None = None,
    ) -> None:
        knew.append(-1 if experience is None else experience.matches)
        init(bot, picture, rng, experience)

    monkeypatch.setattr(highcard.HighBot, "__init__", noted)
    house = await open_house()
    opener, code = await opened(house, tricks=1)
    for _ in range(2):
        await opener.call("POST", f"/api/tables/{code}/bots")
    watcher = await come(opener, f"watch={code}")
    for _ in range(2):
        await opener.call("POST", f"/api/tables/{code}/start")
        await watcher.until("over")
    store = house.server.store
    await recalled(store, "lessons:standing", b"2")
    await house.shut(watcher)
    house = await open_house()
    opener, code = await opened(house, tricks=1)
    for _ in range(2):
        await opener.call("POST", f"/api/tables/{code}/bots")
    watcher = await come(opener, f"watch={code}")
    await opener.call("POST", f"/api/tables/{code}/start")
    await watcher.until("over")
    store = house.server.store
    await recalled(store, "lessons:standing", b"3")
    # Two bots in each match.
    assert knew == [0, 0, 1, 1, 2, 2]
