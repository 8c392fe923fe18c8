"""Accounts: a name and a password, for a visitor who wants to be the same one elsewhere.

A guest needs none. Passwords are kept as argon2id hashes; hashing is meant to be slow, so it
happens in threads, and a queue that grows too long is turned away.

Guessing is limited for each account, by address and over all addresses. A browser or an address
from which the account was signed in before (`sessions.DEVICE`) has a budget and a queue of its own,
so that guesses from elsewhere never keep the owner out there.
"""

from __future__ import annotations

import asyncio
import hashlib
import unicodedata
from collections import Counter
from collections.abc import Callable, Container
from typing import TypeVar

import msgspec
from argon2 import PasswordHasher
from argon2.exceptions import VerificationError

from parlour.house.lookalikes import check_visible, skeletons
from parlour.kit import Illegal
from parlour.server.limits import RateLimiter
from parlour.server.sessions import DEFAULT_NAME, Device
from parlour.store import Store
from parlour.table.lobby import Names

T = TypeVar("T")

SHORTEST, LONGEST = 8, 128
"""Of a password, in characters."""
MOST_GUESSES = 100
"""At once, of one account, from all places together where its owner never signed in."""
MOST_PLACES = 8
"""Of how many addresses it is remembered that an account was signed in there, the last ones."""
_FACT = "account:"
_KNOWN = "known:"
"""Before a visitor: the fact at which addresses their account was signed in (`_mark`)."""
_HOLDER, _HANDLE, _LOOK = "holder:", "handle:", "look:"
"""Before a visitor, what one may sign in with, and how a name may be read: facts that there can be
only one of, each with the visitor it belongs to."""


class Account(msgspec.Struct, frozen=True):
    """One account. `id` is the visitor it belongs to, at every table."""

    id: str
    username: str
    hash: str
    email: str = ""


class HashQueue:
    """Hashes passwords in threads, so many `at_once`; at most `most` wait, and `each` of one."""

    def __init__(self, at_once: int, most: int, each: int) -> None:
        self._slots = asyncio.Semaphore(at_once)
        self._most = most
        self._each = each
        self._waiting: Counter[str] = Counter()

    @property
    def full(self) -> bool:
        return self._waiting.total() >= self._most

    async def run(self, who: str, work: Callable[[], T]) -> T:
        if self.full or self._waiting[who] >= self._each:
            raise Illegal("too-busy", "Too many people are signing in: try again in a moment.")
        self._waiting[who] += 1
        try:
            async with self._slots:
                return await asyncio.to_thread(work)
        finally:
            self._waiting[who] -= 1
            if not self._waiting[who]:
                del self._waiting[who]


class Accounts:
    """All accounts, in memory and in the log."""

    def __init__(self, store: Store) -> None:
        self._store = store
        # 19 MiB and two passes: the least that OWASP's password storage guide asks of argon2id.
        self._hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
        self._nobody = ""
        self._hashing = HashQueue(at_once=2, most=64, each=8)
        """By address."""
        self._hashing_known = HashQueue(at_once=1, most=256, each=2)
        """By browser or address, where the account was signed in before."""
        self._attempts = RateLimiter(rate=0.1, burst=10)
        """By browser, where the account was signed in before; otherwise by address and account."""
        self._guesses = RateLimiter(rate=0.1, burst=MOST_GUESSES)
        """By account, from everywhere where it was never signed in."""
        self._places: dict[str, list[str]] = {}
        """By visitor: the addresses where their account was signed in, the last one last."""
        self._by_id: dict[str, Account] = {}
        self._claimed = dict.fromkeys((_LOOK + look for look in skeletons(DEFAULT_NAME)), "")
        """Everything that an account claims (`claims`), by the visitor it belongs to; and what the
        name of all guests looks like, which belongs to nobody."""
        store.watch(_FACT, self._learn, self.load)
        store.watch(_KNOWN, self._learn_places, self.load)

    async def load(self) -> None:
        """Recall all accounts."""
        for key, data in (await self._store.recall(_FACT)).items():
            self._learn(key, data)
        for key, data in (await self._store.recall(_KNOWN)).items():
            self._learn_places(key, data)
        await self._claim_what_is_theirs()

    async def _claim_what_is_theirs(self) -> None:
        """What older versions did not claim, for all accounts there are."""
        claimed: set[str] = set()
        for prefix in (_HOLDER, _HANDLE, _LOOK):
            claimed.update(await self._store.recall(prefix))
        for account in self._by_id.values():
            for key, value in claims(account).items():
                if key not in claimed:
                    self._store.remember(key, value)

    def _learn(self, key: str, data: bytes | None) -> None:
        if data is not None:
            self._admit(msgspec.json.decode(data, type=Account))

    def _learn_places(self, key: str, data: bytes | None) -> None:
        if data is not None:
            self._places[key.removeprefix(_KNOWN)] = msgspec.json.decode(data, type=list[str])

    def of(self, visitor: str) -> Account | None:
        """The visitor's account; None: a guest."""
        return self._by_id.get(visitor)

    def name_held(self, name: str, visitors: Container[str]) -> bool:
        """Whether a name reads like the username of an account of somebody else."""
        holders = {self._claimed.get(_LOOK + look, "") for look in skeletons(name)} - {""}
        return name != DEFAULT_NAME and any(holder not in visitors for holder in holders)

    async def create(
        self, visitor: str, username: str, password: str, email: str, address: str = ""
    ) -> Account:
        """Give a visitor an account, or raise `Illegal`. Returns once it is kept."""
        username = Names().good(username)
        check_visible(username)
        email = _good_email(email)
        _check_password(password)
        account = Account(visitor, username, "", email)
        _check_free(account, self._claimed)
        hashed = await self._hashing.run(address, lambda: self._hasher.hash(password))
        # Hashing takes time: somebody else may have taken the name meanwhile.
        _check_free(account, self._claimed)
        account = msgspec.structs.replace(account, hash=hashed)
        mine = {_FACT + _handle(username): msgspec.json.encode(account), **claims(account)}
        # Somebody may do the same at the same moment, here or at another node: one is first.
        _check_free(account, await self._store.claim(mine))
        self._admit(account)
        self._remember_place(account, address)
        return account

    async def login(
        self, handle: str, password: str, address: str = "", device: Device | None = None
    ) -> Account | None:
        """Whose password this is. An unknown name takes as long to refuse as a wrong password."""
        handle = _handle(handle)
        if len(password) > LONGEST or len(handle) > 254:
            return None
        account = self._by_id.get(self._claimed.get(_HANDLE + handle, ""))
        whose = handle if account is None else account.id
        attempt = f"{address} {whose}"
        known = account is not None and self._knows(account, address)
        if account is not None and device is not None and device.visitor == account.id:
            attempt, known = device.id, True
        # An address that has tried too often takes nothing from the budget of all.
        if not self._attempts.take(attempt) or not (known or self._guesses.take(whose)):
            raise Illegal(
                "too-fast", "Too many attempts: wait a little, or sign in where you have before."
            )
        queue, who = (self._hashing_known, attempt) if known else (self._hashing, address)
        if not self._nobody:
            hasher = self._hasher
            self._nobody = await queue.run(who, lambda: hasher.hash("nobody's password"))
        expected = self._nobody if account is None else account.hash
        right = await queue.run(who, lambda: self._matches(expected, password))
        if not right or account is None:
            return None
        self._attempts.forgive(attempt)
        self._remember_place(account, address)
        return account

    def _knows(self, account: Account, address: str) -> bool:
        """Whether this account was signed in at this address before."""
        return _mark(account, address) in self._places.get(account.id, ())

    def _remember_place(self, account: Account, address: str) -> None:
        if not self._knows(account, address):
            places = [*self._places.get(account.id, ()), _mark(account, address)][-MOST_PLACES:]
            self._places[account.id] = places
            self._store.remember(_KNOWN + account.id, msgspec.json.encode(places))

    def _matches(self, hashed: str, password: str) -> bool:
        try:
            return self._hasher.verify(hashed, password)
        except VerificationError:
            return False

    def _admit(self, account: Account) -> None:
        self._by_id[account.id] = account
        self._claimed.update(dict.fromkeys(claims(account), account.id))


def _mark(account: Account, address: str) -> str:
    """Replaces a network address in this account's record."""
    key = account.hash.encode()[-32:]
    return hashlib.blake2b(address.encode(), key=key, digest_size=16).hexdigest()


def claims(account: Account) -> dict[str, bytes]:
    """What nobody else can have, as facts of the record."""
    keys = [_HOLDER + account.id, _HANDLE + _handle(account.username)]
    if account.email:
        keys.append(_HANDLE + _handle(account.email))
    keys += [_LOOK + look for look in skeletons(account.username)]
    return dict.fromkeys(keys, account.id.encode())


def _check_free(account: Account, taken: Container[str]) -> None:
    """Raise `Illegal` if something that this account claims is among what is `taken`."""
    if _HOLDER + account.id in taken:
        raise Illegal("has-account", "You have an account already.")
    handle = _handle(account.username)
    if _HANDLE + handle in taken or _FACT + handle in taken:
        raise Illegal("name-taken", "Somebody has that username already.")
    if any(_LOOK + look in taken for look in skeletons(account.username)):
        raise Illegal("name-taken", "Somebody has a username that looks the same.")
    if account.email and _HANDLE + _handle(account.email) in taken:
        raise Illegal("email-taken", "Somebody has an account with that address already.")


def _handle(name: str) -> str:
    """What two names must not share: case, spaces and how a letter is encoded (NFKC: "ﬁ", "Ａ")
    make no difference. Different letters that look alike are compared by `skeletons`."""
    return unicodedata.normalize("NFKC", " ".join(name.split())).casefold()


def _good_email(email: str) -> str:
    """Never written to: only another handle to sign in with, as some clients do."""
    email = email.strip()
    if email and (len(email) > 254 or "@" not in email or not email.isprintable()):
        raise Illegal("bad-email", "That is no e-mail address.")
    return email


def _check_password(password: str) -> None:
    if not SHORTEST <= len(password) <= LONGEST:
        raise Illegal("bad-password", f"A password has {SHORTEST} to {LONGEST} characters.")
