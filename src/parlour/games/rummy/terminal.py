"""Super Rummy in a terminal, against bots: `parlour play rummy`.

Played through the same rules and the same view as over the wire: what is printed here is a
picture of what this seat was shown, and the bots know no more than theirs were.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from parlour.cards import RANKS, SUIT_LETTERS, SUIT_SIGNS, is_red, rank_of, suit_of
from parlour.games.rummy import BOTS
from parlour.games.rummy.melds import Card
from parlour.games.rummy.moves import (
    DRAW,
    TO_DISCARDS,
    TO_HAND,
    Action,
    Discard,
    Draw,
    Ended,
    Event,
    Lay,
    Meld,
    Moved,
    Redecked,
    view,
)
from parlour.games.rummy.picture import RummyPicture
from parlour.games.rummy.rules import Rummy, deal
from parlour.games.rummy.settings import Settings
from parlour.kit import Illegal, Seat, Setup
from parlour.rng import ProvableRng

ME: Final = 0

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

ENDINGS: Final = {
    "standstill": "nobody can go out any more",
    "deck-exhausted": "the deck has run out",
    "abandoned": "too few are left",
}

Ask = Callable[[str], str]


class Quit(Exception):
    """The player has had enough."""


def play(
    console: Console, bots: int, seed: int, ask: Ask | None = None, strength: str = ""
) -> dict[str, int]:
    """Play round after round until the player quits; gives the scores. `ask` reads a line."""
    evening = Evening(console, bots, seed, ask or console.input, strength)
    try:
        while True:
            evening.play_round()
            if evening.ask("Enter for another round, q to quit > ").startswith("q"):
                break
    except Quit:
        console.print("Goodbye.")
    return dict(zip(evening.names, evening.scores, strict=True))


class Evening:
    """Some rounds at one table: who plays, and how they stand."""

    def __init__(
        self, console: Console, bots: int, seed: int, ask: Ask, strength: str = ""
    ) -> None:
        self.console = console
        self._make_bot = BOTS.maker(strength)
        self.names = ["You", *BOTS.names[:bots]]
        self.scores = [0] * len(self.names)
        self.rounds = 0
        self._seed = f"{seed}".encode()
        self._ask = ask
        self._previous: Rummy | None = None
        self._by_rank = False
        self._suits = SUIT_SIGNS if console.encoding.startswith("utf") else SUIT_LETTERS

    def ask(self, prompt: str) -> str:
        """One line of input; the end of all input is the end of the evening."""
        try:
            return self._ask(prompt).strip().lower()
        except (EOFError, KeyboardInterrupt):
            raise Quit from None

    # -- a round ----------------------------------------------------------------------

    def play_round(self) -> None:
        """Deal, play to the end, and count."""
        self.rounds += 1
        chance = ProvableRng(self._seed, f"round {self.rounds}")
        bots = {
            seat: self._make_bot(
                RummyPicture(seat), ProvableRng(self._seed, f"bot {seat} {self.rounds}")
            )
            for seat in range(1, len(self.names))
        }
        match, told = deal(Setup(Settings(), self.names, previous=self._previous), chance, 0)
        picture = RummyPicture(ME)
        self.console.rule(f"Round {self.rounds}")
        while True:
            for event in told:
                for seat, bot in bots.items():
                    bot.show(view(event, seat))
                shown = view(event, ME)
                line = self._line(shown, picture)
                if line is not None:
                    self.console.print(line)
                picture.see(shown)
            if match.ended is not None:
                break
            if match.turn == ME:
                told = self._my_move(match, picture, chance)
            else:
                plan = bots[match.turn].plan(match.legal(match.turn), 0)
                if plan is None:
                    raise LookupError("a bot in turn always has a plan")
                told = match.apply(match.turn, plan.action, chance, 0)
        self._previous = match
        self._count(match, match.ended)

    def _my_move(self, match: Rummy, picture: RummyPicture, chance: ProvableRng) -> list[Event]:
        """Ask until there is a legal answer; a refused one has changed nothing."""
        self._show(picture)
        while True:
            drawing = picture.turned is not None and picture.turned.state == DRAW
            line = self.ask("Draw: d or p > " if drawing else "Play: m, l or x > ")
            word, *rest = line.replace(",", " ").split() or [""]
            if word in ("q", "quit"):
                raise Quit
            if word == "s":
                self._by_rank = not self._by_rank
                self._show(picture)
                self.console.print("Sorted by rank." if self._by_rank else "Sorted by suit.")
                continue
            if word in ("", "?", "help"):
                self.console.print(HELP, highlight=False)
                continue
            try:
                return match.apply(ME, self._action(word, rest, picture), chance, 0)
            except Illegal as no:
                self.console.print(no.sentence, style="yellow", highlight=False, markup=False)

    def _action(self, word: str, rest: list[str], picture: RummyPicture) -> Action:
        """What a line asks for, with the cards it names by their numbers."""
        if word == "d":
            if not picture.deck:
                raise Illegal("no-deck", "The deck is empty: take the pile's top card.")
            return Draw(picture.deck[-1])
        if word == "p":
            if not picture.discards:
                raise Illegal("no-pile", "The pile is empty: draw from the deck.")
            return Draw(picture.discards[-1].id)
        if word == "m":
            return Meld(self._named(rest, picture))
        if word == "x":
            named = self._named(rest, picture)
            if len(named) != 1:
                raise Illegal("one-card", "Discard one card: x and its number.")
            return Discard(named[0])
        if word == "l":
            if len(rest) < 3 or rest[-2] != "on" or not rest[-1].isdecimal():
                raise Illegal("lay-where", "Say which card goes on which meld: l 4 on 0.")
            return Lay(self._named(rest[:-2], picture), int(rest[-1][:4]))
        raise Illegal("no-command", f"There is no command {word}; ? lists them.")

    def _named(self, numbers: Sequence[str], picture: RummyPicture) -> list[str]:
        hand = self._sorted(picture.hand)
        ids = {str(number): card.id for number, card in enumerate(hand, 1)}
        if not numbers:
            raise Illegal("no-cards", "Name the cards by their numbers.")
        for number in numbers:
            if number not in ids:
                raise Illegal("no-card", f"You have no card {number}.")
        return [ids[number] for number in numbers]

    # -- what there is to see ---------------------------------------------------------

    def _show(self, picture: RummyPicture) -> None:
        """The table as this player may see it."""
        out = self.console.print
        others = ", ".join(
            f"{self.names[seat]} {_cards(len(hand))}"
            for seat, hand in enumerate(picture.hands)
            if seat != ME
        )
        out()
        out(f"{others}; {len(picture.deck)} in the deck.", style="dim", highlight=False)
        for number, meld in enumerate(picture.melds):
            out(Text.assemble((f"  {number}  ", "cyan"), self._faces(meld)))
        top = picture.discards[-1:]
        out(Text.assemble("Pile  ", self._faces(top) if top else Text("empty", "dim")))
        hand = Text("Hand ")
        for number, card in enumerate(self._sorted(picture.hand), 1):
            hand.append(f" {number}:", "dim").append_text(_face(card, self._suits))
        out(hand)

    def _sorted(self, hand: Sequence[Card]) -> list[Card]:
        if not self._by_rank:
            return list(hand)
        return sorted(hand, key=lambda card: (rank_of(card.face), card.face))

    def _line(self, event: Event, before: RummyPicture) -> Text | None:
        """What happened, given the table before it; None: nothing worth a line."""
        if isinstance(event, Redecked):
            return Text("The deck is used up: the pile is turned over.", "dim")
        # Before the first turn everything is the deal.
        if not isinstance(event, Moved) or before.turned is None:
            return None
        if event.destination == TO_HAND:
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
        if event.destination == TO_DISCARDS:
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

    def _count(self, match: Rummy, ended: Ended) -> None:
        """Say how the round ended and how everybody stands."""
        out = self.console.print
        outcome = match.outcome()
        if outcome is not None:
            for seat, points in outcome.scores.items():
                self.scores[seat] += points
        out()
        if ended.winner is None:
            out(f"Nobody wins this round: {ENDINGS[ended.how]}.", style="bold yellow")
        else:
            points = sum(ended.hand_values.values())
            verb = "are" if ended.winner == ME else "is"
            style = "bold green" if ended.winner == ME else "bold red"
            out(f"{self.names[ended.winner]} {verb} out: {points} points.", style=style)
            if not match.laid[ended.winner]:
                out("All in one turn: rummy, and everything counts twice.")
        standing = ", ".join(f"{n} {s}" for n, s in zip(self.names, self.scores, strict=True))
        out(f"Scores: {standing}.", highlight=False)

    def _faces(self, cards: Sequence[Card]) -> Text:
        return Text(" ").join(_face(card, self._suits) for card in cards)


def _cards(count: int) -> str:
    return f"{count} card" if count == 1 else f"{count} cards"


def _face(card: Card, suits: str = SUIT_SIGNS) -> Text:
    text = RANKS[rank_of(card.face)] + suits[suit_of(card.face)]
    return Text(text, "bold red" if is_red(card.face) else "bold")
