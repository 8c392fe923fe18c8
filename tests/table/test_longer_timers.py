"""Players ask for longer timers: the next match is dealt with them, for everybody."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.games import cambia, onu, quips, rummy
from parlour.kit import Illegal, Setup
from parlour.protocol import Game, extras
from parlour.rng import FastRng
from parlour.table import Table
from parlour.table import inputs as do
from tests.quips.trial import CONTENT
from tests.table.test_kept_seats import table_of

TIMED = [(cambia.GAME, {}, 10_000), (onu.GAME, {"pace": 0}, 60_000)]


def dealt(game: Game, settings: dict[str, Any], *asks: do.Input) -> Table:
    table = table_of(game, 3)
    table.receive(do.Configure(0, settings), 0)
    for entry in asks:
        table.receive(do.decode(do.encode(entry)), 0)
    for player in table.roster.players if game.lobby.start.ready_up else ():
        table.receive(do.Ready(player.place, True), 0)
    if not table.roster.running:
        table.receive(do.Start(0), 0)
    return table


@pytest.mark.parametrize(("game", "settings", "usual"), TIMED, ids=["cambia", "onu"])
def test_matches_wait_three_times_as_long(game: Game, settings: Any, usual: int) -> None:
    def waits(*asks: do.Input) -> int:
        match = dealt(game, settings, *asks).match
        assert match is not None
        due = match.due()
        assert due is not None
        return due

    assert waits() == usual
    assert waits(do.AskForTime(1, True)) == 3 * usual
    assert waits(do.AskForTime(1, True), do.AskForTime(1, False)) == usual
    assert waits(do.AskForTime(1, True), do.Leave(1)) == usual


def test_quips_gives_three_times_as_long_to_think() -> None:
    spans = []
    for unhurried in (False, True):
        setup = Setup(quips.GAME.settings(), ["a", "b", "c"], content=CONTENT, unhurried=unhurried)
        match, _ = quips.GAME.deal(setup, FastRng(1), 0)
        spans.append(match.due())
    assert spans[1] - spans[0] == 2 * 90_000


def test_a_turn_of_cambia_lasts_longer_and_so_does_handing_over_a_card() -> None:
    for seconds, span in ((15, 45_000), (0, 45_000)):
        rules = {"houseRules": {"turnTimerSec": seconds}}
        table = dealt(cambia.GAME, rules, do.AskForTime(0, True))
        table.receive(do.Tick(), 30_000)
        match: Any = table.match
        assert match.due() == (75_000 if seconds else None)
        assert match.clock.debt_deadline(30_000) == 30_000 + span


def test_everybody_who_hears_the_extras_is_told() -> None:
    table = table_of(quips.GAME, 3)

    def told(table: Table) -> str:
        return extras.table(table.roster, table.game.lobby, "v0", 0).decode()

    assert '"timed":true' in told(table)
    assert "unhurried" not in told(table)
    (happened,) = table.receive(do.AskForTime(1, True), 0)
    assert type(happened).__name__ == "AskedForTime"
    assert told(table).count('"unhurried":true') == 1
    request = extras.decode(b'{"type":"extras_time","longer":false}')
    assert request == do.AskForTime(do.ME, False)


def test_where_nobody_has_to_hurry_there_is_nothing_to_ask_for() -> None:
    table = table_of(rummy.GAME, 3)
    assert b'"timed":false' in extras.table(table.roster, table.game.lobby, "v0", 0)
    with pytest.raises(Illegal) as no:
        table.receive(do.AskForTime(0, True), 0)
    assert no.value.code == "no-timers"
