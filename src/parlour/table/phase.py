"""Inputs that both phases handle: people come, go, come back and talk.

A table is `Waiting` (`waiting.py`) or `Playing` (`playing.py`); each takes the same inputs in its
own way. What games decide is in the parts of their lobby (`lobby.py`). Inputs that need no phase of
their own are taken by `queue.py` and `management.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

from parlour.kit import Illegal, Millis
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.queue import QUEUE_GRACE
from parlour.table.roster import Player
from parlour.table.steps import Steps

if TYPE_CHECKING:
    from parlour.table.table import Table

WAKE_GRACE: Millis = 120_000
"""How long people have to come back after the server was restarted."""
NEW_TABLE_GRACE: Millis = 10 * 60_000
"""How long a place is kept at most at a table where nobody has played yet."""
MOST_REMEMBERED = 10
"""How many moments are remembered at which a player spoke."""
MOST_SPOKEN = 50
"""How many messages are kept for people who come later."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Phase(Steps):
    """The part that both phases share."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.steps |= table.queue.steps | table.management.steps

    # Differences between the two phases

    def due(self) -> Millis | None:
        """When this phase wants a `Tick`."""
        raise NotImplementedError

    def act(self, entry: do.Act, now: Millis) -> tell.Happened:
        raise NotImplementedError

    def settled_in(self, player: Player, now: Millis) -> tell.Happened:
        """Called after somebody has sat down; may raise `Illegal`."""
        raise NotImplementedError

    def given_up(self, player: Player, now: Millis) -> tell.Happened:
        """Called when somebody does not come back."""
        raise NotImplementedError

    def called_off(self) -> tell.Happened:
        """A countdown that ends because somebody came, went or changed their mind."""
        return []

    def counted_down(self, now: Millis) -> tell.Happened:
        """A countdown that begins because everybody is ready now."""
        return []

    def happens(self, now: Millis) -> tell.Happened:
        """Do what is due by now, except for seats that are kept no longer."""
        raise NotImplementedError

    def finish(self, now: Millis) -> tell.Happened:
        """If a match has come to its end: what follows."""
        return []

    def stirred(self, player: Player, now: Millis) -> tell.Happened:
        """Called when a player has done something that is not an action of the game."""
        return []

    # Coming and going

    def join(self, entry: do.Join, now: Millis) -> tell.Happened:
        lobby = self.lobby
        lobby.seating.check(self.roster)
        lobby.entry.check_newcomer(self.roster, entry.visitor, entry.address)
        name = lobby.names.good(entry.name)
        name = self.roster.free_name(name, longest=lobby.names.longest)
        player = self.table.new_player(name, entry.visitor, entry.resumable)
        player.wire, player.address, player.language = entry.wire, entry.address, entry.language
        happened = self.seat_player(player, now)
        self.table.visited()
        # A newcomer who need not say that they are ready may complete the table.
        return self.table.settle(happened + self.table.phase.counted_down(now), now)

    def seat(self, entry: do.Seat, now: Millis) -> tell.Happened:
        self.table.check_may_run(entry.place)
        visitor = self.lobby.seating.outsider(entry.who)
        happened = self.join(do.Join(visitor, entry.name, resumable=True), now)
        player = self.roster.of_visitor(visitor)
        assert player is not None, "they have just sat down"
        return happened + self.table.phase.away(do.Away(player.place), now)

    def seat_player(self, player: Player, now: Millis) -> tell.Happened:
        """Let a new player sit down; refused by the rules, they never have."""
        try:
            follows = self.settled_in(player, now)
        except Illegal:
            self.table.take_back(player)
            raise
        return [tell.Sat(player.place), *self.called_off(), *follows]

    def leave(self, entry: do.Leave, now: Millis) -> tell.Happened:
        player = self.table.player(entry.place)
        return self.table.settle(self.departed(player, "left", now), now)

    def departed(self, player: Player, why: tell.Departure, now: Millis) -> tell.Happened:
        """Somebody is not coming back."""
        player.present = False
        player.until = player.missed_at = None
        departed = tell.Departed(player.place, player.id, player.name, why)
        return [departed, *self.given_up(player, now)]

    def away(self, entry: do.Away, now: Millis) -> tell.Happened:
        player = self.table.player(entry.place)
        if not player.resumable:
            return self.leave(do.Leave(entry.place), now)
        player.present = False
        player.against = ()
        kept = self.lobby.seating.kept(self.roster, player)
        keep = kept.playing if self.roster.running else kept.waiting
        if not self.table.played:
            keep = min(keep, NEW_TABLE_GRACE)
        player.until = now + keep
        return self.table.settle(self.went_away(player, now), now, lobby=False)

    def went_away(self, player: Player, now: Millis) -> tell.Happened:
        return [tell.WentAway(player.place), *self.called_off()]

    def back(self, entry: do.Back, now: Millis) -> tell.Happened:
        player = self.table.player(entry.place)
        self.roster.check_not_banned(player.visitor, player.key)
        player.present = True
        player.resumable = True
        player.wire = entry.wire or player.wire
        player.until = player.missed_at = None
        player.against = ()
        happened = self.came_back(player, now) + self.counted_down(now)
        return self.table.settle(happened, now, lobby=False)

    def came_back(self, player: Player, now: Millis) -> tell.Happened:
        player.gone = player.stand_in = False
        return [tell.CameBack(player.place)]

    def wake(self, entry: do.Wake, now: Millis) -> tell.Happened:
        happened: tell.Happened = []
        for player in list(self.roster.people):
            if player.present and not self.table.closed:
                happened += self.table.phase.away(do.Away(player.place), now)
            if player.until is not None:
                player.until = max(player.until, now + WAKE_GRACE)
        for waiter in self.roster.queue:
            waiter.until = now + QUEUE_GRACE
        # One message about the lobby is enough, after the last of them.
        told = [event for event in happened if type(event) is not tell.LobbyChanged]
        if len(told) < len(happened) and not (self.table.closed or self.roster.running):
            told.append(tell.LobbyChanged())
        return told

    def thrown_out(self, player: Player, reason: str, sentence: str, now: Millis) -> tell.Happened:
        player.present = False
        player.until = player.missed_at = None
        kicked = tell.Kicked(player.place, player.id, player.name, reason, sentence)
        return [kicked, *self.given_up(player, now)]

    def tick(self, entry: do.Tick, now: Millis) -> tell.Happened:
        due = self.table.due()
        if due is None or due > now:
            raise Illegal("nothing-due", "Nothing is due yet.")
        happened: tell.Happened = self.happens_in_match(now)
        lobby = False
        for player in list(self.roster.players):
            if player.until is not None and player.until <= now:
                happened += self.departed(player, "expired", now)
                lobby = True
        happened += self.table.queue.expire(now)
        happened += self.happens(now)
        return self.table.settle(happened, now, lobby=lobby)

    def happens_in_match(self, now: Millis) -> tell.Happened:
        return []

    # Names, readiness and talk

    def rename(self, entry: do.Rename, now: Millis) -> tell.Happened:
        player = self.table.player(entry.place)
        self.check_between_matches(self.lobby.seating.open)
        name = self.lobby.names.renamed(self.roster, player, entry.name)
        player.name = name
        happened = [tell.Renamed(player.place, name), *self.stirred(player, now)]
        return self.table.settle(happened, now)

    def ready(self, entry: do.Ready, now: Millis) -> tell.Happened:
        player = self.table.player(entry.place)
        self.check_between_matches()
        if not self.lobby.start.ready_up:
            raise Illegal("no-ready", "This game starts without a show of hands.")
        self.table.usual_span = entry.span
        if player.ready == entry.ready:
            # Repeating it must not restart a countdown under way.
            return self.table.settle([tell.Readied(player.place, entry.ready)], now)
        player.ready = entry.ready
        happened: tell.Happened = [tell.Readied(player.place, entry.ready), *self.called_off()]
        return self.table.settle(happened + self.counted_down(now), now)

    def stand_in(self, player: Player, strength: str, now: Millis) -> tell.Happened:
        """Let a computer player act for somebody who is away."""
        raise Illegal("no-round", "No round is running.")

    def fumble(self, entry: do.Fumble, now: Millis) -> tell.Happened:
        raise Illegal("no-round", "No round is running.")

    def stir(self, entry: do.Stir, now: Millis) -> tell.Happened:
        player = self.table.player(entry.place)
        return self.table.settle(self.stirred(player, now), now, lobby=False)

    def spend(self, entry: do.Spend, now: Millis) -> tell.Happened:
        raise Illegal("no-round", "No round is running.")

    def nonce(self, entry: do.Nonce, now: Millis) -> tell.Happened:
        self.table.player(entry.place)
        self.table.take_nonce(entry)
        return []

    def seal(self, entry: do.Seal, now: Millis) -> tell.Happened:
        table, over = self.table, self.roster.matches_over
        if self.roster.running or over == table.sealed:
            return []
        table.sealed = over
        return [tell.Sealed(table.match_name(over), entry.head)]

    def say(self, entry: do.Say, now: Millis) -> tell.Happened:
        player = self.table.player(entry.place)
        text = self.lobby.talk.words(self.roster, entry.text, player.said, now)
        player.said = (*player.said, now)[-MOST_REMEMBERED:]
        self.table.spoken = [*self.table.spoken, (player.name, text, now)][-MOST_SPOKEN:]
        return [tell.Said(player.place, text, now), *self.stirred(player, now)]

    def check_between_matches(self, at_any_time: bool = False) -> None:
        """Refuse what has to wait for the end of a match."""


def sooner(one: Millis | None, other: Millis | None) -> Millis | None:
    """The earlier of two moments, either of which may never come."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)
