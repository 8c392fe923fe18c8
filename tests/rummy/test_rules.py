"""The rules of a round: what every action does, in which order it is told, and how it ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.cards import deck
from parlour.games.rummy.rules import (
    ACTIONS,
    HIDDEN,
    TO_DISCARDS,
    TO_HAND,
    TO_MELD,
    Action,
    Discard,
    Draw,
    Ended,
    Event,
    Lay,
    Meld,
    Moved,
    Redecked,
    Rummy,
    Started,
    Turned,
    deal,
    view,
)
from parlour.games.rummy.settings import Settings, hand_size_in_force
from parlour.kit import Illegal, Outcome, Setup
from parlour.rng import FastRng, Rng
from tests.rummy import (
    ANY_SETTINGS,
    SEATS,
    SEEDS,
    Client,
    CountingRng,
    everywhere,
    pick,
    position,
    snapshot,
    texts,
)

RNG = FastRng(1)


def play(
    options: Settings, seats: int, rng: Rng, *, leaving: bool
) -> Iterator[tuple[Rummy, list[Event]]]:
    """A random round, step by step; with `leaving`, players go away and come back."""
    match, events = deal(Setup(options, [f"player{seat}" for seat in range(seats)]), rng, 0)
    yield match, events
    while match.ended is None:
        if leaving and rng.below(12) == 0:
            seat = rng.below(seats)
            if not match.active[seat]:
                yield match, match.back(seat, rng, 0)
            elif match.active.count(True) > 2 or rng.below(20) == 0:
                yield match, match.gone(seat, rng, 0)
            continue
        yield match, match.apply(match.turn, pick(match, rng), rng, 0)


def shape(events: list[Event]) -> list[str]:
    """What happened, in a word each."""
    words: list[str] = []
    for event in events:
        if isinstance(event, Moved):
            words.append(f"to-{event.destination}")
        elif isinstance(event, Turned):
            words.append(f"turn-{event.seat}-{event.state}")
        else:
            words.append(type(event).__name__.lower())
    return words


# Whatever the settings


@settings(max_examples=60, deadline=None)
@given(ANY_SETTINGS, SEATS, SEEDS)
def test_every_card_is_in_exactly_one_place_after_every_action(
    options: Settings, seats: int, seed: int
) -> None:
    whole = Counter(deck(2 if options.enable_jokers else 0) * options.deck_count)
    for match, _ in play(options, seats, FastRng(seed), leaving=True):
        cards = everywhere(match)
        assert Counter(card.face for card in cards) == whole
        assert len({card.id for card in cards}) == len(cards)


@settings(max_examples=60, deadline=None)
@given(ANY_SETTINGS, SEATS, SEEDS)
def test_whoever_follows_the_moves_sees_the_table_as_it_is(
    options: Settings, seats: int, seed: int
) -> None:
    viewers = [*range(seats), None]
    clients = [Client() for _ in viewers]
    for match, events in play(options, seats, FastRng(seed), leaving=True):
        for viewer, client in zip(viewers, clients, strict=True):
            for event in events:
                client.see(view(event, viewer))
            assert client.deck == [card.id for card in match.deck]
            assert client.discards == [card.id for card in match.discards]
            assert client.melds == [[card.id for card in meld] for meld in match.melds]
            for seat, hand in enumerate(match.hands):
                held = [card.id for card in hand]
                if viewer == seat:
                    assert client.hands[seat] == held
                    assert [client.faces[card] for card in held] == [card.face for card in hand]
                else:
                    assert sorted(client.hands[seat]) == sorted(held)
            if match.ended is None:
                assert client.turn == (match.turn, "play" if match.drawn else "draw")


@settings(max_examples=60, deadline=None)
@given(ANY_SETTINGS, SEATS, SEEDS)
def test_everything_legal_applies_and_somebody_can_always_move(
    options: Settings, seats: int, seed: int
) -> None:
    steps = 0
    for match, _ in play(options, seats, FastRng(seed), leaving=True):
        for seat in range(seats):
            legal = match.legal(seat)
            assert bool(legal) == (match.ended is None and seat == match.turn)
            steps += 1
            if steps % 7 == 0:
                for action in legal:
                    match.copy().apply(seat, action, FastRng(seed), 0)


def garbage(match: Rummy, rng: Rng) -> Action:
    """An action somebody might send by mistake or malice."""
    known = [card.id for card in everywhere(match)] + ["", "nonsense"]
    some = [known[rng.below(len(known))] for _ in range(rng.below(5))]
    if rng.below(3) == 0:
        some = [card.id for card in match.hands[rng.below(len(match.hands))]][: rng.below(6)]
    if some and rng.below(4) == 0:
        some.append(some[0])
    one = known[rng.below(len(known))]
    number = rng.below(len(match.melds) + 4) - 2
    choices: list[Action] = [Draw(one), Meld(some), Lay(some, number), Discard(one)]
    return choices[rng.below(4)]


@settings(max_examples=60, deadline=None)
@given(ANY_SETTINGS, SEATS, SEEDS)
def test_an_illegal_action_leaves_no_trace(options: Settings, seats: int, seed: int) -> None:
    chance = FastRng(seed + 1)
    refused = 0
    for match, _ in play(options, seats, FastRng(seed), leaving=False):
        action = garbage(match, chance)
        seat = chance.below(seats) if chance.below(4) == 0 else match.turn
        before, rng = snapshot(match), CountingRng(seed)
        twin = match.copy()
        try:
            twin.apply(seat, action, rng, 0)
        except Illegal as reason:
            refused += 1
            assert reason.code
            assert reason.sentence.endswith(".")
            assert snapshot(twin) == before
            assert rng.asked == 0
        # A twin goes its own way.
        assert snapshot(match) == before
    assert refused


@settings(max_examples=40, deadline=None)
@given(ANY_SETTINGS, SEATS, SEEDS)
def test_the_same_chance_deals_and_plays_the_same_round(
    options: Settings, seats: int, seed: int
) -> None:
    one = [events for _, events in play(options, seats, FastRng(seed), leaving=True)]
    other = [events for _, events in play(options, seats, FastRng(seed), leaving=True)]
    assert one == other


@settings(max_examples=60, deadline=None)
@given(ANY_SETTINGS, SEATS, SEEDS)
def test_events_come_in_the_order_the_protocol_promises(
    options: Settings, seats: int, seed: int
) -> None:
    rng = FastRng(seed)
    match, _ = deal(Setup(options, ["a", "b", "c", "d"][:seats]), rng, 0)
    while match.ended is None:
        seat, action = match.turn, pick(match, rng)
        told = shape(match.apply(seat, action, rng, 0))
        over = match.ended is not None
        if isinstance(action, Draw):
            assert told == ["to-player", f"turn-{seat}-play"]
            continue
        first = "to-discard" if isinstance(action, Discard) else "to-meld"
        assert told[0] == first
        rest = told[1:]
        if over:
            laid_off = ["to-meld"] * (len(rest) - 1)
            assert rest == [*laid_off, "ended"]
            assert options.lay_at_end or not laid_off
        elif isinstance(action, Discard):
            turned = f"turn-{match.turn}-draw"
            assert rest in ([turned], ["redecked", "to-discard", turned])
            assert match.turn == (seat + 1) % seats
        else:
            assert rest == []


@settings(max_examples=60, deadline=None)
@given(ANY_SETTINGS, SEATS, SEEDS)
def test_others_learn_neither_the_face_nor_the_place_of_a_card_in_a_hand(
    options: Settings, seats: int, seed: int
) -> None:
    for match, events in play(options, seats, FastRng(seed), leaving=False):
        for event in events:
            seen = [view(event, viewer) for viewer in [*range(seats), None]]
            if isinstance(event, Moved) and event.destination == TO_HAND:
                owner = event.seat
                # The owner's hand was sorted, and the card went where it belongs.
                assert seen[owner] is event
                strangers = seen[:owner] + seen[owner + 1 :]
                for other in strangers:
                    assert isinstance(other, Moved)
                    assert [card.face for card in other.cards] == [HIDDEN]
                    assert [card.id for card in other.cards] == [card.id for card in event.cards]
                    assert other.position == other.right_end == event.right_end
                    # One object for all of them, so that it is encoded once.
                    assert other is strangers[0]
            elif isinstance(event, Turned) and event.deck_top is not None:
                assert seen[event.seat] is event
                strangers = seen[: event.seat] + seen[event.seat + 1 :]
                for other in strangers:
                    assert other == Turned(event.seat, "draw")
                    assert other is strangers[0]
            else:
                assert all(other is event for other in seen)
        if match.ended is not None:
            break


@settings(max_examples=30, deadline=None)
@given(ANY_SETTINGS, SEATS, SEEDS)
def test_a_deal_of_other_faces_looks_the_same_to_spectators_but_for_the_card_turned_up(
    options: Settings, seats: int, seed: int
) -> None:
    players = ["a", "b", "c", "d"][:seats]
    _, events = deal(Setup(options, players), FastRng(seed), 0)
    _, otherwise = deal(Setup(options, players), Reshuffled(seed), 0)
    shown, again = ([view(event, None) for event in deal] for deal in (events, otherwise))
    turned_up = len(events) - 2
    assert shown[:turned_up] == again[:turned_up]
    assert shown[turned_up + 1 :] == again[turned_up + 1 :]
    assert shown[turned_up] != again[turned_up] or options.deck_count > 1


class Reshuffled(Rng):
    """The same ids from the same seed, but every shuffle turned over."""

    def __init__(self, seed: int) -> None:
        self._rng = FastRng(seed)

    def bits(self, count: int) -> int:
        return self._rng.bits(count)

    def shuffle(self, cards: object) -> None:
        self._rng.shuffle(cards)  # type: ignore[arg-type]
        cards.reverse()  # type: ignore[attr-defined]


# The deal


@given(ANY_SETTINGS, SEATS, SEEDS)
def test_the_deal_goes_round_card_by_card_then_one_is_turned_up(
    options: Settings, seats: int, seed: int
) -> None:
    players = ["a", "b", "c", "d"][:seats]
    match, events = deal(Setup(options, players), FastRng(seed), 0)
    size = options.hand_size or (10 if seats == 2 else 7)
    start, dealt, turned_up, turned = events[0], events[1:-2], events[-2], events[-1]
    assert isinstance(start, Started)
    assert start.players == players
    assert start.settings.hand_size == size == hand_size_in_force(options, seats)
    top_down = start.card_ids[::-1]
    assert all(len(card) == 32 and int(card, 16) >= 0 for card in top_down)
    assert [event.seat for event in dealt if isinstance(event, Moved)] == [*range(seats)] * size
    order = [*dealt, turned_up]
    assert [event.cards[0].id for event in order if isinstance(event, Moved)] == top_down[
        : seats * size + 1
    ]
    assert isinstance(turned_up, Moved)
    assert turned_up.destination == TO_DISCARDS
    assert isinstance(turned, Turned)
    assert (turned.seat, turned.state) == (0, "draw")
    assert len(match.deck) >= 3


def test_card_ids_are_new_every_round() -> None:
    rng = FastRng(5)
    first, _ = deal(Setup(Settings(), ["a", "b"]), rng, 0)
    second, _ = deal(Setup(Settings(), ["a", "b"], previous=first), rng, 0)
    assert not {card.id for card in everywhere(first)} & {card.id for card in everywhere(second)}


def ended_round(players: list[str], starter: int, winner: int | None) -> Rummy:
    match = Rummy(Settings(), players, starter)
    match.ended = Ended(winner, {}, "out")
    return match


@pytest.mark.parametrize(
    ("first_turn", "before", "players", "starts"),
    [
        ("next_player", ended_round(["a", "b", "c"], 1, 0), ["a", "b", "c"], "c"),
        ("next_player", ended_round(["a", "b", "c"], 2, 0), ["a", "b", "c"], "a"),
        ("next_player", ended_round(["a", "b", "c"], 1, 0), ["c", "b", "a"], "a"),
        ("next_player", ended_round(["a", "b", "c"], 1, 0), ["a", "c"], "c"),
        ("next_player", ended_round(["a", "b"], 1, None), ["x", "y"], "x"),
        ("prev_winner", ended_round(["a", "b", "c"], 0, 2), ["a", "b", "c"], "c"),
        ("prev_winner", ended_round(["a", "b", "c"], 0, 2), ["c", "a"], "c"),
        ("prev_winner", ended_round(["a", "b", "c"], 1, None), ["a", "b", "c"], "b"),
        ("prev_winner", ended_round(["a", "b", "c"], 0, 1), ["a", "c"], "c"),
    ],
)
def test_who_begins_a_later_round(
    first_turn: str, before: Rummy, players: list[str], starts: str
) -> None:
    options = Settings(first_turn=first_turn)  # type: ignore[arg-type]
    match, _ = deal(Setup(options, players, previous=before), FastRng(3), 0)
    assert players[match.turn] == starts


def test_anybody_may_begin_at_random_but_the_first_round_is_the_first_players() -> None:
    options = Settings(first_turn="random")
    before = ended_round(["a", "b", "c"], 0, 0)
    begun = [
        deal(Setup(options, ["a", "b", "c"], previous=before), FastRng(i), 0)[0].turn
        for i in range(40)
    ]
    assert set(begun) == {0, 1, 2}
    assert all(deal(Setup(options, ["a", "b"]), FastRng(i), 0)[0].turn == 0 for i in range(10))


# Drawing


def refused(match: Rummy, action: Action, seat: int = 0) -> str:
    before = snapshot(match)
    with pytest.raises(Illegal) as caught:
        match.apply(seat, action, RNG, 0)
    assert snapshot(match) == before
    return caught.value.code


def test_only_the_top_of_deck_or_pile_can_be_drawn_once_and_in_turn() -> None:
    match = position(["2H 9C", "3D 4S"], deck="5H 6H", discards="7C 8C")
    assert refused(match, Draw("5H")) == "not-on-top"
    assert refused(match, Draw("7C")) == "not-on-top"
    assert refused(match, Draw("2H")) == "not-on-top"
    assert refused(match, Draw("6H"), seat=1) == "not-your-turn"
    assert refused(match, Discard("2H")) == "draw-first"
    assert refused(match, Meld(["2H"])) == "draw-first"
    assert match.legal(0) == [Draw("6H"), Draw("8C")]
    match.apply(0, Draw("6H"), RNG, 0)
    assert refused(match, Draw("5H")) == "already-drawn"
    assert refused(match, Draw("8C")) == "already-drawn"


def test_a_card_is_told_at_its_true_place_to_the_owner_and_at_the_right_end_to_others() -> None:
    match = position(["2H 9C", "3D 4S"], deck="5H", discards="7C")
    moved = match.apply(0, Draw("5H"), RNG, 0)[0]
    assert isinstance(moved, Moved)
    assert (moved.position, moved.right_end) == (1, 2)
    assert texts(match.hands[0]) == "2H 5H 9C"


def test_with_draw_choice_the_one_to_draw_sees_the_deck_card_and_may_leave_it() -> None:
    options = Settings(allow_draw_choice=True)
    match = position(["2H 9C", "3D 4S"], deck="5H 6H", discards="7C", settings=options, drawn=True)
    turned = match.apply(0, Discard("9C"), RNG, 0)[-1]
    assert isinstance(turned, Turned)
    assert turned.deck_top is match.deck[-1]
    for viewer in (0, None):
        assert view(turned, viewer) == Turned(1, "draw", None)
    played = match.apply(1, Draw("9C"), RNG, 0)
    assert shape(played) == ["to-player", "turn-1-play"]
    assert texts(match.deck) == "5H 6H"
    assert [event.deck_top for event in played if isinstance(event, Turned)] == [None]


def test_with_draw_choice_there_is_nothing_to_see_in_an_empty_deck() -> None:
    """Of a single discard no deck is made: it is to be taken from the pile."""
    options = Settings(allow_draw_choice=True)
    match = position(["2H 9C", "3D 4S"], settings=options, drawn=True)
    assert match.apply(0, Discard("9C"), RNG, 0)[1:] == [Turned(1, "draw", None)]
    assert match.legal(1) == [Draw("9C")]
    match = position(["2H 9C", "3D 4S"], deck="5H", settings=options, drawn=True)
    assert match.apply(0, Discard("9C"), RNG, 0)[1:] == [Turned(1, "draw", match.deck[0])]


def test_without_draw_choice_nobody_is_told_the_deck_card() -> None:
    _, events = deal(Setup(Settings(), ["a", "b"]), FastRng(2), 0)
    assert events[-1] == Turned(0, "draw", None)


# Melding and laying


def test_a_meld_is_one_sorted_move_numbered_by_the_melds_so_far() -> None:
    match = position(
        ["7H 5H 6H 9C", "3D"], deck="KS", discards="KC", melds=["2H 2C 2D"], drawn=True
    )
    assert match.apply(0, Meld(["7H", "5H", "6H"]), RNG, 0) == [
        Moved(match.melds[1], TO_MELD, meld_number=1, position=0)
    ]
    assert texts(match.melds[1]) == "5H 6H 7H"


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (Meld([]), "no-cards"),
        (Meld(["5H", "6H", "KD"]), "not-in-hand"),
        (Meld(["5H", "6H", "3D"]), "not-in-hand"),
        (Meld(["5H", "6H", "6H"]), "card-twice"),
        (Meld(["5H", "6H", "9C"]), "not-a-meld"),
        (Meld(["5H", "6H"]), "not-a-meld"),
        (Lay([], 0), "no-cards"),
        (Lay(["2S"], 1), "no-such-meld"),
        (Lay(["2S"], -1), "no-such-meld"),
        (Lay(["9C"], 0), "does-not-fit"),
        (Lay(["2S", "2S"], 0), "card-twice"),
        (Lay(["3D"], 0), "not-in-hand"),
        (Discard("3D"), "not-in-hand"),
        (Discard(""), "not-in-hand"),
    ],
)
def test_what_the_rules_refuse_they_refuse_with_a_reason(action: Action, code: str) -> None:
    match = position(
        ["5H 6H 7H 9C 2S", "3D"], deck="KS", discards="KC", melds=["2H 2C 2D"], drawn=True
    )
    assert refused(match, action) == code


def test_one_card_laid_is_told_alone_with_its_place() -> None:
    match = position(["4H 8H KC", "3D"], deck="KS", discards="QC", melds=["5H 6H 7H"], drawn=True)
    first = match.apply(0, Lay(["8H"], 0), RNG, 0)
    assert first == [Moved([match.melds[0][3]], TO_MELD, meld_number=0, position=3)]
    second = match.apply(0, Lay(["4H"], 0), RNG, 0)
    assert second == [Moved([match.melds[0][0]], TO_MELD, meld_number=0, position=0)]


def test_several_cards_laid_are_told_as_the_whole_meld() -> None:
    match = position(["4H 8H KC", "3D"], deck="KS", discards="QC", melds=["5H 6H 7H"], drawn=True)
    events = match.apply(0, Lay(["8H", "4H"], 0), RNG, 0)
    assert events == [Moved(match.melds[0], TO_MELD, meld_number=0, position=0)]
    assert texts(match.melds[0]) == "4H 5H 6H 7H 8H"


def test_a_joker_that_makes_way_is_told_with_the_whole_meld() -> None:
    match = position(["6H KC", "3D"], deck="KS", discards="QC", melds=["5H W1 7H"], drawn=True)
    events = match.apply(0, Lay(["6H"], 0), RNG, 0)
    assert events == [Moved(match.melds[0], TO_MELD, meld_number=0, position=0)]
    assert texts(match.melds[0]) == "5H 6H 7H W1"


def test_a_meld_of_one_natural_card_may_turn_from_a_set_into_a_run() -> None:
    match = position(["6H KC", "3D"], deck="KS", discards="QC", melds=["5H W1 W2"], drawn=True)
    match.apply(0, Lay(["6H"], 0), RNG, 0)
    assert texts(match.melds[0]) == "5H 6H W1 W2"


def test_anybody_lays_on_anybodys_meld_without_having_melded() -> None:
    match = position(["8H KC", "3D"], deck="KS", discards="QC", melds=["5H 6H 7H"], drawn=True)
    assert match.laid == [False, False]
    match.apply(0, Lay(["8H"], 0), RNG, 0)
    assert texts(match.melds[0]) == "5H 6H 7H 8H"


# Discarding


def test_the_card_just_taken_from_the_pile_stays_this_turn() -> None:
    match = position(["2H", "3D 4S"], deck="TD 5H 6H", discards="7C 8C")
    match.apply(0, Draw("8C"), RNG, 0)
    assert refused(match, Discard("8C")) == "just-taken"
    assert match.legal(0) == [Discard("2H")]
    match = position(["2H 9C", "3D 4S"], deck="TD 5H 6H", discards="7C 8C")
    match.apply(0, Draw("8C"), RNG, 0)
    assert refused(match, Discard("8C")) == "just-taken"
    assert Discard("8C") not in match.legal(0)
    match.apply(0, Discard("9C"), RNG, 0)
    match.apply(1, Draw("6H"), RNG, 0)
    match.apply(1, Discard("6H"), RNG, 0)
    match.apply(0, Draw("5H"), RNG, 0)
    assert Discard("8C") in match.legal(0)
    match.apply(0, Discard("8C"), RNG, 0)


# The deck runs out


def test_flipped_discards_become_the_deck_with_the_oldest_on_top() -> None:
    match = position(["2H 9C", "3D 4S"], deck="", discards="5H 6C 7D", drawn=True)
    told = match.apply(0, Discard("9C"), RNG, 0)
    assert shape(told) == ["to-discard", "redecked", "to-discard", "turn-1-draw"]
    redecked = told[1]
    assert isinstance(redecked, Redecked)
    assert redecked.new_card_ids == [card.id for card in [*match.deck, *match.discards]]
    assert all(len(card) == 32 for card in redecked.new_card_ids)
    assert texts(match.deck) == "9C 7D 6C"
    assert texts(match.discards) == "5H"


def test_shuffled_discards_become_the_deck_in_an_order_of_chance() -> None:
    options = Settings(deck_exhaust="shuffle_discard")
    pile = "5H 6C 7D 8S TH JC QD"
    orders: set[str] = set()
    for seed in range(12):
        match = position(["2H 9C", "3D 4S"], discards=pile, settings=options, drawn=True)
        match.apply(0, Discard("9C"), FastRng(seed), 0)
        assert sorted(texts([*match.deck, *match.discards]).split()) == sorted(
            [*pile.split(), "9C"]
        )
        assert len(match.discards) == 1
        orders.add(texts(match.deck))
    assert len(orders) > 6


def test_the_round_can_end_with_the_deck() -> None:
    options = Settings(deck_exhaust="end_round")
    match = position(["2H 9C", "3D KS"], discards="5H 6C", settings=options, drawn=True)
    assert match.apply(0, Discard("9C"), RNG, 0) == [
        Moved([match.discards[-1]], TO_DISCARDS),
        Ended(None, {0: 2, 1: 13}, "deck-exhausted"),
    ]
    assert refused(match, Draw("9C"), seat=1) == "round-over"


def test_with_one_discard_and_no_deck_the_next_player_must_take_it() -> None:
    match = position(["2H 9C 4D", "3D 4S KH"], discards="", drawn=True)
    assert shape(match.apply(0, Discard("9C"), RNG, 0)) == ["to-discard", "turn-1-draw"]
    assert match.legal(1) == [Draw("9C")]
    match.apply(1, Draw("9C"), RNG, 0)
    assert shape(match.apply(1, Discard("KH"), RNG, 0)) == ["to-discard", "turn-0-draw"]


def test_with_nothing_to_draw_nobody_can_move_and_the_round_ends() -> None:
    match = position(["2H 9C", "3D 4S", "5C KH"], discards="7S")
    match.apply(0, Draw("7S"), RNG, 0)
    assert match.gone(0, RNG, 0) == [Ended(None, {0: 18, 1: 7, 2: 15}, "standstill")]


def test_when_no_card_can_ever_be_laid_again_the_round_ends() -> None:
    options = Settings(limit_meld_size=3)
    match = position(
        ["2H 9C", "3D"],
        deck="5H TC",
        discards="6C",
        melds=["4H 4C 4S"],
        settings=options,
        drawn=True,
    )
    assert match.apply(0, Discard("9C"), RNG, 0)[-1] == Ended(None, {0: 2, 1: 3}, "standstill")


@pytest.mark.parametrize(
    ("hands", "end_discard", "over"),
    [
        (["2H 9C 4D 8S 9D", "3D KS 4S JH"], False, True),
        (["2H 9C 4D 8S 9D", "3D KS 4S JH JC"], False, False),
        (["2H 9C 4D 8S 9D", "3D KS 4S"], False, False),
        (["2H 9C 4D 8S 9D", "3D KS 4S JH JC"], True, True),
        (["2H 9C 4D 8S 9D", "3D KS 4S"], True, False),
    ],
)
def test_melds_of_three_that_never_come_out_even_end_with_the_deck(
    hands: list[str], end_discard: bool, over: bool
) -> None:
    options = Settings(limit_meld_size=3, require_end_discard=end_discard)
    match = position(hands, deck="", discards="5H 6C 7D", settings=options, drawn=True)
    match.apply(0, Discard("9C"), RNG, 0)
    assert (match.ended and match.ended.how) == ("standstill" if over else None)
    # Nor with any cards left in it, nor where a meld may grow.
    for left, limit in (("TD", 3), ("", 4), ("", None)):
        options = msgspec.structs.replace(options, limit_meld_size=limit)
        match = position(hands, deck=left, discards="5H 6C 7D", settings=options, drawn=True)
        match.apply(0, Discard("9C"), RNG, 0)
        assert match.ended is None


@settings(max_examples=40, deadline=None)
@given(ANY_SETTINGS, SEATS, SEEDS)
def test_whoever_could_never_go_out_never_does(options: Settings, seats: int, seed: int) -> None:
    """Seven or ten cards in threes leave one over; no order of play changes that."""
    options = msgspec.structs.replace(options, limit_meld_size=3, hand_size=0)
    for match, _ in play(options, seats, FastRng(seed), leaving=False):
        if match.ended is not None:
            assert match.ended.winner is None


@pytest.mark.parametrize("fits", ["AH", "5H"])
@pytest.mark.parametrize("where", ["nowhere", *range(6)])
@pytest.mark.parametrize("end_discard", [False, True])
def test_small_hands_play_on_while_a_card_fits_wherever_it_lies(
    end_discard: bool, where: int | str, fits: str
) -> None:
    """In the first hand or the last, at the bottom of the deck or of the pile."""
    options = Settings(require_end_discard=end_discard)
    places = ["2C", "3D", "4S", "6C", "7C", "8D"]
    if where != "nowhere":
        places[int(where)] = fits
    *cards, bottom, top, pile = places
    extra = ("JC", "QD", "KS") if end_discard else ("", "", "")
    hands = [f"{card} {more}" for card, more in zip(cards, extra, strict=True)]
    hands[0] += " 9C"
    match = position(
        hands, deck=f"{bottom} {top}", discards=pile, melds=["2H 3H 4H"],
        settings=options, drawn=True,
    )  # fmt: skip
    match.apply(0, Discard("9C"), RNG, 0)
    assert (match.ended and match.ended.how) == ("standstill" if where == "nowhere" else None)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("end_discard", "most"), [(False, 1), (True, 2)])
def test_a_hand_that_may_still_hold_a_meld_plays_on(
    seat: int, end_discard: bool, most: int
) -> None:
    """With the card drawn it makes three, and with one to discard four."""
    options = Settings(require_end_discard=end_discard)
    for held in (most, most + 1):
        sizes = [most, most]
        sizes[seat] = held
        cards = (["2C", "JC", "6D"], ["3D", "QD", "6C"])
        hands = [" ".join(hand[:size]) for hand, size in zip(cards, sizes, strict=True)]
        hands[0] += " 9C"
        match = position(
            hands, deck="6S 7S", discards="8D", melds=["2H 3H 4H"], settings=options, drawn=True
        )
        match.apply(0, Discard("9C"), RNG, 0)
        assert (match.ended is not None) == (held == most)


def test_a_round_in_which_nobody_ever_lays_a_card_ends() -> None:
    rng = FastRng(11)
    match, _ = deal(Setup(Settings(), ["a", "b"]), rng, 0)
    turns = 0
    redecks = 0
    while match.ended is None:
        seat = match.turn
        drawn = match.deck[-1].id
        match.apply(seat, Draw(drawn), rng, 0)
        redecks += "redecked" in shape(match.apply(seat, Discard(drawn), rng, 0))
        turns += 1
    assert match.ended.how == "standstill"
    # Not before the whole deck has gone by several times.
    assert redecks >= 4
    # As the protocol's page has it.
    assert turns == 100 + 2 * (52 - 20)


def test_a_card_laid_lets_everybody_s_patience_begin_anew() -> None:
    match = position(
        ["8H 2H 9C", "3D 4S KS"], deck="5C 6C 7C 8C QD JD", discards="TD", melds=["5H 6H 7H"]
    )
    match.patience = 3
    for turn in range(6):
        seat, drawn = match.turn, match.deck[-1].id
        match.apply(seat, Draw(drawn), RNG, 0)
        if turn == 2:
            match.apply(seat, Lay(["8H"], 0), RNG, 0)
        match.apply(seat, Discard(drawn), RNG, 0)
        # Two turns, the lay, and then three more.
        assert (match.ended is not None) == (turn == 5)


def test_passing_the_discard_back_and_forth_for_ever_ends_too() -> None:
    match = position(["2H 9C", "3D 4S"], deck="5H", discards="7C")
    match.patience = 50
    while match.ended is None:
        seat = match.turn
        match.apply(seat, Draw(match.discards[-1].id), RNG, 0)
        discards = [action for action in match.legal(seat) if isinstance(action, Discard)]
        match.apply(seat, discards[0], RNG, 0)
    assert match.ended.how == "standstill"


# Going out


@pytest.mark.parametrize(
    ("hand", "action", "told"),
    [
        ("9C 9D 9S", Meld(["9C", "9D", "9S"]), "to-meld"),
        ("8H", Lay(["8H"], 0), "to-meld"),
        ("8H 9H", Lay(["9H", "8H"], 0), "to-meld"),
        ("9C", Discard("9C"), "to-discard"),
    ],
)
def test_going_out_by_meld_lay_or_discard_ends_the_round_at_once(
    hand: str, action: Action, told: str
) -> None:
    out = position([hand, "3D KS"], deck="KD", discards="2C", melds=["5H 6H 7H"], drawn=True)
    out.laid[0] = True
    assert out.outcome() is None
    events = out.apply(0, action, RNG, 0)
    assert shape(events) == [told, "ended"]
    assert events[-1] == Ended(0, {1: 13}, "out")
    assert out.legal(0) == out.legal(1) == []
    assert out.outcome() == Outcome((0,), "out", {0: 13, 1: 0})


@pytest.mark.parametrize("keep", [False, True])
def test_what_may_leave_a_hand_is_listed_down_to_the_last_card(keep: bool) -> None:
    """With `require_end_discard` all but one; a card can still be laid while two are held."""
    options = Settings(require_end_discard=keep)

    def legal(hand: str) -> list[Action]:
        hands = [hand, "3D KS"]
        return position(
            hands, deck="KD", discards="2C", melds=["5H 6H 7H"], settings=options, drawn=True
        ).legal(0)

    nines = Meld(["9C", "9D", "9S"])
    rest: list[Action] = [Discard("9C"), Discard("9D"), Discard("9S")]
    assert legal("9C 9D 9S") == (rest if keep else [nines, *rest])
    assert legal("4C 9C 9D 9S") == [nines, Discard("4C"), *rest]
    assert legal("8H") == ([Discard("8H")] if keep else [Lay(["8H"], 0), Discard("8H")])
    assert legal("8H 4C") == [Lay(["8H"], 0), Discard("8H"), Discard("4C")]


def test_going_out_with_the_last_card_of_the_deck_needs_no_redeck() -> None:
    match = position(["9C", "3D KS"], deck="", discards="2C 2D", drawn=True)
    assert shape(match.apply(0, Discard("9C"), RNG, 0)) == ["to-discard", "ended"]


def test_rummy_doubles_all_hands_and_only_the_losers_are_listed() -> None:
    match = position(["9C 9D 9S", "3D KS", "AH JD"], deck="KD", discards="2C", drawn=True)
    ended = match.apply(0, Meld(["9C", "9D", "9S"]), RNG, 0)[-1]
    assert ended == Ended(0, {1: 26, 2: 22}, "out")
    outcome = match.outcome()
    assert outcome is not None
    assert outcome.scores == {0: 48, 1: 0, 2: 0}


def test_laying_in_the_winning_turn_still_is_rummy() -> None:
    match = position(["9C 9D 9S 4C", "3D KS"], deck="KD", discards="2C", drawn=True)
    match.apply(0, Meld(["9C", "9D", "9S"]), RNG, 0)
    assert match.apply(0, Discard("4C"), RNG, 0)[-1] == Ended(0, {1: 26}, "out")


@pytest.mark.parametrize("first", [Meld(["9C", "9D", "9S"]), Lay(["8H"], 0)])
def test_whoever_laid_a_card_in_an_earlier_turn_does_not_double(first: Action) -> None:
    match = position(
        ["9C 9D 9S 8H 4C 4D", "3D KS"], deck="KH QH", discards="2C", melds=["5H 6H 7H"], drawn=True
    )
    match.apply(0, first, RNG, 0)
    match.apply(0, Discard("4C"), RNG, 0)
    match.apply(1, Draw("QH"), RNG, 0)
    match.apply(1, Discard("QH"), RNG, 0)
    match.apply(0, Draw("KH"), RNG, 0)
    rest = [card.id for card in match.hands[0]]
    if "8H" in rest:
        match.apply(0, Lay(["8H"], 0), RNG, 0)
    else:
        match.apply(0, Meld(["9C", "9D", "9S"]), RNG, 0)
    match.hands[0] = [card for card in match.hands[0] if card.id == "KH"]
    assert match.apply(0, Discard("KH"), RNG, 0)[-1] == Ended(0, {1: 13}, "out")


def test_when_nobody_wins_everybody_is_listed_and_nothing_doubled() -> None:
    options = Settings(deck_exhaust="end_round", ace_rank="high", enable_jokers=True)
    match = position(["AH 9C", "W1 KS"], discards="5H", settings=options, drawn=True)
    assert match.apply(0, Discard("9C"), RNG, 0)[-1] == Ended(
        None, {0: 11, 1: 25}, "deck-exhausted"
    )


def test_with_require_end_discard_one_card_must_stay_to_be_discarded() -> None:
    options = Settings(require_end_discard=True)
    match = position(
        ["9C 9D 9S", "3D KS"], deck="KD", discards="2C", melds=["9H TH JH"],
        settings=options, drawn=True,
    )  # fmt: skip
    assert refused(match, Meld(["9C", "9D", "9S"])) == "keep-a-card"
    assert all(isinstance(action, Discard) for action in match.legal(0))
    match = position(
        ["8H", "3D KS"], deck="KD", discards="2C", melds=["9H TH JH"], settings=options, drawn=True
    )
    assert refused(match, Lay(["8H"], 0)) == "keep-a-card"
    assert match.legal(0) == [Discard("8H")]
    assert shape(match.apply(0, Discard("8H"), RNG, 0)) == ["to-discard", "ended"]


def test_losers_lay_off_what_fits_before_hands_are_counted() -> None:
    options = Settings(lay_at_end=True, enable_jokers=True)
    match = position(
        ["4C", "8H TH 9S W1", "9H 4S", "JH JS"], deck="KD", discards="2C",
        melds=["5H 6H 7H", "4H 4C' 4D"], settings=options, drawn=True,
    )  # fmt: skip
    match.laid[0] = True
    match.active[3] = False
    told = match.apply(0, Discard("4C"), RNG, 0)
    # Seat 1 lays the eight, the joker as a nine, the ten. Seat 2 lays the nine, which takes
    # the joker's place, and the four. Seat 3 is away and lays nothing.
    assert shape(told) == ["to-discard", *["to-meld"] * 5, "ended"]
    assert texts(match.melds[0]) == "5H 6H 7H 8H 9H TH W1"
    assert texts(match.melds[1]) == "4H 4C 4D 4S"
    assert told[-1] == Ended(0, {1: 9, 2: 0, 3: 20}, "out")


def test_losers_lay_off_round_and_round_until_nothing_fits() -> None:
    options = Settings(lay_at_end=True)
    match = position(
        ["4C", "5H 3H KS", "6H 4H KD"], deck="QD", discards="2C", melds=["7H 8H 9H"],
        settings=options, drawn=True,
    )  # fmt: skip
    match.laid[0] = True
    told = match.apply(0, Discard("4C"), RNG, 0)
    # Seat 1's five fits once seat 2 has laid the six, and its three once the four lies there.
    assert texts(match.melds[0]) == "3H 4H 5H 6H 7H 8H 9H"
    assert told[-1] == Ended(0, {1: 10, 2: 10}, "out")


def laid_off(events: list[Event]) -> list[str]:
    """Which cards were laid at the end, one by one."""
    melded = [e for e in events if isinstance(e, Moved) and e.destination == TO_MELD]
    return [card.id for event in melded for card in event.cards if len(event.cards) == 1]


@pytest.mark.parametrize(
    ("hand", "order"),
    [
        # The dearest first, a joker after every card it could stand in for, equals in order.
        ("8H KS W1", ["KS", "8H", "W1"]),
        ("AC W1", ["AC", "W1"]),
        ("AC W2", ["AC", "W2"]),
        ("8H 8S", ["8H", "8S"]),
    ],
)
def test_a_loser_lays_off_the_dearest_card_first_and_jokers_last(
    hand: str, order: list[str]
) -> None:
    options = Settings(lay_at_end=True, enable_jokers=True)
    match = position(
        ["4C", hand], deck="3D", discards="2C",
        melds=["5H 6H 7H", "5S 6S 7S", "KH KC KD", "2C 3C 4C'"], settings=options, drawn=True,
    )  # fmt: skip
    # However the hand lies: what counts is the value.
    match.hands[1].sort(key=lambda card: card.face < 52)
    assert laid_off(match.apply(0, Discard("4C"), RNG, 0)) == order


def test_whoever_ended_the_round_lays_off_last() -> None:
    """Three players hold the eight that one meld takes; the next to play is the first to lay."""
    options = Settings(lay_at_end=True, deck_exhaust="end_round", deck_count=2)
    hands = ["4C 8H", "8H' 3C", "8H'' 3D"]
    match = position(hands, discards="2C", melds=["5H 6H 7H"], settings=options, drawn=True)
    events = match.apply(0, Discard("4C"), RNG, 0)
    assert laid_off(events) == ["8H'"]
    assert events[-1] == Ended(None, {0: 8, 1: 3, 2: 11}, "deck-exhausted")
    assert match.outcome() == Outcome((), "deck-exhausted", {0: 0, 1: 0, 2: 0})


@settings(max_examples=80, deadline=None)
@given(ANY_SETTINGS, SEATS, SEEDS)
def test_after_lay_at_end_no_loser_who_is_there_holds_a_card_that_fits(
    options: Settings, seats: int, seed: int
) -> None:
    options = msgspec.structs.replace(options, lay_at_end=True)
    *_, (match, _) = play(options, seats, FastRng(seed), leaving=True)
    assert match.ended is not None
    if match.ended.how == "abandoned":
        return
    for seat, hand in enumerate(match.hands):
        if match.active[seat]:
            assert not any(room >> card.face & 1 for room in match.room for card in hand)


def test_without_lay_at_end_losers_are_counted_as_they_are() -> None:
    match = position(["4C", "8H TH"], deck="KD", discards="2C", melds=["5H 6H 7H"], drawn=True)
    match.laid[0] = True
    assert match.apply(0, Discard("4C"), RNG, 0)[-1] == Ended(0, {1: 18}, "out")


# People who leave


def test_whoever_is_gone_is_skipped_and_whoever_is_back_plays_on() -> None:
    match = position(["2H 9C", "3D 4S", "5C KH"], deck="TD 6H 7H 8H", discards="7C", drawn=True)
    assert match.gone(1, RNG, 0) == []
    assert shape(match.apply(0, Discard("9C"), RNG, 0)) == ["to-discard", "turn-2-draw"]
    assert match.back(1, RNG, 0) == []
    match.apply(2, Draw("8H"), RNG, 0)
    match.apply(2, Discard("8H"), RNG, 0)
    match.apply(0, Draw("7H"), RNG, 0)
    assert shape(match.apply(0, Discard("7H"), RNG, 0)) == ["to-discard", "turn-1-draw"]


def test_whoever_goes_in_mid_turn_keeps_the_card_and_the_turn_goes_on() -> None:
    match = position(["2H 9C", "3D 4S", "5C KH"], deck="TD", discards="6C 7C")
    match.apply(0, Draw("TD"), RNG, 0)
    # That was the last card of the deck, and the turn is over: the discards are turned.
    assert shape(match.gone(0, RNG, 0)) == ["redecked", "to-discard", "turn-1-draw"]
    assert texts(match.hands[0]) == "2H 9C TD"
    assert match.gone(0, RNG, 0) == []


def test_with_fewer_than_two_active_players_the_round_ends_without_a_winner() -> None:
    match = position(["2H 9C", "3D 4S", "5C KH"], deck="TD", discards="6C 7C")
    assert match.gone(1, RNG, 0) == []
    assert match.gone(0, RNG, 0) == [Ended(None, {0: 11, 1: 7, 2: 15}, "abandoned")]
    assert match.gone(2, RNG, 0) == []


def test_an_abandoned_round_ends_without_a_winner_and_nothing_is_laid_off() -> None:
    options = Settings(lay_at_end=True)
    match = position(
        ["8H 9C", "3D 4S"], deck="TD", discards="6C", melds=["5H 6H 7H"], settings=options
    )
    assert match.abandon(RNG, 0) == [Ended(None, {0: 17, 1: 7}, "abandoned")]
    assert match.abandon(RNG, 0) == []
    assert match.outcome() == Outcome((), "abandoned", {0: 0, 1: 0})


# What the table relies on


def test_actions_are_listed_for_the_log_and_made_of_plain_values() -> None:
    assert (Draw, Meld, Lay, Discard) == ACTIONS
    assert Lay(["a", "b"], 1) == Lay(card_ids=["a", "b"], meld_number=1)


@given(st.sampled_from([1, 2, 3, 4]), ANY_SETTINGS)
def test_settings_have_the_twelve_keys_in_the_protocols_order(
    players: int, options: Settings
) -> None:
    assert Settings.__struct_fields__ == (
        "deck_count",
        "enable_jokers",
        "hand_size",
        "first_turn",
        "allow_draw_choice",
        "allow_run_mixed_suit",
        "allow_set_duplicate_suit",
        "limit_meld_size",
        "ace_rank",
        "deck_exhaust",
        "require_end_discard",
        "lay_at_end",
    )
    size = hand_size_in_force(options, players)
    assert size == (options.hand_size or (7 if players > 2 else 10))
