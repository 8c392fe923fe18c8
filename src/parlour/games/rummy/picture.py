"""A round as one viewer has seen it: a fold of viewed events, and of nothing else.

Snapshots are made from a picture, the bot plays from one and the terminal prints one, so none
of them can know more than `view` let through. It is cheap, for every bot folds every event.
"""

from __future__ import annotations

from collections.abc import Iterator

from parlour.games.rummy import moves
from parlour.games.rummy.melds import Card, meld_rules, room_on
from parlour.games.rummy.moves import Event
from parlour.games.rummy.settings import Settings
from parlour.kit import Picture, Seat


class RummyPicture(Picture[Event]):
    """The table as its viewer could draw it. Empty until the start of the round is seen."""

    def __init__(self, viewer: Seat | None) -> None:
        super().__init__(viewer)
        self.settings = Settings()
        self.rules = meld_rules(self.settings)
        self.deck: list[str] = []
        """Ids, bottom to top: nobody sees a face in the deck."""
        self.discards: list[Card] = []
        self.hands: list[list[Card]] = []
        """By seat; the faces of other players' cards are `HIDDEN`."""
        self.melds: list[list[Card]] = []
        self.room: list[int] = []
        """Beside each meld the faces it takes (`room_on`)."""
        self.turned: moves.Turned | None = None
        self.ended: moves.Ended | None = None

    @property
    def hand(self) -> list[Card]:
        """The viewer's own cards; a spectator has none."""
        return [] if self.viewer is None or not self.hands else self.hands[self.viewer]

    def see(self, event: Event) -> None:
        if isinstance(event, moves.Moved):
            self._move(event)
        elif isinstance(event, moves.Turned):
            self.turned = event
        elif isinstance(event, moves.Started):
            self._start(event)
        elif isinstance(event, moves.Redecked):
            self.discards = []
            self.deck = event.new_card_ids[:]
        else:
            self.ended = event

    def _start(self, event: moves.Started) -> None:
        self.settings = event.settings
        self.rules = meld_rules(event.settings)
        self.deck = event.card_ids[:]
        self.discards = []
        self.hands = [[] for _ in event.players]
        self.melds = []
        self.room = []
        self.turned = None
        self.ended = None

    def _move(self, event: moves.Moved) -> None:
        if event.destination == moves.TO_MELD:
            self._to_meld(event)
            return
        # Only melds get several cards at once.
        card = event.cards[0]
        self._lift(card.id)
        if event.destination == moves.TO_HAND:
            self.hands[event.seat].insert(event.position, card)
        else:
            self.discards.append(card)

    def _to_meld(self, event: moves.Moved) -> None:
        """One card at its position, or the whole meld as it lies now, old cards included."""
        number = event.meld_number
        if number == len(self.melds):
            self.melds.append([])
            self.room.append(0)
        before = self.melds[number]
        lying = {card.id for card in before}
        for card in event.cards:
            if card.id not in lying:
                self._lift(card.id)
        at = event.position
        grown = [*before[:at], *event.cards, *before[at:]] if len(event.cards) == 1 else event.cards
        self.melds[number] = grown
        self.room[number] = room_on(grown, self.rules)

    def _lift(self, card_id: str) -> None:
        """Take a card from where it lies: a top card, or one in the hand of the player in turn."""
        if self.deck and self.deck[-1] == card_id:
            self.deck.pop()
            return
        if self.discards and self.discards[-1].id == card_id:
            self.discards.pop()
            return
        if self.turned is not None and _taken_from(self.hands[self.turned.seat], card_id):
            return
        # At the end of a round everybody may lay off (`lay_at_end`).
        for hand in self.hands:
            if _taken_from(hand, card_id):
                return
        raise LookupError("a card was moved that lies nowhere")

    def moves(self) -> Iterator[moves.Moved]:
        """The moves that lead from a full deck to this picture."""
        for seat, hand in enumerate(self.hands):
            for position, card in enumerate(hand):
                yield moves.Moved([card], moves.TO_HAND, seat, position=position)
        for number, meld in enumerate(self.melds):
            yield moves.Moved(list(meld), moves.TO_MELD, meld_number=number)
        for card in self.discards:
            yield moves.Moved([card], moves.TO_DISCARDS)

    def ids(self) -> list[str]:
        """The full deck those moves start from, bottom to top: what moves first lies on top."""
        moving = [card.id for move in self.moves() for card in move.cards]
        return self.deck + moving[::-1]


def _taken_from(hand: list[Card], card_id: str) -> bool:
    """Whether the card was in this hand; if so, it no longer is."""
    for at in range(len(hand)):
        if hand[at].id == card_id:
            del hand[at]
            return True
    return False
