"""A client that comes back and sends its position gets exactly the messages it missed."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from parlour.games.rummy import GAME as RUMMY
from parlour.house import missed
from parlour.house.live import LiveTable
from parlour.protocol import At, Own, Seek
from parlour.store import LogEntry
from parlour.table import inputs as do
from tests import highcard
from tests.follower import Follower
from tests.server.hall import Hall

ADA, BO, WATCHER, SCENES = 1, 2, 3, 4


class Evening:
    """A round of Super Rummy: two people, one of them on two connections, and somebody who
    watches."""

    live: LiveTable

    def __init__(self) -> None:
        self.hall = Hall(RUMMY)
        self.asked: dict[int, dict[str, Any]] = {}
        self.last = 10

    async def come(self, connection: int, as_: int, **more: Any) -> None:
        where = At(self.live.roster.code) if self.asked else Own()
        seek = Seek(where=where, watch=as_ == WATCHER, resumable=True)
        self.asked[connection] = {"seek": seek, "visitor": f"visitor {as_}", **more}
        self.live = await self.hall.join(connection, since="", **self.asked[connection])

    async def play(self, moves: int) -> None:
        await self.come(ADA, ADA, extras="story")
        await self.come(BO, BO)
        await self.come(WATCHER, WATCHER, extras="")
        await self.come(SCENES, BO, extras="scene")
        self.live.receive(do.Say(0, "Good evening"))
        self.live.receive(do.Start(0))
        for _ in range(moves):
            self.move()
        self.live.receive(do.Say(1, "Oh"))
        self.hall.house.disconnect(ADA)

    def move(self) -> None:
        match = self.live.table.match
        assert match is not None
        seat = next(seat for seat in (0, 1) if match.legal(seat))
        self.live.receive(do.Act(seat, match.legal(seat)[0]))

    def told(self, connection: int) -> list[bytes]:
        return [
            data
            for connections, data in self.hall.bus.told
            if connection in connections and isinstance(data, bytes)
        ]

    async def back(self, connection: int, since: str) -> list[bytes]:
        """On a new connection; gives what it is told."""
        self.last += 1
        asked = {**self.asked[connection], "seek": self._there(connection)}
        await self.hall.join(self.last, since=since, **asked)
        if connection == WATCHER:
            # There is room for fifty of them.
            self.hall.house.disconnect(self.last)
        return self.told(self.last)

    def _there(self, connection: int) -> Seek:
        seek: Seek = self.asked[connection]["seek"]
        return msgspec.structs.replace(seek, where=At(self.live.roster.code))


@pytest.fixture
async def evening(monkeypatch: pytest.MonkeyPatch) -> Evening:
    # A deal in which nobody goes out so soon.
    monkeypatch.setattr("parlour.house.opening.new_seed", lambda: "7" * 64)
    evening = Evening()
    await evening.play(12)
    return evening


def heard(told: list[bytes]) -> tuple[Follower, list[Any]]:
    client = Follower()
    return client, [message for data in told for message in client.take(data)]


@pytest.mark.parametrize("connection", [BO, WATCHER, SCENES])
async def test_whatever_message_was_the_last_all_others_follow_once(
    evening: Evening, connection: int
) -> None:
    told = evening.told(connection)
    _, whole = heard(told)
    resumed = 0
    for count in range(len(told) + 1):
        before, first = heard(told[:count])
        after, rest = heard(await evening.back(connection, before.since))
        if after.greeted:
            assert not before.since
            continue
        resumed += 1
        assert first + rest == whole
    assert resumed > len(told) / 2


async def test_without_since_nobody_is_told_how_far_they_are(evening: Evening) -> None:
    asked = {**evening.asked[BO], "seek": evening._there(BO)}
    await evening.hall.join(99, **asked)
    evening.live.receive(do.Say(1, "Hm"))
    kinds = [msgspec.json.decode(data)["type"] for data in evening.told(99)]
    assert "extras_at" not in kinds
    assert len(kinds) > 1


async def test_who_was_away_learns_that_they_were_and_that_they_are_back(evening: Evening) -> None:
    before, _ = heard(evening.told(ADA))
    player = evening.live.roster.at(0)
    assert player is not None
    assert not player.present
    after, rest = heard(await evening.back(ADA, before.since))
    assert not after.greeted
    assert player.present
    tables = [each for each in rest if each["type"] == "extras_table"]
    away = [
        [person.get("away", False) for person in table["people"] if person["place"] == 0]
        for table in tables
    ]
    assert away == [[True], [False]]
    notes = [each["kind"] for each in rest if each["type"] == "extras_note"]
    assert notes == ["away", "back"]


async def test_after_a_restart_the_log_knows_what_was_missed(evening: Evening) -> None:
    since = {connection: heard(evening.told(connection))[0].since for connection in (ADA, WATCHER)}
    for _ in range(3):
        evening.move()
    evening.live.receive(do.Say(1, "Well"))
    told = {each: heard(evening.told(each))[1] for each in (WATCHER, BO)}
    evening.hall = Hall(RUMMY, evening.hall.copied())
    await evening.hall.reopen()
    for connection in (ADA, WATCHER):
        after, rest = heard(await evening.back(connection, since[connection]))
        assert not after.greeted
        assert [each["text"] for each in rest if each["type"] == "extras_said"] == ["Well"]
    moves = [each for each in told[WATCHER] if each["type"] == "move"]
    assert [each for each in rest if each["type"] == "move"] == moves[-3:]


async def test_what_happens_meanwhile_is_told_once(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, _ = heard(evening.told(WATCHER))
    read = evening.hall.store.entries

    async def read_while_they_play(table: str) -> list[LogEntry]:
        evening.move()
        entries = await read(table)
        evening.move()
        return entries

    monkeypatch.setattr(evening.hall.store, "entries", read_while_they_play)
    after, rest = heard(await evening.back(WATCHER, before.since))
    assert rest == heard(evening.told(WATCHER))[1][-len(rest) :]
    assert len([each for each in rest if each["type"] == "move"]) == 2
    assert after.since == heard(evening.told(WATCHER))[0].since


@pytest.mark.parametrize(
    ("connection", "wrong"),
    [
        (ADA, "5"),
        (ADA, "x-1-0"),
        (ADA, "0-0-0"),
        (ADA, "6-{at}-1"),  # another seat
        (ADA, "6-{at}-w"),
        (WATCHER, "6-{at}-0"),
        (ADA, "6-{before}-0"),  # another log
        (ADA, "9999-{at}-0"),
        (ADA, "6-{at}-0.999"),
    ],
)
async def test_a_position_that_is_not_theirs_gets_a_greeting(
    evening: Evening, connection: int, wrong: str
) -> None:
    entries = await evening.hall.store.entries(evening.live.roster.id)
    at = entries[6].at
    right = f"6-{at}-{'w' if connection == WATCHER else 0}"
    assert not heard(await evening.back(connection, right))[0].greeted
    assert heard(await evening.back(connection, wrong.format(at=at, before=at - 1)))[0].greeted


async def test_too_old_a_position_gets_a_greeting(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = evening.told(WATCHER)
    far = 10
    since = next(
        client.since
        for client, _ in (heard(told[:count]) for count in range(len(told)))
        if client.since and evening.live.table.version - int(client.since.split("-")[0]) > far
    )
    assert not heard(await evening.back(WATCHER, since))[0].greeted
    monkeypatch.setattr(missed, "MOST_MISSED", far)
    assert heard(await evening.back(WATCHER, since))[0].greeted


async def test_too_much_is_not_sent_at_once(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, _ = heard(evening.told(WATCHER)[:20])
    monkeypatch.setattr(missed, "LONGEST_STORY", 1_000)
    assert heard(await evening.back(WATCHER, before.since))[0].greeted


async def test_a_log_that_was_condensed_has_other_numbers() -> None:
    hall = Hall(highcard.STANDING)
    live = await hall.join(1, Seek(where=Own(), resumable=True), since="")
    for _ in range(5):
        live.receive(do.Say(0, "Hm"))
    here = [data for _, data in hall.bus.told if isinstance(data, bytes)]
    since = heard(here)[0].since
    entries = await hall.store.entries(live.roster.id)
    hall.store.rewrite(live.roster.id, [(entry.at - 1, entry.data) for entry in entries])
    seek = Seek(where=At(live.roster.code), resumable=True)
    await hall.join(2, seek, visitor="visitor 1", since=since)
    there = [data for to, data in hall.bus.told if 2 in to and isinstance(data, bytes)]
    assert heard(there)[0].greeted
