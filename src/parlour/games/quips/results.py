"""Who has won a game, and who gets which trophies (spec, Rules: "Trophies")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

from parlour.games.quips.board import Player
from parlour.games.quips.deck import CUSTOM
from parlour.games.quips.events import Results
from parlour.games.quips.packcards import (
    AllOf,
    AnyOf,
    CardProportion,
    CardsPlayed,
    Kind,
    LostToBot,
    Requirement,
    Trophy,
    White,
    WinProportion,
)
from parlour.games.quips.packs import Shelf


@final
@dataclass(frozen=True, slots=True)
class Tally:
    """What one player did in one game."""

    rounds: int
    """Rounds that were judged with a play of theirs in it."""
    wins: int
    cards: Sequence[str]
    """The ids of all they played in those rounds; a card counts as often as it was played."""
    lost_to_bot: bool = False


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


def earned(trophies: Sequence[Trophy], tally: Tally, whites: Mapping[str, White]) -> list[Trophy]:
    """What the player gets, in the order of `trophies`; nothing without a round played.

    Of two in the same class and of the same grade, the first is kept.
    """
    if tally.rounds <= 0:
        return []
    best: dict[str, Trophy] = {}
    for trophy in trophies:
        if all(_met(requirement, tally, whites) for requirement in trophy.requirements):
            held = best.get(trophy.trophy_class)
            if held is None or held.trophy_grade < trophy.trophy_grade:
                best[trophy.trophy_class] = trophy
    kept = {trophy.id for trophy in best.values()}
    return [trophy for trophy in trophies if trophy.id in kept]


def _met(asked: Requirement, tally: Tally, whites: Mapping[str, White]) -> bool:
    match asked:
        case CardProportion():
            # Nobody has played a part of nothing.
            played = len(tally.cards)
            return played > 0 and asked.min <= _count(asked, tally, whites) / played <= asked.max
        case CardsPlayed():
            return asked.min <= _count(asked, tally, whites) <= asked.max
        case WinProportion():
            return asked.min <= tally.wins / tally.rounds <= asked.max
        case LostToBot():
            return tally.lost_to_bot
        case AnyOf():
            return any(_met(one, tally, whites) for one in asked.of)
        case AllOf():
            return all(_met(one, tally, whites) for one in asked.of)


def _count(kind: Kind, tally: Tally, whites: Mapping[str, White]) -> int:
    if not kind.marked():
        return len(tally.cards)
    return sum(_is(kind, card, whites.get(card)) for card in tally.cards)


def _is(kind: Kind, card: str, white: White | None) -> bool:
    if card in kind.cards or (kind.custom and card.startswith(CUSTOM)):
        return True
    if white is None:
        return False
    return (kind.upgraded and white.tier > 0) or not set(kind.flags).isdisjoint(white.flags)
