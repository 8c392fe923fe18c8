"""Card packs: whatever the bytes, a sound pack or the reasons; and our own packs are worth it."""

from __future__ import annotations

import copy
import json
import pickle
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.games.quips import packchecks, packfile
from parlour.games.quips.decks import ours
from parlour.games.quips.packs import (
    MAX_BYTES,
    BadPack,
    Black,
    Pack,
    Tally,
    Trophy,
    White,
    choose,
    digest,
    dump,
    earned,
    gather,
    read,
    text_in,
    with_tag,
)

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
    return {"id": "test", "name": "Test", "cards": list(cards), **fields}


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


# -- packs at random ------------------------------------------------------------------

_words = st.text(
    st.characters(exclude_characters="<_", exclude_categories=("Cc", "Cs")), max_size=9
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


_junk = st.one_of(
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


@given(raw_packs(), st.data())
def test_a_pack_with_a_mistake_in_it_is_read_or_explained(
    raw: dict[str, Any], data: st.DataObject
) -> None:
    raw = copy.deepcopy(raw)
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from(paths(raw)))
        spot: Any = raw
        for key in way:
            spot = spot[key]
        if data.draw(st.booleans()):
            spot[last] = data.draw(_junk)
        elif isinstance(spot, dict):
            spot[data.draw(st.text(max_size=5))] = spot.pop(last)
        else:
            spot.append(copy.deepcopy(spot[last]))
        if not paths(raw):
            break
    _read_or_explained(bytes_of(raw))


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_explained(data: bytes) -> None:
    _read_or_explained(data)


@given(st.recursive(_junk, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_any_json_is_read_or_explained(raw: Any) -> None:
    _read_or_explained(bytes_of(raw))
    _read_or_explained(bytes_of(raw_pack(raw)))
    _read_or_explained(bytes_of(raw_pack(trophies=[raw, trophy(raw)])))


@given(raw_packs(), st.data())
def test_a_pack_that_was_cut_or_bent_on_its_way_is_read_or_explained(
    raw: dict[str, Any], data: st.DataObject
) -> None:
    whole = bytearray(bytes_of(raw))
    at = data.draw(st.integers(0, len(whole) - 1))
    whole[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    _read_or_explained(bytes(whole))


def _read_or_explained(data: bytes) -> None:
    try:
        pack = read(data)
    except BadPack as wrong:
        assert 1 <= len(wrong.reasons) <= packchecks.MAX_REASONS + 1
        for reason in wrong.reasons:
            # What a stranger wrote must not move the cursor of whoever reads about it.
            assert reason.isprintable(), reason
            assert reason.endswith((".", "?")), reason
            assert len(reason) < 400
    else:
        _assert_sound(pack)


def _assert_sound(pack: Pack) -> None:
    """What clients rely on."""
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
    for card in pack.cards:
        assert re.fullmatch(r"[wb]_[A-Za-z0-9_]+", card.id)
        assert isinstance(card, Black) == card.id.startswith("b_")
        if isinstance(card, White) and card.next_tier_id:
            following = cards[card.next_tier_id]
            assert isinstance(following, White)
            assert following.tier == card.tier + 1
    higher = Counter(card.next_tier_id for card in pack.whites() if card.next_tier_id)
    assert higher == Counter(card.id for card in pack.whites() if card.tier)


@given(raw_packs())
def test_what_was_read_and_written_down_is_read_as_the_same(raw: dict[str, Any]) -> None:
    pack = read(bytes_of(raw))
    _assert_sound(pack)
    written = dump(pack)
    assert read(written) == pack
    assert dump(read(written)) == written


@given(raw_packs(), st.randoms(use_true_random=False))
def test_the_order_of_keys_and_languages_does_not_change_the_bytes(
    raw: dict[str, Any], random: Any
) -> None:
    def stirred(value: Any) -> Any:
        if isinstance(value, list):
            return [stirred(inner) for inner in value]
        if not isinstance(value, dict):
            return value
        items = list(value.items())
        # Without English, the first language is the one that is copied.
        if "id" in value or "en" in value:
            random.shuffle(items)
        return {key: stirred(inner) for key, inner in items}

    assert dump(read(bytes_of(stirred(raw)))) == dump(read(bytes_of(raw)))


# -- what is made complete, and what is not let through -------------------------------


def test_a_missing_language_is_filled_in_from_what_is_there() -> None:
    pack = pack_of(
        {"id": "w_a", "content": {"de-at": "Ein Semmelknödel", "fr": "Une quenelle"}},
        {"id": "w_b", "content": {"en-GB": "A lorry"}},
    )
    first, second = (card.content for card in pack.cards)
    assert first == {
        "de": "Ein Semmelknödel",
        "de-AT": "Ein Semmelknödel",
        "en": "Ein Semmelknödel",
        "fr": "Une quenelle",
    }
    assert second == {"en": "A lorry", "en-GB": "A lorry"}
    assert pack.without_english == ("w_a",)


def test_texts_are_trimmed_and_composed() -> None:
    pack = pack_of({"id": "w_a", "content": {"en": "  Cafe\u0301 \n\t noir "}})
    assert pack.cards[0].content["en"] == "Caf\u00e9 noir"


def test_notes_are_not_read() -> None:
    card = white("w_a")
    card["content"]["//"] = "draft"
    pack = pack_of({**card, "//": "funny?"}, **{"$schema": "x", "// todo": [1]})
    assert pack == pack_of(white("w_a"))


@pytest.mark.parametrize(
    ("raw", "where", "what"),
    [
        (b"\xff", "", "not JSON"),
        (b"[" * 100_000, "", "nested"),
        (b"[]", "", "not a pack"),
        ({"id": "x", "cards": []}, "Pack, name", "missing"),
        ({"id": "x y", "name": "X", "cards": []}, "Pack, id", "letters"),
        ({"id": "x", "name": "X"}, "Pack, cards", "missing"),
        (raw_pack(accent_color="url(x)"), "Pack, accent_color", "colour"),
        (raw_pack(accent="red;x"), "Pack, accent", "colour"),
        (raw_pack(white("w_a"), white("w_a")), "Card 2 (w_a), id", "same"),
        (raw_pack(white("x_a")), "Card 1 (x_a), id", "w_ or b_"),
        (raw_pack(white("w_a-b")), "Card 1 (w_a-b), id", "w_ or b_"),
        (raw_pack(white("w_a\n")), "Card 1, id", "w_ or b_"),
        (raw_pack(white("w_" + "a" * 63)), "id", "64"),
        (raw_pack({"id": "w_a"}), "Card 1 (w_a), content", "language"),
        (raw_pack({"id": "w_a", "content": {"//": "x"}}), "Card 1 (w_a), content", "language"),
        (raw_pack({"id": "w_a", "content": {"english": "x"}}), "content", "'english'"),
        (raw_pack({"id": "w_a", "content": {"de-at": "x", "de-AT": "y"}}), "de-AT", "twice"),
        (raw_pack({"id": "w_a", "content": {"en": " "}}), "content, en", "0 characters"),
        (raw_pack({"id": "w_a", "content": {"en": "a" * 161}}), "content, en", "161 characters"),
        (raw_pack({"id": "w_a", "content": {"en": "I <3 it"}}), "content, en", "<"),
        (raw_pack({"id": "w_a", "content": {"en": "a\x00b"}}), "content, en", "control"),
        (raw_pack({"id": "w_a", "content": {"en": "a\u202eb"}}), "content, en", "control"),
        (raw_pack(white("w_a", teir=1)), "Card 1 (w_a)", "did you mean tier?"),
        (raw_pack(white("w_a", pick=1)), "Card 1 (w_a)", "'pick' is no field"),
        (raw_pack(white("w_a", tier=True)), "Card 1 (w_a), tier", "whole number"),
        (raw_pack(white("w_a", flags=["a b"])), "Card 1 (w_a), flags", "'a b'"),
        (raw_pack(white("w_a", flags=["a"] * 9)), "Card 1 (w_a), flags", "at most 8"),
        (raw_pack(black("b_a", pick=0)), "Card 1 (b_a), pick", "1 to 5"),
        (raw_pack(black("b_a", pick=6)), "Card 1 (b_a), pick", "1 to 5"),
        (raw_pack(black("b_a", draw=-1)), "Card 1 (b_a), draw", "0 to 5"),
        (raw_pack(black("b_a", pick=2)), "Card 1 (b_a), content, en", "1 blanks and pick is 2"),
        (raw_pack({"id": "b_a", "content": {"en": "_____"}}), "content, en", "6 to 8"),
        (raw_pack({"id": "b_a", "content": {"en": "_________"}}), "content, en", "6 to 8"),
        (raw_pack(white("w_a", next_tier_id="w_b")), "next_tier_id", "'w_b' is no white card"),
        (raw_pack(white("w_a", next_tier_id="b_a"), black("b_a")), "next_tier_id", "no white"),
        (raw_pack(white("w_a", next_tier_id="w_a")), "next_tier_id", "circle"),
        (raw_pack(white("w_a", tier=1, tier_cost=1)), "Card 1 (w_a)", "no card of tier 0"),
        (raw_pack(white("w_a", tier_cost=1)), "Card 1 (w_a), tier_cost", "dealt"),
        (
            raw_pack(white("w_a", next_tier_id="w_b"), white("w_b", tier=1)),
            "Card 2 (w_b), tier_cost",
            "costs",
        ),
        (
            raw_pack(*chain(), white("w_swan", next_tier_id="w_goose_2")),
            "Card 4 (w_swan), next_tier_id",
            "only one",
        ),
        (raw_pack(trophies=[4]), "Trophy 1", "object"),
        (raw_pack(trophies=[trophy()]), "Trophy 1 (t_cup), requirements", "none"),
        (raw_pack(trophies=[trophy({"type": "luck"})]), "requirements 1, type", "win_proportion"),
        (
            raw_pack(trophies=[trophy({"type": "card_proportion", "min": 0.5})]),
            "requirements 1",
            "which cards",
        ),
        (
            raw_pack(trophies=[trophy({"type": "win_proportion", "min": 50})]),
            "requirements 1, min",
            "0 to 1",
        ),
        (
            raw_pack(trophies=[trophy({"type": "cards_played", "min": 5, "max": 4})]),
            "requirements 1",
            "nobody",
        ),
        (
            raw_pack(trophies=[trophy({"type": "cards_played", "cards": ["w_z"]})]),
            "requirements 1, cards",
            "'w_z'",
        ),
        (
            raw_pack(trophies=[trophy({"type": "lost_to_bot"})] * 2),
            "Trophy 2 (t_cup), id",
            "same",
        ),
        (raw_pack(without_english=["w_z"]), "Pack, without_english", "'w_z'"),
    ],
)
def test_a_mistake_is_told_with_its_place(raw: Any, where: str, what: str) -> None:
    (reason,) = reasons(raw)
    place, _, sentence = reason.rpartition(": ") if where == "" else reason.partition(": ")
    assert where in place
    assert what in sentence if where else what in reason


def test_all_mistakes_are_told_at_once_but_not_without_end() -> None:
    told = reasons(raw_pack(white("w_a", tier="x"), black("b_a", pick="x"), accent=1))
    assert len(told) == 3
    many = reasons(raw_pack(*(white(f"w_{n}", tier="x") for n in range(500))))
    assert len(many) == packchecks.MAX_REASONS + 1
    assert many[-1] == "There may be more; mend these first."


def test_a_chain_that_bites_its_tail_is_refused() -> None:
    cards = chain()
    cards[2]["next_tier_id"] = "w_goose_2"
    assert any("never in a circle" in reason for reason in reasons(raw_pack(*cards)))


def test_everything_is_bounded() -> None:
    assert "bytes" in reasons(b" " * (MAX_BYTES + 1))[0]
    cards = [white(f"w_{number}") for number in range(packfile.MAX_CARDS + 1)]
    assert "at most 2,000" in reasons(raw_pack(*cards))[0]
    assert len(pack_of(*cards[:-1]).cards) == packfile.MAX_CARDS
    prizes = [trophy({"type": "lost_to_bot"}, id=f"t_{n}") for n in range(51)]
    assert "at most 50" in reasons(raw_pack(trophies=prizes))[0]
    tags = [f"{a}{b}" for a in "abc" for b in "abcde"]
    many = {"id": "w_a", "content": dict.fromkeys(tags[:13], "x")}
    assert "13 languages" in reasons(raw_pack(many))[0]
    # With the bare languages that are filled in, these are too many as well.
    regional = {"id": "w_a", "content": {f"{tag}-AT": "x" for tag in tags[:7]}}
    assert "15" in reasons(raw_pack(regional))[0]


def test_requirements_are_bounded_in_number_and_depth() -> None:
    deep: dict[str, Any] = {"type": "lost_to_bot"}
    for _ in range(packfile.MAX_DEPTH - 1):
        deep = {"type": "any", "of": [deep]}
    pack_of(trophies=[trophy(deep)])
    assert (
        "inside each other"
        in reasons(raw_pack(trophies=[trophy({"type": "all", "of": [deep]})]))[0]
    )
    wide = {"type": "any", "of": [{"type": "lost_to_bot"}] * 19}
    pack_of(trophies=[trophy(wide)])
    assert "at most 20" in reasons(raw_pack(trophies=[trophy(wide, wide)]))[0]


def test_a_pack_that_is_too_large_once_it_is_complete_is_refused() -> None:
    text = "\u00e4" * packfile.MAX_WHITE_TEXT
    cards = [{"id": f"w_{n}", "content": {"de-AT": text}} for n in range(packfile.MAX_CARDS)]
    data = json.dumps(raw_pack(*cards), ensure_ascii=False).encode()
    assert len(data) <= MAX_BYTES
    assert "Completed" in reasons(data)[0]


def test_reasons_survive_the_way_from_another_process() -> None:
    wrong = pickle.loads(pickle.dumps(BadPack(["One.", "Two."])))
    assert wrong.reasons == ["One.", "Two."]


def test_the_digest_pins_every_byte() -> None:
    data = dump(OURS[0])
    assert digest(data) == digest(bytes(data)) != digest(data + b" ")
    assert digest(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


# -- several packs, and what a table wants of them ------------------------------------


def test_of_two_cards_with_one_id_the_first_packs_is_used_and_the_other_is_told() -> None:
    first = pack_of(white("w_goose_2"), black("b_a"))
    second = pack_of(*chain(), black("b_b"), id="late")
    shelf = gather([first, second])
    assert shelf.whites["w_goose_2"] == first.cards[0]
    # Its own goose can't become the first pack's, and the third tier can't be reached any more.
    assert [card.id for card in shelf.packs[1].cards] == ["w_goose", "b_b"]
    assert shelf.whites["w_goose"].next_tier_id == ""
    assert len(shelf.duplicates) == 1
    assert "w_goose_2 of pack late" in shelf.duplicates[0]
    assert "pack test" in shelf.duplicates[0]


def test_the_same_pack_twice_is_used_once() -> None:
    shelf = gather([OURS[0], OURS[0]])
    assert shelf.packs == (OURS[0],)
    assert shelf.duplicates == (f"Pack {OURS[0].id} is there twice; the first one is used.",)


def test_of_two_trophies_with_one_id_the_first_packs_is_used() -> None:
    prize = trophy({"type": "lost_to_bot"})
    shelf = gather([pack_of(trophies=[prize]), pack_of(id="late", trophies=[prize])])
    assert [len(pack.trophies) for pack in shelf.packs] == [1, 0]
    assert len(shelf.trophies) == 1
    assert "Trophy t_cup of pack late" in shelf.duplicates[0]


def test_only_the_lowest_tier_is_dealt_and_each_card_knows_its_base() -> None:
    shelf = gather([pack_of(white("w_z"), *reversed(chain()), white("w_a"))])
    assert shelf.dealt() == ["w_z", "w_goose", "w_a"]
    assert shelf.bases == {
        "w_goose_3": "w_goose",
        "w_goose_2": "w_goose",
        "w_goose": "w_goose",
        "w_a": "w_a",
        "w_z": "w_z",
    }


@given(
    st.lists(raw_packs(), max_size=3),
    st.sets(st.sampled_from(["animal", "food", "robot"])),
    st.sets(st.sampled_from(["en", "de", "de-AT", "fr-FR"])),
    st.booleans(),
    st.booleans(),
)
def test_what_is_left_of_packs_is_sound_and_wanted(
    raws: list[dict[str, Any]],
    flags: set[str],
    languages: set[str],
    pick_one_only: bool,
    upgrades: bool,
) -> None:
    packs = [read(bytes_of({**raw, "id": f"p{n}"})) for n, raw in enumerate(raws)]
    left = choose(
        packs,
        exclude_content=flags,
        require_languages=languages,
        pick_one_only=pick_one_only,
        upgrades=upgrades,
    )
    shelf = gather(left)
    for pack in (*left, *shelf.packs):
        _assert_sound(pack)
    for pack in left:
        assert pack.cards
        for card in pack.cards:
            assert flags.isdisjoint(card.flags)
            assert all(tag.split("-")[0] in card.content for tag in languages)
            assert not ("en" in languages and card.id in pack.without_english)
            assert not (pick_one_only and isinstance(card, Black) and card.pick > 1)
            assert upgrades or isinstance(card, Black) or (card.tier, card.next_tier_id) == (0, "")
    # What stands on its own and is wanted is still there.
    kept = {(pack.id, card.id) for pack in left for card in pack.cards}
    for pack in packs:
        for card in pack.cards:
            alone = isinstance(card, White) and card.tier == 0
            easy = isinstance(card, Black) and (card.pick == 1 or not pick_one_only)
            speaks = all(tag.split("-")[0] in card.content for tag in languages)
            speaks = speaks and not ("en" in languages and card.id in pack.without_english)
            if (alone or easy) and speaks and flags.isdisjoint(card.flags):
                assert (pack.id, card.id) in kept


def test_packs_are_chosen_by_their_ids() -> None:
    ids = [pack.id for pack in OURS]
    assert [pack.id for pack in choose(OURS)] == ids
    assert [pack.id for pack in choose(OURS, use_packs=[ids[1]])] == [ids[1]]
    assert [pack.id for pack in choose(OURS, exclude_packs=[ids[1]])] == [ids[0], ids[2]]
    assert choose(OURS, use_packs=[ids[1]], exclude_packs=[ids[1]]) == ()


def test_content_is_excluded_however_its_flag_is_written() -> None:
    packs = [pack_of(white("w_cat", flags=["Animal"]), white("w_pan"))]
    (left,) = choose(packs, exclude_content=["ANIMAL"])
    assert [card.id for card in left.cards] == ["w_pan"]


def test_a_reader_gets_the_nearest_language() -> None:
    texts = {"en": "A", "de": "B", "de-AT": "C"}
    assert [text_in(texts, tag) for tag in ("de-AT", "de-CH", "de", "fr", "")] == list("CBBAA")
    assert with_tag(texts, "de-CH") == {**texts, "de-CH": "B"}
    assert with_tag(texts, "de") is texts
    assert with_tag(texts, "") is texts


# -- trophies -------------------------------------------------------------------------


def won(tally: Tally, *prizes: dict[str, Any]) -> list[str]:
    cards = [white("w_cat", flags=["animal"]), white("w_pan"), *chain()]
    shelf = gather([pack_of(*cards, trophies=list(prizes))])
    return [prize.id for prize in earned(shelf.trophies, tally, shelf.whites)]


@pytest.mark.parametrize(
    ("asked", "cards", "is_met"),
    [
        ({"type": "card_proportion", "flags": ["animal"], "min": 0.5}, "w_cat w_pan", True),
        ({"type": "card_proportion", "flags": ["animal"], "min": 0.51}, "w_cat w_pan", False),
        ({"type": "card_proportion", "flags": ["animal"], "max": 0.4}, "w_cat w_pan", False),
        ({"type": "card_proportion", "flags": ["animal"], "min": 0}, "", False),
        ({"type": "card_proportion", "custom": True, "min": 1}, "custom_eA==", True),
        ({"type": "cards_played", "min": 2}, "w_cat custom_eA==", True),
        ({"type": "cards_played", "min": 3}, "w_cat w_cat", False),
        ({"type": "cards_played", "max": 1}, "w_cat w_cat", False),
        ({"type": "cards_played", "cards": ["w_pan"], "min": 2}, "w_pan w_pan w_cat", True),
        ({"type": "cards_played", "cards": ["w_pan"], "min": 2}, "w_pan w_cat", False),
        ({"type": "cards_played", "custom": True, "min": 1}, "w_cat", False),
        ({"type": "cards_played", "upgraded": True, "min": 1}, "w_goose_2", True),
        ({"type": "cards_played", "upgraded": True, "min": 1}, "w_goose", False),
        ({"type": "win_proportion", "min": 0.5}, "", True),
        ({"type": "win_proportion", "min": 0.51}, "", False),
        ({"type": "win_proportion", "max": 0.49}, "", False),
        ({"type": "lost_to_bot"}, "", False),
    ],
)
def test_a_trophy_is_earned_by_what_it_asks_for(
    asked: dict[str, Any], cards: str, is_met: bool
) -> None:
    tally = Tally(rounds=4, wins=2, cards=cards.split())
    assert won(tally, trophy(asked)) == (["t_cup"] if is_met else [])
    lost = {"type": "lost_to_bot"}
    for kind, with_loss, without in (("any", True, is_met), ("all", is_met, False)):
        both = trophy({"type": kind, "of": [asked, lost]})
        beaten = Tally(rounds=4, wins=2, cards=cards.split(), lost_to_bot=True)
        assert bool(won(beaten, both)) == (with_loss or asked == lost)
        assert bool(won(tally, both)) == without


def test_who_played_no_round_gets_nothing() -> None:
    prize = trophy({"type": "win_proportion"})
    assert won(Tally(rounds=0, wins=0, cards=[]), prize) == []
    assert won(Tally(rounds=1, wins=0, cards=["w_cat"]), prize) == ["t_cup"]


def test_of_a_class_the_highest_grade_is_kept() -> None:
    def grade(number: int, least: float, of: str = "wit") -> dict[str, Any]:
        asked = {"type": "win_proportion", "min": least}
        return trophy(asked, id=f"t_{of}_{number}", trophy_class=of, trophy_grade=number)

    prizes = [grade(2, 0.5), grade(1, 0.25), grade(3, 0.75), grade(1, 0, "luck")]
    assert won(Tally(rounds=4, wins=2, cards=[]), *prizes) == ["t_wit_2", "t_luck_1"]
    assert won(Tally(rounds=4, wins=4, cards=[]), *prizes) == ["t_wit_3", "t_luck_1"]
    assert won(Tally(rounds=4, wins=1, cards=[]), *prizes) == ["t_wit_1", "t_luck_1"]


def test_without_a_class_a_trophy_is_one_of_its_own() -> None:
    pack = pack_of(trophies=[trophy({"type": "lost_to_bot"})])
    assert pack.trophies[0].trophy_class == "t_cup"


def test_the_examples_of_the_documentation_are_sound() -> None:
    page = (Path(__file__).parents[2] / "docs" / "packs.md").read_text()
    whole, cards, prize = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    pack = json.loads(whole)
    read(bytes_of(pack))
    tiers = json.loads(f"[{cards}]")
    _assert_sound(pack_of(pack["cards"][0], *tiers, trophies=[json.loads(prize)]))


# -- our own packs --------------------------------------------------------------------


def test_our_packs_are_large_enough_and_have_everything() -> None:
    assert len(OURS) >= 2
    assert len(SHELF.blacks) >= 60
    assert len(SHELF.dealt()) >= 240
    assert {card.pick for card in SHELF.blacks.values()} == {1, 2, 3}
    assert any(card.draw for card in SHELF.blacks.values())
    assert {card.tier for card in SHELF.whites.values()} == {0, 1, 2}
    assert SHELF.duplicates == ()
    for pack in OURS:
        assert len(pack.trophies) >= 3
        assert len(pack.blacks()) >= 20
        # Ten at a table hold a hundred cards; one pack alone should do for half of them.
        assert len([card for card in pack.whites() if card.tier == 0]) >= 60


def test_our_packs_are_whole_in_both_languages() -> None:
    for pack in OURS:
        assert pack.languages() == ["de", "en"]
        for prize in pack.trophies:
            assert set(prize.name) == set(prize.desc) == {"de", "en"}


@pytest.mark.parametrize("language", ["en", "de"])
def test_none_of_our_texts_is_there_twice(language: str) -> None:
    texts = [card.content[language].casefold() for pack in OURS for card in pack.cards]
    assert [text for text, count in Counter(texts).items() if count > 1] == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_our_cards_can_be_read_on_a_phone(language: str) -> None:
    for card in SHELF.whites.values():
        assert len(card.content[language]) <= 110, card.id
    for black_card in SHELF.blacks.values():
        assert len(black_card.content[language]) <= 120, black_card.id
    for text in [card.content[language] for pack in OURS for card in pack.cards]:
        assert max(map(len, text.split())) <= 28, text


@pytest.mark.parametrize("language", ["en", "de"])
def test_our_white_cards_fit_into_a_sentence(language: str) -> None:
    """No full stop at the end, quotation marks of the language, in pairs."""
    marks = {"en": ("“", "”"), "de": ("„", "“")}[language]
    for pack in OURS:
        for card in pack.cards:
            text = card.content[language]
            assert '"' not in text, card.id
            opened, closed = (text.count(mark) for mark in marks)
            assert opened == closed, card.id
            if isinstance(card, White):
                assert text[-1] not in ".!?,", card.id
                assert text[0].isupper() or not text[0].isalpha(), card.id
            else:
                assert re.search(r"[.!?“”]$", text), card.id


def test_our_black_cards_have_the_same_blanks_in_both_languages() -> None:
    for card in SHELF.blacks.values():
        counts = {len(re.findall("_{6,8}", card.content[tag])) for tag in ("en", "de")}
        assert len(counts) == 1, card.id


def test_our_upgrades_get_dearer_and_keep_their_flags() -> None:
    for card in SHELF.whites.values():
        if card.next_tier_id:
            following = SHELF.whites[card.next_tier_id]
            assert following.tier_cost > card.tier_cost
            assert following.flags == card.flags


def test_every_flag_our_trophies_ask_for_is_on_some_of_our_cards() -> None:
    flags = {flag for card in SHELF.whites.values() for flag in card.flags}
    asked = set(re.findall(r'"flags":\[([^\]]*)\]', msgspec.json.encode(SHELF.trophies).decode()))
    assert {flag for names in asked for flag in re.findall(r"\w+", names)} <= flags


def test_every_trophy_of_ours_can_be_earned() -> None:
    """By somebody who plays one kind of card again and again, and wins everything or nothing."""
    kinds = [[card] for card in SHELF.whites] + [["custom_eA=="]]
    kinds += [[a, b] for a in SHELF.dealt()[::9] for b in SHELF.dealt()[::7]]
    got: set[str] = set()
    for prize in SHELF.trophies:
        for kind in kinds:
            for wins in (0, 2, 3, 6):
                tally = Tally(rounds=8, wins=wins, cards=kind * 6, lost_to_bot=True)
                if earned([prize], tally, SHELF.whites):
                    got.add(prize.id)
    assert got == {prize.id for prize in SHELF.trophies}


def test_a_trophy_says_its_name_in_the_readers_own_tag() -> None:
    prize: Trophy = SHELF.trophies[0]
    assert with_tag(prize.name, "de-AT")["de-AT"] == prize.name["de"]
