"""A computer player for Quips: plays and judges by what has won at this house.

It looks at its seat's picture and at the house's experience, never at the match. It takes the time
that a person might, upgrades a card it is about to play when it can, and never votes.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from math import log
from typing import ClassVar, Final

from parlour.games.quips.actions import Action, Judge, Play, Upgrade
from parlour.games.quips.events import JUDGING, Event, StateChanged
from parlour.games.quips.experience import Experience
from parlour.games.quips.picture import Picture
from parlour.kit import Bot, Bots, Millis, Plan
from parlour.rng import Rng

NAMES: Final = ("Biscuit", "Doodle", "Gherkin", "Kettle", "Mumbles", "Noodle", "Pickles", "Wobble")

_CHOOSING: Final = (2_000, 8_000)
_PER_CARD: Final[Millis] = 2_000
_READING: Final = (2_500, 5_000)
_PER_PLAY: Final[Millis] = 1_200
_UPGRADING: Final[Millis] = 1_000
"""How long before a play its cards are upgraded."""


class QuipsBot(Bot[Action, Event, Picture]):
    """One seat's computer player."""

    whim: ClassVar[float] = 0.2
    """How much better a card must look before it is always preferred."""

    def __init__(self, picture: Picture, rng: Rng, experience: Experience | None = None) -> None:
        super().__init__(picture, rng)
        self._experience = experience or Experience(None)
        self._moment: object = None
        """The decision that `_choice` was made for."""
        self._choice: list[int] = []
        """Slots to play, or the index of the play that wins."""
        self._at: Millis = 0

    def plan(self, legal: Sequence[Action], now: Millis) -> Plan[Action] | None:
        """The same plan until there is something else to do."""
        state = self.picture.state
        seat = self.picture.viewer
        if state is None or seat is None:
            return None
        if state.stage == JUDGING and seat == state.judge:
            return self._judge(state, now)
        if seat in state.pending:
            return self._play(state, legal, now)
        return None

    def _play(self, state: StateChanged, legal: Sequence[Action], now: Millis) -> Plan[Action]:
        held = {slot for slot, _ in self.picture.hand}
        moment = (state.round, state.black)
        if moment != self._moment or not held.issuperset(self._choice):
            pick = self.picture.shelf.blacks[state.black].pick
            worth = {slot: self._worth(state.black, [card]) for slot, card in self.picture.hand}
            self._moment = moment
            self._choice = sorted(worth, key=worth.__getitem__, reverse=True)[:pick]
            self._at = now + self._span(_CHOOSING) + _PER_CARD * pick
        for slot in self._choice:
            if Upgrade(slot) in legal:
                return Plan(self._at - _UPGRADING, Upgrade(slot))
        return Plan(self._at, Play([*self._choice]))

    def _judge(self, state: StateChanged, now: Millis) -> Plan[Action]:
        moment = (state.round, state.plays)
        if moment != self._moment:
            worth = [self._worth(state.black, play) for play in state.plays]
            self._moment = moment
            self._choice = [worth.index(max(worth))]
            self._at = now + self._span(_READING) + _PER_PLAY * len(state.plays)
        return Plan(self._at, Judge(self._choice[0]))

    def _worth(self, black: str, cards: Sequence[str]) -> float:
        """How well cards fit, the mean of all, and a whim that decides between equals."""
        fits = [log(self._experience.fit(black, card, self.picture.shelf)) for card in cards]
        return sum(fits) / len(fits) + self.whim * self.rng.below(1 << 20) / (1 << 20)

    def _span(self, span: tuple[Millis, Millis]) -> Millis:
        return span[0] + self.rng.below(span[1] - span[0])


class NormalBot(QuipsBot):
    """Decides as much by chance as by what has won before."""

    whim: ClassVar[float] = 4.0


class EasyBot(QuipsBot):
    """Plays and judges by chance alone."""

    def _worth(self, black: str, cards: Sequence[str]) -> float:
        return float(self.rng.below(1 << 20))


class TastefulJudge(QuipsBot):
    """Stands for a person: likes some cards better than others, always the same ones."""

    def _worth(self, black: str, cards: Sequence[str]) -> float:
        digests = [blake2b(card.encode(), digest_size=4).digest() for card in cards]
        return float(sum(int.from_bytes(digest) for digest in digests))


BOTS: Final = Bots(
    make=QuipsBot,
    names=NAMES,
    experience=Experience,
    weaker={"easy": EasyBot, "normal": NormalBot},
    person=TastefulJudge,
)
