"""The table as one viewer has seen it: a fold of viewed events, and of nothing else.

`private_sync_state` is made from a picture, and the bot plays from one, so neither can know
more than `view` let through. What may still be remembered follows the rule of `layout.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from parlour.cards import Face
from parlour.games.cambia.cards import HIDDEN, SWAP_PEEK_SWAP
from parlour.games.cambia.events import (
    DISCARDPILE,
    CambiaCalled,
    CardAt,
    ClockReset,
    Dealt,
    Discarded,
    Drew,
    Event,
    GameEnded,
    InitialCards,
    KingLooked,
    OwnerTookOver,
    Peeked,
    PlayerBack,
    PlayerGone,
    PlayStarted,
    Reshuffled,
    SnapFailed,
    SnapMoved,
    SnapPenalty,
    SnapWon,
    SpecialChoice,
    SpecialRefused,
    SpecialSkipped,
    Swapped,
    TimerTookOver,
    TurnBegan,
)
from parlour.games.cambia.settings import Settings
from parlour.kit import Millis, Picture, Seat


@final
@dataclass(slots=True)
class PlayerSeen:
    """One player: the hand as ids in order, and the card drawn and not yet placed ("": none),
    with where it came from.

    `owes_until`: they have a card to hand over by then.
    """

    hand: list[str]
    drawn: str = ""
    drawn_face: Face = HIDDEN
    drawn_from: str = ""
    connected: bool = True
    timer_plays: bool = False
    owes_until: Millis | None = None


@final
@dataclass(slots=True)
class Choice:
    """An ability waiting for its player; `looked` are the two cards of a King's first step."""

    seat: Seat
    card: str
    face: Face
    special: str
    looked: tuple[str, str] | None = None


@final
class CambiaPicture(Picture[Event]):
    """What `viewer` (None: a spectator) knows. Empty until the deal is seen."""

    def __init__(self, viewer: Seat | None) -> None:
        super().__init__(viewer)
        self.settings = Settings()
        self.ids: list[str] = []
        self.players: list[PlayerSeen] = []
        self.known: dict[str, Face] = {}
        """The faces in hands this viewer may still remember; a drawn card's is its player's."""
        self.discards: list[tuple[str, Face]] = []
        """The pile's cards with their faces, the top one last."""
        self.used: set[str] = set()
        """The discards on which a right snap has been made, or that were snapped themselves."""
        self.stockpile = 0
        self.looked_at: InitialCards | None = None
        """The cards the viewer looks at before the first turn; None once it has begun."""
        self.started = False
        self.turn = 0
        self.current: Seat | None = None
        self.deadline: Millis | None = None
        self.choice: Choice | None = None
        self.caller: Seat | None = None
        self.totals: list[int] | None = None
        self.result: GameEnded | None = None

    @property
    def pre_game(self) -> bool:
        return bool(self.players) and not self.started and self.result is None

    @property
    def top(self) -> tuple[str, Face] | None:
        return self.discards[-1] if self.discards else None

    def may_show(self, card: str) -> Face:
        """The face a re-sync shows of a card in a hand, or `HIDDEN`.

        Remembering is the player's job unless the house reminds (`remindKnown`). What lies open
        is no memory: the initial cards in the pre-game, a King's two cards, the end.
        """
        face = self.known.get(card, HIDDEN)
        if self.pre_game or self.result is not None or self.settings.houseRules.remindKnown:
            return face
        choice = self.choice
        if choice is not None and choice.looked is not None and card in choice.looked:
            return face if choice.seat == self.viewer else HIDDEN
        return HIDDEN

    def see(self, event: Event) -> None:
        """One event, as `view` shows it to this viewer."""
        if isinstance(event, TurnBegan):
            self.turn = event.turn
            self.current = event.seat
            self.deadline = event.deadline
            self.choice = None
        elif isinstance(event, Drew):
            self._drew(event)
        elif isinstance(event, Discarded):
            self._discarded(event)
        elif isinstance(event, (SnapWon, SnapFailed, SnapPenalty, SnapMoved)):
            self._snapped(event)
        elif isinstance(
            event, (SpecialChoice, Peeked, KingLooked, Swapped, SpecialSkipped, SpecialRefused)
        ):
            self._special(event)
        elif isinstance(event, Reshuffled):
            self.stockpile = event.stockpile
            self.used.difference_update(card for card, _ in self.discards[:-1])
            del self.discards[:-1]
        elif isinstance(event, CambiaCalled):
            self.caller = event.seat
        elif isinstance(event, (Dealt, InitialCards, PlayStarted, GameEnded)):
            self._game(event)
        else:
            self._person(event)

    def _game(self, event: Dealt | InitialCards | PlayStarted | GameEnded) -> None:
        if isinstance(event, Dealt):
            self.settings = event.settings
            self.ids = event.players
            self.players = [PlayerSeen(hand[:]) for hand in event.hands]
            self.discards = [(event.top, event.face)]
            self.stockpile = event.stockpile
            self.deadline = event.deadline
            self.totals = event.totals
        elif isinstance(event, InitialCards):
            self.looked_at = event
            for card in event.cards:
                self.known[card.card] = card.face
        elif isinstance(event, PlayStarted):
            self.started = True
            self.looked_at = None
        else:
            self.result = event
            self.deadline = None
            self.choice = None
            self.totals = event.totals
            for player, hand in zip(self.players, event.hands, strict=True):
                player.owes_until = None
                for card in hand:
                    self.known[card.card] = card.face

    def _person(
        self, event: PlayerGone | PlayerBack | TimerTookOver | OwnerTookOver | ClockReset
    ) -> None:
        player = self.players[event.seat]
        if isinstance(event, PlayerGone):
            player.connected = False
        elif isinstance(event, PlayerBack):
            player.connected = True
        elif isinstance(event, TimerTookOver):
            player.timer_plays = True
        elif isinstance(event, OwnerTookOver):
            player.timer_plays = False
        else:
            self.deadline = event.deadline

    def _drew(self, event: Drew) -> None:
        player = self.players[event.seat]
        player.drawn, player.drawn_face, player.drawn_from = event.card, event.face, event.source
        self.stockpile = event.stockpile
        if event.source == DISCARDPILE:
            self.discards.pop()

    def _discarded(self, event: Discarded) -> None:
        player = self.players[event.seat]
        if event.idx >= 0:
            player.hand[event.idx] = event.drawn
            self.known.pop(event.card, None)
            if player.drawn_face != HIDDEN:
                self.known[event.drawn] = player.drawn_face
        player.drawn, player.drawn_face, player.drawn_from = "", HIDDEN, ""
        self.discards.append((event.card, event.face))
        self.used.discard(event.card)

    def _special(
        self,
        event: SpecialChoice | Peeked | KingLooked | Swapped | SpecialSkipped | SpecialRefused,
    ) -> None:
        if isinstance(event, SpecialChoice):
            self.choice = Choice(event.seat, event.card, event.face, event.special)
            self.deadline = event.deadline
        elif isinstance(event, Peeked):
            self._look(event.card)
        elif isinstance(event, KingLooked):
            self._look(event.card1)
            self._look(event.card2)
            self.deadline = event.deadline
            if self.choice is not None:
                self.choice.looked = (event.card1.card, event.card2.card)
        elif isinstance(event, Swapped):
            self._swapped(event)
        elif isinstance(event, SpecialSkipped):
            self.choice = None

    def _look(self, card: CardAt) -> None:
        if card.face != HIDDEN:
            self.known[card.card] = card.face

    def _swapped(self, event: Swapped) -> None:
        seen = event.special == SWAP_PEEK_SWAP and event.seat == self.viewer
        for card in (event.card1, event.card2):
            self.players[card.owner].hand[card.idx] = card.card
            if not seen:
                self.known.pop(card.card, None)
        self.choice = None

    def _snapped(self, event: SnapWon | SnapFailed | SnapPenalty | SnapMoved) -> None:
        card = event.card
        if isinstance(event, SnapWon):
            hand = self.players[card.owner].hand
            hand.remove(card.card)
            self.known.pop(card.card, None)
            self.used.update((self.discards[-1][0], card.card))
            self.discards.append((card.card, card.face))
            self.players[event.seat].owes_until = event.deadline
            if not hand:
                self.players[card.owner].owes_until = None
        elif isinstance(event, SnapFailed):
            self.known[card.card] = card.face
        elif isinstance(event, SnapPenalty):
            self.players[card.owner].hand.append(card.card)
            self.stockpile = event.stockpile
        else:
            self.players[event.seat].hand.remove(card.card)
            self.players[card.owner].hand.insert(card.idx, card.card)
            self.players[event.seat].owes_until = None
            self.known.pop(card.card, None)
