"""The checker of histories passes on what was really told, and on nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from parlour.battery import Trial
from parlour.battery.night import Night
from parlour.battery.play import random_night
from parlour.games.onu import messages as say
from parlour.wcp.message import data_frame, escaped
from tests.cambia.trial import CAMBIA
from tests.cluster import relayed
from tests.cluster.checker import Checker, heard
from tests.cluster.players.person import RELAY, History
from tests.cluster.telling import Record, Telling, Viewer, tellings
from tests.mo.trial import MO
from tests.onu.trial import ONU
from tests.quips.trial import QUIPS
from tests.rummy.trial import RUMMY

pytestmark = pytest.mark.slow

TRIALS = (RUMMY, CAMBIA, QUIPS, MO, ONU)
SPECTATOR = 100
"""Connections of a night below this are a spectator's."""


def record_of(night: Night) -> Record:
    game = night.trial.game
    content = game.lobby.own_content(night.table.roster.settings).values()
    library = {hashlib.sha256(data).hexdigest(): data for data in content}
    return Record(night.table.roster.id, game, list(night.log), library)


def histories_of(night: Night) -> list[History]:
    """Of everybody who was at the table, over every wire."""
    attached = {attachment.connection for attachment in night.audience.attachments}
    game = night.trial.game
    return [
        History(
            game.id,
            night.table.roster.id,
            game.wires[number % 100].name,
            f"connection {number}",
            number < SPECTATOR,
            [*greeting, *night.told.get(number, [])],
            over=number not in attached,
        )
        for number, greeting in night.greeted.items()
    ]


def found(record: Record, *histories: History) -> bool:
    checker = Checker(record, histories, record.version)
    checker.check()
    return bool(checker.faults) or checker.greeted_again > 0


def twice(frames: list[bytes], at: int) -> None:
    frames.insert(at, frames[at])


def left_out(frames: list[bytes], at: int) -> None:
    del frames[at]


def made_up(frames: list[bytes], at: int) -> None:
    frames[at] = frames[at].replace(b":", b": ", 1)


def other_order(frames: list[bytes], at: int) -> None:
    frames[at - 1], frames[at] = frames[at], frames[at - 1]


def not_told(frames: list[bytes], at: int) -> None:
    del frames[at:]


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.game.id)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=10)
def test_what_was_told_passes(trial: Trial, seed: int) -> None:
    night = random_night(trial, Random(seed), 60)
    assert not found(record_of(night), *histories_of(night))


@pytest.mark.parametrize("tamper", [twice, left_out, made_up, other_order, not_told])
@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.game.id)
@given(seed=st.integers(0, 10**6), data=st.data())
@settings(max_examples=10)
def test_one_frame_that_is_wrong_is_found(
    trial: Trial, tamper: Callable[[list[bytes], int], None], seed: int, data: st.DataObject
) -> None:
    night = random_night(trial, Random(seed), 60)
    history = data.draw(st.sampled_from(histories_of(night)))
    frames = heard(history)
    # Where two frames are the same nobody can tell which of them is missing, or came first.
    count = len(night.greeted[int(history.person.split()[1])])
    unlike = [n for n in range(count + 1, len(frames)) if frames.count(frames[n]) == 1]
    assume(unlike and not history.over)
    tamper(frames, data.draw(st.sampled_from(unlike)))
    assert found(record_of(night), replace(history, frames=frames))


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.game.id)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=10)
def test_what_was_told_and_is_not_in_the_record_is_found(trial: Trial, seed: int) -> None:
    night = random_night(trial, Random(seed), 60)
    record = record_of(night)
    history = replace(histories_of(night)[0], over=True)
    telling = tellings(record, {history.wire})[history.wire, None]
    last = telling.version_at(telling.ends[-1])
    kept, lost = record.entries[: last + 1], record.entries[:last]
    assert not found(replace(record, entries=kept), history)
    assert found(replace(record, entries=lost), history)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20)
def test_who_comes_back_to_what_was_before_is_found(seed: int) -> None:
    night = random_night(RUMMY, Random(seed), 60)
    history = next(h for h in histories_of(night) if not h.watching)
    assume(history.frames.count(history.frames[0]) == 1)
    # Told to its end, and then greeted as it was in the beginning.
    count = len(night.greeted[int(history.person.split()[1])])
    again = replace(history, frames=history.frames[:count], over=True)
    again.before = (history, len(history.frames))
    assert found(record_of(night), history, again)
    again.before = (history, count)
    assert not found(record_of(night), history, again)


def test_a_relay_user_is_shown_nothing_twice_or_too_late() -> None:
    night = random_night(ONU, Random(3), 60)
    told = tellings(record_of(night), {"onu"})
    states = _shown(told["onu", 0])
    assert len(states) > 10
    assert _relayed(states, told)
    assert _relayed(states[::2], told)
    assert not _relayed([*states, states[0]], told)
    assert not _relayed([states[1], states[0]], told)
    anims = _shown(told["onu", None], say.PLAY_ANIM)
    assert _relayed(anims, told)
    assert not _relayed([*anims, anims[-1]], told)


def _shown(telling: Telling, label: str = say.TURN) -> list[bytes]:
    """What the host says of it, card by card and state by state."""
    kinds = {say.TURN: relayed.states, say.PLAY_ANIM: relayed.played}
    contents = dict.fromkeys(content for _, content in kinds[label](telling))
    return [data_frame(relayed.HOST, ("all",), label, [escaped(content)]) for content in contents]


def _relayed(frames: list[bytes], told: dict[Viewer, Telling]) -> bool:
    history = History("onu", "", RELAY, "Guest 1", False, frames)
    return relayed.judge_relayed(history, told).fault is None
