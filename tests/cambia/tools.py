"""What Cambia's tests share: stacked decks, a table in virtual time, games as strategies."""

from __future__ import annotations

from collections import Counter
from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
from hypothesis import strategies as st

from parlour.cards import (
    BLACK_JOKER,
    CLUBS,
    DIAMONDS,
    HEARTS,
    RED_JOKER,
    SPADES,
    Face,
    face,
    rank_of,
)
from parlour.games.cambia.actions import (
    Action,
    CallCambia,
    DiscardDrawn,
    DrawStockpile,
    Replace,
    Snap,
    Special,
)
from parlour.games.cambia.cards import full_deck
from parlour.games.cambia.events import AutoPlayChanged, Event, PresenceChanged, view
from parlour.games.cambia.layout import EVERYBODY, Layout
from parlour.games.cambia.picture import CambiaPicture
from parlour.games.cambia.rules import CHOOSING, Cambia, deal
from parlour.games.cambia.settings import Circuit, CircuitRules, HouseRules, Settings
from parlour.kit import Illegal, Millis, Seat, Setup
from parlour.rng import FastRng, Rng

T = TypeVar("T")

START: Millis = 1_700_000_000_000
QUIET = "AH 2H 3H 4H"
OTHER = "AS 2S 3S 4S"
_SUITS = {"H": HEARTS, "D": DIAMONDS, "C": CLUBS, "S": SPADES}


def face_of(text: str) -> Face:
    """ "7H", "TC", "KD"; "OR" and "OB" are the jokers."""
    if text[0] == "O":
        return RED_JOKER if text[1] == "R" else BLACK_JOKER
    return face(_SUITS[text[1]], "A23456789TJQK".index(text[0]) + 1)


class StackedRng(Rng):
    """Chance whose first shuffle is arranged. Ids have a stream of their own, so that another
    order of the same deck has the same ids."""

    def __init__(self, order: Sequence[Face] | None, seed: int = 0) -> None:
        self.order = None if order is None else list(order)
        self.dealt: list[Face] = []
        self._shuffles = FastRng(seed)
        self._rest = FastRng(seed + 1)

    def bits(self, count: int) -> int:
        return self._rest.bits(count)

    def shuffle(self, cards: MutableSequence[Any]) -> None:
        self._shuffles.shuffle(cards)
        if not self.dealt:
            if self.order is not None:
                cards[:] = self.order
            self.dealt = list(cards)


def stacked(hands: Sequence[str], top: str, stockpile: str = "", jokers: int = 2) -> list[Face]:
    """A deck that deals these hands, turns up `top` and is drawn from in this order."""
    wanted = [face_of(card) for hand in hands for card in hand.split()] + [face_of(top)]
    drawn = [face_of(card) for card in stockpile.split()]
    rest = Counter(full_deck(len(hands), jokers))
    rest.subtract(wanted + drawn)
    assert min(rest.values()) >= 0, "a card is used twice"
    return wanted + sorted(rest.elements()) + drawn[::-1]


def courtly(seats: int, jokers: int, seed: int) -> list[Face]:
    """A shuffled deck whose stockpile begins with all the jacks, queens and kings."""
    order = full_deck(seats, jokers)
    FastRng(seed).shuffle(order)
    return sorted(order, key=lambda card: rank_of(card) > 10)


class Table:
    """A match, its clock, and everybody's picture of it; every step is checked."""

    def __init__(
        self,
        settings: Settings,
        seats: int,
        rng: Rng,
        previous: Cambia | None = None,
        now: Millis = START,
    ) -> None:
        self.rng = rng
        self.now = now
        self.log: list[tuple[Any, ...]] = []
        self.told: dict[Seat | None, list[Event]] = {}
        viewers: list[Seat | None] = [*range(seats), None]
        self.pictures = {viewer: CambiaPicture(viewer) for viewer in viewers}
        self.told = {viewer: [] for viewer in viewers}
        self.match, events = deal(
            Setup(settings, [f"p{s}" for s in range(seats)], previous=previous), rng, now
        )
        self._tell(events)

    def do(self, seat: Seat, action: Action) -> list[Event]:
        self.log.append((self.now, seat, action))
        return self._tell(self.match.apply(seat, action, self.rng, self.now))

    def wait(self, span: Millis) -> list[Event]:
        """Let time pass, as the table does: tick at every deadline on the way."""
        until = self.now + span
        events: list[Event] = []
        while (due := self.match.due()) is not None and due <= until:
            self.now = max(self.now, due)
            events += self.tick()
        self.now = until
        return events

    def snap_wrong(self, seat: Seat) -> list[Event]:
        """A wrong snap of the seat's first card, though it has just made one."""
        self.match.snaps.rests.clear()
        return self.do(seat, Snap(self.card(seat, 0)))

    def tick(self) -> list[Event]:
        self.log.append((self.now, None, "tick"))
        return self._tell(self.match.tick(self.rng, self.now))

    def gone(self, seat: Seat) -> list[Event]:
        self.log.append((self.now, seat, "gone"))
        return self._tell(self.match.gone(seat, self.rng, self.now))

    def back(self, seat: Seat) -> list[Event]:
        self.log.append((self.now, seat, "back"))
        return self._tell(self.match.back(seat, self.rng, self.now))

    def repeat(self, entry: tuple[Any, ...]) -> list[Event]:
        """One entry of another table's log."""
        self.now, seat, action = entry
        if action == "tick":
            return self.tick()
        if action == "gone":
            return self.gone(seat)
        return self.back(seat) if action == "back" else self.do(seat, action)

    def begin(self) -> Table:
        """Through the pre-game."""
        self.wait(10_000)
        return self

    # Reading it

    def card(self, seat: Seat, idx: int) -> str:
        return self.match.layout.ids[self.match.layout.hands[seat][idx]]

    def face(self, seat: Seat, idx: int) -> Face:
        return self.match.layout.faces[self.match.layout.hands[seat][idx]]

    def faces(self, seat: Seat) -> list[Face]:
        return [self.match.layout.faces[card] for card in self.match.layout.hands[seat]]

    @property
    def drawn(self) -> str:
        return self.match.layout.ids[self.match.layout.drawn]

    @property
    def top(self) -> Face:
        return self.match.layout.faces[self.match.layout.discards[-1]]

    # Checking it

    def _tell(self, events: list[Event]) -> list[Event]:
        for viewer, picture in self.pictures.items():
            for event in events:
                seen = view(event, viewer)
                if seen is not None:
                    self.told[viewer].append(seen)
                    picture.see(seen)
        self.check()
        return events

    def check(self) -> None:
        """Every card in one place, and every picture as true and as complete as it may be."""
        match, layout = self.match, self.match.layout
        held = [card for hand in layout.hands for card in hand]
        drawn = [layout.drawn] if layout.drawn >= 0 else []
        everything = held + drawn + layout.discards + layout.stockpile
        assert sorted(everything) == list(range(len(layout.faces)))
        assert len(set(layout.ids)) == len(layout.ids) == len(layout.owners)
        assert layout.numbers == {name: number for number, name in enumerate(layout.ids)}
        assert layout.discards or drawn, "between turns the pile is never empty"
        assert [layout.owners[c] for c in held] == [
            s for s, h in enumerate(layout.hands) for _ in h
        ]
        for viewer, picture in self.pictures.items():
            known = {layout.ids[c]: layout.faces[c] for c in held if knows(layout, viewer, c)}
            assert picture.known == known
            hands = [[layout.ids[card] for card in hand] for hand in layout.hands]
            assert [player.hand for player in picture.players] == hands
            pile = [(layout.ids[card], layout.faces[card]) for card in layout.discards]
            assert picture.discards == pile
            assert picture.stockpile == len(layout.stockpile)
            assert picture.turn == match.turn
            assert picture.caller == match.caller
            owes = [player.owes_until for player in picture.players]
            debts = [match.snaps.debt_of(seat) for seat in range(len(owes))]
            assert owes == [debt and debt.deadline for debt in debts]
            assert (picture.choice is not None) == (match.stage == CHOOSING)
            connected = [player.connected for player in picture.players]
            assert connected == [not absent for absent in match.clock.absent]
            assert [p.timer_plays for p in picture.players] == match.clock.timer_plays
            if drawn:
                player = picture.players[match.current]
                shown = knows(layout, viewer, drawn[0])
                assert player.drawn == layout.ids[drawn[0]]
                assert player.drawn_face == (layout.faces[drawn[0]] if shown else -1)
        assert self.pictures[match.current].deadline == match.clock.deadline


def seated(
    *hands: str, top: str, stockpile: str = "", circuit: Circuit | None = None, **rules: Any
) -> Table:
    """A game under way with these hands; `rules` are house rules."""
    settings = Settings(houseRules=HouseRules(**rules), circuit=circuit or Circuit())
    order = stacked(hands, top, stockpile, settings.houseRules.numJokers)
    return Table(settings, len(hands), StackedRng(order)).begin()


def knows(layout: Layout, seat: Seat | None, card: int) -> bool:
    """Whether `seat` may still remember this face; None asks for a spectator."""
    if seat is None:
        return layout.known[card] == EVERYBODY
    return bool(layout.known[card] & (1 << seat))


def kinds(events: Sequence[Event]) -> list[str]:
    """Their names; with its new value, where an event says that something is true or false now."""
    return [_kind(event) for event in events]


def _kind(event: Event) -> str:
    if isinstance(event, PresenceChanged):
        return f"PresenceChanged {event.connected}"
    if isinstance(event, AutoPlayChanged):
        return f"AutoPlayChanged {event.timer_plays}"
    return type(event).__name__


def only(events: Sequence[Event], kind: type[T]) -> T:
    """The one event of its kind."""
    (found,) = [event for event in events if isinstance(event, kind)]
    return found


def fingerprint(match: Cambia) -> bytes:
    """Everything a game is made of, comparable."""
    layout, snaps, clock = match.layout, match.snaps, match.clock
    return msgspec.json.encode(
        [
            [layout.ids, layout.faces, layout.known, layout.owners, layout.hands],
            [layout.discards, layout.stockpile, layout.drawn],
            [sorted(snaps.used), snaps.debts, snaps.rests, snaps.wrong],
            [clock.deadline, clock.absent, clock.timer_plays, clock.missed],
            [match.stage, match.turn, match.current, match.from_discards],
            [match.ability.special, match.ability.looked],
            [match.caller, match.totals, match.first, match.result is None],
        ]
    )


# Strategies

house_rules = st.builds(
    HouseRules,
    allowDrawFromDiscardPile=st.booleans(),
    allowReplaceAbilities=st.booleans(),
    snapRace=st.booleans(),
    forfeitOnDisconnect=st.booleans(),
    penaltyDrawCount=st.integers(0, 3),
    autoKickTurnCount=st.integers(0, 3),
    turnTimerSec=st.sampled_from([0, 5, 15]),
    allowOpponentSnapping=st.booleans(),
    lockCallerHand=st.booleans(),
    numJokers=st.integers(0, 2),
    initialViewCount=st.integers(0, 4),
)
settings = st.builds(
    Settings,
    houseRules=house_rules,
    circuit=st.builds(Circuit, enabled=st.booleans(), rules=st.builds(CircuitRules)),
)


def with_house_rules(rules: Settings, **changed: Any) -> Settings:
    house = msgspec.structs.replace(rules.houseRules, **changed)
    return msgspec.structs.replace(rules, houseRules=house)


@dataclass
class Step:
    """One thing that happens: somebody at `seat` does the `pick`th thing after `pause`."""

    seat: int
    pick: int
    pause: Millis
    what: str


def steps(*whats: str) -> st.SearchStrategy[list[Step]]:
    return st.lists(
        st.builds(
            Step,
            seat=st.integers(0, 7),
            pick=st.integers(0, 10_000),
            pause=st.one_of(st.just(0), st.integers(0, 6_000)),
            what=st.sampled_from(whats),
        ),
        max_size=70,
    )


scripts = steps(*["turn"] * 10, *["any"] * 3, "gone", "back")
snappy_scripts = steps("turn", "any")
swappy_scripts = steps(*["use"] * 6, "turn", "any")


def take(table: Table, step: Step) -> None:
    """Do it, if it is possible at all."""
    table.wait(step.pause)
    match = table.match
    seat = step.seat % len(match.layout.players)
    if step.what == "gone":
        table.gone(seat)
    elif step.what == "back":
        table.back(seat)
    else:
        seat = match.current if step.what in ("turn", "use") else seat
        legal = list(match.legal(seat))
        if step.what == "turn":
            # Snaps are always possible; unless they are rarer, nobody ever gets to turn ten.
            legal = [a for a in legal if not isinstance(a, Snap)] or legal
        if step.what == "use":
            # Draw, discard, and use what the discard can do.
            idle = (Snap, CallCambia, Replace)
            legal = [a for a in legal if not isinstance(a, idle) and a != Special("skip")] or legal
        if legal:
            table.do(seat, legal[step.pick % len(legal)])


def played(
    rules: Settings, seats: int, seed: int, script: Sequence[Step], order: Any = None
) -> Table:
    """A game after a script; it stops where the game does."""
    table = Table(rules, seats, StackedRng(order, seed)).begin()
    for step in script:
        if table.match.outcome() is not None:
            break
        take(table, step)
    return table


def refused(table: Table, seat: Seat, action: Action) -> str:
    """The code of the refusal, which has left no trace."""
    before = fingerprint(table.match)
    try:
        table.match.apply(seat, action, table.rng, table.now)
    except Illegal as illegal:
        assert fingerprint(table.match) == before
        return illegal.code
    raise AssertionError("this should have been refused")


def draw_and_discard(table: Table, seat: Seat) -> list[Event]:
    table.do(seat, DrawStockpile())
    return table.do(seat, DiscardDrawn(table.drawn))
