"""A reverse proxy for tests, correct or not: it applies given changes and forwards the rest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tests.network import Port

Headers = list[tuple[str, str]]
Change = Callable[[str, Headers], tuple[str, Headers]]
"""A request's path or an answer's status line, and its headers, before and after."""


def untouched(first: str, headers: Headers) -> tuple[str, Headers]:
    return first, headers


def without(*names: str) -> Change:
    """Remove these headers."""
    return lambda first, headers: (first, [h for h in headers if h[0].lower() not in names])


def with_header(name: str, value: str) -> Change:
    """Set this header, and replace an existing one."""

    def change(first: str, headers: Headers) -> tuple[str, Headers]:
        return first, [*(h for h in headers if h[0].lower() != name.lower()), (name, value)]

    return change


def below(root: str) -> Change:
    """Remove this prefix of the path."""
    return lambda path, headers: (path.removeprefix(root), headers)


def all_of(*changes: Change) -> Change:
    def change(first: str, headers: Headers) -> tuple[str, Headers]:
        for each in changes:
            first, headers = each(first, headers)
        return first, headers

    return change


@asynccontextmanager
async def proxied(
    port: int, asked: Change = untouched, answered: Change = untouched
) -> AsyncIterator[int]:
    """A proxy in front of a local port; gives its own port. One request per connection."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, headers = await _head(reader)
        method, path, version = first.split(" ")
        path, headers = asked(path, headers)
        if not any(name.lower() == "upgrade" for name, _ in headers):
            _, headers = with_header("Connection", "close")("", headers)
        back, house = await asyncio.open_connection("127.0.0.1", port)
        _write(house, f"{method} {path} {version}", headers)
        forth = asyncio.create_task(_pass_on(reader, house))
        try:
            _write(writer, *answered(*await _head(back)))
            await _pass_on(back, writer)
            writer.close()
            await writer.wait_closed()
        finally:
            house.transport.abort()
            forth.cancel()
            await asyncio.gather(forth, return_exceptions=True)

    here = Port(serve)
    await here.start()
    try:
        yield here.number
    finally:
        await here.stop()


async def _head(reader: asyncio.StreamReader) -> tuple[str, Headers]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")[:-2]
    pairs = [line.partition(":") for line in lines]
    return first, [(name, value.strip()) for name, _, value in pairs]


def _write(writer: asyncio.StreamWriter, first: str, headers: Headers) -> None:
    lines = [first, *(f"{name}: {value}" for name, value in headers)]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
