"""Texts by language, as cards and trophies have them."""

from __future__ import annotations

from typing import Final

Texts = dict[str, str]
"""A text by language (BCP 47): always with `en`, and `de` beside every `de-AT`. Never changed."""

ENGLISH: Final = "en"


def bare(tag: str) -> str:
    """The language of a tag: `de` of `de-AT`."""
    return tag.partition("-")[0]


def complete(texts: Texts) -> Texts:
    """`texts`, with a bare key beside every regional one, and an English text in any case."""
    full = dict(texts)
    for tag in sorted(texts):
        full.setdefault(bare(tag), texts[tag])
    full.setdefault(ENGLISH, next(iter(texts.values())))
    return dict(sorted(full.items()))


def with_tag(texts: Texts, tag: str) -> Texts:
    """`texts` that can also be looked up by the reader's exact tag.

    Clients look a trophy's text up by the tag of their browser, without falling back to the
    language of it, or to English.
    """
    if not tag or tag in texts:
        return texts
    return {**texts, tag: texts.get(bare(tag)) or texts[ENGLISH]}
