"""Scenes as lines of text, in colours where the terminal has them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from parlour.cards import SUIT_LETTERS, SUIT_SIGNS
from parlour.kit import Seat
from parlour.scenes import Scene, SeatInfo, Thing, Zone

MOST_MOVES: Final = 12
"""How many sentences about what happened stand above a scene."""

_TEXT_COLOURS: Final = ("red", "yellow", "green", "blue")
"""Names of colours that a face may begin with."""
_FACE_DOWN: Final = "▒"
_PLAIN: Final = str.maketrans(f"{SUIT_SIGNS}▒▸–…“”’", f'{SUIT_LETTERS}#>-~""\'')
"""For terminals that can't print the signs."""


class Drawing:
    """Prints scenes of one match."""

    def __init__(self, console: Console, names: Sequence[str]) -> None:
        self.console = console
        self.names = names
        self.moves: list[str] = []
        """What has happened since the last scene that was printed."""

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
        self.draw_table(scene)

    def draw_table(self, scene: Scene) -> None:
        """The players, what lies before them and between them, and what is waited for."""
        for info in scene.seats:
            self.say(self._seat(scene, info))
        middle = [zone for zone in scene.zones if zone.seat is None]
        others = [zone for zone in scene.zones if zone.seat not in (None, scene.viewer)]
        own = [zone for zone in scene.zones if zone.seat is not None and zone.seat == scene.viewer]
        for zones in (others, middle, own):
            for line in self._lines(zones):
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
