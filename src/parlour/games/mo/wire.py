"""MO's protocol: `board` after every change, hints and peeks on asking. JSON text frames.

"Spec" is the project's page on MO, section "Protocol".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from parlour.cards import RANKS, SUITS, Face, rank_of, suit_of
from parlour.games.mo import rules
from parlour.games.mo.analysis import hopeless, lanes
from parlour.games.mo.board import DRAW, INNERS, PILES
from parlour.games.mo.lane import LaneInfo
from parlour.games.mo.picture import MoPicture
from parlour.games.mo.settings import Profile, Settings
from parlour.games.mo.tableau import Line, Tableau
from parlour.games.mo.why import forced
from parlour.protocol import (
    Answer,
    At,
    CloseWith,
    Codec,
    Door,
    ErrorEvent,
    Hello,
    InContext,
    Own,
    Question,
    Request,
    Seek,
    Told,
    TurnAway,
    Wire,
)
from parlour.table import Player, Roster
from parlour.table import inputs as do

PileName = Annotated[str, Meta(max_length=8)]


# Server to client


class Card(msgspec.Struct, frozen=True):
    """A card of the grid. A defeated royal and its armour lie face down."""

    rank: Literal["joker", "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
    suit: Literal["hearts", "diamonds", "clubs", "spades", "joker"]
    value: int
    face_up: bool


class DrawPile(msgspec.Struct, frozen=True):
    """The draw pile: how many cards it has, and its revealed top."""

    count: int
    top: Card | None


class BoardMessage(msgspec.Struct, tag="board", frozen=True):
    """Everything that lies there, after every change."""

    piles: dict[str, list[Card] | DrawPile]
    """By name, top card first; `e5` is the draw pile."""
    valid: list[str]
    can_undo: bool
    can_redo: bool
    status: Literal["playing", "won", "lost"]
    reason: str
    """How it ended, or "": `won`, `out-of-cards`, `no-place`, `too-strong`, `repeated`."""
    seed: str
    profile: Profile
    defeated: list[str]
    moves: int
    lanes: list[LaneInfo]
    hopeless: str
    """Why it can't be won any more, or "". Shown, not enforced."""


class HintMessage(msgspec.Struct, tag="hint", frozen=True):
    """Where to play the next card, and why."""

    to: str
    why: str


class PileMessage(msgspec.Struct, tag="pile", frozen=True):
    """The cards of an inner pile, top first."""

    pile: str
    cards: list[Card]


Outgoing: TypeAlias = BoardMessage | HintMessage | PileMessage | ErrorEvent


# Client to server


class New(msgspec.Struct, tag="new"):
    """Deal anew: this seed or a fresh one, this profile or the one in play."""

    seed: Annotated[str, Meta(max_length=64)] | None = None
    profile: Profile | None = None


class Play(msgspec.Struct, tag="play"):
    """Play the top of the draw pile to this pile."""

    to: PileName
    moves: Annotated[int, Meta(ge=0, le=1_000_000_000)] | None = None
    """The `moves` of the board it is meant for: refused (`stale`) if that is another by now."""


class Undo(msgspec.Struct, tag="undo"):
    """Take the last move back."""


class Redo(msgspec.Struct, tag="redo"):
    """Do again what was taken back."""


class Hint(msgspec.Struct, tag="hint"):
    """Ask where to play."""


class Peek(msgspec.Struct, tag="peek"):
    """Look through an inner pile."""

    pile: PileName


Incoming: TypeAlias = New | Play | Undo | Redo | Hint | Peek

_encode = msgspec.json.Encoder().encode


class MoDoor(Door):
    """Keeps a game by its session."""

    cookie: ClassVar[str] = "parlour_session"

    def seek(self, hello: Hello) -> Seek | TurnAway | CloseWith:
        """Spec: the game is kept by session; the upgrade sets one for a client without.

        `?table=` and `?watch=` name a table; otherwise it is the one left last, or a new one.
        """
        if hello.bad_token and "token" in hello.query:
            return TurnAway(403, "This token is not one of ours.")
        if "watch" in hello.query:
            return Seek(where=At(hello.query["watch"]), watch=True)
        if "table" in hello.query:
            return Seek(where=At(hello.query["table"]), resumable=True)
        return Seek(where=Own(last=True), resumable=True)


class MoCodec(Codec[Incoming, Settings, rules.Event, MoPicture]):
    """Both translations, without state: one object serves every connection."""

    worker_module: ClassVar[str] = "parlour.games.mo.search"
    incoming = Incoming
    outgoing = Outgoing

    def request(self, message: Incoming) -> Request:
        match message:
            case Play(to=to, moves=moves):
                return do.Act(do.ME, rules.Play(to, moves))
            case Undo():
                return do.Act(do.ME, rules.Undo())
            case Redo():
                return do.Act(do.ME, rules.Redo())
            case New(seed=seed, profile=profile):
                return do.Act(do.ME, rules.New(seed, profile))
            case Hint():
                return InContext(message)
            case Peek(pile=pile):
                return Question("peek", pile)

    def understand(
        self, message: Incoming, picture: MoPicture, roster: Roster, me: Player | None
    ) -> Question:
        """A hint needs a worker only where there is a choice."""
        return Question("hint", slow=len(picture.dealt().valid) > 1)

    def encode(
        self, event: Told[rules.Event], roster: Roster, me: Player | None
    ) -> Sequence[bytes]:
        if isinstance(event, Tableau):
            return (_encode(_board(event)),)
        return ()

    def greet(self, picture: MoPicture, roster: Roster, me: Player | None, now: int) -> list[bytes]:
        tableau = picture.tableau
        return [] if tableau is None else [_encode(_board(tableau))]

    def answer(
        self, question: Question, picture: MoPicture, roster: Roster, me: Player | None
    ) -> Answer:
        """Made from the asker's picture, and nothing else.

        A hint's notes are the line that wins, for the next hints to keep to.
        """
        tableau = picture.dealt()
        if question.kind == "peek":
            pile = str(question.about)
            cards = [_card(face, True) for face in tableau.peek(pile)]
            return Answer(_encode(PileMessage(pile, cards)))
        found = forced(tableau)
        line = question.notes if isinstance(question.notes, Line) else None
        if found is None:
            # Imported here because only the worker process needs the search and its tables.
            from parlour.games.mo.search import POSITIONS, hint

            found, line = hint(tableau, line, round(POSITIONS * question.effort))
        return Answer(_encode(HintMessage(found.to, found.why)), line)


WIRE: Final = Wire("mo", ("/mo",), MoCodec(), MoDoor())


def _card(face: Face, face_up: bool) -> Card:
    return Card(RANKS[rank_of(face)], SUITS[suit_of(face)], rank_of(face), face_up)


def _board(tableau: Tableau) -> BoardMessage:
    board = tableau.board
    piles: dict[str, list[Card] | DrawPile] = {}
    for number, name in enumerate(PILES[:-1]):
        down = number >= INNERS and bool(board.defeated >> (number - INNERS) & 1)
        piles[name] = [_card(face, not down) for face in board.piles[number]]
    top = tableau.next
    piles[DRAW] = DrawPile(len(board.draw), None if top is None else _card(top, True))
    return BoardMessage(
        piles=piles,
        valid=tableau.valid,
        can_undo=tableau.can_undo,
        can_redo=tableau.can_redo,
        status=tableau.status,
        reason=tableau.reason,
        seed=tableau.seed,
        profile="printed" if tableau.profile == "printed" else "classic",
        defeated=tableau.defeated,
        moves=tableau.moves,
        lanes=lanes(board),
        hopeless=hopeless(board),
    )
