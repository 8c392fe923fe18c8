"""What the load generator plays: one small class per game, fast and legal.

A script sees what the players at one table are told and says what is sent next. It is
written to cost little, so that the server is what is measured. Adding a game is adding
its class to `SCRIPTS`.
"""

from __future__ import annotations

from typing import ClassVar, Literal, Protocol

import msgspec

Send = tuple[int, bytes]
"""Who sends, and what."""

SEATS = 4


class Script(Protocol):
    """One table's players."""

    name: ClassVar[str]

    def address(self, seat: int) -> str:
        """Where the player of `seat` connects; asked in order, each once the last has heard."""
        ...

    def begin(self) -> Send:
        """Everybody has connected: the first message."""
        ...

    def hear(self, seat: int, data: bytes) -> Send | None:
        """A player was told something; the answer, when this was the last of what was due."""
        ...


class Echo:
    """One message in, four out: what the transport alone costs. See `bench.echo`."""

    name: ClassVar[str] = "echo"

    def __init__(self, number: int) -> None:
        self._table = number

    def address(self, seat: int) -> str:
        return f"/echo?table={self._table}"

    def begin(self) -> Send:
        return 0, b'{"type":"draw","card_id":"0123456789abcdef0123456789abcdef"}'

    def hear(self, seat: int, data: bytes) -> Send | None:
        # The others were told too; the mover alone sees the card.
        if b'"suit"' not in data:
            return None
        return (seat + 1) % SEATS, b'{"type":"draw","card_id":"0123456789abcdef0123456789abcdef"}'


class _Lobby(msgspec.Struct, tag="lobby"):
    lobby: dict[str, object]


class _Player(msgspec.Struct):
    id: str


class _Start(msgspec.Struct, tag="start"):
    players: list[_Player]
    card_ids: list[str]


class _Card(msgspec.Struct):
    id: str


class _Move(msgspec.Struct, tag="move"):
    cards: list[_Card]


class _Turn(msgspec.Struct, tag="turn"):
    player_id: str
    state: Literal["draw", "play"]


class _Redeck(msgspec.Struct, tag="redeck"):
    new_card_ids: list[str]


class _End(msgspec.Struct, tag="end"):
    pass


class _Error(msgspec.Struct, tag="error"):
    code: str
    message: str


_rummy = msgspec.json.Decoder(_Lobby | _Start | _Move | _Turn | _Redeck | _End | _Error)


class Rummy:
    """Takes the deck's top card and discards it, turn after turn, round after round.

    Card ids are known to all, so the eyes of the first player do for the whole table.
    """

    name: ClassVar[str] = "rummy"

    def __init__(self, number: int) -> None:
        self._code = ""
        self._begun = False
        self._deck: list[str] = []
        self._drawn = ""
        self._seats: dict[str, int] = {}

    def address(self, seat: int) -> str:
        return f"/rummy?table={self._code}" if seat else "/rummy"

    def begin(self) -> Send:
        self._begun = True
        return 0, b'{"type":"start"}'

    def hear(self, seat: int, data: bytes) -> Send | None:
        if seat:
            if data.startswith(b'{"type":"error"'):
                raise RuntimeError(f"refused: {data.decode()}")
            return None
        event = _rummy.decode(data)
        if type(event) is _Move:
            if self._deck and event.cards[0].id == self._deck[-1]:
                self._drawn = self._deck.pop()
        elif type(event) is _Turn:
            mover = self._seats[event.player_id]
            if event.state == "play":
                return mover, b'{"type":"discard","card_id":"%s"}' % self._drawn.encode()
            return mover, b'{"type":"draw","card_id":"%s"}' % self._deck[-1].encode()
        elif type(event) is _Redeck:
            self._deck = event.new_card_ids
        elif type(event) is _Start:
            self._deck = event.card_ids
            self._seats = {player.id: i for i, player in enumerate(event.players)}
        elif type(event) is _Lobby:
            self._code = str(event.lobby["code"])
            if self._begun and self._deck:
                self._deck = []
                return self.begin()
        elif type(event) is _Error:
            raise RuntimeError(f"refused: {data.decode()}")
        return None


SCRIPTS: dict[str, type[Script]] = {script.name: script for script in (Echo, Rummy)}
