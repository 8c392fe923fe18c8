"""The pictures of a table's viewers: what each was shown, and nothing is looked at twice."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from parlour.house.pictures import Pictures
from parlour.kit import Illegal
from parlour.table import Player, Table
from parlour.table import inputs as do
from tests import highcard


class Evening:
    """People at one table, who come, play, talk and go; anybody's picture may be asked for."""

    def __init__(self) -> None:
        opening = do.Open("t", "1", "standing", "5e" * 32, {"tricks": 2, "think": 1000})
        self.now = 0
        self.viewed = 0
        """How often an event was viewed."""
        self.table = Table(replace(highcard.STANDING, view=self._view), opening, self.now)
        self.pictures = Pictures(self.table)
        self._before: dict[int | None, tuple[int | None, Any, int]] = {}

    def _view(self, event: Any, seat: int | None) -> Any:
        self.viewed += 1
        return highcard.STANDING.view(event, seat)

    def receive(self, entry: do.Input) -> None:
        self.now += 1000
        with suppress(Illegal):
            self.table.receive(entry, self.now)

    def lay(self, place: int) -> None:
        player = self.table.roster.at(place)
        if self.table.match is not None and player is not None and player.seat is not None:
            legal = self.table.match.legal(player.seat)
            if legal:
                self.receive(do.Act(place, legal[0]))

    def look(self, player: Player | None) -> None:
        table = self.table
        place, seat = (None, None) if player is None else (player.place, player.seat)
        before = self.viewed
        picture = self.pictures.of(player)
        viewed = self.viewed - before
        assert isinstance(picture, highcard.HighPicture)
        assert picture.viewer == seat
        all_shown = [table.view(event, player) for event in table.story]
        assert picture.shown == [event for event in all_shown if event is not None]
        # What is new since they were asked about last, if it is the same seat in the same match.
        *same, count = self._before.get(place, (None, None, 0))
        assert viewed == len(table.story) - (count if same == [seat, table.match] else 0)
        self._before[place] = (seat, table.match, len(table.story))


PLACES = st.integers(0, 5)
STEPS = st.one_of(
    st.builds(do.Join, st.sampled_from(["ada", "bo", "cy"]), st.just("Guest")),
    st.just(do.AddBot(do.HOUSE)),
    st.builds(do.Leave, PLACES),
    st.just(do.Start(do.HOUSE)),
    st.just(do.Tick()),
    st.builds(do.Say, PLACES, st.just("Good evening")),
    PLACES,
    st.none(),
    st.none(),
)


@given(st.lists(STEPS, min_size=20, max_size=60))
def test_a_picture_is_what_its_viewer_was_shown_and_is_never_folded_twice(
    steps: list[do.Input | int | None],
) -> None:
    evening = Evening()
    for entry in (do.Join("ada", "Guest"), do.Join("bo", "Guest"), do.Start(do.HOUSE), *steps):
        if isinstance(entry, int):
            evening.lay(entry)
        elif entry is not None:
            evening.receive(entry)
        else:
            for player in (None, *evening.table.roster.players):
                evening.look(player)
                evening.look(player)
