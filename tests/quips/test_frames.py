"""The published types are true: every frame of recorded nights is one of them, and nothing more."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import msgspec

from parlour.battery.night import Night
from parlour.battery.play import play_bots, random_night
from tests.quips.trial import QUIPS

RESTLESS = replace(QUIPS, rare={})
"""With as many votes as anything else."""

_DECODERS = [msgspec.json.Decoder(wire.outgoing) for wire in QUIPS.game.wires]
"""In the order in which a night connects on all wires."""


def _check(night: Night) -> set[str]:
    kinds: set[str] = set()
    for connection, greeting in night.greeted.items():
        decoder = _DECODERS[connection % 100]
        for frame in (*greeting, *night.told.get(connection, ())):
            message = decoder.decode(frame)
            assert msgspec.json.encode(message) == frame
            kinds.add(msgspec.json.decode(frame)["msg"])
    return kinds


def test_every_frame_of_twenty_games_is_as_published() -> None:
    kinds: set[str] = set()
    for seed in range(10):
        kinds |= _check(play_bots(QUIPS, 3 + seed % 4, seed, {"max_rounds": 4}))
        kinds |= _check(random_night(RESTLESS, Random(seed), 120))
    assert kinds >= {
        "s_clientinfo",
        "s_players",
        "s_allcards",
        "s_hand",
        "s_gamestate",
        "s_auxclientdata",
        "s_cardsplayed",
        "s_notify_skipped",
    }
