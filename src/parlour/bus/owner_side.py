"""The owner's side of a node: connections that other nodes hold, at tables of this one."""

from __future__ import annotations

from functools import partial

from parlour.bus import (
    JoinRequest,
    Owner,
    Refusal,
    Rejoined,
    RejoinRequest,
    Then,
    Welcome,
)
from parlour.bus.nodes import NODE_SHIFT
from parlour.bus.operations import REJOIN
from parlour.bus.peers import Peers


class OwnerSide:
    """Knows when the packets with their inputs may be confirmed, and drops those of lost nodes."""

    owner: Owner

    def __init__(self, address: int, peers: Peers) -> None:
        self._address = address
        self._peers = peers
        self._unfinished: dict[tuple[int, int], int] = {}
        """By other node and its link's life: how many of its packets wait until everything that
        follows from them is kept."""
        self.late: dict[int, int] = {}
        """By other node: how many links to it were broken since the oldest letter that waits for
        its commit. Such letters are dropped: they are told from the log when connections rejoin."""

    async def join(self, request: JoinRequest) -> Welcome | Refusal:
        answer = await self.owner.join(request)
        self._drop_if_gone(request)
        return answer

    async def rejoin(self, request: RejoinRequest) -> Rejoined:
        answer = await self.owner.call(REJOIN, request)
        for member in request.members:
            self._drop_if_gone(member.request)
        return answer

    def _drop_if_gone(self, request: JoinRequest) -> None:
        """Disconnect a connection whose node has ended while it joined."""
        if request.connection >> NODE_SHIFT in self._peers.gone:
            self.owner.disconnect(request.connection)

    def received(self, node: int, life: int, number: int, *, inputs: bool) -> None:
        """A packet has been handled. If inputs were in it, it is confirmed when everything that
        follows from them is kept and sent; no packet is confirmed before an earlier one."""
        link = (node, life)
        if inputs or self._unfinished.get(link):
            self._unfinished[link] = self._unfinished.get(link, 0) + 1
            self.owner.say([([], Then(partial(self._finished, link, number)))])
        else:
            self._peers.finished(node, life, number)

    def _finished(self, link: tuple[int, int], number: int) -> None:
        # A link that was broken meanwhile waits for nothing.
        if link in self._unfinished:
            self._unfinished[link] -= 1
            self._peers.finished(*link, number)

    def drop_letters(self, node: int) -> None:
        """The link to a node was broken: drop letters to it until `resume_letters`."""
        self.late[node] = self.late.get(node, 0) + 1

    def resume_letters(self, node: int) -> None:
        """Send the letters to it that are said from now on; older ones may still wait for their
        commit, and are dropped."""
        self.owner.say([([], Then(partial(self._caught_up, node)))])

    def _caught_up(self, node: int) -> None:
        self.late[node] -= 1
        if not self.late[node]:
            del self.late[node]

    def lost(self, node: int) -> None:
        """A node has ended, or the link to it was broken: its connections are gone from here."""
        for link in [link for link in self._unfinished if link[0] == node]:
            del self._unfinished[link]
        for connection in list(self.owner.connections):
            if connection >> NODE_SHIFT == node:
                self.owner.disconnect(connection)
