"""Super Rummy's settings: the twelve keys of the protocol, in its order."""

from __future__ import annotations

from typing import Literal

import msgspec

from parlour.described import described


@described
class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How this table plays. Spec, Rules: `settings` always carries all twelve keys."""

    deck_count: Literal[1, 2, 4] = 1
    """How many decks of 52 cards are shuffled together."""
    enable_jokers: bool = False
    """Two jokers per deck, wild anywhere in a meld."""
    hand_size: Literal[0, 7, 8, 9, 10, 11, 12] = 0
    """Cards dealt to each; 0 deals ten to two players and seven to more."""
    first_turn: Literal["next_player", "prev_winner", "random"] = "next_player"
    """The player who begins every round after the first."""
    allow_draw_choice: bool = False
    """Players see the deck's top card before they choose between it and the discard."""
    allow_run_mixed_suit: bool = False
    """A run may be of several suits."""
    allow_set_duplicate_suit: bool = False
    """A set may hold the same suit twice."""
    limit_meld_size: Literal[3, 4] | None = None
    """The most cards a meld may hold, lays included. With three, deal nine or twelve: of seven
    or ten cards one is always left over, and nobody can go out."""
    ace_rank: Literal["low", "high"] = "low"
    """Whether the ace stands below the two (1 point) or above the king (11)."""
    deck_exhaust: Literal["flip_discard", "shuffle_discard", "end_round"] = "flip_discard"
    """The rule for a deck that has run out at the end of a turn."""
    require_end_discard: bool = False
    """The last card of a hand must be discarded, not melded or laid."""
    lay_at_end: bool = False
    """Losers lay off what fits on the table before hands are counted."""


def in_force(settings: Settings, players: int) -> Settings:
    """The settings as clients get them: with the `hand_size` that is dealt, never 0.

    Spec, Rules: 10 cards each for two players, 7 for three or four, unless set otherwise.
    """
    size = settings.hand_size or (10 if players <= 2 else 7)
    return msgspec.structs.replace(settings, hand_size=size)
