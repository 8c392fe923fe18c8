"""`parlour wcp`, `parlour onu` and `parlour bot`: the relay's users, ONU tables, and bots.

What a command needs is imported when it runs, as in `cli.py`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from parlour.console import Data, Store, Url, Where, at_server, fail, out, say

if TYPE_CHECKING:
    from parlour.relay.manage import Everything

wcp_app = typer.Typer(help="Manage the relay's users and channels.", no_args_is_help=True)
user_app = typer.Typer(help="The users who may connect to the relay.", no_args_is_help=True)
channel_app = typer.Typer(help="The relay's channels.", no_args_is_help=True)
onu_app = typer.Typer(help="Open tables of ONU.", no_args_is_help=True)
bot_app = typer.Typer(help="Run bots that play over the relay.", no_args_is_help=True)
wcp_app.add_typer(user_app, name="user")
wcp_app.add_typer(channel_app, name="channel")


Name = Annotated[str, typer.Argument(help="Letters, digits, dots, dashes and underscores.")]
Server = Annotated[str, typer.Option(help="The server's address.")]
Channel = Annotated[str, typer.Option(help="The channel to play in.")]
User = Annotated[str, typer.Option(help="The user to connect as.")]
Password = Annotated[
    str,
    typer.Option(
        help="The user's password; if left out, the command asks for it.",
        envvar="PARLOUR_WCP_PASSWORD",
    ),
]


def _manage(where: Where, what: str, name: str = "", password: str = "") -> Everything:
    """Change the record: its file while no server runs, through the server while one does; a
    database at any time."""
    from parlour.relay.manage import Order, manage

    order = Order(what, name, password)
    return at_server(where, lambda config, url: manage(config, url, order))


@user_app.command("add")
def add_user(
    name: Name, password: Password = "", data: Data = None, store: Store = None, url: Url = None
) -> None:
    """Add a user, or change a user's password."""
    password = password or _asked_password(confirm=True)
    _manage((data, store, url), "add-user", name, password)
    say(f"{name} may connect.")


@user_app.command("list")
def list_users(data: Data = None, store: Store = None, url: Url = None) -> None:
    """List the users."""
    for name in _manage((data, store, url), "list").users:
        say(name)


@user_app.command("remove")
def remove_user(name: Name, data: Data = None, store: Store = None, url: Url = None) -> None:
    """Remove a user; open connections stay open."""
    _manage((data, store, url), "remove-user", name)
    say(f"{name} is removed.")


@channel_app.command("add")
def add_channel(name: Name, data: Data = None, store: Store = None, url: Url = None) -> None:
    """Add a channel."""
    _manage((data, store, url), "add-channel", name)
    say(f"Added the channel {name}.")


@channel_app.command("list")
def list_channels(data: Data = None, store: Store = None, url: Url = None) -> None:
    """List the channels."""
    for name in _manage((data, store, url), "list").channels:
        say(name)


@channel_app.command("remove")
def remove_channel(name: Name, data: Data = None, store: Store = None, url: Url = None) -> None:
    """Remove a channel; users who are in it stay until they leave."""
    _manage((data, store, url), "remove-channel", name)
    say(f"Removed the channel {name}.")


@onu_app.command("table")
def open_table(
    channel: Annotated[
        str, typer.Option(help="The channel to play in; by default a new one.")
    ] = "",
    url: Server = "http://localhost:3000",
    seat: Annotated[
        bool, typer.Option(help="Seat everybody who is in the channel, now and later.")
    ] = True,
    start: Annotated[
        int, typer.Option(min=0, max=7, help="Start automatically with so many players.")
    ] = 0,
    deck: Annotated[str, typer.Option(help="compact (54 cards) or classic (108).")] = "compact",
    pace: Annotated[
        float, typer.Option(min=0, help="1 is the usual pace, 0 shows no pauses.")
    ] = 1.0,
    bots: Annotated[int, typer.Option(min=0, max=6, help="Computer players at the table.")] = 0,
    take_over: Annotated[
        bool, typer.Option(help="Host even if somebody else already hosts there.")
    ] = False,
    onu_open_state: Annotated[
        bool, typer.Option(help="Send all hands to everybody on the relay, for old displays.")
    ] = False,
) -> None:
    """Open a table, seat the channel's users, and watch it. Enter starts a game."""
    from parlour.games.onu.client.terminal import show_table
    from parlour.terminal.remote import Refused

    settings: dict[str, object] = {
        "channel": channel,
        "autoSeat": seat,
        "autoStart": start,
        "deck": deck,
        "pace": pace,
        "takeOver": take_over,
        "openState": onu_open_state,
    }
    try:
        show_table(out.console, url, settings, bots)
    except Refused as no:
        fail(str(no))


@bot_app.command("onu")
def run_bot(
    channel: Channel,
    user: User,
    password: Password = "",
    url: Server = "ws://localhost:3000",
    name: Annotated[str, typer.Option(help="Its display name; by default the user's.")] = "",
    join: Annotated[bool, typer.Option(help="Take a seat; otherwise wait to be seated.")] = True,
) -> None:
    """Run the ONU document's bot: it joins the table in a channel and plays until Ctrl+C."""
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
