"""What one attendant of a table has heard of its game, folded from the wire's messages.

Enough to make a State and a TurnInfo of. It knows no more than it was told.
"""

from __future__ import annotations

from typing import Any

from parlour.games.onu import messages as say
from parlour.games.onu import wire


class Mirror:
    """The game as far as its viewer is shown it."""

    def __init__(self) -> None:
        self.users: list[str] = []
        self.names: list[str] = []
        self.hands: list[list[say.Card]] = []
        self.deck = 0
        self.stack: list[say.Card] = []
        self.direction = 1
        self.turn = 0
        self.effect = 0
        self.awaited = False
        self.over = True

    @property
    def running(self) -> bool:
        return bool(self.users) and not self.over

    def hear(self, message: Any) -> None:
        """One message of the wire; those of the lobby change nothing here."""
        match message:
            case wire.StateEvent():
                self._deal(message)
            case wire.PlayedEvent(seat, index, card, color, direction):
                del self.hands[seat][index]
                # Below another card a wild is a wild again: nobody asks for its colour.
                if self.stack[-1].Effect in (4, 5):
                    self.stack[-1] = say.Card(4, -1, self.stack[-1].Effect)
                self.stack.append(say.Card(color, card.Number, card.Effect))
                self.direction = direction
                self._answered()
            case wire.DrewEvent(seat, cards):
                self.hands[seat] += [_card(card) for card in cards]
                self.deck -= len(cards)
                self._answered()
            case wire.ReshuffledEvent(deck):
                self.deck = deck
                del self.stack[:-1]
            case wire.PromptedEvent(seat, effect):
                self.turn, self.effect, self.awaited = seat, effect, True
            case wire.PassedEvent() | wire.FumbledEvent():
                self._answered()
            case wire.EndedEvent():
                self._answered()
                self.over = True
            case _:
                pass

    def _answered(self) -> None:
        """The prompt is done with, and so is the effect it told of."""
        self.awaited = False
        self.effect = 0

    def _deal(self, state: wire.StateEvent) -> None:
        self.users = [player.user for player in state.players]
        self.names = [player.name for player in state.players]
        self.hands = [[_card(card) for card in player.cards] for player in state.players]
        self.deck = state.deck
        self.stack = [_card(card) for card in state.stack]
        self.direction = state.direction
        self.turn = state.turn
        self.effect = state.effect
        self.awaited = state.awaited
        self.over = state.over

    def state(self, host: str, hands: list[list[say.Card]] | None = None) -> say.State:
        """A State; with other hands than these, if they are given."""
        players = [
            say.StatePlayer(list(cards), name, user)
            for user, name, cards in zip(self.users, self.names, hands or self.hands, strict=True)
        ]
        return say.State(
            Deck=[say.BLANK] * self.deck,
            Direction=self._direction(),
            Host=host,
            PlayerTurn=self.names[self.turn],
            Players=players,
            Stack=list(self.stack),
            TurnEffect=self.effect,
        )

    def turn_info(self) -> say.TurnInfo:
        """What the player in turn is asked with; its own mirror must be asked for it."""
        return say.TurnInfo(
            TurnDirection=self._direction(),
            TopStackCard=self.stack[-1],
            HandCards=list(self.hands[self.turn]),
            PlayerHands=[
                say.PlayerHand(name, len(cards))
                for name, cards in zip(self.names, self.hands, strict=True)
            ],
            PlayerOrder=list(self.names),
            TurnEffect=self.effect,
        )

    def _direction(self) -> say.Direction:
        return "Right" if self.direction > 0 else "Left"


def _card(card: wire.Card) -> say.Card:
    return say.Card(card.Color, card.Number, card.Effect)
