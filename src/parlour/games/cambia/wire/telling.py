"""The events of a game as messages: one event is often one, sometimes two.

An event comes here as its viewer was shown it, so a face that is hidden can't be told. A
public message never carries more than everybody was shown: its card is put face down here
where its player's own copy of the event has a face.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from msgspec import UNSET, UnsetType

from parlour.cards import Face, deck
from parlour.choices import name_of
from parlour.games.cambia import events as ev
from parlour.games.cambia.cards import HIDDEN, Rank, Suit, rank_letter, suit_letter, value_of
from parlour.games.cambia.wire import outgoing as out
from parlour.kit import Seat
from parlour.table import Player

Told: TypeAlias = tuple[out.GameMessage, ...]

_REVEAL: Final = "swap_peek_reveal"

FACES: Final[dict[Face, tuple[Rank | UnsetType, Suit | UnsetType, int | UnsetType]]] = {
    HIDDEN: (UNSET, UNSET, UNSET),
    **{face: (rank_letter(face), suit_letter(face), value_of(face)) for face in deck(2)},
}
"""Rank, suit and value of every face; none of a hidden one."""


class Teller:
    """Tells one viewer (`me`; None: a spectator) what happened among those `seating`.

    An event is told by the method that is called like it: `TurnBegan` by `turn_began`.
    """

    __slots__ = ("_me", "_seating")

    def __init__(self, seating: Sequence[Player], me: Player | None) -> None:
        self._seating = seating
        self._me = None if me is None else me.seat

    def told(self, event: object) -> Told:
        tell = _TELL.get(type(event))
        return () if tell is None else tell(self, event)

    # -- users and cards --------------------------------------------------------------

    def _user(self, seat: Seat) -> out.User:
        return out.User(self._seating[seat].id)

    def _shown(self, card: ev.CardAt) -> out.Card:
        """A card in a hand, with its face where it is shown."""
        return out.Card(card.card, *FACES[card.face], card.idx, self._user(card.owner))

    def _blind(self, card: ev.CardAt) -> out.Card:
        """A card face down, for every viewer; with its place, if it lies in a hand."""
        if card.owner == ev.NO_OWNER:
            return out.Card(card.card)
        return out.Card(card.card, idx=card.idx, user=self._user(card.owner))

    # -- one event --------------------------------------------------------------------

    def initial_cards(self, event: ev.InitialCards) -> Told:
        cards = [self._shown(card) for card in event.cards]
        one, other = [*cards, None, None][:2]
        return (out.PrivateInitialCards(self._user(event.seat), one, other, cards),)

    def turn_began(self, event: ev.TurnBegan) -> Told:
        payload = out.Turn(event.turn, event.at, event.deadline)
        return (out.GamePlayerTurn(self._user(event.seat), payload),)

    def clock_reset(self, event: ev.ClockReset) -> Told:
        return (out.GameTurnTimer(self._user(event.seat), out.Timer(event.at, event.deadline)),)

    def drew(self, event: ev.Drew) -> Told:
        user = self._user(event.seat)
        card = out.Card(event.card, *FACES[event.face])
        public = card if event.source == ev.DISCARDPILE else out.Card(event.card)
        payload = out.Drawn(event.source, event.stockpile, event.discards)
        to_all = out.PlayerDrawStockpile(user, public, event.source, event.stockpile, payload)
        if event.seat != self._me:
            return (to_all,)
        private = out.PrivateDrawStockpile(user, card, event.source, out.Source(event.source))
        return to_all, private

    def discarded(self, event: ev.Discarded) -> Told:
        user, card = self._user(event.seat), out.Card(event.card, *FACES[event.face])
        if event.idx >= 0:
            card = out.Card(event.card, *FACES[event.face], event.idx, user)
        return (out.PlayerDiscard(user, card, _if(event.timed_out)),)

    def reshuffled(self, event: ev.Reshuffled) -> Told:
        return (out.GameReshuffleStockpile(event.stockpile, out.Size(event.stockpile)),)

    def special_choice(self, event: ev.SpecialChoice) -> Told:
        card = out.Card(event.card, *FACES[event.face])
        timer = out.Timer(event.at, event.deadline)
        return (out.PlayerSpecialChoice(self._user(event.seat), card, event.special, timer),)

    def peeked(self, event: ev.Peeked) -> Told:
        user, special = self._user(event.seat), event.special
        blind = self._blind(event.card)
        to_all = out.PlayerSpecialAction(user, special, blind, blind)
        if event.seat != self._me:
            return (to_all,)
        seen = self._shown(event.card)
        return to_all, out.PrivateSpecialActionSuccess(user, special, seen, seen)

    def king_looked(self, event: ev.KingLooked) -> Told:
        user = self._user(event.seat)
        to_all = out.PlayerSpecialAction(
            user,
            _REVEAL,
            card1=self._blind(event.card1),
            card2=self._blind(event.card2),
            payload=out.Timer(event.at, event.deadline),
        )
        if event.seat != self._me:
            return (to_all,)
        one, other = self._shown(event.card1), self._shown(event.card2)
        seen = out.PrivateSpecialActionSuccess(user, _REVEAL, card1=one, card2=other)
        # The protocol's order: first the one who looked, then the others.
        return seen, to_all

    def swapped(self, event: ev.Swapped) -> Told:
        user, special = self._user(event.seat), event.special
        one, other = self._blind(event.card1), self._blind(event.card2)
        return (out.PlayerSpecialAction(user, special, card1=one, card2=other),)

    def special_skipped(self, event: ev.SpecialSkipped) -> Told:
        user = self._user(event.seat)
        return (out.PlayerSpecialAction(user, "skip", timedOut=_if(event.timed_out)),)

    def special_refused(self, event: ev.SpecialRefused) -> Told:
        one = self._blind(event.card1)
        return (
            out.PrivateSpecialActionFail(
                user=self._user(event.seat),
                special=event.special,
                card=one if event.card2 is None else UNSET,
                card1=one,
                card2=UNSET if event.card2 is None else self._blind(event.card2),
                payload=out.Retry(event.sentence, event.at, event.deadline),
                message=event.sentence,
            ),
        )

    def snap_won(self, event: ev.SnapWon) -> Told:
        owed = UNSET if event.deadline is None else out.Debt(event.deadline)
        return (out.PlayerSnapSuccess(self._user(event.seat), self._shown(event.card), owed),)

    def snap_failed(self, event: ev.SnapFailed) -> Told:
        return (out.PlayerSnapFail(self._user(event.seat), self._shown(event.card)),)

    def snap_penalty(self, event: ev.SnapPenalty) -> Told:
        user, card = self._user(event.seat), event.card
        payload = out.Penalty(event.count, event.total, event.stockpile)
        to_all = out.PlayerSnapPenalty(user, user, out.Card(card.card), event.stockpile, payload)
        if event.seat != self._me:
            return (to_all,)
        mine = out.Card(card.card, idx=card.idx)
        return to_all, out.PrivateSnapPenalty(user, user, mine, event.stockpile, payload)

    def snap_moved(self, event: ev.SnapMoved) -> Told:
        user, card = self._user(event.seat), self._blind(event.card)
        source = out.SourceIdx(event.source_idx)
        return (out.PlayerSnapMove(user, card, source, _if(event.timed_out)),)

    def cambia_called(self, event: ev.CambiaCalled) -> Told:
        return (out.PlayerCambia(self._user(event.seat)),)

    def presence_changed(self, event: ev.PresenceChanged) -> Told:
        message = out.PlayerReconnect if event.connected else out.PlayerDisconnect
        return (message(self._user(event.seat)),)

    def auto_play_changed(self, event: ev.AutoPlayChanged) -> Told:
        return (out.GameAutoPlay(self._user(event.seat), out.Active(event.timer_plays)),)

    def game_ended(self, event: ev.GameEnded) -> Told:
        ids = [player.id for player in self._seating]
        winners = [ids[seat] for seat in event.winners]
        circuit: out.CircuitScore | UnsetType = UNSET
        if event.totals is not None:
            champions = [ids[seat] for seat in event.champions]
            totals = dict(zip(ids, event.totals, strict=True))
            circuit = out.CircuitScore(totals, event.circuit_over, champions)
        result = out.Result(
            scores={i: s for i, s in zip(ids, event.scores, strict=True) if s is not None},
            winner=winners[0] if winners else None,
            winners=winners,
            caller=None if event.caller is None else ids[event.caller],
            penaltyApplied=event.penalty_applied,
            winBonusApplied=event.bonus_applied,
            reason=event.how,
            hands={
                i: [self._shown(card) for card in hand]
                for i, hand in zip(ids, event.hands, strict=True)
            },
            circuit=circuit,
        )
        return (out.GameEnd(result),)


def _if(said: bool) -> bool | UnsetType:
    return True if said else UNSET


_TELL: Final[dict[type, Callable[[Teller, Any], Told]]] = {
    kind: getattr(Teller, name)
    for kind in (*ev.Event.__subclasses__(), *ev.PlayerEvent.__subclasses__())
    if hasattr(Teller, name := name_of(kind))
}
