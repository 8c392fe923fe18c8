"""Who has won a game, and who gets which trophies (spec, Rules: "Trophies")."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.games.quips.board import Player
from parlour.games.quips.events import Results
from parlour.games.quips.packs import Shelf, Tally, earned


def results_of(players: Sequence[Player], shelf: Shelf) -> Results:
    """All who are still there and have the top score win; trophies are for anybody there."""
    here = [seat for seat, player in enumerate(players) if player.here]
    best = max(players[seat].score for seat in here)
    winners = [seat for seat in here if players[seat].score == best]
    bot_won = any(players[seat].computer for seat in winners)
    trophies = []
    for seat in here:
        player = players[seat]
        lost_to_bot = bot_won and seat not in winners
        tally = Tally(player.rounds, player.wins, player.cards, lost_to_bot)
        won = earned(shelf.trophies, tally, shelf.whites)
        if won:
            trophies.append((seat, won))
    return Results(winners, trophies)
