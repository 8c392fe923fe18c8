"""Strict clients of the relay: they behave as programs that exist do, and know nothing of ours.

A session is one connection of a user. A character is usually two: a window that only shows, and a
bot that plays.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from itertools import chain, repeat
from typing import Any, Self

import aiohttp

from tests.support import PATIENCE

Told = dict[str, Any]


def basic(user: str, password: str) -> dict[str, str]:
    encoded = base64.b64encode(f"{user}:{password}".encode()).decode()
    return {"Authorization": f"Basic {encoded}"}


class Session:
    """One connection that keeps all it hears and says nothing by itself."""

    def __init__(self, port: int, channel: str, user: str, password: str = "secret") -> None:
        self.url = f"http://127.0.0.1:{port}/{channel}"
        self.user = user
        self.password = password
        self.heard: list[Told] = []
        self.ended: int | None = None
        """The close code once it is over; 1006 without a close frame."""
        self._news = asyncio.Event()

    async def __aenter__(self) -> Self:
        self.http = aiohttp.ClientSession()
        try:
            await self.connect()
        except BaseException:
            await self.http.close()
            raise
        return self

    async def connect(self) -> None:
        self.socket = await self.http.ws_connect(
            self.url, headers=basic(self.user, self.password), autoclose=False
        )
        self.ended = None
        self._reading = asyncio.create_task(self._read())

    async def __aexit__(self, *_: object) -> None:
        self._reading.cancel()
        await self.socket.close()
        await self.http.close()

    async def leave(self) -> None:
        """Go, with a closing handshake."""
        self._reading.cancel()
        await self.socket.close()

    async def _read(self) -> None:
        while True:
            frame = await self.socket.receive()
            if frame.type is not aiohttp.WSMsgType.TEXT:
                closed = frame.type is aiohttp.WSMsgType.CLOSE
                self.ended = frame.data if closed else 1006
                self._tell()
                return
            assert frame.data.isascii(), frame.data
            assert len(frame.data) < 64_000
            message = json.loads(frame.data)
            # What existing clients read without asking whether it is there.
            assert message["version"] == 1
            assert type(message["version"]) is int
            assert all(type(user) is str for user in message["to"])
            assert type(message["payload"]["name"]) is str
            assert type(message["payload"]["content"]) is str
            self.heard.append(message)
            await self.on_message(message)
            self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def on_message(self, message: Told) -> None:
        """What a kind of client does with a message."""

    # -- speaking ---------------------------------------------------------------------

    async def send_raw(self, frame: str | bytes) -> None:
        if isinstance(frame, bytes):
            await self.socket.send_bytes(frame)
        else:
            await self.socket.send_str(frame)

    async def send(self, name: str, content: str, to: Any = ("all",), **fields: Any) -> None:
        message = {
            "version": 1,
            "type": "data",
            "from": self.user,
            "to": list(to),
            "payload": {"name": name, "content": content},
        }
        await self.send_raw(json.dumps({**message, **fields}))

    # -- listening --------------------------------------------------------------------

    async def until(self, condition: Callable[[], Any]) -> Any:
        """What `condition` gives, once it gives anything."""
        async with asyncio.timeout(PATIENCE):
            while not (found := condition()):
                await self._news.wait()
        return found

    def named(self, name: str) -> list[Told]:
        """All messages with this name that are for this user."""
        return [
            told
            for told in self.heard
            if told["payload"]["name"] == name and (self.user in told["to"] or "all" in told["to"])
        ]

    def contents(self, name: str) -> list[str]:
        return [told["payload"]["content"] for told in self.named(name)]

    async def hear(self, name: str, count: int = 1) -> Told:
        """The message of this name that makes it so many."""
        found: Told = (
            await self.until(lambda: len(self.named(name)) >= count and self.named(name))
        )[count - 1]
        return found

    async def fence(self) -> None:
        """Returns once everything that was on its way is here: the relay echoes in order."""
        word = f"fence-{len(self.heard)}"
        await self.send(word, "")
        await self.hear(word)

    async def dropped(self) -> int:
        """The close code, once the connection has ended."""
        await self.until(lambda: self.ended is not None)
        assert self.ended is not None
        return self.ended


class AnsweringBot(Session):
    """Answers every prompt for it at once, duplicates too, with what the document's bot says."""

    async def on_message(self, message: Told) -> None:
        if message["payload"]["name"] != "onu-player-turn":
            return
        if self.user in message["to"] or "all" in message["to"]:
            turn = json.loads(message["payload"]["content"])
            await self.send("onu-player-action", json.dumps(self.answer(turn)))

    @staticmethod
    def answer(turn: Told) -> Told:
        """As the document's example has it, written down once more."""
        hand, top = turn["HandCards"], turn["TopStackCard"]
        counts = {0: 0, 1: 0, 2: 0, 3: 0}
        optimal = 0
        for card in hand:
            if card["Color"] != 4:
                counts[card["Color"]] += 1
                if counts[card["Color"]] > counts[optimal]:
                    optimal = card["Color"]
        picks: list[tuple[float, int]] = []
        for index, card in enumerate(hand):
            base = (0.5 if card["Effect"] else 0.0) + (0.25 if card["Color"] == optimal else 0.0)
            if card["Color"] == 4:
                picks.append((1.0 + base, index))
            elif card["Effect"] and card["Effect"] == top["Effect"]:
                picks.append((0.75 + base, index))
            elif card["Color"] == top["Color"] or (
                card["Number"] == top["Number"] and card["Number"] >= 0
            ):
                picks.append((0.5 + base, index))
        if not picks:
            return {"Action": 1, "CardIndex": None, "WildColor": optimal}
        best = max(picks, key=lambda pick: (pick[0], -pick[1]))[1]
        return {"Action": 0, "CardIndex": best, "WildColor": optimal}


class ReturningBot(AnsweringBot):
    """Comes back after an abrupt end and after nothing else, each time having waited longer."""

    unit = 0.05
    """What stands for a second."""

    async def _read(self) -> None:
        await super()._read()
        if self.ended != 1006:
            return
        for wait in chain((1, 2, 4, 8), repeat(16)):
            await asyncio.sleep(wait * self.unit)
            try:
                await self.connect()
            except aiohttp.ClientError:
                continue
            return


class Window(Session):
    """Shows only: its state is the last one addressed to it; leaves three seconds after a win."""

    def __init__(self, *args: Any, stays: float = 3.0, **options: Any) -> None:
        super().__init__(*args, **options)
        self.state: Told = {}
        self.states: list[Told] = []
        self.stays = stays

    async def on_message(self, message: Told) -> None:
        name, content = message["payload"]["name"], message["payload"]["content"]
        if not (self.user in message["to"] or "all" in message["to"]):
            return
        if name in ("onu-start", "onu-turn"):
            self.state = check_state(json.loads(content))
            own = [p["Cards"] for p in self.state["Players"] if p["UserName"] == self.user]
            if own:
                # A player's window is told a start first, and always shows its own hand.
                assert self.states or name == "onu-start"
                assert {"Color": 4, "Number": -1, "Effect": 0} not in own[0]
            self.states.append(self.state)
        elif name == "onu-won":
            asyncio.get_running_loop().call_later(
                self.stays, lambda: asyncio.ensure_future(self.socket.close())
            )


def check_card(card: Any) -> None:
    assert set(card) == {"Color", "Number", "Effect"}
    assert all(type(value) is int for value in card.values())


def check_state(state: Any) -> Told:
    """Everything that a display reads of a State without asking whether it is there."""
    assert set(state) == {
        "Deck",
        "Direction",
        "Host",
        "PlayerTurn",
        "Players",
        "Stack",
        "TurnEffect",
    }
    assert state["Players"]
    assert state["Stack"]
    assert type(state["TurnEffect"]) is int
    # A window compares both with texts of its own.
    assert state["Direction"] in ("Right", "Left")
    assert state["PlayerTurn"] in [player["DisplayName"] for player in state["Players"]]
    assert type(state["Host"]) is str
    for card in (*state["Deck"], *state["Stack"]):
        check_card(card)
    for player in state["Players"]:
        assert set(player) == {"Cards", "DisplayName", "UserName"}
        for card in player["Cards"]:
            check_card(card)
    return dict(state)
