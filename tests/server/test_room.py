"""A full house: who has to make room for whom."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.support import Client, Opener, OpenHouse, Visitor, soon

ROOMY = {"proxy_headers": True}


async def came_from(house: OpenHouse, address: str) -> Visitor:
    """Somebody new, at this address."""
    return await house.visitor(headers={"X-Forwarded-For": address})


async def visit(visitor: Visitor, moves: int = 0) -> str:
    """Play a solitaire for so many moves, and go; gives its seed."""
    client = Client(await visitor.socket("/mo"))
    board = await client.event()
    seed = str(board["seed"])
    for _ in range(moves):
        await client.send("play", to=board["valid"][0])
        board = await client.until("board")
    await client.close()
    return seed


async def nobody_is_there(house: OpenHouse) -> None:
    await soon(lambda: not any(live.audience.attachments for live in house.server.house.index))


async def finds_again(visitor: Visitor, seed: str) -> bool:
    client = Client(await visitor.socket("/mo"))
    found = (await client.event())["seed"] == seed
    await client.close()
    return found


@pytest.mark.parametrize("address", ["192.0.2.1", "192.0.2.2"])
async def test_visits_of_one_address_drop_nobodys_game(open_house: Opener, address: str) -> None:
    """Neither at another address nor at the same one."""
    house = await open_house(tables=20, **ROOMY)
    victim = await came_from(house, "192.0.2.1")
    seed = await visit(victim, moves=3)
    for _ in range(30):
        await visit(await came_from(house, address))
    await nobody_is_there(house)
    assert len(house.tables) <= 20
    assert await finds_again(victim, seed)


async def refusal(visitor: Visitor) -> str | None:
    """Whether somebody is refused a solitaire; one who is not plays a move, and goes."""
    client = Client(await visitor.socket("/mo"))
    event = await client.event()
    if event["type"] == "board":
        await client.send("play", to=event["valid"][0])
        await client.until("board")
    await client.close()
    code: str | None = event.get("code")
    return code


@pytest.mark.parametrize("restart", [False, True])
async def test_games_of_one_address_do_not_fill_the_house(
    open_house: Opener, restart: bool
) -> None:
    """Half of an empty house is all it can take; whoever comes next, half of what is left."""
    house = await open_house(tables=20, **ROOMY)
    refused = [await refusal(await came_from(house, "192.0.2.1")) for _ in range(15)]
    assert refused == [None] * 10 + ["too-many-tables"] * 5
    if restart:
        await house.server.stop()
        house = await open_house(tables=20, **ROOMY)
        assert await refusal(await came_from(house, "192.0.2.1")) == "too-many-tables"
    refused = [await refusal(await came_from(house, "192.0.2.2")) for _ in range(6)]
    assert refused == [None] * 5 + ["too-many-tables"]
    # A tenth of the house is for everybody, for as long as there is any.
    for number, free in ((3, 2), (4, 2), (5, 1)):
        newcomer = [await refusal(await came_from(house, f"192.0.2.{number}")) for _ in range(free)]
        assert newcomer == [None] * free
    assert await refusal(await came_from(house, "192.0.2.6")) == "house-full"
    assert len(house.tables) == 20


async def test_a_table_of_ones_own_that_was_not_played_makes_room_for_another(
    open_house: Opener,
) -> None:
    house = await open_house(tables=10, **ROOMY)
    modest = await came_from(house, "192.0.2.2")
    other = await visit(modest)
    played = [await came_from(house, "192.0.2.1") for _ in range(4)]
    seeds = [await visit(player, moves=1) for player in played]
    for _ in range(3):
        await visit(await came_from(house, "192.0.2.1"))
        await nobody_is_there(house)
    assert len(house.tables) == 6
    for player, seed in zip([modest, *played], [other, *seeds], strict=True):
        assert await finds_again(player, seed)


async def test_who_has_enough_makes_room_with_a_table_of_their_own_only(
    open_house: Opener,
) -> None:
    """Not even with one of somebody who takes more of the house."""
    house = await open_house(tables=10, **ROOMY)
    visitor = await house.visitor()
    for number, tables in ((1, 5), (2, 3)):
        for _ in range(tables):
            await opened(visitor, number)
    for _ in range(3):
        await opened(visitor, 2)
        taken = Counter(live.taken_by for live in house.server.house.index)
        assert sorted(taken.values()) == [3, 5]


async def test_a_house_full_of_games_that_are_kept_says_so(open_house: Opener) -> None:
    house = await open_house(tables=10, **ROOMY)
    players = [await came_from(house, f"192.0.2.{number}") for number in range(10)]
    seeds = [await visit(player, moves=1) for player in players]
    await nobody_is_there(house)
    newcomer = await came_from(house, "192.0.2.99")
    refused = Client(await newcomer.socket("/mo"))
    assert (await refused.event())["code"] == "house-full"
    status, no = await newcomer.call("POST", "/api/tables", {"game": "mo"})
    assert (status, no["error"]["code"]) == (503, "house-full")
    for player, seed in zip(players, seeds, strict=True):
        assert await finds_again(player, seed)


async def opened(visitor: Visitor, number: int) -> None:
    """One more table that nobody has come to, for an address."""
    headers = {"X-Forwarded-For": f"192.0.2.{number}"}
    status, _ = await visitor.call("POST", "/api/tables", {"game": "mo"}, headers=headers)
    assert status == 201


async def test_whoever_takes_most_makes_room_first(open_house: Opener) -> None:
    house = await open_house(tables=10, **ROOMY)
    modest = await came_from(house, "192.0.2.1")
    kept = await visit(modest)
    # In this order they may have so many of ten.
    for number, tables in ((2, 5), (3, 2), (4, 1), (5, 1)):
        for _ in range(tables):
            await visit(await came_from(house, f"192.0.2.{number}"))
    await nobody_is_there(house)
    assert len(house.tables) == 10
    for number in (6, 7, 8):
        # One goes for each who comes: of those five, though there is an older one.
        await visit(await came_from(house, f"192.0.2.{number}"))
        await nobody_is_there(house)
        assert len(house.tables) == 10
    taken = Counter(live.taken_by for live in house.server.house.index)
    assert sorted(taken.values()) == [1] * 6 + [2, 2]
    assert await finds_again(modest, kept)


async def test_what_was_left_longest_ago_makes_room_first(open_house: Opener) -> None:
    house = await open_house(tables=3, **ROOMY)
    clients = []
    for number in range(3):
        visitor = await came_from(house, f"192.0.2.{number}")
        clients.append(Client(await visitor.socket("/mo")))
        await clients[-1].event()
    tables = [table.roster.id for table in house.tables]
    index = house.server.house.index
    # Not in the order in which they came.
    for at in (1, 2, 0):
        live = index.find(tables[at])
        assert live is not None
        await clients[at].close()
        await soon(lambda live=live: not live.audience.attachments)
        # Two may leave within a millisecond.
        house.server.house.clock.not_before(live.left_at + 1)
    for at, number in ((1, 7), (2, 8)):
        await opened(await house.visitor(), number)
        assert index.find(tables[at]) is None
    assert index.find(tables[0]) is not None


async def test_a_large_house_makes_room_for_more_than_one_at_a_time(open_house: Opener) -> None:
    house = await open_house(tables=100, tables_per_session=1000, **ROOMY)
    visitor = await house.visitor()
    await visitor.token()
    for number in range(10):
        for _ in range(10):
            await opened(visitor, number)
    assert len(house.tables) == 100
    await opened(visitor, 99)
    assert len(house.tables) == 99


async def test_nobody_who_is_there_makes_room(open_house: Opener) -> None:
    house = await open_house(tables=1)
    guest = await house.rummy()
    newcomer = await house.visitor()
    status, no = await newcomer.call("POST", "/api/tables", {"game": "rummy"})
    assert (status, no["error"]["code"]) == (503, "house-full")
    assert await guest.refused("start") == "too-few"
    await guest.close()
    await nobody_is_there(house)
    assert (await newcomer.call("POST", "/api/tables", {"game": "rummy"}))[0] == 201


async def test_an_address_is_known_again_after_a_restart_and_written_down_nowhere(
    open_house: Opener,
) -> None:
    sources: list[list[str]] = []
    for _ in range(2):
        house = await open_house(**ROOMY)
        for address in ("192.0.2.1", "192.0.2.2"):
            await visit(await came_from(house, address), moves=1)
        sources.append([table.opening.source for table in house.tables])
        await house.server.stop()
    assert sources[1] == sources[0] * 2
    assert len(set(sources[1])) == 2
    assert not any("192.0.2" in source for source in sources[1])
