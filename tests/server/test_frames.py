"""A client's frames: read as `websockets` reads them; without a mask, in crumbs, only pings."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.protocol import SERVER, Protocol
from websockets.protocol import State as ProtocolState

from parlour.server import frames
from parlour.server.frames import (
    MOST_FRAGMENTS,
    SHORT,
    BrokenFrame,
    Frame,
    FrameReader,
    check_close,
    short_text,
)
from tests.support import PING, PONG, TEXT, OpenHouse, RawSocket, soon

LARGEST = 70_000


def frame(
    opcode: int,
    payload: bytes,
    *,
    last: bool = True,
    masked: bool = True,
    mask: bytes = bytes(4),
    reserved: int = 0,
) -> bytes:
    head = bytearray(RawSocket.head(opcode, len(payload), last=last))
    head[0] |= reserved
    if not masked:
        head[1] &= 0x7F
        return bytes(head) + payload
    hidden = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))
    return bytes(head) + mask + hidden


@dataclass(frozen=True)
class Sent:
    """A frame for a test, short to print."""

    opcode: int
    payload: bytes | int
    """So many zeros, if it is a number."""
    last: bool = True
    masked: bool = True
    mask: bytes = bytes(4)
    reserved: int = 0

    def __bytes__(self) -> bytes:
        payload = bytes(self.payload)
        return frame(
            self.opcode,
            payload,
            last=self.last,
            masked=self.masked,
            mask=self.mask,
            reserved=self.reserved,
        )


CODES = (1000, 1004, 1005, 1014, 1015, 2999, 3000, 4999, 5000)
payloads = st.one_of(
    st.binary(max_size=8),
    st.integers(120, 130),
    st.sampled_from([65_535, 65_536, LARGEST, LARGEST + 1]),
    st.sampled_from([code.to_bytes(2, "big") for code in CODES]),
    st.just(b"\x03\xe8\xff"),
)
masks = st.binary(min_size=4, max_size=4)
good = st.builds(Sent, st.sampled_from([0x1, 0x2, 0x9, 0xA]), payloads, mask=masks)
odd = st.builds(
    Sent,
    st.integers(0, 15),
    payloads,
    last=st.booleans(),
    masked=st.integers(0, 9).map(bool),
    mask=masks,
    reserved=st.sampled_from([0, 0, 0, 0, 0, 0x10, 0x20, 0x40]),
)
cuts = st.lists(st.integers(0, 2**20), max_size=12)


def pieces(stream: bytes, cuts: list[int]) -> list[bytes]:
    edges = sorted({0, len(stream), *(cut % (len(stream) + 1) for cut in cuts)})
    return [stream[begin:end] for begin, end in pairwise(edges)]


def ours(chunks: list[bytes]) -> tuple[list[Frame], int]:
    """The messages and control frames, and the code of what is wrong (0: nothing)."""
    reader = FrameReader(LARGEST)
    read: list[Frame] = []
    try:
        for chunk in chunks:
            text = short_text(chunk) if reader.empty else None
            if text is not None:
                read.append(Frame(TEXT, text))
                continue
            reader.feed(chunk)
            while (found := reader.next()) is not None:
                if found.opcode == frames.CLOSE:
                    check_close(found.payload)
                    return [*read, found], 0
                read.append(found)
    except BrokenFrame as broken:
        return read, broken.code
    return read, 0


def theirs(chunks: list[bytes]) -> tuple[list[Frame], int]:
    """The same by `websockets`; its frames are put together to messages."""
    protocol = Protocol(SERVER, state=ProtocolState.OPEN, max_size=LARGEST)
    read: list[Frame] = []
    opcode, message = 0, b""
    for chunk in chunks:
        protocol.receive_data(chunk)
    for found in protocol.events_received():
        if found.opcode > 0x7:
            read.append(Frame(found.opcode, bytes(found.data)))
            continue
        if found.opcode != frames.CONTINUATION:
            opcode, message = found.opcode, b""
        message += bytes(found.data)
        if found.fin:
            read.append(Frame(opcode, message))
    failed = protocol.parser_exc is not None and protocol.close_sent is not None
    return read, protocol.close_sent.code if failed else 0


SPLIT = [Sent(0x2, b"a", last=False), Sent(0x9, b"?"), Sent(0x0, b"b")]


@pytest.mark.parametrize(
    "sent",
    [
        *([Sent(0x8, code.to_bytes(2, "big"))] for code in (*CODES, 0, 999, 1006, 1011, 1016)),
        [Sent(0x8, b"")],
        [Sent(0x8, b"\x03")],
        [Sent(0x8, b"\x03\xe8\xff")],
        [Sent(0x1, LARGEST)],
        [Sent(0x1, LARGEST + 1)],
        [Sent(0x1, LARGEST - 1, last=False), Sent(0x0, b"x")],
        [Sent(0x1, LARGEST, last=False), Sent(0x0, b"x")],
        [Sent(0x1, b"a", last=False), Sent(0x1, b"b")],
        [Sent(0x0, b"a")],
        [*SPLIT, *SPLIT, Sent(0x1, b"c")],
        [Sent(0x9, 125), Sent(0x9, 126)],
    ],
    ids=str,
)
def test_frames_at_the_edge_are_read_as_websockets_reads_them(sent: list[Sent]) -> None:
    compare(sent, [])


@given(st.lists(st.one_of(good, odd), max_size=6), cuts)
def test_frames_are_read_as_websockets_reads_them(sent: list[Sent], cuts: list[int]) -> None:
    compare(sent, cuts)


def compare(sent: list[Sent], cuts: list[int]) -> None:
    chunks = pieces(b"".join(map(bytes, sent)), cuts)
    # A failing comparison of long messages would be printed at length.
    (read, wrong), (expected, code) = ours(chunks), theirs(chunks)
    assert wrong == code
    assert [each.opcode for each in read] == [each.opcode for each in expected]
    assert all(one == other for one, other in zip(read, expected, strict=True))


@given(st.binary(max_size=40))
def test_any_bytes_are_read_as_websockets_reads_them(stream: bytes) -> None:
    read, code = ours([stream])
    expected, wrong = theirs([stream])
    # Some mistakes are found by us before the frame is whole.
    assert code == wrong or (wrong == 0 and read == expected)


def test_only_one_whole_short_text_takes_the_short_way() -> None:
    assert short_text(frame(TEXT, b"hello", mask=b"abcd")) == b"hello"
    assert short_text(frame(TEXT, b"")) == b""
    for size in (125, 126, SHORT):
        text = bytes(range(size % 128)) * (size // 128 + 1)
        whole = frame(TEXT, text[:size], mask=b"abcd")
        assert short_text(whole) == text[:size]
        assert short_text(whole[:-1]) is None
        assert short_text(whole + b"x") is None
    assert short_text(frame(TEXT, bytes(SHORT + 1))) is None
    assert short_text(frame(TEXT, bytes(SHORT), masked=False)) is None
    # A length in more bytes than it needs.
    assert short_text(b"\x81\xfe\x00\x05abcdhello") is None
    whole = frame(TEXT, b"hello")
    for other in (whole[:-1], whole + b"x", whole + whole, frame(0x2, b"hello"), b""):
        assert short_text(other) is None
    assert short_text(frame(TEXT, b"hello", last=False)) is None
    assert short_text(frame(TEXT, b"hello hello", masked=False)) is None


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
