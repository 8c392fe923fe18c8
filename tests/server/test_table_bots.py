"""The bots of one table: what they are shown, when they are asked, and when they act."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from parlour.house.bots import TableBots
from parlour.kit import Bots, Millis, Plan
from parlour.rng import Rng
from parlour.table import Table
from parlour.table import inputs as do
from tests import highcard
from tests.support import soon

NOW: Millis = 1_700_000_000_000
LONG: Millis = 1_000_000_000


class Notebook(highcard.HighBot):
    """Writes down what it is shown and when it is asked; means to lay its first card."""

    made: list[Notebook]
    waits: dict[int, Millis]
    """By seat, how long it thinks; others for longer than any test runs."""

    def __init__(
        self,
        picture: highcard.HighPicture,
        rng: Rng,
        experience: highcard.HighExperience | None = None,
    ) -> None:
        super().__init__(picture, rng, experience)
        self.asked = 0
        self.made.append(self)

    def plan(self, legal: Sequence[highcard.Lay], now: Millis) -> Plan[highcard.Lay]:
        assert self.picture.viewer is not None
        self.asked += 1
        return Plan(now + self.waits.get(self.picture.viewer, LONG), legal[0])


class EasyNotebook(Notebook):
    """The same, as the weaker one of two."""


class Company:
    """A real table with its bots; what they do is written down and not done."""

    def __init__(self, people: int, strengths: Sequence[str]) -> None:
        Notebook.made, Notebook.waits = [], {}
        weaker = {"easy": EasyNotebook}
        bots = Bots(Notebook, ("Ada", "Bo"), highcard.HighExperience, weaker)
        opening = do.Open(id="t", code="1", game="standing", seed="5e" * 32, settings={})
        self.table = Table(replace(highcard.STANDING, bots=bots), opening, NOW)
        self.experience = highcard.HighExperience(None)
        self.played: list[tuple[int, Any]] = []
        self.bots = TableBots(
            self.table, self.experience, 1, lambda *what: self.played.append(what)
        )
        for number in range(people):
            self.table.receive(do.Join(f"v{number}", "Guest"), NOW)
        for strength in strengths:
            self.table.receive(do.AddBot(do.HOUSE, strength), NOW)

    def receive(self, entry: do.Input) -> None:
        """As a live table does."""
        self.bots.show(self.table.receive(entry, NOW))
        self.bots.plan(NOW)

    @property
    def asked(self) -> list[int]:
        """How often each bot was, the first one first."""
        return [bot.asked for bot in Notebook.made]

    @property
    def match(self) -> highcard.HighCard:
        assert isinstance(self.table.match, highcard.HighCard)
        return self.table.match

    def lay(self, seat: int) -> None:
        self.receive(do.Act(seat, self.match.legal(seat)[0]))

    def may_know(self, seat: int) -> list[Any]:
        player = self.table.roster.seating[seat]
        return [self.table.view(event, player) for event in self.table.story]


def shown(bot: Notebook) -> list[Any]:
    return bot.picture.shown


@pytest.fixture
async def company() -> Company:
    """Two people and two bots; the cards have just been dealt."""
    company = Company(2, ["", "easy"])
    company.receive(do.Start(do.HOUSE))
    return company


async def test_bots_are_made_with_their_strength_their_seat_and_what_was_learnt(
    company: Company,
) -> None:
    strong, easy = Notebook.made
    assert [type(bot) for bot in (strong, easy)] == [Notebook, EasyNotebook]
    assert [bot.picture.viewer for bot in (strong, easy)] == [2, 3]
    assert strong.experience is easy.experience is company.experience


async def test_bots_are_shown_what_their_seats_may_know(company: Company) -> None:
    company.lay(0)
    company.lay(2)
    for seat, bot in enumerate(Notebook.made, 2):
        assert shown(bot) == company.may_know(seat)


async def test_bots_are_asked_again_after_what_happened_and_not_after_talk(
    company: Company,
) -> None:
    assert company.asked == [1, 1]
    company.receive(do.Say(0, "Good evening"))
    assert company.asked == [1, 1]
    company.lay(0)
    assert company.asked == [2, 2]
    # Their card lies already: nothing happens in the match when they get up.
    company.receive(do.Leave(0))
    assert company.asked == [3, 3]


async def test_who_acted_and_was_refused_is_asked_again_and_nobody_else(company: Company) -> None:
    Notebook.waits = {3: 10}
    company.lay(0)
    asked = company.asked
    hand = company.match.legal(3)
    await soon(lambda: company.played != [])
    assert company.played == [(3, hand[0])]
    company.bots.plan(NOW)
    assert company.asked == [asked[0], asked[1] + 1]
    company.bots.rest()


async def test_nobody_plays_for_a_person_who_comes_in_a_match() -> None:
    company = Company(1, [""])
    company.receive(do.Start(do.HOUSE))
    company.receive(do.Join("late", "Guest"))
    assert [bot.picture.viewer for bot in Notebook.made] == [1]


async def test_a_bot_may_come_or_go_in_a_match() -> None:
    company = Company(2, [""])
    company.receive(do.Start(do.HOUSE))
    company.lay(0)
    company.receive(do.AddBot(do.HOUSE))
    early, late = Notebook.made
    assert shown(late) == company.may_know(3)
    assert late.asked == 1
    before = len(shown(early))
    company.receive(do.RemoveBot(do.HOUSE, 2))
    company.lay(1)
    assert len(shown(early)) == before
    assert shown(late) == company.may_know(3)


async def test_nothing_planned_is_done_once_the_match_is_over(company: Company) -> None:
    assert company.bots.playing
    for place in (0, 1):
        company.receive(do.Leave(place))
    assert not company.table.roster.running
    assert not company.bots.playing
