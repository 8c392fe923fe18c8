"""Cambia's table rules, named as on the wire (spec: "Rules", "House rules" and "Circuit mode")."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from parlour.described import described
from parlour.kit import UNHURRIED


@described
class HouseRules(Struct, frozen=True, kw_only=True):
    """The rules a host may change. Defaults are the protocol's."""

    allowDrawFromDiscardPile: bool = False
    """The top card of the discard pile may be drawn too."""
    allowReplaceAbilities: bool = False
    """A card that is replaced in a hand uses its ability."""
    snapRace: bool = False
    """Only the first right snap counts; later ones are penalised."""
    forfeitOnDisconnect: bool = True
    """A player who is disconnected when the game ends has no score."""
    penaltyDrawCount: Annotated[int, Meta(ge=0, le=6)] = 2
    """Blind cards drawn for a wrong snap."""
    autoKickTurnCount: Annotated[int, Meta(ge=0, le=100)] = 3
    """Missed turns in a row until the timer plays; 0 is never."""
    turnTimerSec: Annotated[int, Meta(ge=0, le=3600)] = 15
    """Seconds for a decision; 0 turns the timer off."""
    allowOpponentSnapping: bool = False
    """Others' cards may be snapped; you then hand over one of yours."""
    lockCallerHand: bool = True
    """Calling Cambia locks the caller's hand and ends their snapping."""
    numJokers: Annotated[int, Meta(ge=0, le=2)] = 2
    """Jokers in each deck."""
    initialViewCount: Annotated[int, Meta(ge=0, le=4)] = 2
    """Cards everybody looks at before the first turn."""
    remindKnown: bool = False
    """After reconnecting you see the cards again that you may know."""


@described
class CircuitRules(Struct, frozen=True, kw_only=True):
    """How the games of a circuit add up."""

    targetScore: Annotated[int, Meta(ge=1, le=10_000)] = 100
    """A total that ends the circuit."""
    winBonus: Annotated[int, Meta(ge=-100, le=100)] = -1
    """Added to the score of a game's winner."""
    falseCambiaPenalty: Annotated[int, Meta(ge=0, le=100)] = 1
    """Added to the score of a caller who is not lowest."""
    freezeUserOnDisconnect: bool = True
    """The total of a player gone at a game's end stays as it was."""


@described
class Circuit(Struct, frozen=True, kw_only=True):
    """Games in a row with totals, until somebody reaches the target; the lowest total wins."""

    enabled: bool = False
    """Games are added up."""
    mode: Literal["", "circuit_4p", "circuit_7p8p"] = ""
    """The kind of circuit, as the lobby names it."""
    rules: CircuitRules = field(default_factory=CircuitRules)
    """How the games add up."""


@described
class LobbySettings(Struct, frozen=True, kw_only=True):
    """Settings of the lobby, which the rules of the game do not use."""

    autoStart: bool = True
    """The countdown starts by itself when everybody is ready."""
    countdownSec: Annotated[int, Meta(ge=0, le=60)] | None = None
    """Seconds of countdown; left out, each transport has its own."""


@described
class Settings(Struct, frozen=True, kw_only=True):
    """A Cambia lobby, as `POST /lobby/create` makes it. `update_rules` can change `houseRules`,
    `circuit` and `settings`.
    """

    gameMode: Literal["head_to_head", "group_of_4", "circuit_4p", "circuit_7p8p", "custom"] = (
        "custom"
    )
    """How many can play: 2, 4, 4, 8, or in a custom game up to 8."""
    name: Annotated[str, Meta(max_length=40, extra_json_schema={"names_table": True})] = ""
    """The lobby's name."""
    matchmaking: bool = False
    """A public lobby is found in a queue, not in the list."""
    houseRules: HouseRules = field(default_factory=HouseRules)
    """The rules of one game."""
    circuit: Circuit = field(default_factory=Circuit)
    """Games in a row."""
    settings: LobbySettings = field(default_factory=LobbySettings)
    """Settings of the lobby."""


def unhurried(settings: Settings) -> Settings:
    """With longer turns."""
    rules = settings.houseRules
    longer = replace(rules, turnTimerSec=UNHURRIED * rules.turnTimerSec)
    return replace(settings, houseRules=longer)
