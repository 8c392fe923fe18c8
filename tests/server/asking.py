"""High Card with questions: about what the asker has been shown, answered fast or slowly.

By itself, because the processes that answer load this file.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import msgspec

from parlour.protocol import Answer, Question, Request
from parlour.table import Player, Roster
from tests import highcard


class Ask(msgspec.Struct, tag="ask", tag_field="type"):
    """Which cards were dealt?"""

    slow: bool


class AskingCodec(highcard.HighCodec):
    worker_module: ClassVar[str] = __name__
    incoming = highcard.Message | Ask

    def request(self, message: highcard.Message | Ask) -> Request:
        if isinstance(message, Ask):
            return Question("dealt", slow=message.slow)
        return super().request(message)

    def answer(
        self, question: Question, picture: highcard.HighPicture, roster: Roster, me: Player | None
    ) -> Answer:
        dealt = [event.cards for event in picture.shown if isinstance(event, highcard.Dealt)]
        answer = {
            "type": question.kind,
            "cards": dealt,
            "code": roster.code,
            "place": None if me is None else me.place,
            "asked": question.notes or 0,
        }
        return Answer(msgspec.json.encode(answer), (question.notes or 0) + 1)


GAME = replace(highcard.GAME, wires=(replace(highcard.WIRE, codec=AskingCodec()),))
