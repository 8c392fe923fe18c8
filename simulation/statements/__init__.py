"""The SQL that the server sends to PostgreSQL, statement by statement, on dictionaries.

Only the statements that nodes send are known; any other one is an error. `tests/simulation` holds
them against a real PostgreSQL by running the tests of `tests/store` on both.
"""

# Each of these modules makes its statements known.
from simulation.statements import batches, facts, nodes, tables
from simulation.statements.data import Data
from simulation.statements.registry import NotSimulated, Row, execute

__all__ = ["Data", "NotSimulated", "Row", "batches", "execute", "facts", "nodes", "tables"]
