"""Golden files: whole matches as wire transcripts, and counts of positions, as text to review.

`make golden` (or `python -m tests.golden`) writes them anew. Read the difference before you
commit it: it is what every client of that protocol will see.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random

from parlour.table import inputs as do
from tests.battery.games import TRIALS
from tests.battery.trial import (
    START,
    Position,
    Transcript,
    Trial,
    open_night,
    perft,
    play_bots,
    play_on,
)

FOLDER = Path(__file__).parent / "golden"


def transcript(trial: Trial, night: Transcript) -> str:
    """One match between bots, or of chance: every input, and every frame with who gets it."""
    settings = dict(night.settings)
    lines = [
        f"# {trial.game.name}, {night.name}: {night.seats} seats, settings {json.dumps(settings)}.",
        "# '>' is an input as the log keeps it, '<' a frame and who gets it.",
        "",
    ]

    def write(entry: do.Input, letters: list[tuple[list[int], bytes]]) -> None:
        lines.append(f"> {do.encode(entry).decode()}")
        for to, data in letters:
            lines.append(f"  < {_names(trial, to)} {data.decode()}")

    if not night.steps:
        play_bots(trial, night.seats, night.seed, settings, scribe=write)
    else:
        rnd = Random(night.seed)
        seed = f"{rnd.getrandbits(256):064x}"
        table = open_night(trial, night.seats, settings, seed, scribe=write)
        play_on(table, rnd, night.steps, disturb=night.seats > 1)
    return "\n".join(lines) + "\n"


def _names(trial: Trial, lines: list[int]) -> str:
    wires = trial.game.wires
    names = []
    for line in lines:
        who = "watcher" if line < 100 else f"seat{line // 100 - 1}"
        names.append(who if len(wires) == 1 else f"{who}/{wires[line % 100].name}")
    return ",".join(names)


def counts(trial: Trial, positions: Sequence[Position]) -> str:
    """How many sequences of 1, 2, 3... actions there are from some fixed deals."""
    rows = []
    for each in positions:
        settings = dict(each.settings)
        night = open_night(trial, each.seats, settings, each.seed)
        while night.match.due() is not None and not any(
            night.match.legal(seat) for seat in range(each.seats)
        ):
            night.now = night.match.due() or START
            night.receive(do.Tick())
        numbers = [perft(night.match, each.seats, n) for n in range(1, each.depth + 1)]
        rows.append(
            {"seats": each.seats, "seed": each.seed, "settings": settings, "counts": numbers}
        )
    return json.dumps(rows, indent=1) + "\n"


def wanted() -> dict[Path, Callable[[], str]]:
    """Every golden file and how it is made."""
    files: dict[Path, Callable[[], str]] = {}
    for trial in TRIALS:
        game, fewest = trial.game.id, trial.game.min_seats
        for night in trial.transcripts or (Transcript("random", fewest, 1, steps=60),):
            files[FOLDER / f"{game}-{night.name}.txt"] = partial(transcript, trial, night)
        positions = trial.positions or (Position(fewest, "11" * 32),)
        files[FOLDER / f"{game}-counts.json"] = partial(counts, trial, positions)
    return files


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for path, make in wanted().items():
        path.write_text(make())
        print(path.relative_to(FOLDER.parent.parent))
