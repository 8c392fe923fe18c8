"""A finished match as a file (docs/replays.md): JSON lines that fold to the same match.

The file has all inputs of the table up to the end of the match, because a match depends on what
came before. It names nobody by anything but their name at the table, and has nothing that was
said. It has the seeds of matches, which are no secret once these are over, but not the table's,
from which the next ones follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import msgspec

from parlour.house.recorded import Step, folded
from parlour.house.replay import told_event
from parlour.kit import Illegal
from parlour.protocol import Game
from parlour.protocol.replays import ReplayPlayer, ReplayResult
from parlour.rng import commitment
from parlour.store import LogEntry, LogReader
from parlour.table import Table, secret_settings, shown_settings
from parlour.table import events as tell
from parlour.table import inputs as do

VERSION: Final = 1
"""Of the format; raised when a reader of the one before could not read it."""
MOST_BYTES: Final = 256 * 1024 * 1024
"""Of a file that is read."""

_NO_SEED: Final = "00" * 32
_NAMING: Final = ("visitor", "address", "opener", "source", "who")
"""Fields of inputs by which a person could be known at another table."""


class Header(msgspec.Struct, kw_only=True):
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
    seeds: list[str]
    """Of the table's matches up to this one."""
    bots: list[str]
    """The names of computer players, in the order in which they came."""


class Line(msgspec.Struct):
    """Each further line: an input, and what followed from it. The first is the table's opening."""

    at: int
    """Milliseconds since the epoch."""
    match: int
    """How many matches had begun: those of the exported match have its number."""
    input: msgspec.Raw
    events: list[msgspec.Raw]


def exported(
    game: Game, reader: LogReader, number: int, table_type: Callable[..., Table] = Table
) -> list[bytes]:
    """Match `number` of a table as lines; empty if it is not over."""
    aliases = _Aliases(game)
    lines: list[bytes] = []
    bots: list[str] = []
    settings: msgspec.Struct | None = None
    table: Table | None = None
    for table, step in folded(game, reader, table_type):
        roster = table.roster
        if not lines:
            lines.append(_line(aliases, 0, Step(roster.opened, table.opening, [])))
        aliases.learn(table)
        if isinstance(step.input, do.AddBot) and step.input.instead is None:
            place = next(event.place for event in step.happened if type(event) is tell.Sat)
            bots += [player.name for player in roster.players if player.place == place]
        lines.append(_line(aliases, roster.round, step))
        if settings is None and roster.round == number:
            settings = roster.settings
        over = [event for event in step.happened if type(event) is tell.Finished]
        if over and roster.round == number and settings is not None:
            seeds = [table.match_seed(each + 1) for each in range(number)]
            outcome = over[0].outcome
            header = Header(
                parlour_replay=VERSION,
                id=f"{roster.id}-{number}",
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
            return [msgspec.json.encode(header), *lines]
    return []


def _line(aliases: _Aliases, match: int, step: Step) -> bytes:
    told = [msgspec.Raw(aliases.event(event)) for event in step.happened]
    return msgspec.json.encode(Line(step.at, match, msgspec.Raw(aliases.input(step.input)), told))


class _Aliases:
    """The ids that replace people in a file."""

    def __init__(self, game: Game) -> None:
        settings: type[msgspec.Struct] = game.settings
        self._secret = secret_settings(settings)
        self._known: dict[str, str] = {}
        self._places: dict[str, int] = {}
        """By the id of a player."""

    def learn(self, table: Table) -> None:
        for player in table.roster.players:
            self._places[player.id] = player.place

    def event(self, event: object) -> bytes:
        data = msgspec.json.encode(told_event(event))
        for id_, place in self._places.items():
            data = data.replace(msgspec.json.encode(id_), b'"place %d"' % place)
        return data

    def input(self, entry: do.Input) -> bytes:
        plain: dict[str, Any] = msgspec.json.decode(do.encode(entry))
        for field in _NAMING:
            if isinstance(plain.get(field), str) and plain[field]:
                plain[field] = self._alias(plain[field])
        match entry:
            case do.Open():
                plain["seed"] = _NO_SEED
            case do.Say():
                plain["text"] = "…"
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


class Exported:
    """A file, read like a log (`LogReader`)."""

    def __init__(self, path: Path, games: Sequence[Game]) -> None:
        """Raises `Illegal` for what is no such file."""
        with path.open("rb") as file:
            self._lines = file.read(MOST_BYTES + 1).splitlines()
        if sum(map(len, self._lines)) > MOST_BYTES:
            raise Illegal("too-large", f"{path} is too large.")
        try:
            self.header = msgspec.json.decode(self._lines[0], type=Header)
            self._entries = [msgspec.json.decode(line, type=Line) for line in self._lines[1:]]
        except (msgspec.DecodeError, IndexError):
            raise Illegal("bad-file", f"{path} is no replay.") from None
        if self.header.parlour_replay != VERSION:
            raise Illegal("bad-file", f"{path} was written by a newer Parlour.")
        game = next((game for game in games if game.id == self.header.game), None)
        if game is None:
            raise Illegal("no-such-game", f"The game {self.header.game} is not installed.")
        self.game = game
        self.path = path

    def check(self) -> None:
        """Raises `Illegal` unless all that is in it follows from its seeds and its inputs."""
        try:
            made = exported(self.game, self, self.header.number, self.table)
        except Exception as wrong:
            raise Illegal("bad-file", f"{self.path} can't be played again: {wrong}.") from None
        if made != self._lines:
            raise Illegal("bad-file", f"{self.path} does not follow from its own moves.")

    def table(self, *arguments: Any) -> Table:
        """A table that deals with the seeds of the file."""
        return _Retold(self.header, *arguments)

    def entries(self) -> Iterator[LogEntry]:
        for number, line in enumerate(self._entries):
            yield LogEntry(number, line.at, bytes(line.input))

    def unchecked(self) -> Iterator[bytes]:
        return (bytes(line.input) for line in self._entries)

    def fact(self, key: str) -> bytes | None:
        """Content is not in the file: the game must have the same."""
        own = self.game.lobby.own_content(self.game.settings()).values()
        found = (data for data in own if key.endswith(f":{sha256(data).hexdigest()}"))
        return next(found, None)


class _Retold(Table):
    """A table that draws nothing from its own seed."""

    def __init__(self, header: Header, *arguments: Any) -> None:
        self._seeds = [bytes.fromhex(seed) for seed in header.seeds]
        self._bots = iter(header.bots)
        super().__init__(*arguments)

    def match_seed(self, number: int) -> bytes:
        return self._seeds[number - 1]

    def bot_name(self, names: tuple[str, ...]) -> str:
        return next(self._bots)
