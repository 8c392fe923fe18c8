"""Passwords and TLS on the way to PostgreSQL and NATS, as `deploy/` has them; and wrong ones."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest

from tests.cluster.test_two_nodes import play_round, seated
from tests.network import TlsProxy
from tests.servers import NatsServer, PostgresServer
from tests.support import PARLOUR, PATIENCE, Opener

DEPLOY = Path(__file__).parents[2] / "deploy"
PASSWORD = "s3cret"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of them, for both servers under the name of this machine."""
    folder = tmp_path_factory.mktemp("certificates")
    subprocess.run(["sh", DEPLOY / "certificates.sh", folder, "localhost"], check=True)
    return folder


@pytest.fixture(scope="module")
def guarded_nats(certificates: Path) -> Iterator[NatsServer]:
    text = (DEPLOY / "nats.conf").read_text()
    config = certificates / "nats.conf"
    config.write_text(text.replace("/certificates/nats", f"{certificates}/localhost"))
    env = {**os.environ, "PARLOUR_NATS_PASSWORD": PASSWORD}
    server = NatsServer("-c", str(config), env=env)
    yield server
    server.stop()


@pytest.fixture
def nats_port(guarded_nats: NatsServer) -> str:
    return guarded_nats.url.rpartition(":")[2]


@pytest.fixture(scope="module")
def asking_postgres() -> Iterator[PostgresServer]:
    """It asks the user `keeper` for a password."""
    server = PostgresServer()
    rules = server.folder / "data" / "pg_hba.conf"
    rules.write_text(f"local all keeper scram-sha-256\n{rules.read_text()}")
    server.process.send_signal(signal.SIGHUP)
    yield server
    server.stop()


@pytest.fixture
async def guarded_postgres(
    asking_postgres: PostgresServer, certificates: Path
) -> AsyncIterator[str]:
    """A database on a server with TLS, without user and password: localhost:port/name."""
    url = asking_postgres.new_database()
    connection = await asyncpg.connect(url)
    with suppress(asyncpg.DuplicateObjectError):
        await connection.execute(f"CREATE ROLE keeper LOGIN PASSWORD '{PASSWORD}'")
    name = await connection.fetchval("SELECT current_database()")
    await connection.execute(f"ALTER DATABASE {name} OWNER TO keeper")
    await connection.close()
    pem, key = certificates / "localhost.pem", certificates / "localhost.key"
    proxy = TlsProxy(asking_postgres.socket, pem, key)
    await proxy.start()
    yield f"localhost:{proxy.port}/{name}"
    await proxy.stop()


async def test_people_play_over_servers_with_passwords_and_tls(
    open_house: Opener,
    guarded_postgres: str,
    nats_port: str,
    certificates: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trusted = certificates / "ca.pem"
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    servers = {
        "store": f"postgresql://keeper@{guarded_postgres}?sslmode=verify-full&sslrootcert={trusted}",
        "bus": f"tls://parlour:{PASSWORD}@localhost:{nats_port}",
        "lease": 30.0,
    }
    first, second = await open_house(**servers), await open_house(**servers)
    clients = await seated(first, second)
    await clients[1].send("start")
    await play_round(clients)


async def refused(trusted: Path | None, *flags: str) -> str:
    """What `parlour serve` says when it does not start."""
    env = {**os.environ, **({} if trusted is None else {"SSL_CERT_FILE": str(trusted)})}
    process = await asyncio.create_subprocess_exec(
        *PARLOUR,
        *("serve", "--port", "0", "--log-level", "warning", *flags),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=env,
    )
    async with asyncio.timeout(4 * PATIENCE):
        out, said = await process.communicate()
    assert (process.returncode, out) == (2, b"")
    assert PASSWORD not in said.decode()
    # Python logs a warning of its own when a connection with TLS ends.
    lines = [line for line in said.decode().splitlines() if "WARNING asyncio" not in line]
    assert len(lines) == 1, lines
    return lines[0].removeprefix("parlour: ")


async def test_a_wrong_password_or_certificate_is_named_in_one_sentence(
    guarded_postgres: str,
    nats_port: str,
    certificates: Path,
    database: str,
    nats_server: NatsServer,
) -> None:
    trusted = certificates / "ca.pem"
    wrong_bus = {
        (f"tls://parlour:wrong@localhost:{nats_port}", trusted): "it refuses the user or the pass",
        (f"tls://localhost:{nats_port}", trusted): "it refuses the user or the password",
        (f"tls://parlour:{PASSWORD}@localhost:{nats_port}", None): "its certificate is not trusted",
        (f"tls://parlour:{PASSWORD}@127.0.0.1:{nats_port}", trusted): "not valid for '127.0.0.1'",
        (nats_server.url.replace("nats://", f"tls://parlour:{PASSWORD}@"), trusted): (
            "it does not use TLS"
        ),
    }
    name = guarded_postgres.partition("/")[2]
    verify = f"sslmode=verify-full&sslrootcert={trusted}"
    wrong_store = {
        f"keeper:wrong@{guarded_postgres}?{verify}": "password authentication failed for user",
        f"keeper@{guarded_postgres}?{verify}": "password",
        f"nobody:wrong@{guarded_postgres}?{verify}": 'role "nobody" does not exist',
        f"keeper:{PASSWORD}@{guarded_postgres}?sslmode=verify-full": "root.crt",
        f"keeper:{PASSWORD}@{guarded_postgres}?{verify}.none": "No such file",
        f"keeper:{PASSWORD}@{guarded_postgres.replace('localhost', '127.0.0.1')}?{verify}": (
            "certificate is not valid for '127.0.0.1'"
        ),
    }
    for (bus, trust), why in wrong_bus.items():
        said = await refused(trust, "--store", database, "--bus", bus)
        assert said.startswith("NATS can't be used: "), said
        assert why in said
    for store, why in wrong_store.items():
        said = await refused(None, "--store", f"postgresql://{store}", "--bus", nats_server.url)
        assert said.startswith(f"The database {name} on "), said
        assert why in said
