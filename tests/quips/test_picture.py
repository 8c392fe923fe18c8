"""What a wire needs of a picture: slots for card ids, and the table as it stands."""

from __future__ import annotations

import pytest

from parlour.games.quips.actions import Play
from parlour.games.quips.deck import custom_id
from parlour.games.quips.events import HandChanged
from parlour.games.quips.picture import Picture
from parlour.kit import Illegal
from tests.quips.tools import Table, black, pack, plain_cards


def holding(*cards: tuple[int, str]) -> Picture:
    picture = Picture(1)
    picture.see(HandChanged(1, list(cards), 2, 5))
    return picture


def test_cards_are_named_by_their_slots() -> None:
    picture = holding((3, "w_a"), (5, "w_b"))
    assert picture.name(["w_b", "w_a"]) == [5, 3]
    assert picture.name(["w_b", custom_id("<mine>")]) == [5, "<mine>"]
    assert picture.slot("w_b") == 5


def test_cards_that_read_the_same_are_two() -> None:
    picture = holding((3, "w_a"), (5, "w_a"), (6, "w_c"))
    assert picture.name(["w_a", "w_a"]) == [3, 5]
    with pytest.raises(Illegal):
        picture.name(["w_a", "w_a", "w_a"])


@pytest.mark.parametrize("card", ["w_x", "", "custom_!", "custom_gA==", "custom_YQ", "w_a "])
def test_what_is_not_there_is_refused(card: str) -> None:
    with pytest.raises(Illegal):
        holding((3, "w_a")).name([card])


def test_a_stale_card_has_no_slot() -> None:
    with pytest.raises(Illegal) as no:
        holding((3, "w_a")).slot("w_b")
    assert no.value.code == "not-in-hand"


def test_before_a_game_there_is_nothing() -> None:
    """What somebody who connects in `game_starting` is told."""
    picture = Picture(0)
    assert (picture.state, picture.players, picture.hand, picture.played) == (None, [], [], [])
    assert (picture.points, picture.blanks, picture.discards) == (0, 0, 0)


def test_what_was_named_can_be_played() -> None:
    table = Table(4, content=pack([*plain_cards(100, ()), black(0, 3)]), blank_cards=2)
    hand = table.hand(2)
    ids = [hand[4], custom_id("mine"), hand[0]]
    table.do(2, Play(table.pictures[2].name(ids)))
    assert table.pictures[2].played == ids


def test_somebody_who_comes_later_sees_what_all_see() -> None:
    """A fold of viewed events is the same whenever it is made."""
    table = Table(4)
    table.round(winner=2)
    table.play(3)
    table.join()
    for seat in (0, 1, 4, None):
        assert table.pictures[seat].state == table.state
        assert table.pictures[seat].players == table.pictures[None].players
        assert table.pictures[seat].shelf is table.match.shelf
        assert len(table.pictures[seat].verdicts) == 1


def test_verdicts_are_kept_with_who_gave_them() -> None:
    table = Table(4, computers=[1], bot_czars=True)
    table.play_all()
    black_card, plays = table.state.black, table.state.plays
    played = table.pictures[3].played
    table.judge(3)
    table.wait(5)
    table.round()
    first, second = table.pictures[None].verdicts
    assert (first.black, first.plays) == (black_card, plays)
    assert plays[first.winning_play] == played
    assert (first.by_person, second.by_person) == (True, False)
