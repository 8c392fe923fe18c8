"""Whatever is sent to the relay and to a host behind it: nothing fails, nobody is impersonated.

Without sockets, so that thousands of messages can be tried: the relay and the house are the real
ones, and what would be written to sockets is looked at instead. `make soak` tries for longer.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import Any, NoReturn

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.battery.suite_wires import json_values
from parlour.bus import Bus, ConnectionId, first_connection
from parlour.games.onu import GAME
from parlour.games.onu import messages as protocol
from parlour.games.onu.host.host import HOST, OnuHost
from parlour.games.onu.rules import Onu
from parlour.house import Hooks, House, Journal
from parlour.relay.hosting import ChannelHosts
from parlour.relay.registry import Registry
from parlour.relay.relay import Relay
from parlour.store.memory import MemoryStore
from parlour.table import inputs as do
from parlour.wcp.message import DEEPEST, MOST_BYTES
from tests.wcp.clients import check_state
from tests.wcp.tables import BLANK
from tests.wcp.test_message import of_the_shape

ROOM = "lounge"
PLAYERS = ("ann", "ben")
USERS = ("ann", "ann", "ben", "eve")
"""By session."""
MESSAGE_SIZE = 16_384
TO_ONE = (protocol.START, protocol.TURN, protocol.PLAYER_TURN)
"""What the host tells to nobody but those it names."""

LABELS = [value for value in vars(protocol).values() if str(value).startswith("onu-")]


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who answers wrongly is asked again at once."""
    monkeypatch.setattr("parlour.games.onu.rules.RE_PROMPT", 0)


# -- what is sent ---------------------------------------------------------------------

texts = st.text(max_size=20)
deep = st.builds(
    lambda opening, depth, closed: opening * depth + ("]" if opening == "[" else "1}") * closed,
    st.sampled_from(["[", '{"a":']),
    st.integers(1, 2_000),
    st.integers(0, 2_000),
)
nested = st.integers(1, 1_500).map(lambda depth: "[" * depth + "]" * depth)
numbers = st.sampled_from(["1e400", "-0", "1E-400", "9" * 400, "9" * 5_000, "NaN", "-Infinity"])
odd_texts = st.sampled_from(['"\\ud800"', '"\\udc00x"', '"\x7f"', '"\\u0000"', '"\U0001f600"'])
raw_values = json_values.map(json.dumps) | nested | numbers | odd_texts

indexes = st.integers(-2, 60) | st.floats(-2, 9) | st.sampled_from([None, True, "0", 10**30, 2.0])
answers = st.fixed_dictionaries(
    {}, optional={"Action": indexes, "CardIndex": indexes, "WildColor": indexes}
).map(json.dumps)
contents = texts | answers | raw_values

labels = st.sampled_from([*LABELS, protocol.PLAYER_ACTION, protocol.PLAYER_ACTION]) | texts
others = st.sampled_from(["ann", "ben", "eve", HOST, "ANN", "all", ""])


@st.composite
def messages(draw: st.DrawFn, user: str) -> dict[str, Any]:
    """A message as `user` might send it, mostly in their own name."""
    return {
        "version": 1,
        "type": draw(st.sampled_from(["data", "data", "message"])),
        "from": draw(st.just(user) | st.just(user) | others),
        "to": draw(st.just(["all"]) | st.just([HOST]) | st.lists(others, max_size=2)),
        "payload": {"name": draw(labels), "content": draw(contents)},
    }


@st.composite
def near_messages(draw: st.DrawFn, user: str) -> str:
    """A message; or one with a wrong value, with more in it, or with something in it twice."""
    message: dict[str, Any] = draw(messages(user))
    written = json.dumps(message)
    match draw(st.sampled_from(["right", "right", "value", "payload", "more", "twice", "cut"])):
        case "value":
            message[draw(st.sampled_from(sorted(message)))] = draw(json_values)
            return json.dumps(message)
        case "payload":
            message["payload"][draw(texts | st.just("name"))] = draw(json_values)
            return json.dumps(message)
        case "more":
            return f"{written[:-1]},{json.dumps(draw(texts))}:{draw(raw_values)}}}"
        case "twice":
            name = draw(st.sampled_from(sorted(message)))
            value = draw(raw_values | others.map(json.dumps))
            before = draw(st.booleans())
            more = f"{json.dumps(name)}:{value}"
            return f"{{{more},{written[1:]}" if before else f"{written[:-1]},{more}}}"
        case "cut":
            return written[: draw(st.integers(0, len(written)))]
        case _:
            return written


def message_of(user: str, name: str, content: str, to: Sequence[str] = ("all",)) -> bytes:
    payload = {"name": name, "content": content}
    message = {"version": 1, "type": "data", "from": user, "to": to, "payload": payload}
    return msgspec.json.encode(message)


def long_message(user: str, size: int) -> bytes:
    return message_of(user, "label", "x" * (size - len(message_of(user, "label", ""))))


@st.composite
def said(draw: st.DrawFn) -> tuple[int, bytes]:
    """A session, and a frame it sends."""
    number = draw(st.integers(0, len(USERS) - 1))
    user = USERS[number]
    near = near_messages(user).map(lambda text: text.encode(errors="surrogatepass"))
    long = st.integers(MESSAGE_SIZE - 2, MESSAGE_SIZE + 2).map(
        lambda size: long_message(user, size)
    )
    other = (deep | raw_values).map(str.encode) | st.binary(max_size=100)
    return number, draw(near | near | near | long | other)


# -- who hears it ---------------------------------------------------------------------


class Sockets:
    """What is written, in order: to whom, and what."""

    def __init__(self, bus: Bus) -> None:
        self.first = first_connection(bus.attach_gateway(self))
        self.written: list[tuple[list[ConnectionId], bytes]] = []

    def deliver(self, connections: Sequence[ConnectionId], data: bytes) -> None:
        assert connections
        self.written.append((list(connections), data))

    deliver_later = deliver

    def close_connection(self, connection: ConnectionId, code: int, reason: str) -> None:
        raise AssertionError("the relay closes nobody")

    async def alive(self, connection: ConnectionId) -> bool:
        return True


class Room:
    """A relay with sessions in a channel and one elsewhere; a house that may have a table."""

    def __init__(self) -> None:
        bus = Bus()
        journal = Journal(MemoryStore(), bus)
        self.sockets = Sockets(bus)
        self.relay = Relay(
            bus,
            self.sockets,
            Registry(journal.store),
            open_to_all=True,
            message_size=MESSAGE_SIZE,
            rate=50,
            burst=200,
        )
        self.hosts = ChannelHosts(bus, self.relay, journal.store, (GAME,), {"onu": OnuHost})
        self.house = House((GAME,), journal, bus, hooks=Hooks(opened=self.hosts.opened))
        self.sessions = [self.sockets.first + 1 + number for number in range(len(USERS))]

    async def enter(self) -> None:
        for session, user in zip(self.sessions, USERS, strict=True):
            assert await self.relay.enter(ROOM, user, "", session) is None
        assert await self.relay.enter("attic", "cleo", "", self.sockets.first + 99) is None

    def say(self, number: int, frame: bytes) -> list[tuple[list[ConnectionId], bytes]]:
        """What one session sends, and what is written at once because of it."""
        before = len(self.sockets.written)
        self.relay.received(self.sessions[number], frame)
        return self.sockets.written[before:]


def _no_constant(text: str) -> NoReturn:
    raise AssertionError(f"{text} is no JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len({name for name, _ in pairs}) == len(pairs), "a name comes twice"
    return dict(pairs)


def strictly_read(frame: bytes) -> dict[str, Any]:
    """A frame as the strictest of clients would read it."""
    assert frame.isascii()
    assert len(frame) <= MOST_BYTES
    told = json.loads(frame, parse_constant=_no_constant, object_pairs_hook=_once)
    assert of_the_shape(told)
    assert told["version"] == 1
    assert depth_of(told) <= DEEPEST
    return dict(told)


def depth_of(value: Any) -> int:
    """How deep lists and objects lie in each other."""
    depth, level = 0, [value]
    while level := [one for one in level if isinstance(one, dict | list)]:
        depth += 1
        level = [x for one in level for x in (one.values() if isinstance(one, dict) else one)]
    return depth


def is_valid(frame: bytes, user: str) -> bool:
    """Whether it is surely a message of that user's, said once more with another reader."""
    try:
        told = json.loads(frame, parse_constant=_no_constant, object_pairs_hook=_once)
        json.dumps(told, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError, AssertionError):
        return False
    if len(frame) > MESSAGE_SIZE or not of_the_shape(told) or told["from"] != user:
        return False
    return depth_of(told) <= DEEPEST


# -- the relay ------------------------------------------------------------------------


def try_relay(tried: list[tuple[int, bytes]]) -> None:
    room = Room()
    asyncio.run(room.enter())
    for number, frame in tried:
        written = room.say(number, frame)
        if not written:
            assert not is_valid(frame, USERS[number])
            continue
        ((to, told),) = written
        assert to == room.sessions
        assert strictly_read(told)["from"] == USERS[number]
        # The same as was sent; of what was said twice, the last.
        assert strictly_read(told) == {**json.loads(frame), "version": 1}
        assert len(frame) <= MESSAGE_SIZE


@given(st.lists(said(), min_size=1, max_size=5))
def test_the_relay_tells_what_is_valid_and_nothing_else(tried: list[tuple[int, bytes]]) -> None:
    try_relay(tried)


@pytest.mark.soak
@given(st.lists(said(), min_size=1, max_size=20))
@settings(max_examples=5_000)
def test_the_relay_tells_what_is_valid_and_nothing_else_for_long(
    tried: list[tuple[int, bytes]],
) -> None:
    try_relay(tried)


# -- the host -------------------------------------------------------------------------


async def host_game(room: Room) -> None:
    """A table in the channel, with a game in which the first player is asked."""
    await room.enter()
    wanted = {"channel": ROOM, "takeOver": True, "pace": 0}
    live = room.house.opening.open(GAME, "opener", wanted)
    await asyncio.sleep(0)
    for user in PLAYERS:
        ping = message_of(user, protocol.PING, user.title(), [HOST])
        room.say(USERS.index(user), ping)
        await settle(room)
    assert len(live.roster.players) == len(PLAYERS)
    live.receive(do.Start(do.HOUSE))
    await settle(room)


async def settle(room: Room) -> None:
    """Until nothing more is written by itself."""
    written = -1
    while written != len(room.sockets.written):
        written = len(room.sockets.written)
        for _ in range(10):
            await asyncio.sleep(0)


def check_written(room: Room) -> None:
    """What was told so far: nothing is forged, and nobody is shown another's cards."""
    user_of = dict(zip(room.sessions, USERS, strict=True))
    for to, frame in room.sockets.written:
        told = strictly_read(frame)
        if told["from"] != HOST:
            assert to == room.sessions
            assert told["type"] != "data" or told["payload"]["name"] not in protocol.HOSTS_ONLY
            continue
        if told["payload"]["name"] not in TO_ONE:
            continue
        assert "all" not in told["to"]
        assert {user_of[session] for session in to} <= set(told["to"])
        if told["payload"]["name"] != protocol.PLAYER_TURN:
            state = check_state(json.loads(told["payload"]["content"]))
            for player in state["Players"]:
                own = told["to"] == [player["UserName"]]
                assert own or all(card == BLANK for card in player["Cards"])


def awaited(room: Room) -> str | None:
    """Who was asked last, unless the game is over."""
    for _, frame in reversed(room.sockets.written):
        told = json.loads(frame)
        if told["from"] == HOST and told["payload"]["name"] == protocol.WON:
            return None
        if told["from"] == HOST and told["payload"]["name"] == protocol.PLAYER_TURN:
            return str(told["to"][0])
    raise AssertionError("nobody was asked at all")


def try_host(tried: list[tuple[int, bytes] | str]) -> None:
    """Each is a frame of some session, or an answer of whoever is asked."""
    failed: list[Any] = []

    async def night() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, wrong: failed.append(wrong))
        room = Room()
        await host_game(room)
        (live,) = room.house.index
        for one in tried:
            before, user = live.table.version, awaited(room)
            if isinstance(one, tuple):
                room.say(*one)
                await settle(room)
                if USERS[one[0]] != user and protocol.PLAYER_ACTION.encode() in one[1]:
                    assert live.table.version == before
            elif user is not None and is_open(live.table.match):
                # Right or wrong, it is taken.
                room.say(USERS.index(user), message_of(user, protocol.PLAYER_ACTION, one))
                await settle(room)
                assert live.table.version > before
        check_written(room)
        await room.hosts.finish()
        await room.house.close()

    asyncio.run(night())
    assert not failed


def is_open(match: object) -> bool:
    return isinstance(match, Onu) and match.ended is None and match.open


turns = st.lists(said() | contents | answers, min_size=1, max_size=20)


@given(tried=turns)
@settings(max_examples=60)
def test_a_host_goes_on_whatever_is_said_to_it(tried: list[tuple[int, bytes] | str]) -> None:
    with no_errors():
        try_host(tried)


@pytest.mark.soak
@given(tried=turns)
@settings(max_examples=1_500)
def test_a_host_goes_on_whatever_is_said_to_it_for_long(
    tried: list[tuple[int, bytes] | str],
) -> None:
    with no_errors():
        try_host(tried)


class no_errors(logging.Handler):  # noqa: N801 - used as a statement
    """Nothing that is logged meanwhile is an error."""

    def __enter__(self) -> None:
        self.setLevel(logging.ERROR)
        self.logged: list[str] = []
        logging.getLogger("parlour").addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.logged.append(record.getMessage())

    def __exit__(self, *_: object) -> None:
        logging.getLogger("parlour").removeHandler(self)
        assert not self.logged
