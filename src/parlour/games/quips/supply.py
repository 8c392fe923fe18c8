"""The draw piles and their discards, and how many cards one player may have.

Cards are conserved: a white card is in the pile, in the discards, in a hand or in a play; a black
one in the pile, in the discards or turned up. A card that somebody wrote disappears, and an
upgraded card goes back as the card it was before.
"""

from __future__ import annotations

from msgspec import Struct

from parlour.games.quips.board import Held, Player
from parlour.games.quips.packs import Shelf
from parlour.games.quips.settings import Settings
from parlour.kit import Illegal
from parlour.rng import Rng


class Pile(Struct):
    """Cards to draw, the last one first, and cards that wait to be shuffled in again."""

    cards: list[str]
    discards: list[str] = []

    def draw(self, rng: Rng) -> str | None:
        """The next card; None when there is none left anywhere."""
        if not self.cards:
            self.cards, self.discards = self.discards, []
            rng.shuffle(self.cards)
        return self.cards.pop() if self.cards else None


class Supply(Struct):
    """The cards of one game that nobody has."""

    shelf: Shelf
    share: int
    """How many white cards a player may have at most, hand and play together."""
    hand_size: int
    whites: Pile
    blacks: Pile

    def refill(self, player: Player, rng: Rng) -> None:
        """Deal up to a full hand."""
        self.draw(player, self.hand_size - len(player.hand), rng)

    def draw(self, player: Player, count: int, rng: Rng) -> None:
        """Deal so many cards, but never more than a share: others need some too."""
        count = min(count, self.share - len(player.hand) - len(player.play))
        for _ in range(count):
            card = self.whites.draw(rng)
            if card is not None:
                player.take(card)

    def put_back(self, cards: list[Held]) -> None:
        """Empty a hand or a play onto the discards."""
        self.whites.discards += [held.base for held in cards if held.base]
        cards.clear()

    def next_black(self, old: str, rng: Rng) -> str:
        """The next black card, instead of `old`; the same again where there is no other."""
        card = self.blacks.draw(rng)
        if card is None:
            return old
        if old:
            # Only now, so that it can't come straight back.
            self.blacks.discards.append(old)
        return card


def shuffled(shelf: Shelf, settings: Settings, rng: Rng) -> Supply:
    """All cards of a new game, shuffled; an `Illegal` where there are too few.

    Hands are smaller than `hand_size` where a full table could not be dealt so many.
    """
    if not shelf.blacks:
        raise Illegal("too-few-cards", "There is no black card to play with.")
    pick = max(card.pick for card in shelf.blacks.values())
    whites = Pile(shelf.dealt())
    blacks = Pile([*shelf.blacks])
    share = len(whites.cards) // settings.max_players
    hand_size = min(settings.hand_size, share - pick)
    if hand_size < pick:
        raise Illegal(
            "too-few-cards",
            f"{settings.max_players} players need at least {2 * pick * settings.max_players}"
            f" white cards, and there are {len(whites.cards)}.",
        )
    rng.shuffle(whites.cards)
    rng.shuffle(blacks.cards)
    return Supply(shelf, share, hand_size, whites, blacks)
