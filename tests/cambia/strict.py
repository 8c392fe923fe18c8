"""A client of the enveloped form as strict as the existing web client is.

Spec, "What the existing web client relies on": it changes hands only on `private_sync_state`,
names cards by owner and slot with the id it last knew there, forgets at `sync_state` what it was
about to do, offers an ability only on `player_special_choice`, and an `error` is its end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.cambia.guests import EnvelopedClient
from tests.support import Event, Visitor

PLACE = "place"
"""A drawn card waits to be discarded, or to replace another."""
ABILITY = "ability"
"""The ability of a discard waits to be used."""


class ErrorPage(AssertionError):
    """What an `error` does to this client: nothing else is on its screen from now on."""


@dataclass
class Move:
    """What it sends, and the cards that were clicked for it, as owner and idx."""

    message: Event
    clicked: list[tuple[str, int]] = field(default_factory=list)


class StrictClient:
    """One player with a browser; `rnd` clicks."""

    socket: EnvelopedClient

    def __init__(self, visitor: Visitor, lobby_id: str, rnd: Random) -> None:
        self.visitor = visitor
        self.lobby_id = lobby_id
        self.rnd = rnd
        self.turns = 0
        self.reloads: set[str] = set()
        """In which situations it has reloaded."""
        self._forget()

    def _forget(self) -> None:
        """What a reload leaves of it."""
        self.id = ""
        self.phase = ""
        self.state: Event | None = None
        self.pending: str | None = None
        self.rank = ""
        self.pair: list[tuple[str, int, str]] | None = None
        self.refused = False
        self.wrong_snap = False

    # -- hearing ----------------------------------------------------------------------

    async def connect(self) -> None:
        """Load the page, or load it again."""
        self._forget()
        self.socket = EnvelopedClient(await self.visitor.socket(f"/ws/{self.lobby_id}"))
        await self.catch_up()

    async def reload(self) -> None:
        self.reloads.add(self.pending or "nothing")
        if self.pair is not None:
            self.reloads.add("king")
        await self.socket.close()
        await self.connect()

    async def catch_up(self) -> list[Event]:
        """Hear all that has been said up to now."""
        await self.socket.send("ping")
        heard: list[Event] = []
        while (message := await self.socket.event())["type"] != "pong":
            heard.append(message)
            self.hear(message)
        return heard

    def hear(self, message: Event) -> None:
        kind = message["type"]
        if kind == "error":
            raise ErrorPage(message)
        if kind in ("lobby_state", "sync_state"):
            self.id, self.phase = message["your_id"], message["phase"]
        elif kind == "phase_change":
            self.phase = message["phase"]
        if kind == "sync_state":
            self.state = message["state"]
            self.pending = None
        elif kind == "private_sync_state":
            self._sync(message["state"])
        elif self.state is not None:
            apply = getattr(self, f"on_{kind}", None)
            if apply is not None:
                apply(self.state, message)

    def _sync(self, state: Event) -> None:
        self.state = state
        mine = self.player(self.id) if self.id else None
        drawn = mine is not None and "drawnCard" in mine and state["currentPlayerId"] == self.id
        self.pending = PLACE if drawn else None

    def mine(self, message: Event) -> bool:
        return bool(message["user"]["id"] == self.id)

    def on_game_player_turn(self, state: Event, message: Event) -> None:
        state["currentPlayerId"] = message["user"]["id"]
        self.pending, self.pair, self.refused = None, None, False
        self.turns += self.mine(message)

    def on_player_draw_stockpile(self, state: Event, message: Event) -> None:
        if message["source"] == "discardpile":
            # What lies under it only the next state tells.
            state["discardTop"] = None

    def on_private_draw_stockpile(self, state: Event, message: Event) -> None:
        self.player(self.id)["drawnCard"] = message["card"]
        self.pending = PLACE

    def on_player_discard(self, state: Event, message: Event) -> None:
        state["discardTop"] = message["card"]
        self.player(message["user"]["id"]).pop("drawnCard", None)
        self.pending = None

    def on_player_special_choice(self, state: Event, message: Event) -> None:
        if self.mine(message):
            self.pending, self.rank = ABILITY, message["card"]["rank"]

    def on_private_special_action_fail(self, state: Event, message: Event) -> None:
        self.pending, self.refused = ABILITY, True

    def on_player_special_action(self, state: Event, message: Event) -> None:
        if message["special"] == "swap_peek_reveal":
            return
        self.pending = self.pair = None

    def on_player_snap_success(self, state: Event, message: Event) -> None:
        state["discardTop"] = message["card"]

    def on_player_snap_fail(self, state: Event, message: Event) -> None:
        self.wrong_snap = self.wrong_snap or self.mine(message)

    def on_player_cambia(self, state: Event, message: Event) -> None:
        state["cambiaCalled"], state["cambiaCallerId"] = True, message["user"]["id"]

    def on_game_end(self, state: Event, message: Event) -> None:
        state["gameOver"] = True
        self.pending = None

    # -- what is on its screen ----------------------------------------------------------

    def player(self, id: str) -> Event:
        assert self.state is not None
        found: Event = next(p for p in self.state["players"] if p["playerId"] == id)
        return found

    @property
    def game(self) -> Event:
        assert self.state is not None
        return self.state

    def hands(self) -> dict[str, list[str]]:
        """The ids it knows, by owner and slot."""
        return {p["playerId"]: [c["id"] for c in p["revealedHand"]] for p in self.game["players"]}

    @property
    def to_move(self) -> bool:
        """Whether the game waits for this player."""
        return not self.game["gameOver"] and self.game["currentPlayerId"] == self.id

    @property
    def owes(self) -> bool:
        return "owesCardUntil" in self.player(self.id)

    @property
    def locked(self) -> str | None:
        rules = self.game["houseRules"]
        return self.game["cambiaCallerId"] if rules["lockCallerHand"] else None

    # -- clicking ---------------------------------------------------------------------

    def move(self) -> Move:
        """Something that is on offer in its turn."""
        if self.pending == PLACE:
            return self._place()
        if self.pending == ABILITY:
            return self._ability()
        if not self.game["cambiaCalled"] and self.turns > 6 and self.rnd.random() < 0.3:
            return Move({"type": "action_cambia"})
        if (
            self.game["houseRules"]["allowDrawFromDiscardPile"]
            and self.game["discardTop"]
            and self.rnd.random() < 0.3
        ):
            return Move({"type": "action_draw_discardpile"})
        return Move({"type": "action_draw_stockpile"})

    def _place(self) -> Move:
        own = self.hands()[self.id]
        if not own or self.rnd.random() < 0.5:
            card = self.player(self.id)["drawnCard"]["id"]
            return Move({"type": "action_discard", "card": {"id": card}})
        idx = self.rnd.randrange(len(own))
        return Move(
            {"type": "action_replace", "card": {"id": own[idx], "idx": idx}}, [(self.id, idx)]
        )

    def _ability(self) -> Move:
        if self.pair is not None and not self.refused and self.rnd.random() < 0.7:
            cards = [{"id": i, "idx": n, "user": {"id": o}} for o, n, i in self.pair]
            return self._special("swap_peek_swap", cards, [])
        own, others = self._slots(True), self._slots(False)
        match self.rank:
            case "7" | "8":
                special, picked = "peek_self", own[:1]
            case "9" | "T":
                special, picked = "peek_other", others[:1]
            case "J" | "Q":
                special, picked = "swap_blind", own[:1] + others[:1]
            case _:
                special, picked = "swap_peek", own[:1] + others[:1]
        needed = 1 if special.startswith("peek") else 2
        # After a refusal the second thought is to let it be; the first would do as well.
        if self.pair is not None or self.refused or len(picked) < needed:
            return Move({"type": "action_special", "special": "skip"})
        if self.rnd.random() < 0.1:
            return Move({"type": "action_special", "special": "skip"})
        hands = self.hands()
        if special == "swap_peek":
            self.pair = [(owner, idx, hands[owner][idx]) for owner, idx in picked]
        cards = [{"id": hands[o][n], "idx": n, "user": {"id": o}} for o, n in picked]
        return self._special(special, cards, picked)

    def _special(self, special: str, cards: list[Any], clicked: list[tuple[str, int]]) -> Move:
        named = {f"card{number}": card for number, card in enumerate(cards, 1)}
        return Move({"type": "action_special", "special": special, **named}, clicked)

    def _slots(self, own: bool) -> list[tuple[str, int]]:
        """The places it may click for an ability, shuffled; a locked hand is not on offer."""
        slots = [
            (owner, idx)
            for owner, hand in self.hands().items()
            if (owner == self.id) is own and (own or owner != self.locked)
            for idx in range(len(hand))
        ]
        self.rnd.shuffle(slots)
        return slots

    def snap(self) -> Move | None:
        """A card that can be clicked as a snap, of the own hand mostly: right or wrong, and also
        while the server refuses it (after a wrong snap, and after calling Cambia)."""
        if self.pending is not None or not self.game["discardTop"]:
            return None
        slots = self._slots(True)
        if self.game["houseRules"]["allowOpponentSnapping"]:
            slots += [s for s in self._slots(False) if s[0] != self.locked]
            self.rnd.shuffle(slots)
        if not slots:
            return None
        owner, idx = slots[0]
        return Move({"type": "action_snap", "card": {"id": self.hands()[owner][idx]}}, [slots[0]])

    def pay(self) -> Move:
        """Hand a card over for one that was snapped from somebody else."""
        own = self.hands()[self.id]
        idx = self.rnd.randrange(len(own))
        return Move(
            {"type": "action_snap_move", "card": {"id": own[idx], "idx": idx}}, [(self.id, idx)]
        )

    async def click(self, move: Move) -> None:
        fields = {name: value for name, value in move.message.items() if name != "type"}
        await self.socket.send(move.message["type"], last_seq=self.socket.seq, **fields)
