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
"""Seconds for one answer: a hundred times what one usually takes."""
LEAST_EFFORT = 1 / 16

Said: TypeAlias = bytes | Answer | None
"""What a codec says to a question; None: nothing."""


Shown: TypeAlias = tuple[Picture, Roster, Player | None]
"""What its asker knows of the table, and who they are there."""


class SlowAnswers:
    """A process per processor, the first started when somebody sits down who may ask.

    One question a visitor: with more than one each, or with questions nobody waits for, a few
    could make all wait. Who asks from the same address shares one line. When the lines are long,
    each answer is given less thought.
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
            # Whoever hears the answer may ask the next question at once.
            self._forget(visitor, task)
            if not task.cancelled():
                answered(task.result())

        work = self._work(attachment, question, shown)
        task = asyncio.get_running_loop().create_task(work)
        self._questions[visitor] = (attachment, task)
        task.add_done_callback(done)

    def drop(self, attachment: Attachment) -> None:
        """Its asker has disconnected: the question is dropped, unless it is being answered."""
        asker, task = self._questions.get(attachment.visitor, (None, None))
        if asker is not None and task is not None and asker.connection == attachment.connection:
            task.cancel()
            self._forget(attachment.visitor, task)

    def _forget(self, visitor: str, task: asyncio.Task[Said]) -> None:
        if self._questions.get(visitor, (None, None))[1] is task:
            del self._questions[visitor]

    @property
    def effort(self) -> float:
        """How much thought the next answer is given: all of it, or half, a quarter, an eighth …

        As much less as there are more who wait than there are processes.
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
    """In the worker: a module can't be sent back."""
    import_module(module)
