"""Slow answers, made in other processes so that no table waits for them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from importlib import import_module
from typing import TypeAlias

from msgspec.structs import replace

from parlour.house.audience import Attachment
from parlour.house.workers import Workers, cores
from parlour.kit import Illegal, Picture
from parlour.protocol import Answer, Codec, Question
from parlour.table import Player, Roster

log = logging.getLogger("parlour.house")

MOST_WAITING = 500
LONGEST = 20.0
"""Seconds for one answer: a hundred times the usual."""
LEAST_EFFORT = 1 / 16

Said: TypeAlias = bytes | Answer | None
"""A codec's answer to a question; None: no message."""


Shown: TypeAlias = tuple[Picture, Roster, Player | None]
"""The asker's picture, the roster, and the asker's player."""


class SlowAnswers:
    """Answers questions in one process per processor core.

    A visitor may ask one question at a time, and its answer is dropped with the connection: so
    nobody makes others wait for long. Visitors of one address share a queue. When the queues are
    long, each answer gets less effort.
    """

    def __init__(self) -> None:
        self._workers = Workers(cores(), waiting=MOST_WAITING, within=LONGEST)
        self._questions: dict[str, tuple[Attachment, asyncio.Task[Said]]] = {}
        """By visitor."""

    def expect(self, codec: Codec) -> None:
        """Start a worker process, so that the first question need not wait for it."""
        self._workers.warm((_load, (codec.worker_module,)))

    def ask(
        self,
        attachment: Attachment,
        question: Question,
        shown: Shown,
        answered: Callable[[Said], None],
    ) -> None:
        """Let the codec answer in a worker process; `answered` is called with what it says."""
        visitor = attachment.visitor
        if visitor in self._questions:
            raise Illegal("still-thinking", "One question at a time, please.")

        def done(task: asyncio.Task[Said]) -> None:
            # Before the answer, because the next question may follow it at once.
            self._forget(visitor, task)
            if not task.cancelled():
                answered(task.result())

        work = self._work(attachment, question, shown)
        task = asyncio.get_running_loop().create_task(work)
        self._questions[visitor] = (attachment, task)
        task.add_done_callback(done)

    def drop(self, attachment: Attachment) -> None:
        """The asker has disconnected: drop their question, unless a worker has it already."""
        asker, task = self._questions.get(attachment.visitor, (None, None))
        if asker is not None and task is not None and asker.connection == attachment.connection:
            task.cancel()
            self._forget(attachment.visitor, task)

    def _forget(self, visitor: str, task: asyncio.Task[Said]) -> None:
        if self._questions.get(visitor, (None, None))[1] is task:
            del self._questions[visitor]

    @property
    def effort(self) -> float:
        """The share of the usual effort for the next answer: 1, 1/2, 1/4, 1/8 …

        It falls with the number of waiting questions per process.
        """
        effort = 1.0
        while effort > LEAST_EFFORT and self._workers.waiting * effort > self._workers.most:
            effort /= 2
        return effort

    async def _work(self, attachment: Attachment, question: Question, shown: Shown) -> Said:
        codec = attachment.wire.codec
        try:
            answer: Said = await self._workers.run(
                attachment.request.address or attachment.visitor,
                lambda: (codec.answer, (replace(question, effort=self.effort), *shown)),
            )
            return answer
        except Illegal as no:
            return codec.refuse(no.code, no.sentence)
        except Exception:
            log.exception("a slow question failed")
            return codec.refuse("no-answer", "That question came to nothing; ask again.")

    def rest(self) -> None:
        """Drop every question under way."""
        for _, task in list(self._questions.values()):
            task.cancel()
        self._workers.end()


def _load(module: str) -> None:
    """Runs in the worker. It returns None, because a module cannot be sent back."""
    import_module(module)
