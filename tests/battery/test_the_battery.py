"""The battery, tried: on games with awkward rules it passes, and on broken ones it fails."""

from __future__ import annotations

import itertools
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from parlour.battery import START, Battery, Trial, checks, golden, random_night, suite_secrets
from parlour.battery.dealing import World
from parlour.battery.derive import random_action, random_settings
from parlour.battery.night import Elsewhere
from parlour.battery.play import dealing, night_under_way
from parlour.choices import Choice, One, admits
from parlour.games.cambia.events import Reshuffled, Swapped
from parlour.games.cambia.picture import CambiaPicture
from parlour.games.rummy import moves
from parlour.games.rummy.rules import Rummy
from parlour.games.rummy.wire import WIRE, RummyCodec
from parlour.house.bots import TableBots
from parlour.kit import Bots, Illegal, Plan, Setup
from parlour.lessons import Do, Other
from parlour.protocol import Manner, plain_wire
from parlour.rng import Rng
from parlour.table import events as tell
from tests import highcard
from tests.battery import made_up
from tests.battery.made_up import EIGHTS, HIGH, OPEN_SEATS, Eights, Got
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
from tests.onu.trial import ONU
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
ELSEWHERE = "test_another_process_folds_the_log_to_the_same_table"
CHOICES = "test_choices_are_what_can_be_done_and_nothing_else"
SCENE = "test_a_scene_names_only_what_there_is"
VIEW = "test_view_leaves_events_as_they_are"
LESSONS = "test_every_lesson_can_be_taught"


class TestHighCard(Battery):
    trial = HIGH


class TestHighCardWithOpenSeats(Battery):
    trial = OPEN_SEATS

    def test_people_sit_down_and_get_up_in_mid_match(self) -> None:
        happened: Counter[type[Any]] = Counter()
        for seed in range(40):
            night = random_night(self.trial, Random(seed), 120)
            after = itertools.chain(*night.happened[dealing(night) + 1 :])
            happened.update(type(event) for event in after)
        assert happened[tell.Sat] > 20
        assert happened[tell.Left] > 20


class TestEights(Battery):
    """Texts as cards, whoever can play must, a start card that is buried, a second shuffle."""

    trial = EIGHTS


class TestSeveralDeals(Battery):
    """Cards are shuffled and dealt again in mid-match."""

    trial = LOW


class TestComparedInSecret(Battery):
    """Everybody is told what follows from cards that stay hidden; and some cards look alike."""

    trial = DUEL


class TestMovesByDefault(Battery):
    """A card that is played for somebody who is away follows from the rest of the hand."""

    trial = LOWEST


class TestDice(Battery):
    """What is hidden is drawn and not shuffled."""

    trial = DICE


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


def test_a_trace_of_an_action_that_was_right_earlier_is_found() -> None:
    class Tiring(Eights):
        def apply(self, seat: int, action: Any, rng: Rng, now: int) -> Any:
            if isinstance(action, made_up.Play) and action.card in self.pile:
                self.left -= 1
            return super().apply(seat, action, rng, now)

    assert fails(match_of(Tiring, EIGHTS), NO_TRACE)


def test_a_match_that_gets_stuck_is_found() -> None:
    class Stuck(Eights):
        def legal(self, seat: int) -> Any:
            return [] if len(self.pile) > 4 else super().legal(seat)

    assert fails(match_of(Stuck, EIGHTS), ENDS)


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


# Choices and scenes


def dropped(choice: Choice) -> Choice:
    """Without the last value of each field that has several."""
    fields = {
        name: msgspec.structs.replace(domain, of=domain.of[:-1], words=domain.words[:-1])
        if isinstance(domain, One) and len(domain.of) > 1
        else domain
        for name, domain in choice.fields.items()
    }
    return msgspec.structs.replace(choice, fields=fields)


@pytest.mark.parametrize("trial", [RUMMY, CAMBIA, ONU, MO], ids=lambda t: t.game.id)
def test_a_value_that_choices_leave_out_is_found(trial: Trial) -> None:
    """Though `legal` leaves it out, too: only `apply` takes it."""

    def deal(setup: Setup, rng: Rng, now: int) -> Any:
        match, events = trial.game.deal(setup, rng, now)
        whole: type[Any] = type(match)

        class Dropping(whole):  # type: ignore[misc,valid-type]
            def choices(self, seat: int) -> Any:
                self.__class__ = whole
                choices = self.choices(seat)
                self.__class__ = Dropping
                return [dropped(choice) for choice in choices]

            def legal(self, seat: int) -> Any:
                choices = self.choices(seat)
                return [action for action in super().legal(seat) if admits(choices, action)]

        match.__class__ = Dropping
        return match, events

    assert fails(broken(trial, deal=deal), CHOICES)


def _raises(*_: object) -> Any:
    raise ValueError("no idea what this looks like")


@pytest.mark.parametrize(
    "changes",
    [
        {"scene": lambda scene: msgspec.structs.replace(scene, targets={"draw": ["nowhere"]})},
        {"scene": lambda scene: msgspec.structs.replace(scene, awaits=[17])},
        {"scene": lambda scene: msgspec.structs.replace(scene, zones=[*scene.zones] * 2)},
        {"scene": lambda scene: msgspec.structs.replace(scene, prompt="x" * 70_000)},
        {"scene": _raises},
        {"words": lambda said: said + "{9}"},
        {"words": lambda said: said * 1_000},
        {"words": _raises},
    ],
    ids=["no zone", "no seat", "twice", "too large", "raises", "no name", "too long", "no words"],
)
def test_a_description_that_cannot_be_shown_is_found(changes: Any) -> None:
    changed = {
        name: lambda *given, name=name, change=change: change(getattr(RUMMY.game, name)(*given))
        for name, change in changes.items()
    }
    assert fails(broken(RUMMY, **changed), SCENE)


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


# What a failure says


def test_every_check_names_the_section_that_explains_it() -> None:
    page = Path(__file__).parents[2] / checks.PAGE
    headings = re.findall(r"^## (.+)$", page.read_text(), re.M)
    sections = {heading.lower().replace(" ", "-") for heading in headings}
    tests = [getattr(Battery, name) for name in dir(Battery) if name.startswith("test_")]
    named = {_innermost(test).section for test in tests}
    assert named == sections


def _innermost(test: Any) -> Any:
    """Hypothesis keeps the function it calls."""
    return test.hypothesis.inner_test if hasattr(test, "hypothesis") else test


@pytest.mark.parametrize(
    ("test", "trial", "seed", "section"),
    [
        (BYTES, broken(LOW, view=lambda event, seat: event), r"Random\(\d+\)", "other-worlds"),
        (VIEW, broken(LOW, view=_raises), r"Random\(0\)", "view"),
        (PLACES, replace(LOW, cards=lambda match: []), r"Random\(0\)", "cards"),
        (ENDS, broken(LOW, bots=Bots(_raises, ("X",))), "seed 0", "matches-end"),
    ],
)
def test_a_failure_names_the_seed_the_step_the_check_and_the_section(
    test: str, trial: Trial, seed: str, section: str
) -> None:
    with pytest.raises(Exception) as failed:  # noqa: PT011 - whatever it is
        getattr(type("Broken", (Battery,), {"trial": trial})(), test)()
    notes = "\n".join(failed.value.__notes__)
    assert re.search(seed, notes)
    assert re.search(
        rf"after step \d+, \w+\(.*\), in {test}: see docs/battery.md#{section}$", notes
    )


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
