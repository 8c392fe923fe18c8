"""A computer player for ONU: keeps its wilds, and leaves the next player what they can't follow.

It looks one turn ahead and counts in cards: how many it will probably have to draw before it can
play again, and how many the others will. A player who draws without being made to holds neither the
colour in force nor a wild; the bot remembers that until they draw again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from parlour.games.onu import moves
from parlour.games.onu.cards import (
    COLOURS,
    PICK_2,
    REVERSE,
    SKIP_TURN,
    SPECIAL,
    WILD_PICK_4,
    Card,
    classic_deck,
    colour_of,
    compact_deck,
    effect_of,
    symbol_of,
)
from parlour.games.onu.moves import Action, Event
from parlour.games.onu.picture import Picture
from parlour.kit import Bot, Millis, Plan, Seat
from parlour.rng import Rng

_QUICKEST: Final[Millis] = 700
_SLOWEST: Final[Millis] = 1_900

# All in cards. How many cards a player draws who has none that fits.
_DRAWS: Final = 2.0
# How likely the colour in force is still the same one player later.
_COLOUR_STAYS: Final = 0.8
# The worth of a wild in the hand, beside the next turn.
_WILD_KEPT: Final = 3.0
# With so few cards to draw, the next player to draw gets the card just played and uses it.
_SCARCE: Final = 8
_COMES_BACK: Final = 3.0
# The worth of skipping the next player, and the cost if they go out.
_TURN: Final = 2.0
_LOSS: Final = 10.0


class OnuBot(Bot[Action, Event, Picture]):
    """Plays the card that promises most; draws when it has to, or to pass in a standstill."""

    def __init__(self, picture: Picture, rng: Rng) -> None:
        super().__init__(picture, rng)
        # By seat and colour (wilds are the last), how many cards of the hand may have that colour:
        # all but those that were there when the seat had no card that fits.
        self.maybe: list[list[int]] = []
        self.deck: list[Card] = []
        # How many have passed since the last card was played.
        self.passes = 0

    # Memory

    def notice(self, event: Event) -> None:
        if isinstance(event, moves.Dealt):
            self.maybe = [[len(hand)] * (SPECIAL + 1) for hand in event.hands]
            self.deck = classic_deck() if event.settings.deck == "classic" else compact_deck()
        elif isinstance(event, moves.Drew):
            maybe = self.maybe[event.seat]
            if event.why == moves.ASKED_FOR:
                maybe[self.picture.colour] = 0
                maybe[SPECIAL] = 0
            for colour in range(SPECIAL + 1):
                maybe[colour] += len(event.cards)
        elif isinstance(event, moves.Passed):
            self.passes += 1
        elif isinstance(event, moves.Played):
            self.passes = 0

    # Choosing

    def plan(self, legal: Sequence[Action], now: Millis) -> Plan[Action] | None:
        if not legal:
            return None
        think = _QUICKEST + self.rng.below(_SLOWEST - _QUICKEST)
        return Plan(max(now, self.picture.asked_at) + think, self.choose(legal))

    def choose(self, legal: Sequence[Action]) -> Action:
        shares = self._shares()
        best: Action = moves.Draw()
        most = -1000.0
        for action in legal:
            if isinstance(action, moves.Play):
                worth = self._worth(action, shares)
                if worth > most:
                    best, most = action, worth
        return moves.Draw() if isinstance(best, moves.Play) and self._rather_passes(best) else best

    def _rather_passes(self, play: moves.Play) -> bool:
        """With nothing to draw, drawing is a pass; it keeps a wild from going round for ever.

        Not if all the others have passed: then nobody plays, and the match would be given up.
        """
        picture = self.picture
        if picture.deck or len(picture.stack) > 1 or len(picture.hand) == 1:
            return False
        if self.passes >= len(picture.hands) - 1:
            return False
        card = picture.hand[play.index]
        return colour_of(card) == SPECIAL or _makes_draw(card)

    def _shares(self) -> list[float]:
        """The share of each colour among the cards it can't see; wilds are the last."""
        counts = [0] * (SPECIAL + 1)
        for card in self.deck:
            counts[colour_of(card)] += 1
        for pile in (self.picture.hand, self.picture.stack):
            for card in pile:
                counts[colour_of(card)] -= 1
        unseen = max(sum(counts), 1)
        return [count / unseen for count in counts]

    def _worth(self, play: moves.Play, shares: list[float]) -> float:
        picture = self.picture
        hand = picture.hand
        card = hand[play.index]
        rest = hand[: play.index] + hand[play.index + 1 :]
        if not rest:
            return 1000.0
        wild = colour_of(card) == SPECIAL
        colour = play.colour if wild else colour_of(card)
        worth = self._hindrance(card, colour, shares) - self._own_draws(card, colour, rest)
        if wild:
            worth -= _WILD_KEPT
        if _makes_draw(card) and self._available() <= _SCARCE:
            worth -= _COMES_BACK
        return worth

    def _available(self) -> int:
        """The number of cards that can be drawn after its play."""
        return len(self.picture.deck) + len(self.picture.stack)

    def _own_draws(self, card: Card, colour: int, rest: list[Card]) -> float:
        """How many cards it must probably draw at its own next turn."""
        held = [0] * (SPECIAL + 1)
        same = 0
        for other in rest:
            held[colour_of(other)] += 1
            same += symbol_of(other) == symbol_of(card)
        if held[SPECIAL]:
            return 0.0
        others = len(self.picture.hands) - 1
        if effect_of(card) == SKIP_TURN:
            others -= 1
        stays = _COLOUR_STAYS**others
        follows = 1.0 if held[colour] or (same and others == 0) else 0.0
        elsewhere = sum(1 for c in range(COLOURS) if c != colour and held[c]) / 3
        return _DRAWS * (1 - stays * follows - (1 - stays) * elsewhere)

    def _hindrance(self, card: Card, colour: int, shares: list[float]) -> float:
        """The cost of the play for the next player."""
        picture = self.picture
        seat: Seat = picture.viewer or 0
        effect = effect_of(card)
        way = -picture.direction if effect == REVERSE else picture.direction
        seats = len(picture.hands)
        after = (seat + way) % seats
        # A loss of one opponent helps all other players as much as us.
        weight = 1.0 / (seats - 1)
        gain = 0.0
        if effect == SKIP_TURN:
            gain = _TURN * weight
            after = (after + way) % seats
            if after == seat:
                return gain
        made = 2 if effect == PICK_2 else 4 if effect == WILD_PICK_4 else 0
        # Nobody can draw more than there is; towards a standstill that is next to nothing.
        made = min(made, self._available())
        held = len(picture.hands[after])
        stuck = self._cannot_follow(after, colour, made, shares)
        gain += weight * (made + stuck * min(_DRAWS, self._available() - made))
        return gain - _LOSS * (1 - stuck) if held + made == 1 else gain

    def _cannot_follow(self, seat: Seat, colour: int, made: int, shares: list[float]) -> float:
        """How likely they hold, with what they are made to draw, neither that colour nor a wild."""
        held = len(self.picture.hands[seat])
        likely = 1.0
        for kind in (colour, SPECIAL):
            likely *= (1 - shares[kind]) ** (min(self.maybe[seat][kind], held) + made)
        return likely


class EasyBot(OnuBot):
    """Plays any card that fits, and any colour with a wild."""

    def choose(self, legal: Sequence[Action]) -> Action:
        plays = [action for action in legal if isinstance(action, moves.Play)]
        best: Action = plays[self.rng.below(len(plays))] if plays else moves.Draw()
        return moves.Draw() if isinstance(best, moves.Play) and self._rather_passes(best) else best


def _makes_draw(card: Card) -> bool:
    return effect_of(card) in (PICK_2, WILD_PICK_4)
