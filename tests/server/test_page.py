"""The page as files: compressed ahead, and below a path of somebody else's host."""

from __future__ import annotations

import gzip
import logging
import re
from pathlib import Path

import msgspec
import pytest

from parlour.house.operations import FUNCTIONS
from parlour.protocol.operations import FIND, LIST_TABLES
from parlour.server import logs
from parlour.server.config import BadConfig, Config
from parlour.server.server import Server
from tests.support import Opener, OpenHouse, Page, Visitor

HTML = '<meta name="root" content="./"><!-- about --><script src="./assets/index-1.js"></script>'


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page of three files, one of them compressed in both ways."""
    folder = tmp_path / "page"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(HTML)
    (folder / "assets" / "index-1.js").write_text("plain")
    (folder / "assets" / "index-1.js.br").write_bytes(b"brotli")
    (folder / "assets" / "index-1.js.gz").write_bytes(gzip.compress(b"gzip"))
    (folder / "assets" / "small.css").write_text("small")
    monkeypatch.setattr("parlour.server.page.folder", lambda: folder)
    monkeypatch.setattr("parlour.server.preview.folder", lambda: folder)
    return folder


async def fetched(visitor: Visitor, path: str, takes: str) -> Page:
    return await visitor.get(path, headers={"Accept-Encoding": takes})


async def test_a_file_is_sent_as_small_as_the_browser_takes_it(
    built: Path, open_house: Opener
) -> None:
    visitor = await (await open_house()).visitor(auto_decompress=False)
    for takes, encoding in (("gzip, br", "br"), ("gzip", "gzip"), ("identity", None)):
        answer = await fetched(visitor, "/assets/index-1.js", takes)
        assert answer.headers.get("Content-Encoding") == encoding
        assert answer.headers["Vary"] == "Accept-Encoding"
        assert answer.headers["Content-Type"].endswith("/javascript")
        assert "immutable" in answer.headers["Cache-Control"]
    assert (await fetched(visitor, "/assets/index-1.js", "br")).body == b"brotli"
    assert (await fetched(visitor, "/assets/small.css", "gzip, br")).body == b"small"


async def test_long_json_is_compressed_for_who_takes_it_and_short_is_not(
    open_house: Opener,
) -> None:
    visitor = await (await open_house()).visitor(auto_decompress=False)
    long = await fetched(visitor, "/api/games", "gzip")
    assert long.headers["Content-Encoding"] == "gzip"
    assert long.headers["Vary"] == "Accept-Encoding"
    plain = await fetched(visitor, "/api/games", "identity")
    assert "Content-Encoding" not in plain.headers
    assert gzip.decompress(long.body) == plain.body
    assert len(long.body) < len(plain.body) / 2
    # It holds a token, and whoever could compress it with words of theirs could guess at that.
    short = await fetched(visitor, "/api/me", "gzip")
    assert "Content-Encoding" not in short.headers
    assert "token" in msgspec.json.decode(short.body)


# Below a path


@pytest.fixture
async def below(built: Path, open_house: Opener) -> OpenHouse:
    return await open_house(public_url="https://cards.example/games/parlour/")


@pytest.mark.parametrize("prefix", ["/games/parlour", ""], ids=["kept", "taken off by the proxy"])
async def test_page_api_and_sockets_are_below_the_path(below: OpenHouse, prefix: str) -> None:
    visitor = await below.visitor()
    for path in ("/", "/table/rummy/123456", "/play/mo?tutorial"):
        page = await visitor.get(prefix + path)
        assert page.status == 200
        assert b'content="/games/parlour/"' in page.body
        assert b'src="/games/parlour/assets/index-1.js"' in page.body
    assert previewed(page.body)["title"] == "MO"
    assert previewed(page.body)["image"] == "https://cards.example/games/parlour/share.png"
    assert (await visitor.get(f"{prefix}/assets/index-1.js")).status == 200
    assert (await visitor.call("GET", f"{prefix}/api/games"))[0] == 200
    status, opened = await visitor.call("POST", f"{prefix}/api/tables", {"game": "rummy"})
    assert status == 201
    assert (await visitor.call("GET", f"{prefix}/api/tables?game=rummy"))[0] == 200
    guest = await visitor.rummy(f"?table={opened['code']}", path=f"{prefix}/rummy")
    assert (await guest.expect("lobby"))["lobby"]["code"] == opened["code"]


def previewed(page: bytes) -> dict[str, str]:
    """The Open Graph tags of a page."""
    return dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)" />', page.decode()))


async def test_a_link_preview_says_what_the_address_says(built: Path, open_house: Opener) -> None:
    (built / "share-cambia.png").write_bytes(b"png")
    house = await open_house()
    visitor = await house.visitor()
    here = f"http://127.0.0.1:{house.server.port}"
    for path, title, picture in (
        ("/", "Parlour", "share.png"),
        ("/table/cambia/123456", "Cambia", "share-cambia.png"),
        ("/learn/rummy/first", "Super Rummy", "share.png"),
        ("/table/123456", "Parlour", "share.png"),
        ("/table/nothing/123456", "Parlour", "share.png"),
        ("/replay/123456", "A replay", "share.png"),
    ):
        told = previewed((await visitor.get(path)).body)
        assert told["title"] == title
        assert told["image"] == f"{here}/{picture}"


async def test_a_link_preview_escapes_what_the_request_says(
    built: Path, open_house: Opener
) -> None:
    visitor = await (await open_house(hosts=("*",))).visitor()
    page = await visitor.get("/", headers={"Host": 'a"><script>'})
    assert page.status == 400 or b'a"><script>' not in page.body


async def test_the_path_itself_is_the_hall_and_its_like_is_not(below: OpenHouse) -> None:
    visitor = await below.visitor()
    assert (await visitor.get("/games/parlour")).status == 200
    assert (await visitor.get("/games/parlour?x=1")).status == 200
    for other in ("/games/parlours", "/games", "/games/parlour/games/parlour/"):
        assert (await visitor.get(other)).status == 404
    for odd in ("/games/parlour//evil.example/", "/games/parlour/..//api/games"):
        assert (await visitor.get(odd)).status in (400, 404)


async def test_cookies_are_for_the_path_alone(below: OpenHouse) -> None:
    visitor = await below.visitor()
    answer = await visitor.get("/games/parlour/api/me")
    assert "; Path=/games/parlour;" in answer.headers["Set-Cookie"]
    body = {"email": "a@b.example", "password": "long enough", "username": "ada"}
    answered = await visitor.http.post(f"{below.base}/games/parlour/user/create", json=body)
    assert answered.headers.getall("Set-Cookie", [])
    for cookie in answered.headers.getall("Set-Cookie", []):
        assert "; Path=/games/parlour;" in cookie


async def test_without_a_path_nothing_is_taken_off(built: Path, open_house: Opener) -> None:
    visitor = await (await open_house(public_url="https://cards.example")).visitor()
    assert b'content="/"' in (await visitor.get("/")).body
    assert (await visitor.get("/games/parlour/api/games")).status == 404


@pytest.mark.parametrize("path", ["/api", "/table/parlour", "/rummy/", "/play", "/assets"])
def test_a_path_that_is_one_of_ours_is_refused(path: str) -> None:
    with pytest.raises(BadConfig, match="public_url can't have the path"):
        Server(Config(data=":memory:", public_url=f"https://cards.example{path}"))


@pytest.mark.parametrize("rest", ["/a b", "/?x=1", "/#here", '/"', "/a//b", "/ü", ":0", "/a%2fb"])
def test_what_can_be_no_path_is_refused(rest: str) -> None:
    with pytest.raises(BadConfig, match="public_url"):
        Config(public_url=f"https://cards.example{rest}").check()


async def test_a_page_built_anew_is_served_at_once(built: Path, open_house: Opener) -> None:
    visitor = await (await open_house()).visitor()
    assert b"index-1.js" in (await visitor.get("/")).body
    (built / "index.html").write_text(HTML.replace("index-1", "index-2"))
    assert b"index-2.js" in (await visitor.get("/")).body
    (built / "index.html").unlink()
    assert b"has not been built yet" in (await visitor.get("/")).body


# Addresses that are none


@pytest.mark.parametrize("path", ["/assets/{}", "/{}.js", "/assets/{}.js", "/table/{}", "/{}"])
async def test_an_address_that_is_far_too_long_is_no_error(
    built: Path, open_house: Opener, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    visitor = await (await open_house()).visitor()
    answer = await visitor.get(path.format("x" * 7_000))
    assert answer.status == (200 if path.startswith("/table/") else 404)
    assert caplog.records == []


@pytest.mark.parametrize("path", ["/", "/assets/index-1.js", "/assets/none.js", "/a/b/c", "/x.js"])
async def test_files_and_what_is_none_are_limited_like_other_requests(
    built: Path, open_house: Opener, path: str
) -> None:
    visitor = await (await open_house(request_rate=0.0001, request_burst=4)).visitor()
    told = [(await visitor.get(path)).status for _ in range(5)]
    assert told[0] in (200, 404)
    assert told[-1] == 429
    # It takes nothing from what is asked of the house.
    assert (await visitor.get("/api/games")).status == 200


async def test_people_at_an_address_that_is_none_are_shown_the_way(below: OpenHouse) -> None:
    visitor = await below.visitor()
    browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    for path in ("/no/such/page", "/nowhere", "/assets/none.js", "/x.js"):
        page = await visitor.get(f"/games/parlour{path}", headers=browser)
        assert page.status == 404
        assert page.headers["Content-Type"].startswith("text/html")
        assert b'content="/games/parlour/"' in page.body
    # Programs are told what they always were.
    assert (await visitor.get("/games/parlour/nowhere")).body == b"404: Not Found"
    status, told = await visitor.call("GET", "/games/parlour/api/none", headers=browser)
    assert (status, told["error"]["code"]) == (404, "not-found")


# Headers


async def test_forms_of_the_page_can_be_sent_nowhere_else(house: OpenHouse) -> None:
    policy = (await (await house.visitor()).get("/")).headers["Content-Security-Policy"]
    assert "form-action 'self'" in policy


@pytest.mark.parametrize(
    ("settings", "headers", "bound"),
    [
        ({}, {}, False),
        ({}, {"X-Forwarded-Proto": "https"}, False),
        ({"proxy_headers": True}, {"X-Forwarded-Proto": "https"}, False),
        (
            {"proxy_headers": True, "public_url": "https://cards.example/"},
            {"X-Forwarded-Proto": "https", "Host": "cards.example"},
            True,
        ),
        (
            {"proxy_headers": True, "public_url": "https://cards.example/"},
            {"X-Forwarded-Proto": "https", "Host": "other.example"},
            False,
        ),
        (
            {"proxy_headers": True, "public_url": "https://cards.example/"},
            {"Host": "cards.example"},
            False,
        ),
        (
            {"proxy_headers": True, "public_url": "http://cards.example/"},
            {"X-Forwarded-Proto": "https", "Host": "cards.example"},
            False,
        ),
    ],
)
async def test_browsers_are_bound_to_https_where_the_public_address_has_it(
    open_house: Opener, settings: dict[str, object], headers: dict[str, str], bound: bool
) -> None:
    house = await open_house(**settings, data=":memory:")
    for path in ("/", "/api/games"):
        answer = await (await house.visitor()).get(path, headers=headers)
        assert answer.status == 200
        assert ("Strict-Transport-Security" in answer.headers) == bound


# What the log has of requests that fail


async def test_a_request_that_fails_is_logged_once_a_second_and_never_at_length(
    open_house: Opener, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    [filter_] = [each for each in logs.log.filters if isinstance(each, logs.OncePerCause)]
    monkeypatch.setattr(filter_, "_clock", lambda: now[0])
    monkeypatch.setattr(filter_, "_causes", {})

    async def fails(*_: object) -> None:
        raise ValueError("x" * 5_000)

    house = await open_house()
    visitor = await house.visitor()
    for operation in (LIST_TABLES, FIND):
        monkeypatch.setitem(FUNCTIONS, operation.name, fails)
    for _ in range(5):
        for path in ("/api/tables", "/api/tables/123456"):
            assert (await visitor.get(path)).status == 500
    lines = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert len(lines) == 1
    now[0] += 1
    assert (await visitor.get("/api/tables")).status == 500
    lines = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert len(lines) == 2
    assert "9 more like this were left out" in lines[1].getMessage()
    assert all("in fails" in (line.exc_text or "") for line in lines)
    assert all(len(line.exc_text or "") < 4_000 for line in lines)
