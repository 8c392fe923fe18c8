"""Every viewer's picture of the match under way, kept instead of folded anew."""

from __future__ import annotations

from parlour.kit import Picture
from parlour.marks import Private
from parlour.table import Player, Table


class Pictures:
    """Pictures to be read at once: they change with the next event.

    Some messages are read, or answered, by what their sender has seen. To fold a whole match for
    each of these would let anybody keep the house busy.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._kept: dict[int | None, tuple[Picture, int | None, int, object]] = {}
        """By place: the picture, its seat, the number of events in it, and the last of them."""

    def of(self, player: Player | None) -> Picture:
        """The match so far as `player` (None: a spectator) has seen it."""
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
        # The story has only events of the match, so `Table.view` would ask the game as well.
        view = table.game.view
        for event in story[count:]:
            if isinstance(event, Private) and event.seat != seat:
                continue
            viewed = view(event, seat)
            if viewed is not None:
                picture.see(viewed)
        if story:
            self._kept[place] = (picture, seat, len(story), story[-1])
        return picture

    def forget(self) -> None:
        """Drop the pictures of the last match."""
        self._kept.clear()
