"""Who a visitor is: a signed token that says so, in a cookie or a query.

The token is an EdDSA JWT with the visitor's id as its subject. Guests need nothing more;
nothing about them is stored but the name they chose.
"""

from __future__ import annotations

import os
import uuid
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeAlias

import jwt
from aiohttp import web
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from parlour.house import Journal
from parlour.kit import Illegal
from parlour.server.config import BadConfig
from parlour.table.lobby import plain_name

COOKIE = "parlour_session"
FOR_YEARS = 400 * 24 * 3600
"""Browsers keep a cookie no longer than 400 days, whatever one asks."""
DEFAULT_NAME = "Player"
_NAME = "name:"
KEY_FACT = "key:session"

Fault: TypeAlias = Literal["", "token", "user"]
"""Nothing wrong; a token that is not ours; a token of ours that names nobody."""


class SigningKey:
    """The key that signs tokens: in the data folder, or in a record that several nodes share."""

    def __init__(self, private: Ed25519PrivateKey | None) -> None:
        """None: it is `load`ed from the record before anybody comes."""
        if private is not None:
            self._set(private)

    def _set(self, private: Ed25519PrivateKey) -> None:
        self.private = private
        self.public: Ed25519PublicKey = private.public_key()

    async def load(self, journal: Journal) -> None:
        """From the record, where it is made when first needed; unless a folder had one."""
        if hasattr(self, "private"):
            return
        kept = await journal.remember_first(KEY_FACT, as_pem(Ed25519PrivateKey.generate()))
        self._set(from_pem(kept, "The record"))


class Sessions:
    """Makes and checks tokens; remembers visitors' names."""

    def __init__(
        self,
        key: SigningKey,
        journal: Journal,
        secure: bool,
        cookies: tuple[str, ...] = (),
    ) -> None:
        """`cookies` are further names under which some protocols' clients keep the token."""
        self._key = key
        self._journal = journal
        self._secure = secure
        self._cookies = (COOKIE, *cookies)
        self._names: dict[str, str] = {}
        self._check = lru_cache(maxsize=4096)(self._verify)
        journal.watch(_NAME, self._learn, self.load)

    async def load(self) -> None:
        """Recall all names."""
        self._names = {
            key.removeprefix(_NAME): name.decode()
            for key, name in (await self._journal.recall(_NAME)).items()
        }

    def _learn(self, key: str, name: bytes | None) -> None:
        if name is not None:
            self._names[key.removeprefix(_NAME)] = name.decode()

    def new_visitor(self) -> str:
        return str(uuid.uuid4())

    def token(self, visitor: str) -> str:
        return jwt.encode({"sub": visitor}, self._key.private, algorithm="EdDSA")

    def visitor(self, token: str) -> str | None:
        """Whose token this is, or None if it is not one of ours or names nobody."""
        return self._check(token)[0]

    def _verify(self, token: str) -> tuple[str | None, Fault]:
        try:
            subject = jwt.decode(token, self._key.public, algorithms=["EdDSA"]).get("sub")
        except (jwt.InvalidTokenError, ValueError):
            return None, "token"
        try:
            return str(uuid.UUID(subject)), ""
        except (ValueError, TypeError, AttributeError):
            return None, "user"

    def of_request(self, request: web.Request) -> tuple[str | None, Fault]:
        """The visitor a request proves to come from, and what is wrong with what it showed.

        All cookies are one identity: whichever of them is good speaks for all.
        """
        token = request.query.get("token")
        if token:
            return self._check(token)
        fault: Fault = ""
        for name in self._cookies:
            shown = request.cookies.get(name)
            if shown:
                visitor, wrong = self._check(shown)
                if visitor is not None:
                    return visitor, ""
                fault = fault or wrong
        return None, fault

    def set_cookie(self, response: web.StreamResponse, visitor: str, name: str = COOKIE) -> None:
        response.set_cookie(
            name,
            self.token(visitor),
            max_age=FOR_YEARS,
            httponly=True,
            samesite="Lax",
            secure=self._secure,
            path="/",
        )

    def name(self, visitor: str) -> str:
        return self._names.get(visitor, DEFAULT_NAME)

    async def rename(self, visitor: str, name: str) -> str:
        """Remember what a visitor wants to be called; raises `Illegal` for what is no name.

        It is a name once it is kept, and not before.
        """
        name = plain_name(name)
        if visitor not in self._names and len(self._names) >= 1_000_000:
            raise Illegal("too-many-names", "The house knows too many people already.")
        self._journal.remember(_NAME + visitor, name.encode())
        self._names[visitor] = await self._journal.kept(name)
        return name


def load_key(folder: Path | None) -> Ed25519PrivateKey:
    """The key that signs tokens: kept in the data folder, made when first needed."""
    if folder is None:
        return Ed25519PrivateKey.generate()
    path = folder / "session.key"
    if path.exists():
        try:
            pem = path.read_bytes()
        except OSError:
            pem = b""
        return from_pem(pem, f"The key file {path}")
    key = Ed25519PrivateKey.generate()
    pem = as_pem(key)
    fresh = folder / "session.key.new"
    try:
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        # Renamed into place: a crash must not leave half a key, which would lock everybody out.
        fresh.replace(path)
    except OSError as wrong:
        raise BadConfig(f"The key file {path} can't be written: {wrong.strerror}.") from None
    return key


def as_pem(key: Ed25519PrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def from_pem(pem: bytes, where: str) -> Ed25519PrivateKey:
    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except (TypeError, ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise BadConfig(
            f"{where} can't be used: it holds no Ed25519 key. Without it a new one is made, and "
            "everybody is a newcomer."
        )
    return key
