"""Bots of several strengths: who asks for one gets it, also after a restart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from parlour.games import installed_games
from parlour.house.bots import TableBots
from parlour.kit import Bots, Illegal
from parlour.table import Table
from parlour.table import inputs as do
from tests import highcard


class Weak(highcard.HighBot):
    """Another kind of bot."""


GAME = replace(highcard.GAME, bots=Bots(highcard.HighBot, ("Ada", "Bo"), weaker={"easy": Weak}))


def opened(game: Any = GAME) -> Table:
    opening = do.Open(id="t", code="123456", game="high", seed="5e" * 32, settings={}, opener="a")
    return Table(game, opening, 0)


def test_a_bot_is_as_strong_as_it_was_asked_for() -> None:
    table = opened()
    for entry in (do.AddBot(do.HOUSE, "easy"), do.AddBot(do.HOUSE, "hard"), do.AddBot(do.HOUSE)):
        table.receive(do.decode(do.encode(entry)), 0)
    assert [player.strength for player in table.roster.players] == ["easy", "hard", ""]
    table.receive(do.Start(do.HOUSE), 0)
    bots = TableBots(table, None, 0, lambda place, action: None)
    bots.wake()
    assert [type(bot) for bot in bots.playing.values()] == [
        Weak,
        highcard.HighBot,
        highcard.HighBot,
    ]


def test_a_strength_there_is_not_is_refused() -> None:
    with pytest.raises(Illegal, match="easy, hard"):
        opened().receive(do.AddBot(do.HOUSE, "normal"), 0)
    with pytest.raises(Illegal, match="are: hard"):
        opened(highcard.GAME).receive(do.AddBot(do.HOUSE, "easy"), 0)


def test_every_game_of_ours_with_bots_has_three_strengths() -> None:
    for game in installed_games():
        if game.bots is not None and game.id in ("rummy", "cambia", "quips", "onu"):
            assert game.bots.strengths == ("easy", "normal", "hard")
