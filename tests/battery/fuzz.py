"""A coverage-guided fuzzer on every decoder: `python -m tests.battery.fuzz -runs=100000`.

Anything but a request or a `BadMessage` is a crash, which atheris keeps and shows.
"""

from __future__ import annotations

import sys

import atheris

from parlour.games import installed_games
from parlour.protocol import BadMessage

# A game's modules are imported when the list of games is first asked for.
with atheris.instrument_imports(include=["parlour.games"]):
    GAMES = installed_games()

WIRES = [wire for game in GAMES for wire in game.wires]


def decode_everywhere(data: bytes) -> None:
    for wire in WIRES:
        try:
            wire.decode(data)
        except BadMessage:
            continue


if __name__ == "__main__":
    atheris.Setup(sys.argv, decode_everywhere)
    atheris.Fuzz()
