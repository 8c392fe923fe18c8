"""What is printed in a pack: white cards, black cards, and their texts by language.

Ring one. Everything here has passed `packfile`: texts are trimmed and complete, ids are
sound, tiers lead upwards. Settings of a table and rules of the game are elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from parlour.games.quips.packtrophies import Trophy

Texts = dict[str, str]
"""A text by language (BCP 47): always with `en`, and `de` beside every `de-AT`. Never changed."""

ENGLISH = "en"


class White(msgspec.Struct, frozen=True, kw_only=True):
    """An answer. Fields are in the order, and have the names, in which clients are sent them."""

    id: str
    content: Texts
    flags: tuple[str, ...] = ()
    """What it is about, for `exclude_content` and for trophies."""
    tier: int = 0
    """0 is dealt; a higher tier is only reached by upgrading, and adds to the winner's score."""
    tier_cost: int = 0
    """What it costs to upgrade the tier below to this one."""
    next_tier_id: str = ""
    """The white card of the same pack that this one can be upgraded to; empty: none."""


class Black(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence with `pick` blanks, or a question that takes `pick` answers."""

    id: str
    content: Texts
    flags: tuple[str, ...] = ()
    pick: int = 1
    draw: int = 0
    """How many extra cards everybody but the judge is dealt."""


Card = White | Black


class Pack(msgspec.Struct, frozen=True, kw_only=True):
    """One pack, checked and complete. `packs.dump` gives its canonical bytes."""

    id: str
    name: str
    author: str = ""
    license: str = ""
    accent: str = "black"
    """One of `packchecks.ACCENTS`."""
    accent_color: str = "#ffffff"
    accent_background: str = "#4a5568"
    cards: tuple[Card, ...] = ()
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
        tags = set(self.cards[0].content)
        for card in self.cards:
            tags &= card.content.keys()
        if self.without_english:
            tags.discard(ENGLISH)
        return sorted(tags)


def bare(tag: str) -> str:
    """The language of a tag: `de` of `de-AT`."""
    return tag.partition("-")[0]


def complete(texts: Mapping[str, str]) -> Texts:
    """`texts`, with a bare key beside every regional one, and an English text in any case."""
    full = dict(texts)
    for tag in sorted(texts):
        full.setdefault(bare(tag), texts[tag])
    full.setdefault(ENGLISH, next(iter(texts.values())))
    return dict(sorted(full.items()))


def text_in(texts: Mapping[str, str], tag: str) -> str:
    """The text for a reader of that language: in its region, in the language, in English."""
    return texts.get(tag) or texts.get(bare(tag)) or texts[ENGLISH]


def with_tag(texts: Texts, tag: str) -> Texts:
    """`texts` that can also be looked up by the reader's exact tag.

    Clients look a trophy's text up by the tag of their browser, without falling back to the
    language of it.
    """
    return texts if not tag or tag in texts else {**texts, tag: text_in(texts, tag)}
