"""The servers that other tests rely on are real, and each test has a database of its own."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import asyncpg
import nats
import pytest

from tests.servers import PATIENCE, NatsServer, PostgresServer
from tests.support import soon

pytestmark = pytest.mark.slow


async def test_every_test_has_a_database_of_its_own(
    postgres_server: PostgresServer, database: str
) -> None:
    other = postgres_server.new_database()
    here, there = await asyncpg.connect(database), await asyncpg.connect(other)
    await here.execute("CREATE TABLE facts (key text)")
    assert await there.fetchval("SELECT to_regclass('facts')") is None
    assert await here.fetchval("SELECT to_regclass('facts')") == "facts"
    await here.close()
    await there.close()


async def test_databases_go_with_their_test() -> None:
    server = PostgresServer()
    try:
        database = server.new_database()
        # Also where somebody is still connected.
        left = await asyncpg.connect(database)
        server.drop_databases()
        with pytest.raises(asyncpg.InvalidCatalogNameError):
            await asyncpg.connect(database)
        await left.close(timeout=PATIENCE)
    finally:
        server.stop()


async def test_a_message_gets_across(nats_server: NatsServer) -> None:
    client = await nats.connect(nats_server.url)
    subscription = await client.subscribe("here")
    await client.publish("here", b"hello")
    assert (await subscription.next_msg(30)).data == b"hello"
    await client.close()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody tells a process")
def test_a_killed_test_run_leaves_no_server_behind() -> None:
    begin = "from tests.servers import NatsServer; import sys; s = NatsServer()"
    wait = "print(s.process.pid, s.folder, flush=True); sys.stdin.read()"
    run = subprocess.Popen(
        [sys.executable, "-c", f"{begin}; {wait}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None
    server, folder = run.stdout.readline().split()
    run.send_signal(signal.SIGKILL)
    run.communicate()
    asyncio.run(soon(lambda: not _runs(int(server))))
    shutil.rmtree(folder)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
        # One that has ended may wait for somebody to ask how.
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False
