"""MO over its socket: what a client of the protocol is told, and how its game is kept."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest

from parlour.games.mo.board import DRAW, INNER, OUTER, PILES
from parlour.games.mo.rules import opening
from parlour.games.mo.solver import solve
from parlour.house.slow_answers import SlowAnswers
from tests.support import PATIENCE, Client, Event, Opener, OpenHouse, Visitor

BOARD = [
    "type", "piles", "valid", "can_undo", "can_redo", "status", "reason", "seed", "profile",
    "defeated", "moves", "lanes", "hopeless",
]  # fmt: skip
LANE = ["pile", "near", "middle", "far", "health", "suits", "missing", "wrong", "ready", "needs"]
CARD = ["rank", "suit", "value", "face_up"]

WIDE = "golden"
"""A deal whose first card fits many piles, so that a hint has to think."""


SPOKEN = {"A": "ace", "J": "jack", "Q": "queen", "K": "king"}

PLAN_18 = (
    "c3 d3 d2 d2 a4 c4 c4 d4 b2 c4 c4 c1 b4 b1 b3 e4 d2 a2 d2 d5 d3 d2 c5 b4 e3 c3 b2 c2 c4 c2 "
    "b3 b1 c3 b5 d2 b5 d4 a3 b5 d1 a3 b3 d2 e2"
).split()
"""Moves of the deal `plan-18` up to where every card is known and 24 more win it."""


async def sit(visitor: Visitor, query: str = "") -> tuple[Client, Event]:
    """A connection, and the board it is greeted with."""
    client = Client(await visitor.socket(f"/mo{query}"))
    return client, await client.expect("board")


async def told(client: Client, type: str, **fields: Any) -> Event:
    """Send something, and give the one message that answers it."""
    await client.send(type, **fields)
    return await client.event()


async def refused(client: Client, type: str, **fields: Any) -> str:
    answer = await told(client, type, **fields)
    assert list(answer) == ["type", "code", "message"]
    assert answer["type"] == "error", answer
    return str(answer["code"])


async def test_every_message_has_the_fields_of_the_protocol_in_their_order(
    open_house: Opener,
) -> None:
    house = await open_house()
    me, board = await sit(await house.visitor())
    board = await told(me, "new", seed="parlour")
    line = solve(opening("parlour", "classic")).line or []
    for step, to in enumerate(line, 1):
        assert list(board) == BOARD
        assert list(board["piles"]) == list(PILES)
        for name in (*INNER, *OUTER):
            assert all(list(card) == CARD for card in board["piles"][name])
        assert list(board["piles"][DRAW]) == ["count", "top"]
        assert list(board["piles"][DRAW]["top"]) == CARD
        assert all(list(lane) == LANE for lane in board["lanes"])
        assert PILES[to] in board["valid"]
        board = await told(me, "play", to=PILES[to])
        assert board["moves"] == step
    assert (board["status"], board["reason"], board["valid"]) == ("won", "won", [])
    assert sorted(board["defeated"]) == sorted(OUTER)
    assert not any(card["face_up"] for name in OUTER for card in board["piles"][name])
    pile = await told(me, "peek", pile="c3")
    assert list(pile) == ["type", "pile", "cards"]
    assert pile["cards"] == board["piles"]["c3"]
    assert await refused(me, "play", to="b2") == "game-over"


async def test_a_stale_tab_does_not_play_the_next_card(house: OpenHouse) -> None:
    visitor = await house.visitor()
    one, _ = await sit(visitor)
    board = await told(one, "new", seed=WIDE)
    other, _ = await sit(visitor)
    to = board["valid"][0]
    after = await told(one, "play", to=to, moves=board["moves"])
    assert after["moves"] == board["moves"] + 1
    assert await other.expect("board") == after
    for _ in range(2):
        assert await refused(other, "play", to=after["valid"][0], moves=board["moves"]) == "stale"
    again = await told(other, "play", to=after["valid"][0], moves=after["moves"])
    assert again["moves"] == after["moves"] + 1


async def test_a_hint_names_a_valid_pile_and_leaves_everything_as_it_was(house: OpenHouse) -> None:
    visitor = await house.visitor()
    me, _ = await sit(visitor)
    board = await told(me, "new", seed=WIDE)
    hint = await told(me, "hint")
    assert list(hint) == ["type", "to", "why"]
    assert hint["to"] in board["valid"]
    again, greeted = await sit(visitor)
    assert greeted == board
    assert await told(again, "hint") == hint


async def test_a_forced_move_is_hinted_at_without_a_worker(
    house: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    me, _ = await sit(await house.visitor())
    board = await told(me, "new", seed="parlour")
    monkeypatch.setattr(SlowAnswers, "ask", lambda *_: pytest.fail("a worker is asked"))
    while len(board["valid"]) > 1:
        board = await told(me, "play", to=board["valid"][0])
    top = board["piles"][DRAW]["top"]
    said = f"Only this pile takes the {SPOKEN.get(top['rank'], top['rank'])} of {top['suit']}."
    assert await told(me, "hint") == {"type": "hint", "to": board["valid"][0], "why": said}


async def test_hints_keep_to_a_line_said_to_win_over_a_reload(house: OpenHouse) -> None:
    """Solved anew at every hint, this deal was lost by repetition."""
    visitor = await house.visitor()
    me, _ = await sit(visitor)
    board = await told(me, "new", seed="plan-18")
    for to in PLAN_18:
        board = await told(me, "play", to=to)
    left = 24
    while board["status"] == "playing":
        hint = await told(me, "hint")
        if len(board["valid"]) > 1:
            assert hint["why"].endswith(f"Every card is known now, and {left} more can win it.")
        board = await told(me, "play", to=hint["to"])
        left -= 1
        if left == 12:
            await me.close()
            me, board = await sit(visitor)
    assert (board["status"], left) == ("won", 0)


async def test_a_hint_for_a_game_that_is_over_is_refused_and_the_next_is_answered(
    open_house: Opener,
) -> None:
    """A refusal must not end the process that thinks: others may be waiting for it."""
    house = await open_house()
    me, board = await sit(await house.visitor())
    chance = random.Random(1)
    while board["status"] == "playing":
        board = await told(me, "play", to=chance.choice(board["valid"]))
    assert await refused(me, "hint") == "game-over"
    await told(me, "undo")
    assert (await told(me, "hint"))["type"] == "hint"


async def test_a_reload_finds_the_game_with_its_undo_and_redo(house: OpenHouse) -> None:
    visitor = await house.visitor()
    me, board = await sit(visitor)
    for _ in range(3):
        board = await told(me, "play", to=board["valid"][0])
    board = await told(me, "undo")
    await me.close()
    me, greeted = await sit(visitor)
    assert greeted == board
    assert (greeted["moves"], greeted["can_undo"], greeted["can_redo"]) == (2, True, True)
    assert (await told(me, "redo"))["moves"] == 3
    assert (await sit(await house.visitor()))[1]["moves"] == 0, "nobody else has it"


async def test_a_restart_of_the_house_finds_the_game_with_its_undo_and_redo(
    open_house: Opener,
) -> None:
    house = await open_house()
    visitor = await house.visitor()
    me, board = await sit(visitor)
    await told(me, "new", seed=WIDE, profile="printed")
    for to in ("d4", "c3", "b3"):
        board = await told(me, "play", to=to)
    board = await told(me, "undo")
    hint = await told(me, "hint")
    token = await visitor.token()
    await house.shut(me)
    house = await open_house()
    me, greeted = await sit(await house.visitor(), f"?token={token}")
    assert greeted == board
    assert await told(me, "hint") == hint, "what was seen before the undo is still known"
    assert (await told(me, "redo"))["moves"] == 3


async def test_all_connections_of_a_session_are_told_the_same_boards(house: OpenHouse) -> None:
    visitor = await house.visitor()
    one, board = await sit(visitor)
    two, same = await sit(visitor)
    assert same == board
    moved = await told(one, "play", to=board["valid"][0])
    assert await two.event() == moved
    back = await told(two, "undo")
    assert await one.event() == back
    # What is asked is answered to who asked; what is refused, too.
    assert (await told(one, "peek", pile="b2"))["type"] == "pile"
    assert await refused(one, "undo") == "nothing-to-undo"
    redone = await told(two, "redo")
    assert redone == moved
    assert await one.event() == redone


async def opened(visitor: Visitor, **settings: str) -> str:
    status, table = await visitor.call("POST", "/api/tables", {"game": "mo", "settings": settings})
    assert status == 201
    return str(table["code"])


async def test_a_table_opened_with_settings_is_sat_at_by_its_code(house: OpenHouse) -> None:
    visitor = await house.visitor()
    await sit(visitor)
    code = await opened(visitor, seed="abc", profile="printed")
    me, board = await sit(visitor, f"?table={code}")
    assert (board["seed"], board["profile"]) == ("abc", "printed")
    await me.close()
    assert (await sit(visitor))[1]["seed"] == "abc", "it is the game this session played last"
    stranger = Client(await (await house.visitor()).socket(f"/mo?table={code}"))
    assert (await stranger.expect("error"))["code"] == "table-full"
    assert await stranger.closed() == 4409


async def test_a_spectator_is_told_the_same_and_may_only_ask(house: OpenHouse) -> None:
    visitor = await house.visitor()
    code = await opened(visitor, seed=WIDE)
    watcher = Client(await (await house.visitor()).socket(f"/mo?watch={code}"))
    # Nobody has sat down: nothing to look at, and nothing breaks.
    assert await refused(watcher, "peek", pile="b2") == "no-game"
    assert await refused(watcher, "hint") == "no-game"
    me, board = await sit(visitor, f"?table={code}")
    assert await watcher.event() == board
    for type, fields in (("play", {"to": "b2"}), ("undo", {}), ("redo", {}), ("new", {})):
        assert await refused(watcher, type, **fields) == "watching"
    assert await told(watcher, "hint") == await told(me, "hint")
    assert await told(watcher, "peek", pile="b2") == await told(me, "peek", pile="b2")
    moved = await told(me, "play", to=board["valid"][0])
    assert await watcher.event() == moved
    nowhere = Client(await (await house.visitor()).socket("/mo?watch=1234567"))
    assert (await nowhere.expect("error"))["code"] == "no-such-table"
    assert await nowhere.closed() == 4404


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "bad-json"),
        ("{", "bad-json"),
        ("[]", "bad-message"),
        ("null", "bad-message"),
        ("{}", "bad-message"),
        ('{"type":"chess"}', "bad-message"),
        ('{"type":"play"}', "bad-message"),
        ('{"type":"play","to":3}', "bad-message"),
        ('{"type":"play","to":"b2b2b2b2b2"}', "bad-message"),
        ('{"type":"play","to":"a1"}', "no-such-pile"),
        ('{"type":"play","to":"e5"}', "not-valid"),
        ('{"type":"new","profile":"fancy"}', "bad-message"),
        ('{"type":"new","seed":7}', "bad-message"),
        ('{"type":"new","seed":""}', "bad-seed"),
        ('{"type":"new","seed":"no spaces"}', "bad-seed"),
        ('{"type":"new","seed":"é"}', "bad-seed"),
        ('{"type":"undo"}', "nothing-to-undo"),
        ('{"type":"redo"}', "nothing-to-redo"),
        ('{"type":"peek","pile":"a2"}', "no-peek"),
        ('{"type":"peek","pile":"e5"}', "no-peek"),
        ('{"type":"peek","pile":"\\u0000"}', "no-peek"),
    ],
)
async def test_what_is_no_move_is_refused_by_its_code_and_changes_nothing(
    house: OpenHouse, text: str, code: str
) -> None:
    visitor = await house.visitor()
    me, board = await sit(visitor)
    await me.send_raw(text)
    assert (await me.expect("error"))["code"] == code
    assert (await sit(visitor))[1] == board


async def test_what_is_not_known_in_a_message_is_ignored(house: OpenHouse) -> None:
    me, _ = await sit(await house.visitor())
    message = {"type": "new", "seed": "abc", "profile": None, "id": 7}
    await me.send_raw(json.dumps(message))
    assert (await me.expect("board"))["seed"] == "abc"


async def test_moves_are_not_held_up_by_a_hint(house: OpenHouse) -> None:
    me, _ = await sit(await house.visitor())
    board = await told(me, "new", seed=WIDE)
    await me.send("hint")
    await me.send("hint")
    await me.send("play", to=board["valid"][0])
    heard = [await me.event() for _ in range(3)]
    assert sorted(message["type"] for message in heard) == ["board", "error", "hint"]
    (error,) = (message for message in heard if message["type"] == "error")
    assert error["code"] == "still-thinking"


async def test_a_hint_asked_for_by_somebody_who_has_left_harms_nobody(house: OpenHouse) -> None:
    visitor = await house.visitor()
    me, _ = await sit(visitor)
    await told(me, "new", seed=WIDE)
    for _ in range(5):
        tab, _ = await sit(visitor)
        await tab.send("hint")
        await tab.close()
    async with asyncio.timeout(PATIENCE):
        assert (await told(me, "hint"))["type"] == "hint"
