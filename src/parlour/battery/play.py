"""How a night of the battery is played: at random or by bots, with people who come and go."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from parlour.battery.derive import nearly_right
from parlour.battery.night import START, Night, Witness, again, open_night
from parlour.battery.trial import Trial
from parlour.kit import Bot, Illegal, Match, Plan
from parlour.rng import FastRng
from parlour.table import events as tell
from parlour.table import inputs as do


def random_night(trial: Trial, rnd: Random, steps: int, computers: bool = False) -> Night:
    """A random number of people, random settings, a random seed, and `steps` of random play.

    `computers`: some of the seats, at least one, are computer players'.
    """
    settings = trial.some_settings(rnd)
    least, most = trial.game.seats(trial.game.configure(trial.game.settings(), settings))
    seats = rnd.randint(least, most)
    seed = f"{rnd.getrandbits(256):064x}"
    bots = rnd.randint(1, max(1, seats - 1)) if computers else 0
    night = open_night(trial, seats, settings, seed, computers=bots)
    play_on(night, rnd, steps)
    return night


def night_under_way(trial: Trial, rnd: Random, most: int) -> Night:
    """A random night at a random moment, after up to `most` steps, when its match still runs."""
    night = random_night(trial, rnd, rnd.randint(0, most))
    if night.running:
        return night
    return again(night, upto=rnd.randint(dealing(night) + 2, len(night.log) - 1))


def dealing(night: Night) -> int:
    """The number of the input that began the match."""
    happened = enumerate(night.happened)
    return next(n for n, events in happened if any(type(e) is tell.Dealt for e in events))


def play_on(night: Night, rnd: Random, steps: int, disturb: bool = True) -> None:
    """Random legal play, with people going away and coming back, until it ends or `steps` pass."""
    table = night.table
    unrest = 0.15 if night.trial.game.lobby.seating.open else 0.04
    for _ in range(steps):
        if not table.roster.running or table.closed:
            return
        night.now += rnd.choice((0, 1, 50, 400, 2_000))
        due = table.due()
        if disturb and rnd.random() < unrest:
            come_and_go(night, rnd)
            continue
        # By kind first: where anybody may snap at any time, most legal actions are snaps, and a
        # game of nothing but snaps shows little.
        kinds: dict[type[Any], list[tuple[int, object]]] = {}
        for seat, player in enumerate(table.roster.seating):
            if player in table.roster.players:
                for action in night.match.legal(seat):
                    kinds.setdefault(type(action), []).append((seat, action))
        if due is not None and (due <= night.now or not kinds or rnd.random() < 0.03):
            night.now = max(night.now, due)
            night.receive(do.Tick())
            continue
        if not kinds:
            return
        weights = [night.trial.rare.get(kind, 1.0) for kind in kinds]
        seat, action = rnd.choice(kinds[rnd.choices(list(kinds), weights)[0]])
        night.receive(do.Act(table.roster.seating[seat].place, action))


def come_and_go(night: Night, rnd: Random) -> None:
    """Somebody goes away or comes back; where seats are open, people also sit down and get up."""
    roster = night.table.roster
    people = [p for p in roster.people if p.seat is not None]
    if night.trial.game.lobby.seating.open and rnd.random() < 0.5:
        if len(roster.players) < roster.max_seats and rnd.random() < 0.6:
            number = len(night.log)
            try:
                night.receive(do.Join(f"visitor-{number}", f"Guest {number}", resumable=True))
            except Illegal:
                return  # the rules accept nobody now
        elif len(people) > 1:
            night.receive(do.Leave(rnd.choice(people).place))
        return
    if not people:
        return
    player = rnd.choice(people)
    if not player.present:
        night.receive(do.Back(player.place))
    elif sum(p.present for p in people) > 1:
        # One person stays, because little happens at an empty table.
        night.receive(do.Away(player.place))


def planned(night: Night, seat: int) -> Plan | None:
    """The plan of a bot in this seat that was shown the same as the seat."""
    bots, legal = night.trial.game.bots, night.match.legal(seat)
    if bots is None or not legal:
        return None
    bot = bots.bot(night.trial.game.picture(seat), FastRng(0))
    for event in night.shown(seat):
        bot.show(event)
    return bot.plan(legal, night.now)


def wrong_actions(night: Night, rnd: Random, count: int) -> list[Any]:
    """Actions that are most likely refused: nearly right ones, and ones made up from their types.

    Those are close to what is legal now, or was earlier.
    """
    legal = [action for seat in range(night.seats) for action in night.match.legal(seat)]
    right = [*legal, *night.acted()]
    return [
        nearly_right(rnd.choice(right), right, [], rnd)
        if right and rnd.random() < 0.5
        else night.trial.some_action(rnd, night.match, night.seats)
        for _ in range(count)
    ]


class _Bots:
    """A bot for every seat, which sees what its seat sees."""

    def __init__(self, trial: Trial, rnd: Random) -> None:
        assert trial.game.bots is not None
        self._game = trial.game
        self._rnd = rnd
        self._bots: list[Bot] = []

    def show(self, night: Night, happened: tell.Happened) -> None:
        """Show all bots these events; show a new one the whole match."""
        for seat in range(night.seats):
            news = happened
            if seat == len(self._bots):
                self._bots.append(self._new(seat))
                news = night.table.story
            for event in night.viewed(news, seat):
                self._bots[seat].show(event)

    def _new(self, seat: int) -> Bot:
        bots = self._game.bots
        assert bots is not None
        return bots.bot(self._game.picture(seat), FastRng(self._rnd.getrandbits(32)))

    def first_plan(self, night: Night) -> tuple[int, int, object] | None:
        """The earliest plan of a player who is there: when, which seat, and the action."""
        plans: list[tuple[int, int, object]] = []
        roster = night.table.roster
        for seat, bot in enumerate(self._bots):
            player = roster.seating[seat]
            if not player.present or player not in roster.players:
                continue
            legal = night.match.legal(seat)
            plan = bot.plan(legal, night.now) if legal else None
            if plan is not None:
                plans.append((plan.at, seat, plan.action))
        return min(plans, key=lambda plan: plan[:2]) if plans else None


def play_bots(
    trial: Trial,
    seats: int,
    seed: int,
    settings: Mapping[str, object] | None = None,
    *,
    most: int = 5_000,
    restless: bool = False,
    witness: Witness | None = None,
) -> Night:
    """A match in which bots decide for everybody, in virtual time, to its end.

    `restless`: people go away and come back in between, and now and then the house restarts.
    """
    rnd = Random(seed)
    key = f"{rnd.getrandbits(256):064x}"
    bots = _Bots(trial, rnd)
    night = open_night(trial, seats, settings or {}, key, witnesses=[witness] if witness else [])
    bots.show(night, [])
    night.witnesses.append(lambda entry, happened, letters: bots.show(night, happened))
    fate = Random(~seed)
    for _ in range(most):
        if not night.running:
            return night
        if restless and fate.random() < 0.03:
            if fate.random() < 0.1:
                night.receive(do.Wake())
            else:
                come_and_go(night, fate)
            continue
        due = night.table.due()
        first = bots.first_plan(night)
        if first is not None and (due is None or first[0] <= due):
            at, seat, action = first
            night.now = max(night.now, at)
            night.receive(do.Act(night.table.roster.seating[seat].place, action))
        else:
            assert due is not None, "nobody can move and nothing is due"
            night.now = max(night.now, due)
            night.receive(do.Tick())
    raise AssertionError("the match did not end")


def perft(match: Match, seats: int, depth: int) -> int:
    """How many sequences of `depth` actions there are from here; every seat may go next."""
    if depth == 0:
        return 1
    count = 0
    for seat in range(seats):
        for action in match.legal(seat):
            after = match.copy()
            after.apply(seat, action, FastRng(0), START)
            count += 1 if depth == 1 else perft(after, seats, depth - 1)
    return count
