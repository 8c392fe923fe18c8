"""How a table of ONU is run: its opener runs it, and seats are taken over a relay.

Most players never connect to the table: the host of a channel attends it for them, once per seat.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from parlour.games.onu.core import EDITION
from parlour.games.onu.settings import Settings
from parlour.kit import Illegal, Millis
from parlour.table import Lobby, Player, Roster
from parlour.table.lobby import HostRuns, Names, Options, Start
from parlour.table.seating import DAY, SECOND, Kept, Patience, Seating

USER: Final = re.compile(r"[A-Za-z0-9._-]{1,40}")
"""The names of a relay's users and channels."""
RELAYED: Final = "wcp:"
"""The visitor's id of a user of the relay begins with this; the user name follows."""

WAITING_SEAT: Final[Millis] = 5 * SECOND
"""How long a seat without a session on the relay is kept between games."""
ABSENT_TURN: Final[Millis] = 10 * SECOND
NEXT_GAME: Final[Millis] = 20 * SECOND
"""Spec, Pace: at least 15 seconds after `onu-won` was sent, so that windows can come back. It is
sent a little after the game's end."""


class RelayNames(Names):
    def good(self, name: str) -> str:
        """Names are made to fit, not refused: a user of the relay would not be told why."""
        printable = "".join(c if c.isprintable() else " " for c in name)
        fitting = " ".join(printable.split())[: self.longest].rstrip()
        if not any(c.isalnum() for c in fitting):
            raise Illegal("bad-name", "A name needs at least one letter or digit.")
        return fitting

    def player_id(self, visitor: str | None, token: str) -> str:
        """The protocol's `UserName`. Names of the relay's users have no colon."""
        if visitor is None:
            return f"bot:{token[:8]}"
        return visitor.removeprefix(RELAYED) if visitor.startswith(RELAYED) else f"page:{token[:8]}"


class RelaySeating(Seating):
    """Seats outlive connections, and a table is kept for a while without players."""

    empty = DAY
    # Spec, Rules: the full time of a turn at first, and then only so much.
    patience = Patience(first=None, later=ABSENT_TURN)
    stand_ins = True

    def kept(self, roster: Roster, player: Player) -> Kept:
        """Spec, Rules: a gone player's seat is kept and played by the timeout. A waiting seat is
        freed if its user of the relay has no session left."""
        over_relay = (player.visitor or "").startswith(RELAYED)
        waiting = WAITING_SEAT if over_relay or not roster.keep_seats else roster.keep_seats
        return Kept(DAY, waiting, waiting)

    def outsider(self, who: str) -> str:
        if not USER.fullmatch(who):
            raise Illegal("bad-user", "There can be no user of that name.")
        return RELAYED + who


class RelayEntry(HostRuns[Settings]):
    """The table is run by its opener, or by the person who came first, but not over the relay."""

    def host(self, roster: Roster) -> Player | None:
        """Users of a relay have no message with which to run a table."""
        people = [p for p in roster.people if not (p.visitor or "").startswith(RELAYED)]
        return roster.host_among(people)


class RelayStart(Start):
    def countdown(self, roster: Roster, here: Sequence[Player], usual: Millis) -> Millis | None:
        """Spec, The ONU host: by itself when `autoStart` players are seated."""
        settings: Settings = roster.settings
        present = sum(1 for player in roster.players if player.present)
        if not settings.autoStart or present < max(settings.autoStart, roster.min_seats):
            return None
        return NEXT_GAME if roster.round else 0


class OnuOptions(Options[Settings]):
    def timed(self, settings: Settings) -> bool:
        return True

    def changes(self, settings: Settings, patch: dict[str, Any], players: int) -> dict[str, Any]:
        """A table stays in its channel: its players are there."""
        if patch.get("channel", settings.channel) != settings.channel:
            raise Illegal("channel-stays", "A table stays in its channel.")
        return patch


LOBBY = Lobby(
    seating=RelaySeating(),
    names=RelayNames(),
    entry=RelayEntry(),
    start=RelayStart(),
    options=OnuOptions(),
    edition=EDITION,
)
