"""Every viewer's picture of the match under way, kept instead of folded anew."""

from __future__ import annotations

from parlour.kit import Picture
from parlour.table import Player, Table


class Pictures:
    """Pictures to be read at once: they change with the next event.

    What a message means, and what is told again in answer to one, is asked so often that folding
    a whole match each time would let anybody keep the house busy.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._kept: dict[int | None, tuple[Picture, int | None, int, object]] = {}
        """By place: the picture, whose seat's it is, of how many events, and the last of them."""

    def of(self, player: Player | None) -> Picture:
        """The match so far as `player` (None: a spectator) was shown it."""
        table, story = self._table, self._table.story
        place = None if player is None else player.place
        seat = None if player is None else player.seat
        kept = self._kept.get(place)
        count = 0 if kept is None else kept[2]
        if (
            kept is not None
            and kept[1] == seat
            and 0 < count <= len(story)
            and story[count - 1] is kept[3]
        ):
            picture = kept[0]
        else:
            picture, count = table.game.picture(seat), 0
        for event in story[count:]:
            viewed = table.view(event, player)
            if viewed is not None:
                picture.see(viewed)
        if story:
            self._kept[place] = (picture, seat, len(story), story[-1])
        return picture

    def forget(self) -> None:
        """A match has begun: those who saw the last one may be gone."""
        self._kept.clear()
