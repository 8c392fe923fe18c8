"""Why a move of MO is good, in a sentence: what it does at once, or that it is the only one."""

from __future__ import annotations

from dataclasses import dataclass

from parlour.cards import ACE, Face
from parlour.games.mo.analysis import lanes, name_of
from parlour.games.mo.board import AIMED, INNERS, OUTER, VALUE, Board
from parlour.games.mo.lane import LaneInfo
from parlour.games.mo.tableau import Tableau
from parlour.kit import Illegal


@dataclass(slots=True)
class Hint:
    """Protocol: "hint". `to` is a pile by its name, `why` a sentence or two."""

    to: str
    why: str


def forced(tableau: Tableau) -> Hint | None:
    """The hint where only one pile takes the next card: it takes no thought. Else None."""
    if tableau.reason:
        raise Illegal("game-over", "This game is over; undo, or deal a new one.")
    valid = tableau.valid
    if len(valid) > 1:
        return None
    return Hint(valid[0], f"Only this pile takes the {name_of(tableau.board.draw[0])}.")


def at_once(board: Board, pile: int) -> str:
    """The best that can be said of playing the next card to `pile`."""
    card = board.draw[0]
    after = board.copy()
    if pile >= INNERS:
        after.play(pile)
        return _outside(after, pile - INNERS, card)
    fallen = [board.royals[o] for o in AIMED[pile] if board.ready(o)]
    if fallen:
        return f"It defeats the {' and the '.join([name_of(royal) for royal in fallen])}."
    recycled, _ = after.play(pile)
    before = {lane.pile: lane for lane in lanes(board)}
    for lane in lanes(after):
        if lane.ready and not before[lane.pile].ready:
            return f"With it the {_royal(after, lane)} {lane.needs}."
    if VALUE[card] <= ACE:
        return _recycled(recycled)
    for lane in lanes(after):
        if _closer(before[lane.pile], lane):
            return f"It strengthens the lane of the {_royal(after, lane)}."
    return "It spoils the least, and leaves room for the cards to come."


def _royal(board: Board, lane: LaneInfo) -> str:
    return f"{name_of(board.royals[OUTER.index(lane.pile)])} on {lane.pile}"


def _closer(before: LaneInfo, after: LaneInfo) -> bool:
    return len(after.wrong) < len(before.wrong) or (
        after.wrong == before.wrong and after.missing < before.missing
    )


def _recycled(cards: bytes) -> str:
    if not cards:
        return "It clears nothing away, and the centre still takes every number."
    if len(cards) == 1:
        return f"It brings the {name_of(cards[0])} back into the draw pile and opens this pile."
    return f"It brings {len(cards)} cards back into the draw pile and opens this pile."


def _outside(after: Board, outer: int, card: Face) -> str:
    royal = after.royals[outer]
    for lane in lanes(after):
        if lane.pile == OUTER[outer] and card == royal:
            return f"The {name_of(royal)} is best met here: it {lane.needs}."
    if royal >= 0:
        return f"The {name_of(royal)} can best be given it: it will count {after.totals[outer]}."
    return "No royal is in play; here it waits for one."
