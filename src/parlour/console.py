"""Shared by all commands: options, orders to a server, printing of lines, tables and errors.

`rich` is imported with the first output, because `--help` does without it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn, TypeAlias, TypeVar

import typer

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    from parlour.server.config import Config

T = TypeVar("T")

ConfigFile = Annotated[
    str | None, typer.Option("--config", help="TOML file to read.", show_default=False)
]
Data = Annotated[
    str | None, typer.Option("--data", help="The data folder; by default the configured one.")
]
Store = Annotated[
    str | None,
    typer.Option("--store", help="The database (postgresql://...); by default the configured one."),
]
Url = Annotated[
    str | None, typer.Option(help="The running server; by default on its configured port.")
]
Where: TypeAlias = tuple[str | None, str | None, str | None]
"""The values of `Data`, `Store` and `Url`."""

_OBEYED: Final = dict.fromkeys(
    [
        *({*range(32)} - {*b"\t\n"}),
        *range(0x7F, 0xA0),
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    ],
    "�",
)
"""Characters that control a terminal: escapes, and changes of the text's direction."""


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
        """Like `rich.console.Console.print`."""
        self.console.print(*said, **how)


out: Final = Terminal()
errors: Final = Terminal(stderr=True)


def escape(text: str) -> str:
    """Text whose brackets are not read as markup."""
    from rich import markup

    return markup.escape(text)


def shortened(text: str) -> str:
    """Text with very long words, and its end, cut."""
    text = re.sub(r"\S{400,}", lambda word: f"{word[0][:80]}…{word[0][-20:]}", text)
    return text if len(text) <= 1_000 else f"{text[:1_000]}…"


def fail(sentence: str) -> NoReturn:
    """One clear sentence and exit code 2."""
    errors.print(f"[bold red]parlour:[/] {escape(shortened(sentence))}", soft_wrap=True)
    raise typer.Exit(2)


def say(line: str, style: str | None = None) -> None:
    """One line as it is: never wrapped, so that other programs can read the output."""
    out.print(line, style=style, markup=False, soft_wrap=True)


def say_rows(rows: Sequence[Sequence[str]], styles: Sequence[str | None] = ("bold",)) -> None:
    """Rows in aligned columns; rows after the last of the styles have none."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        say("  ".join(cells).rstrip(), styles[number] if number < len(styles) else None)


@contextmanager
def one_sentence() -> Generator[None]:
    """Ends the command with one sentence instead of a traceback."""
    from parlour.kit import Illegal
    from parlour.server.config import BadConfig
    from parlour.store import StoreTrouble

    try:
        yield
    except ImportError:
        fail("PostgreSQL needs another package: pip install 'parlour[postgres]'.")
    except (BadConfig, StoreTrouble) as wrong:
        fail(str(wrong))
    except Illegal as no:
        fail(no.sentence)
    except OSError as wrong:  # a file name that is too long, for example
        fail(f"{wrong.filename} can't be used: {wrong.strerror}.")


def place_of(data: str | None, store: str | None, config: str | None) -> Path | str:
    """The data folder or the address of the database, from the options or the configuration."""
    from parlour.server.config import load

    settings, _ = load({"data": data, "store": store}, file=config)
    # A folder that is named on the command line is meant, whatever else is configured.
    if settings.store is not None and (store is not None or data is None):
        return settings.store
    if settings.data == ":memory:":
        fail("The data is kept only in memory (data = :memory:), so there is no folder.")
    return Path(settings.data)


def at_server(where: Where, work: Callable[[Config, str | None], Coroutine[Any, Any, T]]) -> T:
    """Let `work` do something at a server, with its settings and its address."""
    import asyncio

    from parlour.server.config import load

    data, store, url = where
    with one_sentence():
        config, _ = load({"data": data, "store": store})
        return asyncio.run(work(config, url))


def counted(number: int, thing: str) -> str:
    """A number of things: "1 table", "2 tables"."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
