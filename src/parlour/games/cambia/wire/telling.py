"""What happened in a game, as messages: one event is often one, sometimes two.

An event comes here as its viewer was shown it, so a face that is hidden can't be told. A
public message never carries more than everybody was shown: its card is put face down here
where its player's own copy of the event has a face.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, cast

from msgspec import UNSET, UnsetType

from parlour.cards import Face, deck
from parlour.games.cambia import events as ev
from parlour.games.cambia.cards import (
    HIDDEN,
    SWAP_PEEK_SWAP,
    rank_letter,
    suit_letter,
    value_of,
)
from parlour.games.cambia.picture import CambiaPicture
from parlour.games.cambia.wire import outgoing as out
from parlour.kit import Millis, Seat
from parlour.table import Player

Told: TypeAlias = tuple[out.GameMessage, ...]

_REVEAL: Final = "swap_peek_reveal"

FACES: Final[dict[Face, tuple[Any, Any, int]]] = {
    face: (rank_letter(face), suit_letter(face), value_of(face)) for face in deck(2)
}
"""Rank, suit and value of every face."""


class Teller:
    """Tells one viewer (`me`; None: a spectator) what happened among those `seating`."""

    __slots__ = ("_me", "_seating")

    def __init__(self, seating: Sequence[Player], me: Seat | None) -> None:
        self._seating = seating
        self._me = me

    def told(self, event: Any) -> Told:
        tell = _TELL.get(type(event))
        return () if tell is None else tell(self, event)

    # -- users and cards --------------------------------------------------------------

    def user(self, seat: Seat) -> out.User:
        return out.User(self._seating[seat].id)

    def open_card(self, card: str, face: Face) -> out.Card:
        """A card in no hand; its face, where it is shown."""
        if face == HIDDEN:
            return out.Card(card)
        return out.Card(card, *FACES[face])

    def shown(self, card: ev.CardAt) -> out.Card:
        """A card in a hand, with its face where it is shown."""
        if card.face == HIDDEN:
            return self.blind(card)
        return out.Card(card.card, *FACES[card.face], card.idx, self.user(card.owner))

    def blind(self, card: ev.CardAt) -> out.Card:
        """A card in a hand, face down whoever asks."""
        return out.Card(card.card, idx=card.idx, user=self.user(card.owner))

    def wherever(self, card: ev.CardAt) -> out.Card:
        """A card face down, whether or not it lies in a hand."""
        return out.Card(card.card) if card.owner == ev.NO_OWNER else self.blind(card)

    # -- one event --------------------------------------------------------------------

    def turn(self, event: ev.TurnBegan) -> Told:
        payload = out.Turn(event.turn, event.at, event.deadline)
        return (out.GamePlayerTurn(self.user(event.seat), payload),)

    def clock_reset(self, event: ev.ClockReset) -> Told:
        return (out.GameTurnTimer(self.user(event.seat), out.Timer(event.at, event.deadline)),)

    def drew(self, event: ev.Drew) -> Told:
        user = self.user(event.seat)
        card = self.open_card(event.card, event.face)
        public = card if event.source == ev.DISCARDPILE else out.Card(event.card)
        source = cast("Any", event.source)
        payload = out.Drawn(source, event.stockpile, event.discards)
        to_all = out.PlayerDrawStockpile(user, public, source, event.stockpile, payload)
        if event.seat != self._me:
            return (to_all,)
        return to_all, out.PrivateDrawStockpile(user, card, source, out.Source(source))

    def discarded(self, event: ev.Discarded) -> Told:
        user = self.user(event.seat)
        if event.idx < 0:
            card = self.open_card(event.card, event.face)
        else:
            card = out.Card(event.card, *FACES[event.face], event.idx, user)
        return (out.PlayerDiscard(user, card, _if(event.timed_out)),)

    def reshuffled(self, event: ev.Reshuffled) -> Told:
        return (out.GameReshuffleStockpile(event.stockpile, out.Size(event.stockpile)),)

    def choice(self, event: ev.SpecialChoice) -> Told:
        return (
            out.PlayerSpecialChoice(
                self.user(event.seat),
                self.open_card(event.card, event.face),
                cast("Any", event.special),
                out.Timer(event.at, event.deadline),
            ),
        )

    def peeked(self, event: ev.Peeked) -> Told:
        user, special = self.user(event.seat), cast("Any", event.special)
        blind = self.blind(event.card)
        to_all = out.PlayerSpecialAction(user, special, blind, blind)
        if event.seat != self._me:
            return (to_all,)
        seen = self.shown(event.card)
        return to_all, out.PrivateSpecialActionSuccess(user, special, seen, seen)

    def king_looked(self, event: ev.KingLooked) -> Told:
        user = self.user(event.seat)
        to_all = out.PlayerSpecialAction(
            user,
            _REVEAL,
            card1=self.blind(event.card1),
            card2=self.blind(event.card2),
            payload=out.Timer(event.at, event.deadline),
        )
        if event.seat != self._me:
            return (to_all,)
        one, other = self.shown(event.card1), self.shown(event.card2)
        seen = out.PrivateSpecialActionSuccess(user, _REVEAL, card1=one, card2=other)
        # The protocol's order: first the one who looked, then the others.
        return seen, to_all

    def swapped(self, event: ev.Swapped) -> Told:
        return (
            out.PlayerSpecialAction(
                self.user(event.seat),
                cast("Any", event.special),
                card1=self.blind(event.card1),
                card2=self.blind(event.card2),
            ),
        )

    def skipped(self, event: ev.SpecialSkipped) -> Told:
        user = self.user(event.seat)
        return (out.PlayerSpecialAction(user, "skip", timedOut=_if(event.timed_out)),)

    def special_refused(self, event: ev.SpecialRefused) -> Told:
        one = self.wherever(event.card1)
        return (
            out.PrivateSpecialActionFail(
                user=self.user(event.seat),
                special=cast("Any", event.special),
                card=one if event.card2 is None else UNSET,
                card1=one,
                card2=UNSET if event.card2 is None else self.wherever(event.card2),
                payload=out.Retry(event.sentence, event.at, event.deadline),
                message=event.sentence,
            ),
        )

    def snap_won(self, event: ev.SnapWon) -> Told:
        owed = UNSET if event.deadline is None else out.Debt(event.deadline)
        return (out.PlayerSnapSuccess(self.user(event.seat), self.shown(event.card), owed),)

    def snap_failed(self, event: ev.SnapFailed) -> Told:
        return (out.PlayerSnapFail(self.user(event.seat), self.shown(event.card)),)

    def penalty(self, event: ev.SnapPenalty) -> Told:
        user, card = self.user(event.seat), event.card
        payload = out.Penalty(event.count, event.total, event.stockpile)
        to_all = out.PlayerSnapPenalty(user, user, out.Card(card.card), event.stockpile, payload)
        if event.seat != self._me:
            return (to_all,)
        mine = out.Card(card.card, idx=card.idx)
        return to_all, out.PrivateSnapPenalty(user, user, mine, event.stockpile, payload)

    def snap_moved(self, event: ev.SnapMoved) -> Told:
        source = out.SourceIdx(event.source_idx)
        card = self.blind(event.card)
        return (out.PlayerSnapMove(self.user(event.seat), card, source, _if(event.timed_out)),)

    def called(self, event: ev.CambiaCalled) -> Told:
        return (out.PlayerCambia(self.user(event.seat)),)

    def gone(self, event: ev.PlayerGone) -> Told:
        return (out.PlayerDisconnect(self.user(event.seat)),)

    def back(self, event: ev.PlayerBack) -> Told:
        return (out.PlayerReconnect(self.user(event.seat)),)

    def auto_play(self, event: ev.TimerTookOver | ev.OwnerTookOver) -> Told:
        active = out.Active(isinstance(event, ev.TimerTookOver))
        return (out.GameAutoPlay(self.user(event.seat), active),)

    def ended(self, event: ev.GameEnded) -> Told:
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
            reason=cast("Any", event.how),
            hands={
                i: [self.shown(card) for card in hand]
                for i, hand in zip(ids, event.hands, strict=True)
            },
            circuit=circuit,
        )
        return (out.GameEnd(result),)

    def initial_cards(self, event: ev.InitialCards) -> Told:
        cards = [self.shown(card) for card in event.cards]
        one = cards[0] if cards else None
        other = cards[1] if len(cards) > 1 else None
        return (out.PrivateInitialCards(self.user(event.seat), one, other, cards),)


def _if(said: bool) -> Any:
    return True if said else UNSET


_TELL: Final[dict[type[Any], Callable[[Teller, Any], Told]]] = {
    ev.InitialCards: Teller.initial_cards,
    ev.TurnBegan: Teller.turn,
    ev.ClockReset: Teller.clock_reset,
    ev.Drew: Teller.drew,
    ev.Discarded: Teller.discarded,
    ev.Reshuffled: Teller.reshuffled,
    ev.SpecialChoice: Teller.choice,
    ev.Peeked: Teller.peeked,
    ev.KingLooked: Teller.king_looked,
    ev.Swapped: Teller.swapped,
    ev.SpecialSkipped: Teller.skipped,
    ev.SpecialRefused: Teller.special_refused,
    ev.SnapWon: Teller.snap_won,
    ev.SnapFailed: Teller.snap_failed,
    ev.SnapPenalty: Teller.penalty,
    ev.SnapMoved: Teller.snap_moved,
    ev.TimerTookOver: Teller.auto_play,
    ev.OwnerTookOver: Teller.auto_play,
    ev.GameEnded: Teller.ended,
    ev.CambiaCalled: Teller.called,
    ev.PlayerGone: Teller.gone,
    ev.PlayerBack: Teller.back,
}

SNAPSHOT_ON: Final = frozenset({ev.Dealt, ev.PlayStarted})
"""Events told by a whole `private_sync_state`."""


def depends_on_reader(event: Any) -> bool:
    """Whether its player is told more than the others though all are shown the same event."""
    kind = type(event)
    return kind is ev.SnapPenalty or (kind is ev.Drew and event.source == ev.DISCARDPILE)


def changes_hand(event: Any) -> bool:
    """Whether a card has come into a hand, left one, or changed its place there; or somebody is
    mistaken about where one lies."""
    kind = type(event)
    return kind in _MOVES or (kind is ev.Discarded and event.idx >= 0)


_MOVES: Final = frozenset({ev.Swapped, ev.SnapWon, ev.SnapPenalty, ev.SnapMoved, ev.SpecialRefused})


def pending_choice(
    picture: CambiaPicture, teller: Teller, now: Millis
) -> out.PlayerSpecialChoice | None:
    """`player_special_choice` once more, while an ability waits for its player.

    After a King's first step it names the second, which is what its player is to send.
    """
    choice = picture.choice
    if choice is None:
        return None
    special: Any = choice.special if choice.looked is None else SWAP_PEEK_SWAP
    return out.PlayerSpecialChoice(
        teller.user(choice.seat),
        teller.open_card(choice.card, choice.face),
        special,
        out.Timer(now, picture.deadline),
    )
