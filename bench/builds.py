"""Copies of the rules in folders of their own, interpreted and compiled with mypyc, to measure.

The copies are made from the sources of the package. Builds take turns and the median round counts,
so that ratios are reliable on a busy machine.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median

from scripts import compiled

PACKAGE = Path(__file__).parents[1] / "src" / "parlour"

Rates = dict[str, float]
"""How often per CPU-second, by row."""


def lay_out(folder: Path, modules: Iterable[Path]) -> None:
    """Copy these files into packages of their own."""
    for module in modules:
        target = folder / _place(module)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(module, target)
        for above in list(_place(module).parents)[:-1]:
            (folder / above / "__init__.py").touch()


def _place(module: Path) -> Path:
    """Where a file lies in such a folder: `parlour/…` or `bench/…`."""
    source = PACKAGE.parent
    return module.relative_to(source if module.is_relative_to(source) else source.parent)


def builds(made: Path, copied: Iterable[Path], compiled: Iterable[Path]) -> dict[str, Path]:
    """Two copies of these modules below `made`: one interpreted, one with `compiled` compiled."""
    folders = {build: made / build for build in ("interpreted", "compiled")}
    for folder in folders.values():
        lay_out(folder, copied)
    compile_in(folders["compiled"], compiled)
    return folders


def compile_in(folder: Path, modules: Iterable[Path]) -> None:
    """Compile the copies; the extension modules land beside them."""
    compiled.build(folder, [str(_place(module)) for module in modules])


def measure(command: Sequence[str | Path], folder: Path | None = None) -> Rates:
    """The rates that a program prints when it runs with the rules in `folder`."""
    extra = {} if folder is None else {"PYTHONPATH": str(folder)}
    found = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **extra},
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode:
        raise RuntimeError(f"{command} could not be measured:\n{found.stderr}")
    rates: Rates = json.loads(found.stdout)
    return rates


def take_turns(sides: Mapping[str, Callable[[], Rates]], rounds: int) -> dict[str, Rates]:
    """The median of the rounds, by side."""
    found: dict[str, list[Rates]] = {side: [] for side in sides}
    for _ in range(rounds):
        for side, measured in sides.items():
            found[side].append(measured())
    return {
        side: {row: median(each[row] for each in rates) for row in rates[0]}
        for side, rates in found.items()
    }
