"""A table where people come and go: who may sit down, and what it is told besides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.kit import Illegal, Setup
from parlour.protocol import Game
from parlour.table import STANDING, Content, Player, Roster, Table
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.lobby import AtOnceWhenReady
from tests import highcard

GAME = replace(highcard.GAME, lobby=STANDING, max_seats=8)


def opened(game: Game = GAME, library: dict[str, bytes] | None = None) -> Table:
    opening = do.Open(
        id="table", code="123456", game="high", seed="5e" * 32, settings={}, opener="v0"
    )
    return Table(game, opening, 0, (library or {}).__getitem__)


def sit(table: Table, *visitors: str, **about: Any) -> list[Player]:
    for visitor in visitors:
        table.receive(do.Join(visitor, visitor, True, **about), 0)
    return table.roster.players


def refused(table: Table, entry: do.Input) -> str:
    with pytest.raises(Illegal) as no:
        table.receive(entry, 0)
    return no.value.code


def test_a_locked_table_keeps_those_it_has() -> None:
    table = opened()
    sit(table, "v1", "v2")
    table.receive(do.Lock(do.HOUSE, True), 0)
    assert refused(table, do.Join("v3", "Cleo")) == "locked"
    table.receive(do.Away(0), 0)
    table.receive(do.Back(0), 0)
    assert refused(table, do.Lock(1, False)) == "host-only"
    table.receive(do.Lock(0, False), 0)
    sit(table, "v3")


def test_whoever_is_banned_is_known_by_visitor_key_and_address() -> None:
    table = opened()
    sit(table, "v1", "v2", address="there")
    sit(table, "v3", address="elsewhere")
    key = table.roster.players[0].key
    table.receive(do.Kick(do.HOUSE, 0, ban=True), 0)
    assert table.roster.banned == ["v1", key, "there"]
    assert refused(table, do.Join("v1", "Ada")) == "banned"
    assert refused(table, do.Join("v4", "Ada", address="there")) == "banned"
    sit(table, "v4", address="elsewhere")


def test_a_ban_without_an_address_bans_nobody_else() -> None:
    table = opened()
    sit(table, "v1", "v2")
    table.receive(do.Kick(do.HOUSE, 0, ban=True), 0)
    sit(table, "v3")


def test_an_address_is_marked_by_the_table_alone() -> None:
    one, other = opened(), opened()
    other._seed = b"another"
    assert one.mark("192.0.2.1") == one.mark("192.0.2.1") != one.mark("192.0.2.2")
    assert one.mark("192.0.2.1") != other.mark("192.0.2.1")
    assert one.mark("") == ""
    assert len(one.mark("192.0.2.1")) == 32


def test_content_changes_between_matches_and_everybody_hears_of_it() -> None:
    table = opened(library={"one": b"1", "two": b"22"})
    sit(table, "v1", "v2")
    happened = table.receive(do.Pin(do.HOUSE, {"bonus": "two"}), 0)
    assert happened == [tell.Pinned(), tell.LobbyChanged()]
    assert table.roster.content == {"bonus": Content("two")}
    assert table.roster.content["bonus"].data == b"22"
    for place in (0, 1):
        table.receive(do.Ready(place, True), 0)
    table.receive(do.Tick(), 0)
    assert table.roster.running
    assert refused(table, do.Pin(do.HOUSE, {"bonus": "one"})) == "round-running"


def test_when_the_rules_will_not_deal_everybody_hears_why() -> None:
    def deal(setup: Setup, rng: Any, now: int) -> Any:
        raise Illegal("no-cards", "There are no cards.")

    table = opened(replace(GAME, deal=deal))
    sit(table, "v1", "v2")
    for place in (0, 1):
        table.receive(do.Ready(place, True), 0)
    happened = table.receive(do.Tick(), 0)
    assert tell.NotDealt("no-cards", "There are no cards.") in happened
    assert table.roster.countdown is None


class NobodyAsked(AtOnceWhenReady):
    """As many as it takes are ready as soon as they are there."""

    def ready(self, roster: Roster, player: Player) -> bool:
        return True


def test_the_last_one_waited_for_may_have_nothing_to_say() -> None:
    table = opened(replace(GAME, lobby=replace(STANDING, start=NobodyAsked())))
    sit(table, "v1")
    assert table.roster.countdown is None
    sit(table, "v2")
    assert table.roster.countdown == 0
    table.receive(do.Tick(), 0)
    assert table.roster.running


def test_after_a_match_nobody_may_have_to_be_asked() -> None:
    table = opened(replace(GAME, lobby=replace(STANDING, start=NobodyAsked())))
    sit(table, "v1", "v2", "v3")
    table.receive(do.Tick(), 0)
    match = table.match
    assert isinstance(match, highcard.HighCard)
    while table.roster.running:
        for place in range(3):
            table.receive(do.Act(place, highcard.Lay(match.hands[place][0])), 0)
    assert table.roster.countdown == 0


def test_who_stays_begins_though_a_countdown_was_called_off() -> None:
    """Between the last `ready` and the deal somebody leaves: all who stay are ready still."""
    table = opened()
    sit(table, "v1", "v2", "v3")
    for place in range(3):
        table.receive(do.Ready(place, True), 0)
    assert table.roster.countdown == 0
    table.receive(do.Leave(2), 0)
    assert table.roster.countdown == 0


@given(st.lists(st.text("ab ", min_size=1, max_size=8).map(str.strip).filter(bool), max_size=60))
def test_names_are_free_and_never_longer_than_they_may_be(names: list[str]) -> None:
    roster = opened().roster
    for place, name in enumerate(names):
        free = roster.free_name(name, longest=8)
        assert len(free) <= 8
        roster.players.append(Player(place, str(place), free, f"v{place}"))
    taken = [player.name.casefold() for player in roster.players]
    assert len(set(taken)) == len(taken)
