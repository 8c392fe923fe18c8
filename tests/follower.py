"""A client that knows how far it got: it counts the messages that `extras_at` announces."""

from __future__ import annotations

from typing import Any

import msgspec


class Follower:
    """Takes in messages, with or without a greeting first."""

    def __init__(self, since: str = "") -> None:
        self._at, _, further = since.partition(".")
        self._had = int(further or 0)
        self._left = 0
        self._next = ""
        self.greeted = False
        """Whether the whole table was told, instead of what was missed."""

    @property
    def since(self) -> str:
        """How far it got: to be sent with the next connection."""
        return f"{self._at}.{self._had}" if self._at and self._had else self._at

    def connects(self) -> str:
        """On a new connection the rest of a group comes in one of its own; gives `since`."""
        self._left = 0
        return self.since

    def take(self, data: bytes | str) -> list[Any]:
        """The message, if it is any but `extras_at`."""
        message = msgspec.json.decode(data)
        if message.get("type") == "extras_at":
            assert self._left == 0, "a group is not complete"
            self._next, self._left = message["at"], message["messages"]
            if message.get("whole"):
                self.greeted, self._at, self._had = True, "", 0
        elif self._left:
            self._left -= 1
            self._had += 1
        else:
            return [message]
        if not self._left:
            self._at, self._had = self._next, 0
        return [] if message.get("type") == "extras_at" else [message]
