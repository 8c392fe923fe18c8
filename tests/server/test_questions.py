"""Questions at a table: answered to the asker alone, from what the asker was shown."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.games import installed_games
from parlour.house.workers import Workers
from tests import highcard
from tests.server import asking
from tests.support import Client, Opener


@pytest.fixture(autouse=True)
def with_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    games = (*installed_games(), asking.GAME)
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: games)


async def test_who_asks_from_one_address_waits_in_one_line(
    open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    run = Workers.run

    async def noted(workers: Workers, who: str, call: Any) -> Any:
        lines.append(who)
        return await run(workers, who, call)

    monkeypatch.setattr(Workers, "run", noted)
    house = await open_house()
    for _ in range(2):
        client = Client(await (await house.visitor()).socket("/high"))
        await client.send("ask", slow=True)
        await client.until("dealt")
    assert lines == ["127.0.0.1"] * 2


@pytest.mark.parametrize("slow", [False, True])
async def test_what_an_answer_notes_is_there_for_the_same_asker_s_next_question(
    open_house: Opener, slow: bool
) -> None:
    house = await open_house()
    opener = await house.visitor()
    _, table = await opener.call("POST", "/api/tables", {"game": "high"})
    address = f"/high?table={table['code']}"
    one = Client(await opener.socket(address))
    for asked in range(2):
        await one.send("ask", slow=slow)
        await one.until("dealt", place=0, asked=asked)
    # Notes may tell of what others have not been shown.
    other = Client(await (await house.visitor()).socket(address))
    await other.send("ask", slow=slow)
    await other.until("dealt", place=1, asked=0)
    again = Client(await opener.socket(address))
    await again.send("ask", slow=slow)
    await again.until("dealt", place=0, asked=2)


@pytest.mark.parametrize("slow", [False, True])
async def test_everybody_is_answered_from_what_they_were_shown(
    open_house: Opener, slow: bool
) -> None:
    house = await open_house()
    opener = await house.visitor()
    _, table = await opener.call("POST", "/api/tables", {"game": "high"})
    code = table["code"]
    one = Client(await opener.socket(f"/high?table={code}"))
    two = Client(await (await house.visitor()).socket(f"/high?table={code}"))
    watcher = Client(await (await house.visitor()).socket(f"/high?watch={code}"))
    clients = (one, two, watcher)
    for client in clients:
        await client.until("hello")
    await one.send("start")
    hands = [(await one.until("dealt", seat=0))["cards"]]
    hands.append((await two.until("dealt", seat=1))["cards"])
    hidden = [highcard.HIDDEN] * 3
    shown = ([hands[0], hidden], [hidden, hands[1]], [hidden, hidden])
    for client, place, cards in zip(clients, (0, 1, None), shown, strict=True):
        await client.send("ask", slow=slow)
        await client.until("dealt", cards=cards, code=code, place=place)
