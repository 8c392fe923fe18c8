"""Questions that nodes ask each other: an operation, its arguments, and the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import cast

import msgspec

from parlour.bus import TRY_AGAIN, A, Args, Owner, Refusal
from parlour.bus.items import Ask, Reply, encode
from parlour.bus.operations import BETWEEN_NODES, read_answer, read_arguments, write_answer
from parlour.bus.peers import Peers, unreachable
from parlour.kit import Illegal
from parlour.protocol import Game, Operation


class Questions:
    """Asks other nodes, and answers for this one."""

    owner: Owner

    def __init__(self, address: int, peers: Peers, games: Mapping[str, Game]) -> None:
        self._address = address
        self._peers = peers
        self._games = games
        self.functions: dict[str, Callable[..., Awaitable[object]]] = {}
        """By name: the operations that the bus runs itself; the owner runs all others."""
        self._last_asked = 0
        self._waiting: dict[tuple[int, int], asyncio.Future[Reply]] = {}
        """By node and number of the question."""

    async def ask(self, node: int, operation: Operation[A, *Args], *arguments: *Args) -> A:
        """The answer of one node; raises `Illegal`."""
        if node == self._address:
            return cast("A", await self._answer(operation, arguments))
        if node in self._peers.gone:
            raise unreachable()
        self._last_asked += 1
        question = node, self._last_asked
        answered = self._waiting[question] = asyncio.get_running_loop().create_future()
        arguments_sent = msgspec.Raw(encode(arguments))
        self._peers.put(node, Ask(self._last_asked, operation.name, arguments_sent))
        try:
            async with asyncio.timeout(operation.patience):
                reply = await answered
        except TimeoutError:
            raise unreachable() from None
        finally:
            del self._waiting[question]
        if reply.refused is not None:
            raise Illegal(reply.refused.code, reply.refused.sentence)
        try:
            return cast("A", read_answer(operation.name, reply.answer, self._games))
        except msgspec.DecodeError:
            self._peers.unreadable()
            raise unreachable() from None

    def replied(self, node: int, reply: Reply) -> None:
        answered = self._waiting.get((node, reply.number))
        if answered is not None and not answered.done():
            answered.set_result(reply)

    def lost(self, node: int) -> None:
        """The link to a node is gone, and the answers with it."""
        for (asked, _), answered in self._waiting.items():
            if asked == node and not answered.done():
                answered.set_exception(unreachable())

    async def reply(self, node: int, ask: Ask) -> None:
        """Answer a question of another node's."""
        refused, data = None, msgspec.Raw(b"\xc0")
        try:
            arguments = read_arguments(ask)
            answer = await self._answer(BETWEEN_NODES[ask.method], arguments)
            data = msgspec.Raw(write_answer(answer))
        except msgspec.DecodeError:
            self._peers.unreadable()
            refused = Refusal(TRY_AGAIN, "This node can't read what another one asks.")
        except Illegal as no:
            refused = Refusal(no.code, no.sentence)
        self._peers.put(node, Reply(ask.number, refused, data))

    async def _answer(self, operation: Operation[A, *Args], arguments: tuple[*Args]) -> object:
        """The answer of this node; raises `Illegal`."""
        own = self.functions.get(operation.name)
        if own is None:
            return await self.owner.call(operation, *arguments)
        answer = await own(*arguments)
        if isinstance(answer, Refusal):
            raise Illegal(answer.code, answer.sentence)
        return answer
