"""The visitors who may use the operator's page: by an account, or by a link.

`parlour admin` prints the link. It is signed with the server's key, works once, and gives the right
to the visitor of that browser for half a day.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from typing import Annotated, Final, Literal

import msgspec

from parlour.kit import Illegal
from parlour.server.accounts import Accounts
from parlour.server.config import Config
from parlour.server.keys import SigningKey
from parlour.server.orders import SignedOrder, address_of, send, sign, signing_key, verified
from parlour.store import Store
from parlour.store.watching import Mirror

RIGHTS: Final = "/api/operator/rights"
"""Where orders about rights are sent."""
FOR_RIGHTS: Final = "parlour-admin-rights"
LINK_GOOD_FOR: Final = 600
"""Seconds in which a link must be opened."""
RIGHT_GOOD_FOR: Final = 12 * 3600
"""Seconds for which a browser that opened one has the right."""

_FACT: Final = "operator:"
"""Before a visitor: an `Operator`."""
_USED: Final = "operator-link:"
"""Before the hash of a link's number: until when (in seconds) it would have been good."""
_FOR_LINKS: Final = "parlour-admin-link"


class Link(msgspec.Struct, frozen=True):
    """The signed content of a link; its number is used once."""

    number: Annotated[str, msgspec.Meta(min_length=16, max_length=64)]


class Operator(msgspec.Struct, frozen=True):
    """A visitor who may use the operator's page."""

    visitor: str
    until: int
    """In seconds since the epoch; 0: until the right is taken away."""


class RightsOrder(msgspec.Struct, frozen=True):
    """From the command line: give an account the right, take it away, or list who has it."""

    what: Literal["list", "grant", "revoke"]
    name: Annotated[str, msgspec.Meta(max_length=254)] = ""


class Right(msgspec.Struct, frozen=True):
    """Somebody who has it."""

    name: str
    account: bool
    """False: a browser that opened a link."""
    until: int


class Rights(msgspec.Struct, frozen=True):
    rights: list[Right]


def new_link(key: SigningKey) -> str:
    """The secret part of a link, to go behind `/admin#`: browsers send that part to no server."""
    return sign(key, _FOR_LINKS, Link(secrets.token_urlsafe(16)), LINK_GOOD_FOR).order


async def link_to_page(config: Config, url: str | None) -> str:
    """A link to the operator's page of the server with these settings. `StoreTrouble` if no address
    is given and no server answers at the usual one: the link would lead nowhere."""
    base = url or config.public_url
    if base is None:
        base = address_of(config)
        await change_rights(config, base, RightsOrder("list"))
    return f"{base.rstrip('/')}/admin#{new_link(await signing_key(config))}"


async def change_rights(config: Config, url: str | None, order: RightsOrder) -> Rights:
    """From the command line. Raises `Illegal`, or `StoreTrouble` if no server can be asked."""
    return await send(config, url, RIGHTS, FOR_RIGHTS, order, Rights)


class Operators:
    """All operators, in memory and in the store."""

    def __init__(self, store: Store, key: SigningKey, accounts: Accounts) -> None:
        self._store = store
        self._key = key
        self._accounts = accounts
        self._known = Mirror(store, _FACT, msgspec.json.Decoder(Operator).decode)

    def check(self, visitor: str | None) -> None:
        """Raise `Illegal` unless this visitor is an operator now."""
        operator = self._known.get(visitor or "")
        if operator is None or (operator.until and operator.until < time.time()):
            raise Illegal(
                "operator-only",
                "Only the operator may see this page. Run `parlour admin` on the server and open "
                "the link that it prints.",
            )

    def link_in(self, signed: SignedOrder) -> Link:
        """The link that was opened, if it is signed with the server's key."""
        return verified(self._key, _FOR_LINKS, signed, Link)

    async def open_link(self, link: Link, visitor: str) -> None:
        """Give this visitor the right by a link that nobody has used."""
        now = int(time.time())
        for key, until in (await self._store.recall(_USED)).items():
            if int(until) < now:
                self._store.remember(key, None)
        number = _USED + hashlib.sha256(link.number.encode()).hexdigest()
        if await self._store.claim({number: str(now + LINK_GOOD_FOR).encode()}):
            raise Illegal(
                "used-link", "This link was used already. `parlour admin` prints another."
            )
        if not self._has_for_good(visitor):
            await self._set(visitor, Operator(visitor, now + RIGHT_GOOD_FOR))

    def _has_for_good(self, visitor: str) -> bool:
        known = self._known.get(visitor)
        return known is not None and not known.until

    async def give_up(self, visitor: str) -> None:
        """Take the right from a browser that had it for some hours; accounts keep it."""
        if not self._has_for_good(visitor):
            await self._set(visitor, None)

    def order_in(self, signed: SignedOrder) -> RightsOrder:
        """An order from the command line."""
        return verified(self._key, FOR_RIGHTS, signed, RightsOrder)

    async def carry_out(self, order: RightsOrder) -> None:
        account = self._accounts.named(order.name)
        if order.what == "grant":
            if account is None:
                raise Illegal("no-such-account", "There is no account of that name.")
            await self._set(account.id, Operator(account.id, 0))
        elif order.what == "revoke":
            for visitor in list(self._known):
                if visitor == getattr(account, "id", None) or visitor[:8] == order.name:
                    await self._set(visitor, None)

    def rights(self) -> Rights:
        """Those who have the right now."""
        found: list[Right] = []
        for operator in self._known.values():
            account = self._accounts.of(operator.visitor)
            if not operator.until or operator.until >= time.time():
                name = operator.visitor[:8] if account is None else account.username
                found.append(Right(name, account is not None, operator.until))
        return Rights(sorted(found, key=lambda right: (not right.account, right.name)))

    async def _set(self, visitor: str, operator: Operator | None) -> None:
        data = None if operator is None else msgspec.json.encode(operator)
        self._store.remember(_FACT + visitor, data)
        await self._store.kept()
        self._known.learn(_FACT + visitor, data)
