"""The battery finds pictures and wires that are wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from parlour.battery import Trial
from parlour.games.cambia.events import Reshuffled, Swapped
from parlour.games.cambia.picture import CambiaPicture
from parlour.games.quips import events as quips
from parlour.games.rummy.wire import WIRE
from parlour.games.rummy.wire.codec import RummyCodec
from parlour.kit import Seat
from parlour.protocol import Manner
from tests import highcard
from tests.battery.breaking import (
    ALONE,
    GREETING,
    NEWCOMER,
    broken,
    fails,
)
from tests.battery.made_up import HIGH
from tests.cambia.trial import CAMBIA
from tests.quips.trial import QUIPS
from tests.rummy.trial import RUMMY

pytestmark = pytest.mark.slow


# Pictures and wires


def test_a_snapshot_that_ignores_a_reshuffle_is_found() -> None:
    class Ignorant(CambiaPicture):  # type: ignore[misc]
        def see(self, event: Any) -> None:
            if not isinstance(event, Reshuffled):
                super().see(event)

    assert fails(broken(CAMBIA, picture=Ignorant), NEWCOMER)


def test_a_snapshot_that_remembers_what_must_be_forgotten_is_found() -> None:
    class Elephant(CambiaPicture):  # type: ignore[misc]
        def see(self, event: Any) -> None:
            known = self.known.copy()
            super().see(event)
            if isinstance(event, Swapped):
                self.known = known

    assert fails(broken(CAMBIA, picture=Elephant), GREETING)


def test_a_picture_that_spoils_the_events_it_is_shown_is_found() -> None:
    class Greedy(highcard.HighPicture):
        def see(self, event: Any) -> None:
            super().see(event)
            if isinstance(event, highcard.Taken):
                event.cards.append(99)

    assert fails(broken(HIGH, picture=Greedy), NEWCOMER)


@pytest.mark.parametrize("trial", [RUMMY, CAMBIA], ids=lambda t: t.game.id)
def test_a_wire_that_forgets_who_reads_is_found(trial: Trial) -> None:
    def forgetful(wire: Any) -> Any:
        shared = {"manner": lambda self, event: Manner.SHARED}
        return replace(wire, codec=type("Forgetful", (type(wire.codec),), shared)())

    wires = tuple(forgetful(wire) for wire in trial.game.wires)
    assert fails(broken(trial, wires=wires), ALONE)


def test_a_private_event_that_others_are_shown_is_found() -> None:
    def view(event: quips.Event, seat: Seat | None) -> quips.Event | None:
        shown = isinstance(event, quips.PointsChanged) and seat is not None
        return event if shown else quips.view(event, seat)

    assert fails(broken(QUIPS, view=view), ALONE)


def test_a_wire_that_is_not_the_same_for_everybody_is_found() -> None:
    class Counting(RummyCodec):
        said = 0

        def encode(self, event: Any, roster: Any, me: Any) -> Any:
            self.said += 1
            return [*super().encode(event, roster, me), b"%d" % self.said]

    assert fails(broken(RUMMY, wires=(replace(WIRE, codec=Counting()),)), ALONE)
