"""A way to win a deal of MO, printed: `parlour mo solve`."""

from __future__ import annotations

from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from parlour.cards import RANKS, RED_JOKER, SUIT_LETTERS, SUIT_SIGNS, Face, is_red
from parlour.games.mo.board import PILES, SUIT, VALUE
from parlour.games.mo.rules import opening
from parlour.games.mo.settings import Profile
from parlour.games.mo.solver import WIDTHS, solve

SIGNS: Final = f"{SUIT_SIGNS}★"
"""The suits, and a joker."""
PLAIN_SIGNS: Final = f"{SUIT_LETTERS}*"
"""The same for a terminal that can't print the others."""


def short(card: Face, signs: str = SIGNS) -> str:
    """ "10♥", "K♣"; "★" is a joker."""
    if card >= RED_JOKER:
        return signs[4]
    return RANKS[VALUE[card]] + signs[SUIT[card]]


def _signs(console: Console) -> str:
    return SIGNS if console.encoding.startswith("utf") else PLAIN_SIGNS


def _face(card: Face, signs: str) -> Text:
    if card >= RED_JOKER:
        return Text(short(card, signs), "bold yellow")
    return Text(short(card, signs), "bold red" if is_red(card) else "bold")


def show_solution(console: Console, seed: str, profile: Profile = "classic") -> bool:
    """Solve a deal with its order known, and print the line; False when none was found."""
    board = opening(seed, profile)
    found = solve(board)
    if found.line is None:
        console.print(
            f"No way to win deal {seed} ({profile}) was found; beams up to {WIDTHS[-1]} wide "
            "were tried.",
            style="yellow",
            highlight=False,
        )
        return False
    table = Table(box=box.SIMPLE, title=f"Deal {seed} ({profile})")
    signs = _signs(console)
    for name in ("move", "card", "to", "what happens"):
        table.add_column(name)
    for move, pile in enumerate(found.line, 1):
        card = board.draw[0]
        recycled, defeated = board.play(pile)
        notes = [f"defeats {short(board.royals[o], signs)}" for o in defeated]
        if recycled:
            notes.append("sends back " + " ".join(short(back, signs) for back in recycled))
        table.add_row(str(move), _face(card, signs), PILES[pile], ", ".join(notes))
    console.print(table)
    console.print(
        f"Won in {len(found.line)} moves; {found.positions:,} positions were looked at.",
        style="bold green",
        highlight=False,
    )
    return True
