"""`parlour play`, `learn`, `mo` and `arena`: games in the terminal, and how well bots play.

What a command needs is imported when it runs, as in `cli.py`.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperCommand

from parlour.console import fail, out

if TYPE_CHECKING:
    from parlour.protocol import Game

mo_app = typer.Typer(help="Solve deals of MO.", no_args_is_help=True)
arena_app = typer.Typer(help="Measure how well games are played.", no_args_is_help=True)

Profile = Annotated[
    Literal["classic", "printed"], typer.Option(help="Which of MO's two rule books.")
]

Workers = Annotated[
    int | None, typer.Option(min=1, help="How many processes; by default one per core.")
]


class GamesCommand(TyperCommand):
    """A command whose help lists the installed games. They are not loaded for other commands."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        from parlour.games import installed_games

        games = [(game.id, game.name) for game in installed_games() if game.scene]
        with formatter.section("Games"):
            formatter.write_dl(games)


def play(
    name: Annotated[str, typer.Argument(metavar="GAME", help="Its id: one of those below.")],
    bots: Annotated[
        int | None, typer.Option(min=0, help="How many play against you.", show_default="2")
    ] = None,
    strength: Annotated[
        str, typer.Option(help="How well they play: easy, normal or hard, where there are these.")
    ] = "hard",
    seed: Annotated[str, typer.Option(help="The same word deals the same cards.")] = "",
    change: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A setting of the table; repeatable."),
    ] = None,
    called: Annotated[str, typer.Option("--name", help="What you are called.")] = "Player",
) -> None:
    """Play in the terminal, against bots."""
    from parlour.kit import Illegal
    from parlour.terminal.matches import CannotDraw, Matches

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
    seed = seed or secrets.token_hex(8)
    try:
        Matches(game, settings, out.console, count, seed, None, strength, called).play()
    except CannotDraw as wrong:
        fail(str(wrong))


def learn(
    name: Annotated[str, typer.Argument(metavar="GAME", help="Its id: one of those below.")],
    lesson: Annotated[
        str, typer.Argument(help="Which of its lessons.", show_default="the first")
    ] = "",
    called: Annotated[str, typer.Option("--name", help="What you are called.")] = "Player",
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
    url: Annotated[str, typer.Option(help="The running server.")] = "http://localhost:3000",
) -> None:
    """Watch a table of a running server: its moves in words, and how it looks."""
    from parlour.terminal.remote import CannotWatch
    from parlour.terminal.remote import watch as watch_table

    try:
        watch_table(out.console, url, code)
    except CannotWatch as wrong:
        fail(str(wrong))


def _game(name: str) -> Game:
    """An installed game with a scene."""
    from parlour.games import installed_games

    games = {game.id: game for game in installed_games() if game.scene}
    if name not in games:
        fail(f"No game called {name} can be played here. These can: {', '.join(games)}.")
    return games[name]


def _patch(changes: list[str]) -> dict[str, Any]:
    """ "rules.jokers=2" as {"rules": {"jokers": 2}}."""
    import msgspec

    patch: dict[str, Any] = {}
    for change in changes:
        path, is_given, text = change.partition("=")
        if not is_given:
            fail(f"--set: {change} is not NAME=VALUE.")
        try:
            value = msgspec.json.decode(text)
        except msgspec.DecodeError:
            value = text
        at = patch
        *above, last = path.split(".")
        for key in above:
            at = at.setdefault(key, {})
        at[last] = value
    return patch


def _check_seed(seed: str) -> None:
    from parlour.games.mo.rules import check_seed
    from parlour.kit import Illegal

    try:
        check_seed(seed)
    except Illegal as no:
        fail(f"--seed: {no.sentence}")


@mo_app.command("solve")
def solve_mo(
    seed: Annotated[str, typer.Option(help="The deal, by its word.")],
    profile: Profile = "classic",
) -> None:
    """Find a way to win a deal whose order is known; exit code 1 if none is found."""
    from parlour.games.mo.solution import show_solution

    _check_seed(seed)
    if not show_solution(out.console, seed, profile):
        raise typer.Exit(1)


@arena_app.command("mo")
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


@arena_app.command("rummy")
def arena_rummy(
    rounds: Annotated[int, typer.Option(min=1, help="How many at each size of table.")] = 4000,
    workers: Workers = None,
) -> None:
    """Let Super Rummy's bot play bots that lay down what they can at once."""
    from parlour.arena.duels import Duel, report

    duels = [Duel("rummy", seats, games_per_deal=seats) for seats in (2, 3, 4)]
    report(out.console, duels, rounds, workers)


@arena_app.command("onu")
def arena_onu(
    games: Annotated[int, typer.Option(min=1, help="How many games of each size.")] = 10_000,
    deck: Annotated[
        Literal["compact", "classic"], typer.Option(help="Which deck they play with.")
    ] = "compact",
    workers: Workers = None,
    ours: Annotated[
        Literal["one", "all", "none"],
        typer.Option(help="How many seats our bot has; the document's has the others."),
    ] = "one",
    seats: Annotated[
        list[int] | None, typer.Option(min=2, max=7, help="Players; by default 2 and 4.")
    ] = None,
) -> None:
    """Let ONU's bot play against the protocol document's."""
    from parlour.arena.duels import Duel, report

    # The document's bot is ONU's normal one.
    bot, rivals = {
        "one": ("hard", "normal"),
        "all": ("hard", "hard"),
        "none": ("normal", "normal"),
    }[ours]
    duels = [Duel("onu", size, bot, rivals, {"deck": deck}) for size in seats or (2, 4)]
    report(out.console, duels, games, workers)


@arena_app.command("strengths")
def arena_strengths(
    game: Annotated[Literal["rummy", "cambia", "onu", "quips"], typer.Argument(help="Whose bots.")],
    games: Annotated[int, typer.Option(min=1, help="How many of each pair.")] = 1000,
    workers: Workers = None,
) -> None:
    """Let a game's easy, normal and hard bots play each other."""
    from parlour.arena.duels import compare_strengths, report

    report(out.console, compare_strengths(game), games, workers)
