"""Packages from outside, installed beside Parlour and not into its environment."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


GAMES = ("dice", "eights", "hearts")


@pytest.fixture(scope="session")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed the games in examples/, as it would anybody's."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation"]
    done = subprocess.run(
        [*pip, *offline, "--target", str(folder), *(str(ROOT / "examples" / g) for g in GAMES)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return folder


@pytest.fixture
def publish(tmp_path: Path) -> Callable[..., Path]:
    """`publish("package", "name = module:GAME", "module's text")`: a package and its folder."""

    def published(package: str, entry_point: str, text: str | None = None) -> Path:
        folder = tmp_path / "published" / package
        about = folder / f"{package}-1.0.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[parlour.games]\n{entry_point}\n")
        if text is not None:
            module = entry_point.partition("=")[2].partition(":")[0].strip()
            (folder / f"{module}.py").write_text(text)
        return folder

    return published


def environment(*folders: Path) -> dict[str, str]:
    """This process's own, with these folders among those Python looks for packages in."""
    path = os.pathsep.join([*map(str, folders), *filter(None, sys.path)])
    return {**os.environ, "PYTHONPATH": path}
