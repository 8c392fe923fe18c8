"""Seats: who may sit down when, how long a seat is kept, and how long others wait."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from parlour.kit import Illegal, Millis
from parlour.table.roster import Player, Roster

SECOND: Millis = 1_000
DAY: Millis = 24 * 3_600 * SECOND
PATIENCE: Millis = 30 * SECOND
"""How long others wait for somebody who is away: for each turn, and before a match starts."""


class Kept(NamedTuple):
    """How long the seat of a player who is away is kept."""

    playing: Millis
    """If they went away during a match."""
    waiting: Millis
    """If they went away between matches. 0: nobody waits for them before a match starts."""
    after: Millis
    """At most, counted from the end of a match that they missed."""


class Patience(NamedTuple):
    """How long others wait for the turn of a player who is away."""

    first: Millis | None = PATIENCE
    """For the first turn missed; None: as long as the rules give anybody."""
    later: Millis = PATIENCE
    """For each turn after that."""


class Seating:
    """Rules for sitting down, and for how long a seat is kept."""

    open: ClassVar[bool] = False
    """Whether people sit down and get up while a match runs, rather than between matches."""
    patience: ClassVar[Patience | None] = Patience()
    """How long the table waits when it is the turn of an absent player, before it has the turn
    passed on (`Match.skip`). None: the rules are told at once that a player is away
    (`Match.gone`)."""
    empty: ClassVar[Millis] = 0
    """How long a table is kept after the last person has got up."""
    stand_ins: ClassVar[bool] = False
    """Whether a computer player may play for somebody who is away, until they are back."""

    def check(self, roster: Roster) -> None:
        """Whether one more may sit down now."""
        if len(roster.players) >= roster.max_seats:
            raise Illegal("table-full", "This table is full.")
        if roster.running and not self.open:
            raise Illegal("round-running", "A round is running at this table.")

    def kept(self, roster: Roster, player: Player) -> Kept:
        """How long the seat of a player who is away is kept."""
        keep = roster.keep_seats or 30 * SECOND
        alone_with_bots = len(roster.people) == 1 and bool(roster.bots) and roster.keep_seats
        return Kept(max(keep, DAY) if alone_with_bots else keep, keep, keep)

    def outsider(self, who: str) -> str:
        """The visitor's id of a person connected elsewhere, who can be given a seat."""
        raise Illegal("no-outsiders", "Players come to this table themselves.")


class ToldAtOnce(Seating):
    """The rules are told at once that a player is away, and see to it themselves."""

    patience = None


class OpenSeats(ToldAtOnce):
    """People come and go in mid-match: a seat that was left is free for the next."""

    open = True
    # No seat is kept between matches, so a reload of the only page would close the table.
    empty = 60 * SECOND

    def kept(self, roster: Roster, player: Player) -> Kept:
        return Kept(120 * SECOND, 0, 120 * SECOND)


class OneSeat(Seating):
    """A game for one, kept for a month."""

    def kept(self, roster: Roster, player: Player) -> Kept:
        return Kept(30 * DAY, 30 * DAY, 30 * DAY)
