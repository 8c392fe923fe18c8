"""Facts."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.store import postgres_facts, postgres_writer
from simulation.statements.data import Data
from simulation.statements.registry import Rows, sql


@sql(postgres_facts.RECALL)
def _recall(data: Data, first: str, last: str) -> Rows:
    return [(key, value) for key, value in data.facts.items() if first <= key <= last]


@sql(postgres_facts.RECALL_LAST)
def _recall_last(data: Data, first: str, before: str, most: int) -> Rows:
    found = sorted((k for k in data.facts if first <= k < before), reverse=True)[:most]
    return [(key, data.facts[key]) for key in found]


@sql(postgres_facts.LOOK_UP, postgres_writer._READ)
def _look_up(data: Data, keys: Sequence[str]) -> Rows:
    return [(key, data.facts[key]) for key in sorted(set(keys)) if key in data.facts]


@sql("SELECT value FROM facts WHERE key = $1")
def _fact(data: Data, key: str) -> Rows:
    return [(data.facts[key],)] if key in data.facts else []


@sql(postgres_writer._HOLD)
def _hold(data: Data, keys: Sequence[str]) -> Rows:
    return [() for key in keys if key in data.facts]


@sql(postgres_writer._DROP)
def _drop_facts(
    data: Data, keys: Sequence[str], starts: Sequence[str], stops: Sequence[str]
) -> Rows:
    there = list(data.facts)
    for key, start, stop in zip(keys, starts, stops, strict=True):
        if not any(start <= other <= stop for other in there):
            data.facts.pop(key, None)
    return ()


@sql(postgres_writer._BE_THERE)
def _be_there(data: Data, keys: Sequence[str]) -> Rows:
    new = [key for key in sorted(set(keys)) if key not in data.facts]
    data.facts.update(dict.fromkeys(new, b""))
    return [(key,) for key in new]


@sql(postgres_writer._CHANGE)
def _change(data: Data, keys: Sequence[str], values: Sequence[bytes]) -> Rows:
    for key, value in zip(keys, values, strict=True):
        if key in data.facts:
            data.facts[key] = value
    return ()


@sql(postgres_writer._TAKE_AWAY)
def _take_away(data: Data, keys: Sequence[str]) -> Rows:
    for key in keys:
        data.facts.pop(key, None)
    return ()


@sql(postgres_writer._NOTIFY)
def _notify(data: Data, channel: str, node: str, keys: Sequence[str]) -> Rows:
    data.notified += [(channel, f"{node} {key}") for key in keys]
    return ()
