"""The relay's HTTP routes: the users in a channel, seats for them, and the registry."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from parlour.house import Journal
from parlour.kit import Illegal
from parlour.protocol import Asked, Desk, Reply, Route, RouteSet, RunRequest
from parlour.protocol.operations import FIND, RUN
from parlour.protocol.routes import routes_of
from parlour.relay.channels import Standing
from parlour.relay.hosting import ChannelHosts, Hosted
from parlour.relay.manage import AUDIENCE, PATH, Everything, Order, carry_out
from parlour.relay.registry import Registry
from parlour.relay.relay import Relay
from parlour.relay.words import Forgive, Probe
from parlour.server.keys import SigningKey
from parlour.server.orders import SignedOrder, verified
from parlour.table import Roster
from parlour.table import inputs as do


class ChannelInfo(msgspec.Struct, frozen=True):
    """The channel of a table, and who is in it."""

    channel: str
    users: list[str]
    """Each once, however many sessions they have."""
    standing: str
    """hosting; probing: asking whether somebody else hosts there; yielded: somebody does."""
    other_host: str | None


class ChannelTable(msgspec.Struct, frozen=True):
    """The table that is played in a channel."""

    code: str
    channel: str
    """As it is written; it can be asked for in any case."""


class NewSeat(msgspec.Struct, forbid_unknown_fields=True):
    user: str
    name: str = ""
    """Their name at the table; by default their name on the relay."""


class Hosting(msgspec.Struct, forbid_unknown_fields=True):
    override: bool = False
    """Host even if somebody answers that they do."""


@dataclass(eq=False)
class RelayRoutes:
    """Answers requests about channels, tables in them, users and channels."""

    _relay: Relay
    _hosts: ChannelHosts
    _registry: Registry
    _journal: Journal
    _key: SigningKey
    """Signs orders that change users and channels: only the operator can read it."""

    def of_port(self) -> RouteSet:
        """The route that existing tools use; it is served on every port of the relay."""
        users = Route("GET", "/Websocket", self._users, gives=list[str])
        return RouteSet(title="Who is in a channel", routes=(users,))

    def of_house(self) -> RouteSet:
        """Routes for openers of tables, and for the operator."""
        return RouteSet(title="Tables over the relay", routes=routes_of(self))

    async def _users(self, desk: Desk, asked: Asked) -> Reply:
        """The users of the channel `?roomId=`, one for each session."""
        name = asked.query.get("roomId", "")
        # A miss counts against the caller: a channel's name may be a private table's code.
        return Reply(self._relay.users(name), missed=not self._relay.known(name))

    @Route("GET", "/api/tables/{code}/channel")
    async def _channel(self, desk: Desk, asked: Asked) -> ChannelInfo:
        """The channel of a table, and who is in it."""
        return _info((await self._hosted(desk, asked))[1])

    @Route("GET", "/api/channels/{channel}/table")
    async def _table_in(self, desk: Desk, asked: Asked) -> ChannelTable:
        """The table that is open in a channel."""
        hosted = self._hosts.found_in(asked.params["channel"])
        if hosted is None or await desk.call(FIND, hosted[1].code) is None:
            raise Illegal("no-such-table", "No table is open in this channel.")
        return ChannelTable(hosted[1].code, hosted[0].name)

    @Route("POST", "/api/tables/{code}/seats", who="newcomer", body=NewSeat, status=201)
    async def _seat(self, desk: Desk, asked: Asked) -> ChannelInfo:
        """Seat a user who is in the channel."""
        _, (channel, note) = await self._hosted(desk, asked)
        wanted: NewSeat = asked.body
        if wanted.user not in channel.of_user:
            raise Illegal("not-connected", "No such user is in the channel.")
        if note.standing is not Standing.HOSTING:
            raise Illegal("not-hosting", "Somebody else hosts in this channel.")
        assert asked.visitor is not None, "a route for newcomers gives everybody a session"
        entry = do.Seat(do.HOUSE, wanted.user, wanted.name or wanted.user)
        await desk.call(RUN, RunRequest(note.code, asked.visitor, entry))
        await self._relay.nodes.ask_host(channel, Forgive(wanted.user))
        return _info((channel, note))

    @Route("POST", PATH, body=SignedOrder, slow=True)
    async def _manage(self, desk: Desk, asked: Asked) -> Everything:
        """Change users and channels, by an order signed with the server's key."""
        order = verified(self._key, AUDIENCE, asked.body, Order)
        done = carry_out(self._registry, order)
        return await self._journal.kept(done)

    @Route("POST", "/api/tables/{code}/host", who="newcomer", body=Hosting)
    async def _take_over(self, desk: Desk, asked: Asked) -> ChannelInfo:
        """Ask again whether somebody else hosts there, or host all the same."""
        roster, (channel, _) = await self._hosted(desk, asked)
        if roster.opener != asked.visitor:
            raise Illegal("host-only", "Only who had this table opened may do that.")
        await self._relay.nodes.ask_host(channel, Probe(asked.body.override))
        return await self._channel(desk, asked)

    async def _hosted(self, desk: Desk, asked: Asked) -> tuple[Roster, Hosted]:
        code = asked.params["code"].replace(" ", "")
        roster = await desk.call(FIND, code)
        hosted = None if roster is None else self._hosts.table_of(roster)
        if roster is None or hosted is None:
            raise Illegal("no-such-table", "There is no table with that code over the relay.")
        return roster, hosted


def _info(hosted: Hosted) -> ChannelInfo:
    channel, note = hosted
    return ChannelInfo(channel.name, list(channel.of_user), note.standing.value, note.other_host)
