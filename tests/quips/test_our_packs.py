"""Our own packs are worth playing with."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import msgspec
import pytest

from parlour.games.quips.board import Player
from parlour.games.quips.packcards import Trophy, White
from parlour.games.quips.packtexts import with_tag
from parlour.games.quips.results import earned
from tests.quips.packfiles import OURS, SHELF


def test_our_packs_are_large_enough_and_have_everything() -> None:
    assert len(OURS) >= 2
    assert len(SHELF.blacks) >= 60
    assert len(SHELF.dealt()) >= 240
    assert {card.pick for card in SHELF.blacks.values()} == {1, 2, 3}
    assert any(card.draw for card in SHELF.blacks.values())
    assert {card.tier for card in SHELF.whites.values()} == {0, 1, 2}
    assert SHELF.duplicates == ()
    for pack in OURS:
        assert len(pack.trophies) >= 3
        assert len(pack.blacks()) >= 20
        # Ten at a table hold a hundred cards; one pack alone should do for half of them.
        assert len([card for card in pack.whites() if card.tier == 0]) >= 60


def test_our_packs_are_whole_in_both_languages() -> None:
    for pack in OURS:
        assert pack.languages() == ["de", "en"]
        for prize in pack.trophies:
            assert set(prize.name) == set(prize.desc) == {"de", "en"}


@pytest.mark.parametrize("language", ["en", "de"])
def test_none_of_our_texts_is_there_twice(language: str) -> None:
    texts = [card.content[language].casefold() for pack in OURS for card in pack.cards]
    assert [text for text, count in Counter(texts).items() if count > 1] == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_our_cards_can_be_read_on_a_phone(language: str) -> None:
    for card in SHELF.whites.values():
        assert len(card.content[language]) <= 110, card.id
    for black_card in SHELF.blacks.values():
        assert len(black_card.content[language]) <= 120, black_card.id
    for text in [card.content[language] for pack in OURS for card in pack.cards]:
        assert max(map(len, text.split())) <= 28, text


@pytest.mark.parametrize("language", ["en", "de"])
def test_our_white_cards_fit_into_a_sentence(language: str) -> None:
    """No full stop at the end, quotation marks of the language, in pairs."""
    marks = {"en": ("“", "”"), "de": ("„", "“")}[language]
    for pack in OURS:
        for card in pack.cards:
            text = card.content[language]
            assert '"' not in text, card.id
            opened, closed = (text.count(mark) for mark in marks)
            assert opened == closed, card.id
            if isinstance(card, White):
                assert text[-1] not in ".!?,", card.id
                assert text[0].isupper() or not text[0].isalpha(), card.id
            else:
                assert re.search(r"[.!?“”]$", text), card.id


def test_our_black_cards_have_the_same_blanks_in_both_languages() -> None:
    for card in SHELF.blacks.values():
        counts = {len(re.findall("_{6,8}", card.content[tag])) for tag in ("en", "de")}
        assert len(counts) == 1, card.id


def test_our_upgrades_get_dearer_and_keep_their_flags() -> None:
    for card in SHELF.whites.values():
        if card.next_tier_id:
            following = SHELF.whites[card.next_tier_id]
            assert following.tier_cost > card.tier_cost
            assert following.flags == card.flags


def test_every_flag_our_trophies_ask_for_is_on_some_of_our_cards() -> None:
    flags = {flag for card in SHELF.whites.values() for flag in card.flags}
    asked = set(re.findall(r'"flags":\[([^\]]*)\]', msgspec.json.encode(SHELF.trophies).decode()))
    assert {flag for names in asked for flag in re.findall(r"\w+", names)} <= flags


def test_every_trophy_of_ours_can_be_earned() -> None:
    """By somebody who plays one kind of card again and again, and wins everything or nothing."""
    kinds = [[card] for card in SHELF.whites] + [["custom_eA=="]]
    kinds += [[a, b] for a in SHELF.dealt()[::9] for b in SHELF.dealt()[::7]]
    got: set[str] = set()
    for prize in SHELF.trophies:
        shelf = replace(SHELF, trophies=(prize,))
        for kind in kinds:
            for wins in (0, 2, 3, 6):
                player = Player("p", False, 0, 0, rounds=8, wins=wins, cards=kind * 6)
                if earned(player, True, shelf):
                    got.add(prize.id)
    assert got == {prize.id for prize in SHELF.trophies}


def test_a_trophy_says_its_name_in_the_readers_own_tag() -> None:
    prize: Trophy = SHELF.trophies[0]
    assert with_tag(prize.name, "de-AT")["de-AT"] == prize.name["de"]
