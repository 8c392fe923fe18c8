"""Small games made up to try the battery on: High Card, and an Eights with awkward rules.

Eights has what card games commonly have and what is hard to test for leaks: cards that are
texts, whoever can play must (so that to draw tells something of a hand), a start card that is
seen and buried, and a pile that becomes the deck again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from parlour.battery import Trial
from parlour.kit import Bot, Bots, Illegal, Match, Outcome, Picture, Plan, Seat, Setup
from parlour.protocol import Codec, Game, Wire
from parlour.rng import Rng
from parlour.table import STANDING, Lobby
from parlour.table import events as tell
from parlour.table import inputs as do
from tests import highcard

# High Card


def _high_cards(match: Any) -> list[int]:
    hands = [card for hand in match.hands for card in hand]
    return [*match.deck, *hands, *match.laid.values(), *match.taken]


def _high_knows(match: Any, seat: Seat | None) -> list[int]:
    """The tricks taken; one's own hand, and the card one has laid face down."""
    own = [] if seat is None else [*match.hands[seat]]
    return [*match.taken, *own, *(card for s, card in match.laid.items() if s == seat)]


HIGH = Trial(game=highcard.GAME, cards=_high_cards, knows=_high_knows, bot_games=10)

OPEN_SEATS = replace(
    HIGH,
    game=replace(highcard.GAME, lobby=STANDING, max_seats=8),
    settings=lambda rnd: {"tricks": 5, "think": rnd.choice((0, 900))},
)
"""The same, where people sit down and get up in mid-match."""


# Eights

DECK = tuple(f"{rank}{suit}" for suit in "hdcs" for rank in "23456789TJQKA")


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    hand: int = 5
    automatic: bool = False
    """Whether the rules draw for who can't play, without being asked."""


@dataclass(slots=True)
class Play:
    card: str


@dataclass(slots=True)
class Draw:
    pass


@dataclass(slots=True)
class Got:
    """A card came to a hand."""

    seat: Seat
    card: str
    public: Got | None = field(default=None, compare=False, repr=False)


@dataclass(slots=True)
class Buried:
    """An eight was turned up to begin with, and went back somewhere into the deck."""

    card: str


@dataclass(slots=True)
class Laid:
    """A card lies on the pile; `seat` -1: the start card."""

    seat: Seat
    card: str


@dataclass(slots=True)
class Passed:
    """Nothing to play and nothing to draw."""

    seat: Seat


@dataclass(slots=True)
class Over:
    winner: Seat | None


class Eights(Match[Any, Any]):
    def __init__(self, settings: Settings, players: Sequence[str]) -> None:
        self.settings = settings
        self.deck: list[str] = []
        self.pile: list[str] = []
        self.hands: list[list[str]] = [[] for _ in players]
        self.absent = [False] * len(players)
        self.turn = 0
        self.passes = 0
        self.left = 150
        self.over: Over | None = None

    def fits(self, card: str) -> bool:
        top = self.pile[-1]
        return card[0] in (top[0], "8") or card[1] == top[1]

    def legal(self, seat: Seat) -> list[Any]:
        if self.over is not None or seat != self.turn:
            return []
        return [Play(card) for card in self.hands[seat] if self.fits(card)] or [Draw()]

    def apply(self, seat: Seat, action: Any, rng: Rng, now: int) -> list[Any]:
        if self.over is not None:
            raise Illegal("over", "It is over.")
        if seat != self.turn:
            raise Illegal("not-your-turn", "It is not your turn.")
        if isinstance(action, Draw):
            if any(self.fits(card) for card in self.hands[seat]):
                raise Illegal("must-play", "You can play, so you must.")
            return [*self._draw(seat, rng), *self._pass_on(rng)]
        if action.card not in self.hands[seat]:
            raise Illegal("not-in-hand", "You do not hold that card.")
        if not self.fits(action.card):
            raise Illegal("does-not-fit", "That card does not fit.")
        self.hands[seat].remove(action.card)
        self.pile.append(action.card)
        self.passes = 0
        events: list[Any] = [Laid(seat, action.card)]
        if not self.hands[seat]:
            self.over = Over(seat)
            return [*events, self.over]
        return [*events, *self._pass_on(rng)]

    def _draw(self, seat: Seat, rng: Rng) -> list[Any]:
        if not self.deck and len(self.pile) > 1:
            self.deck = self.pile[:-1]
            del self.pile[:-1]
            rng.shuffle(self.deck)
        if not self.deck:
            self.passes += 1
            return [Passed(seat)]
        card = self.deck.pop()
        self.hands[seat].append(card)
        return [Got(seat, card)]

    def _pass_on(self, rng: Rng) -> list[Any]:
        events: list[Any] = []
        while self.over is None:
            self.left -= 1
            self.turn = (self.turn + 1) % len(self.hands)
            if self.left <= 0 or self.passes >= len(self.hands):
                self.over = Over(None)
                return [*events, self.over]
            if self.absent[self.turn]:
                continue
            if not self.settings.automatic or any(map(self.fits, self.hands[self.turn])):
                break
            events += self._draw(self.turn, rng)
        return events

    def gone(self, seat: Seat, rng: Rng, now: int) -> list[Any]:
        self.absent[seat] = True
        return self._pass_on(rng) if self.over is None and seat == self.turn else []

    def back(self, seat: Seat, rng: Rng, now: int) -> list[Any]:
        self.absent[seat] = False
        return []

    def abandon(self, rng: Rng, now: int) -> list[Any]:
        self.over = Over(None)
        return [self.over]

    def outcome(self) -> Outcome | None:
        if self.over is None:
            return None
        return Outcome(() if self.over.winner is None else (self.over.winner,), "played")


def deal(setup: Setup, rng: Rng, now: int) -> tuple[Eights, list[Any]]:
    match = Eights(setup.settings, setup.players)
    match.deck = list(DECK)
    rng.shuffle(match.deck)
    events: list[Any] = []
    for _ in range(setup.settings.hand):
        for seat, hand in enumerate(match.hands):
            hand.append(match.deck.pop())
            events.append(Got(seat, hand[-1]))
    start = match.deck.pop()
    while start[0] == "8":
        events.append(Buried(start))
        match.deck.insert(rng.below(len(match.deck)), start)
        start = match.deck.pop()
    match.pile = [start]
    return match, [*events, Laid(-1, start)]


def view(event: Any, seat: Seat | None) -> Any:
    if isinstance(event, Got) and event.seat != seat:
        event.public = event.public or Got(event.seat, "")
        return event.public
    return event


class EightsPicture(Picture[Any]):
    def __init__(self, viewer: Seat | None) -> None:
        super().__init__(viewer)
        self.hands: dict[Seat, list[str]] = {}
        self.top = ""

    def see(self, event: Any) -> None:
        if isinstance(event, Got):
            self.hands.setdefault(event.seat, []).append(event.card)
        elif isinstance(event, Laid):
            self.top = event.card
            hand = self.hands.get(event.seat, [])
            if hand:
                hand.remove(event.card if event.card in hand else "")


class EightsBot(Bot[Any, Any, EightsPicture]):
    def plan(self, legal: Sequence[Any], now: int) -> Plan[Any]:
        return Plan(now, legal[self.rng.below(len(legal))])


class PlayMessage(msgspec.Struct, tag="play", tag_field="type"):
    card: str


class DrawMessage(msgspec.Struct, tag="draw", tag_field="type"):
    pass


class EightsCodec(Codec):
    incoming = PlayMessage | DrawMessage

    def request(self, message: Any) -> Any:
        return do.Act(do.ME, Play(message.card) if isinstance(message, PlayMessage) else Draw())

    def encode(self, event: Any, roster: Any, me: Any) -> list[bytes]:
        if type(event) in tell.TABLE_EVENTS:
            return []
        fields = {n: getattr(event, n) for n in event.__match_args__ if n != "public"}
        return [msgspec.json.encode({"type": type(event).__name__, **fields})]

    def greet(self, picture: EightsPicture, roster: Any, me: Any, now: int) -> list[bytes]:
        return [msgspec.json.encode({"hands": list(picture.hands.items()), "top": picture.top})]

    def refuse(self, code: str, sentence: str) -> bytes:
        return msgspec.json.encode({"error": code})


def _cards(match: Eights) -> list[str]:
    return [*match.deck, *match.pile, *(card for hand in match.hands for card in hand)]


def _knows(match: Eights, seat: Seat | None) -> list[str]:
    return [*match.pile, *([] if seat is None else match.hands[seat])]


EIGHTS = Trial(
    game=Game(
        id="eights",
        name="Eights",
        blurb="Suit on suit, rank on rank.",
        min_seats=2,
        max_seats=4,
        settings=Settings,
        actions=(Play, Draw),
        deal=deal,
        view=view,
        picture=EightsPicture,
        lobby=Lobby(),
        wires=(Wire("eights", ("/eights",), EightsCodec()),),
        bots=Bots(EightsBot, ("Ada", "Bo")),
    ),
    cards=_cards,
    knows=_knows,
    reveals=lambda event: [event.card] if isinstance(event, Buried) else [],
    # Who can't play draws automatically.
    follows=lambda event: True if isinstance(event, Got | Passed) else None,
    settings=lambda rnd: {"hand": rnd.randint(3, 7), "automatic": rnd.random() < 0.5},
    bot_games=10,
)
