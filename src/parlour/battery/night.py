"""One table from its opening on, with its wires, in virtual time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from parlour.battery.state import table_fingerprint
from parlour.battery.trial import MakeRng, Trial
from parlour.bus import JoinRequest
from parlour.house.audience import Attachment, Audience
from parlour.kit import Match, Millis, Picture, Seat, Story
from parlour.protocol import Game
from parlour.table import Player, Table
from parlour.table import events as tell
from parlour.table import inputs as do

START: Millis = 1_700_000_000_000
"""When every night begins."""

Letters = list[tuple[list[int], bytes]]
"""The bytes that each connection gets."""

Witness = Callable[[do.Input, tell.Happened, Letters], None]
"""Called with each input, its events and its letters."""


class Elsewhere(Exception):
    """In another world the same log leads to other events: this world is no use."""


@dataclass
class Night:
    """A table with all its inputs and all messages that were sent."""

    trial: Trial
    table: Table
    make_rng: MakeRng | None = None
    now: Millis = START
    log: list[tuple[Millis, bytes]] = field(default_factory=list)
    happened: list[tell.Happened] = field(default_factory=list)
    """By input: its events."""
    dues: list[Millis | None] = field(default_factory=list)
    """By input: when the next thing was due after it."""
    told: dict[int, list[bytes]] = field(default_factory=dict)
    """By connection: 0 to 99 are a spectator's, 100 to 199 those of place 0, and so on."""
    greeted: dict[int, list[bytes]] = field(default_factory=dict)
    """By connection: its greeting."""
    witnesses: list[Witness] = field(default_factory=list)
    audience: Audience = field(init=False)
    latest: ClassVar[Night | None] = None
    """The one that got the last input, for messages about failures."""

    def __post_init__(self) -> None:
        self.audience = Audience(self.table, lambda: self.now)
        self._connect(None)

    def receive(self, entry: do.Input) -> tell.Happened:
        """Give the table one input at the current moment; note its messages."""
        Night.latest = self
        open_seats = self.trial.game.lobby.seating.open
        if type(entry) is do.Leave and open_seats:
            self._disconnect(entry.place)
        with self.trial.dealt_by(self.make_rng):
            happened = self.table.receive(entry, self.now)
        self.log.append((self.now, do.encode(entry)))
        self.happened.append(happened)
        self.dues.append(self.table.due())
        letters: Letters = self.audience.tell(happened)  # type: ignore[assignment]
        for witness in self.witnesses:
            witness(entry, happened, letters)
        for connections, data in letters:
            for connection in connections:
                self.told.setdefault(connection, []).append(data)
        for event in happened:
            if type(event) is tell.Left and open_seats:
                self._disconnect(event.place)
        if type(entry) is do.Join:
            self._connect(self.table.roster.of_visitor(entry.visitor))
        return happened

    def _connect(self, player: Player | None) -> None:
        """Connect a player (None: a spectator) on every wire."""
        place = None if player is None else player.place
        number = 0 if place is None else 100 * (place + 1)
        for wire in self.trial.game.wires:
            visitor = f"visitor-{place}"
            request = JoinRequest(
                connection=number, game=self.trial.game.id, wire=wire.name, visitor=visitor
            )
            attachment = Attachment(request, wire, visitor, place)
            self.audience.attach(attachment)
            greeting = self.audience.greet(attachment)
            self.greeted[number] = [data for _, data in greeting if isinstance(data, bytes)]
            number += 1

    def _disconnect(self, place: int) -> None:
        for attachment in self.audience.at_place(place):
            self.audience.detach(attachment)

    @property
    def content(self) -> dict[str, bytes]:
        """Data that the rules read besides the settings, by SHA-256."""
        return {each.digest: each.data for each in self.table.roster.content.values()}

    @property
    def match(self) -> Match:
        match = self.table.match
        assert match is not None
        return match

    @property
    def seats(self) -> int:
        return len(self.table.roster.seating)

    @property
    def running(self) -> bool:
        return self.table.roster.running

    def player(self, seat: Seat | None) -> Player | None:
        return None if seat is None else self.table.roster.seating[seat]

    def viewers(self) -> list[Seat | None]:
        """A spectator, and every seat whose player is at the table."""
        roster = self.table.roster
        return [None, *(s for s, p in enumerate(roster.seating) if p in roster.players)]

    def greetings(self, seat: Seat | None, picture: Picture | None = None) -> list[bytes]:
        """The greeting of a new connection for `seat`, on every wire."""
        player = self.player(seat)
        picture = self.table.picture(player) if picture is None else picture
        story = self.table.picture(player, Story)
        roster = self.table.roster
        return [
            data
            for codec in (wire.codec for wire in self.trial.game.wires)
            for data in codec.greet(story if codec.retells else picture, roster, player, self.now)
        ]

    def heard(self, seat: Seat | None) -> list[bytes]:
        """All messages for `seat`, on every wire, in order per connection."""
        player = self.player(seat)
        who = 0 if player is None else player.place + 1
        mine = [connection for connection in sorted(self.told) if connection // 100 == who]
        return [data for c in mine for data in (*self.greeted[c], *self.told[c])]

    def shown(self, seat: Seat | None) -> tell.Happened:
        """The match so far as `seat` has seen it; its bot, if it has one, has seen the same."""
        return self.viewed(self.table.story, seat)

    def acted(self) -> list[Any]:
        """The actions of players so far."""
        entries = [do.decode(data) for _, data in self.log]
        kinds = self.table.action_types
        return [do.unpack(each.action, kinds) for each in entries if type(each) is do.Act]

    def viewed(self, happened: tell.Happened, seat: Seat | None) -> tell.Happened:
        """The match's events among these as `seat` sees them."""
        player = self.player(seat)
        events = [event for event in happened if type(event) not in tell.TABLE_EVENTS]
        viewed = [self.table.view(event, player) for event in events]
        return [event for event in viewed if event is not None]


def open_night(
    trial: Trial,
    seats: int,
    settings: Mapping[str, object],
    seed: str,
    *,
    computers: int = 0,
    witnesses: list[Witness] | None = None,
) -> Night:
    """A table with so many people and computer players, a spectator, and one match begun."""
    game = trial.game
    content = game.lobby.own_content(game.configure(game.settings(), dict(settings)))
    opening = do.Open(
        id="00000000-0000-4000-8000-000000000000",
        code="123456",
        game=game.id,
        seed=seed,
        settings=dict(settings),
        content={name: hashlib.sha256(data).hexdigest() for name, data in content.items()},
        edition=game.lobby.edition,
        keep_seats=600_000,
    )
    library = {hashlib.sha256(data).hexdigest(): data for data in content.values()}
    table = Table(game, opening, START, library.__getitem__)
    night = Night(trial, table, witnesses=witnesses or [])
    night.log.append((START, do.encode(opening)))
    for number in range(seats - computers):
        night.receive(do.Join(f"visitor-{number}", f"Guest {number + 1}", resumable=True))
    for _ in range(computers):
        night.receive(do.AddBot(do.HOUSE))
    roster = night.table.roster
    if night.trial.game.lobby.start.ready_up:
        for player in roster.people:
            night.receive(do.Ready(player.place, True))
    if not roster.running:
        night.receive(do.Start(do.HOUSE))
    return night


def again(
    night: Night,
    make_rng: MakeRng | None = None,
    *,
    upto: int | None = None,
    act: Callable[[int, object], object] | None = None,
    compare: Callable[[Night, int], None] | None = None,
) -> Night:
    """The same night folded again from its log, perhaps in another world.

    `act` may replace the action of the log's nth entry, and `compare` is called after it. Without
    it, `Elsewhere` is raised at the first entry with events of other kinds.
    """
    twin = _begun(night.trial, night.log[0], night.table.library, make_rng)
    for number, (at, data) in enumerate(night.log[1:upto], start=1):
        entry = do.decode(data)
        if act is not None and type(entry) is do.Act:
            entry.action = act(number, entry.action)
        twin.now = at
        twin.receive(entry)
        if compare is not None:
            compare(twin, number)
        elif _kinds(twin.happened[-1]) != _kinds(night.happened[number - 1]):
            raise Elsewhere
    if len(twin.log) == len(night.log):
        twin.now = night.now
    return twin


def _begun(
    trial: Trial,
    first: tuple[Millis, bytes],
    library: Callable[[str], bytes],
    make_rng: MakeRng | None = None,
) -> Night:
    """A night whose log has its first entry only."""
    opening = do.decode(first[1])
    assert isinstance(opening, do.Open)
    night = Night(trial, Table(trial.game, opening, START, library), make_rng)
    night.log.append(first)
    return night


def digests(
    game: Game, log: Sequence[tuple[Millis, bytes]], content: Mapping[str, bytes]
) -> list[str]:
    """A log folded: a digest of the messages after each input, and one of the table at the end."""
    trial = Trial(game=game, cards=lambda match: (), knows=lambda match, seat: ())
    night = _begun(trial, log[0], content.__getitem__)
    made: list[str] = []
    night.witnesses.append(lambda entry, happened, letters: made.append(_digest(letters)))
    for night.now, data in log[1:]:
        night.receive(do.decode(data))
    return [*made, _digest(table_fingerprint(night.table))]


def _digest(thing: object) -> str:
    return hashlib.sha256(repr(thing).encode()).hexdigest()


def _kinds(happened: tell.Happened) -> list[type[Any]]:
    return [type(event) for event in happened]
