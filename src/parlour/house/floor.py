"""The floor: the tables that are open, and every way to find one."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator
from heapq import nsmallest

from parlour.house.seated import Seated
from parlour.table import Roster

MOST_REMEMBERED = 10_000
"""How many may have sat at tables that have closed before they are forgotten."""
MOST_ENDED = 1_000
"""Of how many matches of closed tables it is remembered that they were played."""


class Floor:
    """Tables by id, by code, by match, and by who sat there last."""

    def __init__(self) -> None:
        self._by_id: dict[str, Seated] = {}
        self._by_code: dict[str, Seated] = {}
        self._by_match: dict[str, Seated] = {}
        self._ended: dict[str, Roster] = {}
        self._opened: Counter[str] = Counter()
        self._last_seat: dict[tuple[str, str], str] = {}

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[Seated]:
        return iter(list(self._by_id.values()))

    def set_up(self, seated: Seated) -> None:
        """One more table; those who sit at it are remembered."""
        roster = seated.table.roster
        self._by_id[roster.id] = self._by_code[roster.code] = seated
        self._by_match.update(dict.fromkeys(roster.match_ids, seated))
        self._opened[roster.opener or ""] += 1
        seated.left = seated.now()
        for player in roster.people:
            self.sat_down(player.visitor or "", seated)

    def take_away(self, seated: Seated) -> None:
        roster = seated.table.roster
        del self._by_id[roster.id]
        del self._by_code[roster.code]
        for match_id in roster.match_ids:
            self._by_match.pop(match_id, None)
            self._ended[match_id] = roster
        while len(self._ended) > MOST_ENDED:
            del self._ended[next(iter(self._ended))]
        opener = roster.opener or ""
        self._opened[opener] -= 1
        if not self._opened[opener]:
            del self._opened[opener]

    def dealt(self, seated: Seated) -> None:
        """A match has begun at this table."""
        self._by_match[seated.table.roster.match_id] = seated

    def sat_down(self, visitor: str, seated: Seated) -> None:
        """So that this visitor can be led back here."""
        self._last_seat[visitor, seated.table.game.id] = seated.table.roster.id
        if len(self._last_seat) > MOST_REMEMBERED + 10 * len(self._by_id):
            live = self._by_id
            self._last_seat = {who: at for who, at in self._last_seat.items() if at in live}

    def find(self, table: str) -> Seated | None:
        """By its id, its code, or the id of a match played there."""
        found = self._by_id.get(table) or self._by_code.get(table.replace(" ", ""))
        return found or self._by_match.get(table)

    def ended(self, match: str) -> Roster | None:
        """Where a match was played whose table has closed."""
        return self._ended.get(match)

    def last_of(self, visitor: str, game: str) -> Seated | None:
        """Where this visitor last sat, if they still do."""
        seated = self._by_id.get(self._last_seat.get((visitor, game), ""))
        if seated is None or seated.table.roster.of_visitor(visitor) is None:
            return None
        return seated

    def deserted(self, count: int) -> list[Seated]:
        """Tables nobody is connected to: those never played at first, then those left longest."""
        empty = [seated for seated in self._by_id.values() if not seated.visits]
        return nsmallest(count, empty, key=lambda seated: (seated.table.played, seated.left))

    def opened_by(self, visitor: str) -> int:
        """How many tables of this visitor's are open."""
        return self._opened[visitor]

    def free_code(self) -> str:
        """Exactly six decimal digits, unique among live tables, not to be guessed."""
        while True:
            code = f"{secrets.randbelow(1_000_000):06d}"
            if code not in self._by_code:
                return code
