"""How well bots play: seeded games of one bot among rivals of another strength.

`parlour arena GAME`. Games are dealt from the seeds 0, 1, 2, ... so that everybody measures the
same ones, and the measured bot sits at each seat in turn. Where people are the judges, somebody
who stands for a person takes part (`Bots.person`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from time import perf_counter, process_time
from typing import Final

from rich.console import Console
from rich.table import Table

from parlour.arena import measuring
from parlour.arena.measuring import Meter, Step, interval
from parlour.games import installed_games
from parlour.kit import Bot, Bots, Experience, Outcome, Picture, Seat, Setup
from parlour.protocol import Game
from parlour.rng import FastRng

_BATCH: Final = 20
_LONGEST: Final = 20_000
"""In steps; a game that takes longer has no winner."""
_SCHOOLING: Final = 60
"""Games that bots learn from before anything is measured."""

Maker = Callable[..., Bot]


@dataclass(frozen=True)
class Duel:
    """One measurement: a bot of `strength` against `rivals` at all other seats."""

    game: str
    seats: int
    strength: str = "hard"
    rivals: str = "normal"
    settings: Mapping[str, object] = field(default_factory=dict)
    games_per_deal: int = 1
    """With as many as there are seats, the bot plays each deal from every seat."""

    @property
    def others(self) -> str:
        """ "3 normal" """
        return f"{self.seats - 1} {self.rivals}"


def pairs_of(bots: Bots) -> list[tuple[str, str]]:
    """Each strength with each weaker one, neighbours first. Bots of one strength: with itself."""
    strengths = bots.strengths[::-1]
    pairs = [
        (strengths[at], strengths[at + step])
        for step in range(1, len(strengths))
        for at in range(len(strengths) - step)
    ]
    return pairs or [(strengths[0], strengths[0])]


def compare_strengths(name: str) -> list[Duel]:
    """Each strength of one game's bots against each weaker one, as few as the game needs."""
    game = _game(name)
    assert game.bots is not None
    seats = fewest(game)
    return [Duel(name, seats, *pair, games_per_deal=seats) for pair in pairs_of(game.bots)]


def fewest(game: Game) -> int:
    """How many bots can be measured at the smallest table."""
    return max(2, game.min_seats)


@dataclass(slots=True)
class Tally:
    """How the measured bot did. A game is decided if one bot won it alone.

    `slowest` is its longest decision, in processor seconds.
    """

    games: int = 0
    won: int = 0
    decided: int = 0
    points: int = 0
    rivals_points: int = 0
    slowest: float = field(default=0.0, compare=False)

    @classmethod
    def of(cls, parts: Iterable[Tally]) -> Tally:
        """The sum of these."""
        whole = cls()
        for part in parts:
            whole.games += part.games
            whole.won += part.won
            whole.decided += part.decided
            whole.points += part.points
            whole.rivals_points += part.rivals_points
            whole.slowest = max(whole.slowest, part.slowest)
        return whole

    @property
    def share(self) -> float:
        return self.won / self.decided if self.decided else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return interval(self.won, self.decided)


@cache
def _game(name: str) -> Game:
    return next(game for game in installed_games() if game.id == name)


@dataclass(frozen=True, slots=True)
class Played:
    """One game: its outcome, if it ended, the spectators' picture, each seat's longest decision."""

    outcome: Outcome | None
    audience: Picture
    slowest: list[float]


def play(duel: Duel, makers: Sequence[Maker], seed: int) -> Played:
    """One game in virtual time; each bot knows only its own picture."""
    game = _game(duel.game)
    chance = FastRng(seed)
    settings = game.configure(game.settings(), dict(duel.settings))
    ids = [f"player {seat}" for seat in range(len(makers))]
    computers = frozenset(range(len(makers) - duel.seats, len(makers)))
    content = game.lobby.own_content(settings)
    match, told = game.deal(Setup(settings, ids, computers, None, content), chance, 0)
    audience = game.picture(None)
    bots = [
        make(game.picture(seat), FastRng(seed * 100 + seat)) for seat, make in enumerate(makers)
    ]
    slowest = [0.0] * len(bots)
    now = 0
    for _ in range(_LONGEST):
        for event in told:
            shown = game.view(event, None)
            if shown is not None:
                audience.see(shown)
            for seat, bot in enumerate(bots):
                viewed = game.view(event, seat)
                if viewed is not None:
                    bot.show(viewed)
        outcome = match.outcome()
        if outcome is not None:
            return Played(outcome, audience, slowest)
        first: tuple[int, Seat, object] | None = None
        for seat, bot in enumerate(bots):
            legal = match.legal(seat)
            if not legal:
                continue
            began = process_time()
            plan = bot.plan(legal, now)
            slowest[seat] = max(slowest[seat], process_time() - began)
            if plan is not None and (first is None or plan.at < first[0]):
                first = (plan.at, seat, plan.action)
        due = match.due()
        if first is not None and (due is None or first[0] <= due):
            now = max(now, first[0])
            told = match.apply(first[1], first[2], chance, now)
        elif due is not None:
            now = max(now, due)
            told = match.tick(chance, now)
        else:
            raise LookupError("nobody can move and nothing is due")
    return Played(None, audience, slowest)


def _makers(duel: Duel, strengths: Sequence[str], experience: Experience | None) -> list[Maker]:
    """Somebody who stands for a person, if the game needs one; then a bot of each strength."""
    bots = _game(duel.game).bots
    assert bots is not None
    people = [] if bots.person is None else [bots.person]
    return [*people, *(partial(bots.bot, strength=s, experience=experience) for s in strengths)]


@cache
def _experience(name: str) -> Experience | None:
    """The experience of this game's bots after some games among themselves."""
    bots = _game(name).bots
    if bots is None or bots.experience is None:
        return None
    experience = bots.experience(None)
    [duel, *_] = compare_strengths(name)
    for seed in range(_SCHOOLING):
        makers = _makers(duel, ["hard"] * duel.seats, experience)
        experience.learn(play(duel, makers, -1 - seed).audience)
    return experience


def play_number(duel: Duel, number: int) -> Tally:
    """The game of this number: its deal, and where the measured bot sits, follow from it."""
    place = number % duel.seats
    strengths = [duel.rivals] * duel.seats
    strengths[place] = duel.strength
    makers = _makers(duel, strengths, _experience(duel.game))
    people = len(makers) - duel.seats
    ours = people + place
    played = play(duel, makers, number // duel.games_per_deal)
    tally = Tally(games=1, slowest=played.slowest[ours])
    outcome = played.outcome
    if outcome is not None and len(outcome.winners) == 1:
        tally.decided = 1
        tally.won = int(outcome.winners[0] == ours)
        tally.points = outcome.scores.get(ours, 0)
        everybodys = sum(outcome.scores.get(seat, 0) for seat in range(people, len(makers)))
        tally.rivals_points = everybodys - tally.points
    return tally


def measure(duel: Duel, games: range) -> Tally:
    """Play the games of these numbers."""
    return Tally.of(play_number(duel, number) for number in games)


def run(
    duels: Sequence[Duel], games: int, workers: int | None = None, steps: Sequence[Step] = ()
) -> list[Tally]:
    """So many games of each, on all cores unless told; each duel's step hears how far it is."""
    rows = [[(duel, number) for number in range(games)] for duel in duels]
    return [Tally.of(row) for row in measuring.run(play_number, rows, workers, steps, _BATCH)]


def report(
    console: Console, duels: Sequence[Duel], games: int, workers: int | None = None
) -> list[Tally]:
    """Measure these duels of one game, saying how far each is, and print a table."""
    began = perf_counter()
    title = f"{_game(duels[0].game).name}: one bot among others, games 0 to {games - 1}"
    with Meter(console, f"{title}.") as meter:
        steps = [meter.row(f"{duel.strength} among {duel.others}", games) for duel in duels]
        tallies = run(duels, games, workers, steps)
    table = Table(title=title, collapse_padding=True)
    columns = ["bot", "among", "won", "share", "95 %", "even", "slowest ms"]
    with_points = any(tally.points for tally in tallies)
    if with_points:
        columns += ["points", "rival's"]
    for name in columns:
        table.add_column(name, justify="right")
    for duel, tally in zip(duels, tallies, strict=True):
        low, high = tally.interval
        row = [
            duel.strength,
            duel.others,
            f"{tally.won}/{tally.decided}",
            f"{tally.share:.1%}",
            f"{low * 100:.1f}-{high:.1%}",
            f"{1 / duel.seats:.1%}",
            f"{tally.slowest * 1000:.1f}",
        ]
        if with_points:
            row += [f"{tally.points:,}", f"{tally.rivals_points / (duel.seats - 1):,.0f}"]
        table.add_row(*row)
    console.print(table)
    console.print(f"{perf_counter() - began:.0f} s in all.", highlight=False)
    return tallies
