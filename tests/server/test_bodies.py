"""How long the bodies of requests may be, and how many bytes of them are waited for at a time."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from functools import partial

import pytest

from parlour.server.limits import Quota
from tests.support import Opener, OpenHouse, soon


async def _announced(house: OpenHouse, length: int) -> bytes:
    """The status that a request gets whose body of this length never comes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", house.server.port)
    writer.write(
        f"POST /api/tables/123456/packs HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n"
        "Content-Type: application/json\r\n\r\n{".encode()
    )
    try:
        return (await reader.readline()).split()[1]
    finally:
        writer.close()


async def test_so_many_bytes_of_bodies_are_waited_for_at_a_time(
    open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Counter[str]()
    monkeypatch.setattr("parlour.server.bodies.Quota", partial(Quota, _held=held))
    house = await open_house()
    lengths = [1_000_000] * 12 + [2_000_000] + [100] * 3
    for _ in range(2):
        asked = [asyncio.create_task(_announced(house, length)) for length in lengths]
        await soon(lambda asked=asked: sum(task.done() for task in asked) == 5)
        await house.says_no_more()
        told = [task.result() if task.done() else b"" for task in asked]
        # Eight of an address are waited for, and short ones, which are not counted.
        assert sorted(told[:12]) == [b""] * 8 + [b"503"] * 4
        assert told[12:] == [b"413"] + [b""] * 3
        for task in asked:
            task.cancel()
        await soon(lambda: not held)


async def test_a_body_without_a_length_is_bounded_too(open_house: Opener) -> None:
    house = await open_house()
    visitor = await house.visitor()

    async def parts() -> AsyncIterator[bytes]:
        for _ in range(40):
            yield b" " * 10_000

    headers = {"Content-Type": "application/json"}
    async with visitor.http.post(
        f"{house.base}/api/tables", data=parts(), headers=headers
    ) as answer:
        assert answer.status == 413
