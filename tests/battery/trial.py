"""How the battery tries a game: at a real table, in virtual time, through its real wires.

A game joins the battery with one `Trial` in `TRIALS` (see `games.py`); everything here is
the same for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from random import Random
from typing import Any
from unittest.mock import patch

import msgspec

from parlour.house.audience import Attachment, Audience
from parlour.kit import Match
from parlour.rng import FastRng, ProvableRng, Rng
from parlour.table import Game, HostedLobby, Table
from parlour.table import inputs as do

START = 1_700_000_000_000
"""The moment every trial begins."""


@dataclass(frozen=True)
class Transcript:
    """A night whose every frame is kept in a golden file."""

    name: str
    seats: int
    seed: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    steps: int = 0
    """So many of random play, with people who come and go; 0: bots play to the end."""


@dataclass(frozen=True)
class Position:
    """A deal from which the reachable positions are counted."""

    seats: int
    seed: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    depth: int = 3


@dataclass(frozen=True)
class Trial:
    """What the battery must be told about one game."""

    game: Game
    cards: Callable[[Any], Iterable[Any]]
    """Every physical card of a match, one entry per place it lies in."""
    settings: Callable[[Random], dict[str, Any]]
    """A random settings patch."""
    garbage: Callable[[Random, Any], Any]
    """A random action, most likely wrong, with ids partly from the match."""
    knows: Callable[[Any, int], Iterable[Any]] | None = None
    """The faces a seat may still remember, in games where one can forget."""
    hidden: Callable[[Sequence[Any], Dealer], set[tuple[int, int]]] | None = None
    """Where faces do not keep their identity: the places of each shuffle nobody has seen."""
    chance: tuple[str, ...] = ("parlour.table.table.ProvableRng",)
    """Where the game's shuffles get their chance from."""
    rare: Mapping[type[Any], float] = field(default_factory=dict)
    """Kinds of action that random play takes less often than others, such as ending it all."""
    bot_games: int = 40
    """How many bot games per player count a quick run plays to the end."""
    transcripts: tuple[Transcript, ...] = ()
    """What golden files show of it; without any, a night of random play."""
    positions: tuple[Position, ...] = ()
    """Where counting begins; without any, at one deal to as few as can play."""

    @contextmanager
    def dealt_by(self, dealer: Dealer) -> Iterator[None]:
        """While this lasts, `dealer` shuffles."""
        with ExitStack() as stack:
            for name in self.chance:
                stack.enter_context(patch(name, dealer))
            yield


class Marked(int):
    """A face that remembers which place of which shuffle it came from.

    It is equal to, hashes and prints like the plain number; rules can't tell them apart.
    """

    key: tuple[int, int]


def _mark(face: int, key: tuple[int, int]) -> Marked:
    marked = Marked(face)
    marked.key = key
    return marked


class Dealer:
    """Chance for the matches of a trial: remembers every shuffle, and can deal another world.

    `swaps[k]` maps places of shuffle k to the places their faces come from instead.
    """

    def __init__(self, swaps: dict[int, dict[int, int]] | None = None) -> None:
        self.swaps = swaps or {}
        self.decks: list[list[Any]] = []
        """Every shuffle's result, as the rules got it."""

    def __call__(self, seed: bytes, label: str) -> Rng:
        return _DealersRng(self, seed, label) if label != "table" else ProvableRng(seed, label)


class _DealersRng(Rng):
    def __init__(self, dealer: Dealer, seed: bytes, label: str) -> None:
        self._dealer = dealer
        self._rng = ProvableRng(seed, label)

    def bits(self, count: int) -> int:
        return self._rng.bits(count)

    def tokens(self, count: int) -> list[str]:
        return self._rng.tokens(count)

    def shuffle(self, cards: Any) -> None:
        dealer = self._dealer
        self._rng.shuffle(cards)
        number = len(dealer.decks)
        dealer.decks.append(cards)
        if not cards or not isinstance(cards[0], int):
            return
        swap = dealer.swaps.get(number, {})
        faces = [cards[swap.get(i, i)] for i in range(len(cards))]
        cards[:] = [_mark(face, (number, i)) for i, face in enumerate(faces)]
        dealer.decks[number] = list(cards)


@dataclass
class Night:
    """One table from its opening on, with everything it was told and everything it told."""

    trial: Trial
    seats: int
    dealer: Dealer
    table: Table
    audience: Audience
    now: int = START
    log: list[tuple[int, bytes]] = field(default_factory=list)
    told: dict[int, list[bytes]] = field(default_factory=dict)
    """By line: 0 to 99 are a spectator's, 100 to 199 seat 0's, and so on."""
    scribe: Callable[[do.Input, list[tuple[list[int], bytes]]], None] | None = None
    """Who writes down every input with what came of it, for the golden transcripts."""

    def receive(self, entry: do.Input) -> list[Any]:
        """Give the table one input at the current moment, and hear what it tells."""
        with self.trial.dealt_by(self.dealer):
            happened = self.table.receive(entry, self.now)
        self.log.append((self.now, do.encode(entry)))
        letters = self.audience.tell(happened)
        if self.scribe is not None:
            self.scribe(entry, letters)
        for lines, data in letters:
            for line in lines:
                self.told.setdefault(line, []).append(data)
        return happened

    @property
    def match(self) -> Match[Any, Any]:
        match = self.table.match
        assert match is not None
        return match

    def greetings(self, seat: int | None) -> list[bytes]:
        """What somebody who comes back to `seat` is told, on every wire."""
        player = None if seat is None else self.table.roster.seating[seat]
        roster = self.table.roster
        return [
            data
            for wire in self.trial.game.wires
            for data in wire.greet(self.table.picture(player), roster, player, self.now)
        ]

    def heard(self, seat: int | None) -> list[bytes]:
        """Everything `seat` was told, on every wire, in order per connection."""
        lines = [
            line for line in sorted(self.told) if line // 100 == (0 if seat is None else seat + 1)
        ]
        return [data for line in lines for data in self.told[line]]


def open_night(
    trial: Trial,
    seats: int,
    settings: dict[str, Any],
    seed: str,
    dealer: Dealer | None = None,
    scribe: Callable[[do.Input, list[tuple[list[int], bytes]]], None] | None = None,
) -> Night:
    """A table with `seats` people, a spectator, and one match begun."""
    dealer = dealer or Dealer()
    opening = do.Open(
        id="00000000-0000-4000-8000-000000000000",
        code="123456",
        game=trial.game.id,
        seed=seed,
        settings=settings,
    )
    with trial.dealt_by(dealer):
        table = Table(trial.game, opening, START)
    night = Night(trial, seats, dealer, table, Audience(table, lambda: night.now), scribe=scribe)
    night.log.append((START, do.encode(opening)))
    _connect(night, 0, None)
    for seat in range(seats):
        night.receive(do.Join(f"visitor-{seat}", f"Guest {seat + 1}", resumable=True))
        if not trial.game.lobby.deals_on_join():
            _connect(night, seat + 1, seat)
    if isinstance(trial.game.lobby, HostedLobby):
        for player in table.roster.people:
            night.receive(do.Ready(player.place, True))
    if not table.roster.running:
        night.receive(do.Start(do.HOUSE))
    if trial.game.lobby.deals_on_join():
        _connect(night, 1, 0)
    return night


def _connect(night: Night, who: int, place: int | None) -> None:
    number = who * 100
    for wire in night.trial.game.wires:
        night.audience.attach(Attachment(number, wire, f"visitor-{place}", place))
        number += 1


def play_on(night: Night, rnd: Random, steps: int, disturb: bool = True) -> None:
    """Random legal play, with people going away and coming back, until it ends or `steps` pass."""
    table = night.table
    for _ in range(steps):
        if not table.roster.running or table.closed:
            return
        night.now += rnd.choice((0, 1, 50, 400, 2_000))
        due = table.due()
        if disturb and rnd.random() < 0.04:
            _disturb(night, rnd)
            continue
        # By kind first: where anybody may snap any card at any time, snaps are most of what is
        # legal, and a game of nothing but snaps shows little.
        kinds: dict[type[Any], list[tuple[int, Any]]] = {}
        for seat in range(len(table.roster.seating)):
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


def _disturb(night: Night, rnd: Random) -> None:
    people = [p for p in night.table.roster.people if p.seat is not None]
    player = rnd.choice(people)
    present = [p for p in people if p.present]
    if not player.present:
        night.receive(do.Back(player.place))
    elif len(present) > 1:
        # Somebody stays: a table everybody has left has little to show.
        night.receive(do.Away(player.place))


def random_night(trial: Trial, rnd: Random, steps: int, dealer: Dealer | None = None) -> Night:
    """A random number of people, random settings, a random seed, and `steps` of random play."""
    settings = trial.settings(rnd)
    least, most = trial.game.seats(trial.game.configure(trial.game.settings(), settings))
    seats = rnd.randint(least, most)
    night = open_night(trial, seats, settings, f"{rnd.getrandbits(256):064x}", dealer)
    play_on(night, rnd, steps)
    return night


def again(night: Night, dealer: Dealer | None = None, upto: int | None = None) -> Night:
    """The same night folded again from its log, perhaps in another world."""
    dealer = dealer or Dealer()
    entries = night.log[:upto]
    opening = do.decode(entries[0][1])
    assert isinstance(opening, do.Open)
    with night.trial.dealt_by(dealer):
        table = Table(night.trial.game, opening, entries[0][0])
    twin = Night(night.trial, night.seats, dealer, table, Audience(table, lambda: twin.now))
    twin.log.append(entries[0])
    _connect(twin, 0, None)
    at_once = night.trial.game.lobby.deals_on_join()
    connected = 0
    for at, data in entries[1:]:
        entry = do.decode(data)
        twin.now = at
        twin.receive(entry)
        if isinstance(entry, do.Join | do.AddBot) and connected < night.seats and not at_once:
            connected += 1
            _connect(twin, connected, connected - 1)
        elif at_once and connected == 0:
            connected = 1
            _connect(twin, 1, 0)
    twin.now = night.now
    return twin


def fingerprint(thing: Any) -> Any:
    """Everything a state is made of, as nested tuples that compare."""
    if isinstance(thing, int | str | bytes | float | type(None)):
        return thing
    if isinstance(thing, dict):
        return tuple((fingerprint(k), fingerprint(v)) for k, v in thing.items())
    if isinstance(thing, list | tuple):
        return tuple(fingerprint(x) for x in thing)
    if isinstance(thing, set | frozenset):
        return tuple(sorted((fingerprint(x) for x in thing), key=repr))
    if isinstance(thing, ProvableRng | _DealersRng):
        inner = thing if isinstance(thing, ProvableRng) else thing._rng
        return ("rng", inner._block, inner._at)
    if isinstance(thing, msgspec.Struct):
        return fingerprint(msgspec.to_builtins(thing))
    if callable(thing):
        return repr(thing)
    names = _attributes(thing)
    return (type(thing).__name__, *[(n, fingerprint(getattr(thing, n))) for n in names])


def _attributes(thing: Any) -> list[str]:
    if is_dataclass(thing):
        return [f.name for f in fields(thing) if f.compare]
    names: list[str] = list(getattr(thing, "__dict__", ()))
    for kind in type(thing).__mro__:
        slots = getattr(kind, "__slots__", ())
        names += [slots] if isinstance(slots, str) else list(slots)
    return sorted(n for n in names if hasattr(thing, n))


def table_fingerprint(table: Table) -> Any:
    """All of a table but what is only derived from code."""
    return fingerprint(
        {
            "roster": table.roster,
            "match": table.match,
            "previous": table.previous,
            "story": table.story,
            "version": table.version,
            "closed": table.closed,
            "due": table.due(),
        }
    )


def marks_in(thing: Any) -> Iterator[tuple[int, int]]:
    """The origin of every marked face in an event, wherever it sits in it."""
    if isinstance(thing, Marked):
        yield thing.key
    elif isinstance(thing, int | str | bytes | float | type(None) | msgspec.Struct):
        return
    elif isinstance(thing, dict):
        for key, value in thing.items():
            yield from marks_in(key)
            yield from marks_in(value)
    elif isinstance(thing, list | tuple | set | frozenset):
        for item in thing:
            yield from marks_in(item)
    elif is_dataclass(thing):
        for f in fields(thing):
            # Fields that do not compare hold cached views, not facts.
            if f.compare:
                yield from marks_in(getattr(thing, f.name))


def play_bots(
    trial: Trial,
    seats: int,
    seed: int,
    settings: dict[str, Any] | None = None,
    most: int = 5_000,
    scribe: Callable[[do.Input, list[tuple[list[int], bytes]]], None] | None = None,
) -> Night:
    """A match played by bots alone, in virtual time, to its end."""
    rnd = Random(seed)
    key = f"{rnd.getrandbits(256):064x}"
    night = open_night(trial, seats, settings or {}, key, scribe=scribe)
    assert trial.game.bots is not None
    make, picture = trial.game.bots.make, trial.game.picture
    bots = [make(picture(seat), FastRng(rnd.getrandbits(32))) for seat in range(seats)]
    shown = 0
    for _ in range(most):
        story = night.table.story
        for event in story[shown:]:
            for seat, bot in enumerate(bots):
                viewed = trial.game.view(event, seat)
                if viewed is not None:
                    bot.show(viewed)
        shown = len(story)
        if not night.table.roster.running:
            return night
        plans = []
        for seat, bot in enumerate(bots):
            legal = night.match.legal(seat)
            plan = bot.plan(legal, night.now) if legal else None
            if plan is not None:
                plans.append((plan.at, seat, plan.action))
        due = night.table.due()
        first = min(plans, key=lambda p: p[:2]) if plans else None
        if first is not None and (due is None or first[0] <= due):
            at, seat, action = first
            night.now = max(night.now, at)
            night.receive(do.Act(night.table.roster.seating[seat].place, action))
        else:
            assert due is not None, "nobody can move and nothing is due"
            night.now = max(night.now, due)
            night.receive(do.Tick())
    raise AssertionError("the match did not end")


def perft(match: Match[Any, Any], seats: int, depth: int) -> int:
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
