"""The command line: `parlour serve`, `parlour play`, and what bot authors and hosts need.

What a command needs is imported when it runs: `--help` and completion should not have to wait
for a server they do not start.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import logging
import secrets
from collections.abc import Callable
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, get_args

import msgspec
import typer
from rich.console import Console
from rich.markup import escape

from parlour.data_cli import data_app
from parlour.packs_cli import packs_app
from parlour.relay_cli import bot_app, onu_app, wcp_app
from parlour.server.config import BadConfig, Config, load, shown

if TYPE_CHECKING:
    from parlour.server.server import Server

app = typer.Typer(
    name="parlour",
    help="A card-game server for your own machine: people, bots and spectators at one table.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
play_app = typer.Typer(help="Play in the terminal, against bots.", no_args_is_help=True)
mo_app = typer.Typer(help="Look into the deals of MO.", no_args_is_help=True)
arena_app = typer.Typer(help="Measure how well games are played.", no_args_is_help=True)
app.add_typer(play_app, name="play")
app.add_typer(mo_app, name="mo")
app.add_typer(arena_app, name="arena")
app.add_typer(packs_app, name="packs")
app.add_typer(data_app, name="data")
app.add_typer(onu_app, name="onu")
app.add_typer(bot_app, name="bot")
app.add_typer(wcp_app, name="wcp")

_say = Console(highlight=False)
_errors = Console(stderr=True, highlight=False)


def _fail(sentence: str) -> NoReturn:
    """One clear sentence and exit code 2."""
    _errors.print(f"[bold red]parlour:[/] {escape(sentence)}", soft_wrap=True)
    raise typer.Exit(2)


def _flag(name: str, kind: Any, text: str, default: Any = None) -> inspect.Parameter:
    """A flag that says in the help what it stands for without it."""
    shown = "" if default in (None, [], False) else f" [dim]\\[{default}][/]"
    # Numbers are taken as text too, because our own message says better what is wrong.
    yes_or_no = kind in (bool, bool | None)
    metavar = None if yes_or_no else {int: "NUMBER", float: "NUMBER"}.get(kind, "TEXT")
    option = typer.Option(
        f"--{name.replace('_', '-')}",
        help=text + shown,
        show_default=False,
        metavar=metavar,
    )
    taken: Any = bool | None if yes_or_no else str | None
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[taken, option]
    )


def _configured(command: Callable[[Config, dict[str, str]], None]) -> Callable[..., None]:
    """A command with one flag per setting, which is told what is in force and by whose word."""
    flags = [_flag("config", str, "TOML file to read.", "parlour.toml")]
    for field in msgspec.structs.fields(Config):
        kind, meta = get_args(field.type)
        flags.append(_flag(field.name, kind, meta.description, getattr(Config(), field.name)))

    @functools.wraps(command)
    def run(config: str | None, **told: Any) -> None:
        try:
            settings, source = load(told, file=None if config is None else Path(config))
        except BadConfig as wrong:
            _fail(str(wrong))
        command(settings, source)

    run.__signature__ = inspect.Signature(flags)  # type: ignore[attr-defined]
    return run


@app.command()
@_configured
def serve(settings: Config, source: dict[str, str]) -> None:
    """Open the house: all games, the page and the log, on one port.

    Every flag is also a variable (PARLOUR_LOG_LEVEL) and a key of the TOML file
    (log_level). Flags go before variables, and variables before the file.
    """
    from parlour.server.server import CannotStart
    from parlour.store import StoreTrouble

    logging.basicConfig(
        level=settings.log_level.upper(), format="%(asctime)s %(levelname)-7s %(name)s: %(message)s"
    )
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            lost = runner.run(_serve(settings))
    except (CannotStart, StoreTrouble, BadConfig) as wrong:
        _fail(str(wrong))
    if lost:
        _fail(
            "The log could not be written; nothing that was told is lost. See the messages above."
        )


async def _serve(settings: Config) -> bool:
    from parlour.server.server import Server

    server = Server(settings)
    await server.run(_welcome)
    return server.lifecycle.lost


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
    _say.print(f"  Play on this machine   [bold cyan]{escape(server.address())}[/]")
    lan = server.lan_address()
    if lan:
        _say.print(f"  Others on your network [bold cyan]{lan}[/]")
    if found:
        tables = (
            "1 table goes on where it was"
            if found == 1
            else f"{found} tables go on where they were"
        )
        _say.print(f"  {tables}.")
    _say.print("  Stop with Ctrl+C; games under way are kept.")
    _say.print()


@app.command("config")
@_configured
def show_config(settings: Config, source: dict[str, str]) -> None:
    """Print the configuration in force, and where each value comes from."""
    fields = Config.__struct_fields__
    rows = [(f, shown(f, getattr(settings, f)), source.get(f, "default")) for f in fields]
    rows.insert(0, ("setting", "value", "from"))
    first, second = (max(len(row[at]) for row in rows) for at in (0, 1))
    for number, (name, value, origin) in enumerate(rows):
        line = f"{name:<{first}}  {value:<{second}}  {origin}"
        style = "bold" if not number else "dim" if origin == "default" else None
        # Never wrapped, so that other programs can read it line by line.
        _say.print(line, style=style, markup=False, soft_wrap=True)


@app.command()
def version() -> None:
    """Print the version."""
    _say.print(f"parlour {installed_version('parlour')}")


# -- in the terminal ------------------------------------------------------------------

Profile = Annotated[
    Literal["classic", "printed"], typer.Option(help="Which of MO's two rule books.")
]


@play_app.command("rummy")
def play_rummy(
    bots: Annotated[int, typer.Option(min=1, max=3, help="How many play against you.")] = 2,
    seed: Annotated[int | None, typer.Option(help="The same number deals the same cards.")] = None,
) -> None:
    """Super Rummy against bots, round after round."""
    from parlour.games.rummy.terminal import play

    play(_say, bots, secrets.randbits(32) if seed is None else seed)


@play_app.command("mo")
def play_mo(
    seed: Annotated[str, typer.Option(help="The same word deals the same cards.")] = "",
    profile: Profile = "classic",
) -> None:
    """MO, alone against twelve royals."""
    from parlour.games.mo.terminal import play
    from parlour.rng import ProvableRng

    if seed:
        _check_seed(seed)
    play(_say, ProvableRng(secrets.token_bytes(32), "mo"), seed, profile)


def _check_seed(seed: str) -> None:
    from parlour.games.mo.rules import check_seed
    from parlour.kit import Illegal

    try:
        check_seed(seed)
    except Illegal as no:
        _fail(f"--seed: {no.sentence}")


@mo_app.command("solve")
def solve_mo(
    seed: Annotated[str, typer.Option(help="The deal, by its word.")],
    profile: Profile = "classic",
) -> None:
    """Find a way to win a deal whose order is known; exit code 1 if none is found."""
    from parlour.games.mo.terminal import show_solution

    _check_seed(seed)
    if not show_solution(_say, seed, profile):
        raise typer.Exit(1)


@arena_app.command("mo")
def arena_mo(
    deals: Annotated[int, typer.Option(min=1, help="How many deals each of them plays.")] = 200,
    profile: Profile = "classic",
    workers: Annotated[
        int | None, typer.Option(min=1, help="How many processes; as many as cores if not said.")
    ] = None,
) -> None:
    """Let MO's beginner, its honest player and its solver play the same deals."""
    from parlour.arena.mo import report

    report(_say, deals, profile, workers=workers)


@arena_app.command("rummy")
def arena_rummy(
    rounds: Annotated[int, typer.Option(min=1, help="How many at each size of table.")] = 4000,
    workers: Annotated[
        int | None, typer.Option(min=1, help="How many processes; as many as cores if not said.")
    ] = None,
) -> None:
    """Let Super Rummy's bot play bots that lay down what they can at once."""
    from parlour.arena.rummy import report

    report(_say, rounds, workers)


@arena_app.command("onu")
def arena_onu(
    games: Annotated[int, typer.Option(min=1, help="How many games of each size.")] = 10_000,
    deck: Annotated[
        Literal["compact", "classic"], typer.Option(help="Which deck they play with.")
    ] = "compact",
    workers: Annotated[
        int | None, typer.Option(min=1, help="How many processes; as many as cores if not said.")
    ] = None,
) -> None:
    """Let ONU's bot play against the protocol document's."""
    from parlour.arena.onu import report

    report(_say, games, deck, workers)


def main() -> None:
    """The console script."""
    app()
