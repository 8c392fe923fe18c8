"""The state of a game, without its rules: the table, and what each player has."""

from __future__ import annotations

from msgspec import Struct

from parlour.games.quips.events import JUDGING, PLAYING, Results, Stage
from parlour.kit import Illegal, Millis, Seat


class Held(Struct, frozen=True):
    """A white card in a hand or in a play.

    `base` is the card it goes back to the piles as, empty for one that somebody wrote: an
    upgraded card has another `card`, but the same `base`.
    """

    slot: int
    card: str
    base: str


class Player(Struct):
    """A seat and its state. A player who has left (`here` is false) never comes back to it."""

    id: str
    computer: bool
    blanks: int
    discards: int
    here: bool = True
    score: int = 0
    points: int = 0
    voted: bool = False
    hand: list[Held] = []
    """In the order of its slots."""
    play: list[Held] = []
    """This round's play. It stays when they leave after judging has begun."""
    extra: int = 0
    """How many cards they were dealt this round for a black card's `draw`."""
    next_slot: int = 0
    gone_since: Millis | None = None
    """When their connection was lost; None: they are connected."""
    awaited_since: Millis | None = None
    """Since when the game waits for them; None: it does not."""
    idle_since: Millis | None = None
    """Since when they are idle, and not waited for any longer; None: they are not idle."""
    rounds: int = 0
    """In how many judged rounds they had a play."""
    wins: int = 0
    cards: list[str] = []
    """The ids of all that they played in those rounds, each as often as it was played."""

    @property
    def idle(self) -> bool:
        return self.idle_since is not None

    @property
    def awake(self) -> bool:
        """Whether they are connected, and waited for where it is their turn."""
        return self.here and self.idle_since is None and self.gone_since is None

    def held(self, slot: int) -> Held:
        for held in self.hand:
            if held.slot == slot:
                return held
        raise Illegal("not-in-hand", "This card is not in your hand.")

    def take(self, card: str) -> None:
        """Add a card drawn from the pile."""
        self.hand.append(Held(self.next_slot, card, card))
        self.next_slot += 1

    def take_back(self) -> None:
        """Return this round's play to the hand; texts are wiped off blank cards."""
        self.blanks += sum(1 for held in self.play if not held.base)
        self.hand += [held for held in self.play if held.base]
        self.hand.sort(key=lambda held: held.slot)
        self.play = []


class Board(Struct):
    """One game's state, but for the piles."""

    players: list[Player] = []
    """By seat, which is join order."""
    stage: Stage = PLAYING
    round: int = 0
    black: str = ""
    pick: int = 1
    judge: Seat = 0
    order: list[Seat] = []
    """From judging on: the author of each play, in the order in which the plays are shown."""
    turned: list[int] = []
    """The plays that the judge has turned over, in that order."""
    winning_play: int = -1
    results: Results | None = None
    deadline: Millis | None = None
    """When `round_end` or `game_end` is over."""

    def here(self) -> list[Seat]:
        """Everybody who has not left."""
        return [seat for seat, player in enumerate(self.players) if player.here]

    def has(self, seat: Seat) -> bool:
        """Whether there is such a player, who has not left."""
        return 0 <= seat < len(self.players) and self.players[seat].here

    def pending(self) -> list[Seat]:
        """The players who may still play in this round, idle or not."""
        if self.stage != PLAYING:
            return []
        judge = self.judge
        return [s for s, p in enumerate(self.players) if p.here and s != judge and not p.play]

    def awaited(self) -> list[Seat]:
        """The players that the game waits for."""
        players = self.players
        waiting = [self.judge] if self.stage == JUDGING else self.pending()
        return [s for s in waiting if players[s].here and players[s].idle_since is None]

    def played(self) -> list[Seat]:
        """The players whose plays are on the table."""
        return [seat for seat, player in enumerate(self.players) if player.play]
