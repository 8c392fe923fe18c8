"""Strict clients on real sockets: who comes to a table of Quips, and how they play."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any
from urllib.parse import quote

import aiohttp
import msgspec

from tests.quips.strict import Extended, Newer, Older
from tests.support import PATIENCE, OpenHouse, Visitor, close_code

ELSEWHERE = "http://127.0.0.1:8080"
"""Existing clients' pages come from another port of the same host."""

SLOW = {"round_end_timeout": 60_000, "game_end_timeout": 60_000}
"""Rounds and games whose end stays until the test says otherwise."""


class Guest:
    """A strict client, its socket, and whoever sits in front of it."""

    def __init__(
        self,
        client: Newer,
        socket: aiohttp.ClientWebSocketResponse,
        http: aiohttp.ClientSession,
        seed: int = 0,
    ) -> None:
        self.client = client
        self.socket = socket
        self.http = http
        self.random = Random(seed)
        self.surprising = True
        """Whether it sends what existing clients send now and then for no good reason."""

    async def say(self, msg: str, **fields: Any) -> None:
        self.client.says(msg)
        text = msgspec.json.encode({"msg": msg, **fields}).decode()
        await self.socket.send_str(text)

    async def hear(self) -> str:
        """The next message, taken in; gives what it was."""
        async with asyncio.timeout(PATIENCE):
            frame = await self.socket.receive()
        assert frame.type is aiohttp.WSMsgType.TEXT, (frame, self.socket.close_code)
        self.client.hear(frame.data)
        return self.client.heard[-1]

    async def until(self, holds: Callable[[Newer], object]) -> None:
        """Listen until something is so."""
        while not holds(self.client):
            await self.hear()

    async def until_heard(self, msg: str) -> None:
        while await self.hear() != msg:
            pass

    async def fence(self) -> list[str]:
        """All that was on its way: nonsense is refused behind it, and changes nothing but that
        whoever sends it is awake."""
        start, refused = len(self.client.heard), self._refusals()
        await self.say("c_judgecards", play_index=-99)
        await self.until(lambda client: self._refusals() > refused)
        return self.client.heard[start:-1]

    def _refusals(self) -> int:
        codes = ("no-round", "watching", "not-judge", "not-judging", "no-such-play")
        return sum(code in codes for code in self.client.errors)

    async def closed(self) -> int | None:
        """The close code, once it comes; messages on the way are taken in."""
        async with asyncio.timeout(PATIENCE):
            while True:
                frame = await self.socket.receive()
                if frame.type is not aiohttp.WSMsgType.TEXT:
                    return close_code(self.socket, frame)
                self.client.hear(frame.data)

    def drop(self) -> None:
        """Lose the line, without a goodbye."""
        transport = self.socket._response.connection and self.socket._response.connection.transport
        assert transport is not None
        transport.abort()

    async def leave(self) -> None:
        await self.socket.close()

    # Playing

    async def ready(self) -> None:
        await self.until(lambda client: client.asked_if_ready)
        await self.say("c_ready_up", status=True)

    async def play_cards(self) -> None:
        """Cards of the hand, and now and then one of its own; a double click behind it."""
        client = self.client
        assert client.hand is not None
        cards = self.random.sample(client.hand, client.pick)
        if client.blanks and self.random.random() < 0.3:
            cards[0] = client.custom("Something\nI <made> up — ähem")
        await self.say("c_playcards", cards=cards)
        if self.surprising and self.random.random() < 0.5:
            await self.say("c_playcards", cards=self.random.choice(([], None, [None], ["w_stale"])))
        played = len(client.heard)
        await self.until(lambda c: not c.can_play and len(c.heard) > played)

    async def judge(self) -> None:
        state = self.client.state
        assert state is not None
        index = self.random.randrange(len(state["plays"]))
        if self.surprising and self.random.random() < 0.3:
            await self.say("c_judgecards", play_index=len(state["plays"]))
        await self.say("c_judgecards", play_index=index)
        if self.surprising and self.random.random() < 0.3:
            await self.say("c_judgecards", play_index=index)
        await self.until(lambda client: client.state is not state)

    async def play(self, games: int, at_most: int = 1_000_000) -> None:
        """Play on until so many games have ended, and on into the next; or for so long."""
        end = len(self.client.heard) + at_most
        while True:
            client = self.client
            if client.games_seen >= games and client.stage == "playing":
                return
            if len(client.heard) >= end:
                return
            if client.can_play:
                await self.play_cards()
            elif client.judges:
                await self.judge()
            elif client.asked_if_ready:
                await self.say("c_ready_up", status=True)
                await self.until(lambda c: not c.asked_if_ready)
            else:
                await self.hear()


class Guests:
    """Where guests come from."""

    def __init__(self, house: OpenHouse) -> None:
        self.house = house
        self.cluster: list[Guest] = []
        """Everybody who ever came: a socket that nobody holds is closed."""

    async def newer(
        self,
        name: str = "",
        *,
        token: str = "",
        password: str = "",
        lang: str = "en-GB",
        path: str = "/play",
        origin: str = ELSEWHERE,
        **cookies: str,
    ) -> Guest:
        """Asks for `/gameinfo` first, and then sends cookies alone."""
        visitor = await self.house.visitor()
        status, info = await visitor.call("GET", "/gameinfo")
        assert status == 200
        assert isinstance(info["pack_info"], list)
        assert info["game_port"] == self.house.server.port
        values = {
            "name": quote(name),
            "player_token": token,
            "game_password": quote(password),
            "client_lang": lang,
            **cookies,
        }
        cookie = "; ".join(f"{key}={value}" for key, value in values.items())
        headers = {"Origin": origin, "Cookie": cookie}
        socket = await visitor.socket(path, headers=headers)
        return await self._come(Newer(path == "/spectate", lang), socket, visitor.http)

    async def older(self, name: str = "", **left_over: str) -> Guest:
        """`left_over`: cookies of a newer client that its person once used on the same host."""
        visitor = await self.house.visitor()
        cookies = {"name": quote(name), **left_over}
        cookie = "; ".join(f"{key}={value}" for key, value in cookies.items())
        headers = {"Origin": ELSEWHERE, "Cookie": cookie}
        socket = await visitor.socket("/game", headers=headers)
        return await self._come(Older(), socket, visitor.http)

    async def program(self, query: str = "", path: str = "/game", **options: Any) -> Guest:
        """A bot: no Origin, no cookies, all by query."""
        visitor = await self.house.visitor()
        socket = await visitor.socket(path + query, **options)
        kind = Extended if "extended" in query else Newer
        return await self._come(kind(path == "/spectate"), socket, visitor.http)

    async def _come(
        self, client: Newer, socket: aiohttp.ClientWebSocketResponse, http: aiohttp.ClientSession
    ) -> Guest:
        self.cluster.append(Guest(client, socket, http, len(self.cluster)))
        return self.cluster[-1]


async def greeted(guest: Guest) -> Guest:
    """Past its greeting, which ends with `s_cardsplayed` (for who watches: with the state)."""
    last = "s_gamestate" if guest.client.watching else "s_cardsplayed"
    await guest.until_heard(last)
    return guest


async def begun(visit: Guests, *names: str, older: int = 0) -> list[Guest]:
    """A game under way: so many of the older generation last; nothing is left unheard."""
    company: list[Guest] = []
    for number, name in enumerate(names):
        come = visit.older if number >= len(names) - older else visit.newer
        company.append(await greeted(await come(name)))

    async def get_ready(guest: Guest) -> None:
        if guest.client.generation == "newer":
            await guest.until(lambda c: c.asked_if_ready or c.stage == "playing")
            await guest.say("c_ready_up", status=True)
        await guest.until(lambda c: c.stage == "playing")

    await asyncio.gather(*(get_ready(guest) for guest in company))
    await hushed(*company)
    return company


async def hosted(visit: Guests, more: str = "", **settings: Any) -> tuple[Visitor, str, Guest]:
    """A table of somebody's own, and its host sitting there."""
    host = await visit.house.visitor()
    wanted = {"game": "quips", "settings": {**SLOW, **settings}}
    status, table = await host.call("POST", "/api/tables", wanted)
    assert status == 201
    code = str(table["code"])
    client = Extended() if more else Newer()
    guest = Guest(client, await host.socket(f"/game?table={code}&name=Host{more}"), host.http)
    visit.cluster.append(guest)
    return host, code, await greeted(guest)


async def hushed(*company: Guest) -> list[list[str]]:
    """What each has heard by now."""
    return [await guest.fence() for guest in company]


def the_judge(company: list[Guest]) -> Guest:
    state = company[0].client.state
    assert state is not None
    return next(guest for guest in company if guest.client.id == state["judge"])


def the_others(company: list[Guest]) -> list[Guest]:
    judge = the_judge(company)
    return [guest for guest in company if guest is not judge]


def skip_time(visit: Guests, seconds: float) -> None:
    """Let this much time have passed for every table."""
    house = visit.house.server.house
    house.clock.base += int(seconds * 1000)
    for live in house.index:
        live._ring()
