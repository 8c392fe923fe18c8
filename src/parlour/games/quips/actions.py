"""The actions of Quips (protocol: `c_playcards`, `c_judgecards` and so on).

A card in hand is named by its slot, a number that is the card's own for as long as it is in
that hand and that no later card of that hand is given. So a message that comes twice can't hit
the card that took its place, two cards that read the same are still two, and the log never says
what a card is. The wire finds the slot of a card id in its player's picture (`Picture.name`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(slots=True)
class Play:
    """`c_playcards`: one entry per gap, a slot or the text for a blank card."""

    cards: list[int | str]


@dataclass(slots=True)
class Judge:
    """`c_judgecards`: which of the plays wins, counted from 0."""

    index: int


@dataclass(slots=True)
class Turn:
    """`c_turn`: the judge turns a play over, for all to see; counted from 0."""

    index: int


@dataclass(slots=True)
class Discard:
    """`c_discardcard`."""

    slot: int


@dataclass(slots=True)
class Upgrade:
    """`c_upgradecard`."""

    slot: int


@dataclass(slots=True)
class VoteSkip:
    """`c_vote_skip`: for another black card, or no longer."""

    on: bool


Action = Play | Judge | Turn | Discard | Upgrade | VoteSkip

ACTIONS: Final = (Play, Judge, Turn, Discard, Upgrade, VoteSkip)
