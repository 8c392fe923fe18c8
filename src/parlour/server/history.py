"""Histories: the matches of a person, counts by game, and people they played against.

The end of a match changes all of this in the transaction of the log entry that ends it (`amend`).
A person is a visitor, with or without an account. Facts:

- `match:{replay}`: a finished match with everybody who played (`FinishedMatch`).
- `played:{visitor}:{milliseconds}:{replay}`: the person played it; its key is the order.
- `record:{visitor}`: counts by game and by opponent (`Record`).
- `erased:{visitor}`: they had their data deleted; matches that end later do not name them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import time
from typing import Final
from uuid import UUID

import msgspec

from parlour.kit import Outcome
from parlour.store import Store, closing
from parlour.table import Roster

MATCH: Final = "match:"
PLAYED: Final = "played:"
RECORD: Final = "record:"
ERASED: Final = "erased:"

MOST_RIVALS: Final = 100
"""How many people are counted that somebody played against: those met last."""
ERASED_AT_ONCE: Final = 50
PAGE: Final = 20
"""Matches in a page of a history."""


class Sat(msgspec.Struct, omit_defaults=True):
    """Somebody who played a match."""

    name: str
    place: int
    """0 is the best; equal places are a draw."""
    won: bool = False
    points: int | None = None
    bot: bool = False
    visitor: str = ""
    """Empty for bots, users of the relay, and people who had their data deleted."""


class FinishedMatch(msgspec.Struct, omit_defaults=True):
    """A match that is over."""

    replay: str
    """Its id at `/api/replays/{id}`."""
    game: str
    at: int
    """When it ended, in milliseconds since the epoch."""
    how: str
    players: list[Sat]
    """By seat."""


class Count(msgspec.Struct, array_like=True):
    """Matches of one game. In a person's counts, `ahead` are those they won; in the counts against
    one opponent, those in which they came in before them."""

    played: int = 0
    ahead: int = 0
    behind: int = 0


class Rival(msgspec.Struct):
    """A person somebody played against."""

    name: str
    at: int
    """When they met last, in milliseconds since the epoch."""
    games: dict[str, Count] = {}


class Record(msgspec.Struct):
    """The counts of a person."""

    games: dict[str, Count] = {}
    rivals: dict[str, Rival] = {}
    """By visitor, in the order last met."""


class HistoryPage(msgspec.Struct, frozen=True):
    """Matches of a person, the latest first."""

    matches: Sequence[FinishedMatch]
    next: str
    """The value of `before` for the next page; "": this is the last."""


class History:
    """Writes and reads these facts. None are kept in memory."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def finished(self, roster: Roster, outcome: Outcome) -> None:
        """A match is over: count it for everybody who played, unless no person did."""
        match = finished_match(roster, outcome, int(time() * 1000))
        visitors = sorted({sat.visitor for sat in match.players} - {""})
        if visitors:
            keys = [MATCH + match.replay]
            for who in visitors:
                keys += [RECORD + who, ERASED + who, _played(who, match)]
            self._store.amend(keys, lambda facts: _changes(facts, match, visitors))

    async def page(self, visitor: str, before: str = "", most: int = PAGE) -> HistoryPage:
        """`before`: the `next` of the page before."""
        prefix = f"{PLAYED}{visitor}:"
        # One more than is shown, to know whether there is a next page.
        keys = list(await self._store.recall_last(prefix, before and prefix + before, most + 1))
        shown = [key.removeprefix(prefix) for key in keys[:most]]
        names = [MATCH + each.partition(":")[2] for each in shown]
        found = await self._store.look_up(names)
        matches = [msgspec.json.decode(found[n], type=FinishedMatch) for n in names if n in found]
        return HistoryPage(matches, shown[-1] if len(keys) > most else "")

    async def erase(self, visitor: str) -> None:
        """Delete a person's history, and take them out of the histories of others, also of matches
        that are not over yet. Returns once this is committed."""
        own = {RECORD + visitor: None, ERASED + visitor: b"1"}
        self._store.amend(list(own), lambda facts: own)
        prefix = f"{PLAYED}{visitor}:"
        while await self._store.settled():
            keys = list(await self._store.recall_last(prefix, "", ERASED_AT_ONCE))
            if not keys:
                return
            names = [MATCH + key.removeprefix(prefix).partition(":")[2] for key in keys]
            met: set[str] = set()
            for fact in (await self._store.look_up(names)).values():
                players = msgspec.json.decode(fact, type=FinishedMatch).players
                met.update(RECORD + sat.visitor for sat in players)
            met -= {RECORD, RECORD + visitor}
            self._store.amend([*keys, *names, *sorted(met)], lambda facts: _without(facts, visitor))
        raise closing()

    async def record(self, visitor: str) -> Record:
        return _read(await self._store.fact(RECORD + visitor))


def finished_match(roster: Roster, outcome: Outcome, at: int) -> FinishedMatch:
    places = outcome.places(len(roster.seating))
    players = [
        Sat(
            player.name,
            places[seat],
            seat in outcome.winners,
            outcome.scores.get(seat),
            not player.human,
            _with_session(player.visitor or ""),
        )
        for seat, player in enumerate(roster.seating)
    ]
    return FinishedMatch(f"{roster.id}-{roster.round}", roster.game, at, outcome.how, players)


def _with_session(visitor: str) -> str:
    """The visitor if they can have a session; "" for users of the relay, who have names there."""
    try:
        return visitor if str(UUID(visitor)) == visitor else ""
    except ValueError:
        return ""


def _played(visitor: str, match: FinishedMatch) -> str:
    return f"{PLAYED}{visitor}:{match.at:013d}:{match.replay}"


def _changes(
    facts: Mapping[str, bytes | None], match: FinishedMatch, visitors: Sequence[str]
) -> dict[str, bytes | None]:
    if facts[MATCH + match.replay] is not None:
        return {}  # counted already
    for sat in match.players:
        if sat.visitor and facts[ERASED + sat.visitor] is not None:
            sat.name = sat.visitor = ""
    visitors = [who for who in visitors if facts[ERASED + who] is None]
    if not visitors:
        return {}
    changed: dict[str, bytes | None] = {MATCH + match.replay: msgspec.json.encode(match)}
    for visitor in visitors:
        record = counted(_read(facts[RECORD + visitor]), match, visitor)
        changed[RECORD + visitor] = msgspec.json.encode(record)
        changed[_played(visitor, match)] = match.game.encode()
    return changed


def _without(facts: Mapping[str, bytes | None], visitor: str) -> dict[str, bytes | None]:
    """Matches and records without one person. A match with nobody else is deleted."""
    changed: dict[str, bytes | None] = {}
    for key, fact in facts.items():
        if key.startswith(PLAYED):
            changed[key] = None
        elif key.startswith(MATCH) and fact is not None:
            match = msgspec.json.decode(fact, type=FinishedMatch)
            for sat in match.players:
                if sat.visitor == visitor:
                    sat.name = sat.visitor = ""
            others = any(sat.visitor for sat in match.players)
            changed[key] = msgspec.json.encode(match) if others else None
        elif fact is not None:
            record = _read(fact)
            record.rivals.pop(visitor, None)
            changed[key] = msgspec.json.encode(record)
    return changed


def counted(record: Record, match: FinishedMatch, visitor: str) -> Record:
    """A person's record after one more match."""
    me = next(sat for sat in match.players if sat.visitor == visitor)
    lost = not me.won and any(sat.won for sat in match.players)
    games = _plus(record.games, match.game, me.won, lost)
    rivals = dict(record.rivals)
    for sat in match.players:
        if sat.visitor not in ("", visitor):
            before = rivals.pop(sat.visitor, Rival(sat.name, match.at))
            met = _plus(before.games, match.game, me.place < sat.place, me.place > sat.place)
            rivals[sat.visitor] = Rival(sat.name, match.at, met)
    return Record(games, dict(list(rivals.items())[-MOST_RIVALS:]))


def _plus(games: Mapping[str, Count], game: str, ahead: bool, behind: bool) -> dict[str, Count]:
    before = games.get(game, Count())
    after = Count(before.played + 1, before.ahead + ahead, before.behind + behind)
    return {**games, game: after}


def _read(fact: bytes | None) -> Record:
    return Record() if fact is None else msgspec.json.decode(fact, type=Record)
