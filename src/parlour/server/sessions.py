"""Sessions: a signed token in a cookie or a query says who a visitor is.

The token is an EdDSA JWT with the visitor's id as its subject. Of a guest only the chosen name is
stored. Tokens expire; cookies in use are renewed before that. Signing out or creating an account
makes all earlier tokens of that visitor void; signing out also closes all their connections.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import lru_cache
from time import time
from typing import Any, Literal, NamedTuple, TypeAlias

import jwt
from aiohttp import web

from parlour.house import Journal
from parlour.house.lookalikes import check_visible
from parlour.kit import Illegal
from parlour.server.keys import SigningKey
from parlour.store.watching import Mirror
from parlour.table.lobby import Names

COOKIE = "parlour_session"
FOR_YEARS = 400 * 24 * 3600
"""Browsers keep a cookie for at most 400 days."""
LIFETIME = 90 * 24 * 3600
"""Seconds for which a token is valid: three times as long as any game is kept."""
RENEWED_AFTER = 24 * 3600
"""Seconds after which a token in a cookie is replaced by a new one when it is used."""
MOST_SIGNED_OUT = 10_000
"""For how many guests it is remembered that they signed out."""
DEVICE = "parlour_device"
"""The cookie of a browser in which somebody signed in to an account. Signing out keeps it."""
DEFAULT_NAME = "Player"

# Facts. The first three are followed by a visitor's id; times are in seconds.
_NAME = "name:"
_SIGNED_OUT = "signed-out:"
"""When they signed out: earlier tokens are void."""
_CLAIMED = "claimed:"
"""When they created an account: earlier tokens are void."""
_EXPIRING_SINCE = "tokens-expire-since"
"""When this server first made tokens that expire. Older tokens, which have no end, are valid for
one lifetime after that."""

Fault: TypeAlias = Literal["", "token", "user"]
"""Nothing wrong; a token that is not ours; a token of ours that names nobody."""


class Claims(NamedTuple):
    """The content of a valid token."""

    visitor: str
    issued: int
    expires: int


class Device(NamedTuple):
    """A browser in which this visitor signed in to their account before."""

    visitor: str
    id: str


class Sessions:
    """Makes and checks tokens; remembers visitors' names."""

    def __init__(
        self,
        key: SigningKey,
        journal: Journal,
        secure: bool,
        cookies: tuple[str, ...] = (),
        root: str = "",
    ) -> None:
        """`cookies`: further names under which some protocols' clients keep the token. `root`: the
        path for which cookies are set."""
        self._key = key
        self._journal = journal
        self._secure = secure
        self._cookies = (COOKIE, *cookies)
        self._path = root or "/"
        self._names = Mirror(journal.store, _NAME, bytes.decode)
        self._void: dict[str, int] = {}
        """The facts `_SIGNED_OUT` and `_CLAIMED`, by their keys."""
        self._on_sign_out: Callable[[str], None] = lambda visitor: None
        self._guests_signed_out: dict[str, None] = {}
        self._endless_until = 0
        self._read = lru_cache(maxsize=4096)(self._verify)
        journal.store.watch(_SIGNED_OUT, self._learn_void, self.load)
        journal.store.watch(_CLAIMED, self._learn_void, self.load)

    def on_sign_out(self, hear: Callable[[str], None]) -> None:
        """`hear` is called with each visitor who signs out, at any node."""
        self._on_sign_out = hear

    async def load(self) -> None:
        """Read which tokens are void."""
        for prefix in (_SIGNED_OUT, _CLAIMED):
            for key, when in (await self._journal.store.recall(prefix)).items():
                if int(when) + LIFETIME < time():
                    # All of these tokens have expired.
                    self._journal.store.remember(key, None)
                else:
                    self._learn_void(key, when)
        first = await self._journal.store.remember_first(_EXPIRING_SINCE, str(int(time())).encode())
        self._endless_until = int(first) + LIFETIME

    async def forget(self, visitor: str) -> None:
        """Delete a visitor's name, and make all their tokens void."""
        self._journal.store.remember(_NAME + visitor, None)
        self._names.pop(visitor, None)
        self._make_void(_SIGNED_OUT, visitor)
        self._void.pop(_CLAIMED + visitor, None)
        self._journal.store.remember(_CLAIMED + visitor, None)
        await self.sign_out(visitor, guest=True)

    def _learn_void(self, key: str, when: bytes | None) -> None:
        if when is None:
            self._void.pop(key, None)
        # A sign-out at this node may be newer than the one in the record.
        elif int(when) > self._void.get(key, 0):
            self._void[key] = int(when)
            if key.startswith(_SIGNED_OUT):
                self._on_sign_out(key.removeprefix(_SIGNED_OUT))

    def _void_until(self, visitor: str) -> int:
        """Tokens of this visitor that were issued up to this second are void."""
        void = self._void
        return max(void.get(_SIGNED_OUT + visitor, -1), void.get(_CLAIMED + visitor, -1))

    def new_visitor(self) -> str:
        return str(uuid.uuid4())

    def token(self, visitor: str) -> str:
        # Later than what made earlier tokens void, even if the clock was set back.
        now = max(int(time()), self._void_until(visitor) + 1)
        claims = {"sub": visitor, "iat": now, "exp": now + LIFETIME}
        return self._key.sign(claims)

    def check(self, token: str) -> tuple[str | None, Fault]:
        """The visitor of a token; or None, and what is wrong with it."""
        claims = self._read(token)
        if isinstance(claims, str):
            return None, claims
        expires = claims.expires or self._endless_until
        if expires < time() or claims.issued <= self._void_until(claims.visitor):
            return None, "token"
        return claims.visitor, ""

    def _verify(self, token: str) -> Claims | Literal["token", "user"]:
        """Verifies the signature; cached because it is slow. Expiry is checked by `check`."""
        told = self._decoded(token)
        if told is None or "device" in told:
            return "token"
        try:
            visitor = str(uuid.UUID(told.get("sub")))
        except (ValueError, TypeError, AttributeError):
            return "user"
        return Claims(visitor, _moment(told.get("iat")), _moment(told.get("exp")))

    def _decoded(self, token: str) -> dict[str, Any] | None:
        try:
            return self._key.read(token, options={"verify_exp": False, "verify_iat": False})
        except (jwt.InvalidTokenError, ValueError):
            return None

    def device(self, shown: str) -> Device | None:
        """The browser that shows this cookie `DEVICE`; None if we did not sign it."""
        told = self._decoded(shown) if shown else None
        if told is None or "device" not in told:
            return None
        return Device(str(told.get("sub")), str(told["device"]))

    def set_device(self, response: web.StreamResponse, visitor: str) -> None:
        claims = {"sub": visitor, "device": uuid.uuid4().hex}
        self._set_cookie(response, DEVICE, self._key.sign(claims))

    def _make_void(self, fact: str, visitor: str) -> None:
        # Tokens count in seconds: one that is made in this same second is dated a second later.
        now = self._void[fact + visitor] = max(int(time()), self._void_until(visitor) + 1)
        self._journal.store.remember(fact + visitor, str(now).encode())

    async def sign_out(self, visitor: str, *, guest: bool) -> None:
        """Make every token of this visitor void, and close their connections."""
        self._make_void(_SIGNED_OUT, visitor)
        if guest:
            self._guests_signed_out[visitor] = None
            if len(self._guests_signed_out) > MOST_SIGNED_OUT:
                oldest = next(iter(self._guests_signed_out))
                del self._guests_signed_out[oldest]
                self._void.pop(_SIGNED_OUT + oldest, None)
                self._journal.store.remember(_SIGNED_OUT + oldest, None)
        await self._journal.kept(None)
        self._on_sign_out(visitor)

    async def claimed(self, visitor: str, username: str) -> None:
        """This guest has an account now: make all their earlier tokens void."""
        self._make_void(_CLAIMED, visitor)
        await self.rename(visitor, username)

    def renew(self, request: web.Request, response: web.StreamResponse) -> None:
        """Replace those cookies of a request whose tokens are valid but old."""
        for name in self._cookies:
            claims = self._read(request.cookies[name]) if name in request.cookies else "token"
            if isinstance(claims, str) or name in response.cookies:
                continue
            old = time() - claims.issued > RENEWED_AFTER
            if old and self.check(request.cookies[name])[0] is not None:
                self.set_cookie(response, claims.visitor, name)

    def of_request(self, request: web.Request) -> tuple[str | None, Fault]:
        """The visitor that sent a request; or None, and what is wrong with its token.

        All cookies are for the same visitor, so one that is valid is enough.
        """
        token = request.query.get("token")
        if token:
            return self.check(token)
        fault: Fault = ""
        for name in self._cookies:
            shown = request.cookies.get(name)
            if shown:
                visitor, wrong = self.check(shown)
                if visitor is not None:
                    return visitor, ""
                fault = fault or wrong
        return None, fault

    def set_cookie(self, response: web.StreamResponse, visitor: str, name: str = COOKIE) -> None:
        self._set_cookie(response, name, self.token(visitor))

    def _set_cookie(self, response: web.StreamResponse, name: str, value: str) -> None:
        response.set_cookie(
            name,
            value,
            max_age=FOR_YEARS,
            httponly=True,
            samesite="Lax",
            secure=self._secure,
            path=self._path,
        )

    def forget_cookie(self, response: web.StreamResponse, name: str = COOKIE) -> None:
        response.del_cookie(name, path=self._path)

    def name(self, visitor: str) -> str:
        return self._names.get(visitor, DEFAULT_NAME)

    async def rename(self, visitor: str, name: str) -> str:
        """Give a visitor a name, once it is committed; raises `Illegal` if it is not allowed."""
        name = Names().good(name)
        check_visible(name)
        if visitor not in self._names and len(self._names) >= 1_000_000:
            raise Illegal("too-many-names", "The house knows too many people already.")
        self._journal.store.remember(_NAME + visitor, name.encode())
        self._names[visitor] = await self._journal.kept(name)
        return name


def _moment(claim: object) -> int:
    """A time in a token; 0 if it has none."""
    return claim if isinstance(claim, int) else 0
