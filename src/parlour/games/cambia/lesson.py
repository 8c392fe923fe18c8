"""Cambia in five minutes."""

from __future__ import annotations

from typing import Final

from parlour.cards import faces
from parlour.lessons import At, Deck, Do, Lesson, Other, Say, Wait

_HANDS: Final = faces("K♠ 9♦ Q♥ 3♦  9♠ 5♣ 10♥ 7♦")
_FIRST_DISCARD: Final = faces("10♦")
_STOCKPILE: Final = faces("4♥ 3♠ 8♦ 10♣ A♠ 6♦ 2♣")

FIRST: Final = Lesson(
    id="first-game",
    title="Your first game",
    seats=2,
    shuffles=[Deck(top=_STOCKPILE, bottom=[*_HANDS, *_FIRST_DISCARD])],
    steps=[
        Say(
            "You play against {1}. Four cards lie before each of you. Whoever has the fewest"
            " points at the end wins.",
            look=["hand 0", "hand 1"],
        ),
        Say(
            "Cards count their number, aces 1, jacks 11, queens 12. Black kings are the worst: 13."
            " A joker counts 0, and a red king even −1."
        ),
        Say(
            "Before the game begins you may look at two of your cards: K♠ and 9♦. Remember them,"
            " because they are about to be turned over.",
            look=["hand 0"],
        ),
        Wait(),
        Do(
            "The game has begun. Your cards lie face down now, also for you. It is your turn:"
            " draw a card from the stockpile.",
            "draw_stockpile",
            otherwise="Not yet. First draw a card from the stockpile.",
        ),
        Do(
            "You drew 4♥. Nobody else can see it. Your first card is K♠, which counts 13: put 4♥"
            " in its place.",
            "replace",
            {"card": At("hand 0", 0)},
            "Remember: your first card is K♠, your worst. Put 4♥ there.",
        ),
        Other(1, "draw_stockpile"),
        Other(1, "replace", {"card": At("hand 1", 0)}),
        Do(
            "{1} has discarded 9♠. Your second card is a nine, too! Whoever has a card of the same"
            " rank as the top discard may throw it in, at any time. Snap your second card.",
            "snap",
            {"card": At("hand 0", 1)},
            "Your nine is your second card. Snap it before you draw.",
        ),
        Say(
            "Well done: one card less. Take care, though. If you snap a card of another rank, it"
            " stays, and you get two more.",
            look=["hand 0", "discards"],
        ),
        Do(
            "It is your turn again. Draw a card.",
            "draw_stockpile",
            otherwise="You do not know enough about your cards yet. Draw a card.",
        ),
        Do(
            "8♦ is too high to keep, but it can do something for you. If you discard a 7 or an 8"
            " that you drew, you may look at one of your cards. Discard 8♦.",
            "discard_drawn",
            otherwise="You do not know what lies there. Discard 8♦, and look first.",
        ),
        Do(
            "Now look at your second card. You have not seen it yet.",
            "special",
            {"special": "peek_self", "card1": At("hand 0", 1)},
            "You know your first card: 4♥. Look at the second one.",
        ),
        Say(
            "It is Q♥, 12 points. Remember where it lies: it will be turned over again.",
            look=["hand 0"],
        ),
        Other(1, "draw_stockpile"),
        Other(1, "discard_drawn"),
        Other(1, "special", {"special": "peek_other", "card1": At("hand 0", 0)}),
        Say(
            "{1} has discarded 10♣. With a 9 or a 10 you look at somebody else's card: {1} looked"
            " at your first one.",
            look=["hand 0"],
        ),
        Say(
            "Two more abilities. With a jack or a queen you swap any two cards without seeing"
            " them. With a king you look at two cards, and then swap them or not."
        ),
        Do(
            "Your turn: draw a card.",
            "draw_stockpile",
            otherwise="Your second card is still Q♥. Draw a card first.",
        ),
        Do(
            "A♠ counts only 1. Put it in place of Q♥, your second card.",
            "replace",
            {"card": At("hand 0", 1)},
            "Keep A♠, and get rid of Q♥: it is your second card.",
        ),
        Other(1, "draw_stockpile"),
        Other(1, "discard_drawn"),
        Do(
            "You have 4♥, A♠ and one card that you have not seen. That is probably less than {1}"
            " has. Instead of drawing, call Cambia.",
            "call_cambia",
            otherwise="You could go on, but so could {1}. Call Cambia now.",
        ),
        Other(1, "draw_stockpile"),
        Other(1, "replace", {"card": At("hand 1", 2)}),
        Say(
            "After the call, everybody else had one more turn. Then all cards were turned up: you"
            " have 8 points, {1} has 17. You win!",
            look=["hand 0", "hand 1"],
        ),
        Say(
            "Call only if you are sure: whoever calls without having the fewest points gets one"
            " more. And in a real game you decide in 15 seconds, unless the table sets another"
            " time."
        ),
    ],
)
