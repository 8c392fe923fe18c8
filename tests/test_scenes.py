"""Scenes as data: their faults are found, and changes add up to the next scene."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from parlour.choices import Choice, One
from parlour.scenes import Scene, SeatInfo, Tabletop, Thing, Zone, changes, faults, french
from parlour.turns import Dealt, Turn

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
        (
            replace(
                SCENE,
                zones=[*SCENE.zones, Zone("x", "X", "row", name="t2")],
                targets={"play.index": ["hand", "x"]},
            ),
            "a zone and a thing",
        ),
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
    table: Tabletop[object] = Tabletop(0)
    table.lay("hand 0", [7, 8, 9])
    table.lay("hand 1", [None, None])
    first, second, third = table.zones["hand 0"]
    table.move("hand 0", "pile", 8)
    assert table.zones["hand 0"] == [first, third]
    assert table.zones["pile"] == [second]
    assert table.hand == [7, 9]
    hidden, last = table.zones["hand 1"]
    table.move("hand 1", "pile", 30)
    assert table.zones["pile"] == [second, (last.id, 30)], "which one left is not known: the last"
    table.lay("hand 2", [None, 20])
    table.move("hand 2", "pile", 21)
    assert table.known("hand 2") == [20], "it was not that one"
    table.move("hand 0", "pile", 7, 0)
    table.move("stock", "hand 0", 11)
    ids = {first.id, second.id, third.id, hidden.id, last.id}
    assert table.zones["hand 0"][-1].id not in ids, "one that nobody saw before"
    table.show("hand 1", [31])
    assert table.zones["hand 1"] == [(hidden.id, 31)]
    table.lay("pile", [8])
    assert table.zones["pile"] != [second], "after a shuffle nobody can tell"


def test_a_tabletop_makes_zones() -> None:
    table: Tabletop[object] = Tabletop(0)
    for event in (Dealt(0, [0, 9]), Dealt(1, [None]), Turn(1)):
        table.see(event)
    table.lay("pile", [1, 2, 3])
    assert table.waiting == "It is {1}'s turn."
    assert table.seats(points=[3, 4], tricks=[]) == [
        SeatInfo(0, {"points": 3}),
        SeatInfo(1, {"points": 4}),
    ]
    mine, theirs = table.hands("position")
    assert (mine.label, theirs.label) == ("Your hand", "{1}'s hand")
    assert [(thing.face, thing.name) for thing in mine.things] == [("A♥", 0), ("10♥", 1)]
    assert [(thing.face, thing.name) for thing in theirs.things] == [(None, 0)]
    assert [thing.name for thing in table.hands("face")[0].things] == [0, 9]
    assert table.own("hand") == [mine.id]
    assert Tabletop(None).own("hand") == []
    pile = table.pile("pile", "Pile")
    assert ([thing.face for thing in pile.things], pile.more) == (["4♥"], 2)
    assert table.pile("stock", "Stock") == Zone("stock", "Stock", "pile", [])


def test_faces_are_written_as_people_write_them() -> None:
    assert [french(face) for face in (0, 9, 51, 52)] == ["A♥", "10♥", "K♠", "joker"]
    assert french(None) is french(-1) is None
