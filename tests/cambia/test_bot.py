"""The computer player: honest, human-looking, and better than chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from parlour.games.cambia.actions import (
    Action,
    CallCambia,
    DiscardDrawn,
    DrawDiscard,
    DrawStockpile,
    Replace,
    Snap,
    SnapMove,
    Special,
)
from parlour.games.cambia.bot import CambiaBot
from parlour.games.cambia.events import (
    Discarded,
    Event,
    SnapFailed,
    SpecialRefused,
    SpecialSkipped,
    view,
)
from parlour.games.cambia.picture import CambiaPicture
from parlour.games.cambia.rules import Cambia, deal
from parlour.games.cambia.settings import HouseRules, Settings
from parlour.kit import Bot, Millis, Plan, Seat, Setup
from parlour.rng import FastRng
from tests.cambia.tools import Table, seated


class AnyOf(Bot[Action, Event, CambiaPicture]):
    """Random play: in its turn, any legal action whatever, snaps included."""

    def plan(self, legal: Sequence[Action], now: Millis) -> Plan[Action] | None:
        if not legal or isinstance(legal[0], Snap):
            return None
        return Plan(now + self.rng.below(1_000), legal[self.rng.below(len(legal))])


class Patient(AnyOf):
    """Random play by somebody who neither snaps nor calls."""

    def plan(self, legal: Sequence[Action], now: Millis) -> Plan[Action] | None:
        return super().plan([a for a in legal if not isinstance(a, (Snap, CallCambia))], now)


AnyBot = Bot[Action, Event, CambiaPicture]


def play(bots: Sequence[AnyBot], seed: int, rules: Settings) -> tuple[Cambia, Any]:
    """One game in virtual time; whoever is earliest goes first, and deadlines before that."""
    rng = FastRng(seed)
    seats = range(len(bots))
    now = 0
    match, events = deal(Setup(rules, [str(seat) for seat in seats]), rng, now)
    history: list[Event] = []
    for _ in range(3_000):
        history += events
        for seat in seats:
            for event in events:
                seen = view(event, seat)
                if seen is not None:
                    bots[seat].show(seen)
        if match.outcome() is not None:
            return match, history
        plans = [(bots[seat].plan(match.legal(seat), now), seat) for seat in seats]
        ready = [(plan.at, seat, plan.action) for plan, seat in plans if plan is not None]
        due = match.due()
        first = min(ready, key=lambda entry: entry[:2]) if ready else None
        if first is None or (due is not None and due <= first[0]):
            assert due is not None, "nobody can go on"
            now = due
            events = match.tick(rng, now)
        else:
            now = max(now, first[0])
            events = match.apply(first[1], first[2], rng, now)
    raise AssertionError("the game does not end")


def share_won(rival: type[AnyOf], games: int) -> float:
    """How many of `games` the bot wins, sitting first and second in turn."""
    won = 0.0
    for seed in range(games):
        seat = seed % 2
        bots: list[AnyBot] = [
            rival(CambiaPicture(0), FastRng(seed)),
            rival(CambiaPicture(1), FastRng(~seed)),
        ]
        bots[seat] = CambiaBot(CambiaPicture(seat), FastRng(seed))
        outcome = play(bots, seed, Settings())[0].outcome()
        assert outcome is not None
        if seat in outcome.winners:
            won += 1 / len(outcome.winners)
    return won / games


@pytest.mark.parametrize("rival", [AnyOf, Patient])
def test_it_wins_about_nine_games_of_ten_against_random_play(rival: type[AnyOf]) -> None:
    assert share_won(rival, 300) >= 0.86


@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize(
    "house",
    [
        HouseRules(),
        HouseRules(allowDrawFromDiscardPile=True, allowReplaceAbilities=True, snapRace=True),
        HouseRules(allowOpponentSnapping=True, lockCallerHand=False, turnTimerSec=0),
    ],
)
def test_a_table_of_bots_finishes_by_a_call_and_never_by_the_timer(
    seats: int, house: HouseRules
) -> None:
    for seed in range(6):
        bots = [CambiaBot(CambiaPicture(seat), FastRng(seed * 10 + seat)) for seat in range(seats)]
        match, history = play(bots, seed, Settings(houseRules=house))
        assert match.outcome() is not None
        assert match.caller is not None
        timed = (Discarded, SpecialSkipped)
        assert not any(isinstance(event, timed) and event.timed_out for event in history)
        assert not any(isinstance(event, SpecialRefused) for event in history)
        if not house.snapRace:
            assert not any(isinstance(event, SnapFailed) for event in history)


def test_it_uses_every_ability_and_snaps() -> None:
    seen: Counter[str] = Counter()
    for seed in range(40):
        bots = [CambiaBot(CambiaPicture(seat), FastRng(seed * 10 + seat)) for seat in range(3)]
        house = HouseRules(allowDrawFromDiscardPile=True, allowOpponentSnapping=True)
        for event in play(bots, seed, Settings(houseRules=house))[1]:
            seen[type(event).__name__] += 1
            seen[getattr(event, "special", "")] += 1
    wanted = ("peek_self", "peek_other", "swap_blind", "swap_peek_swap", "SnapWon", "SnapMoved")
    assert all(seen[name] for name in wanted), seen


# One decision at a time


def bot_at(table: Table, seat: Seat) -> CambiaBot:
    """A bot that takes the seat over with what its owner was shown."""
    bot = CambiaBot(CambiaPicture(seat), FastRng(5))
    for event in table.told[seat]:
        bot.show(event)
    return bot


def choice(table: Table, seat: Seat) -> Action | None:
    plan = bot_at(table, seat).plan(table.match.legal(seat), table.now)
    return None if plan is None else plan.action


def test_it_snaps_a_card_it_knows_after_a_human_looking_while() -> None:
    table = seated("5H 2H 3H 4H", "AS 5S 3S 4S", top="5C")
    bot = bot_at(table, 1)
    plan = bot.plan(table.match.legal(1), table.now)
    assert plan is not None
    assert plan.action == Snap(table.card(1, 1))
    assert 300 <= plan.at - table.now <= 2_000
    again = bot.plan(table.match.legal(1), table.now + 100)
    assert again == plan, "being asked again does not start the waiting anew"


def test_it_does_not_snap_cards_it_has_not_seen() -> None:
    table = seated("5H 2H 3H 4H", "AS 2S 5S 5D", top="5C")
    assert choice(table, 1) is None


def test_it_keeps_a_red_king() -> None:
    table = seated("KH 2H 3H 4H", "AS 2S 3S 4S", top="KC")
    assert not isinstance(choice(table, 0), Snap)


def test_it_calls_with_a_hand_that_can_hardly_be_beaten() -> None:
    table = seated("KH KD OR OB", "9S 8S 7S 6S", top="5C", initialViewCount=4)
    assert choice(table, 0) == CallCambia()


def test_it_does_not_call_with_a_bad_hand() -> None:
    table = seated("KC QD JH TS", "AS 2S 3S 4S", top="5C", initialViewCount=4)
    assert choice(table, 0) == DrawStockpile()


def test_it_puts_a_low_card_in_the_place_of_its_highest() -> None:
    table = seated("2H QD 3S 4S", "AS 2S 5S 6S", top="5C", stockpile="AD", initialViewCount=4)
    table.do(0, DrawStockpile())
    assert choice(table, 0) == Replace(table.card(0, 1), 1)


def test_it_discards_a_high_card() -> None:
    table = seated("2H AD 3S 4S", "AS 2S 5S 6S", top="5C", stockpile="QD", initialViewCount=4)
    table.do(0, DrawStockpile())
    assert choice(table, 0) == DiscardDrawn(table.drawn)


def test_it_takes_a_red_king_from_the_discard_pile() -> None:
    table = seated("9H 8H 3S 4S", "AS 2S 5S 6S", top="KH", allowDrawFromDiscardPile=True)
    assert choice(table, 0) == DrawDiscard()


def discarded(card: str, hands: tuple[str, ...], **rules: Any) -> Table:
    table = seated(*hands, top="5C", stockpile=card, **rules)
    table.do(0, DrawStockpile())
    table.do(0, DiscardDrawn(table.drawn))
    return table


def test_it_peeks_at_a_card_of_its_own_that_it_does_not_know() -> None:
    table = discarded("7D", ("2H AD 3S 4S", "AS 2S 9S 6S"))
    assert choice(table, 0) == Special("peek_self", table.card(0, 2))
    table = discarded("7D", ("2H AD 3S 4S", "AS 2S 9S 6S"), initialViewCount=4)
    assert choice(table, 0) == Special("skip")


def test_it_gives_its_worst_card_away_blind() -> None:
    table = discarded("JD", ("2H QD 3H 4S", "AS 2S 9S 6S"), initialViewCount=4)
    action = choice(table, 0)
    assert isinstance(action, Special)
    assert action.special == "swap_blind"
    assert table.card(0, 1) in (action.card1, action.card2)


def test_a_king_swaps_only_when_it_gains() -> None:
    for theirs, expected in (("AS", "swap_peek_swap"), ("KC", "skip")):
        hands = ("2H QD 3H 4S", f"{theirs} 2S 9S 6S")
        table = discarded("KS", hands, initialViewCount=4)
        first = choice(table, 0)
        assert isinstance(first, Special)
        assert first.special == "swap_peek"
        table.do(0, Special("swap_peek", table.card(0, 1), table.card(1, 0)))
        second = choice(table, 0)
        assert isinstance(second, Special)
        assert second.special == expected


def test_it_leaves_a_locked_hand_alone() -> None:
    table = seated("KH KD OR AH", "QS QH 9S 6S", top="5C", stockpile="JD", initialViewCount=4)
    table.do(0, CallCambia())
    table.do(1, DrawStockpile())
    table.do(1, DiscardDrawn(table.drawn))
    assert choice(table, 1) == Special("skip")


def test_it_hands_over_its_worst_card() -> None:
    table = seated("5H 2H 3H 4H", "QS 2S 3S 4S", top="5C", allowOpponentSnapping=True)
    table.do(1, Snap(table.card(0, 0)))
    assert choice(table, 1) == SnapMove(table.card(1, 0))


def test_it_moves_before_its_time_is_up() -> None:
    table = seated("9H 8H 3S 4S", "AS 2S 5S 6S", top="5C", turnTimerSec=1)
    plan = bot_at(table, 0).plan(table.match.legal(0), table.now)
    due = table.match.due()
    assert plan is not None
    assert due is not None
    assert table.now <= plan.at < due


def test_it_waits_when_there_is_nothing_to_do() -> None:
    table = Table(Settings(), 2, FastRng(1))
    assert choice(table, 0) is None
    assert choice(table.begin(), 1) is None or isinstance(choice(table, 1), Snap)
