"""How a table of Quips is run: people come and go, and a game begins when all are ready.

`game_starting` is the table's waiting phase (spec: "Rules", "What existing clients rely on").
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from parlour.games.quips.actions import Action, Play
from parlour.games.quips.deck import read_once
from parlour.games.quips.decks import ours
from parlour.games.quips.packfile import BadPack, dump, read
from parlour.games.quips.rules import EDITION
from parlour.games.quips.settings import Settings
from parlour.kit import Illegal, Millis
from parlour.letters import INVISIBLE
from parlour.table import STANDING, Player, Roster
from parlour.table.lobby import (
    AtOnceWhenReady,
    Content,
    Names,
    OpenerRuns,
    Options,
    Talk,
    Terms,
)
from parlour.table.seating import Kept, OpenSeats

OLDER: Final = "quips-older"
"""The protocol as clients of the older generation speak it: they can't say that they are ready."""

EXTENDED: Final = "quips"
"""The protocol with our extensions, which our own page speaks."""

SPECTATOR: Final = "(a spectator)"
"""The author of what spectators call out. No player can have this name."""

NAMELESS: Final = "Player"
LONGEST_CHAT: Final = 300
_MOST_REASONS: Final = 5
"""How many reasons are given for refusing a pack."""
MOST_AT_ONCE: Final = 8
AT_ONCE: Final[Millis] = 10_000
"""How many messages a player may send in how much time."""

PATIENCE_ENDS: Final = 2
"""Since this edition a game does not wait forever for players who are not ready."""

_IN_NAMES: Final = frozenset(" -_'.,")


def here(roster: Roster) -> list[Player]:
    """The players listed in `game_starting`: no place is kept there, even after a restart."""
    return [player for player in roster.players if player.present]


def counts_as_ready(player: Player) -> bool:
    """Whether nobody has to wait for this player's `c_ready_up`."""
    return player.ready or not player.human or player.wire == OLDER


def enough(roster: Roster) -> bool:
    """Whether a game could begin, if all were ready."""
    return len(here(roster)) >= roster.min_seats


class Packs(Content[Settings]):
    def own(self, settings: Settings) -> Mapping[str, bytes]:
        """All our packs: the settings choose among them, and can change."""
        return ours()

    def read(self, data: bytes, there: Mapping[str, bytes]) -> bytes:
        """A pack that somebody brings, as it is stored."""
        try:
            pack = read(data)
            if any(read_once(other).id == pack.id for other in there.values()):
                raise BadPack([f"There is a pack with the id {pack.id} already; give it another."])
            return dump(pack)
        except BadPack as wrong:
            more = len(wrong.reasons) - _MOST_REASONS
            reasons = wrong.reasons[:_MOST_REASONS] + ([f"And {more} more."] if more > 0 else [])
            raise Illegal("bad-content", " ".join(reasons)) from None


class QuipsSeating(OpenSeats):
    def kept(self, roster: Roster[Settings], player: Player) -> Kept:
        kept = super().kept(roster, player)
        return kept._replace(playing=roster.settings.player_preserve_time * 1000)


class QuipsNames(Names):
    longest = 32

    def good(self, name: str) -> str:
        """Trimmed letters, digits, space and `- _ ' . ,`, 1 to 32 of them; or "Player"."""
        name = unicodedata.normalize("NFC", name.strip())
        fits = 1 <= len(name) <= self.longest and all(_in_names(c) for c in name)
        return name if fits and any(c.isalnum() for c in name) else NAMELESS

    def renamed(self, roster: Roster, player: Player, name: str) -> str:
        """Never refused; a player may take their own name again."""
        return roster.free_name(self.good(name), player, self.longest)


class QuipsTalk(Talk):
    def words(
        self, roster: Roster[Settings], text: str, said: Sequence[Millis], now: Millis
    ) -> str:
        """Trimmed, without control characters and `<`, cut: clients insert it as HTML."""
        if not roster.settings.enable_chat:
            raise Illegal("no-chat", "People do not talk at this table.")
        text = "".join(c for c in text if c != "<" and unicodedata.category(c) != "Cc")
        text = text.strip()[:LONGEST_CHAT]
        if not text:
            raise Illegal("nothing-said", "A message needs at least one letter.")
        if len(said) >= MOST_AT_ONCE and now - said[-MOST_AT_ONCE] < AT_ONCE:
            raise Illegal("too-fast", "That was too fast: let the others read.")
        return text

    def written(self, action: Action, starred: Callable[[str], str]) -> Action:
        if not isinstance(action, Play):
            return action
        return Play([starred(card) if isinstance(card, str) else card for card in action.cards])


class QuipsEntry(OpenerRuns[Settings]):
    def terms(self, settings: Settings) -> Terms:
        return Terms(
            password=settings.player_password,
            spectators=settings.max_spectators,
            one_per_address=not settings.allow_duplicates,
        )


class QuipsOptions(Options[Settings]):
    def seats(self, settings: Settings, least: int, most: int) -> tuple[int, int]:
        most = min(settings.max_players, most)
        return min(max(settings.min_players, least), most), most

    def timed(self, settings: Settings) -> bool:
        return True

    def computers(
        self, settings: Settings, usual: tuple[str, ...], edition: int
    ) -> tuple[int, tuple[str, ...]]:
        names = tuple(QuipsNames().good(name) for name in settings.bot_names) or usual
        return min(settings.bot_count, settings.max_players - 1), names


class QuipsStart(AtOnceWhenReady):
    def ready(self, roster: Roster[Settings], player: Player) -> bool:
        return not roster.settings.enable_game_ready_up or counts_as_ready(player)

    def check(self, roster: Roster, here: Sequence[Player]) -> None:
        """At a table of bots alone there is nobody to say that they are ready."""
        if len(here) < roster.min_seats:
            raise Illegal("too-few", f"It takes {roster.min_seats} players to start.")
        if roster.people:
            super().check(roster, here)

    def patience(self, roster: Roster[Settings]) -> Millis | None:
        """Spec, "Idle"."""
        if roster.edition < PATIENCE_ENDS:
            return None
        return roster.settings.afk_time_seconds * 1000


LOBBY = replace(
    STANDING,
    seating=QuipsSeating(),
    names=QuipsNames(),
    talk=QuipsTalk(),
    entry=QuipsEntry(),
    start=QuipsStart(),
    options=QuipsOptions(),
    content=Packs(),
    edition=EDITION,
)


def _in_names(c: str) -> bool:
    # Some scripts write a letter's vowel as a mark behind it.
    seen = c.isalnum() or c in _IN_NAMES or unicodedata.category(c).startswith("M")
    return seen and c not in INVISIBLE
