"""`parlour table`: what the operator may do at any table of a running server.

What a command needs is imported when it runs, as in `cli.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from parlour.console import fail, out
from parlour.relay_cli import Data, Store, Url

if TYPE_CHECKING:
    from parlour.server.moderation import What

table_app = typer.Typer(
    help="Put people out of any table of a running server, or lock it.", no_args_is_help=True
)

Code = Annotated[str, typer.Argument(help="The table's code.")]
Who = Annotated[str, typer.Argument(help="A player's name, or their place (see `list`).")]


def _moderate(
    where: tuple[str | None, str | None, str | None], what: What, code: str = "", who: str = ""
) -> None:
    """Do it, and print the tables it was done to."""
    import asyncio

    from parlour.kit import Illegal
    from parlour.server.config import BadConfig, load
    from parlour.server.moderation import TableOrder, moderate
    from parlour.store import StoreTrouble

    try:
        data, store, url = where
        config, _ = load({"data": data, "store": store})
        tables = asyncio.run(moderate(config, url, TableOrder(what, code, who))).tables
    except ImportError:
        fail("PostgreSQL needs another package: pip install 'parlour[postgres]'.")
    except (BadConfig, StoreTrouble) as wrong:
        fail(str(wrong))
    except Illegal as no:
        fail(no.sentence)
    for table in tables:
        locked = ", locked" if table.locked else ""
        _say(f"{table.code}  {table.game}{locked}")
        for player in table.players:
            kind = "" if player.human else "  (bot)"
            _say(f"  {player.place:>3}  {player.name}{kind}")


def _say(line: str) -> None:
    out.print(line, markup=False, soft_wrap=True)


@table_app.command("list")
def show(
    code: Annotated[str, typer.Argument(help="One table; every public one if left out.")] = "",
    data: Data = None,
    store: Store = None,
    url: Url = None,
) -> None:
    """List tables with who sits there: the places, and the names."""
    _moderate((data, store, url), "list", code)


@table_app.command()
def kick(code: Code, who: Who, data: Data = None, store: Store = None, url: Url = None) -> None:
    """Put somebody out; they may come back."""
    _moderate((data, store, url), "kick", code, who)


@table_app.command()
def ban(code: Code, who: Who, data: Data = None, store: Store = None, url: Url = None) -> None:
    """Put somebody out for as long as the table is open, and their address too."""
    _moderate((data, store, url), "ban", code, who)


@table_app.command()
def lock(code: Code, data: Data = None, store: Store = None, url: Url = None) -> None:
    """Let nobody else sit down."""
    _moderate((data, store, url), "lock", code)


@table_app.command()
def unlock(code: Code, data: Data = None, store: Store = None, url: Url = None) -> None:
    """Let people sit down again."""
    _moderate((data, store, url), "unlock", code)
