"""The command line: `parlour serve`, `parlour play`, and what bot authors and hosts need."""

from __future__ import annotations

import asyncio
import logging
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Annotated, Any, NoReturn

import msgspec
import typer
from rich.console import Console
from rich.table import Table as Grid

from parlour.server.config import BadConfig, Config, load
from parlour.server.server import CannotStart, Server
from parlour.store import StoreTrouble

app = typer.Typer(
    name="parlour",
    help="A card-game server for your own machine: people, bots and spectators at one table.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
play_app = typer.Typer(help="Play in the terminal, against bots.", no_args_is_help=True)
app.add_typer(play_app, name="play")

_say = Console(highlight=False)
_moan = Console(stderr=True, highlight=False)


def _fail(sentence: str) -> NoReturn:
    """One clear sentence and exit code 2."""
    _moan.print(f"[bold red]parlour:[/] {sentence}", soft_wrap=True)
    raise typer.Exit(2)


def _flag(field: str) -> Any:
    described = {f.name: f for f in msgspec.structs.fields(Config)}[field]
    meta = msgspec.inspect.type_info(described.type)
    text = (getattr(meta, "extra_json_schema", None) or {}).get("description", "")
    default = described.default if described.default is not msgspec.NODEFAULT else None
    shown = "" if default in (None, [], msgspec.NODEFAULT) else f" [dim]\\[{default}][/]"
    return typer.Option(f"--{field.replace('_', '-')}", help=text + shown, show_default=False)


ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="TOML file to read [dim]\\[parlour.toml][/].")
]


@app.command()
def serve(
    config: ConfigFile = None,
    host: Annotated[str | None, _flag("host")] = None,
    port: Annotated[int | None, _flag("port")] = None,
    data: Annotated[str | None, _flag("data")] = None,
    log_level: Annotated[str | None, _flag("log_level")] = None,
    tls_cert: Annotated[str | None, _flag("tls_cert")] = None,
    tls_key: Annotated[str | None, _flag("tls_key")] = None,
    public_url: Annotated[str | None, _flag("public_url")] = None,
    proxy_headers: Annotated[bool | None, _flag("proxy_headers")] = None,
    bot_pace: Annotated[float | None, _flag("bot_pace")] = None,
) -> None:
    """Open the house: all games, the page and the log, on one port.

    Every other setting (`parlour config` lists them) is a PARLOUR_* variable or a key of the
    TOML file.
    """
    flags = {
        "host": host,
        "port": port,
        "data": data,
        "log_level": log_level,
        "tls_cert": tls_cert,
        "tls_key": tls_key,
        "public_url": public_url,
        "proxy_headers": proxy_headers,
        "bot_pace": bot_pace,
    }
    settings, _ = _load(flags, config)
    logging.basicConfig(
        level=settings.log_level.upper(), format="%(asctime)s %(levelname)-7s %(name)s: %(message)s"
    )
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            trouble = runner.run(_serve(settings))
    except (CannotStart, StoreTrouble, BadConfig) as wrong:
        _fail(str(wrong))
    if trouble:
        _fail(
            "The log could not be written; nothing that was told is lost. See the messages above."
        )


async def _serve(settings: Config) -> bool:
    server = Server(settings)
    await server.run(_welcome)
    return server.trouble


def _loop_factory() -> Any:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def _welcome(server: Server, found: int) -> None:
    _say.print()
    _say.print(f"  [bold]Parlour {installed_version('parlour')}[/] is open.")
    _say.print()
    _say.print(f"  Play on this machine   [bold cyan]{server.address()}[/]")
    lan = server.lan_address()
    if lan:
        _say.print(f"  Others on your network [bold cyan]{lan}[/]")
    if found:
        tables = "table goes" if found == 1 else "tables go"
        _say.print(f"  {found} {tables} on where they were.")
    _say.print("  Stop with Ctrl+C; games under way are kept.")
    _say.print()


@app.command("config")
def show_config(config: ConfigFile = None) -> None:
    """Print the configuration in force, and where each value comes from."""
    settings, source = _load({}, config)
    grid = Grid(box=None, pad_edge=False)
    for heading in ("setting", "value", "from"):
        grid.add_column(heading)
    for field in msgspec.structs.fields(Config):
        value = getattr(settings, field.name)
        grid.add_row(field.name, str(value), source.get(field.name, "[dim]default[/]"))
    _say.print(grid)


@app.command()
def version() -> None:
    """Print the version."""
    _say.print(f"parlour {installed_version('parlour')}")


def _load(flags: dict[str, Any], file: Path | None) -> tuple[Config, dict[str, str]]:
    try:
        return load(flags, file=file)
    except BadConfig as wrong:
        _fail(str(wrong))


def main() -> None:
    """The console script."""
    app()
