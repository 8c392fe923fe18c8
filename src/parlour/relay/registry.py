"""The users and channels of the relay, kept in the database, and how users are authenticated."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from functools import partial
from typing import Final, Protocol
from urllib.parse import unquote

import msgspec

from parlour.kit import Illegal
from parlour.server.accounts import HASHER, HashQueue, matches
from parlour.server.limits import RateLimiter
from parlour.store.watching import Facts as Watched
from parlour.store.watching import Mirror

NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,40}")
RESERVED: Final = frozenset(
    "admin all api assets healthz metrics plain play readyz replay table websocket".split()
)
"""Names that no user or channel can have: words of the protocol, and our own addresses. Addresses
of installed games and the names of their hosts are reserved, too."""
PAGE_FILE: Final = re.compile(r".*\.(?:svg|png|ico|js|json|txt|webmanifest)")
"""Names of the page's files."""

USER_FACT: Final = "wcp-user:"
CHANNEL_FACT: Final = "wcp-channel:"

_AT_ONCE: Final = 2
_QUEUE: Final = 16
_REMEMBERED: Final = 10_000


class Facts(Watched, Protocol):
    """Where small facts are kept: the store of a running server, or a database."""

    def remember(self, key: str, value: bytes | None) -> object: ...


class User(msgspec.Struct, frozen=True):
    """Somebody who may connect."""

    name: str
    hash: str


class Registry:
    """All users and channels, in memory and in the database."""

    def __init__(self, facts: Facts, reserved: Iterable[str] = ()) -> None:
        self._facts = facts
        self._reserved = {name.casefold() for name in (*RESERVED, *reserved)}
        self._users = Mirror(facts, USER_FACT, msgspec.json.Decoder(User).decode)
        self._channels = Mirror(facts, CHANNEL_FACT, bytes.decode)

    async def load(self) -> None:
        """Read all users and channels."""
        await self._users.load()
        await self._channels.load()

    def reserve(self, names: Iterable[str]) -> None:
        """Reserve the names of our own addresses: a channel of that name could not be reached."""
        self._reserved |= {name.casefold() for name in names}

    # Users

    def users(self) -> list[str]:
        return sorted(user.name for user in self._users.values())

    def user(self, name: str) -> User | None:
        """The user of that name, in any case."""
        return self._users.get(name.casefold())

    def add_user(self, name: str, password: str) -> None:
        """Add a user, or give one another password."""
        self.check_name(name)
        if not 1 <= len(password) <= 128:
            raise Illegal("bad-password", "A password has 1 to 128 characters.")
        known = self.user(name)
        user = User(name if known is None else known.name, HASHER.hash(password))
        self._facts.remember(USER_FACT + name.casefold(), msgspec.json.encode(user))
        self._users[name.casefold()] = user

    def remove_user(self, name: str) -> None:
        if self._users.pop(name.casefold(), None) is None:
            raise Illegal("no-such-user", f"There is no user called {name}.")
        self._facts.remember(USER_FACT + name.casefold(), None)

    def matches(self, user: User | None, password: str) -> bool:
        """Whether the password is right. Deliberately slow, also for an unknown user."""
        if user is None:
            HASHER.hash(password)
            return False
        return matches(user.hash, password)

    # Channels

    def channels(self) -> list[str]:
        return sorted(self._channels.values())

    def channel(self, name: str) -> str | None:
        """The channel of that name in any case: its name as it was added."""
        return self._channels.get(name.casefold())

    def add_channel(self, name: str) -> None:
        self.check_name(name)
        if name.casefold() in self._channels:
            raise Illegal("channel-exists", f"There is a channel called {name} already.")
        self._facts.remember(CHANNEL_FACT + name.casefold(), name.encode())
        self._channels[name.casefold()] = name

    def remove_channel(self, name: str) -> None:
        if self._channels.pop(name.casefold(), None) is None:
            raise Illegal("no-such-channel", f"There is no channel called {name}.")
        self._facts.remember(CHANNEL_FACT + name.casefold(), None)

    def check_name(self, name: str) -> None:
        """Raise `Illegal` if no user or channel can have this name."""
        if not NAME.fullmatch(name):
            raise Illegal("bad-name", "A name has 1 to 40 letters, digits, dots, dashes and _.")
        if name.casefold() in self._reserved or PAGE_FILE.fullmatch(name) or name in (".", ".."):
            raise Illegal("reserved-name", f"The name {name} is reserved.")

    def good_name(self, name: str) -> bool:
        try:
            self.check_name(name)
        except Illegal:
            return False
        return True


class Authenticator:
    """Finds the user of a name and a password. The result of each hashing is cached, because some
    clients that are refused try again at once, for ever."""

    def __init__(self, registry: Registry, open_to_all: bool) -> None:
        """`open_to_all`: any user name with any password."""
        self._registry = registry
        self._open = open_to_all
        self._key = secrets.token_bytes(32)
        self._known: dict[bytes, bool] = {}
        """By a keyed hash of name and password, whether they belong together."""
        self._hashing = HashQueue(at_once=_AT_ONCE, most=_QUEUE, each=_QUEUE)
        self._attempts = RateLimiter(rate=1.0, burst=30)

    async def identify(self, credentials: tuple[str, str] | None, address: str) -> str | None:
        """The user; None: refused. The name must be written in the same case as the stored one."""
        if credentials is None:
            return None
        decoded = unquote(credentials[0]), unquote(credentials[1])
        if self._open:
            return self._anybody(decoded[0]) or self._anybody(credentials[0])
        # Some clients percent-encode what they send; a password may hold a percent sign, too.
        for name, password in dict.fromkeys((credentials, decoded)):
            if NAME.fullmatch(name) and await self._proves(name, password, address):
                return name
        return None

    def _anybody(self, name: str) -> str | None:
        known = self._registry.user(name)
        if known is not None:
            return name if known.name == name else None
        return name if self._registry.good_name(name) else None

    async def _proves(self, name: str, password: str, address: str) -> bool:
        if len(password) > 1024:
            return False
        user = self._registry.user(name)
        if user is not None and user.name != name:
            # Every message names its sender, and is dropped if that is not the stored name.
            user = None
        # With the stored hash in the key, a new password makes the cached results useless.
        stored = "" if user is None else user.hash
        seen = hmac.digest(self._key, f"{name}\0{stored}\0{password}".encode(), hashlib.sha256)
        if seen not in self._known:
            if self._hashing.full or not self._attempts.take(address):
                return False
            check = partial(self._registry.matches, user, password)
            right = await self._hashing.run(address, check)
            if len(self._known) >= _REMEMBERED:
                self._known = {each: True for each, right in self._known.items() if right}
            self._known[seen] = right
        return self._known[seen]
