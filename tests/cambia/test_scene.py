"""What a scene of Cambia shows of faces: what lies open, and a peek for as long as it lasts."""

from __future__ import annotations

from parlour.choices import One, admits
from parlour.games.cambia.actions import DrawStockpile, Snap, Special
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


def test_a_wrong_snap_lies_open_for_all_until_the_next_player_draws() -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="6D 6H 6S 2D")
    table.do(1, Snap(table.card(1, 2)))
    for viewer in (0, 1, None):
        assert faces(table, viewer)[6] == "3♠"
        assert [face for face in faces(table, viewer) if face] == ["3♠"]
    table.do(0, DrawStockpile())
    assert not any(faces(table, 1))


def test_only_what_can_be_done_now_has_a_place() -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="9D 6D")

    def places(seat: Seat) -> list[str]:
        return list(scene(table.pictures[seat], table.match.choices(seat)).targets)

    assert places(0) == ["draw_stockpile", "snap", "snap.card"]
    assert places(1) == ["snap", "snap.card"]
    table.do(0, DrawStockpile())
    assert places(0) == ["discard_drawn", "replace.card", "snap", "snap.card"]


def test_each_use_of_an_ability_is_a_choice_of_its_own() -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="KD 6D")
    draw_and_discard(table, 0)
    table.do(0, Special("swap_peek", table.card(0, 1), table.card(1, 2)))
    found = [c.fields["special"] for c in table.match.choices(0) if c.action == "special"]
    assert [each.of for each in found if isinstance(each, One)] == [
        ["swap_peek_swap"],
        ["skip"],
    ]
