"""The choice of the judge (spec, Rules: "Judge").

Players judge in join order, which is the order of seats, so that nobody's turn changes when
somebody leaves. Players who are idle or have lost their connection are passed over, and bots unless
`bot_czars`. If nobody is left then, people go before bots: an idle person wakes up or is removed.
At a table of bots alone, bots judge.
"""

from __future__ import annotations

from collections.abc import Sequence

from parlour.games.quips.board import Board, Player
from parlour.games.quips.settings import Settings
from parlour.kit import Seat


def fit(player: Player, settings: Settings) -> bool:
    """Whether somebody can be asked to judge now."""
    return player.awake and (settings.bot_czars or not player.computer)


def following(players: Sequence[Player], seat: Seat, settings: Settings) -> Seat:
    """The next judge in join order after `seat`; `seat` itself comes last."""
    order = [(seat + step) % len(players) for step in range(1, len(players) + 1)]
    here = [s for s in order if players[s].here]
    for candidate in here:
        if fit(players[candidate], settings):
            return candidate
    for candidate in here:
        if not players[candidate].computer:
            return candidate
    return here[0]


def next_judge(board: Board, settings: Settings) -> Seat:
    """The judge of the round after this one, which is over."""
    if settings.perma_czar:
        first = board.judge
    elif settings.winner_czar:
        first = board.order[board.winning_play]
    else:
        return following(board.players, board.judge, settings)
    if fit(board.players[first], settings):
        return first
    return following(board.players, first, settings)


def replacement(board: Board, settings: Settings) -> Seat | None:
    """The player who takes over in the middle of a round; None while the judge can go on.

    An idle judge goes on where nobody else could: waking up is then the quickest way.
    """
    judge = board.players[board.judge]
    if judge.here and not judge.idle:
        return None
    other = following(board.players, board.judge, settings)
    if judge.here and not fit(board.players[other], settings):
        return None
    return other
