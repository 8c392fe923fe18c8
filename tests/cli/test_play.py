"""Games in the terminal: whole rounds by scripted input, and what is said to bad input."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, cycle

import pytest
from typer.testing import CliRunner

from parlour.arena.duels import Duel, compare_strengths
from parlour.arena.mo import PLAYERS
from parlour.cli import app
from parlour.games.mo.solver import Solution
from parlour.games.mo.terminal import short
from parlour.games.rummy import terminal
from parlour.games.rummy.melds import meld_rules, melds_in
from parlour.games.rummy.rules import Rummy, deal
from parlour.games.rummy.settings import Settings
from parlour.kit import Setup
from parlour.rng import ProvableRng
from tests.terminals import paper, printed, typing


def drawing_and_discarding(rounds: int) -> Callable[[str], str]:
    """Somebody without any ambition, for so many rounds."""
    draws, discards = cycle(["d", "p"]), cycle(["x 1", "x 2"])
    played: Iterator[int] = count(1)

    def ask(prompt: str) -> str:
        if prompt.startswith("Draw"):
            return next(draws)
        if prompt.startswith("Play"):
            return next(discards)
        return "q" if next(played) == rounds else ""

    return ask


@pytest.mark.parametrize("bots", [1, 2, 3])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_rounds_are_played_to_their_end_and_counted(bots: int, seed: int) -> None:
    out = paper()
    scores = terminal.play(out, bots, seed, drawing_and_discarding(3))
    text = printed(out)
    assert list(scores) == ["You", "Pip", "Trey", "Bower"][: bots + 1]
    assert text.count("Scores: ") == 3
    assert f"Scores: {', '.join(f'{n} {s}' for n, s in scores.items())}." in text
    assert [f"Round {n}" in text for n in (1, 2, 3, 4)] == [True, True, True, False]
    assert "Pip draws a card." in text
    assert "Pip discards" in text


def test_the_same_seed_is_the_same_evening() -> None:
    evenings = []
    for seed in (5, 5, 6):
        out = paper()
        terminal.play(out, 2, seed, drawing_and_discarding(2))
        evenings.append(printed(out))
    assert evenings[0] == evenings[1] != evenings[2]


def dealt(seed: int, bots: int) -> Rummy:
    """The first round of an evening, as the rules deal it."""
    names = ["You", *["bot"] * bots]
    rng = ProvableRng(f"{seed}".encode(), "round 1")
    return deal(Setup(Settings(), names), rng, 0)[0]


def test_no_card_of_a_bots_hand_is_ever_printed() -> None:
    match = dealt(4, 1)
    out = paper()
    terminal.play(out, 1, 4, typing("d"))
    for card in match.hands[1]:
        assert f":{short(card.face)} " not in printed(out)
    for card in match.hands[0]:
        assert f":{short(card.face)}" in printed(out)


def test_a_meld_is_laid_by_numbers_and_laid_on() -> None:
    rules = meld_rules(Settings())
    seed = next(
        s for s in count() if any(len(m) == 3 for m in melds_in(dealt(s, 1).hands[0], rules))
    )
    match = dealt(seed, 1)
    hand = match.hands[0]
    meld = next(m for m in melds_in(hand, rules) if len(m) == 3)
    # With the drawn card the numbers shift: take them from the hand as it is then.
    drawn = match.apply(0, match.legal(0)[0], ProvableRng(b"", ""), 0)
    assert drawn
    numbers = [str(1 + [c.id for c in match.hands[0]].index(card.id)) for card in meld]
    out = paper()
    terminal.play(out, 1, seed, typing("d", f"m {' '.join(numbers)}", "l 1 on 7", "q"))
    text = printed(out)
    assert "You meld " in text
    assert "  0  " in text
    assert "There is no such meld on the table." in text


def test_whatever_is_said_wrong_is_answered_and_asked_again() -> None:
    out = paper()
    lines = {
        "x 1": "Draw a card first.",
        "?": "Be rid of your cards first",
        "help": "Be rid of your cards first",
        "": "Be rid of your cards first",
        "d": "You draw",
        "p": "You have drawn a card this turn.",
        "m 1 2 3": "These cards are neither a set nor a run.",
        "m 1 1 2": "A card can be laid down only once.",
        "m": "Name the cards by their numbers.",
        "m 99": "You have no card 99.",
        "m one": "You have no card one.",
        "l 1 on 0": "There is no such meld on the table.",
        "l 1 on -1": "Say which card goes on which meld",
        "l 1": "Say which card goes on which meld",
        "x": "Name the cards by their numbers.",
        "x 1 2": "Discard one card",
        "[red]": "There is no command [red]; ? lists them.",
        "s": "Sorted by rank.",
        "S": "Sorted by suit.",
    }
    terminal.play(out, 1, 7, typing(*lines))
    text = printed(out)
    for answer in lines.values():
        assert answer in text
    assert text.rstrip().endswith("Goodbye.")


def test_sorting_changes_the_numbers_and_nothing_else() -> None:
    out = paper()
    terminal.play(out, 1, 7, typing("s", "s"))
    hands = [line for line in printed(out).splitlines() if line.startswith("Hand")]
    assert hands[0] == hands[2] != hands[1]
    faces = [sorted(card.split(":")[1] for card in hand.split()[1:]) for hand in hands]
    assert faces[0] == faces[1]


def test_the_command_plays_until_the_input_ends() -> None:
    result = CliRunner().invoke(app, ["play", "rummy", "--bots", "1", "--seed", "7"], input="d\n")
    assert result.exit_code == 0
    assert "You draw" in result.stdout
    assert "Goodbye." in result.stdout
    again = CliRunner().invoke(app, ["play", "rummy", "--bots", "1", "--seed", "7"], input="d\nq\n")
    assert again.exit_code == 0
    for bots in ("0", "4"):
        assert CliRunner().invoke(app, ["play", "rummy", "--bots", bots]).exit_code == 2


def test_mo_is_played_and_solved_by_command() -> None:
    result = CliRunner().invoke(app, ["play", "mo", "--seed", "arena-1"], input="?\nq\n")
    assert result.exit_code == 0
    assert "Deal arena-1 (classic), move 0" in result.stdout
    result = CliRunner().invoke(app, ["mo", "solve", "--seed", "arena-1"])
    assert result.exit_code == 0
    assert "Won in " in result.stdout
    assert CliRunner().invoke(app, ["mo", "solve"]).exit_code == 2


@pytest.mark.parametrize("command", [("play", "mo"), ("mo", "solve")], ids=" ".join)
def test_a_seed_that_is_none_is_refused_in_one_sentence(command: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, [*command, "--seed", "no [/] seed"])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == "parlour: --seed: A seed is 1 to 32 letters, digits and hyphens.\n"


def test_a_deal_that_no_way_to_win_was_found_for_is_exit_code_1(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("parlour.games.mo.terminal.solve", lambda board: Solution(None, 7))
    result = CliRunner().invoke(app, ["mo", "solve", "--seed", "abc"])
    assert result.exit_code == 1
    assert "No way to win deal abc (classic) was found" in result.stdout


def test_the_arena_is_told_what_to_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(
        "parlour.arena.mo.report",
        lambda console, *told: asked.append(told),
    )
    options = ["--deals", "3", "--profile", "printed", "--workers", "1"]
    options += ["--first", "9", "--player", "honest"]
    assert CliRunner().invoke(app, ["arena", "mo", *options]).exit_code == 0
    assert CliRunner().invoke(app, ["arena", "mo"]).exit_code == 0
    assert asked == [(3, "printed", ("honest",), 1, 9), (200, "classic", PLAYERS, None, 1)]


def test_the_arena_is_told_which_bots_to_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr("parlour.arena.duels.report", lambda console, *told: asked.append(told))
    options = ["--rounds", "30", "--workers", "1"]
    onu = ["--deck", "classic", "--ours", "none", "--seats", "3"]
    for words in (["rummy", *options], ["rummy"], ["onu", *onu], ["onu"], ["strengths", "quips"]):
        assert CliRunner().invoke(app, ["arena", *words]).exit_code == 0
    rummy = [Duel("rummy", seats, games_per_deal=seats) for seats in (2, 3, 4)]
    compact = {"deck": "compact"}
    assert asked == [
        (rummy, 30, 1),
        (rummy, 4000, None),
        ([Duel("onu", 3, "normal", "normal", {"deck": "classic"})], 10_000, None),
        ([Duel("onu", seats, "hard", "normal", compact) for seats in (2, 4)], 10_000, None),
        (compare_strengths("quips"), 1000, None),
    ]
