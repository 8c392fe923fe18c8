"""What whoever runs the house does to it from outside: signals, certificates, full disks."""

from __future__ import annotations

import asyncio
import re
import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import aiohttp
import pytest

from tests.support import PARLOUR, PATIENCE, Opener, Process, Visitor, own_port, soon

pytestmark = pytest.mark.slow


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no disk that is always full")
async def test_a_full_standard_output_does_not_end_the_house(tmp_path: Path) -> None:
    port = own_port()
    with Path("/dev/full").open("wb") as full:  # noqa: ASYNC230 - a device
        process = await asyncio.create_subprocess_exec(
            *PARLOUR,
            *("serve", "--host", "127.0.0.1", "--port", str(port), "--data", str(tmp_path)),
            stdout=full,
            stderr=asyncio.subprocess.PIPE,
        )
    try:
        await healthy(port)
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            _, complaints = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode == 0, complaints
    assert b"Standard output can't be written" in complaints


async def healthy(port: int) -> None:
    """Return once the house answers at this port."""
    async with aiohttp.ClientSession() as http:

        async def answers() -> bool:
            try:
                async with http.get(f"http://127.0.0.1:{port}/healthz") as answer:
                    return answer.status == 200
            except aiohttp.ClientConnectionError:
                return False

        await soon(answers)


async def test_what_is_counted_of_a_game_begins_when_the_house_opens(open_house: Opener) -> None:
    house = await open_house()
    opened = time.time()
    visitor: Visitor = await house.visitor()
    guest = await visitor.rummy()
    await guest.send("name", name="Ada")
    await guest.until("lobby")
    text = (await visitor.get("/metrics")).body.decode()
    found = re.search(r'^parlour_actions_created\{game="rummy"\} (\S+)$', text, re.MULTILINE)
    assert found is not None
    assert float(found[1]) <= opened


async def test_sighup_reads_files_anew_and_ends_nothing(
    serve: Callable[..., Awaitable[Process]], tmp_path: Path
) -> None:
    words = tmp_path / "words.txt"
    words.write_text("plum\n")
    served = await serve("--word-list", str(words))
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as http:
        visitor = Visitor(served.base, http)
        guest = await visitor.rummy()
        await guest.expect("lobby")

        async def called(name: str) -> str:
            await guest.send("name", name=name)
            return str((await guest.expect("lobby"))["lobby"]["players"][0]["name"])

        assert await called("plum pear") == "**** pear"
        words.write_text("pear\n")
        served.process.send_signal(signal.SIGHUP)

        async def read_anew() -> bool:
            return await called("plum pear") == "plum ****"

        await soon(read_anew)
        # A file that can't be read leaves what was read before.
        words.unlink()
        served.process.send_signal(signal.SIGHUP)
        assert served.process.stderr is not None
        said = b""
        async with asyncio.timeout(PATIENCE):
            while said.count(b"reloading certificate") < 2:
                said += await served.process.stderr.readline()
        assert await called("plum pear fig") == "plum **** fig"
    served.process.terminate()
    code, complaints = await served.ended()
    assert code == 0
    assert complaints.count("reloading certificate") == 0
    assert "The old files stay in use." in complaints
