"""States and prompts of the host: put together from pieces, they are what the structs encode to."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from parlour.games.onu import messages as say
from parlour.games.onu.cards import HIDDEN, SPECIAL, classic_deck, colour_of
from parlour.games.onu.host import states
from parlour.games.onu.picture import Picture

NAMES = ("Ann", 'B "q" \\ e', "Zoë\n\u2028", "\U0001f0cf", "<c>%d", "/", "\x7f")
CARDS = st.sampled_from(classic_deck())


@st.composite
def pictures(draw: st.DrawFn) -> Picture:
    """A match as a spectator may have been shown it."""
    picture = Picture(None)
    seats = draw(st.integers(2, len(NAMES)))
    picture.players = [f"page:{seat}" if seat % 2 else f"user.{seat}" for seat in range(seats)]
    picture.hands = [[HIDDEN] * draw(st.integers(0, 12)) for _ in range(seats)]
    picture.deck = [HIDDEN] * draw(st.integers(0, 90))
    picture.stack = draw(st.lists(CARDS, min_size=1, max_size=40))
    top = colour_of(picture.stack[-1])
    picture.colour = int(top) if top != SPECIAL else draw(st.integers(0, 3))
    picture.direction = draw(st.sampled_from((1, -1)))
    picture.turn = draw(st.integers(0, seats - 1))
    picture.effect = draw(st.integers(0, 5))
    return picture


hands = st.lists(CARDS, max_size=12)


def in_frame(content: object) -> bytes:
    """The JSON of a content as it stands in a frame, made by Python's own encoder."""
    return json.dumps(say.dump(content)).encode()[1:-1]


def faces(cards: Sequence[int]) -> list[say.Card]:
    return [say.FACES[card] for card in cards]


def direction(picture: Picture) -> say.Direction:
    return "Right" if picture.direction > 0 else "Left"


@given(pictures(), hands, st.integers(0, 6))
def test_a_state_is_what_its_struct_encodes_to(picture: Picture, own: list[int], seat: int) -> None:
    reader = seat % len(picture.players)
    players = list(zip(picture.hands, NAMES, picture.players, strict=False))
    expected = say.State(
        faces(picture.deck),
        direction(picture),
        "onu-host",
        NAMES[picture.turn],
        [
            say.StatePlayer(faces(own if at == reader else hand), name, user)
            for at, (hand, name, user) in enumerate(players)
        ],
        [*faces(picture.stack[:-1]), say.top_of(picture)],
        picture.effect,
    )
    below, names = states.buried(picture.stack[:-1]), NAMES[: len(players)]
    user, hand = picture.players[reader], b",".join(states.written(own))
    somebody = {"somebody else": b"0"}
    shared = states.shared_state(picture, names, "onu-host", below, somebody)
    assert b"".join(states.state_for(shared, picture.players, user, hand)) == in_frame(expected)
    # The same where everybody may see this hand.
    shared = states.shared_state(picture, names, "onu-host", below, {user: hand})
    assert b"".join(shared) == in_frame(expected)


@given(pictures(), hands)
def test_a_prompt_is_what_its_struct_encodes_to(picture: Picture, own: list[int]) -> None:
    names = NAMES[: len(picture.players)]
    counts = [say.PlayerHand(n, len(h)) for n, h in zip(names, picture.hands, strict=True)]
    expected = say.TurnInfo(
        direction(picture),
        say.top_of(picture),
        faces(own),
        counts,
        list(names),
        picture.effect,
    )
    hand = b",".join(states.written(own))
    assert states.turn_of(picture, hand, names) == in_frame(expected)
