"""A client that keeps up with a game by its messages alone, to hold them against the state."""

from __future__ import annotations

from typing import Any

from tests.support import Event


class Follower:
    """Starts from one `private_sync_state` and applies every message after it."""

    def __init__(self, state: Event) -> None:
        self.state = state

    def hear(self, message: Event) -> None:
        apply = getattr(self, f"on_{message['type']}", None)
        if apply is not None:
            apply(message)

    def summary(self) -> dict[str, Any]:
        """What must come out the same however one came to know it."""
        state = self.state
        return {
            **{
                name: state[name]
                for name in (
                    "gameId",
                    "started",
                    "gameOver",
                    "currentPlayerId",
                    "turnId",
                    "stockpileSize",
                    "discardSize",
                    "discardTop",
                    "cambiaCalled",
                    "cambiaCallerId",
                    "turnDeadline",
                    "specialAction",
                )
            },
            "players": {
                p["playerId"]: (
                    p["handSize"],
                    [(c["id"], c["idx"]) for c in p["revealedHand"]],
                    p["connected"],
                    p["hasCalledCambia"],
                    p["isCurrentTurn"],
                    p.get("drawnCard"),
                    p["timerPlays"],
                    p.get("owesCardUntil"),
                )
                for p in state["players"]
            },
        }

    # -- the table --------------------------------------------------------------------

    def player(self, message: Event) -> Event:
        return self.by_id(message["user"]["id"])

    def by_id(self, id: str) -> Event:
        return next(p for p in self.state["players"] if p["playerId"] == id)

    def lay(self, card: Event) -> None:
        face = {name: card[name] for name in ("id", "rank", "suit", "value")}
        self.state["discardTop"] = {**face, "known": True}
        self.state["discardSize"] += 1

    def in_order(self, player: Event) -> None:
        player["handSize"] = len(player["revealedHand"])
        for idx, card in enumerate(player["revealedHand"]):
            card["idx"] = idx

    def clock(self, message: Event) -> None:
        self.state["turnDeadline"] = message["payload"]["turnDeadline"]

    def no_special(self) -> None:
        self.state["specialAction"] = {"active": False, "playerId": None, "cardRank": None}

    # -- messages ---------------------------------------------------------------------

    def on_private_sync_state(self, message: Event) -> None:
        self.state = message["state"]

    def on_game_player_turn(self, message: Event) -> None:
        self.clock(message)
        self.state["turnId"] = message["payload"]["turn"]
        self.state["currentPlayerId"] = message["user"]["id"]
        for player in self.state["players"]:
            player["isCurrentTurn"] = player is self.player(message)
        self.no_special()

    on_game_turn_timer = clock

    def on_player_draw_stockpile(self, message: Event) -> None:
        card = message["card"]
        known, source = "rank" in card, message["source"]
        self.player(message)["drawnCard"] = {**card, "known": known, "source": source}
        self.state["stockpileSize"] = message["stockpileSize"]
        if message["source"] == "discardpile":
            self.state["discardSize"] -= 1
            # What lies under it, only a client that remembers knows; this one asks.
            self.state["discardTop"] = None

    def on_private_draw_stockpile(self, message: Event) -> None:
        card, source = message["card"], message["source"]
        self.player(message)["drawnCard"] = {**card, "known": True, "source": source}

    def on_player_discard(self, message: Event) -> None:
        player, card = self.player(message), message["card"]
        drawn = player.pop("drawnCard")
        if "idx" in card:
            assert player["revealedHand"][card["idx"]]["id"] == card["id"]
            player["revealedHand"][card["idx"]]["id"] = drawn["id"]
        else:
            assert drawn["id"] == card["id"]
        self.lay(card)

    def on_player_special_choice(self, message: Event) -> None:
        self.clock(message)
        if message["special"] == "swap_peek_swap":
            # Told again after a state that names the King's two cards.
            assert self.state["specialAction"]["looked"]
            return
        self.state["specialAction"] = {
            "active": True,
            "playerId": message["user"]["id"],
            "cardRank": message["card"]["rank"],
            "special": message["special"],
        }

    def on_player_special_action(self, message: Event) -> None:
        if message["special"] == "swap_peek_reveal":
            self.clock(message)
            self.state["specialAction"] = {
                **self.state["specialAction"],
                "special": "swap_peek_swap",
                "looked": [message["card1"]["id"], message["card2"]["id"]],
            }
            return
        if message["special"] in ("swap_blind", "swap_peek_swap"):
            for card in (message["card1"], message["card2"]):
                self.by_id(card["user"]["id"])["revealedHand"][card["idx"]]["id"] = card["id"]
        if message["special"] not in ("peek_self", "peek_other"):
            self.no_special()

    on_private_special_action_fail = clock

    def on_player_cambia(self, message: Event) -> None:
        self.player(message)["hasCalledCambia"] = True
        self.state["cambiaCalled"] = True
        self.state["cambiaCallerId"] = message["user"]["id"]

    def on_player_snap_success(self, message: Event) -> None:
        card = message["card"]
        owner = self.by_id(card["user"]["id"])
        assert owner["revealedHand"].pop(card["idx"])["id"] == card["id"]
        self.in_order(owner)
        self.lay(card)
        if "payload" in message:
            self.player(message)["owesCardUntil"] = message["payload"]["moveDeadline"]
        if not owner["revealedHand"]:
            # An empty hand has nothing to pay with.
            owner.pop("owesCardUntil", None)

    def on_player_snap_penalty(self, message: Event) -> None:
        player = self.player(message)
        player["revealedHand"].append({"id": message["card"]["id"]})
        self.in_order(player)
        self.state["stockpileSize"] = message["stockpileSize"]

    def on_private_snap_penalty(self, message: Event) -> None:
        assert self.player(message)["revealedHand"][-1] == message["card"]

    def on_player_snap_move(self, message: Event) -> None:
        giver, card = self.player(message), message["card"]
        moved = giver["revealedHand"].pop(message["payload"]["sourceIdx"])
        assert moved["id"] == card["id"]
        self.in_order(giver)
        taker = self.by_id(card["user"]["id"])
        taker["revealedHand"].insert(card["idx"], {"id": card["id"]})
        self.in_order(taker)
        giver.pop("owesCardUntil", None)

    def on_game_reshuffle_stockpile(self, message: Event) -> None:
        self.state["stockpileSize"] = message["stockpileSize"]
        self.state["discardSize"] = 1

    def on_player_disconnect(self, message: Event) -> None:
        self.player(message)["connected"] = False

    def on_player_reconnect(self, message: Event) -> None:
        self.player(message)["connected"] = True

    def on_game_auto_play(self, message: Event) -> None:
        self.player(message)["timerPlays"] = message["payload"]["active"]
