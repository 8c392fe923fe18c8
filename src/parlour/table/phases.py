"""The two phases of a table: waiting for a match, and playing one.

Each takes the same inputs in its own way. What both have in common, people who come, go and
come back, is in `Phase`; how a lobby behaves is the game's policy (`lobby.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from parlour.kit import Illegal, Match, Millis, PutOut, Whole
from parlour.rng import Rng
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.roster import Player

if TYPE_CHECKING:
    from parlour.table.table import Table

WAKE_GRACE: Millis = 120_000
"""How long everybody has to come back after the house was shut."""
NEW_TABLE_GRACE: Millis = 10 * 60_000
"""How long a place is kept at most at a table where nobody has played yet."""
MOST_INVITED = 50
MOST_BANNED = 200
MOST_REMEMBERED = 10
"""Of the moments at which somebody spoke."""

Step = Callable[[Any, Millis], list[Any]]


class Phase:
    """What happens at a table whatever it is doing."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.roster = table.roster
        self.lobby = table.game.lobby
        self.steps: dict[type[Any], Step] = {
            do.Act: self.act,
            do.Join: self.join,
            do.Seat: self.seat_from_outside,
            do.Leave: self.leave,
            do.Away: self.away,
            do.Back: self.back,
            do.Rename: self.rename,
            do.Configure: self.configure,
            do.Ready: self.ready,
            do.AddBot: self.add_bot,
            do.RemoveBot: self.remove_bot,
            do.Kick: self.kick,
            do.Pin: self.pin,
            do.Lock: self.lock,
            do.Invite: self.invite,
            do.Start: self.start,
            do.Fumble: self.fumble,
            do.Stir: self.stir,
            do.Say: self.say,
            do.Tick: self.tick,
            do.Wake: self.wake,
        }

    # What the phases do each in their own way

    def due(self) -> Millis | None:
        """When this phase wants a `Tick`."""
        raise NotImplementedError

    def act(self, entry: do.Act, now: Millis) -> list[Any]:
        raise NotImplementedError

    def settled_in(self, player: Player, now: Millis) -> list[Any]:
        """What follows from somebody having sat down; may raise `Illegal`."""
        raise NotImplementedError

    def given_up(self, player: Player, now: Millis) -> list[Any]:
        """What follows from somebody not coming back."""
        raise NotImplementedError

    def called_off(self) -> list[Any]:
        """A countdown that ends because somebody came, went or changed their mind."""
        return []

    def counted_down(self, now: Millis) -> list[Any]:
        """A countdown that begins because everybody is ready now."""
        return []

    def happens(self, now: Millis) -> list[Any]:
        """What is due by now, besides places that are kept no longer."""
        raise NotImplementedError

    def finish(self, now: Millis) -> list[Any]:
        """If a match has come to its end: what follows."""
        return []

    def stirred(self, player: Player, now: Millis) -> list[Any]:
        """What follows from a player having done something that is no action of the game."""
        return []

    # Coming and going

    def join(self, entry: do.Join, now: Millis) -> list[Any]:
        self.lobby.check_seat(self.roster)
        if self.roster.of_visitor(entry.visitor) is not None:
            raise Illegal("already-here", "You sit at this table already.")
        self.check_not_banned(entry.visitor, entry.address)
        self.lobby.check_newcomer(self.roster, entry.address)
        name = self.lobby.good_name(entry.name)
        name = self.roster.free_name(name, longest=self.lobby.longest_name)
        player = self.table.new_player(name, entry.visitor, entry.resumable)
        player.wire, player.address, player.language = entry.wire, entry.address, entry.language
        happened = self.seat(player, now)
        self.table.visited()
        # Who has nothing to say about being ready may be the last one waited for.
        return self.table.settle(happened + self.table.phase.counted_down(now), now)

    def seat_from_outside(self, entry: do.Seat, now: Millis) -> list[Any]:
        self.table.check_may_run(entry.place)
        visitor = self.lobby.outsider(entry.who)
        happened = self.join(do.Join(visitor, entry.name, resumable=True), now)
        player = self.roster.of_visitor(visitor)
        assert player is not None, "they have just sat down"
        return happened + self.table.phase.away(do.Away(player.place), now)

    def check_not_banned(self, *marks: str | None) -> None:
        """Refuse who was put out for good, by any mark they can be known by."""
        if any(mark and mark in self.roster.banned for mark in marks):
            raise Illegal("banned", "You were put out of this table.")

    def seat(self, player: Player, now: Millis) -> list[Any]:
        """Let a new player sit down; refused by the rules, they never have."""
        try:
            follows = self.settled_in(player, now)
        except Illegal:
            self.table.take_back(player)
            raise
        return [tell.Sat(player.place), *self.called_off(), *follows]

    def leave(self, entry: do.Leave, now: Millis) -> list[Any]:
        player = self.table.player(entry.place)
        player.present = False
        player.until = None
        return self.table.settle(self.given_up(player, now), now)

    def away(self, entry: do.Away, now: Millis) -> list[Any]:
        player = self.table.player(entry.place)
        if not player.resumable:
            return self.leave(do.Leave(entry.place), now)
        player.present = False
        keep = self.lobby.keep_for(self.roster)
        if not self.table.played:
            keep = min(keep, NEW_TABLE_GRACE)
        player.until = now + keep
        return self.table.settle(self.went_away(player, now), now, lobby=False)

    def went_away(self, player: Player, now: Millis) -> list[Any]:
        return [tell.WentAway(player.place), *self.called_off()]

    def back(self, entry: do.Back, now: Millis) -> list[Any]:
        player = self.table.player(entry.place)
        self.check_not_banned(player.visitor, player.key)
        player.present = True
        player.resumable = True
        player.until = None
        happened = self.came_back(player, now) + self.counted_down(now)
        return self.table.settle(happened, now, lobby=False)

    def came_back(self, player: Player, now: Millis) -> list[Any]:
        player.gone = False
        return [tell.CameBack(player.place)]

    def wake(self, entry: do.Wake, now: Millis) -> list[Any]:
        happened: list[Any] = []
        for player in list(self.roster.people):
            if player.present and not self.table.closed:
                happened += self.table.phase.away(do.Away(player.place), now)
            if player.until is not None:
                player.until = max(player.until, now + WAKE_GRACE)
        # How the lobby looks is said once, when all are away.
        told = [event for event in happened if type(event) is not tell.LobbyChanged]
        if len(told) < len(happened) and not (self.table.closed or self.roster.running):
            told.append(tell.LobbyChanged())
        return told

    def kick(self, entry: do.Kick, now: Millis) -> list[Any]:
        self.table.check_may_run(entry.place)
        player = self.table.player(entry.who)
        if entry.ban and player.visitor is not None:
            marks = [mark for mark in (player.visitor, player.key, player.address) if mark]
            self.roster.banned = [*self.roster.banned, *marks][-MOST_BANNED:]
        kicked = tell.Kicked(
            player.place, player.id, player.name, "kicked", "The host has put you out."
        )
        player.present = False
        player.until = None
        return self.table.settle([kicked, *self.given_up(player, now)], now)

    def tick(self, entry: do.Tick, now: Millis) -> list[Any]:
        due = self.table.due()
        if due is None or due > now:
            raise Illegal("nothing-due", "Nothing is due yet.")
        happened: list[Any] = self.happens_in_match(now)
        lobby = False
        for player in list(self.roster.players):
            if player.until is not None and player.until <= now:
                player.until = None
                happened += self.given_up(player, now)
                lobby = True
        happened += self.happens(now)
        return self.table.settle(happened, now, lobby=lobby)

    def happens_in_match(self, now: Millis) -> list[Any]:
        return []

    # The lobby's business

    def rename(self, entry: do.Rename, now: Millis) -> list[Any]:
        player = self.table.player(entry.place)
        self.check_between_matches(self.lobby.open_seats)
        name = self.lobby.new_name(self.roster, player, entry.name)
        player.name = name
        happened = [tell.Renamed(player.place, name), *self.stirred(player, now)]
        return self.table.settle(happened, now)

    def configure(self, entry: do.Configure, now: Millis) -> list[Any]:
        game, roster = self.table.game, self.roster
        self.table.check_may_run(entry.place)
        self.check_between_matches()
        patch = self.lobby.changes(roster.settings, entry.settings, len(roster.players))
        settings = game.configure(roster.settings, patch)
        least, most = game.seats(settings)
        if most < len(roster.players):
            raise Illegal("too-many", "More people sit here than these settings have seats for.")
        roster.settings = settings
        roster.min_seats, roster.max_seats = least, most
        return self.table.settle([tell.Configured(settings)], now)

    def pin(self, entry: do.Pin, now: Millis) -> list[Any]:
        self.table.check_may_run(entry.place)
        # What is played with is what everybody has been shown.
        self.check_between_matches()
        self.table.pin(entry.content)
        return self.table.settle([tell.Pinned()], now)

    def lock(self, entry: do.Lock, now: Millis) -> list[Any]:
        self.table.check_may_run(entry.place)
        self.roster.locked = entry.locked
        return self.table.settle([], now)

    def ready(self, entry: do.Ready, now: Millis) -> list[Any]:
        player = self.table.player(entry.place)
        self.check_between_matches()
        self.lobby.check_ready()
        self.table.usual_span = entry.span
        if player.ready == entry.ready:
            # Repeating it must not restart a countdown under way.
            return self.table.settle([tell.Readied(player.place, entry.ready)], now)
        player.ready = entry.ready
        happened: list[Any] = [tell.Readied(player.place, entry.ready), *self.called_off()]
        return self.table.settle(happened + self.counted_down(now), now)

    def add_bot(self, entry: do.AddBot, now: Millis) -> list[Any]:
        self.table.check_may_run(entry.place)
        bots = self.table.game.bots
        if bots is None:
            raise Illegal("no-bots", "This game has no computer players.")
        self.check_between_matches(self.lobby.open_seats)
        self.lobby.check_seat(self.roster)
        names = self.lobby.bot_names(self.roster.settings, bots.names)
        player = self.table.new_player(self.table.bot_name(names), None, False)
        happened = self.seat(player, now)
        return self.table.settle(happened + self.counted_down(now), now)

    def remove_bot(self, entry: do.RemoveBot, now: Millis) -> list[Any]:
        self.table.check_may_run(entry.place)
        self.check_between_matches(self.lobby.open_seats)
        bots = [b for b in self.roster.bots if entry.bot in (None, b.place, b.id)]
        if not bots:
            raise Illegal("no-bot", "There is no computer player to send away.")
        return self.table.settle(self.given_up(bots[-1], now), now)

    def invite(self, entry: do.Invite, now: Millis) -> list[Any]:
        self.table.player(entry.place)
        invited = [v for v in self.roster.invited if v != entry.visitor]
        self.roster.invited = [*invited, entry.visitor][-MOST_INVITED:]
        return []

    def start(self, entry: do.Start, now: Millis) -> list[Any]:
        self.table.check_may_run(entry.place)
        self.check_between_matches()
        self.lobby.check_start(self.roster)
        return self.table.settle(self.table.deal(now), now)

    def fumble(self, entry: do.Fumble, now: Millis) -> list[Any]:
        raise Illegal("no-round", "No round is running.")

    def stir(self, entry: do.Stir, now: Millis) -> list[Any]:
        player = self.table.player(entry.place)
        return self.table.settle(self.stirred(player, now), now, lobby=False)

    def say(self, entry: do.Say, now: Millis) -> list[Any]:
        player = self.table.player(entry.place)
        text = self.lobby.words(self.roster, entry.text)
        self.lobby.check_pace(player.said, now)
        player.said = (*player.said, now)[-MOST_REMEMBERED:]
        return [tell.Said(player.place, text, now), *self.stirred(player, now)]

    def check_between_matches(self, at_any_time: bool = False) -> None:
        """Refuse what has to wait for the end of a match."""


class Waiting(Phase):
    """No match runs: people gather, change the settings, and start one."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.again_at: Millis | None = None
        """When the next match begins by itself after the last."""

    def due(self) -> Millis | None:
        return sooner(self.roster.countdown, self.again_at)

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
        span = self.lobby.countdown(self.roster, self.table.usual_span)
        if span is None:
            return []
        self.roster.countdown = now + span
        return [tell.CountdownSet(now + span, span)]

    def happens(self, now: Millis) -> list[Any]:
        if self.roster.countdown is not None and self.roster.countdown <= now:
            return self.deal_by_itself(now)
        if self.again_at is not None and self.again_at <= now:
            self.again_at = None
            if len(self.roster.players) >= self.roster.min_seats:
                return self.deal_by_itself(now)
        return []

    def deal_by_itself(self, now: Millis) -> list[Any]:
        """Time can't be refused: where the rules will not deal, all are told why."""
        try:
            return self.table.deal(now)
        except Illegal as no:
            return [*self.called_off(), tell.NotDealt(no.code, no.sentence)]


class Playing(Phase):
    """A match is under way."""

    def __init__(self, table: Table, match: Match[Any, Any], rng: Rng) -> None:
        super().__init__(table)
        self.match = match
        self.rng = rng

    def due(self) -> Millis | None:
        return self.match.due()

    def act(self, entry: do.Act, now: Millis) -> list[Any]:
        seat = self.seat_of(entry.place)
        action = entry.action
        if type(action) is list:
            action = do.unpack(action, self.table.action_types)
        happened = self.told(self.match.apply(seat, action, self.rng, now))
        self.table.played = True
        if self.match.outcome() is not None:
            return self.table.settle(happened, now)
        return happened

    def fumble(self, entry: do.Fumble, now: Millis) -> list[Any]:
        seat = self.seat_of(entry.place)
        return self.table.settle(self.told(self.match.fumble(seat, self.rng, now)), now)

    def stirred(self, player: Player, now: Millis) -> list[Any]:
        if player.seat is None:
            return []
        return self.told(self.match.stirred(player.seat, self.rng, now))

    def settled_in(self, player: Player, now: Millis) -> list[Any]:
        joined = self.match.join(player.id, not player.human, self.rng, now)
        # After `join`, which may refuse: a refusal must leave no trace.
        player.seat = len(self.roster.seating)
        self.roster.seating.append(player)
        return self.told(joined)

    def given_up(self, player: Player, now: Millis) -> list[Any]:
        """Out of the running: off the table after the match, or now if seats are open."""
        if not self.lobby.open_seats or player.seat is None:
            return self.drop_out(player, now)
        self.roster.players.remove(player)
        happened: list[Any] = [tell.Left(player.place, player.id, player.name)]
        happened += self.told(self.match.leave(player.seat, self.rng, now))
        return happened + self.abandoned(now)

    def went_away(self, player: Player, now: Millis) -> list[Any]:
        happened = super().went_away(player, now)
        return happened + self.drop_out(player, now) if self.lobby.hears_at_once else happened

    def came_back(self, player: Player, now: Millis) -> list[Any]:
        was_gone = player.gone
        happened = super().came_back(player, now)
        if was_gone and player.seat is not None:
            happened += self.told(self.match.back(player.seat, self.rng, now))
        return happened

    def drop_out(self, player: Player, now: Millis) -> list[Any]:
        """The rules hear that somebody is not there; their seat stays theirs."""
        if player.seat is None:
            return []
        happened: list[Any] = []
        if not player.gone:
            player.gone = True
            happened.append(tell.DroppedOut(player.place))
            happened += self.told(self.match.gone(player.seat, self.rng, now))
        return happened + self.abandoned(now)

    def abandoned(self, now: Millis) -> list[Any]:
        """Nobody is left who could come back: the rules end the match."""
        people = [p for p in self.roster.people if p.seat is not None]
        if self.match.outcome() is None and all(p.gone and p.until is None for p in people):
            return self.told(self.match.abandon(self.rng, now))
        return []

    def happens_in_match(self, now: Millis) -> list[Any]:
        due = self.match.due()
        if due is None or due > now:
            return []
        return self.told(self.match.tick(self.rng, now))

    def happens(self, now: Millis) -> list[Any]:
        return []

    def check_between_matches(self, at_any_time: bool = False) -> None:
        if not at_any_time:
            raise Illegal("round-running", "That has to wait: a round is running.")

    def finish(self, now: Millis) -> list[Any]:
        outcome = self.lobby.outcome(self.match, self.roster)
        if outcome is None:
            return []
        rest = self.lobby.rest(self.match)
        self.table.wait(None if rest is None else now + rest)
        happened: list[Any] = [tell.Finished(outcome, rest)]
        for player in list(self.roster.players):
            player.ready = False
            if player.gone:
                self.roster.players.remove(player)
                happened.append(tell.Left(player.place, player.id, player.name))
            elif player.until is not None:
                player.until = min(player.until, now + self.lobby.keep_after_match(self.roster))
        # Perhaps nobody has to be asked.
        return happened + self.table.phase.counted_down(now)

    def seat_of(self, place: int) -> int:
        seat = self.table.player(place).seat
        if seat is None:
            raise Illegal("no-round", "No round is running.")
        return seat

    def told(self, of_match: list[Any]) -> list[Any]:
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

    def put_out(self, of_match: list[Any]) -> list[Any]:
        """Rules put somebody out: in place of that event, what it means at the table."""
        happened: list[Any] = []
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


def sooner(one: Millis | None, other: Millis | None) -> Millis | None:
    """The earlier of two moments, either of which may never come."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)
