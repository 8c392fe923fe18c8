"""A wire with nothing but questions that take long.

By itself, because the process that answers them loads this file.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, ClassVar

from parlour.kit import Illegal
from parlour.table import Question, Wire


class Slow(Wire):
    """Answers what it was asked about, or fails as it is told to."""

    name: ClassVar[str] = "slow"
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
                while not Path(question.about).exists():
                    time.sleep(0.005)
        return question.kind.encode()

    def refuse(self, code: str, sentence: str) -> bytes:
        return code.encode()
