"""Cambia's easier computer players: one misses things, the other hardly looks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from parlour.games.cambia.actions import Action, DiscardDrawn, Replace, Snap, Special
from parlour.games.cambia.bot import CambiaBot
from parlour.games.cambia.cards import PEEK_SELF, SKIP, SWAP_PEEK_SWAP, value_of
from parlour.games.cambia.odds import Worth
from parlour.games.cambia.picture import CambiaPicture
from parlour.rng import Rng

_KEEPS: Final = 4
"""The dearest card that the easy bot thinks worth keeping."""


class NormalBot(CambiaBot):
    """Misses every other snap, and moves no cards that it has not seen."""

    def __init__(self, picture: CambiaPicture, rng: Rng) -> None:
        super().__init__(picture, rng)
        # By the card on top, whether it has noticed that it could snap.
        self._noticed: dict[str, bool] = {}

    def _snap(self, legal: Sequence[Action]) -> Snap | None:
        snap = super()._snap(legal)
        top = self.picture.top
        if snap is None or top is None:
            return None
        if top[0] not in self._noticed:
            self._noticed[top[0]] = self.rng.below(2) == 0
        return snap if self._noticed[top[0]] else None

    def _special(self, special: str, worth: Worth) -> Special:
        if special in (PEEK_SELF, SWAP_PEEK_SWAP):
            return super()._special(special, worth)
        return Special(SKIP)


class EasyBot(CambiaBot):
    """Never snaps, uses no abilities, and keeps small cards in place of any it does not know."""

    def _snap(self, legal: Sequence[Action]) -> Snap | None:
        return None

    def _special(self, special: str, worth: Worth) -> Special:
        return Special(SKIP)

    def _place(self, worth: Worth) -> Action:
        me = self.picture.players[self.seat]
        if value_of(me.drawn_face) > _KEEPS or not me.hand:
            return DiscardDrawn(me.drawn)
        secret = self._secret(me.hand)
        card = secret[0] if secret else max(me.hand, key=worth.of)
        return Replace(card, me.hand.index(card))
