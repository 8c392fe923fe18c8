"""A state as plain values that can be compared."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import msgspec
from librt.vecs import vec
from mypy_extensions import i64

from parlour.rng import FastRng, ProvableRng

_VECTOR = type(vec[i64]())


def fingerprint(thing: object) -> object:
    """A state as nested tuples: two are equal if and only if the states are.

    A class may list attributes that are caches in `SCRATCH`.
    """
    if isinstance(thing, int | str | bytes | float | type(None)):
        return thing
    if isinstance(thing, bytearray):
        return bytes(thing)
    if isinstance(thing, dict):
        return tuple((fingerprint(k), fingerprint(v)) for k, v in thing.items())
    if isinstance(thing, list | tuple):
        return tuple(fingerprint(x) for x in thing)
    if isinstance(thing, set | frozenset):
        return tuple(sorted((fingerprint(x) for x in thing), key=repr))
    if isinstance(thing, ProvableRng | FastRng):
        return ("rng", thing.state)
    if callable(thing):
        return getattr(thing, "__qualname__", type(thing).__qualname__)
    if isinstance(thing, _VECTOR):
        return tuple(thing[at] for at in range(len(thing)))
    names = _attributes(thing)
    return (type(thing).__name__, *[(n, fingerprint(getattr(thing, n))) for n in names])


def _attributes(thing: object) -> list[str]:
    if isinstance(thing, msgspec.Struct):
        return list(thing.__struct_fields__)
    if is_dataclass(thing):
        # Fields that do not compare hold cached values.
        return [f.name for f in fields(thing) if f.compare]
    names: list[str] = list(getattr(thing, "__dict__", ()))
    for kind in type(thing).__mro__:
        slots = getattr(kind, "__slots__", ())
        names += [slots] if isinstance(slots, str) else list(slots)
    scratch: tuple[str, ...] = getattr(type(thing), "SCRATCH", ())
    return sorted(n for n in names if hasattr(thing, n) and n not in scratch)
