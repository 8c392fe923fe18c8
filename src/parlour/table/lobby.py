"""How a table behaves around its matches: a `Lobby`, put together from parts.

Each part decides one thing: who may sit down (`seating.py`), what people are called, what they may
say, who may come in and run the table, when a match starts. A game replaces a part by a subclass of
it. Parts have no state: they decide from the roster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hmac import compare_digest
from typing import Any, ClassVar, Generic

from parlour.kit import Illegal, Match, Millis, S
from parlour.table.roster import Player, Roster
from parlour.table.seating import OneSeat, OpenSeats, Seating, ToldAtOnce
from parlour.table.series import WonBy

# Names and talk


class Names:
    """Names of players, for people and for programs."""

    longest: ClassVar[int] = 20
    """How long a name is at most, with the number that tells it from another."""

    def good(self, name: str) -> str:
        """The name as it is used here, or `Illegal`."""
        name = " ".join(name.split())
        if not 1 <= len(name) <= self.longest:
            raise Illegal("bad-name", f"A name has 1 to {self.longest} characters.")
        if not any(c.isalnum() for c in name):
            raise Illegal("bad-name", "A name needs at least one letter or digit.")
        if not name.isprintable():
            raise Illegal("bad-name", "A name can't hold control characters.")
        return name

    def renamed(self, roster: Roster, player: Player, name: str) -> str:
        """The new name of a player who asks for this one; raises `Illegal`."""
        name = self.good(name)
        if roster.free_name(name, player, self.longest) != name:
            raise Illegal("name-taken", "Somebody at this table has that name already.")
        return name

    def player_id(self, visitor: str | None, token: str) -> str:
        """A player's id, from the visitor (None: a bot) and a fresh 32-digit token."""
        return token


class Talk:
    """Text that people write for others."""

    def words(self, roster: Roster, text: str, said: Sequence[Millis], now: Millis) -> str:
        """This text as all are told it; raises `Illegal`. `said`: when its author last spoke."""
        text = "".join(c for c in text.strip() if c.isprintable())[:300]
        if not text:
            raise Illegal("nothing-said", "A message needs at least one letter.")
        return text

    def written(self, action: Any, starred: Callable[[str], str]) -> Any:
        """An action of the game, with the text in it that others will read put through
        `starred`."""
        return action


# Entry and running the table


@dataclass(frozen=True, kw_only=True)
class Terms:
    """A table's rules for entering, from its settings."""

    password: str = ""
    """The password for players; "": none. Spectators see no hands and need none."""
    spectators: int | None = None
    """How many may watch; None: as many as the house allows."""
    one_per_address: bool = False
    """Whether only one person may play from each network address."""


class Entry(Generic[S]):
    """Decides who may enter, and who may run the table: by default, every player."""

    def terms(self, settings: S) -> Terms:
        """The rules for entering, from these settings."""
        return Terms()

    def check_password(self, roster: Roster, password: str | None) -> None:
        """Whether somebody who gives this password may play."""
        wanted = self.terms(roster.settings).password
        if wanted and not password:
            raise Illegal("bad-password", "This table asks players for a password.")
        if wanted and not compare_digest(wanted.encode(), (password or "").encode()):
            raise Illegal("bad-password", "That is not this table's password.")

    def check_watch(self, roster: Roster, watching: int) -> None:
        """Whether one more may watch, where so many do already."""
        most = self.terms(roster.settings).spectators
        if most is not None and watching >= most:
            raise Illegal("table-full", "There is no room for more spectators.")

    def check_newcomer(self, roster: Roster, visitor: str, address: str) -> None:
        """Whether this visitor from this address (see `Player.address`) may sit down."""
        if roster.of_visitor(visitor) is not None:
            raise Illegal("already-here", "You sit at this table already.")
        roster.check_not_banned(visitor, address)
        if roster.locked:
            raise Illegal("locked", "This table is locked: nobody else can sit down.")
        if address and self.terms(roster.settings).one_per_address:
            if any(player.address == address and player.present for player in roster.people):
                raise Illegal("duplicate", "Somebody plays from your address already.")

    def host(self, roster: Roster) -> Player | None:
        """The one player who may run the table; None: all players may, or none."""
        return None

    def check_may_run(self, roster: Roster, player: Player) -> None:
        """Whether this player may start, configure, seat bots and put people out."""
        if not player.human:
            raise Illegal("people-only", "Only people may do that.")


class HostRuns(Entry[S]):
    """A host runs the table: its opener, or the first who came of those who are there."""

    def host(self, roster: Roster) -> Player | None:
        return roster.host

    def check_may_run(self, roster: Roster, player: Player) -> None:
        super().check_may_run(roster, player)
        if player is not self.host(roster):
            raise Illegal("host-only", "Only the host may do that.")


class OpenerRuns(HostRuns[S]):
    """A host runs the table, unless the house itself has opened it: then nobody does."""

    def host(self, roster: Roster) -> Player | None:
        return None if roster.opener is None else roster.host

    def check_may_run(self, roster: Roster, player: Player) -> None:
        if roster.opener is None:
            raise Illegal("host-only", "This table is the house's own: nobody runs it.")
        super().check_may_run(roster, player)


# When a match starts


class Start:
    """When a match starts: here, when somebody who runs the table asks for it."""

    ready_up: ClassVar[bool] = False
    """Whether people say here that they are ready."""

    def ready(self, roster: Roster, player: Player) -> bool:
        """Whether a match need not wait for this player."""
        return True

    def check(self, roster: Roster, here: Sequence[Player]) -> None:
        """Whether a match can be started now, if somebody who may asks for it. `here`: the
        players it would wait for."""
        if len(roster.players) < roster.min_seats:
            raise Illegal("too-few", f"It takes {roster.min_seats} players to start.")

    def countdown(self, roster: Roster, here: Sequence[Player], usual: Millis) -> Millis | None:
        """After how long a match starts by itself, as things are now; None: it does not.

        `usual` is the span that clients of the last player to be ready are used to.
        """
        return None

    def patience(self, roster: Roster) -> Millis | None:
        """How long the others wait for people who are not ready, once enough are; None: as long
        as it takes. Then a match starts, in which the latter are asleep (`Setup.asleep`)."""
        return None

    def again(self, match: Match) -> Millis | None:
        """How long after this match the next one starts by itself; None: it does not."""
        return None


class WhenReady(Start):
    """A match starts once everybody is ready, after a countdown that is a last chance to say
    no."""

    ready_up = True

    def ready(self, roster: Roster, player: Player) -> bool:
        return not player.human or (player.ready and player.present)

    def check(self, roster: Roster, here: Sequence[Player]) -> None:
        super().check(roster, here)
        if not self.everybody_ready(roster, here):
            raise Illegal("not-ready", "Not everybody is ready.")

    def countdown(self, roster: Roster, here: Sequence[Player], usual: Millis) -> Millis | None:
        return usual if self.everybody_ready(roster, here) else None

    def everybody_ready(self, roster: Roster, here: Sequence[Player]) -> bool:
        """Whether there are enough players, a person among them, and all are ready."""
        enough = len(here) >= roster.min_seats and any(player.human for player in here)
        return enough and all(self.ready(roster, player) for player in here)


class AtOnceWhenReady(WhenReady):
    """A match starts as soon as everybody is ready."""

    def countdown(self, roster: Roster, here: Sequence[Player], usual: Millis) -> Millis | None:
        return super().countdown(roster, here, 0)


# Settings and content


class Options(Generic[S]):
    """The number of seats under given settings, and changes of the settings."""

    def seats(self, settings: S, least: int, most: int) -> tuple[int, int]:
        """How many it takes under these settings and how many can sit down, of what the game
        takes (`least`) and has places for (`most`)."""
        return least, most

    def changes(self, settings: S, patch: dict[str, Any], players: int) -> dict[str, Any]:
        """The fields that a patch of the settings really changes."""
        return patch

    def timed(self, settings: S) -> bool:
        """Whether matches under these settings have timers, which `Setup.unhurried` makes
        longer."""
        return False

    def computers(
        self, settings: S, usual: tuple[str, ...], edition: int
    ) -> tuple[int, tuple[str, ...]]:
        """How many computer players a table of this edition is opened with, and what computer
        players are called there; `usual`: what the game calls them."""
        return 0, usual


class Content(Generic[S]):
    """Content that the rules of a game read besides the settings: card packs, say."""

    def own(self, settings: S) -> Mapping[str, bytes]:
        """The game's own, by name; pinned when a table is opened."""
        raise NotImplementedError

    def read(self, data: bytes, there: Mapping[str, bytes]) -> bytes:
        """Content that somebody brings, checked beside what is there already, as it is stored;
        or `Illegal`."""
        raise NotImplementedError


# All of it


@dataclass(frozen=True, kw_only=True)
class Lobby(Generic[S]):
    """How the tables of a game behave around their matches.

    As it is: anybody who plays may start a match, and whoever is there plays it.
    """

    seating: Seating = field(default_factory=Seating)
    names: Names = field(default_factory=Names)
    talk: Talk = field(default_factory=Talk)
    entry: Entry[S] = field(default_factory=Entry)
    start: Start = field(default_factory=Start)
    options: Options[S] = field(default_factory=Options)
    content: Content[S] | None = None
    most_points: int = 0
    """How many points a series of matches can be played for; 0: only matches won are counted."""
    won_by: WonBy = "most"
    """Decides who wins a series when somebody has reached its target."""
    solo: bool = False
    """A game for one: cards are dealt as soon as its player sits down. An end can be taken back,
    so the match is over only when the player has gone."""
    edition: int = 1
    """Of the rules that new tables are opened with; raised when a rule changes. Old tables go on
    by theirs (`Setup.edition`)."""

    def own_content(self, settings: S) -> Mapping[str, bytes]:
        """The game's own content, if it reads any."""
        return {} if self.content is None else self.content.own(settings)

    def here(self, roster: Roster) -> list[Player]:
        """The players that a match would wait for before it starts: those who are there, and
        for a while those whose seats are kept."""
        return [
            player
            for player in roster.players
            if player.present or (not player.gone and self.seating.kept(roster, player).waiting > 0)
        ]


HOSTED = Lobby(seating=ToldAtOnce(), entry=HostRuns(), start=WhenReady())
"""A host runs the table; a match starts once everybody is ready."""
STANDING = Lobby(seating=OpenSeats(), entry=OpenerRuns(), start=AtOnceWhenReady())
"""People come and go in mid-match; a match starts as soon as everybody is ready."""
SOLO = Lobby(seating=OneSeat(), solo=True)
"""A game for one."""
