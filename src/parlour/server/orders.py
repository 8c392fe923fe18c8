"""Orders of the operator: over HTTP, each signed with the server's own key and good for a minute.

The key is in the data folder, or in the database that several nodes share. Whoever can read it may
give orders: there is no other password.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final, TypeVar

import aiohttp
import jwt
import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from parlour.kit import Illegal
from parlour.server.config import Config
from parlour.server.sessions import KEY_FACT, from_pem, load_key
from parlour.store import StoreTrouble

T = TypeVar("T")

_GOOD_FOR: Final = 60
"""Seconds."""


class SignedOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An order as a server is sent it: a short-lived token."""

    order: str


def sign(key: Ed25519PrivateKey, audience: str, order: Any) -> SignedOrder:
    claims = {
        "aud": audience,
        "exp": int(time.time()) + _GOOD_FOR,
        "order": msgspec.to_builtins(order),
    }
    return SignedOrder(jwt.encode(claims, key, algorithm="EdDSA"))


def verified(key: Ed25519PublicKey, audience: str, signed: SignedOrder, kind: type[T]) -> T:
    """The order, if it was signed with this key, for this purpose, a moment ago."""
    try:
        claims = jwt.decode(signed.order, key, algorithms=["EdDSA"], audience=audience)
        return msgspec.convert(claims.get("order"), kind)
    except (jwt.InvalidTokenError, ValueError):
        raise Illegal("bad-token", "This order is not signed with the server's key.") from None


async def _signing_key(config: Config) -> Ed25519PrivateKey:
    """The key of the server with these settings; `StoreTrouble` if there is none."""
    if config.store is not None:
        from parlour.store.postgres_facts import PostgresFacts

        async with PostgresFacts(config.store) as facts:
            kept = (await facts.recall(KEY_FACT)).get(KEY_FACT)
        if kept is None:
            raise StoreTrouble("The database has no key: no server has used it yet.")
        return from_pem(kept, "The record")
    folder = Path(config.data)
    if not (folder / "session.key").is_file():
        raise StoreTrouble(f"There is no server's key in {folder}: name its folder with --data.")
    return load_key(folder)


async def send(
    config: Config, url: str | None, path: str, audience: str, order: Any, kind: type[T]
) -> T:
    """Have a running server carry out an order; gives its answer, or raises `Illegal`."""
    scheme = "https" if config.tls_cert else "http"
    base = (url or f"{scheme}://localhost:{config.port}").rstrip("/")
    sent = msgspec.to_builtins(sign(await _signing_key(config), audience, order))
    try:
        async with aiohttp.ClientSession() as http, http.post(base + path, json=sent) as answer:
            told = await answer.read()
            if answer.status == 200:
                return msgspec.json.decode(told, type=kind)
            no = msgspec.json.decode(told)["error"]
    except (aiohttp.ClientError, msgspec.DecodeError, KeyError, TypeError):
        raise StoreTrouble(f"No server answers at {base}. Say where it is with --url.") from None
    raise Illegal(str(no["code"]), str(no["message"]))
