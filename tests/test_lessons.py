"""Lessons: data that the game's own rules play, and what is wrong with it said to its author."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from parlour.cards import faces
from parlour.choices import Choice, Some
from parlour.games import installed_games
from parlour.games.rummy import GAME
from parlour.games.rummy.lesson import FIRST
from parlour.lessons import Arranged, At, Deck, Do, Lesson, Other, Say, Wait, dealt
from parlour.scenes import Scene, SeatInfo, Thing, Zone, changed, changes, french, named
from parlour.teaching import Expected, LessonError, TaughtLesson, is_expected, taught

SAY = Say("Read.")


def lesson(*steps: Any, **changes: Any) -> Lesson:
    """Rummy's lesson, with other steps."""
    return msgspec.structs.replace(FIRST, steps=steps, **changes)


def wrong(broken: Lesson) -> str:
    with pytest.raises(LessonError) as caught:
        taught(GAME, broken)
    return str(caught.value)


# Chance


def test_cards_lie_on_top_in_the_order_in_which_they_are_drawn() -> None:
    chance = Arranged(
        lesson(SAY, shuffles=[Deck(faces("A♠ 10♥"), faces("K♣ 3♦")), Deck(faces("2♣"))])
    )
    first, second, third = list(range(52)), list(range(52)), list(range(52))
    for cards in (first, second, third):
        chance.shuffle(cards)
        assert sorted(cards) == list(range(52))
    assert [french(first.pop()), french(first.pop())] == ["A♠", "10♥"]
    assert [french(card) for card in first[:2]] == ["K♣", "3♦"]
    assert french(second.pop()) == "2♣"
    assert third != sorted(third)


def test_numbers_come_before_random_ones() -> None:
    chance = Arranged(lesson(SAY, numbers=[5, 0, 3]))
    assert [chance.below(6) for _ in range(3)] == [5, 0, 3]
    assert {chance.below(6) for _ in range(200)} == set(range(6))


def test_cards_and_numbers_that_cannot_be_are_refused() -> None:
    assert "the deal: 52 is not among the cards" in wrong(
        lesson(SAY, shuffles=[Deck(faces("joker"))])
    )
    with pytest.raises(ValueError, match="6 is not below 6"):
        Arranged(lesson(SAY, numbers=[6])).below(6)


def test_hands_are_dealt_one_card_to_each_in_turn() -> None:
    assert dealt("ac", "bd") == ["a", "b", "c", "d"]


# What a learner sees


def scenes(course: TaughtLesson) -> list[dict[str, Any]]:
    """The scene at every sentence, put together from changes as a page does it."""
    scene, found = course.scene, []
    for step in course.steps:
        for change in step.changes:
            scene = changed(scene, change.fields, change.zones, change.order)
        found.append(msgspec.to_builtins(scene))
    return found


def test_changes_lead_from_one_scene_to_the_next() -> None:
    old = Scene(viewer=0, seats=[SeatInfo(0)], zones=[_zone("a"), _zone("b")], prompt="Draw.")
    news = [
        old,
        msgspec.structs.replace(old, prompt="Wait."),
        msgspec.structs.replace(old, zones=[_zone("b"), _zone("a", more=3)]),
        msgspec.structs.replace(old, zones=[_zone("c"), _zone("b")], awaits=[0]),
    ]
    assert [changed(old, *changes(old, new)) for new in news] == news


def _zone(name: str, more: int = 0) -> Zone:
    return Zone(name, name.upper(), "pile", more=more)


def test_only_what_is_to_be_done_has_choices_and_is_among_them() -> None:
    course = taught(GAME, FIRST)
    for step, scene in zip(course.steps, scenes(course), strict=True):
        names = [choice["action"] for choice in scene.get("choices", [])]
        assert (step.expected.action in names) if step.expected else not names


def test_what_happens_between_sentences_is_told_before_the_next() -> None:
    course = taught(GAME, FIRST)
    step = next(each for each in course.steps if "three queens, and" in each.text)
    moves = [change.move for change in step.changes if change.move]
    assert "K♦" in moves[0]
    assert any("Q♥ Q♦ Q♠" in move for move in moves)
    assert "9♣" in moves[-1]


def test_a_learner_is_shown_no_card_of_the_others() -> None:
    for scene in scenes(taught(GAME, FIRST)):
        hands = [zone for zone in scene["zones"] if zone["id"] == "hand 1"]
        assert all("face" not in thing for zone in hands for thing in zone.get("things", []))


def test_the_order_of_cards_in_a_list_does_not_matter() -> None:
    draw = Do("Draw.", "draw", {"card_id": At("deck")})
    one = taught(GAME, lesson(draw, Do("", "meld", {"card_ids": ["5♥", "6♥", "7♥"]}), SAY))
    other = taught(GAME, lesson(draw, Do("", "meld", {"card_ids": ["7♥", "5♥", "6♥"]}), SAY))
    assert one == other


def test_each_of_several_things_that_stand_for_the_same_value_can_be_named() -> None:
    def doubled(picture: Any, choices: Any) -> Scene:
        """Before each card lies another one of the same name: "other 5♥" before 5♥."""
        assert GAME.scene is not None
        scene = GAME.scene(picture, choices)
        zones = [
            msgspec.structs.replace(
                zone,
                things=[
                    each
                    for one in zone.things
                    for each in (Thing(f"{one.id}+", f"other {one.face}", named(one)), one)
                ],
            )
            for zone in scene.zones
        ]
        return msgspec.structs.replace(scene, zones=zones)

    game = replace(GAME, scene=doubled)
    draw = Do("Draw.", "draw", {"card_id": At("deck")})
    for first in ("5♥", "other 5♥"):
        meld = Do("", "meld", {"card_ids": [first, "6♥", "7♥"]})
        assert taught(game, lesson(draw, meld, SAY))


def test_the_order_of_what_is_done_counts_only_where_it_matters() -> None:
    fields = {
        "any": Some(["a", "b", "c"], 1, 2),
        "row": Some(["a", "b", "c"], 1, 2, ordered=True),
    }
    scene = Scene(viewer=0, seats=[], zones=[], prompt="", choices=[Choice("lay", fields)])
    expected = Expected("lay", {"any": ["a", "b"], "row": ["a", "b"]})
    for any_, row, met in (("ab", "ab", True), ("ba", "ab", True), ("ab", "ba", False)):
        assert is_expected(scene, expected, "lay", {"any": [*any_], "row": [*row]}) is met
    assert not is_expected(scene, expected, "lay", {"any": ["a", "c"], "row": ["a", "b"]})
    assert not is_expected(scene, expected, "lay", {"any": ["a", "b"]})
    assert not is_expected(scene, expected, "put", expected.fields)


# What lessons say is what happens


@pytest.mark.parametrize(
    ("game", "said", "happened"),
    [
        ("rummy", "laid down three queens", "Q♥ Q♦ Q♠"),
        ("rummy", "You have won!", "wins the round"),
        ("cambia", "{1} has discarded 9♠", "discards 9♠"),
        ("cambia", "You win!", "The game is over. {0} wins."),
        ("onu", "{1} was skipped", "{1} is skipped."),
        ("onu", "{1} drew two cards", "{1} has to draw 2 cards."),
        ("onu", "you have won", "The game is over. {0} wins."),
        ("quips", "It was {2}'s card", "{2} wins the round:"),
        ("quips", "{1} has chosen your gnome", "{0} wins the round:"),
        ("quips", "This round goes to {1}", "{1} wins the round:"),
    ],
)
def test_what_a_lesson_says_has_happened(game: str, said: str, happened: str) -> None:
    (step,) = [step for step in played(game).steps if said in step.text]
    assert any(happened in change.move for change in step.changes)


def test_the_points_that_lessons_name_are_right() -> None:
    assert scenes(played("rummy"))[-1]["seats"][1]["counters"] == {"points in hand": 18}
    ended = scenes(played("cambia"))[-1]["seats"]
    assert [seat["counters"]["score"] for seat in ended] == [8, 17]


def played(name: str) -> TaughtLesson:
    game = next(game for game in installed_games() if game.id == name)
    return taught(game, game.lessons[0])


# What is wrong with a lesson


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([Do("", "draw", {"card_id": "A♠"}), SAY], "step 1: draw(card_id='A♠') is not among"),
        ([Do("", "draw", {"card_id": "A♠"}), SAY], "can do: draw(card_id="),
        ([SAY, Do("", "discard", {"card_id": "K♦"}), SAY], "step 2: discard("),
        ([Do("", "draw", {"card_id": At("stock")}), SAY], "no thing -1 in the zone stock"),
        ([Do("", "draw", {"card_id": At("deck", 7)}), SAY], "no thing 7 in the zone deck"),
        ([Other(1, "draw", {"card_id": At("deck")}), SAY], "what seat 1 can do: nothing"),
        ([Other(0, "draw", {"card_id": At("deck")}), SAY], "`Do`"),
        ([Wait(), SAY], "step 1: nothing is due"),
        ([Say("{2} is not there.")], "step 1: a text names a player who is not there"),
        ([Do("", "draw", {"card_id": At("deck")}, "{7}?"), SAY], "names a player"),
        ([Say("Look.", look=["stock"])], "there is no zone stock to look at"),
        ([Say("x" * 401)], "more than 400 characters"),
        ([Do("", "draw", {"card_id": At("deck")})], "the last step must be"),
        ([], "the deal"),
    ],
)
def test_an_author_is_told_the_step_and_what_is_wrong(steps: list[Any], said: str) -> None:
    assert said in wrong(lesson(*steps))


def test_a_game_without_a_scene_has_no_lessons() -> None:
    with pytest.raises(LessonError, match="no scene"):
        taught(replace(GAME, scene=None), FIRST)


def test_a_scene_that_raises_ends_the_lesson() -> None:
    def scene(picture: Any, choices: Any) -> Any:
        raise RuntimeError("oops")

    with pytest.raises(LessonError, match="can't be drawn: RuntimeError"):
        taught(replace(GAME, scene=scene), FIRST)
