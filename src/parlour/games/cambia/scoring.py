"""Scores and winners of a game and of its circuit (spec: "End", "Circuit mode").

In a circuit `falseCambiaPenalty` takes the place of the single game's penalty of 1 and
`winBonus` is added to every winner's score. A player who is gone at the end has no score
(`forfeitOnDisconnect`); their total stays (`freezeUserOnDisconnect`) or grows by their hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from parlour.games.cambia.cards import value_of
from parlour.games.cambia.events import GameEnded, How
from parlour.games.cambia.layout import Layout
from parlour.games.cambia.settings import Settings
from parlour.kit import Seat

_PENALTY: Final = 1


def lowest(scores: Sequence[int | None]) -> list[Seat]:
    """The seats with the lowest score; nobody, when nobody has one."""
    counted = [score for score in scores if score is not None]
    if not counted:
        return []
    best = min(counted)
    return [seat for seat, score in enumerate(scores) if score == best]


def settle(
    layout: Layout,
    settings: Settings,
    caller: Seat | None,
    absent: Sequence[bool],
    totals: list[int] | None,
    how: How,
) -> GameEnded:
    """Turn the cards up and count. `totals` are the circuit's so far; None outside one."""
    seats = range(len(layout.hands))
    sums = [sum(value_of(layout.faces[card]) for card in hand) for hand in layout.hands]
    forfeits = settings.houseRules.forfeitOnDisconnect
    scores = [
        None if how == "abandoned" or (forfeits and absent[seat]) else sums[seat] for seat in seats
    ]
    winners = lowest(scores)
    if caller is not None and caller in winners:
        winners = [caller]

    rules = settings.circuit.rules
    penalty = _PENALTY if totals is None else rules.falseCambiaPenalty
    bonus = 0 if totals is None else rules.winBonus
    added = dict.fromkeys(winners, bonus)
    penalised = False
    if caller is not None and caller not in winners:
        added[caller] = penalty
        penalised = penalty > 0 and scores[caller] is not None
    scores = [
        None if score is None else score + added.get(seat, 0) for seat, score in enumerate(scores)
    ]

    over = False
    champions: list[Seat] = []
    if totals is not None:
        totals = totals[:]
        for seat in seats:
            score = scores[seat]
            if how == "abandoned" or (absent[seat] and rules.freezeUserOnDisconnect):
                continue
            totals[seat] += sums[seat] if score is None else score
        over = max(totals) >= rules.targetScore
        champions = lowest(totals) if over else []
    return GameEnded(
        hands=[[layout.face_up(card) for card in hand] for hand in layout.hands],
        scores=scores,
        winners=winners,
        caller=caller,
        penalty_applied=penalised,
        bonus_applied=bool(bonus and winners),
        how=how,
        totals=totals,
        circuit_over=over,
        champions=champions,
    )


def carried_totals(
    settings: Settings, players: Sequence[str], totals: Mapping[str, int]
) -> dict[str, int]:
    """The totals a game begins with, by player, given those of the circuit's game before; none
    outside a circuit.

    A newcomer starts with the highest total, so that leaving and coming back as somebody else
    gains nothing.
    """
    if not settings.circuit.enabled:
        return {}
    most = max(totals.values(), default=0)
    return {**dict.fromkeys(players, most), **totals}
