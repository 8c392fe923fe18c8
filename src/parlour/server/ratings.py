"""Ratings of players with accounts, in pools: Glicko, each match a rating period of its own.

A match of many counts as one game against each other rated player: won against those who
placed lower, lost against those who placed higher. Glickman, "The Glicko system" (1999), whose
names the formulas keep.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log, pi, sqrt
from typing import Final

import msgspec

from parlour.house import Journal
from parlour.kit import Outcome
from parlour.server.accounts import Accounts
from parlour.table import Game, Roster

START: Final = 1500.0
MOST_DOUBT: Final = 350.0
LEAST_DOUBT: Final = 45.0
"""However much one has played, the next match still says something."""

_FACT: Final = "rating:"
_Q: Final = log(10) / 400


class Standing(msgspec.Struct):
    """How somebody stands in one pool; `rd` is how far off `rating` may be."""

    rating: float = START
    rd: float = MOST_DOUBT
    games: int = 0
    wins: int = 0
    peak: float = START


class Ratings:
    """All pools, in memory and in the log.

    A match is counted in the record, by what the record says its players' standings are when its
    end is kept: whichever matches end at once, at whatever nodes, all of them count, once.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._pools: dict[str, dict[str, Standing]] = {}
        journal.watch(_FACT, self._learn, self.load)

    async def load(self) -> None:
        """Recall all ratings."""
        for key, data in (await self._journal.recall(_FACT)).items():
            self._learn(key, data)

    def _learn(self, key: str, data: bytes | None) -> None:
        pool, _, visitor = key.removeprefix(_FACT).partition(":")
        if data is not None:
            self._pools.setdefault(pool, {})[visitor] = _read(data)

    def ranked(self, pool: str) -> list[tuple[str, Standing]]:
        """Everybody in a pool, the best first."""
        standings = self._pools.get(pool, {})
        return sorted(standings.items(), key=lambda item: (-item[1].rating, item[0]))

    def note(self, pool: str, places: Mapping[str, int]) -> None:
        """A match is over: by visitor, the place each came in at; equal places are a draw."""
        if len(places) < 2:
            return
        keys = {visitor: f"{_FACT}{pool}:{visitor}" for visitor in places}

        def count(facts: Mapping[str, bytes | None]) -> dict[str, bytes]:
            before = {visitor: _read(facts[key]) for visitor, key in keys.items()}
            after = rated(before, places)
            return {keys[visitor]: msgspec.json.encode(after[visitor]) for visitor in places}

        self._journal.amend(list(keys.values()), count)


def rated(before: Mapping[str, Standing], places: Mapping[str, int]) -> dict[str, Standing]:
    """How everybody stands after a match, by how they stood and the places they came in at."""
    stand: dict[str, Standing] = {}
    for visitor, place in places.items():
        others = [
            (before[other], _score(place, theirs))
            for other, theirs in places.items()
            if other != visitor
        ]
        after = stand[visitor] = _after(before[visitor], others)
        after.games += 1
        after.wins += place == min(places.values())
    return stand


def _read(fact: bytes | None) -> Standing:
    return Standing() if fact is None else msgspec.json.decode(fact, type=Standing)


class RatedMatches:
    """Rates those players of finished matches who have accounts, in the pool the game names."""

    def __init__(self, games: tuple[Game, ...], accounts: Accounts, ratings: Ratings) -> None:
        self._games = {game.id: game for game in games}
        self._accounts = accounts
        self._ratings = ratings

    def finished(self, roster: Roster, outcome: Outcome) -> None:
        pool = self._games[roster.game].pool(roster, outcome)
        if pool is None:
            return
        places = outcome.places(len(roster.seating))
        rated = {
            player.visitor: place
            for player, place in zip(roster.seating, places, strict=True)
            if player.visitor is not None and self._accounts.of(player.visitor) is not None
        }
        self._ratings.note(pool, rated)


def _score(mine: int, theirs: int) -> float:
    return 0.5 if mine == theirs else float(mine < theirs)


def _after(me: Standing, others: list[tuple[Standing, float]]) -> Standing:
    """One rating period: equations of section 2, `others` with what was scored against each."""
    surprise = information = 0.0
    for other, score in others:
        g = 1 / sqrt(1 + 3 * (_Q * other.rd / pi) ** 2)
        expected = 1 / (1 + 10 ** (-g * (me.rating - other.rating) / 400))
        surprise += g * (score - expected)
        information += g * g * expected * (1 - expected)
    certainty = 1 / me.rd**2 + _Q * _Q * information
    rating = me.rating + _Q / certainty * surprise
    return Standing(
        rating=rating,
        rd=max(LEAST_DOUBT, sqrt(1 / certainty)),
        games=me.games,
        wins=me.wins,
        peak=max(me.peak, rating),
    )
