"""Who hears of a commit, and who waits for one: the same for every log."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from parlour.kit import Illegal
from parlour.lifecycle import Lifecycle
from parlour.store import Store, StoreTrouble
from parlour.store.memory import MemoryStore
from parlour.store.sqlite import SqliteStore

MAKERS: dict[str, Callable[[Path], Store]] = {
    "memory": lambda path: MemoryStore(),
    "sqlite": lambda path: SqliteStore(path / "log"),
}


async def waiting_for(commits: Store, *tickets: int) -> list[asyncio.Task[bool]]:
    """Somebody waits after each of these tickets was given out."""
    tasks: list[asyncio.Task[bool]] = []
    for ticket in tickets:
        commits.last_ticket = ticket
        tasks.append(asyncio.create_task(commits.settled()))
        await asyncio.sleep(0)
    return tasks


async def done(tasks: list[asyncio.Task[bool]]) -> list[bool | None]:
    """What each was answered by now; None: it still waits."""
    for _ in range(3):
        await asyncio.sleep(0)
    return [task.result() if task.done() else None for task in tasks]


async def test_who_waits_is_woken_as_far_as_the_log_is_kept() -> None:
    commits = MemoryStore(Lifecycle())
    heard: list[int] = []
    commits._kept(0)
    commits.on_commit(heard.append)
    tasks = await waiting_for(commits, 0, 1, 2, 2, 3)
    assert await done(tasks) == [True, None, None, None, None]
    commits._kept(2)
    assert await done(tasks) == [True, True, True, True, None]
    commits._kept(3)
    assert await done(tasks) == [True] * 5
    assert heard == [2, 3]
    assert await commits.settled()


async def test_when_the_log_is_lost_nobody_waits_for_what_it_never_kept() -> None:
    lifecycle = Lifecycle()
    commits = MemoryStore(lifecycle)
    tasks = await waiting_for(commits, 1, 2)
    commits._kept(1)
    tasks += await waiting_for(commits, 3)
    tasks[1].cancel()
    lifecycle.lose(OSError("the disk is full"))
    await done(tasks[::2])
    assert (tasks[0].result(), tasks[1].cancelled(), tasks[2].result()) == (True, True, False)
    assert not await commits.settled()


async def test_closing_wakes_nobody() -> None:
    lifecycle = Lifecycle()
    commits = MemoryStore(lifecycle)
    tasks = await waiting_for(commits, 1)
    lifecycle.close()
    assert await done(tasks) == [None]
    commits._kept(1)
    assert await done(tasks) == [True]


@pytest.mark.parametrize("kind", MAKERS)
async def test_a_log_of_one_process_goes_by_its_own_clock_and_codes(
    kind: str, tmp_path: Path
) -> None:
    store = MAKERS[kind](tmp_path)
    assert store.current() is True
    assert (await store.now(), store.codes.free()) == (None, None)
    assert store.last_ticket == 0
    await store.stop()


@pytest.mark.parametrize("kind", MAKERS)
async def test_a_reader_knows_facts_and_of_an_unknown_table_nothing(
    kind: str, tmp_path: Path
) -> None:
    store = MAKERS[kind](tmp_path)
    await store.start()
    store.remember("name:a", b"Ada")
    assert await store.settled()
    reader = store.reader("nobody")
    assert (reader.fact("name:a"), reader.fact("name:b")) == (b"Ada", None)
    assert list(reader.entries()) == []
    await store.stop()


async def test_a_log_that_is_lost_takes_nothing_more(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "log")
    await store.start()
    ticket = store.remember("name:a", b"Ada")
    assert await store.settled()
    store.lifecycle.lose(OSError("the disk is full"))
    with pytest.raises(Illegal, match="closing"):
        store.remember("name:b", b"Bo")
    assert store.last_ticket == ticket
    with pytest.raises(StoreTrouble, match="the disk is full"):
        await store.stop()


async def test_facts_are_claimed_together_or_not_at_all() -> None:
    store = MemoryStore()
    assert await store.claim({"a": b"1", "b": b"2"}) == {}
    assert await store.claim({"b": b"3", "c": b"4"}) == {"b": b"2"}
    assert await store.recall("") == {"a": b"1", "b": b"2"}
    assert await store.remember_first("a", b"5") == b"1"
    assert await store.remember_first("d", b"6") == b"6"


async def test_a_claim_that_can_not_be_kept_is_refused(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "log")
    waiting = asyncio.create_task(store.claim({"a": b"1"}))
    await asyncio.sleep(0)
    store.lifecycle.lose(OSError("the disk is full"))
    with pytest.raises(Illegal, match="closing"):
        await waiting
    with pytest.raises(StoreTrouble):
        await store.stop()


async def test_who_watches_facts_is_told_of_changes_and_reads_again_after_a_gap() -> None:
    store = MemoryStore()
    learned: list[tuple[str, bytes | None]] = []

    async def reload() -> None:
        learned.append(("all", None))

    store.watch("name:", lambda key, value: learned.append((key, value)), reload)
    store.amend(["name:a", "other"], lambda facts: {"name:a": b"Ada", "other": b""})
    await store._watchers.reload()
    assert learned == [("name:a", b"Ada"), ("all", None)]
