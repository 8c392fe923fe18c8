"""The contents of a pack: cards, and trophies with their requirements.

Beside the type of a field is the check by which it is read from a pack's file. Everything here
has passed: texts are trimmed and complete, ids are sound, tiers lead upwards. `packfile` reads
fields without a check itself; `results` finds out who has earned which trophy.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Final

import msgspec

from parlour.games.quips import packchecks as check
from parlour.games.quips.packtexts import ENGLISH, Texts

MAX_WHITE_TEXT: Final = 160
MAX_BLACK_TEXT: Final = 240
MOST: Final = 1000
"""More cards than anybody plays in a game: the upper bound where a requirement names none."""

Label = Annotated[str, check.label]
Accent = Annotated[str, check.accent]
Colour = Annotated[str, check.colour]
Flags = Annotated[tuple[str, ...], check.flags]
NextTier = Annotated[str, check.next_tier_id]
CardId = Annotated[
    str,
    partial(check.ident, form=r"[wb]_[A-Za-z0-9_]+", words="w_ or b_, then letters, digits and _"),
]
PlainId = Annotated[str, partial(check.ident, form=r"[A-Za-z0-9_]+", words="letters, digits and _")]
PackId = Annotated[
    str, partial(check.ident, form=r"[A-Za-z0-9_-]+", words="letters, digits, _ and -")
]


class White(msgspec.Struct, frozen=True, kw_only=True):
    """An answer. Fields are in the order, and have the names, in which clients are sent them."""

    id: CardId
    content: Annotated[Texts, partial(check.texts, longest=MAX_WHITE_TEXT)]
    flags: Flags = ()
    """Its subjects, for `exclude_content` and for trophies."""
    tier: Annotated[int, partial(check.whole, low=0, high=9)] = 0
    """0 is dealt; a higher tier is only reached by upgrading, and adds to the winner's score."""
    tier_cost: Annotated[int, partial(check.whole, low=0, high=99)] = 0
    """The price of an upgrade from the tier below to this one."""
    next_tier_id: NextTier = ""
    """The white card of the same pack that this one can be upgraded to; empty: none."""


class Black(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence with `pick` blanks, or a question that takes `pick` answers."""

    id: CardId
    content: Annotated[Texts, partial(check.texts, longest=MAX_BLACK_TEXT)]
    flags: Flags = ()
    pick: Annotated[int, partial(check.whole, low=1, high=5)] = 1
    draw: Annotated[int, partial(check.whole, low=0, high=5)] = 0
    """How many extra cards everybody but the judge is dealt."""


Card = White | Black


# Requirements of trophies

Least = Annotated[float, partial(check.proportion, usual=0.0)]
Most = Annotated[float, partial(check.proportion, usual=1.0)]


class Kind(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """The cards that a requirement counts: those with one of these marks. No mark: every card.

    `cards` are ids of white cards; `custom` are those the player wrote; `upgraded` are those of
    a higher tier.
    """

    flags: Flags = ()
    cards: Annotated[tuple[str, ...], check.white_ids] = ()
    custom: Annotated[bool, check.yes_or_no] = False
    upgraded: Annotated[bool, check.yes_or_no] = False

    def marked(self) -> bool:
        return bool(self.flags or self.cards or self.custom or self.upgraded)


class CardProportion(Kind, frozen=True, kw_only=True, tag="card_proportion"):
    """Of all cards the player played, the part that is of this kind, from 0 to 1."""

    min: Least = 0.0
    max: Most = 1.0


class CardsPlayed(Kind, frozen=True, kw_only=True, tag="cards_played"):
    """How many cards of this kind the player played."""

    min: Annotated[int, partial(check.whole, low=0, high=MOST)] = 0
    max: Annotated[int, partial(check.whole, low=0, high=MOST)] = MOST


class WinProportion(msgspec.Struct, frozen=True, tag="win_proportion", tag_field="type"):
    """Of all rounds the player played in, the part they won, from 0 to 1."""

    min: Least = 0.0
    max: Most = 1.0


class LostToBot(msgspec.Struct, frozen=True, tag="lost_to_bot", tag_field="type"):
    """A bot is among the winners of the game, and the player is not."""


class AnyOf(msgspec.Struct, frozen=True, tag="any", tag_field="type"):
    """At least one of these."""

    of: tuple[Requirement, ...]


class AllOf(msgspec.Struct, frozen=True, tag="all", tag_field="type"):
    """Every one of these."""

    of: tuple[Requirement, ...]


Requirement = CardProportion | CardsPlayed | WinProportion | LostToBot | AnyOf | AllOf


class Trophy(msgspec.Struct, frozen=True, kw_only=True):
    """A prize at the end of a game. Of one class, a player gets the highest grade only."""

    id: PlainId
    name: Annotated[Texts, partial(check.texts, longest=check.MAX_LABEL)]
    desc: Annotated[Texts, partial(check.texts, longest=MAX_WHITE_TEXT)]
    trophy_class: PlainId = ""
    """The trophy's own id, where its file names none."""
    trophy_grade: Annotated[int, partial(check.whole, low=1, high=9)] = 1
    requirements: tuple[Requirement, ...]
    """All of them have to be met."""


class Pack(msgspec.Struct, frozen=True, kw_only=True):
    """One pack, checked and complete. `packfile.dump` gives its canonical bytes."""

    id: PackId
    name: Annotated[str, check.text]
    author: Label = ""
    license: Label = ""
    accent: Accent = "black"
    accent_color: Colour = "#ffffff"
    accent_background: Colour = "#4a5568"
    cards: tuple[Card, ...]
    trophies: tuple[Trophy, ...] = ()
    without_english: tuple[str, ...] = ()
    """Ids of the cards whose `en` text is a copy of another language's."""

    def whites(self) -> list[White]:
        return [card for card in self.cards if isinstance(card, White)]

    def blacks(self) -> list[Black]:
        return [card for card in self.cards if isinstance(card, Black)]

    def languages(self) -> list[str]:
        """The languages in which every card can be read, by their tags in order."""
        if not self.cards:
            return []
        tags = set.intersection(*(set(card.content) for card in self.cards))
        if self.without_english:
            tags.discard(ENGLISH)
        return sorted(tags)
