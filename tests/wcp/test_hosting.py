"""Hosts of games in channels: how they are found, and a host as somebody else would write it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from parlour.bus import ConnectionId
from parlour.games.onu.host import OnuHost
from parlour.protocol.attending import Greeting, Shown
from parlour.relay import hosting
from parlour.relay.channels import HostNote, Standing
from parlour.relay.hosting import GROUP, HostedTable, installed_hosts
from parlour.table import inputs as do
from parlour.table.seating import Seating
from parlour.wcp.message import Message
from tests import highcard
from tests.support import Opener, soon
from tests.wcp.clients import Session
from tests.wcp.conftest import Entrant
from tests.wcp.tables import TableOf


class ChannelSettings(highcard.Settings, frozen=True, kw_only=True):
    channel: str = ""


class Outsiders(Seating):
    def outsider(self, who: str) -> str:
        return f"relay:{who}"


GAME = replace(
    highcard.GAME,
    settings=ChannelSettings,
    lobby=replace(highcard.GAME.lobby, seating=Outsiders()),
)


class Dealer:
    """Seats everybody who comes, and tells each player what they are shown (`TableHost`)."""

    user = "dealer"

    def __init__(self, table: HostedTable) -> None:
        self.table = table
        self.seats: dict[str, ConnectionId] = {}
        self.tasks: list[asyncio.Task[None]] = []

    def begin(self, played_before: bool) -> None:
        self._start(self.table.watch())
        self.table.announce(("dealt",), HostNote(self.table.code, Standing.HOSTING))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self.tasks.append(asyncio.create_task(work))

    def arrived(self, connection: ConnectionId, user: str) -> None:
        self.seats[user] = self.table.connect()
        self._start(self._sit(user))

    async def _sit(self, user: str) -> None:
        assert await self.table.join(self.seats[user], user, user.title())

    def departed(self, connection: ConnectionId, user: str) -> None:
        self.table.leave(self.seats.pop(user))

    def heard(self, connection: ConnectionId, message: Message) -> None:
        if message.name == "lay":
            lay = do.Act(do.ME, highcard.Lay(int(message.content)))
            self.table.submit(self.seats[message.sender], lay)

    def answers(self, message: Message) -> bool:
        return False

    def forgive(self, user: str) -> None: ...

    async def probe(self, take_over: bool) -> None: ...

    def greeted(self, connection: ConnectionId, greeting: Greeting) -> None: ...

    def told(self, shown: Shown) -> None:
        for user, seat in self.seats.items():
            for public, more in shown.events:
                what = more.get(seat, public)
                if isinstance(what, highcard.Dealt | highcard.Laid):
                    cards = what.cards if isinstance(what, highcard.Dealt) else [what.card]
                    known = " ".join(str(card) for card in cards if card != highcard.HIDDEN)
                    self.table.say((user,), type(what).__name__.lower(), f"{what.seat}: {known}")

    def put_out(self, connection: ConnectionId) -> None: ...

    def attend_again(self) -> None: ...

    async def finish(self) -> None: ...

    def close(self) -> None: ...


async def test_another_games_host_seats_users_and_shows_each_their_own(
    open_house: Opener, enter: Entrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: (GAME,))
    monkeypatch.setattr("parlour.relay.service.installed_hosts", lambda: {GAME.id: Dealer})
    house = await open_house()
    opener = await house.visitor()
    status, info = await opener.call("POST", "/api/tables", {"game": GAME.id})
    assert status == 201
    table = TableOf(opener, info)
    ann = await enter(Session, house, table.code, "ann")
    await table.seated(1)
    ben = await enter(Session, house, table.code, "ben")
    await table.seated(2)
    assert await table.names() == ["Ann", "Ben"]
    await table.start()
    await ann.hear("dealt", 2)
    await ben.hear("dealt", 2)
    assert [bool(text[3:]) for text in ann.contents("dealt")] == [True, False]
    assert [bool(text[3:]) for text in ben.contents("dealt")] == [False, True]
    card = ann.contents("dealt")[0].split()[1]
    await ann.send("lay", card)
    await ben.hear("laid")
    assert ann.contents("laid") == [f"0: {card}"]
    assert ben.contents("laid") == ["0: "]
    # A host's message goes to nobody but its receivers.
    assert not [told for told in ben.heard if told["to"] == ["ann"]]
    # Nobody else may say what only a host says.
    await ann.send("dealt", "0: 1")
    await ben.fence()
    assert len(ben.contents("dealt")) == 2
    await ben.leave()
    await soon(lambda: [p.present for p in house.tables[0].roster.players] == [True, False])


def test_hosts_are_found_by_entry_points_and_a_broken_one_is_left_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ours = EntryPoint("onu", "parlour.games.onu.host:OnuHost", GROUP)
    broken = EntryPoint("chess", "no_such_package:Host", GROUP)
    monkeypatch.setattr(hosting, "entry_points", lambda group: [broken, ours])
    assert installed_hosts() == {"onu": OnuHost}
    assert "channel host chess: ModuleNotFoundError" in caplog.text
