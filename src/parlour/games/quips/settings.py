"""The settings of a Quips table, with the names that existing servers use (spec: "Settings")."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from parlour.described import described
from parlour.kit import UNHURRIED

Word = Annotated[str, Meta(min_length=1, max_length=64)]
"""A pack's id, a content flag, a language."""

Name = Annotated[str, Meta(min_length=1, max_length=32)]


@described
class Settings(Struct, frozen=True, kw_only=True):
    """A Quips table. Times are in seconds, but for the two timeouts, which are milliseconds."""

    server_name: Annotated[str, Meta(max_length=60, extra_json_schema={"names_table": True})] = (
        "Quips"
    )
    """The table's name on the join screen."""
    player_password: Annotated[str, Meta(max_length=64, extra_json_schema={"secret": True})] = ""
    """Players must give this password; empty: none is needed."""
    allow_duplicates: bool = True
    """Several players may come from one network address."""

    # Players

    min_players: Annotated[int, Meta(ge=3, le=20)] = 3
    """Players needed to continue; bots count."""
    max_players: Annotated[int, Meta(ge=3, le=20)] = 10
    """Players there is room for; bots count."""
    max_spectators: Annotated[int, Meta(ge=0, le=100)] = 10
    """Spectators there is room for."""
    enable_game_ready_up: bool = True
    """A game waits until all people have said that they are ready."""
    bot_count: Annotated[int, Meta(ge=0, le=19)] = 0
    """Computer players who sit at the table."""
    bot_names: Annotated[tuple[Name, ...], Meta(max_length=20)] = ()
    """Names of the computer players; empty: the usual ones."""

    # The cards

    hand_size: Annotated[int, Meta(ge=5, le=20)] = 10
    """White cards in a hand."""
    blank_cards: Annotated[int, Meta(ge=0, le=20)] = 2
    """Blank cards, to be written on, for each player and game."""
    max_blank_card_length: Annotated[int, Meta(ge=1, le=200)] = 80
    """Most characters on a blank card."""
    discards: Annotated[int, Meta(ge=0, le=100)] = 5
    """Cards each player may discard in a game."""
    enable_upgrades: bool = True
    """Won points can be spent on better versions of cards."""
    pick_one_only: bool = False
    """Only black cards with a single gap are used."""
    use_packs: Annotated[tuple[Word, ...], Meta(max_length=100)] = ()
    """Packs to play with; empty: all."""
    exclude_packs: Annotated[tuple[Word, ...], Meta(max_length=100)] = ()
    """Packs not to play with."""
    exclude_content: Annotated[tuple[Word, ...], Meta(max_length=100)] = ()
    """Flags whose cards are left out."""
    require_languages: Annotated[tuple[Word, ...], Meta(max_length=20)] = ()
    """Only cards with a text in one of these languages are used."""

    # Judging and skipping

    bot_czars: bool = False
    """Computer players judge too."""
    winner_czar: bool = False
    """The winner of a round judges the next one."""
    perma_czar: bool = False
    """One judge for the whole game."""
    allow_skips: bool = True
    """More than half of the people can vote a black card away."""
    enable_chat: bool = True
    """People may talk."""

    # How long things take

    max_points: Annotated[int, Meta(ge=1, le=1000)] = 8
    """A score that ends the game."""
    max_rounds: Annotated[int, Meta(ge=1, le=1000)] = 16
    """Rounds after which the game ends."""
    round_end_timeout: Annotated[int, Meta(ge=0, le=120_000)] = 5_000
    """Milliseconds for which a round's winner is shown."""
    game_end_timeout: Annotated[int, Meta(ge=0, le=600_000)] = 30_000
    """Milliseconds for which a game's winners are shown."""
    afk_time_seconds: Annotated[int, Meta(ge=5, le=3600)] = 90
    """Seconds after which the others no longer wait for a player."""
    idle_kick_time_seconds: Annotated[int, Meta(ge=5, le=86_400)] = 180
    """Seconds after which an idle player loses the seat."""
    player_preserve_time: Annotated[int, Meta(ge=0, le=3600)] = 120
    """Seconds for which a lost connection keeps its seat."""


def unhurried(settings: Settings) -> Settings:
    """With more time to think."""
    return replace(settings, afk_time_seconds=UNHURRIED * settings.afk_time_seconds)
