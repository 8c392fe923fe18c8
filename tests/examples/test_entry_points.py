"""A package that can't be served is named in a sentence, and the other games are served."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from parlour.games import OURS, installed_games
from tests.examples.conftest import environment
from tests.support import Process, Visitor

GAME = """
from dataclasses import replace
from parlour.games.mo import GAME as MO
from parlour.protocol import plain_wire
"""

FAULTS = {
    "no-module": ("faulty = faulty_no_module:GAME", None, "No module named 'faulty_no_module'"),
    "no-name": ("faulty = faulty_no_name:GAME", "", "has no attribute 'GAME'"),
    "raises": ("faulty = faulty_raises:GAME", "1 / 0", "division by zero"),
    "no-game": ("faulty = faulty_no_game:GAME", "GAME = 8", "is not a parlour.protocol.Game"),
    "other-id": (
        "faulty = faulty_other_id:GAME",
        GAME + "GAME = replace(MO, wires=())",
        "its entry point is called faulty, its Game.id is mo",
    ),
    "name-taken": (
        "mo = faulty_name_taken:GAME",
        GAME + "GAME = replace(MO, name='Not MO', wires=())",
        "there is a game of that name already",
    ),
    "address-taken": (
        "faulty = faulty_address_taken:GAME",
        GAME + "GAME = replace(MO, id='faulty')",
        "is taken by the game mo",
    ),
    "no-messages": (
        "faulty = faulty_no_messages:GAME",
        GAME + "GAME = replace(MO, id='faulty', wires=(plain_wire('faulty', [int], []),))",
        "int is no dataclass",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_game_is_left_out_with_a_sentence(
    fault: str,
    publish: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    entry_point, text, reason = FAULTS[fault]
    monkeypatch.syspath_prepend(publish(f"faulty-{fault}", entry_point, text))
    with caplog.at_level(logging.ERROR):
        games = installed_games()
    assert [game.id for game in games] == [*OURS]
    assert "Not MO" not in [game.name for game in games]
    [record] = caplog.records
    assert record.getMessage().startswith(f"the game {entry_point.split()[0]} of the package ")
    assert f"faulty-{fault} is left out: " in record.getMessage()
    assert reason in record.getMessage()
    assert record.exc_info is None


def test_a_sound_game_of_somebody_else_comes_after_ours(
    publish: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = GAME + "GAME = replace(MO, id='alone', wires=(plain_wire('alone', [], []),))"
    monkeypatch.syspath_prepend(publish("alone", "alone = sound_alone:GAME", text))
    games = installed_games()
    assert [game.id for game in games] == [*OURS, "alone"]
    assert games[-1].wires[0].paths == ("/plain/alone",)


async def test_the_house_opens_without_a_faulty_game(
    publish: Callable[..., Path],
    serve: Callable[..., Awaitable[Process]],
    guests: Callable[[Process], Awaitable[Visitor]],
) -> None:
    entry_point, text, _ = FAULTS["raises"]
    process = await serve(env=environment(publish("faulty", entry_point, text)))
    visitor = await guests(process)
    status, hall = await visitor.call("GET", "/api/games")
    assert status == 200
    assert [game["id"] for game in hall["games"]] == [*OURS]
    process.process.terminate()
    code, complaints = await process.ended()
    assert code == 0
    assert "the game faulty of the package faulty is left out: ZeroDivisionError" in complaints
    assert "Traceback" not in complaints
