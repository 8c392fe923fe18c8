"""ONU in five minutes."""

from __future__ import annotations

from typing import Final

from parlour.games.onu.cards import SPECIAL, Card, colour_of, compact_deck, described
from parlour.lessons import Deck, Do, Lesson, Other, Say, dealt

_DECK: Final = compact_deck()
_STARTS: Final = [card for card in _DECK if colour_of(card) != SPECIAL]
"""Those from which the rules pick the start card."""
_BY_FACE: Final = {described(card): card for card in _DECK}


def _cards(written: str) -> list[Card]:
    """Cards as people write them, with commas between."""
    return [_BY_FACE[face.strip()] for face in written.split(",")]


_HANDS: Final = dealt(
    _cards("blue 3, green 5, yellow 8, yellow skip, yellow pick 2, yellow 1, blue 6"),
    _cards("blue 5, green 2, yellow 4, yellow 2, yellow reverse, green 6, red 8"),
    _cards("red 5, red 2, yellow 0, yellow 7, yellow 5, yellow 6, green 8"),
)
_DRAWS: Final = _cards("wild, red 0, green 1")


def _plays(seat: int, face: str) -> Other:
    return Other(seat, "play", {"index": face})


FIRST: Final = Lesson(
    id="first-game",
    title="Your first game",
    seats=3,
    numbers=[_STARTS.index(_BY_FACE["blue 7"])],
    shuffles=[Deck([*_HANDS, *_DRAWS])],
    steps=[
        Say(
            "You play against {1} and {2}, with seven cards each. Whoever has no cards left first"
            " wins.",
            look=["hand 0", "hand 1", "hand 2"],
        ),
        Do(
            "The stack begins with a blue 7. A card fits if it has the same colour. Play your blue"
            " 3.",
            "play",
            {"index": "blue 3"},
            "Blue 6 fits, too, but you will need it later. Play blue 3.",
        ),
        _plays(1, "blue 5"),
        _plays(2, "red 5"),
        Do(
            "{1} played a blue 5, and {2} a red 5. So the same number fits, too. You have a green"
            " 5: play it.",
            "play",
            {"index": "green 5"},
            "You could draw, but why take a card? Your green 5 fits.",
        ),
        _plays(1, "green 2"),
        _plays(2, "red 2"),
        Do(
            "Now you have nothing red, and no 2. Draw a card from the deck.",
            "draw",
            otherwise="None of your cards fits. Draw one.",
        ),
        Do(
            "A wild! It fits on everything, and you choose the colour that goes on. Most of your"
            " cards are yellow: play the wild, and choose yellow.",
            "play",
            {"index": "wild", "colour": "yellow"},
            "You may draw again, or choose another colour. But yellow helps you most.",
        ),
        _plays(1, "yellow 4"),
        _plays(2, "yellow 0"),
        Do(
            "Some cards do something. A skip makes the next player miss a turn. Play your yellow"
            " skip against {1}.",
            "play",
            {"index": "yellow skip"},
            "That fits, too. But try the yellow skip now.",
        ),
        _plays(2, "yellow 7"),
        Do(
            "{1} was skipped, and {2} played. With a pick 2 the next player has to draw two cards."
            " Play your yellow pick 2.",
            "play",
            {"index": "yellow pick 2"},
            "That fits, too. But try the yellow pick 2 now.",
        ),
        _plays(1, "yellow 2"),
        _plays(2, "yellow 5"),
        Do(
            "{1} drew two cards, and then played as usual. There is also a wild pick 4: it is a"
            " wild, and the next player draws four. Go on with yellow 8.",
            "play",
            {"index": "yellow 8"},
            "Play the 8 first.",
        ),
        _plays(1, "yellow reverse"),
        Do(
            "{1} played a reverse. Play goes the other way round now, so it is your turn again."
            " Play yellow 1.",
            "play",
            {"index": "yellow 1"},
            "You need no card from the deck: yellow 1 fits.",
        ),
        Say(
            "You have one card left, and everybody can see that. You need not say anything.",
            look=["hand 0"],
        ),
        _plays(2, "yellow 6"),
        _plays(1, "green 6"),
        Do(
            "A green 6, and your last card is a blue 6. The number fits: play it!",
            "play",
            {"index": "blue 6"},
            "You do not want another card. Play blue 6, and win.",
        ),
        Say("You have no cards left, so you have won! What your last card does would not matter."),
        Say(
            "You may also draw if a card of yours fits. In a real game you have a minute for each"
            " turn, unless the table sets another time. After that you draw a card, and your turn"
            " is over."
        ),
    ],
)
