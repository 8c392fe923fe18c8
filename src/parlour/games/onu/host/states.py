"""States and prompts as the host sends them: JSON within JSON, put together from ready pieces.

A State has about a hundred cards and nearly the same text for every reader. So each card and each
name is encoded and escaped once, and the text that all readers share once for all of them. The
texts are those of `messages.State` and `messages.TurnInfo`; tests compare them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final

from parlour.games.onu import messages as say
from parlour.games.onu.cards import HIDDEN, SPECIAL
from parlour.games.onu.cards import Card as CardNumber
from parlour.games.onu.picture import Picture
from parlour.wcp.message import escaped

CARDS: Final = {card: escaped(say.dump(face)) for card, face in say.FACES.items()}
"""By card of the rules, the document's as it is written in a content."""
_TOPS: Final = {
    (card, colour): escaped(say.dump(say.coloured(face, colour)))
    for card, face in say.FACES.items()
    for colour in range(SPECIAL + 1)
}
"""The same for the top of the stack, by its card and the colour in force."""
_DIRECTIONS: Final = {1: b"Right", -1: b"Left"}

_STATE: Final = escaped('{"Deck":[%b],"Direction":"%b","Host":%b,"PlayerTurn":%b,"Players":[')
_CARDS_OF: Final = escaped('{"Cards":[')
_PLAYER: Final = escaped('],"DisplayName":%b,"UserName":%b}')
_STACK: Final = escaped('],"Stack":[')
_TOP: Final = escaped('%b%b],"TurnEffect":%d}')
_TURN: Final = escaped(
    '{"TurnDirection":"%b","TopStackCard":%b,"HandCards":[%b],"PlayerHands":[%b],'
    '"PlayerOrder":[%b],"TurnEffect":%d}'
)
_COUNT: Final = escaped('{"Name":%b,"CardCount":%d}')


def written(cards: Iterable[CardNumber]) -> list[bytes]:
    """Cards as they are written in a State."""
    return [CARDS[card] for card in cards]


def buried(cards: Iterable[CardNumber]) -> bytes:
    """Cards of the stack with another one on them, as `shared_state` takes them."""
    return b"".join([CARDS[card] + b"," for card in cards])


@cache
def _blanks(count: int) -> bytes:
    return b",".join([CARDS[HIDDEN]] * count)


@lru_cache(maxsize=4096)
def _text(text: str) -> bytes:
    """A name, with its quotes."""
    return escaped(say.dump(text))


@lru_cache(maxsize=1024)
def _after_hands(names: tuple[str, ...], users: tuple[str, ...]) -> list[bytes]:
    """By seat, what follows a player's cards, up to the next player's or the stack's."""
    players = [_PLAYER % (_text(n), _text(u)) for n, u in zip(names, users, strict=True)]
    return [player + b"," + _CARDS_OF for player in players[:-1]] + [players[-1] + _STACK]


def shared_state(
    picture: Picture,
    names: Sequence[str],
    host: str,
    buried: bytes,
    hands: Mapping[str, bytes],
) -> list[bytes]:
    """How the match stands as a viewer was shown it, in pieces for `state_for`. `names` are by
    seat; `buried` is the stack below its top. `hands`, by user, are those that everybody may see.
    """
    deck, turn = _blanks(len(picture.deck)), _text(names[picture.turn])
    pieces = [_STATE % (deck, _DIRECTIONS[picture.direction], _text(host), turn) + _CARDS_OF]
    users = picture.players
    for hand, after in zip(picture.hands, _after_hands(tuple(names), tuple(users)), strict=True):
        pieces += _blanks(len(hand)), after
    for user, cards in hands.items():
        pieces = state_for(pieces, users, user, cards)
    top = _TOPS[picture.stack[-1], picture.colour]
    pieces.append(_TOP % (buried, top, picture.effect))
    return pieces


def state_for(shared: list[bytes], players: Sequence[str], user: str, hand: bytes) -> list[bytes]:
    """The content that tells a state of these players, by seat, to a user who holds this hand, in
    pieces."""
    pieces = shared.copy()
    if user in players:
        pieces[1 + 2 * players.index(user)] = hand
    return pieces


def turn_of(picture: Picture, hand: bytes, names: Sequence[str]) -> bytes:
    """The content that asks the player in turn, who holds this hand."""
    order = [_text(name) for name in names]
    counts = [_COUNT % (name, len(cards)) for name, cards in zip(order, picture.hands, strict=True)]
    return _TURN % (
        _DIRECTIONS[picture.direction],
        _TOPS[picture.stack[-1], picture.colour],
        hand,
        b",".join(counts),
        b",".join(order),
        picture.effect,
    )
