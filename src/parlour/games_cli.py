"""`parlour play`, `learn`, `watch`, `mo`, `arena` and `protocol`: games in the terminal.

What a command needs is imported when it runs, as in `cli.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer
from typer.core import TyperCommand

from parlour.console import fail, out

if TYPE_CHECKING:
    from parlour.protocol import Game
    from parlour.terminal.visit import Wanted

LOCAL: Final = "http://localhost:3000"

mo_app = typer.Typer(help="Solve and measure deals of MO.", no_args_is_help=True)

Profile = Annotated[
    Literal["classic", "printed"], typer.Option(help="Which of MO's two rule books.")
]

Workers = Annotated[
    int | None, typer.Option(min=1, help="How many processes; by default one per core.")
]
Id = Annotated[str, typer.Argument(metavar="GAME", help="Its id: one of those below.")]
AnyId = Annotated[str, typer.Argument(metavar="GAME", help="Its id, as in its address.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A setting of the table; repeatable."),
]
Called = Annotated[str, typer.Option("--name", help="What you are called.")]


class GamesCommand(TyperCommand):
    """A command whose help lists the installed games. They are not loaded for other commands."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        from parlour.games import installed_games

        games = [(game.id, game.name) for game in installed_games() if game.scene]
        with formatter.section("Games"):
            formatter.write_dl(games)


def play(
    name: Id,
    bots: Annotated[
        int | None, typer.Option(min=0, help="How many play against you.", show_default="2")
    ] = None,
    strength: Annotated[
        str, typer.Option(help="How well they play: easy, normal or hard, where there are these.")
    ] = "hard",
    seed: Annotated[str, typer.Option(help="The same word deals the same cards.")] = "",
    change: Settings = None,
    called: Called = "Player",
    url: Annotated[
        str, typer.Option(help="Play at a new table of this running server, also with people.")
    ] = "",
    table: Annotated[str, typer.Option(metavar="CODE", help="Join this table of the server.")] = "",
) -> None:
    """Play in the terminal: against bots, or at a table of a running server."""
    from parlour.kit import Illegal
    from parlour.terminal.matches import CannotDraw, Matches
    from parlour.terminal.visit import Wanted

    if url or table:
        wanted = Wanted(name, called, table, _patch(change or []), bots, strength)
        _visit(url or LOCAL, wanted)
        return
    game = _game(name)
    least, most = game.min_seats - 1, game.max_seats - 1
    count = min(max(least, 2), most) if bots is None else bots
    strengths = () if game.bots is None else game.bots.strengths
    if not least <= count <= most:
        fail(f"--bots: {game.name} is for {game.min_seats} to {game.max_seats} players.")
    if count and strength not in strengths:
        fail(f"--strength: bots of {game.name} are: {', '.join(strengths) or 'none'}.")
    try:
        settings = game.configure(game.settings(), _patch(change or []))
    except Illegal as no:
        fail(f"--set: {no.sentence}")
    try:
        Matches(game, settings, out.console, count, seed, None, strength, called).play()
    except Illegal as no:
        fail(f"--seed: {no.sentence}")
    except CannotDraw as wrong:
        fail(str(wrong))


def learn(
    name: Id,
    lesson: Annotated[
        str, typer.Argument(help="Which of its lessons.", show_default="the first")
    ] = "",
    called: Called = "Player",
) -> None:
    """Learn a game in the terminal, in about five minutes."""
    from parlour.teaching import LessonError, taught
    from parlour.terminal.lesson import Learning

    game = _game(name)
    lessons = {each.id: each for each in game.lessons}
    if not lessons:
        fail(f"{game.name} has no lesson.")
    if lesson and lesson not in lessons:
        fail(f"Lessons of {game.name} are: {', '.join(lessons)}.")
    try:
        played = taught(game, lessons[lesson or game.lessons[0].id])
    except LessonError as wrong:
        fail(str(wrong))
    if Learning(played, out.console, None, called).learn():
        out.console.print(f"That is all. To play against bots: parlour play {game.id}")


def watch(
    code: Annotated[str, typer.Argument(help="The table's code.")],
    url: Annotated[str, typer.Option(help="The running server.")] = LOCAL,
) -> None:
    """Watch a table of a running server: its moves in words, and how it looks."""
    from parlour.terminal import remote

    try:
        remote.watch(out.console, url, code)
    except remote.Refused as wrong:
        fail(str(wrong))


def _visit(url: str, wanted: Wanted) -> None:
    """Play at a table of a running server."""
    from parlour.terminal.remote import Refused, Server, run
    from parlour.terminal.visit import Visit

    try:
        run(out.console, url, Visit(out.console, Server(url), wanted).play())
    except Refused as wrong:
        fail(str(wrong))


def _game(name: str) -> Game:
    """An installed game with a scene."""
    from parlour.games import installed_games

    games = {game.id: game for game in installed_games() if game.scene}
    if name not in games:
        fail(f"No game called {name} can be played here. These can: {', '.join(games)}.")
    return games[name]


def _patch(changes: list[str]) -> dict[str, Any]:
    from parlour.kit import Illegal
    from parlour.terminal.matches import patch_of

    try:
        return patch_of(changes)
    except Illegal as no:
        fail(f"--set: {no.sentence}")


@mo_app.command("solve")
def solve_mo(
    seed: Annotated[str, typer.Option(help="The deal, by its word.")],
    profile: Profile = "classic",
) -> None:
    """Find a way to win a deal whose order is known; exit code 1 if none is found."""
    from parlour.games.mo.rules import check_seed
    from parlour.games.mo.solution import show_solution
    from parlour.kit import Illegal

    try:
        check_seed(seed)
    except Illegal as no:
        fail(f"--seed: {no.sentence}")
    if not show_solution(out.console, seed, profile):
        raise typer.Exit(1)


@mo_app.command("arena")
def arena_mo(
    deals: Annotated[int, typer.Option(min=1, help="How many deals each of them plays.")] = 200,
    profile: Profile = "classic",
    workers: Workers = None,
    first: Annotated[int, typer.Option(min=1, help="The number of the first deal.")] = 1,
    player: Annotated[
        Literal["greedy", "glance", "honest", "solver"] | None,
        typer.Option(help="Who plays; honest follows every hint. By default all four."),
    ] = None,
) -> None:
    """Let MO's beginner, its honest player and its solver play the same deals."""
    from parlour.arena.mo import PLAYERS, report

    report(out.console, deals, profile, PLAYERS if player is None else (player,), workers, first)


def arena(
    game: AnyId,
    games: Annotated[int, typer.Option(min=1, help="How many of each kind are played.")] = 1000,
    seats: Annotated[
        list[int] | None,
        typer.Option(min=2, help="How many bots play; repeatable. By default as few as can."),
    ] = None,
    strength: Annotated[
        str, typer.Option(help="Measure only bots of this strength, among --rivals.")
    ] = "",
    rivals: Annotated[str, typer.Option(help="How strong the others are.")] = "",
    change: Settings = None,
    new_deals: Annotated[
        bool, typer.Option(help="Deal for every game, not once for all seats of the measured bot.")
    ] = False,
    workers: Workers = None,
) -> None:
    """Let a game's bots play each other: each strength among each weaker one.

    One bot sits among others, in games that are the same for everybody.
    """
    from parlour.arena.duels import Duel, fewest, pairs_of, report
    from parlour.games import installed_games
    from parlour.kit import Illegal

    found = {each.id: each for each in installed_games() if each.bots is not None}
    if game not in found:
        fail(f"No game called {game} has bots. These have: {', '.join(found)}.")
    measured, bots = found[game], found[game].bots
    assert bots is not None
    for each in filter(None, (strength, rivals)):
        if each not in bots.strengths:
            fail(f"Bots of {measured.name} are: {', '.join(bots.strengths)}.")
    settings = _patch(change or [])
    try:
        least, most = measured.seats(measured.configure(measured.settings(), settings))
    except Illegal as no:
        fail(f"--set: {no.sentence}")
    sizes = seats or [fewest(measured)]
    if not all(least <= size <= most for size in sizes):
        fail(f"--seats: {measured.name} is for {least} to {most} players.")
    hard = bots.strengths[-1]
    pairs = [(strength or hard, rivals or hard)] if strength or rivals else pairs_of(bots)
    duels = [
        Duel(game, size, *pair, settings, 1 if new_deals else size)
        for size in sizes
        for pair in pairs
    ]
    report(out.console, duels, games, workers)


def protocol(
    game: AnyId,
    schema: Annotated[bool, typer.Option(help="Print a JSON Schema instead.")] = False,
    wire: Annotated[str, typer.Option(help="Which of its protocols, if it has several.")] = "",
) -> None:
    """Print the protocol of any installed game as an AsyncAPI document."""
    import json

    from parlour.documents import wires
    from parlour.documents.messages import Messages
    from parlour.games import installed_games

    games = {each.id: each for each in installed_games()}
    if game not in games:
        fail(f"No game called {game} is installed. These are: {', '.join(games)}.")
    found = {each.name: each for each in games[game].wires}
    if wire and wire not in found:
        fail(f"--wire: the protocols of {game} are: {', '.join(found)}.")
    spoken = found[wire] if wire else games[game].wires[0]
    document = (wires.schema if schema else wires.asyncapi)(
        wires.title(games[game], spoken), Messages(spoken)
    )
    # Not through the console, which breaks long lines.
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
