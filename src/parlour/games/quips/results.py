"""The winners of a game, and their trophies (spec, Rules: "Trophies")."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.games.quips import packcards
from parlour.games.quips.board import Player
from parlour.games.quips.deck import CUSTOM
from parlour.games.quips.events import Results
from parlour.games.quips.packs import Shelf


def results_of(players: Sequence[Player], shelf: Shelf) -> Results:
    """All who are still there and have the top score win; trophies are for anybody there."""
    here = [seat for seat, player in enumerate(players) if player.here]
    best = max(players[seat].score for seat in here)
    winners = [seat for seat in here if players[seat].score == best]
    bot_won = any(players[seat].computer for seat in winners)
    trophies = [
        (seat, earned(players[seat], bot_won and seat not in winners, shelf)) for seat in here
    ]
    return Results(winners, [(seat, won) for seat, won in trophies if won])


def earned(player: Player, lost_to_bot: bool, shelf: Shelf) -> list[packcards.Trophy]:
    """The player's trophies, in the order of the packs; none without a round played.

    Of two in the same class and of the same grade, the first is kept.
    """
    if player.rounds <= 0:
        return []
    best: dict[str, packcards.Trophy] = {}
    for trophy in shelf.trophies:
        if all(_met(asked, player, lost_to_bot, shelf) for asked in trophy.requirements):
            held = best.get(trophy.trophy_class)
            if held is None or held.trophy_grade < trophy.trophy_grade:
                best[trophy.trophy_class] = trophy
    kept = {trophy.id for trophy in best.values()}
    return [trophy for trophy in shelf.trophies if trophy.id in kept]


def _met(asked: packcards.Requirement, player: Player, lost_to_bot: bool, shelf: Shelf) -> bool:
    match asked:
        case packcards.CardProportion():
            # Nobody has played a part of nothing.
            played = len(player.cards)
            return played > 0 and asked.min <= _count(asked, player, shelf) / played <= asked.max
        case packcards.CardsPlayed():
            return asked.min <= _count(asked, player, shelf) <= asked.max
        case packcards.WinProportion():
            return asked.min <= player.wins / player.rounds <= asked.max
        case packcards.LostToBot():
            return lost_to_bot
        case packcards.AnyOf():
            return any(_met(one, player, lost_to_bot, shelf) for one in asked.of)
        case packcards.AllOf():
            return all(_met(one, player, lost_to_bot, shelf) for one in asked.of)


def _count(kind: packcards.Kind, player: Player, shelf: Shelf) -> int:
    if not kind.marked():
        return len(player.cards)
    return sum(_is(kind, card, shelf.whites.get(card)) for card in player.cards)


def _is(kind: packcards.Kind, card: str, white: packcards.White | None) -> bool:
    if card in kind.cards or (kind.custom and card.startswith(CUSTOM)):
        return True
    if white is None:
        return False
    return (kind.upgraded and white.tier > 0) or not set(kind.flags).isdisjoint(white.flags)
