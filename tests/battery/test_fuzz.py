"""The fuzzer, run for a while (`make soak`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from parlour.games import installed_games

FRAMES = os.environ.get("FUZZ_FRAMES", "10000000")


@pytest.mark.soak
def test_fuzzing_the_decoders_finds_nothing(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds"
    seeds.mkdir()
    for game in installed_games():
        for wire in game.wires:
            for kind in msgspec.inspect.multi_type_info(wire.codec.incoming.__args__):
                message = {kind.tag_field: kind.tag, **{f.encode_name: "x" for f in kind.fields}}
                (seeds / f"{wire.name}-{kind.tag}").write_bytes(msgspec.json.encode(message))
    done = subprocess.run(
        [sys.executable, "-m", "tests.battery.fuzz", "--frames", FRAMES, seeds],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
