"""The index of open tables: by id, code, match, game and visitor."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from parlour.house.asleep import Asleep
from parlour.kit import Illegal
from parlour.store import TableRow
from parlour.table import Roster

if TYPE_CHECKING:
    from parlour.house.live import LiveTable

    Entry: TypeAlias = LiveTable | Asleep
    """A table of the index."""

NO_SUCH_TABLE = "no-such-table"
TABLE_SHUT = "table-shut"
FAILED_AGAIN = "This table is shut: it failed again and again."

MOST_REMEMBERED = 10_000
"""How many visitors' last seats are remembered after their tables have closed."""
MOST_ENDED = 1_000
"""How many matches of closed tables are remembered."""

MOST_CONCERNED = 1_000
"""How many visitors one table remembers before it forgets those who have left."""
PAGE = 100
"""How many tables are listed at once, besides a visitor's own."""


class TableIndex:
    """Tables by id, by code, by match, by game (the house's own), and by who sat there last."""

    def __init__(self) -> None:
        self.unread: dict[str, TableRow] = {}
        """By id: tables of the log of which nothing else is known yet."""
        self._unread_codes: dict[str, str] = {}
        """By code: their ids."""
        self._by_id: dict[str, Entry] = {}
        self._by_name: dict[str, Entry] = {}
        """By id, by code, and by the ids of matches played there."""
        self.common: dict[str, Entry] = {}
        """By game: the house's own table."""
        self.ended: dict[str, Roster] = {}
        """By match: where it was played, if that table has closed."""
        self._shut: dict[str, str] = {}
        """By id and by code: why a table of the log is not open."""
        self._public: dict[str, tuple[int, Entry]] = {}
        """Public tables by id, with numbers that grow."""
        self._last_number = 0
        self._of_visitor: dict[str, dict[str, Entry]] = {}
        """By visitor: tables where they may sit or be invited; the roster says whether they do."""
        self._visitors: dict[str, set[str]] = {}
        """By table: the same visitors."""
        self.opened: Counter[str] = Counter()
        """By opener: the number of their open tables."""
        self.taken: Counter[str] = Counter()
        """By who takes the room (`LiveTable.taken_by`): how many tables."""
        self._last_seat: dict[tuple[str, str], str] = {}

    def __len__(self) -> int:
        return len(self._by_id) + len(self.unread)

    def __iter__(self) -> Iterator[Entry]:
        return iter(list(self._by_id.values()))

    def expect(self, row: TableRow) -> None:
        """There is this table; `add` or `shut` says what it is."""
        self.unread[row.id] = row
        self._unread_codes[row.code] = row.id

    def _expected(self, table: str, code: str) -> None:
        self.unread.pop(table, None)
        self._unread_codes.pop(code, None)

    def drop_unread(self, table: str) -> None:
        """Another node runs this table."""
        row = self.unread.get(table)
        if row is not None:
            self._expected(row.id, row.code)

    def unread_id(self, table: str) -> str | None:
        """The id of a table that is not read yet, by its id or its code."""
        return table if table in self.unread else self._unread_codes.get(table)

    def add(self, live: Entry, roster: Roster) -> None:
        """Add a table and the people who sit there; or the same table in place of its note.

        `roster` is the table's own: reading it from a note takes some time.
        """
        self._expected(roster.id, roster.code)
        before = self._by_id.get(roster.id)
        if before is not None:
            self._uncount(before)
            for visitor in self._visitors.get(roster.id, ()):
                self._of_visitor[visitor][roster.id] = live
        self._by_id[roster.id] = live
        self._by_name.update(dict.fromkeys((roster.id, roster.code, *roster.match_ids), live))
        if roster.opener is None and roster.public:
            self.common[roster.game] = live
        self.opened[roster.opener or ""] += 1
        self.taken[live.taken_by] += 1
        if roster.public:
            if before is None:
                self._last_number += 1
            number, _ = self._public.get(roster.id, (self._last_number, live))
            self._public[roster.id] = number, live
        for player in roster.people:
            if before is None:
                self.sat_down(player.visitor or "", live)
            else:
                # They may have sat down elsewhere since it was left.
                self.concerns(player.visitor or "", live)
        for visitor in roster.invited:
            self.concerns(visitor, live)

    def remove(self, live: Entry) -> None:
        roster = live.roster
        del self._by_id[roster.id]
        for name in (roster.id, roster.code, *roster.match_ids):
            self._by_name.pop(name, None)
        if self.common.get(roster.game) is live:
            del self.common[roster.game]
        self.ended.update(dict.fromkeys(roster.match_ids, roster))
        while len(self.ended) > MOST_ENDED:
            del self.ended[next(iter(self.ended))]
        self._public.pop(roster.id, None)
        for visitor in self._visitors.pop(roster.id, ()):
            self._forget(visitor, roster.id)
        self._uncount(live)

    def _uncount(self, live: Entry) -> None:
        opener = live.roster.opener or ""
        for counts, whose in ((self.opened, opener), (self.taken, live.taken_by)):
            counts[whose] -= 1
            if not counts[whose]:
                del counts[whose]

    def shut(self, row: TableRow, why: str, visitors: Iterable[str]) -> None:
        """A table that cannot be opened. Everybody who looks for it, or sat there, is told why."""
        self._expected(row.id, row.code)
        if row.id in self._by_id:
            self.remove(self._by_id[row.id])
        self._shut[row.id] = self._shut[row.code] = why
        self._last_seat.update({(visitor, row.game): row.id for visitor in visitors})

    def why_shut(self, table: str) -> str | None:
        """Why a table stays shut, as a sentence; None: it does not."""
        return self._shut.get(table.replace(" ", ""))

    def dealt(self, live: LiveTable) -> None:
        """A match has begun at this table."""
        self._by_name[live.roster.match_id] = live

    def sat_down(self, visitor: str, live: Entry) -> None:
        """Remember where this visitor sat last, to lead them back."""
        self.concerns(visitor, live)
        self._last_seat[visitor, live.game.id] = live.id
        if len(self._last_seat) > MOST_REMEMBERED + 10 * len(self._by_id):
            tables = self._by_id.keys() | self._shut.keys() | self.unread.keys()
            self._last_seat = {who: at for who, at in self._last_seat.items() if at in tables}

    def concerns(self, visitor: str, live: Entry) -> None:
        """This visitor sits here or is invited: show them the table in their list."""
        visitors = self._visitors.setdefault(live.id, set())
        if len(visitors) >= MOST_CONCERNED:
            for other in [v for v in visitors if not _concerned(live, v)]:
                visitors.remove(other)
                self._forget(other, live.id)
        visitors.add(visitor)
        self._of_visitor.setdefault(visitor, {})[live.id] = live

    def _forget(self, visitor: str, table: str) -> None:
        tables = self._of_visitor[visitor]
        del tables[table]
        if not tables:
            del self._of_visitor[visitor]

    def page(self, game: str | None, visitor: str | None, after: int) -> tuple[list[Entry], int]:
        """One page of a visitor's list, their own tables first; and `after` for the next page."""
        known = self._of_visitor.get(visitor or "", {})
        theirs = [
            live
            for live in known.values()
            if _concerned(live, visitor or "") and (game is None or live.game.id == game)
        ]
        listed = theirs[:] if not after else []
        own = len(listed)
        for number, live in self._public.values():
            if number <= after or (game is not None and live.game.id != game) or live in theirs:
                continue
            if len(listed) >= PAGE + own:
                return listed, after
            listed.append(live)
            after = number
        return listed, 0

    def every(self, after: int) -> tuple[list[Entry], int]:
        """One page of all tables, in the order they were opened; and `after` for the next page."""
        listed = list(islice(self._by_id.values(), after, after + PAGE + 1))
        return listed[:PAGE], after + PAGE if len(listed) > PAGE else 0

    def find(self, table: str) -> Entry | None:
        """By its id, its code, or the id of a match played there."""
        return self._by_name.get(table.replace(" ", ""))

    def found(self, table: str, sentence: str) -> Entry:
        """The same, or `Illegal` with this sentence, or with why it is shut."""
        live = self.find(table)
        if live is None:
            self.check_not_shut(table)
            raise Illegal(NO_SUCH_TABLE, sentence)
        return live

    def check_not_shut(self, table: str) -> None:
        """Raise `Illegal` with the reason if this table stays shut."""
        why_shut = self.why_shut(table)
        if why_shut is not None:
            raise Illegal(TABLE_SHUT, why_shut)

    def last_of(self, visitor: str, game: str) -> Entry | None:
        """Where this visitor last sat, if they still sit there.

        If that table is shut, it raises `Illegal` once; after that they get a new table.
        """
        table = self._last_seat.get((visitor, game), "")
        live = self._by_id.get(table)
        why_shut = FAILED_AGAIN if live is not None and live.shut else self.why_shut(table)
        if why_shut is not None:
            del self._last_seat[visitor, game]
            raise Illegal(TABLE_SHUT, f"{why_shut} Connect again for a new table.")
        if live is None or live.roster.of_visitor(visitor) is None:
            return None
        return live

    def free_code(self) -> str:
        """Six random decimal digits that no other table has, open or shut."""
        while True:
            code = f"{secrets.randbelow(1_000_000):06d}"
            if not any(code in names for names in (self._by_name, self._shut, self._unread_codes)):
                return code


def _concerned(live: Entry, visitor: str) -> bool:
    roster = live.roster
    return visitor in roster.invited or roster.of_visitor(visitor) is not None
