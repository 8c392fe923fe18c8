"""Quips in five minutes."""

from __future__ import annotations

from typing import Final

from parlour.lessons import Deck, Do, Lesson, Other, Say, Wait


def _whites(names: str) -> list[str]:
    return [f"w_day_{name}" for name in names.split()]


_HANDS: Final = _whites(
    "brass_band canoe gnome applause sock"
    " escalator snowman accordion tent humming"
    " keys handshake triangle bench drizzle"
)
_BLACKS: Final = ["b_day_delay", "b_day_landmark", "b_day_memoirs"]

FIRST: Final = Lesson(
    id="three-rounds",
    title="Three rounds",
    seats=3,
    settings={"hand_size": 5, "bot_czars": True},
    shuffles=[Deck(_HANDS), Deck(_BLACKS)],
    # In each round, where the play of each player comes to lie among those before.
    numbers=[0, 1, 0, 1, 0, 0],
    steps=[
        Say(
            "In the middle lies a black card: a sentence with a gap. The others choose a white"
            " card from their hands that fills it. The funniest wins the round.",
            look=["black"],
        ),
        Say(
            "Everybody is the judge in turn. In this round it is you, so you play no card. {1} and"
            " {2} are choosing theirs.",
            look=["hand"],
        ),
        Other(1, "play", {"cards": ["An escalator that has had enough"]}),
        Other(2, "play", {"cards": ["A handshake that lasted from May to August"]}),
        Say(
            "Both have played. You see their cards, but not who played which. Read each one in the"
            " gap of the black card.",
            look=["play 0", "play 1"],
        ),
        Do(
            "You decide which wins. There is no right or wrong. For now, choose the handshake.",
            "judge",
            {"index": 1},
            "You may like that one better, but let the handshake win this time.",
        ),
        Say(
            "It was {2}'s card. {2} gets a point. In a moment the next round begins, with another"
            " judge and another black card.",
            look=["black", "play 1"],
        ),
        Wait(),
        Do(
            "Now {1} is the judge, and you play. Which of your cards would be a fine landmark?"
            " Play the garden gnome.",
            "play",
            {"cards": ["A garden gnome with a past"]},
            "Not bad! But let us see what {1} thinks of the garden gnome.",
        ),
        Other(2, "play", {"cards": ["A drawer full of keys to nothing"]}),
        Other(1, "judge", {"index": 0}),
        Say(
            "{1} has chosen your gnome: a point for you! The game ends when somebody has 8 points,"
            " or after 16 rounds.",
            look=["play 0", "mine"],
        ),
        Wait(),
        Do(
            "This black card has two gaps, so it takes two cards. Their order matters. Play “Half a"
            " canoe” first, then “Applause from the wrong room”.",
            "play",
            {"cards": ["Half a canoe", "Applause from the wrong room"]},
            "For the lesson it is “Half a canoe” and then “Applause from the wrong room”.",
        ),
        Other(
            1,
            "play",
            {"cards": ["Aunt Gerda's accordion", "The quiet dignity of a melting snowman"]},
        ),
        Other(2, "judge", {"index": 0}),
        Say("This round goes to {1}. You can't win them all. Your hand is filled up again."),
        Say(
            "Three more things. A blank card lets you write an answer yourself: you have two in a"
            " game. Five times in a game you may throw away a card that you do not like."
        ),
        Say(
            "And each round that you win gives you points for upgrades. With these you turn some of"
            " your cards into better ones, which count more if they win. Have fun!"
        ),
    ],
)
