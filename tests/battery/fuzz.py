"""A coverage-guided fuzzer on every decoder: `python -m tests.battery.fuzz --frames 10000000`.

It begins with the frames in `corpus/`: one of every kind of message, and those with which earlier
runs reached other code. More arguments are libFuzzer's: a folder, in which it keeps what it finds.
Anything but a request or a `BadMessage` is a crash, which atheris keeps and shows.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

# A game's modules are imported when the list of games is first asked for.
with atheris.instrument_imports(include=["parlour.games", "parlour.protocol"]):
    from parlour.games import installed_games
    from parlour.protocol import BadMessage, extras

    GAMES = installed_games()

DECODERS = [*(wire.decode for game in GAMES for wire in game.wires), extras.decode]
CORPUS = Path(__file__).parent / "corpus"


def decode_everywhere(data: bytes) -> None:
    for decode in DECODERS:
        try:
            decode(data)
        except BadMessage:
            continue


def arguments(given: list[str]) -> list[str]:
    """For libFuzzer: `--frames` counts each decoder that gets an input."""
    program, *rest = given
    if rest[:1] == ["--frames"]:
        runs = -(-int(rest[1]) // len(DECODERS))
        rest = [f"-runs={runs}", "-max_len=512", *rest[2:]]
    if all(each.startswith("-") for each in rest):
        # libFuzzer writes to the first folder.
        rest.append(tempfile.mkdtemp())
    return [program, *rest, str(CORPUS)]


if __name__ == "__main__":
    atheris.Setup(arguments(sys.argv), decode_everywhere)
    atheris.Fuzz()
