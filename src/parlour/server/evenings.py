"""Evenings: friends under one code who play one game after another, at a new table each time.

An evening is a fact in the store that any node amends; it is over after a day, and deleted when the
next one is opened. Names and scores are not in it: a name is the visitor's own, and scores are
counted from the matches that `History` keeps of its tables. Facts:

- `evening:{code}`: who is there, their votes, the host, and the tables (`Evening`).
- `evenings`: until when each of them is kept, and for which address (`Listed`); so their number is
  limited, in all and for each address.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from time import time
from typing import Final

import msgspec

from parlour.kit import Illegal
from parlour.server.history import MATCH, FinishedMatch
from parlour.server.limits import address_block
from parlour.store import Store

EVENING: Final = "evening:"
EVENINGS: Final = "evenings"

LASTS: Final = 24 * 3_600_000
"""Milliseconds until an evening is over."""
MOST_EVENINGS: Final = 1_000
MOST_AT_ADDRESS: Final = 10
"""Evenings that were opened from one address."""
MOST_MEMBERS: Final = 30
MOST_TABLES: Final = 30
MOST_MATCHES: Final = 500
"""How many matches count, at all tables of an evening."""
NOTED: Final = 60_000
"""Milliseconds after which it is noted again that the host is there."""
AWAY: Final = 150_000
"""Milliseconds without a sign of the host, after which any member may become the host."""
_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""Without vowels, so that codes are no words; a table's code has digits."""


class Member(msgspec.Struct, omit_defaults=True):
    """Somebody who came to an evening."""

    visitor: str
    """"": they had their data deleted."""
    vote: str = ""
    """The game they would like to play next; "": none."""
    left: bool = False


class EveningTable(msgspec.Struct, frozen=True):
    """A table of an evening."""

    id: str
    code: str
    game: str


class Evening(msgspec.Struct, omit_defaults=True):
    """Members and tables, in the order in which they came. The last table is the current one."""

    until: int
    host: str
    """A visitor; "": everybody has left."""
    seen: int
    """When the host was last noted to be there."""
    members: list[Member] = []
    tables: list[EveningTable] = []

    def member(self, visitor: str) -> Member:
        """Raises `Illegal` for people who are not there."""
        for member in self.members:
            if member.visitor == visitor and not member.left:
                return member
        raise Illegal("not-here", "Join this game night first.")

    def check_host(self, visitor: str) -> None:
        if visitor != self.host:
            raise Illegal("host-only", "Only the host of this game night can do that.")


class Listed(msgspec.Struct, array_like=True):
    """An evening in the list of all."""

    until: int
    address: str
    """A hash of the address from which it was opened."""


class Score(msgspec.Struct):
    """Of one member, over all matches of an evening."""

    points: int = 0
    """One for every person who came in behind them."""
    wins: int = 0
    played: int = 0


_LIST: Final = msgspec.json.Decoder(dict[str, Listed])


def _now() -> int:
    return int(time() * 1000)


class Evenings:
    """Writes and reads these facts. None are kept in memory."""

    def __init__(self, store: Store, clock: Callable[[], int] = _now) -> None:
        self._store = store
        self._now = clock

    async def open(self, visitor: str, address: str) -> str:
        """Open an evening; returns its code."""
        now, block = self._now(), address_block(address)
        code = "".join(secrets.choice(_LETTERS) for _ in range(6))
        evening = Evening(now + LASTS, visitor, now, [Member(visitor)])
        listed = _listed(await self._store.fact(EVENINGS))
        over = [EVENING + each for each, entry in listed.items() if entry.until <= now]

        def change(facts: Mapping[str, bytes | None]) -> Mapping[str, bytes | None]:
            current = _listed(facts[EVENINGS])
            kept = {each: entry for each, entry in current.items() if entry.until > now}
            theirs = sum(entry.address == _mark(block, each) for each, entry in kept.items())
            if facts[EVENING + code] is not None:
                raise Illegal("try-again", "Try again.")
            if len(kept) >= MOST_EVENINGS:
                raise Illegal("house-full", "There are too many game nights here today.")
            if theirs >= MOST_AT_ADDRESS:
                raise Illegal("too-fast", "You have opened enough game nights today.")
            kept[code] = Listed(evening.until, _mark(block, code))
            return {
                **dict.fromkeys(over),
                EVENINGS: msgspec.json.encode(kept),
                EVENING + code: msgspec.json.encode(evening),
            }

        await self._store.amended([EVENINGS, EVENING + code, *over], change)
        return code

    async def of(self, code: str, visitor: str | None) -> Evening:
        """An evening as it is now; it is noted that its host is there."""
        evening = _read(await self._store.fact(EVENING + code), self._now())
        if visitor == evening.host and self._now() - evening.seen >= NOTED:
            return await self._change(code, lambda evening: _seen(evening, visitor, self._now()))
        return evening

    def host_away(self, evening: Evening) -> bool:
        return self._now() - evening.seen >= AWAY

    async def join(self, code: str, visitor: str) -> Evening:
        """Come to an evening, or come back. Without a host, they become the host."""

        def edit(evening: Evening) -> None:
            there = next((m for m in evening.members if m.visitor == visitor), None)
            if there is None:
                if len(evening.members) >= MOST_MEMBERS:
                    raise Illegal("evening-full", "This game night is full.")
                evening.members.append(there := Member(visitor))
            there.left = False
            if not evening.host:
                evening.host = visitor
            _seen(evening, visitor, self._now())

        return await self._change(code, edit)

    async def leave(self, code: str, visitor: str) -> Evening:
        """Their points stay. The one who came next becomes the host, if the host leaves."""

        def edit(evening: Evening) -> None:
            _leave(evening, evening.member(visitor), self._now())

        return await self._change(code, edit)

    async def vote(self, code: str, visitor: str, game: str) -> Evening:
        """Say what they would like to play next; "": nothing."""

        def edit(evening: Evening) -> None:
            evening.member(visitor).vote = game
            _seen(evening, visitor, self._now())

        return await self._change(code, edit)

    async def make_host(self, code: str, visitor: str, number: int) -> Evening:
        """The host hands over to a member; anybody takes over from a host who is away."""

        def edit(evening: Evening) -> None:
            evening.member(visitor)
            if not 0 <= number < len(evening.members) or evening.members[number].left:
                raise Illegal("no-such-member", "That person is not here.")
            wanted = evening.members[number].visitor
            if not (wanted == visitor and self.host_away(evening)):
                evening.check_host(visitor)
            evening.host, evening.seen = wanted, self._now()

        return await self._change(code, edit)

    async def check_may_play(self, code: str, visitor: str) -> None:
        """Raise `Illegal` unless they may open the next table."""
        _check_next(await self.of(code, visitor), visitor)

    async def play(self, code: str, visitor: str, table: EveningTable) -> Evening:
        """Everybody goes to this table; the votes were for it, so they are over."""

        def edit(evening: Evening) -> None:
            _check_next(evening, visitor)
            evening.tables.append(table)
            evening.seen = self._now()
            for member in evening.members:
                member.vote = ""

        return await self._change(code, edit)

    async def scores(self, evening: Evening) -> dict[str, Score]:
        """By visitor, over all matches at all tables of the evening."""
        facts: list[bytes] = []
        for table in evening.tables:
            most = MOST_MATCHES - len(facts)
            found = await self._store.recall_last(f"{MATCH}{table.id}-", "", most)
            facts += found.values()
        return counted([msgspec.json.decode(fact, type=FinishedMatch) for fact in facts])

    async def of_member(self, visitor: str) -> dict[str, Evening]:
        """The evenings to which somebody came, by code."""
        facts = await self._store.recall(EVENING)
        return {
            key.removeprefix(EVENING): msgspec.json.decode(fact, type=Evening)
            for key, fact in facts.items()
            if visitor.encode() in fact
        }

    async def forget(self, visitor: str) -> None:
        """Take somebody out of all evenings. Returns once this is committed."""

        def without(fact: bytes) -> bytes:
            evening = msgspec.json.decode(fact, type=Evening)
            for member in evening.members:
                if member.visitor == visitor:
                    _leave(evening, member, self._now())
                    # The others keep their numbers.
                    member.visitor = ""
            return msgspec.json.encode(evening)

        await self._store.amended(
            [EVENING + code for code in await self.of_member(visitor)],
            lambda facts: {key: fact and without(fact) for key, fact in facts.items()},
        )

    async def _change(self, code: str, edit: Callable[[Evening], None]) -> Evening:
        """Amend an evening; returns it after the commit. `edit` refuses with `Illegal`."""
        key, now = EVENING + code, self._now()
        changed: list[Evening] = []

        def change(facts: Mapping[str, bytes | None]) -> Mapping[str, bytes]:
            evening = _read(facts[key], now)
            edit(evening)
            changed[:] = [evening]
            return {key: msgspec.json.encode(evening)}

        await self._store.amended([key], change)
        return changed[0]


def counted(matches: Sequence[FinishedMatch]) -> dict[str, Score]:
    """By visitor. Bots are no opponents to score against."""
    scores: dict[str, Score] = {}
    for match in matches:
        people = [sat for sat in match.players if sat.visitor]
        for sat in people:
            score = scores.setdefault(sat.visitor, Score())
            score.played += 1
            score.wins += sat.won
            score.points += sum(other.place > sat.place for other in people)
    return scores


def _leave(evening: Evening, member: Member, now: int) -> None:
    member.left, member.vote = True, ""
    if evening.host == member.visitor:
        rest = [m.visitor for m in evening.members if not m.left]
        evening.host, evening.seen = rest[0] if rest else "", now


def _check_next(evening: Evening, visitor: str) -> None:
    evening.check_host(visitor)
    if len(evening.tables) >= MOST_TABLES:
        raise Illegal("too-many-tables", "This game night has had enough tables: open another one.")


def _seen(evening: Evening, visitor: str | None, now: int) -> None:
    if visitor == evening.host:
        evening.seen = now


def _read(fact: bytes | None, now: int) -> Evening:
    evening = None if fact is None else msgspec.json.decode(fact, type=Evening)
    if evening is None or evening.until <= now:
        raise Illegal("no-such-evening", "There is no game night with that code, or it is over.")
    return evening


def _mark(address: str, code: str) -> str:
    return hashlib.blake2b(address.encode(), key=code.encode(), digest_size=16).hexdigest()


def _listed(fact: bytes | None) -> dict[str, Listed]:
    return {} if fact is None else _LIST.decode(fact)
