"""Rate limits, per connection and address: no client is trusted to send only what it should."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import urlsplit


@lru_cache(maxsize=4096)
def address_block(address: str) -> str:
    """The address that limits count by; for IPv6 the /64 network, which one client has whole."""
    try:
        ip = parse_address(address)
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv4Address):
        return str(ip)
    return str(ipaddress.IPv6Network((ip, 64), strict=False))


def parse_address(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """An address as proxies write it; `ValueError` if it is none."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        # Some proxies write the port behind it.
        ip = ipaddress.ip_address(urlsplit(f"//{address}").hostname or "")
    return getattr(ip, "ipv4_mapped", None) or ip


class TokenBucket:
    """So many at once, and so many a second after that."""

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
        """One more, if there is one."""
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
        """Take so many more, there or not: up to a whole burst can be owed."""
        now = self._clock()
        left = min(self._left + (now - self._at) * self._rate, self._burst)
        self._at = now
        self._left = max(left - cost, -self._burst)

    @property
    def wait(self) -> float:
        """Seconds until there is one."""
        left = self._left + (self._clock() - self._at) * self._rate
        return max(0.0, (1.0 - left) / self._rate)

    @property
    def idle(self) -> float:
        """Seconds since somebody last asked for one."""
        return self._clock() - self._at

    @property
    def full(self) -> bool:
        """Nothing has been taken lately: the bucket is as good as new."""
        return self._left + (self._clock() - self._at) * self._rate >= self._burst


class AddressLimiter:
    """How many connections each address has open, and how much it sends over all of them."""

    def __init__(self, connections: int, rate: float, burst: float) -> None:
        self._connections = connections
        self._rate = rate
        self._burst = burst
        self._open: dict[str, int] = {}
        self._buckets: dict[str, TokenBucket] = {}

    def connect(self, address: str) -> bool:
        """One more connection, if it may have one."""
        count = self._open.get(address, 0)
        if count >= self._connections:
            return False
        self._open[address] = count + 1
        return True

    def disconnect(self, address: str) -> None:
        count = self._open.get(address, 0) - 1
        if count > 0:
            self._open[address] = count
            return
        self._open.pop(address, None)
        # An address's bucket outlives its connections, so that reconnecting does not refill it.
        # Only full buckets of addresses without connections are dropped.
        if len(self._buckets) > 10_000:
            self._buckets = {
                a: b for a, b in self._buckets.items() if a in self._open or not b.full
            }

    def bucket(self, address: str) -> TokenBucket:
        found = self._buckets.get(address)
        if found is None:
            found = self._buckets[address] = TokenBucket(self._rate, self._burst)
        return found


GUESSES = frozenset(("no-such-table", "not-shared", "no-such-channel"))
"""Refusals of requests, by code, that say that there is no table of some code."""
WRONG_DOOR = 25.0
"""What it costs, in requests, to name a table that is none, or its password wrong. Codes have six
digits: at the usual rates an address can try twenty at once, and two a second after that."""


class RateLimiter:
    """A bucket for everybody who asks; forgotten once it is full again."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = burst
        self._buckets: dict[str, TokenBucket] = {}

    def take(self, who: str) -> bool:
        """One more for `who`, if there is one."""
        return self._bucket(who).take()

    def forgive(self, who: str) -> None:
        """Forget what `who` has taken."""
        self._buckets.pop(who, None)

    def charge_miss(self, who: str) -> None:
        """`who` has named a table that is none, or its password wrong."""
        self._bucket(who).charge(WRONG_DOOR)

    def _bucket(self, who: str) -> TokenBucket:
        if len(self._buckets) > 10_000:
            self._buckets = {w: b for w, b in self._buckets.items() if not b.full}
        found = self._buckets.get(who)
        if found is None:
            found = self._buckets[who] = TokenBucket(self._rate, self._burst)
        return found
