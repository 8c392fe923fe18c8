"""A house by itself: from one table to another, and what it answers when its log is lost."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from parlour.bus import JoinRequest, Moved, Refusal, Welcome
from parlour.house import Hooks
from parlour.kit import Illegal
from parlour.protocol import At, MoveTo, Own, Seek
from parlour.protocol.operations import COMMON, FIND, LIST_TABLES
from parlour.store import LogEntry
from parlour.table import inputs as do
from tests import highcard
from tests.server.hall import Hall
from tests.server.machine import HOUR, Machine

SEEK = Seek(where=Own(), resumable=True, language="eo")


def said(hall: Hall, connection: int) -> list[dict[str, object]]:
    """What a connection was told, in order."""
    return [
        msgspec.json.decode(data)
        for connections, data in hall.bus.told
        if connection in connections and isinstance(data, bytes)
    ]


async def test_who_goes_to_another_table_takes_along_all_that_is_known_of_them() -> None:
    hall = Hall()
    before = await hall.join(1, SEEK, name="Ada", address="192.0.2.1", extras="story")
    target = await hall.join(2, Seek(where=Own()), name="Ada")
    hall.house.submit(1, MoveTo(target.roster.code))
    roster = target.roster
    assert hall.bus.told[-1] == ([1], Moved(1, roster.id, roster.code, 1, target.table.version))
    player = roster.at(1)
    assert player is not None
    # Somebody has that name there.
    assert (player.visitor, player.name, player.resumable) == ("visitor 1", "Ada 2", True)
    assert player.language == "eo"
    assert player.address == target.table.mark("192.0.2.1") != before.table.mark("192.0.2.1")
    (there,) = [a for a in target.audience.attachments if a.connection == 1]
    assert (there.place, there.request.extras) == (1, "story")
    assert there.request.address == "192.0.2.1"
    assert before.audience.attachments == []
    assert before.roster.people == []
    # Where they are already they stay.
    told = len(hall.bus.told)
    hall.house.submit(1, MoveTo(roster.code))
    assert len(hall.bus.told) == told


@pytest.mark.parametrize("known", [True, False])
async def test_what_is_not_here_may_be_at_another_node(known: bool) -> None:
    wrong: list[str] = []
    hall = Hall(hooks=Hooks(charge_miss=wrong.append))
    before = await hall.join(1, SEEK, name="Ada", address="192.0.2.1", extras="")
    if not known:
        before.receive(do.Leave(0))
    hall.house.submit(1, MoveTo("000000"))
    ((request, answered),) = hall.bus.moves
    assert request == JoinRequest(
        connection=1,
        game=hall.game.id,
        wire=hall.game.wires[0].name,
        visitor="visitor 1",
        name="Ada",
        seek=Seek(where=At("000000"), resumable=True, language="eo"),
        address="192.0.2.1",
        extras="",
    )
    assert len(before.audience.attachments) == 1
    answered(Refusal("no-such-table", "There is no table with that code."))
    assert said(hall, 1)[-1]["code"] == "no-such-table"
    assert wrong == ["192.0.2.1"]
    answered(Refusal("table-full", "There is no room."))
    assert said(hall, 1)[-1]["code"] == "table-full"
    assert wrong == ["192.0.2.1"]
    answered(Welcome("another", "000000", 0))
    assert before.audience.attachments == []
    assert before.roster.people == []
    # Whoever has gone hears nothing more of it.
    told = len(hall.bus.told)
    answered(Refusal("no-such-table", "There is no table with that code."))
    assert len(hall.bus.told) == told


async def test_nobody_goes_elsewhere_in_a_match_or_too_often() -> None:
    looked: list[str] = []

    def may_look(address: str) -> bool:
        looked.append(address)
        return len(looked) < 3

    hall = Hall(hooks=Hooks(may_look=may_look))
    live = await hall.join(1, Seek(where=Own()), address="192.0.2.1")
    other = await hall.join(2, Seek(where=Own()))
    await hall.join(3, Seek(where=At(live.roster.code)))
    await hall.join(4, Seek(where=At(live.roster.code), watch=True))
    live.receive(do.Start(do.HOUSE))
    codes = []
    for connection, code in ((1, "000000"), (1, other.roster.code), (1, "000000"), (4, "000000")):
        hall.house.submit(connection, MoveTo(code))
        codes.append(said(hall, connection)[-1]["code"])
    assert codes == ["no-such-table", "round-running", "too-fast", "watching"]
    assert looked == ["192.0.2.1"] * 3
    assert hall.bus.moves == []


async def test_who_is_at_no_table_is_not_listened_to() -> None:
    hall = Hall()
    live = await hall.join(1, Seek(where=Own()))
    told, version = len(hall.bus.told), live.table.version
    hall.house.submit(2, do.Say(0, "Good evening"))
    hall.house.submit(1, None)
    assert not hall.house.submit_frame(2, b'{"type":"say","text":"Good evening"}')
    hall.house.disconnect(2)
    assert (len(hall.bus.told), live.table.version) == (told, version)


async def test_who_is_refused_a_table_is_counted() -> None:
    refused: list[tuple[str, str]] = []
    hall = Hall(hooks=Hooks(refused=lambda game, code: refused.append((game, code))))
    assert await hall.turned_away(1, Seek(where=At("000000"))) == "no-such-table"
    assert refused == [("standing", "no-such-table")]


@pytest.mark.parametrize("resumable", [True, False])
async def test_who_can_come_back_is_led_back_at_every_node(
    resumable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall = Hall()
    seated: list[tuple[str, str, str]] = []
    monkeypatch.setattr(hall.store, "sat_down", lambda *what: seated.append(what))
    live = await hall.join(1, Seek(where=Own(), resumable=resumable))
    assert seated == ([(live.roster.id, "visitor 1", "standing")] if resumable else [])


async def test_a_house_that_has_lost_its_log_tells_of_no_tables() -> None:
    """It can't be sure that any of them is kept."""
    hall = Hall()
    live = await hall.join(1, Seek(where=Own()))
    page = await hall.house.call(LIST_TABLES, None, "visitor 1", 0)
    assert page.tables == [live.roster]
    assert await hall.house.call(FIND, live.roster.id) == live.roster
    hall.store.held = True
    live.receive(do.AddBot(do.HOUSE))
    hall.store.lifecycle.lose(OSError("No space left on device"))
    for asked in (
        hall.house.call(LIST_TABLES, None, "visitor 1", 0),
        hall.house.call(FIND, live.roster.id),
    ):
        with pytest.raises(Illegal, match="The house is closing"):
            await asked


# Tables that stay shut


async def test_since_when_a_table_is_shut_is_known_after_any_restart(machine: Machine) -> None:
    hall = Hall()
    roster = (await hall.join(1, Seek(where=Own(), resumable=True))).roster
    other = replace(highcard.STANDING, id="other")
    for _ in range(3):
        hall = Hall(other, hall.copied())
        assert await hall.reopen() == 0
        for name in (roster.id, roster.code, f"{roster.code[:3]} {roster.code[3:]}"):
            said = "since 15 January 2027: its game is not installed here."
            with pytest.raises(Illegal, match=said) as refused:
                await hall.house.call(FIND, name)
            assert refused.value.code == "table-shut"
        machine.goes_on(24 * HOUR)
    # Open again, and then shut anew.
    hall = Hall(store=hall.copied())
    assert await hall.reopen() == 1
    hall = Hall(other, hall.copied())
    await hall.reopen()
    with pytest.raises(Illegal, match="since 18 January 2027"):
        await hall.house.call(FIND, roster.id)


async def damaged(hall: Hall, table: str, seq: int) -> Hall:
    """Another house, for which an entry of this table makes no sense."""
    store = hall.copied()
    entry = store._entries[table][seq]
    store._entries[table][seq] = LogEntry(seq, entry.at, do.encode(do.Leave(9)))
    again = Hall(store=store)
    await again.reopen()
    return again


async def test_what_is_wrong_with_a_log_is_told_to_the_operator(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hall = Hall()
    live = await hall.join(1, Seek(where=Own()))
    for seq in range(live.table.version + 1):
        caplog.clear()
        again = await damaged(hall, live.roster.id, seq)
        assert len(again.house.index) == 0
        wrong = f"table {live.roster.id} stays shut: Entry {seq} of table {live.roster.id} "
        assert wrong + "makes no sense to the rules." in caplog.messages
    hall.store._entries[live.roster.id] = []
    await Hall(store=hall.copied()).reopen()
    assert f"Entry 0 of table {live.roster.id} is missing." in caplog.text


async def test_where_the_houses_own_table_stays_shut_there_is_another() -> None:
    hall = Hall()
    own = await hall.house.call(COMMON, hall.game.id)
    again = await damaged(hall, own.id, 0)
    other = await again.house.call(COMMON, hall.game.id)
    assert other.id != own.id
    assert await again.house.call(COMMON, hall.game.id) == other
    # And where it failed too often.
    live = again.house.index.find(other.id)
    assert live is not None
    live.shut = True
    third = await again.house.call(COMMON, hall.game.id)
    assert third.id not in (own.id, other.id)


async def test_whose_last_table_is_shut_is_told_once_before_there_is_a_new_one() -> None:
    hall = Hall()
    before = await hall.join(1, Seek(where=Own(last=True), resumable=True))
    before.shut = True
    for house in (hall, await damaged(hall, before.roster.id, 0)):
        seek = Seek(where=Own(last=True), resumable=True)
        assert await house.turned_away(1, seek) == "table-shut"
        after = await house.join(1, seek)
        assert after.roster.id != before.roster.id
        assert after.roster.of_visitor("visitor 1") is not None
