"""What a scene of Quips shows, which plays its choices allow, and rounds in words."""

from __future__ import annotations

from parlour.choices import admits
from parlour.games.quips import GAME
from parlour.games.quips.actions import Play, Turn, VoteSkip
from parlour.games.quips.events import view
from parlour.games.quips.picture import Picture
from parlour.games.quips.scene import scene, words
from parlour.kit import Seat
from parlour.scenes import faults
from parlour.show import Show
from tests.quips.tools import Table, black, pack, white


def table(pick: int = 1) -> Table:
    cards = [*(white(number) for number in range(60)), black(1, pick), black(2, pick)]
    return Table(3, content=pack(cards), blank_cards=1)


def told(played: Table, viewer: Seat | None) -> list[str]:
    """The game so far in sentences."""
    picture, said = Picture(viewer), []
    for event in played.story:
        shown = view(event, viewer)
        if shown is not None:
            said.append(words(shown, picture))
            picture.see(shown)
    return [sentence for sentence in said if sentence]


def test_a_play_may_mix_cards_in_any_order_with_as_many_texts_as_there_are_blanks() -> None:
    played = table(pick=2)
    first, second, *_ = [slot for slot, _ in played.pictures[1].hand]
    choices = played.match.choices(1)
    assert admits(choices, Play([second, first]))
    assert admits(choices, Play(["mine", first]))
    assert not admits(choices, Play(["mine", "and mine"]))
    assert not admits(choices, Play([first, first]))
    assert not any(choice.action == "play" for choice in played.match.choices(0))


def test_a_vote_is_offered_as_a_change() -> None:
    played = table()
    assert admits(played.match.choices(1), VoteSkip(True))
    played.do(1, VoteSkip(True))
    choices = played.match.choices(1)
    assert admits(choices, VoteSkip(False))
    assert not admits(choices, VoteSkip(True))


def test_only_its_owner_sees_a_hand_and_nobody_sees_plays_before_all_have_played() -> None:
    played = table()
    played.play(1)
    zones = {
        viewer: [zone.id for zone in scene(played.pictures[viewer], ()).zones]
        for viewer in (1, 2, None)
    }
    assert zones == {1: ["black", "mine", "hand"], 2: ["black", "hand"], None: ["black"]}
    played.play(2)
    shown = scene(played.pictures[None], ())
    assert [zone.id for zone in shown.zones] == ["black", "play 0", "play 1"]
    assert list(shown.awaits) == [0]


def test_once_it_is_over_every_hand_and_every_play_is_shown_to_who_looks_at_all() -> None:
    played = table()
    played.play(1)

    def shown(all_open: bool) -> dict[str, list[str | None]]:
        show = Show(GAME, None, _raise, all_open)
        show.catch_up(played.story, None)
        assert show.scene is not None
        assert not list(faults(show.scene))
        return {zone.id: [thing.face for thing in zone.things] for zone in show.scene.zones}

    hands = {
        f"hand {seat}": [_text(played, card) for _, card in played.pictures[seat].hand]
        for seat in range(3)
    }
    found = shown(all_open=True)
    assert {zone: found[zone] for zone in hands} == hands
    assert found["played 1"] == [_text(played, played.pictures[1].played[0])]
    assert list(found) == ["black", "hand 0", "played 1", "hand 1", "hand 2"]
    assert list(shown(all_open=False)) == ["black"]


def test_cards_say_what_is_read_what_wins_and_what_was_written() -> None:
    played = table()
    played.do(1, Play(["mine"]))
    played.play(2)
    played.do(0, Turn(1))
    played.do(0, Turn(0))
    reading = {tuple(marks) for marks in _marks(played)}
    assert reading in (
        {("being read",), ("turned over", "handwritten")},
        {("being read", "handwritten"), ("turned over",)},
    )
    played.judge(1)
    assert sorted(_marks(played)) == [[], ["wins", "handwritten"]]


def test_a_round_in_words_fills_the_gap_and_braces_stand_for_nobody() -> None:
    played = table()
    played.do(1, Play(["{2}"]))
    played.play(2)
    played.judge(1)
    number = played.state.black.removeprefix("b_")
    assert told(played, None) == [
        "The game begins.",
        f"Round 1: {{0}} judges. {number}: ______",
        "{1} has played.",
        "{0} is to judge 2 plays.",
        f"{{1}} wins the round: {number}: (2)",
    ]
    assert told(played, 1)[2] == "{1} plays (2)."


def _text(played: Table, card: str) -> str:
    return played.pictures[None].shelf.whites[card].content["en"]


def _marks(played: Table) -> list[list[str]]:
    """What is said of the cards that were played, as spectators see them."""
    zones = scene(played.pictures[None], ()).zones
    return [list(zone.things[0].marks) for zone in zones if zone.id.startswith("play ")]


def _raise(error: Exception) -> None:
    raise error
