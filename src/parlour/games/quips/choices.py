"""The choices of a Quips player, with every play of several cards and of own texts."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.choices import Choice, Choices, One, Some
from parlour.games.quips.actions import Action, Discard, Judge, Turn, Upgrade, VoteSkip
from parlour.games.quips.board import Board
from parlour.games.quips.settings import Settings
from parlour.kit import Seat


def choices_of(board: Board, settings: Settings, seat: Seat, legal: Sequence[Action]) -> Choices:
    """The legal actions, but plays in every order and with texts on blank cards."""
    found: list[Choice] = []
    player, pick = board.players[seat], board.pick
    slots = [held.slot for held in player.hand]
    if seat in board.pending() and len(slots) + player.blanks >= pick:
        longest = settings.max_blank_card_length
        cards = Some(
            slots, pick, pick, ordered=True, texts=min(player.blanks, pick), longest=longest
        )
        found.append(Choice("play", {"cards": cards}, "Play"))
    plays = [action.index for action in legal if isinstance(action, Judge)]
    if plays:
        found.append(Choice("judge", {"index": One(plays)}, "This one wins"))
    down = [action.index for action in legal if isinstance(action, Turn)]
    if down:
        found.append(Choice("turn", {"index": One(down)}, "Turn over", optional=True))
    discards = [action.slot for action in legal if isinstance(action, Discard)]
    if discards:
        found.append(Choice("discard", {"slot": One(discards)}, "Throw away", optional=True))
    upgrades = [action.slot for action in legal if isinstance(action, Upgrade)]
    if upgrades:
        found.append(Choice("upgrade", {"slot": One(upgrades)}, "Upgrade", optional=True))
    for action in legal:
        if isinstance(action, VoteSkip):
            label = "Ask for another black card" if action.on else "Keep this black card"
            found.append(Choice("vote_skip", {"on": One([action.on])}, label, optional=True))
    return found
