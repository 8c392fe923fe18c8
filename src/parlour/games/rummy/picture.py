"""What one viewer has been shown of a round, folded: the source of every snapshot.

It is made of viewed events and nothing else, so it can't know more than its viewer does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from parlour.games.rummy import rules
from parlour.games.rummy.melds import Card
from parlour.games.rummy.settings import Settings


class Picture:
    """The table as its viewer could draw it."""

    def __init__(self, seen: Iterable[rules.Event]) -> None:
        self.settings = Settings()
        self.deck: list[str] = []
        self.discards: list[Card] = []
        self.hands: dict[int, list[Card]] = {}
        self.melds: list[list[Card]] = []
        self.turned: rules.Turned | None = None
        for event in seen:
            self.see(event)

    def see(self, event: rules.Event) -> None:
        if isinstance(event, rules.Started):
            self.settings = event.settings
            self.deck = list(event.card_ids)
        elif isinstance(event, rules.Moved):
            self._move(event)
        elif isinstance(event, rules.Turned):
            self.turned = event
        elif isinstance(event, rules.Redecked):
            self.discards = []
            self.deck = list(event.new_card_ids)

    def _move(self, event: rules.Moved) -> None:
        moving = {card.id for card in event.cards}
        self.deck = [card for card in self.deck if card not in moving]
        for pile in (self.discards, *self.hands.values(), *self.melds):
            pile[:] = [card for card in pile if card.id not in moving]
        if event.destination == rules.TO_HAND:
            hand = self.hands.setdefault(event.seat, [])
            hand[event.position : event.position] = event.cards
        elif event.destination == rules.TO_MELD:
            if event.meld_number == len(self.melds):
                self.melds.append([])
            meld = self.melds[event.meld_number]
            meld[event.position : event.position] = event.cards
        else:
            self.discards += event.cards

    def moves(self) -> Iterator[rules.Moved]:
        """The moves that lead from a full deck to this picture."""
        for seat, hand in self.hands.items():
            for position, card in enumerate(hand):
                yield rules.Moved([card], rules.TO_HAND, seat, position=position)
        for number, meld in enumerate(self.melds):
            yield rules.Moved(list(meld), rules.TO_MELD, meld_number=number)
        for card in self.discards:
            yield rules.Moved([card], rules.TO_DISCARDS)

    def ids(self) -> list[str]:
        """The full deck those moves start from, bottom to top: what moves first lies on top."""
        moving = [card.id for move in self.moves() for card in move.cards]
        return self.deck + moving[::-1]
