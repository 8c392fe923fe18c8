"""Strict clients of both generations, as the spec says that existing ones behave.

They keep only what a message gives them, reset what it resets, and break where existing ones
throw (spec: "What existing clients rely on"). `hear` is all there is to them: no sockets.
"""

from __future__ import annotations

import base64
import re
from typing import Any

import msgspec

Message = dict[str, Any]

STATE = frozenset(
    "stage ready_up round black_card judge pending_players plays winning_play winning_player "
    "judge_voted_self game_results".split()
)
ENTRY = frozenset("name id score upgrade_points voted_skip idle is_bot ready_up".split())
PACK = frozenset("id name accent accent_color accent_background cards trophies".split())
WHITE = frozenset("id content flags tier tier_cost next_tier_id".split())
BLACK = frozenset("id content flags pick draw".split())
ACCENTS = frozenset(
    "red orange yellow navy blue lightblue green turquoise black purple brown".split()
) | {"limegreen", "white"}
IN_A_ROUND = ("playing", "judging", "round_end")


class Broken(AssertionError):
    """What would make an existing client throw, or show something that is not so."""


def need(holds: object, why: str, *about: object) -> None:
    if not holds:
        raise Broken(why, *about)


class Newer:
    """The newer generation: token, password, chat, skip, ready-up, spectating."""

    generation = "newer"

    def __init__(self, watching: bool = False, language: str = "en") -> None:
        self.watching = watching
        self.language = language
        self.id = -1
        self.name = ""
        self.token = ""
        self.players: list[Message] | None = None
        self.whites: dict[str, Message] = {}
        self.blacks: dict[str, Message] = {}
        self.packs: list[Message] | None = None
        self.hand: list[str] | None = None
        self.blanks = self.discards = 0
        self.state: Message | None = None
        self.points: int | None = None
        self.played: list[str] | None = None
        self.asked = 0
        """How often it has asked about cards of the hand; they stay unclickable until the next
        `s_hand`, which may be the same again then and only then."""
        self.rebuilt = 0
        """How often the hand was rebuilt, under whoever was typing."""
        self.chat: list[tuple[str, str]] = []
        self.skips = 0
        self.errors: list[str] = []
        self.rejected: str | None = None
        self.why = ""
        self.games_seen = 0
        self.trophies = 0
        self.stages: list[str] = []
        """Every change of stage: banners fire at these alone."""
        self.heard: list[str] = []

    def hear(self, data: bytes | str) -> None:
        message: Message = msgspec.json.decode(data)
        need(self.rejected is None, "something came after the rejection", message)
        self.heard.append(message["msg"])
        take = getattr(self, f"on_{message['msg']}", None)
        if take is not None:
            take(message)

    def says(self, msg: str) -> None:
        """What its person does."""
        self.asked += msg in ("c_playcards", "c_discardcard", "c_upgradecard")

    # What comes

    def on_s_clientinfo(self, message: Message) -> None:
        need(not self.watching, "a spectator has no client info")
        need(isinstance(message["player_id"], int) and message["player_id"] >= 0, "id", message)
        need(re.fullmatch("[0-9a-f]{32}", message["player_token"]), "no token", message)
        need(self.token in ("", message["player_token"]), "another token", message)
        need(self.id in (-1, message["player_id"]), "another id", message)
        self.id = message["player_id"]
        self.name = message["player_name"]
        self.token = message["player_token"]

    def on_s_players(self, message: Message) -> None:
        for entry in message["players"]:
            need(entry.keys() >= ENTRY, "a player lacks something", entry)
            for key in ("id", "score", "upgrade_points"):
                need(isinstance(entry[key], int) and entry[key] >= 0, "a player is odd", entry)
            if entry["is_bot"]:
                need(entry["ready_up"] and not entry["idle"], "a bot that is waited for", entry)
            need(not set("<>&") & set(entry["name"]), "a name is HTML", entry)
        names = [entry["name"] for entry in message["players"]]
        need(len(set(names)) == len(names), "two have one name", names)
        self.players = message["players"]

    def on_s_allcards(self, message: Message) -> None:
        self.whites, self.blacks = {}, {}
        for pack in message["packs"]:
            need(pack.keys() >= PACK and isinstance(pack["cards"], list), "a pack is odd", pack)
            need(pack["accent"] in ACCENTS, "an accent that is no word of theirs", pack["accent"])
            need(re.fullmatch("[A-Za-z0-9_-]+", pack["id"]), "a pack's id", pack["id"])
            for card in pack["cards"]:
                self._take_card(card)
        for card in self.whites.values():
            higher = card["next_tier_id"]
            need(higher == "" or higher in self.whites, "an upgrade leads nowhere", card)
        self.packs = message["packs"]

    def _take_card(self, card: Message) -> None:
        white = card["id"].startswith("w_")
        need(card.keys() >= (WHITE if white else BLACK), "a card lacks something", card)
        need(re.fullmatch("[wb]_[A-Za-z0-9_]+", card["id"]), "a card's id", card)
        need(card["content"].get("en"), "a card has no English text", card)
        for tag, text in card["content"].items():
            need(tag.partition("-")[0] in card["content"], "no bare language", card)
            need(text.strip() and "<" not in text, "a text nobody can read", card)
            gaps = re.findall("_{2,}", text) if not white else ()
            need(all(6 <= len(gap) <= 8 for gap in gaps), "a gap that is not shown", card)
        (self.whites if white else self.blacks)[card["id"]] = card

    def on_s_hand(self, message: Message) -> None:
        need(not self.watching, "a spectator has no hand")
        need(self.packs is not None, "a hand before the cards")
        need(message["blanks"] >= 0 and message["discards"] >= 0, "less than nothing", message)
        for card in message["hand"]:
            need(card in self.whites, "an unknown card in the hand", card)
        before = (self.hand, self.blanks, self.discards)
        self.hand = message["hand"]
        self.blanks, self.discards = message["blanks"], message["discards"]
        same = before == (self.hand, self.blanks, self.discards)
        need(not same or self.asked, "the hand is rebuilt under who is typing", message)
        self.asked -= same
        self.rebuilt += 1

    def on_s_gamestate(self, message: Message) -> None:
        need(message.keys() >= STATE, "the state lacks something", message)
        for key in ("pending_players", "plays"):
            need(isinstance(message[key], list), f"{key} is no list", message)
        stage = message["stage"]
        before = self.state
        if message["ready_up"]:
            need(not self.watching, "who watches crashes at ready-up", message)
            need(stage == "game_starting", "ready-up in mid-game", message)
            need(self.players is not None, "ready-up before players")
            need(self.entry(self.id) is not None, "ready-up for who is not listed", self.id)
        if stage in IN_A_ROUND:
            self._check_round(message)
        if stage == "game_starting":
            self._check_lobby(message)
        if before is not None and stage == "playing" and before["round"] != message["round"]:
            self._check_new_round(message)
        for play in message["plays"]:
            for card in play:
                self._check_card(card)
        if before is not None and before["stage"] in ("judging", "round_end"):
            if stage == before["stage"] or (before["stage"], stage) == ("judging", "round_end"):
                need(message["plays"] == before["plays"], "plays changed", before, message)
        need((message["game_results"] is not None) == (stage == "game_end"), "results", message)
        if before is None or before["stage"] != stage:
            self._banner(message)
        self.state = message

    def _check_round(self, state: Message) -> None:
        need(state["black_card"] in self.blacks, "an unknown black card", state)
        need(state["judge"] >= 0, "no judge", state)
        need(state["judge"] not in state["pending_players"], "the judge is to play", state)
        need((state["winning_player"] >= 0) == (state["stage"] == "round_end"), "winner", state)
        need(bool(state["plays"]) == (state["stage"] != "playing"), "plays", state)
        listed = {entry["id"] for entry in self.players or ()}
        for player in state["pending_players"]:
            need(player in listed, "somebody pending is not listed", state, self.players)

        if state["stage"] != "round_end":
            need(state["judge"] in listed, "the judge is not listed", state, self.players)

    def _check_lobby(self, state: Message) -> None:
        """Nothing is left of the game before."""
        need(state["judge"] == state["winning_play"] == -1, "a judge before the game", state)
        need(not state["pending_players"] and not state["plays"], "plays before the game", state)
        need(state["black_card"] is None and not state["round"], "a round before the game", state)
        for entry in self.players or ():
            zero = not (entry["score"] or entry["upgrade_points"] or entry["voted_skip"])
            need(zero and not entry["idle"], "something is left of the last game", entry)
        if self.state is not None and not self.watching:
            need(not self.hand and not self.played and not self.points, "cards are left", self.hand)

    def _check_new_round(self, state: Message) -> None:
        """Its order: `s_cardsplayed []`, hand, players with their votes off, state."""
        need(not self.played, "the last play is still shown", self.played)
        voted = [entry for entry in self.players or () if entry["voted_skip"]]
        need(not voted, "a vote of the last round", voted)

    def _check_card(self, card: str) -> None:
        if card.startswith("custom_"):
            base64.b64decode(card.removeprefix("custom_"), validate=True).decode()
        else:
            need(card in self.whites, "an unknown card", card)

    def _banner(self, state: Message) -> None:
        self.stages.append(state["stage"])
        if state["stage"] != "game_end":
            return
        self.games_seen += 1
        results = state["game_results"]
        listed = {entry["id"]: entry for entry in self.players or ()}
        best = max(entry["score"] for entry in listed.values())
        top = [each for each, entry in listed.items() if entry["score"] == best]
        # Who comes afterwards may find that a winner has left.
        saw_it_end = self.state is not None
        if saw_it_end:
            need(results["winners"] == top, "the winners are not who leads", results, self.players)
        for winner in results["trophy_winners"]:
            need(winner["id"] in listed or not saw_it_end, "a trophy for nobody", winner)
            for trophy in winner["trophies"]:
                need({"id", "name", "desc", "trophy_grade"} <= trophy.keys(), "trophy", trophy)
                for tag in (self.language, self.language.partition("-")[0], "en"):
                    words = trophy["name"].get(tag) and trophy["desc"].get(tag)
                    need(words, "a trophy without words", tag, trophy)
                self.trophies += 1

    def on_s_auxclientdata(self, message: Message) -> None:
        need(isinstance(message["aux_points"], int), "no points", message)
        self.points = message["aux_points"]

    def on_s_cardsplayed(self, message: Message) -> None:
        need(isinstance(message["selection"], list), "no selection", message)
        for card in message["selection"]:
            self._check_card(card)
        self.played = message["selection"]
        self.asked -= bool(self.played and self.asked)

    def on_s_rejectclient(self, message: Message) -> None:
        need(message["reason"].startswith("reject_") and message["desc"], "rejection", message)
        self.rejected, self.why = message["reason"], message["desc"]

    def on_s_chat_msg(self, message: Message) -> None:
        need("<" not in message["body"] and len(message["body"]) <= 300, "chat", message)
        need(not set("<>&") & set(message["author"]), "HTML in a name", message)
        self.chat.append((message["author"], message["body"]))

    def on_s_notify_skipped(self, message: Message) -> None:
        for key in ("skipped_id", "replacement_id"):
            need(message[key] in self.blacks, "an unknown black card", message)
        self.skips += 1

    def on_s_error(self, message: Message) -> None:
        self.errors.append(message["code"])

    # What it knows

    def entry(self, player: int) -> Message | None:
        return next((entry for entry in self.players or () if entry["id"] == player), None)

    @property
    def stage(self) -> str:
        return "" if self.state is None else str(self.state["stage"])

    @property
    def can_play(self) -> bool:
        """It shows its hand only while it is pending and thinks that it has not played."""
        if self.state is None or self.stage != "playing" or self.hand is None:
            return False
        return self.id in self.state["pending_players"] and self.played == []

    @property
    def judges(self) -> bool:
        return self.state is not None and self.stage == "judging" and self.state["judge"] == self.id

    @property
    def asked_if_ready(self) -> bool:
        entry = self.entry(self.id)
        return bool(self.state and self.state["ready_up"] and entry and not entry["ready_up"])

    @property
    def pick(self) -> int:
        assert self.state is not None
        return int(self.blacks[self.state["black_card"]]["pick"])

    def custom(self, text: str) -> str:
        return "custom_" + base64.b64encode(text.encode()).decode()

    def summary(self) -> Any:
        """What must be the same however long it has listened."""
        return (
            self.id,
            self.name,
            self.token,
            self.players,
            self.packs,
            self.hand,
            self.blanks,
            self.discards,
            self.state,
            self.points,
            self.played,
        )


class Extended(Newer):
    """A client that asked for our extensions; it knows who the host is and what is turned over."""

    generation = "extended"

    def __init__(self, watching: bool = False, language: str = "en") -> None:
        super().__init__(watching, language)
        self.turned: list[int] = []

    def on_s_players(self, message: Message) -> None:
        for entry in message["players"]:
            need(entry.keys() >= ENTRY | {"host", "turns"}, "a player lacks something", entry)
        need(sum(entry["host"] for entry in message["players"]) <= 1, "two hosts", message)
        super().on_s_players(message)

    def on_s_turned(self, message: Message) -> None:
        plays = message["plays"]
        need(len(set(plays)) == len(plays), "turned over twice", message)
        self.turned = plays

    def on_s_gamestate(self, message: Message) -> None:
        super().on_s_gamestate(message)
        need(all(play < len(message["plays"]) for play in self.turned), "turned", message)

    @property
    def host(self) -> str:
        """Who runs the table; "": nobody."""
        return next((str(e["name"]) for e in self.players or () if e["host"]), "")

    def summary(self) -> Any:
        return (*super().summary(), self.turned)


class Older(Newer):
    """The older generation: no token, password, chat, skip, ready-up or spectating."""

    generation = "older"

    def _check_card(self, card: str) -> None:
        if card.startswith("custom: "):
            need("\n" not in card and "\r" not in card, "a custom card has two lines", card)
        else:
            need(card in self.whites, "an unknown card", card)

    def on_s_chat_msg(self, message: Message) -> None:
        raise Broken("it knows no chat")

    def on_s_notify_skipped(self, message: Message) -> None:
        raise Broken("it knows no skips")

    @property
    def asked_if_ready(self) -> bool:
        return False

    def custom(self, text: str) -> str:
        return f"custom: {text}"
