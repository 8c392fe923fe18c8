"""What happens at a table whatever it is doing: people come, go, come back and talk.

A table is `Waiting` (`waiting.py`) or `Playing` (`playing.py`); each takes the same inputs in its
own way. How a lobby behaves is the game's policy (`lobby.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from parlour.kit import Illegal, Millis
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.lobby import OpenLobby
from parlour.table.roster import Player, Roster, Waiter

if TYPE_CHECKING:
    from parlour.table.table import Table

WAKE_GRACE: Millis = 120_000
"""How long everybody has to come back after the house was shut."""
NEW_TABLE_GRACE: Millis = 10 * 60_000
"""How long a place is kept at most at a table where nobody has played yet."""
OFFER: Millis = 30_000
"""How long a seat is kept for somebody from the queue."""
QUEUE_GRACE: Millis = 60_000
"""How long the place in the queue is kept of somebody whose connection is lost."""
MOST_QUEUED = 20
MOST_INVITED = 50
MOST_BANNED = 200
MOST_REMEMBERED = 10
"""Of the moments at which somebody spoke."""
MOST_SPOKEN = 50
"""Of what was said, for those who come later."""

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
            do.Queue: self.queue,
            do.Unqueue: self.unqueue,
            do.QueueAway: self.queue_away,
            do.Leave: self.leave,
            do.Away: self.away,
            do.Back: self.back,
            do.Rename: self.rename,
            do.Configure: self.configure,
            do.Target: self.target,
            do.Ready: self.ready,
            do.AddBot: self.add_bot,
            do.RemoveBot: self.remove_bot,
            do.Kick: self.kick,
            do.VoteOut: self.vote_out,
            do.Pin: self.pin,
            do.Share: self.share,
            do.Lock: self.lock,
            do.Invite: self.invite,
            do.Start: self.start,
            do.Fumble: self.fumble,
            do.Stir: self.stir,
            do.Spend: self.spend,
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

    # The queue for a seat

    def queue(self, entry: do.Queue, now: Millis) -> list[Any]:
        waiter = self.roster.waiter(entry.visitor)
        if waiter is not None:
            waiter.until = None
            return [tell.QueueChanged()]
        self.lobby.check_queue(self.roster)
        if self.roster.of_visitor(entry.visitor) is not None:
            raise Illegal("already-here", "You sit at this table already.")
        self.check_not_banned(entry.visitor, entry.address)
        self.lobby.check_newcomer(self.roster, entry.address)
        if len(self.roster.queue) >= MOST_QUEUED:
            raise Illegal("queue-full", "Enough people wait for a seat here already.")
        name = self.lobby.good_name(entry.name)
        self.roster.queue.append(
            Waiter(entry.visitor, name, entry.wire, entry.address, entry.language)
        )
        return [tell.QueueChanged()]

    def unqueue(self, entry: do.Unqueue, now: Millis) -> list[Any]:
        self.roster.queue.remove(self.waiting(entry.visitor))
        return self.table.settle([tell.QueueChanged()], now, lobby=False)

    def queue_away(self, entry: do.QueueAway, now: Millis) -> list[Any]:
        self.waiting(entry.visitor).until = now + QUEUE_GRACE
        return [tell.QueueChanged()]

    def waiting(self, visitor: str) -> Waiter:
        waiter = self.roster.waiter(visitor)
        if waiter is None:
            raise Illegal("not-waiting", "You do not wait for a seat here.")
        return waiter

    def seat_from_queue(self, now: Millis) -> list[Any]:
        """Give free seats to those who wait, in their order.

        They are away until they come to the table; if they do not, the next in line is asked.
        """
        happened: list[Any] = []
        for waiter in [w for w in self.roster.queue if w.until is None]:
            try:
                self.lobby.check_seat(self.roster)
            except Illegal:
                break
            join = do.Join(
                waiter.visitor,
                waiter.name,
                resumable=True,
                wire=waiter.wire,
                address=waiter.address,
                language=waiter.language,
            )
            try:
                sat = self.table.phase.join(join, now)
            except Illegal:
                # Put out or locked out since, say. They may ask again, and are told why not.
                self.roster.queue.remove(waiter)
                happened.append(tell.QueueChanged())
                continue
            self.roster.queue.remove(waiter)
            happened += [*sat, tell.QueueChanged()]
            player = self.roster.of_visitor(waiter.visitor)
            if player is not None:
                happened += self.table.phase.away(do.Away(player.place), now)
                player.until = now + OFFER
        return happened

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
        return self.table.settle(self.departed(player, "left", now), now)

    def departed(self, player: Player, why: tell.Departure, now: Millis) -> list[Any]:
        """Somebody is not coming back."""
        player.present = False
        player.until = player.missed_at = None
        departed = tell.Departed(player.place, player.id, player.name, why)
        return [departed, *self.given_up(player, now)]

    def away(self, entry: do.Away, now: Millis) -> list[Any]:
        player = self.table.player(entry.place)
        if not player.resumable:
            return self.leave(do.Leave(entry.place), now)
        player.present = False
        player.against = ()
        keep = self.lobby.keep_for(self.roster, player)
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
        player.wire = entry.wire or player.wire
        player.until = player.missed_at = None
        player.against = ()
        happened = self.came_back(player, now) + self.counted_down(now)
        return self.table.settle(happened, now, lobby=False)

    def came_back(self, player: Player, now: Millis) -> list[Any]:
        player.gone = player.stand_in = False
        return [tell.CameBack(player.place)]

    def wake(self, entry: do.Wake, now: Millis) -> list[Any]:
        happened: list[Any] = []
        for player in list(self.roster.people):
            if player.present and not self.table.closed:
                happened += self.table.phase.away(do.Away(player.place), now)
            if player.until is not None:
                player.until = max(player.until, now + WAKE_GRACE)
        for waiter in self.roster.queue:
            waiter.until = now + QUEUE_GRACE
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
        reason, sentence = "kicked", "The host has put you out."
        if entry.ban:
            reason, sentence = "banned", "The host has put you out for good."
        return self.table.settle(self.thrown_out(player, reason, sentence, now), now)

    def thrown_out(self, player: Player, reason: str, sentence: str, now: Millis) -> list[Any]:
        player.present = False
        player.until = player.missed_at = None
        kicked = tell.Kicked(player.place, player.id, player.name, reason, sentence)
        return [kicked, *self.given_up(player, now)]

    def vote_out(self, entry: do.VoteOut, now: Millis) -> list[Any]:
        voter, player = self.table.player(entry.place), self.table.player(entry.who)
        needed = votes_needed(self.roster, self.lobby, voter, player)
        if needed is None:
            raise Illegal("no-vote", "There is no vote about that player at this table.")
        others = [place for place in player.against if place != voter.place]
        player.against = (*others, voter.place) if entry.out else tuple(others)
        if votes_against(self.roster, player) < needed:
            return [tell.VotesChanged()]
        if not player.present:
            return self.table.settle(self.departed(player, "voted", now), now)
        # Their address stays welcome: other players may share it.
        marks = [mark for mark in (player.visitor, player.key) if mark]
        self.roster.banned = [*self.roster.banned, *marks][-MOST_BANNED:]
        happened = self.thrown_out(player, "banned", "The others have voted you out.", now)
        return self.table.settle(happened, now)

    def tick(self, entry: do.Tick, now: Millis) -> list[Any]:
        due = self.table.due()
        if due is None or due > now:
            raise Illegal("nothing-due", "Nothing is due yet.")
        happened: list[Any] = self.happens_in_match(now)
        lobby = False
        for player in list(self.roster.players):
            if player.until is not None and player.until <= now:
                happened += self.departed(player, "expired", now)
                lobby = True
        if any(waiter.until is not None and waiter.until <= now for waiter in self.roster.queue):
            self.roster.queue = [w for w in self.roster.queue if w.until is None or w.until > now]
            happened.append(tell.QueueChanged())
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

    def target(self, entry: do.Target, now: Millis) -> list[Any]:
        self.table.check_may_run(entry.place)
        self.check_between_matches()
        self.lobby.check_target(entry.points)
        self.roster.series.target = entry.points
        return [tell.TargetSet()]

    def pin(self, entry: do.Pin, now: Millis) -> list[Any]:
        self.table.check_may_run(entry.place)
        # What is played with is what everybody has been shown.
        self.check_between_matches()
        self.table.pin(entry.content)
        return self.table.settle([tell.Pinned()], now)

    def share(self, entry: do.Share, now: Millis) -> list[Any]:
        self.table.check_may_run(entry.place)
        if entry.name not in self.roster.brought:
            raise Illegal("no-such-content", "Nobody has brought that to this table.")
        self.roster.brought[entry.name] = entry.shared
        return self.table.settle([], now)

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
        if entry.strength and entry.strength not in bots.strengths:
            offered = ", ".join(bots.strengths)
            raise Illegal("bad-strength", f"Computer players of this game are: {offered}.")
        if entry.instead is not None:
            if not self.lobby.stand_ins:
                raise Illegal("no-stand-ins", "In this game nobody plays for people who are away.")
            return self.stand_in(self.table.player(entry.instead), entry.strength, now)
        self.check_between_matches(self.lobby.open_seats)
        self.lobby.check_seat(self.roster)
        edition = self.table.opening.edition
        names = self.lobby.bot_names(self.roster.settings, bots.names, edition)
        player = self.table.new_player(self.table.bot_name(names), None, False)
        player.strength = entry.strength
        happened = self.seat(player, now)
        return self.table.settle(happened + self.counted_down(now), now)

    def stand_in(self, player: Player, strength: str, now: Millis) -> list[Any]:
        """Let a computer player act for somebody who is away."""
        raise Illegal("no-round", "No round is running.")

    def remove_bot(self, entry: do.RemoveBot, now: Millis) -> list[Any]:
        self.table.check_may_run(entry.place)
        self.check_between_matches(self.lobby.open_seats)
        bots = [b for b in self.roster.bots if entry.bot in (None, b.place, b.id)]
        if not bots:
            raise Illegal("no-bot", "There is no computer player to send away.")
        return self.table.settle(self.departed(bots[-1], "left", now), now)

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

    def spend(self, entry: do.Spend, now: Millis) -> list[Any]:
        raise Illegal("no-round", "No round is running.")

    def say(self, entry: do.Say, now: Millis) -> list[Any]:
        player = self.table.player(entry.place)
        text = self.lobby.words(self.roster, entry.text)
        self.lobby.check_pace(player.said, now)
        player.said = (*player.said, now)[-MOST_REMEMBERED:]
        self.table.spoken = [*self.table.spoken, (player.name, text, now)][-MOST_SPOKEN:]
        return [tell.Said(player.place, text, now), *self.stirred(player, now)]

    def check_between_matches(self, at_any_time: bool = False) -> None:
        """Refuse what has to wait for the end of a match."""


def votes_needed(roster: Roster, lobby: OpenLobby, voter: Player, player: Player) -> int | None:
    """How many votes it takes to go on without `player`, with `voter`'s; None: `voter` has no vote.

    More than half of the others who are here. Whoever runs the table decides alone about people who
    are away. At a table that nobody in particular runs, two or more may also vote somebody out who
    is here.
    """
    if not (voter.human and player.human) or voter is player:
        return None
    host = lobby.host(roster)
    if not player.present and voter is host:
        return 1
    if player.present and host is not None:
        return None
    others = sum(1 for p in roster.people if p.present and p is not player)
    return max(others // 2 + 1, 2 if player.present else 1)


def votes_against(roster: Roster, player: Player) -> int:
    """How many of those who are here want to go on without `player`."""
    return sum(1 for p in roster.people if p.present and p.place in player.against)


def sooner(one: Millis | None, other: Millis | None) -> Millis | None:
    """The earlier of two moments, either of which may never come."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)
