"""The battery, tried: on games with awkward rules it passes, and on broken ones it fails."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from parlour.battery import Battery, Trial, golden, random_night, suite_secrets
from parlour.battery.dealing import World
from parlour.battery.derive import random_action, random_settings
from parlour.battery.night import Elsewhere
from parlour.battery.play import night_under_way
from parlour.games.cambia.events import Reshuffled, Swapped
from parlour.games.cambia.picture import CambiaPicture
from parlour.games.rummy import moves
from parlour.games.rummy.rules import Rummy
from parlour.games.rummy.wire import WIRE, RummyCodec
from parlour.house.bots import TableBots
from parlour.kit import Illegal, Setup
from parlour.lessons import Do, Other
from parlour.protocol import Manner
from parlour.rng import Rng
from parlour.table import events as tell
from tests import highcard
from tests.battery.made_up import EIGHTS, HIGH, OPEN_SEATS, Eights, Got
from tests.battery.small_games import LOW
from tests.cambia.trial import CAMBIA
from tests.mo.trial import MO
from tests.quips.trial import QUIPS
from tests.rummy.trial import RUMMY

pytestmark = pytest.mark.slow

SHOWN = "test_nobody_is_shown_what_they_cannot_know"
BYTES = "test_what_a_seat_cannot_know_changes_no_byte_it_is_sent"
GREETING = "test_a_greeting_tells_only_what_is_known_now"
BOTS = "test_bots_are_shown_what_their_seats_are"
ALONE = "test_everybody_is_told_what_they_would_be_told_alone"
NEWCOMER = "test_a_newcomer_is_greeted_with_what_was_told"
REPLAY = "test_folding_the_log_gives_the_same_table_and_the_same_bytes"
PLACES = "test_every_card_is_in_exactly_one_place_after_every_action"
NO_TRACE = "test_a_refused_action_leaves_no_trace"
GOLDEN = "test_golden_files_are_what_the_code_makes_of_them"
ENDS = "test_bot_games_of_every_size_end"
LESSONS = "test_every_lesson_can_be_taught"


class TestHighCard(Battery):
    trial = HIGH


class TestHighCardWithOpenSeats(Battery):
    trial = OPEN_SEATS

    def test_people_sit_down_and_get_up_in_mid_match(self) -> None:
        happened: Counter[type[Any]] = Counter()
        for seed in range(40):
            course = random_night(self.trial, Random(seed), 120).course
            dealt = next(n for n, kinds in enumerate(course) if tell.Dealt in kinds)
            happened.update(itertools.chain(*course[dealt + 1 :]))
        assert happened[tell.Sat] > 20
        assert happened[tell.Left] > 20


class TestEights(Battery):
    """Texts as cards, whoever can play must, a start card that is buried, a second shuffle."""

    trial = EIGHTS


class TestSeveralDeals(Battery):
    """Cards are shuffled and dealt again in mid-match."""

    trial = LOW


def broken(trial: Trial, **changes: Any) -> Trial:
    return replace(trial, game=replace(trial.game, **changes))


def fails(trial: Trial, test: str) -> bool:
    """Whether a test of the battery fails on this game, and says so."""
    suite = type("Broken", (Battery,), {"trial": trial})()
    try:
        getattr(suite, test)()
    except AssertionError:
        return True
    return False


def match_of(kind: type[Any], trial: Trial) -> Trial:
    """The same game, with matches of a subclass."""

    def other(setup: Setup, rng: Rng, now: int) -> Any:
        match, events = trial.game.deal(setup, rng, now)
        match.__class__ = kind
        return match, events

    return broken(trial, deal=other)


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


# Pictures and wires


def test_a_snapshot_that_ignores_a_reshuffle_is_found() -> None:
    class Ignorant(CambiaPicture):  # type: ignore[misc]
        def see(self, event: Any) -> None:
            if not isinstance(event, Reshuffled):
                super().see(event)

    assert fails(broken(CAMBIA, picture=Ignorant), NEWCOMER)


def test_a_snapshot_that_remembers_what_must_be_forgotten_is_found() -> None:
    class Elephant(CambiaPicture):  # type: ignore[misc]
        def see(self, event: Any) -> None:
            known = self.known.copy()
            super().see(event)
            if isinstance(event, Swapped):
                self.known = known

    assert fails(broken(CAMBIA, picture=Elephant), GREETING)


def test_a_picture_that_spoils_the_events_it_is_shown_is_found() -> None:
    class Greedy(highcard.HighPicture):
        def see(self, event: Any) -> None:
            super().see(event)
            if isinstance(event, highcard.Taken):
                event.cards.append(99)

    assert fails(broken(HIGH, picture=Greedy), NEWCOMER)


@pytest.mark.parametrize("trial", [RUMMY, CAMBIA], ids=lambda t: t.game.id)
def test_a_wire_that_forgets_who_reads_is_found(trial: Trial) -> None:
    def forgetful(wire: Any) -> Any:
        shared = {"manner": lambda self, event: Manner.SHARED}
        return replace(wire, codec=type("Forgetful", (type(wire.codec),), shared)())

    wires = tuple(forgetful(wire) for wire in trial.game.wires)
    assert fails(broken(trial, wires=wires), ALONE)


def test_a_wire_that_is_not_the_same_for_everybody_is_found() -> None:
    class Counting(RummyCodec):
        said = 0

        def encode(self, event: Any, roster: Any, me: Any) -> Any:
            self.said += 1
            return [*super().encode(event, roster, me), b"%d" % self.said]

    assert fails(broken(RUMMY, wires=(replace(WIRE, codec=Counting()),)), ALONE)


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


# Rules


def test_a_fold_that_reads_a_clock_is_found() -> None:
    class Impatient(highcard.HighCard):
        def set_deadline(self, now: int) -> None:
            self.deadline = int(time.time() * 1000) + 5_000

    assert fails(match_of(Impatient, HIGH), REPLAY)


def test_a_fold_that_reads_what_is_not_in_the_log_is_found() -> None:
    count = itertools.count()

    class Counted(highcard.HighCard):
        def set_deadline(self, now: int) -> None:
            self.deadline = now + 5_000 + next(count)

    assert fails(match_of(Counted, HIGH), REPLAY)


@pytest.mark.parametrize(
    "refusal",
    [
        lambda match: Illegal("not-in-hand", f"You do not hold it; on top lies {match.deck[-1]}."),
        lambda match: Illegal("red" if match.deck[-1] < 26 else "black", "You do not hold it."),
    ],
    ids=["in its sentence", "in its code"],
)
def test_a_refusal_that_tells_a_card_is_found(refusal: Callable[[Any], Illegal]) -> None:
    class Talkative(highcard.HighCard):
        def apply(self, seat: int, action: Any, rng: Rng, now: int) -> Any:
            if action.card not in self.hands[seat]:
                raise refusal(self)
            return super().apply(seat, action, rng, now)

    assert fails(match_of(Talkative, HIGH), BYTES)


def test_an_offer_that_tells_a_card_is_found() -> None:
    class Helpful(highcard.HighCard):
        def legal(self, seat: int) -> Any:
            listed = super().legal(seat)
            other = self.hands[1 - seat] if seat < 2 else []
            return listed[::-1] if other and other[0] < 26 else listed

    assert fails(match_of(Helpful, HIGH), BYTES)


def test_a_lost_card_is_found() -> None:
    class Careless(Rummy):
        def _pass_on(self, events: Any, rng: Rng) -> None:
            if len(self.discards) > 6:
                del self.discards[0]
            super()._pass_on(events, rng)

    assert fails(match_of(Careless, RUMMY), PLACES)


def test_a_refusal_that_has_changed_something_is_found() -> None:
    class Hasty(highcard.HighCard):
        def apply(self, seat: int, action: Any, rng: Rng, now: int) -> Any:
            self.hands[seat].sort()
            return super().apply(seat, action, rng, now)

    assert fails(match_of(Hasty, HIGH), NO_TRACE)


def test_a_match_that_gets_stuck_is_found() -> None:
    class Stuck(Eights):
        def legal(self, seat: int) -> Any:
            return [] if len(self.pile) > 4 else super().legal(seat)

    assert fails(match_of(Stuck, EIGHTS), ENDS)


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


# What is derived


@pytest.mark.parametrize("trial", [RUMMY, CAMBIA, MO, HIGH], ids=lambda t: t.game.id)
def test_settings_are_made_from_their_types(trial: Trial) -> None:
    game = trial.game
    seen: dict[str, set[str]] = {}
    for seed in range(150):
        patch = random_settings(game, Random(seed))
        game.configure(game.settings(), patch)
        for key, value in patch.items():
            seen.setdefault(key, set()).add(repr(value))
    # MO's seed must be like a pattern, and what is like a pattern is not guessed.
    assert set(seen) | {"seed"} == set(msgspec.to_builtins(game.settings())) | {"seed"}
    assert all(len(values) > 1 for values in seen.values())


@pytest.mark.parametrize("trial", [RUMMY, CAMBIA, MO, HIGH], ids=lambda t: t.game.id)
def test_actions_are_made_from_their_fields(trial: Trial) -> None:
    """Of every kind; most are refused, some are not, and none is of a wrong type."""
    answers: Counter[bool] = Counter()
    kinds = set()
    for seed in range(60):
        rnd = Random(seed)
        night = night_under_way(trial, rnd, 20)
        for _ in range(20):
            action = random_action(trial.game.actions, rnd, night.match, night.seats)
            kinds.add(type(action))
            seat = rnd.randrange(night.seats)
            answers[suite_secrets._answer(night, seat, action) is None] += 1
    assert kinds == set(trial.game.actions)
    assert answers[True] > 5
    assert answers[False] > 50


def test_golden_files_are_recorded_where_the_trial_says(tmp_path: Path) -> None:
    trial = replace(HIGH, golden=tmp_path / "golden")
    assert fails(trial, GOLDEN)
    written = golden.record(trial)
    assert [path.name for path in written] == ["high-random.txt", "high-counts.json"]
    assert not fails(trial, GOLDEN)
    written[0].write_text(written[0].read_text().replace("laid", "played", 1))
    assert fails(trial, GOLDEN)


def test_cards_stand_in_only_for_those_alike() -> None:
    """In another world an even card lies where an even one lay, and most lie elsewhere."""
    deck = list(range(30))
    trial = replace(HIGH, alike=lambda card: card % 2)
    everything = {(0, place) for place in range(30)}
    world = World(trial, [deck], set(), everything, Random(1))
    dealt = world.dealt(0, deck)
    assert sorted(dealt) == deck
    assert [card % 2 for card in dealt] == [card % 2 for card in deck]
    assert len(world.changed) > 20
    with pytest.raises(Elsewhere):
        World(trial, [deck], set(), everything, Random(1)).dealt(0, [0] * 30)


# Lessons


def test_a_lesson_that_cannot_be_played_is_found() -> None:
    (lesson,) = RUMMY.game.lessons
    for at, step in enumerate(lesson.steps):
        if isinstance(step, Do | Other) and step.action == "draw":
            without = [*lesson.steps[:at], *lesson.steps[at + 1 :]]
            less = msgspec.structs.replace(lesson, steps=without)
            assert fails(broken(RUMMY, lessons=(less,)), LESSONS), f"without step {at + 1}"
    assert not fails(RUMMY, LESSONS)


@pytest.mark.parametrize("name", ["First", "", "a/b", "x" * 41])
def test_a_lesson_without_an_address_is_found(name: str) -> None:
    (lesson,) = RUMMY.game.lessons
    other = msgspec.structs.replace(lesson, id=name)
    assert fails(broken(RUMMY, lessons=(other,)), LESSONS)
    assert fails(broken(RUMMY, lessons=(lesson, lesson)), LESSONS)


def test_a_lesson_that_is_not_the_same_each_time_is_found() -> None:
    count = itertools.count()
    assert fails(broken(RUMMY, words=lambda event, picture: f"Move {next(count)}."), LESSONS)
