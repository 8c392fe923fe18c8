"""Users and channels from the command line: in the record, or through the server that holds it.

One process at a time has a data folder, and a lock keeps others out. While a server runs it is
asked over HTTP, by who can read the key in its data folder and sign an order with it. A database is
changed as it is: whatever nodes there are learn of it.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

import aiohttp
import jwt
import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from parlour.games import installed_games
from parlour.kit import Illegal
from parlour.server.config import Config
from parlour.server.sessions import load_key
from parlour.store import SqliteStore, StoreTrouble
from parlour.wcp.registry import Facts, Registry

PATH: Final = "/api/wcp"
_AUDIENCE: Final = "parlour-wcp"
_GOOD_FOR: Final = 60
"""Seconds."""


class Order(msgspec.Struct, frozen=True):
    """What is to be done to the users and channels."""

    what: str
    name: str = ""
    password: str = ""


class SignedOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The same, as a server is sent it: a short-lived token, signed with the server's own key."""

    order: str


class Everything(msgspec.Struct, frozen=True):
    """All users and channels, after it was done."""

    users: list[str]
    channels: list[str]


def carry_out(registry: Registry, order: Order) -> Everything:
    """Do it, or raise `Illegal`."""
    match order.what:
        case "list":
            pass
        case "add-user":
            registry.add_user(order.name, order.password)
        case "remove-user":
            registry.remove_user(order.name)
        case "add-channel":
            registry.add_channel(order.name)
        case "remove-channel":
            registry.remove_channel(order.name)
        case _:
            raise Illegal("bad-message", f"There is nothing like {order.what} to do.")
    return Everything(registry.users(), registry.channels())


def sign(key: Ed25519PrivateKey, order: Order) -> SignedOrder:
    claims = {
        "aud": _AUDIENCE,
        "exp": int(time.time()) + _GOOD_FOR,
        "order": msgspec.to_builtins(order),
    }
    return SignedOrder(jwt.encode(claims, key, algorithm="EdDSA"))


def verified(key: Ed25519PublicKey, signed: SignedOrder) -> Order:
    """The order, if it was signed with this key a moment ago."""
    try:
        claims = jwt.decode(signed.order, key, algorithms=["EdDSA"], audience=_AUDIENCE)
        return msgspec.convert(claims.get("order"), Order)
    except (jwt.InvalidTokenError, ValueError):
        raise Illegal("bad-token", "This order is not signed with the server's key.") from None


async def manage(config: Config, url: str | None, order: Order) -> Everything:
    """From the command line. Raises `Illegal`, or `StoreTrouble` if neither way is open."""
    if config.store is not None:
        return await _in_database(config.store, order)
    if config.data == ":memory:":
        raise StoreTrouble("There is no data folder to change: name one with --data.")
    folder = Path(config.data)
    if not folder.is_dir():  # noqa: ASYNC240 - a command has nothing else to do
        raise StoreTrouble(f"There is no data folder {folder}: name one with --data.")
    try:
        store = SqliteStore(folder / "parlour.sqlite")
    except StoreTrouble:
        return await _through_server(config, folder, url, order)
    await store.start()
    try:
        return await _in_record(store, order)
    finally:
        await store.stop()


async def _in_database(url: str, order: Order) -> Everything:
    try:
        from parlour.store.postgres_facts import PostgresFacts
    except ImportError:
        raise StoreTrouble(
            "PostgreSQL needs another package: pip install 'parlour[postgres]'."
        ) from None
    async with PostgresFacts(url) as facts:
        return await _in_record(facts, order)


async def _in_record(facts: Facts, order: Order) -> Everything:
    taken = {
        path.split("/")[1] for game in installed_games() for w in game.wires for path in w.paths
    }
    registry = Registry(facts, taken)
    await registry.load()
    return carry_out(registry, order)


async def _through_server(
    config: Config, folder: Path, url: str | None, order: Order
) -> Everything:
    scheme = "https" if config.tls_cert else "http"
    base = (url or f"{scheme}://localhost:{config.port}").rstrip("/")
    body = msgspec.to_builtins(sign(load_key(folder), order))
    try:
        async with aiohttp.ClientSession() as http, http.post(base + PATH, json=body) as answer:
            told = await answer.read()
            if answer.status == 200:
                return msgspec.json.decode(told, type=Everything)
            no = msgspec.json.decode(told)["error"]
    except (aiohttp.ClientError, msgspec.DecodeError, KeyError, TypeError):
        raise StoreTrouble(
            f"The data folder {folder} is in use, but no server of it answers at {base}. "
            "Say where it is with --url."
        ) from None
    raise Illegal(str(no["code"]), str(no["message"]))
