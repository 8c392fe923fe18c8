"""Crazy Eights from outside: installed beside Parlour, served, played, there after a restart."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from parlour.games import installed_games
from tests.examples.conftest import GAMES, ROOT, environment
from tests.support import Client, Event, Opener, Process, Visitor

pytestmark = pytest.mark.slow

LOBBY = {"welcome", "lobby", "match", "result", "said", "error"}

Serve = Callable[..., Awaitable[Process]]
Guests = Callable[[Process], Awaitable[Visitor]]


class EightsClient(Client):
    """A player who knows the protocol's documents and nothing else."""

    place: int | None = None
    seat: int | None = None

    def __init__(self, socket: Any) -> None:
        super().__init__(socket)
        self.lobby: Event = {}
        self.match: list[Event] = []
        """The game's own messages since the match began."""
        self.hand: list[Event] = []
        self.top: Event = {}
        self.suit = ""
        self.turn: int | None = None

    async def event(self) -> Event:
        event = await super().event()
        match event:
            case {"type": "welcome", "place": place}:
                self.place = place
            case {"type": "lobby"}:
                self.lobby = event
                seats = [p["seat"] for p in event["players"] if p["place"] == self.place]
                self.seat = seats[0] if seats else None
            case {"type": "match"}:
                self.match, self.hand = [], []
            case {"type": "dealt", "seat": self.seat, "hand": hand}:
                self.hand = list(hand)
            case {"type": "drew", "seat": self.seat, "card": card}:
                self.hand.append(card)
            case {"type": "turned_up", "card": card}:
                self.top, self.suit = card, card["suit"]
            case {"type": "played", "seat": seat, "index": index, "card": card, "suit": suit}:
                self.top, self.suit = card, suit
                if seat == self.seat:
                    assert self.hand.pop(index) == card
            case {"type": "turn", "seat": seat}:
                self.turn = seat
            case {"type": "result"}:
                self.turn = None
        if event["type"] not in LOBBY:
            self.match.append(event)
        return event

    async def greeted(self) -> None:
        """Hear the greeting: the lobby and, in a match, everything up to whose turn it is."""
        await self.expect("welcome")
        await self.expect("lobby")

    async def my_turn(self) -> bool:
        """Wait for this player's turn; False: the match is over."""
        while self.turn != self.seat or self.seat is None:
            if (await self.event())["type"] == "result":
                return False
        return True

    async def play_turn(self) -> None:
        """Lay the first card that fits; draw and pass if none does."""
        for index, card in enumerate(self.hand):
            if card["rank"] == "8":
                await self.send("play", index=index, suit="clubs")
            elif self.suit == card["suit"] or self.top["rank"] == card["rank"]:
                await self.send("play", index=index)
            else:
                continue
            await self.until("played", seat=self.seat)
            break
        else:
            await self.send("draw")
            while (await self.event())["type"] not in ("drew", "error"):
                pass
            await self.send("pass")
        self.turn = None

    async def play_on(self) -> None:
        """Play until the match is over."""
        while await self.my_turn():
            await self.play_turn()


async def sit(visitor: Visitor, query: str) -> EightsClient:
    client = EightsClient(await visitor.socket(f"/plain/eights{query}"))
    await client.greeted()
    return client


# A whole run of pytest, which takes long on a busy machine.
@pytest.mark.timeout(400)
@pytest.mark.parametrize("game", GAMES)
def test_its_own_tests_pass(examples: Path, game: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=ROOT / "examples" / game,
        env=environment(examples),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


async def test_the_hall_lists_it(
    examples: Path, monkeypatch: pytest.MonkeyPatch, open_house: Opener
) -> None:
    monkeypatch.syspath_prepend(examples)
    visitor = await (await open_house()).visitor()
    _, hall = await visitor.call("GET", "/api/games")
    assert [game["id"] for game in hall["games"]][-3:] == ["dice", "eights", "hearts"]
    listed = hall["games"][-2]
    assert listed["seats"] == {"min": 2, "max": 5}
    assert listed["sockets"] == ["/plain/eights"]
    assert listed["bots"] is True
    assert "must_play" in str(listed["settings"])


async def test_people_and_a_bot_play_to_the_end_through_a_power_cut(
    examples: Path, serve: Serve, guests: Guests
) -> None:
    process = await serve(env=environment(examples))
    people = [await guests(process), await guests(process)]
    for visitor in people:
        await visitor.token()
    _, table = await people[0].call("POST", "/api/tables", {"game": "eights", "bots": 1})
    query = f"?table={table['code']}"
    players = [await sit(visitor, query) for visitor in people]
    await players[0].send("start")
    for _ in range(2):
        for player in players:
            assert await player.my_turn()
            await player.play_turn()
    for player in players:
        # What was on its way when this was sent is heard before the answer to it.
        await player.send("play", index=-1)
        await player.until("error")
    told = [player.match for player in players]
    assert told[0] != told[1], "each saw cards that the other did not"

    await process.kill()
    process = await serve(env=environment(examples))
    for visitor in people:
        visitor.base = process.base
    again = [await sit(visitor, query) for visitor in people]
    for player, before in zip(again, told, strict=True):
        while len(player.match) < len(before):
            await player.event()
        assert player.match == before, "the log folds to what was told"
    await asyncio.gather(*[player.play_on() for player in again])
    results = [player.heard[-1] for player in again]
    assert results[0] == results[1]
    assert results[0]["how"] in ("out", "stock")
    assert set(results[0]["scores"]) == {"0", "1", "2"}
    best = min(results[0]["scores"].values())
    assert [str(s) for s in results[0]["winners"]] == [
        seat for seat, points in results[0]["scores"].items() if points == best
    ]


async def test_a_table_of_a_game_that_is_gone_waits_for_its_return(
    examples: Path,
    monkeypatch: pytest.MonkeyPatch,
    open_house: Opener,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with monkeypatch.context() as installed:
        installed.syspath_prepend(examples)
        house = await open_house()
        visitor = await house.visitor()
        await visitor.token()
        _, table = await visitor.call("POST", "/api/tables", {"game": "eights", "bots": 1})
        player = await sit(visitor, f"?table={table['code']}")
        await player.send("start")
        await player.until("match")
        await house.shut(player)

    without = await open_house()
    assert without.tables == []
    [record] = caplog.records
    sentence = f"table {table['id']} stays shut: no game eights is installed"
    assert record.getMessage() == sentence
    assert record.exc_info is None
    await without.shut()

    monkeypatch.syspath_prepend(examples)
    visitor.base = (await open_house()).base
    back = await sit(visitor, f"?table={table['code']}")
    await back.expect("match")
    assert back.lobby["running"] is True


async def test_the_lobby_of_the_plain_protocol(
    examples: Path, monkeypatch: pytest.MonkeyPatch, open_house: Opener
) -> None:
    monkeypatch.syspath_prepend(examples)
    house = await open_house()
    host = await sit(await house.visitor(), "")
    code = host.heard[0]["code"]
    assert host.heard[0] == {"type": "welcome", "game": "eights", "code": code, "place": 0}
    assert host.lobby["host"] == 0
    guest = await sit(await house.visitor(), f"?watch={code}")
    assert guest.place is None

    await guest.send("name", name="Nobody")
    assert (await guest.expect("error"))["code"] == "watching"
    await guest.send("sit_down")
    await guest.expect("welcome")
    await guest.expect("lobby")
    assert guest.place == 1
    assert [p["place"] for p in (await host.expect("lobby"))["players"]] == [0, 1]

    await guest.send("name", name="Eva")
    lobby = await host.expect("lobby")
    assert lobby["players"][1]["name"] == "Eva"
    assert await guest.expect("lobby") == lobby
    await host.send("settings", settings={"hand_size": 7})
    lobby = await guest.expect("lobby")
    assert lobby["settings"] == {"hand_size": 7, "draws": "one", "must_play": False}
    await host.send("settings", settings={"hand_size": 6})
    await host.until("error", code="bad-settings")
    await guest.send("say", text="  good evening ")
    said = await guest.expect("said")
    assert (said["place"], said["name"], said["text"]) == (1, "Eva", "good evening")
    assert await host.expect("said") == said
    await host.send("ready")
    await host.until("error", code="no-ready")

    await host.send("add_bot")
    lobby = await guest.expect("lobby")
    assert [p["human"] for p in lobby["players"]] == [True, True, False]
    await host.send("remove_bot", place=lobby["players"][2]["place"])
    assert len((await guest.expect("lobby"))["players"]) == 2

    await host.send("kick", place=1, ban=True)
    await guest.until("error", code="banned")
    assert await guest.closed() == 4403
    while len(host.lobby["players"]) > 1:
        await host.until("lobby")
    await host.send("leave")
    assert await host.closed() == 1000


@pytest.mark.parametrize("query", ["?table=000000", "?watch=000000"])
async def test_who_seeks_a_table_that_is_not_is_told_so(
    query: str, examples: Path, monkeypatch: pytest.MonkeyPatch, open_house: Opener
) -> None:
    monkeypatch.syspath_prepend(examples)
    visitor = await (await open_house()).visitor()
    client = EightsClient(await visitor.socket(f"/plain/eights{query}"))
    assert (await client.expect("error"))["code"] == "no-such-table"
    assert await client.closed() == 4404
    assert await visitor.refusal("/plain/eights?token=made-up") == 403


def test_the_examples_of_the_plain_protocols_page_are_messages(
    examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(examples)
    [wire] = next(game for game in installed_games() if game.id == "eights").wires
    page = (ROOT / "docs" / "protocols" / "plain.md").read_text()
    told = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    sent = re.findall(r'`(\{"type".*?\})`', page)
    assert len(told) == 8
    assert len(sent) == 11
    for union, examples in ((wire.codec.outgoing, told), (wire.codec.incoming, sent)):
        for example in examples:
            message = msgspec.json.decode(example, type=union)
            assert msgspec.to_builtins(message) == msgspec.json.decode(example)
