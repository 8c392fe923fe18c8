"""A link between nodes over a network that loses, repeats and reorders."""

from __future__ import annotations

from collections import deque
from contextlib import suppress

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.bus import link
from parlour.bus.link import Link, Packet, decode


class Ends:
    """Two ends of a link, and the packets on their way between them."""

    def __init__(self) -> None:
        self.now = 0.0
        self.wires: tuple[deque[bytes], deque[bytes]] = (deque(), deque())
        self.got: tuple[list[bytes], list[bytes]] = ([], [])
        self.links = (
            Link(self.wires[1].append, lambda n, items: self.hear(0, n, items)),
            Link(self.wires[0].append, lambda n, items: self.hear(1, n, items)),
        )

    def hear(self, end: int, number: int, items: bytes) -> None:
        self.got[end].append(items)
        self.links[end].finished(number)

    def arrive(self, end: int, data: bytes) -> None:
        self.links[end].received(decode(data), self.now)

    def settle(self) -> None:
        """Nothing gets lost any more."""
        for _ in range(100):
            self.now += 1.0
            for end in (0, 1):
                self.links[end].tick(self.now)
                while self.wires[end]:
                    self.arrive(end, self.wires[end].popleft())


steps = st.lists(
    st.tuples(st.sampled_from(["send", "arrive", "lose", "repeat", "last", "tick"]), st.booleans()),
    max_size=80,
)


@settings(max_examples=300)
@given(steps)
def test_everything_arrives_once_and_in_order(steps: list[tuple[str, bool]]) -> None:
    ends = Ends()
    sent: tuple[list[bytes], list[bytes]] = ([], [])
    for what, which in steps:
        end = int(which)
        wire = ends.wires[end]
        match what:
            case "send":
                sent[end].append(b"%d" % len(sent[end]))
                ends.links[end].send(sent[end][-1], ends.now)
            case "arrive" if wire:
                ends.arrive(end, wire.popleft())
            case "lose" if wire:
                wire.popleft()
            case "repeat" if wire:
                wire.append(wire[0])
            case "last" if wire:
                ends.arrive(end, wire.pop())
            case "tick":
                ends.now += 0.3
                ends.links[end].tick(ends.now)
        # Never more than was sent, never out of order, at any moment.
        for here in (0, 1):
            assert ends.got[here] == sent[1 - here][: len(ends.got[here])]
    ends.settle()
    assert ends.got == (sent[1], sent[0])
    assert ends.links[0].unconfirmed == ends.links[1].unconfirmed == []


def test_what_is_too_large_for_one_packet_arrives_whole() -> None:
    ends = Ends()
    large = bytes(range(256)) * (3 * link.LARGEST // 256)
    ends.links[0].send(large, 0)
    ends.links[0].send(b"small", 0)
    assert max(len(data) for data in ends.wires[1]) < 1_000_000
    ends.wires[1].popleft()
    ends.settle()
    assert ends.got[1] == [large, b"small"]


def test_what_is_not_done_yet_is_not_confirmed() -> None:
    ends = Ends()
    held: list[int] = []
    ends.links[1]._receive = lambda number, items: held.append(number)
    ends.links[0].send(b"move", 0)
    ends.settle()
    assert held == [1]
    assert ends.links[0].unconfirmed == [b"move"]
    ends.links[1].finished(1)
    ends.settle()
    assert ends.links[0].unconfirmed == []


def test_nothing_is_sent_again_before_it_is_time() -> None:
    carried: list[bytes] = []
    here = Link(carried.append, lambda number, items: None)
    here.send(b"x", 100.0)
    here.tick(100.0 + link.AGAIN_AFTER)
    assert len(carried) == 1
    here.tick(100.1 + link.AGAIN_AFTER)
    assert len(carried) == 2


def test_an_end_that_never_confirms_is_given_up() -> None:
    ends = Ends()
    for _ in range(link.MOST_WAITING + 1):
        ends.links[0].send(b"x", 0)
    assert ends.links[0].broken


def test_more_bytes_than_may_wait_break_it_but_one_message_of_any_size_does_not() -> None:
    ends = Ends()
    ends.links[0].send(bytes(link.MOST_BYTES + 1), 0)
    assert not ends.links[0].broken
    ends.links[0].send(b"x", 0)
    assert ends.links[0].broken


def test_packets_of_a_link_that_is_gone_are_answered_with_the_one_there_is() -> None:
    carried: list[bytes] = []
    here = Link(carried.append, lambda number, items: None, life=2)
    here.send(b"x", 0.0)
    carried.clear()
    here.received(Packet(1, 1, False, b"old"), 0.0)
    assert here.unconfirmed == [b"x"]
    here.tick(0.1)
    (answer,) = [decode(data) for data in carried]
    assert answer == Packet(0, 0, life=2)


@given(st.binary(max_size=40))
def test_what_is_no_packet_can_not_be_decoded(data: bytes) -> None:
    with suppress(msgspec.DecodeError):
        assert isinstance(decode(data), Packet)
