"""`parlour data`: back up, restore, check and move the data of a server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from parlour.console import (
    ConfigFile,
    Data,
    Store,
    counted,
    errors,
    escape,
    fail,
    one_sentence,
    place_of,
    say,
)

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from parlour.store.backup import Contents

T = TypeVar("T")

data_app = typer.Typer(
    help="Back up, restore, check, pack and move the data.", no_args_is_help=True
)


@data_app.command()
@data_app.command("export", hidden=True)
def backup(
    folder: Annotated[Path, typer.Argument(help="The new folder: missing or empty.")],
    data: Data = None,
    store: Store = None,
    config: ConfigFile = None,
) -> None:
    """Copy the log and the session key into a folder, while the server runs or not.

    The copy is checked. Keep it as safe as the data: with its key, anybody can sign in as anybody.
    A copy of a database is a data folder, too.
    """
    from parlour.store.backup import back_up

    with one_sentence():
        source = place_of(data, store, config)
        if isinstance(source, Path):
            found = back_up(source, folder)
        else:
            from parlour.store import move

            found = _run(move.back_up(source, folder))
    say(f"{folder} is a copy of {_shown(source)}: {_counted(found)}.")
    _print_damages(found)


@data_app.command()
@data_app.command("import", hidden=True)
def restore(
    folder: Annotated[Path, typer.Argument(help="A folder made by `parlour data backup`.")],
    data: Data = None,
    store: Store = None,
    config: ConfigFile = None,
    set_aside: Annotated[
        bool, typer.Option("--set-aside", help="Move existing data into a folder beside it.")
    ] = False,
) -> None:
    """Put a backup back into an empty data folder, or one whose data is set aside.

    The server must not be running there. Data that was set aside is never deleted. If a restore
    was interrupted, run it again: it starts over. A database must be empty.
    """
    from parlour.store.backup import restore

    with one_sentence():
        target = place_of(data, store, config)
        if isinstance(target, Path):
            found, moved = restore(folder, target, aside=set_aside)
        elif set_aside:
            fail("--set-aside is for a data folder.")
        else:
            found, moved = _restored(folder, target), None
    say(f"{_shown(target)} holds what was in {folder}: {_counted(found)}.")
    if moved is not None:
        say(f"The data that was there before is in {moved}.")
    _print_damages(found)


@data_app.command()
def check(data: Data = None, store: Store = None, config: ConfigFile = None) -> None:
    """Read every entry of the log; exit code 1 if one is damaged."""
    from parlour.store.backup import check

    with one_sentence():
        place = place_of(data, store, config)
        if isinstance(place, Path):
            found = check(place)
        else:
            from parlour.store import postgres_compact

            found = _run(postgres_compact.check(place))
    say(f"{_shown(place)} holds {_counted(found)}.")
    _print_damages(found)
    if found.damages:
        raise typer.Exit(1)


@data_app.command()
def compact(
    data: Data = None,
    store: Store = None,
    config: ConfigFile = None,
    keep_days: Annotated[
        int | None,
        typer.Option("--keep-days", min=1, help="Delete tables that closed earlier than that."),
    ] = None,
    keep_megabytes: Annotated[
        int | None,
        typer.Option(
            "--keep-megabytes", min=1, help="Delete the oldest closed tables above that size."
        ),
    ] = None,
) -> None:
    """Pack the logs of closed tables; delete old ones only if a limit is given.

    A server may be running. The file gets smaller only if none is. Make a backup before you delete.
    In a database, packed logs are in one partition for each month, and a limit detaches those of
    old months, never this one's: copy or drop them as any other table.
    """
    from parlour.store.compact import compact

    keep_bytes = None if keep_megabytes is None else keep_megabytes * 1_000_000
    with one_sentence():
        place = place_of(data, store, config)
        if isinstance(place, str):
            from parlour.store import postgres_compact

            made = _run(postgres_compact.compact(place, keep_days=keep_days, keep_bytes=keep_bytes))
        else:
            made = compact(place, keep_days=keep_days, keep_bytes=keep_bytes)
    tables = counted(made.packed, "table")
    say(f"Packed {tables}: {made.before:,} bytes of entries are {made.after:,} now.")
    if made.detached:
        say(f"Detached, and no longer part of the house: {', '.join(made.detached)}.")
    if made.deleted:
        say(f"Deleted {counted(made.deleted, 'table')}.")
    if not made.shrunk:
        say("A server is running, so the file keeps its size; new entries use the free space.")
    for damage in made.damages:
        errors.print(f"[bold red]damaged, not packed:[/] {escape(str(damage))}", soft_wrap=True)
    if made.damages:
        raise typer.Exit(1)


@data_app.command()
def erase(
    who: Annotated[
        str, typer.Argument(help="The id of a visitor, or with --match a name at that match.")
    ],
    match: Annotated[str, typer.Option("--match", help="The id of a match they played.")] = "",
    data: Data = None,
    store: Store = None,
    config: ConfigFile = None,
) -> None:
    """Take a person's names, talk, ids and addresses out of the logs of all closed tables.

    A server may be running. The moves stay, and the logs can still be verified. Older backups keep
    what was in them. Exit code 1 if a log stays as it was.
    """
    from parlour.games import installed_games
    from parlour.house.archived import Matches
    from parlour.house.erased import erase, visitor_of
    from parlour.store.archive import archive_of

    games = installed_games()
    with one_sentence():
        archive = archive_of(place_of(data, store, config))
        if match:
            who = visitor_of(*Matches(archive, games).find(match), who)
        made = erase(archive, games, who)
    tables = "1 table" if made.tables == 1 else f"{made.tables} tables"
    say(f"Changed {made.entries} entries of {tables}.")
    if made.open:
        count = "1 table is" if made.open == 1 else f"{made.open} tables are"
        say(f"{count} still open: run this again when they have closed.")
    for why in made.refused:
        errors.print(f"[bold red]not changed:[/] {escape(why)}", soft_wrap=True)
    if made.refused:
        raise typer.Exit(1)


@data_app.command()
def mend(data: Data = None, config: ConfigFile = None) -> None:
    """Repair a log whose write-ahead log is damaged; the damaged commits are lost.

    The server must not be running. A copy of everything is kept in a folder beside it.
    """
    from parlour.store.backup import mend

    with one_sentence():
        folder = _folder(data, config)
        found, aside = mend(folder)
    say(f"{folder} holds {_counted(found)}. The data that was there before is in {aside}.")
    _print_damages(found)


@data_app.command()
def move(
    source: Annotated[str, typer.Argument(help="A data folder, or postgresql://...")],
    target: Annotated[str, typer.Argument(help="The other one, which must be empty.")],
) -> None:
    """Copy all data from a data folder into a database, or back.

    No server may be running on either. The source is not changed. Start the server on the target
    with --store or --data, and do not start one on the source again.
    """
    with one_sentence():
        from parlour.store.move import move

        moved = _run(move(source, target))
    tables = counted(moved.tables, "table")
    say(f"Moved: {tables} ({moved.live} open), {moved.entries} entries, {moved.facts} facts.")


def _folder(data: str | None, config: str | None) -> Path:
    """The data folder, from the option or the configuration."""
    place = place_of(data, None, config)
    if not isinstance(place, Path):
        fail("The log is in a database; this is for a data folder (--data).")
    return place


def _run(work: Coroutine[None, None, T]) -> T:
    import asyncio

    return asyncio.run(work)


def _restored(folder: Path, url: str) -> Contents:
    """Put a backup into a database, by way of a data folder of the newest format."""
    from tempfile import TemporaryDirectory

    from parlour.store.backup import restore
    from parlour.store.move import move

    with TemporaryDirectory() as prepared:
        found, _ = restore(folder, Path(prepared))
        _run(move(prepared, url))
    return found


def _shown(place: Path | str) -> str:
    from parlour.store.postgres_link import shown

    return str(place) if isinstance(place, Path) else shown(place)


def _counted(found: Contents) -> str:
    entries = "1 entry" if found.entries == 1 else f"{found.entries} entries"
    return f"{counted(found.tables, 'table')} ({found.live} open), {entries}"


def _print_damages(found: Contents) -> None:
    for damage in found.damages:
        errors.print(f"[bold red]damaged:[/] {escape(str(damage))}", soft_wrap=True)
