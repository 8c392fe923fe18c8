"""Ratings of players with accounts, in pools: Glicko, each match a rating period of its own.

A match of several players counts as one game against each other rated player: won against those
who placed lower, lost against those who placed higher. The formulas use the names of Glickman,
"The Glicko system" (1999).

Two players could agree to raise each other's ratings. So only public tables with standard settings
count, nobody is rated against somebody at the same network address, and the same opponent counts
less each time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import log, pi, sqrt
from time import time
from typing import Final

import msgspec

from parlour.kit import Outcome
from parlour.protocol import Game
from parlour.server.accounts import Accounts
from parlour.server.history import ERASED
from parlour.store import Store
from parlour.table import Roster

START: Final = 1500.0
MOST_DOUBT: Final = 350.0
LEAST_DOUBT: Final = 45.0
"""A lower bound, so that a match still changes the rating of somebody who plays much."""

RECENT: Final = 7 * 24 * 3600
"""Seconds in which a match of the same two counts half as much as the one before."""
MOST_OF_A_PAIR: Final = 8
"""How many matches of the same two players count in that time."""
MOST_OPPONENTS: Final = 100
"""How many of a player's last opponents are remembered."""

MOST_POINTS: Final = 200
"""Of a curve; beyond that, every second one of the older half is dropped."""

FACT: Final = "rating:"
CURVE: Final = "curve:"
"""Followed by a pool and a visitor, like `FACT`; not kept in memory."""
_Q: Final = log(10) / 400


class Standing(msgspec.Struct):
    """A player's rating in one pool; `rd` is its deviation."""

    rating: float = START
    rd: float = MOST_DOUBT
    games: int = 0
    wins: int = 0
    peak: float = START
    met: dict[str, list[int]] = {}
    """By opponent, in the order last met: when matches against them counted, in seconds."""
    game: str = ""
    """The game of the pool; earlier versions did not write it."""


class Point(msgspec.Struct, array_like=True):
    """The rating after a match."""

    at: int
    """In seconds since the epoch."""
    rating: int


class Ratings:
    """The ratings of players with accounts: all pools, in memory and in the store.

    A match changes the standings that the store has when the match's end is committed. So matches
    that end at the same time, at any nodes, all count, and once.
    """

    def __init__(self, store: Store, games: tuple[Game, ...], accounts: Accounts) -> None:
        self._store = store
        self._games = {game.id: game for game in games}
        self._accounts = accounts
        self._pools: dict[str, dict[str, Standing]] = {}
        self._ranked: dict[str, list[tuple[str, Standing]]] = {}
        """By pool, until one of its standings changes."""
        self._pool_games: dict[str, str] = {}
        store.watch(FACT, self._learn, self.load)

    async def load(self) -> None:
        facts = await self._store.recall(FACT)
        self._pools.clear()
        self._ranked.clear()
        for key, data in facts.items():
            self._learn(key, data)

    def _learn(self, key: str, data: bytes | None) -> None:
        pool, _, visitor = key.removeprefix(FACT).partition(":")
        self._ranked.pop(pool, None)
        if data is None:
            self._pools.get(pool, {}).pop(visitor, None)
            return
        standing = self._pools.setdefault(pool, {})[visitor] = _read(data)
        if standing.game:
            self._pool_games[pool] = standing.game

    def ranked(self, pool: str) -> list[tuple[str, Standing]]:
        """Everybody in a pool, the best first."""
        if pool not in self._ranked and pool in self._pools:
            standings = self._pools[pool].items()
            self._ranked[pool] = sorted(standings, key=lambda item: (-item[1].rating, item[0]))
        return self._ranked.get(pool, [])

    def pools(self, game: str) -> list[str]:
        """The pools of a game in which somebody is rated."""
        return sorted(
            pool
            for pool, standings in self._pools.items()
            if standings and self.game_of(pool) == game
        )

    def game_of(self, pool: str) -> str:
        return self._pool_games.get(pool, pool)

    def standings(self, visitor: str) -> dict[str, Standing]:
        """By pool, those of one player."""
        pools = self._pools.items()
        return {pool: standings[visitor] for pool, standings in pools if visitor in standings}

    async def curve(self, pool: str, visitor: str) -> list[Point]:
        return _points(await self._store.fact(f"{CURVE}{pool}:{visitor}"))

    def finished(self, roster: Roster, outcome: Outcome) -> None:
        """Rate the players of a finished match, in the pool that its game names."""
        pool = self._games[roster.game].pool(roster, outcome)
        if pool is None or not roster.public:
            return
        places: dict[str, int] = {}
        homes: dict[str, str] = {}
        came_in = outcome.places(len(roster.seating))
        for player, place in zip(roster.seating, came_in, strict=True):
            if player.visitor is not None and self._accounts.of(player.visitor) is not None:
                places[player.visitor], homes[player.visitor] = place, player.address
        self.note(pool, places, homes, int(time()), roster.game)

    def note(
        self,
        pool: str,
        places: Mapping[str, int],
        homes: Mapping[str, str],
        now: int,
        game: str = "",
    ) -> None:
        """Rate a match: by visitor, the place each took (equal ones are a draw), and the network
        address each played from."""
        keys = {visitor: f"{FACT}{pool}:{visitor}" for visitor in places}
        erased = {visitor: ERASED + visitor for visitor in places}
        curves = {visitor: f"{CURVE}{pool}:{visitor}" for visitor in places}

        def count(facts: Mapping[str, bytes | None]) -> dict[str, bytes]:
            changed: dict[str, bytes] = {}
            before = {visitor: _read(facts[key]) for visitor, key in keys.items()}
            there = {who: place for who, place in places.items() if facts[erased[who]] is None}
            for visitor, after in rated(before, there, homes, now).items():
                after.game = game or before[visitor].game
                changed[keys[visitor]] = msgspec.json.encode(after)
                curve = [*_points(facts[curves[visitor]]), Point(now, round(after.rating))]
                changed[curves[visitor]] = msgspec.json.encode(thinned(curve))
            return changed

        if len(places) > 1:
            self._store.amend([*keys.values(), *curves.values(), *erased.values()], count)

    def forget(self, visitor: str) -> None:
        """Delete the ratings of somebody, and that others met them."""
        for pool in self.standings(visitor):
            own = [f"{FACT}{pool}:{visitor}", f"{CURVE}{pool}:{visitor}"]
            # Their own `Standing.met` may have dropped this opponent: it keeps only the last ones.
            met = [other for other, each in self._pools[pool].items() if visitor in each.met]
            others = [f"{FACT}{pool}:{other}" for other in met]

            def drop(
                facts: Mapping[str, bytes | None], own: list[str] = own
            ) -> dict[str, bytes | None]:
                changed: dict[str, bytes | None] = dict.fromkeys(own)
                for key, fact in facts.items():
                    if key not in own and fact is not None:
                        standing = _read(fact)
                        standing.met.pop(visitor, None)
                        changed[key] = msgspec.json.encode(standing)
                return changed

            self._store.amend([*own, *others], drop)


def rated(
    before: Mapping[str, Standing], places: Mapping[str, int], homes: Mapping[str, str], now: int
) -> dict[str, Standing]:
    """The standings after a match of those who were rated in it (`Ratings.note`)."""
    stand: dict[str, Standing] = {}
    for visitor, place in places.items():
        me = before[visitor]
        weights = {
            other: 0.5 ** max(_recent(me, other, now), _recent(before[other], visitor, now))
            for other in places
            if homes.get(other, "") != homes.get(visitor, "")
        }
        weights = {other: w for other, w in weights.items() if w > 0.5**MOST_OF_A_PAIR}
        if weights:
            others = [(before[o], _score(place, places[o]), w) for o, w in weights.items()]
            after = stand[visitor] = _after(me, others)
            after.games = me.games + 1
            after.wins = me.wins + all(place <= places[other] for other in weights)
            after.met = _met(me, weights, now)
    return stand


def _recent(me: Standing, other: str, now: int) -> int:
    # Clocks of nodes differ a little: a match may seem to be in the future.
    return sum(abs(now - moment) < RECENT for moment in me.met.get(other, ()))


def _met(me: Standing, others: Iterable[str], now: int) -> dict[str, list[int]]:
    """`Standing.met` after a match against these."""
    met = {who: [m for m in moments if now - m < RECENT] for who, moments in me.met.items()}
    for other in others:
        met[other] = [*met.pop(other, ()), now]
    return dict([item for item in met.items() if item[1]][-MOST_OPPONENTS:])


def thinned(curve: list[Point]) -> list[Point]:
    """A curve of at most `MOST_POINTS`: from its beginning to its end, with more of the end."""
    old = MOST_POINTS // 2
    return curve if len(curve) <= MOST_POINTS else [*curve[:old:2], *curve[old:]]


def _points(fact: bytes | None) -> list[Point]:
    return [] if fact is None else msgspec.json.decode(fact, type=list[Point])


def _read(fact: bytes | None) -> Standing:
    return Standing() if fact is None else msgspec.json.decode(fact, type=Standing)


def _score(mine: int, theirs: int) -> float:
    return 0.5 if mine == theirs else float(mine < theirs)


def _after(me: Standing, others: list[tuple[Standing, float, float]]) -> Standing:
    """One rating period (section 2); `others`: opponents, the score against each, its weight."""
    surprise = information = 0.0
    for other, score, weight in others:
        g = 1 / sqrt(1 + 3 * (_Q * other.rd / pi) ** 2)
        expected = 1 / (1 + 10 ** (-g * (me.rating - other.rating) / 400))
        surprise += weight * g * (score - expected)
        information += weight * g * g * expected * (1 - expected)
    certainty = 1 / me.rd**2 + _Q * _Q * information
    rating = me.rating + _Q / certainty * surprise
    return Standing(
        rating=rating,
        rd=max(LEAST_DOUBT, sqrt(1 / certainty)),
        peak=max(me.peak, rating),
    )
