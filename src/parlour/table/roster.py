"""The roster: the players of a table, and everything else about it that is public."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Generic, final

from parlour.kit import Illegal, Millis, S, Seat
from parlour.table.series import Series

MOST_BANNED = 200


class Stage(Enum):
    """The phase of a table."""

    WAITING = "waiting"
    PLAYING = "playing"
    CLOSED = "closed"


@dataclass(slots=True)
class Player:
    """Somebody with a place at the table: a person, or a bot."""

    place: int
    id: str
    name: str
    visitor: str | None
    """The person's session; None: a bot."""
    resumable: bool = False
    present: bool = True
    gone: bool = False
    """The others no longer wait for them: the rules know that they are away, and a match may start
    without them. Their seat is kept until `until`."""
    missed_at: Millis | None = None
    """While away between matches: when they will be waited for no longer."""
    until: Millis | None = None
    """While away: how long the place is kept."""
    against: tuple[int, ...] = ()
    """The places of those who want to go on without them."""
    ready: bool = False
    seat: Seat | None = None
    """The seat in the match under way."""
    key: str = field(default="", repr=False)
    """A secret that proves to be this player, for its client alone; "": its protocol has none."""
    wire: str = ""
    """The protocol its client speaks."""
    address: str = field(default="", repr=False)
    """A hash of the network address it came from, different at every table."""
    language: str = ""
    """The language of its person (BCP 47), if its client names one."""
    said: tuple[Millis, ...] = ()
    """When they last said something."""
    strength: str = ""
    """How well a bot plays; "": as well as it can."""
    stand_in: bool = False
    """While away: a bot plays for them."""
    unhurried: bool = False
    """They have asked for longer timers."""

    @property
    def human(self) -> bool:
        return self.visitor is not None

    @property
    def played_by_bot(self) -> bool:
        return not self.human or self.stand_in


def _in_any_case(name: str) -> tuple[str]:
    return (name.casefold(),)


def is_called(name: str, asked: str) -> bool:
    """Whether somebody who asked for one name may have got the other (`Roster.free_name`)."""
    stem, _, number = name.rpartition(" ")
    return name == asked or (stem == asked and number.isdecimal())


@dataclass(slots=True)
class Waiter:
    """Somebody who watches and waits for a seat. The fields are those of `inputs.Queue`."""

    visitor: str
    name: str
    wire: str = ""
    address: str = field(default="", repr=False)
    language: str = ""
    until: Millis | None = None
    """While away: how long the place in the queue is kept; it takes no seat meanwhile."""


@final
class Content:
    """Something that rules read besides the settings (a card pack), known by its SHA-256.

    Between nodes only the hash is sent: a node that does not run the table has no bytes of it.
    """

    __slots__ = ("_data", "digest")

    def __init__(self, digest: str, data: bytes | None = None) -> None:
        self.digest = digest
        self._data = data

    @property
    def here(self) -> bool:
        """Whether this process has the bytes."""
        return self._data is not None

    @property
    def data(self) -> bytes:
        if self._data is None:
            raise LookupError(f"the bytes of content {self.digest} are not here")
        return self._data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Content) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


@dataclass(slots=True)
class Roster(Generic[S]):
    """The public face of a table. Wires read it; only the table writes it."""

    id: str
    code: str
    game: str
    public: bool
    settings: S
    opened: Millis
    min_seats: int
    max_seats: int
    opener: str | None = None
    """The visitor who had it opened; None: it is a table of the house's own."""
    edition: int = 1
    """Of the rules that it was opened with (`inputs.Open`)."""
    invited: list[str] = field(default_factory=list)
    """Visitors who are shown this table in their list, the last one invited last."""
    banned: list[str] = field(default_factory=list)
    """Those who may not come back, the latest last: visitors, players' keys, and addresses as
    they are written in `Player.address`."""
    locked: bool = False
    """Nobody else may sit down."""
    content: Mapping[str, Content] = field(default_factory=dict, repr=False)
    """Content that the rules read besides the settings (card packs), by name."""
    brought: dict[str, bool] = field(default_factory=dict)
    """By name, content that people brought to this table: whether other tables may use it."""
    players: list[Player] = field(default_factory=list)
    queue: list[Waiter] = field(default_factory=list)
    """Spectators who wait for a seat, the first one first."""
    series: Series = field(default_factory=Series)
    """The points of the matches so far, or how many each has won (`Lobby.most_points`)."""
    round: int = 0
    """How many matches have begun here."""
    stage: Stage = Stage.WAITING
    seating: list[Player] = field(default_factory=list)
    """The players by seat of the match under way, or of the last one."""
    match_ids: list[str] = field(default_factory=list)
    """One UUID per match dealt here, in order."""
    just_over: bool = False
    """A match has ended, and nothing about the lobby has changed since."""
    countdown: Millis | None = None
    keep_seats: Millis = 0
    """How long seats are kept at this house (`Open.keep_seats`)."""
    ended_by: str = ""
    """The name of the player whose leaving ended the last match; "": it was played to its end."""
    commitment: str = ""
    """The hash of the seed, published before the first card of the match."""

    def copy(self) -> Roster[S]:
        """As it is now: for answers that wait for a commit while the table goes on."""
        twins = {id(p): replace(p) for p in (*self.players, *self.seating)}
        return replace(
            self,
            invited=self.invited[:],
            banned=self.banned[:],
            brought=dict(self.brought),
            players=[twins[id(p)] for p in self.players],
            seating=[twins[id(p)] for p in self.seating],
            match_ids=self.match_ids[:],
            queue=[replace(w) for w in self.queue],
            series=self.series.copy(),
        )

    @property
    def running(self) -> bool:
        """Whether a match is under way."""
        return self.stage is Stage.PLAYING

    @property
    def matches_over(self) -> int:
        """How many matches have come to their end here."""
        return self.round - self.running

    def at(self, place: int) -> Player | None:
        for player in self.players:
            if player.place == place:
                return player
        return None

    def ban(self, *marks: str | None) -> None:
        """Never again let in anybody who is known by one of these."""
        self.banned = [*self.banned, *filter(None, marks)][-MOST_BANNED:]

    def check_not_banned(self, *marks: str | None) -> None:
        """Refuse somebody who was banned, by any mark they are known by."""
        if any(mark and mark in self.banned for mark in marks):
            raise Illegal("banned", "You were put out of this table.")

    @property
    def match_id(self) -> str:
        """The match under way, or the last one; "" before the first."""
        return self.match_ids[-1] if self.match_ids else ""

    def of_visitor(self, visitor: str) -> Player | None:
        for player in self.players:
            if player.visitor == visitor:
                return player
        return None

    def waiter(self, visitor: str) -> Waiter | None:
        """The place in the queue of this visitor."""
        for waiter in self.queue:
            if waiter.visitor == visitor:
                return waiter
        return None

    @property
    def people(self) -> list[Player]:
        return [p for p in self.players if p.visitor is not None]

    @property
    def bots(self) -> list[Player]:
        return [p for p in self.players if p.visitor is None]

    @property
    def host(self) -> Player | None:
        """The host, at a table that one person runs: see `host_among`."""
        return self.host_among(self.people)

    def host_among(self, people: list[Player]) -> Player | None:
        """The table's opener or, while the others do not wait for the opener, the person among
        them who came first."""
        here = [p for p in people if not p.gone]
        for player in here:
            if player.visitor == self.opener:
                return player
        return here[0] if here else None

    def free_name(
        self,
        name: str,
        apart: Player | None = None,
        longest: int = 20,
        reads: Callable[[str], Collection[str]] = _in_any_case,
        held: Callable[[str], bool] = lambda name: False,
    ) -> str:
        """`name`, with a number behind it if another player has it, or an account (`held`).

        `reads`: all strings that a name can be read as; by default the name without its case.
        """
        taken = {read for p in self.players if p is not apart for read in reads(p.name)}
        if taken.isdisjoint(reads(name)) and not held(name):
            return name
        number = 2
        while True:
            tail = f" {number}"
            # The number may not push the name past the length that was just checked.
            candidate = name[: longest - len(tail)].rstrip() + tail
            if taken.isdisjoint(reads(candidate)) and not held(candidate):
                return candidate
            number += 1
