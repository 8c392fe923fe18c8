"""Quips' protocol, as existing clients of both generations speak it, and with our extensions.

"Spec" is the project's page on Quips.
"""

from parlour.games.quips.wire.extended import QuipsWire
from parlour.games.quips.wire.newer import NewerQuipsWire
from parlour.games.quips.wire.older import OlderQuipsWire

__all__ = ["NewerQuipsWire", "OlderQuipsWire", "QuipsWire"]
