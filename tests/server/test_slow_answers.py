"""Questions that take long: answered elsewhere, one per visitor, and only while somebody waits."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from parlour.bus import JoinRequest
from parlour.house.audience import Attachment
from parlour.house.slow_answers import SlowAnswers
from parlour.house.workers import cores
from parlour.kit import Illegal, Story
from parlour.protocol import Question, Wire
from parlour.table import Roster
from tests.server.slow import Slow
from tests.support import Client, Process, Visitor, lives, soon


@pytest.fixture
async def slow_answers() -> AsyncIterator[SlowAnswers]:
    made = SlowAnswers()
    yield made
    made.rest()


class Asker:
    """Somebody who asks, on one connection."""

    def __init__(
        self, slow_answers: SlowAnswers, visitor: str, connection: int, source: str = ""
    ) -> None:
        self._slow_answers = slow_answers
        request = JoinRequest(
            connection=connection, game="any", wire="slow", visitor=visitor, address=source
        )
        wire = cast(Wire, SimpleNamespace(codec=Slow()))
        self._attachment = Attachment(request, wire, visitor)
        self.heard: list[bytes] = []

    def ask(self, kind: str, about: Any = None) -> None:
        question = Question(kind, about, slow=True)
        shown = Story(None), cast(Roster, None), None
        self._slow_answers.ask(self._attachment, question, shown, self.hear)

    def hear(self, answer: bytes | None) -> None:
        assert answer is not None
        self.heard.append(answer)

    def hang_up(self) -> None:
        self._slow_answers.drop(self._attachment)


async def test_a_visitor_asks_one_question_at_a_time(
    slow_answers: SlowAnswers, tmp_path: Path
) -> None:
    here, there = Asker(slow_answers, "ada", 1), Asker(slow_answers, "ada", 2)
    other = Asker(slow_answers, "bo", 3)
    here.ask("wait", tmp_path / "go")
    for visit in (here, there):
        with pytest.raises(Illegal, match="One question at a time"):
            visit.ask("again")
    other.ask("well")
    # Whoever hangs up drops what they asked themselves, not what they asked elsewhere.
    there.hang_up()
    (tmp_path / "go").touch()
    await soon(lambda: here.heard == [b"wait"] and other.heard == [b"well"])
    there.ask("now")
    await soon(lambda: there.heard == [b"now"])


async def test_whoever_hears_an_answer_may_ask_at_once(
    slow_answers: SlowAnswers, monkeypatch: pytest.MonkeyPatch
) -> None:
    asker = Asker(slow_answers, "ada", 1)

    def heard(answer: bytes) -> None:
        asker.heard.append(answer)
        if len(asker.heard) == 1:
            asker.ask("next")

    monkeypatch.setattr(asker, "hear", heard)
    asker.ask("first")
    await soon(lambda: asker.heard == [b"first", b"next"])


async def test_nobody_waits_for_the_questions_of_those_who_left(
    slow_answers: SlowAnswers, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = Asker(slow_answers, "first", 0)
    first.ask("wait", tmp_path / "go")
    for connection in range(1, 50):
        gone = Asker(slow_answers, f"gone {connection}", connection)
        gone.ask("wait", tmp_path / "never")
        gone.hang_up()
    last = Asker(slow_answers, "last", 99)
    last.ask("well")
    (tmp_path / "go").touch()
    await soon(lambda: first.heard == [b"wait"] and last.heard == [b"well"])
    assert caplog.messages == []


async def test_the_first_question_finds_a_process_that_is_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("parlour.house.slow_answers.cores", lambda: 1)
    # Any module that nothing else loads.
    monkeypatch.setattr(Slow, "worker_module", "colorsys")
    slow_answers = SlowAnswers()
    slow_answers.expect(Slow())
    asker = Asker(slow_answers, "ada", 1)
    asker.ask("loaded", "colorsys")
    await soon(lambda: asker.heard == [b"True"])
    slow_answers.rest()


async def test_a_question_that_fails_is_answered_all_the_same(slow_answers: SlowAnswers) -> None:
    visit = Asker(slow_answers, "ada", 1)
    asked = ("refuse", "fail", "die", "well")
    for number, kind in enumerate(asked, 1):
        visit.ask(kind)
        await soon(lambda count=number: len(visit.heard) == count)  # type: ignore[misc]
    nothing = b"no-answer: That question came to nothing; ask again."
    assert visit.heard == [b"not-now: Not now.", nothing, nothing, b"well"]


async def test_a_question_that_takes_too_long_is_given_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("parlour.house.slow_answers.LONGEST", 0.05)
    slow_answers = SlowAnswers()
    visit = Asker(slow_answers, "ada", 1)
    visit.ask("wait", tmp_path / "never")
    await soon(lambda: [answer[:9] for answer in visit.heard] == [b"no-answer"])
    slow_answers.rest()


async def test_who_has_hung_up_may_ask_again_at_once(
    slow_answers: SlowAnswers, tmp_path: Path
) -> None:
    here, there = Asker(slow_answers, "ada", 1), Asker(slow_answers, "ada", 2)
    here.ask("wait", tmp_path / "never")
    here.hang_up()
    there.ask("well")
    await soon(lambda: there.heard == [b"well"])
    assert here.heard == []


async def test_who_asks_alone_gets_all_thought_and_a_crowd_gets_less(
    slow_answers: SlowAnswers, tmp_path: Path
) -> None:
    alone = Asker(slow_answers, "alone", 0)
    alone.ask("effort")
    await soon(lambda: alone.heard == [b"1"])
    busy = [Asker(slow_answers, f"busy {n}", n) for n in range(cores())]
    for visit in busy:
        visit.ask("wait", tmp_path / "go")
    crowd = [Asker(slow_answers, f"one of many {n}", 100 + n) for n in range(16 * cores())]
    for visit in crowd:
        visit.ask("effort")
    (tmp_path / "go").touch()
    await soon(lambda: all(visit.heard for visit in crowd))
    efforts = [float(visit.heard[0]) for visit in crowd]
    # As the line gets shorter, there is more time for each; the last have all of it.
    assert efforts[0] == 1 / 16
    assert efforts == sorted(efforts)
    assert efforts[-1] == 1


async def test_a_crowd_at_one_address_makes_nobody_else_wait_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With one process, answers come in the order in which questions are taken up.
    monkeypatch.setattr("parlour.house.slow_answers.cores", lambda: 1)
    slow_answers = SlowAnswers()
    order: list[str] = []
    Asker(slow_answers, "busy", 0).ask("wait", tmp_path / "go")
    for n in range(30):
        visit = Asker(slow_answers, f"crowd {n}", 100 + n, "192.0.2.1")
        visit.heard = Noted("crowd", order)
        visit.ask("well")
    other = Asker(slow_answers, "other", 999, "192.0.2.2")
    other.heard = Noted("other", order)
    other.ask("well")
    (tmp_path / "go").touch()
    await soon(lambda: len(order) == 31)
    assert order.index("other") == 1
    slow_answers.rest()


class Noted(list[bytes]):
    """What somebody heard, and in which order all of them did."""

    def __init__(self, who: str, order: list[str]) -> None:
        super().__init__()
        self._who, self._order = who, order

    def append(self, data: bytes) -> None:
        self._order.append(self._who)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="asks Linux who is whose child")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
async def test_the_process_that_thinks_ends_with_the_house(
    serve: Callable[..., Awaitable[Process]],
    guests: Callable[[Process], Awaitable[Visitor]],
    how: signal.Signals,
) -> None:
    process = await serve()
    visitor = await guests(process)
    client = Client(await visitor.socket("/mo"))
    await client.event()
    await client.send("hint")
    await client.until("hint")
    house = process.process.pid
    children = _children(house)
    assert children
    if how is signal.SIGINT:
        # As a terminal does it: to everybody in the group.
        for child in children:
            os.kill(child, how)
    os.kill(house, how)
    (code, complaints), _ = await asyncio.gather(process.ended(), client.closed())
    assert code == (-how if how is signal.SIGKILL else 0)
    assert "Traceback" not in complaints
    await soon(lambda: not any(lives(child) for child in children))


def _children(pid: int) -> list[int]:
    """Whichever of its threads has started them."""
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for thread in threads for child in thread.read_text().split()]
