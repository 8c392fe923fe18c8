"""A channel of the relay at several nodes: its users, its table's host, and nodes that are gone."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any, TypeVar
from urllib.parse import urlsplit

import asyncpg
import pytest
from typer.testing import CliRunner

from parlour.cli import app
from parlour.relay.channels import Standing
from parlour.table import inputs as do
from tests.cluster.conftest import MORTAL, end_lease
from tests.servers import NatsServer
from tests.support import Opener, OpenHouse, Process, soon
from tests.wcp.clients import AnsweringBot, Session, Told, Window
from tests.wcp.tables import TableOf, host_in, open_table, ping

S = TypeVar("S", bound=Session)

Serve = Callable[..., Awaitable[Process]]


@pytest.fixture
async def node(serve: Serve, database: str, nats_server: NatsServer) -> Serve:
    """The same as a process of its own, to be killed."""

    async def served(*flags: str) -> Process:
        shared = ("--store", database, "--bus", nats_server.url, *MORTAL)
        return await serve(*shared, "--wcp-open", *flags)

    return served


class Enter:
    """`await enter(Kind, node, channel, user)`: a session; none outlives its test."""

    def __init__(self, until_end: AsyncExitStack) -> None:
        self._until_end = until_end

    async def __call__(
        self, kind: type[S], node: OpenHouse | Process, channel: str, user: str, **options: Any
    ) -> S:
        session = kind(port_of(node), channel, user, **options)
        await self._until_end.enter_async_context(session)
        return session


@pytest.fixture
async def enter() -> AsyncIterator[Enter]:
    async with AsyncExitStack() as until_end:
        yield Enter(until_end)


def port_of(node: OpenHouse | Process) -> int:
    port = urlsplit(node.base).port
    assert port is not None
    return port


async def users(house: OpenHouse, channel: str) -> list[str]:
    status, told = await (await house.visitor()).call("GET", f"/Websocket?roomId={channel}")
    assert status == 200
    return sorted(told)


async def knows(house: OpenHouse, channel: str, *there: str) -> None:
    """Return once a node lists these users of a channel."""
    await soon(lambda: sorted(house.server.relay.listener.users(channel)) == sorted(there))


# -- a channel ------------------------------------------------------------------------


async def test_users_of_one_channel_at_two_nodes_hear_each_other(
    open_node: Opener, enter: Enter
) -> None:
    first, second = await open_node(), await open_node()
    ann = await enter(Session, first, "lounge", "ann")
    ben = await enter(Session, second, "LOUNGE", "ben")
    window = await enter(Session, second, "lounge", "ann")
    cleo = await enter(Session, second, "attic", "cleo")
    # From the moment on at which they are let in, whatever node is spoken at.
    for number in range(20):
        await ann.send("count", str(number))
    await ben.send("for ann", "you alone", ["ann"])
    everybody = (ann, ben, window)
    for session in everybody:
        await session.hear("count", 20)
        assert session.contents("count") == [str(number) for number in range(20)]
    for session in (ann, window):
        assert (await session.hear("for ann"))["from"] == "ben"
    # Who a message is for is its receivers' affair; the relay tells everybody.
    await ben.until(lambda: any(told["payload"]["name"] == "for ann" for told in ben.heard))
    # What is not valid is dropped where it is said.
    await ben.send("forged", "", **{"from": "ann"})
    await ben.send_raw("null")
    await ben.fence()
    await ann.fence()
    assert not any(told["payload"]["name"] == "forged" for told in ann.heard)
    assert cleo.heard == []


async def test_every_node_lists_all_sessions(open_node: Opener, enter: Enter) -> None:
    first, second = await open_node(), await open_node()
    await enter(Session, first, "lounge", "ann")
    window = await enter(Session, second, "lounge", "ann")
    await enter(Session, second, "lounge", "ben")
    table = await open_table(first, channel="lounge", takeOver=True)
    for house in (first, second):
        await knows(house, "lounge", "ann", "ann", "ben")
        assert await users(house, "Lounge") == ["ann", "ann", "ben"]
        assert await users(house, "attic") == []
    # A node that comes later knows them before it lets anybody in.
    third = await open_node()
    assert await users(third, "lounge") == ["ann", "ann", "ben"]
    status, info = await (await third.visitor()).call("GET", "/api/channels/LOUNGE/table")
    assert (status, info) == (200, {"code": table.code, "channel": "lounge"})
    await window.leave()
    for house in (first, second, third):
        await knows(house, "lounge", "ann", "ben")
    await second.server.gateway.close()
    for house in (first, third):
        await knows(house, "lounge", "ann")


# -- a table --------------------------------------------------------------------------


def anims(session: Session) -> list[Told]:
    return [json.loads(content) for content in session.contents("onu-play-anim")]


async def played(database: str, code: str) -> int:
    """How many cards were played at a table, as the record has it."""
    connection = await asyncpg.connect(database)
    rows = await connection.fetch(
        'SELECT data FROM entries WHERE "table" = (SELECT no FROM tables WHERE code = $1) '
        "ORDER BY seq",
        code,
    )
    await connection.close()
    acts = [put for row in rows if isinstance(put := do.decode(row[0]), do.Act)]
    return sum(put.action[0] == "Play" for put in acts)


async def won(*sessions: Session) -> None:
    """All are told who has won: once, and the same."""
    for session in sessions:
        await session.hear("onu-won")
    await sessions[0].fence()
    names = [session.contents("onu-won") for session in sessions]
    assert names == [names[0]] * len(sessions)
    assert len(names[0]) == 1


async def test_a_game_with_users_at_two_gateways_and_the_host_at_a_third_node(
    open_node: Opener, enter: Enter, database: str
) -> None:
    owner = await open_node(role="owner")
    first, second = await open_node(role="gateway"), await open_node(role="gateway")
    table = await open_table(first)
    assert host_in(owner, table.code) is not None
    ann = await enter(AnsweringBot, first, table.code, "ann")
    ben = await enter(AnsweringBot, second, table.code, "ben")
    window = await enter(Window, second, table.code, "ann", stays=60)
    eve = await enter(Window, first, table.code, "eve", stays=60)
    await ping(table, ann)
    # The other is seated by the opener, who asks at a node where neither he nor the host is.
    status, info = await table.opener.call("POST", table.path + "/seats", {"user": "ben"})
    assert (status, info["channel"], info["standing"]) == (201, table.code, "hosting")
    assert sorted(info["users"]) == ["ann", "ben", "eve"]
    await table.seated(2)
    await table.start()
    await won(ann, ben, window, eve)
    cards = await played(database, table.code)
    for session in (ann, ben, window, eve):
        assert len(anims(session)) == cards
        assert anims(session) == anims(ann)
    # Each is shown their own hand and nobody else's, wherever they are.
    for state in window.states:
        mine, theirs = (player["Cards"] for player in state["Players"])
        assert all(card["Number"] == -1 and card["Color"] == 4 for card in theirs)
        assert not mine or any(card["Number"] >= 0 or card["Effect"] for card in mine)
    assert not any(told["payload"]["name"] == "onu-player-turn" for told in eve.heard)


async def test_nobody_else_speaks_as_the_host_at_any_node(open_node: Opener, enter: Enter) -> None:
    owner, gateway = await open_node(), await open_node(role="gateway")
    table = await open_table(owner)
    # Before anybody is there who would be asked whether they host.
    hosts = gateway.server.relay.hosts

    def hosted() -> bool:
        found = hosts.found_in(table.code)
        return found is not None and found[1].standing is Standing.HOSTING

    await soon(hosted)
    ann = await enter(Session, gateway, table.code, "ann")
    ben = await enter(Session, owner, table.code, "ben")
    for label in ("ishost", "start", "turn", "player-turn", "play-anim", "won"):
        await ann.send(f"onu-{label}", "{}")
    await ann.send("onu-ping", "Ann", ["ann"])
    for session in (ann, ben):
        await session.hear("onu-ishost")
        assert [m["payload"]["name"] for m in session.heard] == ["onu-ping", "onu-ishost"]


class Reluctant(AnsweringBot):
    """Answers only as often as it is let."""

    left = 3

    async def on_message(self, message: Told) -> None:
        mine = message["payload"]["name"] == "onu-player-turn" and self.user in message["to"]
        if mine and self.left:
            self.left -= 1
            await super().on_message(message)


async def mid_game(table: TableOf, *players: Session) -> Reluctant:
    """Some cards are played, and somebody is asked who does not answer; gives who."""
    await ping(table, *players)
    await table.start()
    reluctant = [player for player in players if isinstance(player, Reluctant)]

    def slow() -> list[Reluctant]:
        return [p for p in reluctant if len(p.named("onu-player-turn")) > Reluctant.left]

    await soon(lambda: bool(slow()))
    return slow()[0]


async def goes_on(table: TableOf, database: str, slow: Reluctant, *players: Reluctant) -> None:
    """All are told how it stands; who is awaited is asked again, then the game is played on."""
    before = len(slow.heard)
    for player in players:
        player.left = 1_000
    for player in players:
        await player.hear("onu-start", 2)
        assert player.ended is None
    await slow.hear("onu-player-turn", 5)
    names = [told["payload"]["name"] for told in slow.heard[before:]]
    names = [name for name in names if name in ("onu-start", "onu-turn", "onu-player-turn")]
    assert names[:2] == ["onu-start", "onu-player-turn"]
    await won(*players)
    # Nothing was shown twice: of each card that was played at most one animation.
    cards = await played(database, table.code)
    for player in players:
        assert len(player.named("onu-start")) == 2
        assert anims(player) == anims(players[0])
        assert cards - 1 <= len(anims(player)) <= cards


async def test_a_table_and_its_host_outlive_a_killed_node(
    open_node: Opener, node: Serve, enter: Enter, database: str
) -> None:
    owner = await node()
    first, second = await open_node(role="gateway"), await open_node(role="gateway")
    table = await open_table(first)
    ann = await enter(Reluctant, first, table.code, "ann")
    ben = await enter(Reluctant, second, table.code, "ben")
    cleo = await enter(AnsweringBot, owner, table.code, "cleo")
    other = await open_node(role="owner")
    slow = await mid_game(table, ann, ben, cleo)
    assert other.tables == []
    await owner.kill()
    await end_lease(database)
    # It was somebody's gateway, too, who comes back at another.
    await cleo.dropped()
    back = await enter(AnsweringBot, second, table.code, "cleo")
    await goes_on(table, database, slow, ann, ben)
    assert len(other.tables) == 1
    await won(ann, back)
    assert len(back.named("onu-start")) == 1
    # Once the lease of its node has ended, the old session is not counted any more.
    for house in (first, other):
        await knows(house, table.code, "ann", "ben", "cleo")


async def test_a_host_whose_node_stood_still_says_nothing_more(
    open_node: Opener, node: Serve, enter: Enter, database: str
) -> None:
    owner = await node()
    gateway = await open_node(role="gateway")
    table = await open_table(gateway)
    ann = await enter(Reluctant, gateway, table.code, "ann")
    ben = await enter(Reluctant, gateway, table.code, "ben")
    eve = await enter(Session, owner, table.code, "eve")
    await open_node(role="owner")
    slow = await mid_game(table, ann, ben)
    owner.process.send_signal(signal.SIGSTOP)
    # Something for it to say, and to answer, as soon as it goes on.
    await eve.send("onu-hashost", "")
    await eve.send("onu-ping", "Eve", ["onu-host"])
    await goes_on(table, database, slow, ann, ben)
    before = [told["payload"]["name"] for told in ann.heard]
    owner.process.send_signal(signal.SIGCONT)
    assert await eve.dropped() == 1006
    await ann.fence()
    assert [told["payload"]["name"] for told in ann.heard][: len(before)] == before
    assert len(ann.heard) == len(before) + 1
    # It has told the beginning of what happened, and no more.
    assert anims(eve) == anims(ann)[: len(anims(eve))]
    told = [told["payload"]["name"] for told in eve.heard if told["from"] == "onu-host"]
    assert not {"onu-ishost", "onu-won"} & set(told)
    assert told.count("onu-pong") == 2


async def test_a_table_and_its_host_go_elsewhere_when_their_node_stops(
    open_node: Opener, enter: Enter, database: str
) -> None:
    owner, gateway = await open_node(), await open_node(role="gateway")
    table = await open_table(owner)
    ann = await enter(Reluctant, owner, table.code, "ann")
    ben = await enter(Reluctant, gateway, table.code, "ben")
    other = await open_node(role="owner")
    slow = await mid_game(table, ann, ben)
    await owner.hand_over()
    assert host_in(owner, table.code) is None
    await goes_on(table, database, slow, ann, ben)
    assert host_in(other, table.code) is not None


async def test_who_was_put_out_is_not_seated_again_by_the_next_host(
    open_node: Opener, enter: Enter
) -> None:
    owner, gateway = await open_node(), await open_node(role="gateway")
    table = await open_table(owner, autoSeat=True)
    ann = await enter(Session, gateway, table.code, "ann")
    ben = await enter(Session, gateway, table.code, "ben")
    await table.seated(2)
    places = {player["name"]: player["place"] for player in (await table.info())["players"]}
    kick = {"place": places["ben"]}
    assert (await table.opener.call("POST", table.path + "/kick", kick))[0] == 200
    await table.seated(1)
    other = await open_node(role="owner")
    await owner.hand_over()
    await soon(lambda: host_in(other, table.code) is not None)
    # Others are seated there, and he is when he asks for it.
    await enter(Session, gateway, table.code, "cleo")
    await table.seated(2)
    assert sorted(await table.names()) == ["ann", "cleo"]
    await ben.send("onu-ping", "ben", ["onu-host"])
    await table.seated(3)
    assert ann.ended is None


async def test_who_was_shown_a_game_is_told_its_end_once_by_whichever_host(
    open_node: Opener, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host is gone that had told who won to some and not to others."""
    owner, gateway = await open_node(), await open_node(role="gateway")
    table = await open_table(owner)
    ann = await enter(AnsweringBot, gateway, table.code, "ann")
    ben = await enter(AnsweringBot, owner, table.code, "ben")
    nodes = owner.server.relay.listener.nodes
    post = nodes._nodes.post

    def without_the_end(node: int, data: bytes) -> None:
        if b"onu-won" not in data:
            post(node, data)

    monkeypatch.setattr(nodes._nodes, "post", without_the_end)
    await ping(table, ann, ben)
    await table.start()
    await ben.hear("onu-won")
    await ann.fence()
    assert not ann.named("onu-won")
    other = await open_node()
    late = await enter(Session, other, table.code, "eve")
    await owner.hand_over()
    await ann.hear("onu-won")
    assert host_in(other, table.code) is not None
    for session in (ann, ben, late):
        await session.fence()
    assert len(ann.contents("onu-won")) == 1
    assert ann.contents("onu-won") == ben.contents("onu-won")
    # Where nobody was shown the game nobody is told its end.
    assert late.contents("onu-won") == []


async def test_of_two_tables_opened_at_once_in_one_channel_one_is(open_node: Opener) -> None:
    first, second = await open_node(), await open_node()
    openers = [await house.visitor() for house in (first, second)]
    for number in range(5):
        wanted = {
            "game": "onu",
            "settings": {"channel": ("Stage", "STAGE")[number % 2] + str(number)},
        }
        answers = await asyncio.gather(
            *(opener.call("POST", "/api/tables", wanted) for opener in openers)
        )
        assert sorted(status for status, _ in answers) == [201, 409]
        (no,) = [told for status, told in answers if status == 409]
        assert no["error"]["code"] == "channel-taken"
    assert len(first.tables) + len(second.tables) == 5


# -- users and channels ---------------------------------------------------------------


async def test_users_and_channels_of_a_database_are_changed_while_nodes_run(
    open_node: Opener, enter: Enter, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = await open_node(wcp_open=False)
    registry = house.server.relay.registry

    async def parlour(*words: str) -> tuple[int, list[str]]:
        done = await asyncio.to_thread(CliRunner().invoke, app, ["wcp", *words])
        return done.exit_code, (done.stdout or done.stderr).splitlines()

    here = ("--store", database)
    assert await parlour("user", "add", "Ann", "--password", "secret", *here) == (
        0,
        ["Ann may connect."],
    )
    await parlour("channel", "add", "lounge", *here)
    await soon(lambda: registry.channel("lounge") is not None)
    ann = await enter(Session, house, "lounge", "Ann")
    await ann.fence()
    # As `serve` reads it.
    monkeypatch.setenv("PARLOUR_STORE", database)
    assert await parlour("user", "list") == (0, ["Ann"])
    assert await parlour("channel", "list") == (0, ["lounge"])
    status, told = await parlour("channel", "add", "metrics")
    assert (status, "reserved" in told[-1]) == (2, True)
    assert (await parlour("user", "remove", "ANN"))[0] == 0
    await soon(lambda: registry.user("ann") is None)
    status, told = await parlour("user", "list", "--store", "postgresql://parlour@127.0.0.1:1/x")
    assert (status, "can't be used" in told[-1]) == (2, True)
