"""What a scene of Cambia shows of faces: what lies open, and a peek for as long as it lasts."""

from __future__ import annotations

from parlour.choices import admits
from parlour.games.cambia.actions import DrawStockpile, Special
from parlour.games.cambia.scene import scene, words
from parlour.kit import Seat
from tests.cambia.tools import OTHER, QUIET, Table, draw_and_discard, seated


def faces(table: Table, viewer: Seat | None) -> list[str | None]:
    """Those in the hands, from the first seat to the last."""
    shown = scene(table.pictures[viewer], ())
    hands = [zone for zone in shown.zones if zone.id.startswith("hand")]
    return [thing.face for zone in hands for thing in zone.things]


def test_a_peek_is_shown_to_whoever_looked_until_the_next_player_draws() -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="9D 6D")
    draw_and_discard(table, 0)
    table.do(0, Special("peek_other", table.card(1, 2)))
    assert faces(table, 0) == [None] * 6 + ["3♠", None]
    assert faces(table, 1) == faces(table, None) == [None] * 8
    table.do(1, DrawStockpile())
    assert faces(table, 0) == [None] * 8


def test_words_tell_no_face_that_only_one_player_has_seen() -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="9D 6D")
    draw_and_discard(table, 0)
    table.do(0, Special("peek_other", table.card(1, 2)))
    said = [words(event, table.pictures[0]) for event in table.told[0]]
    assert [sentence for sentence in said if sentence] == [
        "The game begins.",
        "{0} discards 9♦.",
        "{0} may use 9♦.",
        "{0} looks at {1}'s card 3.",
    ]


def test_two_cards_may_be_named_in_either_order() -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="JD 6D")
    draw_and_discard(table, 0)
    choices = table.match.choices(0)
    one, other = table.card(0, 1), table.card(1, 2)
    assert admits(choices, Special("swap_blind", one, other))
    assert admits(choices, Special("swap_blind", other, one))
    assert not admits(choices, Special("swap_blind", one, one))
