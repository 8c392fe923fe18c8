"""Finished matches from a data folder or a database, and from files."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from typer.testing import CliRunner, Result

from parlour.cli import app
from parlour.store.backup import DATABASE
from parlour.store.move import move
from parlour.store.sqlite import SqliteStore
from tests import highcard

LANDED = Path(__file__).parents[1] / "data" / "005-format-5"
"""Finished matches of four games."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    shutil.copy(LANDED / DATABASE, folder)
    SqliteStore(folder / DATABASE).release()  # in the newest format
    return folder


def replay(*args: object) -> Result:
    return CliRunner().invoke(app, ["replay", *map(str, args)], env={"COLUMNS": "200"})


def listed(*args: object) -> list[list[str]]:
    result = replay("list", *args)
    assert result.exit_code == 0, result.output
    return [line.split() for line in result.stdout.splitlines()]


def sentence(result: Result) -> str:
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("parlour: ")
    return result.stderr


def test_finished_matches_are_listed_the_newest_first(data: Path) -> None:
    matches = listed("--data", data)
    assert [match[1] for match in matches] == ["onu", "quips", "cambia", "cambia", "rummy"]
    assert listed("--data", data, "--most", 2) == matches[:2]
    assert listed("--data", data, "--game", "cambia") == matches[2:4]
    assert listed("--data", data, "--game", "whist") == []


def test_a_match_of_each_game_is_shown_from_the_log_and_from_its_file(
    data: Path, tmp_path: Path
) -> None:
    for id_, game, *_ in listed("--data", data):
        shown = replay("show", id_, "--data", data)
        assert shown.exit_code == 0, shown.output
        assert "Turn 2" in shown.stdout, game
        assert " won." in shown.stdout
        file = tmp_path / f"{id_}.jsonl"
        assert replay("export", id_, file, "--data", data).exit_code == 0
        assert replay("export", id_, "--data", data).stdout == file.read_text()
        # Nothing else is needed to show it.
        assert replay("show", file, "--data", tmp_path / "none").stdout == shown.stdout
        header = json.loads(file.read_text().splitlines()[0])
        assert (header["parlour_replay"], header["id"], header["game"]) == (1, id_, game)
        assert "can't be used" in sentence(replay("export", id_, file, "--data", data))


def test_a_match_is_shown_as_one_player_saw_it(data: Path) -> None:
    (match,) = listed("--data", data, "--game", "rummy")
    as_seen = {
        view: replay("show", match[0], "--view", view, "--data", data).stdout
        for view in ("open", "spectator", "0")
    }
    hidden = {view: text.count("▒") for view, text in as_seen.items()}
    assert hidden["open"] < hidden["0"] < hidden["spectator"]
    assert "--view is" in sentence(replay("show", match[0], "--view", "me", "--data", data))


def test_what_there_is_not_is_said_in_a_sentence(data: Path, tmp_path: Path) -> None:
    assert "There is no match" in sentence(replay("show", "none-1", "--data", data))
    (match,) = listed("--data", data, "--game", "rummy")
    table = match[0].rpartition("-")[0]
    for number in ("x", "9" * 99, "-1"):
        assert "There is no match" in sentence(replay("show", f"{table}-{number}", "--data", data))
    for command in ("show", "export"):
        assert "is not over" in sentence(replay(command, f"{table}-7", "--data", data))
    assert "There is no" in sentence(replay("list", "--data", tmp_path / "none"))
    (tmp_path / "text").write_text("no replay")
    assert "is no replay" in sentence(replay("show", tmp_path / "text"))


async def test_a_database_is_read_like_a_folder(data: Path, database: str) -> None:
    (data / "session.key").write_bytes(b"a key")
    matches = listed("--data", data)
    await move(str(data), database)
    assert await asyncio.to_thread(listed, "--store", database) == matches
    file = await asyncio.to_thread(replay, "export", matches[0][0], "--store", database)
    assert (
        file.stdout
        == (await asyncio.to_thread(replay, "export", matches[0][0], "--data", data)).stdout
    )


def test_the_state_after_any_input_is_printed(data: Path) -> None:
    for id_, game, *_ in listed("--data", data):
        first, second = (replay("step", id_, "--at", at, "--data", data) for at in (0, 3))
        assert first.exit_code == second.exit_code == 0, game
        assert first.stdout.startswith("input 0: ")
        assert second.stdout.startswith("input 3: ")
        states = [
            [line for line in each.stdout.splitlines() if not line.startswith(("input", "event"))]
            for each in (first, second)
        ]
        assert states[0] != states[1]
        assert "has no input 100000" in sentence(
            replay("step", id_, "--at", 100_000, "--data", data)
        )


PLAYED = Path(__file__).parents[1] / "data" / "match-2.jsonl"


def verify(*args: object) -> Result:
    return CliRunner().invoke(app, ["verify", *map(str, args)], env={"COLUMNS": "400"})


def test_a_match_is_verified_by_its_id_and_from_its_file(data: Path, tmp_path: Path) -> None:
    id_ = listed("--data", data, "--game", "onu")[0][0]
    found = verify(id_, "--data", data)
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith("Yes: ")
    assert "older than verifiable deals" in found.stdout
    file = tmp_path / "match.jsonl"
    assert replay("export", id_, file, "--data", data).exit_code == 0
    assert verify(file).stdout == found.stdout
    lines = file.read_text().splitlines()
    at = next(at for at, line in enumerate(lines) if '"Act"' in line)
    file.write_text("\n".join([*lines[:at], *lines[at + 1 :]]))
    assert "No: " in sentence(verify(file))


def test_a_changed_entry_is_named_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.games.installed_games", lambda: (highcard.STANDING,))
    assert verify(PLAYED).stdout.startswith("Yes: ")
    text = PLAYED.read_text()
    number = next(at for at, line in enumerate(text.splitlines()) if '"Act"' in line) - 1
    file = tmp_path / "match.jsonl"
    file.write_text(text.replace('["Lay",', '["Lay",1', 1))
    assert f"No: entry {number} was changed." in sentence(verify(file))


class Publishing(BaseHTTPRequestHandler):
    """A server that has one log, whatever it is asked for."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.server.log)  # type: ignore[attr-defined]

    def log_message(self, *_: object) -> None: ...


@contextmanager
def publishing(log: bytes) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Publishing) as server:
        server.log = log  # type: ignore[attr-defined]
        Thread(target=server.serve_forever, args=(0.01,)).start()
        yield f"http://127.0.0.1:{server.server_port}/replay/"
        server.shutdown()


def test_a_published_log_is_verified_by_its_address_and_as_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.games.installed_games", lambda: (highcard.STANDING,))
    lines = PLAYED.read_text().splitlines()
    log = json.dumps({"lines": lines, "fair": True, "sentence": "Yes"}).encode()
    # As the page downloads it.
    (tmp_path / "log.json").write_bytes(log)
    found = verify(tmp_path / "log.json")
    assert found.stdout == verify(PLAYED).stdout
    with publishing(log) as address:
        assert verify(address + json.loads(lines[0])["id"]).stdout == found.stdout
        assert "the log of another match" in sentence(verify(address + "another-2"))
    refusal = {"lines": [], "fair": False, "sentence": "No: entry 7 is missing."}
    with publishing(json.dumps(refusal).encode()) as address:
        assert "No: entry 7 is missing." in sentence(verify(address + "another-2"))


def test_an_address_that_is_none_of_a_replay_is_refused() -> None:
    assert "looks like" in sentence(verify("https://127.0.0.1/table/rummy/123456"))
    assert "can't be fetched" in sentence(verify("http://127.0.0.1:1/replay/x-1"))
