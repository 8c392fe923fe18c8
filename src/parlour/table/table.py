"""One table: a deterministic fold over its inputs, without any I/O.

Same inputs, same table, byte for byte. It owns the seating, the match under way, the
deadlines and the version counter; it knows no game's rules and no protocol. An input
is refused with `Illegal` before anything has changed, and is then not part of the log.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any
from uuid import UUID

from parlour.kit import Illegal, Match, Millis, Outcome
from parlour.rng import ProvableRng, commitment
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.game import Game
from parlour.table.roster import Player, Roster

EMPTY_FOR: Millis = 10 * 60_000
"""How long a table nobody sits at stays open."""
WAKE_GRACE: Millis = 120_000
"""How long everybody has to come back after the house was shut."""
STAND_BY: Millis = 30_000
"""How long a place is kept where the rules hear of an absence at once."""
MOST_INVITED = 50
"""How many invitations a table remembers."""


class Table:
    """A table of one game, from its opening to its closing."""

    def __init__(self, game: Game, opening: do.Open, now: Millis) -> None:
        self.game = game
        self.opening = opening
        self.version = 0
        self.closed = False
        self.match: Match[Any, Any] | None = None
        self.previous: Match[Any, Any] | None = None
        self.story: list[Any] = []
        """Every event of the match under way (or just over), complete. Never sent as it is."""
        settings = game.configure(game.settings(), opening.settings)
        self.roster = Roster(
            id=opening.id,
            code=opening.code,
            game=game.id,
            public=opening.public,
            settings=settings,
            opened=now,
            max_seats=game.seats_for(settings),
            opener=opening.opener,
        )
        self._seed = bytes.fromhex(opening.seed)
        self._rng = ProvableRng(self._seed, "table")
        self._match_rng = self._rng
        self._action_types = game.action_types()
        self._next_place = 0
        self._visited = False
        self.played = False
        """Whether anybody has acted in a match here."""
        self._empty_since: Millis | None = now
        self._again_at: Millis | None = None
        self._usual_span: Millis = 0
        self._steps: dict[type[Any], Callable[[Any, Millis], list[Any]]] = {
            do.Act: self._act,
            do.Join: self._join,
            do.Leave: self._leave,
            do.Away: self._away,
            do.Back: self._back,
            do.Rename: self._rename,
            do.Configure: self._configure,
            do.Ready: self._ready,
            do.AddBot: self._add_bot,
            do.RemoveBot: self._remove_bot,
            do.Invite: self._invite,
            do.Start: self._start,
            do.Say: self._say,
            do.Tick: self._tick,
            do.Close: self._close,
            do.Wake: self._wake,
        }

    # -- the fold ---------------------------------------------------------------------

    def receive(self, entry: do.Input, now: Millis) -> list[Any]:
        """Take one input; give what happened, in order, or raise `Illegal`."""
        if self.closed:
            raise Illegal("table-closed", "This table is closed.")
        step = self._steps.get(type(entry))
        if step is None:
            raise Illegal("already-open", "This table is open already.")
        happened = step(entry, now)
        self.version += 1
        return happened

    def due(self) -> Millis | None:
        """When the next `Tick` is wanted."""
        soonest = self.roster.countdown
        if self._again_at is not None:
            soonest = _sooner(soonest, self._again_at)
        if self._empty_since is not None:
            soonest = _sooner(soonest, self._empty_since + EMPTY_FOR)
        for player in self.roster.players:
            if player.until is not None:
                soonest = _sooner(soonest, player.until)
        if self.match is not None and self.roster.running:
            of_match = self.match.due()
            if of_match is not None:
                soonest = _sooner(soonest, of_match)
        return soonest

    def view(self, event: Any, player: Player | None) -> Any:
        """What `player` (None: a spectator) may see of an event: the only road to a socket."""
        if type(event) in tell.TABLE_EVENTS:
            return event
        return self.game.view(event, player.seat if player is not None else None)

    def seen(self, player: Player | None) -> list[Any]:
        """The match so far, as `player` was shown it."""
        viewed = [self.view(event, player) for event in self.story]
        return [event for event in viewed if event is not None]

    def match_seed(self, number: int) -> bytes:
        """The seed of match `number`: to be told once that match is over."""
        return hashlib.sha256(self._seed + b"match" + str(number).encode()).digest()

    # -- coming and going -------------------------------------------------------------

    def _join(self, entry: do.Join, now: Millis) -> list[Any]:
        self._check_room()
        if self.roster.of_visitor(entry.visitor) is not None:
            raise Illegal("already-here", "You sit at this table already.")
        name = self.roster.free_name(self.game.good_name(entry.name))
        late = self.match if self.roster.running else None
        token: str | None = None
        if late is not None or self.game.deals_at_once:
            # The rules may still refuse, and then nothing has changed: no chance of the table's
            # is spent on this id.
            token = ProvableRng(self._seed, f"place {self._next_place}").tokens(1)[0]
        player = self._seat(name, entry.visitor, entry.resumable, token)
        of_match: list[Any] = []
        try:
            if late is not None:
                of_match = self._told(late.join(player.id, self._match_rng, now))
                player.seat = len(self.roster.seating)
                self.roster.seating.append(player)
            elif self.game.deals_at_once:
                of_match = self._deal(now)
        except Illegal:
            self.roster.players.pop()
            self._next_place -= 1
            raise
        self._visited = True
        self._empty_since = None
        return self._closing([tell.Sat(player.place), *self._call_off(), *of_match], now)

    def _leave(self, entry: do.Leave, now: Millis) -> list[Any]:
        player = self._player(entry.place)
        player.present = False
        player.until = None
        return self._closing(self._give_up(player, now), now)

    def _away(self, entry: do.Away, now: Millis) -> list[Any]:
        player = self._player(entry.place)
        if not player.resumable:
            return self._leave(do.Leave(entry.place), now)
        player.present = False
        happened: list[Any] = [tell.WentAway(player.place), *self._call_off()]
        if player.ready and not self.roster.running:
            # Whoever is not here is not ready; back again, they say so again.
            player.ready = False
            happened.append(tell.Readied(player.place, False))
        grace = self.game.grace or STAND_BY
        if not self.played:
            # There is nothing yet to come back for.
            grace = min(grace, EMPTY_FOR)
        player.until = now + grace
        if self.roster.running and self.game.grace == 0:
            happened += self._drop_out(player, now)
        return self._closing(happened, now, lobby=False)

    def _back(self, entry: do.Back, now: Millis) -> list[Any]:
        player = self._player(entry.place)
        player.present = True
        player.resumable = True
        player.until = None
        happened: list[Any] = [tell.CameBack(player.place)]
        if player.gone:
            player.gone = False
            if self.match is not None and self.roster.running and player.seat is not None:
                happened += self._told(self.match.back(player.seat, self._match_rng, now))
        return self._closing(happened, now, lobby=False)

    def _wake(self, entry: do.Wake, now: Millis) -> list[Any]:
        happened: list[Any] = []
        for player in list(self.roster.people):
            if player.present:
                happened += self._away(do.Away(player.place), now)
            if player.until is not None:
                player.until = max(player.until, now + WAKE_GRACE)
        return happened

    def _close(self, entry: do.Close, now: Millis) -> list[Any]:
        self.closed = True
        return [tell.Closed()]

    def _give_up(self, player: Player, now: Millis) -> list[Any]:
        """Not coming back: out of the lobby, or out of the running and off the table after it."""
        if self.roster.running and player.seat is not None:
            return self._drop_out(player, now)
        self.roster.players.remove(player)
        # Perhaps all the others were waiting for this one; but no countdown goes on unasked.
        told = self._call_off() or self._count_down(now)
        return [tell.Left(player.place, player.id, player.name), *told]

    def _drop_out(self, player: Player, now: Millis) -> list[Any]:
        if self.match is None or player.seat is None:
            return []
        happened: list[Any] = []
        if not player.gone:
            player.gone = True
            happened += self._told(self.match.gone(player.seat, self._match_rng, now))
        in_match = [p for p in self.roster.people if p.seat is not None]
        if self.match.outcome() is None and all(p.gone and p.until is None for p in in_match):
            happened += self._told(self.match.abandon(self._match_rng, now))
        return happened

    # -- the lobby --------------------------------------------------------------------

    def _rename(self, entry: do.Rename, now: Millis) -> list[Any]:
        player = self._player(entry.place)
        self._check_idle()
        name = self.game.good_name(entry.name)
        if self.roster.free_name(name, player) != name:
            raise Illegal("name-taken", "Somebody at this table has that name already.")
        player.name = name
        return self._closing([tell.Renamed(player.place, name)], now)

    def _configure(self, entry: do.Configure, now: Millis) -> list[Any]:
        self._check_may_run(entry.place)
        self._check_idle()
        current = self.roster.settings
        news = self.game.news(current, entry.settings, len(self.roster.players))
        settings = self.game.configure(current, news)
        if self.game.seats_for(settings) < len(self.roster.players):
            raise Illegal("too-many", "More people sit here than these settings have seats for.")
        self.roster.settings = settings
        self.roster.max_seats = self.game.seats_for(settings)
        return self._closing([tell.Configured(self.roster.settings)], now)

    def _ready(self, entry: do.Ready, now: Millis) -> list[Any]:
        player = self._player(entry.place)
        self._check_idle()
        if not self.game.needs_ready:
            raise Illegal("no-ready", "This game starts without a show of hands.")
        self._usual_span = entry.span
        if player.ready == entry.ready:
            # Said twice, it changes nothing; least of all a countdown under way.
            return self._closing([tell.Readied(player.place, entry.ready)], now)
        player.ready = entry.ready
        happened: list[Any] = [tell.Readied(player.place, entry.ready), *self._call_off()]
        return self._closing(happened + self._count_down(now), now)

    def _add_bot(self, entry: do.AddBot, now: Millis) -> list[Any]:
        self._check_may_run(entry.place)
        if self.game.bot is None:
            raise Illegal("no-bots", "This game has no computer players.")
        self._check_idle()
        self._check_room()
        names = [n for n in self.game.bot_names if self.roster.free_name(n) == n]
        name = names[self._rng.below(len(names))] if names else self.roster.free_name("Bot")
        player = self._seat(name, None, False)
        happened: list[Any] = [tell.Sat(player.place), *self._call_off()]
        return self._closing(happened + self._count_down(now), now)

    def _remove_bot(self, entry: do.RemoveBot, now: Millis) -> list[Any]:
        self._check_may_run(entry.place)
        self._check_idle()
        bots = [b for b in self.roster.bots if entry.bot in (None, b.place, b.id)]
        if not bots:
            raise Illegal("no-bot", "There is no computer player to send away.")
        return self._closing(self._give_up(bots[-1], now), now)

    def _invite(self, entry: do.Invite, now: Millis) -> list[Any]:
        self._player(entry.place)
        invited = [v for v in self.roster.invited if v != entry.visitor]
        self.roster.invited = [*invited, entry.visitor][-MOST_INVITED:]
        return []

    def _say(self, entry: do.Say, now: Millis) -> list[Any]:
        player = self._player(entry.place)
        text = "".join(c for c in entry.text.strip() if c.isprintable())[:300]
        if not text:
            raise Illegal("nothing-said", "A message needs at least one letter.")
        return [tell.Said(player.place, text, now)]

    # -- the match --------------------------------------------------------------------

    def _start(self, entry: do.Start, now: Millis) -> list[Any]:
        self._check_may_run(entry.place)
        self._check_idle()
        if len(self.roster.players) < self.game.min_seats:
            raise Illegal("too-few", f"It takes {self.game.min_seats} players to start.")
        if self.game.needs_ready and not self._all_ready():
            raise Illegal("not-ready", "Not everybody is ready.")
        return self._closing(self._deal(now), now)

    def _deal(self, now: Millis) -> list[Any]:
        roster = self.roster
        number = roster.round + 1
        seed = self.match_seed(number)
        rng = ProvableRng(seed, "match")
        ids = [p.id for p in roster.players]
        # The one step that may refuse comes before the first change.
        match, first = self.game.deal(roster.settings, ids, rng, now, self.previous)
        roster.round = number
        roster.running = True
        roster.countdown = None
        roster.commitment = commitment(seed)
        self._again_at = None
        self._match_rng = rng
        self.match = match
        self.story = []
        roster.seating = list(roster.players)
        roster.match_ids.append(str(UUID(self._rng.tokens(1)[0], version=4)))
        for seat, player in enumerate(roster.players):
            player.seat = seat
        happened: list[Any] = [tell.Dealt(number), *self._told(first)]
        for player in roster.players:
            # Somebody may have been away, and given up, since before the cards were dealt.
            if not player.present and self.game.grace == 0 and match.outcome() is None:
                happened += self._drop_out(player, now)
        return happened

    def _deal_by_itself(self, now: Millis) -> list[Any]:
        """Time can't be refused: where the rules will not deal, it is as if nobody had asked."""
        try:
            return self._deal(now)
        except Illegal:
            return self._call_off()

    def _act(self, entry: do.Act, now: Millis) -> list[Any]:
        player = self._player(entry.place)
        match = self.match
        if match is None or not self.roster.running or player.seat is None:
            raise Illegal("no-round", "No round is running.")
        action = entry.action
        if type(action) is list:
            action = do.unpack(action, self._action_types)
        happened = self._told(match.apply(player.seat, action, self._match_rng, now))
        self.played = True
        if match.outcome() is not None:
            return self._closing(list(happened), now)
        return happened

    def _tick(self, entry: do.Tick, now: Millis) -> list[Any]:
        due = self.due()
        if due is None or due > now:
            raise Illegal("nothing-due", "Nothing is due yet.")
        happened: list[Any] = []
        lobby = False
        if self.match is not None and self.roster.running:
            of_match = self.match.due()
            if of_match is not None and of_match <= now:
                happened += self._told(self.match.tick(self._match_rng, now))
        for player in list(self.roster.players):
            if player.until is not None and player.until <= now:
                player.until = None
                happened += self._give_up(player, now)
                lobby = True
        if self.roster.countdown is not None and self.roster.countdown <= now:
            happened += self._deal_by_itself(now)
        elif self._again_at is not None and self._again_at <= now:
            self._again_at = None
            if len(self.roster.players) >= self.game.min_seats:
                happened += self._deal_by_itself(now)
        return self._closing(happened, now, lobby=lobby)

    def _closing(self, happened: list[Any], now: Millis, lobby: bool = True) -> list[Any]:
        """End what has ended, and say what the lobby looks like now."""
        match = self.match
        outcome = self._outcome()
        if match is not None and outcome is not None:
            lobby = True
            self.roster.running = False
            self.previous = match
            rest = self.game.again(match)
            self._again_at = None if rest is None else now + rest
            happened.append(tell.Finished(outcome, rest))
            for player in list(self.roster.players):
                player.ready = False
                if player.gone:
                    self.roster.players.remove(player)
                    happened.append(tell.Left(player.place, player.id, player.name))
        if not self.roster.people:
            stale = self._empty_since is not None and self._empty_since + EMPTY_FOR <= now
            if stale or (self._visited and not self.roster.running):
                self.closed = True
                happened.append(tell.Closed())
        if lobby and not self.roster.running and not self.closed:
            happened.append(tell.LobbyChanged())
        return happened

    # -- small questions --------------------------------------------------------------

    def _told(self, of_match: list[Any]) -> list[Any]:
        """Take the match's events into the story; give them, to be told."""
        self.story += of_match
        if self.game.tells_all:
            del self.story[:-1]
        return of_match

    def _outcome(self) -> Outcome | None:
        """How the match under way ended, if it is over for good."""
        if self.match is None or not self.roster.running:
            return None
        if self.game.goes_on and not all(p.gone for p in self.roster.people):
            return None
        return self.match.outcome()

    def _seat(
        self, name: str, visitor: str | None, resumable: bool, token: str | None = None
    ) -> Player:
        token = token or self._rng.tokens(1)[0]
        player = Player(
            self._next_place, self.game.player_id(visitor, token), name, visitor, resumable
        )
        self._next_place += 1
        self.roster.players.append(player)
        return player

    def _player(self, place: int) -> Player:
        player = self.roster.at(place)
        if player is None:
            raise Illegal("not-here", "You do not sit at this table.")
        return player

    def _all_ready(self) -> bool:
        people = self.roster.people
        enough = len(self.roster.players) >= self.game.min_seats
        return enough and bool(people) and all(p.ready and p.present for p in people)

    def _count_down(self, now: Millis) -> list[Any]:
        """If everybody is ready, the match starts by itself after a last chance to say no."""
        roster = self.roster
        if not self.game.needs_ready or not self.game.starts_itself(roster.settings):
            return []
        if not self._all_ready():
            return []
        span = self.game.countdown(roster.settings)
        if span is None:
            span = self._usual_span
        roster.countdown = now + span
        return [tell.CountdownSet(now + span, span)]

    def _call_off(self) -> list[Any]:
        """Somebody came, went or changed their mind: a countdown under way is off."""
        if self.roster.countdown is None:
            return []
        self.roster.countdown = None
        return [tell.CountdownSet(None)]

    def _check_idle(self) -> None:
        if self.roster.running:
            raise Illegal("round-running", "That has to wait: a round is running.")

    def _check_room(self) -> None:
        if len(self.roster.players) >= self.roster.max_seats:
            raise Illegal("table-full", "This table is full.")
        if self.roster.running and not self.game.joins_midway:
            raise Illegal("round-running", "A round is running at this table.")

    def _check_may_run(self, place: int) -> None:
        if place == do.HOUSE:
            return
        player = self._player(place)
        if not player.human:
            raise Illegal("people-only", "Only people may do that.")
        if self.game.may_start == "host" and player is not self.roster.host:
            raise Illegal("host-only", "Only the host may do that.")


def _sooner(one: Millis | None, other: Millis) -> Millis:
    return other if one is None or other < one else one
