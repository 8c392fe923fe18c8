"""HTTP routes for content that people bring to tables: what a game's rules read besides settings.

The published address and field call it a pack, as its first game does; any game whose lobby takes
content can use them.
"""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from parlour.kit import Illegal
from parlour.protocol import Asked, Desk, PinRequest, Route, RunRequest
from parlour.protocol.operations import FIND, PIN, RUN
from parlour.protocol.routes import read_content
from parlour.server.shown import ShownTables, TableInfo
from parlour.table import inputs as do

LARGEST: Final = 1024 * 1024 + 4096
"""Bytes of a request: the bound of docs/packs.md, and the name around it."""
_PATH: Final = "/api/tables/{code}/packs"


class NewPack(msgspec.Struct, forbid_unknown_fields=True):
    """Content for a table, and a name to replace it by."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    pack: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    table: str = ""
    """In place of a pack: the table at which one of that name is shared."""


class SharedPack(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    shared: bool


def content_routes(shown: ShownTables) -> tuple[Route, ...]:
    async def add(desk: Desk, asked: Asked) -> TableInfo:
        brought: NewPack = asked.body
        request = PinRequest(
            table=asked.params["code"],
            visitor=visitor_of(asked),
            name=brought.name,
            data=await _data(desk, brought),
            address=asked.arrival.address,
        )
        return shown.table(await desk.call(PIN, request), asked.visitor)

    async def share(desk: Desk, asked: Asked) -> TableInfo:
        wanted: SharedPack = asked.body
        entry = do.Share(do.HOUSE, wanted.name, wanted.shared)
        request = RunRequest(asked.params["code"], visitor_of(asked), entry)
        return shown.table(await desk.call(RUN, request), asked.visitor)

    return (
        Route(
            "POST",
            _PATH,
            add,
            "Bring a card pack of your own to a table you run.",
            who=PIN.who,
            body=NewPack,
            largest=LARGEST,
            gives=TableInfo,
            status=201,
            slow=True,
        ),
        Route(
            "PUT",
            _PATH,
            share,
            "Let other tables have a pack that was brought to this one.",
            who=RUN.who,
            body=SharedPack,
            gives=TableInfo,
        ),
    )


async def _data(desk: Desk, brought: NewPack) -> bytes:
    """The content itself, as it was sent or as another table has it."""
    if isinstance(brought.pack, msgspec.Raw) == bool(brought.table):
        raise Illegal("bad-message", "Send a pack, or the table that shares it.")
    if isinstance(brought.pack, msgspec.Raw):
        return bytes(brought.pack)
    roster = await desk.call(FIND, "".join(brought.table.split()))
    if roster is None or not roster.brought.get(brought.name):
        raise Illegal("not-shared", "There is no pack of that name shared at that table.")
    return (await read_content(desk, roster.content[brought.name])).data


def visitor_of(asked: Asked) -> str:
    assert asked.visitor is not None, "these routes are for who has a session"
    return asked.visitor
