"""Extras over real sockets: the queue, talk, scores, and what happened before one came."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.house import audience, live
from tests.support import PATIENCE, Client, Event, Opener, OpenHouse, RummyClient, Visitor


@pytest.fixture
async def house(open_house: Opener) -> OpenHouse:
    return await open_house(bot_pace=0)


async def opened(house: OpenHouse, **body: Any) -> tuple[Visitor, str]:
    opener = await house.visitor()
    status, table = await opener.call("POST", "/api/tables", {"game": "rummy", **body})
    assert status == 201
    return opener, table["code"]


async def sit(visitor: Visitor, code: str, extras: str = "&extras") -> RummyClient:
    await visitor.token()
    return await visitor.rummy(f"?table={code}{extras}")


async def watch(visitor: Visitor, code: str, extras: str = "&extras") -> RummyClient:
    await visitor.call("PUT", "/api/me", {"name": "Cleo"})
    return await visitor.rummy(f"?watch={code}{extras}")


async def refused(client: Client, type: str, **fields: Any) -> str:
    await client.send(type, **fields)
    return str((await client.until("error"))["code"])


async def full_table(house: OpenHouse) -> tuple[str, list[RummyClient]]:
    host, code = await opened(house)
    return code, [await sit(host, code)] + [
        await sit(await house.visitor(), code) for _ in range(3)
    ]


async def test_who_watches_waits_and_sits_down_when_somebody_leaves(house: OpenHouse) -> None:
    code, players = await full_table(house)
    late = await house.visitor()
    watcher = await watch(late, code)
    table = await watcher.until("extras_table")
    assert (table["free"], table["seated"], table["queue"]) == (False, False, [])
    await watcher.send("extras_queue")
    told = await watcher.until("extras_table", queue=[{"name": "Cleo", "you": True}])
    assert not told["seated"]
    # The others see who waits, but not who that is.
    await players[0].until("extras_table", queue=[{"name": "Cleo"}])
    await players[1].send("extras_leave")
    assert await players[1].closed() == 1000
    await watcher.until("extras_table", seated=True, queue=[])
    seat = await sit(late, code)
    lobby = (await seat.until("lobby"))["lobby"]
    assert len(lobby["players"]) == 4
    assert lobby["current_player_id"] == lobby["players"][3]["id"]
    assert await refused(seat, "extras_queue") == "already-here"


async def test_at_rummy_the_queue_waits_for_the_end_of_the_round(house: OpenHouse) -> None:
    host, code = await opened(house, bots=1)
    player = await sit(host, code)
    await player.until("lobby")
    await player.send("start")
    await player.until("turn")
    late = await house.visitor()
    watcher = await watch(late, code)
    assert not (await watcher.until("extras_table"))["free"]
    await watcher.send("extras_queue")
    await watcher.until("extras_table", seated=False, running=True)
    await player.play_round()
    await watcher.until("extras_table", seated=True, running=False)


async def test_a_reload_keeps_the_place_in_the_queue(house: OpenHouse) -> None:
    code, players = await full_table(house)
    first, second = await house.visitor(), await house.visitor()
    one, two = await watch(first, code), await watch(second, code)
    await one.send("extras_queue")
    await two.until("extras_table", queue=[{"name": "Cleo"}])
    await two.send("extras_queue")
    await one.until("extras_table", queue=[{"name": "Cleo", "you": True}, {"name": "Cleo"}])
    await one.close()
    await two.until(
        "extras_table", queue=[{"name": "Cleo", "away": True}, {"name": "Cleo", "you": True}]
    )
    one = await watch(first, code)
    await one.until("extras_table", queue=[{"name": "Cleo", "you": True}, {"name": "Cleo"}])
    await one.send("extras_unqueue")
    await two.until("extras_table", queue=[{"name": "Cleo", "you": True}])
    await players[3].send("extras_leave")
    await two.until("extras_table", seated=True)


async def test_the_queue_outlives_the_house(open_house: Opener) -> None:
    house = await open_house()
    code, players = await full_table(house)
    late = await house.visitor()
    token = await late.token()
    watcher = await watch(late, code)
    await watcher.send("extras_queue")
    await watcher.until("extras_table", queue=[{"name": "Cleo", "you": True}])
    version = house.tables[0].version
    await house.shut(*players, watcher)
    house = await open_house()
    # That the house has closed counts as nobody's going away.
    (table,) = house.tables
    assert table.version == version + 1
    again = await (await house.visitor()).rummy(f"?watch={code}&extras&token={token}")
    await again.until("extras_table", queue=[{"name": "Cleo", "you": True}])


async def test_nobody_gets_past_a_password_by_waiting(house: OpenHouse) -> None:
    host = await house.visitor()
    settings = {
        "player_password": "sesame",
        "max_players": 3,
        "bot_count": 2,
        "allow_duplicates": True,
    }
    body = {"game": "quips", "settings": settings}
    _, table = await host.call("POST", "/api/tables", body)
    code = table["code"]
    await host.token()
    ada = await host.socket(f"/game?table={code}&name=Ada&password=sesame")
    late = await house.visitor()
    await late.token()
    watcher = Client(await late.socket(f"/spectate?table={code}&extras&client_lang=fr-CH"))
    await watcher.send("extras_queue")
    await watcher.send("extras_queue", password="wrong")
    await watcher.send("extras_queue", password="sesame")
    told: list[Event] = []
    while not any(event.get("queue") for event in told):
        told.append(await watcher.event())
    assert [event["code"] for event in told if "code" in event] == ["bad-password"] * 2
    assert told[-1]["queue"] == [{"name": "Player", "you": True}]
    assert not ada.closed
    # With all that they will need as a player.
    (roster,) = [table.roster for table in house.tables]
    (waiter,) = roster.queue
    assert (waiter.wire, waiter.language) == (roster.people[0].wire, "fr-CH")
    assert waiter.address == roster.people[0].address


async def test_talk_is_in_every_game_and_kept_for_who_comes_later(house: OpenHouse) -> None:
    host, code = await opened(house)
    one = await sit(host, code)
    two = await sit(await house.visitor(), code)
    plain = await sit(await house.visitor(), code, extras="")
    await plain.until("lobby")
    await one.until("extras_story")
    await two.until("extras_story")
    await one.send("extras_say", text="  Good evening  ")
    for client in (two, one):
        said = await client.until("extras_said")
        assert (said["name"], said["text"]) == ("Player", "Good evening")
    # A client of the published protocol hears nothing of it.
    assert await plain.fence() == []
    assert await refused(two, "extras_say", text=" ") == "nothing-said"
    later = await watch(await house.visitor(), code)
    story = await later.until("extras_story")
    assert story["said"] == [said]
    assert await refused(later, "extras_say", text="Me too") == "watching"


async def test_scores_are_the_same_for_everybody_and_after_a_reload(house: OpenHouse) -> None:
    host, code = await opened(house, bots=1)
    player = await sit(host, code)
    await player.until("lobby")
    await player.send("extras_target", points=5000)
    table = await player.until("extras_table")
    for number in (1, 2):
        await player.send("start")
        await player.play_round()
        table = await player.until("extras_table", running=False)
        assert [each["number"] for each in table["scores"]["rounds"]] == [*range(1, number + 1)]
    scores = table["scores"]
    assert scores["target"] == 5000
    assert [s.get("you", False) for s in scores["standings"]].count(True) == 1
    points = [standing["points"] for standing in scores["standings"]]
    assert points == sorted(points, reverse=True)
    gained = [sum(each["gains"].values()) for each in scores["rounds"]]
    assert sum(points) == sum(gained)
    spectator = await watch(await house.visitor(), code)
    second_tab = await sit(host, code)
    nobody = [{k: v for k, v in s.items() if k != "you"} for s in scores["standings"]]
    for client, standings in ((spectator, nobody), (second_tab, scores["standings"])):
        told = (await client.until("extras_table"))["scores"]
        assert told == {**scores, "standings": standings}


async def test_who_comes_back_is_told_the_match_so_far(house: OpenHouse) -> None:
    host, code = await opened(house, bots=1)
    player = await sit(host, code)
    await player.until("lobby")
    heard: list[Event] = []
    await player.send("start")
    while not any(event["type"] == "turn" for event in heard):
        heard.append(await player.event())
    while heard[-1]["type"] != "turn" or heard[-1]["player_id"] != player.me:
        heard.append(await player.event())
    heard = [event for event in heard if not event["type"].startswith("extras")]
    again = await sit(host, code, "&extras=story")
    story = await again.until("extras_story")
    assert story["events"] == [event for event in heard if event["type"] != "lobby"]
    # Who did not ask for it is spared it.
    other = await sit(host, code)
    assert (await other.until("extras_story"))["events"] == []
    # And somebody who watches, what they may see of it.
    watcher = await watch(await house.visitor(), code, "&extras=story")
    story = await watcher.until("extras_story")
    faces = [
        card["face"]
        for event in story["events"]
        if event["type"] == "move" and event["destination"]["type"] == "player"
        for card in event["cards"]
    ]
    assert faces
    assert not any(faces)
    # How the table stands changed with the deal, and has not with any move.
    await player.play_turn()
    tables = [event for event in player.heard if event["type"] == "extras_table"]
    assert [table["running"] for table in tables].count(True) == 1


@pytest.mark.parametrize("limit", ["MOST_TOLD", "LONGEST_STORY"])
async def test_a_match_that_is_too_long_is_not_told_again(
    house: OpenHouse, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(audience, limit, 2)
    host, code = await opened(house, bots=1)
    player = await sit(host, code)
    await player.send("start")
    await player.my_turn()
    again = await sit(host, code, "&extras=story")
    assert (await again.until("extras_story"))["events"] == []


async def test_who_does_not_come_along_to_the_tables_new_node_is_missed(
    house: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "COME_ALONG", 0)
    code, players = await full_table(house)
    watcher = await watch(await house.visitor(), code)
    await watcher.send("extras_queue")
    await players[0].until("extras_table", queue=[{"name": "Cleo"}])
    (table,) = house.server.house.index
    # As on a node that has just taken it over: only one of the connections has followed.
    for attachment in table.audience.attachments[1:]:
        table.detach(attachment)
    table.go_on()
    await players[0].until("extras_table", queue=[{"name": "Cleo", "away": True}])
    assert [player.present for player in table.roster.players] == [True, False, False, False]


async def test_who_waits_has_a_name_of_their_own(house: OpenHouse) -> None:
    code, players = await full_table(house)
    watcher = await watch(await house.visitor(), code)
    (table,) = house.tables
    table.roster.players[0].name = "Cleo"
    await watcher.send("extras_queue")
    told = await watcher.until("extras_table", seated=False, running=False)
    while not told["queue"]:
        told = await watcher.until("extras_table")
    # Somebody here is called so already.
    assert told["queue"] == [{"name": "Cleo 2", "you": True}]
    assert len(players) == 4


async def test_messages_of_others_are_not_taken_for_extras(house: OpenHouse) -> None:
    guest = await house.rummy()
    assert await refused(guest, "extras_say", text="Hello") == "bad-message"
    host, code = await opened(house)
    player = await sit(host, code)
    await player.until("extras_story")
    assert await refused(player, "extras_nothing") == "bad-message"
    assert await refused(player, "extras_say", text="x" * 1001) == "bad-message"
    assert await refused(player, "extras_target", points=-1) == "bad-target"


async def test_extras_come_along_to_another_table(house: OpenHouse) -> None:
    host, code = await opened(house)
    there = await sit(host, code)
    await there.until("extras_table")
    guest = await (await house.visitor()).rummy("?extras")
    await guest.until("extras_table")
    await guest.send("join", code=code)
    await guest.until("extras_story")
    await there.send("extras_say", text="welcome")
    assert (await guest.until("extras_said"))["text"] == "welcome"


@pytest.mark.parametrize(
    ("game", "path"),
    [
        ("rummy", "/rummy?table={}&"),
        ("rummy", "/rummy?watch={}&"),
        ("cambia", "/ws/{}?"),
        ("cambia", "/ws/{}?watch&"),
        ("quips", "/play?table={}&extended=1&"),
        ("quips", "/spectate?table={}&extended=1&"),
        ("onu", "/onu?table={}&"),
        ("onu", "/onu?watch={}&"),
    ],
)
async def test_whoever_asks_whether_the_house_listens_is_answered(
    house: OpenHouse, game: str, path: str
) -> None:
    visitor, code = await opened(house, game=game)
    protocols = ["cambia"] if game == "cambia" else []
    socket = await visitor.socket(path.format(code) + "extras", protocols=protocols)
    await socket.send_str('{"type":"extras_ping"}')
    # In an envelope where the game's own messages are.
    while '{"type":"extras_pong"}' not in await socket.receive_str(timeout=PATIENCE):
        pass


async def test_that_the_house_listens_is_told_to_nobody_else(house: OpenHouse) -> None:
    host, code = await opened(house)
    player, watcher = await sit(host, code), await watch(await house.visitor(), code)
    await player.send("extras_ping")
    await player.until("extras_pong")
    await player.send("extras_say", text="Hello")
    await watcher.until("extras_said")
    assert "extras_pong" not in [event["type"] for event in watcher.heard]


# Who is away


async def two_in_a_round(house: OpenHouse) -> tuple[str, RummyClient, RummyClient, Visitor]:
    host, code = await opened(house)
    guest = await house.visitor()
    one, two = await sit(host, code), await sit(guest, code)
    await two.until("lobby")
    await one.send("start")
    await two.until("turn")
    return code, one, two, guest


async def test_a_seat_is_kept_for_as_long_as_the_house_says(open_house: Opener) -> None:
    house = await open_house(keep_seats=300)
    code, one, two, guest = await two_in_a_round(house)
    await two.close()
    note = await one.until("extras_note")
    table = await one.until("extras_table", running=True)
    (person,) = [person for person in table["people"] if person.get("away")]
    assert (note["kind"], note["id"]) == ("away", person["id"])
    assert 290_000 < person["kept"] <= 300_000
    two = await sit(guest, code)
    await two.until("turn")
    assert (await one.until("extras_note"))["kind"] == "back"
    # Who comes now is told, between the moves, what happened before.
    story = await (await watch(await house.visitor(), code, "&extras=story")).until("extras_story")
    kinds = [event["kind"] for event in story["events"] if event["type"] == "extras_note"]
    assert kinds == ["away", "back"]


async def test_the_other_goes_on_without_somebody_who_is_away(house: OpenHouse) -> None:
    _, one, two, _ = await two_in_a_round(house)
    await two.close()
    table = await one.until("extras_table", running=True)
    while not any(person.get("away") for person in table["people"]):
        table = await one.until("extras_table", running=True)
    (person,) = [person for person in table["people"] if person.get("away")]
    assert person["needed"] == 1
    await one.send("extras_vote", place=person["place"])
    end = await one.until("end")
    assert end["winner_id"] is None
    kinds = [(await one.until("extras_note"))["kind"] for _ in range(2)]
    assert kinds == ["voted", "ended"]
    assert (await one.until("extras_table"))["ended_by"] == person["name"]


async def test_clients_that_do_not_ask_hear_nothing_of_it(house: OpenHouse) -> None:
    host, code = await opened(house)
    guest = await house.visitor()
    one, two = await sit(host, code, extras=""), await sit(guest, code)
    await two.until("lobby")
    await one.send("start")
    await one.until("turn")
    await two.close()
    two = await sit(guest, code)
    await two.until("turn")
    await one.send("draw", card_id="no such card")
    assert (await one.event())["type"] == "error", "nothing came between"
