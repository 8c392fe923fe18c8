"""Routes with which a browser registers a passkey, removes one, and signs in with one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final

import msgspec

from parlour.kit import Illegal
from parlour.protocol import Asked, Desk, Reply, Route
from parlour.server.api import visitor_of
from parlour.server.passkeys import Challenge, Passkeys
from parlour.server.people_shown import AccountOf

_LARGEST: Final = 16_384
"""Bytes of an answer to a challenge."""


class Answered(msgspec.Struct, forbid_unknown_fields=True):
    """A browser's answer to a challenge."""

    ticket: Annotated[str, msgspec.Meta(max_length=1000)]
    credential: dict[str, Any]
    """As `PublicKeyCredential.toJSON` gives it."""


class PasskeyRoutes:
    def __init__(
        self, passkeys: Passkeys, account_of: Callable[[Desk, str], Awaitable[AccountOf]]
    ) -> None:
        """`account_of` makes the answer."""
        self._passkeys = passkeys
        self._account_of = account_of

    @Route("POST", "/api/passkeys/challenge", who="known", slow=True)
    async def begin(self, desk: Desk, asked: Asked) -> Challenge:
        """Begin to register a passkey for your account."""
        visitor = visitor_of(asked)
        return self._passkeys.begin(visitor, _account(desk, visitor), asked.arrival)

    @Route(
        "POST",
        "/api/passkeys",
        who="known",
        body=Answered,
        largest=_LARGEST,
        status=201,
        slow=True,
        gives=AccountOf,
    )
    async def add(self, desk: Desk, asked: Asked) -> Reply:
        """Register a passkey."""
        visitor, body = visitor_of(asked), asked.body
        _account(desk, visitor)
        await self._passkeys.add(visitor, body.ticket, body.credential, asked.arrival)
        return Reply(await self._account_of(desk, visitor), 201)

    @Route("DELETE", "/api/passkeys/{id}", who="known", slow=True)
    async def remove(self, desk: Desk, asked: Asked) -> AccountOf:
        """Remove a passkey of your account."""
        visitor = visitor_of(asked)
        await self._passkeys.remove(visitor, asked.params["id"])
        return await self._account_of(desk, visitor)

    @Route("POST", "/api/session/challenge", slow=True)
    async def ask(self, desk: Desk, asked: Asked) -> Challenge:
        """Begin to sign in with a passkey, without a name."""
        return self._passkeys.ask(asked.arrival)

    @Route(
        "POST",
        "/api/session/passkey",
        body=Answered,
        largest=_LARGEST,
        gives=AccountOf,
        slow=True,
    )
    async def sign_in(self, desk: Desk, asked: Asked) -> Reply:
        """Sign in with a passkey."""
        body = asked.body
        visitor = await self._passkeys.owner(body.ticket, body.credential, asked.arrival)
        _account(desk, visitor)
        return Reply(await self._account_of(desk, visitor), sign_in=visitor)


def _account(desk: Desk, visitor: str) -> str:
    """The username of this visitor's account."""
    name = desk.account_of(visitor)
    if name is None:
        raise Illegal("no-account", "Make an account first.")
    return name
