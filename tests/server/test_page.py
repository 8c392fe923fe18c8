"""The page as files: compressed ahead, and below a path of somebody else's host."""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest

from parlour.server.config import BadConfig, Config
from parlour.server.server import Server
from tests.support import Opener, OpenHouse, Page, Visitor

HTML = '<meta name="root" content="./"><script src="./assets/index-1.js"></script>'


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
    assert (await visitor.get(f"{prefix}/assets/index-1.js")).status == 200
    assert (await visitor.call("GET", f"{prefix}/api/games"))[0] == 200
    status, opened = await visitor.call("POST", f"{prefix}/api/tables", {"game": "rummy"})
    assert status == 201
    assert (await visitor.call("GET", f"{prefix}/api/tables?game=rummy"))[0] == 200
    guest = await visitor.rummy(f"?table={opened['code']}", path=f"{prefix}/rummy")
    assert (await guest.expect("lobby"))["lobby"]["code"] == opened["code"]


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
