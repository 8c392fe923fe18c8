"""The published types are true: every frame of recorded nights is one of them, and nothing more."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import msgspec

from parlour.battery.night import Night
from parlour.battery.play import play_bots, random_night
from parlour.games.quips.lobby import OLDER
from parlour.table import events as tell
from tests.quips.trial import QUIPS
from tests.test_schemas import frames, schema

RESTLESS = replace(QUIPS, rare={})
"""With as many votes as anything else."""

_DECODERS = [msgspec.json.Decoder(wire.codec.outgoing) for wire in QUIPS.game.wires]
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
        "s_turned",
    }


def test_what_no_night_of_chance_holds_is_as_published_too() -> None:
    """Talk, applause, and every way of being turned away."""
    night = play_bots(QUIPS, 3, 1, {"max_rounds": 2})
    roster = night.table.roster
    for wire in QUIPS.game.wires:
        validator = frames(schema(wire))
        told = [
            *wire.codec.encode(tell.Said(0, "Hello", 0), roster, None),
            *wire.codec.encode(tell.Applauded("Bravo!"), roster, None),
            *wire.codec.encode(tell.NotDealt("too-few", "Too few."), roster, None),
        ]
        for code in (
            "kicked",
            "banned",
            "reject_afk",
            "table-full",
            "bad-password",
            "duplicate",
            "no-such-table",
            "other",
        ):
            told.append(wire.turn_away(code, "Why.").first or b"")
        for frame in told:
            assert validator.is_valid(msgspec.json.decode(frame)), (wire.name, frame)
        talk = [each for each in told if b"s_chat_msg" in each]
        assert len(talk) == (0 if wire.name == OLDER else 2)
