"""The queue for a seat: people who watch and want to play."""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from parlour.kit import Illegal, Millis
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.roster import Waiter
from parlour.table.steps import Steps

OFFER: Millis = 30_000
"""How long a seat is kept for somebody from the queue."""
QUEUE_GRACE: Millis = 60_000
"""How long the place in the queue is kept of somebody whose connection is lost."""
MOST_QUEUED = 20


@mypyc_attr(allow_interpreted_subclasses=True)
class Queue(Steps):
    """Lets people into a table's queue, and from there to its seats."""

    def queue(self, entry: do.Queue, now: Millis) -> tell.Happened:
        waiter = self.roster.waiter(entry.visitor)
        if waiter is not None:
            waiter.until = None
            return [tell.QueueChanged()]
        if self.lobby.solo:
            raise Illegal("no-queue", "This is a game for one.")
        self.lobby.entry.check_newcomer(self.roster, entry.visitor, entry.address)
        if len(self.roster.queue) >= MOST_QUEUED:
            raise Illegal("queue-full", "Enough people wait for a seat here already.")
        name = self.lobby.names.good(entry.name)
        self.roster.queue.append(
            Waiter(entry.visitor, name, entry.wire, entry.address, entry.language)
        )
        return [tell.QueueChanged()]

    def unqueue(self, entry: do.Unqueue, now: Millis) -> tell.Happened:
        self.roster.queue.remove(self.waiting(entry.visitor))
        return self.table.settle([tell.QueueChanged()], now, lobby=False)

    def queue_away(self, entry: do.QueueAway, now: Millis) -> tell.Happened:
        self.waiting(entry.visitor).until = now + QUEUE_GRACE
        return [tell.QueueChanged()]

    def waiting(self, visitor: str) -> Waiter:
        waiter = self.roster.waiter(visitor)
        if waiter is None:
            raise Illegal("not-waiting", "You do not wait for a seat here.")
        return waiter

    def expire(self, now: Millis) -> tell.Happened:
        """Drop people who were away for too long."""
        left = [w for w in self.roster.queue if w.until is None or w.until > now]
        if len(left) == len(self.roster.queue):
            return []
        self.roster.queue = left
        return [tell.QueueChanged()]

    def seat_next(self, now: Millis) -> tell.Happened:
        """Give free seats to those who wait, in their order.

        They are away until they come to the table; if they do not, the next in line is asked.
        """
        happened: tell.Happened = []
        for waiter in [w for w in self.roster.queue if w.until is None]:
            try:
                self.lobby.seating.check(self.roster)
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
                # They may have been put out since. If they ask again, they are told why not.
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
