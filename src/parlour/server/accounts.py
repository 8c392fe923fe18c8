"""Accounts: a username and a password, with which a visitor can sign in from any browser.

Guests need none. Passwords are stored as argon2id hashes. Hashing is slow on purpose, so it is done
in threads, and refused when too many wait.

Guessing is limited for each account, by address and over all addresses. A browser (`DEVICE`)
or address where somebody signed in to the account before has a limit and a queue of its own, so
that guesses from elsewhere never lock its owner out there.
"""

from __future__ import annotations

import asyncio
import hashlib
import unicodedata
from collections.abc import Callable, Container, Iterable, Mapping
from typing import TypeVar

import msgspec
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from parlour.house.lookalikes import check_visible, skeletons
from parlour.kit import Illegal
from parlour.server.limits import Quota, RateLimiter
from parlour.server.sessions import DEFAULT_NAME, Device
from parlour.store import Store
from parlour.store.watching import Mirror
from parlour.table.lobby import Names

T = TypeVar("T")

SHORTEST, LONGEST = 8, 128
"""Of a password, in characters."""
MOST_ACCOUNTS = 1_000_000
MOST_GUESSES = 100
"""For one account at once, from all unknown browsers and addresses together."""
MOST_PLACES = 8
"""How many addresses are remembered at which somebody signed in to an account."""
_FACT = "account:"
_KNOWN = "known:"
"""Followed by a visitor: hashes of the addresses where they signed in (`_mark`)."""
_HOLDER, _HANDLE, _LOOK = "holder:", "handle:", "look:"
"""Followed by a visitor, a name to sign in with, and a name's skeleton: unique facts, each with the
visitor it belongs to."""


# 19 MiB and two passes: the least that OWASP's password storage guide asks of argon2id.
HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


def matches(hashed: str, password: str) -> bool:
    """Whether this password has this hash. Deliberately slow."""
    try:
        return HASHER.verify(hashed, password)
    except (VerificationError, InvalidHashError):
        return False


class Account(msgspec.Struct, frozen=True):
    """One account. `id` is the visitor it belongs to."""

    id: str
    username: str
    hash: str
    email: str = ""


class HashQueue:
    """Hashes passwords in threads, `at_once` at a time; at most `most` wait, and `each` of one."""

    def __init__(self, at_once: int, most: int, each: int) -> None:
        self._slots = asyncio.Semaphore(at_once)
        self._waiting = Quota(most, each, "Too many people are signing in: try again in a moment.")

    @property
    def full(self) -> bool:
        return self._waiting.full

    async def run(self, who: str, work: Callable[[], T]) -> T:
        with self._waiting.hold(who):
            async with self._slots:
                return await asyncio.to_thread(work)


class Accounts:
    """All accounts, in memory and in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._nobody = ""
        self._hashing = HashQueue(at_once=2, most=64, each=8)
        """By address."""
        self._hashing_known = HashQueue(at_once=1, most=256, each=2)
        """By known browser or address."""
        self._attempts = RateLimiter(rate=0.1, burst=10)
        """By known browser; otherwise by address and account."""
        self._guesses = RateLimiter(rate=0.1, burst=MOST_GUESSES)
        """By account, for all unknown browsers and addresses together."""
        self._places = Mirror(store, _KNOWN, msgspec.json.Decoder(list[str]).decode)
        """By visitor: the marks of addresses where they signed in, the last one last."""
        self._by_id: dict[str, Account] = {}
        self._claimed: dict[str, str] = {}
        """The unique facts of all accounts (`claims`), and the visitors they belong to."""
        self._set([])
        store.watch(_FACT, self._learn, self.load)

    async def load(self) -> None:
        facts = await self._store.recall(_FACT)
        self._set(msgspec.json.decode(data, type=Account) for data in facts.values())
        await self._add_missing_claims()

    def _set(self, accounts: Iterable[Account]) -> None:
        """These are all accounts. The guests' default name belongs to nobody."""
        self._by_id.clear()
        self._claimed = dict.fromkeys((_LOOK + look for look in skeletons(DEFAULT_NAME)), "")
        for account in accounts:
            self._admit(account)

    async def _add_missing_claims(self) -> None:
        """Add the unique facts that older versions did not store."""
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
            return
        account = self.called(key.removeprefix(_FACT))
        if account is not None:
            del self._by_id[account.id]
            for claim in claims(account):
                self._claimed.pop(claim, None)

    def of(self, visitor: str) -> Account | None:
        """The visitor's account; None for a guest."""
        return self._by_id.get(visitor)

    def named(self, handle: str) -> Account | None:
        """The account with this name or e-mail address."""
        return self._by_id.get(self._claimed.get(_HANDLE + _handle(handle), ""))

    def called(self, name: str) -> Account | None:
        """The account with this username, however it is written."""
        account = self.named(name[: 4 * LONGEST])
        # An e-mail address is a handle, too, but finds nobody here.
        return account if account and _handle(account.username) == _handle(name) else None

    async def delete(self, visitor: str) -> None:
        """Delete a visitor's account. Returns once this is committed; its name is free then."""
        account = self._by_id.get(visitor)
        if account is None:
            return
        keys = [_FACT + _handle(account.username), *claims(account)]
        self._store.remember(_KNOWN + visitor, None)
        self._places.pop(visitor, None)
        await self._store.amended(keys, dict.fromkeys)

    async def rename(self, name: str, to: str) -> Account:
        """Give the account of this name another one, with which its owner signs in from then on.
        Raises `Illegal`. Returns once it is committed."""
        account = self.called(name)
        if account is None:
            raise Illegal("no-such-account", "There is no account of that name.")
        to = Names().good(to)
        check_visible(to)
        renamed = msgspec.structs.replace(account, username=to)
        # First what goes: watchers must not take the account that is deleted for the renamed one.
        former = dict.fromkeys((_FACT + _handle(account.username), *claims(account)))
        new = {_FACT + _handle(to): msgspec.json.encode(renamed), **claims(renamed)}

        def change(facts: Mapping[str, bytes | None]) -> Mapping[str, bytes | None]:
            taken = {key for key, value in facts.items() if value is not None}
            if not former.keys() <= taken:
                raise Illegal("try-again", "The account has just changed: try again.")
            _check_free(renamed, taken - former.keys())
            return {**former, **new}

        await self._store.amended([*former, *(new.keys() - former.keys())], change)
        return renamed

    def name_held(self, name: str, visitors: Container[str]) -> bool:
        """Whether a name looks like the username of somebody other than `visitors`."""
        holders = {self._claimed.get(_LOOK + look, "") for look in skeletons(name)} - {""}
        return name != DEFAULT_NAME and any(holder not in visitors for holder in holders)

    async def create(
        self, visitor: str, username: str, password: str, email: str, address: str = ""
    ) -> Account:
        """Give a visitor an account, or raise `Illegal`. Returns once it is committed."""
        username = Names().good(username)
        check_visible(username)
        email = _good_email(email)
        _check_password(password)
        account = Account(visitor, username, "", email)
        _check_free(account, self._claimed)
        if len(self._by_id) >= MOST_ACCOUNTS:
            raise Illegal("too-many-names", "The house knows too many people already.")
        hashed = await self._hashing.run(address, lambda: HASHER.hash(password))
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
        """The account with this name and password; None if there is none. An unknown name takes as
        long to refuse as a wrong password."""
        if len(password) > LONGEST or len(handle) > 254:
            return None
        handle = _handle(handle)
        account = self.named(handle)
        whose = handle if account is None else account.id
        attempt = f"{address} {whose}"
        known = account is not None and self._knows(account, address)
        if account is not None and device is not None and device.visitor == account.id:
            attempt, known = device.id, True
        # An address over its own limit does not use up the limit of all addresses.
        if not self._attempts.take(attempt) or not (known or self._guesses.take(whose)):
            raise Illegal(
                "too-fast", "Too many attempts: wait a little, or sign in where you have before."
            )
        queue, who = (self._hashing_known, attempt) if known else (self._hashing, address)
        if not self._nobody:
            self._nobody = await queue.run(who, lambda: HASHER.hash("nobody's password"))
        expected = self._nobody if account is None else account.hash
        right = await queue.run(who, lambda: matches(expected, password))
        if not right or account is None:
            return None
        self._attempts.forgive(attempt)
        self._remember_place(account, address)
        return account

    def _knows(self, account: Account, address: str) -> bool:
        """Whether somebody signed in to this account at this address before."""
        return _mark(account, address) in self._places.get(account.id, ())

    def _remember_place(self, account: Account, address: str) -> None:
        if not self._knows(account, address):
            places = [*self._places.get(account.id, ()), _mark(account, address)][-MOST_PLACES:]
            self._places[account.id] = places
            self._store.remember(_KNOWN + account.id, msgspec.json.encode(places))

    def _admit(self, account: Account) -> None:
        self._by_id[account.id] = account
        self._claimed.update(dict.fromkeys(claims(account), account.id))


def _mark(account: Account, address: str) -> str:
    """A keyed hash, stored in place of a network address."""
    key = account.hash.encode()[-32:]
    return hashlib.blake2b(address.encode(), key=key, digest_size=16).hexdigest()


def claims(account: Account) -> dict[str, bytes]:
    """The unique facts of an account."""
    keys = [_HOLDER + account.id, _HANDLE + _handle(account.username)]
    if account.email:
        keys.append(_HANDLE + _handle(account.email))
    keys += [_LOOK + look for look in skeletons(account.username)]
    return dict.fromkeys(keys, account.id.encode())


def _check_free(account: Account, taken: Container[str]) -> None:
    """Raise `Illegal` if one of the account's unique facts is `taken`."""
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
    """A name without differences of case, spaces and encoding (NFKC: "ﬁ", "Ａ"). Different letters
    that look alike are compared by `skeletons`."""
    return unicodedata.normalize("NFKC", " ".join(name.split())).casefold()


def _good_email(email: str) -> str:
    """Nothing is ever sent to it: some clients sign in with it."""
    email = email.strip()
    if email and (len(email) > 254 or "@" not in email or not email.isprintable()):
        raise Illegal("bad-email", "That is no e-mail address.")
    return email


def _check_password(password: str) -> None:
    if not SHORTEST <= len(password) <= LONGEST:
        raise Illegal("bad-password", f"A password has {SHORTEST} to {LONGEST} characters.")
