"""Card packs: whatever the bytes, a sound pack or the reasons."""

from __future__ import annotations

import codecs
import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.games.quips import packcards, packchecks, packfile
from parlour.games.quips.packfile import MAX_BYTES, BadPack, dump, read, recall
from tests.quips.packfiles import (
    assert_sound,
    black,
    bytes_of,
    chain,
    junk,
    pack_of,
    paths,
    raw_pack,
    raw_packs,
    reasons,
    trophy,
    white,
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
            spot[last] = data.draw(junk)
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


@given(st.recursive(junk, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
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
        assert pack.cards
        assert_sound(pack)


@given(raw_packs())
def test_what_was_read_and_written_down_is_read_as_the_same(raw: dict[str, Any]) -> None:
    pack = read(bytes_of(raw))
    assert_sound(pack)
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
        ({"id": "x", "cards": [white("w_a")]}, "Pack, name", "missing"),
        ({"id": "x y", "name": "X", "cards": [white("w_a")]}, "Pack, id", "letters"),
        ({"id": "x", "name": "X", "cards": []}, "Pack, cards", "at least one"),
        ({"id": "x", "name": "X"}, "Pack, cards", "missing"),
        (raw_pack(accent_color="url(x)"), "Pack, accent_color", "colour"),
        (raw_pack(accent="red;x"), "Pack, accent", "limegreen and white"),
        (raw_pack(accent="slategray"), "Pack, accent", "limegreen and white"),
        (raw_pack(accent="#ff0000"), "Pack, accent", "limegreen and white"),
        (raw_pack(name="<b>"), "Pack, name", "<"),
        (raw_pack(author="<b>"), "Pack, author", "<"),
        (raw_pack(name="\u200b\u3164"), "Pack, name", "can be seen"),
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
        (raw_pack({"id": "w_a", "content": {"en": "\u200b \u00ad"}}), "content, en", "can be seen"),
        (raw_pack({"id": "w_a", "content": {"en": "\u3164\u2800"}}), "content, en", "can be seen"),
        (raw_pack({"id": "w_a", "content": {"en": "\u0301"}}), "content, en", "can be seen"),
        (raw_pack({"id": "w_a", "content": {"en": "e" + "\u0301" * 3}}), "content, en", "marks"),
        (raw_pack({"id": "w_a", "content": {"en": "x\u0316\u20dd\u0301"}}), "content, en", "marks"),
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


@pytest.mark.parametrize(
    "text",
    ["1\ufe0f\u20e3", "e\u0302\u0301", "\u0e01\u0e37\u0e48", "\u091c\u093c\u094b\u0902", "!"],
)
def test_texts_that_people_write_are_taken(text: str) -> None:
    """Keycaps, two accents on a letter, Thai, Hindi, a sign alone."""
    pack_of({"id": "w_a", "content": {"en": text}})


def test_a_byte_order_mark_is_no_fault() -> None:
    data = bytes_of(raw_pack(white("w_a")))
    assert read(codecs.BOM_UTF8 + data) == read(data)


@pytest.mark.parametrize(
    "data",
    [
        b'{"id": "x", "id": "x", "name": "X", "cards": [%s]}',
        b'{"id": "x", "name": "X", "cards": [{"id": "w_b", "content": {"en": "b", "en": ""}}]}',
        b'{"id": "x", "name": "X", "cards": [%s], "cards": [%s]}',
    ],
)
def test_a_key_given_twice_is_refused(data: bytes) -> None:
    card = bytes_of(white("w_a"))
    (reason,) = reasons(data.replace(b"%s", card))
    assert "is given twice" in reason


def test_notes_may_be_given_twice() -> None:
    data = bytes_of(raw_pack(white("w_a"))).replace(b"{", b'{"//": 1, "//": 2, ', 1)
    assert read(data) == pack_of(white("w_a"))


def test_what_was_pinned_is_read_whatever_is_refused_since() -> None:
    """A table's log can't be folded without the packs that it names."""
    card = {"id": "w_a", "content": {"en": "e" + "\u0301" * 3, "de-AT": "\u200b"}}
    raw = raw_pack(card, accent="slategray")
    assert len(reasons(raw)) == 3
    pack = recall(bytes_of(raw))
    assert [each.id for each in pack.cards] == ["w_a"]
    assert pack.accent == "black"
    assert pack.cards[0].content["de"] == "\u200b"


@given(raw_packs())
def test_what_is_sound_is_recalled_as_it_was_read(raw: dict[str, Any]) -> None:
    assert recall(bytes_of(raw)) == read(bytes_of(raw)) == recall(dump(read(bytes_of(raw))))


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
    cards = [white(f"w_{number}") for number in range(packchecks.MAX_CARDS + 1)]
    assert "at most 2,000" in reasons(raw_pack(*cards))[0]
    assert len(pack_of(*cards[:-1]).cards) == packchecks.MAX_CARDS
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
    text = "\u00e4" * packcards.MAX_WHITE_TEXT
    cards = [{"id": f"w_{n}", "content": {"de-AT": text}} for n in range(packchecks.MAX_CARDS)]
    data = json.dumps(raw_pack(*cards), ensure_ascii=False).encode()
    assert len(data) <= MAX_BYTES
    assert "Completed" in reasons(data)[0]


def test_reasons_survive_the_way_from_another_process() -> None:
    wrong = pickle.loads(pickle.dumps(BadPack(["One.", "Two."])))
    assert wrong.reasons == ["One.", "Two."]
