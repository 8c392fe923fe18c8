"""Writes one of the folders beside it: games under way and finished, played over the sockets.

    PYTHONPATH=src python -m tests.data.write NAME [SRC]

SRC is the `src` folder of the version that is to write it; without it, this one. Everything goes
through the published protocols, so that any version can be driven. See README.md.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

from tests.support import Client, Event, Process, RummyClient, Visitor

HERE = Path(__file__).parent
TOLD = {
    "rummy": ("start", "move", "turn"),
    "cambia": ("private_sync_state",),
    "mo": ("board",),
    "quips": ("s_hand", "s_gamestate"),
    "onu": ("state",),
}
"""Which messages of a greeting say how a game stands, and are to stay as they are."""
FLEETING = frozenset({"card_ids", "serverNow", "lanes", "hopeless", "deadline"})
"""Fields that are drawn anew for every greeting, or that a better analysis may change."""


HURRIED = {"round_end_timeout": 1_000, "game_end_timeout": 1_000}
"""Milliseconds that Quips shows what a round and a game have come to."""


def kind(event: Event) -> str:
    """What sort of message it is: Quips has its own word for that."""
    return str(event.get("type") or event["msg"])


def lasting(message: Any) -> Any:
    """A message without what changes from one greeting to the next."""
    if isinstance(message, dict):
        return {k: lasting(v) for k, v in message.items() if k not in FLEETING}
    if isinstance(message, list):
        return [lasting(part) for part in message]
    return message


class Table(msgspec.Struct):
    """What a table must be when it is folded again."""

    id: str
    code: str
    game: str
    players: list[str]
    running: bool
    round: int
    greeting: list[Event] = []
    """What its player was told of the game on coming back to it."""


class Finished(msgspec.Struct):
    """What a replay must say of a finished match."""

    id: str
    seed: str
    steps: int
    outcome: Event


class Expected(msgspec.Struct):
    """What must come out of a folder."""

    tables: list[Table] = []
    finished: list[Finished] = []


class Evening:
    """One server of the version that writes, and what is played there."""

    def __init__(self, process: Process, until_end: AsyncExitStack) -> None:
        self.process = process
        self.expected = Expected()
        self._until_end = until_end
        self._open: list[Client] = []
        """Held, so that nobody leaves before the server does."""

    async def visitor(self) -> Visitor:
        http = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))
        await self._until_end.enter_async_context(http)
        visitor = Visitor(self.process.base, http)
        await visitor.token()
        return visitor

    async def stands(self, visitor: Visitor, code: str, path: str = "") -> Table:
        """How a table stands now, and what its player is greeted with at `path`."""
        status, info = await visitor.call("GET", f"/api/tables/{code}")
        assert status == 200, info
        table = Table(
            info["id"],
            info["code"],
            info["game"],
            [player["name"] for player in info["players"]],
            info["running"],
            info["round"],
        )
        if path:
            socket = await visitor.socket(path)
            told = TOLD[table.game]
            while {kind(event) for event in table.greeting} != set(told):
                event = msgspec.json.decode((await socket.receive(10)).data)
                event = event.get("payload", event)
                if kind(event) in told:
                    table.greeting.append(lasting(event))
            await socket.close()
        self.expected.tables.append(table)
        return table

    async def finished(self, visitor: Visitor, table: Table, number: int) -> None:
        """What the replay of a match that is over says."""
        status, replay = await visitor.call("GET", f"/api/replays/{table.id}-{number}")
        assert status == 200, replay
        events = [event for step in replay["steps"] for event in step["events"]]
        outcome = next(event["outcome"] for event in events if event["event"] == "Finished")
        self.expected.finished.append(
            Finished(replay["id"], replay["seed"], len(replay["steps"]), outcome)
        )

    # -- the games ----------------------------------------------------------------------

    async def rummy(self) -> None:
        """A round to its end, and three turns of another, with three bots."""
        visitor = await self.visitor()
        query = f"?token={await visitor.token()}"
        me: RummyClient = await visitor.rummy(query)
        await me.expect("lobby")
        await me.send("name", name="Ada")
        for _ in range(3):
            await me.send("ai", action="add")
        for _ in range(4):
            await me.expect("lobby")
        await me.send("start")
        await me.until("start")
        await me.play_round()
        turns = 0
        while turns < 3 or me.turn != (me.me, "draw"):
            if me.turn is None:
                # The first round is over, or a bot was very quick: another one.
                turns = 0
                await me.send("start")
                await me.until("turn")
            elif me.turn == (me.me, "draw"):
                turns += 1
                await me.play_turn()
            else:
                await me.event()
        table = await self.stands(visitor, me.code, f"/rummy{query}")
        for number in range(1, table.round):
            await self.finished(visitor, table, number)

    async def cambia(self, turns: int) -> None:
        """So many turns with three bots; the end of the game, if it comes before."""
        visitor = await self.visitor()
        wanted = {"game": "cambia", "settings": {"settings": {"countdownSec": 0}}, "bots": 3}
        status, made = await visitor.call("POST", "/api/tables", wanted)
        assert status == 201, made
        path = f"/ws/{made['code']}"
        me = Enveloped(await visitor.socket(path))
        my_id = (await me.until("lobby_state"))["your_id"]
        await me.send("ready")
        while True:
            event = await me.event()
            mine = event.get("user", {}).get("id") == my_id
            if event["type"] == "game_end":
                table = await self.stands(visitor, made["code"])
                await self.finished(visitor, table, 1)
                return
            if not mine:
                continue
            if event["type"] == "game_player_turn":
                turns -= 1
                if not turns:
                    await self.stands(visitor, made["code"], path)
                    return
                await me.send("action_draw_stockpile")
            elif event["type"] == "private_draw_stockpile":
                await me.send("action_discard", card={"id": event["card"]["id"]})
            elif event["type"] == "player_special_choice":
                await me.send("action_special", special="skip")

    async def mo(self, seed: str, moves: int) -> None:
        """So many plies of a deal, some of them back and forth; the end, if it comes before."""
        visitor = await self.visitor()
        me = Client(await visitor.socket("/mo"))
        await me.expect("board")
        await me.send("new", seed=seed)
        board = await me.expect("board")
        chance = random.Random(seed)
        for number in range(moves):
            if not board["valid"]:
                break
            await me.send("play", to=chance.choice(board["valid"]))
            board = await me.expect("board")
            if number % 7 == 3:
                for back in ("undo", "undo", "redo"):
                    await me.send(back)
                    board = await me.expect("board")
        status, mine = await visitor.call("GET", "/api/tables?game=mo")
        assert status == 200
        (table,) = mine["tables"]
        await self.stands(visitor, table["code"], "/mo")

    async def opened(self, game: str, bots: int, **settings: Any) -> tuple[Visitor, str]:
        visitor = await self.visitor()
        wanted = {"game": game, "settings": settings, "bots": bots}
        status, made = await visitor.call("POST", "/api/tables", wanted)
        assert status == 201, made
        return visitor, str(made["code"])

    async def quips(self, rounds: int, points: int) -> None:
        """A person judges so many rounds of three bots; the end of the game, if it comes before."""
        visitor, code = await self.opened("quips", 3, max_points=points, **HURRIED)
        path = f"/play?table={code}&name=Ada&token={await visitor.token()}"
        me = Client(await visitor.socket(path))
        self._open.append(me)
        judged = 0
        readied = False
        while True:
            event = msgspec.json.decode((await me.socket.receive(60)).data)
            if kind(event) != "s_gamestate":
                continue
            if event["stage"] == "game_starting" and event["ready_up"] and not readied:
                readied = True
                await me.socket.send_json({"msg": "c_ready_up", "status": True})
            elif event["stage"] == "judging" and rounds == judged:
                await self.stands(visitor, code, path)
                return
            elif event["stage"] == "judging" and event["round"] > judged:
                judged = event["round"]
                await me.socket.send_json({"msg": "c_judgecards", "play_index": 0})
            elif event["stage"] == "game_starting" and judged:
                await self.finished(visitor, await self.stands(visitor, code), 1)
                return

    async def onu(self, turns: int) -> None:
        """So many turns of a person who always draws, with two bots; or the end of the game."""
        visitor, code = await self.opened("onu", 2, pace=0, turnTimeout=600, maxDraws=2)
        path = f"/onu?table={code}"
        me = Client(await visitor.socket(path))
        self._open.append(me)
        await me.until("lobby")
        status, told = await visitor.call("POST", f"/api/tables/{code}/start")
        assert status == 200, told
        (mine,) = [
            seat
            for seat, player in enumerate((await me.until("dealt"))["players"])
            if any(card["Color"] != 4 or card["Effect"] for card in player["cards"])
        ]
        while True:
            event = await me.event()
            if event["type"] == "ended":
                await self.finished(visitor, await self.stands(visitor, code), 1)
                return
            if event["type"] == "prompted" and event["seat"] == mine:
                if not turns:
                    await self.stands(visitor, code, path)
                    return
                turns -= 1
                await me.send("draw")


class Enveloped(Client):
    """Cambia's frames without their envelope; waits longer than the ten seconds before a game."""

    async def event(self) -> Event:
        payload: Event = msgspec.json.decode((await self.socket.receive(60)).data)["payload"]
        return payload


async def write(folder: Path, src: str) -> None:
    environ = {**os.environ, "PYTHONPATH": src}
    async with AsyncExitStack() as until_end:
        process = await Process.serve(folder, env=environ)
        until_end.push_async_callback(_end, process)
        evening = Evening(process, until_end)
        await evening.mo("parlour", 30)
        await evening.mo("to-the-end", 1000)
        await evening.rummy()
        await evening.cambia(1000)
        await evening.cambia(4)
        await evening.quips(2, 8)
        await evening.quips(9, 1)
        await evening.onu(3)
        await evening.onu(1000)
        # The sockets are still open: a house that closes leaves its tables as they are.
        process.process.terminate()
        code, complaints = await process.ended()
        assert code == 0, complaints
    # The key signed the sessions of visitors who will not come back.
    for name in ("parlour.sqlite.lock", "session.key"):
        (folder / name).unlink()
    lines = [
        f'"{what}": [\n' + ",\n".join(msgspec.json.encode(one).decode() for one in some) + "\n]"
        for what, some in msgspec.structs.asdict(evening.expected).items()
    ]
    (folder / "expected.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


async def _end(process: Process) -> None:
    if process.process.returncode is None:
        await process.kill()


if __name__ == "__main__":
    name, *source = sys.argv[1:]
    src = source[0] if source else str(HERE.parent.parent / "src")
    asyncio.run(write(HERE / name, src))
