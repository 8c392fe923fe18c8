"""MO, a solitaire on a grid: the match and its actions.

Rules only. `board.py` knows one position; here is what spans several: a deal from a
seed, undo and redo of whole positions, repetition. `tableau.py` is how it is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias, final

from mypy_extensions import mypyc_attr

from parlour.cards import Face, deck
from parlour.choices import Choice, Choices, One, factored
from parlour.games.mo.board import NUMBER, PILES, WON, Board, deal_out
from parlour.games.mo.tableau import TIMES_A_POSITION_MAY_STAND, Tableau
from parlour.kit import Illegal, Match, Millis, Outcome, Seat, Setup
from parlour.rng import ProvableRng, Rng

if TYPE_CHECKING:
    from parlour.games.mo.settings import Settings

PROFILES: Final = ("classic", "printed")

LONGEST_SEED: Final = 32
_SEED_SIGNS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-")
_FRESH_SIGNS: Final = "23456789abcdefghjkmnpqrstuvwxyz"
_FRESH_LENGTH: Final = 10


# Actions


@dataclass(slots=True)
class New:
    """Deal anew (protocol: "new"). No seed: a fresh one. No profile: the one in play."""

    seed: str | None = None
    profile: str | None = None


@dataclass(slots=True)
class Play:
    """Play the top card of the draw pile to a pile, by its name (protocol: "play").

    `moves`, where it is given, is how many had been made when the player decided.
    """

    to: str
    moves: int | None = None


@dataclass(slots=True)
class Undo:
    """Take the last move back (protocol: "undo")."""


@dataclass(slots=True)
class Redo:
    """Do again what was taken back (protocol: "redo")."""


Action: TypeAlias = New | Play | Undo | Redo
ACTIONS: Final = (New, Play, Undo, Redo)


Event: TypeAlias = Tableau
"""After every action: what lies on the table now."""


def view(event: Event, seat: Seat | None) -> Event:
    """Without the cards of the draw pile that were never turned up."""
    return event.veiled()


@dataclass(slots=True)
class Position:
    """A board, how many cards of its draw pile are dealt ones, and whether it is an end.

    Never changed once it stands in a line.
    """

    board: Board
    look: bytes
    dealt: int
    reason: str
    to: str = ""
    """The pile of the move that led here; "": the deal did."""


@mypyc_attr(allow_interpreted_subclasses=True)
@final
class Solitaire(Match[Action, Event]):
    """One seat's solitaire: it goes on over losses (undo) and over deals (`New`).

    `line` has the positions of this deal, those taken back last; after `moves` of its moves the
    game stands.
    """

    def __init__(self, seed: str, profile: str, first: Board) -> None:
        self.seed = seed
        self.profile = profile
        self.abandoned = False
        self._lay(first)

    def _lay(self, first: Board) -> None:
        self.line = [Position(first, first.look(), len(first.draw), first.end())]
        self.moves = 0
        self._unturned = len(first.draw) - 1
        self._longest: list[str] = []
        """The moves of the longest line of this deal so far: it has turned up most cards."""

    @property
    def now(self) -> Position:
        return self.line[self.moves]

    @property
    def board(self) -> Board:
        return self.now.board

    @property
    def can_undo(self) -> bool:
        return self.moves > 0

    @property
    def can_redo(self) -> bool:
        return self.moves + 1 < len(self.line)

    def _looks(self) -> list[bytes]:
        """`Board.look` of every position from the deal to now."""
        return [position.look for position in self.line[: self.moves + 1]]

    def tableau(self) -> Tableau:
        """Everything, as it lies there; `view` veils it."""
        now = self.now
        return Tableau(
            self.seed,
            self.profile,
            now.board,
            now.dealt,
            self._unturned,
            self.moves,
            self.can_undo,
            self.can_redo,
            now.reason,
            [] if self._unturned else self._looks(),
        )

    def legal(self, seat: Seat) -> list[Action]:
        """Every play, undo and redo; a `New` is always possible and not listed."""
        found: list[Action] = []
        if seat != 0:
            return found
        if not self.now.reason:
            for pile in self.board.valid():
                found.append(Play(PILES[pile]))
        if self.can_undo:
            found.append(Undo())
        if self.can_redo:
            found.append(Redo())
        return found

    def choices(self, seat: Seat) -> Choices:
        """The legal actions, and a new deal by either rules."""
        if seat != 0:
            return []
        new = Choice("new", {"profile": One(PROFILES)}, "New game", optional=True)
        return [*factored(self.legal(seat), optional=("undo", "redo")), new]

    def apply(self, seat: Seat, action: Action, rng: Rng, now: Millis) -> list[Event]:
        if seat != 0:
            raise Illegal("not-your-game", "This is somebody else's game.")
        if isinstance(action, Play):
            self._play(action)
        elif isinstance(action, Undo):
            if not self.can_undo:
                raise Illegal("nothing-to-undo", "There is no move to take back.")
            self.moves -= 1
        elif isinstance(action, Redo):
            if not self.can_redo:
                raise Illegal("nothing-to-redo", "There is no move to do again.")
            self.moves += 1
        else:
            self._new(action, rng)
        return [self.tableau()]

    def _play(self, action: Play) -> None:
        now = self.now
        to = action.to
        if action.moves is not None and action.moves != self.moves:
            raise Illegal("stale", "The game has gone on since: look at it again.")
        if now.reason:
            raise Illegal("game-over", "This game is over; undo, or deal a new one.")
        if to not in NUMBER:
            raise Illegal("no-such-pile", f"There is no pile called {to[:8]!r}.")
        pile = NUMBER[to]
        if pile not in now.board.valid():
            raise Illegal("not-valid", f"The next card may not go to {to}.")
        board = now.board.copy()
        board.play(pile)
        look = board.look()
        reason = board.end()
        if not reason and self._looks().count(look) >= TIMES_A_POSITION_MAY_STAND:
            reason = "repeated"
        dealt = max(now.dealt - 1, 0)
        # A new move drops the moves that were taken back.
        self.moves += 1
        del self.line[self.moves :]
        self.line.append(Position(board, look, dealt, reason, to))
        if self.moves > len(self._longest):
            self._longest = [position.to for position in self.line[1:]]
        self._unturned = min(self._unturned, max(dealt - 1, 0))

    def _new(self, action: New, rng: Rng) -> None:
        if action.profile is not None and action.profile not in PROFILES:
            raise Illegal("no-such-profile", "The profiles are classic and printed.")
        if action.seed is not None:
            check_seed(action.seed)
        self.seed = fresh_seed(rng) if action.seed is None else action.seed
        self.profile = self.profile if action.profile is None else action.profile
        self._lay(opening(self.seed, self.profile))

    def retold(self) -> list[Action] | None:
        """The deal, its longest line if that was taken back (it has shown cards), then this one."""
        if self.abandoned:
            return None
        line = [position.to for position in self.line[1:]]
        told: list[Action] = [New(self.seed, self.profile)]
        before: list[str] = []
        if len(self._longest) > len(line):
            before = self._longest
            told += [Play(to) for to in before]
        shared = 0
        while shared < min(len(before), len(line)) and before[shared] == line[shared]:
            shared += 1
        if line and shared == len(line) < len(before):
            # Only a move drops the moves that could be done again.
            shared -= 1
        told += [Undo() for _ in before[shared:]]
        told += [Play(to) for to in line[shared:]]
        told += [Undo() for _ in line[self.moves :]]
        return told

    def abandon(self, rng: Rng, now: Millis) -> list[Event]:
        self.abandoned = True
        return []

    def outcome(self) -> Outcome | None:
        """The end that stands there now. An undo takes it back, as it takes everything back."""
        reason = "abandoned" if self.abandoned else self.now.reason
        if not reason:
            return None
        score = self.board.defeated.bit_count()
        return Outcome((0,) if reason == WON else (), reason, {0: score})


def check_seed(text: str) -> None:
    if not 0 < len(text) <= LONGEST_SEED or not _SEED_SIGNS.issuperset(text):
        raise Illegal("bad-seed", f"A seed is 1 to {LONGEST_SEED} letters, digits and hyphens.")


def fresh_seed(rng: Rng) -> str:
    """A short seed to share, without signs that look alike."""
    return "".join([_FRESH_SIGNS[rng.below(len(_FRESH_SIGNS))] for _ in range(_FRESH_LENGTH)])


def shuffled(seed: str, profile: str) -> list[Face]:
    """The deck a seed stands for, first card on top. It may never change: seeds are shared.

    The 52 faces in order with one joker behind them (`printed`: two), shuffled once by
    `ProvableRng(seed, "mo")`; both profiles and everybody's daily deal come from here.
    """
    cards = deck(2 if profile == "printed" else 1)
    ProvableRng(seed.encode(), "mo").shuffle(cards)
    return cards


def opening(seed: str, profile: str) -> Board:
    """The position a seed deals."""
    return deal_out(profile == "printed", shuffled(seed, profile))


def deal(setup: Setup[Settings], rng: Rng, now: Millis) -> tuple[Solitaire, list[Event]]:
    """Open a table: the seed asked for, or a fresh one."""
    settings: Settings = setup.settings
    if settings.seed:
        check_seed(settings.seed)
    seed = settings.seed or fresh_seed(rng)
    game = Solitaire(seed, settings.profile, opening(seed, settings.profile))
    return game, [game.tableau()]
