"""A series: matches at one table that add up, to a target if the table has one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from parlour.kit import Outcome
    from parlour.table.roster import Player

WonBy: TypeAlias = Literal["most", "fewest"]
"""Whether the most points win a series, or the fewest."""

MOST_ROUNDS = 100
"""How many rounds are remembered one by one; the sums go on."""
MOST_STANDINGS = 40
"""How many people are remembered who have gone, besides those who play."""


@dataclass(slots=True)
class Standing:
    """A person's points. They belong to the visitor, because a player who returns has a new id."""

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
    """The points of a table's matches."""

    target: int = 0
    """The series ends when somebody has so many points; 0: it goes on and on."""
    standings: list[Standing] = field(default_factory=list)
    rounds: list[RoundScore] = field(default_factory=list)
    winners: tuple[str, ...] = ()
    """The names of those who won the series; empty while it goes on."""

    def count(
        self, number: int, seating: Sequence[Player], outcome: Outcome, won_by: WonBy
    ) -> None:
        """A match is over: add up what each seat gained."""
        gains = [outcome.scores.get(seat, 0) for seat in range(len(seating))]
        playing = self._of_players(seating, won_by)
        for seat, standing in enumerate(playing):
            standing.points += gains[seat]
            standing.won += seat in outcome.winners
        names = [player.name for player in seating]
        winners = tuple(names[seat] for seat in outcome.winners)
        score = RoundScore(number, winners, dict(zip(names, gains, strict=True)))
        self.rounds = [*self.rounds, score][-MOST_ROUNDS:]
        if self.target and max((each.points for each in self.standings), default=0) >= self.target:
            # Those who left early have the fewest points, but have not won.
            ranked = best_first(self.standings if won_by == "most" else playing, won_by)
            self.winners = tuple(s.name for s in ranked if s.points == ranked[0].points)

    def _of_players(self, seating: Sequence[Player], won_by: WonBy) -> list[Standing]:
        """The standings of those who play. If the fewest points win, newcomers begin with the most
        that anybody here has: otherwise the last to come would win."""
        known = [self._known(player) for player in seating]
        here = [standing for standing in known if standing is not None]
        start = 0 if won_by == "most" else max((each.points for each in here), default=0)
        playing: list[Standing] = []
        for player, standing in zip(seating, known, strict=True):
            if standing is None:
                standing = Standing(player.visitor, player.id, player.name, start)
                self._add(standing, here, won_by)
                here.append(standing)
            playing.append(standing)
        return playing

    def _known(self, player: Player) -> Standing | None:
        for standing in self.standings:
            same = standing.visitor == player.visitor and player.visitor is not None
            if same or standing.id == player.id:
                standing.id, standing.name = player.id, player.name
                return standing
        return None

    def _add(self, standing: Standing, here: Sequence[Standing], won_by: WonBy) -> None:
        if len(self.standings) >= MOST_STANDINGS:
            gone = [each for each in self.standings if each not in here]
            self.standings.remove(max(gone, key=lambda each: _rank(each, won_by)))
        self.standings.append(standing)

    def copy(self) -> Series:
        """As it is now."""
        standings = [Standing(s.visitor, s.id, s.name, s.points, s.won) for s in self.standings]
        return Series(self.target, standings, self.rounds[:], self.winners)


def best_first(standings: Sequence[Standing], won_by: WonBy) -> list[Standing]:
    """Equals keep their order."""
    return sorted(standings, key=lambda each: _rank(each, won_by))


def _rank(standing: Standing, won_by: WonBy) -> int:
    return standing.points if won_by == "fewest" else -standing.points
