"""Tables are loaded when somebody comes, or when something is due; all others are only notes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from ssl import SSLContext

import pytest

from parlour.bus import Refusal, Welcome
from parlour.house import HouseLimits
from parlour.house.asleep import ASLEEP, LARGEST, Asleep
from parlour.house.checkpoints import CHECKPOINT
from parlour.house.live import LEFT_FOR, LiveTable
from parlour.house.loader import AT_ONCE
from parlour.kit import Illegal
from parlour.protocol import At, Common, Own, Seek
from parlour.protocol.operations import FIND, LIST_TABLES
from parlour.server.config import Config
from parlour.server.ports import Port
from parlour.server.server import Server
from parlour.store import Away, LogEntry
from parlour.table import inputs as do
from tests import highcard
from tests.server.hall import Hall
from tests.server.machine import Machine
from tests.support import soon, wake_all


async def played(hall: Hall, connection: int = 1) -> LiveTable:
    """A table in mid-match, with two people."""
    live = await hall.join(connection, Seek(where=Own(), resumable=True))
    await hall.join(connection + 1, Seek(where=At(live.roster.code), resumable=True))
    live.receive(do.Start(do.HOUSE))
    assert live.table.match is not None
    live.receive(do.Act(0, live.table.match.legal(0)[0]))
    return live


async def restarted(hall: Hall, *, stop: bool = True) -> Hall:
    """Another house on the same log; `stop`: the first one has ended as it should."""
    if stop:
        await hall.house.close()
    again = Hall(hall.game, store=hall.copied())
    await again.house.reopen()
    await again.house.loader.all_read()
    return again


def asleep(hall: Hall) -> list[str]:
    return [entry.row.id for entry in hall.house.index if isinstance(entry, Asleep)]


async def test_after_a_restart_a_table_is_found_and_listed_and_still_asleep() -> None:
    hall = Hall(highcard.GAME)
    live = await played(hall)
    roster = live.roster
    hall = await restarted(hall)
    for name in (roster.id, roster.code, f"{roster.code[:3]} {roster.code[3:]}", roster.match_id):
        found = await hall.house.call(FIND, name)
        assert found is not None
        assert [p.name for p in found.players] == [p.name for p in roster.players]
        assert (found.settings, found.stage) == (roster.settings, roster.stage)
    for visitor in ("visitor 1", "visitor 2"):
        page = await hall.house.call(LIST_TABLES, None, visitor, 0)
        assert [each.id for each in page.tables] == [roster.id]
        assert not any(player.present for player in page.tables[0].players)
    assert not (await hall.house.call(LIST_TABLES, None, "visitor 3", 0)).tables
    assert await hall.house.call(FIND, "no such table") is None
    assert asleep(hall) == [roster.id]


@pytest.mark.parametrize("stop", [True, False])
async def test_who_comes_to_a_table_asleep_is_greeted_as_if_it_had_been_awake(
    machine: Machine, stop: bool
) -> None:
    hall = Hall(highcard.GAME)
    live = await played(hall)
    greetings = []
    awake, lazy = await restarted(hall, stop=stop), await restarted(hall, stop=stop)
    await wake_all(awake.house)
    assert bool(asleep(lazy)) == stop
    for again in (awake, lazy):
        for connection in (1, 7):
            answer = await again.house.join(
                again.request(connection, Seek(where=At(live.roster.code), watch=connection == 7))
            )
            assert isinstance(answer, Welcome)
        greetings.append(again.bus.told)
    assert greetings[0] == greetings[1] != []


async def test_a_server_knows_its_tables_when_it_listens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = Config(host="127.0.0.1", port=0, data=str(tmp_path))
    known: list[int] = []
    listen = Port.listen

    async def noted(port: Port, context: SSLContext | None) -> None:
        known.append(len(list(server.house.index)))
        await listen(port, context)

    for _ in range(2):
        server = Server(config)
        monkeypatch.setattr(Port, "listen", noted)
        await server.start()
        for number in range(2 * AT_ONCE):
            server.house.opening.open(server.games[0], f"visitor {number}", {})
        await server.stop()
    # None were there before the first start; tables of nobody are kept for a while.
    assert known == [0, 2 * AT_ONCE]


async def test_somebody_is_led_back_to_a_table_asleep() -> None:
    hall = Hall(highcard.GAME)
    live = await played(hall)
    hall = await restarted(hall)
    back = await hall.join(9, Seek(where=Own(last=True)), visitor="visitor 2")
    assert back.roster.id == live.roster.id
    assert back.roster.at(1).present  # type: ignore[union-attr]


async def test_the_houses_own_table_is_found_asleep() -> None:
    hall = Hall(highcard.GAME)
    live = await hall.join(1, Seek(where=Common(), resumable=True))
    hall = await restarted(hall)
    assert asleep(hall) == [live.roster.id]
    assert (await hall.join(2, Seek(where=Common()))).roster.id == live.roster.id


async def test_nobody_loses_a_later_table_because_an_earlier_one_is_loaded() -> None:
    hall = Hall(highcard.GAME)
    before = await played(hall)
    hall = await restarted(hall)
    later = await hall.join(9, Seek(where=Own(), resumable=True), visitor="visitor 1")
    await hall.join(10, Seek(where=At(before.roster.code), watch=True))
    assert not asleep(hall)
    again = await hall.join(11, Seek(where=Own(last=True)), visitor="visitor 1")
    assert again.roster.id == later.roster.id


async def test_a_note_that_is_older_than_the_log_is_not_used() -> None:
    hall = Hall(highcard.GAME)
    live = await played(hall)
    live.saved.write()
    live.receive(do.Say(0, "One more"))
    again = await restarted(hall, stop=False)
    assert asleep(again) == []
    found = again.house.index.find(live.roster.id)
    assert isinstance(found, LiveTable)
    assert [text for _, text, _ in found.table.spoken] == ["One more"]


@pytest.mark.parametrize("change", [lambda note: b"x" + note, lambda note: note[:-3]])
async def test_a_note_that_cannot_be_read_is_not_used(change: Callable[[bytes], bytes]) -> None:
    hall = Hall(highcard.GAME)
    live = await played(hall)
    await hall.house.close()
    key = ASLEEP + live.roster.id
    hall.store.remember(key, change(hall.store._facts[key]))
    again = await restarted(hall, stop=False)
    assert asleep(again) == []
    assert again.house.index.find(live.roster.id) is not None


async def test_a_table_whose_note_would_be_too_large_is_loaded_at_the_start() -> None:
    hall = Hall(highcard.GAME)
    live = await played(hall)
    live.saved.write()
    live.roster.banned = ["x" * LARGEST]
    live.receive(do.Say(0, "One more"))
    await hall.house.close()
    assert ASLEEP + live.roster.id not in hall.store._facts


async def test_what_is_due_happens_although_nobody_comes(machine: Machine) -> None:
    hall = Hall(highcard.GAME)
    live = await played(hall)
    table = live.roster.id
    kept = live.roster.keep_seats
    hall = await restarted(hall)
    assert asleep(hall) == [table]
    heap = hall.house.loader._due
    assert heap[0][0] == hall.journal.clock() + kept
    machine.goes_on(kept)
    hall.house.loader._more.set()
    await soon(lambda: not asleep(hall))
    # Their seats are kept a little longer, from now on; after that the table closes.
    entry = do.decode((await hall.store.entries(table))[-1].data)
    assert isinstance(entry, do.Wake)


async def test_a_table_that_closes_leaves_no_note() -> None:
    hall = Hall(highcard.GAME)
    live = await played(hall)
    live.saved.write()
    assert ASLEEP + live.roster.id in hall.store._facts
    live.receive(do.Close())
    assert ASLEEP + live.roster.id not in hall.store._facts


async def test_unused_tables_asleep_make_room() -> None:
    hall = Hall(highcard.GAME)
    unused = await hall.open("visitor 1")
    used = await played(hall, 2)
    await hall.house.close()
    again = Hall(highcard.GAME, hall.copied(), limits=HouseLimits(tables=2))
    await again.house.reopen()
    await again.house.loader.all_read()
    assert set(asleep(again)) == {unused.id, used.roster.id}
    await again.open("visitor 9")
    assert asleep(again) == [used.roster.id]
    assert await again.store.find_table(unused.id) is None
    assert ASLEEP + unused.id not in again.store._facts


async def test_a_damaged_table_asleep_is_shut_when_somebody_comes() -> None:
    hall = Hall(highcard.GAME)
    live = await played(hall)
    await hall.house.close()
    store = hall.store
    entry = store._entries[live.roster.id][2]
    store._entries[live.roster.id][2] = LogEntry(2, entry.at, do.encode(do.Leave(9)))
    hall = await restarted(hall, stop=False)
    assert asleep(hall) == [live.roster.id]
    assert await hall.turned_away(1, Seek(where=At(live.roster.code))) == "table-shut"
    with pytest.raises(Illegal, match="can't be read back"):
        await hall.house.call(FIND, live.roster.id)
    assert len(hall.house.index) == 0


async def test_many_who_come_at_once_load_a_table_once() -> None:
    hall = Hall(highcard.GAME)
    live = await played(hall)
    hall = await restarted(hall)
    before = len(hall.store._entries[live.roster.id])
    seek = Seek(where=At(live.roster.code), watch=True)
    answers = await asyncio.gather(*(hall.house.join(hall.request(n, seek)) for n in range(5)))
    assert all(isinstance(answer, Welcome) for answer in answers)
    assert len(hall.store._entries[live.roster.id]) == before + 1  # one `Wake`


async def test_a_table_asleep_is_handed_to_another_node() -> None:
    hall = Hall(highcard.GAME)
    live = await played(hall)
    hall = await restarted(hall)
    hall.house.release(live.roster.id)
    assert len(hall.house.index) == 0
    assert await hall.turned_away(1, Seek(where=At(live.roster.code))) == "no-such-table"


async def test_rules_that_go_on_without_people_are_told_at_once_that_they_are_gone() -> None:
    hall = Hall(highcard.STANDING)
    live = await played(hall)
    hall = await restarted(hall)
    await soon(lambda: not asleep(hall))
    log = [do.decode(entry.data) for entry in await hall.store.entries(live.roster.id)]
    assert any(isinstance(entry, do.Wake) for entry in log)


async def test_a_table_whose_log_cannot_be_read_now_is_not_shut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("parlour.house.saved.AFTER", 5)
    hall = Hall(highcard.GAME)
    live = await played(hall)
    for number in range(6):
        live.receive(do.Say(0, f"Hello {number}"))
    hall = await restarted(hall)
    known = hall.store.entries

    async def away(*asked: object) -> list[LogEntry]:
        raise Away("The database is away.")

    facts = dict(hall.store._facts)
    assert any(key.startswith(CHECKPOINT) for key in facts)
    monkeypatch.setattr(hall.store, "entries", away)
    join = hall.request(9, Seek(where=At(live.roster.code), watch=True))
    refused = await hall.house.join(join)
    assert isinstance(refused, Refusal)
    assert refused.code == "try-again"
    assert hall.store._facts == facts, "neither shut nor without its checkpoint"
    monkeypatch.setattr(hall.store, "entries", known)
    assert isinstance(await hall.house.join(join), Welcome)


async def left_by_all(monkeypatch: pytest.MonkeyPatch) -> tuple[Hall, LiveTable]:
    """A table that both players have just left in mid-match."""
    monkeypatch.setattr("parlour.house.loader.SETTLED", 0.01)
    hall = Hall(highcard.GAME)
    await hall.reopen()
    live = await played(hall)
    for connection in (1, 2):
        hall.house.disconnect(connection)
    await soon(lambda: ASLEEP + live.roster.id in hall.store._facts)
    return hall, live


@pytest.fixture
async def left(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> tuple[Hall, LiveTable]:
    """The same, a minute later."""
    hall, live = await left_by_all(monkeypatch)
    machine.goes_on(LEFT_FOR + 1)
    return hall, live


async def test_a_table_that_nobody_visits_is_only_a_note(
    left: tuple[Hall, LiveTable], monkeypatch: pytest.MonkeyPatch
) -> None:
    hall, live = left
    table = live.roster.id
    slept: list[tuple[int, int]] = []
    hooks = replace(hall.house.services.hooks, slept=lambda *counts: slept.append(counts))
    monkeypatch.setattr(hall.house.services, "hooks", hooks)
    await soon(lambda: asleep(hall) == [table])
    assert slept == [(1, 0)]
    before = len(hall.store._entries[table])
    for name in (table, live.roster.code, live.roster.match_id):
        found = await hall.house.call(FIND, name)
        assert found is not None
        assert found.id == table
    back = await hall.join(9, Seek(where=Own(last=True)), visitor="visitor 2")
    assert back is not live
    assert back.roster.id == table
    assert back.table.match is not None
    assert back.table.match.__dict__ == live.table.match.__dict__  # type: ignore[union-attr]
    # It was never closed: its players are not told to be away once more.
    added = [do.decode(entry.data) for entry in hall.store._entries[table][before:]]
    assert [type(entry) for entry in added] == [do.Back]


async def test_what_is_due_at_a_table_that_fell_asleep_happens(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.house.loader.LEFT_FOR", 0)
    hall, live = await left_by_all(monkeypatch)
    machine.goes_on(live.roster.keep_seats - 50)
    await soon(lambda: asleep(hall) == [live.roster.id])
    machine.goes_on(50)
    await soon(lambda: len(hall.house.index) == 0)
    log = [do.decode(entry.data) for entry in hall.store._entries[live.roster.id]]
    assert any(isinstance(entry, do.Tick) for entry in log)


async def test_a_table_stays_awake_while_somebody_needs_it(
    left: tuple[Hall, LiveTable], machine: Machine
) -> None:
    hall, live = left
    await hall.join(7, Seek(where=At(live.roster.code), watch=True))
    machine.goes_on(LEFT_FOR + 1)
    await hall.house.loader._put_to_sleep()
    assert not asleep(hall)


async def test_a_table_stays_awake_while_its_checkpoint_is_compared(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall, live = await left_by_all(monkeypatch)
    hall.store.remember(CHECKPOINT + live.roster.id, b"compared")
    begun, compared = asyncio.Event(), asyncio.Event()

    async def compare(*asked: object) -> bool:
        begun.set()
        await compared.wait()
        return True

    monkeypatch.setattr("parlour.house.saved.is_right", compare)
    comparing = asyncio.create_task(live.saved.check())
    await begun.wait()
    machine.goes_on(LEFT_FOR + 1)
    await hall.house.loader._put_to_sleep()
    assert not asleep(hall)
    compared.set()
    await comparing
    await soon(lambda: asleep(hall) == [live.roster.id])


async def test_a_table_falls_asleep_only_when_its_log_is_stored(
    left: tuple[Hall, LiveTable], machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall, live = left
    hall.store.held = True
    live.receive(do.Say(0, "One more"))
    await soon(lambda: live.saved._noted == live.table.version)
    waits = False
    kept = hall.journal.kept

    async def noted(answer: None) -> None:
        nonlocal waits
        waits = True
        await kept(answer)

    monkeypatch.setattr(hall.journal, "kept", noted)
    machine.goes_on(LEFT_FOR + 1)
    await soon(lambda: waits or bool(asleep(hall)))
    assert not asleep(hall)
    hall.store.release()
    await soon(lambda: asleep(hall) == [live.roster.id])


async def test_somebody_who_was_on_the_way_to_it_is_led_to_the_table_that_is_loaded(
    left: tuple[Hall, LiveTable],
) -> None:
    hall, live = left
    await soon(lambda: bool(asleep(hall)))
    before = list(hall.store._entries[live.roster.id])
    for late in (lambda: live.receive(do.Say(0, "Hello")), lambda: live.note(do.Wake())):
        with suppress(Illegal):
            late()
    with pytest.raises(Illegal) as refused:
        await live.mended()
    assert refused.value.code == "try-again"
    assert hall.store._entries[live.roster.id] == before
