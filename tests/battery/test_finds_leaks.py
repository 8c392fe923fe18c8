"""The battery finds views, rules and bots that reveal hidden cards."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import pytest

from parlour.battery import START, Trial, suite_secrets
from parlour.games.rummy import moves
from parlour.house.bots import TableBots
from parlour.kit import Bots, Illegal, Plan, Setup
from parlour.protocol import plain_wire
from parlour.rng import Rng
from tests.battery.breaking import (
    BOTS,
    BYTES,
    ELSEWHERE,
    PLACES,
    SHOWN,
    VIEW,
    broken,
    fails,
    match_of,
)
from tests.battery.made_up import EIGHTS, HIGH, Eights, Got
from tests.battery.small_games import (
    DICE,
    DUEL,
    LOW,
    LOWEST,
    Hand,
    Low,
    Lowest,
    Over,
    Play,
    Played,
    SmallBot,
    Taken,
)
from tests.cambia.trial import CAMBIA
from tests.mo.trial import MO
from tests.quips.trial import QUIPS
from tests.rummy.trial import RUMMY

pytestmark = pytest.mark.slow


# A view that shows too much


@pytest.mark.parametrize("trial", [RUMMY, CAMBIA, QUIPS, MO, HIGH, EIGHTS], ids=lambda t: t.game.id)
def test_a_view_that_shows_everything_is_found(trial: Trial) -> None:
    unveiled = broken(trial, view=lambda event, seat: event)
    assert fails(unveiled, BYTES)
    # MO's cards are bytes, in which no card can be told from a number: its bytes must do.
    assert fails(unveiled, SHOWN) or trial is MO


@pytest.mark.parametrize("test", [SHOWN, BYTES])
def test_a_view_that_shows_one_card_is_found(test: str) -> None:
    def shows_the_queen_of_spades(event: Any, seat: int | None) -> Any:
        if isinstance(event, moves.Moved) and event.cards[0].face == 50:
            return event
        return moves.view(event, seat)

    assert fails(broken(RUMMY, view=shows_the_queen_of_spades), test)


@pytest.mark.parametrize("test", [SHOWN, BYTES])
def test_a_text_that_one_seat_is_shown_is_found(test: str) -> None:
    def shows_seat_0_what_seat_1_draws(event: Any, seat: int | None) -> Any:
        spied = isinstance(event, Got) and (seat, event.seat) == (0, 1)
        return event if spied else EIGHTS.game.view(event, seat)

    assert fails(broken(EIGHTS, view=shows_seat_0_what_seat_1_draws), test)


def test_what_a_hidden_position_tells_is_found() -> None:
    """The place that a card takes in a sorted hand is no face, and yet tells something of it."""

    def shows_where(event: Any, seat: int | None) -> Any:
        viewed = moves.view(event, seat)
        return viewed if viewed is event else replace(viewed, position=event.position)

    def view(event: Any, seat: int | None) -> Any:
        moved = isinstance(event, moves.Moved)
        return shows_where(event, seat) if moved else moves.view(event, seat)

    assert fails(broken(RUMMY, view=view), BYTES)


def test_a_buried_card_nobody_speaks_of_is_found() -> None:
    """Without `reveals` it counts as hidden, and so it was shown to who could not know it."""
    assert fails(replace(EIGHTS, reveals=lambda event: ()), SHOWN)


# Bots


class ShownAll(TableBots):
    """`view` is gone past while they play."""

    def show(self, happened: list[Any]) -> None:
        self._table.view, view = lambda event, player: event, self._table.view  # type: ignore[method-assign]
        super().show(happened)
        self._table.view = view  # type: ignore[method-assign]


class WokenToAll(TableBots):
    """`view` is gone past when they are set up again."""

    def _catch_up(self, player: Any) -> None:
        self._table.view, view = lambda event, player: event, self._table.view  # type: ignore[method-assign]
        super()._catch_up(player)
        self._table.view = view  # type: ignore[method-assign]


@pytest.mark.parametrize("bots", [ShownAll, WokenToAll])
@pytest.mark.parametrize("trial", [RUMMY, CAMBIA, HIGH], ids=lambda t: t.game.id)
def test_bots_shown_everything_are_found(
    trial: Trial, bots: type[TableBots], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suite_secrets, "TableBots", bots)
    assert fails(trial, BOTS)


# Rules and bots that look where they must not


def deal_by_hash(setup: Setup, rng: Rng, now: int) -> Any:
    """The order of a set of texts follows from the hash seed."""
    match, events = LOW.game.deal(setup, rng, now)
    match.order = list({f"card {number}" for number in range(20)})
    return match, events


def deal_by_the_hour(setup: Setup, rng: Rng, now: int) -> Any:
    match, events = LOW.game.deal(setup, rng, now)
    match.hour = datetime.now().hour
    return match, events


@pytest.mark.parametrize("deal", [deal_by_hash, deal_by_the_hour])
def test_a_fold_that_is_another_one_elsewhere_is_found(deal: Any) -> None:
    assert fails(broken(LOW, deal=deal), ELSEWHERE)


def test_a_bot_that_peeks_through_a_global_is_found() -> None:
    dealt: list[Any] = []

    def deal(setup: Setup, rng: Rng, now: int) -> Any:
        dealt.append(LOW.game.deal(setup, rng, now))
        return dealt[-1]

    class Peeking(SmallBot):
        def plan(self, legal: Any, now: int) -> Plan[Any]:
            other = dealt[-1][0].hands[self.picture.viewer - 1]
            return Plan(now, legal[0 if sum(other) % 2 else -1])

    assert fails(broken(LOW, deal=deal, bots=Bots(Peeking, ("Peek",))), BYTES)


@pytest.mark.parametrize("which", ["kind", "moment"])
def test_a_hidden_card_told_by_an_events_kind_or_moment_is_found(which: str) -> None:
    @dataclass(slots=True)
    class Higher(Played):
        """It was played, and the stock begins with a high card."""

    class Telling(Low):
        def done(self, seat: int, action: Any, rng: Rng) -> Any:
            first, *events = super().done(seat, action, rng)
            high = which == "kind" and self.rest[0] > 9
            return [Higher(first.seat, first.card) if high else first, *events]

        def due(self) -> int | None:
            ends = self.over is not None
            return None if ends or which == "kind" else START + 10**9 + self.rest[0]

    wire = plain_wire("low", (Play,), (Hand, Played, Higher, Taken, Over))
    assert fails(match_of(Telling, broken(LOW, wires=(wire,))), BYTES)


@pytest.mark.parametrize("told", ["its owner", "everybody"])
def test_an_event_about_a_hidden_card_may_be_told_to_its_owner(told: str) -> None:
    @dataclass(slots=True)
    class Warned:
        """You hold a high card."""

        seat: int

    class Warning(Low):
        def done(self, seat: int, action: Any, rng: Rng) -> Any:
            high = [s for s, hand in enumerate(self.hands) if max(hand) > 16]
            return [*map(Warned, high), *super().done(seat, action, rng)]

    def view(event: Any, seat: int | None) -> Any:
        if isinstance(event, Warned):
            return event if told == "everybody" or event.seat == seat else None
        return LOW.game.view(event, seat)

    wire = plain_wire("low", (Play,), (Hand, Played, Warned, Taken, Over))
    trial = match_of(Warning, broken(LOW, wires=(wire,), view=view))
    assert fails(trial, BYTES) == (told == "everybody")


@pytest.mark.parametrize("test", [SHOWN, BYTES, PLACES])
def test_it_does_not_matter_which_of_two_equal_cards_is_played(test: str) -> None:
    class Twins(Low):
        def deal(self, rng: Rng) -> Any:
            if self.hands:
                return self.ends([0])
            cards = [*range(10), *range(10)]
            rng.shuffle(cards)
            self.hands = [[cards.pop() for _ in range(4)] for _ in range(self.players)]
            self.rest, self.taken = cards, []
            return [Hand(seat, list(hand)) for seat, hand in enumerate(self.hands)]

        def moves(self, seat: int) -> Any:
            return super().moves(seat)[::-1]

        def done(self, seat: int, action: Any, rng: Rng) -> Any:
            hand = self.hands[seat]
            first = hand[hand.index(action.card)]
            _, *events = super().done(seat, Play(first), rng)
            return [Played(seat, action.card), *events]

    def deal(setup: Setup, rng: Rng, now: int) -> Any:
        match = Twins(len(setup.players))
        return match, match.deal(rng)

    assert not fails(broken(replace(LOW, reveals=lambda event: ()), deal=deal), test)


@pytest.mark.parametrize("trial", [LOW, DUEL, DICE], ids=lambda t: t.game.id)
def test_a_trial_that_knows_everything_is_found(trial: Trial) -> None:
    """Together with a `view` that hides nothing, there is nothing to find a leak by."""
    all_known = replace(trial, knows=lambda match, seat: trial.cards(match))
    assert fails(broken(all_known, view=lambda event, seat: event), BYTES)
    assert not fails(broken(replace(all_known, open=True), view=lambda event, seat: event), BYTES)


@pytest.mark.parametrize("test", [SHOWN, BYTES])
def test_dice_that_everybody_is_shown_are_found(test: str) -> None:
    assert fails(broken(DICE, view=lambda event, seat: event), test)


def test_a_secret_that_chance_did_not_make_is_found() -> None:
    trial = replace(LOW, cards=lambda match: [*LOW.cards(match), 99])
    assert fails(trial, SHOWN)
    assert not fails(replace(trial, knows=lambda match, seat: [*LOW.knows(match, seat), 99]), SHOWN)


def test_a_view_that_changes_events_is_found() -> None:
    def view(event: Any, seat: int | None) -> Any:
        if isinstance(event, Hand) and event.seat != seat:
            event.cards = [None] * len(event.cards)
        return event

    assert fails(broken(LOW, view=view), VIEW)


@pytest.mark.parametrize("trial", [DUEL, EIGHTS], ids=lambda t: t.game.id)
def test_what_follows_from_hidden_cards_has_to_be_declared(trial: Trial) -> None:
    assert fails(replace(trial, follows=lambda event: None), BYTES)


def test_a_default_move_that_tells_more_than_its_card_is_found() -> None:
    class Boasting(Lowest):
        def done(self, seat: int, action: Any, rng: Rng) -> Any:
            highest = max(self.hands[seat])
            first, *events = super().done(seat, action, rng)
            return [replace(first, seat=seat + 10 * highest), *events]

    assert fails(match_of(Boasting, LOWEST), BYTES)


# What can't be tried is said


def test_shuffles_that_are_not_seen_are_no_pass() -> None:
    trial = replace(RUMMY, chance=())
    assert fails(trial, BYTES)


@dataclass(slots=True)
class Vow:
    """Play whatever comes first, provided that every card lies where this says."""

    cards: str


class Vowed(Eights):
    """Every action names all cards: in another world the same log is refused."""

    def everything(self) -> str:
        return " ".join([*self.deck, *self.pile, *itertools.chain(*self.hands)])

    def legal(self, seat: int) -> Any:
        return [Vow(self.everything())] if super().legal(seat) else []

    def apply(self, seat: int, action: Any, rng: Rng, now: int) -> Any:
        if seat != self.turn or action.cards != self.everything():
            raise Illegal("elsewhere", "The cards lie otherwise.")
        return super().apply(seat, super().legal(seat)[0], rng, now)


def test_worlds_that_are_never_found_are_no_pass() -> None:
    """A game whose hidden cards can't be dealt otherwise has not been tried for leaks."""
    trial = match_of(Vowed, broken(EIGHTS, actions=(Vow,)))
    assert not fails(trial, PLACES)
    assert fails(trial, BYTES)
