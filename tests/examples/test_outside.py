"""What our own games have, games of other packages have, too: arena, documents, ratings, bots."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from random import Random

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from parlour.arena.duels import Duel, measure
from parlour.cli import app
from tests.examples.conftest import GAMES
from tests.examples.test_scenes import SceneClient
from tests.support import Client, Opener, Visitor

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def installed(examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(examples)


def printed(*words: str) -> str:
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_arena_measures_bots_of_every_strength() -> None:
    text = printed("arena", "hearts", "--games", "6", "--set", "points=0", "--workers", "1")
    assert "Hearts: one bot among others, games 0 to 5" in text
    assert "hard" in text
    assert "2 easy" in text


@pytest.mark.parametrize(
    "duel",
    [
        Duel("hearts", 4, "hard", "easy", {"points": 0}, games_per_deal=4),
        Duel("dice", 2, "hard", "easy", games_per_deal=2),
    ],
    ids=lambda duel: duel.game,
)
def test_the_better_bot_wins_more(duel: Duel) -> None:
    """Of seeded games, the same every time."""
    tally = measure(duel, range(100))
    assert tally.decided > 60
    assert tally.interval[0] > 1 / duel.seats


@pytest.mark.parametrize("game", GAMES)
async def test_its_messages_are_as_its_documents_say(game: str, open_house: Opener) -> None:
    schema = json.loads(printed("protocol", game, "--schema"))
    document = json.loads(printed("protocol", game))
    assert document["channels"][f"plain-{game}"]["address"] == f"/plain/{game}"
    Draft202012Validator.check_schema(schema)
    told = Draft202012Validator({**schema, "anyOf": [{"$ref": "#/$defs/frame"}]})
    house = await open_house(bot_pace=0)
    visitor = await house.visitor()
    await visitor.token()
    body = {"game": game, "bots": 2, "strength": "hard"}
    _, table = await visitor.call("POST", "/api/tables", body)
    client = Client(await visitor.socket(f"/plain/{game}?table={table['code']}"))
    await client.send("start")
    await client.until("turn" if game != "hearts" else "chosen")
    kinds = {event["type"] for event in client.heard}
    assert kinds >= {"welcome", "lobby", "match"}
    for event in client.heard:
        told.validate(event)
    assert not told.is_valid({"type": "welcome"})


PASSWORD = "a long password"


async def play_to_the_end(player: SceneClient, rnd: Random) -> None:
    while (await player.event())["type"] != "result":
        if player.my_turn:
            await player.act(rnd)
            player.scene = {**(player.scene or {}), "choices": []}


async def test_a_match_of_accounts_counts_in_the_pool_that_its_game_names(
    open_house: Opener,
) -> None:
    house = await open_house(proxy_headers=True)
    people: list[Visitor] = []
    for number, name in enumerate(("Ada", "Bob", "Cid")):
        visitor = await house.visitor(headers={"X-Forwarded-For": f"192.0.2.{number}"})
        account = {"username": name, "password": PASSWORD}
        assert (await visitor.call("POST", "/user/create", account))[0] == 201
        people.append(visitor)
    _, table = await people[0].call("POST", "/api/tables", {"game": "hearts", "public": True})
    address = f"/plain/hearts?table={table['code']}&extras=scene"
    players = [SceneClient(await visitor.socket(address)) for visitor in people]
    for player in players:
        await player.until("lobby")
    await players[0].send("start")
    async with asyncio.TaskGroup() as together:
        for number, player in enumerate(players):
            together.create_task(play_to_the_end(player, Random(number)))
    points = players[0].heard[-1]["scores"]
    winner = min(points, key=lambda seat: int(points[seat]))
    _, ranking = await people[int(winner)].call("GET", "/api/ratings/hearts")
    assert ranking["pool"] == "hearts"
    first, *others = ranking["ranks"]
    assert (first["rank"], first["wins"], first["you"]) == (1, 1, True)
    assert {each["name"] for each in ranking["ranks"]} == {"Ada", "Bob", "Cid"}
    assert first["rating"] > 1500 > others[-1]["rating"]
    assert (await people[0].call("GET", "/api/ratings/nothing"))[1]["ranks"] == []
