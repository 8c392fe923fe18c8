"""Work that another process does: bounded, in turn, and nothing that the end waits for."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from multiprocessing import Pipe
from pathlib import Path
from threading import Thread

import pytest

from parlour.house.workers import NICENESS, Lost, Workers, answer_calls, cores
from parlour.kit import Illegal
from tests.server.slow import note, note_and_wait, too_much, wait_for
from tests.support import PATIENCE, lives, soon

pytestmark = pytest.mark.slow


@pytest.fixture
async def one() -> AsyncIterator[Workers]:
    made = Workers(1, waiting=20, within=PATIENCE)
    yield made
    made.end()


async def test_askers_are_served_in_turn_however_much_each_of_them_asks(
    one: Workers, tmp_path: Path
) -> None:
    notes, go = tmp_path / "notes", tmp_path / "go"
    asked = [one.run("first", lambda: (wait_for, (go,)))]
    for who in ("greedy",) * 8 + ("modest", "greedy", "late"):
        asked.append(one.run(who, lambda who=who: (note, (notes, who))))  # type: ignore[misc]
    under_way = asyncio.gather(*asked)
    await soon(lambda: one.waiting == 11)
    go.touch()
    await under_way
    order = notes.read_text().split()
    assert order[:3] == ["greedy", "modest", "late"]
    assert order[3:] == ["greedy"] * 8


async def test_no_more_wait_than_may(one: Workers, tmp_path: Path) -> None:
    go = tmp_path / "go"
    asked = [
        asyncio.ensure_future(one.run(str(number), lambda: (wait_for, (go,))))
        for number in range(21)
    ]
    await soon(lambda: one.waiting == 20)
    with pytest.raises(Illegal, match="Too many people"):
        await one.run("another", lambda: (wait_for, (go,)))
    # Whoever goes makes room.
    asked[-1].cancel()
    await soon(lambda: one.waiting == 19)
    asked[-1] = asyncio.ensure_future(one.run("another", lambda: (wait_for, (go,))))
    go.touch()
    await asyncio.gather(*asked)
    assert one.waiting == 0


async def test_the_first_process_is_started_before_anybody_asks(
    one: Workers, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    notes = tmp_path / "notes"
    for word in ("first", "second"):
        one.warm((note, (notes, word)))
    await soon(notes.exists)
    # It is the one that answers, and there is no other.
    await one.run("", lambda: (note, (notes, "third")))
    assert notes.read_text().split() == ["first", "third"]
    assert caplog.messages == []
    assert len(one._workers) == 1
    one.end()
    await soon(lambda: not one._workers)
    one.warm((note, (notes, "fourth")))
    assert not one._workers


async def test_a_process_that_is_warmed_for_too_long_is_ended(tmp_path: Path) -> None:
    short = Workers(1, waiting=5, within=0.01)
    short.warm((wait_for, (tmp_path / "never",)))
    await soon(lambda: not short._workers)
    short.end()


async def test_what_takes_too_long_loses_its_process_and_the_next_has_another(
    tmp_path: Path,
) -> None:
    short = Workers(1, waiting=5, within=0.5)
    # The first call of a process has its start to wait for, too: that is not what is tried here.
    while True:
        try:
            await short.run("", lambda: (len, ("four",)))
            break
        except Lost:
            continue
    with pytest.raises(Lost):
        await short.run("", lambda: (wait_for, (tmp_path / "never",)))
    await soon(lambda: not short._workers)
    # Whoever is in line behind it has not asked in vain.
    failing = asyncio.ensure_future(short.run("", lambda: (wait_for, (tmp_path / "never",))))
    await asyncio.sleep(0)
    short._within = PATIENCE
    behind = asyncio.ensure_future(short.run("", lambda: (len, ("three",))))
    assert await behind == 5
    with pytest.raises(Lost):
        await failing
    assert await short.run("", lambda: (len, ("four",))) == 4
    short.end()


@pytest.mark.skipif(os.name == "nt", reason="interrupts as POSIX knows them")
async def test_an_interrupt_is_the_servers_also_while_a_process_starts(
    one: Workers, tmp_path: Path
) -> None:
    """Ctrl+C goes to everybody at the terminal, however young."""
    # Processes inherit that it is ignored, as it is where tests run in the background.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        answer = asyncio.ensure_future(one.run("", lambda: (note, (tmp_path / "notes", "done"))))
        await soon(lambda: any(worker._process.pid for worker in one._workers))
        (worker,) = one._workers
        while not answer.done():
            assert worker._process.pid is not None
            os.kill(worker._process.pid, signal.SIGINT)
            await asyncio.sleep(0.001)
        await answer
    finally:
        signal.signal(signal.SIGINT, before)


async def test_the_end_is_the_end_of_work_under_way(
    one: Workers, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    notes = tmp_path / "notes"
    under_way = asyncio.ensure_future(one.run("", lambda: (note_and_wait, (notes,))))
    await soon(notes.exists)
    await soon(lambda: notes.read_text().endswith("\n"))
    pid = int(notes.read_text())
    one.end()
    await soon(lambda: not lives(pid))
    with pytest.raises(Lost):
        await under_way
    assert caplog.messages == []


def test_there_is_a_process_for_every_processor_that_may_be_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {2, 3, 5}, raising=False)
    assert cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    for count, expected in ((7, 7), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda count=count: count)
        assert cores() == expected


async def test_what_can_not_be_sent_is_an_error_and_no_end(one: Workers) -> None:
    await one.run("", lambda: (len, ("four",)))
    (worker,) = one._workers
    with pytest.raises(Exception, match=r"too_much|lambda|pickle"):
        await one.run("", lambda: (too_much, ()))
    with pytest.raises(Exception, match=r"lambda|pickle"):
        await one.run("", lambda: (lambda: None, ()))
    assert await one.run("", lambda: (len, ("four",))) == 4
    assert one._workers == {worker}


def test_a_worker_answers_calls_until_nobody_asks_any_more() -> None:
    """Here in a thread, for once."""
    ours, theirs = Pipe()
    worker = Thread(target=answer_calls, args=(theirs,))
    worker.start()
    answers = []
    for call in ((len, ("four",)), (int, ("four",)), (too_much, ()), (max, (2, 3))):
        ours.send(call)
        assert ours.poll(PATIENCE)
        answers.append(ours.recv())
    ours.close()
    worker.join(PATIENCE)
    assert not worker.is_alive()
    four, wrong, unsent, last = answers
    assert (four, last) == ((True, 4), (True, 3))
    assert not wrong[0]
    assert isinstance(wrong[1], ValueError)
    assert not unsent[0]
    assert isinstance(unsent[1], RuntimeError)
    assert "too_much" in str(unsent[1])


def test_a_worker_whose_asker_is_gone_when_it_answers_ends(tmp_path: Path) -> None:
    ours, theirs = Pipe()
    worker = Thread(target=answer_calls, args=(theirs,))
    worker.start()
    ours.send((wait_for, (tmp_path / "go",)))
    ours.close()
    (tmp_path / "go").touch()
    worker.join(PATIENCE)
    assert not worker.is_alive()


@pytest.mark.skipif(not hasattr(os, "nice"), reason="has no such thing")
async def test_those_who_play_come_before_those_who_asked(one: Workers) -> None:
    assert await one.run("", lambda: (os.nice, (0,))) == min(19, os.nice(0) + NICENESS)


ENDS = """
import asyncio, sys
from pathlib import Path
from parlour.house.workers import Workers
from tests.server.slow import note, wait_for

async def main():
    workers = Workers(1, waiting=5, within=3600)
    await workers.run("", lambda: (note, (Path(sys.argv[1]), "begun")))
    asked = asyncio.ensure_future(workers.run("", lambda: (wait_for, (Path("/nowhere/at/all"),))))
    await asyncio.sleep(0)
    if sys.argv[2] == "tidy":
        workers.end()
        asked.cancel()

if __name__ == "__main__":
    asyncio.run(main())
"""


@pytest.mark.parametrize("how", ["tidy", "untidy"])
def test_the_end_waits_for_no_work(tmp_path: Path, how: str) -> None:
    script = tmp_path / "ends.py"
    script.write_text(ENDS)
    command = [sys.executable, str(script), str(tmp_path / "notes"), how]
    path = {"PYTHONPATH": ":".join([p for p in sys.path if p])}
    subprocess.run(command, timeout=2 * PATIENCE, check=True, env=path)
    assert (tmp_path / "notes").read_text() == "begun\n"


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from parlour.house.workers import Workers
from tests.server.slow import note_and_wait

async def main():
    notes = Path(sys.argv[1])
    workers = Workers(1, waiting=5, within=3600)
    asked = asyncio.ensure_future(workers.run("", lambda: (note_and_wait, (notes,))))
    while not (notes.exists() and notes.read_text().endswith("\\n")):
        await asyncio.sleep(0.005)
    os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    asyncio.run(main())
"""


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="asks Linux who is alive")
async def test_a_process_at_work_does_not_outlive_the_one_it_works_for(tmp_path: Path) -> None:
    script, notes = tmp_path / "killed.py", tmp_path / "notes"
    script.write_text(KILLED)
    path = {"PYTHONPATH": ":".join([p for p in sys.path if p])}
    command = [sys.executable, str(script), str(notes)]
    process = await asyncio.create_subprocess_exec(*command, env=path)
    assert await process.wait() == -signal.SIGKILL
    worker = int(notes.read_text())
    await soon(lambda: not lives(worker))


SLOW_START = """
import asyncio, threading
from multiprocessing import util
from parlour.house.workers import Workers

spawned, spawn = threading.Event(), util.spawnv_passfds

def slowly(path, args, descriptors):
    pid = spawn(path, args, descriptors)
    if "multiprocessing.resource_tracker" not in str(args):
        # The process runs, but has not been told yet what to do.
        spawned.set()
        threading.Event().wait(0.3)
    return pid

util.spawnv_passfds = slowly

async def main():
    workers = Workers(1, waiting=1, within=5.0)
    workers.warm((len, ((),)))
    await asyncio.to_thread(spawned.wait)
    workers.end()

if __name__ == "__main__":
    asyncio.run(main())
"""


def test_a_process_that_is_being_started_ends_without_a_complaint(tmp_path: Path) -> None:
    (tmp_path / "ending.py").write_text(SLOW_START)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "ending.py")],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")
