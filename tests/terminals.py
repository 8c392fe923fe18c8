"""Helpers for tests of games in the terminal: a console to print on, and typed input."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

from rich.console import Console


def paper() -> Console:
    return Console(file=StringIO(), width=120, color_system=None)


def printed(on: Console) -> str:
    assert isinstance(on.file, StringIO)
    return on.file.getvalue()


def typing(*lines: str) -> Callable[[str], str]:
    """Input of these lines, then the end of the file."""
    rest = iter(lines)

    def ask(prompt: str) -> str:
        for line in rest:
            return line
        raise EOFError

    return ask
