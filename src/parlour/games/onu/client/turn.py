"""A prompt and its answer, for bots: read forgivingly, written strictly."""

from __future__ import annotations

from dataclasses import dataclass

from parlour.games.onu.cards import BLUE, GREEN, NONE, SPECIAL
from parlour.games.onu.messages import (
    BLANK,
    PICK_CARD,
    PLAY_CARD,
    Card,
    PlayerHand,
    dump,
    load,
    whole,
)


@dataclass(frozen=True)
class Action:
    """An answer. Make one with `play` or `draw`."""

    action: int
    card_index: int | None
    wild_color: int = BLUE

    @classmethod
    def play(cls, card_index: int, wild_color: int = BLUE) -> Action:
        """Play the card at this index of the hand; `wild_color` counts for wilds only."""
        return cls(PLAY_CARD, card_index, wild_color)

    @classmethod
    def draw(cls, wild_color: int = BLUE) -> Action:
        """Draw a card. The same player is then asked again."""
        return cls(PICK_CARD, 0, wild_color)

    def encode(self) -> str:
        """The content of `onu-player-action`. Some hosts check nothing, so it must be valid."""
        if self.action not in (PLAY_CARD, PICK_CARD):
            raise ValueError(f"an action is 0 or 1, not {self.action!r}")
        index = self.card_index
        drawing = self.action == PICK_CARD and index is None
        if not drawing and (type(index) is not int or index < 0):
            raise ValueError(f"a card's index is 0 or more, not {index!r}")
        if type(self.wild_color) is not int or not BLUE <= self.wild_color <= GREEN:
            raise ValueError(f"a colour is 0 to 3, not {self.wild_color!r}")
        return dump({"Action": self.action, "CardIndex": index, "WildColor": self.wild_color})


@dataclass(frozen=True)
class Turn:
    """A prompt, as the host sends it to the player whose turn it is."""

    hand: tuple[Card, ...]
    """In the order in which an answer counts them. A card the host left out is blank."""
    top: Card
    """On top of the stack; a wild there has the colour chosen for it."""
    direction: str
    """"Right" or "Left"."""
    hands: tuple[PlayerHand, ...]
    """Everybody's number of cards, by display name."""
    order: tuple[str, ...]
    """Display names, as turns go to the right."""
    effect: int
    """Of the card just played, at a turn's first prompt; hosts other than ours may not say."""
    host: str = ""
    """The user who asks."""

    def playable(self) -> list[int]:
        """The indexes of all cards that may be played."""
        return [index for index, card in enumerate(self.hand) if self.fits(card)]

    def fits(self, card: Card) -> bool:
        """Whether a card may be played on what lies on top."""
        if card == BLANK:
            return False
        return (
            card.Color in (SPECIAL, self.top.Color)
            or (card.Number >= 0 and card.Number == self.top.Number)
            or (card.Effect != NONE and card.Effect == self.top.Effect)
        )

    def commonest_color(self) -> int:
        """The colour of most cards in the hand; blue if there is none."""
        return max(range(SPECIAL), key=lambda color: sum(c.Color == color for c in self.hand))

    @classmethod
    def read(cls, content: str, host: str = "") -> Turn | None:
        """The turn in the content of `onu-player-turn`; None if it can't be played.

        Some hosts leave things out, or send null where a card should be.
        """
        told = load(content)
        hand = tuple(_card(card) for card in _list(told.get("HandCards")))
        if not hand:
            return None
        hands = [one for one in _list(told.get("PlayerHands")) if isinstance(one, dict)]
        return cls(
            hand,
            _card(told.get("TopStackCard")),
            "Left" if told.get("TurnDirection") == "Left" else "Right",
            tuple(
                PlayerHand(str(one.get("Name", "")), whole(one.get("CardCount")) or 0)
                for one in hands
            ),
            tuple(name for name in _list(told.get("PlayerOrder")) if isinstance(name, str)),
            whole(told.get("TurnEffect")) or NONE,
            host,
        )


def _card(told: object) -> Card:
    if not isinstance(told, dict):
        return BLANK
    color, number, effect = (whole(told.get(key)) for key in ("Color", "Number", "Effect"))
    if color is None:
        return BLANK
    return Card(color, -1 if number is None else number, NONE if effect is None else effect)


def _list(told: object) -> list[object]:
    return told if isinstance(told, list) else []
