"""What happens in a game of Quips, as complete facts, and what each viewer is shown of it.

An event holds all of what it is about (the whole hand, all players), not the difference to the
event before. So a wire without state can turn each into its server message:

- `Dealt`: none (`s_allcards` goes out when somebody connects);
- `PointsChanged`: `s_auxclientdata` to its player;
- `PlayShown`: `s_cardsplayed` to its player, `[]` at every new black card and after a withdrawal;
- `HandChanged`: `s_hand` to its player;
- `PlayersChanged`: `s_players` to all, with names and `ready_up` from the roster;
- `Turned`: `s_turned`, to those who asked for it;
- `StateChanged`: `s_gamestate` to all, with `ready_up` false;
- `Skipped`: `s_notify_skipped` to all;
- `PutOut`: `s_rejectclient` to its player, whose connection then closes;
- `Over`: what `game_starting` begins with: `s_auxclientdata` 0, `s_hand` and `s_cardsplayed`
  empty to each player, `s_players` without scores and `s_gamestate` to all.

They come in this order (spec: "What existing clients rely on", "Walk"):

- a game begins: `Dealt`; for each seat `PointsChanged`, `HandChanged`, `PlayShown`; then
  `PlayersChanged`, `StateChanged`;
- a round begins: `PlayShown` (empty, every seat), `HandChanged` (where a hand changed),
  `PlayersChanged` (votes are off), `StateChanged`;
- a play: `HandChanged`, `PlayShown`, `StateChanged`; the last one says `judging` already;
- a play is turned over: `Turned`; what was turned is forgotten (`Turned`, empty, before the state)
  when there is another black card or another judge;
- a verdict: `PlayersChanged`, the winner's `PointsChanged`, `StateChanged`;
- a skip: `PlayShown` (empty), `HandChanged`, `PlayersChanged`, `StateChanged`, `Skipped`;
- an upgrade: `PointsChanged`, `HandChanged`, `PlayersChanged`;
- somebody joins, leaves, idles or wakes: what changed, in the order in which a game begins;
- a new judge withdraws a play that all have seen: `StateChanged` (`playing`, no plays) and then
  `StateChanged` (`judging`), so that `plays` never shrinks while one stage lasts;
- `PutOut` comes before what it changes for the others.

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

Stage = Literal["playing", "judging", "round_end", "game_end"]
PLAYING: Final = "playing"
JUDGING: Final = "judging"
ROUND_END: Final = "round_end"
GAME_END: Final = "game_end"

Ending = Literal["played", "too-few", "abandoned"]
"""`played`: its results were shown long enough."""


class Dealt(Struct):
    """A game begins, with these cards."""

    players: list[str]
    shelf: Shelf


class PointsChanged(Struct):
    """What a player can spend on upgrades."""

    seat: Seat
    points: int


class PlayShown(Struct):
    """What a player has played this round, for themselves; empty: nothing, or not any more."""

    seat: Seat
    cards: list[str]


class HandChanged(Struct):
    """A hand as (slot, card id) in the order it is shown in, and what else its player has left."""

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
    """Everybody in the game in join order, also those who lost their connection."""

    players: list[Entry]


class Results(Struct):
    """How a game ended: all with the top score, and who has earned which trophies."""

    winners: list[Seat]
    trophies: list[tuple[Seat, list[Trophy]]]


class StateChanged(Struct):
    """Where the game stands.

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
    """Which plays the judge has turned over so far, in that order.

    All have been told what they are since judging began: this is for whoever wants to read them
    along with the judge.
    """

    plays: list[int]


class Skipped(Struct):
    """The people voted a black card away."""

    skipped: str
    replacement: str


class Over(Struct):
    """The match is over; the table is back in `game_starting`."""

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
    """What `seat` may know of `event`; a spectator is None. A hidden event is None."""
    if isinstance(event, (PointsChanged, PlayShown, HandChanged)):
        return event if event.seat == seat else None
    return event
