"""Ways to break the server, each of which the simulation must notice (`--broken NAME`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from parlour.bus.link import AGAIN_AFTER, Link
from parlour.games.rummy import GAME as RUMMY
from parlour.games.rummy.rules import Rummy
from parlour.house import rejoin
from parlour.house.alarm import Alarm
from parlour.house.house import House
from parlour.house.journal import Journal
from parlour.server.connection import WebSocket
from parlour.store.sqlite import SqliteStore


def told_before_the_commit() -> None:
    """Messages are sent at once, and not after their commit."""
    say = Journal.say

    def at_once(journal: Journal, *args: Any, **how: Any) -> None:
        say(journal, *args, **how)
        journal._flush(journal.store.last_ticket)

    Journal.say = at_once


def not_synced() -> None:
    """The log does not wait for the disk."""
    opened = SqliteStore._open

    def unsafe(store: SqliteStore) -> None:
        opened(store)
        store._db.execute("PRAGMA synchronous = OFF")

    SqliteStore._open = unsafe


def gaps_between_nodes() -> None:
    """A link accepts packets although one before them is missing."""
    received = Link.received

    def careless(link: Link, packet: Any, now: float) -> None:
        if packet.life == link.life and packet.number > link._last_received + 1:
            link._last_received = packet.number - 1
        received(link, packet, now)

    Link.received = careless


def nothing_sent_again() -> None:
    """A link never sends a packet again."""
    tick = Link.tick

    def once(link: Link, now: float) -> None:
        if link._waits_since is not None and now - link._waits_since > AGAIN_AFTER:
            link._waits_since = now
        tick(link, now)

    Link.tick = once


def told_again_after_a_move() -> None:
    """A connection that is taken up by a table's new node is told the last event again."""
    told_since = rejoin.told_since

    async def one_more(live: Any, services: Any, version: int, mine: Any) -> Any:
        return await told_since(live, services, max(0, version - 1), mine)

    rejoin.told_since = one_more


def everything_shown() -> None:
    """At Super Rummy everybody is shown all cards."""
    object.__setattr__(RUMMY, "view", lambda event, seat: event)


def cards_lost() -> None:
    """At Super Rummy a discarded card is gone now and then."""
    discard = Rummy._discard

    def careless(match: Rummy, *args: Any) -> Any:
        events = discard(match, *args)
        # The same card in every fold of the same log.
        if len(match.deck) % 13 == 5 and len(match.discards) > 1:
            match.discards.pop(0)
        return events

    Rummy._discard = careless


def no_alarm() -> None:
    """No deadline of a table ever comes."""
    Alarm._now = lambda alarm: None


def slow_readers_kept() -> None:
    """A connection that is not read keeps all of its messages in memory."""
    cut = WebSocket.cut

    def not_for_that(connection: WebSocket, why: str) -> None:
        if why != "slow-reader":
            cut(connection, why)

    WebSocket.cut = not_for_that


def nobody_disconnects() -> None:
    """The house forgets no connection."""
    House.disconnect = lambda house, connection: None


BREAKS: Final[dict[str, Callable[[], None]]] = {
    each.__name__: each
    for each in (
        told_before_the_commit,
        not_synced,
        gaps_between_nodes,
        nothing_sent_again,
        told_again_after_a_move,
        everything_shown,
        cards_lost,
        no_alarm,
        slow_readers_kept,
        nobody_disconnects,
    )
}
