"""Cambia in the battery."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import msgspec

from parlour.battery import Position, Transcript, Trial
from parlour.games.cambia import GAME
from parlour.games.cambia import actions as act
from parlour.kit import Illegal, Seat
from parlour.protocol import Scope
from tests.cambia.follower import Follower
from tests.cambia.tools import knows


def _cards(match: Any) -> list[int]:
    layout = match.layout
    drawn = [layout.drawn] if layout.drawn >= 0 else []
    return [
        *drawn,
        *layout.stockpile,
        *layout.discards,
        *(c for hand in layout.hands for c in hand),
    ]


def _settings(rnd: Random) -> dict[str, Any]:
    if rnd.random() < 0.2:
        return {}
    rules = {
        "allowDrawFromDiscardPile": rnd.random() < 0.5,
        "allowReplaceAbilities": rnd.random() < 0.5,
        "snapRace": rnd.random() < 0.5,
        "forfeitOnDisconnect": rnd.random() < 0.5,
        "penaltyDrawCount": rnd.randint(0, 4),
        "autoKickTurnCount": rnd.randint(0, 3),
        "turnTimerSec": rnd.choice((0, 5, 15)),
        "allowOpponentSnapping": rnd.random() < 0.5,
        "lockCallerHand": rnd.random() < 0.7,
        "numJokers": rnd.randint(0, 2),
        "initialViewCount": rnd.randint(0, 4),
        "remindKnown": rnd.random() < 0.5,
    }
    return {"houseRules": rules}


def _garbage(rnd: Random, match: Any) -> Any:
    def some_id() -> str:
        return rnd.choice([*match.layout.ids, "", "no such card"])

    specials = ("peek_self", "peek_other", "swap_blind", "swap_peek", "swap_peek_swap", "skip", "?")
    return rnd.choice(
        (
            act.DrawStockpile,
            act.DrawDiscard,
            act.CallCambia,
            lambda: act.DiscardDrawn(some_id()),
            lambda: act.Replace(some_id(), rnd.randint(-2, 9)),
            lambda: act.Snap(some_id()),
            lambda: act.SnapMove(some_id()),
            lambda: act.Special(rnd.choice(specials), some_id(), some_id()),
        )
    )()


def _knows(match: Any, seat: Seat | None) -> list[int]:
    """Spec: the discards, own initial peeks, own draws, and cards peeked at and not moved unseen
    since; `layout.known` keeps who has which right."""
    layout = match.layout
    return [layout.faces[card] for card in range(len(layout.faces)) if knows(layout, seat, card)]


def _meant(match: Any, seat: Seat, action: Any) -> Any:
    """Cards by their ids alone, and the King's two in the order in which they were looked at.

    A card may also be named by its owner and place. The place of a card to replace need not be
    true, or says which one if the drawn card is named. Abilities ignore cards that they do not
    need.
    """
    layout, looked = match.layout, [match.layout.ids[card] for card in match.ability.looked]

    def find(name: str, owner: str, idx: int) -> str:
        found: str = layout.ids[layout.find(seat, name, owner, idx)]
        return found

    try:
        match action:
            case act.Snap(card, owner, idx):
                return act.Snap(find(card, owner, idx))
            case act.SnapMove(card, owner, idx):
                return act.SnapMove(find(card, owner, idx))
            case act.Replace(card, idx, owner):
                if layout.drawn >= 0 and card == layout.ids[layout.drawn]:
                    card, owner = "", None
                if card and owner is None:
                    idx = -1
                card = find(card, owner or "", idx)
                return act.Replace(card, layout.idx(layout.in_hand(card)))
            case act.Special("skip"):
                return act.Special("skip")
            case act.Special("swap_peek_swap" as king, one, other):
                if {one, other} in ({""}, set(looked)):
                    return act.Special(king, *looked)
            case act.Special("peek_self" | "peek_other" as peek, card, _, owner, idx):
                return act.Special(peek, find(card, owner, idx))
            case act.Special(swap, card, other, owner, idx):
                one = find(card, owner, idx)
                return act.Special(swap, one, find(other, action.owner2, action.idx2))
    except Illegal:
        pass
    return action


class CambiaClient(Follower):
    """Starts at the first `private_sync_state`, and remembers what lies under the top discard."""

    def __init__(self) -> None:
        super().__init__({})
        self.pile: list[Any] = []

    def hear(self, message: bytes) -> None:  # type: ignore[override]
        told = msgspec.json.decode(message)
        if self.state or told["type"] == "private_sync_state":
            super().hear(told)

    def on_private_sync_state(self, message: Any) -> None:
        super().on_private_sync_state(message)
        state = self.state
        if not self.pile or len(self.pile) != state["discardSize"]:
            self.pile = [None] * (state["discardSize"] - 1) + [state["discardTop"]]

    def lay(self, card: Any) -> None:
        super().lay(card)
        self.pile.append(self.state["discardTop"])

    def on_player_draw_stockpile(self, message: Any) -> None:
        super().on_player_draw_stockpile(message)
        if message["source"] == "discardpile":
            self.pile.pop()
            self.state["discardTop"] = self.pile[-1] if self.pile else None

    def on_game_reshuffle_stockpile(self, message: Any) -> None:
        super().on_game_reshuffle_stockpile(message)
        del self.pile[:-1]

    def summary(self) -> Any:
        return super().summary() if self.state else None


CAMBIA = Trial(
    game=GAME,
    cards=_cards,
    settings=_settings,
    garbage=_garbage,
    knows=_knows,
    meant=_meant,
    answered=(act.Special,),
    client=lambda wire: None if wire.scope is Scope.LOBBY else CambiaClient(),
    golden=Path(__file__).parent.parent / "golden",
    rare={act.CallCambia: 0.02, act.Snap: 0.2},
    bot_games=20,
    transcripts=(
        Transcript("two-players", 2, 1),
        Transcript(
            "house-rules",
            3,
            5,
            {
                "houseRules": {
                    "allowDrawFromDiscardPile": True,
                    "allowReplaceAbilities": True,
                    "allowOpponentSnapping": True,
                    "remindKnown": True,
                },
                "circuit": {"enabled": True, "mode": "circuit_4p"},
            },
        ),
        Transcript("coming-and-going", 3, 2, steps=60),
    ),
    positions=(
        Position(2, "44" * 32, depth=4),
        Position(3, "55" * 32, {"houseRules": {"allowDrawFromDiscardPile": True}}),
    ),
)
