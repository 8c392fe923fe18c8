"""Bots made with `parlour.onu.Bot`: at our tables, and at a table that an existing window hosts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from parlour.games.onu.client import bot as bot_module
from parlour.onu import Action, Bot, DocumentBot, Turn
from parlour.wcp import Message
from tests.support import PATIENCE, OpenHouse, soon
from tests.wcp.clients import AnsweringBot, Session, Told, Window
from tests.wcp.conftest import Entrant
from tests.wcp.tables import open_table

Sitter = Callable[..., Bot]

NEVER = 3600.0
"""Seconds: longer than any test runs."""


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_module, "TOGETHER", 0.001)
    monkeypatch.setattr(bot_module, "UNHEARD", NEVER)
    monkeypatch.setattr(bot_module, "PING_EVERY", 0.1)


@pytest.fixture
async def runs() -> AsyncIterator[Sitter]:
    """`runs(bot, house, channel, user)`: it plays until the test is over."""
    tasks: list[asyncio.Task[None]] = []

    def run(bot: Bot, house: OpenHouse, channel: str, user: str) -> Bot:
        url = f"ws://127.0.0.1:{house.server.port}"
        tasks.append(asyncio.create_task(bot.play(url, channel, user, "secret")))
        return bot

    yield run
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class Simple(Bot):
    """The first card that fits."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.turns: list[Turn] = []
        self.winners: list[str] = []

    def choose(self, turn: Turn) -> Action:
        self.turns.append(turn)
        playable = turn.playable()
        if not playable:
            return Action.draw()
        return Action.play(playable[0], turn.commonest_color())

    def won(self, name: str) -> None:
        self.winners.append(name)


class Held(Simple):
    """Answers nothing until it may."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.may_answer = asyncio.Event()
        self.heard: list[str] = []

    def hear(self, message: Message) -> None:
        self.heard.append(message.name)
        super().hear(message)

    async def _answer(self, turn: Turn) -> None:
        await self.may_answer.wait()
        await super()._answer(turn)


class Talker(Simple):
    """Thinks for a moment, and talks."""

    async def choose(self, turn: Turn) -> Action:
        await asyncio.sleep(0)
        self.say(f"I hold {len(turn.hand)} cards.")
        return super().choose(turn)


# -- at our tables --------------------------------------------------------------------


async def test_bots_take_seats_and_play_at_our_tables(
    house: OpenHouse, enter: Entrant, runs: Sitter
) -> None:
    table = await open_table(house, autoStart=3)
    window = await enter(Window, house, table.code, "eve")
    document = runs(DocumentBot("The Document"), house, table.code, "ann")
    simple = runs(Simple(), house, table.code, "ben")
    talker = runs(Talker("Talker"), house, table.code, "cleo")
    won = await window.hear("onu-won")
    assert won["payload"]["content"] in ("The Document", "ben", "Talker")
    assert isinstance(document, DocumentBot)
    assert isinstance(simple, Simple)
    assert isinstance(talker, Talker)
    await soon(lambda: simple.winners == talker.winners == [won["payload"]["content"]])
    assert simple.turns[0].host == "onu-host"
    assert set(simple.turns[0].order) == {"The Document", "ben", "Talker"}
    texts = [m for m in window.heard if m["type"] == "message"]
    assert texts
    assert all(text["payload"]["name"] == "Talker" for text in texts)


async def test_the_documents_bot_is_the_documents_bot(house: OpenHouse) -> None:
    strict = AnsweringBot(0, "", "ann")
    for turn in PROMPTS:
        read = Turn.read(json.dumps(turn))
        assert read is not None
        assert json.loads(DocumentBot().choose(read).encode()) == strict.answer(turn)


def card(color: int, number: int = -1, effect: int = 0) -> Told:
    return {"Color": color, "Number": number, "Effect": effect}


PROMPTS = [
    {"HandCards": hand, "TopStackCard": top}
    for hand in (
        [card(0, 3)],
        [card(1, 3), card(2, 3)],
        [card(4, -1, 4), card(1, 5), card(1, -1, 2)],
        [card(2, -1, 1), card(3, -1, 1), card(3, 4), card(3, 5)],
        [card(4, -1, 5), card(4, -1, 4)],
        [card(3, 0), card(2, 0), card(2, 1), card(3, 1)],
    )
    for top in (card(0, 3), card(1, -1, 2), card(3, -1, 4), card(2, -1, 1), card(4, -1, 4))
]


# -- what a bot is asked, and what it answers -----------------------------------------


@pytest.mark.parametrize(
    "content",
    ["", "null", "{}", "[]", "3", '{"HandCards":null}', '{"HandCards":[]}', "[" * 5000],
)
def test_a_prompt_that_says_nothing_is_not_answered(content: str) -> None:
    assert Turn.read(content) is None


def test_a_prompt_is_read_as_far_as_it_goes() -> None:
    told = {
        "HandCards": [None, {}, card(1, 5), {"Color": 2.0, "Number": 7.0}, card(4, -1, 4)],
        "TopStackCard": None,
        "PlayerHands": [None, {"Name": "Ann", "CardCount": 3.0}, {}],
        "PlayerOrder": ["Ann", None],
        "TurnDirection": "Left",
    }
    turn = Turn.read(json.dumps(told), "host")
    assert turn is not None
    # On a card that nobody knows only a wild is sure to fit; a card left out never does.
    assert turn.playable() == [4]
    assert turn.hand[3].Number == 7
    assert (turn.direction, turn.order, turn.effect, turn.host) == ("Left", ("Ann",), 0, "host")
    assert [(one.Name, one.CardCount) for one in turn.hands] == [("Ann", 3), ("", 0)]
    assert DocumentBot().choose(turn).card_index == 4


@pytest.mark.parametrize(
    "action",
    [
        Action(0, None),
        Action(0, -1),
        Action(0, True),
        Action(0, 1.0),  # type: ignore[arg-type]
        Action(2, 0),
        Action.play(0, 4),
        Action.draw(-1),
    ],
)
def test_an_answer_that_can_not_be_is_never_sent(action: Action) -> None:
    with pytest.raises(ValueError, match=r".+"):
        action.encode()


def test_an_answer_has_three_keys() -> None:
    assert json.loads(Action.play(3, 2).encode()) == {"Action": 0, "CardIndex": 3, "WildColor": 2}
    assert json.loads(Action.draw().encode()) == {"Action": 1, "CardIndex": 0, "WildColor": 0}
    assert json.loads(Action(1, None, 3).encode())["CardIndex"] is None


# -- at somebody else's table ---------------------------------------------------------


class OtherHost(Session):
    """An existing window that hosts: it opens a room, seats who pings it, and checks nothing."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.players: dict[str, str] = {self.user: "The Host"}
        self.pings: list[str] = []
        self.actions: list[tuple[str, Told]] = []
        self.deaf = False

    async def on_message(self, message: Told) -> None:
        name, content = message["payload"]["name"], message["payload"]["content"]
        if name == "onu-ping" and message["to"] == [self.user]:
            self.pings.append(content)
            self.players[message["from"]] = content
            await self.send("onu-pong", "The Host")
        elif name == "onu-player-action" and not self.deaf:
            self.actions.append((message["from"], json.loads(content)))
            await self.send("onu-turn", "{}")
        elif name == "onu-player-action":
            self.actions.append((message["from"], json.loads(content)))

    async def open_room(self) -> None:
        await self.send("onu-ping", "The Host", [self.user])

    async def start(self) -> None:
        players = [
            {"UserName": user, "DisplayName": name, "Cards": [None]}
            for user, name in self.players.items()
        ]
        await self.send("onu-start", json.dumps({"Players": players, "Stack": [card(4, -1, 4)]}))

    async def ask(self, user: str, **turn: Any) -> None:
        told = {"HandCards": [card(1, 5)], "TopStackCard": card(1, 1), **turn}
        await self.send("onu-player-turn", json.dumps(told), [user])


async def test_a_bot_joins_a_table_that_somebody_else_hosts_and_acts_when_asked(
    house: OpenHouse, enter: Entrant, runs: Sitter
) -> None:
    host = await enter(OtherHost, house, "lounge", "cleo")
    other = await enter(Session, house, "lounge", "ben")
    await other.send("onu-ping", "ANN", ["cleo"])
    await other.fence()
    bot = runs(Held("Ann"), house, "lounge", "ann")
    assert isinstance(bot, Held)
    # It was not there when the waiting room was opened, and comes in when it is again.
    await host.hear("onu-hashost")
    await host.open_room()
    # Its own name, or one that nobody pinged with: it may not have heard of the other one.
    await host.until(lambda: "ann" in host.players)
    # It goes on asking until a game begins that has it.
    await host.until(lambda: len(host.pings) > 4)
    await host.start()
    # Of two prompts at once the last is answered, once; a state in between cancels nothing.
    await host.ask("ann", HandCards=[card(2, 5)])
    await host.ask("ann", HandCards=[card(2, 5), card(1, 7)])
    await host.send("onu-turn", "{}")
    await soon(lambda: "onu-turn" in bot.heard)
    bot.may_answer.set()
    await host.until(lambda: host.actions)
    pings = len(host.pings)
    # What can't be read is not answered, nor is what others are asked.
    await host.send("onu-player-turn", "{}", ["ann"])
    await host.ask("ben")
    await host.ask("ann", HandCards=[card(2, 5)])
    await host.until(lambda: len(host.actions) > 1)
    assert host.actions == [
        ("ann", {"Action": 0, "CardIndex": 1, "WildColor": 1}),
        ("ann", {"Action": 1, "CardIndex": 0, "WildColor": 0}),
    ]
    assert len(host.pings) == pings


async def test_a_name_that_somebody_pinged_with_gets_a_number(
    house: OpenHouse, enter: Entrant, runs: Sitter
) -> None:
    host = await enter(OtherHost, house, "lounge", "cleo")
    other = await enter(Session, house, "lounge", "ben")
    runs(Simple("Ann"), house, "lounge", "ann")
    await host.hear("onu-hashost")
    await other.send("onu-ping", "ANN", ["cleo"])
    await other.fence()
    await host.send("onu-ishost", "")
    await host.until(lambda: "Ann 2" in host.pings)


async def test_an_answer_that_would_come_too_late_is_never_sent(
    house: OpenHouse, enter: Entrant, runs: Sitter
) -> None:
    class Slow(Simple):
        gave_up = False

        async def choose(self, turn: Turn) -> Action:
            self.turns.append(turn)
            try:
                return await asyncio.Future[Action]()
            finally:
                self.gave_up = True

    host = await enter(OtherHost, house, "lounge", "cleo")
    bot = runs(Slow(join=False), house, "lounge", "ann")
    assert isinstance(bot, Slow)
    visitor = await house.visitor()
    async with asyncio.timeout(PATIENCE):
        while "ann" not in (await visitor.call("GET", "/Websocket?roomId=lounge"))[1]:
            pass
    await host.ask("ann")
    await soon(lambda: len(bot.turns) == 1)
    # The host has gone on: this would be ben's card.
    await host.ask("ben")
    await soon(lambda: bot.gave_up)
    await host.fence()
    assert not host.actions


async def test_an_answer_is_sent_again_only_if_the_host_says_nothing(
    house: OpenHouse, enter: Entrant, runs: Sitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Twice(Simple):
        """Waits long enough for an answer to its second action only."""

        sent = 0

        async def _send(self, name: str, content: str, to: str) -> None:
            await super()._send(name, content, to)
            self.sent += name == "onu-player-action"
            monkeypatch.setattr(bot_module, "UNHEARD", 0.05 if self.sent < 2 else NEVER)

    host = await enter(OtherHost, house, "lounge", "cleo")
    bot = runs(Twice("Ann"), house, "lounge", "ann")
    await host.hear("onu-hashost")
    host.deaf = True
    await host.ask("ann")
    await host.until(lambda: len(host.actions) == 2)
    await host.send("onu-turn", "{}")
    await soon(lambda: bot._answering is not None and bot._answering.done())
    await host.fence()
    assert len(host.actions) == 2


async def test_the_bot_of_the_host_itself_plays_without_joining(
    house: OpenHouse, enter: Entrant, runs: Sitter
) -> None:
    host = await enter(OtherHost, house, "lounge", "cleo")
    runs(Simple(), house, "lounge", "cleo")
    await host.hear("onu-hashost")
    await host.send("onu-ishost", "")
    await host.open_room()
    await host.ask("cleo")
    await host.until(lambda: host.actions)
    assert host.actions[0][0] == "cleo"
    assert host.pings == ["The Host"]
