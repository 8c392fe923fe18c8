"""The answers of `people_routes.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec

from parlour.server.history import Count, FinishedMatch
from parlour.server.shown import RankInfo

Text = Annotated[str, msgspec.Meta(max_length=300)]


class PlayerOf(msgspec.Struct, frozen=True):
    """Somebody who played a match."""

    name: str
    """"": they had their data deleted."""
    place: int
    """1 is the best; equal places are a draw."""
    won: bool
    bot: bool
    you: bool
    points: int | None


class MatchOf(msgspec.Struct, frozen=True):
    """A match that you played."""

    replay: str
    """Its id at `/api/replays/{id}`."""
    game: str
    at: int
    """When it ended, in milliseconds since the epoch."""
    how: str
    """How it ended, in the game's own words."""
    players: list[PlayerOf]
    """By seat."""


class Matches(msgspec.Struct, frozen=True):
    """A page of your matches, the latest first."""

    matches: list[MatchOf]
    next: str
    """There are more: ask again with `?before=` and this. "": this is the last page."""


class CountOf(msgspec.Struct, frozen=True):
    """Matches of one game."""

    game: str
    played: int
    ahead: int
    """Of somebody's own matches, those they won; against an opponent, those in which they came in
    before them."""
    behind: int


class RivalOf(msgspec.Struct, frozen=True):
    """Somebody you played against."""

    name: str
    at: int
    """When you met last, in milliseconds since the epoch."""
    games: list[CountOf]
    public: bool
    """Whether they have a public profile."""


class RecordOf(msgspec.Struct, frozen=True):
    """Your counts."""

    games: list[CountOf]
    rivals: list[RivalOf]
    """The last hundred people you played against, the latest first."""


class RatingOf(msgspec.Struct, frozen=True):
    """Somebody's rating in one pool."""

    game: str
    pool: str
    rating: int
    rd: int
    """How far off the rating may be."""
    peak: int
    games: int
    wins: int
    curve: list[tuple[int, int]]
    """The rating after matches, each with the time in seconds since the epoch."""


class PasskeyOf(msgspec.Struct, frozen=True):
    """A passkey of your account."""

    id: str
    made: int
    """In seconds since the epoch."""


class AccountOf(msgspec.Struct, frozen=True):
    """Your account."""

    name: str
    account: bool
    """Whether you have one; without one you are a guest."""
    email: str
    public: bool
    """Whether your profile is shown to everybody."""
    ratings: list[RatingOf]
    passkeys: list[PasskeyOf]


class PublicProfile(msgspec.Struct, frozen=True):
    """Somebody who agreed to be shown."""

    name: str
    you: bool
    games: list[CountOf]
    ratings: list[RatingOf]
    against_you: list[CountOf]
    """Your matches against them, as you count them."""


class Leaderboard(msgspec.Struct, frozen=True):
    """The best of a pool among those who agreed to be shown, and you."""

    pool: str
    leaders: list[RankInfo]


class Leaderboards(msgspec.Struct, frozen=True):
    """Those of one game."""

    game: str
    pools: list[Leaderboard]


class NightOf(msgspec.Struct, frozen=True):
    """A game night to which you came."""

    code: str
    until: int
    """When it is over, in milliseconds since the epoch."""
    host: bool
    vote: str


class Export(msgspec.Struct, frozen=True):
    """Everything that is kept about you, besides the logs of tables."""

    id: str
    account: AccountOf
    record: RecordOf
    matches: list[MatchOf]
    next: str
    """There are more matches: ask again with `?before=` and this."""
    game_nights: list[NightOf]


class Credentials(msgspec.Struct, forbid_unknown_fields=True):
    name: Text
    password: Text


class Visibility(msgspec.Struct, forbid_unknown_fields=True):
    public: bool


class Confirmation(msgspec.Struct, forbid_unknown_fields=True):
    name: Text
    """Your own name, to confirm it."""


def match_of(match: FinishedMatch, visitor: str) -> MatchOf:
    players = [
        PlayerOf(sat.name, sat.place + 1, sat.won, sat.bot, sat.visitor == visitor, sat.points)
        for sat in match.players
    ]
    return MatchOf(match.replay, match.game, match.at, match.how, players)


def counts_of(games: Mapping[str, Count]) -> list[CountOf]:
    return [
        CountOf(game, each.played, each.ahead, each.behind)
        for game, each in sorted(games.items(), key=lambda item: -item[1].played)
    ]
