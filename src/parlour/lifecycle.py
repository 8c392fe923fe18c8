"""Whether this process still accepts work: one state for log, tables, sockets and HTTP."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum


class Condition(Enum):
    """In this order; only a drain can be taken back."""

    OPEN = "open"
    DRAINING = "draining"
    """No new connections, and tables go to other nodes. Tables still here go on."""
    CLOSING = "closing"
    """No new tables and connections; what happened so far is being committed and sent."""
    LOST = "lost"
    """The log can no longer be written: nothing that happens now will be sent to anybody."""


class Lifecycle:
    """Shared by all parts of one server, instead of flags of their own."""

    def __init__(self) -> None:
        self.condition = Condition.OPEN
        self.open = True
        """Whether tables run and messages are sent."""
        self.draining = False
        """Whether newcomers and tables are to go to other nodes."""
        self.lost = False
        self.why: BaseException | None = None
        """Why the log was lost."""
        self._listeners: list[Callable[[], None]] = []

    def on_change(self, hear: Callable[[], None]) -> None:
        """`hear` is called after every change of `condition`."""
        self._listeners.append(hear)

    def drain(self) -> None:
        if self.condition is Condition.OPEN:
            self._change(Condition.DRAINING)

    def resume(self) -> None:
        """The drain is taken back."""
        if self.condition is Condition.DRAINING:
            self._change(Condition.OPEN)

    def close(self) -> None:
        if self.open:
            self._change(Condition.CLOSING)

    def lose(self, why: BaseException) -> None:
        if self.condition is not Condition.LOST:
            self.why = why
            self._change(Condition.LOST)

    def _change(self, condition: Condition) -> None:
        self.condition = condition
        self.open = condition in (Condition.OPEN, Condition.DRAINING)
        self.draining = condition is Condition.DRAINING
        self.lost = condition is Condition.LOST
        for hear in self._listeners:
            hear()
