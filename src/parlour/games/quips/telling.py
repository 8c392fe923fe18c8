"""Which events a change leads to: one for all that differs from what was last told.

Rules change the board and then ask here. So nothing that changed goes untold, and nothing is told
that did not change (spec: `s_hand` "at every change of the hand and only then").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from parlour.games.quips.board import Board, Player
from parlour.games.quips.events import (
    Entry,
    Event,
    HandChanged,
    PlayersChanged,
    PlayShown,
    PointsChanged,
    StateChanged,
    Turned,
)
from parlour.kit import Seat

_USUAL: Final = (PointsChanged, HandChanged, PlayShown, PlayersChanged)
_ROUND: Final = (PointsChanged, PlayShown, HandChanged, PlayersChanged)
_VERDICT: Final = (PlayersChanged, PointsChanged, HandChanged, PlayShown)
"""The orders of the spec's "Walk". The state always comes last."""


@final
class Telling:
    """What was last told of everything."""

    def __init__(self) -> None:
        self.told: dict[tuple[type[Event], Seat | None], Event] = {(Turned, None): Turned([])}
        """The last event of each kind; for what is a seat's own, by seat."""
        self.order: tuple[type[Event], ...] = _USUAL

    def round_begins(self) -> None:
        """A new black card: everybody's empty play and all players are told, changed or not."""
        self.order = _ROUND
        for kind, seat in [*self.told]:
            if kind in (PlayShown, PlayersChanged):
                del self.told[kind, seat]

    def game_begins(self) -> None:
        self.order = _USUAL

    def verdict(self) -> None:
        self.order = _VERDICT

    def changes(self, board: Board) -> list[Event]:
        """What is new on `board`, which is now told."""
        events: list[Event] = []
        for kind in self.order:
            if kind is PlayersChanged:
                self._tell(_players(board), None, events)
            else:
                for seat in board.here():
                    self._tell(_OWN[kind](board.players[seat], seat), seat, events)
        self._tell(Turned(board.turned[:]), None, events)
        self._tell(_state(board), None, events)
        self.order = _USUAL
        return events

    def _tell(self, event: Event, seat: Seat | None, events: list[Event]) -> None:
        key = type(event), seat
        if self.told.get(key) != event:
            self.told[key] = event
            events.append(event)


def _hand(player: Player, seat: Seat) -> HandChanged:
    cards = [(held.slot, held.card) for held in player.hand]
    return HandChanged(seat, cards, player.blanks, player.discards)


_OWN: Final[dict[type[Event], Callable[[Player, Seat], Event]]] = {
    PointsChanged: lambda player, seat: PointsChanged(seat, player.points),
    HandChanged: _hand,
    PlayShown: lambda player, seat: PlayShown(seat, [held.card for held in player.play]),
}
"""What is told to each seat alone."""


def _players(board: Board) -> PlayersChanged:
    return PlayersChanged(
        [
            Entry(seat, p.score, p.points, p.voted, p.idle, p.computer)
            for seat, p in enumerate(board.players)
            if p.here
        ]
    )


def _state(board: Board) -> StateChanged:
    winner = board.order[board.winning_play] if board.winning_play >= 0 else -1
    return StateChanged(
        stage=board.stage,
        round=board.round,
        black=board.black,
        judge=board.judge,
        pending=board.pending(),
        plays=board.plays(),
        winning_play=board.winning_play,
        winning_player=winner,
        judge_voted_self=winner == board.judge,
        results=board.results,
    )
