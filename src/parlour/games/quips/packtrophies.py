"""Trophies: what a pack asks for, and which of them a player has earned by the end of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, final

import msgspec

MOST = 1000
"""More cards than anybody plays in a game: the upper bound where a requirement names none."""

CUSTOM = "custom_"
"""How the id of a card begins whose text the player wrote."""


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


@final
@dataclass(frozen=True, slots=True)
class Tally:
    """What one player did in one game."""

    rounds: int
    """Rounds that were judged with a play of theirs in it."""
    wins: int
    cards: Sequence[str]
    """The ids of all they played in those rounds; a card counts as often as it was played."""
    lost_to_bot: bool = False


class Printed(Protocol):
    """What is asked of a white card here."""

    @property
    def flags(self) -> tuple[str, ...]: ...
    @property
    def tier(self) -> int: ...


def earned(trophies: Sequence[Trophy], tally: Tally, whites: Mapping[str, Printed]) -> list[Trophy]:
    """What the player gets, in the order of `trophies`; nothing without a round played.

    Of two in the same class and of the same grade, the first is kept.
    """
    if tally.rounds <= 0:
        return []
    best: dict[str, Trophy] = {}
    for trophy in trophies:
        if all(_met(requirement, tally, whites) for requirement in trophy.requirements):
            held = best.get(trophy.trophy_class)
            if held is None or held.trophy_grade < trophy.trophy_grade:
                best[trophy.trophy_class] = trophy
    kept = {trophy.id for trophy in best.values()}
    return [trophy for trophy in trophies if trophy.id in kept]


def _met(asked: Requirement, tally: Tally, whites: Mapping[str, Printed]) -> bool:
    match asked:
        case CardProportion():
            # Nobody has played a part of nothing.
            played = len(tally.cards)
            return played > 0 and asked.min <= _count(asked, tally, whites) / played <= asked.max
        case CardsPlayed():
            return asked.min <= _count(asked, tally, whites) <= asked.max
        case WinProportion():
            return asked.min <= tally.wins / tally.rounds <= asked.max
        case LostToBot():
            return tally.lost_to_bot
        case AnyOf():
            return any(_met(one, tally, whites) for one in asked.of)
        case AllOf():
            return all(_met(one, tally, whites) for one in asked.of)


def _count(kind: Kind, tally: Tally, whites: Mapping[str, Printed]) -> int:
    if not kind.marked():
        return len(tally.cards)
    return sum(_is(kind, card, whites.get(card)) for card in tally.cards)


def _is(kind: Kind, card: str, white: Printed | None) -> bool:
    if card in kind.cards or (kind.custom and card.startswith(CUSTOM)):
        return True
    if white is None:
        return False
    return (kind.upgraded and white.tier > 0) or not set(kind.flags).isdisjoint(white.flags)
