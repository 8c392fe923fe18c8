"""Messages of real play for the page of Cambia's protocol: one player's, of a fixed game."""

from __future__ import annotations

import msgspec

from parlour.bus import JoinRequest
from parlour.games.cambia import GAME
from parlour.games.cambia import actions as act
from parlour.games.cambia.wire.enveloped import FRAMING, incoming
from parlour.house.audience import Attachment, Audience
from parlour.kit import Illegal
from parlour.rng import FastRng
from parlour.table import Table
from parlour.table import inputs as do

START = 1_767_225_600_000
PEOPLE = {
    "Ada": "0b0c4a51-6d0e-4d0f-9b2e-5d2f1c7a8e90",
    "Grace": "7d1e2f30-41a5-4b6c-8d7e-9f0a1b2c3d4e",
}
WANTED = (
    "lobby_state",
    "phase_change",
    "private_initial_cards",
    "private_sync_state",
    "game_player_turn",
    "player_draw_stockpile",
    "private_draw_stockpile",
    "player_discard",
    "player_special_choice",
    "player_special_action",
    "private_special_action_success",
    "player_snap_success",
    "player_snap_fail",
    "player_snap_penalty",
    "player_cambia",
    "game_end",
    "game_results",
)


class _Evening:
    """A table with a fixed seed, and the first player's messages, by type."""

    def __init__(self) -> None:
        opening = do.Open(
            id="8f14e45f-ceea-467a-9575-1e2b8a3c4d5e",
            code="482913",
            game="cambia",
            seed="5" * 64,
            settings={},
        )
        self.now = START
        self.wire = GAME.wire("cambia")
        self.table = Table(GAME, opening, self.now)
        self.audience = Audience(self.table, lambda: self.now)
        self.told: dict[str, bytes] = {}

    def receive(self, entry: do.Input) -> None:
        self.now += 1_000
        for _, data in self.audience.tell(self.table.receive(entry, self.now)):
            assert isinstance(data, bytes)
            self.told.setdefault(msgspec.json.decode(data)["type"], data)

    def seat(self) -> None:
        for place, (name, visitor) in enumerate(PEOPLE.items()):
            self.receive(do.Join(visitor, name))
            if place == 0:
                request = JoinRequest(
                    connection=1, game="cambia", wire=self.wire.name, visitor=visitor
                )
                self.audience.attach(Attachment(request, self.wire, visitor, place))

    def until_due(self) -> None:
        due = self.table.due()
        assert due is not None
        self.now = due
        self.receive(do.Tick())

    def play(self, rng: FastRng) -> None:
        """Plays one random game, long enough that every kind of message occurs."""
        for place in (0, 1):
            self.receive(do.Ready(place, True, 3_000))
        self.until_due()
        self.until_due()
        match, turns = self.table.match, 0
        assert match is not None
        while self.table.roster.running:
            seat = rng.below(2)
            legal = [
                action
                for action in match.legal(seat)
                if not isinstance(action, act.CallCambia) or turns > 60
                if not isinstance(action, act.Snap) or rng.below(20) == 0
            ]
            if legal:
                turns += 1
                self.receive(do.Act(seat, legal[rng.below(len(legal))]))


def cambia() -> dict[str, bytes]:
    evening = _Evening()
    evening.seat()
    rng = FastRng(3)
    while not evening.told.keys() >= set(WANTED):
        evening.play(rng)
    try:
        evening.receive(do.Act(0, act.DrawStockpile()))
    except Illegal as no:
        evening.told["error"] = evening.wire.codec.refuse(no.code, no.sentence)
    mine, theirs = (hand[1] for hand in _hands(evening.told["private_sync_state"]))
    owner = incoming.UserRef(PEOPLE["Grace"])
    sent: dict[str, msgspec.Struct] = {
        "to replace": incoming.Replace(incoming.CardRef(mine, 1)),
        "to look": incoming.Special("peek_other", card1=incoming.CardRef(idx=1, user=owner)),
        "to swap": incoming.Special(
            "swap_blind",
            card1=incoming.CardRef(mine),
            card2=incoming.CardRef(theirs, 1, owner),
        ),
        "to change rules": incoming.UpdateRules(
            incoming.RulesChange(houseRules={"turnTimerSec": 30})
        ),
    }
    examples = {kind: evening.told[kind] for kind in (*WANTED, "error")}
    examples["frame"] = FRAMING.frame(evening.told["game_player_turn"], 17)
    return examples | {name: _without_nulls(message) for name, message in sent.items()}


def _hands(state: bytes) -> list[list[str]]:
    players = msgspec.json.decode(state)["state"]["players"]
    return [[card["id"] for card in player["revealedHand"]] for player in players]


def _without_nulls(message: msgspec.Struct) -> bytes:
    """As a client would write it: without fields that are null or empty."""

    def said(value: object) -> object:
        if isinstance(value, dict):
            return {name: said(each) for name, each in value.items() if each not in (None, "")}
        return value

    return msgspec.json.encode(said(msgspec.to_builtins(message)))
