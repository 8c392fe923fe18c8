"""`parlour table`: what the operator can do at any table of a running server.

What a command needs is imported when it runs, as in `cli.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from parlour.console import Data, Store, Url, Where, at_server, say

if TYPE_CHECKING:
    from parlour.server.moderation import What

table_app = typer.Typer(
    help="Remove people from any table of a running server; lock or close it.",
    no_args_is_help=True,
)

Code = Annotated[str, typer.Argument(help="The table's code.")]
Who = Annotated[str, typer.Argument(help="A player's name, or their place (see `list`).")]


def _moderate(where: Where, what: What, code: str, who: str = "") -> None:
    """Do it, and print the tables it was done to."""
    from parlour.server.moderation import TableOrder, moderate

    order = TableOrder(what, code, who)
    for table in at_server(where, lambda config, url: moderate(config, url, order)).tables:
        locked = ", locked" if table.locked else ""
        say(f"{table.code}  {table.game}{locked}")
        for player in table.players:
            kind = "" if player.human else "  (bot)"
            say(f"  {player.place:>3}  {player.name}{kind}")


@table_app.command("list")
def show(
    code: Annotated[str, typer.Argument(help="One table; every public one if left out.")] = "",
    data: Data = None,
    store: Store = None,
    url: Url = None,
) -> None:
    """List tables with the places and names of their players."""
    _moderate((data, store, url), "list", code)


@table_app.command()
def kick(code: Code, who: Who, data: Data = None, store: Store = None, url: Url = None) -> None:
    """Remove somebody from a table; they can come back."""
    _moderate((data, store, url), "kick", code, who)


@table_app.command()
def ban(code: Code, who: Who, data: Data = None, store: Store = None, url: Url = None) -> None:
    """Remove somebody, and refuse them and their network address while the table is open."""
    _moderate((data, store, url), "ban", code, who)


@table_app.command()
def lock(code: Code, data: Data = None, store: Store = None, url: Url = None) -> None:
    """Lock a table: nobody else can sit down."""
    _moderate((data, store, url), "lock", code)


@table_app.command()
def unlock(code: Code, data: Data = None, store: Store = None, url: Url = None) -> None:
    """Unlock a table."""
    _moderate((data, store, url), "unlock", code)


@table_app.command()
def close(code: Code, data: Data = None, store: Store = None, url: Url = None) -> None:
    """Close a table; its finished matches keep their replays."""
    _moderate((data, store, url), "close", code)
