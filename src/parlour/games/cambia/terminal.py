"""Cambia in a terminal, against bots: `parlour play cambia`.

Played through the same rules and the same view as over the wire. There is no clock: the table
waits for whoever types, and asks about a snap before the bots may. What was seen is printed
once; remembering it is the game.
"""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.text import Text

from parlour.games.cambia import GAME
from parlour.games.cambia import actions as act
from parlour.games.cambia import events as ev
from parlour.games.cambia.cards import (
    HIDDEN,
    PEEK_OTHER,
    PEEK_SELF,
    SKIP,
    SWAP_BLIND,
    SWAP_PEEK,
    SWAP_PEEK_SWAP,
    SpecialName,
    ability_of,
)
from parlour.games.cambia.picture import CambiaPicture
from parlour.games.cambia.rules import Cambia
from parlour.games.cambia.settings import HouseRules, Settings
from parlour.kit import Illegal, Millis, Seat
from parlour.terminal import ME, Ask, TerminalGame

MOMENT: Final[Millis] = 1_000
"""How long typing a line takes: the wait after a wrong snap is measured in it."""

HELP: Final = """\
Hold the lowest cards at the end. Yours lie face down: remember what you saw.
  d          draw a card, at the beginning of your turn
  r 2        put the drawn card in the place of your card 2
  x          discard the drawn card; a 7 or higher may then be used
  c          call Cambia instead of drawing: all others have one more turn
  s 2        snap: your card 2 has the rank of the top of the pile
  2, a1      a card of yours, a card of player a; two of them for a swap
  n          no: do not snap, do not use the card
  q          quit
  ?          this help
Ace 1, jack 11, queen 12, black king 13, red king -1, joker 0. Discarded when
drawn: 7 and 8 look at a card of yours, 9 and 10 at somebody else's, jack and
queen swap two blind, a king looks at two and may swap them."""

ABILITIES: Final[dict[SpecialName, str]] = {
    PEEK_SELF: "look at a card of yours",
    PEEK_OTHER: "look at somebody else's card",
    SWAP_BLIND: "swap two cards without looking",
    SWAP_PEEK: "look at two cards, then swap them or not",
}
ASKED: Final = {
    PEEK_SELF: "Look at a card of yours (1), or n > ",
    PEEK_OTHER: "Look at somebody else's card (a1), or n > ",
    SWAP_BLIND: "Swap two cards blind (1 a1), or n > ",
    SWAP_PEEK: "Look at two cards (1 a1), or n > ",
    SWAP_PEEK_SWAP: "Swap the two (y or n) > ",
}


def play(console: Console, bots: int, seed: int, ask: Ask | None = None) -> list[int]:
    """Play game after game until the player quits; gives how many each has won."""
    game = TerminalCambia(console, bots, seed, ask)
    game.play()
    return game.scores


class TerminalCambia(TerminalGame[Cambia, ev.Event, CambiaPicture]):
    """Games of Cambia, in a time that runs only as far as somebody acts."""

    help = HELP

    def __init__(self, console: Console, bots: int, seed: int, ask: Ask | None = None) -> None:
        settings = Settings(houseRules=HouseRules(turnTimerSec=0))
        super().__init__(GAME, settings, console, bots, seed, ask)
        self._asked_about = ""

    # -- what happens -----------------------------------------------------------------

    def step(self) -> list[ev.Event]:
        due = self.match.due()
        if self.picture.pre_game:
            self.ask("Enter when you will remember them > ")
            if self.console.is_terminal:
                self.console.clear()
            assert due is not None, "the pre-game ends"
            self.now = due
        if due is not None and due <= self.now:
            return self.match.tick(self.chance, self.now)
        snapped = self._offer_snap()
        if snapped is not None:
            return snapped
        planned = [
            (plan.at, seat, plan.action)
            for seat, bot in self.bots.items()
            if (plan := bot.plan(self.match.legal(seat), self.now)) is not None
        ]
        if not planned:
            return self._my_move()
        at, seat, action = min(planned, key=lambda plan: plan[:2])
        self.now = max(self.now, at)
        return self.match.apply(seat, action, self.chance, self.now)

    def _offer_snap(self) -> list[ev.Event] | None:
        """Ask once about every card on top of the pile; None: they do not snap."""
        top = self.picture.top
        may = any(isinstance(action, act.Snap) for action in self.match.legal(ME))
        if top is None or top[0] == self._asked_about or not may:
            return None
        self._asked_about = top[0]
        prompt = f"{self.face(top[1])} lies on the pile. Snap (s 1), or Enter > "
        return self._until_done(prompt, optional=True)

    def _my_move(self) -> list[ev.Event]:
        choice = self.picture.choice
        if choice is not None:
            prompt = ASKED[choice.special]
        elif self.picture.players[ME].drawn:
            prompt = "Replace a card (r 1), or discard (x) > "
        else:
            self._show_table()
            prompt = "Draw (d), or call Cambia (c) > "
        done = self._until_done(prompt)
        assert done is not None, "only what is optional is let be"
        return done

    def _until_done(self, prompt: str, optional: bool = False) -> list[ev.Event] | None:
        """Ask until there is a legal answer; a refused one has changed nothing."""
        while True:
            word, rest = self.command(prompt, optional)
            if optional and word in ("", "n", "no"):
                return None
            try:
                action = self._action(word, rest)
                done = self.match.apply(ME, action, self.chance, self.now)
            except Illegal as no:
                self.say(no.sentence, "yellow")
                continue
            self.now += MOMENT
            return done

    def _action(self, word: str, rest: list[str]) -> act.Action:
        """What a line asks for."""
        me = self.picture.players[ME]
        if word in ("d", "draw"):
            return act.DrawStockpile()
        if word in ("c", "cambia"):
            return act.CallCambia()
        if word in ("x", "discard"):
            return act.DiscardDrawn(me.drawn)
        if word in ("r", "replace"):
            card = self._card(rest)
            return act.Replace(card, me.hand.index(card) if card in me.hand else -1)
        if word in ("s", "snap"):
            return act.Snap(self._card(rest))
        choice = self.picture.choice
        if choice is None or choice.seat != ME:
            raise Illegal("no-command", f"There is no command {word[:20]} now; ? lists them.")
        if word in ("n", "no", "skip"):
            return act.Special(SKIP)
        if choice.special == SWAP_PEEK_SWAP:
            if word in ("y", "yes"):
                one, other = self.picture.looked
                return act.Special(SWAP_PEEK_SWAP, one, other)
            raise Illegal("no-command", "Say y to swap the two cards, or n.")
        if choice.special in (PEEK_SELF, PEEK_OTHER):
            return act.Special(choice.special, self._card([word, *rest]))
        if len(rest) != 1:
            raise Illegal("two-cards", "Name two cards: 1 a1.")
        return act.Special(choice.special, self._card([word]), self._card(rest))

    def _card(self, named: list[str]) -> str:
        """The card that is called "2" (one's own) or "a2" (a bot's)."""
        if len(named) != 1:
            raise Illegal("one-card", "Name one card: 1 to 4 of your own, a1 of player a.")
        name = named[0]
        owners = {letter(seat): seat for seat in self.bots}
        owner = owners.get(name[:1], ME)
        number = name[1:] if owner != ME else name
        hand = self.picture.players[owner].hand
        places = {str(place): card for place, card in enumerate(hand, 1)}
        if number not in places:
            raise Illegal("no-card", f"There is no card {name[:20]}.")
        return places[number]

    # -- what is printed --------------------------------------------------------------

    def count(self) -> None:
        ended = self.match.result
        assert ended is not None, "it is counted when it is over"
        for seat, hand in enumerate(ended.hands):
            cards = Text(" ").join(self.face(card.face) for card in hand)
            row = Text.assemble((f"  {self.names[seat]:<8}", "cyan"), cards)
            self.say(row.append(f"  = {ended.scores[seat]}", "bold"))
        if ended.penalty_applied and ended.caller is not None:
            self.say(f"{self._does(ended.caller, 'pay')} 1 for having called.")
        for seat in ended.winners:
            self.scores[seat] += 1
        winners = " and ".join(self.names[seat] for seat in ended.winners)
        verb = "wins" if len(ended.winners) == 1 and ME not in ended.winners else "win"
        self.say(f"{winners} {verb}.", "bold green" if ME in ended.winners else "bold red")
        self.say(f"Games won: {self.standing()}.")

    def _show_table(self) -> None:
        """Backs and places; faces are for the memory."""
        self.say("")
        for seat in (*self.bots, ME):
            label = letter(seat) if seat != ME else " "
            places = " ".join(str(n) for n in range(1, len(self.picture.players[seat].hand) + 1))
            row = Text.assemble((f"  {label} ", "cyan"), f"{self.names[seat]:<8} {places}")
            if seat == self.picture.caller:
                row.append("  called Cambia", "magenta")
            self.say(row)
        top = self.picture.top
        pile = self.face(top[1]) if top is not None else Text("empty", "dim")
        self.say(Text.assemble("  Pile ", pile, (f"   {self.picture.stockpile} to draw", "dim")))

    def line(self, event: ev.Event) -> Text | None:
        match event:
            case ev.InitialCards():
                seen = [
                    Text.assemble(f"card {c.idx + 1} is ", self.face(c.face)) for c in event.cards
                ]
                return Text("Your ").append_text(Text(", ").join(seen)).append(".")
            case ev.Drew():
                if event.face == HIDDEN:
                    return self._told(event.seat, "draw", "a card.")
                special = ability_of(event.face)
                note = f" (discarded, it lets you {ABILITIES[special]})" if special else ""
                return self._told(event.seat, "draw", self.face(event.face), f"{note}.")
            case ev.Discarded():
                how = f", out of place {event.idx + 1}" if event.idx >= 0 else ""
                return self._told(event.seat, "discard", self.face(event.face), f"{how}.")
            case ev.Peeked():
                return self._looked(event.seat, event.card)
            case ev.KingLooked():
                first = self._looked(event.seat, event.card1)
                return first.append(" ").append_text(self._looked(event.seat, event.card2))
            case ev.Swapped():
                one, other = self.where(event.card1), self.where(event.card2)
                return Text(f"{self._does(event.seat, 'swap')} {one} and {other}.", "magenta")
            case ev.SpecialSkipped():
                return self._told(event.seat, "do", "not use it.")
            case ev.SpecialRefused():
                return Text(event.sentence, "yellow")
            case ev.SnapWon():
                return self._told(event.seat, "snap", self.face(event.card.face), ".")
            case ev.SnapFailed():
                wrong = f"wrong: {self.where(event.card)} is "
                return self._told(event.seat, "snap", wrong, self.face(event.card.face), ".")
            case ev.SnapPenalty():
                return self._told(event.seat, "draw", "a penalty card, unseen.")
            case ev.CambiaCalled():
                return Text(f"{self._does(event.seat, 'call')} Cambia!", "bold magenta")
            case ev.Reshuffled():
                return Text("The pile is shuffled into the stockpile.", "dim")
            case _:
                return None

    def where(self, card: ev.CardAt) -> str:
        """ "your card 2", "Ace's card 1 (a1)" """
        if card.owner == ME:
            return f"your card {card.idx + 1}"
        return (
            f"{self.names[card.owner]}'s card {card.idx + 1} ({letter(card.owner)}{card.idx + 1})"
        )

    def _looked(self, seat: Seat, card: ev.CardAt) -> Text:
        line = Text(f"{self._does(seat, 'look')} at {self.where(card)}")
        if card.face != HIDDEN:
            line.append(": ").append_text(self.face(card.face))
        return line.append(".")

    def _told(self, seat: Seat, verb: str, *what: Text | str) -> Text:
        """ "You draw 7♥.", "Alma draws a card." """
        return Text.assemble(f"{self._does(seat, verb)} ", *what)

    def _does(self, seat: Seat, verb: str) -> str:
        if seat == ME:
            return f"You {verb}"
        return f"{self.names[seat]} {verb}{'es' if verb == 'do' else 's'}"


def letter(seat: Seat) -> str:
    """How a bot's seat is called at the prompt: a, b, c."""
    return "abcdefgh"[seat - 1]
