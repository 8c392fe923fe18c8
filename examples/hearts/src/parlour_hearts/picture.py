"""The picture that a viewer has of Hearts, and the scene drawn from it."""

from __future__ import annotations

from parlour.cards import CLUBS, DIAMONDS, HEARTS, SPADES, SUITS, Face, suit_of
from parlour.choices import Choices
from parlour.kit import Seat
from parlour.scenes import Scene, SeatInfo, Tabletop, Thing, Tracked, Zone, french
from parlour.turns import Dealt, Turn
from parlour_hearts.rules import (
    NOBODY,
    Chosen,
    Event,
    Passed,
    Passing,
    Played,
    Scored,
    Taken,
    strength,
)

TRICK = "trick"


class HeartsPicture(Tabletop[Event]):
    """How the table lies: the zones are the trick, and each player's hand."""

    def __init__(self, viewer: Seat | None) -> None:
        super().__init__(viewer)
        self.turn = NOBODY
        self.leader: Seat = 0
        self.direction = ""
        """Where cards are passed to; "": they are not, or have been."""
        self.chosen: dict[Seat, list[Face | None]] = {}
        """By seat, what they pass on."""
        self.received: list[Face | None] = []
        """The cards that were passed to the viewer in this deal."""
        self.played: list[Face] = []
        """All cards of this deal that everybody has seen."""
        self.void: set[tuple[Seat, int]] = set()
        """Seats that did not follow a suit: they have no more of it."""
        self.broken = False
        self.points: list[int] = []
        """The points that each seat has taken in this deal."""
        self.totals: list[int] = []
        self.over = False
        """Between the last card of a deal and the first of the next."""

    @property
    def trick(self) -> list[Face]:
        """In the order of playing, from `leader` on."""
        return self.known(TRICK)

    def see(self, event: Event) -> None:
        super().see(event)
        match event:
            case Dealt(seat):
                if seat == 0:
                    self._begin()
                self.points += [0] * (self.players - len(self.points))
                self._sort(seat)
            case Passing(direction):
                self.direction = direction
            case Chosen(seat, cards):
                self.chosen[seat] = cards
            case Passed(seat, to, cards):
                for card in cards:
                    self.move(f"hand {seat}", f"hand {to}", card)
                self.direction = ""
                if to == self.viewer:
                    self.received = cards
                    self._sort(to)
            case Turn(seat):
                if not self.trick:
                    self.leader = seat
            case Played(seat, card):
                if suit_of(card) != suit_of((*self.trick, card)[0]):
                    self.void.add((seat, suit_of(self.trick[0])))
                self.played.append(card)
                self.broken |= suit_of(card) == HEARTS
                self.move(f"hand {seat}", TRICK, card)
            case Taken(seat, points):
                self.points[seat] += points
                self.lay(TRICK, [])
            case Scored(_, totals):
                self.totals = totals
                self.over = True

    def _begin(self) -> None:
        self.over = False
        self.turn = NOBODY
        self.chosen, self.received, self.played = {}, [], []
        self.void, self.points = set(), [0] * self.players
        self.broken = False

    def _sort(self, seat: Seat) -> None:
        """Put a hand in order, if its cards are seen."""
        self.zones[f"hand {seat}"].sort(key=_order)


def _order(thing: Tracked) -> tuple[int, int]:
    """Black and red suits in turn, the lowest first."""
    if thing.face is None:
        return (0, 0)
    return (CLUBS, DIAMONDS, SPADES, HEARTS).index(suit_of(thing.face)), strength(thing.face)


def scene(picture: HeartsPicture, choices: Choices) -> Scene:
    """The trick in the middle, the hands around it."""
    seats = range(picture.players)
    return Scene(
        viewer=picture.viewer,
        seats=[SeatInfo(seat, _counters(picture, seat), _marks(picture, seat)) for seat in seats],
        zones=[_trick(picture), *(_hand(picture, seat) for seat in seats)],
        prompt=_prompt(picture, choices),
        awaits=_awaits(picture),
        counters={"hearts": "broken" if picture.broken else "not broken"},
        targets={"pass.cards" if picture.direction else "play.card": picture.own("hand")},
        choices=choices,
    )


def _trick(picture: HeartsPicture) -> Zone:
    """Each card has the name of the player on it."""
    things = [
        Thing(thing.id, thing.face, marks=[f"{{{(picture.leader + at) % picture.players}}}"])
        for at, thing in enumerate(picture.things(TRICK))
    ]
    return Zone(TRICK, "Trick", "row", things)


def _hand(picture: HeartsPicture, seat: Seat) -> Zone:
    zone, label = f"hand {seat}", picture.whose(seat, "hand")
    if picture.viewer is not None and seat != picture.viewer:
        # The viewer knows the cards passed to others, but does not see them.
        backs = [Thing(thing.id) for thing in picture.things(zone)]
        return Zone(zone, label, "hand", backs, seat)
    things = picture.things(zone, "face")
    if seat == picture.viewer:
        things = [_marked(picture, thing) for thing in things]
    return Zone(zone, label, "hand", things, seat)


def _marked(picture: HeartsPicture, thing: Thing) -> Thing:
    """Says of a card in the viewer's own hand that it goes, or has just come."""
    marks = []
    if picture.direction and thing.name in picture.chosen.get(picture.viewer or 0, ()):
        marks = ["passed"]
    elif thing.name in picture.received and not picture.played:
        marks = ["new"]
    return Thing(thing.id, thing.face, thing.name, marks)


def _counters(picture: HeartsPicture, seat: Seat) -> dict[str, int | str]:
    counters: dict[str, int | str] = {"points": picture.points[seat]}
    return {**counters, "total": picture.totals[seat]} if picture.totals else counters


def _marks(picture: HeartsPicture, seat: Seat) -> list[str]:
    return ["has chosen"] if picture.direction and seat in picture.chosen else []


def _awaits(picture: HeartsPicture) -> list[Seat]:
    if picture.over:
        return []
    if picture.direction:
        return [seat for seat in range(picture.players) if seat not in picture.chosen]
    return [] if picture.turn == NOBODY else [picture.turn]


def _prompt(picture: HeartsPicture, choices: Choices) -> str:
    if picture.over:
        return "The deal is over."
    if picture.direction:
        if choices:
            return f"Choose three cards to pass {picture.direction}."
        return "The others choose the cards that they pass on."
    if picture.turn == NOBODY:
        return "The cards are dealt."
    # Between the events of one input nobody can do anything yet.
    if picture.turn != picture.viewer or not choices:
        return picture.waiting
    if not picture.trick:
        return "Lead a card." if picture.played else "Lead the lowest club."
    suit = SUITS[suit_of(picture.trick[0])]
    if any(suit_of(card) == suit_of(picture.trick[0]) for card in picture.hand):
        return f"Follow suit: play a card of {suit}."
    return f"You have no {suit}: play any card that is lit."


def words(event: Event, picture: HeartsPicture) -> str:
    """A sentence about the event; `{0}` is the name of the player at seat 0."""
    match event:
        case Dealt(0, _):
            return "The cards are dealt."
        case Chosen(seat, _):
            return f"{{{seat}}} has chosen three cards."
        case Passed(seat, to, cards):
            known = [french(card) or "" for card in cards if card is not None]
            return f"{{{seat}}} passes {' '.join(known) or 'three cards'} to {{{to}}}."
        case Played(seat, card):
            return f"{{{seat}}} plays {french(card)}."
        case Taken(seat, points):
            return f"{{{seat}}} takes the trick{_with(points)}."
        case Scored(_, totals, moon):
            shot = "" if moon is None else f"{{{moon}}} has shot the moon! "
            standing = ", ".join(f"{{{seat}}} {total}" for seat, total in enumerate(totals))
            return f"{shot}The deal is over. Points so far: {standing}."
        case _:
            return ""


def _with(points: int) -> str:
    return "" if not points else ", with 1 point" if points == 1 else f", with {points} points"
