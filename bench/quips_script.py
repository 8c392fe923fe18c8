"""The load generator's play at tables of Quips: ten people, one judge, and talk."""

from __future__ import annotations

import time
from typing import Any, ClassVar, Final

import msgspec

from bench.scripts import Send, open_table

_TALK_EACH: Final = 1.3
"""Seconds between two messages of one person: a little under what a table takes."""
_TALK_EVERY: Final = 4
"""After so many moves somebody says something, if somebody may."""
_SAID: Final = b'{"msg":"c_chat_msg","body":"That was the best one so far, I think."}'
_SETTINGS: Final[dict[str, Any]] = {
    "max_rounds": 1000,
    "max_points": 1000,
    "round_end_timeout": 0,
    "enable_chat": True,
    "max_players": 10,
}


class _State(msgspec.Struct):
    stage: str
    judge: int
    pending_players: list[int]
    black_card: str | None


class _Entry(msgspec.Struct):
    ready_up: bool


class _Players(msgspec.Struct):
    players: list[_Entry]


class _Card(msgspec.Struct):
    id: str
    pick: int = 0


class _Pack(msgspec.Struct):
    cards: list[_Card]


class _AllCards(msgspec.Struct):
    packs: list[_Pack]


class _Hand(msgspec.Struct):
    hand: list[str]


class _Me(msgspec.Struct):
    player_id: int


_state = msgspec.json.Decoder(_State).decode
_players = msgspec.json.Decoder(_Players).decode
_cards = msgspec.json.Decoder(_AllCards).decode
_hand = msgspec.json.Decoder(_Hand).decode
_me = msgspec.json.Decoder(_Me).decode


class Quips:
    """Plays the first cards of the hand, one player after the other; the first play always wins.

    The script reads shared messages only from the first player's socket, and hands from all.
    """

    name: ClassVar[str] = "quips"
    seats: ClassVar[int] = 10
    warm_up: ClassVar[float] = 3.0
    """Ten have to be ready before a game is dealt, and deals are not part of what is measured."""

    def __init__(self, number: int) -> None:
        self._code = ""
        self._begun = False
        self._seats: dict[int, int] = {}
        self._picks: dict[str, int] = {}
        self._hands: list[list[str]] = [[] for _ in range(self.seats)]
        self._said = [0.0] * self.seats
        self._moves = 0
        self._awaited: _State | None = None
        """The state to answer once the next hand has arrived."""
        self._next: Send | None = None
        """The message that was put off because somebody spoke first."""

    async def prepare(self, port: int) -> None:
        wanted = {"game": "quips", "settings": _SETTINGS}
        self._code = await open_table(port, msgspec.json.encode(wanted))

    def address(self, seat: int) -> str:
        return f"/game?table={self._code}&name=Player%20{seat}"

    def spectator_address(self) -> str:
        return f"/spectate?table={self._code}"

    def begin(self) -> Send:
        self._begun = True
        return 0, b'{"msg":"c_ready_up","status":true}'

    def hear(self, seat: int, data: bytes) -> Send | None:
        if data.startswith(b'{"msg":"s_hand"'):
            self._hands[seat] = _hand(data).hand
            if self._awaited is not None and self._hands[seat]:
                state, self._awaited = self._awaited, None
                return self._move(state)
        elif data.startswith(b'{"msg":"s_clientinfo"'):
            self._seats[_me(data).player_id] = seat
        elif data.startswith(b'{"msg":"s_error"') and b'"too-fast"' not in data:
            raise RuntimeError(f"refused: {data.decode()}")
        return self._hear_all(data) if seat == 0 else None

    def _hear_all(self, data: bytes) -> Send | None:
        if data.startswith(b'{"msg":"s_gamestate"'):
            return self.talked_first(self._move(_state(data)))
        if data.startswith(b'{"msg":"s_chat_msg"'):
            # `_next` is set only if we waited for this message; others may talk, too.
            following, self._next = self._next, None
            return following
        if data.startswith(b'{"msg":"s_allcards"'):
            cards = [card for pack in _cards(data).packs for card in pack.cards]
            self._picks = {card.id: card.pick for card in cards if card.pick}
        elif self._begun and not self._moves and data.startswith(b'{"msg":"s_players"'):
            ready = sum(entry.ready_up for entry in _players(data).players)
            if 0 < ready < self.seats:
                return ready, b'{"msg":"c_ready_up","status":true}'
        return None

    def _move(self, state: _State) -> Send | None:
        if state.stage == "judging":
            return self._seats[state.judge], b'{"msg":"c_judgecards","play_index":0}'
        if state.stage != "playing" or not state.pending_players:
            return None
        seat = self._seats[state.pending_players[0]]
        if not self._hands[seat]:
            # The first hand has not arrived on that player's socket yet.
            self._awaited = state
            return None
        cards = self._hands[seat][: self._picks[state.black_card or ""]]
        return seat, b'{"msg":"c_playcards","cards":%s}' % msgspec.json.encode(cards)

    def talked_first(self, move: Send | None) -> Send | None:
        """Now and then a player talks before the move, as often as a table accepts."""
        if move is None:
            return None
        self._moves += 1
        if self._moves % _TALK_EVERY:
            return move
        now = time.monotonic()
        seat = (self._moves // _TALK_EVERY) % self.seats
        if now - self._said[seat] < _TALK_EACH:
            return move
        self._said[seat] = now
        self._next = move
        return seat, _SAID
