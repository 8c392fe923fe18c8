"""Cambia's table rules, named as on the wire (spec: "Rules", "House rules" and "Circuit mode")."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field


class HouseRules(Struct, frozen=True, kw_only=True):
    """The rules a host may bend. Defaults are the protocol's."""

    allowDrawFromDiscardPile: Annotated[
        bool, Meta(description="The top card of the discard pile may be drawn too.")
    ] = False
    allowReplaceAbilities: Annotated[
        bool, Meta(description="A card replaced out of a hand fires its ability.")
    ] = False
    snapRace: Annotated[
        bool, Meta(description="Only the first right snap counts; later ones are penalised.")
    ] = False
    forfeitOnDisconnect: Annotated[
        bool, Meta(description="Whoever is gone when the game ends has no score.")
    ] = True
    penaltyDrawCount: Annotated[
        int, Meta(ge=0, le=6, description="Blind cards drawn for a wrong snap.")
    ] = 2
    autoKickTurnCount: Annotated[
        int,
        Meta(ge=0, le=100, description="Missed turns in a row until the timer plays; 0 is never."),
    ] = 3
    turnTimerSec: Annotated[
        int, Meta(ge=0, le=3600, description="Seconds to decide in; 0 turns the timer off.")
    ] = 15
    allowOpponentSnapping: Annotated[
        bool, Meta(description="Others' cards may be snapped; you then hand over one of yours.")
    ] = False
    lockCallerHand: Annotated[
        bool, Meta(description="Calling Cambia locks the caller's hand and ends their snapping.")
    ] = True
    numJokers: Annotated[int, Meta(ge=0, le=2, description="Jokers in each deck.")] = 2
    initialViewCount: Annotated[
        int, Meta(ge=0, le=4, description="Cards everybody looks at before the first turn.")
    ] = 2
    remindKnown: Annotated[
        bool, Meta(description="Reconnecting shows again the faces you have a right to.")
    ] = False


class CircuitRules(Struct, frozen=True, kw_only=True):
    """How the games of a circuit add up."""

    targetScore: Annotated[
        int, Meta(ge=1, le=10_000, description="A total that ends the circuit.")
    ] = 100
    winBonus: Annotated[
        int, Meta(ge=-100, le=100, description="Added to the score of a game's winner.")
    ] = -1
    falseCambiaPenalty: Annotated[
        int, Meta(ge=0, le=100, description="Added to the score of a caller who is not lowest.")
    ] = 1
    freezeUserOnDisconnect: Annotated[
        bool, Meta(description="The total of a player gone at a game's end stays as it was.")
    ] = True


class Circuit(Struct, frozen=True, kw_only=True):
    """Games in a row with totals, until somebody reaches the target; the lowest total wins."""

    enabled: Annotated[bool, Meta(description="Games are added up.")] = False
    mode: Annotated[
        Literal["", "circuit_4p", "circuit_7p8p"],
        Meta(description="The name the circuit goes by in the lobby."),
    ] = ""
    rules: Annotated[CircuitRules, Meta(description="How the games add up.")] = field(
        default_factory=CircuitRules
    )


class LobbySettings(Struct, frozen=True, kw_only=True):
    """Settings of the lobby, which the rules of the game do not use."""

    autoStart: Annotated[
        bool, Meta(description="The countdown starts by itself when everybody is ready.")
    ] = True
    countdownSec: Annotated[
        Annotated[int, Meta(ge=0, le=60)] | None,
        Meta(description="Seconds of countdown; left out, each transport has its own."),
    ] = None


class Settings(Struct, frozen=True, kw_only=True):
    """A Cambia lobby: what it was made as (`POST /lobby/create`), and what `update_rules` can
    change: `houseRules`, `circuit` and `settings`.
    """

    gameMode: Annotated[
        Literal["head_to_head", "group_of_4", "circuit_4p", "circuit_7p8p", "custom"],
        Meta(description="How many can play: 2, 4, 4, 8, or in a custom game up to 8."),
    ] = "custom"
    name: Annotated[str, Meta(max_length=40, description="What the lobby is called.")] = ""
    matchmaking: Annotated[
        bool, Meta(description="A public lobby is found in a queue, not in the list.")
    ] = False
    houseRules: Annotated[HouseRules, Meta(description="The rules of one game.")] = field(
        default_factory=HouseRules
    )
    circuit: Annotated[Circuit, Meta(description="Games in a row.")] = field(
        default_factory=Circuit
    )
    settings: Annotated[LobbySettings, Meta(description="The lobby's own.")] = field(
        default_factory=LobbySettings
    )
