"""One viewer's show of a match: a frame after each event, whatever a game's descriptions do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from msgspec.structs import replace as changed

from parlour.choices import Choices
from parlour.kit import Picture, Setup
from parlour.rng import FastRng
from parlour.scenes import Scene, SeatInfo, Thing, Zone
from parlour.show import LARGEST, LONGEST_MOVE, Show, opened
from parlour.table import events as tell
from tests import highcard
from tests.highcard import HIDDEN, Dealt, Fumbled, HighPicture, Laid, Lay


def scene(picture: HighPicture, choices: Choices) -> Scene:
    return Scene(
        viewer=picture.viewer,
        seats=[SeatInfo(0), SeatInfo(1)],
        zones=[Zone("events", "Events", "text", more=len(picture.shown))],
        prompt="",
        choices=choices,
    )


def words(event: highcard.Event, picture: HighPicture) -> str:
    match event:
        case Laid(seat, card):
            return f"{{{seat}}} lays {card}."
        case _:
            return ""


GAME = replace(highcard.GAME, scene=scene, words=words)
EVENTS = [Laid(0, 5), tell.LobbyChanged(), Fumbled(1), Laid(1, 6)]


def match() -> highcard.HighCard:
    dealt, _ = highcard.deal(Setup(highcard.Settings(), ["a", "b"]), FastRng(1), 0)
    return dealt


def show(
    seat: int | None = 0, all_open: bool = False, **changed: Any
) -> tuple[Show, list[Exception]]:
    failures: list[Exception] = []
    return Show(replace(GAME, **changed), seat, failures.append, all_open), failures


def test_each_event_of_a_match_makes_a_frame_and_the_last_has_the_choices() -> None:
    shown, failures = show()
    shown.catch_up([Dealt(0, [1])], None)
    before = shown.scene
    frames = shown.frames(EVENTS, match())
    assert [frame.move for frame in frames] == ["{0} lays 5.", "", f"{{1}} lays {HIDDEN}."]
    assert [frame.scene and frame.scene.zones[0].more for frame in frames] == [2, 3, 4]
    assert [frame.before for frame in frames] == [before, *(f.scene for f in frames[:-1])]
    assert [bool(frame.scene and frame.scene.choices) for frame in frames] == [False, False, True]
    assert failures == []


def test_without_events_of_the_match_there_is_a_frame_with_the_choices() -> None:
    shown, _ = show()
    (frame,) = shown.frames([tell.LobbyChanged()], match())
    assert frame.scene is not None
    assert frame.scene.choices
    assert frame.move == ""
    (frame,) = shown.frames([], None)
    assert frame.scene is not None
    assert not frame.scene.choices


def test_spectators_have_no_choices_and_see_hidden_cards_only_if_all_is_open() -> None:
    for all_open, told in ((False, HIDDEN), (True, 5)):
        shown, _ = show(None, all_open)
        (frame,) = shown.frames(EVENTS[:1], match())
        assert list(shown.moves) == [frame.move] == [f"{{0}} lays {told}."]
        assert frame.scene is not None
        assert not frame.scene.choices


def fails(*arguments: object) -> Any:
    raise ZeroDivisionError


class Unfolded(Picture[object]):
    def see(self, event: object) -> None:
        raise ZeroDivisionError


def test_what_a_description_raises_is_told_and_the_show_goes_on() -> None:
    broken: dict[str, Callable[..., object]] = {"scene": fails, "picture": Unfolded}
    for name, function in broken.items():
        shown, failures = show(**{name: function})
        frames = shown.frames(EVENTS, match())
        assert [frame.scene for frame in frames] == [None, None, None]
        assert frames[0].move == "{0} lays 5."
        assert all(isinstance(failure, ZeroDivisionError) for failure in failures)
        assert failures
    shown, failures = show(words=fails)
    assert [bool(frame.scene) for frame in shown.frames(EVENTS, match())] == [True] * 3
    assert len(failures) == 3


def test_who_can_not_be_told_what_to_do_is_told_that_there_is_no_scene() -> None:
    """Else they would wait for themselves."""

    class Broken(highcard.HighCard):
        def legal(self, seat: int) -> list[Lay]:
            raise ZeroDivisionError

    shown, failures = show()
    (frame,) = shown.frames(EVENTS[:1], Broken(highcard.Settings(), ["a", "b"]))
    assert frame.scene is None
    assert len(failures) == 1


def test_words_that_are_no_text_are_left_out() -> None:
    shown, failures = show(words=lambda event, picture: ["no", "text"])
    assert [frame.move for frame in shown.frames(EVENTS, match())] == ["", "", ""]
    assert all("['no', 'text']" in str(failure) for failure in failures)
    assert failures


def test_scenes_and_sentences_are_no_longer_than_they_may_be() -> None:
    def long(picture: HighPicture, choices: Choices) -> Scene:
        return changed(scene(picture, choices), prompt="x" * LARGEST)

    shown, failures = show(scene=long, words=lambda event, picture: "x" * (LONGEST_MOVE + 1))
    (frame,) = shown.frames(EVENTS[:1], None)
    assert frame.scene is None
    assert len(frame.move) == LONGEST_MOVE
    assert "too large" in str(failures[0])


def test_all_open_turns_up_what_players_hold_and_nothing_else() -> None:
    def drawn(*zones: Zone) -> Scene:
        return Scene(viewer=None, seats=[SeatInfo(0)], zones=list(zones), prompt="")

    hand = Zone("hand 0", "Hand", "hand", [Thing("a"), Thing("b"), Thing("c", "7♥")], 0)
    stock = Zone("stock", "Stock", "pile", [Thing("d")])
    later = Zone("pile", "Pile", "pile", [Thing("a", "5♥"), Thing("d", "6♥")])
    first, blank, last = opened([drawn(hand, stock), None, drawn(later)])
    assert first is not None
    assert [thing.face for thing in first.zones[0].things] == ["5♥", None, "7♥"]
    # How a pile lies is not what anybody holds, and may mean something.
    assert first.zones[1] == stock
    assert blank is None
    assert last == drawn(later)
