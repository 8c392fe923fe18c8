"""Which events a change leads to: one for all that differs from what was last told.

Rules change the board and then ask here. So nothing that changed goes untold, and nothing is told
that did not change (spec: `s_hand` "at every change of the hand and only then").
"""

from __future__ import annotations

from typing import Final, final

from parlour.games.quips import events as ev
from parlour.games.quips.board import Board
from parlour.games.quips.events import Event
from parlour.kit import Seat

USUAL: Final = (ev.PointsChanged, ev.HandChanged, ev.PlayShown, ev.PlayersChanged)
ROUND: Final = (ev.PointsChanged, ev.PlayShown, ev.HandChanged, ev.PlayersChanged)
VERDICT: Final = (ev.PlayersChanged, ev.PointsChanged, ev.HandChanged, ev.PlayShown)
"""The orders of the spec's "Walk". The state always comes last."""


@final
class Changes:
    """Knows what was last told of everything."""

    def __init__(self) -> None:
        self.told: dict[tuple[type[Event], Seat | None], Event] = {(ev.Turned, None): ev.Turned([])}
        """The last event of each kind; for what is a seat's own, by seat."""
        self.order: tuple[type[Event], ...] = USUAL
        """In which the next changes are told."""

    def round_begins(self) -> None:
        """A new black card: everybody's empty play and all players are told, changed or not."""
        self.order = ROUND
        for kind, seat in [*self.told]:
            if kind in (ev.PlayShown, ev.PlayersChanged):
                del self.told[kind, seat]

    def take(self, board: Board) -> list[Event]:
        """The events for all that is new on `board`; from now on it counts as told."""
        here = [(seat, player) for seat, player in enumerate(board.players) if player.here]
        entries = [
            ev.Entry(seat, p.score, p.points, p.voted, p.idle_since is not None, p.computer)
            for seat, p in here
        ]
        facts: dict[type[Event], list[Event]] = {
            ev.PointsChanged: [ev.PointsChanged(seat, p.points) for seat, p in here],
            ev.HandChanged: [
                ev.HandChanged(
                    seat, [(held.slot, held.card) for held in p.hand], p.blanks, p.discards
                )
                for seat, p in here
            ],
            ev.PlayShown: [ev.PlayShown(seat, [held.card for held in p.play]) for seat, p in here],
            ev.PlayersChanged: [ev.PlayersChanged(entries)],
        }
        ordered = [event for kind in self.order for event in facts[kind]]
        events: list[Event] = []
        for event in (*ordered, ev.Turned(board.turned[:]), _state(board)):
            key = type(event), getattr(event, "seat", None)
            if self.told.get(key) != event:
                self.told[key] = event
                events.append(event)
        self.order = USUAL
        return events


def _state(board: Board) -> ev.StateChanged:
    winner = board.order[board.winning_play] if board.winning_play >= 0 else -1
    return ev.StateChanged(
        stage=board.stage,
        round=board.round,
        black=board.black,
        judge=board.judge,
        pending=board.pending(),
        plays=[[held.card for held in board.players[seat].play] for seat in board.order],
        winning_play=board.winning_play,
        winning_player=winner,
        judge_voted_self=winner == board.judge,
        results=board.results,
    )
