"""Users and channels from the command line: in the data folder, the database, or through a server.

Only one process at a time may open a data folder. While a server has it, the command asks the
server over HTTP (`server/orders.py`). A PostgreSQL database is changed directly: running nodes are
notified of the change.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from parlour.games import installed_games
from parlour.kit import Illegal
from parlour.relay.hosting import installed_hosts
from parlour.relay.registry import Facts, Registry
from parlour.server.config import Config, is_folder
from parlour.server.orders import send
from parlour.store import InUse, StoreTrouble
from parlour.store.sqlite import SqliteStore

PATH: Final = "/api/wcp"
AUDIENCE: Final = "parlour-wcp"


class Order(msgspec.Struct, frozen=True):
    """A change of the users and channels."""

    what: str
    name: str = ""
    password: str = ""


class Everything(msgspec.Struct, frozen=True):
    """All users and channels, after it was done."""

    users: list[str]
    channels: list[str]


def carry_out(registry: Registry, order: Order) -> Everything:
    """Make the change, or raise `Illegal`."""
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


async def manage(config: Config, url: str | None, order: Order) -> Everything:
    """Make a change from the command line. Raises `Illegal`, or `StoreTrouble`."""
    if config.store is not None:
        return await _in_database(config.store, order)
    if config.data == ":memory:":
        raise StoreTrouble("There is no data folder to change: name one with --data.")
    folder = Path(config.data)
    if not is_folder(config.data):
        raise StoreTrouble(f"There is no data folder {folder}: name one with --data.")
    try:
        store = SqliteStore(folder / "parlour.sqlite")
    except InUse:
        return await send(config, url, PATH, AUDIENCE, order, Everything)
    await store.start()
    try:
        return await _in_record(store, order)
    finally:
        await store.stop()


async def _in_database(url: str, order: Order) -> Everything:
    try:
        from parlour.store.postgres_facts import postgres_facts
    except ImportError:
        raise StoreTrouble(
            "PostgreSQL needs another package: pip install 'parlour[postgres]'."
        ) from None
    async with postgres_facts(url) as facts:
        return await _in_record(facts, order)


async def _in_record(facts: Facts, order: Order) -> Everything:
    paths = {path for game in installed_games() for wire in game.wires for path in wire.paths}
    hosts = [host.user for host in installed_hosts().values()]
    registry = Registry(facts, (*hosts, *(path.split("/")[1] for path in paths)))
    await registry.load()
    return carry_out(registry, order)
