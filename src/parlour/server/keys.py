"""The key that signs tokens and operators' orders.

It is kept in the data folder, or in a database that several nodes share. Anybody who can read it
can sign in as anybody else.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from parlour.server.config import BadConfig
from parlour.store import Store

KEY_FACT: Final = "key:session"
"""The fact in which nodes that share a database keep it."""


class SigningKey:
    """An Ed25519 key: makes and reads signed JSON web tokens."""

    def __init__(self, private: Ed25519PrivateKey | None = None) -> None:
        """Without `private`, a new key."""
        self._set(private or Ed25519PrivateKey.generate())

    def _set(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self._public = private.public_key()

    async def share(self, store: Store) -> None:
        """Use the key that the nodes of this database share; if there is none yet, it is this."""
        self._set(_read_pem(await store.remember_first(KEY_FACT, self.pem), "The record"))

    @classmethod
    def of_fact(cls, pem: bytes) -> SigningKey:
        return cls(_read_pem(pem, "The record"))

    @classmethod
    def of_folder(cls, folder: Path) -> SigningKey:
        """The key of a data folder; a new one is written if there is none."""
        path = folder / "session.key"
        if path.exists():
            try:
                pem = path.read_bytes()
            except OSError:
                pem = b""
            return cls(_read_pem(pem, f"The key file {path}"))
        key = cls()
        fresh = folder / "session.key.new"
        try:
            handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(key.pem)
                file.flush()
                os.fsync(file.fileno())
            # Renamed into place: half a key, left by a crash, would lock everybody out.
            fresh.replace(path)
        except OSError as wrong:
            raise BadConfig(f"The key file {path} can't be written: {wrong.strerror}.") from None
        return key

    @property
    def pem(self) -> bytes:
        return self._private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )

    def sign(self, claims: Mapping[str, object]) -> str:
        return jwt.encode(dict(claims), self._private, algorithm="EdDSA")

    def read(self, token: str, **checks: Any) -> dict[str, Any]:
        """The claims of a token; `jwt.InvalidTokenError` or `ValueError` if it is not valid."""
        return jwt.decode(token, self._public, algorithms=["EdDSA"], **checks)


def _read_pem(pem: bytes, where: str) -> Ed25519PrivateKey:
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
