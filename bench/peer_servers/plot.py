"""Draws the curves of `bench.curves`, read as JSON from standard input, into a folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.ticker import StrMethodFormatter


def main(folder: Path) -> None:
    report = json.load(sys.stdin)
    for curve in report["curves"]:
        figure, axes = pyplot.subplots(figsize=(6, 3.2), dpi=120)
        points = curve["points"]
        axes.plot(
            [point["at"] for point in points],
            [point["microseconds"] for point in points],
            color="#2f6b52",
            marker="o",
        )
        axes.set_ylim(0, 1.15 * max(point["microseconds"] for point in points))
        axes.set_xlabel(curve["over"])
        axes.set_ylabel("CPU time of an action, µs")
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        figure.tight_layout()
        figure.savefig(folder / f"cost-over-{curve['file']}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
