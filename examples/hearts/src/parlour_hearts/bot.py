"""Computer players for Hearts: one that counts cards, and one that does not."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.cards import HEARTS, SPADES, Face, suit_of
from parlour.kit import Bot, Millis, Plan
from parlour_hearts.picture import HeartsPicture
from parlour_hearts.rules import (
    PASSED,
    QUEEN_OF_SPADES,
    Action,
    Event,
    Pass,
    Play,
    playing_deck,
    points_of,
    strength,
    winning,
)


class CarelessBot(Bot[Action, Event, HeartsPicture]):
    """Passes its highest cards, and always plays the lowest it may."""

    def plan(self, legal: Sequence[Action], now: Millis) -> Plan[Action]:
        cards = [action.card for action in legal if isinstance(action, Play)]
        action = Play(self.choose(cards)) if cards else Pass(self.give())
        return Plan(now + 700 + self.rng.below(800), action)

    def give(self) -> list[Face]:
        return sorted(self.picture.hand, key=strength)[-PASSED:]

    def choose(self, cards: list[Face]) -> Face:
        return min(cards, key=strength)


class HeartsBot(CarelessBot):
    """Counts the cards that are still out, and plays what will probably cost it the least."""

    def give(self) -> list[Face]:
        return sorted(self.picture.hand, key=self._burden)[-PASSED:]

    def choose(self, cards: list[Face]) -> Face:
        trick = self.picture.trick
        if not trick:
            return min(cards, key=lambda card: (self._cost_of_leading(card), -strength(card)))
        if suit_of(cards[0]) == suit_of(trick[0]):
            return self._follow(cards, trick)
        return max(cards, key=self._worth_discarding)

    def _out(self, suit: int) -> list[Face]:
        """The cards of a suit that the others hold."""
        seen = {*self.picture.played, *self.picture.hand}
        deck = playing_deck(self.picture.players)
        return [card for card in deck if suit_of(card) == suit and card not in seen]

    def _queen_is_out(self) -> bool:
        return QUEEN_OF_SPADES in self._out(SPADES)

    def _burden(self, card: Face) -> float:
        """How much better it would be not to have a card."""
        held = [each for each in self.picture.hand if suit_of(each) == suit_of(card)]
        if suit_of(card) == SPADES and strength(card) >= strength(QUEEN_OF_SPADES):
            # With enough small spades below them, the high ones need not be played.
            guarded = len(held) > 4
            return 5.0 if guarded else 40.0 + (card == QUEEN_OF_SPADES)
        if suit_of(card) == SPADES:
            return strength(card) - 10.0
        hearts = 4.0 if suit_of(card) == HEARTS else 0.0
        return strength(card) + hearts + max(0, 4 - len(held))

    def _cost_of_leading(self, card: Face) -> float:
        """The points that leading a card will probably bring."""
        picture = self.picture
        out = self._out(suit_of(card))
        others = picture.players - 1
        if not out:
            # Nobody else has the suit: all of them discard what they like least.
            return 3.0 * others
        higher = sum(strength(each) > strength(card) for each in out)
        takes = (1 - higher / len(out)) ** min(others, len(out))
        void = sum((seat, suit_of(card)) in picture.void for seat in range(picture.players))
        discards = void + max(0.0, others - len(out) / 2) / 2
        points = 2.5 * discards + (others if suit_of(card) == HEARTS else 0)
        if card == QUEEN_OF_SPADES:
            return 13.0
        if suit_of(card) == SPADES and self._queen_is_out():
            # Small spades make the queen come out; the ace and the king catch it.
            points += 13 if strength(card) > strength(QUEEN_OF_SPADES) else -4
            return takes * points if points > 0 else points * 0.2
        return takes * points

    def _follow(self, cards: list[Face], trick: list[Face]) -> Face:
        picture = self.picture
        best = strength(trick[winning(trick)])
        under = [card for card in cards if strength(card) < best]
        if QUEEN_OF_SPADES in under:
            return QUEEN_OF_SPADES
        behind = picture.players - len(trick) - 1
        out = self._out(suit_of(trick[0]))
        risky = suit_of(trick[0]) == SPADES and self._queen_is_out() and behind > 0
        safe = behind == 0 or (len(out) >= 3 * behind and not risky and suit_of(trick[0]) != HEARTS)
        without_queen = [card for card in cards if card != QUEEN_OF_SPADES] or cards
        if not sum(map(points_of, trick)) and safe:
            # The trick is free, so it takes a high card.
            return max(without_queen, key=strength)
        if under:
            return max(under, key=strength)
        highest = behind == 0
        return (max if highest else min)(without_queen, key=strength)

    def _worth_discarding(self, card: Face) -> float:
        picture = self.picture
        if card == QUEEN_OF_SPADES:
            return 100.0
        if suit_of(card) == SPADES and strength(card) > strength(QUEEN_OF_SPADES):
            return 50.0 if self._queen_is_out() else float(strength(card))
        takers = [seat for seat, points in enumerate(picture.points) if points]
        winner = (picture.leader + winning(picture.trick)) % picture.players
        if suit_of(card) == HEARTS and takers == [winner] and picture.points[winner] > 8:
            # This player may take all the points: keep a heart.
            return -1.0
        return self._burden(card) + (10.0 if suit_of(card) == HEARTS else 0.0)
