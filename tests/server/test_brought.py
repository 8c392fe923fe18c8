"""Files that games bring for the page."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from yarl import URL

from parlour.games.rummy import GAME
from parlour.server import brought
from tests.support import Opener, Visitor

SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>'


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder with an emblem, a deck and a board; beside it a secret, to which links lead."""
    folder = tmp_path / "assets"
    (folder / "decks" / "tarot").mkdir(parents=True)
    (folder / "emblem.svg").write_text(SVG)
    (folder / "board.js").write_text("export const mount = () => {}")
    (folder / "decks" / "tarot" / "the-fool.svg").write_text(SVG)
    (tmp_path / "secret.json").write_text("{}")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "secret.json").write_text("{}")
    (folder / "link.json").symlink_to(tmp_path / "secret.json")
    (folder / "linked").symlink_to(tmp_path / "more")
    return folder


@pytest.fixture
async def visitor(package: Path, open_house: Opener, monkeypatch: pytest.MonkeyPatch) -> Visitor:
    game = replace(GAME, assets=str(package))
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: (game,))
    return await (await open_house()).visitor()


async def test_what_a_game_brings_is_listed_and_served_with_strict_headers(
    visitor: Visitor,
) -> None:
    games = msgspec.json.decode((await visitor.get("/api/games")).body)["games"]
    assert [game["brings"] for game in games] == [["board.js", "decks/tarot", "emblem.svg"]]
    for name, kind in (
        ("emblem.svg", "image/svg+xml"),
        ("decks/tarot/the-fool.svg", "image/svg+xml"),
        ("board.js", "text/javascript"),
    ):
        answer = await visitor.get(f"/package/rummy/{name}")
        assert answer.status == 200, name
        assert answer.headers["Content-Type"].startswith(kind)
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    "path",
    [
        "/package/rummy/missing.svg",
        "/package/rummy/",
        "/package/rummy/decks",
        "/package/whist/emblem.svg",
        "/package/rummy/../secret.json",
        "/package/rummy/%2e%2e/secret.json",
        "/package/rummy/decks/%2e%2e/%2e%2e/secret.json",
        "/package/rummy/..%2fsecret.json",
        "/package/rummy//etc/passwd",
        "/package/rummy/%2fetc%2fpasswd",
        "/package/rummy/emblem.svg%00",
        "/package/rummy/link.json",
        "/package/rummy/linked/secret.json",
        f"/package/rummy/{'a' * 3000}.svg",
    ],
)
async def test_nothing_else_is_served(visitor: Visitor, path: str) -> None:
    # As it is written: clients would take the dots out.
    async with visitor.http.get(URL(visitor.base + path, encoded=True)) as answer:
        assert answer.status == 404


def test_files_are_left_out_that_are_too_large_or_of_another_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(brought, "LARGEST", 10)
    monkeypatch.setattr(brought, "MOST_FILES", 2)
    for name in ("a.svg", "b.svg", "c.svg", "page.html", "Large.svg"):
        (tmp_path / name).write_text("small")
    (tmp_path / "b.svg").write_text("larger than that")
    (tmp_path / "d.svg").write_text("small")
    assert list(brought.files_of(str(tmp_path))) == ["a.svg", "c.svg"]
    told = caplog.text
    assert "b.svg is not served: it has more than 10 bytes" in told
    assert "Large.svg is not served: its name" in told
    assert "has more than 2 files" in told


async def test_translations_are_compressed_and_revalidated(open_house: Opener) -> None:
    visitor = await (await open_house()).visitor(auto_decompress=False)
    path = "/package/rummy/messages/de-table.json"
    packed = await visitor.get(path, headers={"Accept-Encoding": "gzip, br"})
    plain = await visitor.get(path, headers={"Accept-Encoding": "identity"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 2
    known = {"If-None-Match": packed.headers["ETag"]}
    assert (await visitor.get(path, headers=known)).status == 304
