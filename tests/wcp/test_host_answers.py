"""Answers to the host over real sockets: in time, late, twice, wrong, never."""

from __future__ import annotations

import json

import pytest

from parlour.server.connection import WebSocket
from tests.cambia.guests import Watch
from tests.support import OpenHouse, still
from tests.wcp.clients import AnsweringBot, Session, Told, Window
from tests.wcp.conftest import Entrant
from tests.wcp.tables import (
    BLANK,
    DRAW,
    a_play,
    cards,
    open_table,
    ping,
    prompt,
    turns,
    two_at_table,
)

pytestmark = pytest.mark.usefixtures("host_hurries")


def actions(house: OpenHouse) -> int:
    """How many inputs the table has taken."""
    return house.tables[0].version


async def test_only_the_awaited_user_may_answer_and_only_once(
    house: OpenHouse, enter: Entrant
) -> None:
    """The original let anybody act for anybody, and took every answer to one prompt."""
    _, ann, ben = await two_at_table(house, enter)
    before = actions(house)
    await ben.send("onu-player-action", DRAW)
    await ben.fence()
    assert actions(house) == before
    for _ in range(3):
        await ann.send("onu-player-action", DRAW)
    await ann.hear("onu-player-turn", 2)
    await ann.fence()
    # Answered in the same breath as it was asked again, one more may have been in time.
    assert len(prompt(ann)["HandCards"]) in (8, 9, 10)
    assert actions(house) - before == len(prompt(ann)["HandCards"]) - 7


async def test_a_second_answer_before_the_next_prompt_is_shown_does_not_count(
    house: OpenHouse, enter: Entrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.games.onu.host.show.AFTER_DRAW", 1_000_000)
    _, ann, _ = await two_at_table(house, enter, pace=1)
    before = actions(house)
    for _ in range(3):
        await ann.send("onu-player-action", DRAW)
    await ann.fence()
    assert actions(house) == before + 1


async def test_a_draw_gives_a_card_and_the_same_player_is_asked_again(
    house: OpenHouse, enter: Entrant
) -> None:
    _, ann, ben = await two_at_table(house, enter)
    await ann.send("onu-player-action", DRAW)
    await ann.hear("onu-player-turn", 2)
    assert len(prompt(ann)["HandCards"]) == 8
    assert prompt(ann)["TurnEffect"] == 0
    assert len(cards(ann, "onu-turn")["ann"]) == 8
    assert cards(ben, "onu-turn")["ann"] == [BLANK] * 8
    assert not turns(ben)


BAD_ANSWERS = [
    "",
    "null",
    "{}",
    "[0]",
    "not json",
    '{"Action":NaN}',
    json.dumps({"Action": 0, "CardIndex": -1, "WildColor": 0}),
    json.dumps({"Action": 0, "CardIndex": 7, "WildColor": 0}),
    json.dumps({"Action": 0, "CardIndex": "0", "WildColor": 0}),
    json.dumps({"Action": 0, "CardIndex": True, "WildColor": 0}),
    json.dumps({"Action": 0, "CardIndex": 0.5, "WildColor": 0}),
    json.dumps({"Action": 0, "CardIndex": 10**30, "WildColor": 0}),
    json.dumps({"Action": 0, "CardIndex": 1e300, "WildColor": 0}),
    json.dumps({"Action": 0, "CardIndex": None, "WildColor": 0}),
    json.dumps({"Action": True, "CardIndex": 0, "WildColor": 0}),
    json.dumps({"Action": 2, "CardIndex": 0, "WildColor": 0}),
    "[" * 5000,
]


@pytest.mark.parametrize("answers", [BAD_ANSWERS[:5], BAD_ANSWERS[5:10], BAD_ANSWERS[10:15]])
async def test_a_bad_answer_brings_one_new_prompt_each(
    house: OpenHouse, enter: Entrant, answers: list[str]
) -> None:
    """The original sent two prompts for each, and took -1 for the last card."""
    _, ann, _ = await two_at_table(house, enter)
    for number, answer in enumerate(answers, 2):
        await ann.send("onu-player-action", answer)
        await ann.hear("onu-player-turn", number)
        await ann.fence()
        assert turns(ann) == number
        assert len(prompt(ann)["HandCards"]) == 7


async def test_after_five_new_prompts_a_bad_answer_is_a_draw_and_a_pass(
    house: OpenHouse, enter: Entrant
) -> None:
    _, ann, ben = await two_at_table(house, enter)
    for number in range(2, 7):
        await ann.send("onu-player-action", "{}")
        await ann.hear("onu-player-turn", number)
    await ann.send("onu-player-action", "{}")
    await ben.hear("onu-player-turn")
    assert turns(ann) == 6
    assert cards(ben, "onu-turn")["ann"] == [BLANK] * 8


async def test_who_never_answers_draws_and_passes(
    house: OpenHouse, enter: Entrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.house.journal.time", still())
    _, ann, ben = await two_at_table(house, enter, turnTimeout=60)
    Watch(house).forward(60_000)
    await ben.hear("onu-player-turn")
    assert prompt(ben)["PlayerHands"][0] == {"Name": "Ann", "CardCount": 8}
    # Too late, it plays nobody's card.
    before = actions(house)
    await ann.send("onu-player-action", DRAW)
    await ann.fence()
    assert actions(house) == before


class Drawer(Session):
    """Plays what `a_play` finds, and otherwise draws."""

    async def on_message(self, message: Told) -> None:
        if message["payload"]["name"] == "onu-player-turn" and message["to"] == [self.user]:
            play = a_play(json.loads(message["payload"]["content"]))
            answer = DRAW if play is None else json.dumps(play)
            await self.send("onu-player-action", answer)


async def test_a_play_is_shown_before_its_state_and_a_wild_still_without_a_colour(
    house: OpenHouse, enter: Entrant
) -> None:
    table = await open_table(house)
    ann, ben = [await enter(Drawer, house, table.code, user) for user in ("ann", "ben")]
    window = await enter(Window, house, table.code, "ben")
    await ping(table, ann, ben)
    await table.start()
    won = await window.hear("onu-won")
    assert won["payload"]["content"] in ("Ann", "Ben")
    await window.fence()
    assert len(window.named("onu-won")) == 1
    told = [m["payload"]["name"] for m in window.heard if m["from"] == "onu-host"]
    anims = [number for number, name in enumerate(told) if name == "onu-play-anim"]
    assert anims
    states = [m for m in window.heard if m["from"] == "onu-host"]
    for number in anims:
        assert told[number + 1] == "onu-turn"
        anim = json.loads(states[number]["payload"]["content"])
        assert set(anim) == {"AnimFrom", "Card"}
        assert anim["AnimFrom"] in ("ann", "ben")
        top = json.loads(states[number + 1]["payload"]["content"])["Stack"][-1]
        if anim["Card"]["Effect"] in (4, 5):
            assert anim["Card"]["Color"] == 4
            assert top == {**anim["Card"], "Color": 2}
        else:
            assert top == anim["Card"]
    # The last state, then who won.
    assert told[-2:] == ["onu-turn", "onu-won"]
    # Every card is somewhere, at every moment.
    for state in window.states:
        held = sum(len(player["Cards"]) for player in state["Players"])
        assert held + len(state["Deck"]) + len(state["Stack"]) == 54


async def test_seats_survive_into_the_next_game_which_has_a_stack_of_its_own(
    house: OpenHouse, enter: Entrant
) -> None:
    """In the original a second game inherited the first one's stack."""
    table = await open_table(house)
    bots = [await enter(AnsweringBot, house, table.code, user) for user in ("ann", "ben")]
    window = await enter(Window, house, table.code, "eve", stays=60)
    await ping(table, *bots)
    for number in (1, 2):
        await table.start()
        await window.hear("onu-won", number)
        state = json.loads(window.contents("onu-start")[-1])
        assert len(state["Stack"]) == 1
    assert len(window.named("onu-won")) == 2


async def test_only_an_awaited_answer_waits_for_what_follows_from_it(
    house: OpenHouse, enter: Entrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its echo and the States go out in one write; everything else is relayed at once."""
    waiting: list[bytes] = []
    later = WebSocket.send_later

    def noted(self: WebSocket, data: bytes) -> None:
        waiting.append(data)
        later(self, data)

    monkeypatch.setattr(WebSocket, "send_later", noted)
    _, ann, ben = await two_at_table(house, enter)
    await ben.send("onu-player-action", DRAW)
    await ann.send("onu-ping", "Ann", ["onu-host"])
    await ann.fence()
    assert not waiting
    await ann.send("onu-player-action", DRAW)
    await ann.hear("onu-player-turn", 2)
    assert len(waiting) == 2
    assert all(b'"from":"ann"' in data for data in waiting)
    # She hears her own answer before what follows from it.
    names = [told["payload"]["name"] for told in ann.heard]
    assert names[-3:] == ["onu-player-action", "onu-turn", "onu-player-turn"]
