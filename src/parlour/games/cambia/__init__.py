"""Cambia: 2 to 8 players, four cards each, of which they have seen two."""

from uuid import UUID

from parlour.games.cambia import rules, scoring
from parlour.games.cambia.bot import CambiaBot
from parlour.games.cambia.picture import CambiaPicture
from parlour.games.cambia.settings import Settings
from parlour.games.cambia.wire import Enveloped, FlatGame, FlatLobby
from parlour.kit import Bots, Millis
from parlour.table import Game

BETWEEN_GAMES: Millis = 10_000
"""How long the result of one game of a circuit stays before the next begins."""

_SEATS = {"head_to_head": 2, "group_of_4": 4, "circuit_4p": 4, "circuit_7p8p": 8, "custom": 8}


def _seats(settings: Settings) -> int:
    return _SEATS[settings.gameMode]


def _countdown(settings: Settings) -> Millis | None:
    seconds = settings.settings.countdownSec
    return None if seconds is None else seconds * 1000


def _starts_itself(settings: Settings) -> bool:
    return settings.settings.autoStart


def _again(match: rules.Cambia) -> Millis | None:
    """A circuit goes on by itself until somebody reaches the target (spec: "Circuit mode")."""
    result = match.result
    if result is None or result.circuit_over or result.how == scoring.ABANDONED:
        return None
    return BETWEEN_GAMES if match.settings.circuit.enabled else None


def _player_id(visitor: str | None, token: str) -> str:
    """Spec, Identity: a user's id is the visitor's, at every table. A bot has one for a day."""
    return str(UUID(token, version=4)) if visitor is None else visitor


GAME = Game(
    id="cambia",
    name="Cambia",
    blurb="Four cards, two of them seen. Remember, swap, snap, and call when yours count least.",
    min_seats=2,
    max_seats=8,
    settings=Settings,
    actions=rules.ACTIONS,
    deal=rules.deal,
    view=rules.view,
    wires=(Enveloped(), FlatLobby(), FlatGame()),
    picture=CambiaPicture,
    bots=Bots(
        CambiaBot,
        ("Ace", "Deuce", "Nines", "Jack", "Queenie", "Joker", "Blind", "Snap", "Peek"),
    ),
    fewer_seats=_seats,
    may_start="host",
    needs_ready=True,
    countdown=_countdown,
    starts_itself=_starts_itself,
    grace=0,
    again=_again,
    player_id=_player_id,
)
