"""Whole matches of every game in the terminal, and what is said to bad input."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec
import pytest
from rich.console import Console

from parlour.choices import Choice, Number, One, Some, Text
from parlour.games import installed_games
from parlour.protocol import Game
from parlour.scenes import Scene, SeatInfo, Thing, Zone
from parlour.terminal.choosing import HELP, RENEWS, SORTS, Changed, Chooser, Quit
from parlour.terminal.drawing import Drawing
from parlour.terminal.entries import Chosen, letters_for
from parlour.terminal.matches import CannotDraw, Matches
from tests.examples.conftest import ROOT
from tests.terminals import paper, printed, typing

sys.path.insert(0, str(ROOT / "examples" / "eights" / "src"))

from parlour_eights import GAME as EIGHTS

GAMES: dict[str, Game] = {game.id: game for game in (*installed_games(), EIGHTS)}


def evening(
    game: str, ask: Callable[[str], str], bots: int = 2, seed: str = "1", **settings: Any
) -> str:
    """What is printed until the player quits."""
    out, rules = paper(), GAMES[game]
    Matches(rules, rules.configure(rules.settings(), settings), out, bots, seed, ask).play()
    return printed(out)


def anything(seed: int) -> Callable[[str], str]:
    """Somebody who types any number until the first match is over."""
    rnd = Random(seed)

    def ask(prompt: str) -> str:
        if prompt.startswith("Enter for another"):
            return "q"
        if prompt.startswith("Enter"):
            return rnd.choice(["", "", "", "1 1"])
        if prompt.startswith("Your text"):
            return "a text of mine"
        if ", in order" in prompt:
            return " ".join(str(number) for number in rnd.sample(range(1, 6), 2))
        # Of MO's first numbers, most are moves; "New game" would go on for ever.
        return str(rnd.choice([1, 1, 1, 2, 2, 3, 4]))

    return ask


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("game", "bots"), [("rummy", 3), ("cambia", 2), ("quips", 3), ("onu", 2), ("eights", 4)]
)
def test_a_match_is_played_to_its_end(game: str, bots: int, seed: int) -> None:
    text = evening(game, anything(seed), bots, str(seed))
    assert re.search(r"^\w+( and \w+)* wins?\.$", text, re.MULTILINE)
    assert "{" not in text, "every name is filled in"
    assert text.endswith("Goodbye.\n")


def test_moves_are_taken_back_after_the_end_of_a_match() -> None:
    text = evening("mo", typing(*["1"] * 150), 0, seed="a")
    assert "Nobody wins." in text
    assert "A move is taken back." in text


def test_the_same_seed_is_the_same_match() -> None:
    one, same, other = (evening("onu", anything(1), seed=seed) for seed in "aab")
    assert one == same != other


def test_matches_are_counted() -> None:
    rest = iter(["", "", "q"])

    def ask(prompt: str) -> str:
        return next(rest) if prompt.startswith("Enter for another") else "1"

    text = evening("rummy", ask, 1)
    sums = [line for line in text.splitlines() if line.startswith("All together: ")]
    assert len(sums) == 3
    assert sums[0] != sums[2]


def test_no_card_of_a_bots_hand_is_printed() -> None:
    text = evening("onu", typing("q"), 1)
    rival = next(line for line in text.splitlines() if line.startswith("Azure's hand"))
    assert rival == "Azure's hand: 7 ▒"


def test_bad_input_is_answered_and_asked_again() -> None:
    text = evening("rummy", typing("?", "77", "word", "-1", "[red]", "0", "", "1", "q"))
    assert HELP in text
    for word in ("77", "word", "-1", "[red]"):
        assert f"{word} is none of these. Type a number from 1 to 2, or ? for help." in text
    assert "Player draws " in text


@pytest.mark.parametrize("error", [EOFError, KeyboardInterrupt])
def test_the_end_of_the_input_and_ctrl_c_leave(error: type[BaseException]) -> None:
    def ask(prompt: str) -> str:
        raise error

    assert evening("cambia", ask).endswith("Goodbye.\n")


def test_a_board_is_a_grid_that_marks_where_the_card_may_go() -> None:
    text = evening("mo", typing("q"), 0, seed="parlour")
    fields = [line.split("│")[1:-1] for line in text.splitlines() if line.startswith("│")]
    assert all(len(row) == 5 and {len(field) for field in row} == {13} for row in fields)
    names = [field.strip() for row in fields[::2] for field in row]
    assert names[1:4] == ["b1", "c1", "d1"]
    assert names[-1] == "Next card"
    marked = {name[1:-1] for name in names if name.startswith("[")}
    offered = set(re.findall(r"lay (\w\d)", text))
    assert marked == offered != set()


def test_a_board_that_is_too_wide_is_listed() -> None:
    game = GAMES["mo"]
    out = Console(file=io.StringIO(), width=40, color_system=None)
    Matches(game, game.settings(), out, 0, "1", typing("q")).play()
    assert "│" not in printed(out)
    assert "b1: –" in printed(out)


def test_a_solitaire_has_hints_with_reasons() -> None:
    text = evening("mo", typing("h", "h", "q"), 0, seed="parlour")
    hints = re.findall(r"Hint: ([a-e]\d): \w.+", text)
    assert len(hints) == 2
    assert f"lay {hints[0]}" in text


def test_piles_are_typed_whatever_lies_on_others() -> None:
    text = evening("mo", typing("c3", "q"), 0, seed="abc")
    assert "4 Play c3" in text
    assert "5♠ goes to c3." in text


def test_moves_are_typed_as_letters_and_piles() -> None:
    first = re.search(r"lay (\w\d)", evening("mo", typing("q"), 0, seed="parlour"))
    assert first
    text = evening("mo", typing(first[1], "u", "r", "u", "p 1", "q"), 0, seed="parlour")
    assert text.count(f"goes to {first[1]}.") == 3
    assert text.count("A move is taken back.") == 2


def test_another_match_is_dealt_at_once_by_a_word_or_with_other_settings() -> None:
    text = evening("mo", typing("p 1", "n daily-2031-05-09", "new", "q"), 0, seed="parlour")
    seeds = re.findall(r"Moves 0, .* seed (\S+)", text)
    assert seeds[:2] == ["parlour", "daily-2031-05-09"]
    assert len(seeds) == 3
    assert seeds[2] not in seeds[:2]
    text = evening("mo", typing("n profile=printed seed-1", "q"), 0, seed="parlour")
    assert "rules printed, seed seed-1" in text
    hands = [
        [line for line in text.splitlines() if line.startswith("Your hand: ")]
        for text in (
            evening("rummy", typing("new Word", "q"), seed="5"),
            evening("rummy", typing("new word", "q"), seed="5"),
            evening("rummy", typing("q"), seed="Word"),
        )
    ]
    assert hands[0][1] == hands[2][0] != hands[1][1]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("new a_b", "MO has no deal called a_b."),
        ("new one two", "After new, type one word for the deal, settings as NAME=VALUE, or"),
        ("new profile=blue", "These settings can't be: "),
        ("new ?", "Settings: profile=classic, seed=."),
    ],
)
def test_a_match_that_cannot_be_dealt_leaves_the_one_in_play(line: str, answer: str) -> None:
    text = evening("mo", typing(line, "q"), 0, seed="parlour")
    assert answer in text
    assert text.count("seed parlour") == 1
    assert text.endswith("Goodbye.\n")


def test_settings_that_do_not_fit_the_players_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(GAMES["onu"]), "seats", lambda *_: (2, 2))
    text = evening("onu", typing("new deck=classic", "q"), 2)
    assert "These settings are not for 3 players." in text
    assert text.count("Your hand: ") == 1


def test_a_card_is_used_or_left_by_yes_and_no() -> None:
    """A king was drawn: two cards are looked at, then swapped or not."""
    looks = "Player looks at Player's card 1 and Alma's card 1."
    text = evening("cambia", typing("", "d", "d", "l 1 a1", "y", "q"), seed="3")
    assert looks in text
    assert "2 Leave it [n]" in text
    assert "Alma's cards) [y]" in text
    assert "Player swaps Alma's card 1 and Player's card 1." in text
    text = evening("cambia", typing("", "d", "d", "l 1 a1", "no", "q"), seed="3")
    assert looks in text
    assert "Player swaps" not in text
    assert "Player leaves it." in text
    text = evening("cambia", typing("", "d", "d", "n", "q"), seed="3")
    assert looks not in text
    assert "Player leaves it." in text


def test_cards_of_others_are_named_by_a_letter_and_a_place() -> None:
    text = evening("cambia", typing("", "d", "d", "l a1 b2", "q"), seed="3")
    assert "Player looks at Alma's card 1 and Bruno's card 2." in text
    assert "Card 1? >" not in text


def test_no_lets_a_snap_be() -> None:
    text = evening("cambia", typing("", "d", "d", "n", "n", "no", "", "q"), seed="3")
    assert "none of these" not in text
    assert "Alma keeps the drawn card" in text


@pytest.mark.parametrize("game", ["rummy", "cambia", "mo"])
def test_the_help_tells_the_rules_in_short_and_fits_into_eighty_columns(game: str) -> None:
    text = " ".join(evening(game, typing("", "help"), 2 if game != "mo" else 0).split())
    assert GAMES[game].summary
    assert GAMES[game].summary in text
    assert all(len(line) < 80 for line in f"{HELP}{SORTS}{RENEWS}".splitlines())


def test_cards_are_sorted_in_another_order_and_back() -> None:
    text = evening("rummy", typing("s", "s", "s", "q"), 1, seed="5")
    hands = [line for line in text.splitlines() if line.startswith("Your hand: ")]
    dealt, by_suit, by_rank, again = ([*hand.split()[2:]] for hand in hands)
    assert dealt == again
    assert by_suit == sorted(dealt, key=lambda card: "♥♦♣♠".index(card[-1]))
    ranks = [["A", *map(str, range(2, 11)), *"JQK"].index(card[:-1]) for card in by_rank]
    assert ranks == sorted(ranks)
    assert sorted(by_rank) == sorted(dealt)


def test_rummy_is_played_by_letters_and_cards() -> None:
    """As its own terminal was once: d, p, m, and discards by card."""
    text = evening("rummy", typing("d", "m 5c 5d 5s", "d J♦", "q"), seed="5")
    assert "Player melds 5♣ 5♦ 5♠." in text
    assert "Player discards J♦." in text
    assert re.search(r"Player takes \S+ from", evening("rummy", typing("p", "q"), seed="5"))


def test_cambia_is_played_by_letters_and_places() -> None:
    text = evening("cambia", typing("", "d", "p 2", "q"), 1)
    assert "Player keeps the drawn card as card 2" in text
    assert "2 [P]ut it here Your cards 1   3 Put it here Your cards 2   4" in text
    text = evening("cambia", typing("", "s 3", "q"), 1)
    assert re.search(r"Player .*snap", text)


def test_a_new_size_of_the_terminal_draws_the_table_again() -> None:
    sizes = iter([Changed, Changed, EOFError])

    def ask(prompt: str) -> str:
        raise next(sizes)

    assert evening("onu", ask).count("Your hand: ") == 3


def test_a_hint_is_something_that_may_be_done() -> None:
    text = evening("onu", typing("h"))
    hint = next(line for line in text.splitlines() if line.startswith("Hint: "))
    offered = text.split("Hint")[0].replace("[", "").replace("]", "")
    assert f" {hint.removeprefix('Hint: ')}" in offered


def test_cards_that_were_looked_at_are_hidden_before_the_game_goes_on() -> None:
    text = evening("cambia", typing("", "q"), 1)
    own = [line for line in text.splitlines() if line.startswith("Your cards: ")]
    assert own[0].count("▒") == 2
    assert own[1] == "Your cards: 4 ▒"


def test_a_snap_is_asked_about_once_for_every_discard() -> None:
    """And not while nothing new lies there."""
    out, game, tops = paper(), GAMES["cambia"], []

    def ask(prompt: str) -> str:
        if prompt.startswith("Enter to go on, or a number"):
            lines = [line for line in printed(out).splitlines() if line.startswith("Stockpile")]
            tops.append(lines[-1])
        if len(tops) == 12 or prompt.startswith("Enter for another"):
            raise EOFError
        return "" if prompt.startswith("Enter") else "1"

    Matches(game, game.settings(), out, 2, "1", ask).play()
    assert len(tops) >= 4
    assert len(set(tops)) == len(tops)


def test_a_game_that_cannot_be_drawn_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    import parlour_eights.picture as drawing

    monkeypatch.setattr(drawing, "Scene", lambda **fields: 1 // 0)
    with pytest.raises(CannotDraw, match="Crazy Eights can't be drawn: ZeroDivisionError"):
        evening("eights", typing())


@pytest.mark.parametrize(("encoding", "suits"), [("utf-8", "♥♦♣♠"), ("ascii", "hdcs")])
def test_a_terminal_without_the_signs_of_suits_is_told_letters(encoding: str, suits: str) -> None:
    for game in GAMES.values():
        told = io.BytesIO()
        out = Console(file=io.TextIOWrapper(told, encoding), width=100, color_system=None)
        bots = 0 if game.bots is None else 2
        Matches(game, game.settings(), out, bots, "1", typing(*["1"] * 9)).play()
        out.file.flush()
        text = told.getvalue().decode(encoding)
        if game.id == "rummy":
            hand = next(line for line in text.splitlines() if line.startswith("Your hand: "))
            assert {card[-1] for card in hand.split()[2:]} <= set(suits)


# What is asked


def chosen(choices: list[Choice], *lines: str, **scene: Any) -> tuple[Chosen | None, str]:
    hand = [Thing(f"t{number}", f"{number}♠", number) for number in range(2, 9)]
    shown = Scene(
        viewer=0,
        seats=[SeatInfo(0)],
        prompt="",
        choices=choices,
        **{
            "zones": [Zone("hand", "Your hand", "hand", hand, 0)],
            "targets": {"pass.cards": ["hand"]},
            **scene,
        },
    )
    out = paper()
    drawing = Drawing(out, ["Ada"])
    drawing.draw(shown)
    chooser = Chooser(drawing, typing(*lines))
    try:
        return chooser.choose(shown), printed(out)
    except Quit:
        return None, printed(out)


MANY = Choice("pass", {"cards": Some(list(range(2, 9)), 3, 3)})


def test_a_list_is_typed_as_numbers_in_any_order_with_or_without_commas() -> None:
    assert chosen([MANY], "1 3 1 2")[0] == Chosen("pass", {"cards": [2, 3, 4]})
    assert chosen([MANY], "1", "7, 1,2")[0] == Chosen("pass", {"cards": [2, 3, 8]})


def test_cards_of_a_list_are_counted_as_they_lie() -> None:
    """However the rules hold them."""
    names = [4, 2, 5, 3]
    things = [Thing(f"t{name}", f"{name}♠", f"card {name}") for name in names]
    cards = Some([f"card {name}" for name in sorted(names)], 2, 2)
    passes = [Choice("pass", {"cards": cards})]
    zones = [Zone("hand", "Your hand", "hand", things, 0)]
    got, _ = chosen(passes, "p 1 3", zones=zones)
    assert got == Chosen("pass", {"cards": ["card 4", "card 5"]})
    zones = [msgspec.structs.replace(zones[0], sortable=True)]
    got, _ = chosen(passes, "s", "p 1 3", zones=zones)
    assert got == Chosen("pass", {"cards": ["card 2", "card 4"]})


def test_a_list_that_is_not_possible_is_asked_for_again_and_0_goes_back() -> None:
    got, text = chosen([MANY], "1", "1 2", "1 2 3 4", "1 1 2", "1 2 99", "0", "1", "1 2 3")
    assert text.count("Choose 3.") == 2
    assert text.count("That is not possible.") == 2
    assert got == Chosen("pass", {"cards": [2, 3, 4]})


def test_an_ordered_list_may_have_texts() -> None:
    written = Choice("play", {"cards": Some([4, 5], 2, 2, ordered=True, texts=1, longest=9)})
    assert chosen([written], "1", "5 t", "my own")[0] == Chosen("play", {"cards": [5, "my own"]})
    assert chosen([written], "1", "t t", "one", "two")[0] is None


def test_values_that_are_numbers_are_typed_as_themselves() -> None:
    """Not by their places in the list: nobody bids 1 by typing 2."""
    bid = Choice("bid", {"tricks": One([0, 1, 3])})
    got, text = chosen([bid], "2", "00", "3")
    assert got == Chosen("bid", {"tricks": 3})
    assert text.count("Type a number from 0 to 3") == 2
    assert "0 [B]id 0   1 Bid 1   3 Bid 3" in text
    assert chosen([bid], "0")[0] == chosen([bid], "b 0")[0] == Chosen("bid", {"tricks": 0})
    # Beside something else the places count, but not behind the letter.
    assert chosen([bid, Choice("pass")], "2")[0] == Chosen("bid", {"tricks": 1})
    assert chosen([bid, Choice("pass")], "b 1")[0] == Chosen("bid", {"tricks": 1})
    dice = Choice("bid", {"count": One([4, 5], words=["4 dice", "5 dice"]), "face": Number(1, 40)})
    got, text = chosen([dice], "b", "5", "6")
    assert got == Chosen("bid", {"count": 5, "face": 6})
    assert "4 dice   5 dice" in text
    some = Choice("keep", {"dice": Some([4, 6, 1], 1, 2)})
    assert chosen([some], "1", "4 1")[0] == Chosen("keep", {"dice": [4, 1]})


def test_a_label_is_a_value_only_where_every_choice_has_one() -> None:
    """As many dice of a higher number, or more dice of any."""
    counts = [One([3], words=["3 dice"]), One([4, 5], words=["4 dice", "5 dice"])]
    numbers = [One([6], words=["sixes"]), One(list(range(2, 7)))]
    bids = [
        Choice("bid", {"count": count, "number": number}, "Bid")
        for count, number in zip(counts, numbers, strict=True)
    ]
    got, text = chosen(bids, "b sixes 3")
    assert got == Chosen("bid", {"count": 3, "number": 6})
    assert "1 [B]id 3 dice, sixes   2 Bid 4 dice, 2" in text


def test_fields_are_asked_for_one_after_the_other() -> None:
    bid = Choice("bid", {"count": Number(1, 9), "face": Number(1, 9), "said": Text(20)})
    got, _ = chosen([bid], "1 2 3", "my text")
    assert got == Chosen("bid", {"count": 2, "face": 3, "said": "my text"})


def test_what_is_optional_comes_last_and_does_not_fill_the_menu() -> None:
    snap = Choice("snap", {"card": Number(1, 3)}, "Snap", optional=True)
    text = chosen([snap, Choice("draw", label="Draw")])[1]
    assert "\n1 [D]raw   2 [S]nap …\n" in text


def test_words_narrow_what_is_listed() -> None:
    give = Choice("give", {"card": One([2, 3, 4]), "to": One([1, 2], words=["{0}", "Bo"])})
    targets = {"give.card": ["hand"], "pass.cards": ["hand"]}
    for line in ("3s bo", "g 3s bo", "give bo 3s", "3♠ b", "4"):
        got, _ = chosen([give], line, targets=targets)
        assert got == Chosen("give", {"card": 3, "to": 2}), line
    got, text = chosen([give], "3s", "2", targets=targets)
    assert got == Chosen("give", {"card": 3, "to": 2})
    assert text.endswith("1 [G]ive 3♠, Ada   2 Give 3♠, Bo\n")
    got, text = chosen([give], "3s zz", "4", targets=targets)
    assert "Type a number from 1 to 6" in text
    assert got == Chosen("give", {"card": 3, "to": 2})


def test_a_list_is_typed_as_cards() -> None:
    assert chosen([MANY], "p 2s 5s 3s")[0] == Chosen("pass", {"cards": [2, 3, 5]})
    assert chosen([MANY], "p 2s 2s 3s")[0] is None


def test_of_two_lists_the_one_that_was_typed_is_meant() -> None:
    run = Choice("meld", {"cards": Some([2, 3, 4, 5], 3, 4, sets=[[0, 1, 2], [0, 1, 2, 3]])})
    where = {"meld.cards": ["hand"]}
    assert chosen([run], "m 2s 3s 4s", targets=where)[0] == Chosen("meld", {"cards": [2, 3, 4]})
    got, _ = chosen([run], "m 2s 3s 4s 5s", targets=where)
    assert got == Chosen("meld", {"cards": [2, 3, 4, 5]})


def test_every_action_has_a_letter_of_its_own() -> None:
    assert letters_for(["Draw", "Discard", "Call Cambia", "Quit it", "77"], "hq") == [
        *("d", "i", "c", "u", "")
    ]
