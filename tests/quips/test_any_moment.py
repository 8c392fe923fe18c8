"""People who join, leave, drop, idle, vote and err at every moment, in virtual time.

What must hold after every step is in `Table.check`; what must hold along the way is here.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from parlour.games.quips.actions import Discard, Judge, Play, Upgrade, VoteSkip
from parlour.games.quips.bot import QuipsBot
from parlour.games.quips.events import (
    GAME_END,
    JUDGING,
    PLAYING,
    ROUND_END,
    Event,
    HandChanged,
    PlayShown,
    PointsChanged,
    StateChanged,
    view,
)
from parlour.kit import Illegal
from parlour.rng import FastRng
from tests.quips.tools import Table, all_of, mixed_cards, pack

CONTENT = pack(mixed_cards())
whole = st.integers(0, 10**6)


def act_bots(table: Table, bots: dict[int, QuipsBot], limit: int) -> bool:
    """Let the computer player who would be next do it, if that is before `limit`."""
    plans = []
    for seat, bot in bots.items():
        if table.match.over is None and table.board.players[seat].here:
            bot.picture = table.pictures[seat]
            plan = bot.plan(table.match.legal(seat), table.now)
            if plan is not None:
                plans.append((max(plan.at, table.now), seat, plan.action))
    if not plans:
        return False
    at, seat, action = min(plans, key=lambda plan: plan[:2])
    due = table.match.due()
    if at > limit or (due is not None and due < at):
        return False
    table.now = at
    table.do(seat, action)
    return True


def check_plays(told: list[Event]) -> None:
    """`plays` never shrinks or changes while its stage lasts, and is empty before."""
    before: StateChanged | None = None
    for event in told:
        if not isinstance(event, StateChanged):
            continue
        if event.stage == PLAYING:
            assert event.plays == []
        elif before is not None and before.stage in (JUDGING, ROUND_END):
            if event.stage in (JUDGING, ROUND_END, GAME_END):
                assert event.plays == before.plays
        before = event


def check_secrets(table: Table) -> None:
    """Cards of others reach nobody but by the plays on the table, which name no author."""
    for viewer, told in table.told.items():
        for event in told:
            if isinstance(event, HandChanged | PlayShown | PointsChanged):
                assert event.seat == viewer
    for event in table.story:
        # What a spectator is shown whole, everybody is.
        if view(event, None) is event:
            assert all(view(event, seat) is event for seat in range(len(table.board.players)))


class AnyMoment(RuleBasedStateMachine):
    """One table, and everything that can happen at it."""

    table: Table

    @initialize(
        seed=whole,
        seats=st.integers(3, 6),
        bots=st.sets(st.integers(0, 5)),
        bot_czars=st.booleans(),
        winner_czar=st.booleans(),
        perma_czar=st.booleans(),
        blanks=st.integers(0, 4),
        points=st.sampled_from((2, 8)),
    )
    def deal(self, seed: int, seats: int, bots: set[int], blanks: int, points: int, **czar: bool):  # type: ignore[no-untyped-def]
        self.rules: dict[str, Any] = {
            "content": CONTENT,
            "max_players": 6,
            "hand_size": 7,
            "blank_cards": blanks,
            "max_points": points,
            "max_rounds": 5,
            **czar,
        }
        self.table = Table(
            seats, FastRng(seed), computers={s for s in bots if s < seats}, **self.rules
        )
        self.bots: dict[int, QuipsBot] = {}
        self._meet_bots()

    def _meet_bots(self) -> None:
        for seat, player in enumerate(self.table.board.players):
            if player.computer and seat not in self.bots:
                self.bots[seat] = QuipsBot(self.table.pictures[seat], FastRng(seat))

    def _people(self) -> list[int]:
        players = self.table.board.players
        return [seat for seat in self.table.board.here() if not players[seat].computer]

    def running(self) -> bool:
        return self.table.match.over is None

    @precondition(lambda self: not self.running())
    @rule()
    def next_game(self) -> None:
        """The table deals again, to whoever is left and as many as it takes."""
        self.check_story()
        old = self.table
        ids = [old.board.players[seat].id for seat in old.board.here()]
        computers = {n for n, s in enumerate(old.board.here()) if old.board.players[s].computer}
        ids += [f"new {n}" for n in range(3 - len(ids))]
        self.table = Table(
            0, old.rng, computers=computers, previous=old.match, players=ids, **self.rules
        )
        self.bots = {}
        self._meet_bots()

    # What people do

    @precondition(running)
    @rule(which=whole, start=whole, text=st.sampled_from(("", "a word", "<b>", "x" * 300)))
    def play(self, which: int, start: int, text: str) -> None:
        table = self.table
        pending = [s for s in table.board.pending() if not table.board.players[s].computer]
        if not pending:
            return
        seat = pending[which % len(pending)]
        hand = [slot for slot, _ in table.pictures[seat].hand]
        cards: list[int | str] = [*(hand + hand)[start % len(hand) :][: table.board.pick]]
        if text.strip("<") and table.board.players[seat].blanks:
            cards[start % len(cards)] = text
        table.do(seat, Play(cards))

    @precondition(lambda self: self.running() and self.table.board.stage == JUDGING)
    @rule(which=whole)
    def judge(self, which: int) -> None:
        board = self.table.board
        self.table.do(board.judge, Judge(which % len(board.order)))

    @precondition(running)
    @rule(which=whole, what=whole, on=st.booleans())
    def something_legal(self, which: int, what: int, on: bool) -> None:
        people = self._people()
        if not people:
            return
        seat = people[which % len(people)]
        legal = [
            a for a in self.table.match.legal(seat) if isinstance(a, Discard | Upgrade | VoteSkip)
        ]
        if on:
            legal = [a for a in legal if isinstance(a, VoteSkip)] or legal
        if legal:
            self.table.do(seat, legal[what % len(legal)])

    @precondition(running)
    @rule(
        which=st.integers(-1, 8),
        action=st.builds(Play, st.lists(st.integers(-2, 40) | st.text(max_size=3), max_size=4))
        | st.builds(Judge, st.integers(-2, 8))
        | st.builds(Discard, st.integers(-2, 40))
        | st.builds(Upgrade, st.integers(-2, 40))
        | st.builds(VoteSkip, st.booleans()),
    )
    def something_wrong(self, which: int, action: Any) -> None:
        before = all_of(self.table.match)
        try:
            self.table.do(which, action)
        except Illegal as no:
            assert no.code
            assert no.sentence.endswith(".")
            assert all_of(self.table.match) == before

    @precondition(running)
    @rule(which=whole)
    def all_that_is_legal_applies(self, which: int) -> None:
        match = self.table.match
        here = match.board.here()
        seat = here[which % len(here)] if here else 0
        before = all_of(match)
        assert all_of(match.copy()) == before
        for action in match.legal(seat):
            match.copy().apply(seat, action, FastRng(0), self.table.now)
        assert all_of(match) == before

    # People who come and go

    @precondition(lambda self: self.running() and len(self.table.board.here()) < 6)
    @rule(computer=st.booleans())
    def join(self, computer: bool) -> None:
        self.table.join(computer)
        self._meet_bots()

    @precondition(running)
    @rule(which=whole, dice=st.integers(0, 2))
    def leave(self, which: int, dice: int) -> None:
        here = self.table.board.here()
        if here and (dice == 0 or len(here) > 3):
            self.table.leave(here[which % len(here)])

    @precondition(running)
    @rule(which=whole)
    def the_judge_leaves(self, which: int) -> None:
        board = self.table.board
        if len(board.here()) > 3 and board.players[board.judge].here:
            self.table.leave(board.judge)

    @precondition(running)
    @rule(which=whole)
    def drop(self, which: int) -> None:
        people = self._people()
        if people:
            self.table.gone(people[which % len(people)])

    @precondition(running)
    @rule(which=whole)
    def come_back(self, which: int) -> None:
        people = self._people()
        if people:
            self.table.back(people[which % len(people)])

    @precondition(running)
    @rule(which=whole)
    def talk(self, which: int) -> None:
        people = self._people()
        if people:
            self.table.stir(people[which % len(people)])

    # Time

    @precondition(running)
    @rule(seconds=st.sampled_from((0.5, 4, 20, 60, 120)))
    def time_passes(self, seconds: float) -> None:
        table = self.table
        until = table.now + int(seconds * 1000)
        while table.match.over is None:
            if act_bots(table, self.bots, until):
                continue
            due = table.match.due()
            if due is None or due > until:
                break
            table.wait((max(due, table.now) - table.now) / 1000)
        table.now = until

    # What must hold

    @invariant()
    def somebody_or_something_is_awaited(self) -> None:
        if not hasattr(self, "table") or not self.running():
            return
        match = self.table.match
        due = match.due()
        board = match.board
        bots = [seat for seat in board.awaited() if board.players[seat].computer]
        # How long a lost line keeps its seat is the table's to say.
        gone = [seat for seat in board.here() if board.players[seat].gone_since is not None]
        assert due is not None or bots or gone

    @invariant()
    def clocks_run_for_the_awaited_alone(self) -> None:
        if hasattr(self, "table") and self.running():
            board = self.table.board
            awaited = set(board.awaited())
            running = {s for s, p in enumerate(board.players) if p.awaited_since is not None}
            assert running == awaited

    def check_story(self) -> None:
        for told in self.table.told.values():
            check_plays(told)
        check_secrets(self.table)

    def teardown(self) -> None:
        if not hasattr(self, "table"):
            return
        table = self.table
        # Nobody is stuck: should every person fall silent now, the game ends all the same.
        for seat in table.board.here():
            if table.board.players[seat].gone_since is not None:
                table.leave(seat)
        for _ in range(400):
            if table.match.over is not None:
                break
            if not act_bots(table, self.bots, table.now + 10**9):
                due = table.match.due()
                assert due is not None
                table.wait(max(0, due - table.now) / 1000)
        assert table.match.outcome() is not None
        self.check_story()


@pytest.mark.slow
def test_at_any_moment() -> None:
    run_state_machine_as_test(
        AnyMoment,
        settings=hypothesis_settings(max_examples=60, stateful_step_count=40, deadline=None),
    )


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_at_any_moment_for_long() -> None:
    run_state_machine_as_test(
        AnyMoment,
        settings=hypothesis_settings(max_examples=2000, stateful_step_count=80, deadline=None),
    )
