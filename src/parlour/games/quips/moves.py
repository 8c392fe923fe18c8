"""Moves of one player: play, turn over, discard, upgrade, vote (spec: "Client messages").

Everything is checked before anything changes, so an `Illegal` leaves no trace. What a move means
for the others is in `rules.py`.
"""

from __future__ import annotations

from typing import Final

from msgspec import structs

from parlour.games.quips.actions import Action, Discard, Judge, Play, Turn, Upgrade, VoteSkip
from parlour.games.quips.board import Board, Held
from parlour.games.quips.deck import canonical, custom_id, upgrade_of
from parlour.games.quips.events import GAME_END, JUDGING, PLAYING
from parlour.games.quips.packs import Shelf
from parlour.games.quips.settings import Settings
from parlour.games.quips.supply import Supply
from parlour.kit import Illegal, Seat
from parlour.rng import Rng

ANY_TEXT: Final = "..."
"""The text that `legal` puts on a blank card: any text can be played."""


def legal(board: Board, shelf: Shelf, settings: Settings, seat: Seat) -> list[Action]:
    """A player's legal actions. Of plays with several cards only those of neighbours in the hand
    are listed, and one of blank cards alone."""
    player = board.players[seat]
    actions: list[Action] = []
    if seat in board.pending():
        slots = [held.slot for held in player.hand]
        for start in range(len(slots)):
            run = slots[start:] + slots[:start]
            actions.append(Play([*run[: board.pick]]))
        if player.blanks >= board.pick:
            actions.append(Play([ANY_TEXT] * board.pick))
    if board.stage == JUDGING and seat == board.judge:
        plays = range(len(board.order))
        actions += [Judge(index) for index in plays]
        actions += [Turn(index) for index in plays if index not in board.turned]
    if board.stage != GAME_END:
        if player.discards > 0:
            actions += [Discard(held.slot) for held in player.hand]
        for held in player.hand:
            higher = upgrade_of(shelf, held.card)
            if higher is not None and higher.tier_cost <= player.points:
                actions.append(Upgrade(held.slot))
    if board.stage in (PLAYING, JUDGING) and settings.allow_skips and not player.computer:
        actions.append(VoteSkip(not player.voted))
    return actions


def play(
    board: Board, supply: Supply, settings: Settings, seat: Seat, action: Play, rng: Rng
) -> None:
    """Spec: `c_playcards`."""
    player = board.players[seat]
    if board.stage != PLAYING:
        raise Illegal("not-playing", "Cards can't be played now.")
    if seat == board.judge:
        raise Illegal("judge-plays-not", "The judge plays no cards.")
    if player.play:
        raise Illegal("already-played", "You have played in this round.")
    if len(action.cards) != board.pick:
        raise Illegal("wrong-count", f"This black card takes {board.pick} white cards.")
    chosen: list[Held] = []
    for card in action.cards:
        if isinstance(card, str):
            text = canonical(card, settings.max_blank_card_length)
            chosen.append(Held(-1, custom_id(text), ""))
        else:
            held = player.held(card)
            if held in chosen:
                raise Illegal("card-twice", "A card can be played only once.")
            chosen.append(held)
    blanks = sum(1 for held in chosen if not held.base)
    if blanks > player.blanks:
        raise Illegal("no-blanks", "You have too few blank cards left.")
    player.blanks -= blanks
    player.hand = [held for held in player.hand if held not in chosen]
    player.play = chosen
    supply.refill(player, rng)


def check_judges(board: Board, seat: Seat, index: int) -> None:
    """Whether it is for this seat to do something with this play."""
    if board.stage != JUDGING:
        raise Illegal("not-judging", "There is nothing to judge now.")
    if seat != board.judge:
        raise Illegal("not-judge", "You are not the judge of this round.")
    if not 0 <= index < len(board.order):
        raise Illegal("no-such-play", "There is no such play.")


def turn(board: Board, seat: Seat, index: int) -> None:
    check_judges(board, seat, index)
    if index in board.turned:
        raise Illegal("already-turned", "This play lies open already.")
    board.turned.append(index)


def discard(board: Board, supply: Supply, seat: Seat, slot: int, rng: Rng) -> None:
    player = board.players[seat]
    if board.stage == GAME_END:
        raise Illegal("game-ended", "The game has ended.")
    if player.discards == 0:
        raise Illegal("no-discards", "You have no discards left.")
    held = player.held(slot)
    player.hand.remove(held)
    player.discards -= 1
    # Drawn first, so that nobody draws the card they have just discarded.
    supply.refill(player, rng)
    supply.put_back([held])


def upgrade(board: Board, shelf: Shelf, seat: Seat, slot: int) -> None:
    player = board.players[seat]
    if board.stage == GAME_END:
        raise Illegal("game-ended", "The game has ended.")
    held = player.held(slot)
    higher = upgrade_of(shelf, held.card)
    if higher is None:
        raise Illegal("no-upgrade", "This card can't be upgraded.")
    if player.points < higher.tier_cost:
        raise Illegal("too-few-points", f"This upgrade costs {higher.tier_cost} points.")
    player.points -= higher.tier_cost
    player.hand[player.hand.index(held)] = structs.replace(held, card=higher.id)


def vote(board: Board, settings: Settings, seat: Seat, on: bool) -> None:
    player = board.players[seat]
    if not settings.allow_skips:
        raise Illegal("no-skips", "Black cards are not skipped at this table.")
    if player.computer:
        raise Illegal("no-vote", "Computer players have no vote.")
    if board.stage not in (PLAYING, JUDGING):
        raise Illegal("not-playing", "There is nothing to skip now.")
    player.voted = on


def skip_wanted(board: Board) -> bool:
    """Whether more than half of the people who are there and awake want another black card."""
    if True not in [player.voted for player in board.players]:
        return False
    votes = [player.voted for player in board.players if player.awake and not player.computer]
    return 2 * sum(votes) > len(votes)
