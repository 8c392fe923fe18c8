"""Chance: a fast one for simulation, a provable one for play.

Both have the same methods, and both are uniform.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, MutableSequence
from random import Random
from typing import TypeVar, final

T = TypeVar("T")


class Rng:
    """Where a game's chance comes from. Subclasses say how bits are made."""

    def bits(self, count: int) -> int:
        """A whole number of `count` random bits."""
        raise NotImplementedError

    def below(self, bound: int) -> int:
        """A whole number from 0 to `bound` - 1, all equally likely."""
        if bound <= 0:
            raise ValueError("nothing lies below zero")
        width = (bound - 1).bit_length()
        # Rejection sampling: taking a remainder would make small numbers likelier.
        while True:
            number = self.bits(width) if width else 0
            if number < bound:
                return number

    def shuffle(self, cards: MutableSequence[T]) -> None:
        """Fisher and Yates, in place."""
        for i in range(len(cards) - 1, 0, -1):
            j = self.below(i + 1)
            cards[i], cards[j] = cards[j], cards[i]

    def tokens(self, count: int) -> list[str]:
        """`count` fresh ids of 32 lowercase hex digits."""
        return [f"{self.bits(128):032x}" for _ in range(count)]


@final
class FastRng(Rng):
    """For simulation and search: Python's Mersenne twister, seeded. Never for play."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def bits(self, count: int) -> int:
        return self._random.getrandbits(count)

    @property
    def state(self) -> object:
        """The same for two that will draw the same numbers."""
        return self._random.getstate()


@final
class ProvableRng(Rng):
    """For play: SHAKE-256 of a secret seed and a label, read as one long stream.

    The seed's SHA-256 (`commitment`) can be published before the first card and the
    seed itself after the last, so that anybody can deal the same game again.
    """

    _BLOCK = 4096

    def __init__(self, seed: bytes, label: str) -> None:
        self._root = seed + b"\x00" + label.encode()
        self._block = 0
        self._pool = b""
        self._at = 0

    def bits(self, count: int) -> int:
        size = (count + 7) // 8
        return int.from_bytes(self._take(size), "big") >> (size * 8 - count)

    def tokens(self, count: int) -> list[str]:
        text = self._take(16 * count).hex()
        return [text[i : i + 32] for i in range(0, len(text), 32)]

    @property
    def state(self) -> object:
        """The same for two that will draw the same numbers."""
        return self._root, self.spent

    @property
    def spent(self) -> int:
        """How many bytes of the stream have been read."""
        return self._block * self._BLOCK - (len(self._pool) - self._at)

    def skip(self, spent: int) -> None:
        """Go on as if so many bytes of the stream had been read."""
        self._block, self._at = divmod(spent, self._BLOCK)
        self._pool = b""
        if self._at:
            at, self._at = self._at, 0
            self._take(at)

    def _take(self, size: int) -> bytes:
        while len(self._pool) - self._at < size:
            name = self._root + b"\x00" + str(self._block).encode()
            self._pool = self._pool[self._at :] + hashlib.shake_256(name).digest(self._BLOCK)
            self._at = 0
            self._block += 1
        taken = self._pool[self._at : self._at + size]
        self._at += size
        return taken


def commitment(seed: bytes) -> str:
    """The SHA-256 of a seed or a secret, which may be published before it."""
    return hashlib.sha256(seed).hexdigest()


def deal_seed(secret: bytes, nonces: Mapping[int, str]) -> bytes:
    """The seed of a match from the server's secret and players' nonces by place
    (docs/fairness.md)."""
    if not nonces:
        return secret
    lines = ["parlour deal 1", secret.hex()]
    lines += [f"{place} {nonces[place]}" for place in sorted(nonces)]
    return hashlib.sha256("\n".join(lines).encode()).digest()
