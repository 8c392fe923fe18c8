"""What MO's tests share: cards as text, boards as text, games as strategies."""

from __future__ import annotations

from hypothesis import strategies as st

from parlour.cards import CLUBS, DIAMONDS, HEARTS, SPADES, Face, face
from parlour.games.mo.board import INNERS, NUMBER, OUTERS, SUIT, VALUE, Board, lay_out
from parlour.games.mo.rules import Play, Solitaire, opening
from parlour.rng import FastRng, Rng
from tests.mo import reference

SUITS = {"H": HEARTS, "D": DIAMONDS, "C": CLUBS, "S": SPADES}
LETTERS = "HDCS*"

profiles = st.sampled_from(["classic", "printed"])
seeds = st.from_regex(r"\A[a-z0-9-]{1,12}\Z")


def face_of(text: str) -> Face:
    """ "10H", "KC"; "*" is the first joker."""
    if text == "*":
        return 52
    value, suit = reference.card(text)
    return face(SUITS[suit], value)


def plain(card: Face) -> reference.Card:
    """The same card as the reference has it."""
    return (VALUE[card], LETTERS[SUIT[card]])


def board_of(text: str, draw: str, down: str = "", profile: str = "classic") -> Board:
    """A board from "b2 5H" pairs (several cards with commas, top first), and its draw pile."""
    piles = [b""] * (INNERS + OUTERS)
    words = text.split()
    for name, cards in zip(words[::2], words[1::2], strict=True):
        piles[NUMBER[name]] = bytes(face_of(card) for card in cards.split(","))
    defeated = 0
    for name in down.split():
        defeated |= 1 << (NUMBER[name] - INNERS)
    pile = bytes(face_of(card) for card in draw.split())
    return lay_out(profile == "printed", piles, pile, defeated)


def chance() -> Rng:
    """For actions that ask for none."""
    return FastRng(0)


def new_game(seed: str, profile: str) -> Solitaire:
    return Solitaire(seed, profile, opening(seed, profile))


def play(game: Solitaire, to: str) -> None:
    game.apply(0, Play(to), chance(), 0)


def wander(game: Solitaire, rng: Rng, moves: int) -> None:
    """Play at random, up to so many moves or the end."""
    for _ in range(moves):
        plays = [action for action in game.legal(0) if isinstance(action, Play)]
        if not plays:
            return
        game.apply(0, plays[rng.below(len(plays))], rng, 0)
