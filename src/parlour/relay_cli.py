"""`parlour wcp`, `parlour onu` and `parlour bot`: the relay's users, ONU tables, and bots.

What a command needs is imported when it runs, as in `cli.py`.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from parlour.console import fail, out

wcp_app = typer.Typer(help="Look after the relay's users and channels.", no_args_is_help=True)
user_app = typer.Typer(help="Who may connect to the relay.", no_args_is_help=True)
channel_app = typer.Typer(help="The relay's channels.", no_args_is_help=True)
onu_app = typer.Typer(help="Open tables of ONU.", no_args_is_help=True)
bot_app = typer.Typer(help="Run bots that play over the relay.", no_args_is_help=True)
wcp_app.add_typer(user_app, name="user")
wcp_app.add_typer(channel_app, name="channel")


Data = Annotated[str | None, typer.Option(help="Folder of the log; as for `parlour serve`.")]
Store = Annotated[str | None, typer.Option(help="Database of the record; as for `parlour serve`.")]
Url = Annotated[
    str | None, typer.Option(help="A running server of that folder; on its usual port if left out.")
]
Name = Annotated[str, typer.Argument(help="Letters, digits, dots, dashes and underscores.")]
Server = Annotated[str, typer.Option(help="The server's address.")]
Channel = Annotated[str, typer.Option(help="The channel to play in.")]
User = Annotated[str, typer.Option(help="The user to connect as.")]
Password = Annotated[
    str,
    typer.Option(
        help="Their password; asked for if it is left out and there is somebody to ask.",
        envvar="PARLOUR_WCP_PASSWORD",
    ),
]


def _manage(
    where: tuple[str | None, str | None, str | None],
    what: str,
    name: str = "",
    password: str = "",
) -> Any:
    """Change the record: its file while no server runs, through the server while one does; a
    database at any time. `where` is the folder, the database and the server's address."""
    import asyncio

    from parlour.kit import Illegal
    from parlour.relay.manage import Order, manage
    from parlour.server.config import BadConfig, load
    from parlour.store import StoreTrouble

    try:
        data, store, url = where
        config, _ = load({"data": data, "store": store})
        return asyncio.run(manage(config, url, Order(what, name, password)))
    except (BadConfig, StoreTrouble) as wrong:
        fail(str(wrong))
    except Illegal as no:
        fail(no.sentence)


def _print_all(names: list[str]) -> None:
    for name in names:
        out.print(name, markup=False, soft_wrap=True)


@user_app.command("add")
def add_user(
    name: Name, password: Password = "", data: Data = None, store: Store = None, url: Url = None
) -> None:
    """Let a user connect, or give one another password."""
    password = password or _asked_password(confirm=True)
    _manage((data, store, url), "add-user", name, password)
    out.print(f"{name} may connect.", markup=False)


@user_app.command("list")
def list_users(data: Data = None, store: Store = None, url: Url = None) -> None:
    """List the users."""
    _print_all(_manage((data, store, url), "list").users)


@user_app.command("remove")
def remove_user(name: Name, data: Data = None, store: Store = None, url: Url = None) -> None:
    """Let a user connect no more; who is connected stays."""
    _manage((data, store, url), "remove-user", name)
    out.print(f"{name} is removed.", markup=False)


@channel_app.command("add")
def add_channel(name: Name, data: Data = None, store: Store = None, url: Url = None) -> None:
    """Make a channel."""
    _manage((data, store, url), "add-channel", name)
    out.print(f"The channel {name} is there.", markup=False)


@channel_app.command("list")
def list_channels(data: Data = None, store: Store = None, url: Url = None) -> None:
    """List the channels."""
    _print_all(_manage((data, store, url), "list").channels)


@channel_app.command("remove")
def remove_channel(name: Name, data: Data = None, store: Store = None, url: Url = None) -> None:
    """Remove a channel; who is in it stays until they leave."""
    _manage((data, store, url), "remove-channel", name)
    out.print(f"The channel {name} is removed.", markup=False)


@onu_app.command("table")
def open_table(
    channel: Annotated[
        str, typer.Option(help="The channel to play in; left out, the table makes one.")
    ] = "",
    url: Server = "http://localhost:3000",
    seat: Annotated[
        bool, typer.Option(help="Seat everybody who is in the channel, now and later.")
    ] = True,
    start: Annotated[
        int, typer.Option(min=0, max=7, help="Start by itself with so many players.")
    ] = 0,
    deck: Annotated[str, typer.Option(help="compact (54 cards) or classic (108).")] = "compact",
    pace: Annotated[float, typer.Option(min=0, help="1 as windows expect, 0 at once.")] = 1.0,
    bots: Annotated[int, typer.Option(min=0, max=6, help="Computer players at the table.")] = 0,
    take_over: Annotated[bool, typer.Option(help="Host even if somebody says they do.")] = False,
    onu_open_state: Annotated[
        bool, typer.Option(help="Show all hands over the relay to all, for old displays.")
    ] = False,
) -> None:
    """Open a table, seat who is there, and watch it. Enter starts a game."""
    import asyncio

    from parlour.games.onu.client.terminal import CannotOpen, show_table

    settings = {
        "channel": channel,
        "autoSeat": seat,
        "autoStart": start,
        "deck": deck,
        "pace": pace,
        "takeOver": take_over,
        "openState": onu_open_state,
    }
    try:
        asyncio.run(show_table(out.console, url, settings, bots))
    except CannotOpen as no:
        fail(str(no))
    except KeyboardInterrupt:
        out.print("The table stays open; its players play on.")


@bot_app.command("onu")
def run_bot(
    channel: Channel,
    user: User,
    password: Password = "",
    url: Server = "ws://localhost:3000",
    name: Annotated[str, typer.Option(help="Its display name; the user's if left out.")] = "",
    join: Annotated[bool, typer.Option(help="Take a seat; otherwise wait to be seated.")] = True,
) -> None:
    """The bot of the ONU document: joins the table in a channel, and plays until Ctrl+C."""
    from parlour.onu import DocumentBot

    password = password or _asked_password()
    out.print(f"{name or user} plays in {channel}. Stop with Ctrl+C.", markup=False)
    try:
        DocumentBot(name, join=join).run(url, channel, user, password)
    except ConnectionError as no:
        fail(str(no))


def _asked_password(confirm: bool = False) -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n") if confirm else ""
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=confirm))
