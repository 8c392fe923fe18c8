"""`parlour play`, `parlour mo` and `parlour arena`: games in the terminal, and how well bots play.

What a command needs is imported when it runs, as in `cli.py`.
"""

from __future__ import annotations

import secrets
from typing import Annotated, Literal

import typer

from parlour.console import fail, out

play_app = typer.Typer(help="Play in the terminal, against bots.", no_args_is_help=True)
mo_app = typer.Typer(help="Solve deals of MO.", no_args_is_help=True)
arena_app = typer.Typer(help="Measure how well games are played.", no_args_is_help=True)

Profile = Annotated[
    Literal["classic", "printed"], typer.Option(help="Which of MO's two rule books.")
]

Seed = Annotated[int | None, typer.Option(help="The same number deals the same cards.")]
Workers = Annotated[
    int | None, typer.Option(min=1, help="How many processes; by default one per core.")
]


@play_app.command("rummy")
def play_rummy(
    bots: Annotated[int, typer.Option(min=1, max=3, help="How many play against you.")] = 2,
    strength: Annotated[
        Literal["easy", "normal", "hard"], typer.Option(help="How well they play.")
    ] = "hard",
    seed: Seed = None,
) -> None:
    """Super Rummy against bots, round after round."""
    from parlour.games.rummy.terminal import play

    play(out.console, bots, secrets.randbits(32) if seed is None else seed, strength=strength)


@play_app.command("cambia")
def play_cambia(
    bots: Annotated[int, typer.Option(min=1, max=7, help="How many play against you.")] = 2,
    seed: Seed = None,
) -> None:
    """Cambia against bots, without a clock."""
    from parlour.games.cambia.terminal import play

    play(out.console, bots, secrets.randbits(32) if seed is None else seed)


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
    play(out.console, ProvableRng(secrets.token_bytes(32), "mo"), seed, profile)


@play_app.command("game")
def play_described(
    name: Annotated[str, typer.Argument(metavar="GAME", help="Its id, as in its address.")],
    bots: Annotated[int, typer.Option(min=1, help="How many play against you.")] = 2,
    strength: Annotated[str, typer.Option(help="How well they play.")] = "hard",
    seed: Seed = None,
) -> None:
    """Any installed game that has a scene, against bots."""
    from parlour.games import installed_games
    from parlour.scene_terminal import DescribedGame

    games = {game.id: game for game in installed_games() if game.scene and game.bots}
    game = games.get(name)
    if game is None or game.bots is None:
        known = ", ".join(games) or "none is installed"
        fail(f"No game called {name} can be played here. Games with a scene: {known}.")
    if not game.min_seats <= bots + 1 <= game.max_seats:
        fail(f"--bots: {game.name} is for {game.min_seats} to {game.max_seats} players.")
    if strength not in game.bots.strengths:
        fail(f"--strength: bots of {game.name} are: {', '.join(game.bots.strengths)}.")
    seed = secrets.randbits(32) if seed is None else seed
    DescribedGame(game, out.console, bots, seed, strength=strength).play()


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
    from parlour.games.mo.terminal import show_solution

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
