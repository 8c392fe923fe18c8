"""The lobby's messages in both forms (spec: "Lobby messages"), made from the roster."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from parlour.games.cambia.settings import Circuit, HouseRules, LobbySettings, Settings
from parlour.games.cambia.wire.outgoing import Message, Pong
from parlour.kit import Millis
from parlour.protocol import ErrorEvent
from parlour.table import Player, Roster
from parlour.table import events as tell

Phase: TypeAlias = Literal["open", "countdown", "in_game", "post_game"]


class LobbyUser(msgspec.Struct, frozen=True):
    id: str
    username: str
    is_host: bool
    is_ready: bool
    connected: bool
    """Our extension: whether they have a connection; their place is kept for a while."""
    is_bot: bool
    """Our extension."""


class LobbyStatus(msgspec.Struct, frozen=True):
    users: list[LobbyUser]


class Rules(msgspec.Struct, frozen=True):
    """Everything `update_rules` can change; the house rules under both names clients know."""

    house_rules: HouseRules
    houseRules: HouseRules
    circuit: Circuit
    settings: LobbySettings


class LobbyState(Message, tag="lobby_state", frozen=True):
    """The lobby as one reader sees it. A spectator has no `your_id`."""

    lobby_id: str
    host_id: str | None
    your_id: str | None
    your_is_host: bool
    lobby_type: Literal["private", "public", "matchmaking"]
    game_mode: str
    in_game: bool
    game_id: str | None
    house_rules: HouseRules
    circuit: Circuit
    settings: LobbySettings
    lobby_status: LobbyStatus
    name: str
    """Our extension."""
    code: str
    """Our extension: six digits that name this lobby as well as its id does."""
    max_players: int
    """Our extension."""


class LobbyStateWithPhase(LobbyState, tag="lobby_state", frozen=True):
    """In the enveloped form, to everybody on every change."""

    phase: Phase


class LobbyUpdate(Message, tag="lobby_update", frozen=True):
    """Flat form: who is here has changed."""

    lobby_id: str
    host_id: str | None
    in_game: bool
    game_id: str | None
    lobby_status: LobbyStatus


class ReadyUpdate(Message, tag="ready_update", frozen=True):
    user_id: str
    username: str
    is_ready: bool


class LobbyCountdownStart(Message, tag="lobby_countdown_start", frozen=True):
    seconds: int


class LobbyCountdownCancel(Message, tag="lobby_countdown_cancel", frozen=True):
    """Somebody unreadied, went or came."""


class LobbyRulesUpdated(Message, tag="lobby_rules_updated", frozen=True):
    rules: Rules


class FlatChat(Message, tag="chat", frozen=True):
    """`ts` in seconds since the epoch."""

    user_id: str
    username: str
    msg: str
    ts: int


class GameStart(Message, tag="game_start", frozen=True):
    """Flat form: the game is at `/game/ws/{game_id}`."""

    game_id: str


class GameResults(Message, tag="game_results", frozen=True):
    """`scores` by player, without those who forfeit."""

    winner: str | None
    scores: dict[str, int]
    lobby_status: LobbyStatus
    winners: list[str]
    """Our extension."""


class PhaseChange(Message, tag="phase_change", frozen=True):
    """`seconds`: after so many the next phase begins automatically."""

    phase: Phase
    seconds: int | UnsetType = UNSET


class EnvelopedChat(Message, tag="chat", frozen=True):
    userID: str
    username: str
    msg: str


class GameStarted(Message, tag="game_started", frozen=True):
    """The players' ids, in turn order."""

    game_id: str
    players: list[str]


FlatLobbyMessage: TypeAlias = (
    LobbyState
    | LobbyUpdate
    | ReadyUpdate
    | LobbyCountdownStart
    | LobbyCountdownCancel
    | LobbyRulesUpdated
    | FlatChat
    | GameStart
    | GameResults
    | ErrorEvent
    | Pong
)


def phase_of(roster: Roster) -> Phase:
    """After a game it is `post_game` until anything about the lobby changes."""
    if roster.running:
        return "in_game"
    if roster.countdown is not None:
        return "countdown"
    return "post_game" if roster.just_over else "open"


def status(roster: Roster) -> LobbyStatus:
    host = roster.host
    return LobbyStatus(
        [
            LobbyUser(p.id, p.name, p is host, p.ready or not p.human, p.present, not p.human)
            for p in roster.players
        ]
    )


def lobby_type(roster: Roster) -> Literal["private", "public", "matchmaking"]:
    if not roster.public:
        return "private"
    return "matchmaking" if roster.settings.matchmaking else "public"


def game_id(roster: Roster) -> str | None:
    return roster.match_id if roster.running else None


def _host_id(roster: Roster) -> str | None:
    return None if roster.host is None else roster.host.id


def facts(roster: Roster, me: Player | None) -> dict[str, Any]:
    """The fields of `lobby_state`, as `me` reads them."""
    settings: Settings = roster.settings
    return {
        "lobby_id": roster.id,
        "host_id": _host_id(roster),
        "your_id": None if me is None else me.id,
        "your_is_host": me is not None and me is roster.host,
        "lobby_type": lobby_type(roster),
        "game_mode": settings.gameMode,
        "in_game": roster.running,
        "game_id": game_id(roster),
        "house_rules": settings.houseRules,
        "circuit": settings.circuit,
        "settings": settings.settings,
        "lobby_status": status(roster),
        "name": settings.name,
        "code": roster.code,
        "max_players": roster.max_seats,
    }


def lobby_update(roster: Roster) -> LobbyUpdate:
    return LobbyUpdate(roster.id, _host_id(roster), roster.running, game_id(roster), status(roster))


def results(event: tell.Finished, roster: Roster) -> GameResults:
    outcome = event.outcome
    winners = [roster.seating[seat].id for seat in outcome.winners]
    return GameResults(
        winner=winners[0] if winners else None,
        scores={roster.seating[seat].id: score for seat, score in outcome.scores.items()},
        lobby_status=status(roster),
        winners=winners,
    )


def seconds(span: Millis) -> int:
    """Rounded up, so that a countdown under way never shows 0."""
    return -(-span // 1000)


def seconds_left(roster: Roster, now: Millis) -> int | None:
    """Of a running countdown, for clients that connect in the middle of it."""
    return None if roster.countdown is None else seconds(max(0, roster.countdown - now))
