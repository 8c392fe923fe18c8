"""A series: matches at one table that add up, to a target if the table has one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parlour.table.roster import Player

MOST_ROUNDS = 100
"""How many rounds are remembered one by one; the sums go on."""
MOST_STANDINGS = 40
"""How many people are remembered who have gone, besides those who play."""


@dataclass(slots=True)
class Standing:
    """Somebody's points. They are found again by visitor: who comes back has a new id."""

    visitor: str | None
    id: str
    name: str
    points: int = 0
    won: int = 0


@dataclass(slots=True)
class RoundScore:
    """One match of the series: its number at the table, who won, and what everybody gained."""

    number: int
    winners: tuple[str, ...]
    gains: dict[str, int]
    """By name, in the order of the seats."""


@dataclass(slots=True)
class Series:
    """What a table's matches add up to."""

    target: int = 0
    """Who has so many points has won; 0: it goes on and on."""
    standings: list[Standing] = field(default_factory=list)
    rounds: list[RoundScore] = field(default_factory=list)
    winners: tuple[str, ...] = ()
    """The names of those who won the series; empty while it goes on."""

    def count(
        self, number: int, seating: Sequence[Player], gains: dict[int, int], won: Sequence[int]
    ) -> None:
        """A match is over: add up what each seat gained."""
        for seat, player in enumerate(seating):
            standing = self._of(player, seating)
            standing.points += gains.get(seat, 0)
            standing.won += seat in won
        named = {player.name: gains.get(seat, 0) for seat, player in enumerate(seating)}
        winners = tuple(seating[seat].name for seat in won)
        self.rounds = [*self.rounds, RoundScore(number, winners, named)][-MOST_ROUNDS:]
        most = max((standing.points for standing in self.standings), default=0)
        if self.target and most >= self.target:
            self.winners = tuple(s.name for s in self.standings if s.points == most)

    def _of(self, player: Player, seating: Sequence[Player]) -> Standing:
        for standing in self.standings:
            same = standing.visitor == player.visitor and player.visitor is not None
            if same or standing.id == player.id:
                standing.id, standing.name = player.id, player.name
                return standing
        if len(self.standings) >= MOST_STANDINGS:
            here = {each.id for each in seating}
            gone = [each for each in self.standings if each.id not in here]
            self.standings.remove(min(gone, key=lambda each: each.points))
        standing = Standing(player.visitor, player.id, player.name)
        self.standings.append(standing)
        return standing

    def copy(self) -> Series:
        """As it is now."""
        standings = [Standing(s.visitor, s.id, s.name, s.points, s.won) for s in self.standings]
        return Series(self.target, standings, self.rounds[:], self.winners)
