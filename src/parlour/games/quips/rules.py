"""Quips: a judge, a black card, and everybody else plays white cards (spec: "Rules").

One match is one game, from `playing` to the end of `game_end`; `game_starting` is the table's
lobby. Rules only: no clock, no sockets, no JSON. Every change of the board is followed by
`_settle`, which does what follows from it: too few players, another judge, a skip, judging.
"""

from __future__ import annotations

from typing import Final, final

from parlour.choices import Choices
from parlour.games.quips import clocks, judges, moves
from parlour.games.quips import events as ev
from parlour.games.quips.actions import Action, Discard, Judge, Play, Turn, Upgrade
from parlour.games.quips.board import Board, Player
from parlour.games.quips.changes import USUAL, VERDICT, Changes
from parlour.games.quips.choices import choices_of
from parlour.games.quips.deck import assemble, tier_of
from parlour.games.quips.events import Event
from parlour.games.quips.results import results_of
from parlour.games.quips.settings import Settings, unhurried
from parlour.games.quips.supply import Supply, shuffled
from parlour.kit import Illegal, Millis, OpenMatch, Outcome, PutOut, Seat, Setup
from parlour.rng import Rng

EDITION: Final = 2
"""Of these rules. In the first, every skip dealt the new card's extra cards in full, and nobody
began a game idle."""
_FIRST_EDITION: Final = 1


@final
class Quips(OpenMatch[Action, Event]):
    """One game, changed in place."""

    def __init__(self, settings: Settings, supply: Supply, edition: int = EDITION) -> None:
        self.settings = settings
        self.edition = edition
        self.supply = supply
        self.shelf = supply.shelf
        self.board = Board()
        self.changes = Changes()
        self.over: ev.Over | None = None

    def outcome(self) -> Outcome | None:
        if self.over is None:
            return None
        results = self.board.results if self.over.how == "played" else None
        winners = () if results is None else tuple(results.winners)
        scores = {seat: self.board.players[seat].score for seat in self.board.here()}
        return Outcome(winners, self.over.how, scores)

    # Actions

    def legal(self, seat: Seat) -> list[Action]:
        if self.over is not None or not self.board.has(seat):
            return []
        return moves.legal(self.board, self.shelf, self.settings, seat)

    def choices(self, seat: Seat) -> Choices:
        legal = self.legal(seat)
        return choices_of(self.board, self.settings, seat, legal) if legal else ()

    def apply(self, seat: Seat, action: Action, rng: Rng, now: Millis) -> list[Event]:
        if self.over is not None:
            raise Illegal("match-over", "The game is over.")
        if not self.board.has(seat):
            raise Illegal("not-seated", "You are not in this game.")
        board = self.board
        if isinstance(action, Play):
            moves.play(board, self.supply, self.settings, seat, action, rng)
        elif isinstance(action, Judge):
            self._judge(seat, action.index, now)
        elif isinstance(action, Turn):
            moves.turn(board, seat, action.index)
        elif isinstance(action, Discard):
            moves.discard(board, self.supply, seat, action.slot, rng)
        elif isinstance(action, Upgrade):
            moves.upgrade(board, self.shelf, seat, action.slot)
        else:
            moves.vote(board, self.settings, seat, action.on)
        clocks.stir(board, seat)
        return self._settle(rng, now)

    # Judging

    def _begin_judging(self, rng: Rng) -> None:
        board = self.board
        board.stage = ev.JUDGING
        board.order = []
        board.turned = []
        for seat in board.played():
            # Each goes anywhere among those before it: every order is equally likely.
            board.order.insert(rng.below(len(board.order) + 1), seat)

    def _judge(self, seat: Seat, index: int, now: Millis) -> None:
        board = self.board
        moves.check_judges(board, seat, index)
        board.winning_play = index
        for author in board.order:
            player = board.players[author]
            player.rounds += 1
            player.cards += [held.card for held in player.play]
        winner = board.players[board.order[index]]
        winner.wins += 1
        winner.score += 1 + sum(tier_of(self.shelf, held.card) for held in winner.play)
        winner.points += board.pick
        board.stage = ev.ROUND_END
        board.deadline = now + self.settings.round_end_timeout
        self.changes.order = VERDICT

    # Rounds

    def _begin_round(self, judge: Seat, rng: Rng, now: Millis) -> None:
        """Clear the table and turn up a black card; or end the game, if it was the last round."""
        board = self.board
        best = max(board.players[seat].score for seat in board.here())
        if best >= self.settings.max_points or board.round >= self.settings.max_rounds:
            self._end_game(now)
            return
        for player in board.players:
            self.supply.put_back(player.play)
            player.extra = 0
        board.round += 1
        board.judge = judge
        self._turn_up(rng)

    def _turn_up(self, rng: Rng) -> None:
        """Play the next black card, from a table without plays."""
        board = self.board
        board.black = self.supply.next_black(board.black, rng)
        black = self.shelf.blacks[board.black]
        board.pick = black.pick
        board.stage = ev.PLAYING
        board.order = []
        board.turned = []
        board.winning_play = -1
        board.deadline = None
        for seat, player in enumerate(board.players):
            player.voted = False
            player.awaited_since = None
            if player.here:
                self.supply.refill(player, rng)
                if seat != board.judge:
                    self._deal_extra(player, rng)
        self.changes.round_begins()

    def _deal_extra(self, player: Player, rng: Rng) -> None:
        """As many as the black card says, with those that they were dealt for skipped ones."""
        missing = self.shelf.blacks[self.board.black].draw - player.extra
        if missing > 0:
            player.extra += missing
            self.supply.draw(player, missing, rng)

    def _skip(self, rng: Rng) -> ev.Skipped:
        old = self.board.black
        for player in self.board.players:
            if self.edition == _FIRST_EDITION:
                player.extra = 0
            if player.here:
                player.take_back()
            else:
                # Somebody who left while their play was to be judged.
                self.supply.put_back(player.play)
        self._turn_up(rng)
        return ev.Skipped(old, self.board.black)

    def _replace_judge(self, judge: Seat, rng: Rng, now: Millis) -> list[Event]:
        """Somebody takes over. What they played themselves goes back to their hand."""
        board = self.board
        board.judge = judge
        # The new judge turns plays over anew, and their own play is taken back.
        board.turned = []
        player = board.players[judge]
        if not player.play:
            return []
        player.take_back()
        if board.stage == ev.PLAYING:
            return []
        board.order.remove(judge)
        if not board.order:
            self._begin_round(judge, rng, now)
            return []
        # Clients keep the number of plays for as long as a stage lasts. So the stage is left for
        # a moment when a play is withdrawn.
        order = board.order
        board.stage, board.order = ev.PLAYING, []
        events = self.changes.take(board)
        board.stage, board.order = ev.JUDGING, order
        return events

    # Ends

    def _end_game(self, now: Millis) -> None:
        board = self.board
        board.stage = ev.GAME_END
        board.deadline = now + self.settings.game_end_timeout
        board.results = results_of(board.players, self.shelf)

    def _finish(self, how: ev.Ending) -> list[Event]:
        self.over = ev.Over(how)
        self.board.deadline = None
        return [self.over]

    def abandon(self, rng: Rng, now: Millis) -> list[Event]:
        return [] if self.over is not None else self._finish("abandoned")

    # Consequences

    def _settle(self, rng: Rng, now: Millis) -> list[Event]:
        """Do what follows from a change, and say all that is new."""
        board = self.board
        if board.stage == ev.GAME_END:
            # The result stands, also if a player leaves now.
            return self.changes.take(board)
        if len(board.here()) < self.settings.min_players:
            return self._finish("too-few")
        events: list[Event] = []
        skipped: ev.Skipped | None = None
        if board.stage != ev.ROUND_END:
            judge = judges.replacement(board, self.settings)
            if judge is not None:
                events += self._replace_judge(judge, rng, now)
            # Without a play left to judge, a new judge begins a round, or ends the game.
            if board.results is None and moves.skip_wanted(board):
                skipped = self._skip(rng)
        awaited = board.awaited()
        if board.stage == ev.PLAYING and not awaited and board.played():
            self._begin_judging(rng)
            awaited = board.awaited()
        clocks.watch(board, awaited, now)
        events += self.changes.take(board)
        if skipped is not None:
            events.append(skipped)
        return events

    # Time

    def due(self) -> Millis | None:
        return None if self.over is not None else clocks.due(self.board, self.settings)

    def tick(self, rng: Rng, now: Millis) -> list[Event]:
        events: list[Event] = []
        due = self.due()
        while due is not None and due <= now:
            events += self._happen(rng, now)
            due = self.due()
        return events

    def _happen(self, rng: Rng, now: Millis) -> list[Event]:
        """One thing that is due at `now`."""
        board = self.board
        if board.deadline is not None and board.deadline <= now:
            if board.stage == ev.GAME_END:
                return self._finish("played")
            self._begin_round(judges.next_judge(board, self.settings), rng, now)
            return self._settle(rng, now)
        for seat in board.here():
            moment = clocks.out_at(board.players[seat], self.settings)
            if moment is not None and moment <= now:
                out = PutOut(seat, "reject_afk", "You were away for too long.")
                return [out, *self.leave(seat, rng, now)]
        time = clocks.allowed(board, self.settings)
        for seat in board.here():
            moment = clocks.idle_at(board.players[seat], time)
            if moment is not None and moment <= now:
                board.players[seat].idle_since = now
        return self._settle(rng, now)

    # People who come and go

    def join(self, player: str, computer: bool, rng: Rng, now: Millis) -> list[Event]:
        if self.over is not None:
            raise Illegal("match-over", "The game is over.")
        if len(self.board.here()) >= self.settings.max_players:
            raise Illegal("table-full", "There is no room for another player.")
        newcomer = self.seat(player, computer)
        self.supply.refill(newcomer, rng)
        if self.board.stage == ev.PLAYING:
            self._deal_extra(newcomer, rng)
        return self._settle(rng, now)

    def seat(self, player: str, computer: bool) -> Player:
        """Give somebody the next seat."""
        newcomer = Player(player, computer, self.settings.blank_cards, self.settings.discards)
        self.board.players.append(newcomer)
        return newcomer

    def gone(self, seat: Seat, rng: Rng, now: Millis) -> list[Event]:
        if self.over is not None or not self.board.has(seat):
            return []
        player = self.board.players[seat]
        if player.gone_since is None:
            player.gone_since = now
        return self._settle(rng, now)

    def back(self, seat: Seat, rng: Rng, now: Millis) -> list[Event]:
        if self.over is not None or not self.board.has(seat):
            return []
        self.board.players[seat].gone_since = None
        return self.stirred(seat, rng, now)

    def asleep(self, seat: Seat) -> bool:
        return self.board.has(seat) and self.board.players[seat].idle_since is not None

    def stirred(self, seat: Seat, rng: Rng, now: Millis) -> list[Event]:
        if self.over is not None or not self.board.has(seat):
            return []
        clocks.stir(self.board, seat)
        return self._settle(rng, now)

    def leave(self, seat: Seat, rng: Rng, now: Millis) -> list[Event]:
        if self.over is not None or not self.board.has(seat):
            return []
        player = self.board.players[seat]
        player.here = False
        self.supply.put_back(player.hand)
        if self.board.stage == ev.PLAYING:
            # Not shown yet; once judging has begun, the play stays.
            self.supply.put_back(player.play)
        return self._settle(rng, now)


def deal(setup: Setup[Settings], rng: Rng, now: Millis) -> tuple[Quips, list[Event]]:
    """A game begins: everybody gets a hand, and the first black card is turned up."""
    settings = unhurried(setup.settings) if setup.unhurried else setup.settings
    shelf = assemble(setup.content.values(), settings)
    match = Quips(settings, shuffled(shelf, settings, rng), setup.edition or EDITION)
    for seat, player in enumerate(setup.players):
        newcomer = match.seat(player, seat in setup.computers)
        newcomer.idle_since = now if seat in setup.asleep else None
    players = match.board.players
    match._begin_round(judges.following(players, _last_judge(setup), settings), rng, now)
    match.changes.order = USUAL
    return match, [ev.Dealt(list(setup.players), shelf), *match._settle(rng, now)]


def _last_judge(setup: Setup[Settings]) -> Seat:
    """After whom the judges of this game begin: the last judge, or else the last seat."""
    players = [*setup.players]
    previous = setup.previous
    if isinstance(previous, Quips):
        judge = previous.board.players[previous.board.judge].id
        if judge in players:
            return players.index(judge)
    return len(players) - 1
