"""A computer player for Cambia: remembers honestly, snaps like a person, calls by the odds.

It plays from its seat's picture and never touches the match. What it may
remember is what a re-sync of its seat could show; besides, it notes which cards others drew and
kept, as anybody watching can.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from parlour.cards import Face, rank_of
from parlour.games.cambia import actions as act
from parlour.games.cambia.actions import Action, Special
from parlour.games.cambia.cards import HIDDEN, SpecialName, ability_of, value_of
from parlour.games.cambia.events import Discarded, Event, Swapped
from parlour.games.cambia.odds import Worth
from parlour.games.cambia.picture import CambiaPicture
from parlour.kit import Bot, Millis, Plan, Seat
from parlour.rng import Rng

_THINK: Final = (700, 2_100)
_SNAP: Final = (450, 1_400)
_BEFORE_DEADLINE: Final[Millis] = 300

_CONFIDENCE: Final = 0.8
"""The odds wanted against each rival before a call."""

_LONGEST: Final = 40
"""The number of rounds over which the odds wanted for a call fall to zero."""

_KNOWING: Final = 4.5
"""The worth of knowing an own card, in points."""

_SNAP_ODDS: Final = 0.8
"""How often we are the first to snap our own card on our own discard."""

_WORTH_SWAPPING: Final = 1.0
"""How much better a swap must look before cards are moved blind."""

_EASILY_KEPT: Final = 4
"""The dearest card that the easy bot thinks worth keeping."""


class CambiaBot(Bot[Action, Event, CambiaPicture]):
    """One seat's computer player."""

    def __init__(self, picture: CambiaPicture, rng: Rng) -> None:
        super().__init__(picture, rng)
        assert picture.viewer is not None, "a bot has a seat"
        self.seat: Seat = picture.viewer
        # The cards others drew and kept, unseen.
        self._kept: set[str] = set()
        self._moment = ""
        self._at: Millis = 0

    def notice(self, event: Event) -> None:
        if isinstance(event, Discarded):
            hidden = self.picture.players[event.seat].drawn_face == HIDDEN
            if event.idx >= 0 and hidden:
                self._kept.add(event.drawn)
        elif isinstance(event, Swapped):
            self._kept.discard(event.card1.card)
            self._kept.discard(event.card2.card)

    def plan(self, legal: Sequence[Action], now: Millis) -> Plan[Action] | None:
        if not legal:
            return None
        snap = self._snap(legal)
        if snap is not None:
            return self._soon(f"snap {snap.card} {self.picture.top}", snap, _SNAP, now)
        action = self._move(legal)
        if action is None:
            return None
        return self._soon(f"{self.picture.turn} {type(action).__name__}", action, _THINK, now)

    def _soon(
        self, moment: str, action: Action, span: tuple[Millis, Millis], now: Millis
    ) -> Plan[Action]:
        """The plan for `action`. Asked again about the same decision, it keeps its time."""
        if moment != self._moment:
            self._moment = moment
            self._at = now + span[0] + self.rng.below(span[1] - span[0])
        deadline = self.picture.deadline
        if deadline is None:
            return Plan(self._at, action)
        return Plan(max(now, min(self._at, deadline - _BEFORE_DEADLINE)), action)

    # Snaps

    def _snap(self, legal: Sequence[Action]) -> act.Snap | None:
        """The dearest card known to have the top rank, if getting rid of it gains anything."""
        picture = self.picture
        top = picture.top
        if top is None or (picture.settings.houseRules.snapRace and top[0] in picture.used):
            return None
        best: act.Snap | None = None
        most = 0.0
        for action in legal:
            if isinstance(action, act.Snap):
                face = picture.known.get(action.card)
                if face is not None and rank_of(face) == rank_of(top[1]):
                    gain = self._snap_gain(action.card, face)
                    if gain > most:
                        best, most = action, gain
        return best

    def _snap_gain(self, card: str, face: Face) -> float:
        """The value of an own card; for another's, that of our worst card, which we hand over."""
        if card in self._hand():
            return value_of(face)
        worth = Worth(self.picture, self._kept)
        return max(map(worth.of, self._hand()), default=0.0)

    # Turns

    def _move(self, legal: Sequence[Action]) -> Action | None:
        """The move in turn, or the card to hand over; None if only snaps are legal."""
        first = legal[0]
        if isinstance(first, act.Snap):
            return None
        worth = Worth(self.picture, self._kept)
        if isinstance(first, act.SnapMove):
            return act.SnapMove(_dearest(self._hand(), worth))
        if isinstance(first, act.DrawStockpile):
            return self._draw(legal, worth)
        choice = self.picture.choice
        if choice is not None:
            return _listed(self._special(choice.special, worth), legal)
        return self._place(worth)

    def _draw(self, legal: Sequence[Action], worth: Worth) -> Action:
        if (
            act.CallCambia() in legal
            and worth.chance_to_be_lowest(self.seat) >= self._odds_wanted()
        ):
            return act.CallCambia()
        top = self.picture.top
        if top is not None and act.DrawDiscard() in legal:
            dearest = max(map(worth.of, self._hand()), default=0.0)
            # Better than what the stockpile promises, and better than what we have.
            if value_of(top[1]) <= worth.mean - 3.0 and value_of(top[1]) < dearest - 2.0:
                return act.DrawDiscard()
        return act.DrawStockpile()

    def _odds_wanted(self) -> float:
        """Waiting improves everybody's hand, so a call wants lower odds the longer it takes."""
        seats = len(self.picture.players)
        patience = max(0.0, 1.0 - self.picture.turn / seats / _LONGEST)
        return float((_CONFIDENCE * patience) ** (seats - 1))

    def _hand(self) -> list[str]:
        return self.picture.players[self.seat].hand

    def _place(self, worth: Worth) -> Action:
        """Keep the drawn card where it gains most, or let it go for its ability or a snap."""
        me = self.picture.players[self.seat]
        drawn = me.drawn_face
        last_turn = self.picture.caller is not None
        best: Action = act.DiscardDrawn(me.drawn)
        most = self._snap_after(drawn, "") + self._ability_worth(ability_of(drawn), worth)
        for idx, card in enumerate(me.hand):
            gain = worth.of(card) - value_of(drawn)
            face = self.picture.known.get(card)
            if face is None:
                gain += 0.0 if last_turn else _KNOWING
            else:
                gain += self._snap_after(face, card)
                if rank_of(face) == rank_of(drawn):
                    gain += _SNAP_ODDS * max(0, value_of(drawn))
            if gain > most:
                best, most = act.Replace(card, idx), gain
        return best

    def _snap_after(self, face: Face, leaving: str) -> float:
        """The worth of our own snaps on our own discard."""
        gain = 0.0
        for card in self._hand():
            known = self.picture.known.get(card)
            if card != leaving and known is not None and rank_of(known) == rank_of(face):
                gain += _SNAP_ODDS * max(0, value_of(known))
        return gain

    def _ability_worth(self, special: SpecialName | None, worth: Worth) -> float:
        """The probable gain of an ability, in points."""
        if special == "peek_self":
            secret = self._secret(self._hand())
            return _KNOWING if secret and self.picture.caller is None else 0.0
        if special in ("swap_blind", "swap_peek"):
            ours, theirs = self._best_swap(worth)
            if ours and theirs:
                return max(0.0, 0.5 * (worth.of(ours) - worth.of(theirs) - _WORTH_SWAPPING))
        return 0.0

    # Abilities

    def _special(self, special: SpecialName, worth: Worth) -> Special:
        if special == "swap_peek_swap":
            return self._decide()
        if special == "peek_self":
            secret = self._secret(self._hand())
            return Special("peek_self", secret[0]) if secret else Special("skip")
        if special == "peek_other":
            # The card of others most worth knowing is one that is probably low.
            secret = self._secret(self._others())
            return Special("peek_other", min(secret, key=worth.of)) if secret else Special("skip")
        ours, theirs = self._best_swap(worth)
        if not ours or not theirs:
            return Special("skip")
        if special == "swap_peek":
            return Special("swap_peek", ours, theirs)
        if worth.of(ours) - worth.of(theirs) >= _WORTH_SWAPPING:
            return Special("swap_blind", ours, theirs)
        return Special("skip")

    def _decide(self) -> Special:
        """A King's second step: swap when the cheaper card is not ours yet."""
        one, other = self.picture.looked
        ours, theirs = (other, one) if other in self._hand() else (one, other)
        known = self.picture.known
        if ours in known and theirs in known and value_of(known[ours]) > value_of(known[theirs]):
            return Special("swap_peek_swap", one, other)
        return Special("skip")

    def _best_swap(self, worth: Worth) -> tuple[str, str]:
        """Our dearest card and the cheapest of the others', as far as one can tell."""
        caller = self.picture.caller
        locked = caller if self.picture.settings.houseRules.lockCallerHand else None
        hand, theirs = self._hand(), self._others(locked)
        if not hand or not theirs or locked == self.seat:
            return "", ""
        return _dearest(hand, worth), min(theirs, key=worth.of)

    def _others(self, locked: Seat | None = None) -> list[str]:
        """The others' cards, without those of a locked hand."""
        players = enumerate(self.picture.players)
        hands = [player.hand for seat, player in players if seat not in (self.seat, locked)]
        return [card for hand in hands for card in hand]

    def _secret(self, cards: list[str]) -> list[str]:
        """Those of `cards` that it does not know."""
        return [card for card in cards if card not in self.picture.known]


class NormalBot(CambiaBot):
    """Misses every other snap, and moves no cards that it has not seen."""

    def __init__(self, picture: CambiaPicture, rng: Rng) -> None:
        super().__init__(picture, rng)
        # By the card on top, whether it has noticed that it could snap.
        self._noticed: dict[str, bool] = {}

    def _snap(self, legal: Sequence[Action]) -> act.Snap | None:
        snap = super()._snap(legal)
        top = self.picture.top
        if snap is None or top is None:
            return None
        if top[0] not in self._noticed:
            self._noticed[top[0]] = self.rng.below(2) == 0
        return snap if self._noticed[top[0]] else None

    def _special(self, special: SpecialName, worth: Worth) -> Special:
        if special in ("peek_self", "swap_peek_swap"):
            return super()._special(special, worth)
        return Special("skip")


class EasyBot(CambiaBot):
    """Never snaps, uses no abilities, and keeps small cards in place of any it does not know."""

    def _snap(self, legal: Sequence[Action]) -> act.Snap | None:
        return None

    def _special(self, special: SpecialName, worth: Worth) -> Special:
        return Special("skip")

    def _place(self, worth: Worth) -> Action:
        me = self.picture.players[self.seat]
        if value_of(me.drawn_face) > _EASILY_KEPT or not me.hand:
            return act.DiscardDrawn(me.drawn)
        secret = self._secret(me.hand)
        card = secret[0] if secret else max(me.hand, key=worth.of)
        return act.Replace(card, me.hand.index(card))


def _dearest(cards: list[str], worth: Worth) -> str:
    return max(cards, key=worth.of)


def _listed(action: Special, legal: Sequence[Action]) -> Action:
    """The legal action that means the same; a pair is listed in one order only."""
    wanted = {action.card1, action.card2}
    for other in legal:
        if isinstance(other, Special) and other.special == action.special:
            if {other.card1, other.card2} == wanted:
                return other
    return Special("skip")
