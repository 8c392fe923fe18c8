"""A codec with nothing but questions that take long, and a game whose replays never come.

By itself, because the processes that answer load this file.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from multiprocessing import parent_process
from pathlib import Path
from typing import Any, ClassVar

from parlour.kit import Illegal, Match, Setup
from parlour.protocol import Codec, Question
from parlour.rng import Rng
from tests import highcard


class Slow(Codec):
    """Answers what it was asked about, or fails as it is told to."""

    incoming = None
    worker_module: ClassVar[str] = __name__

    def answer(self, question: Question, *_: Any) -> bytes:
        match question.kind:
            case "refuse":
                raise Illegal("not-now", "Not now.")
            case "fail":
                raise ZeroDivisionError
            case "die":
                os.abort()
            case "wait":
                wait_for(question.about)
            case "loaded":
                return str(question.about in sys.modules).encode()
            case "effort":
                return f"{question.effort:g}".encode()
        return question.kind.encode()

    def refuse(self, code: str, sentence: str) -> bytes:
        return f"{code}: {sentence}".encode()


def wait_for(file: Path) -> None:
    while not file.exists():
        time.sleep(0.005)


def note(file: Path, word: str) -> None:
    """Write down that somebody's turn had come."""
    with file.open("a") as notes:
        notes.write(f"{word}\n")


def note_and_wait(file: Path) -> None:
    """Write down who we are, and never come to an end."""
    note(file, str(os.getpid()))
    wait_for(Path("/nowhere/at/all"))


def too_much() -> Any:
    """What no process can be sent."""
    return lambda: None


def deal_slowly(setup: Setup, rng: Rng, now: int) -> tuple[Match[Any, Any], list[Any]]:
    """Deals at once where it is played, and never where it is folded for a replay."""
    if parent_process() is not None:
        wait_for(Path("/nowhere/at/all"))
    return highcard.GAME.deal(setup, rng, now)


def deal_held_up(file: Path, *dealt: Any) -> tuple[Match[Any, Any], list[Any]]:
    """Deals once there is a file."""
    wait_for(file)
    return highcard.GAME.deal(*dealt)


def deal_noted(file: Path, word: str, *dealt: Any) -> tuple[Match[Any, Any], list[Any]]:
    """Deals, and writes down that it did."""
    note(file, word)
    return highcard.GAME.deal(*dealt)


ENDLESS = replace(highcard.GAME, deal=deal_slowly)
"""High Card under its own name: only one of the two is installed in a house."""
