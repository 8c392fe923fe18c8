"""Quips' protocol as the older generation of existing clients speaks it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import msgspec

from parlour.games.quips import events
from parlour.games.quips.deck import CUSTOM, custom_id, custom_text
from parlour.games.quips.lobby import OLDER
from parlour.games.quips.wire import messages
from parlour.games.quips.wire.door import sought
from parlour.games.quips.wire.newer import NewerQuipsWire
from parlour.protocol import Hello, Seek
from parlour.table import Player, Roster
from parlour.table import events as tell

_OLDER_CUSTOM: Final = "custom: "

_NOT_TOLD: Final = (tell.Said, tell.Applauded, events.Skipped)


class OlderQuipsWire(NewerQuipsWire):
    """The older generation: custom cards in plain text; no chat, no skips, no ready-up."""

    name: ClassVar[str] = OLDER
    paths: ClassVar[tuple[str, ...]] = ("/game",)
    outgoing: ClassVar[Any] = messages.ToOlder

    def meant(self, hello: Hello) -> bool:
        """Spec: an `Origin` header and no query; cookies may be left over from a newer client."""
        return hello.origin is not None and not hello.query

    def seek(self, hello: Hello) -> Seek:
        # It knows no token: one that comes along is a newer client's, which may want it back.
        return msgspec.structs.replace(sought(hello), claim=None, by_name=True)

    def encode(self, event: Any, roster: Roster, me: Player | None) -> Sequence[bytes]:
        if type(event) in _NOT_TOLD:
            return ()
        return super().encode(event, roster, me)

    def card_from(self, card: str) -> str:
        if not card.startswith(_OLDER_CUSTOM):
            return card
        return custom_id(card.removeprefix(_OLDER_CUSTOM))

    def card_to(self, card: str) -> str:
        if not card.startswith(CUSTOM):
            return card
        # It reads one line.
        return _OLDER_CUSTOM + " ".join(custom_text(card).splitlines())
