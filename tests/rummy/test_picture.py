"""The picture of a round is what its viewer was shown: all of it, and nothing more."""

from __future__ import annotations

from hypothesis import given, settings

from parlour.games.rummy.melds import HIDDEN
from parlour.games.rummy.moves import Event, Started, Turned, view
from parlour.games.rummy.picture import RummyPicture
from parlour.games.rummy.rules import Rummy, deal
from parlour.games.rummy.settings import Settings
from parlour.kit import Setup
from parlour.rng import FastRng
from tests.rummy import ANY_SETTINGS, SEATS, SEEDS, pick


def expect_right(picture: RummyPicture, match: Rummy) -> None:
    """The piles are those of the match; in hands of others there are cards, but no faces."""
    assert picture.deck == [card.id for card in match.deck]
    assert picture.discards == match.discards
    assert picture.melds == match.melds
    assert picture.room == match.room
    assert picture.ended == match.ended
    for seat, hand in enumerate(match.hands):
        if seat == picture.viewer:
            assert picture.hands[seat] == picture.hand == hand
        else:
            assert {card.id for card in picture.hands[seat]} == {card.id for card in hand}
            assert all(card.face == HIDDEN for card in picture.hands[seat])
    if picture.viewer is None:
        assert picture.hand == []


@settings(max_examples=60, deadline=None)
@given(ANY_SETTINGS, SEATS, SEEDS)
def test_it_is_right_for_every_viewer_to_the_end_of_the_round(
    options: Settings, seats: int, seed: int
) -> None:
    rng = FastRng(seed)
    match, events = deal(Setup(options, ["a", "b", "c", "d"][:seats]), rng, 0)
    pictures = [RummyPicture(seat) for seat in (None, *range(seats))]
    while True:
        for picture in pictures:
            for event in events:
                picture.see(view(event, picture.viewer))
            expect_right(picture, match)
        if match.ended is not None:
            return
        assert all(p.turned is not None and p.turned.seat == match.turn for p in pictures)
        events = match.apply(match.turn, pick(match, rng), rng, 0)


@settings(max_examples=30, deadline=None)
@given(ANY_SETTINGS, SEATS, SEEDS)
def test_its_moves_rebuild_it_from_a_full_deck(options: Settings, seats: int, seed: int) -> None:
    rng = FastRng(seed)
    match, events = deal(Setup(options, ["a", "b", "c", "d"][:seats]), rng, 0)
    picture = RummyPicture(0)
    for _ in range(rng.below(60)):
        for event in events:
            picture.see(view(event, 0))
        if match.ended is not None:
            break
        events = match.apply(match.turn, pick(match, rng), rng, 0)
    again = RummyPicture(0)
    start = Started(match.players, picture.ids(), picture.settings)
    rebuilt: list[Event] = [start, *picture.moves()]
    for event in rebuilt:
        again.see(event)
    for pile in ("deck", "discards", "hands", "melds", "room"):
        assert getattr(again, pile) == getattr(picture, pile), pile


def test_a_new_round_begins_with_an_empty_table() -> None:
    rng = FastRng(4)
    picture = RummyPicture(1)
    match, events = deal(Setup(Settings(), ["a", "b"]), rng, 0)
    while match.ended is None:
        for event in events:
            picture.see(view(event, 1))
        events = match.apply(match.turn, match.legal(match.turn)[0], rng, 0)
    for event in events:
        picture.see(view(event, 1))
    assert picture.ended is not None
    match, events = deal(Setup(Settings(), ["a", "b", "c"], previous=match), rng, 0)
    for event in events:
        picture.see(view(event, 1))
    expect_right(picture, match)
    assert picture.turned == Turned(match.turn, "draw")
