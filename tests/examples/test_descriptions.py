"""The battery finds what is wrong with a game's choices and scenes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from msgspec.structs import replace as changed

from parlour.battery import Battery, Trial
from parlour.choices import Choice, Choices, One
from parlour.scenes import Scene
from tests.examples.conftest import ROOT

sys.path.insert(0, str(ROOT / "examples" / "eights" / "src"))

from parlour_eights import GAME
from parlour_eights.rules import Draw, Eights, Event

pytestmark = pytest.mark.slow

CHOICES = "test_choices_are_what_can_be_done_and_nothing_else"
SCENES = "test_a_scene_names_only_what_there_is"
SECRETS = "test_what_a_seat_cannot_know_changes_neither_its_choices_nor_its_scene"


TRIAL = Trial(
    game=GAME,
    cards=lambda match: [*match.stock, *match.pile, *(c for hand in match.hands for c in hand)],
    knows=lambda match, seat: match.pile + ([] if seat is None else match.hands[seat]),
)


def run(test: str, trial: Trial = TRIAL) -> None:
    class Tried(Battery):
        pass

    Tried.trial = trial
    getattr(Tried(), test)()


def otherwise(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[Eights, Choices], Sequence[Choice]]
) -> None:
    """Let Eights offer what `change` makes of its choices."""
    usual = Eights.choices
    monkeypatch.setattr(
        Eights, "choices", lambda self, seat: change(self, usual(self, seat)), raising=False
    )


def drawn(change: Callable[[Scene], Scene]) -> Trial:
    """A trial of Eights whose scenes are what `change` makes of them."""
    usual = GAME.scene
    assert usual is not None
    game = replace(GAME, scene=lambda picture, choices: change(usual(picture, choices)))
    return replace(TRIAL, game=game)


@pytest.mark.parametrize("test", [CHOICES, SCENES, SECRETS])
def test_a_right_description_passes(test: str) -> None:
    run(test)


def test_choices_that_leave_something_out_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    otherwise(monkeypatch, lambda match, choices: [c for c in choices if c.action != "pass"])
    with pytest.raises(AssertionError, match="not among the choices"):
        run(CHOICES)


def test_choices_that_offer_too_much_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def more(match: Eights, choices: Choices) -> list[Choice]:
        return [*choices, Choice("play", {"index": One([len(match.hands[match.turn])])})]

    otherwise(monkeypatch, more)
    with pytest.raises(Exception, match=r"no such card|not your turn"):
        run(CHOICES)


def test_rules_that_take_what_is_not_offered_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a random action, but one that is right for somebody else."""
    usual = Eights.apply

    def lenient(self: Eights, seat: int, action: Any, *rest: Any) -> list[Event]:
        return usual(self, self.turn if isinstance(action, Draw) else seat, action, *rest)

    monkeypatch.setattr(Eights, "apply", lenient)
    with pytest.raises(AssertionError, match="is not refused"):
        run(CHOICES)


def test_an_action_that_is_answered_and_does_nothing_must_be_declared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = Eights.apply

    def polite(self: Eights, seat: int, action: Any, *rest: Any) -> list[Event]:
        lenient = isinstance(action, Draw) and seat != self.turn
        return [] if lenient else usual(self, seat, action, *rest)

    monkeypatch.setattr(Eights, "apply", polite)
    run(CHOICES, replace(TRIAL, answered=(Draw,)))
    with pytest.raises(AssertionError, match="is not refused"):
        run(CHOICES)


def test_choices_that_tell_a_hidden_card_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def telling(match: Eights, choices: Choices) -> list[Choice]:
        return [changed(choice, label=f"Draw {match.stock[-1:]}") for choice in choices]

    otherwise(monkeypatch, telling)
    with pytest.raises(AssertionError):
        run(SECRETS)


def test_a_scene_that_names_what_is_not_there_is_found() -> None:
    with pytest.raises(AssertionError, match="which is no zone"):
        run(SCENES, drawn(lambda scene: changed(scene, targets={"draw": ["attic"]})))
