"""Scenes as data: their faults are found, and changes add up to the next scene."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from parlour.choices import Choice, One
from parlour.scenes import Scene, SeatInfo, Thing, Track, Zone, changes, faults, french

SCENE = Scene(
    viewer=0,
    seats=[SeatInfo(0), SeatInfo(1)],
    zones=[
        Zone("stock", "Stock", "pile", more=3),
        Zone("hand", "Your hand", "hand", [Thing("t1", "5♥", 0), Thing("t2")], 0),
    ],
    prompt="Play a card.",
    awaits=[0],
    targets={"draw": ["stock"], "play.index": ["hand"]},
    choices=[Choice("draw"), Choice("play", {"index": One([0, "t2"])})],
)


def test_a_scene_without_faults_has_none() -> None:
    assert list(faults(SCENE)) == []


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (replace(SCENE, zones=[*SCENE.zones, SCENE.zones[0]]), "same id"),
        (
            replace(SCENE, zones=[*SCENE.zones, Zone("x", "X", "row", [Thing("t1")])]),
            "lies in two places",
        ),
        (replace(SCENE, awaits=[2]), "no seat 2"),
        (replace(SCENE, zones=[*SCENE.zones, Zone("x", "X", "row", seat=5)]), "no seat 5"),
        (replace(SCENE, targets={"draw": ["deck"]}), "which is no zone"),
        (replace(SCENE, choices=[Choice("play", {"index": One([7])})]), "nothing there"),
    ],
)
def test_faults_are_named(broken: Scene, why: str) -> None:
    assert any(why in fault for fault in faults(broken))


def test_changes_tell_what_is_different_and_nothing_else() -> None:
    hand = Zone("hand", "Your hand", "hand", [Thing("t2")], 0)
    after = replace(SCENE, prompt="Wait.", zones=[hand, Zone("pile", "Pile", "pile")], choices=[])
    fields, zones, order = changes(SCENE, after)
    assert fields == {"prompt": "Wait.", "choices": []}
    assert [zone.id for zone in zones] == ["hand", "pile"]
    assert order == ["hand", "pile"]
    assert changes(SCENE, SCENE) == ({}, [], [])


def test_an_order_of_zones_alone_is_a_change() -> None:
    turned = replace(SCENE, zones=SCENE.zones[::-1])
    assert changes(SCENE, turned) == ({}, [], ["hand", "stock"])


def test_things_keep_their_ids_while_they_can_be_followed() -> None:
    track = Track()
    track.fresh("hand", 3)
    first, second, third = track.zones["hand"]
    track.move("hand", 1, "pile")
    assert track.zones == {"hand": [first, third], "pile": [second]}
    track.move("stock", -1, "hand")
    assert len({first, second, third, track.zones["hand"][-1]}) == 4, "one that nobody saw before"
    track.fresh("pile", 1)
    assert track.zones["pile"] != [second], "after a shuffle nobody can tell"


def test_faces_are_written_as_people_write_them() -> None:
    assert [french(face) for face in (0, 9, 51, 52)] == ["A♥", "10♥", "K♠", "joker"]
    assert french(None) is french(-1) is None
