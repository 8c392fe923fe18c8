"""Asking: ask for a rank that you hold, and lay down pairs. A described game for tests alone.

Both fields of its only action are pressed on the table: first a player's hand, then a card of one's
own. Cards of a rank have the same name, and everybody has two zones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import msgspec

from parlour.cards import Face, Rank, deck, faces, rank_of
from parlour.choices import Choices
from parlour.kit import Bot, Bots, Illegal, Millis, Outcome, Plan, Seat, Setup
from parlour.lessons import Deck, Do, Lesson, Say
from parlour.protocol import Game, plain_wire
from parlour.rng import Rng
from parlour.scenes import Scene, Tabletop, Thing, Zone, french
from parlour.table import Lobby
from parlour.turns import Dealt, Turn, TurnMatch


class Settings(msgspec.Struct, frozen=True):
    """Nothing can be set."""


@dataclass(slots=True)
class Ask:
    """Ask the player at this seat for a card of a rank that you hold."""

    seat: Seat
    rank: Rank


@dataclass(slots=True)
class Asked:
    """These cards went to the table before `seat`: its own, and the one it asked for."""

    seat: Seat
    giver: Seat
    rank: Rank
    pair: list[Face]


Action: TypeAlias = Ask
Event: TypeAlias = Dealt | Turn | Asked
ASKS: Final = 4
"""Turns of each player in a match."""


class Asking(TurnMatch[Action, Event]):
    def __init__(self, players: int, first: Seat) -> None:
        super().__init__(players, first)
        self.hands: list[list[Face]] = []
        self.pairs = [0] * players
        self.left = ASKS * players

    def moves(self) -> list[Action]:
        ranks = sorted({rank_of(card) for card in self.hands[self.turn]})
        others = [seat for seat in range(self.seats) if seat != self.turn]
        return [Ask(seat, rank) for seat in others for rank in ranks]

    def why_not(self, action: Action) -> Illegal:
        return Illegal("cannot-ask", "Ask another player for a rank that you hold.")

    def do(self, action: Action, rng: Rng, now: Millis) -> list[Event]:
        seat, giver = self.turn, action.seat
        pair = [
            next(card for card in self.hands[whose] if rank_of(card) == action.rank)
            for whose in (seat, giver)
            if any(rank_of(card) == action.rank for card in self.hands[whose])
        ]
        if len(pair) == 2:
            self.hands[seat].remove(pair[0])
            self.hands[giver].remove(pair[1])
            self.pairs[seat] += 1
        else:
            pair = []
        return [Asked(seat, giver, action.rank, pair), *self._next()]

    def _next(self) -> list[Event]:
        self.turn = self.next_seat(present=True)
        self.left -= 1
        if self.left <= 0 or not self.hands[self.turn]:
            best = max(self.pairs)
            winners = tuple(seat for seat, pairs in enumerate(self.pairs) if pairs == best)
            points = dict(enumerate(self.pairs))
            self.result = Outcome(winners, "over", points, most_points_win=True)
            return []
        return [Turn(self.turn)]

    def stand_in(self, rng: Rng, now: Millis) -> list[Event]:
        return self._next()


def deal(setup: Setup[Settings], rng: Rng, now: Millis) -> tuple[Asking, list[Event]]:
    match = Asking(len(setup.players), Asking.first_seat(setup))
    cards = [card for card in deck() if rank_of(card) > 8]
    rng.shuffle(cards)
    match.hands = [[cards.pop() for _ in range(5)] for _ in setup.players]
    dealt = [Dealt(seat, [*hand]) for seat, hand in enumerate(match.hands)]
    return match, [*dealt, Turn(match.turn)]


def view(event: Event, seat: Seat | None) -> Event:
    return event.seen_by(seat) if isinstance(event, Dealt) else event


class AskingPicture(Tabletop[Event]):
    def see(self, event: Event) -> None:
        super().see(event)
        if isinstance(event, Asked) and event.pair:
            for whose, card in zip((event.seat, event.giver), event.pair, strict=True):
                self.move(f"hand {whose}", f"pairs {event.seat}", card)


def scene(picture: AskingPicture, choices: Choices) -> Scene:
    zones = [Zone("stock", "Stock", "pile", more=9)]
    for seat in range(picture.players):
        hand = [
            Thing(each.id, french(each.face), None if each.face is None else rank_of(each.face))
            for each in picture.zones[f"hand {seat}"]
        ]
        pairs = picture.things(f"pairs {seat}")
        zones += [
            Zone(f"hand {seat}", picture.whose(seat, "hand"), "hand", hand, seat, name=seat),
            Zone(f"pairs {seat}", picture.whose(seat, "pairs"), "spread", pairs, seat),
        ]
    others = [f"hand {seat}" for seat in range(picture.players) if seat != picture.viewer]
    return Scene(
        viewer=picture.viewer,
        seats=picture.seats(),
        zones=zones,
        prompt="Ask a player for a rank that you hold." if choices else picture.waiting,
        awaits=[picture.turn],
        targets={"ask.seat": others, "ask.rank": picture.own("hand")},
        choices=choices,
    )


def words(event: Event, picture: AskingPicture) -> str:
    if not isinstance(event, Asked):
        return ""
    got = " and ".join(french(card) or "" for card in event.pair) or "nothing"
    return f"{{{event.seat}}} asks {{{event.giver}}}: {got}."


class AskingBot(Bot[Action, Event, AskingPicture]):
    def plan(self, legal: Sequence[Action], now: Millis) -> Plan[Action] | None:
        return Plan(now + 200, legal[self.rng.below(len(legal))]) if legal else None


def _lesson(seats: int) -> Lesson:
    hands = "K♥ K♦ 9♦ J♣ 10♠  K♣ Q♥ Q♦ J♦ 9♣  10♣ 9♥ J♥ J♠ Q♠"
    return Lesson(
        id=f"for-{seats}",
        title=f"Asking, for {seats}",
        seats=seats,
        shuffles=[Deck(faces(hands))],
        steps=[
            Do("You hold kings. Ask {1} for one.", "ask", {"seat": 1, "rank": "K♦"}, "Not that."),
            Say("{1} had one."),
        ],
    )


GAME: Game[Settings, Action, Event, AskingPicture] = Game(
    id="asking",
    name="Asking",
    blurb="Ask for cards, and lay down pairs.",
    min_seats=2,
    max_seats=4,
    settings=Settings,
    actions=(Ask,),
    deal=deal,
    view=view,
    picture=AskingPicture,
    scene=scene,
    words=words,
    lessons=(_lesson(2), _lesson(3)),
    lobby=Lobby(),
    wires=(plain_wire("asking", (Ask,), (Dealt, Turn, Asked)),),
    bots=Bots(AskingBot, ("Ava", "Abe", "Amy")),
)
