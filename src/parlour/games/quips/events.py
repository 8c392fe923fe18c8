"""The events of Quips, as complete facts, and what each viewer is shown of them.

An event holds all of what it is about (the whole hand, all players), not the difference to the
event before. So a wire without state can turn each into its server message, which its docstring
names. They come in the order of the spec's "Walk" (`changes.py`). `PutOut` (`s_rejectclient`)
comes before what it changes for the others. A new judge who withdraws a play that all have seen
is told by two `StateChanged`: `playing` without plays, then `judging`. So `plays` never shrinks
while one stage lasts.

`view` is the only place where anything is hidden. What belongs to one seat (its hand, its play,
its points) is shown to that seat alone, everything else to everybody. Who played what is in no
event but `PlayShown`, except that the winner of a round is named at its end.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from parlour.games.quips.packcards import Trophy
from parlour.games.quips.packs import Shelf
from parlour.kit import PutOut, Seat
from parlour.marks import Private

Stage = Literal["playing", "judging", "round_end", "game_end"]
PLAYING: Final = "playing"
JUDGING: Final = "judging"
ROUND_END: Final = "round_end"
GAME_END: Final = "game_end"

Ending = Literal["played", "too-few", "abandoned"]
"""`played`: its results were shown long enough."""


class Dealt(Struct):
    """A game begins, with these cards. (`s_allcards` goes out when somebody connects.)"""

    players: list[str]
    shelf: Shelf


class PointsChanged(Private, Struct):
    """`s_auxclientdata` to its player: what they can spend on upgrades."""

    seat: Seat
    points: int


class PlayShown(Private, Struct):
    """`s_cardsplayed` to its player: what they have played this round.

    Empty at every new black card, and when the play was taken back.
    """

    seat: Seat
    cards: list[str]


class HandChanged(Private, Struct):
    """`s_hand` to its player: (slot, card id) in the order shown, and what else they have left."""

    seat: Seat
    cards: list[tuple[int, str]]
    blanks: int
    discards: int


class Entry(Struct):
    """One player, as all may know them."""

    seat: Seat
    score: int
    points: int
    voted_skip: bool
    idle: bool
    computer: bool


class PlayersChanged(Struct):
    """`s_players`: everybody in join order, also those who lost their connection."""

    players: list[Entry]


class Results(Struct):
    """How a game ended: all with the top score, and who has earned which trophies."""

    winners: list[Seat]
    trophies: list[tuple[Seat, list[Trophy]]]


class StateChanged(Struct):
    """`s_gamestate`: where the game stands.

    `plays` is empty until `judging` and in an order that says nothing about who played them.
    `pending` are those who may still play, empty outside `playing`. Until a round is judged,
    `winning_play` and `winning_player` are −1; a winner or judge who left since keeps the seat's
    number. `results` are there in `game_end` alone.
    """

    stage: Stage
    round: int
    black: str
    judge: Seat
    pending: list[Seat]
    plays: list[list[str]]
    winning_play: int
    winning_player: Seat
    judge_voted_self: bool
    results: Results | None


class Turned(Struct):
    """`s_turned`: which plays the judge has turned over so far, in that order.

    All players have known the plays since judging began. This lets clients show them one by one,
    along with the judge.
    """

    plays: list[int]


class Skipped(Struct):
    """`s_notify_skipped`: the people voted a black card away."""

    skipped: str
    replacement: str


class Over(Struct):
    """The match is over, and the table is back in `game_starting`, whose messages are sent."""

    how: Ending


Event = (
    Dealt
    | PointsChanged
    | PlayShown
    | HandChanged
    | PlayersChanged
    | Turned
    | StateChanged
    | Skipped
    | PutOut
    | Over
)


def view(event: Event, seat: Seat | None) -> Event | None:
    """The event as `seat` may see it; a spectator is None. A hidden event is None."""
    if isinstance(event, Private):
        return event if event.seat == seat else None
    return event
