"""What commands print. `rich` is imported with the first word: `--help` does without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

import typer

if TYPE_CHECKING:
    from rich.console import Console


class Terminal:
    """Standard output or standard error, in colours where it has them."""

    def __init__(self, stderr: bool = False) -> None:
        self._stderr = stderr

    @property
    def console(self) -> Console:
        from rich.console import Console

        return Console(stderr=self._stderr, highlight=False)

    def print(self, *said: Any, **how: Any) -> None:
        """As `rich.console.Console.print`."""
        self.console.print(*said, **how)


out: Final = Terminal()
errors: Final = Terminal(stderr=True)


def escape(text: str) -> str:
    """Text with whatever looks like markup in it as plain text."""
    from rich import markup

    return markup.escape(text)


def fail(sentence: str) -> NoReturn:
    """One clear sentence and exit code 2."""
    errors.print(f"[bold red]parlour:[/] {escape(sentence)}", soft_wrap=True)
    raise typer.Exit(2)
