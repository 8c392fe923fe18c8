"""A finished match as a file (docs/replays.md): JSON lines that fold to the same match.

The file has all inputs of the table up to the end of the match, because a match depends on what
came before. It names nobody by anything but their name at the table, and has nothing that was
said. It has the seeds and secrets of matches, which are no secret once these are over, but not the
table's seed, from which the next ones follow. `verified.py` checks it.

The module is longer than others because writing and reading must agree, and because everything in a
file of strangers is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import IO, Annotated, Any, Final, TypeAlias

import msgspec

from parlour.house.recorded import Step, folded
from parlour.house.replay import told_event
from parlour.kit import Illegal, Outcome
from parlour.protocol import Game
from parlour.protocol.replays import ReplayLog, ReplayPlayer, ReplayResult
from parlour.rng import commitment
from parlour.store import LogEntry, LogReader
from parlour.table import Table, chooses_deal, secret_settings, shown_settings
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.chain import SHOWN, published

VERSION: Final = 2
"""Of the format; raised when a reader of the one before could not read it. Files of tables without
a chain (`Open.deals`) are of version 1."""
MOST_BYTES: Final = 256 * 1024 * 1024
"""Of a file that is read."""

_NO_SEED: Final = "00" * 32
_SAID: Final = "…"
"""In place of all talk."""
_NAMING: Final = ("visitor", "address", "opener", "source", "who")
"""Fields of inputs by which a person could be known at another table."""

Hex: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class ReplayNonce(msgspec.Struct, frozen=True):
    """A player's part in the seed."""

    seat: int
    place: int
    """At the table, by which it is called in the log."""
    nonce: str


class Header(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The first line."""

    parlour_replay: int
    """The version of the format."""
    id: str
    game: str
    edition: int
    """Of the game's rules."""
    number: int
    """Which match of its table it is."""
    settings: dict[str, Any]
    """As they were when it was dealt."""
    players: list[ReplayPlayer]
    """By seat."""
    result: ReplayResult
    seed: str
    """All random numbers of the match follow from it."""
    commitment: str
    """The hash of the seed that was published before the first card."""
    seeds: list[Hex]
    """Of the table's matches up to this one."""
    bots: list[str]
    """The names of computer players, in the order in which they came."""

    # In version 2 of the format
    deals: int = 0
    """How the seeds were made (`Open.deals`)."""
    secrets: list[Hex] = []
    """Of the server, for the table's matches up to this one."""
    commitments: list[str] = []
    """To these and to the secret of the next match."""
    nonces: list[ReplayNonce] = []
    """Of the players of this match, by place."""
    chosen: bool = False
    """The settings ask for a certain deal."""
    head: str = ""
    """Of the chain of the log, at the end of the match."""


class Line(msgspec.Struct):
    """Each further line: an input, and what followed from it. The first is the table's opening."""

    at: int
    """Milliseconds since the epoch."""
    match: int
    """How many matches had begun: those of the exported match have its number."""
    input: msgspec.Raw
    events: list[msgspec.Raw]


def exported(game: Game, reader: LogReader, number: int, most: int = MOST_BYTES) -> list[bytes]:
    """Match `number` of a table as lines; empty if it is not over. Raises `Illegal` ("too-large")
    if they have more bytes than `most`."""
    lines: list[bytes] = []
    size = 0
    for each in _written(game, reader, number):
        if isinstance(each, Header):
            return [msgspec.json.encode(each), *lines]
        lines.append(each)
        size += len(each)
        if size > most:
            raise Illegal("too-large", f"this log is longer than {most >> 20} MiB.")
    return []


def _written(
    game: Game, reader: LogReader, number: int, table_type: Callable[..., Table] = Table
) -> Iterator[bytes | Header]:
    """The lines after the first one, one by one; then, if the match is over, the first one."""
    aliases = Aliases(game)
    bots: list[str] = []
    settings: msgspec.Struct | None = None
    header: Header | None = None
    begun = False
    for table, step in folded(game, reader, table_type):
        roster = table.roster
        if not begun:
            begun = True
            first = Step(roster.opened, table.opening, [], do.encode(table.opening))
            yield _line(aliases, 0, first)
        aliases.learn(table)
        bots += bot_names(table, step)
        if header is None or isinstance(step.input, do.Seal):
            yield _line(aliases, roster.round, step)
        if header is not None:
            break
        if settings is None and roster.round == number:
            settings = roster.settings
        over = [event for event in step.happened if type(event) is tell.Finished]
        if over and roster.round == number and settings is not None:
            header = _header(game, table, settings, over[0].outcome, bots)
            if table.chain is None:
                break
    if header is not None:
        yield header


def _header(
    game: Game, table: Table, settings: msgspec.Struct, outcome: Outcome, bots: list[str]
) -> Header:
    roster, number = table.roster, table.roster.round
    seeds = [table.match_seed(each + 1) for each in range(number)]
    header = Header(
        parlour_replay=1,
        id=table.match_name(number),
        game=game.id,
        edition=roster.edition,
        number=number,
        settings=shown_settings(settings),
        players=[ReplayPlayer(player.name, player.human) for player in roster.seating],
        result=ReplayResult(outcome.winners, outcome.how, outcome.scores),
        seed=seeds[-1].hex(),
        commitment=commitment(seeds[-1]),
        seeds=[seed.hex() for seed in seeds],
        bots=bots,
    )
    if table.chain is not None:
        places = [player.place for player in roster.seating]
        given = sorted(table.nonces[-1].items())
        header.parlour_replay = VERSION
        header.deals = table.opening.deals
        header.secrets = [table.match_secret(each + 1).hex() for each in range(number)]
        header.commitments = [table.promise(each + 1) for each in range(number + 1)]
        header.nonces = [ReplayNonce(places.index(place), place, n) for place, n in given]
        header.chosen = chooses_deal(settings)
        header.head = table.chain.head.hex()
    return header


def bot_names(table: Table, step: Step) -> list[str]:
    """The name of a computer player who has just come, drawn from the table's seed."""
    if not isinstance(step.input, do.AddBot) or step.input.instead is not None:
        return []
    place = next(event.place for event in step.happened if type(event) is tell.Sat)
    return [player.name for player in table.roster.players if player.place == place]


def own_content(game: Game, digest: str) -> bytes | None:
    """Content that the game itself brings, by its hash."""
    own = game.lobby.own_content(game.settings()).values()
    return next((data for data in own if sha256(data).hexdigest() == digest), None)


def _line(aliases: Aliases, match: int, step: Step) -> bytes:
    told = [msgspec.Raw(aliases.event(event)) for event in step.happened]
    return msgspec.json.encode(Line(step.at, match, msgspec.Raw(aliases.input(step)), told))


class Aliases:
    """The ids that replace people in a file."""

    def __init__(self, game: Game, *, nameless: bool = False) -> None:
        """`nameless`: names at the table are replaced as well."""
        settings: type[msgspec.Struct] = game.settings
        self._secret = secret_settings(settings)
        self._naming = (*_NAMING, "name") if nameless else _NAMING
        self._shown = frozenset[str]() if nameless else SHOWN
        self._known: dict[str, str] = {}
        self._places: dict[str, int] = {}
        """By the id of a player."""

    def learn(self, table: Table) -> None:
        for player in table.roster.players:
            self._places[player.id] = player.place

    def event(self, event: object) -> bytes:
        told = told_event(event)
        if isinstance(event, tell.Said):
            told["text"] = _SAID
        data = msgspec.json.encode(told)
        for id_, place in self._places.items():
            data = data.replace(msgspec.json.encode(id_), b'"place %d"' % place)
        return data

    def input(self, step: Step) -> bytes:
        entry = step.input
        plain: dict[str, Any] = msgspec.json.decode(step.data)
        if entry.proof is not None:
            plain["proof"] = published(entry, plain, self._secret, self._shown)
        for field in self._naming:
            if isinstance(plain.get(field), str) and plain[field]:
                plain[field] = self._alias(plain[field])
        match entry:
            case do.Open():
                plain["seed"] = _NO_SEED
            case do.Say():
                plain["text"] = _SAID
            case do.RemoveBot(bot=str(bot)):
                plain["bot"] = self._places[bot]
            case _:
                pass
        if isinstance(entry, do.Open | do.Configure):
            given = plain["settings"]
            plain["settings"] = {key: given[key] for key in given if key not in self._secret}
        return msgspec.json.encode(plain)

    def _alias(self, who: str) -> str:
        return self._known.setdefault(who, f"person {len(self._known)}")


def lines_of(source: IO[bytes]) -> list[bytes]:
    """The lines of a file, or of a log as a server publishes it; raises `Illegal`."""
    data = source.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise Illegal("too-large", f"This is more than {MOST_BYTES} bytes.")
    try:
        told = msgspec.json.decode(data, type=ReplayLog)
    except msgspec.DecodeError:
        return data.splitlines()
    if not told.lines:
        said = f"The server sends no log to check. It says: {told.sentence}"
        raise Illegal("bad-log", said if told.fair else told.sentence)
    return [line.encode() for line in told.lines]


class Exported:
    """A file, read like a log (`LogReader`)."""

    def __init__(
        self,
        name: str,
        lines: Sequence[bytes],
        games: Sequence[Game],
        library: LogReader | None = None,
    ) -> None:
        """`name` is for messages; `library` has content that players brought. Raises `Illegal` for
        what is no such file."""
        try:
            self.header = msgspec.json.decode(lines[0], type=Header)
        except (msgspec.DecodeError, IndexError):
            raise Illegal("bad-file", f"{name} is no replay.") from None
        if self.header.parlour_replay not in range(1, VERSION + 1):
            raise Illegal("bad-file", f"{name} was written by a newer Parlour.")
        self.lines: list[Line] = []
        for number, line in enumerate(lines[1:]):
            try:
                self.lines.append(msgspec.json.decode(line, type=Line))
            except msgspec.DecodeError:
                raise Illegal("bad-file", f"{name}: entry {number} can't be read.") from None
        game = next((game for game in games if game.id == self.header.game), None)
        if game is None:
            raise Illegal("no-such-game", f"The game {self.header.game} is not installed.")
        self.game = game
        self.name = name
        self._library = library
        self._lines = list(lines)
        self._at = 0
        """The entry that was read last."""

    @classmethod
    def read(cls, path: Path, games: Sequence[Game]) -> Exported:
        with path.open("rb") as file:
            return cls(str(path), lines_of(file), games)

    def check(self) -> None:
        """Raises `Illegal` unless all that is in it follows from its seeds and its inputs."""
        differs = self._differs()
        if differs is not None:
            which = f"entry {differs - 1}" if differs else "the first line"
            raise Illegal("bad-file", f"{self.name}: {which} does not follow from the rest.")

    def _differs(self) -> int | None:
        """The first line that is not as it would be written; None: all are."""
        written = 0
        made = _written(self.game, self, self.header.number, self.table)
        while True:
            try:
                each = next(made, None)
            except Exception as wrong:
                where = f"{self.name}: entry {self._at}"
                raise Illegal("bad-file", f"{where} can't be played again: {wrong}.") from None
            if each is None:
                return 0  # the match is not over
            if isinstance(each, Header):
                same = msgspec.json.encode(each) == self._lines[0]
                more = written + 1 if written + 1 < len(self._lines) else None
                return more if same else 0
            written += 1
            if self._lines[written : written + 1] != [each]:
                return written

    def table(self, *arguments: Any) -> Table:
        """A table that deals with the seeds of the file."""
        header = self.header
        # Before version 2, the secret is the seed itself.
        secrets = header.secrets or header.seeds
        return Retold(secrets, header.commitments, header.bots, *arguments)

    def entries(self) -> Iterator[LogEntry]:
        for number, line in enumerate(self.lines):
            self._at = number
            yield LogEntry(number, line.at, bytes(line.input))

    def unchecked(self) -> Iterator[bytes]:
        return (bytes(line.input) for line in self.lines)

    def fact(self, key: str) -> bytes:
        """Content is not in the file: the game must have the same, or the library."""
        data = own_content(self.game, key.rpartition(":")[2])
        data = self._library.fact(key) if data is None and self._library is not None else data
        if data is None:
            raise LookupError("it needs content that somebody brought, which is not in the file")
        return data


class Retold(Table):
    """A table that draws nothing from its own seed."""

    def __init__(
        self,
        secrets: Sequence[str],
        commitments: Sequence[str],
        bots: Sequence[str],
        *arguments: Any,
    ) -> None:
        self._secrets = [bytes.fromhex(each) for each in secrets]
        self._commitments = commitments
        self._bots = iter(bots)
        super().__init__(*arguments)

    def match_secret(self, number: int) -> bytes:
        return self._secrets[number - 1]

    def promise(self, number: int) -> str:
        return self._commitments[number - 1] if self.opening.deals else ""

    def bot_name(self, names: tuple[str, ...]) -> str:
        return next(self._bots)
