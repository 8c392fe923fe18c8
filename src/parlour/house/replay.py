"""A finished match from the log: every input, every event, and the seed.

Nobody gets a match before it is over; then nothing of it is secret. The talk at a private table is
shown only to those who sat there.

A match depends on what came before it at its table (seating, settings, the match before), so the
log is folded from its beginning to the end of the match: in another process, one match at a time.
The result is cached.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial

import msgspec

from parlour.bus import Refusal
from parlour.house.library import content_of
from parlour.house.workers import Lost, Workers
from parlour.kit import Illegal
from parlour.protocol import Game
from parlour.rng import commitment
from parlour.store import Damaged, LogReader, Store
from parlour.table import Table, shown_settings
from parlour.table import events as tell
from parlour.table import inputs as do

log = logging.getLogger("parlour.house")

LARGEST = 8 * 1024 * 1024
"""Bytes of steps in one replay; later steps are left out and counted."""
MOST_HELD = 4 * LARGEST
"""Bytes of replays held in memory."""
MATCHES = "matches:"
"""Before a table's id: the fact how many matches ended there, written when it closes."""
MOST_WAITING = 50
LONGEST = 60.0
"""Seconds for one match: more than a log of a million entries takes."""


class Replay(msgspec.Struct, frozen=True):
    """One match as JSON, for those who were there and for others."""

    whole: bytes
    without_talk: bytes
    """For others; the same object if there is nothing to leave out."""
    members: frozenset[str]
    """The visitors who sat at the table before the match was over."""

    def told_to(self, visitor: str | None) -> bytes:
        return self.whole if visitor in self.members else self.without_talk

    def __len__(self) -> int:
        more = 0 if self.without_talk is self.whole else len(self.without_talk)
        return len(self.whole) + more


class Replays:
    """Makes replays, and caches the last ones."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._workers = Workers(1, waiting=MOST_WAITING, within=LONGEST)
        self._held: OrderedDict[str, Replay] = OrderedDict()
        self._size = 0
        self._under_way: dict[str, tuple[int, asyncio.Task[Replay | Refusal]]] = {}
        """By table: which match of it is being made."""

    async def of(
        self, game: Game, table: str, number: int, visitor: str | None
    ) -> msgspec.Raw | Refusal:
        """Match `number` of a table; the caller has seen that it may be over."""
        name = f"{table}-{number}"
        while True:
            counted = (await self._store.recall(MATCHES + table)).get(MATCHES + table)
            if counted is not None and number > int(counted):
                return NOT_OVER
            found = self._held.get(name)
            if found is not None:
                self._held.move_to_end(name)
                return msgspec.Raw(found.told_to(visitor))
            if table not in self._under_way:
                work = self._make(visitor or "", game, table, number)
                task = asyncio.get_running_loop().create_task(work)
                self._under_way[table] = number, task
                task.add_done_callback(lambda _: self._under_way.pop(table))
            # One match of a table at a time: it may show that our number does not exist.
            made_number, task = self._under_way[table]
            # Shielded: somebody else may wait for the same match.
            made = await asyncio.shield(task)
            if made_number == number:
                return made if isinstance(made, Refusal) else msgspec.Raw(made.told_to(visitor))

    async def _make(self, who: str, game: Game, table: str, number: int) -> Replay | Refusal:
        call = (replay_of, (game, self._store.reader(table), number))
        try:
            made: Replay | int = await self._workers.run(who, lambda: call)
        except Illegal as no:
            return Refusal(no.code, no.sentence)
        except Damaged as damage:
            log.error("a replay can't be shown: %s", damage)
            return Refusal("damaged", "The record of this table is damaged.")
        except Lost:
            return Refusal("too-busy", "That took too long: try again later.")
        except Exception:
            log.exception("the replay of match %d at table %s failed", number, table)
            return Refusal("damaged", "The record of this table can't be read back.")
        if isinstance(made, int):
            # Tables of older versions have no such fact.
            with suppress(Illegal):  # the log is lost
                self._store.remember(MATCHES + table, str(made).encode())
            return NOT_OVER
        self._hold(f"{table}-{number}", made)
        return made

    def _hold(self, name: str, replay: Replay) -> None:
        self._held[name] = replay
        self._size += len(replay)
        while self._size > MOST_HELD:
            _, dropped = self._held.popitem(last=False)
            self._size -= len(dropped)

    def rest(self) -> None:
        for _, task in self._under_way.values():
            task.cancel()
        self._workers.end()


_ARRIVALS = (tell.Sat, tell.CameBack)
"""Somebody from the queue sits down only by coming back (`CameBack`)."""

NOT_OVER = Refusal("no-such-replay", "There is no such replay, or it is not over yet.")


class _Steps:
    """The inputs of one match with their events, as JSON, up to `LARGEST` bytes."""

    def __init__(self, ids: dict[bytes, bytes]) -> None:
        """`ids`: JSON of players' ids, and what replaces it."""
        self.kept: list[msgspec.Raw] = []
        self.left_out = 0
        self._ids = ids
        self._size = 0

    def add(self, at: int, entry: do.Input, happened: tell.Happened) -> None:
        if self._size > LARGEST:
            self.left_out += 1
            return
        told = {
            "at": at,
            "input": _public(entry),
            "events": [_told(event) for event in happened],
        }
        step = msgspec.json.encode(told)
        for known, here in self._ids.items():
            step = step.replace(known, here)
        self._size += len(step)
        self.kept.append(msgspec.Raw(step))


def replay_of(game: Game, reader: LogReader, number: int) -> Replay | int:
    """Match `number` of a table, with all that is needed to check that it was dealt fairly.

    If it has not ended: how many matches have.
    """
    table: Table | None = None
    ids: dict[bytes, bytes] = {}
    all_steps, without_talk = _Steps(ids), _Steps(ids)
    players: list[dict[str, object]] = []
    members: set[str] = set()
    settings: msgspec.Struct | None = None
    ended = 0
    library: Callable[[str], bytes] = partial(content_of, reader)
    for entry in reader.entries():
        input_ = do.decode(entry.data)
        if table is None:
            if not isinstance(input_, do.Open):
                break
            table = Table(game, input_, entry.at, library)
            continue
        happened = table.receive(input_, entry.at)
        if any(type(e) in _ARRIVALS for e in happened):
            members.update(p.visitor for p in table.roster.people if p.visitor and p.present)
            # A player's id may be the visitor's, or what a relay knows them by.
            for player in table.roster.people:
                ids[msgspec.json.encode(player.id)] = b'"place %d"' % player.place
        if table.roster.round == number:
            if not all_steps.kept:
                settings = table.roster.settings
                players = [{"name": p.name, "human": p.human} for p in table.roster.players]
            all_steps.add(entry.at, input_, happened)
            if not isinstance(input_, do.Say):
                without_talk.add(entry.at, input_, happened)
        if any(type(e) is tell.Finished for e in happened):
            ended = table.roster.round
            if ended == number:
                break
    if table is None or settings is None or ended != number:
        return ended
    seed = table.match_seed(number)
    told = {
        "id": f"{table.opening.id}-{number}",
        "game": game.id,
        "settings": shown_settings(settings),
        "players": players,
        "seed": seed.hex(),
        "commitment": commitment(seed),
    }
    whole = _encoded(told, all_steps)
    private = not table.opening.public
    quiet = len(without_talk.kept) == len(all_steps.kept)
    return Replay(
        whole,
        _encoded(told, without_talk) if private and not quiet else whole,
        frozenset(members),
    )


def _encoded(told: Mapping[str, object], steps: _Steps) -> bytes:
    more = {"left_out": steps.left_out} if steps.left_out else {}
    return msgspec.json.encode({**told, **more, "steps": steps.kept})


def _told(event: object) -> dict[str, object]:
    plain: dict[str, object] = msgspec.to_builtins(event, enc_hook=repr)
    return {"event": type(event).__name__, **plain}


def _public(entry: do.Input) -> dict[str, object]:
    plain: dict[str, object] = msgspec.to_builtins(entry)
    # These would link the matches of one player at different tables.
    for mark in ("who",) if isinstance(entry, do.Seat) else ("visitor", "address"):
        plain.pop(mark, None)
    return plain
