"""Connections that stay open while their table moves to another owner.

The old owner may have been killed at any moment: after a commit and before anybody was told of it,
or when only some were. A gateway knows the last entry that its connections were told of. Everything
after that is sent again from the log, by the same fold, the same views and the same wires.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from typing import Final

from parlour.bus import ConnectionId, Here, JoinRequest, Member, Rejoined, RejoinRequest
from parlour.house.audience import Attachment, Audience
from parlour.house.folding import fold
from parlour.house.journal import SERVICE_RESTART, Farewell, Journal, Letter
from parlour.house.library import Library
from parlour.house.live import LiveTable
from parlour.kit import Illegal
from parlour.store import LogEntry
from parlour.table import Player
from parlour.table import inputs as do

TRIES: Final = 5
"""How often the log is read again because the table has changed meanwhile."""


async def rejoin(
    live: LiveTable, journal: Journal, library: Library, request: RejoinRequest
) -> Rejoined:
    """Take up a gateway's connections, and tell them what they have missed."""
    mine = await _told_again(live, journal, library, request)
    if mine is None:
        # Greet them again. Inputs that they sent last may be part of that state or not.
        mine = _attachments(live, request.members)
        for attachment in mine:
            journal.say([_here(live, attachment, done=True)])
            live.greet(attachment)
    here = _connections(live)
    farewell = Farewell(SERVICE_RESTART, "the table has moved")
    gone = [m.request.connection for m in request.members if m.request.connection not in here]
    journal.say([([connection], farewell) for connection in gone])
    for attachment in mine:
        player = live.audience.player(attachment)
        if player is not None and not player.present:
            try:
                live.receive(do.Back(player.place))
            except Illegal:  # a fault, and dealt with already
                break
    return Rejoined()


async def _told_again(
    live: LiveTable, journal: Journal, library: Library, request: RejoinRequest
) -> list[Attachment] | None:
    """Take them up, and tell them what came after their version; None: the log can't say."""
    version = request.version
    for _ in range(TRIES):
        await journal.kept(None)
        entries = await journal.store.entries(live.roster.id)
        if live.table.version != entries[-1].seq:
            continue
        inputs = [do.decode(entry.data) for entry in entries]
        if any(isinstance(put, do.Spend) for put in inputs):
            # The log was condensed, perhaps since: the gateway may know other numbers.
            return None
        mine = _attachments(live, request.members)
        letters = await _missed(live, library, entries, version, mine)
        # If the link was broken, they may have been taken up meanwhile by an earlier request.
        taken = any(attachment.connection in _connections(live) for attachment in mine)
        if live.table.version == entries[-1].seq and not taken:
            for attachment in mine:
                live.attach(attachment)
            done = _places(inputs[version + 1 :])
            # In one call: whoever receives `Here` also receives what it had missed.
            journal.say([*[_here(live, a, done=a.place in done) for a in mine], *letters])
            return mine
    return None


def _here(live: LiveTable, attachment: Attachment, *, done: bool) -> Letter:
    here = Here(attachment.connection, live.roster.id, live.table.version, done)
    return [attachment.connection], here


def _connections(live: LiveTable) -> set[ConnectionId]:
    return {attachment.connection for attachment in live.audience.attachments}


def _attachments(live: LiveTable, members: Sequence[Member]) -> list[Attachment]:
    """The connections as they were, without those that are here already, and those whose players
    are not at the table any more."""
    mine: list[Attachment] = []
    here = _connections(live)
    for member in members:
        request = member.request
        if request.connection in here:
            continue
        if member.place is not None:
            player = live.roster.at(member.place)
            if player is None or not _proves(request, player):
                continue
        else:
            player = live.roster.of_visitor(request.visitor)
        visitor = request.visitor if player is None else player.visitor or request.visitor
        place = None if player is None else player.place
        mine.append(Attachment(request, live.game.wire(request.wire), visitor, place))
    return mine


def _proves(request: JoinRequest, player: Player) -> bool:
    """Whether this is its player. A place whose `Join` was never committed may be given again."""
    claim = request.seek.claim
    if claim is not None and secrets.compare_digest(claim.encode(), player.key.encode()):
        return True
    return player.visitor == request.visitor


async def _missed(
    live: LiveTable,
    library: Library,
    entries: Sequence[LogEntry],
    version: int,
    attachments: Iterable[Attachment],
) -> list[Letter]:
    """The letters for these connections after this version."""
    if version >= entries[-1].seq:
        return []
    table = await fold(live.game, library, live.roster.id, entries[: version + 1])
    now = entries[version].at
    audience = Audience(table, lambda: now)
    for attachment in attachments:
        audience.attach(attachment)
    letters: list[Letter] = []
    for entry in entries[version + 1 :]:
        put, now = do.decode(entry.data), entry.at
        await library.fetch_pinned(put)
        letters += audience.tell(table.receive(put, now))
    return letters


def _places(inputs: Iterable[do.Input]) -> set[int]:
    """The places that made these inputs, without inputs that the house makes by itself."""
    sent = (put for put in inputs if not isinstance(put, do.Away | do.Back))
    return {place for put in sent if (place := getattr(put, "place", -1)) >= 0}
