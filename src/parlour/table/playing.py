"""A table at which a match is under way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

from parlour.kit import Illegal, Match, Millis, OpenMatch, PutOut, Seat
from parlour.marks import Whole
from parlour.rng import ProvableRng, Rng
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.phase import Phase, sooner
from parlour.table.roster import Player
from parlour.table.seating import Patience

if TYPE_CHECKING:
    from parlour.table.table import Table


@mypyc_attr(allow_interpreted_subclasses=True)
class Playing(Phase):
    """A match is under way."""

    def __init__(self, table: Table, match: Match, rng: Rng) -> None:
        super().__init__(table)
        self.match = match
        self.rng = rng
        self.absent: set[Seat] = set()
        """Seats of people who are away, which the rules have not been told."""
        self.missed: set[Seat] = set()
        """Those of them who have missed a turn since they went away."""
        self.waited: dict[Seat, Millis] = {}
        """Those of them whose turn it is, and until when the others wait."""

    def due(self) -> Millis | None:
        due = self.match.due()
        for at in self.waited.values():
            due = sooner(due, at)
        return due

    def act(self, entry: do.Act, now: Millis) -> tell.Happened:
        seat = self.seat_of(entry.place)
        action = entry.action
        if type(action) is list:
            action = do.unpack(action, self.table.action_types)
        happened = self.recorded(self.match.apply(seat, action, self.rng, now))
        self.table.played = True
        if self.match.outcome() is not None:
            return self.table.settle(happened, now)
        if self.absent:
            self.mind_absent(now)
        return happened

    def fumble(self, entry: do.Fumble, now: Millis) -> tell.Happened:
        seat = self.seat_of(entry.place)
        return self.table.settle(self.recorded(self.match.fumble(seat, self.rng, now)), now)

    def spend(self, entry: do.Spend, now: Millis) -> tell.Happened:
        if not isinstance(self.rng, ProvableRng) or entry.chance < self.rng.spent:
            raise Illegal("spent-already", "Random draws cannot be undone.")
        self.rng.skip(entry.chance)
        return []

    def stirred(self, player: Player, now: Millis) -> tell.Happened:
        if player.seat is None or not isinstance(self.match, OpenMatch):
            return []
        return self.recorded(self.match.stirred(player.seat, self.rng, now))

    def settled_in(self, player: Player, now: Millis) -> tell.Happened:
        if not isinstance(self.match, OpenMatch):
            raise Illegal("match-running", "This game can't be joined while a round is running.")
        joined = self.match.join(player.id, not player.human, self.rng, now)
        # After `join`, which may refuse: a refusal must leave no trace.
        player.seat = len(self.roster.seating)
        self.roster.seating.append(player)
        return self.recorded(joined)

    def given_up(self, player: Player, now: Millis) -> tell.Happened:
        """Out of the running: off the table after the match, or now if seats are open."""
        over = self.match.outcome() is not None
        match = self.match
        if self.lobby.seating.open and isinstance(match, OpenMatch) and player.seat is not None:
            self.roster.players.remove(player)
            happened: tell.Happened = [tell.Left(player.place, player.id, player.name)]
            happened += self.recorded(match.leave(player.seat, self.rng, now))
            happened += self.abandoned(now)
        else:
            happened = self.drop_out(player, now)
        if not over and self.match.outcome() is not None:
            self.roster.ended_by = player.name
        return happened

    def went_away(self, player: Player, now: Millis) -> tell.Happened:
        happened = super().went_away(player, now)
        if self.lobby.seating.patience is None:
            return happened + self.drop_out(player, now)
        if player.seat is not None:
            self.absent.add(player.seat)
            self.mind_absent(now)
        return happened

    def came_back(self, player: Player, now: Millis) -> tell.Happened:
        was_gone = player.gone
        happened = super().came_back(player, now)
        if player.seat is not None:
            self.absent.discard(player.seat)
            self.missed.discard(player.seat)
            if was_gone:
                happened += self.recorded(self.match.back(player.seat, self.rng, now))
        self.mind_absent(now)
        return happened

    def stand_in(self, player: Player, strength: str, now: Millis) -> tell.Happened:
        if player.present or player.seat is None or not player.human:
            raise Illegal("not-away", "They are not away from a round.")
        player.stand_in, player.strength = True, strength
        self.mind_absent(now)
        return [tell.StoodIn(player.place)]

    def mind_absent(self, now: Millis) -> None:
        """Note which absent players the others wait for, as long as anybody is there to wait.

        With nobody there the match stands still: nobody's turn is passed on.
        """
        somebody = any(p.present and p.seat is not None for p in self.roster.people)
        waits = somebody and self.roster.keep_seats and self.match.outcome() is None
        patience = self.lobby.seating.patience or Patience()
        waited, self.waited = self.waited, {}
        for seat in sorted(self.absent) if waits else ():
            span = patience.later if seat in self.missed else patience.first
            stands_still = not self.roster.seating[seat].stand_in and self.match.legal(seat)
            if span is not None and stands_still:
                self.waited[seat] = waited.get(seat, now + span)

    def skip_absent(self, now: Millis) -> tell.Happened:
        """Pass on the turns of those who were waited for long enough."""
        happened: tell.Happened = []
        for seat in [seat for seat, at in self.waited.items() if at <= now]:
            del self.waited[seat]
            self.missed.add(seat)
            if self.match.outcome() is not None:
                break
            happened.append(tell.Skipped(self.roster.seating[seat].place))
            happened += self.recorded(self.match.skip(seat, self.rng, now))
        if self.absent:
            self.mind_absent(now)
        return happened

    def drop_out(self, player: Player, now: Millis) -> tell.Happened:
        """The rules hear that somebody is not there; their seat stays theirs."""
        if player.seat is None:
            return []
        happened: tell.Happened = []
        self.absent.discard(player.seat)
        if not player.gone:
            player.gone = True
            happened.append(tell.DroppedOut(player.place))
            happened += self.recorded(self.match.gone(player.seat, self.rng, now))
        happened += self.abandoned(now)
        self.mind_absent(now)
        return happened

    def abandoned(self, now: Millis) -> tell.Happened:
        """Nobody is left who could come back: the rules end the match."""
        people = [p for p in self.roster.people if p.seat is not None]
        if self.match.outcome() is None and all(p.gone and p.until is None for p in people):
            return self.recorded(self.match.abandon(self.rng, now))
        return []

    def happens_in_match(self, now: Millis) -> tell.Happened:
        happened: tell.Happened = []
        due = self.match.due()
        if due is not None and due <= now:
            turns = [seat for seat in self.absent if self.match.legal(seat)]
            happened = self.recorded(self.match.tick(self.rng, now))
            self.missed.update(seat for seat in turns if not self.match.legal(seat))
            if self.absent:
                self.mind_absent(now)
        return happened + self.skip_absent(now)

    def happens(self, now: Millis) -> tell.Happened:
        return []

    def check_between_matches(self, at_any_time: bool = False) -> None:
        if not at_any_time:
            raise Illegal("round-running", "That has to wait: a round is running.")

    def finish(self, now: Millis) -> tell.Happened:
        outcome, roster = self.match.outcome(), self.roster
        if outcome is None or (self.lobby.solo and not all(p.gone for p in roster.people)):
            return []
        if self.lobby.most_points:
            roster.series.count(roster.round, roster.seating, outcome, self.lobby.won_by)
        elif not self.lobby.solo:
            # Points of different matches can't be added up here: one for each match won.
            wins = replace(outcome, scores=dict.fromkeys(outcome.winners, 1))
            roster.series.count(roster.round, roster.seating, wins, "most")
        rest = self.lobby.start.again(self.match)
        self.table.wait(None if rest is None else now + rest)
        happened: tell.Happened = [tell.Finished(outcome, rest)]
        for player in list(roster.players):
            player.ready = False
            # In logs without `keep_seats`, a seat whose player was gone became free here.
            if player.gone and (player.until is None or not roster.keep_seats):
                roster.players.remove(player)
                happened.append(tell.Left(player.place, player.id, player.name))
            elif player.until is not None:
                kept = self.lobby.seating.kept(roster, player)
                player.until = min(player.until, now + kept.after)
                # The match went on without them, and the next one does not wait for them either.
                player.gone = bool(roster.keep_seats)
        # The next match may start without anybody saying that they are ready.
        return happened + self.table.phase.counted_down(now)

    def seat_of(self, place: int) -> int:
        for player in self.roster.players:
            if player.place == place and player.seat is not None:
                return player.seat
        self.table.player(place)  # refuses a place that nobody has
        raise Illegal("no-round", "No round is running.")

    def recorded(self, of_match: tell.Happened) -> tell.Happened:
        """Take the match's events into the story; give them, to be told."""
        happened = of_match
        for event in of_match:
            if type(event) is PutOut:
                happened = self.put_out(of_match)
                of_match = [e for e in of_match if type(e) is not PutOut]
                break
        story = self.table.story
        story += of_match
        if of_match and isinstance(of_match[-1], Whole):
            del story[:-1]
        return happened

    def put_out(self, of_match: tell.Happened) -> tell.Happened:
        """Rules put somebody out: in place of that event, what it means at the table."""
        happened: tell.Happened = []
        for event in of_match:
            if type(event) is not PutOut:
                happened.append(event)
                continue
            player = self.roster.seating[event.seat]
            self.roster.players.remove(player)
            player.present = False
            happened.append(
                tell.Kicked(player.place, player.id, player.name, event.reason, event.sentence)
            )
            happened.append(tell.Left(player.place, player.id, player.name))
        return happened
