"""Scenes as lines of text, in colours where the terminal has them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from msgspec.structs import replace
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from parlour.cards import RANKS, SUIT_LETTERS, SUIT_SIGNS
from parlour.choices import One
from parlour.kit import Seat
from parlour.scenes import Scene, SeatInfo, Thing, Zone

MOST_MOVES: Final = 12
"""How many sentences about what happened stand above a scene."""

_TEXT_COLOURS: Final = ("red", "yellow", "green", "blue")
"""Names of colours that a face may begin with."""
_FACE_DOWN: Final = "▒"
_WIDEST: Final = 13
"""Characters of a field of a board."""
_NARROWEST: Final = 8
"""Boards with narrower fields are not drawn: their zones are listed."""
_ORDERS: Final = ("", "suit", "rank")
"""How a hand may be sorted; the first is as it was dealt."""
_PLAIN: Final = str.maketrans(f"{SUIT_SIGNS}▒▸–…“”’", f'{SUIT_LETTERS}#>-~""\'')
"""For terminals that can't print the signs."""


class Drawing:
    """Prints scenes of one match."""

    def __init__(self, console: Console, names: Sequence[str]) -> None:
        self.console = console
        self.names = names
        self.moves: list[str] = []
        """The moves since the last scene that was printed."""
        self._scene: Scene | None = None
        """The last one."""
        self._order = ""
        """One of `_ORDERS`."""

    def say(self, line: Text | str = "", style: str = "") -> None:
        text = Text(line) if isinstance(line, str) else line
        text.plain = _printable(text.plain, self.console.encoding)
        self.console.print(text, style=style, highlight=False)

    def filled(self, text: str) -> str:
        """A text of a scene with the names of the players in it."""

        def name(found: re.Match[str]) -> str:
            seat = int(found[1])
            return self.names[seat] if seat < len(self.names) else f"player {seat + 1}"

        return re.sub(r"\{(\d{1,3})\}", name, text)

    def draw(self, scene: Scene) -> None:
        """The last moves, then the table. A terminal is cleared first, so that nothing stays
        readable that the scene does not show any more."""
        if self.console.is_terminal:
            self.console.clear()
        self.say()
        for move in self.moves[-MOST_MOVES:]:
            self.say(self.filled(move), "dim")
        self.moves.clear()
        self._scene = scene
        self.draw_table(scene)

    @property
    def sortable(self) -> bool:
        """Whether there are cards that the viewer may sort."""
        zones = () if self._scene is None else self._scene.zones
        return any(zone.sortable and len(zone.things) > 1 for zone in zones)

    def sort(self) -> None:
        """Sort them in the next order, and draw the scene again."""
        assert self._scene is not None, "only what was drawn can be sorted"
        self._order = _ORDERS[(_ORDERS.index(self._order) + 1) % len(_ORDERS)]
        self.draw(self._scene)
        self.say(f"Sorted by {self._order}." if self._order else "As they were dealt.", "dim")

    def in_order(self, zone: Zone) -> Sequence[Thing]:
        """The things in a zone as they are printed."""
        if zone.sortable and self._order:
            return sorted(zone.things, key=partial(_place, self._order))
        return zone.things

    def draw_table(self, scene: Scene) -> None:
        """The players, what lies before them and between them, and what is waited for."""
        for info in scene.seats:
            self.say(self._seat(scene, info))
        board = [zone for zone in scene.zones if zone.row]
        columns = max((zone.column for zone in board), default=0)
        width = min(_WIDEST, (self.console.width - 1) // columns - 1) if columns else 0
        if width < _NARROWEST:
            board = []
        rest = [zone for zone in scene.zones if zone not in board]
        middle = [zone for zone in rest if zone.seat is None]
        others = [zone for zone in rest if zone.seat not in (None, scene.viewer)]
        own = [zone for zone in rest if zone.seat is not None and zone.seat == scene.viewer]
        for zones in (others, middle):
            for line in self._lines(zones):
                self.say(line)
        if board:
            self._draw_board(board, width, _awaited(scene))
        for line in self._lines(own):
            self.say(line)
        counters = ", ".join(_counted(scene.counters))
        if counters:
            self.say(counters.capitalize(), "dim")
        self.say(self.filled(scene.prompt), "bold")

    def face(self, face: str | None, deck: str) -> Text:
        """A face in its colour."""
        if face is None:
            return Text(_FACE_DOWN, "dim")
        if deck == "text":
            return Text(face)
        if deck != "french":
            first = face.partition(" ")[0]
            return Text(face, f"bold {first}" if first in _TEXT_COLOURS else "bold")
        red = face[-1] in SUIT_SIGNS[:2]
        return Text(face, "bold yellow" if face == "joker" else "bold red" if red else "bold")

    def _seat(self, scene: Scene, info: SeatInfo) -> Text:
        """ "▸ Ada: score 3, judge" """
        awaited = info.seat in scene.awaits
        line = Text().append("▸ " if awaited else "  ", "bold green")
        line.append(self._name(info.seat), "bold" if info.seat == scene.viewer else "cyan")
        told = ", ".join([*_counted(info.counters), *info.marks])
        return line.append(f": {told}") if told else line

    def _name(self, seat: Seat) -> str:
        return self.filled(f"{{{seat}}}")

    def _draw_board(self, board: Sequence[Zone], width: int, awaited: set[str]) -> None:
        """Zones as fields of a grid, with their names in brackets if a thing may go there. What is
        too long for a field stands below."""
        grid = Table(box=box.ROUNDED, show_header=False, show_lines=True, padding=0)
        fields = {(zone.row, zone.column): zone for zone in board}
        columns = range(1, max(zone.column for zone in board) + 1)
        for _ in columns:
            grid.add_column(justify="center", width=width)
        for row in range(1, max(zone.row for zone in board) + 1):
            zones = [fields.get((row, column)) for column in columns]
            grid.add_row(*(self._field(zone, width, awaited) if zone else "" for zone in zones))
        self.console.print(grid, highlight=False)
        for zone in board:
            long = [mark for thing in zone.things for mark in thing.marks if len(mark) > width]
            if long:
                line = Text(f"{self.filled(zone.label)} ", "cyan")
                shown = [self.face(thing.face, zone.deck) for thing in zone.things]
                self.say(line.append_text(Text(" ").join(shown)).append(f"  {', '.join(long)}"))

    def _field(self, zone: Zone, width: int, awaited: set[str]) -> Text:
        label, marked = self.filled(zone.label), zone.id in awaited
        text = Text(f"[{label}]" if marked else label, "bold green" if marked else "dim")
        told = [self.face(thing.face, zone.deck) for thing in zone.things]
        if len(told) > 1 and all(thing.face is None for thing in zone.things):
            told = [Text(f"{len(told)} ").append_text(told[0])]
        marks = [mark for thing in zone.things for mark in thing.marks if len(mark) <= width]
        told += [Text(mark, "magenta") for mark in marks]
        told += [Text(f"+{zone.more}", "dim")] if zone.more else []
        field = text.append("\n").append_text(Text(" ").join(told) if told else Text("–", "dim"))
        field.plain = _printable(field.plain, self.console.encoding)
        return field

    def _lines(self, zones: Iterable[Zone]) -> Iterator[Text]:
        """A line for each zone; several piles share one."""
        piles: list[Text] = []
        for zone in zones:
            if zone.look == "pile" and len(zone.things) <= 1:
                piles.append(self._zone(zone))
                if sum(len(pile) + 4 for pile in piles) > self.console.width:
                    last = piles.pop()
                    yield Text("    ").join(piles)
                    piles = [last]
                continue
            if piles:
                yield Text("    ").join(piles)
                piles = []
            yield from self._text_zone(zone) if zone.deck == "text" else [self._zone(zone)]
        if piles:
            yield Text("    ").join(piles)

    def _zone(self, zone: Zone) -> Text:
        """ "Ada's hand: 5 ▒", "Discards: 7♥ (12 more)" """
        line = Text().append(f"{self.filled(zone.label)}: ", "cyan")
        columns = zone.columns if zone.look == "grid" else 0
        zone = replace(zone, things=self.in_order(zone))
        shown = [self._thing(thing, zone) for thing in zone.things]
        if len(shown) > 1 and all(thing.face is None for thing in zone.things):
            line.append(f"{len(shown)} ").append_text(self.face(None, zone.deck))
        elif columns:
            rows = [shown[at : at + columns] for at in range(0, len(shown), columns)]
            line.append("\n").append_text(Text("\n").join(Text("  ").join(row) for row in rows))
        else:
            between = ", " if any(" " in text.plain for text in shown) else " "
            line.append_text(Text(between).join(shown))
        if zone.more:
            line.append(f" ({zone.more} more)" if shown else str(zone.more), "dim" if shown else "")
        return line if shown or zone.more else line.append("–", "dim")

    def _text_zone(self, zone: Zone) -> Iterator[Text]:
        """Texts below each other, as they are longer than cards."""
        if len(zone.things) == 1:
            yield self._zone(zone)
            return
        yield Text(f"{self.filled(zone.label)}:", "cyan")
        for thing in zone.things:
            yield Text("  ").append_text(self._thing(thing, zone))

    def _thing(self, thing: Thing, zone: Zone) -> Text:
        """A thing, with what is said of it."""
        return Text(" ").join([self.face(thing.face, zone.deck), *map(_mark, thing.marks)])


def _place(order: str, thing: Thing) -> tuple[object, ...]:
    """Where a thing belongs in an order of a hand. Cards of other decks than the French one begin
    with what is here the suit: "red 7"."""
    face = thing.face or ""
    suit, rank = face[-1:], face[:-1]
    if suit in SUIT_SIGNS and rank in RANKS:
        ranked: tuple[object, ...] = (SUIT_SIGNS.index(suit), RANKS.index(rank))
    else:
        first, _, last = face.partition(" ")
        ranked = (len(SUIT_SIGNS), first, len(last), last)
    return ranked if order == "suit" else (ranked[1:], ranked[0])


def _awaited(scene: Scene) -> set[str]:
    """The zones by which a choice that the table waits for can be made."""
    found: set[str] = set()
    for choice in scene.choices:
        for field, domain in choice.fields.items():
            if not choice.optional and isinstance(domain, One):
                at = scene.targets.get(f"{choice.action}.{field}", ())
                found |= {z.id for z in scene.zones if z.id in at and z.name in domain.of}
    return found


def _printable(text: str, encoding: str) -> str:
    """The text in characters that the terminal has, each in the place of one."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        plain = text.translate(_PLAIN)
        return plain.encode(encoding, "replace").decode(encoding)
    return text


def _counted(counters: Mapping[str, int | str]) -> list[str]:
    return [f"{what} {count}" for what, count in counters.items()]


def _mark(mark: str) -> Text:
    return Text(f"({mark})", "magenta")
