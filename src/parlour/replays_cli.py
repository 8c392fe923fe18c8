"""`parlour replay`: finished matches from the data of a server, or from files.

What a command needs is imported when it runs, as in `cli.py`.
"""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parlour.console import ConfigFile, Data, Store, errors, fail, one_sentence, out, place_of, say

if TYPE_CHECKING:
    from parlour.house.archived import Matches
    from parlour.house.exported import Exported
    from parlour.house.recorded import Recorded

replay_app = typer.Typer(
    help="List finished matches, show them in words, write them to files.", no_args_is_help=True
)

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
def step(
    match: Annotated[str, typer.Argument(help="The id of a match (see `list`), or a file.")],
    at: Annotated[int, typer.Option(min=0, help="After so many inputs; 0 is the deal.")] = 0,
    data: Data = None,
    store: Store = None,
    config: ConfigFile = None,
) -> None:
    """Print the state of a match after an input, with all hidden cards, to look for an error.

    The match may still be running: keep what this prints from its players.
    """
    from itertools import islice
    from pprint import pformat

    from parlour.fingerprint import fingerprint

    with one_sentence():
        recorded = _recorded(match, data, store, config)
        taken = next(islice(recorded.steps(), at, None), None)
    if taken is None:
        fail(f"The match {match} has no input {at}.")
    action = getattr(taken.input, "action", None)
    what = "" if action is None else fingerprint(action)
    moment = datetime.fromtimestamp(taken.at / 1000).astimezone()
    say(f"input {at}: {type(taken.input).__name__} {what} at {moment.isoformat(' ')}")
    for event in taken.happened:
        say(f"event: {fingerprint(event)}")
    state = fingerprint(recorded.table.match)
    assert isinstance(state, tuple)
    for name, value in state[1:]:
        say(f"{name}: {pformat(value, width=100, compact=True)}")


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


def verify(
    replay: Annotated[
        str, typer.Argument(help="A file, the id of a match, or the address of a replay.")
    ],
    data: Data = None,
    store: Store = None,
    config: ConfigFile = None,
) -> None:
    """Deal a finished match again, and say whether it was dealt as its log says.

    A file is checked without any network, an id from the data of a server, an address
    (https://example.org/replay/...) from the log that the server publishes; all of it on this
    machine. Exit code 2 if not. docs/fairness.md says what is checked.
    """
    from parlour.games import installed_games
    from parlour.house.exported import Exported
    from parlour.house.verified import published, refusal, verdict
    from parlour.kit import Illegal

    games = installed_games()
    try:
        if Path(replay).is_file():
            found = verdict(Exported.read(Path(replay), games))
        elif replay.startswith(("http://", "https://")):
            found = verdict(_fetched(replay))
        else:
            with one_sentence():
                match = _matches(data, store, config).find(replay)
            lines = published(*match)
            if not lines:
                fail(f"The match {replay} is not over.")
            found = verdict(Exported("the log", lines, games, match[1]))
    except Illegal as no:
        fail(refusal(no).sentence)
    if not found.fair:
        fail(found.sentence)
    say(found.sentence)


def debug(
    bundle: Annotated[Path, typer.Argument(help="A file of the folder `failures` in the data.")],
) -> None:
    """Repeat a failure that a server has written down, and print how the code fails here.

    Exit code 2 if it does not fail in the same way.
    """
    import traceback

    from parlour.games import installed_games
    from parlour.house.failures import read, repeat, where

    with one_sentence():
        head, entries = read(bundle)
        game = next((game for game in installed_games() if game.id == head.game), None)
        if game is None:
            fail(f"The game {head.game} is not installed.")
    say(f"Parlour {head.parlour}, Python {head.python}, {head.game}, entry {len(entries) - 1}:")
    say(head.failed)
    wrong = repeat(game, head, entries)
    if wrong is None:
        fail("It does not fail here.")
    out.print("".join(traceback.format_exception(wrong)), markup=False, highlight=False)
    if where(wrong) != head.failed:
        fail("It fails in another way here.")
    say("It fails in the same way here.")


def _fetched(address: str) -> Exported:
    """The log that a server publishes of a match."""
    from http.client import HTTPException
    from urllib.request import urlopen

    from parlour.games import installed_games
    from parlour.house.exported import Exported, lines_of
    from parlour.kit import Illegal

    found = re.fullmatch(r"(https?://[^?#]*?)/(?:api/replays|replay)/([^/?#]+).*", address)
    if found is None:
        fail("An address of a replay looks like https://example.org/replay/4f0c…-2.")
    base, id_ = found.groups()
    try:
        with urlopen(f"{base}/api/replays/{id_}/log", timeout=60) as answer:  # noqa: S310 - http(s)
            lines = lines_of(answer)
    except (OSError, HTTPException) as wrong:
        fail(f"The log can't be fetched from {base}: {wrong}.")
    except Illegal as no:
        fail(no.sentence)
    file = Exported("the log", lines, installed_games())
    if file.header.id != id_:
        fail(f"No: {base} has sent the log of another match, {file.header.id}.")
    return file


def _recorded(match: str, data: str | None, store: str | None, config: str | None) -> Recorded:
    """A match of the archive, or of a file."""
    from parlour.games import installed_games
    from parlour.house.exported import Exported
    from parlour.house.recorded import Recorded

    if not Path(match).is_file():
        return Recorded(*_matches(data, store, config).find(match))
    file = Exported.read(Path(match), installed_games())
    file.check()
    return Recorded(file.game, file, file.header.number, file.table)


def _matches(data: str | None, store: str | None, config: str | None) -> Matches:
    from parlour.games import installed_games
    from parlour.house.archived import Matches
    from parlour.store.archive import archive_of

    return Matches(archive_of(place_of(data, store, config)), installed_games())
