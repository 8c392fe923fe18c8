"""Lobby policies: how a table behaves around its matches.

Who may run a table, who may sit down and when, what being ready means, when cards are dealt
without anybody asking, and what becomes of somebody who is away. A game picks a policy, or
writes one by overriding what is special about it. Policies have no state of their own: what
they decide from is the roster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from parlour.kit import Illegal, Match, Millis, Outcome, Seat
from parlour.table.roster import Player, Roster

SECOND: Millis = 1_000
DAY: Millis = 24 * 3_600 * SECOND
PATIENCE: Millis = 30 * SECOND
"""How long others wait for somebody who is away: for each turn, and before a match starts."""


def plain_name(name: str) -> str:
    """Trimmed, 1 to 20 characters, at least one letter or digit; anything printable."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= 20:
        raise Illegal("bad-name", "A name has 1 to 20 characters.")
    if not any(c.isalnum() for c in name):
        raise Illegal("bad-name", "A name needs at least one letter or digit.")
    if not name.isprintable():
        raise Illegal("bad-name", "A name can't hold control characters.")
    return name


class OpenLobby:
    """Anybody at the table may run it; whoever is there when somebody starts plays the match.

    The other policies are made from this one.
    """

    open_seats: ClassVar[bool] = False
    """Whether people sit down and get up while a match runs, rather than between matches."""
    hears_at_once: ClassVar[bool] = False
    """Whether the rules hear of an absence at once and see to it themselves. Otherwise the table
    waits a while whenever it is an absent player's turn, and then has the turn passed on."""
    stand_ins: ClassVar[bool] = False
    """Whether a computer player may play for somebody who is away, until they are back."""
    longest_name: ClassVar[int] = 20
    """How long a name is at most, with the number that tells it from another."""
    edition: ClassVar[int] = 1
    """Of the rules that new tables are opened with; raised when a rule changes. Old tables go on
    by theirs (`Setup.edition`)."""

    # People

    def seats(self, settings: Any, least: int, most: int) -> tuple[int, int]:
        """How many it takes under these settings and how many can sit down, of what the game
        takes (`least`) and has places for (`most`).
        """
        return least, most

    def good_name(self, name: str) -> str:
        """The name as it is used here, or `Illegal`."""
        return plain_name(name)

    def new_name(self, roster: Roster, player: Player, name: str) -> str:
        """What a player is called who asks for another name, or `Illegal`."""
        name = self.good_name(name)
        if roster.free_name(name, player, self.longest_name) != name:
            raise Illegal("name-taken", "Somebody at this table has that name already.")
        return name

    def words(self, roster: Roster, text: str) -> str:
        """What somebody says, as all are told it; or `Illegal`."""
        text = "".join(c for c in text.strip() if c.isprintable())[:300]
        if not text:
            raise Illegal("nothing-said", "A message needs at least one letter.")
        return text

    def check_pace(self, said: tuple[Millis, ...], now: Millis) -> None:
        """Whether somebody who last spoke at these moments may speak again."""

    def written(self, action: Any, starred: Callable[[str], str]) -> Any:
        """An action with what its player wrote, for all to read, put through `starred`."""
        return action

    def applause(self, roster: Roster, text: str) -> str:
        """What somebody who watches calls out, as all are told it; or `Illegal`."""
        raise Illegal("watching", "You are watching, not playing.")

    def player_id(self, visitor: str | None, token: str) -> str:
        """A player's id, from the visitor (None: a bot) and a fresh 32-digit token."""
        return token

    def check_entry(self, roster: Roster, key: str | None) -> None:
        """Whether somebody who shows this key (a password, say) may come in at all."""

    def check_watch(self, roster: Roster, key: str | None, watching: int) -> None:
        """Whether somebody who shows this key may watch, where so many do already."""
        self.check_entry(roster, key)

    def check_newcomer(self, roster: Roster, address: str) -> None:
        """Whether somebody from this address (see `Player.address`) may sit down."""
        if roster.locked:
            raise Illegal("locked", "The host lets nobody else sit down at this table.")

    def check_seat(self, roster: Roster) -> None:
        """Whether one more may sit down now."""
        if len(roster.players) >= roster.max_seats:
            raise Illegal("table-full", "This table is full.")
        if roster.running and not self.open_seats:
            raise Illegal("round-running", "A round is running at this table.")

    def check_queue(self, roster: Roster) -> None:
        """Whether people who watch may wait for a seat here."""

    def keep_for(self, roster: Roster, player: Player) -> Millis:
        """How long the place of somebody who is away is kept."""
        if not roster.keep_seats:
            return 30 * SECOND
        alone_with_bots = roster.running and len(roster.people) == 1 and bool(roster.bots)
        return max(roster.keep_seats, DAY) if alone_with_bots else roster.keep_seats

    def turn_patience(self, missed: bool) -> Millis | None:
        """How long the others wait when it is the turn of somebody who is away; None: as long as
        the rules wait for anybody. `missed`: a turn has passed by them since they went away."""
        return PATIENCE

    def keep_after_match(self, roster: Roster, player: Player) -> Millis:
        """How much longer the place of somebody is kept who is away when a match ends."""
        return self.keep_for(roster, player)

    def keep_empty(self) -> Millis:
        """How long a table is kept after the last person has got up."""
        return 0

    def outsider(self, who: str) -> str:
        """The visitor that somebody connected elsewhere is, who can be given a place."""
        raise Illegal("no-outsiders", "Players come to this table themselves.")

    def host(self, roster: Roster) -> Player | None:
        """Who alone may run the table; None: nobody in particular, or nobody at all."""
        return None

    def check_may_run(self, roster: Roster, player: Player) -> None:
        """Whether this player may start, configure, seat bots and put people out."""
        if not player.human:
            raise Illegal("people-only", "Only people may do that.")

    # Computer players

    def first_bots(self, settings: Any) -> int:
        """How many computer players sit at the table from its opening on."""
        return 0

    def bot_names(self, settings: Any, usual: tuple[str, ...], edition: int) -> tuple[str, ...]:
        """What computer players are called at a table of this edition, of what they are usually
        called."""
        return usual

    # Between matches

    def changes(self, settings: Any, patch: dict[str, Any], players: int) -> dict[str, Any]:
        """What a patch of the settings really asks to change."""
        return patch

    def check_ready(self) -> None:
        """Whether people say here that they are ready."""
        raise Illegal("no-ready", "This game starts without a show of hands.")

    def check_start(self, roster: Roster) -> None:
        """Whether a match can be started now, if somebody who may asks for it."""
        if len(roster.players) < roster.min_seats:
            raise Illegal("too-few", f"It takes {roster.min_seats} players to start.")

    def countdown(self, roster: Roster, usual: Millis) -> Millis | None:
        """After how long a match starts by itself, as things are now; None: it does not.

        `usual` is the span that clients of whoever was ready last are used to.
        """
        return None

    def held_up_by(self, roster: Roster) -> list[Player]:
        """People who are not ready, once all but them could start a match."""
        return []

    def patience(self, roster: Roster) -> Millis:
        """How long a match is held up by them; then it starts, and they sit in it asleep."""
        return 0

    def deals_on_join(self) -> bool:
        """Whether who sits down at an empty table finds the cards dealt."""
        return False

    # What rules read besides the settings

    def content(self, settings: Any) -> Mapping[str, bytes]:
        """By name, what rules read (card packs, say); pinned when a table is opened."""
        return {}

    def read_content(self, data: bytes, there: Mapping[str, bytes]) -> bytes:
        """Content that somebody else brings, checked beside what is there already, as it is
        kept; or `Illegal`."""
        raise Illegal("no-content", "This game takes no files.")

    # Matches

    def gains(self, outcome: Outcome) -> dict[Seat, int] | None:
        """What each seat gains in the series of this table's matches; None: they do not add up."""
        return None

    def check_target(self, points: int) -> None:
        """Whether so many points can be played for."""
        raise Illegal("no-target", "The matches of this game do not add up.")

    def outcome(self, match: Match[Any, Any], roster: Roster) -> Outcome | None:
        """How a match ended, once it is over for good."""
        return match.outcome()

    def rest(self, match: Match[Any, Any]) -> Millis | None:
        """How long after a match the next one starts by itself; None: it does not."""
        return None


class HostedLobby(OpenLobby):
    """A host runs the table. People say that they are ready; all being ready, it starts.

    The countdown before that is a last chance to say no. The rules hear of an absence at once.
    """

    hears_at_once: ClassVar[bool] = True

    def host(self, roster: Roster) -> Player | None:
        return roster.host

    def check_may_run(self, roster: Roster, player: Player) -> None:
        super().check_may_run(roster, player)
        if player is not self.host(roster):
            raise Illegal("host-only", "Only the host may do that.")

    def check_ready(self) -> None:
        return

    def check_start(self, roster: Roster) -> None:
        super().check_start(roster)
        if not self.everybody_ready(roster):
            raise Illegal("not-ready", "Not everybody is ready.")

    def countdown(self, roster: Roster, usual: Millis) -> Millis | None:
        return usual if self.everybody_ready(roster) else None

    def everybody_ready(self, roster: Roster) -> bool:
        """Whether there are enough players, and every person who is waited for is ready."""
        here = [p for p in roster.players if not p.gone]
        people = [p for p in here if p.human]
        enough = len(here) >= roster.min_seats
        return enough and bool(people) and all(p.ready and p.present for p in people)


class Solo(OpenLobby):
    """A game for one: cards are dealt when somebody sits down, and kept for a month.

    An end can be taken back, so the match is over only when its player has gone.
    """

    def check_queue(self, roster: Roster) -> None:
        raise Illegal("no-queue", "This is a game for one.")

    def keep_for(self, roster: Roster, player: Player) -> Millis:
        return 30 * DAY

    def deals_on_join(self) -> bool:
        return True

    def outcome(self, match: Match[Any, Any], roster: Roster) -> Outcome | None:
        return match.outcome() if all(p.gone for p in roster.people) else None


class StandingTable(HostedLobby):
    """A table where people come and go in mid-match: a place left is free for the next.

    A match starts when enough are there and everybody is ready.
    """

    open_seats: ClassVar[bool] = True

    def host(self, roster: Roster) -> Player | None:
        return None if roster.opener is None else roster.host

    def check_may_run(self, roster: Roster, player: Player) -> None:
        if roster.opener is None:
            raise Illegal("host-only", "This table is the house's own: nobody runs it.")
        super().check_may_run(roster, player)

    def keep_for(self, roster: Roster, player: Player) -> Millis:
        return 120 * SECOND if roster.running else 0

    def keep_empty(self) -> Millis:
        """No place is kept between matches, so a reload of the only page would close it."""
        return 60 * SECOND

    def keep_after_match(self, roster: Roster, player: Player) -> Millis:
        return 120 * SECOND

    def countdown(self, roster: Roster, usual: Millis) -> Millis | None:
        return 0 if self.everybody_ready(roster) else None
