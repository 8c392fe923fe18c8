"""After the house was shut: everybody is away, and nobody has less time than they had."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from parlour.table import Lobby, Table
from parlour.table import inputs as do
from parlour.table.phase import NEW_TABLE_GRACE, WAKE_GRACE
from parlour.table.roster import Player, Roster
from parlour.table.seating import Kept, Seating
from tests import highcard

spans = st.integers(1, 3 * WAKE_GRACE)


class Keeping(Seating):
    """Keeps places for as long as the test says."""

    def __init__(self, span: int) -> None:
        self.span = span

    def kept(self, roster: Roster, player: Player) -> Kept:
        return Kept(self.span, self.span, self.span)


def table_of(span: int) -> Table:
    """Two people who have played, and whose places are kept for `span`."""
    game = replace(highcard.GAME, lobby=Lobby(seating=Keeping(span)))
    opening = do.Open(id="t", code="123456", game="high", seed="ab" * 32, settings={})
    table = Table(game, opening, 0)
    for visitor in ("one", "other"):
        table.receive(do.Join(visitor, visitor, resumable=True), 0)
    table.receive(do.Start(do.HOUSE), 0)
    assert table.match is not None
    table.receive(do.Act(0, table.match.legal(0)[0]), 0)
    return table


@given(span=spans, asleep=spans)
def test_a_place_is_kept_for_as_long_as_it_was_and_for_the_grace_at_least(
    span: int, asleep: int
) -> None:
    table = table_of(span)
    table.receive(do.Away(0), 0)
    now = min(asleep, span)
    table.receive(do.Wake(), now)
    before, present = table.roster.players
    assert before.until == max(span, now + WAKE_GRACE), "who was away already"
    assert present.until == now + max(span, WAKE_GRACE), "who was there when it was shut"
    assert not present.present


def test_a_table_nobody_has_played_at_keeps_places_less_long() -> None:
    game = replace(highcard.GAME, lobby=Lobby(seating=Keeping(10 * NEW_TABLE_GRACE)))
    opening = do.Open(id="t", code="123456", game="high", seed="ab" * 32, settings={})
    table = Table(game, opening, 0)
    table.receive(do.Join("one", "one", resumable=True), 0)
    table.receive(do.Away(0), 7)
    assert table.roster.players[0].until == 7 + NEW_TABLE_GRACE
