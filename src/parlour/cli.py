"""The command line: `parlour serve`, `parlour play`, and what bot authors and hosts need.

What a command needs is imported when it runs: `--help` and completion should not have to wait
for a server they do not start.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, get_args

import msgspec
import typer

from parlour.admin_cli import admin_app
from parlour.console import errors, escape, fail, one_sentence, out, say, say_rows
from parlour.data_cli import data_app
from parlour.games_cli import GamesCommand, arena, learn, mo_app, play, protocol, watch
from parlour.nodes_cli import drain, nodes
from parlour.packs_cli import packs_app
from parlour.relay_cli import bot_app, onu_app, wcp_app
from parlour.replays_cli import debug, replay_app, verify
from parlour.server.config import BadConfig, Config, load, shown
from parlour.tables_cli import table_app

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from parlour.server.server import Server

app = typer.Typer(
    name="parlour",
    no_args_is_help=True,
    # Plain help: the pretty one takes twice as long to be printed.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command(cls=GamesCommand)(play)
app.command(cls=GamesCommand)(learn)
app.command()(watch)
app.add_typer(mo_app, name="mo")
app.add_typer(packs_app, name="packs")
app.add_typer(data_app, name="data")
app.add_typer(replay_app, name="replay")
app.command()(verify)
app.command()(debug)
app.add_typer(onu_app, name="onu")
app.add_typer(bot_app, name="bot")
app.add_typer(wcp_app, name="wcp")
app.add_typer(table_app, name="table")
app.add_typer(admin_app, name="admin")
app.command()(arena)
app.command()(protocol)
app.command()(nodes)
app.command()(drain)


def _flag(name: str, kind: object, text: str, default: object = None) -> inspect.Parameter:
    """A flag whose help shows the default."""
    if isinstance(default, tuple):
        default = ",".join(default)
    shown = "" if default in (None, [], {}, False) else f" [{default}]"
    # Numbers are read as text, too: our own error message is clearer.
    yes_or_no = kind in (bool, bool | None)
    metavar = None if yes_or_no else "NUMBER" if kind is int or kind is float else "TEXT"
    flag = name.replace("_", "-")
    option = typer.Option(
        f"--{flag}/--no-{flag}" if yes_or_no else f"--{flag}",
        help=text + shown,
        show_default=False,
        metavar=metavar,
    )
    taken: Any = bool | None if yes_or_no else str | None
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[taken, option]
    )


def _configured(command: Callable[[Config, dict[str, str]], None]) -> Callable[..., None]:
    """A command with one flag per setting; it is given the settings and where each comes from."""
    flags = [_flag("config", str, "TOML file to read.", "parlour.toml")]
    for field in msgspec.structs.fields(Config):
        kind, *_, about = get_args(field.type)
        flags.append(_flag(field.name, kind, about.description, getattr(Config(), field.name)))

    @functools.wraps(command)
    def run(config: str | None, **told: object) -> None:
        with one_sentence():
            settings, source = load(told, file=config)
        command(settings, source)

    run.__signature__ = inspect.Signature(flags)  # type: ignore[attr-defined]
    return run


@app.command()
@_configured
def serve(settings: Config, source: dict[str, str]) -> None:
    """Start the server: all games, the page and the log, on one port.

    Every flag is also an environment variable (PARLOUR_LOG_LEVEL) and a key of the TOML file
    (log_level). Flags override variables, and variables override the file.
    """
    import asyncio
    import logging
    import signal

    # SIGHUP never ends the process: once it runs, the server reloads its files on it.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    from parlour.server.ports import CannotStart
    from parlour.store import StoreTrouble

    logging.basicConfig(
        level=settings.log_level.upper(), format="%(asctime)s %(levelname)-7s %(name)s: %(message)s"
    )
    try:
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            runner.run(_serve(settings))
    except (CannotStart, StoreTrouble, BadConfig) as wrong:
        fail(str(wrong))


async def _serve(settings: Config) -> None:
    from parlour.server.running import serve

    await serve(settings, _welcome)


def loop_factory() -> Callable[[], AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def _welcome(server: Server, found: int) -> None:
    """Print the addresses; a standard output that can't be written does not end the server."""
    try:
        _print_addresses(server, found)
    except OSError as wrong:
        errors.print(f"Standard output can't be written: {wrong.strerror}.", markup=False)
        # Otherwise Python would try to write the rest again at exit, and fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_addresses(server: Server, found: int) -> None:
    from parlour.server.addresses import local_url, network_url

    config = server.config
    addresses = {
        "Play on this machine": local_url(config, server.port),
        "Others on your network": None if config.public_url else network_url(config, server.port),
        "Everybody": config.public_url,
    }
    out.print()
    out.print(f"  [bold]Parlour {_version()}[/] is open.")
    out.print()
    for who, address in addresses.items():
        if address:
            # An IPv6 address stands in brackets, which are markup here.
            out.print(f"  {who:<22} [bold cyan]{escape(address)}[/]", soft_wrap=True)
    if found:
        tables = (
            "1 table goes on where it was"
            if found == 1
            else f"{found} tables go on where they were"
        )
        out.print(f"  {tables}.")
    out.print("  Stop with Ctrl+C; games under way are kept.")
    out.print()


@app.command("config")
@_configured
def show_config(settings: Config, source: dict[str, str]) -> None:
    """Print all settings, and where each value comes from."""
    fields = Config.__struct_fields__
    rows = [(f, shown(f, getattr(settings, f)), source.get(f, "default")) for f in fields]
    styles = ["dim" if origin == "default" else None for _, _, origin in rows]
    say_rows([("setting", "value", "from"), *rows], ["bold", *styles])


def _version() -> str:
    from importlib.metadata import version

    return version("parlour")


@app.command()
def doctor(
    url: Annotated[
        str, typer.Argument(help="The address people use, for example https://cards.example.")
    ],
) -> None:
    """Test a server from outside, and say what is wrong with it.

    Exit code 1 if something is wrong. Run it where your players are, not on the server.
    """
    import asyncio

    from parlour.console import shortened
    from parlour.doctor import Finding, examine

    marks = {"good": "[green]good[/]  ", "doubtful": "[yellow]doubt[/] ", "wrong": "[red]WRONG[/] "}

    async def tell() -> list[Finding]:
        found: list[Finding] = []
        async for finding in examine(url):
            found.append(finding)
            sentence = escape(shortened(finding.sentence))
            out.print(marks[finding.state] + sentence, soft_wrap=True)
            if finding.mend:
                say(f"      {shortened(finding.mend)}")
        return found

    if any(finding.state == "wrong" for finding in asyncio.run(tell())):
        raise typer.Exit(1)


@app.command()
def version() -> None:
    """Print the version."""
    out.print(f"parlour {_version()}")


def _print_version(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


@app.callback()
def anything(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """A card-game server for your own machine: people, bots and spectators at one table."""


def main() -> None:
    """The console script. `parlour help play` is understood like `parlour play --help`."""
    words = sys.argv[1:]
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    app(words, prog_name="parlour")
