"""A failure at a table is written down, so that it can be repeated elsewhere, and names nobody."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from parlour.cli import app
from parlour.games.rummy import GAME as RUMMY
from parlour.games.rummy.rules import Rummy
from parlour.house.failures import MOST, read, repeat, where
from parlour.house.live import LiveTable
from parlour.kit import Illegal
from parlour.protocol import At, Own, Seek
from parlour.table import inputs as do
from tests import highcard
from tests.server.hall import Hall

ADA, BO = "Ada Lovelace", "Bo Diddley"


async def played(hall: Hall) -> LiveTable:
    """A table in mid-match, with two people and a computer player who have names and talk."""
    live = await hall.join(1, Seek(where=Own(), resumable=True), name=ADA, address="192.0.2.77")
    await hall.join(2, Seek(where=At(live.roster.code), resumable=True), name=BO)
    live.receive(do.Say(0, "My phone number is 555-0199"))
    live.receive(do.Rename(1, "Bo the Second"))
    live.receive(do.AddBot(do.HOUSE))
    live.receive(do.Start(do.HOUSE))
    return live


def broken(*_: object) -> Any:
    raise ZeroDivisionError("Ada Lovelace")


async def fail_at(live: LiveTable, entry: do.Input) -> None:
    with pytest.raises(Illegal, match="set up again"):
        live.receive(entry)
    with suppress(Illegal):  # it fails again while it is set up
        await live.mended()


def written(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def act(live: LiveTable) -> do.Act:
    match = live.table.match
    assert match is not None
    place, seat = next(
        (player.place, player.seat)
        for player in live.roster.people
        if player.seat is not None and match.legal(player.seat)
    )
    return do.Act(place, match.legal(seat)[0])


def break_rules(patch: pytest.MonkeyPatch, live: LiveTable) -> None:
    patch.setattr(type(live.table.match), "apply", broken)


def break_view(patch: pytest.MonkeyPatch, live: LiveTable) -> None:
    patch.setattr(type(live.game.wires[0].codec), "encode", broken)


@pytest.mark.parametrize("break_it", [break_rules, break_view])
async def test_a_failure_is_repeated_from_its_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    break_it: Callable[[pytest.MonkeyPatch, LiveTable], None],
) -> None:
    hall = Hall(highcard.GAME, failures=tmp_path)
    live = await played(hall)
    entry = act(live)
    with monkeypatch.context() as patch:
        break_it(patch, live)
        await fail_at(live, entry)
        head, entries = read(written(tmp_path))
        wrong = repeat(highcard.GAME, head, entries)
        assert isinstance(wrong, ZeroDivisionError)
        assert where(wrong) == head.failed
        assert head.failed == "ZeroDivisionError in broken (tests/server/test_failures.py)"
    assert repeat(highcard.GAME, head, entries) is None
    assert do.decode(entries[-1].data) == do.decode(do.encode(entry))


async def test_the_input_that_deals_may_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall = Hall(highcard.GAME, failures=tmp_path)
    live = await hall.join(1, Seek(where=Own(), resumable=True))
    await hall.join(2, Seek(where=At(live.roster.code), resumable=True))
    with monkeypatch.context() as patch:
        patch.setattr(highcard.HighCard, "legal", broken)
        patch.setattr(type(live.game.wires[0].codec), "encode", broken)
        await fail_at(live, do.Start(do.HOUSE))
        head, entries = read(written(tmp_path))
        wrong = repeat(highcard.GAME, head, entries)
        assert wrong is not None
        assert where(wrong) == head.failed


async def test_a_file_holds_no_secrets_and_nothing_about_people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall = Hall(highcard.GAME, failures=tmp_path)
    live = await played(hall)
    break_rules(monkeypatch, live)
    private = [ADA, BO, "Second", "555-0199", "visitor 1", "visitor 2", "192.0.2.77"]
    private += [live.table.opening.seed, live.table.match_secret(3).hex()]
    mark = live.roster.people[0].address
    await fail_at(live, act(live))
    text = written(tmp_path).read_text()
    for each in (*private, *filter(None, [mark])):
        assert each not in text


async def test_a_log_that_cannot_be_folded_is_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall = Hall(highcard.GAME)
    live = await played(hall)
    live.receive(act(live))
    await hall.house.close()
    again = Hall(highcard.GAME, hall.copied(), failures=tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(highcard.HighCard, "apply", broken)
        store = again.store
        store._facts.clear()  # without a note it is loaded at once
        await again.reopen()
        head, entries = read(written(tmp_path))
        wrong = repeat(highcard.GAME, head, entries)
        assert wrong is not None
        assert where(wrong) == head.failed
        assert "broken" in head.failed


async def test_no_more_files_than_somebody_looks_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(MOST):
        (tmp_path / f"{number}.jsonl").touch()
    hall = Hall(highcard.GAME, failures=tmp_path)
    live = await played(hall)
    break_rules(monkeypatch, live)
    await fail_at(live, act(live))
    assert len(os.listdir(tmp_path)) == MOST


async def test_parlour_debug_says_whether_it_fails_in_the_same_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall = Hall(RUMMY, failures=tmp_path)
    live = await played(hall)
    with monkeypatch.context() as patch:
        patch.setattr(Rummy, "apply", broken)
        await fail_at(live, act(live))
        same = CliRunner().invoke(app, ["debug", str(written(tmp_path))])
        assert same.exit_code == 0, same.output
        assert "ZeroDivisionError in broken" in same.output
        assert "Traceback" in same.output
        patch.setattr(Rummy, "apply", lambda *_: int("one"))
        other = CliRunner().invoke(app, ["debug", str(written(tmp_path))])
        assert (other.exit_code, "another way" in other.output) == (2, True)
    fixed = CliRunner().invoke(app, ["debug", str(written(tmp_path))])
    assert (fixed.exit_code, "does not fail here" in fixed.output) == (2, True)
    (tmp_path / "other").write_text("{}")
    none = CliRunner().invoke(app, ["debug", str(tmp_path / "other")])
    assert (none.exit_code, "no failure" in none.output) == (2, True)
