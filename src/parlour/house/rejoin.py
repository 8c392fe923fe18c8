"""Connections that stay open while their table moves to another owner.

The old owner may have been killed at any moment: after a commit and before anybody was told of it,
or when only some were. A gateway knows the last entry that its connections were told of. Everything
after that is sent again from the log, by the same fold, the same views and the same wires.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence

from parlour.bus import ConnectionId, Here, JoinRequest, Member, Rejoined, RejoinRequest
from parlour.house.audience import Attachment
from parlour.house.journal import SERVICE_RESTART, Farewell, Letter
from parlour.house.live import LiveTable
from parlour.house.missed import told_since
from parlour.house.services import Services
from parlour.kit import Illegal
from parlour.table import Player
from parlour.table import inputs as do


async def rejoin(live: LiveTable, services: Services, request: RejoinRequest) -> Rejoined:
    """Take up a gateway's connections, and tell them what they have missed."""
    journal = services.journal
    mine = await _told_again(live, services, request)
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
    live: LiveTable, services: Services, request: RejoinRequest
) -> list[Attachment] | None:
    """Take them up, and tell them what came after their version; None: the log can't say."""
    while True:
        mine = _attachments(live, request.members)
        missed = await told_since(live, services, request.version, mine)
        if missed is None:
            return None
        # If the link was broken, they may have been taken up meanwhile by an earlier request.
        if not any(attachment.connection in _connections(live) for attachment in mine):
            for attachment in mine:
                live.attach(attachment)
            done = _places(missed.inputs)
            # In one call: whoever receives `Here` also receives what it had missed.
            here = [_here(live, attachment, done=attachment.place in done) for attachment in mine]
            services.journal.say([*here, *missed.letters])
            return mine


def _here(live: LiveTable, attachment: Attachment, *, done: bool) -> Letter:
    here = Here(attachment.connection, live.roster.id, live.table.version, done)
    return [attachment.connection], here


def _connections(live: LiveTable) -> set[ConnectionId]:
    return {attachment.connection for attachment in live.audience.attachments}


def _attachments(live: LiveTable, members: Sequence[Member]) -> list[Attachment]:
    """The connections as they were, without those that are here already, and those whose players
    have left the table."""
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


def _places(inputs: Iterable[do.Input]) -> set[int]:
    """The places that made these inputs, without inputs that the house makes by itself."""
    sent = (put for put in inputs if not isinstance(put, do.Away | do.Back))
    return {place for put in sent if (place := getattr(put, "place", -1)) >= 0}
