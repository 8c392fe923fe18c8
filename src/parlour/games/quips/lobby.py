"""How a table of Quips is run: people come and go, and a game begins when all are ready.

`game_starting` is the table's waiting phase (spec: "Rules", "What existing clients rely on").
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from functools import cache
from hmac import compare_digest
from typing import ClassVar, Final

from parlour.games.quips.actions import Action, Play
from parlour.games.quips.deck import read_once
from parlour.games.quips.decks import ours
from parlour.games.quips.packs import BadPack, dump, read
from parlour.games.quips.rules import EDITION
from parlour.games.quips.settings import Settings
from parlour.kit import Illegal, Millis
from parlour.letters import INVISIBLE
from parlour.table import Player, Roster, StandingTable

OLDER: Final = "quips-older"
"""The protocol as clients of the older generation speak it: they can't say that they are ready."""

EXTENDED: Final = "quips"
"""The protocol with our extensions, which our own page speaks."""

SPECTATOR: Final = "(a spectator)"
"""Who says what is called out by those who watch. No player can have a name like this."""

NAMELESS: Final = "Player"
LONGEST_CHAT: Final = 300
_MOST_REASONS: Final = 5
"""Why a pack is refused, of however many."""
MOST_AT_ONCE: Final = 8
AT_ONCE: Final[Millis] = 10_000
"""So many messages, in so much time, are as many as anybody reads."""

PATIENCE_ENDS: Final = 2
"""The edition since which nobody holds up a game for ever by not being ready."""

_IN_NAMES: Final = frozenset(" -_'.,")


def here(roster: Roster) -> list[Player]:
    """Who is listed in `game_starting`: no place is kept there, even after a restart."""
    return [player for player in roster.players if player.present]


def counts_as_ready(player: Player) -> bool:
    """Whether nobody has to wait for this player's `c_ready_up`."""
    return player.ready or not player.human or player.wire == OLDER


def enough(roster: Roster) -> bool:
    """Whether a game could begin, if all were ready."""
    return len(here(roster)) >= roster.min_seats


@cache
def _ours() -> Mapping[str, bytes]:
    return ours()


class QuipsLobby(StandingTable):
    """Spec, "Rules": names, password, ready-up, kept seats."""

    longest_name: ClassVar[int] = 32
    edition: ClassVar[int] = EDITION

    # Packs

    def content(self, settings: Settings) -> Mapping[str, bytes]:
        """All packs of ours: which of them are used is the settings' to say, and can change."""
        return _ours()

    def read_content(self, data: bytes, there: Mapping[str, bytes]) -> bytes:
        """A pack that somebody brings, as it is kept."""
        try:
            pack = read(data)
            if any(read_once(other).id == pack.id for other in there.values()):
                raise BadPack([f"There is a pack with the id {pack.id} already; give it another."])
            return dump(pack)
        except BadPack as wrong:
            more = len(wrong.reasons) - _MOST_REASONS
            reasons = wrong.reasons[:_MOST_REASONS] + ([f"And {more} more."] if more > 0 else [])
            raise Illegal("bad-content", " ".join(reasons)) from None

    # People

    def seats(self, settings: Settings, least: int, most: int) -> tuple[int, int]:
        most = min(settings.max_players, most)
        return min(max(settings.min_players, least), most), most

    def good_name(self, name: str) -> str:
        """Trimmed letters, digits, space and `- _ ' . ,`, 1 to 32 of them; or "Player"."""
        name = unicodedata.normalize("NFC", name.strip())
        fits = 1 <= len(name) <= self.longest_name and all(_in_names(c) for c in name)
        return name if fits and any(c.isalnum() for c in name) else NAMELESS

    def new_name(self, roster: Roster, player: Player, name: str) -> str:
        """Never refused; one's own name is not taken."""
        return roster.free_name(self.good_name(name), player, self.longest_name)

    def words(self, roster: Roster, text: str) -> str:
        """Trimmed, without control characters and `<`, cut: clients insert it as HTML."""
        settings: Settings = roster.settings
        if not settings.enable_chat:
            raise Illegal("no-chat", "People do not talk at this table.")
        text = "".join(c for c in text if c != "<" and unicodedata.category(c) != "Cc")
        text = text.strip()[:LONGEST_CHAT]
        if not text:
            raise Illegal("nothing-said", "A message needs at least one letter.")
        return text

    def check_pace(self, said: tuple[Millis, ...], now: Millis) -> None:
        if len(said) >= MOST_AT_ONCE and now - said[-MOST_AT_ONCE] < AT_ONCE:
            raise Illegal("too-fast", "That was too fast: let the others read.")

    def written(self, action: Action, starred: Callable[[str], str]) -> Action:
        if not isinstance(action, Play):
            return action
        return Play([starred(card) if isinstance(card, str) else card for card in action.cards])

    def applause(self, roster: Roster, text: str) -> str:
        """Where people do not talk, nobody is called anything to either."""
        return self.words(roster, text)

    def check_entry(self, roster: Roster, key: str | None) -> None:
        settings: Settings = roster.settings
        password = settings.player_password
        if password and not key:
            raise Illegal("bad-password", "This table asks players for a password.")
        if password and not compare_digest(password.encode(), (key or "").encode()):
            raise Illegal("bad-password", "That is not this table's password.")

    def check_watch(self, roster: Roster, key: str | None, watching: int) -> None:
        """The password is for players: nobody sees a hand by watching."""
        settings: Settings = roster.settings
        if watching >= settings.max_spectators:
            raise Illegal("table-full", "There is no room for more spectators.")

    def check_newcomer(self, roster: Roster, address: str) -> None:
        super().check_newcomer(roster, address)
        settings: Settings = roster.settings
        if settings.allow_duplicates or not address:
            return
        if any(player.address == address and player.present for player in roster.people):
            raise Illegal("duplicate", "Somebody plays from your address already.")

    def keep_for(self, roster: Roster, player: Player) -> Millis:
        settings: Settings = roster.settings
        return settings.player_preserve_time * 1000 if roster.running else 0

    # Computer players

    def first_bots(self, settings: Settings) -> int:
        return min(settings.bot_count, settings.max_players - 1)

    def bot_names(
        self, settings: Settings, usual: tuple[str, ...], edition: int
    ) -> tuple[str, ...]:
        return tuple(self.good_name(name) for name in settings.bot_names) or usual

    # Between games

    def check_start(self, roster: Roster) -> None:
        """At a table of bots alone there is nobody to say that they are ready."""
        if not enough(roster):
            raise Illegal("too-few", f"It takes {roster.min_seats} players to start.")
        if roster.people and not self.everybody_ready(roster):
            raise Illegal("not-ready", "Not everybody is ready.")

    def everybody_ready(self, roster: Roster) -> bool:
        settings: Settings = roster.settings
        people = [player for player in here(roster) if player.human]
        if not people or not enough(roster):
            return False
        return not settings.enable_game_ready_up or all(counts_as_ready(p) for p in people)

    def held_up_by(self, roster: Roster) -> list[Player]:
        """Spec, "Idle": awaited once enough others are ready; not by computers alone."""
        ready = [player for player in here(roster) if counts_as_ready(player)]
        if len(ready) < roster.min_seats or not any(player.human for player in ready):
            return []
        if roster.edition < PATIENCE_ENDS or not roster.settings.enable_game_ready_up:
            return []
        return [player for player in here(roster) if player not in ready]

    def patience(self, roster: Roster) -> Millis:
        settings: Settings = roster.settings
        return settings.afk_time_seconds * 1000


def _in_names(c: str) -> bool:
    # Some scripts write a letter's vowel as a mark behind it.
    seen = c.isalnum() or c in _IN_NAMES or unicodedata.category(c).startswith("M")
    return seen and c not in INVISIBLE
