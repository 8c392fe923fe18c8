"""Base classes by which an event says how it may be sent or stored.

Never compiled: msgspec structs, and dataclasses with slots, can't have a compiled base class.
"""

from __future__ import annotations


class Whole:
    """An event that shows the whole state: new viewers need no events before it."""

    __slots__ = ()


class PartlySecret:
    """An event that shows `seat` more than spectators. Everybody else sees it as they do.

    So the others' views of it are not asked for, which is faster.
    """

    __slots__ = ()

    seat: int


class Private(PartlySecret):
    """An event that only `seat` is shown: `view` returns None for everybody else."""

    __slots__ = ()
