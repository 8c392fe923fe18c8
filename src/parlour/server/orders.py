"""Orders of the operator: sent over HTTP, each signed with the server's key and valid for a minute.

Anybody who can read the key may give orders: there is no other password.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final, TypeVar

import aiohttp
import jwt
import msgspec

from parlour.kit import Illegal
from parlour.server.config import Config
from parlour.server.keys import KEY_FACT, SigningKey
from parlour.store import StoreTrouble

T = TypeVar("T")

_GOOD_FOR: Final = 60
"""Seconds."""


class SignedOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An order as a server is sent it: a short-lived token."""

    order: str


def sign(key: SigningKey, audience: str, order: object, good_for: int = _GOOD_FOR) -> SignedOrder:
    expires = int(time.time()) + good_for
    claims = {"aud": audience, "exp": expires, "order": msgspec.to_builtins(order)}
    return SignedOrder(key.sign(claims))


def verified(key: SigningKey, audience: str, signed: SignedOrder, kind: type[T]) -> T:
    """The order, if it was signed with this key, for this purpose, a moment ago."""
    try:
        return msgspec.convert(key.read(signed.order, audience=audience).get("order"), kind)
    except (jwt.InvalidTokenError, ValueError):
        raise Illegal("bad-token", "This order is not signed with the server's key.") from None


async def signing_key(config: Config) -> SigningKey:
    """The key of the server with these settings; `StoreTrouble` if there is none."""
    if config.store is not None:
        from parlour.store.postgres_facts import postgres_facts

        async with postgres_facts(config.store) as facts:
            kept = (await facts.recall(KEY_FACT)).get(KEY_FACT)
        if kept is None:
            raise StoreTrouble("The database has no key: no server has used it yet.")
        return SigningKey.of_fact(kept)
    folder = Path(config.data)
    if not (folder / "session.key").is_file():
        raise StoreTrouble(f"There is no server's key in {folder}: name its folder with --data.")
    return SigningKey.of_folder(folder)


def address_of(config: Config) -> str:
    """Where a server with these settings answers on this machine."""
    return f"{'https' if config.tls_cert else 'http'}://localhost:{config.port}"


async def send(
    config: Config, url: str | None, path: str, audience: str, order: object, kind: type[T]
) -> T:
    """Have a running server carry out an order; returns its answer, or raises `Illegal`."""
    base = (url or address_of(config)).rstrip("/")
    sent = msgspec.to_builtins(sign(await signing_key(config), audience, order))
    try:
        async with aiohttp.ClientSession() as http, http.post(base + path, json=sent) as answer:
            told = await answer.read()
            if answer.status == 200:
                return msgspec.json.decode(told, type=kind)
            no = msgspec.json.decode(told)["error"]
    except (aiohttp.ClientError, msgspec.DecodeError, KeyError, TypeError):
        raise StoreTrouble(f"No server answers at {base}. Say where it is with --url.") from None
    raise Illegal(str(no["code"]), str(no["message"]))
