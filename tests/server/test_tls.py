"""The certificate: renewed under a running house, and warned of before it expires."""

from __future__ import annotations

import asyncio
import logging
import ssl
import time
from pathlib import Path

import aiohttp
import msgspec
import pytest

from parlour.server import tls
from parlour.server.tls import DAY, Certificate
from tests.server.certificates import write_certificate
from tests.support import PATIENCE, Opener, OpenHouse, soon


async def shown(house: OpenHouse) -> bytes:
    """The certificate that a new connection is shown."""
    trust = ssl.create_default_context()
    trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
    async with asyncio.timeout(PATIENCE):
        _, writer = await asyncio.open_connection("127.0.0.1", house.server.port, ssl=trust)
    found = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    assert isinstance(found, bytes)
    return found


async def shows(house: OpenHouse, file: str) -> None:
    """Return once new connections are shown the certificate in a file."""

    async def is_shown() -> bool:
        return await shown(house) == held(file)

    await soon(is_shown)


def copy(file: str, to: str) -> None:
    Path(to).write_bytes(Path(file).read_bytes())


def held(file: str) -> bytes:
    return ssl.PEM_cert_to_DER_cert(Path(file).read_text())


async def test_a_renewed_certificate_is_shown_to_who_comes_next_and_nobody_is_cut(
    tmp_path: Path, open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tls, "EVERY", 0.02)
    cert, key = write_certificate(tmp_path)
    house = await open_house(tls_cert=cert, tls_key=key)
    first = held(cert)
    assert await shown(house) == first
    trust = ssl.create_default_context(cafile=cert)
    visitor = await house.visitor(connector=aiohttp.TCPConnector(ssl=trust))
    guest = await visitor.rummy()
    await guest.expect("lobby")

    write_certificate(tmp_path)
    assert held(cert) != first
    await shows(house, cert)
    assert await guest.fence() == []


async def test_files_that_do_not_fit_leave_the_old_certificate_in_force(
    tmp_path: Path,
    open_house: Opener,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(tls, "EVERY", 0.02)
    cert, key = write_certificate(tmp_path)
    house = await open_house(tls_cert=cert, tls_key=key)
    first = held(cert)
    # Half of a renewal: the certificate is there, its key is not.
    (tmp_path / "new").mkdir()
    other_cert, other_key = write_certificate(tmp_path / "new")
    copy(other_cert, to=cert)
    await soon(lambda: "can't be used: key values mismatch" in caplog.text)
    assert await shown(house) == first
    (tmp_path / "cert.pem").unlink()
    await soon(lambda: "can't be used: no such file or directory" in caplog.text)
    assert await shown(house) == first
    # Said once for each change, not at every look.
    looks = 0
    warn = tls.Certificate.warn

    def counted(certificate: tls.Certificate) -> None:
        nonlocal looks
        looks += 1
        warn(certificate)

    monkeypatch.setattr(tls.Certificate, "warn", counted)
    await soon(lambda: looks > 2)
    assert caplog.text.count("can't be used") == 2
    copy(other_cert, to=cert)
    copy(other_key, to=key)
    await shows(house, other_cert)


@pytest.mark.parametrize(
    ("days", "warning"),
    [(30, ""), (14.5, ""), (3.5, "expires on"), (0.5, "in 0 days"), (-2, "expired on")],
)
async def test_a_certificate_that_is_about_to_expire_is_warned_of(
    tmp_path: Path,
    open_house: Opener,
    caplog: pytest.LogCaptureFixture,
    days: float,
    warning: str,
) -> None:
    cert, key = write_certificate(tmp_path, days)
    house = await open_house(tls_cert=cert, tls_key=key)
    logged = [r.getMessage() for r in caplog.records if r.name == "parlour.tls"]
    assert [warning in line for line in logged] == ([True] if warning else [])
    visitor = await house.visitor(connector=aiohttp.TCPConnector(ssl=False))
    health = await visitor.get("/healthz")
    assert health.status == 200
    told = msgspec.json.decode(health.body)["certificate"]
    assert abs(told["expires"] - time.time() - days * DAY) < DAY / 10
    assert told.get("warning", "") == (logged[0] if warning else "")
    metrics = (await visitor.get("/metrics")).body.decode()
    line = next(x for x in metrics.splitlines() if x.startswith("parlour_certificate_expiry"))
    assert int(float(line.split()[1])) == told["expires"]


def test_the_warning_is_logged_once_a_day_and_ends_with_a_renewal(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    now = time.time()
    certificate = Certificate(*write_certificate(tmp_path, 10), clock=lambda: now)
    for hours in (0, 1, 22, 2, 20, 5):
        now += hours * 3600
        certificate.warn()
    assert caplog.text.count("expires on") == 3
    write_certificate(tmp_path, 90)
    certificate.reload()
    now += 2 * DAY
    certificate.warn()
    assert certificate.warning == ""
    assert caplog.text.count("WARNING") == 3
