"""Matches against bots in a terminal: what the `terminal.py` of every such game shares.

They are played through the same rules and the same view as over the wire: what is printed is
what this seat was shown, and the bots know no more than their seats were.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final, Generic, TypeAlias, TypeVar

from rich.console import Console
from rich.text import Text

from parlour.cards import RANKS, SUIT_LETTERS, SUIT_SIGNS, Face, is_joker, is_red, rank_of, suit_of
from parlour.kit import Bot, Match, Millis, Picture, Seat, Setup
from parlour.rng import ProvableRng
from parlour.table import GameRules

E = TypeVar("E")
M = TypeVar("M", bound=Match[Any, Any])
P = TypeVar("P", bound=Picture[Any])

Ask: TypeAlias = Callable[[str], str]
"""Prints a prompt and reads a line."""

ME: Final = 0
"""The seat of whoever types."""


class Quit(Exception):
    """The player has had enough."""


class TerminalGame(Generic[M, E, P]):
    """One match after another, of one person and some bots. Subclasses know the game."""

    help: ClassVar[str]
    """What `?` prints."""
    unit: ClassVar[str] = "game"
    """What one match is called."""

    match: M
    picture: P
    """What the person has been shown of the match."""

    def __init__(
        self,
        game: GameRules,
        settings: object,
        console: Console,
        bots: int,
        seed: int,
        ask: Ask | None = None,
        strength: str = "",
    ) -> None:
        assert game.bots is not None
        self.console = console
        self.names = ["You", *game.bots.names[:bots]]
        self.scores = [0] * len(self.names)
        self.now: Millis = 0
        self.bots: dict[Seat, Bot[Any, E, Any]] = {}
        self._game = game
        self._settings = settings
        self._make_bot = game.bots.maker(strength)
        self._seed = f"{seed}".encode()
        self._ask = ask or console.input
        self._suits = SUIT_SIGNS if console.encoding.startswith("utf") else SUIT_LETTERS
        self._matches = 0
        self._previous: M | None = None

    # -- what a game says -------------------------------------------------------------

    def line(self, event: E) -> Text | None:
        """An event in words; `picture` is still the one before it. None: nothing to print."""
        raise NotImplementedError

    def step(self) -> list[E]:
        """Let the next thing happen: an action of the person or of a bot, or by itself."""
        raise NotImplementedError

    def count(self) -> None:
        """Say how the match ended, and add to `scores`."""
        raise NotImplementedError

    # -- matches ----------------------------------------------------------------------

    def play(self) -> None:
        """Play one match after another until the player quits."""
        try:
            while True:
                self._play_match()
                if self.ask(f"Enter for another {self.unit}, q to quit > ") in ("q", "quit"):
                    break
        except Quit:
            self.console.print("Goodbye.")

    def _play_match(self) -> None:
        self._matches += 1
        self.console.rule(f"{self.unit.capitalize()} {self._matches}")
        self.chance = ProvableRng(self._seed, f"{self.unit} {self._matches}")
        self.bots = {
            seat: self._make_bot(
                self._game.picture(seat), ProvableRng(self._seed, f"bot {seat} {self._matches}")
            )
            for seat in range(1, len(self.names))
        }
        picture: Any = self._game.picture(ME)
        self.picture = picture
        setup = Setup(self._settings, self.names, previous=self._previous)
        dealt: tuple[Any, list[E]] = self._game.deal(setup, self.chance, self.now)
        self.match, told = dealt
        while True:
            for event in told:
                self._show(event)
            if self.match.outcome() is not None:
                break
            told = self.step()
        self._previous = self.match
        self.count()

    def _show(self, event: E) -> None:
        view = self._game.view
        for seat, bot in self.bots.items():
            seen = view(event, seat)
            if seen is not None:
                bot.show(seen)
        seen = view(event, ME)
        if seen is not None:
            line = self.line(seen)
            if line is not None:
                self.say(line)
            self.picture.see(seen)

    # -- asking and printing ----------------------------------------------------------

    def ask(self, prompt: str) -> str:
        """One line of input. Where the input ends, the player quits."""
        try:
            return self._ask(prompt).strip().lower()
        except (EOFError, KeyboardInterrupt):
            raise Quit from None

    def command(self, prompt: str, optional: bool = False) -> tuple[str, list[str]]:
        """A line's first word and the rest of them. `optional`: it may be an empty line."""
        while True:
            word, *rest = self.ask(prompt).replace(",", " ").split() or [""]
            if word in ("q", "quit"):
                raise Quit
            if word in ("?", "help") or not (word or optional):
                self.say(self.help)
            else:
                return word, rest

    def say(self, line: Text | str, style: str = "") -> None:
        self.console.print(line, style=style, highlight=False, markup=False)

    def face(self, card: Face) -> Text:
        if is_joker(card):
            return Text("joker", "bold yellow")
        text = RANKS[rank_of(card)] + self._suits[suit_of(card)]
        return Text(text, "bold red" if is_red(card) else "bold")

    def standing(self) -> str:
        """ "You 1, Pip 2" """
        return ", ".join(f"{n} {s}" for n, s in zip(self.names, self.scores, strict=True))
