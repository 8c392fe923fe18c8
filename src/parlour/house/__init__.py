"""The owner: it runs tables. Keeps their log, minds their deadlines, seats their bots.

It holds no socket and speaks no HTTP: what comes in and goes out passes the bus.
"""

from parlour.house.house import House
from parlour.house.journal import Journal
from parlour.house.services import Hooks, HouseLimits, TableDefaults
from parlour.house.words import WordList

__all__ = ["Hooks", "House", "HouseLimits", "Journal", "TableDefaults", "WordList"]
