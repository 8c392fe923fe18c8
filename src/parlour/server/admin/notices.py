"""A message of the operator to everybody who has the page open, for example before a restart.

It is a fact of the store, so every node tells it once it is committed. Connections that ask for the
extra `notice` are sent it; the hall shows it above its tables.
"""

from __future__ import annotations

import time
from typing import Annotated, Final

import msgspec

from parlour.bus import ConnectionId
from parlour.protocol import extras
from parlour.protocol import extras_messages as say
from parlour.server.gateway import Gateway
from parlour.store import Store

LONGEST: Final = 300
LONGEST_SHOWN: Final = 7 * 24 * 60
"""Minutes."""
_FACT: Final = "notice"


class NewNotice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A new message; without a text, the last one is taken back."""

    text: Annotated[str, msgspec.Meta(max_length=LONGEST)]
    minutes: Annotated[int, msgspec.Meta(ge=1, le=LONGEST_SHOWN)] = 60
    """How long newcomers are told it."""


class _Notice(msgspec.Struct, frozen=True):
    text: str
    until: float
    """Seconds since the epoch."""


class Notices:
    """The message that is told now, and the connections that want to hear of it."""

    def __init__(self, store: Store, gateway: Gateway) -> None:
        self._store = store
        self._gateway = gateway
        self._now = _Notice("", 0)
        self._readers: set[ConnectionId] = set()
        store.watch(_FACT, self._learn, self.load)

    async def load(self) -> None:
        for key, data in (await self._store.recall(_FACT)).items():
            self._learn(key, data)

    def _learn(self, key: str, data: bytes | None) -> None:
        notice = _Notice("", 0) if data is None else msgspec.json.decode(data, type=_Notice)
        if notice != self._now:
            self._now = notice
            self._gateway.deliver(list(self._readers), extras.encode(say.Notice(self.text)))

    @property
    def text(self) -> str:
        """The message that is shown now; "": none."""
        return self._now.text if time.time() < self._now.until else ""

    def greet(self, connection: ConnectionId) -> None:
        """Tell a new connection, now and whenever the message changes."""
        self._readers.add(connection)
        if self.text:
            self._gateway.deliver([connection], extras.encode(say.Notice(self.text)))

    def forget(self, connection: ConnectionId) -> None:
        self._readers.discard(connection)

    async def change(self, new: NewNotice) -> None:
        """Tell everybody, once it is committed."""
        text = " ".join("".join(c if c.isprintable() else " " for c in new.text).split())
        notice = msgspec.json.encode(_Notice(text, time.time() + 60 * new.minutes))
        await self._store.amended([_FACT], lambda facts: {_FACT: notice})
