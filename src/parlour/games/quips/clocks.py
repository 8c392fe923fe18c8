"""When players are marked idle, and when idle players are removed (spec, Rules: "Idle").

A player's clock runs while the game waits for them: in `playing` until they have played, in
`judging` for the judge. Any message by the player restarts it. Computer players have no clock.
"""

from __future__ import annotations

from typing import Final

from parlour.games.quips.board import Board, Player
from parlour.games.quips.events import JUDGING
from parlour.games.quips.settings import Settings
from parlour.kit import Millis, Seat

PER_CARD: Final[Millis] = 10_000
"""A player's time for each card to choose, besides `afk_time_seconds`."""

PER_CARD_READ: Final[Millis] = 7_000
"""A judge's time for each card of each play."""

AWAY: Final[Millis] = 20_000
"""How long the game waits for a player without a connection: time for a few tries to reconnect.

Closing the page looks like reloading it, and the others should not wait for a closed page as long
as for a player who is reading cards.
"""


def watch(board: Board, awaited: list[Seat], now: Millis) -> None:
    """Start the clocks of those who are awaited from now on, and stop all others."""
    for seat, player in enumerate(board.players):
        if seat not in awaited:
            player.awaited_since = None
        elif player.awaited_since is None:
            player.awaited_since = now


def stir(board: Board, seat: Seat) -> None:
    """They did something: they are not idle, and their clock starts anew at the next `watch`."""
    player = board.players[seat]
    player.idle_since = None
    player.awaited_since = None


def allowed(board: Board, settings: Settings) -> Millis:
    """How long the game waits for a person at this stage."""
    if board.stage == JUDGING:
        return settings.afk_time_seconds * 1000 + PER_CARD_READ * board.pick * len(board.order)
    return settings.afk_time_seconds * 1000 + PER_CARD * board.pick


def idle_at(player: Player, time: Millis) -> Millis | None:
    """When an awaited person, who is allowed so much time, will be marked idle; None for all
    others."""
    since = player.awaited_since
    if since is None or player.computer:
        return None
    if player.gone_since is None:
        return since + time
    return min(since + time, max(since, player.gone_since) + AWAY)


def out_at(player: Player, settings: Settings) -> Millis | None:
    """When an idle person will be removed; None for all others.

    The table decides how long it keeps the seats of people who lost their connection.
    """
    if player.idle_since is None or player.gone_since is not None:
        return None
    return player.idle_since + settings.idle_kick_time_seconds * 1000


def due(board: Board, settings: Settings) -> Millis | None:
    """When the next thing happens by itself, if anything does."""
    time = allowed(board, settings)
    moments = [board.deadline]
    for player in board.players:
        if player.here and player.awaited_since is not None:
            moments.append(idle_at(player, time))
        if player.here and player.idle_since is not None:
            moments.append(out_at(player, settings))
    return min([moment for moment in moments if moment is not None], default=None)
