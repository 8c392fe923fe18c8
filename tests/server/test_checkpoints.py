"""Long tables go on from a checkpoint; one that is wrong is found, reported and not used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from parlour.bus import Welcome
from parlour.house import Hooks, checkpoints
from parlour.house.checkpoints import CHECKPOINT, Checkpoint, agrees, is_right, read, write
from parlour.house.live import LiveTable
from parlour.protocol import At, Own, Seek
from parlour.store import Away, LogEntry
from parlour.table import inputs as do
from tests import highcard
from tests.server.hall import Hall
from tests.server.machine import Machine
from tests.support import HeldStore


class Counting(HeldStore):
    """Notes from which entry on logs were read."""

    def __init__(self) -> None:
        super().__init__()
        self.read_from: list[int] = []

    async def entries(self, table: str, start: int = 0, stop: int | None = None) -> list[LogEntry]:
        self.read_from.append(start)
        return await super().entries(table, start, stop)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints come after a few entries."""
    monkeypatch.setattr("parlour.house.saved.AFTER", 5)


async def played(hall: Hall) -> LiveTable:
    live = await hall.join(1, Seek(where=Own(), resumable=True))
    await hall.join(2, Seek(where=At(live.roster.code), resumable=True))
    live.receive(do.Start(do.HOUSE))
    for number in range(3):
        live.receive(do.Say(0, f"Hello {number}"))
    live.saved.write()
    assert CHECKPOINT + live.roster.id in hall.store._facts
    live.receive(do.Act(0, live.table.match.legal(0)[0]))  # type: ignore[union-attr]
    return live


async def reopened(hall: Hall, **more: Any) -> tuple[Hall, Counting]:
    store = Counting()
    for what, kept in vars(hall.copied()).items():
        if what in ("_rows", "_entries", "_facts"):
            setattr(store, what, kept)
    again = Hall(highcard.GAME, store, **more)
    await again.house.reopen()
    await again.house.loader.all_read()
    return again, store


async def greetings(hall: Hall, code: str) -> list[Any]:
    for connection in (1, 2, 7):
        seek = Seek(where=At(code), watch=connection == 7, resumable=True)
        assert isinstance(await hall.house.join(hall.request(connection, seek)), Welcome)
    return hall.bus.told


@pytest.mark.parametrize("stop", [True, False])
async def test_only_entries_after_the_checkpoint_are_folded(machine: Machine, stop: bool) -> None:
    hall = Hall(highcard.GAME)
    live = await played(hall)
    at = _checkpoint(hall, live).seq
    if stop:
        await hall.house.close()
    again, store = await reopened(hall)
    told = await greetings(again, live.roster.code)
    assert store.read_from == [at, at + 1]
    del hall.store._facts[CHECKPOINT + live.roster.id]
    again, store = await reopened(hall)
    assert await greetings(again, live.roster.code) == told
    assert store.read_from == [0]


def _checkpoint(hall: Hall, live: LiveTable) -> Checkpoint:
    data = hall.store._facts[CHECKPOINT + live.roster.id]
    found = read(data, highcard.GAME)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        ({"code": b"other"}, False),
        ({"entry": b"other"}, True),
        ({"sum": b"other"}, True),
        ({"state": b"other"}, True),
        ({"content": ["00"]}, False),
        ({"seq": 900}, True),
    ],
)
async def test_a_checkpoint_that_does_not_fit_is_not_used(
    change: dict[str, Any], reported: bool, caplog: pytest.LogCaptureFixture
) -> None:
    hall = Hall(highcard.GAME)
    live = await played(hall)
    key = CHECKPOINT + live.roster.id
    changed = msgspec.structs.replace(_checkpoint(hall, live), **change)
    hall.store.remember(key, msgspec.msgpack.encode(changed))
    again, store = await reopened(hall)
    found = again.house.index.find(live.roster.id)
    assert isinstance(found, LiveTable)
    assert (0 in store.read_from) == ("content" not in change)
    assert ("is not used" in caplog.text) == reported
    assert (key in again.store._facts) == (not reported)


async def test_a_checkpoint_that_is_wrong_is_deleted_and_the_table_set_up_again(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def here(*asked: Any) -> bool:
        return agrees(*asked)

    monkeypatch.setattr("parlour.house.saved.is_right", here)
    wrong: list[bool] = []
    hall = Hall(highcard.GAME, hooks=Hooks(checkpoint_wrong=lambda: wrong.append(True)))
    live = await played(hall)
    await live.saved.check()
    assert not wrong
    live.roster.players[0].name = "Nobody"
    live.receive(do.Say(0, "Who am I?"))
    for _ in range(5):
        live.receive(do.Say(1, "Who are you?"))
    live.saved.write()
    assert live.saved.unchecked
    await live.saved.check()
    await live.mended()
    assert wrong == [True]
    assert "differs from its log" in caplog.text
    assert CHECKPOINT + live.roster.id not in hall.store._facts
    assert live.roster.players[0].name == "Guest"


async def test_a_fold_that_a_wrong_checkpoint_stops_begins_again_from_the_start() -> None:
    hall = Hall(highcard.GAME)
    live = await played(hall)
    other = await played(hall)
    # That table is over, so nothing more can be played there.
    key = CHECKPOINT + live.roster.id
    live.table.closed = True
    live.table.version -= 1
    data = write(live.table, do.encode(do.Say(0, "Hello 2")), 0)
    assert data is not None
    hall.store.remember(key, data)
    again, _ = await reopened(hall)
    found = again.house.index.find(live.roster.id)
    assert isinstance(found, LiveTable)
    assert found.table.version == live.table.version + 2  # and one `Wake`
    assert other.roster.id != live.roster.id


async def test_another_process_compares_a_checkpoint_with_the_log() -> None:
    hall = Hall(highcard.GAME)
    live = await played(hall)
    reader = hall.store.reader(live.roster.id)
    data = hall.store._facts[CHECKPOINT + live.roster.id]
    assert await is_right(highcard.GAME, reader, data) is True
    live.table.roster.players[0].name = "Nobody"
    last = do.decode((await hall.store.entries(live.roster.id))[-1].data)
    changed = write(live.table, do.encode(last), 0)
    assert changed is not None
    assert await is_right(highcard.GAME, reader, changed) is False


async def test_a_state_that_is_too_large_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    hall = Hall(highcard.GAME)
    live = await played(hall)
    monkeypatch.setattr(checkpoints, "LARGEST", 10)
    before = _checkpoint(hall, live)
    for _ in range(9):
        live.receive(do.Say(1, "Hello"))
    live.saved.write()
    assert _checkpoint(hall, live) == before
    assert not live.saved.outgrown


async def test_a_table_that_closes_leaves_no_checkpoint() -> None:
    hall = Hall(highcard.GAME)
    live = await played(hall)
    live.receive(do.Close())
    assert not any(key.startswith(CHECKPOINT) for key in hall.store._facts)


def test_checkpoints_are_of_one_state_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    before = checkpoints.code_of(highcard.GAME)
    assert checkpoints.code_of(highcard.STANDING) != before
    read_bytes: Callable[..., bytes] = checkpoints.Path.read_bytes

    def changed(path: checkpoints.Path) -> bytes:
        return read_bytes(path) + (b"#" if path.name == "playing.py" else b"")

    monkeypatch.setattr(checkpoints.Path, "read_bytes", changed)
    monkeypatch.setattr(checkpoints, "_files_of", checkpoints._files_of.__wrapped__)
    assert checkpoints.code_of(highcard.GAME) != before


async def test_a_log_that_cannot_be_read_does_not_make_its_checkpoint_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def here(*asked: Any) -> bool:
        return agrees(*asked)

    monkeypatch.setattr("parlour.house.saved.is_right", here)
    wrong: list[bool] = []
    hall = Hall(highcard.GAME, hooks=Hooks(checkpoint_wrong=lambda: wrong.append(True)))
    live = await played(hall)

    class NotNow:
        def entries(self) -> Any:
            raise Away("The database is away.")

    monkeypatch.setattr(hall.store, "reader", lambda table: NotNow())
    with pytest.raises(Away):
        await live.saved.check()
    assert not wrong
    assert CHECKPOINT + live.roster.id in hall.store._facts
    assert live.audience.attachments, "nobody was sent away"


async def test_a_table_whose_log_cannot_be_read_again_now_is_set_up_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("parlour.house.live.READ_AGAIN", 0.0)
    hall = Hall(highcard.GAME)
    live = await played(hall)
    known = hall.store.entries
    tries: list[int] = []

    async def away(table: str, start: int = 0, stop: int | None = None) -> list[LogEntry]:
        tries.append(start)
        if len(tries) < 3:
            raise Away("The database is away.")
        return await known(table, start, stop)

    monkeypatch.setattr(hall.store, "entries", away)
    live.mend()
    await live.mended()
    assert tries == [0, 0, 0]
    assert not live.shut
