"""How connections come to a live table: as a new player, as one who comes back, or to watch."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from parlour.bus import ConnectionId, JoinRequest
from parlour.house.audience import Attachment
from parlour.house.journal import SERVICE_RESTART, Farewell, Letter
from parlour.house.lookalikes import check_visible, skeletons
from parlour.house.missed import missed, position
from parlour.house.requests import FAULT
from parlour.house.services import Services
from parlour.kit import Illegal
from parlour.protocol import Scope, Wire
from parlour.table import Player
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.roster import is_called

if TYPE_CHECKING:
    from parlour.house.live import LiveTable


class Newcomers:
    """Lets connections in at one live table."""

    def __init__(self, live: LiveTable, services: Services) -> None:
        self._live = live
        self._services = services

    async def join(self, request: JoinRequest, wire: Wire) -> Attachment:
        """Seat a newcomer or let it watch, and greet it. Raises `Illegal`."""
        seek = request.seek
        address = self._live.table.mark(request.address)
        # Several people may share an address, so a banned one refuses newcomers alone.
        self._live.roster.check_not_banned(seek.claim, address if seek.watch else None)
        visitor = await self._claimed(seek.claim)
        if visitor is None and seek.by_name:
            visitor = self._kept_for(request.called, address, wire)
        visitor = visitor or request.visitor
        attachment = Attachment(request, wire, visitor)
        missed = await self._missed(attachment)
        there = self._services.attachments.get(request.connection)
        if there is not None and there[0] is self._live:
            # Its gateway asks again, because the first answer waits for a commit. So does its
            # greeting, and all that it was told since.
            return there[1]
        if seek.watch:
            watching = sum(1 for a in self._live.audience.attachments if a.place is None)
            if watching >= self._services.limits.spectators:
                raise Illegal("table-full", "There is no room for more spectators.")
            self._live.game.lobby.entry.check_watch(self._live.roster, watching)
        elif self._live.roster.of_visitor(visitor) is None:
            self.check_entry(visitor, seek.key)
        if missed is not None:
            # Then it is told like the others that its player is back.
            self._live.take_up(attachment, missed)
        if not seek.watch:
            attachment.place = self.sit(attachment)
        if missed is None:
            self._live.greet(attachment)
        waiter = self._live.roster.waiter(visitor)
        if attachment.place is None and waiter is not None and waiter.until is not None:
            # Their connection was lost while they waited for a seat.
            self._live.note(do.Queue(waiter.visitor, waiter.name))
        if wire.codec.worker_module:
            self._services.slow_answers.expect(wire.codec)
        return attachment

    async def _missed(self, attachment: Attachment) -> list[Letter] | None:
        """All that it missed, if it says how far it got; None: it is greeted. Gives it its place.

        A connection for one match alone is greeted: it may be another match now.
        """
        since = position(attachment.request.since or "")
        if since is None or attachment.wire.scope is Scope.MATCH:
            return None
        if (since.place is None) is not attachment.request.seek.watch:
            return None
        if since.place is not None:
            player = self._live.roster.of_visitor(attachment.visitor)
            if player is None or player.place != since.place:
                return None
        attachment.place = since.place
        letters = await missed(self._live, self._services, attachment, since)
        if letters is not None and since.place is not None:
            player = self._live.audience.player(attachment)
            if player is None or player.visitor != attachment.visitor:
                return None
        return letters

    def check_entry(self, visitor: str, key: str | None) -> None:
        """Refuse a newcomer without the table's key. Its opener needs none."""
        if visitor != self._live.roster.opener:
            self._live.game.lobby.entry.check_password(self._live.roster, key)

    async def _claimed(self, claim: str | None) -> str | None:
        """The visitor whose player has this key, unless a connection of that player is alive."""
        player = None if claim is None else self._holder(claim)
        if claim is None or player is None:
            return None
        silent: set[ConnectionId] = set()
        # While we wait connections may come and go, even one with the same key.
        while player is not None:
            there = self._live.audience.at_place(player.place)
            unknown = [a.connection for a in there if a.connection not in silent]
            if not unknown:
                break
            if await self._services.bus.alive(unknown[0]):
                return None
            silent.add(unknown[0])
            player = self._holder(claim)
        if player is None:
            return None
        for attachment in self._live.audience.at_place(player.place):
            self._live.detach(attachment)
            farewell = Farewell(SERVICE_RESTART, "the player came back elsewhere")
            self._services.journal.say([([attachment.connection], farewell)])
        return player.visitor

    def _holder(self, key: str) -> Player | None:
        for player in self._live.roster.people:
            if secrets.compare_digest(player.key.encode(), key.encode()):
                return player
        return None

    def _kept_for(self, name: str, address: str, wire: Wire) -> str | None:
        """The visitor whose place is kept, and who had this name, address and protocol."""
        asked = self._live.game.lobby.names.good(self._services.words.starred(name))
        kept = [
            player
            for player in self._live.roster.people
            if not player.present
            and player.address == address != ""
            and player.wire == wire.name
            and is_called(player.name, asked)
        ]
        # Of several, the one who has that name without a number.
        return min(kept, key=lambda player: player.name != asked).visitor if kept else None

    def sit(self, attachment: Attachment, name: str | None = None) -> int:
        """Let somebody sit down, or come back to where they sit; returns their place."""
        visitor, request, wire = attachment.visitor, attachment.request, attachment.wire
        player = self._live.roster.of_visitor(visitor)
        if player is None:
            self._live.receive(
                do.Join(
                    visitor,
                    self.seen(attachment, name),
                    request.seek.resumable,
                    wire.name,
                    self._live.table.mark(request.address),
                    request.seek.language,
                )
            )
            player = self._live.roster.of_visitor(visitor)
        elif not player.present and not (wire.scope is Scope.LOBBY and self._live.roster.running):
            spoken = wire.name
            self._live.receive(do.Back(player.place, spoken if spoken != player.wire else ""))
        if player is None:
            raise Illegal("not-here", "You do not sit at this table.")
        self._services.index.sat_down(visitor, self._live)
        if player.resumable:
            store = self._services.journal.store
            store.sat_down(self._live.roster.id, visitor, self._live.game.id)
        return player.place

    def gather_lobby(self, happened: tell.Happened) -> None:
        """After a match: seat those who were away from it, but connected to its lobby."""
        names = {event.place: event.name for event in happened if isinstance(event, tell.Left)}
        for attachment in list(self._live.audience.attachments):
            player = self._live.audience.player(attachment)
            if attachment.place is None or attachment.wire.scope is Scope.MATCH:
                continue
            if player is not None and player.present:
                continue
            try:
                attachment.place = self.sit(attachment, names.get(attachment.place, ""))
            except Illegal as no:
                # No seat was free, or the table has closed: they stay without one. A table that
                # failed must stop here.
                if no.code == FAULT:
                    raise

    def seen(self, attachment: Attachment, name: str | None = None) -> str:
        """A newcomer's name as others will see it: unlike every name at the table, and not that of
        somebody else's account."""
        names, services = self._live.game.lobby.names, self._services
        request = attachment.request
        asked = request.called if name is None else name
        name = names.good(services.words.starred(asked))
        check_visible(name)
        who = attachment.visitor, request.person
        return self._live.roster.free_name(
            name,
            longest=names.longest,
            reads=skeletons,
            held=lambda name: services.hooks.name_held(name, who),
        )
