"""From one table to another on the same connection (`MoveTo`), at this node or at another one's."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from parlour.bus import JoinRequest, Moved, Refusal, Welcome
from parlour.house.asleep import Asleep
from parlour.house.audience import Attachment
from parlour.house.index import NO_SUCH_TABLE
from parlour.house.services import Services
from parlour.kit import Illegal
from parlour.protocol import At, Seek
from parlour.table import Player

if TYPE_CHECKING:
    from parlour.house.live import LiveTable


def move(services: Services, live: LiveTable, attachment: Attachment, code: str) -> None:
    """Move a connection from its table to the one with this code. Raises `Illegal`."""
    if attachment.place is None:
        raise Illegal("watching", "You are watching, not playing.")
    if not services.hooks.may_look(attachment.request.address):
        raise Illegal("too-fast", "That was too fast: slow down.")
    if not services.loader.is_awake(code):
        services.loader.when_awake(code, partial(_moved_later, services, live, attachment, code))
        return
    try:
        target = services.index.found(code, "There is no table with that code.")
        if target.game is not live.game:
            raise Illegal(NO_SUCH_TABLE, "There is no table with that code.")
    except Illegal as no:
        if no.code != NO_SUCH_TABLE or live.roster.running:
            raise
        _move_elsewhere(services, live, attachment, code)
        return
    assert not isinstance(target, Asleep), "it is awake"
    if target is live:
        return
    if live.roster.running:
        raise Illegal("round-running", "That has to wait: a round is running.")
    player = live.audience.player(attachment)
    if player is None or player.visitor is None:
        raise Illegal("not-here", "You do not sit at this table.")
    there = Attachment(_request(attachment, player, code), attachment.wire, player.visitor)
    # Sit down there before getting up here: if it is refused, nothing has changed.
    there.place = target.newcomers.sit(there)
    live.leave(attachment)
    target.greet(there)
    roster = target.roster
    moved = Moved(there.connection, roster.id, roster.code, there.place, target.table.version)
    services.journal.say([([there.connection], moved)])


def _moved_later(
    services: Services, live: LiveTable, attachment: Attachment, code: str, why: Illegal | None
) -> None:
    """Move a connection to a table that was loaded for it."""
    try:
        if why is not None:
            raise why
        if attachment in live.audience.attachments:
            move(services, live, attachment, code)
    except Illegal as no:
        live.requests.refuse(attachment, no)


def _move_elsewhere(services: Services, live: LiveTable, attachment: Attachment, code: str) -> None:
    """To a table of another node's; that connection's gateway knows the way."""
    player = live.audience.player(attachment)

    def answered(answer: Welcome | Refusal) -> None:
        if attachment not in live.audience.attachments:
            return
        if isinstance(answer, Refusal):
            live.requests.refuse(attachment, Illegal(answer.code, answer.sentence))
            return
        with suppress(Illegal):  # a fault, and dealt with already
            live.leave(attachment)

    services.bus.move(_request(attachment, player, code), answered)


def _request(attachment: Attachment, player: Player | None, code: str) -> JoinRequest:
    """To join the table with this code as the same player, by the same name."""
    request = attachment.request
    seek = Seek(where=At(code), resumable=request.seek.resumable, language=request.seek.language)
    name = request.called
    if player is not None:
        name = player.name
        seek = msgspec.structs.replace(seek, resumable=player.resumable)
    since = None if request.since is None else ""
    return msgspec.structs.replace(
        request, visitor=attachment.visitor, name=name, seek=seek, since=since
    )
