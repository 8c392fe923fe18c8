"""The bot of the ONU document, line by line: `python document.py ws://localhost:3000 CHANNEL USER`.

Parlour has this bot as `parlour.onu.DocumentBot`, and `parlour bot onu` runs it. Here it is written
out, as a start for your own.
"""

from __future__ import annotations

import os
import sys

from parlour.onu import NONE, SPECIAL, Action, Bot, Card, Turn


class DocumentBot(Bot):
    """Plays the heaviest card that fits, and otherwise draws."""

    def choose(self, turn: Turn) -> Action:
        color = optimal_color(turn.hand)
        picked = pick_card_index(turn, color)
        return Action.draw(color) if picked is None else Action.play(picked, color)


def optimal_color(hand: tuple[Card, ...]) -> int:
    """The first colour to reach the highest count."""
    counts = [0, 0, 0, 0]
    optimal = 0
    for card in hand:
        if card.Color == SPECIAL:
            continue
        counts[card.Color] += 1
        if counts[card.Color] > counts[optimal]:
            optimal = card.Color
    return optimal


def pick_card_index(turn: Turn, optimal: int) -> int | None:
    """Wilds before matching effects before the rest; of equal weights the first."""
    best, heaviest = None, 0.0
    for index in turn.playable():
        card = turn.hand[index]
        if card.Color == SPECIAL:
            weight = 1.0
        elif card.Effect != NONE and card.Effect == turn.top.Effect:
            weight = 0.75
        else:
            weight = 0.5
        weight += 0.5 if card.Effect != NONE else 0.0
        weight += 0.25 if card.Color == optimal else 0.0
        if weight > heaviest:
            best, heaviest = index, weight
    return best


if __name__ == "__main__":
    url, channel, user = sys.argv[1:4]
    DocumentBot().run(url, channel, user, os.environ.get("PARLOUR_WCP_PASSWORD", ""))
