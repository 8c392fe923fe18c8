"""How a game of MO looks, and what happens in it, in words."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from parlour.choices import Choices
from parlour.games.mo.analysis import hopeless, lanes
from parlour.games.mo.board import DRAW, INNER, INNERS, NUMBER, PILES, Board
from parlour.games.mo.picture import MoPicture
from parlour.games.mo.rules import Event
from parlour.games.mo.tableau import Tableau
from parlour.scenes import Scene, SeatInfo, Thing, Zone, french

ENDINGS: Final = {
    "won": "All twelve royals are defeated.",
    "too-strong": "A royal and its armour count more than 20.",
    "out-of-cards": "The draw pile is empty.",
    "no-place": "No pile takes the next card.",
    "repeated": "The same position stood there for the third time.",
}

_BY_ROWS: Final = sorted(set(PILES) - {DRAW}, key=lambda name: (name[1], name[0]))


def scene(picture: MoPicture, choices: Choices) -> Scene:
    """The draw pile, then the piles of the grid row by row."""
    tableau = picture.dealt()
    board, over = tableau.board, tableau.reason
    needs = {} if over else {lane.pile: lane.needs for lane in lanes(board)}
    piles = [
        Zone(DRAW, "Next card", "pile", _top(board.draw), more=max(len(board.draw) - 1, 0)),
        *(
            _inner(board, name) if name in INNER else _outer(board, name, needs.get(name, ""))
            for name in _BY_ROWS
        ),
    ]
    return Scene(
        viewer=picture.viewer,
        seats=[SeatInfo(0)],
        zones=[replace(p, column=ord(p.id[0]) - ord("a") + 1, row=int(p.id[1])) for p in piles],
        prompt=_prompt(tableau, picture.viewer is not None),
        awaits=[] if over else [0],
        counters={
            "moves": tableau.moves,
            "royals defeated": len(tableau.defeated),
            "rules": tableau.profile,
            "seed": tableau.seed,
        },
        targets={} if picture.viewer is None else {"play.to": _BY_ROWS},
        choices=choices,
    )


def _prompt(tableau: Tableau, own: bool) -> str:
    if tableau.reason:
        return ENDINGS[tableau.reason]
    lost = hopeless(tableau.board)
    said = f"{'Play' if own else '{0} is to play'} {_next_card(tableau)} to a pile."
    return f"{said} This can't be won any more. {lost}" if lost else said


def _inner(board: Board, name: str) -> Zone:
    pile = board.piles[NUMBER[name]]
    return Zone(name, name, "pile", _top(pile), more=max(len(pile) - 1, 0), name=name)


def _outer(board: Board, name: str, needs: str) -> Zone:
    """A royal and the armour on it, with what they count together and what would defeat them; face
    down if defeated."""
    pile, outer = board.piles[NUMBER[name]], NUMBER[name] - INNERS
    if not pile:
        return Zone(name, name, "pile", name=name)
    down = bool(board.defeated >> outer & 1)
    things = [Thing(f"card {card}", None if down else french(card)) for card in reversed(pile)]
    royal = french(board.royals[outer])
    marks = [f"{royal} defeated"] if down else [f"counts {board.totals[outer]}"]
    things[0] = replace(things[0], marks=[*marks, needs] if needs else marks)
    return Zone(name, name, "spread", things, name=name)


def _top(pile: bytes) -> list[Thing]:
    """The top card: no two cards of a game have the same face."""
    return [Thing(f"card {card}", french(card)) for card in pile[:1]]


def words(event: Event, picture: MoPicture) -> str:
    """The move that led from the picture to the event, and how the game ended with it."""
    before = picture.tableau
    if before is None or (before.seed, before.profile) != (event.seed, event.profile):
        said = f"Move {event.moves + 1}: {_next_card(event)} is to be played."
    elif event.moves < before.moves:
        said = "A move is taken back."
    else:
        said = f"{_next_card(before)} goes to {_played_to(before, event)}."
    return f"{said} {ENDINGS[event.reason]}" if event.reason else said


def _played_to(before: Tableau, after: Tableau) -> str:
    """Where the card lies that was the next one."""
    piles = zip(PILES, before.board.piles, after.board.piles, strict=False)
    return next((name for name, old, new in piles if before.next in set(new) - set(old)), "a pile")


def _next_card(tableau: Tableau) -> str:
    return "" if tableau.next is None else french(tableau.next) or ""
