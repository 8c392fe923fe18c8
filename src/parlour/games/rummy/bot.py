"""A computer player for Super Rummy: it holds back, counts outs, remembers cards others took.

It keeps its melds in hand until it can go out with them, for a meld on the table lets others lay
off, and going out in one turn counts twice (docs/rummy-strategy.md). It plays from its seat's
picture and never touches the match. Like most people it does not memorise the order of the
discards through a redeck.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from parlour.games.rummy import moves
from parlour.games.rummy.melds import JOKER_FACES, Card, room_on, thirds, value_of
from parlour.games.rummy.moves import Action, Event
from parlour.games.rummy.outs import HandPlan, count, laid_off, pairs, plan_hand, prospects
from parlour.games.rummy.picture import RummyPicture
from parlour.kit import Bot, Millis, Plan, Seat
from parlour.rng import Rng

_QUICKEST: Final = 600
_SLOWEST: Final = 1800

# How discards are compared, in points of hand value: for one more live card that would make a
# meld with the cards that stay; against a card that the next player seems to collect.
_HOPE: Final = 20
_NEXT_DOOR: Final = 6

# Somebody with so few cards may be out soon: melds go down before they cost points.
_NEARLY_OUT: Final = 3

# After so many times round the table without a card laid, melds go down as well, and points
# matter no more.
_TIRESOME: Final = 12


class RummyBot(Bot[Action, Event, RummyPicture]):
    """Spec, Bots: finishes its turns legally in every position, and plays a fair game.

    Besides its picture it remembers what others took from the discard pile, how long nobody
    has laid a card, and which cards the deck was made of.
    """

    def __init__(self, picture: RummyPicture, rng: Rng) -> None:
        super().__init__(picture, rng)
        # By id, the cards others took from the discard pile, where everybody saw their faces.
        self._taken: dict[str, Card] = {}
        # Turns begun since a card was last laid.
        self._quiet = 0
        # By face, how many copies the round has, and how many went into the latest deck.
        self._copies: list[int] = []
        self._stock: list[int] = []
        self._at: Millis | None = None

    def notice(self, event: Event) -> None:
        self._at = None
        if isinstance(event, moves.Moved):
            if event.destination == moves.TO_MELD:
                self._quiet = 0
            elif event.destination == moves.TO_HAND and event.seat != self.picture.viewer:
                discards = self.picture.discards
                if discards and discards[-1].id == event.cards[0].id:
                    self._taken[discards[-1].id] = discards[-1]
        elif isinstance(event, moves.Turned):
            if event.state == moves.DRAW:
                self._quiet += 1
        elif isinstance(event, moves.Redecked):
            self._stock = [0] * 54
            for card in self.picture.discards:
                self._stock[card.face] += 1
        elif isinstance(event, moves.Started):
            settings = event.settings
            jokers: int = settings.deck_count if settings.enable_jokers else 0
            self._taken = {}
            self._quiet = 0
            self._copies = [settings.deck_count] * 52 + [jokers] * 2
            self._stock = self._copies

    def plan(self, legal: Sequence[Action], now: Millis) -> Plan[Action] | None:
        if not legal or not self.picture.hands:
            return None
        if self._at is None:
            # Asked again after no event, it keeps the time it has chosen.
            self._at = now + _QUICKEST + self.rng.below(_SLOWEST - _QUICKEST + 1)
        drawing = isinstance(legal[0], moves.Draw)
        return Plan(self._at, self._draw(legal) if drawing else self._play(legal))

    # Knowledge

    def live(self) -> list[int]:
        """By face, how many copies may still come: not in sight, and not held since a redeck."""
        left = self._copies[:]
        for pile in (self.picture.hand, self.picture.discards, *self.picture.melds):
            for card in pile:
                left[card.face] -= 1
        for seat in range(len(self.picture.hands)):
            for card in self.collected(seat):
                left[card.face] -= 1
        return [min(pair) for pair in zip(left, self._stock, strict=True)]

    def collected(self, seat: Seat) -> list[Card]:
        """The cards that another player took from the discard pile and still holds."""
        if not self._taken or seat == self.picture.viewer:
            return []
        hand = self.picture.hands[seat]
        return [self._taken[card.id] for card in hand if card.id in self._taken]

    def _fewest(self) -> int:
        """How many cards the other player with the fewest holds."""
        hands = self.picture.hands
        return min([len(hand) for seat, hand in enumerate(hands) if seat != self.picture.viewer])

    def _hurried(self) -> bool:
        """Somebody else may be out before the next turn comes round."""
        return self._fewest() <= 2

    def _tired(self) -> bool:
        """Nobody has laid a card for long."""
        return self._quiet > _TIRESOME * len(self.picture.hands)

    def plan_hand(self, hand: list[Card]) -> HandPlan:
        """The melds and lays of this hand if all of it went down now."""
        picture = self.picture
        layable = laid_off(hand, picture.melds, picture.room, picture.rules)
        return plan_hand(hand, layable, picture.settings.require_end_discard, picture.rules)

    # Drawing

    def _draw(self, legal: Sequence[Action]) -> Action:
        """The discard when it leaves less over, and less than the deck card it may look at."""
        if len(legal) == 1 or not self.picture.discards:
            return legal[0]
        top = self.picture.discards[-1]
        turned = self.picture.turned
        offered = None if turned is None else turned.deck_top
        if self._use(top) > (0 if offered is None else self._use(offered)):
            return moves.Draw(top.id)
        return legal[0]

    def _use(self, card: Card) -> int:
        """By how many cards it makes the deadwood smaller, itself included; 0: it is of no use."""
        if card.face >= 52:
            return 100
        hand = self.picture.hand
        without = len(self.plan_hand(hand).deadwood)
        return max(0, without + 1 - len(self.plan_hand([*hand, card]).deadwood))

    # Playing

    def _play(self, legal: Sequence[Action]) -> Action:
        plan = self.plan_hand(self.picture.hand)
        # One card is left to discard.
        goes_out = len(plan.deadwood) <= 1
        if goes_out or not self._holds_back():
            if plan.melds:
                return moves.Meld([card.id for card in plan.melds[0]])
            lay = self._lay()
            if lay is not None:
                return lay
        return self._discard(legal, plan)

    def _holds_back(self) -> bool:
        """Whether melds stay in hand until all goes down at once."""
        return self._fewest() > _NEARLY_OUT and not self._tired()

    def _lay(self) -> moves.Lay | None:
        """Natural cards wherever they fit; jokers when that ends the round, or others soon will."""
        picture = self.picture
        spare = len(picture.hand) - (1 if picture.settings.require_end_discard else 0)
        if spare < 1:
            return None
        naturals = [card for card in picture.hand if card.face < 52]
        cards = sorted(naturals, key=lambda card: -value_of(card.face, picture.rules))
        if len(naturals) <= 1 or self._hurried():
            cards += [card for card in picture.hand if card.face >= 52]
        for card in cards:
            for number, room in enumerate(picture.room):
                if room >> card.face & 1:
                    return moves.Lay([card.id], number)
        return None

    # Discarding

    def _discard(self, legal: Sequence[Action], plan: HandPlan) -> Action:
        """Of the deadwood, the card whose loss leaves the most live cards to hope for.

        Among equals the dearest: what costs points when somebody else goes out, and what is of
        no use next door.
        """
        picture = self.picture
        # The card just taken from the pile may not go back there.
        allowed = {action.card_id for action in legal if isinstance(action, moves.Discard)}
        live = self.live()
        held = {card.id for meld in plan.melds for card in meld}
        loose = [card for card in picture.hand if card.id not in held]
        waiting = pairs(loose, picture.rules)
        lay_offs = self.lay_offs(plan)
        tired = self._tired()
        dear = 0 if tired else 3 if self._hurried() else 1
        best: Action = legal[-1]
        most: int | None = None
        deadwood = [card for card in plan.deadwood if card.id in allowed and card.face < 52]
        for card in deadwood or [card for card in picture.hand if card.id in allowed]:
            hopes = lay_offs
            for one, other, faces in waiting:
                if card is not one and card is not other:
                    hopes |= faces
            merit = (
                _HOPE * count(hopes, live)
                + dear * value_of(card.face, picture.rules)
                - self._danger(card)
                - (1000 if card.face >= 52 else 0)
            )
            if tired:
                merit -= prospects(picture.rules, card.face, live)
            if most is None or merit > most:
                best, most = moves.Discard(card.id), merit
        return best

    def lay_offs(self, plan: HandPlan) -> int:
        """The faces that melds take, those on the table and those still in hand; jokers aside."""
        faces = 0
        for room in self.picture.room:
            faces |= room
        for meld in plan.melds:
            faces |= room_on(meld, self.picture.rules)
        return faces & ~JOKER_FACES

    def _danger(self, card: Card) -> int:
        """How useful the card may be to the next player, given what they took from the pile."""
        picture = self.picture
        after = 0 if picture.viewer is None else (picture.viewer + 1) % len(picture.hands)
        danger = 0
        for known in self.collected(after):
            if card.face < 52 and known.face < 52 and thirds(picture.rules, known.face, card.face):
                danger += _NEXT_DOOR
        # If it fits on the table, the next player can lay it off at once.
        if any(room >> card.face & 1 for room in picture.room):
            danger += _NEXT_DOOR
        return danger


class NormalBot(RummyBot):
    """Lays down what it can at once, and hopes only for cards that make a new meld."""

    def _holds_back(self) -> bool:
        return False

    def lay_offs(self, plan: HandPlan) -> int:
        return 0


class EasyBot(NormalBot):
    """Draws from the deck whatever lies open, and throws away any card it has no meld for."""

    def _draw(self, legal: Sequence[Action]) -> Action:
        return legal[0]

    def _discard(self, legal: Sequence[Action], plan: HandPlan) -> Action:
        loose = {card.id for card in plan.deadwood if card.face < 52}
        discards = [action for action in legal if isinstance(action, moves.Discard)]
        choices = [action for action in discards if action.card_id in loose] or discards
        return choices[self.rng.below(len(choices))]
