"""Hearts in five minutes."""

from parlour.cards import faces
from parlour.lessons import Deck, Do, Lesson, Other, Say, dealt

HANDS = (
    "2♣ 9♣ 3♦ 7♦ 10♦ 4♠ Q♠ A♠ 2♥ 5♥ 8♥ J♥ K♥",
    "6♣ 10♣ J♣ 4♦ 5♦ J♦ A♦ 3♠ 5♠ 9♠ 3♥ 7♥ Q♥",
    "5♣ 7♣ 8♣ K♣ 8♦ 9♦ Q♦ 6♠ 7♠ 10♠ K♠ 6♥ A♥",
    "3♣ 4♣ Q♣ A♣ 2♦ 6♦ K♦ 2♠ 8♠ J♠ 4♥ 9♥ 10♥",
)

FIRST = Lesson(
    id="first-tricks",
    title="Your first tricks",
    seats=4,
    shuffles=[Deck(bottom=dealt(*map(faces, HANDS)))],
    steps=[
        Say(
            "Each heart that you take is a point, and the queen of spades is 13. Points are bad:"
            " the fewest win.",
            look=["hand 0"],
        ),
        Do(
            "First everybody passes three cards to the left. High cards take tricks, so get rid of"
            " Q♠, A♠ and K♥.",
            "pass",
            {"cards": ["Q♠", "A♠", "K♥"]},
            "You may keep these, but they can cost you points. Pass Q♠, A♠ and K♥.",
        ),
        Other(1, "pass", {"cards": ["J♦", "A♦", "Q♥"]}),
        Other(2, "pass", {"cards": ["Q♦", "K♠", "A♥"]}),
        Other(3, "pass", {"cards": ["K♦", "J♠", "10♥"]}),
        Do(
            "{3} has passed you K♦, J♠ and 10♥. The two of clubs leads to the first trick, and you"
            " have it. Play 2♣.",
            "play",
            {"card": "2♣"},
        ),
        Other(1, "play", {"card": "6♣"}),
        Other(2, "play", {"card": "K♣"}),
        Other(3, "play", {"card": "A♣"}),
        Other(3, "play", {"card": "Q♣"}),
        Do(
            "The highest club took the trick: {3} had the ace, and leads to the next one. You must"
            " follow suit if you can. Play 9♣.",
            "play",
            {"card": "9♣"},
        ),
        Other(1, "play", {"card": "10♣"}),
        Other(2, "play", {"card": "7♣"}),
        Other(3, "play", {"card": "4♣"}),
        Do(
            "You have no club left, so you may play any card. It can't take the trick: get rid of a"
            " heart. Play J♥.",
            "play",
            {"card": "J♥"},
            "That is possible, but a high heart is more dangerous. Play J♥.",
        ),
        Other(1, "play", {"card": "J♣"}),
        Other(2, "play", {"card": "8♣"}),
        Other(1, "play", {"card": "5♠"}),
        Other(2, "play", {"card": "7♠"}),
        Other(3, "play", {"card": "8♠"}),
        Do(
            "{1} has taken your heart, which is a point. From now on hearts may be led, too. Spades"
            " are led: play 4♠, so that you do not take the trick.",
            "play",
            {"card": "4♠"},
            "J♠ would take the trick. Play 4♠.",
        ),
        Say(
            "When all cards are played, the points are counted, and the cards are dealt again. Once"
            " somebody has 100 points, whoever has the fewest wins."
        ),
        Say(
            "One thing more: if you take all 26 points in a deal, you have shot the moon. Then you"
            " get none, and each of the others gets 26."
        ),
    ],
)
