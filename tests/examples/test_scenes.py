"""A game from outside, played by a client that knows nothing of it but scenes and choices."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from parlour.choices import Choice, given, offers
from parlour.scenes import Scene
from tests.support import Client, Event, Opener, OpenHouse, Visitor, applied

pytestmark = pytest.mark.slow


class SceneClient(Client):
    """Keeps the scene up to date, and does something that is offered whenever it is waited for."""

    scene: dict[str, Any] | None = None
    shown: list[dict[str, Any]]

    def __init__(self, socket: Any) -> None:
        super().__init__(socket)
        self.shown = []

    async def event(self) -> Event:
        event = await super().event()
        if event["type"] == "extras_scene":
            self.scene = event["scene"]
        elif event["type"] == "extras_change":
            assert self.scene is not None, "a change comes after a scene"
            self.scene = applied(self.scene, event)
        if event["type"] in ("extras_scene", "extras_change"):
            self.shown.append(self.scene or {})
        return event

    async def act(self, rnd: Random) -> None:
        """Put an action together from what is offered, and send it."""
        assert self.scene is not None
        choices = msgspec.convert(self.scene["choices"], list[Choice])
        steps: list[tuple[str, Any]] = []
        while following := offers(choices, steps):
            steps.append(rnd.choice(following))
        await self.send("extras_act", action=steps[0][1], fields=given(choices, steps))

    @property
    def my_turn(self) -> bool:
        return bool(self.scene and self.scene.get("choices"))


@pytest.fixture
async def house(examples: Path, monkeypatch: pytest.MonkeyPatch, open_house: Opener) -> OpenHouse:
    monkeypatch.syspath_prepend(examples)
    return await open_house(bot_pace=0)


async def table_with_a_bot(house: OpenHouse) -> tuple[Visitor, str]:
    visitor = await house.visitor()
    await visitor.token()
    _, table = await visitor.call("POST", "/api/tables", {"game": "eights", "bots": 1})
    return visitor, f"?table={table['code']}&extras=scene"


async def sit(visitor: Visitor, query: str) -> SceneClient:
    return SceneClient(await visitor.socket(f"/plain/eights{query}"))


async def test_a_client_of_scenes_plays_a_game_to_its_end(house: OpenHouse) -> None:
    rnd = Random(1)
    visitor, query = await table_with_a_bot(house)
    player = await sit(visitor, query)
    await player.send("start")
    while (await player.event())["type"] != "result":
        if player.my_turn:
            await player.act(rnd)
            # Until the next scene nothing more is done: the table has not answered yet.
            player.scene = {**(player.scene or {}), "choices": []}
    assert not [event for event in player.heard if event["type"] in ("error", "extras_refused")]
    while not player.shown[-1]["seats"][0].get("counters"):
        await player.event()
    # A card that is played and the turn that follows are two scenes, not one.
    kinds = [event["type"] for event in player.heard]
    events = [kind for kind in kinds if kind in ("played", "drew", "turn", "ended")]
    # The first turn is part of the first scene.
    assert kinds.count("extras_change") == len(events) - 1
    # Whoever comes now is shown what the changes add up to.
    again = await sit(visitor, query)
    whole = (await again.until("extras_scene"))["scene"]
    defaults = {"choices": [], "awaits": [], "counters": {}, "targets": {}}
    assert {**defaults, **player.shown[-1]} == {**defaults, **whole}


async def test_what_is_not_offered_is_refused(house: OpenHouse) -> None:
    visitor, query = await table_with_a_bot(house)
    player = await sit(visitor, query)
    await player.send("extras_act", action="draw")
    assert (await player.until("error"))["code"] == "no-round"
    await player.send("start")
    while not player.my_turn:
        await player.event()
    wrong: list[dict[str, Any]] = [
        {"action": "fly"},
        {"action": "play", "fields": {"index": True}},
        {"action": "play", "fields": {"index": 99}},
        {"action": "draw", "fields": {"index": 0}},
    ]
    for each in wrong:
        await player.send("extras_act", **each)
        assert (await player.until("error"))["code"] == "not-offered"


async def test_for_who_does_not_ask_for_scenes_none_is_made(
    house: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    import parlour_eights.picture as drawing

    asked: list[object] = []
    monkeypatch.setattr(drawing, "Scene", lambda **fields: asked.append(fields))
    monkeypatch.setattr("parlour.house.scenes.Show", asked.append)
    visitor, query = await table_with_a_bot(house)
    code = query.removesuffix("&extras=scene")
    clients = [await sit(visitor, code), await sit(visitor, f"{code}&extras=story")]
    await clients[0].send("start")
    for client in clients:
        await client.until("turn")
    await house.says_no_more()
    for client in clients:
        await client.send("say", text="done")
        await client.until("said")
        kinds = {event["type"] for event in client.heard}
        assert not kinds & {"extras_scene", "extras_change", "extras_no_scene"}
    assert asked == []


async def test_a_game_that_cannot_be_drawn_goes_on(
    house: OpenHouse, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import parlour_eights.picture as drawing

    def broken(hand: object) -> str:
        raise ZeroDivisionError

    visitor, query = await table_with_a_bot(house)
    player = await sit(visitor, query)
    monkeypatch.setattr(drawing, "french", broken)
    await player.send("start")
    await player.until("extras_no_scene")
    await player.until("turn")
    assert any("eights" in record.message for record in caplog.records)
    monkeypatch.undo()
    await player.send("say", text="still here")
    await player.until("extras_scene")


@pytest.mark.parametrize(
    "drawn",
    [None, {"zones": []}, Scene(viewer=0, seats=[], zones=None, prompt="")],  # type: ignore[arg-type]
    ids=["none", "a dict", "no zones"],
)
async def test_a_game_that_draws_something_else_goes_on(
    house: OpenHouse,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    drawn: object,
) -> None:
    import parlour_eights.picture as drawing

    visitor, query = await table_with_a_bot(house)
    player = await sit(visitor, query)
    await player.send("start")
    while not player.my_turn:
        await player.event()
    monkeypatch.setattr(drawing, "Scene", lambda **fields: drawn)
    await player.act(Random(1))
    await player.until("extras_no_scene")
    (line,) = [record for record in caplog.records if "can't be drawn" in record.message]
    assert "eights" in line.message
    assert line.exc_info is not None
    monkeypatch.undo()
    await player.send("say", text="still here")
    await player.until("extras_scene")


async def test_who_comes_back_is_shown_what_happened_while_nobody_watched(
    house: OpenHouse,
) -> None:
    visitor, query = await table_with_a_bot(house)
    player = Client(await visitor.socket(f"/plain/eights{query.removesuffix('&extras=scene')}"))
    await player.send("start")
    await player.until("turn")
    await house.says_no_more()
    watcher, watch = await house.visitor(), query.replace("table", "watch")
    first = await sit(watcher, watch)
    old = (await first.until("extras_scene"))["scene"]
    await first.close()
    # One of these is what the player may do; the others are refused.
    for action in ({"type": "draw"}, *({"type": "play", "index": at} for at in range(5))):
        await player.send(**action)
    await house.says_no_more()
    again = await sit(watcher, watch)
    assert (await again.until("extras_scene"))["scene"]["zones"] != old["zones"]


async def test_a_game_whose_scenes_are_slow_again_and_again_goes_on_without_them(
    house: OpenHouse, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import parlour_eights.picture as drawing

    seconds, asked, usual = [0.0], [0], drawing.Scene

    def slow(**fields: Any) -> object:
        """Takes two seconds, on a clock of the test's own."""
        asked[0] += 1
        seconds[0] += 2
        return usual(**fields)

    visitor, query = await table_with_a_bot(house)
    player = await sit(visitor, query)
    monkeypatch.setattr("parlour.house.scenes.thread_time", lambda: seconds[0])
    monkeypatch.setattr(drawing, "Scene", slow)
    await player.send("start")
    # A single slow scene is shown.
    await player.until("extras_scene")
    for _ in range(10):
        await player.send("say", text="still here")
        await player.until("said")
    assert "extras_no_scene" in {event["type"] for event in player.heard}
    lines = [each.message for each in caplog.records if "too slow" in each.message]
    assert len(lines) == 1
    assert "eights" in lines[0]
    before = asked[0]
    await player.send("extras_act", action="draw")
    assert (await player.until("error"))["code"] == "not-offered"
    again = await sit(visitor, query)
    await again.until("extras_no_scene")
    assert asked[0] == before


async def test_a_game_is_not_slow_because_its_machine_stands_still(
    house: OpenHouse, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import parlour_eights.picture as drawing

    pauses, usual = [0], drawing.Scene

    def late(**fields: Any) -> object:
        pauses[0] += 1
        time.sleep(0.1)
        return usual(**fields)

    visitor, query = await table_with_a_bot(house)
    player = await sit(visitor, query)
    monkeypatch.setattr("parlour.house.scenes.MOST_OVER", 0.1)
    monkeypatch.setattr(drawing, "Scene", late)
    await player.send("start")
    for _ in range(4):
        await player.send("say", text="still here")
        await player.until("said")
    assert pauses[0] >= 4
    assert "too slow" not in caplog.text
