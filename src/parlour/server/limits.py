"""Rate limits, by connection and by network address."""

from __future__ import annotations

import ipaddress
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import urlsplit

from parlour.kit import Illegal


@lru_cache(maxsize=4096)
def address_block(address: str) -> str:
    """The key that limits count by: for IPv6 the /64 network, all of which one client can use."""
    ip = parse_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        return str(ipaddress.IPv6Network((ip, 64), strict=False))
    return address if ip is None else str(ip)


def parse_address(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An IP address as proxies write it; None if it is none."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        try:
            # Some proxies append the port.
            ip = ipaddress.ip_address(urlsplit(f"//{address}").hostname or "")
        except ValueError:
            return None
    return getattr(ip, "ipv4_mapped", None) or ip


class TokenBucket:
    """A token bucket: `burst` at once, and `rate` a second after that."""

    __slots__ = ("_at", "_burst", "_clock", "_left", "_rate")

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._clock = clock
        self._left = float(burst)
        self._at = clock()

    def take(self) -> bool:
        """Take one token; False if there is none."""
        now = self._clock()
        left = self._left + (now - self._at) * self._rate
        left = min(left, self._burst)
        self._at = now
        if left < 1.0:
            self._left = left
            return False
        self._left = left - 1.0
        return True

    def charge(self, cost: float) -> None:
        """Take `cost` tokens, even if there are fewer: up to a whole burst can be owed."""
        now = self._clock()
        left = min(self._left + (now - self._at) * self._rate, self._burst)
        self._at = now
        self._left = max(left - cost, -self._burst)

    @property
    def wait(self) -> float:
        """Seconds until there is a token."""
        left = self._left + (self._clock() - self._at) * self._rate
        return max(0.0, (1.0 - left) / self._rate)

    @property
    def idle(self) -> float:
        """Seconds since a token was last asked for."""
        return self._clock() - self._at

    @property
    def full(self) -> bool:
        return self._left + (self._clock() - self._at) * self._rate >= self._burst


GUESSES = frozenset(
    ("no-such-table", "not-shared", "no-such-channel", "no-such-player", "no-such-evening")
)
"""Codes of refusals that tell whoever guesses codes or names that a guess was wrong."""
WRONG_GUESS = 25.0
"""The cost of a wrong table code or password, in requests. Codes have six digits: at the default
rates an address can try twenty at once, and two a second after that."""
_MOST_BUCKETS = 10_000


class RateLimiter:
    """A token bucket for each key, an address for example; full ones are dropped."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = burst
        self._buckets: dict[str, TokenBucket] = {}

    def take(self, who: str) -> bool:
        """Take one token of `who`; False if there is none."""
        return self.bucket(who).take()

    def forgive(self, who: str) -> None:
        """Forget what `who` has taken."""
        self._buckets.pop(who, None)

    def charge_miss(self, who: str) -> None:
        """`who` has named a table that does not exist, or a wrong password."""
        self.bucket(who).charge(WRONG_GUESS)

    def bucket(self, who: str) -> TokenBucket:
        if len(self._buckets) > _MOST_BUCKETS:
            self._buckets = {w: b for w, b in self._buckets.items() if self._needed(w, b)}
        found = self._buckets.get(who)
        if found is None:
            found = self._buckets[who] = TokenBucket(self._rate, self._burst)
        return found

    def _needed(self, who: str, bucket: TokenBucket) -> bool:
        return not bucket.full


@dataclass(eq=False)
class Quota:
    """How much may be in use at a time: `most` altogether, and `each` by one key."""

    most: int
    each: int
    refusal: str
    _held: Counter[str] = field(default_factory=Counter)

    @property
    def full(self) -> bool:
        return self._held.total() >= self.most

    @contextmanager
    def hold(self, who: str, amount: int = 1) -> Generator[None]:
        """Raises `Illegal` with the refusal if it would be too much."""
        if self._held[who] + amount > self.each or self._held.total() + amount > self.most:
            raise Illegal("too-busy", self.refusal)
        self._held[who] += amount
        try:
            yield
        finally:
            self._held[who] -= amount
            if not self._held[who]:
                del self._held[who]


class AddressLimiter(RateLimiter):
    """How many connections each address has open, and how much it sends over all of them.

    An address's bucket outlives its connections, so that reconnecting does not refill it.
    """

    def __init__(self, connections: int, rate: float, burst: float) -> None:
        super().__init__(rate, burst)
        self._connections = connections
        self._open: dict[str, int] = {}

    def connect(self, address: str) -> bool:
        """Count one more connection; False if the address has too many."""
        count = self._open.get(address, 0)
        if count >= self._connections:
            return False
        self._open[address] = count + 1
        return True

    def disconnect(self, address: str) -> None:
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]

    def _needed(self, who: str, bucket: TokenBucket) -> bool:
        return who in self._open or super()._needed(who, bucket)
