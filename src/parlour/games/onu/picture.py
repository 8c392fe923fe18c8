"""A match as one viewer has been shown it: States and TurnInfos are made from it."""

from __future__ import annotations

from typing import Final, final

from parlour.games.onu import moves
from parlour.games.onu.cards import NONE, SPECIAL, Card, colour_of
from parlour.games.onu.moves import Event
from parlour.games.onu.settings import Settings
from parlour.kit import Millis, Seat
from parlour.kit import Picture as KitPicture
from parlour.scenes import Track

DECK: Final = "deck"
STACK: Final = "stack"
"""The zones in the middle."""


def hand_zone(seat: Seat) -> str:
    return f"hand {seat}"


@final
class Picture(KitPicture[Event]):
    """The table as its viewer could draw it; cards they may not know are `HIDDEN`.

    Folded from whole events instead of viewed ones it shows every card (`--onu-open-state`).
    """

    def __init__(self, viewer: Seat | None) -> None:
        super().__init__(viewer)
        self.track = Track()
        self.settings = Settings()
        self.players: list[str] = []
        self.hands: list[list[Card]] = []
        self.deck: list[Card] = []
        self.stack: list[Card] = []
        self.colour: int = SPECIAL
        """The colour in force: the top card's, or the one chosen for it."""
        self.direction = 1
        self.turn: Seat = 0
        self.effect: int = NONE
        """`TurnEffect` of the open prompt; 0 if there is none."""
        self.awaited = False
        """Whether the player in turn has a prompt to answer."""
        self.deadline: Millis = 0
        self.running = False
        self.ended: moves.Ended | None = None

    @property
    def hand(self) -> list[Card]:
        """The viewer's own, in the order in which indexes count."""
        return [] if self.viewer is None or not self.hands else self.hands[self.viewer]

    @property
    def asked_at(self) -> Millis:
        """When the prompt was or will be shown: it comes after the animations before it."""
        return self.deadline - self.settings.turnTimeout * 1000

    def see(self, event: Event) -> None:
        if isinstance(event, (moves.Played, moves.Drew, moves.Fumbled, moves.Passed, moves.Ended)):
            # The prompt has been answered, and its effect is over.
            self.awaited = False
            self.effect = NONE
        if isinstance(event, moves.Dealt):
            self._deal(event)
        elif isinstance(event, moves.Played):
            hand = self.hands[event.seat]
            del hand[event.index]
            self.track.move(hand_zone(event.seat), STACK, None, event.index)
            self.stack.append(event.card)
            self.colour = event.colour
            self.direction = event.direction
        elif isinstance(event, moves.Drew):
            del self.deck[len(self.deck) - len(event.cards) :]
            self.hands[event.seat] += event.cards
            for _ in event.cards:
                self.track.move(DECK, hand_zone(event.seat), None)
        elif isinstance(event, moves.Reshuffled):
            self.deck = list(event.deck)
            del self.stack[:-1]
            del self.track.zones[STACK][:-1]
        elif isinstance(event, moves.Prompted):
            self.turn = event.seat
            self.effect = event.effect
            self.awaited = True
            self.deadline = event.deadline
        elif isinstance(event, moves.Ended):
            self.ended = event
            self.running = False

    def _deal(self, event: moves.Dealt) -> None:
        self.running = True
        self.settings = event.settings
        self.players = list(event.players)
        self.hands = [list(hand) for hand in event.hands]
        self.deck = list(event.deck)
        self.stack = [event.start]
        self.track.lay(STACK, [None])
        for seat, hand in enumerate(event.hands):
            self.track.lay(hand_zone(seat), [None] * len(hand))
        self.colour = colour_of(event.start)
