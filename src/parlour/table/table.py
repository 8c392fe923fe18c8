"""One table: a deterministic fold over its inputs, without any I/O.

Same inputs, same table, byte for byte. It owns the seating, the match under way, the
deadlines and the version counter; it knows no game's rules and no protocol. An input
is refused with `Illegal` before anything has changed, and is then not part of the log.

Longer than most modules, because all of it reads or changes the state that one fold holds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from uuid import UUID

from parlour.kit import Illegal, Match, Millis, Picture, Seat, Setup
from parlour.rng import ProvableRng, commitment, deal_seed
from parlour.table import Content
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.chain import Chain
from parlour.table.game import GameRules, secret_settings
from parlour.table.management import Management
from parlour.table.notes import Note, notes_of
from parlour.table.phase import Phase, sooner
from parlour.table.playing import Playing
from parlour.table.queue import Queue
from parlour.table.roster import Player, Roster, Stage
from parlour.table.series import Series
from parlour.table.waiting import Waiting

EMPTY_FOR: Millis = 10 * 60_000
"""How long a table nobody has ever sat at stays open."""
MOST_NOTES = 50


def _no_library(digest: str) -> bytes:
    raise LookupError(f"there is no content {digest}")


class Table:
    """A table of one game, from its opening to its closing."""

    def __init__(
        self,
        game: GameRules,
        opening: do.Open,
        now: Millis,
        library: Callable[[str], bytes] = _no_library,
    ) -> None:
        """`library` gives the bytes of pinned content by their SHA-256."""
        self.game = game
        self.opening = opening
        self.version = 0
        self.last_at = now
        """The moment of the last input."""
        self.previous: Match | None = None
        self.story: tell.Happened = []
        """Every event of the match under way (or just over), complete. Never sent as it is."""
        self.spoken: list[tuple[str, str, Millis]] = []
        """The last that was said here: by whom, what and when."""
        self.notes: list[tuple[int, Note]] = []
        """Notes of who came and went in this match, each with the length of `story` then."""
        self.lasting: list[tuple[Millis, do.Input]] | None = [] if game.lobby.solo else None
        """Of a game for one: its inputs that no later ones take back (see `condense`)."""
        self.closed = False
        self.played = False
        """Whether anybody has acted in a match here."""
        self.usual_span: Millis = 0
        """The countdown that clients of whoever was ready last are used to."""
        settings = game.configure(game.settings(), opening.settings)
        least, most = game.seats(settings)
        self.roster = Roster(
            id=opening.id,
            code=opening.code,
            game=game.id,
            public=opening.public,
            settings=settings,
            opened=now,
            min_seats=least,
            max_seats=most,
            opener=opening.opener,
            edition=opening.edition,
            keep_seats=opening.keep_seats,
        )
        self.action_types = game.action_types()
        self.library = library
        self.pin(opening.content)
        self._seed = bytes.fromhex(opening.seed)
        self._rng = ProvableRng(self._seed, "table")
        self.nonces: list[dict[int, str]] = []
        """By match that was dealt: players' nonces, by place."""
        self._next_nonces: dict[int, str] = {}
        """For the next match."""
        self.chain: Chain | None = None
        """Of the entries that are in the log; None: this log has none."""
        self.sealed = 0
        """How many matches had ended when the chain was last sealed."""
        self.chained_anew()
        self._next_place = 0
        self._visited = False
        self._host: Player | None = None
        """The host when the lobby was last told of."""
        self._empty_since: Millis | None = now
        self.queue = Queue(self)
        self.management = Management(self)
        self.phase: Phase = Waiting(self)

    # -- the fold ---------------------------------------------------------------------

    def receive(self, entry: do.Input, now: Millis) -> tell.Happened:
        """Take one input; give what happened, in order, or raise `Illegal`."""
        if self.closed and type(entry) is not do.Seal:
            raise Illegal("table-closed", "This table is closed.")
        step = self.phase.steps.get(type(entry))
        if step is not None:
            was_over = self.roster.just_over
            happened = step(entry, now)
            if self.roster.queue:
                happened += self.queue.seat_next(now)
            over = was_over and self.roster.just_over
            if over and any(type(event) in tell.LOBBY_EVENTS for event in happened):
                self.roster.just_over = False
                happened.insert(0, tell.MovedOn())
            if type(entry) is not do.Act:
                position = len(self.story)
                noted = [(position, note) for note in notes_of(happened, self.roster)]
                self.notes = [*self.notes, *noted][-MOST_NOTES:]
        elif type(entry) is do.Close:
            happened = self._close()
        else:
            raise Illegal("already-open", "This table is open already.")
        self.version += 1
        self.last_at = now
        if self.lasting is not None and type(entry) not in do.PASSING:
            self.lasting.append((now, entry))
        return happened

    def due(self) -> Millis | None:
        """When the next `Tick` is wanted."""
        soonest = self.phase.due()
        if self._empty_since is not None:
            soonest = sooner(soonest, self._empty_since + self._empty_for)
        for player in self.roster.players:
            if player.until is not None:
                soonest = sooner(soonest, player.until)
        for waiter in self.roster.queue:
            if waiter.until is not None:
                soonest = sooner(soonest, waiter.until)
        return soonest

    @property
    def _empty_for(self) -> Millis:
        return self.game.lobby.seating.empty if self._visited else EMPTY_FOR

    @property
    def match(self) -> Match | None:
        """The match under way, or the last one."""
        return self.phase.match if isinstance(self.phase, Playing) else self.previous

    def view(self, event: object, player: Player | None) -> object:
        """An event as `player` (None: a spectator) may see it; None: not at all."""
        if type(event) in tell.TABLE_EVENTS:
            return event
        return self.game.view(event, player.seat if player is not None else None)

    def picture(
        self, player: Player | None, make: Callable[[Seat | None], Picture] | None = None
    ) -> Picture:
        """The match so far, folded from what `player` was shown of it; `make` an empty picture,
        if it is not to be the game's own."""
        make = make or self.game.picture
        picture: Picture = make(None if player is None else player.seat)
        for event in self.story:
            viewed = self.view(event, player)
            if viewed is not None:
                picture.see(viewed)
        return picture

    @property
    def chance_spent(self) -> int:
        """How much of the table's own chance, from which ids come, has been read."""
        return self._rng.spent

    def match_name(self, number: int) -> str:
        """The id of match `number`, as replays are called."""
        return f"{self.roster.id}-{number}"

    def match_secret(self, number: int) -> bytes:
        """The server's secret for match `number`: to be told once that match is over."""
        return hashlib.sha256(self._seed + b"match" + str(number).encode()).digest()

    def match_seed(self, number: int) -> bytes:
        """The seed of match `number`, which was dealt: to be told once that match is over."""
        known = self.nonces[number - 1] if self.opening.deals else {}
        return self._seed_with(number, known)

    def _seed_with(self, number: int, nonces: Mapping[int, str]) -> bytes:
        return deal_seed(self.match_secret(number), nonces)

    def promise(self, number: int) -> str:
        """The commitment to the secret of match `number`: told before any nonce for it is taken.

        "": this table takes none.
        """
        return commitment(self.match_secret(number)) if self.opening.deals else ""

    def take_nonce(self, entry: do.Nonce) -> None:
        """A player's part in the seed of the next match."""
        if not self.opening.deals or entry.commitment != self.promise(self.roster.round + 1):
            # It may answer an earlier commitment. The current one was told since.
            raise Illegal("late-nonce", "The match that this is for has been dealt.")
        if entry.place in self._next_nonces:
            raise Illegal("nonce-twice", "You have given your number for the next match.")
        here = {player.place for player in self.roster.people}
        kept = {place: nonce for place, nonce in self._next_nonces.items() if place in here}
        self._next_nonces = {**kept, entry.place: entry.nonce}

    def chained_anew(self) -> None:
        """Begin a new chain, for a log that is written anew."""
        if self.opening.deals:
            self.chain = Chain(secret_settings(self.game.settings))

    def logged(self, at: Millis, entry: do.Input, data: bytes) -> None:
        """This input is in the log, as these bytes."""
        if self.chain is not None:
            self.chain.add(at, entry, data)

    # -- for the phases ---------------------------------------------------------------

    def player(self, place: int) -> Player:
        player = self.roster.at(place)
        if player is None:
            raise Illegal("not-here", "You do not sit at this table.")
        return player

    def check_may_run(self, place: int) -> None:
        if place != do.HOUSE:
            self.game.lobby.entry.check_may_run(self.roster, self.player(place))

    def new_player(self, name: str, visitor: str | None, resumable: bool) -> Player:
        if self.roster.running or self.game.lobby.solo:
            # The rules may still refuse the newcomer, and a refusal must leave no trace: so this
            # id does not advance the table's own random numbers.
            token = ProvableRng(self._seed, f"place {self._next_place}").tokens(1)[0]
        else:
            token = self._rng.tokens(1)[0]
        id_ = self.game.lobby.names.player_id(visitor, token)
        player = Player(self._next_place, id_, name, visitor, resumable)
        player.key = ProvableRng(self._seed, f"key {player.place}").tokens(1)[0]
        self._next_place += 1
        self.roster.players.append(player)
        return player

    def take_back(self, player: Player) -> None:
        """Undo `new_player`: the rules would not have them."""
        self.roster.players.remove(player)
        self._next_place -= 1

    def bot_name(self, names: tuple[str, ...]) -> str:
        longest = self.game.lobby.names.longest
        free = [n for n in names if self.roster.free_name(n, longest=longest) == n]
        if free:
            return free[self._rng.below(len(free))]
        return self.roster.free_name("Bot", longest=longest)

    def visited(self) -> None:
        """A person has sat down."""
        self._visited = True
        self._empty_since = None

    def pin(self, content: Mapping[str, str]) -> None:
        """Let the rules read this from the next match on."""
        roster, own = self.roster, self.opening.content
        there = {each.digest: each for each in roster.content.values()}
        roster.content = {
            name: there.get(digest) or Content(digest, self.library(digest))
            for name, digest in content.items()
        }
        roster.brought = {
            name: roster.brought.get(name, False)
            for name, digest in content.items()
            if own.get(name) != digest
        }

    def mark(self, address: str) -> str:
        """A hash of a network address for this table, from which nobody can find the address."""
        if not address:
            return ""
        return hashlib.blake2b(address.encode(), key=self._seed, digest_size=16).hexdigest()

    def deal(self, now: Millis) -> tell.Happened:
        """Begin a match; the rules may refuse with `Illegal`."""
        roster, start = self.roster, self.game.lobby.start
        number = roster.round + 1
        places = {player.place for player in roster.players}
        nonces = {place: n for place, n in self._next_nonces.items() if place in places}
        seed = self._seed_with(number, nonces)
        rng = ProvableRng(seed, "match")
        setup = Setup(
            roster.settings,
            [p.id for p in roster.players],
            frozenset(seat for seat, p in enumerate(roster.players) if not p.human),
            self.previous,
            {name: each.data for name, each in roster.content.items()},
            self.opening.edition,
            frozenset(
                seat
                for seat, p in enumerate(roster.players)
                if p.present and not start.ready(roster, p)
            ),
            any(p.unhurried and not p.gone for p in roster.people),
        )
        # `deal` may refuse, so it comes before the first change.
        match, first = self.game.deal(setup, rng, now)
        if roster.series.winners:
            roster.series = Series(roster.series.target)
        roster.round = number
        self.nonces.append(nonces)
        self._next_nonces = {}
        roster.stage = Stage.PLAYING
        roster.just_over = False
        roster.countdown = None
        roster.ended_by = ""
        roster.commitment = commitment(seed)
        phase = self.phase = Playing(self, match, rng)
        self.story = []
        self.notes = []
        roster.seating = list(roster.players)
        roster.match_ids.append(str(UUID(self._rng.tokens(1)[0], version=4)))
        for seat, player in enumerate(roster.players):
            player.seat = seat
            player.missed_at = None
            player.gone = False
        happened: tell.Happened = [tell.Dealt(number), *phase.recorded(first)]
        # Players may have gone away before the cards were dealt.
        for player in [p for p in roster.players if not p.present]:
            if self.game.lobby.seating.patience is not None:
                phase.absent.add(roster.seating.index(player))
            elif match.outcome() is None:
                happened += phase.drop_out(player, now)
        phase.mind_absent(now)
        return happened

    def wait(self, again_at: Millis | None) -> None:
        """The match is over; `again_at`: when the next one begins by itself."""
        self.previous = self.match
        self.roster.stage = Stage.WAITING
        self.roster.just_over = True
        waiting = self.phase = Waiting(self)
        waiting.again_at = again_at

    def settle(self, happened: tell.Happened, now: Millis, lobby: bool = True) -> tell.Happened:
        """After an input: end what has ended, and say what the lobby looks like now."""
        finished = self.phase.finish(now)
        happened = happened + finished
        host = self.game.lobby.entry.host(self.roster)
        if host is not self._host:
            self._host, lobby = host, True
        if not self.roster.people and not self.roster.queue:
            if self._empty_since is None and not self.roster.running:
                self._empty_since = now
            if self._empty_since is not None and self._empty_since + self._empty_for <= now:
                return happened + self._close()
        if (lobby or finished) and not self.roster.running:
            happened.append(tell.LobbyChanged())
        return happened

    def _close(self) -> tell.Happened:
        self.closed = True
        self.roster.stage = Stage.CLOSED
        return [tell.Closed()]
