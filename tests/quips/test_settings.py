"""The settings the spec names, with its defaults; all of them explained, the password secret."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from parlour.games.quips.settings import Settings

NAMED: dict[str, Any] = {
    "min_players": 3,
    "hand_size": 10,
    "afk_time_seconds": 90,
    "idle_kick_time_seconds": 180,
    "player_preserve_time": 120,
    "max_points": 8,
    "max_rounds": 16,
    "round_end_timeout": 5000,
    "game_end_timeout": 30000,
    "allow_duplicates": True,
    "max_players": 10,
    "max_spectators": 10,
    "enable_game_ready_up": True,
}
"""What the spec gives a default."""

OTHERS = (
    "server_name pick_one_only allow_skips enable_upgrades enable_chat exclude_content"
    " exclude_packs use_packs require_languages bot_count bot_names player_password"
    " max_blank_card_length discards blank_cards bot_czars winner_czar perma_czar"
).split()


def test_every_setting_has_its_name_and_default() -> None:
    built = msgspec.to_builtins(Settings())
    assert {name: built[name] for name in NAMED} == NAMED
    assert set(built) == {*NAMED, *OTHERS}


def test_every_setting_is_explained_and_the_password_is_secret() -> None:
    _, components = msgspec.json.schema_components([Settings])
    properties = components["Settings"]["properties"]
    assert all(field["description"].endswith(".") for field in properties.values())
    assert [name for name, field in properties.items() if field.get("secret")] == [
        "player_password"
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"min_players": 2},
        {"hand_size": 4},
        {"max_rounds": 0},
        {"max_points": 0},
        {"afk_time_seconds": 0},
        {"idle_kick_time_seconds": 0},
        {"bot_names": [""]},
        {"server_name": "x" * 61},
        {"use_packs": ["p"] * 101},
        {"blank_cards": -1},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_what_can_not_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(wrong, Settings)
