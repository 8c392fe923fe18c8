"""Super Rummy's protocol: its messages, and what they mean."""

from typing import Final

from parlour.games.rummy.wire.codec import RummyCodec
from parlour.protocol import Wire

WIRE: Final = Wire("rummy", ("/rummy", "/stream"), RummyCodec())

__all__ = ["WIRE"]
