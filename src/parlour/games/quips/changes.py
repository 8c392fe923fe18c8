"""Which events a change leads to: one for all that differs from what was last told.

Rules change the board and then ask here. So nothing that changed goes untold, and nothing is told
that did not change (spec: `s_hand` "at every change of the hand and only then").
"""

from __future__ import annotations

from typing import Final, TypeAlias, final

from msgspec import Struct

from parlour.games.quips import events as ev
from parlour.games.quips.board import Board, Held
from parlour.games.quips.events import Event
from parlour.kit import Seat

USUAL: Final = (ev.PointsChanged, ev.HandChanged, ev.PlayShown, ev.PlayersChanged)
ROUND: Final = (ev.PointsChanged, ev.PlayShown, ev.HandChanged, ev.PlayersChanged)
VERDICT: Final = (ev.PlayersChanged, ev.PointsChanged, ev.HandChanged, ev.PlayShown)
"""The orders of the spec's "Walk". The state always comes last."""


_Facts: TypeAlias = tuple[Seat, int, int, bool, bool, bool]
"""The fields of an `Entry`."""


class _Own(Struct):
    """The private part that a player was sent last; None: it must be sent again."""

    points: int | None = None
    hand: tuple[list[Held], int, int] | None = None
    play: list[Held] | None = None


@final
class Changes:
    """Knows what was last told of everything."""

    def __init__(self) -> None:
        self.order: tuple[type[Event], ...] = USUAL
        """In which the next changes are told."""
        self._own: list[_Own] = []
        """By seat."""
        self._players: list[_Facts] | None = None
        self._turned: list[int] = []
        self._state: ev.StateChanged | None = None

    def round_begins(self) -> None:
        """A new black card: everybody's empty play and all players are told, changed or not."""
        self.order = ROUND
        self._players = None
        for own in self._own:
            own.play = None

    def take(self, board: Board) -> list[Event]:
        """The events for all that is new on `board`; from now on it counts as told."""
        new: dict[type[Event], list[Event]] = {kind: [] for kind in self.order}
        players: list[_Facts] = []
        self._own += [_Own() for _ in board.players[len(self._own) :]]
        for seat, (p, own) in enumerate(zip(board.players, self._own, strict=True)):
            if not p.here:
                continue
            players.append((seat, p.score, p.points, p.voted, p.idle_since is not None, p.computer))
            if own.points != p.points:
                own.points = p.points
                new[ev.PointsChanged].append(ev.PointsChanged(seat, p.points))
            # Cards in hands and plays never change, so that lists of the same ones compare fast.
            if own.hand != (p.hand, p.blanks, p.discards):
                own.hand = p.hand[:], p.blanks, p.discards
                cards = [(held.slot, held.card) for held in p.hand]
                new[ev.HandChanged].append(ev.HandChanged(seat, cards, p.blanks, p.discards))
            if own.play != p.play:
                own.play = p.play[:]
                new[ev.PlayShown].append(ev.PlayShown(seat, [held.card for held in p.play]))
        if self._players != players:
            self._players = players
            new[ev.PlayersChanged].append(ev.PlayersChanged([ev.Entry(*p) for p in players]))
        events = [event for kind in self.order for event in new[kind]]
        if self._turned != board.turned:
            self._turned = board.turned[:]
            events.append(ev.Turned(board.turned[:]))
        state = _state(board)
        if self._state != state:
            self._state = state
            events.append(state)
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
