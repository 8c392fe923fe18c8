"""Who is not ready holds up the others for so long and no longer (spec, "Idle")."""

from __future__ import annotations

from typing import Any

from parlour.games.quips import GAME
from parlour.games.quips.lobby import LOBBY
from parlour.games.quips.rules import Quips
from parlour.table import Table
from parlour.table import inputs as do
from parlour.table.waiting import Waiting
from tests.quips.tools import pack, plain_cards

DATA = pack(plain_cards())
PATIENCE = 90_000


def seated(people: int = 4, edition: int = LOBBY.edition, **settings: Any) -> Table:
    """People who sit down at 0, of whom the first three are ready at 1,000."""
    opening = do.Open(
        id="table",
        code="123456",
        game="quips",
        seed="5e" * 32,
        settings=settings,
        opener="v0",
        content={name: name for name in DATA},
        edition=edition,
    )
    table = Table(GAME, opening, 0, DATA.__getitem__)
    for number in range(people):
        table.receive(do.Join(f"v{number}", f"Guest {number}", resumable=True), 0)
    for place in range(min(3, people)):
        table.receive(do.Ready(place, True), 1_000)
    return table


def asleep(table: Table) -> list[int]:
    match = table.match
    assert isinstance(match, Quips)
    return [seat for seat in range(len(match.board.players)) if match.asleep(seat)]


def test_the_game_begins_without_waiting_and_whoever_was_not_ready_is_idle() -> None:
    table = seated(5)
    assert table.due() == 1_000 + PATIENCE
    table.receive(do.Tick(), 1_000 + PATIENCE)
    assert table.roster.running
    assert asleep(table) == [3, 4]
    match = table.match
    assert isinstance(match, Quips)
    # Nobody is asked to judge who may not be there.
    assert match.board.judge == 0
    assert match.board.pending() == [1, 2, 3, 4]


def test_nobody_is_put_off_by_newcomers_or_a_change_of_mind() -> None:
    table = seated()
    table.receive(do.Join("v9", "Late"), 60_000)
    table.receive(do.Ready(3, True), 70_000)
    table.receive(do.Ready(3, False), 80_000)
    assert table.due() == 1_000 + PATIENCE


def test_the_wait_begins_anew_once_too_few_were_ready_in_between() -> None:
    table = seated()
    table.receive(do.Ready(0, False), 50_000)
    assert table.due() is None
    table.receive(do.Ready(0, True), 60_000)
    assert table.due() == 60_000 + PATIENCE
    table.receive(do.Leave(3), 61_000)
    assert table.due() == 61_000
    table.receive(do.Tick(), 61_000)
    assert asleep(table) == []


def test_a_wait_that_settings_have_ended_comes_to_nothing() -> None:
    """Else its moment would be due again and again."""
    table = seated()
    table.receive(do.Configure(do.HOUSE, {"min_players": 4}), 2_000)
    table.receive(do.Tick(), 1_000 + PATIENCE)
    assert not table.roster.running
    assert table.due() is None


def test_tables_of_the_first_edition_wait_as_they_did() -> None:
    assert seated(edition=1).due() is None


def test_where_nobody_is_asked_nobody_is_waited_for() -> None:
    table = seated(4, enable_game_ready_up=False)
    assert table.due() == 1_000, "the game begins at once"
    assert isinstance(table.phase, Waiting)
    assert table.phase.held_up_since is None
