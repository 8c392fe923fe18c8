"""What goes to whom: the same view is encoded once, and never sent to anybody else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import msgspec

from parlour.house import audience as audience_module
from parlour.house.audience import Audience
from parlour.kit import Seat
from parlour.marks import PartlySecret, Private
from parlour.protocol import Manner, Wire
from parlour.table import Player, Roster, Table
from parlour.table import events as tell
from parlour.table import inputs as do
from tests import highcard
from tests.support import attached


def fresh_view(event: highcard.Event, seat: Seat | None) -> highcard.Event:
    """What the usual view shows, but as an object nobody else has."""
    return replace(highcard.view(event, seat))


def told(view: Any) -> dict[int, list[bytes]]:
    """What each of six connections hears of a deal: four players', a spectator's, a twin's."""
    opening = do.Open(id="t", code="1", game="high", seed="5e" * 32, settings={})
    table = Table(replace(highcard.GAME, view=view), opening, 0)
    wire = highcard.WIRE
    audience = Audience(table, lambda: 0)
    for place in range(4):
        table.receive(do.Join(f"v{place}", "Ada"), 0)
        audience.attach(attached(place, wire, f"v{place}", place))
    audience.attach(attached(4, wire, "v4", None))
    audience.attach(attached(5, wire, "v0", 0))
    heard: dict[int, list[bytes]] = {line: [] for line in range(6)}
    for lines, data in audience.tell(table.receive(do.Start(0), 0)):
        for line in lines:
            heard[line].append(data)
    return heard


def test_a_view_made_for_one_reaches_nobody_else() -> None:
    assert told(fresh_view) == told(highcard.view)


def test_everybody_hears_their_own_cards_and_no_others() -> None:
    heard = told(highcard.view)
    for line, seat in ((0, 0), (1, 1), (2, 2), (3, 3), (4, None), (5, 0)):
        hidden = [b"[-1,-1,-1]" in data for data in heard[line] if b"dealt" in data]
        assert hidden == [at != seat for at in range(4)]


def test_what_looks_the_same_is_encoded_once() -> None:
    heard = told(highcard.view)
    first_hand = [heard[line][0] for line in range(6)]
    assert len({id(data) for data in first_hand}) == 2


@dataclass(slots=True)
class Whispered(Private):
    """Something for one seat alone."""

    seat: Seat


class WhisperCodec(highcard.HighCodec):
    def encode(self, event: Any, roster: Roster, me: Player | None) -> Sequence[bytes]:
        assert isinstance(event, Whispered)
        assert me is not None
        return [b"for %d" % event.seat]


def test_a_private_event_is_viewed_for_its_seat_alone() -> None:
    asked: list[Seat | None] = []

    def view(event: Any, seat: Seat | None) -> Any:
        asked.append(seat)
        return None if isinstance(event, Whispered) and event.seat != seat else event

    opening = do.Open(id="t", code="1", game="high", seed="5e" * 32, settings={})
    table = Table(replace(highcard.GAME, view=view), opening, 0)
    audience = Audience(table, lambda: 0)
    wire = replace(highcard.WIRE, codec=WhisperCodec())
    for place in range(4):
        table.receive(do.Join(f"v{place}", "Ada"), 0)
        audience.attach(attached(place, wire, f"v{place}", place))
    audience.attach(attached(4, wire, "v4", None))
    audience.attach(attached(5, wire, "v2", 2))
    table.receive(do.Start(0), 0)
    asked.clear()
    assert audience.tell([Whispered(2)]) == [([2, 5], b"for 2")]
    assert asked == [2]


@dataclass(slots=True)
class Shown(PartlySecret):
    """Something of which one seat is shown more."""

    seat: Seat
    secret: bool = True


class ShownCodec(highcard.HighCodec):
    def encode(self, event: Any, roster: Roster, me: Player | None) -> Sequence[bytes]:
        return [b"secret" if event.secret else b"public"]


def test_a_partly_secret_event_is_viewed_for_its_seat_and_for_spectators_alone() -> None:
    asked: list[Seat | None] = []
    public = Shown(2, secret=False)

    def view(event: Any, seat: Seat | None) -> Any:
        asked.append(seat)
        return event if not isinstance(event, Shown) or event.seat == seat else public

    opening = do.Open(id="t", code="1", game="high", seed="5e" * 32, settings={})
    table = Table(replace(highcard.GAME, view=view), opening, 0)
    audience = Audience(table, lambda: 0)
    wire = replace(highcard.WIRE, codec=ShownCodec())
    for place in range(4):
        table.receive(do.Join(f"v{place}", "Ada"), 0)
        audience.attach(attached(place, wire, f"v{place}", place))
    audience.attach(attached(4, wire, "v4", None))
    audience.attach(attached(5, wire, "v2", 2))
    table.receive(do.Start(0), 0)
    asked.clear()
    assert audience.tell([Shown(2)]) == [([2, 5], b"secret"), ([0, 1, 3, 4], b"public")]
    assert asked == [None, 2]


class CountedWire(Wire):
    """Counts how often connections are sorted by their wire."""

    sorted = 0

    def __hash__(self) -> int:
        CountedWire.sorted += 1
        return id(self)


def test_connections_are_grouped_only_when_something_is_told() -> None:
    opening = do.Open(id="t", code="1", game="high", seed="5e" * 32, settings={})
    table = Table(highcard.GAME, opening, 0)
    table.receive(do.Join("v0", "Ada"), 0)
    audience = Audience(table, lambda: 0)
    usual = highcard.WIRE
    wire = CountedWire(**{each.name: getattr(usual, each.name) for each in fields(usual)})
    CountedWire.sorted = 0
    audience.attach(attached(0, wire, "v0", 0))
    watching = [attached(number, wire, f"v{number}", None) for number in range(1, 51)]
    for attachment in watching:
        audience.attach(attachment)
    assert CountedWire.sorted == 0

    def told() -> set[int]:
        CountedWire.sorted = 0
        letters = audience.tell([tell.LobbyChanged()])
        return {connection for connections, _ in letters for connection in connections}

    assert told() == set(range(51))
    # A dictionary in compiled code hashes a new key twice.
    again = not str(audience_module.__file__).endswith(".py")
    assert CountedWire.sorted == 51 + again
    assert told() == set(range(51))
    assert CountedWire.sorted == 0
    for attachment in watching:
        audience.detach(attachment)
    assert CountedWire.sorted == 0
    assert told() == {0}
    assert CountedWire.sorted == 1 + again


class SnapshotCodec(highcard.HighCodec):
    """Tells how the match stands: instead of a trick that is taken, and after a card is laid."""

    def manner(self, event: Any) -> Manner:
        if isinstance(event, highcard.Taken):
            return Manner.SNAPSHOT
        return Manner.FOLLOWED if isinstance(event, highcard.Laid) else Manner.SHARED

    def snapshot(
        self,
        event: Any,
        picture: highcard.HighPicture,
        roster: Roster,
        me: Player | None,
        now: int,
    ) -> Sequence[bytes]:
        stands = {
            "type": "snapshot" if event is None else f"snapshot of {type(event).__name__}",
            "me": None if me is None else me.seat,
            "sees": picture.viewer,
            "shown": len(picture.shown),
            "code": roster.code,
            "now": now,
        }
        return [msgspec.json.encode(stands)]


def secretive_view(event: highcard.Event, seat: Seat | None) -> highcard.Event | None:
    """Nobody hears of others' cards, and the first seat of no trick."""
    hidden = isinstance(event, highcard.Laid) and event.seat != seat
    return None if hidden or (isinstance(event, highcard.Taken) and seat == 0) else event


def test_snapshots_are_told_to_those_who_heard_and_to_each_their_own() -> None:
    opening = do.Open(id="t", code="1", game="high", seed="5e" * 32, settings={"tricks": 2})
    table = Table(replace(highcard.GAME, view=secretive_view), opening, 0)
    audience = Audience(table, lambda: 7)
    wire = replace(highcard.WIRE, codec=SnapshotCodec())
    for place in range(2):
        table.receive(do.Join(f"v{place}", "Ada"), 0)
        audience.attach(attached(place, wire, f"v{place}", place, extras="story"))
    audience.attach(attached(2, wire, "v2", None, extras="story"))
    table.receive(do.Start(0), 0)
    match = table.match
    assert match is not None
    heard: dict[int, list[Any]] = {line: [] for line in range(3)}
    for seat in range(2):
        for lines, data in audience.tell(table.receive(do.Act(seat, match.legal(seat)[0]), 7)):
            assert isinstance(data, bytes)
            for line in lines:
                heard[line].append(msgspec.json.decode(data))
    assert [[event["type"] for event in heard[line]] for line in range(3)] == [
        ["laid", "snapshot"],
        ["laid", "snapshot of Taken", "snapshot"],
        ["snapshot of Taken"],
    ]
    shown = {0: 3, 1: 4, 2: 3}
    for line, viewer in ((0, 0), (1, 1), (2, None)):
        for event in heard[line]:
            if event["type"].startswith("snapshot"):
                told = [event[field] for field in ("me", "sees", "shown", "code", "now")]
                assert told == [viewer, viewer, shown[line], "1", 7]
    # Told again from its beginning, a match is the same without how it stood meanwhile.
    for line, kinds in ((0, ["laid"]), (1, ["laid"]), (2, [])):
        *_, (_, story) = audience.greet(audience.attachments[line])
        assert isinstance(story, bytes)
        events = msgspec.json.decode(story)["events"]
        assert [event["type"] for event in events] == ["dealt", "dealt", *kinds]
