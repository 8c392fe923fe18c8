"""Slow answers, made in another process so that no table waits for them."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any

from parlour.bus import ConnectionId
from parlour.kit import Illegal
from parlour.table import Wire

log = logging.getLogger("parlour.house")


class SlowAnswers:
    """One worker process, started when somebody sits down who may ask; one question a visitor.

    With more than one each, or with questions nobody waits for, a few could make all wait.
    """

    def __init__(self) -> None:
        self._process: ProcessPoolExecutor | None = None
        self._questions: dict[str, tuple[ConnectionId, asyncio.Task[None]]] = {}

    def expect(self, wire: Wire) -> ProcessPoolExecutor:
        """Start the worker process, so that the first question need not wait for it."""
        if self._process is None:
            self._process = ProcessPoolExecutor(
                1, mp_context=get_context("spawn"), initializer=_begin
            )
            self._process.submit(import_module, wire.worker_module)
        return self._process

    def ask(
        self,
        visitor: str,
        connection: ConnectionId,
        wire: Wire,
        args: tuple[Any, ...],
        answered: Callable[[bytes | None], None],
    ) -> None:
        """Let `wire` answer in a worker process; `answered` is called with what it says."""
        if visitor in self._questions:
            raise Illegal("still-thinking", "One question at a time, please.")
        task = asyncio.get_running_loop().create_task(self._work(wire, args, answered))
        self._questions[visitor] = (connection, task)
        task.add_done_callback(lambda _: self._done(visitor, task))

    def drop(self, visitor: str, connection: ConnectionId) -> None:
        """Its asker has disconnected: the question is dropped, unless it is being answered."""
        asked_by, task = self._questions.get(visitor, (None, None))
        if task is not None and asked_by == connection:
            task.cancel()
            self._done(visitor, task)

    def _done(self, visitor: str, task: asyncio.Task[None]) -> None:
        if self._questions.get(visitor, (None, None))[1] is task:
            del self._questions[visitor]

    async def _work(
        self, wire: Wire, args: tuple[Any, ...], answered: Callable[[bytes | None], None]
    ) -> None:
        process = self.expect(wire)
        loop = asyncio.get_running_loop()
        try:
            data = await loop.run_in_executor(process, wire.answer, *args)
        except Illegal as no:
            data = wire.refuse(no.code, no.sentence)
        except Exception as wrong:
            log.exception("a slow question failed")
            if isinstance(wrong, BrokenProcessPool) and self._process is process:
                self._process = None
            data = wire.refuse("no-answer", "That question came to nothing; ask again.")
        answered(data)

    def rest(self) -> None:
        """Drop every question under way."""
        for _, task in list(self._questions.values()):
            task.cancel()
        if self._process is not None:
            self._process.shutdown(wait=False, cancel_futures=True)


def _begin() -> None:
    """In the worker: the server handles Ctrl+C, and the worker ends when the server does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(0)
