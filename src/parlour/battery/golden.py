"""Golden files: transcripts of whole matches on the wire, and counts of positions.

`python -m parlour.battery MODULE...` records those of every `Trial` in these modules again.
Review the difference before you commit it: clients will see it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random

from parlour.battery.night import START, Letters, open_night
from parlour.battery.play import perft, play_bots, play_on
from parlour.battery.trial import Position, Transcript, Trial
from parlour.table import inputs as do
from parlour.table.events import Happened


def transcript(trial: Trial, night: Transcript) -> str:
    """One match, of bots or of random play: every input, and every frame with its receivers."""
    settings = dict(night.settings)
    lines = [
        f"# {trial.game.name}, {night.name}: {night.seats} seats, settings {json.dumps(settings)}.",
        "# '>' is an input as the log keeps it, '<' a frame and who gets it.",
        "",
    ]

    def write(entry: do.Input, happened: Happened, letters: Letters) -> None:
        lines.append(f"> {do.encode(entry).decode()}")
        for to, data in letters:
            lines.append(f"  < {_names(trial, to)} {data.decode()}")

    if not night.steps:
        play_bots(trial, night.seats, night.seed, settings, witness=write)
    else:
        rnd = Random(night.seed)
        seed = f"{rnd.getrandbits(256):064x}"
        table = open_night(trial, night.seats, settings, seed, witnesses=[write])
        play_on(table, rnd, night.steps, disturb=night.seats > 1)
    return "\n".join(lines) + "\n"


def _names(trial: Trial, connections: list[int]) -> str:
    wires = trial.game.wires
    names: list[str] = []
    for number in connections:
        who = "watcher" if number < 100 else f"seat{number // 100 - 1}"
        names.append(who if len(wires) == 1 else f"{who}/{wires[number % 100].name}")
    return ",".join(names)


def counts(trial: Trial, positions: Sequence[Position]) -> str:
    """How many sequences of 1, 2, 3... actions there are from some fixed deals."""
    rows: list[dict[str, object]] = []
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


def wanted(trial: Trial) -> dict[Path, Callable[[], str]]:
    """Every golden file of a game and how it is made."""
    if trial.golden is None:
        return {}
    game, fewest = trial.game.id, trial.game.min_seats
    files: dict[Path, Callable[[], str]] = {}
    for night in trial.transcripts or (Transcript("random", fewest, 1, steps=60),):
        files[trial.golden / f"{game}-{night.name}.txt"] = partial(transcript, trial, night)
    positions = trial.positions or (Position(fewest, "11" * 32),)
    files[trial.golden / f"{game}-counts.json"] = partial(counts, trial, positions)
    return files


def record(trial: Trial) -> list[Path]:
    """Record a game's golden files again."""
    files = wanted(trial)
    for path, make in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(make())
    return list(files)
