"""The owner: it runs tables, keeps their logs and deadlines, and plays for their bots.

It has no sockets and no HTTP: everything comes in and goes out over the bus.
"""

from parlour.house.house import House
from parlour.house.journal import Journal
from parlour.house.services import Hooks, HouseLimits, TableDefaults
from parlour.house.words import WordList

__all__ = ["Hooks", "House", "HouseLimits", "Journal", "TableDefaults", "WordList"]
