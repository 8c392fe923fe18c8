"""What commands print. `rich` is imported with the first word: `--help` does without it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, NoReturn

import typer

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

_OBEYED: Final = dict.fromkeys(
    [
        *({*range(32)} - {*b"\t\n"}),
        *range(0x7F, 0xA0),
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    ],
    "�",
)
"""What a terminal obeys instead of showing it: escapes, and turns of the writing's direction."""


class Terminal:
    """Standard output or standard error, in colours where it has them."""

    def __init__(self, stderr: bool = False) -> None:
        self._stderr = stderr

    @property
    def console(self) -> Console:
        from rich.console import Console
        from rich.segment import Segment

        class SafeConsole(Console):
            """Sends no control characters but rich's own: names and answers come from outside."""

            def render(
                self, renderable: RenderableType, options: ConsoleOptions | None = None
            ) -> Iterable[Segment]:
                for segment in super().render(renderable, options):
                    if segment.control:
                        yield segment
                    else:
                        yield Segment(segment.text.translate(_OBEYED), segment.style)

        return SafeConsole(stderr=self._stderr, highlight=False)

    def print(self, *said: Any, **how: Any) -> None:
        """As `rich.console.Console.print`."""
        self.console.print(*said, **how)


out: Final = Terminal()
errors: Final = Terminal(stderr=True)


def escape(text: str) -> str:
    """Text with whatever looks like markup in it as plain text."""
    from rich import markup

    return markup.escape(text)


def shortened(text: str) -> str:
    """Text without the middle of words that nobody would read, and without an endless end."""
    text = re.sub(r"\S{400,}", lambda word: f"{word[0][:80]}…{word[0][-20:]}", text)
    return text if len(text) <= 1_000 else f"{text[:1_000]}…"


def fail(sentence: str) -> NoReturn:
    """One clear sentence and exit code 2."""
    errors.print(f"[bold red]parlour:[/] {escape(shortened(sentence))}", soft_wrap=True)
    raise typer.Exit(2)
