"""Whether there is a table of some code costs so much to find out that nobody can try them all."""

from __future__ import annotations

import re
from typing import Any

import aiohttp
import pytest

from tests.support import Client, Opener, OpenHouse, Visitor
from tests.wcp.clients import basic

TRIES = 3
"""An address may guess twice in these houses: the next request is one too many."""
GUESSING: dict[str, Any] = {"request_burst": 30, "request_rate": 0.0001, "data": ":memory:"}
LEAST = 1000
"""A guesser must be stopped before so many tries. Codes have six digits."""

IN_QUERIES = ("GET /gameinfo?table={}", "GET /Websocket?roomId={}")
NOT_GUESSED = frozenset(
    (
        *("/api/replays/{id}", "/api/replays/{id}/frames", "/game/ws/{game_id}"),
        "/api/replays/{id}/log",
        *("/api/games/{game}/lessons/{lesson}", "/api/ratings/{pool}"),
        "/api/leaderboards/{game}",
        "/api/passkeys/{id}",
        "/api/operator/audit/{month}",
    )
)
"""Ids of tables and matches are long and random; games, lessons and ratings are no secrets."""
OF_THE_PAGE = re.compile(
    r"/(table|play|replay|learn|player|ratings|package|evening)/|/(screen|overlay)$|/assets|^/\{name\}$"
)
"""The page is the same at all of its addresses."""
BODIES: dict[str, Any] = {
    "/api/tables/{code}/kick": {"place": 0},
    "/api/tables/{code}/lock": {"locked": True},
    "/api/tables/{code}/settings": {"settings": {}},
    "PUT /api/tables/{code}/packs": {"name": "x", "shared": True},
    "POST /api/tables/{code}/packs": {"name": "x", "pack": {}},
    "/api/tables/{code}/seats": {"user": "ann"},
    "/api/evenings/{code}/vote": {"game": "rummy"},
    "/api/evenings/{code}/host": {"member": 0},
    "/api/evenings/{code}/tables": {"game": "rummy"},
}


def _addresses(house: OpenHouse) -> list[tuple[str, str, Any]]:
    """Every route with a code in its address: method, address with no table's code, body."""
    found = [(*each.split(" "), None) for each in IN_QUERIES]
    for resource in house.server.app.router.resources():
        path = resource.canonical
        if "{" not in path or path in NOT_GUESSED or OF_THE_PAGE.search(path):
            continue
        for route in resource:
            if route.method != "HEAD":
                body = BODIES.get(f"{route.method} {path}", BODIES.get(path, {}))
                found.append((route.method, path, None if route.method == "GET" else body))
    return [(method, re.sub(r"\{.*?\}", "000000", path), body) for method, path, body in found]


async def _status(visitor: Visitor, method: str, path: str, body: Any, **headers: str) -> int:
    async with visitor.http.request(method, visitor.base + path, json=body, headers=headers) as got:
        return got.status


@pytest.fixture
async def guarded(open_house: Opener) -> OpenHouse:
    return await open_house(**GUESSING)


async def test_every_route_with_a_code_charges_for_a_code_that_is_none(guarded: OpenHouse) -> None:
    visitor = await guarded.visitor()
    await visitor.token()
    addresses = _addresses(guarded)
    assert len(addresses) > 15
    requests = guarded.server.upgrader._requests
    for method, path, body in addresses:
        if path in ("/lobby/ws/000000", "/ws/000000", "/000000"):
            continue  # sockets: below
        requests.forgive("127.0.0.1")
        told = [await _status(visitor, method, path, body) for _ in range(TRIES)]
        assert 429 not in told[:1], (method, path, told)
        assert told[-1] == 429, (method, path, told)


@pytest.mark.parametrize(
    "path",
    [
        *("/rummy?table={}", "/rummy?watch={}", "/stream?table={}", "/mo?table={}", "/mo?watch={}"),
        *("/game?table={}", "/play?table={}", "/spectate?table={}", "/onu?watch={}"),
        *("/lobby/ws/{}", "/ws/{}", "/lobby/ws/{}?watch", "/{}"),
    ],
)
async def test_every_door_with_a_code_charges_for_a_code_that_is_none(
    guarded: OpenHouse, path: str
) -> None:
    visitor = await guarded.visitor()
    await visitor.token()
    guarded.server.upgrader._requests.forgive("127.0.0.1")
    options: dict[str, Any] = {"headers": basic("ann", "any")} if path == "/{}" else {}
    if "ws/" in path:
        options["protocols"] = ("lobby", "cambia")
    for number in range(TRIES - 1):
        try:
            socket = await visitor.socket(path.format(f"00000{number}"), **options)
            await socket.close()
        except aiohttp.WSServerHandshakeError as no:
            assert no.status != 429
    assert await visitor.refusal(path.format("000009"), **options) == 429


async def test_a_pack_or_a_channel_of_a_table_that_is_none_is_a_guess_too(
    open_house: Opener,
) -> None:
    guarded = await open_house(**GUESSING, wcp_open=False)
    visitor = await guarded.visitor()
    requests = guarded.server.upgrader._requests
    _, table = await visitor.call("POST", "/api/tables", {"game": "quips"})
    packs = f"/api/tables/{table['code']}/packs"
    for path, body in (
        (packs, {"name": "x", "table": "000000"}),
        ("/api/tables", {"game": "onu", "settings": {"channel": "000000"}}),
    ):
        requests.forgive("127.0.0.1")
        told = [await _status(visitor, "POST", path, body) for _ in range(TRIES)]
        assert told[-1] == 429, (path, told)


async def test_who_is_in_a_channel_that_there_is_can_be_asked_often(guarded: OpenHouse) -> None:
    visitor = await guarded.visitor()
    socket = await visitor.socket("/lounge", headers=basic("ann", "any"))
    guarded.server.upgrader._requests.forgive("127.0.0.1")
    for _ in range(20):
        assert await visitor.call("GET", "/Websocket?roomId=Lounge") == (200, ["ann"])
    await socket.close()


async def test_who_waits_for_a_seat_can_not_try_passwords(guarded: OpenHouse) -> None:
    opener = await guarded.visitor()
    settings = {"player_password": "secret"}
    _, table = await opener.call("POST", "/api/tables", {"game": "quips", "settings": settings})
    path = f"/spectate?table={table['code']}&extras"
    client = Client(await (await guarded.visitor()).socket(path))
    codes = []
    for number in range(TRIES):
        await client.send("extras_queue", password=f"guess {number}")
        codes.append(await _refused(client))
    assert codes == ["bad-password", "bad-password", "too-fast"]


async def _refused(client: Client) -> str:
    """The code of the next refusal, in whichever words it comes."""
    while True:
        event = (await client.socket.receive()).json()
        if "code" in event and "error" in str(event):
            return str(event["code"])


async def test_codes_can_not_be_guessed_on_a_socket(limited_house: OpenHouse) -> None:
    guesser, other = await limited_house.rummy(), await limited_house.rummy()
    tried = 0
    while await guesser.refused("join", code=f"{tried:06d}") == "no-such-table":
        tried += 1
        assert tried < LEAST
    # On another connection, or by HTTP, it is the same guesser; a right guess is no longer told.
    visitor = await limited_house.visitor()
    assert await visitor.refusal("/rummy") == 429
    assert (await visitor.call("GET", f"/api/tables/{other.code}"))[0] == 429
    assert await guesser.refused("join", code=other.code) == "too-fast"
    # Who moves between tables that are there pays like for a request.
    assert len(limited_house.tables) == 2


@pytest.mark.parametrize("path", ["/rummy?table=", "/mo?watch=", "/game?table="])
async def test_codes_can_not_be_guessed_by_connecting(limited_house: OpenHouse, path: str) -> None:
    visitor = await limited_house.visitor()
    tried = 0
    while tried < LEAST:
        try:
            socket = await visitor.socket(f"{path}{tried:06d}")
        except aiohttp.WSServerHandshakeError as no:
            if no.status == 429:
                break
        else:
            await socket.close()
        tried += 1
    assert tried < LEAST / 10


async def test_a_password_can_not_be_guessed_in_a_hurry(limited_house: OpenHouse) -> None:
    visitor = await limited_house.visitor()
    wanted = {"game": "quips", "settings": {"player_password": "sesame"}}
    _, table = await visitor.call("POST", "/api/tables", wanted)
    # Who opened it is not asked.
    visitor = await limited_house.visitor()
    tried = 0
    while tried < LEAST:
        try:
            socket = await visitor.socket(f"/game?name=Ann&table={table['code']}&password={tried}")
        except aiohttp.WSServerHandshakeError as no:
            assert no.status == 429
            break
        await socket.close()
        tried += 1
    assert tried < LEAST / 10
