"""A strict client of the plain protocol: it knows only what its messages say."""

from __future__ import annotations

import msgspec

from parlour.protocol import PlainCodec, Wire
from parlour.protocol.plain import Event, LobbyEvent, MatchEvent


class PlainClient:
    """The lobby, and the game's own messages since the match began."""

    def __init__(self, codec: PlainCodec) -> None:
        self._decoder = msgspec.json.Decoder(codec.outgoing)
        self.lobby: LobbyEvent | None = None
        self.match: list[object] = []

    def hear(self, message: bytes) -> None:
        told = self._decoder.decode(message)
        if isinstance(told, LobbyEvent):
            self.lobby = told
        if isinstance(told, MatchEvent) or (isinstance(told, LobbyEvent) and not told.running):
            self.match = []
        elif not isinstance(told, Event):
            self.match.append(told)

    def summary(self) -> tuple[LobbyEvent | None, list[object]]:
        return self.lobby, self.match


def plain_client(wire: Wire) -> PlainClient | None:
    """A client for a plain wire; None for any other wire."""
    codec = wire.codec
    return PlainClient(codec) if isinstance(codec, PlainCodec) else None
