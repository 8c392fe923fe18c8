"""The host of ONU tables in channels of the relay: seats, answers, and what is shown."""

from parlour.games.onu.host.host import OnuHost

__all__ = ["OnuHost"]
