"""How a table comes to be: its code, its settings, and what is given back when it can't be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from parlour.bus import JoinRequest, Welcome
from parlour.house import Hooks, HouseLimits, TableDefaults
from parlour.house.opening import new_seed
from parlour.kit import Illegal
from parlour.protocol import Common, Game, OpenRequest, Own, Seek
from parlour.protocol.operations import COMMON, OPEN
from parlour.table.lobby import Options
from tests import highcard
from tests.server.hall import Hall


class Bonus(msgspec.Struct, frozen=True):
    first: int = 1
    last: int = 1


class Settings(highcard.Settings):
    """Some of them have parts."""

    bonus: Bonus = Bonus()


class Bots(Options):
    def computers(
        self, settings: Settings, usual: tuple[str, ...], edition: int
    ) -> tuple[int, tuple[str, ...]]:
        return settings.bonus.first - 1, usual


class Content(highcard.Content):
    def own(self, settings: Settings) -> dict[str, bytes]:
        return {"bonus": b"x" * settings.bonus.last}


LOBBY = replace(highcard.STANDING.lobby, edition=3, options=Bots(), content=Content())
GAME = replace(highcard.STANDING, settings=Settings, lobby=LOBBY)


async def test_a_code_that_was_claimed_is_the_tables_or_is_given_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    claimed: list[tuple[Game, Any]] = []
    returned: list[str] = []

    async def claim(game: Game, settings: Any) -> str:
        claimed.append((game, settings))
        return f"{len(claimed):06d}"

    async def give_back(code: str) -> None:
        returned.append(code)

    hall = Hall(GAME, limits=HouseLimits(tables_per_visitor=1), hooks=Hooks(claim=claim))
    monkeypatch.setattr(hall.store.codes, "give_back", give_back)
    assert (await hall.open(tricks=2)).code == "000001"
    assert await hall.refused(tricks=2) == "too-many-tables"
    assert returned == ["000002"]
    assert claimed == [(GAME, Settings(tricks=2))] * 2


async def test_where_no_code_was_claimed_none_is_given_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def give_back(code: str) -> None:
        raise AssertionError(code)

    hall = Hall(GAME, limits=HouseLimits(tables_per_visitor=0))
    monkeypatch.setattr(hall.store.codes, "give_back", give_back)
    assert await hall.refused() == "too-many-tables"


async def test_everybody_may_have_so_many_tables_and_the_house_has_its_own() -> None:
    hall = Hall(GAME, limits=HouseLimits(tables_per_visitor=2))
    for visitor in ("ada", "bo"):
        for _ in range(2):
            await hall.open(visitor)
        assert await hall.refused(visitor) == "too-many-tables"
    own = await hall.house.call(COMMON, GAME.id)
    assert (own.opener, own.public) == (None, True)


async def test_settings_that_can_not_be_had_are_refused() -> None:
    def may_open(game: Game, settings: Settings) -> None:
        assert game is GAME
        if settings.tricks == 3:
            raise Illegal("no", "Not three.")

    hall = Hall(GAME, hooks=Hooks(may_open=may_open))
    assert (await hall.open(tricks=2)).settings.tricks == 2
    assert await hall.refused(tricks=3) == "no"


async def test_what_is_asked_for_is_laid_over_what_the_house_has_part_by_part() -> None:
    usual = {"tricks": 2, "bonus": {"first": 5, "last": 6}}
    hall = Hall(GAME, defaults={GAME.id: TableDefaults(settings=usual)})
    opened = [await hall.open(), await hall.open(bonus={"last": 7}, think=9)]
    assert [roster.settings for roster in opened] == [
        Settings(tricks=2, bonus=Bonus(5, 6)),
        Settings(tricks=2, bonus=Bonus(5, 7), think=9),
    ]
    assert await hall.refused(bonus=7) == "bad-settings"
    # The house's own has not changed by it.
    assert (await hall.open()).settings == opened[0].settings
    hall.house.change_defaults({}, hall.house.services.words)
    assert (await hall.open()).settings == Settings()


async def test_a_table_has_the_bots_and_the_content_that_its_settings_ask_for() -> None:
    roster = await Hall(GAME).open(bonus={"first": 3, "last": 2})
    assert [player.human for player in roster.players] == [False, False]
    assert {name: each.data for name, each in roster.content.items()} == {"bonus": b"xx"}


async def test_a_table_knows_by_which_edition_of_the_rules_it_was_opened() -> None:
    hall = Hall(GAME)
    roster = await hall.open()
    live = hall.house.index.find(roster.id)
    assert live is not None
    assert live.table.opening.edition == 3
    assert not roster.public


def test_nobody_can_guess_a_seed() -> None:
    seeds = {new_seed() for _ in range(3)}
    assert len(seeds) == 3
    assert {len(bytes.fromhex(seed)) for seed in seeds} == {32}


async def test_an_address_is_marked_otherwise_in_every_house() -> None:
    marks = set()
    for _ in range(2):
        hall = Hall(GAME)
        await hall.reopen()
        request = OpenRequest(game=GAME.id, visitor="ada", address="192.0.2.1")
        roster = await hall.house.call(OPEN, request)
        live = hall.house.index.find(roster.id)
        assert live is not None
        marks.add(live.table.opening.source)
    assert {len(mark) for mark in marks} == {32}
    assert len(marks) == 2


@pytest.mark.parametrize("watch", [False, True])
async def test_who_joins_is_told_where_they_are(watch: bool) -> None:
    hall = Hall(GAME)
    for number, where in enumerate((Common(), Common(), Own())):
        answer = await hall.house.join(
            JoinRequest(
                connection=number,
                game=GAME.id,
                wire=GAME.wires[0].name,
                visitor=f"visitor {number}",
                name="Guest",
                seek=Seek(where=where, watch=watch and number == 1),
            )
        )
        live = list(hall.house.index)[-1]
        place = None if watch and number == 1 else number % 2
        roster = live.roster
        assert answer == Welcome(roster.id, roster.code, place, live.table.version)
        assert len(roster.code) == 6
    tables = [(live.roster.opener, live.roster.public) for live in hall.house.index]
    assert tables == [(None, True), ("visitor 2", False)]
