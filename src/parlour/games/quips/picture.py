"""A game of Quips as one viewer has been shown it. Snapshots, bots and experience come from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct

from parlour import kit
from parlour.games.quips import events
from parlour.games.quips.deck import CUSTOM, custom_text
from parlour.games.quips.events import JUDGING, ROUND_END, Entry, Event, StateChanged
from parlour.games.quips.packs import gather
from parlour.kit import Illegal, Seat

_NO_CARDS: Final = gather(())


class Verdict(Struct):
    """A judged round: which of the plays won with which black card, and if a person said so."""

    black: str
    plays: list[list[str]]
    winning_play: int
    by_person: bool


@final
class Picture(kit.Picture[Event]):
    """The table as its viewer could draw it."""

    def __init__(self, viewer: Seat | None) -> None:
        super().__init__(viewer)
        self.shelf = _NO_CARDS
        """The cards in use (`s_allcards`)."""
        self.verdicts: list[Verdict] = []
        self._clear()

    def _clear(self) -> None:
        """Nothing has been shown of the game, or it is over."""
        self.players: list[Entry] = []
        self.state: StateChanged | None = None
        """The latest, None before and after the game."""
        self.turned: list[int] = []
        """The plays that the judge has turned over."""
        self.hand: list[tuple[int, str]] = []
        """The viewer's own, as (slot, card id) in the order it is shown in."""
        self.blanks = 0
        self.discards = 0
        self.played: list[str] = []
        """The viewer's own play in this round."""
        self.points = 0
        self.hands: dict[Seat, list[tuple[int, str]]] = {}
        self.plays: dict[Seat, list[str]] = {}
        """Of everybody, for a viewer from whom nothing is hidden: a match that is over."""

    def see(self, event: Event) -> None:
        # The most frequent first.
        if isinstance(event, StateChanged):
            if event.stage == ROUND_END:
                self._see_verdict(event)
            self.state = event
        elif isinstance(event, events.Dealt):
            self.shelf = event.shelf
        elif isinstance(event, events.Turned):
            self.turned = event.plays
        elif isinstance(event, events.PlayersChanged):
            self.players = event.players
        elif self.viewer is None and isinstance(event, events.HandChanged):
            self.hands[event.seat] = event.cards
        elif self.viewer is None and isinstance(event, events.PlayShown):
            self.plays[event.seat] = event.cards
        elif isinstance(event, events.HandChanged):
            self.hand = event.cards
            self.blanks = event.blanks
            self.discards = event.discards
        elif isinstance(event, events.PlayShown):
            self.played = event.cards
        elif isinstance(event, events.PointsChanged):
            self.points = event.points
        elif isinstance(event, events.Over):
            self._clear()

    def _see_verdict(self, state: StateChanged) -> None:
        if self.state is not None and self.state.stage == JUDGING:
            judge = self.entry(state.judge)
            by_person = judge is not None and not judge.computer
            self.verdicts.append(Verdict(state.black, state.plays, state.winning_play, by_person))

    def entry(self, seat: Seat) -> Entry | None:
        """A player by seat; None for one who has left."""
        for entry in self.players:
            if entry.seat == seat:
                return entry
        return None

    def slot(self, card: str) -> int:
        """The slot of a card in the viewer's hand (`c_discardcard`, `c_upgradecard`)."""
        for slot, held in self.hand:
            if held == card:
                return slot
        raise Illegal("not-in-hand", "This card is not in your hand.")

    def name(self, cards: Sequence[str]) -> list[int | str]:
        """The cards of a `c_playcards`, as `Play` names them: by slot, or by a blank's text.

        An id that is in the hand once can be named once.
        """
        rest = list(self.hand)
        named: list[int | str] = []
        for card in cards:
            if card.startswith(CUSTOM):
                named.append(custom_text(card))
                continue
            for held in rest:
                if held[1] == card:
                    rest.remove(held)
                    named.append(held[0])
                    break
            else:
                raise Illegal("not-in-hand", "This card is not in your hand, or not twice.")
        return named
