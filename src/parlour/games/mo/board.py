"""MO's board: the piles, where the next card may go, and what a card does there.

One position, nothing else: no history, no ends that depend on it. It is small and
copies fast, because a search makes many thousands. Piles are numbered: 0 to 8 the inner
ones in board order, 9 to 20 the outer ones, 21 the draw pile; `PILES` has their names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from parlour.cards import ACE, BLACK_JOKER, JACK, QUEEN, RED_JOKER, Face, deck, rank_of, suit_of

INNER: Final = ("b2", "c2", "d2", "b3", "c3", "d3", "b4", "c4", "d4")
OUTER: Final = ("b1", "c1", "d1", "a2", "e2", "a3", "e3", "a4", "e4", "b5", "c5", "d5")
DRAW: Final = "e5"
PILES: Final = (*INNER, *OUTER, DRAW)
NUMBER: Final = {name: number for number, name in enumerate(PILES)}

INNERS: Final = 9
OUTERS: Final = 12
CENTRE: Final = 4
STRONGEST: Final = 20
"""The most a royal and its armour may count together."""

HIDDEN: Final = 255
"""A card of the draw pile whose face is not known."""

LANES: Final = (
    (0, 3, 6), (1, 4, 7), (2, 5, 8),  # b1 c1 d1: down their columns
    (0, 1, 2), (2, 1, 0),  # a2 e2: along row 2
    (3, 4, 5), (5, 4, 3),  # a3 e3
    (6, 7, 8), (8, 7, 6),  # a4 e4
    (6, 3, 0), (7, 4, 1), (8, 5, 2),  # b5 c5 d5: up their columns
)  # fmt: skip
"""For each outer pile, from b1 to d5, its lane: the near, middle and far inner pile."""

BESIDE: Final = tuple(
    tuple(outer for outer in range(OUTERS) if LANES[outer][0] == inner) for inner in range(INNERS)
)
"""For each inner pile the outer piles (0 to 11) next to it: two at a corner, none at the centre."""

AIMED: Final = tuple(
    tuple(outer for outer in range(OUTERS) if LANES[outer][2] == inner) for inner in range(INNERS)
)
"""For each inner pile the outer piles whose lane it is the far end of."""

VALUE: Final = tuple(rank_of(card) for card in deck(2))
SUIT: Final = tuple(suit_of(card) for card in deck(2))
JOKER: Final = 0
"""A joker's value."""

WON: Final = "won"
"""The one good end of a game (`Board.end`)."""

_SAME_SUIT: Final = 48
_SAME_COLOUR: Final = 32
_OTHER_COLOUR: Final = 16


def is_royal(card: Face) -> bool:
    return VALUE[card] > 10


def takes(royal: Face, card: Face) -> bool:
    """Can `card` be one of the two that defeat `royal`, if they are strong enough?"""
    if card >= RED_JOKER:
        return False
    rank = VALUE[royal]
    if rank == JACK:
        return True
    if rank == QUEEN:
        return SUIT[card] >> 1 == SUIT[royal] >> 1
    return SUIT[card] == SUIT[royal]


def _alike(one: int, other: int) -> int:
    """How alike two suits are. Hearts and diamonds are 0 and 1, clubs and spades 2 and 3."""
    if one == other:
        return _SAME_SUIT
    return _SAME_COLOUR if one >> 1 == other >> 1 else _OTHER_COLOUR


@final
class Board:
    """One position. `piles[0:9]` are the inner piles, `piles[9:21]` the outer; top card first.

    `royals` and `totals` say of each outer pile (0 to 11) which royal lies there (-1: none)
    and what it counts with its armour; `defeated` has a bit for each that is face down.
    """

    __slots__ = ("defeated", "draw", "piles", "printed", "royals", "totals")

    def __init__(
        self,
        printed: bool,
        piles: list[bytes],
        draw: bytes,
        royals: list[int],
        totals: list[int],
        defeated: int,
    ) -> None:
        self.printed = printed
        self.piles = piles
        self.draw = draw
        self.royals = royals
        self.totals = totals
        self.defeated = defeated

    def __repr__(self) -> str:
        """For replays: the piles with the numbers of their cards, top card first."""
        piles = zip(PILES, [*self.piles, self.draw], strict=True)
        return " ".join(f"{name}:{','.join(map(str, pile))}" for name, pile in piles)

    def __reduce__(self) -> tuple[type[Board], tuple[object, ...]]:
        """For pickling, also if mypyc has compiled this class."""
        state = (self.printed, self.piles, self.draw, self.royals, self.totals, self.defeated)
        return Board, state

    def copy(self) -> Board:
        """An independent twin."""
        return Board(
            self.printed,
            self.piles[:],
            self.draw,
            self.royals[:],
            self.totals[:],
            self.defeated,
        )

    # Where the next card may go

    def valid(self) -> list[int]:
        """The piles the top card of the draw pile may be played to, in pile order."""
        if not self.draw:
            return []
        card = self.draw[0]
        value = VALUE[card]
        if value > 10:
            return self._beside_most_similar(card)
        if value == ACE:
            return list(range(INNERS))
        if value == JOKER:
            return self._lowest()
        piles = self.piles
        inner = [i for i in range(INNERS) if not piles[i] or VALUE[piles[i][0]] <= value]
        return inner if inner else self._armour(card)

    def _beside_most_similar(self, card: Face) -> list[int]:
        """Where a royal goes: beside the inner top that is most like it and has room there."""
        best = 0
        found: list[int] = []
        for inner in range(INNERS):
            pile = self.piles[inner]
            if not pile:
                continue
            likeness = self._likeness(SUIT[card], pile[0])
            for o in BESIDE[inner]:
                if self.royals[o] < 0 and likeness >= best:
                    if likeness > best:
                        best, found = likeness, []
                    found.append(INNERS + o)
        return sorted(found)

    def _likeness(self, suit: int, top: Face) -> int:
        """How alike a top card is to a card of `suit`: by suit, colour, then value."""
        if self.printed and top >= RED_JOKER:
            return _SAME_SUIT
        return _alike(suit, SUIT[top]) + VALUE[top]

    def _lowest(self) -> list[int]:
        """Where a joker goes. Only `printed` knows an empty centre or another joker as lowest."""
        tops = [VALUE[pile[0]] if pile else 0 for pile in self.piles[:INNERS]]
        lowest = min([value for value in tops if value or self.printed], default=-1)
        return [inner for inner in range(INNERS) if tops[inner] == lowest]

    def _armour(self, card: Face) -> list[int]:
        """Where a number goes that fits no inner pile."""
        living = self.living()
        if not self.printed:
            return [INNERS + o for o in living if self.totals[o] + VALUE[card] <= STRONGEST]
        if not living:
            return self._beside_most_similar(card)
        likest = max([self._royal_likeness(o, card) for o in living])
        return [INNERS + o for o in living if self._royal_likeness(o, card) == likest]

    def _royal_likeness(self, outer: int, card: Face) -> int:
        """How alike the royal of `outer` is to `card`: by suit, colour, then low rank."""
        royal = self.royals[outer]
        return _alike(SUIT[card], SUIT[royal]) - VALUE[royal]

    def living(self) -> list[int]:
        """The outer piles (0 to 11) whose royal is not defeated."""
        return [o for o in range(OUTERS) if self.royals[o] >= 0 and not self.defeated >> o & 1]

    # Playing it there

    def play(self, pile: int) -> tuple[bytes, list[int]]:
        """Play the top card of the draw pile to `pile`, which must be one of `valid()`.

        Returns the cards it sent back to the draw pile, and where (0 to 11) it defeated a royal.
        """
        card = self.draw[0]
        value = VALUE[card]
        self.draw = self.draw[1:]
        if pile >= INNERS:
            outer = pile - INNERS
            self.piles[pile] = bytes((card,)) + self.piles[pile]
            self.totals[outer] += value
            if value > 10:
                self.royals[outer] = card
            return b"", []
        recycled = b""
        if value <= ACE:
            recycled = self.piles[pile]
            self.draw += recycled
            self.piles[pile] = bytes((card,))
        else:
            self.piles[pile] = bytes((card,)) + self.piles[pile]
        fallen = [o for o in AIMED[pile] if self.ready(o)]
        for o in fallen:
            self.defeated |= 1 << o
        return recycled, fallen

    def ready(self, outer: int) -> bool:
        """Would a card on the far end of this lane defeat the royal of `outer` (0 to 11)?"""
        royal = self.royals[outer]
        if royal < 0 or self.defeated >> outer & 1:
            return False
        near, middle, _ = LANES[outer]
        if not self.piles[near] or not self.piles[middle]:
            return False
        one, other = self.piles[near][0], self.piles[middle][0]
        enough = VALUE[one] + VALUE[other] >= self.totals[outer]
        return enough and takes(royal, one) and takes(royal, other)

    def spent(self) -> bool:
        """Lost, whatever the next card is: there is none, or a total is above 20."""
        return not self.draw or max(self.totals) > STRONGEST

    def end(self) -> str:
        """Why this is an end, or "" where play goes on. Repetition is for the game to see."""
        if self.defeated == (1 << OUTERS) - 1:
            return WON
        if max(self.totals) > STRONGEST:
            return "too-strong"  # only in `printed`: `classic` has no place for such a card
        if not self.draw:
            return "out-of-cards"
        if not self.valid():
            return "no-place"
        return ""

    # As a whole

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Board) and self.pack() == other.pack()

    def __hash__(self) -> int:
        return hash(self.pack())

    def pack(self) -> bytes:
        """The whole position as bytes: equal exactly when the positions are."""
        head = bytes((self.printed, self.defeated >> 8, self.defeated & 255))
        return head + _BETWEEN.join(self.piles) + _BETWEEN + self.draw

    def look(self) -> bytes:
        """The position as it looks: like `pack`, but nobody can tell the two jokers apart."""
        packed = self.pack()
        return packed[:_HEAD] + packed[_HEAD:].replace(bytes((BLACK_JOKER,)), bytes((RED_JOKER,)))

    @staticmethod
    def unpack(packed: bytes) -> Board:
        """The position that `pack` packed."""
        piles = packed[_HEAD:].split(_BETWEEN, INNERS + OUTERS)
        draw = piles.pop()
        return lay_out(packed[0] == 1, piles, draw, packed[1] << 8 | packed[2])


_HEAD: Final = 3
"""How many bytes `pack` puts before the piles."""
_BETWEEN: Final = b"\xfe"


def lay_out(printed: bool, piles: list[bytes], draw: bytes, defeated: int = 0) -> Board:
    """A board with these 21 piles; what the outer ones count is worked out here."""
    royals = [-1] * OUTERS
    totals = [0] * OUTERS
    for o in range(OUTERS):
        for card in piles[INNERS + o]:
            totals[o] += VALUE[card]
            if is_royal(card):
                royals[o] = card
    return Board(printed, piles, draw, royals, totals, defeated)


def deal_out(printed: bool, cards: Sequence[Face]) -> Board:
    """The opening position from a shuffled deck, its first card on top.

    Eight inner piles get a card each in board order. Royals met on the way go back on top
    of the draw pile in the order met; aces and jokers met stay where they fall.
    """
    piles = [b""] * (INNERS + OUTERS)
    royals: list[Face] = []
    at = 0
    for inner in range(INNERS):
        if inner == CENTRE:
            continue
        while is_royal(cards[at]):
            royals.append(cards[at])
            at += 1
        piles[inner] = bytes((cards[at],))
        at += 1
    return lay_out(printed, piles, bytes(royals) + bytes(cards[at:]))
