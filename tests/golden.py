"""Golden files: whole matches as wire transcripts, and counts of positions, as text to review.

`make golden` (or `python -m tests.golden`) writes them anew. Read the difference before you
commit it: it is what every client of that protocol will see.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from parlour.table import inputs as do
from tests.battery.games import TRIALS
from tests.battery.trial import START, Trial, open_night, perft, play_bots, play_on

FOLDER = Path(__file__).parent / "golden"

NIGHTS: dict[str, list[tuple[str, int, int, dict[str, Any]]]] = {
    "rummy": [
        ("two-players", 2, 3, {}),
        (
            "house-rules",
            3,
            8,
            {
                "enable_jokers": True,
                "allow_draw_choice": True,
                "deck_exhaust": "shuffle_discard",
                "require_end_discard": True,
                "lay_at_end": True,
                "ace_rank": "high",
            },
        ),
    ],
    "cambia": [
        ("two-players", 2, 1, {}),
        (
            "house-rules",
            3,
            5,
            {
                "houseRules": {
                    "allowDrawFromDiscardPile": True,
                    "allowReplaceAbilities": True,
                    "allowOpponentSnapping": True,
                    "remindKnown": True,
                },
                "circuit": {"enabled": True, "mode": "circuit_4p"},
            },
        ),
    ],
    "mo": [("classic", 1, 1, {"seed": "golden"})],
}
"""By game: name, seats, seed and settings of each transcript."""

COUNTS: dict[str, list[tuple[int, str, dict[str, Any], int]]] = {
    "rummy": [
        (2, "11" * 32, {}, 4),
        (3, "22" * 32, {"enable_jokers": True, "deck_count": 2}, 3),
        (4, "33" * 32, {"allow_run_mixed_suit": True, "ace_rank": "high"}, 3),
    ],
    "cambia": [
        (2, "44" * 32, {}, 4),
        (3, "55" * 32, {"houseRules": {"allowDrawFromDiscardPile": True}}, 3),
    ],
    "mo": [
        (1, "66" * 32, {"seed": "counting"}, 5),
        (1, "77" * 32, {"seed": "counting", "profile": "printed"}, 5),
    ],
}
"""By game: seats, seed, settings, and how deep to count."""


def transcript(trial: Trial, name: str, seats: int, seed: int, settings: dict[str, Any]) -> str:
    """One match between bots, or of chance: every input, and every frame with who gets it."""
    lines = [
        f"# {trial.game.name}, {name}: {seats} seats, settings {json.dumps(settings)}.",
        "# '>' is an input as the log keeps it, '<' a frame and who gets it.",
        "",
    ]

    def write(entry: do.Input, letters: list[tuple[list[int], bytes]]) -> None:
        lines.append(f"> {do.encode(entry).decode()}")
        for to, data in letters:
            lines.append(f"  < {_names(trial, to)} {data.decode()}")

    if trial.game.bot is not None:
        play_bots(trial, seats, seed, settings, scribe=write)
    else:
        rnd = Random(seed)
        night = open_night(trial, seats, settings, f"{rnd.getrandbits(256):064x}", scribe=write)
        play_on(night, rnd, 40, disturb=False)
    return "\n".join(lines) + "\n"


def _names(trial: Trial, lines: list[int]) -> str:
    wires = trial.game.wires
    names = []
    for line in lines:
        who = "watcher" if line < 100 else f"seat{line // 100 - 1}"
        names.append(who if len(wires) == 1 else f"{who}/{wires[line % 100].name}")
    return ",".join(names)


def counts(trial: Trial, wanted: list[tuple[int, str, dict[str, Any], int]]) -> str:
    """How many sequences of 1, 2, 3... actions there are from some fixed deals."""
    rows = []
    for seats, seed, settings, depth in wanted:
        night = open_night(trial, seats, settings, seed)
        while night.match.due() is not None and not any(
            night.match.legal(seat) for seat in range(seats)
        ):
            night.now = night.match.due() or START
            night.receive(do.Tick())
        numbers = [perft(night.match, seats, n) for n in range(1, depth + 1)]
        rows.append({"seats": seats, "seed": seed, "settings": settings, "counts": numbers})
    return json.dumps(rows, indent=1) + "\n"


def wanted() -> dict[Path, Callable[[], str]]:
    """Every golden file and how it is made."""
    files: dict[Path, Callable[[], str]] = {}
    for trial in TRIALS:
        game = trial.game.id
        for name, seats, seed, settings in NIGHTS[game]:
            make = partial(transcript, trial, name, seats, seed, settings)
            files[FOLDER / f"{game}-{name}.txt"] = make
        files[FOLDER / f"{game}-counts.json"] = partial(counts, trial, COUNTS[game])
    return files


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for path, make in wanted().items():
        path.write_text(make())
        print(path.relative_to(FOLDER.parent.parent))
