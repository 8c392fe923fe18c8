"""A game of MO as its player or a spectator sees it: the tableau they were shown last."""

from __future__ import annotations

from typing import final

from parlour.games.mo.rules import Event
from parlour.games.mo.tableau import Tableau
from parlour.kit import Illegal, Picture, Seat


@final
class MoPicture(Picture[Event]):
    """Every event of MO shows all there is (`kit.Whole`), so the latest one is enough."""

    def __init__(self, viewer: Seat | None) -> None:
        super().__init__(viewer)
        self.tableau: Tableau | None = None

    def see(self, event: Event) -> None:
        self.tableau = event

    def dealt(self) -> Tableau:
        """The tableau; `Illegal` if nothing has been dealt."""
        if self.tableau is None:
            raise Illegal("no-game", "Nothing has been dealt at this table yet.")
        return self.tableau
