"""The core compiled by mypyc plays the same games, number for number, as the core interpreted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.builds import compile_in, lay_out
from bench.onu_rules import CORE
from tests.onu import replay


@pytest.mark.slow
def test_compiled_and_interpreted_leave_the_same_records(tmp_path: Path) -> None:
    lay_out(tmp_path, CORE)
    compile_in(tmp_path, CORE)
    found = subprocess.run(
        [sys.executable, replay.__file__],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    file, compiled = json.loads(found.stdout)
    assert file.startswith(str(tmp_path))
    assert not file.endswith(".py")
    assert compiled == json.loads(json.dumps(replay.everything()))
