"""One viewer's view, as data: seats, zones, things, a prompt, and where choices are performed.

A game's `scene(picture, choices)` is pure and knows no more than the picture does. Pages,
terminals, replays and screen readers are made from it. Pictures know no names of players, so texts
say `{0}` for the player at seat 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from parlour.cards import RANKS, SUIT_SIGNS, Face, rank_of, suit_of
from parlour.choices import Choice, One, Some, Value
from parlour.kit import E, Millis, Picture, Seat
from parlour.turns import Dealt, Turn

VERSION = 1
"""Of the format; raised when a client of the one before could not read it."""

Look: TypeAlias = Literal["hand", "pile", "row", "spread", "grid", "dice", "text"]


class Thing(msgspec.Struct, frozen=True, omit_defaults=True):
    """A card, a die, a token, a text."""

    id: str
    """This viewer's name for it, kept for as long as they can follow it with their eyes."""
    face: str | None = None
    """A code of the zone's deck, or the text itself; None: it lies face down."""
    name: Value = None
    """Its name in actions, if that is not its id."""
    marks: Sequence[str] = ()
    """Said of it and drawn on it: "just drawn", "locked"."""


class Zone(msgspec.Struct, frozen=True, omit_defaults=True):
    """A place where things lie in order; the top of a pile is its last."""

    id: str
    label: str
    look: Look
    things: Sequence[Thing] = ()
    seat: Seat | None = None
    """Whose it is; None: it lies in the middle."""
    more: int = 0
    """Things below these that are not told one by one."""
    deck: str = "french"
    """The kind of its faces: cards as `french` writes them ("french"), numbers of a die ("dice"),
    texts ("text"), or cards of another deck. A client that can't draw a deck writes its faces."""
    columns: int = 0
    """Of a grid."""
    row: int = 0
    """Where the zone itself lies on a board, with its `column`: both count from 1. 0: on none."""
    column: int = 0
    name: Value = None
    """The zone's own name in actions that name it: a meld, a column."""
    sortable: bool = False
    """Whether its viewer may see it in an order of their own: it changes nothing."""


class SeatInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """Somebody in the match."""

    seat: Seat
    counters: Mapping[str, int | str] = {}
    marks: Sequence[str] = ()


class Scene(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """All that there is to see, and where choices are performed."""

    viewer: Seat | None
    seats: Sequence[SeatInfo]
    zones: Sequence[Zone]
    prompt: str
    """A sentence: the next thing to do, or the reason for waiting."""
    awaits: Sequence[Seat] = ()
    """The seats whose players are waited for."""
    counters: Mapping[str, int | str] = {}
    deadline: Millis | None = None
    targets: Mapping[str, Sequence[str]] = {}
    """By action ("draw") or field ("play.index"), the zones where it is performed. A value of the
    field is the name of a thing there, or of the zone. Others are buttons, or a form."""
    choices: Sequence[Choice] = ()
    version: int = VERSION


def french(face: Face | None) -> str | None:
    """How a French card is written in a scene: `10♥`, `A♠`, `joker`. None: it lies face down."""
    if face is None or face < 0:
        return None
    return "joker" if face >= 52 else RANKS[rank_of(face)] + SUIT_SIGNS[suit_of(face)]


class Tracked(NamedTuple):
    """A thing that a viewer follows with their eyes."""

    id: str
    face: int | None
    """A card's face or a die's number; None: it lies face down."""


class Track:
    """The position of every thing, for games whose events give things no ids. A picture reports
    each movement that its viewer saw.

    Ids are counted in that order, so they reveal nothing else.
    """

    def __init__(self) -> None:
        self.zones: dict[str, list[Tracked]] = {}
        self._count = 0

    def lay(self, zone: str, faces: Sequence[int | None]) -> None:
        """New things in a zone: after a deal, a shuffle or a roll, nobody can follow old ones."""
        self.zones[zone] = [Tracked(self._new(), face) for face in faces]

    def move(self, source: str, target: str, face: int | None, at: int | None = None) -> None:
        """A thing goes from one zone to the end of another, and shows `face` there.

        It is the thing at `at`, or the one with this face, or the last one whose face is unknown.
        From a zone where nothing lies comes a new thing.
        """
        lying = self.zones.get(source, [])
        if at is None:
            faces = [each.face for each in lying]
            wanted = face if face in faces else None
            at = max((i for i, each in enumerate(faces) if each == wanted), default=-1)
        thing = lying.pop(at).id if lying else self._new()
        self.zones.setdefault(target, []).append(Tracked(thing, face))

    def show(self, zone: str, faces: Sequence[int | None]) -> None:
        """The things in a zone are turned face up or face down; they keep their ids."""
        lying = self.zones[zone]
        self.zones[zone] = [Tracked(each.id, face) for each, face in zip(lying, faces, strict=True)]

    def _new(self) -> str:
        self._count += 1
        return f"t{self._count}"


class Tabletop(Picture[E], Track):
    """A picture that is a track, for games with French cards.

    Subclasses write `see` for the game's own events, and call `super().see(event)`.
    """

    def __init__(self, viewer: Seat | None) -> None:
        Picture.__init__(self, viewer)
        Track.__init__(self)
        self.players = 0
        self.turn: Seat = 0

    def see(self, event: E) -> None:
        if isinstance(event, Dealt):
            self.players = max(self.players, event.seat + 1)
            self.lay(f"hand {event.seat}", event.hand)
        elif isinstance(event, Turn):
            self.turn = event.seat

    def known(self, zone: str) -> list[int]:
        """The faces in a zone that the viewer knows."""
        return [each.face for each in self.zones.get(zone, ()) if each.face is not None]

    @property
    def hand(self) -> list[Face]:
        """The viewer's own cards: the zone `hand 0` for the viewer at seat 0."""
        return self.known(f"hand {self.viewer}")

    # For scenes

    def things(self, zone: str, names: Literal["", "position", "face"] = "") -> list[Thing]:
        """Cards in a zone; `names` is what actions call them by."""
        return [
            Thing(each.id, french(each.face), {"position": at, "face": each.face}.get(names))
            for at, each in enumerate(self.zones.get(zone, ()))
        ]

    def seats(self, **counters: Sequence[int | str]) -> list[SeatInfo]:
        """The players, with a value of each counter by seat; an empty list: it has none yet."""
        return [
            SeatInfo(seat, {name: values[seat] for name, values in counters.items() if values})
            for seat in range(self.players)
        ]

    def pile(self, zone: str, label: str) -> Zone:
        """A pile of cards, of which only the top one is seen."""
        things = self.things(zone)
        return Zone(zone, label, "pile", things[-1:], more=max(len(things) - 1, 0))

    def hands(self, names: Literal["", "position", "face"] = "") -> list[Zone]:
        """`hand 0`, `hand 1` and so on, each before its seat."""
        found: list[Zone] = []
        for seat in range(self.players):
            zone, label = f"hand {seat}", self.whose(seat, "hand")
            found.append(Zone(zone, label, "hand", self.things(zone, names), seat))
        return found

    @property
    def waiting(self) -> str:
        """As a prompt: "It is {1}'s turn."."""
        return f"It is {{{self.turn}}}'s turn."

    def own(self, what: str) -> list[str]:
        """As a target: the zone `hand 1` for the viewer at seat 1, and none for a spectator."""
        return [] if self.viewer is None else [f"{what} {self.viewer}"]

    def whose(self, seat: Seat, what: str) -> str:
        """As a label: "Your hand", or "{1}'s hand"."""
        return f"Your {what}" if seat == self.viewer else f"{{{seat}}}'s {what}"


# Checking


def faults(scene: Scene) -> Iterator[str]:
    """The mistakes in a scene, as sentences. The battery fails on any."""
    zones = {zone.id: zone for zone in scene.zones}
    if len(zones) < len(scene.zones):
        yield "two zones have the same id"
    things = [thing.id for zone in scene.zones for thing in zone.things]
    for thing in {each for each in things if things.count(each) > 1}:
        yield f"the thing {thing} lies in two places"
    seats = {each.seat for each in scene.seats}
    for seat in (*scene.awaits, *(zone.seat for zone in scene.zones)):
        if seat is not None and seat not in seats:
            yield f"there is no seat {seat}"
    for target, at in scene.targets.items():
        for zone in at:
            if zone not in zones:
                yield f"{target} is performed at {zone}, which is no zone"
    for choice in scene.choices:
        for field, domain in choice.fields.items():
            there = [zones[each] for each in _targets(scene, choice, field) if each in zones]
            if there and isinstance(domain, One | Some):
                names = {zone.name for zone in there}
                names |= {named(thing) for zone in there for thing in zone.things}
                for value in domain.of:
                    if value not in names:
                        yield f"{choice.action}.{field} may be {value!r}, which is nothing there"
                zone_of = {each.name: each for each in there}
                for each in there:
                    for name in map(named, each.things):
                        if name in domain.of and zone_of.get(name, each) is not each:
                            yield f"{name!r} is a zone and a thing in the zone {each.id}"


def named(thing: Thing) -> Value:
    """The name of a thing in actions."""
    return thing.id if thing.name is None else thing.name


def _targets(scene: Scene, choice: Choice, field: str) -> Sequence[str]:
    return scene.targets.get(f"{choice.action}.{field}", ())


def changes(old: Scene, new: Scene) -> tuple[dict[str, object], list[Zone], list[str]]:
    """The difference for a viewer of `old`: the fields that differ, the zones that differ, and, if
    any zone does, the ids of all of them in their order."""
    fields = {
        field: getattr(new, field)
        for field in Scene.__struct_fields__
        if field != "zones" and getattr(new, field) != getattr(old, field)
    }
    if new.zones == old.zones:
        return fields, [], []
    before = {zone.id: zone for zone in old.zones}
    zones = [zone for zone in new.zones if before.get(zone.id) != zone]
    return fields, zones, [zone.id for zone in new.zones]


def changed(
    old: Scene, fields: Mapping[str, object], zones: Sequence[Zone], order: Sequence[str]
) -> Scene:
    """The scene that `changes` led to."""
    new: Scene = msgspec.structs.replace(old, **fields)
    if not order:
        return new
    known = {zone.id: zone for zone in (*old.zones, *zones)}
    return msgspec.structs.replace(new, zones=[known[each] for each in order])
