"""A table at which no match runs: people gather, change the settings, and start one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parlour.kit import Illegal, Millis
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.lobby import PATIENCE
from parlour.table.phase import Phase, sooner
from parlour.table.roster import Player

if TYPE_CHECKING:
    from parlour.table.table import Table


class Waiting(Phase):
    """No match runs: people gather, change the settings, and start one."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.again_at: Millis | None = None
        """When the next match begins by itself after the last."""
        self.held_up_since: Millis | None = None
        """When all could have started but for somebody who is not ready."""

    def due(self) -> Millis | None:
        soonest = sooner(self.roster.countdown, self.again_at)
        for player in self.roster.players:
            soonest = sooner(soonest, player.missed_at)
        if self.held_up_since is None:
            return soonest
        return sooner(soonest, self.held_up_since + self.lobby.patience(self.roster))

    def act(self, entry: do.Act, now: Millis) -> list[Any]:
        self.table.player(entry.place)
        raise Illegal("no-round", "No round is running.")

    def settled_in(self, player: Player, now: Millis) -> list[Any]:
        return self.table.deal(now) if player.human and self.lobby.deals_on_join() else []

    def given_up(self, player: Player, now: Millis) -> list[Any]:
        self.roster.players.remove(player)
        told = self.called_off()
        if not told or self.lobby.open_seats:
            # The others may all be ready now. Where seats are fixed, a countdown that was called
            # off is not begun again: not everybody who agreed to that match is left.
            told += self.counted_down(now)
        return [tell.Left(player.place, player.id, player.name), *told]

    def went_away(self, player: Player, now: Millis) -> list[Any]:
        happened = super().went_away(player, now)
        if self.roster.keep_seats and player.until is not None and player.until > now + PATIENCE:
            player.missed_at = now + PATIENCE
        if player.ready:
            # A disconnected player is no longer ready, so that no countdown starts without them.
            player.ready = False
            happened.append(tell.Readied(player.place, False))
        return happened

    def called_off(self) -> list[Any]:
        if self.roster.countdown is None:
            return []
        self.roster.countdown = None
        return [tell.CountdownSet(None)]

    def counted_down(self, now: Millis) -> list[Any]:
        if not self.lobby.held_up_by(self.roster):
            self.held_up_since = None
        elif self.held_up_since is None:
            self.held_up_since = now
        span = self.lobby.countdown(self.roster, self.table.usual_span)
        if span is None:
            return []
        self.roster.countdown = now + span
        return [tell.CountdownSet(now + span, span)]

    def happens(self, now: Millis) -> list[Any]:
        return self.missed(now) + self.started(now)

    def missed(self, now: Millis) -> list[Any]:
        """People who have been away for a while: the others need not wait for them any more."""
        happened: list[Any] = []
        for player in self.roster.players:
            if player.missed_at is not None and player.missed_at <= now:
                player.missed_at = None
                player.gone = True
                happened.append(tell.DroppedOut(player.place))
        if happened and self.roster.countdown is None:
            happened += self.counted_down(now)
        return happened

    def started(self, now: Millis) -> list[Any]:
        since = self.held_up_since
        if since is not None and since + self.lobby.patience(self.roster) <= now:
            self.held_up_since = None
            asleep = self.lobby.held_up_by(self.roster)
            if asleep:
                return self.deal_by_itself(now, asleep)
        if self.roster.countdown is not None and self.roster.countdown <= now:
            return self.deal_by_itself(now)
        if self.again_at is not None and self.again_at <= now:
            self.again_at = None
            if len(self.roster.players) >= self.roster.min_seats:
                return self.deal_by_itself(now)
        return []

    def deal_by_itself(self, now: Millis, asleep: Sequence[Player] = ()) -> list[Any]:
        """Time can't be refused: where the rules will not deal, all are told why."""
        try:
            return self.table.deal(now, asleep)
        except Illegal as no:
            return [*self.called_off(), tell.NotDealt(no.code, no.sentence)]
