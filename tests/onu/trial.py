"""ONU in the battery."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import msgspec

from parlour.battery import Position, Transcript, Trial
from parlour.games.onu import GAME, moves, wire
from parlour.games.onu.cards import SPECIAL, colour_of
from parlour.kit import Seat
from tests.onu.mirror import Mirror
from tests.onu.tools import places


def _knows(match: Any, seat: Seat | None) -> list[Any]:
    """The stack, which was all played openly, and one's own hand."""
    core = match.core
    known = [core.stack[at] for at in range(core.stack_size)]
    if seat is not None:
        known += [core.card(seat, at) for at in range(core.held[seat])]
    return [match.cards[int(card)] for card in known]


def _reveals(event: Any) -> list[Any]:
    """A card that was played lies open, even if it is in the deck again at once."""
    return [event.card] if isinstance(event, moves.Played) else []


def _garbage(rnd: Random, match: Any) -> Any:
    if rnd.random() < 0.2:
        return moves.Draw()
    return moves.Play(rnd.randint(-3, 12), rnd.randint(-2, 6))


def _settings(rnd: Random) -> dict[str, Any]:
    return {
        "deck": rnd.choice(("compact", "classic")),
        "maxDraws": rnd.choice((0, 0, 1, 3)),
        "turnTimeout": rnd.choice((1, 60)),
        "pace": rnd.choice((0.0, 1.0)),
        "autoStart": rnd.choice((0, 0, 2)),
    }


def _meant(match: Any, seat: Seat, action: Any) -> Any:
    """Cards that are no wilds ignore the colour."""
    held = match.core.held[seat]
    if isinstance(action, moves.Play) and 0 <= action.index < held:
        if colour_of(match.core.card(seat, action.index)) != SPECIAL:
            return moves.Play(action.index)
    return action


class MirrorClient:
    """What the host of a table folds from the messages: for a newcomer it must be the same."""

    def __init__(self) -> None:
        self._mirror = Mirror()
        self._lobby: Any = None
        self._decode = msgspec.json.Decoder(wire.Outgoing).decode

    def hear(self, message: bytes) -> None:
        told = self._decode(message)
        if isinstance(told, wire.LobbyEvent):
            self._lobby = told
        self._mirror.hear(told)

    def summary(self) -> Any:
        return self._lobby, vars(self._mirror)


ONU = Trial(
    game=GAME,
    cards=places,
    knows=_knows,
    reveals=_reveals,
    settings=_settings,
    garbage=_garbage,
    meant=_meant,
    client=lambda wire: MirrorClient(),
    golden=Path(__file__).parent.parent / "golden",
    transcripts=(
        Transcript("two-players", 2, 3, {"pace": 0.0}),
        Transcript("draw-and-pass", 4, 5, {"deck": "classic", "maxDraws": 1}),
        Transcript("coming-and-going", 3, 2, steps=60),
    ),
    positions=(
        Position(2, "11" * 32, depth=4),
        Position(4, "22" * 32, {"deck": "classic"}),
        Position(7, "33" * 32, {"maxDraws": 1}),
    ),
)
