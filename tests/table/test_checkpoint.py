"""A table's state as bytes: what it may hold, and what makes two tables the same."""

from __future__ import annotations

import io
import os
import pickle
from typing import Any

import pytest
from msgspec import structs

from parlour.table import Table
from parlour.table import inputs as do
from parlour.table.chain import DEALS
from parlour.table.checkpoint import freeze, same_state, thaw
from parlour.table.roster import Stage
from tests import highcard

OPENING = do.Open("table", "123456", highcard.GAME.id, "00" * 32, {})


def played() -> Table:
    table = Table(highcard.GAME, OPENING, 1_000)
    for number in range(2):
        table.receive(do.Join(f"visitor {number}", f"Guest {number}", resumable=True), 2_000)
    table.receive(do.Start(do.HOUSE), 3_000)
    return table


def again(table: Table) -> Table:
    return thaw(highcard.GAME, table.library, freeze(table))


def test_a_table_has_one_player_for_each_that_it_had() -> None:
    twin = again(played())
    assert all(a is b for a, b in zip(twin.roster.players, twin.roster.seating, strict=True))
    assert twin.phase.roster is twin.roster


def test_a_state_is_read_back_whatever_the_release_of_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # As Python 3.11.0 to 3.11.3 do it.
    monkeypatch.setattr(
        Stage, "__reduce_ex__", lambda stage, protocol: (getattr, (Stage, stage.name))
    )
    table = played()
    assert isinstance(table.roster.stage, Stage)
    assert same_state(table, again(table))


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.receive(do.Say(0, "Hello"), 4_000),
        lambda table: setattr(table.roster.players[1], "name", "Somebody else"),
        lambda table: table.phase.rng.bits(8),
        lambda table: table.phase.absent.add(1),
        lambda table: setattr(table.match, "turn", "nobody's"),
        lambda table: table.story.pop(),
    ],
)
def test_every_difference_is_seen(change: Any) -> None:
    table = played()
    twin = again(table)
    assert same_state(table, twin)
    change(twin)
    assert not same_state(table, twin)


def test_a_chain_that_was_read_in_between_is_the_same() -> None:
    opening = structs.replace(OPENING, deals=DEALS, proof=do.Proof("00" * 16))
    tables = [Table(highcard.GAME, opening, 1_000) for _ in range(2)]
    for table in tables:
        table.logged(1_000, opening, do.encode(opening))
    for number in range(40):
        for table in tables:
            table.logged(2_000, do.Tick(), do.encode(do.Tick()))
        assert tables[1].chain is not None
        if number % 7 == 0:
            assert len(tables[1].chain.head) == 32
        assert same_state(*tables)
    tables[1].logged(2_001, do.Tick(), do.encode(do.Tick()))
    tables[0].logged(2_000, do.Tick(), do.encode(do.Tick()))
    assert not same_state(*tables)


class Evil:
    """Its pickle calls a function."""

    def __init__(self, call: Any, *arguments: Any) -> None:
        self.call = call, arguments

    def __reduce__(self) -> Any:
        return self.call


@pytest.mark.parametrize(
    "evil",
    [
        Evil(os.system, "true"),
        Evil(eval, "1"),
        Evil(getattr, "x", "upper"),
        Evil(io.open, "/dev/null"),
        Evil(highcard.__dict__["replace"], OPENING),
    ],
)
def test_a_forged_state_can_call_nothing_but_the_rules(evil: Evil) -> None:
    with pytest.raises(pickle.UnpicklingError, match="does not hold"):
        thaw(highcard.GAME, lambda digest: b"", pickle.dumps(evil))
