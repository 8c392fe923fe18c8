"""Tables of ONU over the relay, as tests of the host need them."""

from __future__ import annotations

import json
from typing import Any, Final

from tests.support import OpenHouse, Visitor, soon
from tests.wcp.clients import Session, Told
from tests.wcp.conftest import Entrant

BLANK: Final = {"Color": 4, "Number": -1, "Effect": 0}


def host_in(house: OpenHouse, code: str) -> Any:
    """The host of a table, if there is one."""
    channels = house.server.relay.listener.nodes.channels
    return next((c.host for c in channels if c.note is not None and c.note.code == code), None)


class TableOf:
    """A table and its opener."""

    def __init__(self, opener: Visitor, info: Told) -> None:
        self.opener = opener
        self.code = str(info["code"])
        self.path = f"/api/tables/{self.code}"

    async def info(self) -> Told:
        status, info = await self.opener.call("GET", self.path)
        assert status == 200, info
        return dict(info)

    async def names(self) -> list[str]:
        return [player["name"] for player in (await self.info())["players"]]

    async def seated(self, count: int) -> None:
        async def here() -> bool:
            return len(await self.names()) == count

        await soon(here)

    async def start(self) -> None:
        status, told = await self.opener.call("POST", self.path + "/start")
        assert status == 200, told


async def open_table(house: OpenHouse, **settings: Any) -> TableOf:
    opener = await house.visitor()
    wanted = {"game": "onu", "settings": {"pace": 0, **settings}}
    status, info = await opener.call("POST", "/api/tables", wanted)
    assert status == 201, info
    return TableOf(opener, info)


async def ping(table: TableOf, *sessions: Session) -> None:
    """Take a seat for each, in this order."""
    before = len(await table.names())
    for number, session in enumerate(sessions, before + 1):
        await session.send("onu-ping", session.user.title(), ["onu-host"])
        await table.seated(number)


def cards(session: Session, label: str = "onu-start") -> dict[str, list[Told]]:
    """By user, the cards of the last State of this label."""
    state = json.loads(session.contents(label)[-1])
    return {player["UserName"]: player["Cards"] for player in state["Players"]}


def prompt(session: Session) -> Told:
    """The last one."""
    return dict(json.loads(session.contents("onu-player-turn")[-1]))


def turns(session: Session) -> int:
    return len(session.contents("onu-player-turn"))


DRAW: Final = json.dumps({"Action": 1, "CardIndex": None, "WildColor": 0})


async def two_at_table(
    house: OpenHouse, enter: Entrant, **settings: Any
) -> tuple[TableOf, Session, Session]:
    """Ann has been asked for her move."""
    table = await open_table(house, **settings)
    ann = await enter(Session, house, table.code, "ann")
    ben = await enter(Session, house, table.code, "ben")
    await ping(table, ann, ben)
    await table.start()
    await ann.hear("onu-player-turn")
    return table, ann, ben


def a_play(turn: Told) -> Told | None:
    """A card that fits, as an answer; with a colour only for a wild."""
    top = turn["TopStackCard"]
    for index, card in enumerate(turn["HandCards"]):
        if card["Color"] == 4:
            return {"Action": 0, "CardIndex": float(index), "WildColor": 2.0}
        same = card["Number"] >= 0 and card["Number"] == top["Number"]
        if same or card["Color"] == top["Color"]:
            return {"Action": 0.0, "CardIndex": index, "WildColor": None}
    return None
