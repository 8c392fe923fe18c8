"""The plain protocol: messages made from a game's own classes, and the lobby they are spoken in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from parlour.battery.plain import PlainClient
from parlour.cards import BLACK_JOKER, RED_JOKER, Face, Rank, Suit, face
from parlour.documents import wires as documents
from parlour.documents.messages import Messages
from parlour.house.audience import Attachment, Audience
from parlour.kit import Bot, Bots, Illegal, OpenMatch, Outcome, Plan, Seat, Setup, Story
from parlour.protocol import BadMessage, Game, Hello, Quit, SitDown, plain_wire
from parlour.protocol.messages import Derived
from parlour.rng import Rng
from parlour.table import HOSTED, STANDING, Table
from parlour.table import Lobby as TableLobby
from parlour.table import inputs as do
from tests.support import attached

# A game whose one rule is that something happens


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How this table plays."""

    pace: Annotated[int, Meta(ge=1, le=9)] = 1
    password: Annotated[str, Meta(extra_json_schema={"secret": True})] = "sesame"


@dataclass(slots=True)
class Bid:
    """All that an action can hold."""

    number: int
    word: str
    sure: bool
    how: Literal["high", "low"]
    face: Face
    suit: Suit | None
    ranks: list[Rank]
    nested: list[list[Face | None]]
    either: int | str
    note: str = ""
    last: Suit | None = None


@dataclass(slots=True)
class StopNow:
    """End it."""


@dataclass(slots=True)
class Item:
    """A part of an event."""

    name: str
    face: Face | None


@dataclass(slots=True)
class BidMade:
    """All that an event can hold."""

    seat: Seat
    face: Face | None
    pair: tuple[Face, ...]
    points: dict[Seat, int]
    hands: dict[str, list[Face | None]]
    items: list[Item]
    best: Item | None
    kept: BidMade | None = field(default=None, compare=False, repr=False)


@dataclass(slots=True)
class Stopped:
    """It is over."""

    who: Seat | None


ACTIONS = (Bid, StopNow)
EVENTS = (BidMade, Stopped)
WIRE = plain_wire("bids", ACTIONS, EVENTS)


class Bids(OpenMatch[Any, Any]):
    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.over = False

    def legal(self, seat: Seat) -> Sequence[Any]:
        return [] if self.over else [StopNow()]

    def apply(self, seat: Seat, action: Any, rng: Rng, now: int) -> list[Any]:
        if isinstance(action, StopNow):
            self.over = True
            return [Stopped(seat)]
        return [_made(seat, action.face)]

    def join(self, player: str, computer: bool, rng: Rng, now: int) -> list[Any]:
        self.seats += 1
        return [_made(self.seats - 1, 7)]

    def leave(self, seat: Seat, rng: Rng, now: int) -> list[Any]:
        return []

    def abandon(self, rng: Rng, now: int) -> list[Any]:
        self.over = True
        return [Stopped(None)]

    def outcome(self) -> Outcome | None:
        return Outcome((0,), "stopped", {0: 3, 1: 2}) if self.over else None


def _made(seat: Seat, card: Face) -> BidMade:
    return BidMade(seat, card, (card, 0), {0: 3}, {"a": [card, None]}, [], Item("it", card))


def _deal(setup: Setup, rng: Rng, now: int) -> tuple[Bids, list[Any]]:
    return Bids(len(setup.players)), [_made(s, 5) for s in range(len(setup.players))]


def _view(event: Any, seat: Seat | None) -> Any:
    if isinstance(event, BidMade) and event.seat != seat:
        return BidMade(event.seat, None, (), {}, {"a": [None, None]}, [], None)
    return event


class Stopper(Bot[Any, Any, Any]):
    def plan(self, legal: Sequence[Any], now: int) -> Plan[Any]:
        return Plan(now, legal[0])


GAME = Game(
    id="bids",
    name="Bids",
    blurb="Say something.",
    min_seats=2,
    max_seats=4,
    settings=Settings,
    actions=ACTIONS,
    deal=_deal,
    view=_view,
    picture=Story,
    lobby=STANDING,
    wires=(WIRE,),
    bots=Bots(Stopper, ("Stop",)),
)

# Messages


def told(event: Any) -> dict[str, Any]:
    [data] = WIRE.codec.encode(event, None, None)  # type: ignore[arg-type]
    message: dict[str, Any] = msgspec.json.decode(data)
    return message


def taken(**message: Any) -> Any:
    return WIRE.codec.decode(msgspec.json.encode(message))


faces = st.integers(0, 53)
bids = st.builds(
    Bid,
    st.integers(-(2**53), 2**53),
    st.text(max_size=300),
    st.booleans(),
    st.sampled_from(["high", "low"]),
    faces,
    st.none() | st.integers(0, 3),
    st.lists(st.integers(1, 13), max_size=5),
    st.lists(st.lists(st.none() | faces, max_size=3), max_size=3),
    st.integers(-9, 9) | st.text(max_size=3),
    st.text(max_size=3),
    st.none() | st.integers(0, 3),
)


@given(bids)
def test_an_action_comes_back_from_its_message_as_it_went(bid: Bid) -> None:
    message = msgspec.json.encode(Derived.action(Bid).out(bid))
    assert WIRE.codec.decode(message) == do.Act(do.ME, bid)


@given(bids)
def test_an_action_comes_back_from_the_log_as_it_went(bid: Bid) -> None:
    kept = do.decode(do.encode(do.Act(0, bid)))
    assert isinstance(kept, do.Act)
    assert do.unpack(kept.action, {"Bid": Bid}) == bid


A_BID: dict[str, Any] = {
    "type": "bid",
    "number": 1,
    "word": "",
    "sure": True,
    "how": "low",
    "face": {"rank": "Q", "suit": "spades"},
    "suit": "clubs",
    "ranks": ["A", "10"],
    "nested": [[None, {"rank": "joker", "suit": "black"}]],
    "either": "x",
}


def test_cards_are_said_in_words_and_defaults_may_be_left_out() -> None:
    bid = Bid(1, "", True, "low", face(3, 12), 2, [1, 10], [[None, BLACK_JOKER]], "x", "", None)
    assert taken(**A_BID) == do.Act(do.ME, bid)
    assert taken(**A_BID, last="hearts").action.last == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("number", 2**53 + 1),
        ("number", -(10**30)),
        ("number", 1.5),
        ("word", "x" * 301),
        ("ranks", ["A"] * 129),
        ("ranks", ["1"]),
        ("nested", [[]] * 129),
        ("nested", [[None] * 129]),
        ("how", "middling"),
        ("face", {"rank": "joker", "suit": "spades"}),
        ("face", {"rank": "A", "suit": "red"}),
        ("face", 7),
        ("suit", 2),
        ("suit", "red"),
        ("either", None),
    ],
)
def test_what_is_too_much_or_no_card_is_refused(name: str, value: Any) -> None:
    with pytest.raises(BadMessage) as refused:
        taken(**{**A_BID, name: value})
    assert refused.value.code == "bad-message"


def test_an_event_is_told_field_by_field_and_what_is_hidden_is_null() -> None:
    five = {"rank": "6", "suit": "hearts"}
    best = Item("jack", face(2, 11))
    event = BidMade(1, 5, (5, RED_JOKER), {0: 4, 2: -1}, {"a": [None, 5]}, [best], None)
    event.kept = event
    assert told(event) == {
        "type": "bid_made",
        "seat": 1,
        "face": five,
        "pair": [five, {"rank": "joker", "suit": "red"}],
        "points": {"0": 4, "2": -1},
        "hands": {"a": [None, five]},
        "items": [{"name": "jack", "face": {"rank": "J", "suit": "clubs"}}],
        "best": None,
    }
    assert told(Stopped(None)) == {"type": "stopped", "who": None}


def test_an_event_that_was_not_named_is_no_silence() -> None:
    with pytest.raises(TypeError, match="Item is not among the events of the game bids"):
        told(Item("", None))


@dataclass
class Start:
    """Called as a message of the lobby."""


@dataclass
class Lobby:
    """Called as a message of the lobby."""


@dataclass
class Fraction:
    much: float


@dataclass
class Pair:
    both: tuple[int, int]


@dataclass
class Grouped:
    points: dict[str, int]


@dataclass
class Inner:
    item: Item


@dataclass
class Unclear:
    card: Face | Suit


@pytest.mark.parametrize(
    ("actions", "events", "sentence"),
    [
        ([int], [], "int is no dataclass"),
        ([Start], [], "the action Start would be called 'start' on the wire, as the lobby's is"),
        ([], [Lobby], "the event Lobby would be called 'lobby' on the wire, as the lobby's is"),
        ([Bid, Bid], [], "the action Bid would be called 'bid' on the wire, as Bid is"),
        ([Fraction], [], "Fraction.much: an action can't hold <class 'float'>"),
        ([Pair], [], "Pair.both: an action can't hold"),
        ([Grouped], [], "Grouped.points: an action can't hold"),
        ([Inner], [], "Inner.item: an action can't hold"),
        ([], [Fraction], "Fraction.much: an event can't hold <class 'float'>"),
        ([], [Pair], "Pair.both: an event can't hold"),
        ([], [Unclear], "Unclear.card: of a union, only `X | None` can be said in words"),
    ],
)
def test_a_class_that_makes_no_message_is_refused_with_a_sentence(
    actions: list[type], events: list[type], sentence: str
) -> None:
    with pytest.raises(TypeError) as refused:
        plain_wire("odd", actions, events)
    assert str(refused.value).startswith(sentence)


@given(st.binary(max_size=200))
def test_random_bytes_are_cleanly_refused(data: bytes) -> None:
    try:
        WIRE.codec.decode(data)
    except BadMessage as bad:
        assert bad.sentence.endswith(".")


def test_deep_nesting_is_cleanly_refused() -> None:
    with pytest.raises(BadMessage):
        WIRE.codec.decode(b'{"type":"settings","settings":' + b"[" * 5000 + b"]" * 5000 + b"}")


@pytest.mark.parametrize(
    ("message", "wish"),
    [
        ({"type": "name", "name": "Ada"}, do.Rename(do.ME, "Ada")),
        ({"type": "add_bot"}, do.AddBot(do.ME)),
        ({"type": "remove_bot"}, do.RemoveBot(do.ME)),
        ({"type": "remove_bot", "place": 3}, do.RemoveBot(do.ME, 3)),
        ({"type": "settings", "settings": {"pace": 2}}, do.Configure(do.ME, {"pace": 2})),
        ({"type": "ready"}, do.Ready(do.ME, True, 3_000)),
        ({"type": "ready", "ready": False}, do.Ready(do.ME, False, 3_000)),
        ({"type": "start"}, do.Start(do.ME)),
        ({"type": "say", "text": "hello"}, do.Say(do.ME, "hello")),
        ({"type": "kick", "place": 1}, do.Kick(do.ME, 1)),
        ({"type": "kick", "place": 1, "ban": True}, do.Kick(do.ME, 1, True)),
        ({"type": "sit_down"}, SitDown()),
        ({"type": "leave"}, Quit()),
    ],
)
def test_the_lobbys_messages_ask_for_what_they_say(message: dict[str, Any], wish: Any) -> None:
    assert taken(**message) == wish


def test_schemas_and_types_are_made_of_it_as_of_every_wire(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(Path(__file__).resolve().parent.parent.parent / "scripts")
    from protocols.typescript import messages_module  # type: ignore[import-not-found]

    messages = Messages(WIRE)
    schema = documents.schema("Bids", messages)["$defs"]
    assert schema["BidAction"]["description"] == "All that an action can hold."
    assert "note" not in schema["BidAction"]["required"]
    assert "word" in schema["BidAction"]["required"]
    assert set(documents.asyncapi("Bids", messages)["channels"]) == {"plain-bids"}
    types = messages_module("Bids", messages)
    assert "  items: Item[]\n" in types
    assert "  nested: ((FaceInWords | null)[])[]\n" in types
    assert "  points: Record<string, number>\n" in types
    assert "  items: list(Item),\n" in types
    assert "  hands: record(list(or(FaceInWords, nil))),\n" in types
    assert "  points: record(number),\n" in types


# At a table


class Evening:
    """A table, and listeners for everybody at it and for a spectator."""

    def __init__(self, lobby: TableLobby) -> None:
        opening = do.Open(
            id="t", code="123456", game="bids", seed="5" * 64, settings={}, opener="v0"
        )
        self.table = Table(replace(GAME, lobby=lobby), opening, 0)
        self.now = 0
        self.audience = Audience(self.table, lambda: self.now)
        self.listeners: dict[int, PlainClient] = {}
        self.attach(None)

    def attach(self, place: int | None) -> None:
        number = -1 if place is None else place
        attachment = attached(number, WIRE, f"v{place}", place)
        self.audience.attach(attachment)
        self.listeners[number] = self.greeted(attachment)

    def greeting(self, attachment: Attachment) -> list[bytes]:
        return [data for _, data in self.audience.greet(attachment)]  # type: ignore[misc]

    def greeted(self, attachment: Attachment) -> PlainClient:
        client = PlainClient(WIRE.codec)
        for message in self.greeting(attachment):
            client.hear(message)
        return client

    def receive(self, entry: do.Input) -> list[dict[str, Any]]:
        """What the spectator is told of it; everybody else is told theirs."""
        happened = self.table.receive(entry, self.now)
        spectator: list[dict[str, Any]] = []
        for connections, data in self.audience.tell(happened):
            assert isinstance(data, bytes)
            for connection in connections:
                self.listeners[connection].hear(data)
                if connection == -1:
                    spectator.append(msgspec.json.decode(data))
        for attachment in list(self.audience.attachments):
            if attachment.place is not None and self.table.roster.at(attachment.place) is None:
                self.audience.detach(attachment)
        if isinstance(entry, do.Join):
            self.attach(self.table.roster.players[-1].place)
        return spectator


@pytest.mark.parametrize(
    "lobby", [TableLobby(), HOSTED, STANDING], ids=["open", "hosted", "standing"]
)
@given(seed=st.integers(0, 2**32))
def test_what_was_told_is_what_a_newcomer_is_greeted_with(lobby: TableLobby, seed: int) -> None:
    rnd = Random(seed)
    evening = Evening(lobby)
    for step in range(60):
        place = rnd.choice([p.place for p in evening.table.roster.people] or [0])
        entry: do.Input = rnd.choice(
            (
                do.Join(f"v{step}", f"Guest {step}", resumable=rnd.random() < 0.7),
                do.Join(f"v{step}", f"Guest {step}", resumable=True),
                do.Leave(place),
                do.Away(place),
                do.Back(place),
                do.Rename(place, f"Name {rnd.randrange(4)}"),
                do.Configure(do.HOUSE, {"pace": rnd.randint(1, 9)}),
                do.Ready(place, rnd.random() < 0.8),
                do.AddBot(do.HOUSE),
                do.RemoveBot(do.HOUSE),
                do.Kick(do.HOUSE, place),
                do.Start(do.HOUSE),
                do.Act(place, StopNow()),
                do.Act(place, Bid(0, "", True, "low", 9, None, [], [], 0)),
                do.Act(place, Bid(0, "", True, "low", 9, None, [], [], 0)),
                do.Say(place, "hello"),
                do.Tick(),
            )
        )
        evening.now += 40_000 if isinstance(entry, do.Tick) else 5
        try:
            evening.receive(entry)
        except Illegal:
            continue
        if evening.table.closed:
            return
        for attachment in evening.audience.attachments:
            newcomer = evening.greeted(attachment)
            assert evening.listeners[attachment.connection].summary() == newcomer.summary()


def test_an_evening_as_a_spectator_is_told_it() -> None:
    evening = Evening(STANDING)
    [lobby] = evening.receive(do.Join("v0", "Ada", resumable=True))
    assert lobby["host"] == 0
    assert lobby["settings"] == {"pace": 1}, "the password is nobody's business"
    evening.receive(do.Join("v1", "Bo", resumable=True))
    [said] = evening.receive(do.Say(1, "hello"))
    assert said == {"type": "said", "place": 1, "name": "Bo", "text": "hello", "at": 0}
    evening.receive(do.Ready(0, True))
    [lobby] = evening.receive(do.Ready(1, True))
    assert lobby["starts_at"] == 0
    [lobby, match, *dealt] = evening.receive(do.Tick())
    assert (lobby["running"], [p["seat"] for p in lobby["players"]]) == (True, [0, 1])
    assert match == {"type": "match", "round": 1}
    assert [(d["seat"], d["face"]) for d in dealt] == [(0, None), (1, None)]
    lobby = evening.receive(do.Away(1))[-1]
    assert [p["present"] for p in lobby["players"]] == [True, False]
    [stopped, result, lobby] = evening.receive(do.Act(0, StopNow()))
    assert stopped == {"type": "stopped", "who": 0}
    assert result == {
        "type": "result",
        "winners": [0],
        "how": "stopped",
        "scores": {"0": 3, "1": 2},
        "next_in": None,
    }
    assert (lobby["running"], [p["seat"] for p in lobby["players"]]) == (False, [None])
    [watching] = [a for a in evening.audience.attachments if a.place is None]
    assert [msgspec.json.decode(data) for data in evening.greeting(watching)] == [
        {"type": "welcome", "game": "bids", "code": "123456", "place": None},
        lobby,
    ]


def test_where_a_connection_belongs() -> None:
    def seek(**query: str) -> Any:
        return WIRE.door.seek(Hello("/plain/bids", query=query, visitor="v"))

    assert WIRE.paths == ("/plain/bids",)
    assert seek(table="123").where.table == "123"
    assert seek(table="123").resumable
    assert not WIRE.door.seek(Hello("/plain/bids", query={"table": "123"})).resumable  # type: ignore[union-attr]
    assert seek(watch="123").watch
    assert seek(token="mine").where.last
    assert not seek(token="mine").stranger
    assert seek().stranger
    assert not seek().where.last
    away = WIRE.door.seek(Hello("/plain/bids", query={"token": "no"}, bad_token=True))
    assert away.status == 403  # type: ignore[union-attr]
