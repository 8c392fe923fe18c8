"""Matches compiled by mypyc can be copied and pickled, and play as the interpreted ones do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bench.builds import PACKAGE, compile_in
from tests import compiled

RULES = {
    "rummy": ("melds", "rules"),
    "cambia": ("cards", "clock", "layout", "rules", "snaps", "specials"),
    "quips": ("board", "changes", "moves", "rules", "supply"),
    "onu": ("cards", "core", "moves", "rules"),
    "mo": ("board", "rules"),
}
"""By game, the modules of a match. Events with a base class of `marks.py` can't be compiled."""


@pytest.mark.slow
def test_compiled_matches_are_copied_and_pickled_and_play_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(PACKAGE, tmp_path / "parlour", ignore=shutil.ignore_patterns("page", "*.so"))
    games = [PACKAGE / "games" / game / f"{name}.py" for game in RULES for name in RULES[game]]
    monkeypatch.setenv("MYPYC_OPT_LEVEL", "0")
    compile_in(tmp_path, [PACKAGE / "kit.py", PACKAGE / "rng.py", *games])
    found = subprocess.run(
        [sys.executable, compiled.__file__],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    there, here = json.loads(found.stdout), compiled.everything()
    assert there.keys() == here.keys() == RULES.keys()
    for game, (file, happened) in there.items():
        assert file.startswith(str(tmp_path)), game
        assert file.endswith(".so"), game
        assert happened == here[game][1], game
