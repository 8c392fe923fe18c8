"""Trophies: what a pack asks for. `results.py` finds out who has earned which."""

from __future__ import annotations

import msgspec

MOST = 1000
"""More cards than anybody plays in a game: the upper bound where a requirement names none."""


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """Which cards a requirement counts: those with one of these marks. No mark at all: every card.

    `cards` are ids of white cards; `custom` are those the player wrote; `upgraded` are those of
    a higher tier.
    """

    flags: tuple[str, ...] = ()
    cards: tuple[str, ...] = ()
    custom: bool = False
    upgraded: bool = False

    def marked(self) -> bool:
        return bool(self.flags or self.cards or self.custom or self.upgraded)


class CardProportion(Kind, frozen=True, kw_only=True, tag="card_proportion", tag_field="type"):
    """Of all cards the player played, the part that is of this kind, from 0 to 1."""

    min: float = 0.0
    max: float = 1.0


class CardsPlayed(Kind, frozen=True, kw_only=True, tag="cards_played", tag_field="type"):
    """How many cards of this kind the player played."""

    min: int = 0
    max: int = MOST


class WinProportion(
    msgspec.Struct, frozen=True, kw_only=True, tag="win_proportion", tag_field="type"
):
    """Of all rounds the player played in, the part they won, from 0 to 1."""

    min: float = 0.0
    max: float = 1.0


class LostToBot(msgspec.Struct, frozen=True, kw_only=True, tag="lost_to_bot", tag_field="type"):
    """A bot is among the winners of the game, and the player is not."""


class AnyOf(msgspec.Struct, frozen=True, kw_only=True, tag="any", tag_field="type"):
    """At least one of these."""

    of: tuple[Requirement, ...]


class AllOf(msgspec.Struct, frozen=True, kw_only=True, tag="all", tag_field="type"):
    """Every one of these."""

    of: tuple[Requirement, ...]


Requirement = CardProportion | CardsPlayed | WinProportion | LostToBot | AnyOf | AllOf


class Trophy(msgspec.Struct, frozen=True, kw_only=True):
    """What is handed out at the end. Of one class, a player gets the highest grade only."""

    id: str
    name: dict[str, str]
    desc: dict[str, str]
    trophy_class: str
    trophy_grade: int = 1
    requirements: tuple[Requirement, ...]
    """All of them have to be met."""
