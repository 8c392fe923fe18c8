"""Quips' protocol as the older generation of existing clients speaks it."""

from __future__ import annotations

from typing import Final

from parlour.games.quips import events
from parlour.games.quips.deck import CUSTOM, custom_id, custom_text
from parlour.games.quips.wire import messages
from parlour.games.quips.wire.newer import NewerQuips
from parlour.table import events as tell

_OLDER_CUSTOM: Final = "custom: "


class OlderQuips(NewerQuips):
    """The older generation: custom cards in plain text; no chat, no skips, no ready-up."""

    outgoing = messages.ToOlder
    not_told = frozenset({events.Turned, events.Skipped, tell.Said, tell.Applauded})

    def card_from(self, card: str) -> str:
        if not card.startswith(_OLDER_CUSTOM):
            return card
        return custom_id(card.removeprefix(_OLDER_CUSTOM))

    def card_to(self, card: str) -> str:
        if not card.startswith(CUSTOM):
            return card
        # It reads one line.
        return _OLDER_CUSTOM + " ".join(custom_text(card).splitlines())
