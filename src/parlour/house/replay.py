"""A finished match from the log: every input, every event, and the seed.

Nobody gets a match before it is over; then nothing of it is secret. The talk at a private table is
shown only to those who sat there.

It is folded (`recorded.py`) in another process, one match at a time. The result is cached.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeAlias

import msgspec

from parlour.bus import Refusal
from parlour.house.frames import frames_of
from parlour.house.recorded import Recorded, Step
from parlour.house.workers import Call, Lost, Workers
from parlour.kit import Illegal
from parlour.protocol import Game
from parlour.rng import commitment
from parlour.store import Away, Damaged, LogReader, Store
from parlour.table import Table, shown_settings
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


Make: TypeAlias = Callable[[Game, LogReader, int, str | None], Replay | int]


class Replays:
    """Makes replays, and caches the last ones."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._workers = Workers(1, waiting=MOST_WAITING, within=LONGEST)
        self._held: OrderedDict[str, Replay] = OrderedDict()
        self._size = 0
        self._under_way: dict[str, tuple[str, asyncio.Task[Replay | Refusal]]] = {}
        """By table: what is being made of it."""

    async def of(
        self,
        game: Game,
        table: str,
        number: int,
        visitor: str | None,
        view: str | None = None,
        make: Make | None = None,
    ) -> msgspec.Raw | Refusal:
        """Match `number` of a table, or its frames for one viewer, or what else `make` makes of it
        in a worker process; the caller has seen that it may be over."""
        name = f"{table}-{number} {view}"
        while True:
            counted = await self._store.fact(MATCHES + table)
            if counted is not None and number > int(counted):
                return NOT_OVER
            found = self._held.get(name)
            if found is not None:
                self._held.move_to_end(name)
                return msgspec.Raw(found.told_to(visitor))
            if table not in self._under_way:
                call = (make or replay_of, (game, self._store.reader(table), number, view))
                work = self._make(visitor or "", name, table, call)
                task = asyncio.get_running_loop().create_task(work)
                self._under_way[table] = name, task
                task.add_done_callback(lambda _: self._under_way.pop(table))
            # One match of a table at a time: it may show that our number does not exist.
            made_name, task = self._under_way[table]
            # Shielded: somebody else may wait for the same match.
            made = await asyncio.shield(task)
            if made_name == name:
                return made if isinstance(made, Refusal) else msgspec.Raw(made.told_to(visitor))

    async def _make(self, who: str, name: str, table: str, call: Call) -> Replay | Refusal:
        try:
            made: Replay | int = await self._workers.run(who, lambda: call)
        except Illegal as no:
            return Refusal(no.code, no.sentence)
        except Damaged as damage:
            log.error("a replay can't be shown: %s", damage)
            return Refusal("damaged", "The record of this table is damaged.")
        except (Lost, Away):
            return Refusal("too-busy", "That took too long: try again later.")
        except Exception:
            log.exception("the replay %s failed", name)
            return Refusal("damaged", "The record of this table can't be read back.")
        if isinstance(made, int):
            # Tables of older versions have no such fact.
            with suppress(Illegal):  # the log is lost
                self._store.remember(MATCHES + table, str(made).encode())
            return NOT_OVER
        self._hold(name, made)
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


NOT_OVER = Refusal("no-such-replay", "There is no such replay, or it is not over yet.")


class _Steps:
    """The inputs of one match with their events, as JSON, up to `LARGEST` bytes."""

    def __init__(self, recorded: Recorded) -> None:
        self.kept: list[msgspec.Raw] = []
        self.left_out = 0
        self._recorded = recorded
        self._size = 0

    def add(self, step: Step) -> None:
        if self._size > LARGEST:
            self.left_out += 1
            return
        told = {
            "at": step.at,
            "input": _public(step.input),
            "events": [told_event(event) for event in step.happened],
        }
        data = self._recorded.anonymous(msgspec.json.encode(told))
        self._size += len(data)
        self.kept.append(msgspec.Raw(data))


def replay_of(game: Game, reader: LogReader, number: int, view: str | None = None) -> Replay | int:
    """Match `number` of a table, with all that is needed to check that it was dealt fairly; or its
    frames for one viewer (`frames.py`).

    If it has not ended: how many matches have.
    """
    recorded = Recorded(game, reader, number)
    if view is not None:
        frames = frames_of(recorded, view)
        return recorded.ended if frames is None else Replay(frames, frames, frozenset())
    all_steps, without_talk = _Steps(recorded), _Steps(recorded)
    for step in recorded.steps():
        all_steps.add(step)
        if not isinstance(step.input, do.Say):
            without_talk.add(step)
    if recorded.outcome is None or recorded.settings is None:
        return recorded.ended
    table = recorded.table
    seed = table.match_seed(number)
    told = {
        "id": f"{table.opening.id}-{number}",
        "game": game.id,
        "settings": shown_settings(recorded.settings),
        "players": recorded.players,
        "seed": seed.hex(),
        "commitment": commitment(seed),
        **_deal_of(table, number),
    }
    whole = _encoded(told, all_steps)
    private = not table.opening.public
    quiet = len(without_talk.kept) == len(all_steps.kept)
    return Replay(
        whole,
        _encoded(told, without_talk) if private and not quiet else whole,
        frozenset(recorded.members),
    )


def _deal_of(table: Table, number: int) -> dict[str, object]:
    """The parts of the seed, where players had one."""
    if not table.opening.deals:
        return {}
    nonces = [{"place": place, "nonce": n} for place, n in sorted(table.nonces[number - 1].items())]
    return {"secret": table.match_secret(number).hex(), "nonces": nonces}


def _encoded(told: Mapping[str, object], steps: _Steps) -> bytes:
    more = {"left_out": steps.left_out} if steps.left_out else {}
    return msgspec.json.encode({**told, **more, "steps": steps.kept})


def told_event(event: object) -> dict[str, object]:
    plain: dict[str, object] = msgspec.to_builtins(event, enc_hook=repr)
    return {"event": type(event).__name__, **plain}


def _public(entry: do.Input) -> dict[str, object]:
    plain: dict[str, object] = msgspec.to_builtins(entry)
    plain.pop("proof", None)
    # These would link the matches of one player at different tables.
    for mark in ("who",) if isinstance(entry, do.Seat) else ("visitor", "address"):
        plain.pop(mark, None)
    return plain
