"""High Card: everybody lays one card face down; the highest wins the trick.

A game for tests alone, as small as a game can be that has hidden cards, a clock, people who
leave and join midway, bots, and a wire that uses all a wire may use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Final, TypeAlias, final

import msgspec
from msgspec import Meta

from parlour.cards import Face, deck, rank_of
from parlour.kit import (
    Bot,
    Bots,
    Illegal,
    Millis,
    OpenMatch,
    Outcome,
    Picture,
    Plan,
    PutOut,
    Seat,
    Setup,
)
from parlour.protocol import (
    Answer,
    At,
    Attempt,
    CloseWith,
    Codec,
    Common,
    Door,
    Framing,
    Game,
    Hello,
    Own,
    Quit,
    Request,
    Seek,
    SitDown,
    TurnAway,
    Wire,
)
from parlour.rng import Rng
from parlour.table import STANDING as STANDING_LOBBY
from parlour.table import Lobby, Player, Roster, lobby
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.lobby import AtOnceWhenReady, OpenerRuns, Terms

HIDDEN: Final = -1


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How this table plays."""

    tricks: Annotated[int, Meta(ge=1, le=5, description="Cards dealt to each.")] = 3
    think: Annotated[int, Meta(ge=0, description="Milliseconds for a card; 0: no limit.")] = 0
    open_door: Annotated[bool, Meta(description="Whether latecomers are let in.")] = True
    password: Annotated[
        str, Meta(description="Needed to come in.", extra_json_schema={"secret": True})
    ] = ""


# Rules


@final
@dataclass(slots=True)
class Lay:
    """Lay one card of your hand face down."""

    card: Face


@final
@dataclass(slots=True)
class Dealt:
    """A hand has been dealt."""

    seat: Seat
    cards: list[Face]
    public: Dealt | None = field(default=None, compare=False, repr=False)


@final
@dataclass(slots=True)
class Laid:
    """A card lies face down."""

    seat: Seat
    card: Face
    public: Laid | None = field(default=None, compare=False, repr=False)


@final
@dataclass(slots=True)
class Taken:
    """The trick is over."""

    seat: Seat
    cards: list[Face]


@final
@dataclass(slots=True)
class Over:
    """The last trick is over, or the table was left."""

    winners: list[Seat]


@final
@dataclass(slots=True)
class Fumbled:
    """Somebody made a mistake."""

    seat: Seat


Event: TypeAlias = Dealt | Laid | Taken | Over | Fumbled


class HighCard(OpenMatch[Lay, Event]):
    """One deal, changed in place."""

    def __init__(self, settings: Settings, players: Sequence[str]) -> None:
        self.settings = settings
        self.players = list(players)
        self.deck: list[Face] = []
        self.hands: list[list[Face]] = [[] for _ in players]
        self.laid: dict[Seat, Face] = {}
        self.taken: list[Face] = []
        self.tricks = [0] * len(players)
        self.absent: list[bool] = [False] * len(players)
        self.left: list[bool] = [False] * len(players)
        self.fumbles: list[int] = [0] * len(players)
        self.stirs: list[int] = [0] * len(players)
        self.bonus = 0
        self.deadline: Millis | None = None
        self.over: Over | None = None

    def legal(self, seat: Seat) -> list[Lay]:
        if seat in self.laid or self.over is not None or self.left[seat]:
            return []
        return [Lay(card) for card in self.hands[seat]]

    def apply(self, seat: Seat, action: Lay, rng: Rng, now: Millis) -> list[Event]:
        if self.over is not None:
            raise Illegal("over", "The deal is over.")
        if seat in self.laid:
            raise Illegal("already-laid", "You have laid a card this trick.")
        if action.card not in self.hands[seat]:
            raise Illegal("not-in-hand", f"You do not hold {action.card}.")
        return self._lay(seat, action.card, now)

    def due(self) -> Millis | None:
        return self.deadline

    def tick(self, rng: Rng, now: Millis) -> list[Event]:
        if self.deadline is None or self.deadline > now:
            return []
        events: list[Event] = []
        for seat in self._in_play():
            if seat not in self.laid and self.over is None:
                events += self._lay(seat, self.hands[seat][0], now)
                if not self.laid:
                    break
        return events

    def gone(self, seat: Seat, rng: Rng, now: Millis) -> list[Event]:
        self.absent[seat] = True
        if self.over is None and seat not in self.laid:
            return self._lay(seat, self.hands[seat][0], now)
        return []

    def back(self, seat: Seat, rng: Rng, now: Millis) -> list[Event]:
        self.absent[seat] = False
        return []

    def join(self, player: str, computer: bool, rng: Rng, now: Millis) -> list[Event]:
        if not self.settings.open_door:
            raise Illegal("door-shut", "Latecomers are not let in.")
        size = max(len(hand) for hand in self.hands)
        self.players.append(player)
        self.hands.append([self.deck.pop() for _ in range(size)])
        self.tricks.append(0)
        self.absent.append(False)
        self.left.append(False)
        self.fumbles.append(0)
        self.stirs.append(0)
        return [Dealt(len(self.hands) - 1, self.hands[-1][:])]

    def leave(self, seat: Seat, rng: Rng, now: Millis) -> list[Event]:
        """The hand goes under the deck; a laid card stays until the trick is taken."""
        self.left[seat] = True
        self.deck[:0] = self.hands[seat]
        self.hands[seat] = []
        if self.over is not None:
            return []
        if len(self._in_play()) < 2:
            return self._end(now)
        return self._take(now) if self._all_laid() else []

    def fumble(self, seat: Seat, rng: Rng, now: Millis) -> list[Any]:
        """After three mistakes a player is out."""
        self.fumbles[seat] += 1
        if self.fumbles[seat] < 3:
            return [Fumbled(seat)]
        out = PutOut(seat, "clumsy", "Three mistakes are enough.")
        return [Fumbled(seat), out, *self.leave(seat, rng, now)]

    def stirred(self, seat: Seat, rng: Rng, now: Millis) -> list[Event]:
        self.stirs[seat] += 1
        return []

    def abandon(self, rng: Rng, now: Millis) -> list[Event]:
        self.over = Over([])
        return [self.over]

    def outcome(self) -> Outcome | None:
        if self.over is None:
            return None
        return Outcome(tuple(self.over.winners), "played", dict(enumerate(self.tricks)))

    def _lay(self, seat: Seat, card: Face, now: Millis) -> list[Event]:
        self.hands[seat].remove(card)
        self.laid[seat] = card
        events: list[Event] = [Laid(seat, card)]
        if self._all_laid():
            events += self._take(now)
        return events

    def _in_play(self) -> list[Seat]:
        return [seat for seat, left in enumerate(self.left) if not left]

    def _all_laid(self) -> bool:
        return all(seat in self.laid for seat in self._in_play())

    def _take(self, now: Millis) -> list[Event]:
        best = max(self.laid, key=lambda seat: (rank_of(self.laid[seat]), self.laid[seat]))
        self.tricks[best] += 1
        events: list[Event] = [Taken(best, [self.laid[s] for s in sorted(self.laid)])]
        self.taken += self.laid.values()
        self.laid = {}
        self.set_deadline(now)
        if not any(self.hands):
            return [*events, *self._end(now)]
        for seat in self._in_play():
            if self.absent[seat] and self.over is None and seat not in self.laid:
                events += self._lay(seat, self.hands[seat][0], now)
        return events

    def _end(self, now: Millis) -> list[Event]:
        most = max(self.tricks)
        self.over = Over([s for s, won in enumerate(self.tricks) if won == most])
        self.deadline = None
        return [self.over]

    def set_deadline(self, now: Millis) -> None:
        self.deadline = now + self.settings.think if self.settings.think else None


def deal(setup: Setup, rng: Rng, now: Millis) -> tuple[HighCard, list[Event]]:
    settings: Settings = setup.settings
    match = HighCard(settings, setup.players)
    match.deck = deck()
    rng.shuffle(match.deck)
    match.set_deadline(now)
    match.bonus = len(setup.content.get("bonus", b""))
    events: list[Event] = []
    for seat in range(len(setup.players)):
        match.hands[seat] = [match.deck.pop() for _ in range(settings.tricks + match.bonus)]
        events.append(Dealt(seat, match.hands[seat][:]))
    return match, events


def view(event: Event, seat: Seat | None) -> Event:
    """What `seat` may know of `event`; a spectator is None."""
    if isinstance(event, Dealt) and event.seat != seat:
        event.public = event.public or Dealt(event.seat, [HIDDEN] * len(event.cards))
        return event.public
    if isinstance(event, Laid) and event.seat != seat:
        event.public = event.public or Laid(event.seat, HIDDEN)
        return event.public
    return event


class HighPicture(Picture[Event]):
    """All that was shown, in order."""

    def __init__(self, viewer: Seat | None) -> None:
        super().__init__(viewer)
        self.shown: list[Event] = []

    def see(self, event: Event) -> None:
        self.shown.append(event)


class HighExperience:
    """How many matches were seen."""

    def __init__(self, kept: bytes | None) -> None:
        self.matches = int(kept or b"0")

    def learn(self, picture: HighPicture) -> None:
        self.matches += any(isinstance(event, Over) for event in picture.shown)

    def dump(self) -> bytes:
        return b"%d" % self.matches


class HighBot(Bot[Lay, Event, HighPicture]):
    """Lays a random card at once."""

    def __init__(
        self, picture: HighPicture, rng: Rng, experience: HighExperience | None = None
    ) -> None:
        super().__init__(picture, rng)
        self.experience = experience

    def plan(self, legal: Sequence[Lay], now: Millis) -> Plan[Lay] | None:
        return Plan(now, legal[self.rng.below(len(legal))])


# Wire


class LayMessage(msgspec.Struct, tag="lay", tag_field="type"):
    card: int


class TryMessage(msgspec.Struct, tag="try", tag_field="type"):
    """Lay a card, at one's own risk."""

    card: int


class SitMessage(msgspec.Struct, tag="sit", tag_field="type"):
    """Who watches wants to play."""


class SayMessage(msgspec.Struct, tag="say", tag_field="type"):
    text: str


class StartMessage(msgspec.Struct, tag="start", tag_field="type"):
    """Deal."""


class EchoMessage(msgspec.Struct, tag="echo", tag_field="type"):
    """To be sent straight back."""

    text: str


class QuitMessage(msgspec.Struct, tag="quit", tag_field="type"):
    """Get up."""


Message: TypeAlias = (
    LayMessage | TryMessage | SitMessage | SayMessage | StartMessage | EchoMessage | QuitMessage
)


def _json(type: str, **fields: Any) -> bytes:
    return msgspec.json.encode({"type": type, **fields})


class HighDoor(Door):
    """Uses what a door may use: subprotocols, a cookie, every way to say no."""

    subprotocols: ClassVar[tuple[str, ...]] = ("high.v2", "high.v1")
    cookie: ClassVar[str] = "high_session"

    def seek(self, hello: Hello) -> Seek | TurnAway | CloseWith:
        query = hello.query
        if "away" in query:
            return TurnAway(int(query["away"]), "Not today.")
        if "close" in query:
            return CloseWith(int(query["close"]), "Not like this.", _json("no"))
        known = hello.visitor is not None
        if "watch" in query:
            return Seek(where=At(query["watch"]), watch=True)
        if "table" in query:
            key = query.get("password")
            return Seek(where=At(query["table"]), key=key, resumable=known)
        if "common" in query:
            return Seek(where=Common(), resumable=known)
        return Seek(where=Own(last=known), resumable=known)

    def admit(self, hello: Hello, roster: Roster | None) -> TurnAway | CloseWith | None:
        if "table" in hello.query and roster is None:
            return TurnAway(404, "No such table.")
        return None


class HighCodec(Codec):
    """The protocol's messages."""

    incoming = Message
    outgoing = None
    words: ClassVar[int] = 1

    def request(self, message: Message) -> Request:
        match message:
            case LayMessage(card=card):
                return do.Act(do.ME, Lay(card))
            case TryMessage(card=card):
                return Attempt(Lay(card))
            case SitMessage():
                return SitDown()
            case SayMessage(text=text):
                return do.Say(do.ME, text)
            case StartMessage():
                return do.Start(do.ME)
            case EchoMessage(text=text):
                return Answer(_json("echo", text=text))
            case QuitMessage():
                return Quit()

    def encode(self, event: Any, roster: Roster, me: Player | None) -> Sequence[bytes]:
        match event:
            case tell.Said(place=place, text=text):
                return [_json("said", place=place, text=text * self.words)]
            case Dealt(seat=seat, cards=cards):
                return [_json("dealt", seat=seat, cards=cards)]
            case Laid(seat=seat, card=card):
                return [_json("laid", seat=seat, card=card)]
            case Taken(seat=seat, cards=cards):
                return [_json("taken", seat=seat, cards=cards)]
            case Over(winners=winners):
                return [_json("over", winners=winners)]
            case Fumbled(seat=seat):
                return [_json("fumbled", seat=seat)]
            case tell.Left(place=place, name=name):
                return [_json("left", place=place, name=name)]
            case tell.Kicked(place=place, reason=reason):
                return [_json("kicked", place=place, reason=reason)]
            case tell.LobbyChanged():
                return [_json("lobby", code=roster.code, names=[p.name for p in roster.players])]
            case _:
                return []

    def greet(
        self, picture: HighPicture, roster: Roster, me: Player | None, now: int
    ) -> list[bytes]:
        hello = _json("hello", code=roster.code, place=me.place if me else None)
        return [hello, *(m for e in picture.shown for m in self.encode(e, roster, me))]

    def refuse(self, code: str, sentence: str) -> bytes:
        return _json("error", code=code, message=sentence)


class Envelope(msgspec.Struct):
    n: int


def _after_number(data: bytes) -> bytes:
    return b"," + data[1:]


FRAMING: Final = Framing(Envelope, b'{"n":', _after_number)
WIRE: Final = Wire("high", ("/high",), HighCodec(), HighDoor(), framing=FRAMING)


class LoudCodec(HighCodec):
    """The same, but sends every message a hundred times, which overruns a slow reader."""

    words: ClassVar[int] = 100


LOUD: Final = replace(WIRE, name="loud", paths=("/high/loud",), codec=LoudCodec())


class StandingDoor(HighDoor):
    cookie: ClassVar[str] = "parlour_session"

    def turn_away(self, code: str, sentence: str) -> CloseWith:
        if code not in ("kicked", "banned", "clumsy", "brawl"):
            return super().turn_away(code, sentence)
        return CloseWith(4400, sentence, _json("out", reason=code))


BONUS: dict[str, bytes] = {"bonus": b"x"}
"""One more card for everybody: content that rules depend on, to be changed by tests."""


class Start(AtOnceWhenReady):
    """Any player may start, whether the others are ready or not."""

    check = lobby.Start.check


class Entry(OpenerRuns):
    def terms(self, settings: Settings) -> Terms:
        return Terms(password=settings.password)


class Content(lobby.Content):
    """Accepts any content."""

    def own(self, settings: Any) -> dict[str, bytes]:
        return BONUS

    def read(self, data: bytes, there: Mapping[str, bytes]) -> bytes:
        return data


GAME = Game(
    id="high",
    name="High Card",
    blurb="The highest card takes the trick.",
    min_seats=2,
    max_seats=4,
    settings=Settings,
    actions=(Lay,),
    deal=deal,
    view=view,
    wires=(WIRE, LOUD),
    picture=HighPicture,
    bots=Bots(HighBot, ("Ada", "Bo")),
    lobby=Lobby(),
)

STANDING = replace(
    GAME,
    id="standing",
    name="Standing High Card",
    lobby=replace(STANDING_LOBBY, start=Start(), entry=Entry(), content=Content()),
    wires=(replace(WIRE, name="standing", paths=("/standing",), door=StandingDoor()),),
    bots=Bots(HighBot, ("Ada", "Bo"), HighExperience),
)
"""The same at a table where people come and go, with bots that learn and pinned content."""
