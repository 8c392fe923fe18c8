"""A finished match as frames: what each viewer saw live, and everything open once it is over."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from random import Random
from typing import Any

import msgspec
import pytest

from parlour.battery import Trial, play_bots, random_night
from parlour.house import frames as frames_module
from parlour.house.replay import Replay, replay_of
from parlour.house.scenes import Scenes
from parlour.store import TableRow
from parlour.store.memory import MemoryStore
from parlour.table import Table
from parlour.table import inputs as do
from tests.support import Opener, applied
from tests.test_schemas import TRIALS

DRAWN = [trial for trial in TRIALS if trial.game.scene is not None]


class Evening:
    """A match that was played to its end, and its log in a store."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        if trial.game.lobby.solo:
            night = random_night(trial, Random(7), 40)
            night.receive(do.Leave(0))  # only now it is over
        else:
            night = play_bots(trial, trial.game.min_seats, 7, restless=True)
        self.log = night.log
        self.table = night.table
        self.store = MemoryStore()
        content = trial.game.lobby.own_content(night.table.roster.settings)
        for data in content.values():
            self.store.remember(f"content:{sha256(data).hexdigest()}", data)
        self.store.open_table(TableRow("t", "t", trial.game.id, 0))
        for seq, (at, data) in enumerate(night.log):
            self.store.append("t", seq, at, data)

    def replay(self, view: str) -> Any:
        made = replay_of(self.trial.game, self.store.reader("t"), 1, view)
        assert isinstance(made, Replay)
        return json.loads(made.told_to(None))

    def live(self, seat: int | None) -> list[tuple[dict[str, Any], str]]:
        """The scenes and sentences that a connection with `extras=scene` was told."""
        opening = do.decode(self.log[0][1])
        assert isinstance(opening, do.Open)
        table = Table(self.trial.game, opening, self.log[0][0], self.table.library)
        scenes, told = Scenes(table), []
        scene: dict[str, Any] = {}
        for at, data in self.log[1:]:
            happened = table.receive(do.decode(data), at)
            roster = table.roster
            if not roster.seating:
                continue
            player = None if seat is None else roster.seating[seat]
            if player is not None and player not in roster.players:
                break
            for _, message in scenes.tell(happened, [(player, [1])]):
                assert isinstance(message, bytes)
                said = json.loads(message)
                scene = said["scene"] if "scene" in said else applied(scene, said)
                told.append((scene, said.get("move", "")))
        return told


def scenes_of(replay: Any) -> list[tuple[dict[str, Any], str]]:
    """The whole scene of each frame, and its sentence."""
    scene: dict[str, Any] = {}
    whole = []
    for frame in replay["frames"]:
        scene = frame["scene"] if "scene" in frame else applied(scene, frame)
        whole.append((scene, frame.get("move", "")))
    return whole


def for_a_replay(told: Iterable[tuple[dict[str, Any], str]]) -> list[tuple[dict[str, Any], str]]:
    """Without what nobody can use any more: choices, deadlines, and scenes that say nothing new."""
    kept: list[tuple[dict[str, Any], str]] = []
    for scene, move in told:
        defaults = {"awaits": [], "counters": {}, "targets": {}}
        plain = {**defaults, **scene, "choices": [], "deadline": None}
        if not kept or move or plain != kept[-1][0]:
            kept.append((plain, move))
    return kept


@pytest.fixture(scope="module", params=DRAWN, ids=lambda trial: trial.game.id)
def evening(request: pytest.FixtureRequest) -> Evening:
    return Evening(request.param)


def test_a_replay_shows_each_seat_and_spectators_what_they_were_told(evening: Evening) -> None:
    for seat in (None, *range(evening.trial.game.min_seats)):
        live = for_a_replay(evening.live(seat))
        replay = evening.replay("spectator" if seat is None else str(seat))
        assert for_a_replay(scenes_of(replay))[: len(live)] == live
        assert len(live) > 5


def test_all_open_shows_every_card_that_players_hold(evening: Evening) -> None:
    replay = evening.replay("open")
    held = [
        thing
        for scene, _ in scenes_of(replay)
        for zone in scene["zones"]
        if zone.get("seat") is not None
        for thing in zone.get("things", [])
    ]
    assert all(thing.get("face") is not None for thing in held)
    # The spectators were not told them all; in a game for one, nobody holds any.
    known = [
        thing
        for scene, _ in scenes_of(evening.replay("spectator"))
        for zone in scene["zones"]
        if zone.get("seat") is not None
        for thing in zone.get("things", [])
        if thing.get("face") is not None
    ]
    assert not held or len(known) < len(held)


def test_frames_say_when_whose_turn_and_how_it_ended(evening: Evening) -> None:
    replay = evening.replay("open")
    frames = replay["frames"]
    roster = evening.table.roster
    assert [player["name"] for player in replay["players"]] == [p.name for p in roster.seating]
    for field in ("at", "step", "turn"):
        values = [frame[field] for frame in frames]
        assert values == sorted(values)
        assert values[-1] > values[0]
    assert frames[0]["turn"] == 1
    assert {frame["turn"] for frame in frames} == set(range(1, frames[-1]["turn"] + 1))
    outcome = evening.table.match and evening.table.match.outcome()
    assert outcome is not None
    assert replay["result"] == json.loads(
        msgspec.json.encode(
            {"winners": outcome.winners, "how": outcome.how, "scores": outcome.scores}
        )
    )


def test_a_seat_that_nobody_took_is_shown_what_spectators_see(evening: Evening) -> None:
    assert evening.replay("999")["frames"] == evening.replay("spectator")["frames"]


def test_frames_are_no_larger_than_they_may_be(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = evening.replay("spectator")
    monkeypatch.setattr(frames_module, "LARGEST", 1000)
    short = evening.replay("spectator")
    kept = len(short["frames"])
    assert short["frames"] == whole["frames"][:kept]
    assert short["left_out"] == len(whole["frames"]) - kept > 0
    assert short["result"] == whole["result"]


async def test_only_views_that_there_are_can_be_asked_for(open_house: Opener) -> None:
    house = await open_house()
    visitor = await house.visitor()
    for view in ("", "all", "-1", "01", "1000", "9" * 5000):
        status, told = await visitor.call("GET", f"/api/replays/none-1/frames?view={view}")
        assert (status, told["error"]["code"]) == (400, "bad-message"), view
    for view in ("open", "spectator", "0", "999"):
        status, told = await visitor.call("GET", f"/api/replays/none-1/frames?view={view}")
        assert (status, told["error"]["code"]) == (404, "no-such-replay"), view


async def test_a_match_of_a_game_that_is_not_installed_is_named(open_house: Opener) -> None:
    house = await open_house()
    visitor = await house.visitor()
    house.server.store.open_table(TableRow("t", "t", "whist", 0))
    house.server.store.close_table("t", 1)
    for path in ("/api/replays/t-1", "/api/replays/t-1/frames"):
        status, told = await visitor.call("GET", path)
        assert (status, told["error"]["code"]) == (404, "no-such-game")
        assert "whist" in told["error"]["message"]
