"""The table as one viewer has seen it: a fold of viewed events, and of nothing else.

`private_sync_state` is made from a picture, and the bot plays from one, so neither can know
more than `view` let through. What may still be remembered follows the rule of `layout.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from parlour.cards import Face
from parlour.games.cambia import events as ev
from parlour.games.cambia.cards import HIDDEN
from parlour.games.cambia.settings import Settings
from parlour.kit import Millis, Picture, Seat


@dataclass(slots=True)
class PlayerSeen:
    """One player: the hand as ids in order, and the card drawn and not yet placed ("": none).

    `owes_until`: they have a card to hand over by then.
    """

    hand: list[str]
    drawn: str = ""
    drawn_face: Face = HIDDEN
    drawn_from: ev.Source = ev.STOCKPILE
    connected: bool = True
    timer_plays: bool = False
    owes_until: Millis | None = None


@final
class CambiaPicture(Picture[ev.Event]):
    """The game as `viewer` (None: a spectator) knows it. Empty until the deal is seen."""

    def __init__(self, viewer: Seat | None) -> None:
        super().__init__(viewer)
        self.settings = Settings()
        self.players: list[PlayerSeen] = []
        self.known: dict[str, Face] = {}
        """The faces in hands this viewer may still remember; a drawn card's is its player's."""
        self.discards: list[tuple[str, Face]] = []
        """The pile's cards with their faces, the top one last."""
        self.used: set[str] = set()
        """The discards on which a right snap has been made, or that were snapped themselves."""
        self.stockpile = 0
        self.looked_at: ev.InitialCards | None = None
        """The cards the viewer looks at before the first turn; None once it has begun."""
        self.started = False
        self.turn = 0
        self.current: Seat | None = None
        self.deadline: Millis | None = None
        self.choice: ev.SpecialChoice | None = None
        """An ability waiting for its player; after a King's first step, for the second one."""
        self.looked: list[str] = []
        """The two cards of a King's first step, while the second is waited for."""
        self.turned_up: list[str] = []
        """The cards that the viewer looked at or that were snapped wrongly, until the next player
        draws or calls."""
        self.caller: Seat | None = None
        self.totals: list[int] | None = None
        self.result: ev.GameEnded | None = None

    @property
    def pre_game(self) -> bool:
        return bool(self.players) and not self.started and self.result is None

    @property
    def top(self) -> tuple[str, Face] | None:
        return self.discards[-1] if self.discards else None

    def shown_again(self) -> dict[str, Face]:
        """The faces that a re-sync shows, by the card in a hand.

        Remembering is the player's job unless the house reminds (`remindKnown`). What lies open
        is no memory: the initial cards in the pre-game, a King's two cards, the end.
        """
        if self.pre_game or self.result is not None or self.settings.houseRules.remindKnown:
            return self.known
        if self.choice is not None and self.choice.seat == self.viewer:
            return {card: self.known[card] for card in self.looked if card in self.known}
        return {}

    def see(self, event: ev.Event) -> None:
        if isinstance(event, ev.TurnBegan):
            self.turn = event.turn
            self.current = event.seat
            self.deadline = event.deadline
            if self.choice is not None:
                self._end_choice()
        elif isinstance(event, ev.Drew):
            self._drew(event)
        elif isinstance(event, ev.Discarded):
            self._discarded(event)
        elif isinstance(event, ev.SpecialChoice):
            self.choice = event
            self.deadline = event.deadline
        elif isinstance(event, ev.Peeked):
            self._look(event.card)
            self.turned_up = [event.card.card] if event.seat == self.viewer else []
        elif isinstance(event, ev.KingLooked):
            self._king_looked(event)
        elif isinstance(event, ev.Swapped):
            self._swapped(event)
        elif isinstance(event, ev.SpecialSkipped):
            self._end_choice()
        elif isinstance(event, ev.SnapWon):
            self._snap_won(event)
        elif isinstance(event, ev.SnapFailed):
            self._look(event.card)
            self.turned_up.append(event.card.card)
        elif isinstance(event, ev.SnapPenalty):
            self.players[event.seat].hand.append(event.card.card)
            self.stockpile = event.stockpile
        elif isinstance(event, ev.SnapMoved):
            self._snap_moved(event)
        elif isinstance(event, ev.Reshuffled):
            self.stockpile = event.stockpile
            self.used.difference_update(card for card, _ in self.discards[:-1])
            del self.discards[:-1]
        elif isinstance(event, ev.CambiaCalled):
            self.caller = event.seat
            self.turned_up = []
        elif isinstance(event, ev.PresenceChanged):
            self.players[event.seat].connected = event.connected
        elif isinstance(event, ev.AutoPlayChanged):
            self.players[event.seat].timer_plays = event.timer_plays
        elif isinstance(event, ev.ClockReset):
            self.deadline = event.deadline
        elif isinstance(event, ev.Dealt):
            self._dealt(event)
        elif isinstance(event, ev.InitialCards):
            self.looked_at = event
            self.known.update((card.card, card.face) for card in event.cards)
        elif isinstance(event, ev.PlayStarted):
            self.started = True
            self.looked_at = None
        elif isinstance(event, ev.GameEnded):
            self._ended(event)

    def _look(self, card: ev.CardAt) -> None:
        if card.face != HIDDEN:
            self.known[card.card] = card.face

    def _end_choice(self) -> None:
        self.choice = None
        self.looked = []

    def _dealt(self, event: ev.Dealt) -> None:
        self.settings = event.settings
        self.players = [PlayerSeen(hand[:]) for hand in event.hands]
        self.discards = [(event.top, event.face)]
        self.stockpile = event.stockpile
        self.deadline = event.deadline
        self.totals = event.totals

    def _drew(self, event: ev.Drew) -> None:
        player = self.players[event.seat]
        player.drawn, player.drawn_face, player.drawn_from = event.card, event.face, event.source
        self.stockpile = event.stockpile
        self.turned_up = []
        if event.source == ev.DISCARDPILE:
            self.discards.pop()

    def _discarded(self, event: ev.Discarded) -> None:
        player = self.players[event.seat]
        if event.idx >= 0:
            player.hand[event.idx] = event.drawn
            self.known.pop(event.card, None)
            if player.drawn_face != HIDDEN:
                self.known[event.drawn] = player.drawn_face
        player.drawn, player.drawn_face = "", HIDDEN
        self.discards.append((event.card, event.face))
        self.used.discard(event.card)

    def _king_looked(self, event: ev.KingLooked) -> None:
        self._look(event.card1)
        self._look(event.card2)
        self.deadline = event.deadline
        self.looked = [event.card1.card, event.card2.card]
        if self.choice is not None:
            self.choice = replace(self.choice, special="swap_peek_swap")

    def _swapped(self, event: ev.Swapped) -> None:
        seen = event.special == "swap_peek_swap" and event.seat == self.viewer
        for card in (event.card1, event.card2):
            self.players[card.owner].hand[card.idx] = card.card
            if not seen:
                self.known.pop(card.card, None)
        self._end_choice()

    def _snap_won(self, event: ev.SnapWon) -> None:
        card = event.card
        owner = self.players[card.owner]
        owner.hand.remove(card.card)
        self.known.pop(card.card, None)
        self.used.update((self.discards[-1][0], card.card))
        self.discards.append((card.card, card.face))
        self.players[event.seat].owes_until = event.deadline
        if not owner.hand:
            owner.owes_until = None

    def _snap_moved(self, event: ev.SnapMoved) -> None:
        card = event.card
        self.players[event.seat].hand.remove(card.card)
        self.players[card.owner].hand.insert(card.idx, card.card)
        self.players[event.seat].owes_until = None
        self.known.pop(card.card, None)

    def _ended(self, event: ev.GameEnded) -> None:
        self.result = event
        self.deadline = None
        self._end_choice()
        self.totals = event.totals
        for player, hand in zip(self.players, event.hands, strict=True):
            player.owes_until = None
            self.known.update((card.card, card.face) for card in hand)
