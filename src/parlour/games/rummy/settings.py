"""Super Rummy's settings: the twelve keys of the protocol, in its order."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How this table plays. Spec, Rules: `settings` always carries all twelve keys."""

    deck_count: Annotated[
        Literal[1, 2, 4], Meta(description="How many decks of 52 cards are shuffled together.")
    ] = 1
    enable_jokers: Annotated[
        bool, Meta(description="Two jokers per deck, wild anywhere in a meld.")
    ] = False
    hand_size: Annotated[
        Literal[0, 7, 8, 9, 10, 11, 12],
        Meta(description="Cards dealt to each; 0 deals ten to two players and seven to more."),
    ] = 0
    first_turn: Annotated[
        Literal["next_player", "prev_winner", "random"],
        Meta(description="Who begins every round after the first."),
    ] = "next_player"
    allow_draw_choice: Annotated[
        bool,
        Meta(description="See the deck's top card before choosing between it and the discard."),
    ] = False
    allow_run_mixed_suit: Annotated[bool, Meta(description="A run may be of several suits.")] = (
        False
    )
    allow_set_duplicate_suit: Annotated[
        bool, Meta(description="A set may hold the same suit twice.")
    ] = False
    limit_meld_size: Annotated[
        Literal[3, 4] | None,
        Meta(
            description="The most cards a meld may hold, lays included. With three, deal nine or"
            " twelve: of seven or ten cards one is always left over, and nobody can go out."
        ),
    ] = None
    ace_rank: Annotated[
        Literal["low", "high"],
        Meta(description="Whether the ace stands below the two (1 point) or above the king (11)."),
    ] = "low"
    deck_exhaust: Annotated[
        Literal["flip_discard", "shuffle_discard", "end_round"],
        Meta(description="What happens when the deck has run out at the end of a turn."),
    ] = "flip_discard"
    require_end_discard: Annotated[
        bool, Meta(description="The last card of a hand must be discarded, not melded or laid.")
    ] = False
    lay_at_end: Annotated[
        bool, Meta(description="Losers lay off what fits on the table before hands are counted.")
    ] = False


def in_force(settings: Settings, players: int) -> Settings:
    """The settings as sent out: with `hand_size` as the number in force.

    Spec, Rules: 10 cards each for two players, 7 for three or four, unless set otherwise.
    """
    size = settings.hand_size or (10 if players <= 2 else 7)
    return msgspec.structs.replace(settings, hand_size=size)
