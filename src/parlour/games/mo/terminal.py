"""MO in a terminal: the grid in colours, and a prompt. `parlour play mo`, `parlour mo solve`.

The game is played through the same rules and the same veil as on the page.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from parlour.cards import RANKS, RED_JOKER, SUIT_LETTERS, SUIT_SIGNS, Face, is_red
from parlour.games.mo.analysis import hopeless, lanes
from parlour.games.mo.board import DRAW, INNERS, NUMBER, OUTERS, PILES, SUIT, VALUE
from parlour.games.mo.picture import MoPicture
from parlour.games.mo.rules import Action, Event, New, Play, Redo, Undo, deal, opening, view
from parlour.games.mo.scene import ENDINGS
from parlour.games.mo.search import hint
from parlour.games.mo.settings import Profile, Settings
from parlour.games.mo.solver import WIDTHS, solve
from parlour.games.mo.tableau import Line, Tableau
from parlour.kit import Illegal, Setup
from parlour.rng import Rng

SIGNS: Final = f"{SUIT_SIGNS}★·"
"""The suits, a joker and an empty pile."""
PLAIN_SIGNS: Final = f"{SUIT_LETTERS}*."
"""The same for a terminal that can't print the others."""

HELP: Final = """\
The top card of e5 must be played; the marked piles take it.
  b2 ... d5   play it to that pile
  u           undo
  r           redo
  h           a hint
  n           a new deal; "n seed" for a certain one
  q           quit
  ?           this help
Defeat all twelve royals. A card played to the far end of a lane attacks the
royal at the other end with the two cards between: they must reach what it
counts, and match a queen's colour, a king's suit. A number that fits nowhere
inside arms a royal."""

_WHO_PLAYS: Final = 0


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


def _cell(tableau: Tableau, name: str, valid: bool, signs: str) -> Text:
    """A pile in three lines: its name, its top card, and how much is there."""
    cell = Text(justify="center")
    cell.append(f" {name} \n", "black on green" if valid else "dim")
    board, number = tableau.board, NUMBER[name]
    cards = board.draw if name == DRAW else board.piles[number]
    if name == DRAW:
        cell.append_text(_face(cards[0], signs) if cards else Text(signs[5], "dim"))
        cell.append(f"\n{len(cards)} left", "dim")
    elif not cards:
        cell.append(f"{signs[5]}\n ", "dim")
    elif number < INNERS:
        cell.append_text(_face(cards[0], signs))
        cell.append(f"\n{len(cards)} deep" if len(cards) > 1 else "\n ", "dim")
    else:
        outer = number - INNERS
        royal = board.royals[outer]
        if board.defeated >> outer & 1:
            cell.append(f"{short(royal, signs)}\ndown", "dim strike")
        else:
            cell.append_text(_face(royal, signs) if royal >= 0 else Text(signs[5], "dim"))
            cell.append(f"\ncounts {board.totals[outer]}", "dim")
    return cell


def drawn(tableau: Tableau, signs: str) -> Table:
    """The grid as a table; corners that are no piles stay empty."""
    grid = Table(box=box.ROUNDED, show_header=False, show_lines=True, padding=(0, 0))
    valid = tableau.valid
    for _ in range(5):
        grid.add_column(justify="center", width=11)
    for row in "12345":
        cells = [
            _cell(tableau, name, name in valid, signs) if name in PILES else ""
            for name in [column + row for column in "abcde"]
        ]
        grid.add_row(*cells)
    return grid


def show(console: Console, tableau: Tableau) -> None:
    """The grid, and below it what the lanes lack and how the game stands."""
    signs = _signs(console)
    console.print(drawn(tableau, signs))
    for lane in lanes(tableau.board):
        line = Text(f"  {lane.pile}  ")
        line.append_text(_face(lane.royal, signs))
        line.append(f"  {lane.needs}", "green" if lane.ready else "dim")
        console.print(line)
    down = len(tableau.defeated)
    console.print(
        f"Deal {tableau.seed} ({tableau.profile}), move {tableau.moves}, "
        f"{down} of {OUTERS} royals down.",
        style="dim",
        highlight=False,
    )
    if tableau.reason:
        style = "bold green" if tableau.status == "won" else "bold red"
        console.print(f"{tableau.status.capitalize()}: {ENDINGS[tableau.reason]}", style=style)
        return
    lost = hopeless(tableau.board)
    if lost:
        console.print(f"This can't be won any more. {lost}", style="yellow")


def play(
    console: Console,
    rng: Rng,
    seed: str = "",
    profile: Profile = "classic",
    ask: Callable[[str], str] | None = None,
) -> Tableau:
    """Play until the player quits; gives back how the game stood then. `ask` reads a line.

    No seed: a fresh one. One that is none is `Illegal`.
    """
    game, events = deal(Setup(Settings(profile=profile, seed=seed), ["you"]), rng, 0)
    picture = MoPicture(_WHO_PLAYS)
    tableau = _look(picture, events)
    plan: Line | None = None
    show(console, tableau)
    while True:
        try:
            line = (ask or console.input)(_prompt(tableau, _signs(console))).strip()
        except EOFError:
            console.print()
            return tableau
        word, _, rest = line.partition(" ")
        if word in ("q", "quit"):
            return tableau
        if word in ("", "?", "help"):
            console.print(HELP, highlight=False)
            continue
        try:
            if word == "h":
                found, plan = hint(tableau, plan)
                console.print(f"[bold]{found.to}[/]: {found.why}", highlight=False)
                continue
            told = game.apply(_WHO_PLAYS, _action(word, rest.strip()), rng, 0)
            tableau = _look(picture, told)
        except Illegal as refused:
            # The sentence may quote the input, which is not markup.
            console.print(refused.sentence, style="yellow", markup=False, highlight=False)
            continue
        show(console, tableau)


def _look(picture: MoPicture, events: list[Event]) -> Tableau:
    """What lies there after these events, as the player may see it."""
    for event in events:
        picture.see(view(event, picture.viewer))
    return picture.dealt()


def _prompt(tableau: Tableau, signs: str) -> str:
    if tableau.reason or tableau.next is None:
        return "u, n, q or ? > "
    return f"{short(tableau.next, signs)} to {' '.join(tableau.valid)} > "


def _action(word: str, rest: str) -> Action:
    if word == "u":
        return Undo()
    if word == "r":
        return Redo()
    if word == "n":
        return New(rest or None)
    return Play(word.lower())


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
