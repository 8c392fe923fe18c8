"""Worker processes, for work that would block the event loop.

The number of processes, the number of waiting calls and the time of one call are bounded. Each
asker has a queue, and the queues are served in turn, so that a hundred calls of one asker delay
nobody else. The process of a call that takes too long is killed. At the end all processes are
killed, because nobody waits for them.
"""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import signal
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection
from threading import Event, Thread
from typing import Any, TypeAlias

from parlour.kit import Illegal

log = logging.getLogger("parlour.house")

NICENESS = 5
"""Workers have a lower priority than the server, so that players come first."""

STARTS_WITHIN = 5.0
"""Seconds to wait, at the end, for a process that is being started. It takes milliseconds."""

Call: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments; all of them can be pickled."""


class Lost(Exception):
    """A worker process ended, or was ended, before it had answered."""


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Workers:
    """A few processes, started as they are needed, and the calls that wait for them."""

    def __init__(self, most: int, *, waiting: int, within: float) -> None:
        """At most `most` processes and `waiting` calls; `within`: seconds for one call."""
        self.most = most
        self._most_waiting = waiting
        self._within = within
        self._workers: set[_Worker] = set()
        self._idle: list[_Worker] = []
        self._lines: dict[str, deque[tuple[Callable[[], Call], asyncio.Future[Any]]]] = {}
        """By asker; the next to be served comes first."""
        self._ended = False

    @property
    def waiting(self) -> int:
        """How many calls wait for a process."""
        return sum(map(len, self._lines.values()))

    def warm(self, call: Call) -> None:
        """Start the first process with this call, so that the first asker need not wait for it."""
        if not self._workers and not self._ended:
            self._start().call(call, self._within, lambda ok, answer: None)

    async def run(self, who: str, call: Callable[[], Call]) -> Any:
        """Returns or raises what the function does; `call` is asked for it when its turn comes.

        Raises `Illegal` if too many calls wait already, `Lost` if the process ended meanwhile.
        """
        if self._ended or self.waiting >= self._most_waiting:
            raise Illegal("too-busy", "Too many people are asking: try again in a moment.")
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        waiting = call, answer
        self._lines.setdefault(who, deque()).append(waiting)
        self._serve()
        try:
            return await answer
        finally:
            line = self._lines.get(who)
            if line is not None and waiting in line:  # cancelled before its turn came
                line.remove(waiting)
                if not line:
                    del self._lines[who]

    def end(self) -> None:
        """Kill all processes; calls under way get no answer."""
        self._ended = True
        for line in self._lines.values():
            for _, answer in line:
                answer.cancel()
        self._lines.clear()
        for worker in self._workers:
            worker.kill()

    def _serve(self) -> None:
        """Give the next calls to free processes."""
        while self._lines and (self._idle or len(self._workers) < self.most):
            who = next(iter(self._lines))
            line = self._lines.pop(who)
            call, answer = line.popleft()
            if line:
                self._lines[who] = line
            worker = self._idle.pop() if self._idle else self._start()
            worker.call(call(), self._within, partial(_settle, answer))

    def _start(self) -> _Worker:
        worker = _Worker(self._free, self._gone)
        self._workers.add(worker)
        return worker

    def _free(self, worker: _Worker) -> None:
        self._idle.append(worker)
        self._serve()

    def _gone(self, worker: _Worker) -> None:
        self._workers.discard(worker)
        if not self._ended:
            self._serve()


def _settle(answer: asyncio.Future[Any], ok: bool, result: Any) -> None:
    if answer.done():  # the asker has gone meanwhile
        return
    if ok:
        answer.set_result(result)
    else:
        answer.set_exception(result)


class _Worker:
    """One process, and the thread that talks with it.

    A daemon thread: unlike an executor's, it does not delay the end of the interpreter.
    """

    def __init__(self, free: Callable[[_Worker], None], gone: Callable[[_Worker], None]) -> None:
        self._free = free
        self._gone = gone
        self._loop = asyncio.get_running_loop()
        self._calls: queue.SimpleQueue[tuple[Call, float, Callable[[bool, Any], None]] | None] = (
            queue.SimpleQueue()
        )
        context = get_context("spawn")
        self._ours, self._theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(self._theirs,), daemon=True)
        self._killed = False
        self._started = Event()
        Thread(target=self._talk, name="parlour-worker", daemon=True).start()

    def call(self, call: Call, within: float, answered: Callable[[bool, Any], None]) -> None:
        self._calls.put((call, within, answered))

    def kill(self) -> None:
        self._killed = True
        self._calls.put(None)
        # A process whose parent ends while it starts would complain that it was told nothing.
        self._started.wait(STARTS_WITHIN)
        if self._process.pid is not None:
            self._process.kill()

    def _talk(self) -> None:
        # In this thread, because starting an interpreter takes a while.
        if hasattr(signal, "pthread_sigmask"):
            # Only the server handles Ctrl+C: a process inherits the blocked signal from its parent.
            # Python's helper process must be started first, because that unblocks it again.
            resource_tracker.ensure_running()
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()
        finally:
            self._started.set()
        self._theirs.close()
        try:
            while not self._killed and (asked := self._calls.get()) is not None:
                call, within, answered = asked
                alive, ok, answer = self._ask(call, within)
                self._tell(answered, ok, answer)
                if not alive:
                    break
                self._tell(self._free, self)
        finally:
            self._process.kill()
            self._process.join()
            self._ours.close()
            self._tell(self._gone, self)

    def _ask(self, call: Call, within: float) -> tuple[bool, bool, Any]:
        """Whether the process is alive, whether the call succeeded, and its result or exception."""
        try:
            self._ours.send(call)
            if self._ours.poll(within):
                ok, answer = self._ours.recv()
                return True, ok, answer
            log.warning("a worker process is ended: it took longer than %g seconds", within)
        except (EOFError, OSError):
            if not self._killed:
                log.warning("a worker process has ended by itself")
        except Exception as wrong:  # it cannot be pickled
            return True, False, wrong
        return False, False, Lost()

    def _tell(self, hear: Callable[..., None], *words: Any) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits for this
            self._loop.call_soon_threadsafe(hear, *words)


# -- in the worker process ------------------------------------------------------------


def _work(asked: Connection) -> None:
    if not hasattr(signal, "pthread_sigmask"):  # the parent could not block it
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    answer_calls(asked)


def answer_calls(asked: Connection) -> None:
    """Answer calls until the connection is closed."""
    while True:
        try:
            function, args = asked.recv()
            answer = (True, function(*args))
        except EOFError:
            return
        except Exception as wrong:
            answer = (False, wrong)
        try:
            asked.send(answer)
        except OSError:
            return
        except Exception as wrong:  # the answer, or exception, cannot be pickled
            asked.send((False, RuntimeError(f"{type(wrong).__name__}: {wrong}")))


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(0)
