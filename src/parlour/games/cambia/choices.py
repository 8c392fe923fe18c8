"""Cambia's legal actions as choices, in words for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from parlour.choices import Choice, Choices, One, factored
from parlour.games.cambia.actions import Action, Special

ABILITIES: Final = {
    "peek_self": "look at a card of yours",
    "peek_other": "look at somebody else's card",
    "swap_blind": "swap two cards unseen",
    "swap_peek": "look at two cards",
    "swap_peek_swap": "swap the two",
    "skip": "leave it",
}
"""The abilities, in words."""

_LABELS: Final = {
    "draw_stockpile": "Draw",
    "draw_discard": "Take the discard",
    "call_cambia": "Call Cambia",
    "discard_drawn": "Discard it",
    "replace": "Put it here",
    "special": "Use the card",
    "snap": "Snap",
    "snap_move": "Hand it over",
}


def choices_of(legal: Sequence[Action]) -> Choices:
    """The same actions; of two cards, either may be named first."""
    pairs: list[Special] = []
    others: list[Action] = []
    for action in legal:
        if isinstance(action, Special) and action.special in ("swap_blind", "swap_peek"):
            pairs.append(action)
        else:
            others.append(action)
    found = factored(others, optional=("snap",))
    if pairs:
        # Every pair of these cards is legal.
        cards = list(dict.fromkeys(card for each in pairs for card in (each.card1, each.card2)))
        fields = {
            "special": One([pairs[0].special]),
            "card1": One(cards),
            "card2": One(cards, unlike="card1"),
        }
        found.insert(0, Choice("special", fields))
    return [labelled for choice in found for labelled in _labelled(choice)]


def _labelled(choice: Choice) -> list[Choice]:
    """The same with words. What can be done with an ability is a choice each, so that it has a
    button of its own."""
    choice = replace(choice, label=_LABELS[choice.action])
    ability = choice.fields.get("special")
    if not isinstance(ability, One):
        return [choice]
    return [
        replace(
            choice, fields={**choice.fields, "special": One([each], words=[ABILITIES[str(each)]])}
        )
        for each in ability.of
    ]
