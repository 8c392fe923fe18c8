"""The base classes of every game: a match, a picture of it, a bot that plays from the picture.

Ring one. No clock, no sockets, no JSON, no random numbers of its own: time and
random numbers are arguments. This file and every `rules.py` compile with mypyc
as they are; settings live beside them, in `settings.py`, interpreted.

Longer than most modules, so that a game imports its base classes from one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, final

from mypy_extensions import mypyc_attr
from typing_extensions import TypeVar

from parlour.choices import Choices, factored
from parlour.rng import Rng

Seat = int
"""A place in one match: 0, 1, 2... in playing order. `None` in its stead is a spectator."""

Millis = int
"""A moment, in milliseconds since the epoch; or a span, where the name says so."""

# Types that differ from game to game. Code shared by all games leaves the parameters out.
S = TypeVar("S", default=Any)
"""A game's settings."""
A = TypeVar("A", default=Any)
"""Its actions."""
E = TypeVar("E", default=Any)
"""Its events."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Illegal(Exception):
    """An action the rules refuse: a code for programs, a sentence for people.

    Rules raise it before they have changed anything.
    """

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence

    def __reduce__(self) -> tuple[type[Illegal], tuple[str, str]]:
        """Pickles both arguments: by default an exception is made from its text alone."""
        return Illegal, (self.code, self.sentence)


@final
@dataclass(slots=True)
class Outcome:
    """How a match ended. `winners` is empty when nobody won."""

    winners: tuple[Seat, ...]
    how: str
    scores: dict[Seat, int] = field(default_factory=dict)
    """In the game's own points; players without any come last."""
    most_points_win: bool = False

    @classmethod
    def fewest(cls, points: Sequence[int], how: str) -> Outcome:
        """Those with the fewest points, given by seat, have won."""
        best = [seat for seat, each in enumerate(points) if each == min(points)]
        return cls(tuple(best), how, dict(enumerate(points)))

    def places(self, seats: int) -> list[int]:
        """By seat, the place each came in at, 0 the best; equal places are a draw."""
        sign = -1 if self.most_points_win else 1
        worst = max((sign * score for score in self.scores.values()), default=0) + 1
        results = [
            (seat not in self.winners, sign * self.scores[seat] if seat in self.scores else worst)
            for seat in range(seats)
        ]
        order = sorted(set(results))
        return [order.index(result) for result in results]


UNHURRIED = 3


@final
class Setup(Generic[S]):
    """Everything that a match is dealt from. (No dataclass: mypyc can't make a generic one.)"""

    def __init__(
        self,
        settings: S,
        players: Sequence[str],
        computers: frozenset[Seat] = frozenset(),
        previous: object = None,
        content: Mapping[str, bytes] | None = None,
        edition: int = 0,
        asleep: frozenset[Seat] = frozenset(),
        unhurried: bool = False,
    ) -> None:
        self.settings = settings
        self.players = players
        """Their ids, by seat."""
        self.computers = computers
        """The seats of computer players."""
        self.previous = previous
        """The finished match before this one, for whatever carries over."""
        self.content: Mapping[str, bytes] = content or {}
        """Data that the rules read besides the settings (card packs), by name. The log names it by
        its hash."""
        self.edition = edition
        """Of the game's rules, which the table was opened with; 0: the newest."""
        self.asleep = asleep
        """The seats of people who are not ready, and whom the others wait for no longer
        (`OpenMatch.asleep`)."""
        self.unhurried = unhurried
        """A player has asked for more time: everything that a player has to do in time may take
        `UNHURRIED` times as long."""


@final
@dataclass(slots=True)
class PutOut:
    """An event with which rules remove a player; they have freed the seat already.

    `reason` is a code for programs. The table frees the place and closes its connections.
    """

    seat: Seat
    reason: str
    sentence: str


@mypyc_attr(serializable=True, allow_interpreted_subclasses=True)
class Copyable:
    """Instances can be copied and pickled, also if mypyc has compiled their class.

    For matches and the parts of their state that are neither dataclasses nor have slots. Compiled
    instances have no `__dict__`; with `serializable`, one can be made without its `__init__`. But
    then interpreted code does not call it, unless that class allows interpreted subclasses, too.
    """

    def __getstate__(self) -> dict[str, object]:
        compiled: Sequence[str] = getattr(type(self), "__mypyc_attrs__", ())
        names = [name for name in compiled if name != "__dict__" and hasattr(self, name)]
        return {name: getattr(self, name) for name in names} | getattr(self, "__dict__", {})

    def __setstate__(self, state: dict[str, object]) -> None:
        for name, value in state.items():
            setattr(self, name, value)


@mypyc_attr(allow_interpreted_subclasses=True)
class Match(Copyable, Generic[A, E]):
    """One match under way, changed in place. Every game's `rules.py` has one subclass.

    Events are complete facts; hiding happens in the game's `view` function and nowhere else.
    Everything is checked before anything changes, so an `Illegal` leaves no trace.
    """

    def legal(self, seat: Seat) -> Sequence[A]:
        """The actions that `seat` may take now. All of them apply; some games do not list all."""
        raise NotImplementedError

    def choices(self, seat: Seat) -> Choices:
        """Every action `seat` may take now, as data; made from `legal` if that is complete."""
        return factored(self.legal(seat))

    def apply(self, seat: Seat, action: A, rng: Rng, now: Millis) -> list[E]:
        """Take the action and return its events; or raise `Illegal`."""
        raise NotImplementedError

    def outcome(self) -> Outcome | None:
        """How it ended, or None while it goes on."""
        raise NotImplementedError

    def copy(self) -> Match[A, E]:
        """An independent twin. Where a game is searched, write one that is cheap enough."""
        return deepcopy(self)

    def retold(self) -> list[A] | None:
        """The fewest actions from the deal to this state, without those that were taken back.

        Everything that can still happen must be the same after them; None: there is no shorter way.
        """
        return None

    # Time

    def due(self) -> Millis | None:
        """When something happens by itself, if anything does."""
        return None

    def tick(self, rng: Rng, now: Millis) -> list[E]:
        """Everything that is due at `now` happens; maybe nothing."""
        return []

    # People who come and go

    def gone(self, seat: Seat, rng: Rng, now: Millis) -> list[E]:
        """The seat's player is not there. The seat stays theirs: they may come `back`."""
        return []

    def back(self, seat: Seat, rng: Rng, now: Millis) -> list[E]:
        """The seat's player has come back."""
        return []

    def skip(self, seat: Seat, rng: Rng, now: Millis) -> list[E]:
        """Pass on the turn of a player who is away. Their next turn is waited for again."""
        return [*self.gone(seat, rng, now), *self.back(seat, rng, now)]

    def abandon(self, rng: Rng, now: Millis) -> list[E]:
        """No person is left at the table: end it, without a winner."""
        return []

    # Wrong answers

    def fumble(self, seat: Seat, rng: Rng, now: Millis) -> list[E]:
        """The seat's player sent an impossible answer, which counts as a mistake."""
        raise Illegal("no-fumble", "This game does not count mistakes.")


@mypyc_attr(allow_interpreted_subclasses=True)
class OpenMatch(Match[A, E]):
    """A match that people join and leave while it runs, and that goes on while some of them do
    not move. For tables with open seats (`Seating.open`)."""

    def join(self, player: str, computer: bool, rng: Rng, now: Millis) -> list[E]:
        """Somebody sits down in mid-match, as the next seat; or `Illegal`."""
        raise NotImplementedError

    def leave(self, seat: Seat, rng: Rng, now: Millis) -> list[E]:
        """The seat's player has left for ever. The seat keeps its number and stays empty."""
        raise NotImplementedError

    def asleep(self, seat: Seat) -> bool:
        """Whether the match goes on without the seat's player until they do something
        (`stirred`)."""
        return False

    def stirred(self, seat: Seat, rng: Rng, now: Millis) -> list[E]:
        """The seat's player did something other than an action: talked, for example."""
        return []


@mypyc_attr(allow_interpreted_subclasses=True)
class Picture(Generic[E]):
    """A fold of the events that one viewer has been shown. Each game has one subclass.

    Snapshots for new connections are made from it, bots play from it, lessons show it. It is
    made of viewed events and nothing else, so it can't know more than its viewer does.
    """

    def __init__(self, viewer: Seat | None) -> None:
        self.viewer = viewer

    def see(self, event: E) -> None:
        """One event, as `view` shows it to this viewer."""
        raise NotImplementedError


@mypyc_attr(allow_interpreted_subclasses=True)
class Story(Picture[E]):
    """The simplest picture: all events shown, in order. Enough for a small game."""

    def __init__(self, viewer: Seat | None) -> None:
        super().__init__(viewer)
        self.shown: list[E] = []

    def see(self, event: E) -> None:
        self.shown.append(event)


P = TypeVar("P", bound=Picture, default=Any)
"""A game's picture."""
P_contra = TypeVar("P_contra", bound=Picture, default=Any, contravariant=True)


@final
class Plan(Generic[A]):
    """A bot's next action, and its time. (No dataclass: mypyc can't make a generic one.)"""

    __slots__ = ("action", "at")

    def __init__(self, at: Millis, action: A) -> None:
        self.at = at
        self.action = action

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self.at == other.at and self.action == other.action

    def __hash__(self) -> int:
        return hash(self.at)


@mypyc_attr(allow_interpreted_subclasses=True)
class Bot(Generic[A, E, P]):
    """A computer player: it knows its seat's picture and its own notes, nothing else."""

    def __init__(self, picture: P, rng: Rng) -> None:
        self.picture = picture
        self.rng = rng

    def show(self, event: E) -> None:
        """One event, as `view` shows it to this seat."""
        self.notice(event)
        self.picture.see(event)

    def notice(self, event: E) -> None:
        """Take notes beyond the picture; called before the picture takes the event."""

    def plan(self, legal: Sequence[A], now: Millis) -> Plan[A] | None:
        """The next action, one of those that are legal; asked again after every event."""
        raise NotImplementedError


class Experience(Protocol[P_contra]):
    """Knowledge that a game's bots have from finished matches at this house; it is stored."""

    def learn(self, picture: P_contra) -> None:
        """Take in a match that is over, as spectators saw it."""
        ...

    def dump(self) -> bytes:
        """All of it, to be stored."""
        ...


STRONGEST = "hard"
"""The strength of a game's best bots, which play unless others are asked for."""


# Not compiled: a compiled frozen dataclass can't be unpickled.
@mypyc_attr(native_class=False)
@dataclass(frozen=True)
class Bots:
    """A game's computer players."""

    make: Callable[..., Bot]
    """`make(picture, rng)`; where there is experience, `make(picture, rng, experience)`."""
    names: tuple[str, ...]
    experience: Callable[[bytes | None], Experience] | None = None
    """Reads the stored experience; None: nothing has been stored yet."""
    weaker: Mapping[str, Callable[..., Bot]] = field(default_factory=dict)
    """By strength ("easy", "normal"), makers of bots that play less well than `make` ("hard")."""
    person: Callable[..., Bot] | None = None
    """Stands for a person where bots are measured, and is not measured: for games in which the
    taste of people decides."""

    @property
    def strengths(self) -> tuple[str, ...]:
        """All of the game's strengths, the weakest first."""
        return (*self.weaker, STRONGEST)

    def bot(
        self,
        picture: Picture,
        rng: Rng,
        strength: str = STRONGEST,
        experience: Experience | None = None,
    ) -> Bot:
        """A bot of this strength. Where there is experience, None stands for an empty one."""
        make = self.weaker.get(strength, self.make)
        if self.experience is None:
            return make(picture, rng)
        return make(picture, rng, self.experience(None) if experience is None else experience)
