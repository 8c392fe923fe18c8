"""A house by itself: from one table to another, and what it answers when its log is lost."""

from __future__ import annotations

import msgspec
import pytest

from parlour.bus import JoinRequest, Moved, Refusal, Welcome
from parlour.house import Hooks
from parlour.table import At, MoveTo, Own, Seek, TablePage
from parlour.table import inputs as do
from tests.server.hall import Hall

SEEK = Seek(where=Own(), resumable=True, for_match=True, language="eo")


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
    assert hall.bus.told[-1] == ([1], Moved(roster.id, roster.code, 1, target.table.version))
    player = roster.at(1)
    assert player is not None
    # Somebody has that name there.
    assert (player.visitor, player.name, player.resumable) == ("visitor 1", "Ada 2", True)
    assert player.language == "eo"
    assert player.address == target.table.mark("192.0.2.1") != before.table.mark("192.0.2.1")
    (there,) = [a for a in target.audience.attachments if a.connection == 1]
    assert (there.place, there.for_match, there.extras) == (1, True, "story")
    assert there.source == "192.0.2.1"
    assert before.audience.attachments == []
    assert before.roster.people == []
    # Where they are already they stay.
    told = len(hall.bus.told)
    hall.house.submit(1, MoveTo(roster.code))
    assert len(hall.bus.told) == told


@pytest.mark.parametrize("known", [True, False])
async def test_what_is_not_here_may_be_at_another_node(known: bool) -> None:
    wrong: list[str] = []
    hall = Hall(hooks=Hooks(wrong_door=wrong.append))
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
        seek=Seek(where=At("000000"), resumable=True, for_match=True, language="eo"),
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


async def test_a_house_that_has_lost_its_log_knows_of_no_tables() -> None:
    """Of none, that is, of which it can't be sure that they are kept."""
    hall = Hall()
    live = await hall.join(1, Seek(where=Own()))
    page = await hall.house.list_tables(None, "visitor 1")
    assert page.tables == [live.roster]
    assert await hall.house.find(live.roster.id) == live.roster
    hall.store.held = True
    live.receive(do.AddBot(do.HOUSE))
    hall.store.lifecycle.lose(OSError("No space left on device"))
    assert await hall.house.list_tables(None, "visitor 1") == TablePage([])
    assert await hall.house.find(live.roster.id) is None
