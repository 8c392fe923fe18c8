"""Crazy Eights in five minutes."""

from parlour.cards import faces
from parlour.lessons import Deck, Do, Lesson, Other, Say

FIRST = Lesson(
    id="first-hand",
    title="Your first hand",
    seats=2,
    # The learner's hand, the other hand, the first card of the pile, the first of the stock.
    shuffles=[Deck(faces("5♥ K♥ 8♠ 9♦ 2♠  Q♥ K♣ J♦ 9♣ 7♠  5♣ 3♣"))],
    steps=[
        Say("You play against {1}. Whoever is first to have no cards left wins.", look=["hand 0"]),
        Do(
            "On the pile lies 5♣. A card of the same rank fits. Play 5♥.",
            "play",
            {"index": "5♥"},
            "That would be possible, but your five fits, too. Play 5♥.",
        ),
        Other(1, "play", {"index": "Q♥"}),
        Do(
            "{1} played Q♥, because a card of the same suit fits as well. Play K♥.",
            "play",
            {"index": "K♥"},
            "K♥ is a heart, like Q♥. Play it.",
        ),
        Other(1, "play", {"index": "K♣"}),
        Do(
            "You have no club and no king. But an eight fits on every card, and you choose the suit"
            " that goes on. Play 8♠, and choose diamonds.",
            "play",
            {"index": "8♠", "suit": "diamonds"},
            "Choose diamonds with your eight: then your 9♦ fits next.",
        ),
        Other(1, "play", {"index": "J♦"}),
        Do("Now your 9♦ fits.", "play", {"index": "9♦"}, "Play 9♦. It is a diamond."),
        Other(1, "play", {"index": "9♣"}),
        Do(
            "Your 2♠ is no club and no nine. If nothing fits, draw a card.",
            "draw",
            otherwise="Draw a card from the stock.",
        ),
        Do("You are lucky: 3♣ fits. Play it.", "play", {"index": "3♣"}, "Play 3♣."),
        Say(
            "One card left! If you can play it in your next turn, you win. Cards that others still"
            " hold count against them: eights 50 points, jacks, queens and kings 10."
        ),
    ],
)
