"""Connections whose table has another owner now: they are told what they missed, once."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from parlour.bus import (
    Farewell,
    Here,
    JoinRequest,
    Member,
    Rejoined,
    RejoinRequest,
    Welcome,
)
from parlour.bus.operations import REJOIN
from parlour.games.mo import GAME as MO
from parlour.games.mo.rules import Redo, Undo
from parlour.house.live import LiveTable
from parlour.protocol import At, Own, PinRequest, Seek
from parlour.protocol.operations import PIN
from parlour.store import LogEntry
from parlour.table import inputs as do
from tests import highcard
from tests.server.hall import Hall
from tests.support import soon, turns_of_the_loop

ADA, BO, WATCHER = CONNECTIONS = (1, 2, 3)


GAME = highcard.STANDING


class Evening:
    """Two people and somebody who watches, at one house; then another one takes the table over."""

    live: LiveTable

    def __init__(self) -> None:
        self.hall = Hall(GAME)
        self.requests: dict[int, JoinRequest] = {}
        self.places: dict[int, int | None] = {}

    async def come(self, connection: int, **seek: Any) -> None:
        where = At(self.live.roster.code) if self.requests else Own()
        asked = self.hall.request(
            connection,
            Seek(where=where, language="eo", **seek),
            name=f"Guest {connection}",
            address="192.0.2.1",
            extras="" if connection == BO else None,
        )
        answer = await self.hall.house.join(asked)
        assert isinstance(answer, Welcome)
        self.requests[connection], self.places[connection] = asked, answer.place
        live = self.hall.house.index.find(answer.table)
        assert live is not None
        self.live = live

    async def play(self) -> None:
        await self.come(ADA, resumable=True, name="Ada")
        await self.come(BO, resumable=True)
        await self.come(WATCHER, watch=True)
        live = self.live
        pinned = PinRequest(table=live.roster.id, visitor="visitor 1", name="bonus", data=b"x")
        await self.hall.house.call(PIN, pinned)
        live.receive(do.Say(1, "Good evening"))
        live.receive(do.Start(do.HOUSE))
        for seat in (0, 1, 1, 0):
            if live.roster.running:
                assert live.table.match is not None
                live.receive(do.Act(seat, live.table.match.legal(seat)[0]))
        live.receive(do.Say(0, "Well played"))
        live.receive(do.Join("visitor 4", "Late"))

    def told(self, connection: int, after: int) -> list[bytes]:
        """What a connection that stayed was told after this version."""
        letters = zip(self.hall.bus.told, self.hall.bus.versions, strict=True)
        return [
            data
            for (connections, data), version in letters
            if connection in connections and version > after and isinstance(data, bytes)
        ]

    async def moved(self) -> tuple[Hall, LiveTable]:
        """To another house, which has the same log."""
        hall = Hall(GAME, self.hall.copied())
        await hall.house.adopt(await hall.store.live_tables())
        live = hall.house.index.find(self.live.roster.id)
        assert live is not None
        return hall, live

    async def rejoin(self, hall: Hall, version: int, *connections: int) -> None:
        members = [Member(self.requests[c], self.places[c]) for c in connections]
        asked = RejoinRequest(self.live.roster.id, version, members)
        assert await hall.house.call(REJOIN, asked) == Rejoined()


@pytest.fixture
async def evening() -> Evening:
    evening = Evening()
    await evening.play()
    return evening


def heard(hall: Hall, connection: int) -> list[object]:
    return [data for connections, data in hall.bus.told if connection in connections]


async def test_from_any_moment_on_everybody_is_told_just_what_they_missed(
    evening: Evening,
) -> None:
    table, last = evening.live.roster.id, evening.live.table.version
    log = [do.decode(entry.data) for entry in await evening.hall.store.entries(table)]
    first = next(at for at, entry in enumerate(log) if isinstance(entry, do.Say)) - 1
    for version in range(first, last + 1):
        hall, live = await evening.moved()
        await evening.rejoin(hall, version, *CONNECTIONS)
        missed = log[version + 1 :]
        for connection in CONNECTIONS:
            place = evening.places[connection]
            done = any(getattr(entry, "place", None) == place is not None for entry in missed)
            here = Here(connection, table, last, done)
            assert heard(hall, connection) == [here, *evening.told(connection, version)]
        # And they are told what happens from then on, as who they are.
        hall.bus.told.clear()
        hall.house.submit(BO, do.Say(do.ME, "Where were we?"))
        said = do.decode((await hall.store.entries(table))[-1].data)
        assert isinstance(said, do.Say)
        assert (said.place, said.text) == (1, "Where were we?")
        assert all(heard(hall, connection) for connection in CONNECTIONS)
        live.rest()


async def test_that_somebody_was_away_is_nothing_they_have_done(evening: Evening) -> None:
    live = evening.live
    version = live.table.version
    live.receive(do.Away(0))
    hall, live = await evening.moved()
    await evening.rejoin(hall, version, ADA)
    here = heard(hall, ADA)[0]
    assert isinstance(here, Here)
    assert not here.done
    # They are back with it.
    player = live.roster.at(0)
    assert player is not None
    assert player.present
    assert isinstance(do.decode((await hall.store.entries(live.roster.id))[-1].data), do.Back)


async def test_who_is_there_already_is_not_told_again(evening: Evening) -> None:
    hall, live = await evening.moved()
    version = live.table.version
    await evening.rejoin(hall, version - 1, ADA)
    told = len(hall.bus.told)
    await evening.rejoin(hall, version - 1, ADA)
    assert len(hall.bus.told) == told
    assert len(live.audience.attachments) == 1
    await evening.rejoin(hall, version - 1, ADA, BO)
    assert len(live.audience.attachments) == 2


async def test_who_rejoins_twice_at_once_is_told_once(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall, live = await evening.moved()
    version = live.table.version - 1
    read, both = hall.store.entries, asyncio.Barrier(2)

    async def read_by_both(table: str) -> list[LogEntry]:
        entries = await read(table)
        if not live.audience.attachments:
            await both.wait()
        return entries

    monkeypatch.setattr(hall.store, "entries", read_by_both)
    await asyncio.gather(*(evening.rejoin(hall, version, ADA, BO) for _ in range(2)))
    assert len(live.audience.attachments) == 2
    for connection in (ADA, BO):
        told = [data for data in heard(hall, connection) if isinstance(data, bytes)]
        assert told == evening.told(connection, version)


@pytest.mark.parametrize("connection", CONNECTIONS)
async def test_who_joins_again_because_no_answer_came_is_told_once(
    evening: Evening, connection: int
) -> None:
    """While the log waits, so does the answer, and with it all that was told since."""
    hall, live = evening.hall, evening.live
    live.detach(next(a for a in live.audience.attachments if a.connection == connection))
    request = evening.requests[connection]
    where = msgspec.structs.replace(request.seek, where=At(live.roster.code))
    request = msgspec.structs.replace(request, seek=where)
    told = len(hall.bus.told)
    hall.store.held = True
    live.receive(do.Say(1, "Anybody there?"))
    answers = [asyncio.create_task(hall.house.join(request))]
    await soon(lambda: connection in hall.house.services.attachments)
    live.receive(do.Say(1, "Hello?"))
    answers.append(asyncio.create_task(hall.house.join(request)))
    await turns_of_the_loop(5)
    assert len(hall.bus.told) == told
    hall.store.release()
    first, second = await asyncio.gather(*answers)
    assert isinstance(first, Welcome)
    assert isinstance(second, Welcome)
    assert (first.table, first.place) == (second.table, second.place)
    heard = [data for to, data in hall.bus.told[told:] if connection in to]
    assert sum(b'"hello"' in data for data in heard if isinstance(data, bytes)) == 1


async def test_all_that_is_known_of_a_connection_comes_along(evening: Evening) -> None:
    hall, live = await evening.moved()
    await evening.rejoin(hall, live.table.version, *CONNECTIONS)
    there = {attachment.connection: attachment for attachment in live.audience.attachments}
    for connection in CONNECTIONS:
        (before,) = [a for a in evening.live.audience.attachments if a.connection == connection]
        now = there[connection]
        assert (now.visitor, now.place) == (before.visitor, before.place)
        assert (now.request, now.wire.name) == (before.request, before.wire.name)


async def test_who_does_not_sit_there_any_more_is_sent_away(evening: Evening) -> None:
    version = evening.live.table.version
    evening.live.receive(do.Leave(0))
    hall, live = await evening.moved()
    await evening.rejoin(hall, version, ADA, BO)
    assert heard(hall, ADA) == [Farewell(1012, "the table has moved")]
    assert [attachment.connection for attachment in live.audience.attachments] == [BO]


@pytest.mark.parametrize("claim", ["key", "wrong", None])
async def test_a_place_is_theirs_who_can_prove_it(evening: Evening, claim: str | None) -> None:
    """Another visitor, as who comes back to a seat by its key alone."""
    player = evening.live.roster.at(1)
    assert player is not None
    key = player.key if claim == "key" else claim
    evening.requests[BO] = msgspec.structs.replace(
        evening.requests[BO],
        visitor="somebody",
        seek=msgspec.structs.replace(evening.requests[BO].seek, claim=key),
    )
    hall, live = await evening.moved()
    await evening.rejoin(hall, live.table.version, BO)
    attached = [(a.connection, a.visitor, a.place) for a in live.audience.attachments]
    assert attached == ([(BO, "visitor 2", 1)] if claim == "key" else [])


async def greeted_anew(evening: Evening, hall: Hall, live: LiveTable, version: int) -> None:
    """With how the table stands, of which anything of theirs may be a part."""
    live.receive(do.Away(0))
    hall.bus.told.clear()
    await evening.rejoin(hall, version, ADA, WATCHER)
    for connection in (ADA, WATCHER):
        here, hello, *_ = heard(hall, connection)
        assert isinstance(here, Here)
        assert here.done
        assert isinstance(hello, bytes)
        assert msgspec.json.decode(hello)["type"] == "hello"
    assert all(player.present for player in live.roster.people)


async def test_where_the_log_was_written_anew_they_are_greeted_anew(evening: Evening) -> None:
    store, table = evening.hall.store, evening.live.roster.id
    entries = await evening.hall.store.entries(table)
    at = next(n for n, e in enumerate(entries) if isinstance(do.decode(e.data), do.Start))
    kept = [(entry.at, entry.data) for entry in entries]
    kept.insert(at + 1, (kept[at][0], do.encode(do.Spend(1000))))
    store.rewrite(table, kept)
    hall, live = await evening.moved()
    await greeted_anew(evening, hall, live, 3)


async def test_what_happens_while_the_log_is_read_is_told_as_well(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall, live = await evening.moved()
    version, read = live.table.version, hall.store.entries

    async def read_while_they_talk(table: str) -> list[LogEntry]:
        live.receive(do.Say(1, "Early"))
        entries = await read(table)
        live.receive(do.Say(1, "Late"))
        return entries

    monkeypatch.setattr(hall.store, "entries", read_while_they_talk)
    await evening.rejoin(hall, version, ADA)
    here, *said = heard(hall, ADA)
    assert here == Here(ADA, live.roster.id, version + 2, done=False)
    assert [msgspec.json.decode(data)["text"] for data in said if isinstance(data, bytes)] == [
        "Early",
        "Late",
    ]


async def test_who_watched_and_was_given_a_seat_meanwhile_sits_there(evening: Evening) -> None:
    version = evening.live.table.version
    evening.live.receive(do.Join("visitor 3", "Guest 3", resumable=True))
    hall, live = await evening.moved()
    await evening.rejoin(hall, version, WATCHER)
    (there,) = live.audience.attachments
    assert there.place == 3


async def test_after_a_log_was_condensed_nobody_is_greeted_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("parlour.house.live.CONDENSE_AFTER", 40)
    hall = Hall(MO)
    live = await hall.join(1, Seek(where=Own(), resumable=True))
    match = live.table.match
    assert match is not None
    live.receive(do.Act(0, match.legal(0)[0]))
    versions = [live.table.version]
    while versions[-1] >= max(versions):
        live.receive(do.Act(0, Redo() if len(versions) % 2 == 0 else Undo()))
        versions.append(live.table.version)
    shorter = versions[-1]
    for _ in range(6):
        assert live.table.match is not None
        live.receive(do.Act(0, Undo() if live.table.match.can_undo else Redo()))  # type: ignore[attr-defined]
    letters = zip(hall.bus.told, hall.bus.versions, strict=True)
    told = [(version, data) for (_, data), version in letters][-6:]
    assert [version for version, _ in told] == list(range(shorter + 1, shorter + 7))
    for version in (shorter, shorter + 3, shorter + 6, 40):
        again = Hall(MO, hall.copied())
        await again.house.adopt(await again.store.live_tables())
        member = Member(hall.request(1, Seek(where=Own(), resumable=True)), 0)
        asked = RejoinRequest(live.roster.id, version, [member])
        assert await again.house.call(REJOIN, asked) == Rejoined()
        frames = [data for _, data in again.bus.told if isinstance(data, bytes)]
        # Only somebody who was last told before that is shown the whole board anew.
        missed = [data for number, data in told if number > version]
        assert frames == (missed if version != 40 else [told[-1][1]])
