"""`parlour data`: copy the data folder, put a copy back, and look whether it is sound."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parlour.console import errors, escape, fail, out
from parlour.server.config import BadConfig, load

if TYPE_CHECKING:
    from parlour.store.backup import Contents

data_app = typer.Typer(help="Look after the data folder.", no_args_is_help=True)


Data = Annotated[
    str | None, typer.Option("--data", help="The data folder; as the server has it if not said.")
]
ConfigFile = Annotated[
    str | None, typer.Option("--config", help="TOML file to read.", show_default=False)
]


@data_app.command()
def backup(
    folder: Annotated[Path, typer.Argument(help="Where to; must not exist yet, or be empty.")],
    data: Data = None,
    config: ConfigFile = None,
) -> None:
    """Copy the log and the session key into a folder, while the server runs or not.

    The copy is checked. Keep it as you keep the data: whoever has it can be anybody.
    """
    from parlour.store.backup import back_up

    source = _folder(data, config)
    with _one_sentence():
        found = back_up(source, folder)
    _print(f"{folder} is a copy of {source}: {_counted(found)}.")
    _print_damages(found)


@data_app.command()
def restore(
    folder: Annotated[Path, typer.Argument(help="A folder made by `parlour data backup`.")],
    data: Data = None,
    config: ConfigFile = None,
    set_aside: Annotated[
        bool, typer.Option("--set-aside", help="Move data that is there into a folder beside it.")
    ] = False,
) -> None:
    """Put a backup back into an empty data folder, or one whose data is set aside.

    The server must not be running there. What is set aside is never deleted. A restore that was
    killed is undone first: run it again.
    """
    from parlour.store.backup import restore

    target = _folder(data, config)
    with _one_sentence():
        found, moved = restore(folder, target, aside=set_aside)
    _print(f"{target} holds what was in {folder}: {_counted(found)}.")
    if moved is not None:
        _print(f"What was there before is in {moved}.")
    _print_damages(found)


@data_app.command()
def check(data: Data = None, config: ConfigFile = None) -> None:
    """Read every entry of the log; exit code 1 if one is damaged."""
    from parlour.store.backup import check

    folder = _folder(data, config)
    with _one_sentence():
        found = check(folder)
    _print(f"{folder} holds {_counted(found)}.")
    _print_damages(found)
    if found.damages:
        raise typer.Exit(1)


@data_app.command()
def mend(data: Data = None, config: ConfigFile = None) -> None:
    """Go on without the commits that a damaged write-ahead log has lost.

    The server must not be running. A copy of everything is kept in a folder beside it.
    """
    from parlour.store.backup import mend

    folder = _folder(data, config)
    with _one_sentence():
        found, aside = mend(folder)
    _print(f"{folder} holds {_counted(found)}. All that was there before is in {aside}.")
    _print_damages(found)


@data_app.command()
def move(
    source: Annotated[str, typer.Argument(help="A data folder, or postgresql://...")],
    target: Annotated[str, typer.Argument(help="The other one, which must be empty.")],
) -> None:
    """Copy a whole house from a data folder into a database, or back.

    No server may be running on either. The source stays as it is; start the server on the
    target with --store or --data, and never both of them again.
    """
    import asyncio

    try:
        from parlour.store.move import move
    except ImportError:
        fail("PostgreSQL needs another package: pip install 'parlour[postgres]'.")
    with _one_sentence():
        moved = asyncio.run(move(source, target))
    tables = "1 table" if moved.tables == 1 else f"{moved.tables} tables"
    _print(f"Moved: {tables} ({moved.live} open), {moved.entries} entries, {moved.facts} facts.")


@contextmanager
def _one_sentence() -> Generator[None]:
    """What speaks against a command, instead of a traceback."""
    from parlour.store import StoreTrouble

    try:
        yield
    except StoreTrouble as wrong:
        fail(str(wrong))
    except OSError as wrong:  # a name that is too long, say
        fail(f"{wrong.filename} can't be used: {wrong.strerror}.")


def _folder(data: str | None, config: str | None) -> Path:
    """The data folder in force."""
    try:
        settings, _ = load({"data": data}, file=config)
    except BadConfig as wrong:
        fail(str(wrong))
    if settings.data == ":memory:":
        fail("The data is kept in memory alone (data = :memory:): there is no folder.")
    return Path(settings.data)


def _counted(found: Contents) -> str:
    tables = "1 table" if found.tables == 1 else f"{found.tables} tables"
    entries = "1 entry" if found.entries == 1 else f"{found.entries} entries"
    return f"{tables} ({found.live} open), {entries}"


def _print_damages(found: Contents) -> None:
    for damage in found.damages:
        errors.print(f"[bold red]damaged:[/] {escape(str(damage))}", soft_wrap=True)


def _print(line: str) -> None:
    out.print(line, markup=False, soft_wrap=True)
