"""A finished match, told again from the log: every input, every event, and the seed.

Once a match is over nothing of it is secret any more; until then nobody gets it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from parlour.bus import Refusal
from parlour.rng import commitment
from parlour.store import LogEntry
from parlour.table import Game, Table
from parlour.table import events as tell
from parlour.table import inputs as do


def replay_of(
    game: Game,
    entries: Sequence[LogEntry],
    number: int,
    library: Callable[[str], bytes],
) -> dict[str, Any] | Refusal:
    """Match `number` of a table, with what anybody needs to check it was dealt fairly."""
    opening = do.decode(entries[0].data)
    if not isinstance(opening, do.Open):
        return Refusal("no-such-replay", "There is no such replay.")
    table = Table(game, opening, entries[0].at, library)
    steps: list[dict[str, Any]] = []
    players: list[dict[str, Any]] = []
    settings: Any = None
    over = False
    for entry in entries[1:]:
        input_ = do.decode(entry.data)
        before = table.roster.round
        happened = table.receive(input_, entry.at)
        if before < number == table.roster.round:
            settings = table.roster.settings
            players = [{"name": p.name, "human": p.human} for p in table.roster.players]
        if table.roster.round == number and not over:
            steps.append(
                {
                    "at": entry.at,
                    "input": _public(msgspec.to_builtins(input_)),
                    "events": [_told(e) for e in happened],
                }
            )
            over = any(type(e) is tell.Finished for e in happened)
    if not over:
        return Refusal("no-such-replay", "There is no such replay, or it is not over yet.")
    seed = table.match_seed(number)
    return {
        "id": f"{opening.id}-{number}",
        "game": game.id,
        "settings": msgspec.to_builtins(game.shown(settings)),
        "players": players,
        "seed": seed.hex(),
        "commitment": commitment(seed),
        "steps": steps,
    }


def _told(event: Any) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(event, enc_hook=repr, str_keys=True)
    return {"event": type(event).__name__, **plain}


def _public(plain: dict[str, Any]) -> dict[str, Any]:
    # They would link a player's matches at different tables.
    for mark in ("visitor", "address"):
        plain.pop(mark, None)
    return plain
