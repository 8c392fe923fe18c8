"""Bars: the figures that a run must reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
from rich.console import Console

from bench.report import grid


class Bar(msgspec.Struct, frozen=True):
    """One figure and the bar for it."""

    what: str
    value: float
    bar: float
    better: Literal["more", "less"] = "more"
    unit: str = ""

    @property
    def met(self) -> bool:
        return self.value >= self.bar if self.better == "more" else self.value <= self.bar


def show_bars(bars: Sequence[Bar], say: Console) -> None:
    """Print each with whether it is met."""
    shown = grid("Bars", "measured", "bar", "")
    for bar in bars:
        sign = "≥" if bar.better == "more" else "≤"
        judged = "[green]met[/]" if bar.met else "[red]not met[/]"
        shown.add_row(
            bar.what, f"{bar.value:.2f}{bar.unit}", f"{sign} {bar.bar:g}{bar.unit}", judged
        )
    say.print(shown)
