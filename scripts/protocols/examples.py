"""Messages of real play, for the protocols' pages.

In a page, `<!-- example: turn -->` above a fenced block says what the block shows; the block
itself is written here. Long lists are cut, which a `…` says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import msgspec

from parlour.games.rummy import GAME as RUMMY
from parlour.games.rummy.moves import Action, Draw, Lay, Meld
from parlour.games.rummy.rules import Rummy
from parlour.games.rummy.wire import messages as rummy_wire
from parlour.kit import Illegal
from parlour.protocol import plain
from parlour.rng import FastRng
from parlour.table import Table
from parlour.table import inputs as do
from protocols.cambia_examples import cambia

WIDTH = 96
_BLOCK = re.compile(r"(<!-- example: ([\w -]+) -->\n```json\n).*?(```)", re.DOTALL)


class NoExample(Exception):
    """A page names an example that did not occur in play."""


def fill(page: str, examples: dict[str, bytes]) -> str:
    """The page with its examples replaced by current messages."""

    def block(found: re.Match[str]) -> str:
        if found[2] not in examples:
            raise NoExample(f"there is no example called {found[2]!r}")
        return f"{found[1]}{_shown(examples[found[2]])}\n{found[3]}"

    return _BLOCK.sub(block, page)


def _shown(message: bytes) -> str:
    """JSON on one line if it fits, otherwise with one line per field."""
    return _laid_out(_cut(json.loads(message)), "", 0)


def _cut(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _cut(each) for key, each in value.items()}
    if isinstance(value, list):
        cut = [_cut(each) for each in value]
        return [*cut[:2], "…"] if len(cut) > 4 else cut
    return value


def _laid_out(value: Any, indent: str, used: int) -> str:
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + used + len(line) <= WIDTH or not isinstance(value, dict | list) or not value:
        return line
    inner = indent + "  "
    if isinstance(value, dict):
        parts = [
            f"{inner}{json.dumps(key)}: {_laid_out(each, inner, len(key) + 5)}"
            for key, each in value.items()
        ]
        return "{\n" + ",\n".join(parts) + f"\n{indent}}}"
    parts = [f"{inner}{_laid_out(each, inner, 1)}" for each in value]
    return "[\n" + ",\n".join(parts) + f"\n{indent}]"


class _Evening:
    """A table with a fixed seed, and one player's messages."""

    def __init__(self, seed: str, settings: dict[str, Any]) -> None:
        opening = do.Open(
            id="8f14e45f-ceea-467a-9575-1e2b8a3c4d5e",
            code="482913",
            game="rummy",
            seed=seed * 64,
            settings=settings,
        )
        self.table = Table(RUMMY, opening, 0)
        self.wire = RUMMY.wires[0]
        self.told: list[bytes] = []
        self.refused = b""

    def receive(self, entry: do.Input) -> None:
        roster = self.table.roster
        try:
            happened = self.table.receive(entry, 0)
        except Illegal as no:
            self.refused = self.wire.codec.refuse(no.code, no.sentence)
            return
        for event in happened:
            me = roster.players[0]
            viewed = self.table.view(event, me)
            self.told += self.wire.codec.encode(viewed, roster, me)

    def seat(self, *names: str) -> None:
        for name in names:
            self.receive(do.Join(f"visitor {name}", name))

    def play(self, choose: Callable[[Rummy], Action]) -> None:
        """One round, to its end."""
        self.receive(do.Start(0))
        match = self.table.match
        assert isinstance(match, Rummy)
        while self.table.roster.running:
            player = self.table.roster.seating[match.turn]
            self.receive(do.Act(player.place, choose(match)))

    def first(self, *parts: str) -> bytes:
        """The first message with all these parts in it."""
        for message in self.told:
            if all(part in message.decode() for part in parts):
                return message
        raise NoExample(f"nothing with {parts} was told")


def _rummy() -> dict[str, bytes]:
    rng = FastRng(7)

    def at_random(match: Rummy) -> Action:
        # Prefer melding and laying to discarding, so that both occur.
        legal = match.legal(match.turn)
        down = [action for action in legal if isinstance(action, Meld | Lay)]
        return (down or legal)[rng.below(len(down or legal))]

    def by_habit(match: Rummy) -> Action:
        legal = match.legal(match.turn)
        return legal[-1] if match.drawn else legal[0]

    evening = _Evening("5", {})
    evening.seat("Ada", "Grace")
    evening.receive(do.AddBot(0))
    evening.play(at_random)
    evening.receive(do.Act(0, Draw("00")))
    looking = _Evening("6", {"allow_draw_choice": True})
    looking.seat("Ada", "Grace")
    looking.play(by_habit)
    players = [player.id for player in evening.table.roster.players]
    ids = json.loads(evening.first('"start"'))["card_ids"]
    actions: dict[str, msgspec.Struct] = {
        "join": rummy_wire.JoinAction("482 913"),
        "name": plain.NameAction("Ada"),
        "ai": rummy_wire.AiAction("add"),
        "settings": plain.SettingsAction({"hand_size": 8, "enable_jokers": True}),
        "start action": plain.StartAction(),
        "draw": rummy_wire.DrawAction(ids[-1]),
        "meld": rummy_wire.MeldAction(ids[:3]),
        "lay": rummy_wire.LayAction(0, card_id=ids[3]),
        "lay several": rummy_wire.LayAction(0, card_ids=ids[3:5]),
        "discard": rummy_wire.DiscardAction(ids[5]),
    }
    return {
        "lobby": evening.first('"lobby"', '"Grace"'),
        "start": evening.first('"start"'),
        "own card": evening.first('"move"', f'"{players[0]}"', '"face":{'),
        "hidden card": evening.first('"move"', f'"{players[1]}"', '"face":null'),
        "to discard": evening.first('"move"', '"type":"discard"'),
        "to meld": evening.first('"move"', '"type":"meld"'),
        "turn": evening.first('"turn"', '"draw"'),
        "deck card": looking.first('"turn"', '"deck_card"'),
        "redeck": looking.first('"redeck"'),
        "end": evening.first('"end"'),
        "error": evening.refused,
        **{name: msgspec.json.encode(action) for name, action in actions.items()},
    }


EXAMPLES: dict[str, Callable[[], dict[str, bytes]]] = {"rummy": _rummy, "cambia": cambia}
"""By game; the pages of other games have no examples."""
