"""Committed before told: nobody hears of what could still be lost, and nothing told is lost."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from parlour.games.rummy.rules import Rummy
from parlour.house import live as lives
from parlour.house.folding import fold_log
from parlour.house.live import MOST_FAULTS, LiveTable
from parlour.kit import Illegal
from parlour.store import StoreTrouble
from parlour.store.sqlite import SqliteStore
from parlour.table import Table
from parlour.table import inputs as do
from tests.support import (
    Event,
    HeldStore,
    Opener,
    OpenHouse,
    Process,
    RummyClient,
    Visitor,
    recalled,
    soon,
)

Serve = Callable[..., Awaitable[Process]]
Guests = Callable[[Process], Awaitable[Visitor]]


@pytest.fixture
async def held(open_house: Opener, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OpenHouse]:
    """A house whose log keeps nothing until told to."""
    monkeypatch.setattr("parlour.server.server.MemoryStore", HeldStore)
    house = await open_house(data=":memory:")
    monkeypatch.setattr(HeldStore, "held", True)
    yield house
    # A house does not close before everything is kept.
    monkeypatch.setattr(HeldStore, "held", False)
    let_go(house)


def let_go(house: OpenHouse) -> None:
    store = house.server.store
    assert isinstance(store, HeldStore)
    store.release()


async def test_nothing_is_told_before_it_is_kept(held: OpenHouse) -> None:
    host, guest = [await (await held.visitor()).rummy() for _ in range(2)]
    waiting = [asyncio.create_task(client.event()) for client in (host, guest)]
    await soon(lambda: len(held.tables) == 2)
    await held.says_no_more()
    assert not any(task.done() for task in waiting)
    let_go(held)
    await asyncio.gather(*waiting)

    await guest.send("join", code=host.code)
    await guest.send("ai", action="add")
    await guest.send("start")
    waiting = [asyncio.create_task(client.event()) for client in (host, guest)]
    # The table goes on in memory all the same.
    await soon(lambda: [t.roster.running for t in held.tables] == [True])
    await held.says_no_more()
    assert not any(task.done() for task in waiting)
    let_go(held)
    for task in waiting:
        assert (await task)["type"] == "lobby"
    for client in (host, guest):
        assert [(await client.event())["type"] for _ in range(2)] == ["lobby", "start"]
    let_go(held)


async def test_that_the_house_listens_is_said_once_what_came_before_is_kept(
    held: OpenHouse,
) -> None:
    client = await (await held.visitor()).rummy("?extras")
    await soon(lambda: len(held.tables) == 1)
    let_go(held)
    await client.until("extras_story")
    await client.send("extras_say", text="Hello")
    await client.send("extras_ping")
    told = asyncio.create_task(client.until("extras_pong"))
    await soon(lambda: len(held.tables[0].spoken) == 1)
    await held.says_no_more()
    assert not told.done()
    let_go(held)
    await told
    assert [event["type"] for event in client.heard[-2:]] == ["extras_said", "extras_pong"]


async def test_the_control_plane_waits_for_the_log_too(held: OpenHouse) -> None:
    visitor = await held.visitor()
    opening = asyncio.create_task(visitor.call("POST", "/api/tables", {"game": "rummy"}))
    await soon(lambda: len(held.tables) == 1)
    code = held.tables[0].roster.code
    asking = [
        asyncio.create_task(visitor.call("GET", f"/api/tables/{code}")),
        asyncio.create_task(visitor.call("GET", "/api/tables")),
    ]
    await held.says_no_more()
    assert not any(task.done() for task in (opening, *asking))
    let_go(held)
    assert (await opening)[0] == 201
    assert [(await task)[0] for task in asking] == [200, 200]


async def test_an_answer_holds_nothing_that_happened_while_it_waited(held: OpenHouse) -> None:
    """What is asked for by HTTP is what was so when it was asked, not when it is answered."""
    opener, visitor = await held.visitor(), await held.visitor()
    await opener.call("GET", "/api/me")
    store = held.server.store
    assert isinstance(store, HeldStore)
    body = {"game": "rummy", "public": True}
    opening = asyncio.create_task(opener.call("POST", "/api/tables", body))
    await soon(lambda: len(held.tables) == 1)
    [first] = held.tables
    asking = asyncio.create_task(visitor.call("GET", "/api/tables"))
    finding = asyncio.create_task(visitor.call("GET", f"/api/tables/{first.roster.code}"))
    await held.says_no_more()
    kept = store.last_ticket
    later = asyncio.create_task(visitor.call("POST", "/api/tables", body))
    adding = asyncio.create_task(opener.call("POST", f"/api/tables/{first.roster.code}/bots"))
    await soon(lambda: len(held.tables) == 2 and first.roster.players != [])
    store._kept(kept)
    assert (await opening)[1]["players"] == []
    assert [t["code"] for t in (await asking)[1]["tables"]] == [first.roster.code]
    assert (await finding)[1]["players"] == []
    assert not later.done()
    let_go(held)
    assert (await later)[0] == 201
    assert len((await adding)[1]["players"]) == 1


async def test_what_is_counted_has_been_kept(held: OpenHouse) -> None:
    guest = await (await held.visitor()).rummy()
    await soon(lambda: len(held.tables) == 1)
    let_go(held)
    await guest.expect("lobby")
    await guest.send("ai", action="add")
    await soon(lambda: len(held.tables[0].roster.players) == 2)
    visitor = await held.visitor()
    assert b'parlour_actions_total{game="rummy"} 0.0' in (await visitor.get("/metrics")).body
    let_go(held)
    await guest.expect("lobby")
    assert b'parlour_actions_total{game="rummy"} 1.0' in (await visitor.get("/metrics")).body


async def test_names_and_accounts_are_told_once_they_are_kept(held: OpenHouse) -> None:
    visitor = await held.visitor()
    await visitor.call("GET", "/api/me")
    naming = asyncio.create_task(visitor.call("PUT", "/api/me", {"name": "Ada"}))
    store = held.server.store
    await recalled(store, "name:")
    assert (await visitor.call("GET", "/api/me"))[1]["name"] == "Player"
    assert not naming.done()
    let_go(held)
    assert (await naming)[1]["name"] == "Ada"

    body = {"username": "Grace", "password": "correct horse"}
    making = asyncio.create_task(visitor.call("POST", "/user/create", body))
    await recalled(store, "account:")
    await visitor.call("GET", "/healthz")
    assert not making.done()
    let_go(held)
    await recalled(store, "name:", b"Ada", b"Grace")
    let_go(held)
    assert (await making)[0] == 201


async def test_a_house_that_drains_opens_no_tables_and_waits_for_its_log(held: OpenHouse) -> None:
    guest = await (await held.visitor()).rummy()
    await soon(lambda: len(held.tables) == 1)
    closing = asyncio.create_task(held.server.stop())
    await soon(lambda: not held.server.lifecycle.open)
    visitor = await held.visitor()
    assert await visitor.call("GET", "/readyz") == (503, {"ready": False})
    status, no = await visitor.call("POST", "/api/tables", {"game": "rummy"})
    assert (status, no["error"]["code"]) == (503, "closing")
    late = await visitor.rummy()
    assert (await late.expect("error"))["code"] == "closing"
    assert await late.closed() == 1001
    assert not closing.done()
    let_go(held)
    # What was said before the end is heard before it.
    await guest.expect("lobby")
    assert await guest.closed() == 1001
    await closing


# A house that is shut and opened again


async def start_a_round(visitors: list[Visitor], bots: int = 0) -> list[RummyClient]:
    """People with tokens at one table, each having played two turns.

    Melds of three leave a card over in every hand, so that no bot goes out meanwhile.
    """
    body = {"game": "rummy", "bots": bots, "settings": {"limit_meld_size": 3}}
    _, table = await visitors[0].call("POST", "/api/tables", body)
    players = []
    for visitor in visitors:
        client = await visitor.rummy(f"?token={await visitor.token()}&table={table['code']}")
        players.append(client)
        for other in players:
            await other.expect("lobby")
    await players[0].send("start")
    for _ in range(2):
        for player in players:
            await player.play_turn()
    return players


def facts(events: list[Event]) -> list[Event]:
    """A greeting without what may differ between two of them: the order of the deck's ids."""
    return [{k: v for k, v in e.items() if k != "card_ids"} for e in events]


async def greeting(visitor: Visitor, token: str) -> list[Event]:
    """All that somebody is told who comes back in a round."""
    client = await visitor.rummy(f"?token={token}")
    await client.expect("start")
    await client.until("turn")
    heard = client.heard[:]
    await client.close()
    return heard


async def test_a_round_goes_on_after_the_house_was_shut(open_house: Opener) -> None:
    house = await open_house()
    visitors = [await house.visitor() for _ in range(2)]
    tokens = [await visitor.token() for visitor in visitors]
    one, two = await start_a_round(visitors, bots=1)
    before = [await greeting(v, t) for v, t in zip(visitors, tokens, strict=True)]
    await house.shut(one, two)
    house = await open_house()
    visitors = [await house.visitor() for _ in range(2)]
    after = [await greeting(v, t) for v, t in zip(visitors, tokens, strict=True)]
    assert [facts(a) for a in after] == [facts(b) for b in before]
    again = [await v.rummy(f"?token={t}") for v, t in zip(visitors, tokens, strict=True)]
    for old, new in zip((one, two), again, strict=True):
        await new.until("turn")
        assert new.me == old.me
        assert [c["id"] for c in new.hand] == [c["id"] for c in old.hand]
    await asyncio.gather(*(client.play_turn() for client in again))


def fail(*_: object) -> None:
    raise ZeroDivisionError


async def begun_and_left(open_house: Opener) -> tuple[list[Visitor], LiveTable]:
    """Two who have begun a round and are away from it, and their table."""
    house = await open_house()
    visitors = [await house.visitor() for _ in range(2)]
    for player in await start_a_round(visitors):
        await player.close()
    (live,) = house.server.house.index
    return visitors, live


async def fail_at_a_meld(visitors: list[Visitor]) -> list[int | None]:
    """Whoever's turn it is melds, and the rules fail in the middle; gives the close codes."""
    tokens = [await visitor.token() for visitor in visitors]
    players = [await v.rummy(f"?token={t}") for v, t in zip(visitors, tokens, strict=True)]
    turns = [await player.until("turn") for player in players]
    mover = next(player for player in players if player.me == turns[0]["player_id"])
    if turns[0]["state"] == "draw":
        await mover.send("draw", card_id=mover.deck[-1])
        await mover.until("turn")
    await mover.send("meld", card_ids=[card["id"] for card in mover.hand[:3]])
    return [await player.closed() for player in players]


async def test_a_table_that_fails_is_set_up_again_from_its_log(
    open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = await open_house()
    visitors = [await house.visitor() for _ in range(2)]
    tokens = [await visitor.token() for visitor in visitors]
    for player in await start_a_round(visitors):
        await player.close()

    def half_a_meld(match: Rummy, seat: int, card_ids: list[str]) -> None:
        match.hands[seat].pop()
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(Rummy, "_meld", half_a_meld)
        assert await fail_at_a_meld(visitors) == [1012, 1012]
    again = [await v.rummy(f"?token={t}") for v, t in zip(visitors, tokens, strict=True)]
    for player in again:
        await player.until("turn")
    # The card that was drawn before the fault is in the hand, and so is the one it took away.
    mover, other = sorted(again, key=lambda player: -len(player.hand))
    assert len(mover.hand) == len(other.hand) + 1
    await mover.send("discard", card_id=mover.hand[0]["id"])
    for player in again:
        await player.until("turn")


async def test_a_table_that_has_been_put_away_is_left_alone(
    open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = await open_house()
    visitors = [await house.visitor() for _ in range(2)]
    one, two = await start_a_round(visitors)
    (live,) = house.server.house.index
    table = live.table
    player = live.roster.of_visitor(live.audience.attachments[1].visitor)
    assert player is not None
    player.present = False

    with monkeypatch.context() as patch:
        patch.setitem(table.phase.steps, do.Back, fail)
        with pytest.raises(Illegal, match="set up again"):
            live.newcomers.gather_lobby([])
    assert [await client.closed() for client in (one, two)] == [1012, 1012]
    await live.mended()
    assert live.table is not table


async def test_a_table_that_fails_while_it_is_set_up_again_is_not_used_before_it_is_whole(
    open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitors, live = await begun_and_left(open_house)
    newcomer: list[asyncio.Task[None]] = []
    waited: list[bool] = []

    async def fold_to_fail_at_first(*log: Any) -> Table:
        table = await fold_log(*log)
        wake = table.phase.steps[do.Wake]

        def fail_at_first(entry: do.Wake, now: int) -> list[Any]:
            if not newcomer:
                newcomer.append(asyncio.create_task(live.mended()))
                raise ZeroDivisionError
            waited.append(not newcomer[0].done())
            return wake(entry, now)

        table.phase.steps[do.Wake] = fail_at_first
        return table

    monkeypatch.setattr(lives, "fold_log", fold_to_fail_at_first)
    monkeypatch.setattr(Rummy, "_meld", fail)
    assert await fail_at_a_meld(visitors) == [1012, 1012]
    await soon(lambda: waited != [])
    await newcomer[0]
    assert waited == [True]


async def test_a_table_that_can_not_be_set_up_again_stays_shut(
    open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitors, live = await begun_and_left(open_house)
    monkeypatch.setattr(Rummy, "_meld", fail)
    monkeypatch.setattr(Rummy, "_discard", fail)
    assert await fail_at_a_meld(visitors) == [1012, 1012]
    with pytest.raises(Illegal, match="shut"):
        await live.mended()


async def test_a_table_that_fails_again_and_again_stays_shut(
    open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = await open_house()
    visitors = [await house.visitor() for _ in range(2)]
    for player in await start_a_round(visitors):
        await player.close()

    monkeypatch.setattr(Rummy, "_meld", fail)
    for _ in range(MOST_FAULTS + 1):
        assert await fail_at_a_meld(visitors) == [1012, 1012]
    token = await visitors[0].token()
    told = await visitors[0].rummy(f"?token={token}")
    assert (await told.expect("error"))["code"] == "table-shut"
    # Said once: then there is a new table.
    late = await visitors[0].rummy(f"?token={token}")
    assert len((await late.expect("lobby"))["lobby"]["players"]) == 1


async def test_a_lobby_is_still_there_after_the_house_was_shut(open_house: Opener) -> None:
    house = await open_house()
    visitor = await house.visitor()
    token = await visitor.token()
    guest = await visitor.rummy(f"?token={token}")
    await guest.expect("lobby")
    await guest.send("name", name="Ada")
    await guest.expect("lobby")
    await guest.send("ai", action="add")
    await guest.expect("lobby")
    await house.shut(guest)
    house = await open_house()
    again = await (await house.visitor()).rummy(f"?token={token}")
    await again.expect("lobby")
    assert again.lobby == guest.lobby


async def test_a_table_of_guests_without_tokens_closes_with_the_house(open_house: Opener) -> None:
    house = await open_house()
    guest = await house.rummy()
    await house.shut(guest)
    house = await open_house()
    assert house.tables == []


async def test_who_sat_at_tables_long_closed_is_forgotten(
    house: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.house.index.MOST_REMEMBERED", 3)
    for _ in range(30):
        await (await house.rummy()).close()
    await soon(lambda: house.tables == [])
    await house.rummy()
    assert len(house.server.house.index._last_seat) <= 3 + 10


# A log that fails


async def test_a_house_whose_log_fails_closes_and_tells_nothing_more(
    open_house: Opener,
) -> None:
    house = await open_house()
    visitor = await house.visitor()
    token = await visitor.token()
    guest = await visitor.rummy(f"?token={token}")
    await guest.expect("lobby")
    store = house.server.store
    assert isinstance(store, SqliteStore)
    store._db.execute("PRAGMA max_page_count = 1")
    number = 0
    while not house.server.lifecycle.lost:
        number += 1
        await guest.send("name", name=f"Ada {number}")
        await asyncio.sleep(0)
    assert await visitor.call("GET", "/healthz") == (500, {"ok": False, "state": "lost"})
    status, _ = await visitor.call("POST", "/api/tables", {"game": "rummy"})
    assert status == 503
    assert (await visitor.call("PUT", "/api/me", {"name": "Ada"}))[0] == 503
    assert (await visitor.call("GET", f"/api/tables/{guest.code}"))[0] == 503
    with pytest.raises(StoreTrouble, match="full"):
        await house.shut(guest)
    assert await guest.closed() == 1001
    told = [e["lobby"]["players"][0]["name"] for e in guest.heard if e["type"] == "lobby"]
    house = await open_house()
    again = await (await house.visitor()).rummy(f"?token={token}")
    await again.expect("lobby")
    kept = again.names[0]
    assert int(f"0{kept.removeprefix('Player').removeprefix('Ada ')}") >= len(told) - 1


# The process


async def test_a_killed_house_has_lost_nothing_it_told(serve: Serve, guests: Guests) -> None:
    process = await serve()
    visitors = [await guests(process) for _ in range(2)]
    tokens = [await visitor.token() for visitor in visitors]
    players = await start_a_round(visitors, bots=1)
    await players[0].my_turn()
    lobby_owner = await guests(process)
    lobby_token = await lobby_owner.token()
    lobby = await lobby_owner.rummy(f"?token={lobby_token}")
    await lobby.expect("lobby")
    # In the middle of things: a draw told, its discard not yet made.
    await players[0].send("draw", card_id=players[0].deck[-1])
    await players[0].until("turn", state="play")
    await process.kill()

    process = await serve()
    back = []
    for token, player in zip(tokens, players, strict=True):
        again = await (await guests(process)).rummy(f"?token={token}")
        assert (await again.expect("start"))["current_player_id"] == player.me
        turn = await again.until("turn")
        assert (turn["player_id"], turn["state"]) == (players[0].me, "play")
        back.append(again)
    first = back[0]
    assert first.hand == players[0].hand
    assert first.discards == players[0].discards
    await first.send("discard", card_id=first.hand[0]["id"])
    await first.until("turn", state="draw")
    reopened = await (await guests(process)).rummy(f"?token={lobby_token}")
    await reopened.expect("lobby")
    assert reopened.lobby == lobby.lobby


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
async def test_a_house_that_is_asked_to_closes_cleanly(
    serve: Serve, guests: Guests, how: signal.Signals
) -> None:
    process = await serve()
    visitor = await guests(process)
    token = await visitor.token()
    guest = await visitor.rummy(f"?token={token}")
    await guest.expect("lobby")
    await guest.send("name", name="Ada")
    await guest.expect("lobby")
    process.process.send_signal(how)
    assert await guest.closed() == 1001
    code, complaints = await process.ended()
    assert code == 0
    assert "Traceback" not in complaints
    process = await serve()
    again = await (await guests(process)).rummy(f"?token={token}")
    await again.expect("lobby")
    assert again.names == ["Ada"]


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files")
async def test_a_full_disk_ends_the_house_with_a_sentence(serve: Serve, guests: Guests) -> None:
    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    # Where coverage is measured, its files would be the first to be too large.
    unmeasured = {k: v for k, v in os.environ.items() if not k.startswith("COVERAGE")}
    process = await serve(preexec_fn=small_disk, env=unmeasured)
    visitor = await guests(process)
    token = await visitor.token()
    guest = await visitor.rummy(f"?token={token}")
    await guest.expect("lobby")
    told = 0
    try:
        while True:
            await guest.send("name", name=f"Ada {told + 1}")
            event = await guest.event()
            if event["type"] == "lobby":
                told += 1
    except (AssertionError, ConnectionError):
        # No more events: the connection was closed.
        assert (guest.close_code or await guest.closed()) == 1001
    code, complaints = await process.ended()
    assert code == 2
    assert "Traceback" not in complaints
    assert complaints.strip().splitlines()[-1].startswith("parlour: The log could not be written")
    process = await serve()
    again = await (await guests(process)).rummy(f"?token={token}")
    await again.expect("lobby")
    assert int(again.names[0].removeprefix("Ada ")) >= told > 0
