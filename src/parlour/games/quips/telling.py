"""Which events a change leads to: whatever is no longer as it was last told.

Rules change the board and then ask here. So nothing that changed goes untold, and nothing is told
that did not change (spec: `s_hand` "at every change of the hand and only then").
"""

from __future__ import annotations

from typing import Final, final

from parlour.games.quips.board import Board
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

_POINTS, _HANDS, _PLAYS, _PLAYERS = range(4)
_USUAL: Final = (_POINTS, _HANDS, _PLAYS, _PLAYERS)
_ROUND: Final = (_POINTS, _PLAYS, _HANDS, _PLAYERS)
_VERDICT: Final = (_PLAYERS, _POINTS, _HANDS, _PLAYS)
"""The orders of the spec's "Walk". The state always comes last."""


@final
class Telling:
    """What was last told of everything."""

    __slots__ = ("hands", "order", "players", "plays", "points", "state", "turned")

    def __init__(self) -> None:
        self.points: dict[Seat, int] = {}
        self.hands: dict[Seat, HandChanged] = {}
        self.plays: dict[Seat, list[str]] = {}
        self.players: list[Entry] | None = None
        self.turned: list[int] = []
        self.state: StateChanged | None = None
        self.order = _USUAL

    def copy(self) -> Telling:
        twin = Telling()
        twin.points = dict(self.points)
        twin.hands = dict(self.hands)
        twin.plays = dict(self.plays)
        twin.players = self.players
        twin.turned = self.turned
        twin.state = self.state
        twin.order = self.order
        return twin

    def round_begins(self) -> None:
        """A new black card: everybody's empty play and all players are told, changed or not."""
        self.order = _ROUND
        self.plays.clear()
        self.players = None

    def game_begins(self) -> None:
        self.order = _USUAL

    def verdict(self) -> None:
        self.order = _VERDICT

    def changes(self, board: Board) -> list[Event]:
        """What is new on `board`, which is now told."""
        events: list[Event] = []
        for kind in self.order:
            if kind == _POINTS:
                self._points(board, events)
            elif kind == _HANDS:
                self._hands(board, events)
            elif kind == _PLAYS:
                self._plays(board, events)
            else:
                self._players(board, events)
        self.order = _USUAL
        if self.turned != board.turned:
            self.turned = board.turned[:]
            events.append(Turned(self.turned))
        state = _state(board)
        if state != self.state:
            self.state = state
            events.append(state)
        return events

    def _points(self, board: Board, events: list[Event]) -> None:
        for seat in board.here():
            points = board.players[seat].points
            if self.points.get(seat) != points:
                self.points[seat] = points
                events.append(PointsChanged(seat, points))

    def _hands(self, board: Board, events: list[Event]) -> None:
        for seat in board.here():
            player = board.players[seat]
            cards = [(held.slot, held.card) for held in player.hand]
            hand = HandChanged(seat, cards, player.blanks, player.discards)
            if self.hands.get(seat) != hand:
                self.hands[seat] = hand
                events.append(hand)

    def _plays(self, board: Board, events: list[Event]) -> None:
        for seat in board.here():
            play = [held.card for held in board.players[seat].play]
            if self.plays.get(seat) != play:
                self.plays[seat] = play
                events.append(PlayShown(seat, play))

    def _players(self, board: Board, events: list[Event]) -> None:
        entries = [
            Entry(seat, p.score, p.points, p.voted, p.idle, p.computer)
            for seat, p in enumerate(board.players)
            if p.here
        ]
        if entries != self.players:
            self.players = entries
            events.append(PlayersChanged(entries))


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
