"""A table at which no match runs: people gather, change the settings, and start one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

from parlour.kit import Illegal, Millis
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.phase import Phase, sooner
from parlour.table.roster import Player
from parlour.table.seating import PATIENCE

if TYPE_CHECKING:
    from parlour.table.table import Table


@mypyc_attr(allow_interpreted_subclasses=True)
class Waiting(Phase):
    """No match runs: people gather, change the settings, and start one."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.again_at: Millis | None = None
        """When the next match begins by itself after the last."""
        self.held_up_since: Millis | None = None
        """Since when only people who are not ready hold up a match."""

    def due(self) -> Millis | None:
        soonest = sooner(self.roster.countdown, self.again_at)
        for player in self.roster.players:
            soonest = sooner(soonest, player.missed_at)
        return sooner(soonest, self.held_up_until())

    def held_up_until(self) -> Millis | None:
        """Until when a match is held up by people who are not ready, if it is."""
        patience = self.lobby.start.patience(self.roster)
        if self.held_up_since is None or patience is None:
            return None
        return self.held_up_since + patience

    def act(self, entry: do.Act, now: Millis) -> tell.Happened:
        self.table.player(entry.place)
        raise Illegal("no-round", "No round is running.")

    def settled_in(self, player: Player, now: Millis) -> tell.Happened:
        return self.table.deal(now) if player.human and self.lobby.solo else []

    def given_up(self, player: Player, now: Millis) -> tell.Happened:
        self.roster.players.remove(player)
        told = self.called_off()
        if not told or self.lobby.seating.open:
            # The others may all be ready now. Where seats are fixed, a countdown that was called
            # off is not begun again: not everybody who agreed to that match is left.
            told += self.counted_down(now)
        return [tell.Left(player.place, player.id, player.name), *told]

    def went_away(self, player: Player, now: Millis) -> tell.Happened:
        happened = super().went_away(player, now)
        if self.roster.keep_seats and player.until is not None and player.until > now + PATIENCE:
            player.missed_at = now + PATIENCE
        if player.ready:
            # A disconnected player is no longer ready, so that no countdown starts without them.
            player.ready = False
            happened.append(tell.Readied(player.place, False))
        return happened

    def called_off(self) -> tell.Happened:
        if self.roster.countdown is None:
            return []
        self.roster.countdown = None
        return [tell.CountdownSet(None)]

    def counted_down(self, now: Millis) -> tell.Happened:
        here = self.lobby.here(self.roster)
        if not self.held_up(here):
            self.held_up_since = None
        elif self.held_up_since is None:
            self.held_up_since = now
        span = self.lobby.start.countdown(self.roster, here, self.table.usual_span)
        if span is None:
            return []
        self.roster.countdown = now + span
        return [tell.CountdownSet(now + span, span)]

    def held_up(self, here: Sequence[Player]) -> bool:
        """Whether enough are ready, and only wait so long for the others."""
        start, roster = self.lobby.start, self.roster
        ready = [player for player in here if start.ready(roster, player)]
        enough = len(ready) >= roster.min_seats and any(player.human for player in ready)
        return enough and len(ready) < len(here) and start.patience(roster) is not None

    def happens(self, now: Millis) -> tell.Happened:
        return self.missed(now) + self.started(now)

    def missed(self, now: Millis) -> tell.Happened:
        """Nobody waits any longer for people who have been away for a while."""
        happened: tell.Happened = []
        for player in self.roster.players:
            if player.missed_at is not None and player.missed_at <= now:
                player.missed_at = None
                player.gone = True
                happened.append(tell.DroppedOut(player.place))
        if happened and self.roster.countdown is None:
            happened += self.counted_down(now)
        return happened

    def started(self, now: Millis) -> tell.Happened:
        until = self.held_up_until()
        if until is not None and until <= now:
            self.held_up_since = None
            if self.held_up(self.lobby.here(self.roster)):
                return self.deal_by_itself(now)
        if self.roster.countdown is not None and self.roster.countdown <= now:
            return self.deal_by_itself(now)
        if self.again_at is not None and self.again_at <= now:
            self.again_at = None
            if len(self.roster.players) >= self.roster.min_seats:
                return self.deal_by_itself(now)
        return []

    def deal_by_itself(self, now: Millis) -> tell.Happened:
        """Deal because it is time. If the rules refuse, everybody is told why."""
        try:
            return self.table.deal(now)
        except Illegal as no:
            return [*self.called_off(), tell.NotDealt(no.code, no.sentence)]
