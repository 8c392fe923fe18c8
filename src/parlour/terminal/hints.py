"""Hints in a match without a server: as the game's own protocol gives them, or as a bot would play.

A protocol gives hints if it has a message `{"type": "hint"}` that asks a question (`Question`).
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import msgspec

from parlour.choices import name_of
from parlour.kit import Bot, Illegal, Match, Millis, Picture, Seat
from parlour.protocol import Answer, BadMessage, Codec, Game, InContext, Question
from parlour.table import Roster
from parlour.terminal.entries import Chosen

REQUEST = b'{"type":"hint"}'


class Protocol:
    """Asks for hints as a client of the game's protocol would."""

    def __init__(self, game: Game, settings: object, seat: Seat) -> None:
        self._codec: Codec = game.wires[0].codec
        self._picture: Picture = game.picture(seat)
        self._roster: Roster[Any] = Roster(
            "", "", game.id, False, settings, 0, game.min_seats, game.max_seats
        )
        self._notes: object = None
        """Of the last answer: they make the next one quicker."""

    def show(self, event: Any) -> None:
        self._picture.see(event)

    def hint(self) -> str:
        """An action and the reason for it; "": the protocol gives no hints."""
        try:
            request = self._codec.decode(REQUEST)
            if isinstance(request, InContext):
                request = self._codec.understand(request.message, self._picture, self._roster, None)
        except BadMessage:
            return ""
        except Illegal as no:
            return no.sentence
        if not isinstance(request, Question):
            return ""
        try:
            asked = msgspec.structs.replace(request, notes=self._notes)
            answer = self._codec.answer(asked, self._picture, self._roster, None)
        except Illegal as no:
            return no.sentence
        if isinstance(answer, Answer):
            self._notes = answer.notes or self._notes
            answer = answer.data if isinstance(answer.data, bytes) else answer.data[0]
        return told(answer or b"{}")


def told(answer: bytes | str) -> str:
    """An answer in words: `{"type": "hint", "to": "b2", "why": "It fits."}` as "b2: It fits."."""
    message: dict[str, Any] = msgspec.json.decode(answer)
    return ": ".join(
        str(value) for field, value in message.items() if field not in ("type", "code")
    )


def planned(bot: Bot | None, match: Match, seat: Seat, now: Millis) -> Chosen | None:
    """The action that a bot would take; None: no action, or the game has no bots."""
    plan = None if bot is None else bot.plan(match.legal(seat), now)
    if plan is None:
        return None
    name = name_of(type(plan.action))
    among = {field for each in match.choices(seat) if each.action == name for field in each.fields}
    of = [field.name for field in fields(plan.action) if field.name in among]
    return Chosen(name, {field: getattr(plan.action, field) for field in of})
