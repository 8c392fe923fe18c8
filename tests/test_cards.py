"""One table of ranks and suits, and what each game's protocol makes of it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from parlour.cards import RANKS, SUIT_LETTERS, SUIT_SIGNS, SUITS, deck, face, is_joker
from parlour.games.cambia.wire import outgoing as cambia
from parlour.games.cambia.wire import telling
from parlour.games.mo import wire as mo
from parlour.games.rummy.wire import codec as rummy_codec
from parlour.games.rummy.wire import messages as rummy

ALL = deck(2)


def test_ranks_and_suits_are_written_in_the_order_of_faces() -> None:
    assert len(RANKS) == 14
    assert [RANKS[rank] for rank in (1, 2, 10, 11, 12, 13)] == ["A", "2", "10", "J", "Q", "K"]
    assert [suit[0] for suit in SUITS[:4]] == list(SUIT_LETTERS)
    assert len(SUIT_SIGNS) == 4


@pytest.mark.parametrize(
    ("cards", "kind", "ten_of_clubs", "joker"),
    [
        (
            [msgspec.to_builtins(rummy_codec._FACES[each]) for each in ALL],
            rummy.Face,
            {"suit": "clubs", "rank": "10"},
            {"suit": "joker", "rank": "W"},
        ),
        (
            [msgspec.to_builtins(cambia.Card("id", *telling.FACES[each])) for each in ALL],
            cambia.Card,
            {"id": "id", "rank": "T", "suit": "C", "value": 10},
            {"id": "id", "rank": "O", "suit": "R", "value": 0},
        ),
        (
            [msgspec.to_builtins(mo._card(each, True)) for each in ALL],
            mo.Card,
            {"rank": "10", "suit": "clubs", "value": 10, "face_up": True},
            {"rank": "joker", "suit": "joker", "value": 0, "face_up": True},
        ),
    ],
    ids=["rummy", "cambia", "mo"],
)
def test_every_face_is_told_in_the_words_of_its_protocol(
    cards: list[Any], kind: type[Any], ten_of_clubs: dict[str, Any], joker: dict[str, Any]
) -> None:
    for card in cards:
        msgspec.convert(card, kind)
    told = [msgspec.json.encode(card) for each, card in zip(ALL, cards, strict=True) if each < 52]
    assert len(set(told)) == 52
    assert cards[face(2, 10)] == ten_of_clubs
    assert next(card for each, card in zip(ALL, cards, strict=True) if is_joker(each)) == joker
