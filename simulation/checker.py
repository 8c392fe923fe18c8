"""Works out from the committed log alone which messages everybody must receive.

As soon as an entry is committed, the plain table code folds it (see `tests.cluster.telling`). That
gives the messages that each connection may receive from then on. A message that arrives must be the
next of these: so it was committed before, it has its place in the one order, and nothing is missing
or told twice. No code of the journal, the bus or rejoining is used here.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Final

from parlour.house.pictures import Pictures
from parlour.protocol import Game, Wire
from parlour.table import Player, Table
from parlour.table import inputs as do
from tests.cluster.checker import _SET_RIGHT, _unwrapped
from tests.cluster.players.person import RELAY, History
from tests.cluster.telling import _greeting, _told, is_answer, plain, seconds_left

MOST_UNHEARD: Final = 20_000
"""Messages that a connection may be behind: more would be memory without bound."""


class Violation(Exception):
    """A promise is broken."""


class _Story:
    """One way in which a connection may have begun: as this viewer, greeted with this version."""

    __slots__ = ("greeting", "place", "rest")

    def __init__(self, place: int | None, greeting: Iterable[bytes]) -> None:
        self.place = place
        self.greeting = deque(greeting)
        self.rest: deque[bytes] = deque()

    def fits(self, data: bytes) -> bool:
        """Take this message; False: it is another one than this story has next."""
        if self.greeting:
            return self.greeting.popleft() == seconds_left(data)
        return bool(self.rest) and self.rest.popleft() == data


class _Listener:
    """One connection, and what it may hear."""

    def __init__(self, history: History, since: int) -> None:
        self.history = history
        self.stories: list[_Story] = []
        self.greeted = False
        self.count = 0
        self.held: bytes | None = None
        """A message of Quips that may belong to a refusal: the next one says so."""
        self.last: deque[bytes] = deque(maxlen=4)


class Followed:
    """One table as its committed log has it."""

    def __init__(self, game: Game, entries: list[tuple[int, bytes]], content: Any) -> None:
        self.game = game
        self._content = content
        self.wires = {wire.name: wire for wire in game.wires}
        self.listeners: dict[int, _Listener] = {}
        self._begin(entries)

    def _begin(self, entries: list[tuple[int, bytes]]) -> None:
        opening = do.decode(entries[0][1])
        assert isinstance(opening, do.Open)
        self.entries = [entries[0]]
        self.table = Table(self.game, opening, entries[0][0], self._content)
        self.pictures = Pictures(self.table)
        for at, data in entries[1:]:
            self._fold(at, data)

    @property
    def count(self) -> int:
        """How many entries its log has."""
        return len(self.entries)

    def _fold(self, at: int, data: bytes) -> list[Any]:
        rounds = self.table.roster.round
        happened = list(self.table.receive(do.decode(data), at))
        if self.table.roster.round > rounds:
            self.pictures.forget()
        self.entries.append((at, data))
        return happened

    def committed(self, at: int, data: bytes) -> None:
        happened = self._fold(at, data)
        told: dict[tuple[str, int | None], list[bytes]] = {}
        roster = self.table.roster
        for listener in self.listeners.values():
            wire = self.wires[listener.history.wire]
            for story in listener.stories:
                key = wire.name, story.place
                if key not in told:
                    player = None if story.place is None else roster.at(story.place)
                    told[key] = _told(wire, self.table, self.pictures, happened, player, at)
                story.rest.extend(told[key])
            if not listener.greeted:
                self.may_be_greeted(listener)

    def rewritten(self, entries: list[tuple[int, bytes]]) -> None:
        """The log was replaced by a shorter one of the same table."""
        before = self._greetings()
        self._begin(entries)
        if self._greetings() != before:
            raise Violation(f"the rewritten log of {self.game.id} is of another table")

    def _greetings(self) -> list[tuple[bytes, ...]]:
        now = self.table.last_at
        return [
            _greeting(wire, self.table, self.pictures, player, now)
            for wire in self.game.wires
            for player in (None, *self._people())
        ]

    def _people(self) -> list[Player]:
        return list(self.table.roster.people)

    def may_be_greeted(self, listener: _Listener) -> None:
        """It may be greeted with the version that the log has now."""
        wire: Wire = self.wires[listener.history.wire]
        players: list[Player | None] = [None] if listener.history.watching else [*self._people()]
        for player in players:
            greeting = _greeting(wire, self.table, self.pictures, player, self.table.last_at)
            place = None if player is None else player.place
            listener.stories.append(_Story(place, greeting))


class Checks:
    """All tables, and everybody who listens."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.tables: dict[str, Followed] = {}
        self._waiting: dict[str, list[tuple[int, bytes]]] = {}
        self.games: dict[str, Game] = {}
        self.kinds: dict[str, str] = {}
        """By table: its game."""
        self.content: Callable[[str], bytes] = lambda name: b""
        self.digest = hashlib.sha256()
        self.committed_at = 0.0
        """When the last entry was committed."""
        self.frames = 0
        self.entries = 0
        self.connections = 0
        self.violation: Exception | None = None
        """Ends this run: a broken promise, or a fault of the simulation itself."""
        self.story: list[tuple[float, str]] = []

    def note(self, what: str) -> None:
        """Something that a reader of a failed run wants to know."""
        self.story.append((self._now(), what))

    # -- the log ----------------------------------------------------------------------

    def follow(self, table: str, game: Game) -> None:
        """A table that people play at."""
        self.tables[table] = Followed(game, self._waiting.pop(table), self.content)

    def committed(self, entries: Iterable[tuple[str, int, int, bytes]]) -> None:
        self.committed_at = self._now()
        # The server must not see what goes wrong here: the run ends after this step.
        try:
            self._committed(entries)
        except Exception as wrong:
            self.violation = self.violation or wrong

    def _committed(self, entries: Iterable[tuple[str, int, int, bytes]]) -> None:
        for table, seq, at, data in entries:
            followed = self.tables.get(table)
            if followed is None:
                self._waiting.setdefault(table, []).append((at, data))
                continue
            if seq != len(followed.entries):
                raise self._broken(
                    f"entry {seq} of a table of {followed.game.id} was committed after "
                    f"{len(followed.entries) - 1}"
                )
            self.entries += 1
            followed.committed(at, data)

    def rewritten(self, table: str, entries: list[tuple[int, bytes]]) -> None:
        followed = self.tables.get(table)
        if followed is not None:
            try:
                followed.rewritten(entries)
            except Exception as wrong:
                self.violation = self.violation or wrong

    def found(self, logs: dict[str, list[tuple[int, bytes]]]) -> None:
        """The logs that are there after a crash, or at the end."""
        for table, followed in self.tables.items():
            there, known = logs.get(table, []), followed.entries
            if there[: len(known)] != known:
                if len(there) < len(known):
                    what = f"{len(known) - len(there)} committed entries are lost"
                else:
                    what = "the log has changed"
                self._broken(f"{what} at a table of {followed.game.id}")
                return
            for seq in range(len(known), len(there)):
                self.committed([(table, seq, *there[seq])])

    # -- connections ------------------------------------------------------------------

    def comes(self, history: History) -> None:
        """Somebody begins to connect."""
        if history.wire == RELAY:
            return
        self.connections += 1
        followed = self.tables[history.table]
        listener = followed.listeners[id(history)] = _Listener(history, 0)
        followed.may_be_greeted(listener)

    def left(self, history: History) -> None:
        """The connection has ended."""
        if history.wire != RELAY:
            self.tables[history.table].listeners.pop(id(history), None)

    def heard(self, history: History, data: bytes) -> None:
        self.frames += 1
        self.digest.update(b"%s %.6f " % (history.person.encode(), self._now()))
        self.digest.update(data)
        if history.wire == RELAY:
            return
        listener = self.tables[history.table].listeners.get(id(history))
        if listener is None:
            return
        listener.count += 1
        listener.last.append(data)
        data = _unwrapped(listener.count, data)
        game = history.game
        if listener.held is not None:
            held, listener.held = listener.held, None
            if not is_answer(game, data):
                self._take(listener, held)
        if is_answer(game, data):
            return
        data = plain(data)
        if game == "quips" and data.startswith(_SET_RIGHT):
            if not any(self._next(story) == data for story in listener.stories):
                listener.held = data
                return
        self._take(listener, data)

    @staticmethod
    def _next(story: _Story) -> bytes | None:
        if story.greeting:
            return story.greeting[0]
        return story.rest[0] if story.rest else None

    def _take(self, listener: _Listener, data: bytes) -> None:
        listener.greeted = True
        expected = [self._next(story) for story in listener.stories]
        left = [story for story in listener.stories if story.fits(data)]
        if not left:
            history = listener.history
            raise self._broken(
                f"{history.person} at {history.game} was told what the log does not have there: "
                f"{data[:300]!r} instead of {[e and e[:300] for e in expected[:2]]!r}"
            )
        listener.stories = left

    def _broken(self, what: str) -> Violation:
        self.violation = self.violation or Violation(what)
        return self.violation

    def unheard(self, quiet: bool) -> None:
        """Bounds on what waits; when all is quiet, everybody must have heard everything."""
        for followed in self.tables.values():
            for listener in followed.listeners.values():
                if not listener.greeted:
                    continue
                behind = min(len(s.greeting) + len(s.rest) for s in listener.stories)
                who = f"{listener.history.person} at {listener.history.game}"
                if behind > MOST_UNHEARD:
                    raise self._broken(f"{who} is {behind} messages behind")
                if quiet and behind:
                    raise self._broken(f"{who} was not told the last {behind} messages")
