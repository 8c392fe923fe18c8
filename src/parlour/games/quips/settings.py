"""The settings of a Quips table, with the names that existing servers use (spec: "Settings")."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

Word = Annotated[str, Meta(min_length=1, max_length=64)]
"""A pack's id, a content flag, a language."""

Name = Annotated[str, Meta(min_length=1, max_length=32)]


class Settings(Struct, frozen=True, kw_only=True):
    """A Quips table. Times are in seconds, but for the two timeouts, which are milliseconds."""

    server_name: Annotated[
        str, Meta(max_length=60, description="What the join screen calls this table.")
    ] = "Quips"
    player_password: Annotated[
        str,
        Meta(
            max_length=64,
            description="Whoever wants to play says this first; empty: everybody may.",
            extra_json_schema={"secret": True},
        ),
    ] = ""
    allow_duplicates: Annotated[
        bool, Meta(description="Several players may come from one network address.")
    ] = True

    # Players

    min_players: Annotated[
        int, Meta(ge=3, le=20, description="Players needed to play on; bots count.")
    ] = 3
    max_players: Annotated[
        int, Meta(ge=3, le=20, description="Players there is room for; bots count.")
    ] = 10
    max_spectators: Annotated[
        int, Meta(ge=0, le=100, description="Spectators there is room for.")
    ] = 10
    enable_game_ready_up: Annotated[
        bool, Meta(description="A game waits until all people have said that they are ready.")
    ] = True
    bot_count: Annotated[
        int, Meta(ge=0, le=19, description="Computer players who sit at the table.")
    ] = 0
    bot_names: Annotated[
        tuple[Name, ...], Meta(max_length=20, description="What they are called; empty: as usual.")
    ] = ()

    # The cards

    hand_size: Annotated[int, Meta(ge=5, le=20, description="White cards in a hand.")] = 10
    blank_cards: Annotated[
        int, Meta(ge=0, le=20, description="Cards to write oneself, for each player and game.")
    ] = 2
    max_blank_card_length: Annotated[
        int, Meta(ge=1, le=200, description="Characters that fit on a card one writes oneself.")
    ] = 80
    discards: Annotated[
        int, Meta(ge=0, le=100, description="Cards each player may discard in a game.")
    ] = 5
    enable_upgrades: Annotated[
        bool, Meta(description="Won points can be spent on better versions of cards.")
    ] = True
    pick_one_only: Annotated[
        bool, Meta(description="Only black cards with a single gap are used.")
    ] = False
    use_packs: Annotated[
        tuple[Word, ...], Meta(max_length=100, description="Packs to play with; empty: all.")
    ] = ()
    exclude_packs: Annotated[
        tuple[Word, ...], Meta(max_length=100, description="Packs not to play with.")
    ] = ()
    exclude_content: Annotated[
        tuple[Word, ...],
        Meta(max_length=100, description="Flags whose cards are left out."),
    ] = ()
    require_languages: Annotated[
        tuple[Word, ...],
        Meta(max_length=20, description="Languages a card must have a text in to be used."),
    ] = ()

    # Judging and skipping

    bot_czars: Annotated[bool, Meta(description="Computer players judge too.")] = False
    winner_czar: Annotated[bool, Meta(description="Whoever won a round judges the next one.")] = (
        False
    )
    perma_czar: Annotated[bool, Meta(description="One judge for the whole game.")] = False
    allow_skips: Annotated[
        bool, Meta(description="More than half of the people can vote a black card away.")
    ] = True
    enable_chat: Annotated[bool, Meta(description="People may talk.")] = True

    # How long things take

    max_points: Annotated[int, Meta(ge=1, le=1000, description="A score that ends the game.")] = 8
    max_rounds: Annotated[
        int, Meta(ge=1, le=1000, description="Rounds after which the game ends.")
    ] = 16
    round_end_timeout: Annotated[
        int,
        Meta(ge=0, le=120_000, description="Milliseconds for which a round's winner is shown."),
    ] = 5_000
    game_end_timeout: Annotated[
        int,
        Meta(ge=0, le=600_000, description="Milliseconds for which a game's winners are shown."),
    ] = 30_000
    afk_time_seconds: Annotated[
        int,
        Meta(ge=5, le=3600, description="Seconds after which a player is not waited for."),
    ] = 90
    idle_kick_time_seconds: Annotated[
        int,
        Meta(ge=5, le=86_400, description="Seconds after which an idle player loses the seat."),
    ] = 180
    player_preserve_time: Annotated[
        int,
        Meta(ge=0, le=3600, description="Seconds for which a lost connection keeps its seat."),
    ] = 120
