"""Writes the newest results into docs/performance.md (`make bench ARGS=page`).

Each block between `<!-- bench: NAME -->` and `<!-- end -->` is what a bench shows of the newest
bench/results/NAME-*.json, as Markdown; without such a file the block stays as it is. The text
around the blocks is written by hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from bench import cluster, curves, peers, relay, run
from bench.report import RESULTS, Run

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
BLOCK: Final = re.compile(r"(<!-- bench: (\S+) -->\n).*?(<!-- end -->)", re.S)

SHOWN: Final[dict[str, tuple[type[Run], Callable[[Any, Console], None]]]] = {
    "server": (run.Report, run.show),
    "relay": (relay.Report, relay.show),
    "peers": (peers.Report, peers.show),
    "curves": (curves.Report, curves.show),
    "cluster": (cluster.Report, cluster.show),
}


class Markdown(Console):
    """Keeps what is printed, as Markdown."""

    def __init__(self) -> None:
        super().__init__(highlight=False)
        self.paragraphs: list[str] = []

    def print(self, *objects: Any, **_: Any) -> None:
        for each in objects:
            self.paragraphs.append(_table(each) if isinstance(each, Grid) else _plain(each))


def _table(grid: Grid) -> str:
    head = [_plain(column.header) for column in grid.columns]
    rows = zip(*([_plain(cell) for cell in column.cells] for column in grid.columns), strict=True)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join([f"{_plain(grid.title)}", "", *(f"| {' | '.join(line)} |" for line in lines)])


def _plain(shown: Any) -> str:
    return Text.from_markup(str(shown)).plain


def block(name: str) -> str | None:
    """The newest result of a bench, in words; None: it was not measured here."""
    results = sorted(RESULTS.glob(f"{name}-*.json"))
    if not results:
        return None
    kind, show = SHOWN[name]
    page = Markdown()
    show(msgspec.json.decode(results[-1].read_bytes(), type=kind), page)
    return "\n\n".join(page.paragraphs) + "\n"


def main() -> int:
    text = PAGE.read_text()
    say = Console(highlight=False)

    def renewed(found: re.Match[str]) -> str:
        shown = block(found[2])
        say.print(f"{found[2]}: {'not measured, left as it is' if shown is None else 'written'}")
        return found[0] if shown is None else f"{found[1]}{shown}{found[3]}"

    PAGE.write_text(BLOCK.sub(renewed, text))
    return 0
