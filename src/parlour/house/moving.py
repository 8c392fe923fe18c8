"""From one table to another on the same connection (`MoveTo`), at this node or at another one's."""

from __future__ import annotations

from contextlib import suppress

from parlour.bus import Bus, JoinRequest, Moved, Refusal, Welcome
from parlour.house.audience import Attachment
from parlour.house.hooks import Hooks
from parlour.house.index import NO_SUCH_TABLE, TableIndex
from parlour.house.journal import Journal
from parlour.house.live import LiveTable
from parlour.kit import Illegal
from parlour.protocol import At, Seek


class Moving:
    """Moves attachments of a house."""

    def __init__(self, index: TableIndex, journal: Journal, bus: Bus, hooks: Hooks) -> None:
        self._index = index
        self._journal = journal
        self._bus = bus
        self._hooks = hooks

    def move(self, live: LiveTable, attachment: Attachment, code: str) -> None:
        """From one table to another, on the same connection."""
        if attachment.place is None:
            raise Illegal("watching", "You are watching, not playing.")
        if not self._hooks.may_look(attachment.source):
            raise Illegal("too-fast", "That was too fast: slow down.")
        target = self._index.found(code, "There is no table with that code.")
        if target.game is not live.game:
            raise Illegal(NO_SUCH_TABLE, "There is no table with that code.")
        if target is live:
            return
        if live.roster.running:
            raise Illegal("round-running", "That has to wait: a round is running.")
        player = live.audience.player(attachment)
        if player is None or player.visitor is None:
            raise Illegal("not-here", "You do not sit at this table.")
        there = Attachment(
            attachment.connection,
            attachment.wire,
            player.visitor,
            None,
            player.name,
            player.resumable,
            attachment.for_match,
            target.table.mark(attachment.source),
            attachment.language,
            attachment.source,
            attachment.extras,
            attachment.person,
        )
        # Sit down there before getting up here: if it is refused, nothing has changed.
        there.place = target.sit(there)
        live.leave(attachment)
        target.attach(there)
        roster, version = target.roster, target.table.version
        moved = Moved(roster.id, roster.code, there.place, version)
        self._journal.say([([there.connection], moved)])

    def move_elsewhere(self, live: LiveTable, attachment: Attachment, code: str) -> None:
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

        self._bus.move(
            JoinRequest(
                connection=attachment.connection,
                game=live.game.id,
                wire=attachment.wire.name,
                visitor=attachment.visitor,
                name=attachment.name if player is None else player.name,
                seek=Seek(
                    where=At(code),
                    resumable=attachment.resumable if player is None else player.resumable,
                    for_match=attachment.for_match,
                    language=attachment.language,
                ),
                address=attachment.source,
                extras=attachment.extras,
                person=attachment.person,
            ),
            answered,
        )
