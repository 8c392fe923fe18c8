"""Super Rummy in five minutes."""

from __future__ import annotations

from typing import Final

from parlour.cards import faces
from parlour.lessons import At, Deck, Do, Lesson, Other, Say, dealt

_HANDS: Final = dealt(faces("5♥ 6♥ 7♥ Q♣ 9♦ K♦ 9♠"), faces("Q♥ Q♦ Q♠ 9♣ 4♣ A♦ 10♠"))
_PILES: Final = faces("J♣ 2♠ 3♦")
"""The first discard, then the deck."""

FIRST: Final = Lesson(
    id="first-round",
    title="Your first round",
    seats=2,
    settings={"hand_size": 7},
    shuffles=[Deck([*_HANDS, *_PILES])],
    steps=[
        Say(
            "You play against {1}. Whoever is first to have no cards left wins the round.",
            look=["hand 0", "hand 1"],
        ),
        Say(
            "You lay cards down in groups of three or more, called melds. 5♥ 6♥ 7♥ is a meld: a"
            " run, one suit in a row.",
            look=["hand 0"],
        ),
        Say(
            "The other kind of meld is a set: three or four cards of the same rank. You have 9♦"
            " and 9♠. One more nine would make a set.",
            look=["hand 0"],
        ),
        Do(
            "Every turn begins with a card. Draw the top card of the deck.",
            "draw",
            {"card_id": At("deck")},
            "J♣ helps you with nothing. Draw from the deck: there the card may be better.",
        ),
        Do(
            "You got 2♠. It does not help, but your run is ready. Lay 5♥ 6♥ 7♥ down as a meld.",
            "meld",
            {"card_ids": ["5♥", "6♥", "7♥"]},
            "Wait with the discard: it ends your turn. First meld the run, 5♥ 6♥ 7♥.",
        ),
        Do(
            "A turn ends with a discard: put one card on the discards, face up. Cards that you"
            " still hold when {1} wins count against you, a king 10 points. Discard K♦.",
            "discard",
            {"card_id": "K♦"},
            "Keep that one. K♦ goes with none of your cards, and it counts the most.",
        ),
        Other(1, "draw", {"card_id": At("deck")}),
        Other(1, "meld", {"card_ids": ["Q♥", "Q♦", "Q♠"]}),
        Other(1, "discard", {"card_id": "9♣"}),
        Say(
            "{1} drew a card, laid down three queens, and discarded 9♣. That is the nine you need!",
            look=["discards", "meld 1"],
        ),
        Do(
            "Instead of a card from the deck you may take the top card of the discards. Take 9♣.",
            "draw",
            {"card_id": "9♣"},
            "Nobody knows what the deck would give you. 9♣ completes your set: take it.",
        ),
        Do(
            "Now you have a set. Meld 9♣ 9♦ 9♠.",
            "meld",
            {"card_ids": ["9♣", "9♦", "9♠"]},
            "That works, too, but do the set first: 9♣ 9♦ 9♠.",
        ),
        Do(
            "You may also add cards to melds on the table, your own or somebody else's. Lay Q♣ on"
            " the three queens.",
            "lay",
            {"card_ids": ["Q♣"], "meld_number": 1},
            "Do not end your turn yet. Q♣ is a fourth queen: lay it on the meld of queens.",
        ),
        Do(
            "One card is left. Discard 2♠, and you are out!",
            "discard",
            {"card_id": "2♠"},
        ),
        Say(
            "You have won! The cards that {1} still holds are worth 18 points, and you get them."
            " Aces count 1, jacks, queens and kings 10, others their number.",
            look=["hand 1"],
        ),
        Say(
            "Two more rules. You can't discard the card that you took from the discards in the same"
            " turn, unless it is your last. And you need no discard if all your cards are laid"
            " down."
        ),
    ],
)
