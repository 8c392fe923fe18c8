"""`parlour admin`: the link to the operator's page, and the accounts that may open it without one.

What a command needs is imported when it runs, as in `cli.py`.
"""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from parlour.console import Data, Store, Url, Where, at_server, say

admin_app = typer.Typer(help="Open the operator's page (/admin) of a server.")

Account = Annotated[str, typer.Argument(help="The account's name.")]


@admin_app.callback(invoke_without_command=True)
def link(context: typer.Context, data: Data = None, store: Store = None, url: Url = None) -> None:
    """Print a link to the operator's page. It works once, within ten minutes.

    The browser that opens it may use the page for twelve hours.
    """
    if context.invoked_subcommand is not None:
        return
    from parlour.server.admin.operators import link_to_page

    typer.echo(at_server((data, store, url), link_to_page))


def _change(where: Where, what: Literal["list", "grant", "revoke"], name: str = "") -> None:
    """Carry it out, and print who has the right then."""
    from datetime import datetime

    from parlour.server.admin.operators import RightsOrder, change_rights

    order = RightsOrder(what, name)
    told = at_server(where, lambda config, url: change_rights(config, url, order))
    for right in told.rights:
        if right.account:
            say(right.name)
        else:
            say(f"a browser ({right.name}), until {datetime.fromtimestamp(right.until):%H:%M}")
    if not told.rights:
        say("Nobody has the operator's right; `parlour admin` prints a link.")


@admin_app.command("list")
def show(data: Data = None, store: Store = None, url: Url = None) -> None:
    """List the accounts and browsers that may use the operator's page."""
    _change((data, store, url), "list")


@admin_app.command()
def grant(name: Account, data: Data = None, store: Store = None, url: Url = None) -> None:
    """Let an account use the operator's page."""
    _change((data, store, url), "grant", name)


@admin_app.command()
def revoke(name: Account, data: Data = None, store: Store = None, url: Url = None) -> None:
    """Take the operator's right from an account, or from a browser in the list."""
    _change((data, store, url), "revoke", name)
