"""Slow answers, made in another process so that no table waits for them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from multiprocessing import get_context
from typing import Any

from parlour.bus import Line
from parlour.kit import Illegal
from parlour.table import Wire

log = logging.getLogger("parlour.house")


class Thinkers:
    """One process, started when somebody sits down who may ask, and one question per line."""

    def __init__(self) -> None:
        self._process: ProcessPoolExecutor | None = None
        self._questions: dict[Line, asyncio.Task[None]] = {}

    def expect(self, wire: Wire) -> ProcessPoolExecutor:
        """Be ready to answer for `wire`."""
        if self._process is None:
            self._process = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
            self._process.submit(import_module, wire.ponders)
        return self._process

    def ask(
        self, line: Line, wire: Wire, args: tuple[Any, ...], answered: Callable[[bytes], None]
    ) -> None:
        """Let `wire` answer in its own time; `answered` is called with what it says."""
        if line in self._questions:
            raise Illegal("still-thinking", "One question at a time, please.")
        task = asyncio.get_running_loop().create_task(self._ponder(wire, args, answered))
        self._questions[line] = task
        task.add_done_callback(lambda _: self._questions.pop(line, None))

    async def _ponder(
        self, wire: Wire, args: tuple[Any, ...], answered: Callable[[bytes], None]
    ) -> None:
        process = self.expect(wire)
        loop = asyncio.get_running_loop()
        try:
            data = await loop.run_in_executor(process, wire.answer, *args)
        except Illegal as no:
            data = wire.refuse(no.code, no.sentence)
        except BrokenProcessPool:
            log.exception("the process that answers slow questions died")
            if self._process is process:
                self._process = None
            data = wire.refuse("no-answer", "That question came to nothing; ask again.")
        answered(data)

    def rest(self) -> None:
        """Drop every question under way."""
        for task in list(self._questions.values()):
            task.cancel()
        if self._process is not None:
            self._process.shutdown(wait=False, cancel_futures=True)
