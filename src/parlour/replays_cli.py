"""`parlour replay`: finished matches from the data of a server, or from files.

What a command needs is imported when it runs, as in `cli.py`.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parlour.console import ConfigFile, errors, fail, one_sentence, out, say

if TYPE_CHECKING:
    from parlour.house.archived import Matches
    from parlour.house.recorded import Recorded

replay_app = typer.Typer(
    help="List finished matches, show them in words, write them to files.", no_args_is_help=True
)

Data = Annotated[
    str | None, typer.Option("--data", help="The data folder; by default the configured one.")
]
Store = Annotated[
    str | None,
    typer.Option("--store", help="The database, if the data is in one: postgresql://..."),
]
Match = Annotated[str, typer.Argument(help="The id of a match (see `list`).")]


@replay_app.command("list")
def list_matches(
    game: Annotated[str, typer.Option(help="Only matches of this game.")] = "",
    most: Annotated[int, typer.Option(min=1, help="How many, the newest first.")] = 20,
    data: Data = None,
    store: Store = None,
    config: ConfigFile = None,
) -> None:
    """List finished matches: id, game, when it ended, who played, who won.

    The server may be running or not; nothing is changed.
    """
    from itertools import islice

    with one_sentence():
        found = list(islice(_matches(data, store, config).finished(game), most))
    for match in found:
        when = datetime.fromtimestamp(match.ended / 1000).astimezone()
        won = " and ".join(match.winners) or "nobody"
        players = ", ".join(match.players)
        say(f"{match.id}  {match.game}  {when:%Y-%m-%d %H:%M}  {players}  (won by {won})")
    if not found:
        errors.print("There is no finished match.")


@replay_app.command()
def show(
    match: Annotated[str, typer.Argument(help="The id of a match (see `list`), or a file.")],
    view: Annotated[
        str, typer.Option(help="open (all cards), spectator, or the number of a seat.")
    ] = "open",
    data: Data = None,
    store: Store = None,
    config: ConfigFile = None,
) -> None:
    """Print a match in words, and how the table looked at the beginning of each turn.

    A file is checked first: everything in it must follow from its seed and its moves.
    """
    from parlour.house.frames import VIEW, Filmed, Turns
    from parlour.terminal.drawing import Drawing

    if not VIEW.fullmatch(view):
        fail("--view is open, spectator or the number of a seat.")
    with one_sentence():
        recorded = _recorded(match, data, store, config)
        shots = Filmed(recorded, view).shots()
    outcome = recorded.outcome
    if outcome is None:
        fail(f"The match {match} is not over.")
    names = [player.name for player in recorded.table.roster.seating]
    drawing = Drawing(out.console, names)
    drawing.say(f"{recorded.game.name}: {', '.join(names)}", "bold")
    turns, before = Turns(), 0
    for shot in shots:
        turn = turns.of(shot)
        if shot.move:
            drawing.say(drawing.filled(shot.move))
        if turn > before and shot.scene is not None:
            before = turn
            drawing.say(f"\nTurn {turn}", "bold")
            drawing.draw_table(shot.scene)
            drawing.say()
    won = " and ".join(names[seat] for seat in outcome.winners)
    drawing.say(f"\n{won or 'Nobody'} won.", "bold")
    if outcome.scores:
        points = ", ".join(f"{names[seat]} {count}" for seat, count in outcome.scores.items())
        drawing.say(f"Points: {points}")


@replay_app.command()
def export(
    match: Match,
    file: Annotated[
        Path | None, typer.Argument(help="The file to write; standard output if left out.")
    ] = None,
    data: Data = None,
    store: Store = None,
    config: ConfigFile = None,
) -> None:
    """Write a match as JSON lines, the format of docs/replays.md.

    It names the game, the edition of its rules, the settings, the players and the seed. Visitors,
    addresses, passwords and talk are left out.
    """
    import sys

    from parlour.house.exported import exported

    with one_sentence():
        lines = exported(*_matches(data, store, config).find(match))
        if not lines:
            fail(f"The match {match} is not over.")
        text = b"".join(line + b"\n" for line in lines)
        if file is None:
            sys.stdout.buffer.write(text)
        else:
            # Never over another file.
            with file.open("xb") as target:
                target.write(text)


def _recorded(match: str, data: str | None, store: str | None, config: str | None) -> Recorded:
    """A match of the archive, or of a file."""
    from parlour.games import installed_games
    from parlour.house.exported import Exported
    from parlour.house.recorded import Recorded

    if not Path(match).is_file():
        return Recorded(*_matches(data, store, config).find(match))
    file = Exported(Path(match), installed_games())
    file.check()
    return Recorded(file.game, file, file.header.number, file.table)


def _matches(data: str | None, store: str | None, config: str | None) -> Matches:
    from parlour.games import installed_games
    from parlour.house.archived import Matches
    from parlour.server.config import load
    from parlour.store.archive import Archive, PostgresArchive, SqliteArchive

    settings, _ = load({"data": data, "store": store}, file=config)
    if settings.data == ":memory:" and not settings.store:
        fail("The data is kept only in memory (data = :memory:), so there is no folder.")
    archive: Archive = (
        PostgresArchive(settings.store) if settings.store else SqliteArchive(Path(settings.data))
    )
    return Matches(archive, installed_games())
