"""Liar's Dice in five minutes."""

from parlour.lessons import Do, Lesson, Other, Say

FIRST = Lesson(
    id="first-lies",
    title="Your first lies",
    seats=2,
    settings={"dice": 3},
    # Dice of the first roll, one less than they show: the learner's, then the other player's.
    # Behind them those of the second roll, with a die fewer.
    numbers=[0, 3, 3, 3, 1, 5, 1, 2, 5, 4, 4],
    steps=[
        Say("You and {1} have rolled three dice each. You see only your own.", look=["dice 0"]),
        Say("A bid says how many dice show a number, yours and those of {1} together."),
        Say("Ones are wild: a one counts as whatever number is bid on."),
        Do(
            "You have two fours, and a one that counts as a third. Begin with a low bid: 2 dice,"
            " fours.",
            "bid",
            {"count": "2 dice", "number": "fours"},
            "That is possible, but begin lower: 2 dice, fours.",
        ),
        Other(1, "bid", {"count": "2 dice", "number": "fives"}),
        Do(
            "A bid must be higher: more dice, or as many of a higher number. {1} has bid 2 fives."
            " Now bid 3 fours, which you see before you.",
            "bid",
            {"count": "3 dice", "number": "fours"},
            "You know of three fours, so bid them: 3 dice, fours.",
        ),
        Other(1, "challenge"),
        Say(
            "{1} did not believe you, and all dice were shown. There were even four fours, so {1}"
            " was wrong and has lost a die."
        ),
        Other(1, "bid", {"count": "3 dice", "number": "fives"}),
        Do(
            "Everybody has rolled again, and whoever lost a die begins. {1} bids 3 fives. You have"
            " none, and {1} has only two dice. Say that it is a lie.",
            "challenge",
            otherwise="There can't be three fives. Press Liar!",
        ),
        Say(
            "There were two fives, so {1} has lost another die. The last player who has dice wins."
            " You may lie, too: a bid is only wrong if somebody challenges it."
        ),
    ],
)
