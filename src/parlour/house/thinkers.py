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

from parlour.bus import Line
from parlour.kit import Illegal
from parlour.table import Wire

log = logging.getLogger("parlour.house")


class Thinkers:
    """One process, started when somebody sits down who may ask, and one question per visitor.

    With more than one each, or with questions nobody waits for, a few could make all wait.
    """

    def __init__(self) -> None:
        self._process: ProcessPoolExecutor | None = None
        self._questions: dict[str, tuple[Line, asyncio.Task[None]]] = {}

    def expect(self, wire: Wire) -> ProcessPoolExecutor:
        """Be ready to answer for `wire`."""
        if self._process is None:
            self._process = ProcessPoolExecutor(
                1, mp_context=get_context("spawn"), initializer=_begin
            )
            self._process.submit(import_module, wire.ponders)
        return self._process

    def ask(
        self,
        visitor: str,
        line: Line,
        wire: Wire,
        args: tuple[Any, ...],
        answered: Callable[[bytes], None],
    ) -> None:
        """Let `wire` answer in its own time; `answered` is called with what it says."""
        if visitor in self._questions:
            raise Illegal("still-thinking", "One question at a time, please.")
        task = asyncio.get_running_loop().create_task(self._ponder(wire, args, answered))
        self._questions[visitor] = (line, task)
        task.add_done_callback(lambda _: self._done(visitor, task))

    def drop(self, visitor: str, line: Line) -> None:
        """Whoever hangs up waits no more; what has not begun need not."""
        asked_by, task = self._questions.get(visitor, (None, None))
        if task is not None and asked_by == line:
            task.cancel()
            self._done(visitor, task)

    def _done(self, visitor: str, task: asyncio.Task[None]) -> None:
        if self._questions.get(visitor, (None, None))[1] is task:
            del self._questions[visitor]

    async def _ponder(
        self, wire: Wire, args: tuple[Any, ...], answered: Callable[[bytes], None]
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
    """In the other process: Ctrl+C is the house's to heed, and without it there is no work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_the_house, daemon=True).start()


def _end_with_the_house() -> None:
    house = parent_process()
    if house is not None:
        house.join()
    os._exit(0)
