"""Card packs as files: small ones by hand, and any at random."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from typing import Any

import pytest
from hypothesis import strategies as st

from parlour.games.quips import packchecks
from parlour.games.quips.decks import ours
from parlour.games.quips.packcards import Black, Pack, White
from parlour.games.quips.packfile import BadPack, read
from parlour.games.quips.packs import gather
from parlour.letters import can_be_seen

OURS = [read(data) for data in ours().values()]
SHELF = gather(OURS)


def white(ident: str, **fields: Any) -> dict[str, Any]:
    return {"id": ident, "content": {"en": f"A {ident}"}, **fields}


def black(ident: str, **fields: Any) -> dict[str, Any]:
    return {"id": ident, "content": {"en": "Hm, ______."}, **fields}


def chain() -> list[dict[str, Any]]:
    """Three tiers of a goose."""
    return [
        white("w_goose", next_tier_id="w_goose_2"),
        white("w_goose_2", tier=1, tier_cost=1, next_tier_id="w_goose_3"),
        white("w_goose_3", tier=2, tier_cost=2),
    ]


def raw_pack(*cards: Any, **fields: Any) -> dict[str, Any]:
    """With these cards, or with the one that a pack needs at least."""
    some = list(cards) or [white("w_only")]
    return {"id": "test", "name": "Test", "cards": some, **fields}


def bytes_of(raw: Any) -> bytes:
    return json.dumps(raw).encode()


def pack_of(*cards: Any, **fields: Any) -> Pack:
    return read(bytes_of(raw_pack(*cards, **fields)))


def reasons(raw: Any) -> list[str]:
    with pytest.raises(BadPack) as wrong:
        read(raw if isinstance(raw, bytes) else bytes_of(raw))
    return wrong.value.reasons


def trophy(*requirements: Any, **fields: Any) -> dict[str, Any]:
    texts = {"name": {"en": "Cup"}, "desc": {"en": "For something."}}
    return {"id": "t_cup", **texts, "requirements": list(requirements), **fields}


_words = st.text(
    st.characters(exclude_characters="<_", exclude_categories=("Cc", "Cs", "Mn", "Me")), max_size=9
)
_texts = st.dictionaries(
    st.sampled_from(["en", "EN-us", "de", "de-at", "zh-hant-tw", "fr-CA"]),
    _words.map(lambda word: f" x  {word}\n"),
    min_size=1,
).filter(lambda texts: not any(c in packchecks._DIRECTIONS for t in texts.values() for c in t))
_flags = st.lists(st.sampled_from(["animal", "Food", "robot"]), max_size=3)
_kinds = st.fixed_dictionaries({"flags": _flags.filter(bool), "custom": st.booleans()})
_requirements = st.recursive(
    st.one_of(
        _kinds.map(lambda kind: {"type": "card_proportion", "min": 0.25, **kind}),
        _kinds.map(lambda kind: {"type": "cards_played", "min": 2, "max": 7, **kind}),
        st.floats(0, 1).map(lambda least: {"type": "win_proportion", "min": least}),
        st.just({"type": "lost_to_bot"}),
    ),
    lambda inner: st.builds(
        lambda kind, of: {"type": kind, "of": of},
        st.sampled_from(["any", "all"]),
        st.lists(inner, min_size=1, max_size=2),
    ),
    max_leaves=3,
)


@st.composite
def raw_packs(draw: st.DrawFn) -> dict[str, Any]:
    """A pack as somebody could have written it: sound, and not tidy at all."""
    cards: list[dict[str, Any]] = []
    for number in range(draw(st.integers(0, 4))):
        height = draw(st.integers(0, 2))
        for tier in range(height + 1):
            card: dict[str, Any] = {"id": f"w_{number}_{tier}", "content": draw(_texts)}
            if draw(st.booleans()):
                card["flags"] = draw(_flags.map(" ".join) | _flags)
            if tier:
                card |= {"tier": tier, "tier_cost": draw(st.integers(1, 9))}
            if tier < height:
                card["next_tier_id"] = f"w_{number}_{tier + 1}"
            cards.append(card)
    for number in range(draw(st.integers(0, 3))):
        pick = draw(st.integers(1, 3))
        gaps = "_______ " * draw(st.sampled_from([0, pick]))
        content = {tag: text + gaps for tag, text in draw(_texts).items()}
        cards.append({"id": f"b_{number}", "content": content, "pick": pick, "draw": pick - 1})
    prizes = [
        {**trophy(*draw(st.lists(_requirements, min_size=1, max_size=2))), "id": f"t_{number}"}
        for number in range(draw(st.integers(0, 2)))
    ]
    return raw_pack(*draw(st.permutations(cards)), trophies=prizes)


def paths(value: Any, so_far: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something is in a nest of objects and lists."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    found: list[tuple[Any, ...]] = []
    for key, inner in inside:
        found.append((*so_far, key))
        if isinstance(inner, dict | list):
            found += paths(inner, (*so_far, key))
    return found


junk = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-3, 9),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12),
    st.sampled_from(["<b>", "w_0_0", "w_0_1", "______ ______", "__", "a" * 300, "\u202e", "\x07"]),
    st.just([]),
    st.just({}),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3),
)


def assert_sound(pack: Pack) -> None:
    """What clients rely on."""
    assert pack.accent in packchecks.ACCENTS
    assert re.fullmatch(r"[A-Za-z0-9_-]+", pack.id)
    ids = [card.id for card in pack.cards]
    assert len(set(ids)) == len(ids)
    cards = {card.id: card for card in pack.cards}
    texts = [card.content for card in pack.cards]
    texts += [text for prize in pack.trophies for text in (prize.name, prize.desc)]
    for content in texts:
        assert "en" in content
        assert all(tag.split("-")[0] in content for tag in content)
        for text in content.values():
            assert text == " ".join(text.split()) != ""
            assert "<" not in text
            assert unicodedata.is_normalized("NFC", text)
            assert can_be_seen(text)
    for card in pack.cards:
        assert re.fullmatch(r"[wb]_[A-Za-z0-9_]+", card.id)
        assert isinstance(card, Black) == card.id.startswith("b_")
        if isinstance(card, White) and card.next_tier_id:
            following = cards[card.next_tier_id]
            assert isinstance(following, White)
            assert following.tier == card.tier + 1
    higher = Counter(card.next_tier_id for card in pack.whites() if card.next_tier_id)
    assert higher == Counter(card.id for card in pack.whites() if card.tier)
