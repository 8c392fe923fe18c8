"""The doctor: finds what is wrong with a house, from outside, and nothing where nothing is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from typer.testing import CliRunner

from parlour.cli import app
from parlour.doctor import Finding, examine
from tests.proxy import Change, below, proxied, untouched, with_header, without
from tests.server.certificates import write_certificate
from tests.support import Opener, OpenHouse

HTML = """<meta name="root" content="./">
<script type="module" crossorigin src="./assets/index-1.js"></script>"""
FOR = with_header("X-Forwarded-For", "198.51.100.7")


@pytest.fixture(autouse=True)
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "page"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(HTML)
    (folder / "assets" / "index-1.js").write_text("let x = 1")
    monkeypatch.setattr("parlour.server.page.folder", lambda: folder)


async def findings(address: str) -> list[Finding]:
    return [finding async for finding in examine(address)]


def faults(found: list[Finding]) -> list[str]:
    """What is not good, but for what no test has: a certificate that browsers know."""
    expected = ("No TLS: ", "Browsers refuse the TLS certificate: self-signed")
    bad = [f"{f.state}: {f.sentence} {f.mend}" for f in found if f.state != "good"]
    return [each for each in bad if not each.split(": ", 1)[1].startswith(expected)]


@asynccontextmanager
async def behind(
    house: OpenHouse, asked: Change = untouched, answered: Change = untouched
) -> AsyncIterator[str]:
    async with proxied(house.server.port, asked, answered) as port:
        yield f"http://127.0.0.1:{port}"


async def test_nothing_is_found_where_nothing_is_wrong(house: OpenHouse) -> None:
    found = await findings(house.base)
    assert faults(found) == []
    said = " ".join(finding.sentence for finding in found)
    for tried in ("script", "Super Rummy", "cookie", "may post", "WebSockets", "127.0.0.1"):
        assert tried in said


async def test_nothing_is_found_behind_a_good_proxy(open_house: Opener) -> None:
    house = await open_house(proxy_headers=True)
    async with behind(house, FOR) as address:
        assert faults(await findings(address)) == []


async def test_nothing_is_found_over_tls_or_below_a_path(
    open_house: Opener, tmp_path: Path
) -> None:
    cert, key = write_certificate(tmp_path, days=90)
    house = await open_house(tls_cert=cert, tls_key=key)
    assert faults(await findings(house.base)) == []
    lower = await open_house(data=":memory:", public_url="http://127.0.0.1:1/parlour/")
    async with behind(lower, below("/parlour")) as address:
        # Its port is not the one it was told.
        [fault] = faults(await findings(f"{address}/parlour"))
        assert "Links to share begin with http://127.0.0.1:1/parlour/" in fault


@pytest.mark.parametrize(
    ("settings", "asked", "answered", "said"),
    [
        ({}, without("upgrade", "connection"), untouched, "does not pass WebSocket upgrades"),
        ({}, with_header("Host", "inside:3000"), untouched, "refuses its own page"),
        ({}, untouched, without("set-cookie"), "The first answer sets no cookie"),
        ({}, without("cookie"), untouched, "The cookie does not reach the server"),
        ({}, without("origin"), untouched, "Pages of all other sites"),
        ({"origins": ["*"]}, untouched, untouched, "Pages of all other sites"),
        ({}, FOR, untouched, "its headers are ignored. Everybody seems to come from 127.0.0.1"),
        ({"proxy_headers": True}, untouched, untouched, "believes any X-Forwarded-For header"),
        (
            {"proxy_headers": True},
            without("x-forwarded-for"),
            untouched,
            "does not send X-Forwarded-For",
        ),
        ({"public_url": "https://cards.example"}, untouched, untouched, "only for https"),
        ({"public_url": "https://cards.example"}, untouched, untouched, "Links to share"),
        ({"public_url": "http://x.example/cards/"}, untouched, untouched, "it stays blank"),
        ({}, untouched, with_header("Content-Type", "text/html"), "script /assets/index-1.js"),
    ],
)  # fmt: skip
async def test_what_is_wrong_is_named(
    open_house: Opener, settings: dict[str, Any], asked: Change, answered: Change, said: str
) -> None:
    house = await open_house(**settings)
    async with behind(house, asked, answered) as address:
        found = await findings(address)
    named = [finding for finding in found if said in finding.sentence]
    assert len(named) == 1, faults(found)
    assert named[0].state != "good"
    assert named[0].mend


async def test_a_certificate_about_to_expire_is_named(open_house: Opener, tmp_path: Path) -> None:
    cert, key = write_certificate(tmp_path, days=3)
    house = await open_house(tls_cert=cert, tls_key=key)
    [fault] = faults(await findings(house.base))
    assert "expires on" in fault


@asynccontextmanager
async def some_site(answer: Callable[[web.Request], web.Response]) -> AsyncIterator[str]:
    async def handle(request: web.BaseRequest) -> web.Response:
        assert isinstance(request, web.BaseRequest)
        return answer(request)  # type: ignore[arg-type]

    runner = web.ServerRunner(web.Server(handle))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def _circle(request: web.Request) -> web.Response:
    return web.Response(status=302, headers={"Location": "/again"})


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda _: web.Response(text="hello"), "is not Parlour's page"),
        (lambda _: web.Response(status=502), "The proxy answers 502"),
        (_circle, "redirects in a circle"),
        (lambda _: web.Response(text=HTML, content_type="text/html"), "was made for the path ./"),
        (lambda _: web.Response(body=b"\xff" * 3_000_000), "is not Parlour's page"),
    ],
)
async def test_another_site_is_no_house(
    answer: Callable[[web.Request], web.Response], said: str
) -> None:
    async with some_site(answer) as address:
        found = await findings(address)
    assert any(said in finding.sentence for finding in found), found
    assert found[-1].state == "wrong"


async def test_a_page_that_leads_on_is_followed(house: OpenHouse) -> None:
    def lead_on(_: web.Request) -> web.Response:
        return web.Response(status=301, headers={"Location": f"{house.base}/"})

    async with some_site(lead_on) as address:
        found = await findings(address)
    assert faults(found) == []
    assert any(f"redirects to {house.base}/" in finding.sentence for finding in found)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("nonsense", "nonsense is not an address"),
        ("ftp://cards.example", "is not an address"),
        ("http://[", "is not an address"),
        ("http://127.0.0.1:1", "can't be reached"),
        ("http://nowhere.invalid", "The host nowhere.invalid is unknown"),
    ],
)
async def test_an_address_that_leads_nowhere_is_named(address: str, said: str) -> None:
    assert said in (await findings(address))[-1].sentence


async def test_plain_http_where_tls_was_asked_for_is_named(house: OpenHouse) -> None:
    [fault] = faults(await findings(house.base.replace("http:", "https:")))
    assert "does not speak TLS" in fault


def test_the_command_ends_with_1_where_something_is_wrong() -> None:
    result = CliRunner().invoke(app, ["doctor", "http://[red]"])
    assert result.exit_code == 1
    assert "WRONG http://[red] is not an address" in result.stdout


@pytest.mark.parametrize(
    "address",
    [
        "http://[",
        "http://x:99999999",
        "http://x:abc",
        "http://",
        "http://a..b",
        f"http://{'a' * 99}",
    ],
)
def test_what_is_no_address_is_said_to_be_none(address: str) -> None:
    result = CliRunner().invoke(app, ["doctor", address])
    assert result.exit_code == 1
    (line,) = result.stdout.splitlines()
    assert f"{address} is not an address" in line


DEEP = "[" * 100_000
MEAN = [
    {"api/games": DEEP},
    {"api/games": '{"games": [{"name": 7}]}'},
    {"api/me": DEEP},
    {"api/connection": DEEP},
    {"api/connection": '{"address": "x", "proxy": "none", "link": "http://["}'},
    {"healthz": DEEP},
    {"healthz": '{"ok": true, "certificate": 7}'},
    {"": HTML.replace("./assets/index-1.js", "http://[")},
    {"": HTML.replace("./assets/index-1.js", "http://x:99999999/")},
    {"api/games": '{"games": [{"name": "\\u001b]0;gone\\u0007\\u001b[2J"}]}'},
    {"api/games": '{"games": [{"name": "' + "long " * 10_000 + '"}]}'},
]


@pytest.mark.parametrize("answers", MEAN, ids=str)
async def test_whatever_a_house_answers_is_told_in_plain_sentences(
    answers: dict[str, str],
) -> None:
    usual = {"": HTML, "assets/index-1.js": "let x = 1", "api/games": '{"games": []}'}

    async def answer(request: web.Request) -> web.Response:
        body = {**usual, **answers}.get(request.match_info["path"])
        kind = "text/javascript" if request.path.endswith(".js") else "text/html"
        return web.Response(text=body, content_type=kind, status=404 if body is None else 200)

    site = web.Application()
    site.router.add_route("*", "/{path:.*}", answer)
    async with TestServer(site) as server:
        command = ["doctor", f"http://127.0.0.1:{server.port}"]
        result = await asyncio.to_thread(CliRunner().invoke, app, command)
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert not set(result.stdout) & set("\x1b\x07")
    assert max(map(len, result.stdout.splitlines())) < 1_100
