"""Frames that no good client would send: without a mask, in crumbs, and nothing but pings."""

from __future__ import annotations

import struct
from itertools import pairwise

import pytest
from aiohttp import WebSocketError
from hypothesis import given
from hypothesis import strategies as st

from parlour.server.frames import MOST_FRAGMENTS, FrameCheck
from tests.support import PING, PONG, TEXT, OpenHouse, RawSocket, soon


def frame(opcode: int, payload: bytes, *, last: bool = True, masked: bool = True) -> bytes:
    head = bytearray(RawSocket.head(opcode, len(payload), last=last))
    if not masked:
        head[1] &= 0x7F
        return bytes(head) + payload
    return bytes(head) + b"\0\0\0\0" + payload


class Reader:
    """What stands behind a check, and all it was fed; and the queue, with what went wrong."""

    def __init__(self) -> None:
        self.fed = b""
        self.wrong: list[int] = []

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        self.fed += data
        return False, b""

    def set_exception(self, wrong: WebSocketError) -> None:
        self.wrong.append(wrong.code)


payloads = st.one_of(
    st.binary(max_size=8),
    st.integers(120, 130).map(bytes),
    st.sampled_from([65_535, 65_536]).map(bytes),
)
frames = st.builds(frame, st.sampled_from([0x1, 0x2, 0x9, 0xA]), payloads)


def fed(stream: bytes, cuts: list[int]) -> Reader:
    reader = Reader()
    check = FrameCheck(reader, reader.set_exception)
    edges = sorted({0, len(stream), *(cut % (len(stream) + 1) for cut in cuts)})
    for begin, end in pairwise(edges):
        if check.feed_data(stream[begin:end])[0]:
            break
    return reader


@given(st.lists(frames, max_size=6), st.lists(st.integers(0, 2**20), max_size=12))
def test_masked_frames_pass_however_they_are_cut(good: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(good)
    reader = fed(stream, cuts)
    assert reader.fed == stream
    assert reader.wrong == []


@given(
    st.lists(frames, max_size=4),
    st.builds(frame, st.sampled_from([0x1, 0x8, 0x9]), payloads, masked=st.just(False)),
    st.lists(frames, max_size=2),
    st.lists(st.integers(0, 2**20), max_size=12),
)
def test_a_frame_without_a_mask_is_found_wherever_it_is(
    before: list[bytes], bad: bytes, after: list[bytes], cuts: list[int]
) -> None:
    good = b"".join(before)
    reader = fed(good + bad + b"".join(after), cuts)
    assert reader.wrong == [1002]
    # Nothing of what follows a chunk with a bad frame in it is read.
    assert len(reader.fed) <= len(good) + 2


async def test_a_frame_without_a_mask_ends_the_connection(house: OpenHouse) -> None:
    raw = await house.raw()
    await raw.event()
    raw.frame(TEXT, b'{"type":"name","name":"Ada"}')
    assert [p["name"] for p in (await raw.event())["lobby"]["players"]] == ["Ada"]
    raw.writer.write(frame(TEXT, b'{"type":"name","name":"Eve"}', masked=False))
    assert await raw.close_code() == 1002


async def test_what_comes_along_with_the_handshake_is_checked_too(house: OpenHouse) -> None:
    masked = await house.raw(early=frame(TEXT, b'{"type":"name","name":"Ada"}'))
    names = []
    while names != ["Ada"]:
        names = [p["name"] for p in (await masked.event())["lobby"]["players"]]
    bare = await house.raw(early=frame(TEXT, b'{"type":"name","name":"Ada"}', masked=False))
    code = struct.unpack("!H", (await until_closed(bare))[:2])[0]
    assert code == 1002


async def until_closed(raw: RawSocket) -> bytes:
    while True:
        opcode, payload = await raw.receive()
        if opcode == 0x8:
            return payload
        assert b'"Ada"' not in payload


@pytest.mark.parametrize(("count", "code"), [(MOST_FRAGMENTS, 0), (MOST_FRAGMENTS + 1, 1008)])
async def test_a_message_comes_in_so_many_pieces(house: OpenHouse, count: int, code: int) -> None:
    raw = await house.raw()
    await raw.event()
    raw.frame(TEXT, b'{"type":"name","name":"Ada"}', last=False)
    for _ in range(count - 1):
        raw.frame(0, b"", last=False)
    raw.frame(0, b"")
    if code:
        assert await raw.close_code() == code
    else:
        assert [p["name"] for p in (await raw.event())["lobby"]["players"]] == ["Ada"]


@pytest.mark.parametrize("opcode", [PING, PONG])
async def test_who_only_pings_is_cut_when_it_is_too_much(house: OpenHouse, opcode: int) -> None:
    raw = await house.raw()
    await raw.event()
    for _ in range(1000):
        raw.frame(opcode, b"hello?")
    answered = 0
    while True:
        kind, payload = await raw.receive()
        if kind != PONG:
            break
        answered += 1
    assert (kind, payload[:2]) == (0x8, (1008).to_bytes(2, "big"))
    assert answered <= (300 if opcode == PING else 0)
    metrics = house.server.metrics
    await soon(lambda: b'cut_connections_total{why="flood"} 1.0' in metrics.text())
