"""Several packs, and what a table wants of them."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from parlour.games.quips.packcards import Black, White
from parlour.games.quips.packfile import read
from parlour.games.quips.packs import choose, gather
from parlour.games.quips.packtexts import with_tag
from parlour.games.quips.settings import Settings
from tests.quips.packfiles import (
    OURS,
    assert_sound,
    black,
    bytes_of,
    chain,
    pack_of,
    raw_packs,
    trophy,
    white,
)


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
    late = pack_of(white("w_late"), id="late", trophies=[prize])
    shelf = gather([pack_of(trophies=[prize]), late])
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
        Settings(
            exclude_content=tuple(flags),
            require_languages=tuple(languages),
            pick_one_only=pick_one_only,
            enable_upgrades=upgrades,
        ),
    )
    shelf = gather(left)
    for pack in (*left, *shelf.packs):
        assert_sound(pack)
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
    assert [pack.id for pack in choose(OURS, Settings())] == ids
    assert [pack.id for pack in choose(OURS, Settings(use_packs=(ids[1],)))] == [ids[1]]
    assert [pack.id for pack in choose(OURS, Settings(exclude_packs=(ids[1],)))] == [ids[0], ids[2]]
    both = Settings(use_packs=(ids[1],), exclude_packs=(ids[1],))
    assert choose(OURS, both) == ()


def test_content_is_excluded_however_its_flag_is_written() -> None:
    packs = [pack_of(white("w_cat", flags=["Animal"]), white("w_pan"))]
    (left,) = choose(packs, Settings(exclude_content=("ANIMAL",)))
    assert [card.id for card in left.cards] == ["w_pan"]


def test_a_reader_gets_the_nearest_language() -> None:
    texts = {"en": "A", "de": "B", "de-AT": "C"}
    tags = ("de-AT", "de-CH", "de", "fr")
    assert [with_tag(texts, tag)[tag] for tag in tags] == list("CBBA")
    assert with_tag(texts, "de-CH") == {**texts, "de-CH": "B"}
    assert with_tag(texts, "de") is texts
    assert with_tag(texts, "") is texts
