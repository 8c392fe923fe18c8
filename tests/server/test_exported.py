"""A match in a file folds to the same match, and names nobody."""

from __future__ import annotations

import json
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from random import Random

import pytest

from parlour.battery import Night, Trial, play_bots, random_night
from parlour.house.exported import MOST_BYTES, Exported, exported, lines_of
from parlour.house.frames import frames_of
from parlour.house.recorded import Recorded
from parlour.house.replay import Replay
from parlour.house.verified import log_of, verdict
from parlour.kit import Illegal
from parlour.rng import commitment
from parlour.store import TableRow
from parlour.store.memory import MemoryStore
from parlour.table import inputs as do
from tests.test_schemas import TRIALS

GAMES = [trial.game for trial in TRIALS]


def played(trial: Trial) -> Night:
    if trial.game.lobby.solo:
        night = random_night(trial, Random(7), 40)
        night.receive(do.Leave(0))
        return night
    night = play_bots(trial, max(2, trial.game.min_seats), 7, restless=True)
    # What came before a match is part of it: people who talk, bots who come.
    night.receive(do.Say(0, "between us"))
    if not night.running:
        night.receive(do.AddBot(do.HOUSE))
    return night


def kept(night: Night) -> MemoryStore:
    store = MemoryStore()
    game = night.trial.game
    for data in game.lobby.own_content(night.table.roster.settings).values():
        store.remember(f"content:{sha256(data).hexdigest()}", data)
    store.open_table(TableRow("t", "t", game.id, 0))
    for seq, (at, data) in enumerate(night.log):
        store.append("t", seq, at, data)
    return store


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.game.id)
def test_a_file_folds_to_the_same_match(trial: Trial, tmp_path: Path) -> None:
    reader = kept(played(trial)).reader("t")
    lines = exported(trial.game, reader, 1)
    path = tmp_path / "match.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    file = Exported.read(path, GAMES)
    file.check()
    assert (file.header.game, file.header.edition) == (trial.game.id, trial.game.lobby.edition)
    assert file.header.commitment == commitment(bytes.fromhex(file.header.seed))
    # It is shown like the match in the log.
    again = Recorded(file.game, file, 1, file.table)
    assert frames_of(again, "open") == frames_of(Recorded(trial.game, reader, 1), "open")
    for secret in (b"visitor-", b"between us"):
        assert secret not in path.read_bytes()
    assert exported(trial.game, reader, 2) == []


@pytest.fixture
def file(tmp_path: Path) -> Path:
    trial = TRIALS[0]
    path = tmp_path / "match.jsonl"
    lines = exported(trial.game, kept(played(trial)).reader("t"), 1)
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def refused(path: Path) -> str:
    with pytest.raises(Illegal) as no:
        Exported.read(path, GAMES).check()
    return no.value.sentence


def test_what_was_changed_in_a_file_is_found(file: Path) -> None:
    lines = file.read_text().splitlines()
    acts = [at for at, line in enumerate(lines) if '"Act"' in line]
    header = json.loads(lines[0])
    changes = {
        "left out": lines[: acts[3]] + lines[acts[3] + 1 :],
        "another result": [json.dumps({**header, "result": {**header["result"], "how": "x"}})],
        "another seed": [lines[0].replace(header["seed"], "00" * 32), *lines[1:]],
        "cut short": lines[:-3],
        "another event": [line.replace('"destination":', '"target":') for line in lines],
    }
    for what, changed in changes.items():
        file.write_text("\n".join(changed) + "\n")
        assert str(file) in refused(file), what


def test_a_match_with_content_that_somebody_brought_is_verified_where_that_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trial = next(trial for trial in TRIALS if trial.game.id == "quips")
    reader = kept(played(trial)).reader("t")
    monkeypatch.setattr("parlour.house.exported.own_content", lambda game, digest: None)
    answer = log_of(trial.game, reader, 1, None)
    assert isinstance(answer, Replay)
    told = json.loads(answer.told_to(None))
    assert told["fair"], told["sentence"]
    fair, sentence = verdict(Exported("it", [line.encode() for line in told["lines"]], GAMES))
    assert not fair
    assert "content that somebody brought" in sentence


def test_a_log_that_is_too_long_to_be_sent_is_checked_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trial = TRIALS[0]
    reader = kept(played(trial)).reader("t")
    size = sum(map(len, exported(trial.game, reader, 1)))

    def told(sent: int, checked: int) -> tuple[bool, bool, str, str]:
        monkeypatch.setattr("parlour.house.verified.LARGEST", sent)
        monkeypatch.setattr("parlour.house.verified.MOST_CHECKED", checked)
        answer = log_of(trial.game, reader, 1, None)
        assert isinstance(answer, Replay)
        log = json.loads(answer.told_to(None))
        if log["lines"]:
            return True, log["fair"], log["sentence"], ""
        with pytest.raises(Illegal) as no:
            lines_of(BytesIO(answer.told_to(None)))
        return False, log["fair"], log["sentence"], no.value.sentence

    assert told(size, size)[:2] == (True, True)
    sent, fair, sentence, refused = told(size - 1, size)
    assert (sent, fair) == (False, True)
    assert sentence.startswith("Yes: ")
    assert sentence.endswith("so only the server has checked it.")
    # The command, which was to check it by itself, does not repeat that as its own answer.
    assert refused == f"The server sends no log to check. It says: {sentence}"
    assert told(0, 100) == (False, False, *["Not checked: this log is longer than 0 MiB."] * 2)


def test_what_is_no_file_of_ours_is_refused(file: Path) -> None:
    text = file.read_text()
    wrong = {
        "": "no replay",
        "{}\n": "no replay",
        "\x00\xff": "no replay",
        text.replace('"parlour_replay":1', '"parlour_replay":3'): "newer Parlour",
        text.replace('"game":"rummy"', '"game":"whist"', 1): "not installed",
    }
    for content, why in wrong.items():
        file.write_text(content)
        assert why in refused(file)
    with file.open("wb") as large:
        large.truncate(MOST_BYTES + 1)
    assert "more than" in refused(file)
