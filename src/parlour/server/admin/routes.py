"""`/api/operator`: what the operator's page shows and does. Every action is recorded first."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeVar

import msgspec

from parlour.kit import Illegal
from parlour.protocol import Asked, Desk, Game, Route, RouteSet
from parlour.protocol.operations import LIST_ALL
from parlour.protocol.routes import Answer
from parlour.server.admin.audit import BY_COMMAND, Audit, AuditEntry
from parlour.server.admin.faults import Fault, RecentFaults
from parlour.server.admin.notices import NewNotice, Notices
from parlour.server.admin.operators import RIGHTS, Operators, Rights
from parlour.server.api import visitor_of
from parlour.server.keys import SigningKey
from parlour.server.metrics import Figure, Metrics
from parlour.server.moderation import TableOrder, carry_out, entry_of, moderation_route
from parlour.server.orders import SignedOrder
from parlour.server.shown import ShownTables, TableInfo
from parlour.store import StoreTrouble

if TYPE_CHECKING:
    from parlour.store.nodes import NodeList

T = TypeVar("T")

_MONTH: Final = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])")


class Overview(msgspec.Struct, frozen=True):
    """How the server is doing."""

    version: str
    node: str
    """Which node this is; "": there is only one."""
    at: int
    """Milliseconds since the epoch."""
    figures: Sequence[Figure]
    """Those of `/metrics`, without histograms."""
    faults: Sequence[Fault]
    notice: str


class OpenTables(msgspec.Struct, frozen=True, omit_defaults=True):
    """All open tables of all nodes, also private ones, a page at a time."""

    tables: list[TableInfo]
    own: list[str]
    """The codes of those that are the server's own."""
    next: int | None = None
    """There are more: ask again with `?after=` and this number."""


class NodeInfo(msgspec.Struct, frozen=True):
    """A node that is alive."""

    number: int
    name: str
    role: str
    ordered: str
    connections: int
    lease: float
    """Seconds that are left of it."""
    tables: int


class Nodes(msgspec.Struct, frozen=True):
    nodes: list[NodeInfo]


class NodeOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Empty a node before it is stopped, or take that back."""

    node: Annotated[str, msgspec.Meta(max_length=100)]
    what: Literal["drain", "resume"]


class AuditPage(msgspec.Struct, frozen=True):
    """The actions of operators in a month, the last first."""

    entries: list[AuditEntry]


class Done(msgspec.Struct, frozen=True):
    """It is done."""


@dataclass(frozen=True)
class AdminRoutes:
    """The routes of `/api/operator`."""

    games: tuple[Game, ...]
    key: SigningKey
    operators: Operators
    audit: Audit
    notices: Notices
    faults: RecentFaults
    metrics: Metrics
    measure: Callable[[], Awaitable[None]]
    """Brings the figures that are not counted on the way up to date."""
    nodes: Callable[[], AbstractAsyncContextManager[NodeList]] | None
    """None: the server runs on one machine alone."""
    version: str
    node: str
    clock: Callable[[], int]

    def routes(self) -> RouteSet:
        guarded = self._guarded
        return RouteSet(
            title="The operator's page",
            routes=(
                moderation_route(self.games, self.key, self.audit),
                Route("POST", RIGHTS, self.rights, body=SignedOrder, gives=Rights, slow=True),
                Route(
                    "POST",
                    "/api/operator/session",
                    self.open_link,
                    who="newcomer",
                    body=SignedOrder,
                    gives=Done,
                    slow=True,
                ),
                guarded("DELETE", "/session", self.give_up, gives=Done),
                guarded("GET", "", self.overview, gives=Overview),
                guarded("GET", "/open", self.tables, gives=OpenTables),
                guarded("POST", "/act", self.act, body=TableOrder, gives=Done),
                guarded("PUT", "/notice", self.tell_all, body=NewNotice, gives=Done),
                guarded("GET", "/nodes", self.list_nodes, gives=Nodes, slow=True),
                guarded("POST", "/nodes", self.order_node, body=NodeOrder, gives=Done, slow=True),
                guarded("GET", "/audit/{month}", self.record, gives=AuditPage),
            ),
        )

    def _guarded(
        self,
        method: Literal["GET", "POST", "PUT", "DELETE"],
        path: str,
        answer: Answer,
        *,
        gives: type,
        body: type[msgspec.Struct] | None = None,
        slow: bool = False,
    ) -> Route:
        """A route for operators alone. A token in the address is not enough: only the cookie."""

        async def guarded(desk: Desk, asked: Asked) -> object:
            self.operators.check(None if "token" in asked.query else asked.visitor)
            return await answer(desk, asked)

        guarded.__doc__ = answer.__doc__
        path = f"/api/operator{path}"
        return Route(method, path, guarded, who="known", body=body, gives=gives, slow=slow)

    async def rights(self, desk: Desk, asked: Asked) -> Rights:
        """Give an account the operator's right or take it away, by the server's key."""
        order = self.operators.order_in(asked.body)
        if order.what != "list":
            entry = AuditEntry(BY_COMMAND, order.what, target=order.name)
            await self._recorded(entry, self.operators.carry_out(order))
        return self.operators.rights()

    async def open_link(self, desk: Desk, asked: Asked) -> Done:
        """Open the operator's page with a link of `parlour admin`."""
        # Checked before anything is recorded: strangers must not be able to fill the record.
        link = self.operators.link_in(asked.body)
        opening = self.operators.open_link(link, visitor_of(asked))
        return await self._recorded(AuditEntry(_name(desk, asked), "open-link"), opening)

    async def give_up(self, desk: Desk, asked: Asked) -> Done:
        """Give up the right that a link gave to this browser."""
        giving_up = self.operators.give_up(visitor_of(asked))
        return await self._recorded(AuditEntry(_name(desk, asked), "give-up"), giving_up)

    async def overview(self, desk: Desk, asked: Asked) -> Overview:
        """Figures, recent refusals and faults of this node, and the message to everybody."""
        await self.measure()
        return Overview(
            version=self.version,
            node=self.node,
            at=self.clock(),
            figures=self.metrics.figures(),
            faults=self.faults.last(),
            notice=self.notices.text,
        )

    async def tables(self, desk: Desk, asked: Asked) -> OpenTables:
        """All open tables, 100 at a time; `?after=`."""
        page = await desk.call(LIST_ALL, asked.after())
        shown = ShownTables(self.games)
        own = [each.code for each in page.tables if each.opener is None and each.public]
        listed = [shown.table(each, asked.visitor) for each in page.tables]
        return OpenTables(listed, own, page.next or None)

    async def act(self, desk: Desk, asked: Asked) -> Done:
        """Close or lock a table, remove or ban somebody, rename somebody, remove a card pack."""
        order: TableOrder = asked.body
        entry = entry_of(_name(desk, asked), order)
        return await self._recorded(entry, carry_out(desk, order))

    async def tell_all(self, desk: Desk, asked: Asked) -> Done:
        """Tell everybody who has the page open something; no text: nothing any more."""
        new: NewNotice = asked.body
        entry = AuditEntry(_name(desk, asked), "notice", text=new.text)
        return await self._recorded(entry, self.notices.change(new))

    async def list_nodes(self, desk: Desk, asked: Asked) -> Nodes:
        """The nodes that are alive, with their leases; none if the server is a single process."""
        if self.nodes is None:
            return Nodes([])
        alive = await self._of_nodes(lambda nodes: nodes.all())
        return Nodes(msgspec.convert(alive, list[NodeInfo], from_attributes=True))

    async def order_node(self, desk: Desk, asked: Asked) -> Done:
        """Drain a node, or take that back."""
        order: NodeOrder = asked.body

        def given(nodes: NodeList) -> Awaitable[object]:
            if order.what == "drain":
                return nodes.drain(order.node, close=False)
            return nodes.resume(order.node)

        entry = AuditEntry(_name(desk, asked), order.what, target=order.node)
        return await self._recorded(entry, self._of_nodes(given))

    async def _of_nodes(self, ask: Callable[[NodeList], Awaitable[T]]) -> T:
        """Ask or order the nodes; raises `Illegal` if they can't do that."""
        if self.nodes is None:
            raise Illegal("no-such-node", "This server runs on one machine alone.")
        try:
            async with self.nodes() as nodes:
                return await ask(nodes)
        except StoreTrouble as trouble:
            raise Illegal("bad-order", str(trouble)) from None

    async def record(self, desk: Desk, asked: Asked) -> AuditPage:
        """The last 500 actions of operators in a month ("2027-03")."""
        month = asked.params["month"]
        if not _MONTH.fullmatch(month):
            raise Illegal("bad-message", "A month is written like 2027-03.")
        return AuditPage(await self.audit.entries(month))

    async def _recorded(self, entry: AuditEntry, action: Awaitable[object]) -> Done:
        """Record an action, carry it out, and record its refusal, if any."""
        self.audit.note(entry)
        try:
            await action
        except Illegal as no:
            self.audit.note(msgspec.structs.replace(entry, refused=no.code))
            await self.audit.kept()
            raise
        return Done()


def _name(desk: Desk, asked: Asked) -> str:
    visitor = visitor_of(asked)
    account = desk.account_of(visitor)
    return account or f"{desk.name_of(visitor)} ({visitor[:8]})"
