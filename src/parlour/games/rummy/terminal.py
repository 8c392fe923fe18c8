"""Super Rummy in a terminal, against bots: `parlour play rummy`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from parlour.cards import rank_of
from parlour.games.rummy import GAME, moves
from parlour.games.rummy.melds import Card
from parlour.games.rummy.moves import Action, Event
from parlour.games.rummy.picture import RummyPicture
from parlour.games.rummy.rules import Rummy
from parlour.games.rummy.scene import ENDINGS
from parlour.games.rummy.settings import Settings
from parlour.kit import Illegal, Seat
from parlour.terminal import ME, Ask, TerminalGame

HELP: Final = """\
Be rid of your cards first: draw one, lay down what you can, discard one.
  d            draw from the deck
  p            draw the top card of the pile
  m 1 2 3      meld these cards of your hand: a set or a run of three or more
  l 4 on 0     lay a card (or several: l 4 5 on 0) on a meld on the table
  x 5          discard a card, and end your turn
  s            sort your hand by rank, or by suit again
  q            quit
  ?            this help
A set is cards of one rank, a run consecutive cards of one suit; the ace is
low. The winner scores what the others still hold, twice if all went down in
one turn."""


def play(
    console: Console, bots: int, seed: int, ask: Ask | None = None, strength: str = ""
) -> dict[str, int]:
    """Play round after round until the player quits; gives the scores."""
    game = TerminalRummy(GAME, Settings(), console, bots, seed, ask, strength)
    game.play()
    return dict(zip(game.names, game.scores, strict=True))


class TerminalRummy(TerminalGame[Rummy, Event, RummyPicture]):
    """Rounds of Super Rummy."""

    help = HELP
    unit = "round"
    _by_rank = False

    # -- what happens -----------------------------------------------------------------

    def step(self) -> list[Event]:
        seat = self.match.turn
        if seat == ME:
            return self._my_move()
        plan = self.bots[seat].plan(self.match.legal(seat), self.now)
        assert plan is not None, "a bot in turn always has a plan"
        return self.match.apply(seat, plan.action, self.chance, self.now)

    def _my_move(self) -> list[Event]:
        """Ask until there is a legal answer; a refused one has changed nothing."""
        self._show_table()
        turned = self.picture.turned
        drawing = turned is not None and turned.state == moves.DRAW
        while True:
            word, rest = self.command("Draw: d or p > " if drawing else "Play: m, l or x > ")
            if word == "s":
                self._by_rank = not self._by_rank
                self._show_table()
                self.say("Sorted by rank." if self._by_rank else "Sorted by suit.")
                continue
            try:
                return self.match.apply(ME, self._action(word, rest), self.chance, self.now)
            except Illegal as no:
                self.say(no.sentence, "yellow")

    def _action(self, word: str, rest: list[str]) -> Action:
        """What a line asks for, with the cards it names by their numbers."""
        if word == "d":
            if not self.picture.deck:
                raise Illegal("no-deck", "The deck is empty: take the pile's top card.")
            return moves.Draw(self.picture.deck[-1])
        if word == "p":
            if not self.picture.discards:
                raise Illegal("no-pile", "The pile is empty: draw from the deck.")
            return moves.Draw(self.picture.discards[-1].id)
        if word == "m":
            return moves.Meld(self._named(rest))
        if word == "x":
            named = self._named(rest)
            if len(named) != 1:
                raise Illegal("one-card", "Discard one card: x and its number.")
            return moves.Discard(named[0])
        if word == "l":
            if len(rest) < 3 or rest[-2] != "on" or not rest[-1].isdecimal():
                raise Illegal("lay-where", "Say which card goes on which meld: l 4 on 0.")
            return moves.Lay(self._named(rest[:-2]), int(rest[-1][:4]))
        raise Illegal("no-command", f"There is no command {word}; ? lists them.")

    def _named(self, numbers: Sequence[str]) -> list[str]:
        ids = {str(number): card.id for number, card in enumerate(self._hand(), 1)}
        if not numbers:
            raise Illegal("no-cards", "Name the cards by their numbers.")
        for number in numbers:
            if number not in ids:
                raise Illegal("no-card", f"You have no card {number}.")
        return [ids[number] for number in numbers]

    # -- what there is to see ---------------------------------------------------------

    def _show_table(self) -> None:
        """The table as this player may see it."""
        out, picture = self.console.print, self.picture
        others = ", ".join(
            f"{self.names[seat]} {len(hand)} card{'' if len(hand) == 1 else 's'}"
            for seat, hand in enumerate(picture.hands)
            if seat != ME
        )
        out()
        self.say(f"{others}; {len(picture.deck)} in the deck.", "dim")
        for number, meld in enumerate(picture.melds):
            out(Text.assemble((f"  {number}  ", "cyan"), self._faces(meld)))
        top = picture.discards[-1:]
        out(Text.assemble("Pile  ", self._faces(top) if top else Text("empty", "dim")))
        hand = Text("Hand ")
        for number, card in enumerate(self._hand(), 1):
            hand.append(f" {number}:", "dim").append_text(self.face(card.face))
        out(hand)

    def _hand(self) -> list[Card]:
        """The player's cards in the order they are numbered by."""
        if not self._by_rank:
            return self.picture.hand
        return sorted(self.picture.hand, key=lambda card: (rank_of(card.face), card.face))

    def line(self, event: Event) -> Text | None:
        before = self.picture
        if isinstance(event, moves.Redecked):
            return Text("The deck is used up: the pile is turned over.", "dim")
        # Before the first turn everything is the deal.
        if not isinstance(event, moves.Moved) or before.turned is None:
            return None
        if event.destination == moves.TO_HAND:
            top = before.discards[-1:]
            if top and top[0].id == event.cards[0].id:
                return self._told(event.seat, "take", self._faces(top), "from the pile.")
            drawn = self._faces(event.cards) if event.seat == ME else Text("a card")
            return self._told(event.seat, "draw", drawn)
        held = {card.id: seat for seat, hand in enumerate(before.hands) for card in hand}
        moved = [card for card in event.cards if card.id in held]
        if not moved:
            return Text.assemble(self._faces(event.cards), " is turned up.")
        who = held[moved[0].id]
        if event.destination == moves.TO_DISCARDS:
            return self._told(who, "discard", self._faces(moved))
        if event.meld_number == len(before.melds):
            return self._told(who, "meld", self._faces(moved))
        return self._told(who, "lay", self._faces(moved), f"on meld {event.meld_number}.")

    def _told(self, seat: Seat, verb: str, what: Text, where: str = "") -> Text:
        """ "You take 7♥ from the pile.", "Pip takes 7♥ from the pile." """
        does = verb if seat == ME else f"{verb}s"
        line = Text.assemble(
            (self.names[seat], "bold" if seat == ME else "cyan"), f" {does} ", what
        )
        return line.append(f" {where}" if where else ".")

    def count(self) -> None:
        out = self.console.print
        ended, outcome = self.match.ended, self.match.outcome()
        assert ended is not None
        assert outcome is not None
        for seat, points in outcome.scores.items():
            self.scores[seat] += points
        out()
        if ended.winner is None:
            out(f"Nobody wins this round: {ENDINGS[ended.how]}.", style="bold yellow")
        else:
            verb = "are" if ended.winner == ME else "is"
            style = "bold green" if ended.winner == ME else "bold red"
            points = outcome.scores[ended.winner]
            out(f"{self.names[ended.winner]} {verb} out: {points} points.", style=style)
            if not self.match.laid[ended.winner]:
                out("All in one turn: rummy, and everything counts twice.")
        self.say(f"Scores: {self.standing()}.")

    def _faces(self, cards: Sequence[Card]) -> Text:
        return Text(" ").join(self.face(card.face) for card in cards)
