"""Passkeys (WebAuthn): a way to sign in to an account without its name and passphrase.

A challenge is a signed ticket that the browser sends back, so any node can check it and nothing is
stored before somebody answers it. It is valid for some minutes. A passkey's fact says which one it
answered last, and it answers no older one; so none is answered twice, at whatever nodes.

`ceremonies.py` is imported where it is used: a server starts faster without it.
"""

from __future__ import annotations

import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from time import time, time_ns
from typing import Any, Final

import jwt
import msgspec

from parlour.kit import Illegal
from parlour.protocol.routes import Arrival
from parlour.server.keys import SigningKey
from parlour.store import Store
from parlour.store.watching import Mirror

MOST: Final = 10
"""Of one account."""
VALID: Final = 300
"""Seconds in which a challenge can be answered."""
_FACT: Final = "passkey:"
"""Followed by a passkey's id."""


class Passkey(msgspec.Struct, frozen=True):
    """One passkey of an account."""

    visitor: str
    key: bytes
    """Its public key."""
    count: int
    """How often it signed, as it says; 0 where it does not count."""
    made: int
    """In seconds since the epoch."""
    used: int = 0
    """When the last challenge was made that it answered, in nanoseconds since the epoch."""


class Challenge(msgspec.Struct, frozen=True):
    """To be answered by a browser."""

    ticket: str
    """To be sent back with the answer."""
    options: msgspec.Raw
    """For `navigator.credentials`, as `PublicKeyCredential.parse…OptionsFromJSON` reads them."""


class Passkeys:
    """All passkeys, in memory and in the store."""

    def __init__(self, store: Store, key: SigningKey) -> None:
        self._store = store
        self._key = key
        self._all = Mirror(store, _FACT, msgspec.json.Decoder(Passkey).decode)

    def of(self, visitor: str) -> dict[str, Passkey]:
        """By id, those of one account, the oldest first."""
        mine = [(id_, each) for id_, each in self._all.items() if each.visitor == visitor]
        return dict(sorted(mine, key=lambda item: item[1].made))

    # -- a new one --------------------------------------------------------------------

    def begin(self, visitor: str, name: str, arrival: Arrival) -> Challenge:
        from parlour.server import ceremonies

        challenge = secrets.token_bytes(32)
        options = ceremonies.to_make(arrival, name, visitor, challenge, self.of(visitor))
        return Challenge(self._ticket(challenge, visitor), msgspec.Raw(options))

    async def add(
        self, visitor: str, ticket: str, credential: dict[str, Any], arrival: Arrival
    ) -> None:
        """Add a passkey to an account. Returns once it is committed."""
        from parlour.server import ceremonies

        challenge, _ = self._challenge(ticket, visitor)
        made = ceremonies.made(arrival, credential, challenge)
        if made is None:
            raise _wrong()
        if len(self.of(visitor)) >= MOST:
            raise Illegal("too-many-passkeys", f"An account has at most {MOST} passkeys.")
        passkey = Passkey(visitor, made.key, made.count, int(time()))
        if await self._store.claim({_FACT + made.id: msgspec.json.encode(passkey)}):
            raise Illegal("has-passkey", "This passkey is known already.")

    async def remove(self, visitor: str, *ids: str) -> None:
        """Remove passkeys of this account. Returns once this is committed."""
        keys = [_FACT + id_ for id_ in ids if id_ in self.of(visitor)]
        if keys:
            await self._store.amended(keys, dict.fromkeys)

    # -- signing in -------------------------------------------------------------------

    def ask(self, arrival: Arrival) -> Challenge:
        """Of anybody who has one: the browser says which."""
        from parlour.server import ceremonies

        challenge = secrets.token_bytes(32)
        options = ceremonies.to_show(arrival, challenge)
        return Challenge(self._ticket(challenge, ""), msgspec.Raw(options))

    async def owner(self, ticket: str, credential: dict[str, Any], arrival: Arrival) -> str:
        """The visitor whose passkey signed the challenge."""
        from parlour.server import ceremonies

        challenge, at = self._challenge(ticket, "")
        id_ = str(credential.get("id"))
        passkey = self._all.get(id_)
        if passkey is None:
            raise _wrong()
        count = ceremonies.shown(arrival, credential, challenge, passkey.key, passkey.count)
        if count is None:
            raise _wrong()
        key = _FACT + id_

        def use(facts: Mapping[str, bytes | None]) -> dict[str, bytes]:
            fact = facts[key]
            known = None if fact is None else msgspec.json.decode(fact, type=Passkey)
            if known is None or known.used >= at:
                raise _wrong()
            return {key: msgspec.json.encode(msgspec.structs.replace(known, count=count, used=at))}

        await self._store.amended([key], use)
        return passkey.visitor

    # -- challenges -------------------------------------------------------------------

    def _ticket(self, challenge: bytes, visitor: str) -> str:
        # Without a subject: a ticket is no session.
        text = urlsafe_b64encode(challenge).decode()
        now = time_ns()
        claims = {"passkey": text, "for": visitor, "at": now, "exp": now // 10**9 + VALID}
        return self._key.sign(claims)

    def _challenge(self, ticket: str, visitor: str) -> tuple[bytes, int]:
        """The challenge of a ticket, and when it was made."""
        try:
            claims = self._key.read(ticket)
        except (jwt.InvalidTokenError, ValueError):
            raise _wrong() from None
        text, at = claims.get("passkey"), claims.get("at")
        if not isinstance(text, str) or not isinstance(at, int) or claims.get("for") != visitor:
            raise _wrong()
        return urlsafe_b64decode(text), at


def _wrong() -> Illegal:
    return Illegal("wrong-passkey", "That passkey does not fit, or it took too long. Try again.")
