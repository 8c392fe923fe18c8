"""A relay at several nodes, over links that are slow: everybody hears everything once.

Without sockets and without a network, so that thousands of orders of events can be tried. Links
keep their order and lose nothing, as `tests/bus` has it; any of them may be slower than others.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.bus import Bus, ConnectionId, NodeService, Refusal
from parlour.kit import Illegal
from parlour.relay.channels import Channel, Hosting, HostNote
from parlour.relay.nodes import MOST_WAITING
from parlour.relay.registry import Registry
from parlour.relay.relay import MOST_OF_USER, Relay
from parlour.relay.words import Forgive, Hosts, Probe
from parlour.store.memory import MemoryStore
from parlour.wcp.message import Message, data_frame

encode = msgspec.msgpack.encode
APART = 1_000
"""How far apart the connections of two nodes are."""
CHANNELS = ("lounge", "attic")
RESERVED = "reserved"
NO_NOTE = encode(Hosts("lounge", [], b"nonsense"))


class Network:
    """All nodes, and what is on its way between any two."""

    def __init__(self) -> None:
        self.nodes: dict[int, Node] = {}
        self.dead: set[int] = set()
        self.links: dict[tuple[int, int], deque[bytes]] = {}

    def join(self) -> None:
        node = Node(self, len(self.nodes) + len(self.dead) + 1)
        for other in self.live:
            # As they look into the directory: the newcomer knows them first.
            node.service.node_joined(other.address)
        self.nodes[node.address] = node

    @property
    def live(self) -> list[Node]:
        return list(self.nodes.values())

    def arrive(self, link: tuple[int, int]) -> None:
        """The first of what is on its way on one link."""
        sender, receiver = link
        if not self.links[link]:
            return
        word = self.links[link].popleft()
        node = self.nodes.get(receiver)
        if node is not None and sender not in node.buried:
            node.meet(sender)
            node.service.noted(sender, word)

    def kill(self, address: int) -> None:
        del self.nodes[address]
        self.dead.add(address)

    def settle(self) -> None:
        """Everybody has found out who is there and who is not, and all has arrived."""
        for node in self.live:
            for other in self.live:
                node.meet(other.address)
        while any(self.links.values()):
            for link in list(self.links):
                self.arrive(link)
        for node in self.live:
            for address in self.dead:
                node.bury(address)


class Node(Bus):
    """A bus of one node, and the relay there (`bus.Nodes`)."""

    service: NodeService

    def __init__(self, network: Network, address: int) -> None:
        super().__init__()
        self.nodes = self
        self.network = network
        self.address = address
        self.met: set[int] = set()
        self.buried: set[int] = set()
        self.heard: dict[ConnectionId, list[str]] = {}
        self.last = address * APART
        self.backlog = 0
        registry = Registry(MemoryStore())
        self.relay = Relay(
            self, self, registry, open_to_all=True, message_size=9_999, rate=1, burst=1
        )

    def host_in(self, name: str, host: Host) -> Channel:
        """A host of this node in a channel, of which no other node knows yet."""
        channel = self.relay.nodes.channels.have(name)
        channel.host = host
        return channel

    def node_of(self, connection: ConnectionId) -> int:
        return connection // APART

    def attach(self, service: NodeService) -> None:
        self.service = service

    def post(self, node: int, data: bytes) -> None:
        self.network.links.setdefault((self.address, node), deque()).append(data)

    def waiting(self, node: int) -> int:
        return self.backlog

    async def request(self, node: int, data: bytes) -> bytes | Refusal:
        other = self.network.nodes[node]
        other.meet(self.address)
        return await other.service.requested(self.address, data)

    def deliver(self, connections: Sequence[ConnectionId], data: bytes) -> None:
        for connection in connections:
            if connection in self.heard:
                self.heard[connection].append(data.decode().split('"name":"')[1].split('"')[0])

    deliver_later = deliver

    def meet(self, address: int) -> None:
        if address != self.address and address not in self.met | self.buried:
            self.met.add(address)
            self.service.node_joined(address)

    def bury(self, address: int) -> None:
        if address in self.met:
            self.met.remove(address)
            self.service.node_left(address)
        self.buried.add(address)

    # -- what happens at it -----------------------------------------------------------

    async def come(self, channel: str, user: str) -> ConnectionId:
        self.last += 1
        self.heard[self.last] = []
        assert await self.relay.enter(channel, user, "", self.last) is None
        return self.last

    def go(self, connection: ConnectionId) -> None:
        self.relay.closed(connection)

    def say(self, connection: ConnectionId, name: str) -> None:
        user = self.relay.nodes.channels.of[connection].here[connection]
        self.relay.received(connection, Message(user, ("all",), name, "").encode())

    def picture(self) -> dict[str, Any]:
        """Who it thinks is where."""
        return {
            channel.name: (channel.sessions, channel.hosted_at, channel.hosting)
            for channel in self.relay.nodes.channels
            if channel.sessions or channel.hosting
        }


class Host:
    """Hears what is said in its channel."""

    def __init__(self) -> None:
        self.heard_names: list[str] = []

    def heard(self, connection: ConnectionId, message: Message) -> None:
        self.heard_names.append(message.name)

    def answers(self, message: Message) -> bool:
        return False

    def arrived(self, connection: ConnectionId, user: str) -> None: ...

    def departed(self, connection: ConnectionId, user: str) -> None: ...

    def forgive(self, user: str) -> None:
        self.heard_names.append(f"forgive {user}")

    async def probe(self, take_over: bool) -> None:
        if take_over:
            raise Illegal("no", "Not here.")
        self.heard_names.append("probe")


numbers = st.integers(0, 1_000)
steps = st.lists(
    st.tuples(
        st.sampled_from(
            ["come", "come", "say", "all", "arrive", "arrive", "go", "host", "join", "kill"]
        ),
        numbers,
        numbers,
    ),
    min_size=10,
    max_size=60,
)


class Evening:
    """What was done, and what must follow from it."""

    def __init__(self) -> None:
        self.network = Network()
        self.sessions: dict[ConnectionId, str] = {}
        """By connection that is still there, its channel."""
        self.said: list[tuple[str, int, set[ConnectionId]]] = []
        """What, by whom (hosts have their nodes' numbers, below zero), and who has to hear it."""
        self.told_host = 0

    async def do(self, what: str, first: int, second: int) -> None:
        network = self.network
        live = network.live
        node = live[first % len(live)]
        mine = [c for c in self.sessions if c // APART == node.address]
        match what:
            case "join" if len(live) < 4:
                network.join()
            case "come":
                channel, user = CHANNELS[second % 2], f"user{second % 3}"
                known = node.relay.nodes.channels.get(channel)
                if known is None or len(known.of_user.get(user, ())) < MOST_OF_USER:
                    self.sessions[await node.come(channel, user)] = channel
            case "go" if mine:
                gone = mine[second % len(mine)]
                node.go(gone)
                del self.sessions[gone]
            case "say" if mine:
                self.say(node, mine[second % len(mine)])
            case "arrive" if network.links:
                links = sorted(network.links)
                network.arrive(links[second % len(links)])
            case "all":
                for link in sorted(network.links):
                    while network.links[link]:
                        network.arrive(link)
            case "kill" if len(live) > 1:
                network.kill(node.address)
                self.sessions = {c: ch for c, ch in self.sessions.items() if c not in mine}
            case "host":
                self.host(node, CHANNELS[second % 2])
            case _:
                pass

    def say(self, node: Node, speaker: ConnectionId) -> None:
        word = f"word{len(self.said)}"
        channel = node.relay.nodes.channels.of[speaker]
        known = {c for c in channel.sessions if c in self.sessions}
        node.say(speaker, word)
        self.said.append((word, speaker, known))

    def host(self, node: Node, name: str) -> None:
        """A host there, or none any more; it tells those it knows of something."""
        channel = node.relay.nodes.channels.get(name)
        if channel is not None and channel.host is not None:
            node.relay.nodes.host_out(channel)
            return
        if channel is not None and channel.hosting is not None:
            # One host in the whole house, which knows of no other: as the record decides.
            return
        channel = node.host_in(name, Host())
        node.relay.nodes.host(channel, Hosting(HostNote("note"), frozenset({RESERVED})))
        word = f"told{self.told_host}"
        self.told_host += 1
        frame = data_frame("onu-host", ("all",), word, [b""])
        node.relay.nodes.tell(channel, list(channel.sessions), frame, None)
        known = {c for c in channel.sessions if c in self.sessions}
        self.said.append((word, -node.address, known))

    def check(self) -> None:
        self.network.settle()
        live = self.network.live
        pictures = [node.picture() for node in live]
        for name in CHANNELS:
            there = {c for c, channel in self.sessions.items() if channel == name}
            for picture in pictures:
                assert set(picture[name][0] if name in picture else ()) == there
        heard = {c: words for node in live for c, words in node.heard.items()}
        for connection, words in heard.items():
            assert len(words) == len(set(words)), "something was told twice"
            if connection not in self.sessions:
                continue
            for speaker in {speaker for _, speaker, _ in self.said}:
                mine = [word for word, by, _ in self.said if by == speaker]
                order = [word for word in words if word in mine]
                assert order == sorted(order, key=mine.index)
        dead = self.network.dead
        for word, speaker, known in self.said:
            if (-speaker if speaker < 0 else speaker // APART) not in dead:
                for connection in known:
                    if connection in self.sessions:
                        assert word in heard[connection], (word, connection)


@settings(max_examples=150, deadline=None)
@given(steps)
def test_everybody_hears_everything_once_and_all_know_who_is_there(
    steps: list[tuple[str, int, int]],
) -> None:
    async def play() -> None:
        evening = Evening()
        for _ in range(3):
            evening.network.join()
        for number in range(3):
            await evening.do("come", number, 0)
        await evening.do("all", 0, 0)
        for step in steps:
            await evening.do(*step)
        evening.check()

    asyncio.run(play())


async def two_nodes() -> tuple[Node, Node]:
    network = Network()
    network.join()
    network.join()
    network.settle()
    first, second = network.live
    return first, second


async def test_who_is_let_in_hears_what_is_said_elsewhere_from_then_on() -> None:
    """The answer to the handshake goes out before the others know the session."""
    first, second = await two_nodes()
    ann = await first.come("lounge", "ann")
    first.network.settle()
    # As `admit` does it; what is said before the session is there is for it all the same.
    await second.relay.nodes.expect("lounge")
    first.say(ann, "early")
    ben = await second.come("lounge", "ben")
    first.network.settle()
    assert second.heard[ben] == ["early"]


async def test_what_only_the_host_may_say_reaches_the_host_alone() -> None:
    first, second = await two_nodes()
    host = Host()
    channel = second.host_in("lounge", host)
    second.relay.nodes.host(channel, Hosting(HostNote(""), frozenset({RESERVED})))
    first.network.settle()
    ann = await first.come("lounge", "ann")
    ben = await second.come("lounge", "ben")
    first.network.settle()
    first.say(ann, RESERVED)
    first.say(ann, "free")
    first.network.settle()
    assert first.heard[ann] == second.heard[ben] == ["free"]
    assert host.heard_names == [RESERVED, "free"]


async def test_what_only_the_host_may_say_is_sent_to_no_other_node() -> None:
    first, second = await two_nodes()
    network = first.network
    network.join()
    channel = second.host_in("lounge", Host())
    second.relay.nodes.host(channel, Hosting(HostNote(""), frozenset({RESERVED})))
    ann = await first.come("lounge", "ann")
    for node in network.live[1:]:
        await node.come("lounge", "ben")
    network.settle()
    for word, sent in ((RESERVED, [1, 0]), ("free", [2, 1])):
        first.say(ann, word)
        assert [len(network.links[first.address, to]) for to in (2, 3)] == sent


async def test_a_host_that_moves_is_one_at_all_nodes() -> None:
    first, second = await two_nodes()
    network = first.network
    old = first.host_in("lounge", Host())
    first.relay.nodes.host(old, Hosting(HostNote("old")))
    network.settle()
    old.host = None
    # Who joins while it moves may hear of it from both, in whatever order.
    network.join()
    third = network.live[2]
    new = second.host_in("lounge", Host())
    assert new.note == HostNote("old")
    second.relay.nodes.host(new, Hosting(HostNote("new")))
    network.settle()
    channels = [node.relay.nodes.channels.get("lounge") for node in network.live]
    for channel in channels:
        assert channel is not None
        assert (list(channel.claims), channel.hosting) == ([2], Hosting(HostNote("new")))
    # A host that is lost without a word does not take the next one's claim with it.
    third.service.noted(1, encode(Hosts("lounge", [], encode(HostNote("late")))))
    third.bury(1)
    (left,) = [channel for channel in third.relay.nodes.channels if channel.name == "lounge"]
    assert left.hosting == Hosting(HostNote("new"))
    second.relay.nodes.host_out(new)
    network.settle()
    assert all(node.relay.nodes.channels.get("lounge") is None for node in (first, second))


async def test_what_is_no_word_of_the_relays_is_passed_over() -> None:
    first, second = await two_nodes()
    for nonsense in (b"", b"\xc1", encode(["Came"]), encode(["Unknown", 1]), NO_NOTE):
        first.service.noted(2, nonsense)
    ann = await first.come("lounge", "ann")
    ben = await second.come("lounge", "ben")
    first.network.settle()
    first.say(ann, "still here")
    first.network.settle()
    assert second.heard[ben] == ["still here"]


async def test_a_host_is_asked_from_any_node() -> None:
    first, second = await two_nodes()
    host = Host()
    channel = second.host_in("lounge", host)
    second.relay.nodes.host(channel, Hosting(HostNote("")))
    first.network.settle()
    known = first.relay.find("LOUNGE")
    assert known is not None
    await first.relay.nodes.ask_host(known, Forgive("ann"))
    await second.relay.nodes.ask_host(channel, Forgive("ben"))
    await first.relay.nodes.ask_host(known, Probe(False))
    assert host.heard_names == ["forgive ann", "forgive ben", "probe"]
    for asks, of in ((first, known), (second, channel)):
        with pytest.raises(Illegal, match="Not here"):
            await asks.relay.nodes.ask_host(of, Probe(True))
    channel.host = None
    with pytest.raises(Illegal, match="No table is open"):
        await first.relay.nodes.ask_host(known, Probe(False))


async def test_a_node_that_cannot_be_reached_costs_a_bounded_amount_of_memory() -> None:
    first, second = await two_nodes()
    ann = await first.come("lounge", "ann")
    ben = await second.come("lounge", "ben")
    first.network.settle()
    for backlog, word in ((MOST_WAITING, "lost"), (MOST_WAITING - 1, "kept")):
        first.backlog = backlog
        first.say(ann, word)
    first.network.settle()
    assert first.heard[ann] == ["lost", "kept"]
    assert second.heard[ben] == ["kept"]
