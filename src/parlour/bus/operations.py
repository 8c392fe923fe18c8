"""All that one node can ask another, and how it is encoded.

What anybody can ask of a house is in `protocol/operations.py`; the entries here are for nodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from parlour.bus import ConnectionId, JoinRequest, Rejoined, RejoinRequest, Welcome
from parlour.bus.items import Ask
from parlour.protocol import Game, Operation, TablePage
from parlour.protocol import operations as ops
from parlour.protocol.operations import Node
from parlour.table import Content, Roster

JOIN: Final = Operation[Welcome, JoinRequest](
    name="join",
    summary="Let a connection sit down at a table, or watch.",
    node=Node.NAMED,
)
MOVE: Final = Operation[Welcome, JoinRequest](
    name="move",
    summary="Let a connection that the asked node holds join another table.",
    node=Node.NAMED,
)
REJOIN: Final = Operation[Rejoined, RejoinRequest](
    name="rejoin",
    summary="Take over connections of a table without greeting them; tell them what they missed.",
    node=Node.NAMED,
)
ALIVE: Final = Operation[bool, ConnectionId](
    name="alive",
    summary="Whether the client of a connection still answers.",
    node=Node.NAMED,
)
REQUEST: Final = Operation[bytes, int, bytes](
    name="request",
    summary="Ask the asked node's relay something, with the address of the node that asks.",
    node=Node.NAMED,
)

BETWEEN_NODES: Final[Mapping[str, Operation[Any, *tuple[Any, ...]]]] = {
    operation.name: operation
    for operation in (*ops.OPERATIONS, JOIN, MOVE, REJOIN, ALIVE, REQUEST)
    if operation.node is not Node.ASKED
}


def _written_content(content: object) -> bytes:
    """Only its hash is sent."""
    if not isinstance(content, Content):
        raise NotImplementedError(type(content))
    return content.digest.encode()


def _read_content(kind: type[object], digest: bytes) -> Content:
    if kind is not Content:
        raise NotImplementedError(kind)
    return Content(digest.decode())


def read_arguments(ask: Ask) -> tuple[Any, ...]:
    """Raises `msgspec.ValidationError` for a question that this node does not know."""
    if ask.method not in BETWEEN_NODES:
        raise msgspec.ValidationError(f"there is no operation {ask.method:.20}")
    arguments: tuple[Any, ...] = msgspec.msgpack.decode(
        ask.arguments, type=BETWEEN_NODES[ask.method].arguments
    )
    return arguments


def write_answer(answer: object) -> bytes:
    plain = bytes(answer) if isinstance(answer, msgspec.Raw) else answer
    return msgspec.msgpack.encode(plain, enc_hook=_written_content)


def read_answer(name: str, data: msgspec.Raw, games: Mapping[str, Game]) -> object:
    kind = BETWEEN_NODES[name].answer
    answer: object = msgspec.msgpack.decode(data, type=kind, dec_hook=_read_content)
    if name in (ops.REPLAY.name, ops.REPLAY_FRAMES.name) and isinstance(answer, bytes):
        # It is JSON already, and is not read on the way.
        return msgspec.Raw(answer)
    for roster in answer.tables if isinstance(answer, TablePage) else [answer]:
        if isinstance(roster, Roster):
            roster.settings = msgspec.convert(roster.settings, games[roster.game].settings)
    return answer
