"""Who earns which trophies."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from parlour.games.quips.board import Player
from parlour.games.quips.packfile import read
from parlour.games.quips.packs import gather
from parlour.games.quips.results import earned
from tests.quips.packfiles import assert_sound, bytes_of, chain, pack_of, trophy, white


def player(rounds: int, wins: int, cards: list[str]) -> Player:
    return Player("p", False, blanks=0, discards=0, rounds=rounds, wins=wins, cards=cards)


def won(player: Player, *prizes: dict[str, Any], lost_to_bot: bool = False) -> list[str]:
    cards = [white("w_cat", flags=["animal"]), white("w_pan"), *chain()]
    shelf = gather([pack_of(*cards, trophies=list(prizes))])
    return [prize.id for prize in earned(player, lost_to_bot, shelf)]


@pytest.mark.parametrize(
    ("asked", "cards", "is_met"),
    [
        ({"type": "card_proportion", "flags": ["animal"], "min": 0.5}, "w_cat w_pan", True),
        ({"type": "card_proportion", "flags": ["animal"], "min": 0.51}, "w_cat w_pan", False),
        ({"type": "card_proportion", "flags": ["animal"], "max": 0.4}, "w_cat w_pan", False),
        ({"type": "card_proportion", "flags": ["animal"], "min": 0}, "", False),
        ({"type": "card_proportion", "custom": True, "min": 1}, "custom_eA==", True),
        ({"type": "cards_played", "min": 2}, "w_cat custom_eA==", True),
        ({"type": "cards_played", "min": 3}, "w_cat w_cat", False),
        ({"type": "cards_played", "max": 1}, "w_cat w_cat", False),
        ({"type": "cards_played", "cards": ["w_pan"], "min": 2}, "w_pan w_pan w_cat", True),
        ({"type": "cards_played", "cards": ["w_pan"], "min": 2}, "w_pan w_cat", False),
        ({"type": "cards_played", "custom": True, "min": 1}, "w_cat", False),
        ({"type": "cards_played", "upgraded": True, "min": 1}, "w_goose_2", True),
        ({"type": "cards_played", "upgraded": True, "min": 1}, "w_goose", False),
        ({"type": "win_proportion", "min": 0.5}, "", True),
        ({"type": "win_proportion", "min": 0.51}, "", False),
        ({"type": "win_proportion", "max": 0.49}, "", False),
        ({"type": "lost_to_bot"}, "", False),
    ],
)
def test_a_trophy_is_earned_by_what_it_asks_for(
    asked: dict[str, Any], cards: str, is_met: bool
) -> None:
    somebody = player(rounds=4, wins=2, cards=cards.split())
    assert won(somebody, trophy(asked)) == (["t_cup"] if is_met else [])
    lost = {"type": "lost_to_bot"}
    for kind, with_loss, without in (("any", True, is_met), ("all", is_met, False)):
        both = trophy({"type": kind, "of": [asked, lost]})
        assert bool(won(somebody, both, lost_to_bot=True)) == (with_loss or asked == lost)
        assert bool(won(somebody, both)) == without


def test_who_played_no_round_gets_nothing() -> None:
    prize = trophy({"type": "win_proportion"})
    assert won(player(rounds=0, wins=0, cards=[]), prize) == []
    assert won(player(rounds=1, wins=0, cards=["w_cat"]), prize) == ["t_cup"]


def test_of_a_class_the_highest_grade_is_kept() -> None:
    def grade(number: int, least: float, of: str = "wit") -> dict[str, Any]:
        asked = {"type": "win_proportion", "min": least}
        return trophy(asked, id=f"t_{of}_{number}", trophy_class=of, trophy_grade=number)

    prizes = [grade(2, 0.5), grade(1, 0.25), grade(3, 0.75), grade(1, 0, "luck")]
    assert won(player(rounds=4, wins=2, cards=[]), *prizes) == ["t_wit_2", "t_luck_1"]
    assert won(player(rounds=4, wins=4, cards=[]), *prizes) == ["t_wit_3", "t_luck_1"]
    assert won(player(rounds=4, wins=1, cards=[]), *prizes) == ["t_wit_1", "t_luck_1"]


def test_without_a_class_a_trophy_is_one_of_its_own() -> None:
    pack = pack_of(trophies=[trophy({"type": "lost_to_bot"})])
    assert pack.trophies[0].trophy_class == "t_cup"


def test_the_examples_of_the_documentation_are_sound() -> None:
    page = (Path(__file__).parents[2] / "docs" / "packs.md").read_text()
    whole, cards, prize = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    pack = json.loads(whole)
    read(bytes_of(pack))
    tiers = json.loads(f"[{cards}]")
    assert_sound(pack_of(pack["cards"][0], *tiers, trophies=[json.loads(prize)]))
