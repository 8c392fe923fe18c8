"""What holds in every round of Super Rummy, whatever the settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import MutableSequence
from typing import Any

from hypothesis import given, settings

from parlour.cards import deck
from parlour.games.rummy.melds import HIDDEN
from parlour.games.rummy.moves import TO_HAND, Action, Discard, Draw, Lay, Meld, Moved, Turned, view
from parlour.games.rummy.rules import Rummy, deal
from parlour.games.rummy.settings import Settings
from parlour.kit import Illegal, Setup
from parlour.rng import FastRng, Rng
from tests.rummy import ANY_SETTINGS, SEATS, SEEDS, Client, CountingRng, everywhere, pick, snapshot
from tests.rummy.rounds import play, shape


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

    def shuffle(self, cards: MutableSequence[Any]) -> None:
        self._rng.shuffle(cards)
        cards.reverse()
