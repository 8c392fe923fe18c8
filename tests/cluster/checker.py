"""Whether all that anybody was told is what the record says, in its order, once.

A connection's history must be, byte for byte, the greeting of one version of its table and
everything told after it, without a gap: to the log's end where the connection is still open, to
anywhere where it was lost. What that is the record says (`tests.cluster.telling`), read when all is
over.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tests.cluster.players.person import RELAY, History
from tests.cluster.relayed import judge_relayed
from tests.cluster.telling import (
    Fault,
    Record,
    Telling,
    Verdict,
    is_answer,
    plain,
    seconds_left,
    tellings,
)

_SET_RIGHT: Final = b'{"msg":"s_hand"'
"""What Quips puts before a refusal."""
_ENVELOPE: Final = re.compile(rb'\{"seq":(\d+),"type":"\w+","payload":(.*)\}', re.DOTALL)
AROUND: Final = 60
"""Frames before and after, among which one is looked for that came where another belongs."""


def heard(history: History) -> list[bytes]:
    """What a connection was told, without answers to it alone."""
    frames = [_unwrapped(number, data) for number, data in enumerate(history.frames, 1)]
    out: list[bytes] = []
    for number, data in enumerate(frames):
        if is_answer(history.game, data):
            continue
        following = frames[number + 1] if number + 1 < len(frames) else b""
        refused = history.game == "quips" and is_answer("quips", following)
        if not (refused and data.startswith(_SET_RIGHT)):
            out.append(plain(data))
    return out


def _unwrapped(number: int, data: bytes) -> bytes:
    found = _ENVELOPE.fullmatch(data)
    if found is None:
        return data
    assert int(found[1]) == number, "a frame has the wrong number"
    return found[2]


def judge(history: History, telling: Telling, complete_to: int) -> Verdict:
    """Whether this history can be this viewer's. Open connections were told up to `complete_to`."""
    frames = heard(history)
    who = f"{history.person} at {history.game} {history.table[:8]}"
    if not frames:
        if history.over:
            return Verdict(None, len(telling.ends) - 1, 0)
        return Verdict(Fault(who, "never greeted", 0))
    greeted = _greeted(frames, telling, 0, history.over)
    if not greeted:
        first = next((g for g in telling.greetings if g), (b"",))
        return Verdict(Fault(who, "greeted with what never was so", 0, frames[0], first[0]))
    at = min(size for size, _ in greeted)
    positions = {telling.ends[version] for size, version in greeted if size == at}
    since = max(version for size, version in greeted if size == at)
    again = 0
    while at < len(frames):
        following = {
            p + 1 for p in positions if p < len(telling.told) and telling.told[p] == frames[at]
        }
        if following:
            positions, at = following, at + 1
            continue
        before = telling.version_at(min(positions))
        anew = [g for g in _greeted(frames, telling, at, history.over) if g[1] >= before]
        if not anew:
            return Verdict(_parted(who, frames[at], at, telling, positions), since, before, again)
        size = max(size for size, _ in anew)
        positions = {telling.ends[version] for each, version in anew if each == size}
        at, again = at + size, again + 1
    upto = telling.version_at(min(positions))
    if not history.over and max(positions) < telling.ends[complete_to]:
        missing = telling.told[max(positions)]
        return Verdict(Fault(who, "not told the rest", at, b"", missing), since, upto, again)
    return Verdict(None, since, upto, again)


def _greeted(
    frames: Sequence[bytes], telling: Telling, at: int, lost: bool
) -> list[tuple[int, int]]:
    """The versions whose greeting stands here, each with how many frames that takes; of a lost
    connection the end of it may be missing."""
    found: list[tuple[int, int]] = []
    left = [seconds_left(data) for data in frames[at : at + 200]]
    for version, greeting in enumerate(telling.greetings):
        if not greeting:
            continue
        size = min(len(greeting), len(left)) if lost else len(greeting)
        if size and tuple(left[:size]) == greeting[:size]:
            found.append((size, version))
    return found


def _parted(who: str, frame: bytes, at: int, telling: Telling, positions: set[int]) -> Fault:
    position = max(positions)
    expected = telling.told[position] if position < len(telling.told) else b""
    if frame in telling.told[position + 1 : position + AROUND]:
        what = "something was left out"
    elif frame in telling.told[max(0, position - AROUND) : position]:
        what = "told twice, or in another order"
    else:
        what = "told what the record does not have"
    return Fault(who, what, at, frame, expected)


class Checker:
    """Holds the histories of all who were at one table against its record."""

    def __init__(self, record: Record, histories: Sequence[History], complete_to: int) -> None:
        self._histories = histories
        self._complete_to = complete_to
        wires = {history.wire for history in histories} - {RELAY}
        self._tellings = tellings(record, wires)
        self.faults: list[Fault] = []
        self.greeted_again = 0
        self.frames = 0

    def check(self) -> None:
        for history in self._histories:
            verdict = self._judge(history)
            self.frames += len(history.frames)
            self.greeted_again += verdict.greeted_again
            if verdict.fault is not None:
                self.faults.append(verdict.fault)
            elif history.before is not None and history.wire != RELAY and heard(history):
                self._check_return(history, verdict, *history.before)

    def _check_return(self, history: History, verdict: Verdict, before: History, to: int) -> None:
        """Nobody comes back to what was so before they left."""
        left = self._judge(replace(before, frames=before.frames[:to], over=True))
        if left.fault is None and verdict.since < left.upto:
            what = f"greeted with version {verdict.since} after version {left.upto}"
            self.faults.append(Fault(history.person, what, 0))

    def _judge(self, history: History) -> Verdict:
        """As the viewer whom it fits best: nobody says which place is theirs."""
        if history.wire == RELAY:
            return judge_relayed(history, self._tellings)
        best: Verdict | None = None
        for (wire, place), telling in self._tellings.items():
            if wire != history.wire or history.watching != (place is None):
                continue
            verdict = judge(history, telling, self._complete_to)
            if verdict.fault is None and not verdict.greeted_again:
                return verdict
            if best is None or _score(verdict) > _score(best):
                best = verdict
        assert best is not None
        return best


def _score(verdict: Verdict) -> tuple[int, int]:
    fault = verdict.fault
    return (1, -verdict.greeted_again) if fault is None else (0, fault.at)
