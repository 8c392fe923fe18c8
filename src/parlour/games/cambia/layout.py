"""Where every card lies, and who has a right to remember its face.

**Places.** A card is a small number; `ids` and `faces` have its name on the wire and its face.
At any moment it lies in exactly one place: the stockpile, the discard pile, a hand, or drawn
and not yet decided about. A hand is a row without gaps: when a card leaves it the row closes
up, and a card handed over for a snapped one is put in at the idx the snapped one had.

**Knowledge** (spec: "own initial peeks, own draws, cards peeked at and not moved unseen
since"). The right to a face comes from being shown it and ends when the card is moved unseen.
A move is seen by a player who looks at the face in that very action: a King's player, who swaps
two cards just looked at, keeps both; in a blind swap nobody looks, not even the one who
swaps, so nobody keeps either. The same goes for a card handed over after a snap, and for the
stockpile. Players can still follow the ids of cards from hand to hand, but that is their own
memory: a right that followed ids would never end, and the protocol wants it to end. When a row
closes up, no card changes its owner, so no right ends.

`picture.py` folds the same rule out of what one viewer was shown; a test holds the two equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from parlour.cards import Face
from parlour.games.cambia.cards import card_id
from parlour.games.cambia.events import CardAt, Event, Reshuffled
from parlour.kit import Copyable, Illegal, Seat
from parlour.rng import Rng

NO_CARD: Final = -1
IN_NO_HAND: Final = -1

EVERYBODY: Final = -1
"""In `known`: every seat and the spectators may remember the face."""


@final
class Layout(Copyable):
    """The cards on the table. Its methods check no rule: callers have to."""

    def __init__(
        self, ids: list[str], faces: list[Face], players: Sequence[str], hand: int
    ) -> None:
        """Deal `hand` cards to each of `players` off a shuffled deck and turn one up."""
        seats = len(players)
        top = seats * hand
        self.players = list(players)
        self.ids = ids
        self.numbers = {name: number for number, name in enumerate(ids)}
        self.faces = faces
        self.hands = [list(range(seat * hand, (seat + 1) * hand)) for seat in range(seats)]
        self.owners = [seat for seat in range(seats) for _ in range(hand)]
        self.owners += [IN_NO_HAND] * (len(faces) - top)
        self.known = [0] * len(faces)
        self.known[top] = EVERYBODY
        self.discards = [top]
        self.stockpile = list(range(top + 1, len(faces)))
        self.drawn = NO_CARD

    # Asking

    def in_hand(self, name: str) -> int:
        """The number of the card called `name`, if it lies in a hand; else `NO_CARD`."""
        card = self.numbers.get(name, NO_CARD)
        return card if card != NO_CARD and self.owners[card] != IN_NO_HAND else NO_CARD

    def find(self, seat: Seat, name: str, owner: str, idx: int) -> int:
        """The card in a hand that a message of `seat`'s means: by its id, or by its owner ("":
        `seat`'s own) and its idx. What is said of it (an idx of −1 says nothing) must all be true.
        """
        if not name:
            if owner and owner not in self.players:
                raise Illegal("no-such-card", "Nobody of that id plays here.")
            hand = self.hands[self.players.index(owner) if owner else seat]
            if not 0 <= idx < len(hand):
                raise Illegal("no-such-card", "There is no card at that place.")
            return hand[idx]
        card = self.in_hand(name)
        if not owner and idx < 0:
            if card == NO_CARD:
                raise Illegal("no-such-card", "No card of that id lies in anybody's hand.")
        elif (
            card == NO_CARD
            or (owner and self.players[self.owners[card]] != owner)
            or (idx >= 0 and self.idx(card) != idx)
        ):
            raise Illegal("card-moved", "That card is not where you named it: look again.")
        return card

    def idx(self, card: int) -> int:
        return self.hands[self.owners[card]].index(card)

    def face_down(self, card: int) -> CardAt:
        """Which card and where, without its face."""
        return CardAt(self.ids[card], self.owners[card], self.idx(card))

    def face_up(self, card: int) -> CardAt:
        return CardAt(self.ids[card], self.owners[card], self.idx(card), self.faces[card])

    def can_draw(self) -> bool:
        """Whether a card can be drawn, perhaps after a reshuffle."""
        return len(self.stockpile) > 0 or len(self.discards) > 1

    # Moving

    def show(self, card: int, seat: Seat) -> None:
        self.known[card] |= 1 << seat

    def show_all(self, card: int) -> None:
        self.known[card] = EVERYBODY

    def discard(self, card: int) -> None:
        """Lay a card that is in no place now on the discard pile, face up."""
        self.discards.append(card)
        self.known[card] = EVERYBODY

    def put(self, card: int, seat: Seat, idx: int) -> None:
        """Put a card into a hand at `idx`; the cards from there on move up by one."""
        self.hands[seat].insert(idx, card)
        self.owners[card] = seat

    def lift(self, card: int) -> int:
        """Take a card out of its hand, which closes up. Returns the idx it had."""
        hand = self.hands[self.owners[card]]
        idx = hand.index(card)
        del hand[idx]
        self.owners[card] = IN_NO_HAND
        return idx

    def swap(self, one: int, other: int, seen_by: Seat | None) -> None:
        """Exchange the places of two cards in hands; `seen_by` keeps what it knows of them."""
        seat1, seat2 = self.owners[one], self.owners[other]
        idx1, idx2 = self.idx(one), self.idx(other)
        self.hands[seat1][idx1], self.hands[seat2][idx2] = other, one
        self.owners[one], self.owners[other] = seat2, seat1
        keeps = 0 if seen_by is None else 1 << seen_by
        self.known[one] &= keeps
        self.known[other] &= keeps

    def refill(self, low: int, rng: Rng) -> list[Event]:
        """If `low` cards or fewer are left in the stockpile, the discards except the top one go
        under it, shuffled, under new ids.

        Faces are shuffled and ids issued independently of each other, so that neither an old id
        nor the order of the cards tells anything.
        """
        under = self.discards[:-1]
        if len(self.stockpile) > low or not under:
            return []
        faces = [self.faces[card] for card in under]
        rng.shuffle(faces)
        for card, face, token in zip(under, faces, rng.tokens(len(under)), strict=True):
            self.faces[card] = face
            self.ids[card] = card_id(token)
            self.known[card] = 0
        self.numbers = {name: number for number, name in enumerate(self.ids)}
        self.stockpile = under + self.stockpile
        del self.discards[:-1]
        return [Reshuffled(len(self.stockpile))]
