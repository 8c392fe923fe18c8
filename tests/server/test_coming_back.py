"""Who comes to a table: with a key to somebody's seat, with or without what is asked for there."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from parlour.bus import Farewell
from parlour.house.live import LiveTable
from parlour.protocol import At, Own, Seek
from parlour.protocol.operations import LIST_TABLES
from parlour.table import inputs as do
from parlour.table.lobby import Entry, Terms
from tests import highcard
from tests.server.hall import Hall
from tests.support import soon

GONE = Farewell(1012, "the player came back elsewhere")


class Door(Entry):
    """Lets in who says the word, and two who watch."""

    def terms(self, settings: Any) -> Terms:
        return Terms(password="sesame", spectators=2)


class Evening:
    """Somebody sits at a table, over one or more connections."""

    def __init__(self, hall: Hall, live: LiveTable) -> None:
        self.hall, self.live = hall, live
        (player,) = live.roster.people
        self.key = player.key
        self.at = Seek(where=At(live.roster.code), resumable=True)

    async def once_more(self, connection: int) -> None:
        await self.hall.join(connection, self.at, visitor="visitor 1")

    async def claims(self, connection: int, key: str | None = None) -> int | None:
        """The place that somebody new gets, who has this key."""
        seek = Seek(where=self.at.where, resumable=True, claim=key or self.key)
        await self.hall.join(connection, seek)
        (attached,) = [a for a in self.live.audience.attachments if a.connection == connection]
        return attached.place

    def heard(self, connection: int) -> list[object]:
        told = self.hall.bus.told
        return [data for connections, data in told if connections == [connection]]

    @property
    def connections(self) -> list[int]:
        return sorted(a.connection for a in self.live.audience.attachments)


@pytest.fixture
async def evening() -> Evening:
    hall = Hall()
    live = await hall.join(1, Seek(where=Own(), resumable=True))
    return Evening(hall, live)


async def test_a_seat_whose_connections_are_silent_is_given_to_who_has_its_key(
    evening: Evening,
) -> None:
    await evening.once_more(2)
    evening.hall.listeners.silent = {1, 2}
    assert await evening.claims(3) == 0
    assert evening.hall.listeners.asked == [1, 2]
    assert evening.heard(1)[-1] == evening.heard(2)[-1] == GONE
    assert evening.connections == [3]
    assert len(evening.live.roster.people) == 1


@pytest.mark.parametrize("silent", [set[int](), {1}, {2}])
async def test_while_somebody_answers_it_stays_theirs(evening: Evening, silent: set[int]) -> None:
    await evening.once_more(2)
    evening.hall.listeners.silent = silent
    assert await evening.claims(3) == 1
    assert evening.connections == [1, 2, 3]
    assert GONE not in evening.heard(1) + evening.heard(2)


async def test_a_seat_without_any_connection_is_given_at_once(evening: Evening) -> None:
    evening.hall.house.disconnect(1)
    assert await evening.claims(2) == 0
    assert evening.hall.listeners.asked == []


async def test_another_key_opens_nothing(evening: Evening) -> None:
    evening.hall.listeners.silent = {1}
    assert await evening.claims(2, "another") == 1
    assert evening.hall.listeners.asked == []


async def test_who_gets_up_while_they_are_looked_for_has_no_seat_to_give(
    evening: Evening,
) -> None:
    evening.hall.listeners.silent = {1}
    evening.hall.listeners.may_answer.clear()
    coming = asyncio.ensure_future(evening.claims(2))
    await soon(lambda: evening.hall.listeners.asked == [1])
    await evening.hall.join(4, evening.at)
    evening.live.receive(do.Leave(0))
    evening.hall.listeners.may_answer.set()
    assert await coming == 2
    assert GONE not in evening.heard(1)


async def test_two_who_have_the_same_key_are_not_both_given_it(evening: Evening) -> None:
    evening.hall.listeners.silent = {1}
    places = await asyncio.gather(evening.claims(2), evening.claims(3))
    assert sorted(place for place in places if place is not None) == [0, 1]


async def test_who_sits_there_needs_no_word_to_come_back() -> None:
    lobby = replace(highcard.STANDING.lobby, entry=Door())
    hall = Hall(replace(highcard.STANDING, lobby=lobby))
    live = await hall.join(1, Seek(where=Own(), resumable=True, key="sesame"))
    at = At(live.roster.code)
    await hall.join(2, Seek(where=at, resumable=True), visitor="visitor 1")
    for key in ("aloe", None):
        assert await hall.turned_away(3, Seek(where=at, key=key)) == "bad-password"
    for connection in (4, 5):
        await hall.join(connection, Seek(where=at, watch=True))
    assert await hall.turned_away(6, Seek(where=at, watch=True)) == "table-full"


async def test_who_is_invited_sees_the_table_in_their_list(evening: Evening) -> None:
    house = evening.hall.house
    assert (await house.call(LIST_TABLES, None, "friend", 0)).tables == []
    evening.live.receive(do.Invite(0, "friend"))
    assert (await house.call(LIST_TABLES, None, "friend", 0)).tables == [evening.live.roster]
    assert (await house.call(LIST_TABLES, None, "another", 0)).tables == []
