"""The players of the load: one small class per game, which makes legal moves fast.

A script gets the messages to the players at one table and returns the next message to send. It is
cheap, so that the server is what is measured. To add a game, add its class to `SCRIPTS` in
`bench.load`.
"""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any, ClassVar, Literal, Protocol

import msgspec

Send = tuple[int, bytes]
"""The sender and the message."""


class Script(Protocol):
    """One table's players."""

    name: ClassVar[str]
    seats: ClassVar[int]
    warm_up: ClassVar[float]
    """Seconds until a table that has begun plays at full speed."""

    def __init__(self, number: int) -> None:
        """The `number`th table of this load."""
        ...

    async def prepare(self, port: int) -> None:
        """Called before the first player connects."""
        ...

    def address(self, seat: int) -> str:
        """The path for the player of `seat`; called seat by seat, after the last got a message."""
        ...

    def begin(self) -> Send:
        """Everybody has connected: the first message."""
        ...

    def hear(self, seat: int, data: bytes) -> Send | None:
        """A message to a player; gives the next message to send, if this was the last expected."""
        ...


async def open_table(port: int, wanted: bytes) -> str:
    """Open a table over HTTP; gives its code."""
    code: str = (await posted(port, "/api/tables", wanted))["code"]
    return code


async def posted(port: int, path: str, body: bytes) -> dict[str, Any]:
    """The answer to a POST of JSON."""
    head = (
        f"POST {path} HTTP/1.0\r\nHost: localhost\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(head.encode() + body)
    answer = await reader.read()
    writer.close()
    found: dict[str, Any] = msgspec.json.decode(answer.partition(b"\r\n\r\n")[2])
    return found


_DRAW = b'{"type":"draw","card_id":"0123456789abcdef0123456789abcdef"}'


class Echo:
    """One message in, one out to each: what the transport alone costs. See `bench.echo`."""

    name: ClassVar[str] = "echo"
    seats: ClassVar[int] = 4
    warm_up: ClassVar[float] = 1.0

    def __init__(self, number: int) -> None:
        self._table = number

    async def prepare(self, port: int) -> None:
        return

    def address(self, seat: int) -> str:
        return f"/echo?table={self._table}"

    def begin(self) -> Send:
        return 0, _DRAW

    def hear(self, seat: int, data: bytes) -> Send | None:
        # All get a message, but only the mover's has the card.
        if b'"suit"' not in data:
            return None
        return (seat + 1) % self.seats, _DRAW


class EchoTen(Echo):
    """The same for tables of ten."""

    name: ClassVar[str] = "echo-ten"
    seats: ClassVar[int] = 10


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

    All players see the card ids, so the script reads only the first player's messages.
    """

    name: ClassVar[str] = "rummy"
    seats: ClassVar[int] = 4
    warm_up: ClassVar[float] = 1.0

    def __init__(self, number: int) -> None:
        self._code = ""
        self._begun = False
        self._deck: list[str] = []
        self._drawn = ""
        self._seats: dict[str, int] = {}

    async def prepare(self, port: int) -> None:
        return

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


class _Id(msgspec.Struct):
    id: str


class _User(msgspec.Struct):
    id: str
    is_ready: bool


class _Users(msgspec.Struct):
    users: list[_User]


class _Payload(msgspec.Struct):
    your_id: str = ""
    lobby_status: _Users = msgspec.field(default_factory=lambda: _Users([]))
    user: _Id = msgspec.field(default_factory=lambda: _Id(""))
    card: _Id = msgspec.field(default_factory=lambda: _Id(""))


class _Frame(msgspec.Struct):
    type: str
    payload: _Payload


_cambia = msgspec.json.Decoder(_Frame)


class Cambia:
    """Draws from the stockpile and discards what it drew, skipping every ability.

    Nobody calls Cambia, so one game lasts as long as the measurement. All players see the ids of
    drawn cards, so the script reads only the first player's messages.
    """

    name: ClassVar[str] = "cambia"
    seats: ClassVar[int] = 4
    warm_up: ClassVar[float] = 14.0

    def __init__(self, number: int) -> None:
        self._code = ""
        self._begun = False
        self._playing = False
        self._seats: dict[str, int] = {}

    async def prepare(self, port: int) -> None:
        """A lobby that starts as soon as all are ready."""
        wanted = b'{"game":"cambia","settings":{"settings":{"countdownSec":0}}}'
        self._code = await open_table(port, wanted)

    def address(self, seat: int) -> str:
        return f"/ws/{self._code}"

    def begin(self) -> Send:
        self._begun = True
        return 0, b'{"type":"ready"}'

    def hear(self, seat: int, data: bytes) -> Send | None:
        frame = None
        if seat == 0 or len(self._seats) == seat:
            frame = _cambia.decode(data)
            if len(self._seats) == seat and frame.payload.your_id:
                self._seats[frame.payload.your_id] = seat
        if seat or frame is None:
            return None
        match frame.type:
            case "player_draw_stockpile":
                mover = self._seats[frame.payload.user.id]
                drawn = frame.payload.card.id.encode()
                return mover, b'{"type":"action_discard","card":{"id":"%s"}}' % drawn
            case "player_special_choice":
                mover = self._seats[frame.payload.user.id]
                return mover, b'{"type":"action_special","special":"skip"}'
            case "game_player_turn":
                self._playing = True
                return self._seats[frame.payload.user.id], b'{"type":"action_draw_stockpile"}'
            case "lobby_state" if self._begun and not self._playing:
                ready = sum(user.is_ready for user in frame.payload.lobby_status.users)
                return (ready, b'{"type":"ready"}') if 0 < ready < self.seats else None
            case "error" | "game_end":
                raise RuntimeError(data.decode())
        return None


class _Board(msgspec.Struct, tag="board"):
    valid: list[str]
    can_undo: bool
    can_redo: bool
    status: str
    moves: int


class _Hint(msgspec.Struct, tag="hint"):
    pass


_mo = msgspec.json.Decoder(_Board | _Hint | _Error)


class Mo:
    """A solitaire: plays anywhere, takes moves back, does them again, and sometimes asks for a
    hint. A deal that is over is dealt anew."""

    name: ClassVar[str] = "mo"
    seats: ClassVar[int] = 1
    warm_up: ClassVar[float] = 1.0

    def __init__(self, number: int) -> None:
        self._random = Random(number)
        self._begun = False
        self._board: _Board | None = None

    async def prepare(self, port: int) -> None:
        return

    def address(self, seat: int) -> str:
        return "/mo"

    def begin(self) -> Send:
        self._begun = True
        return 0, self._move()

    def hear(self, seat: int, data: bytes) -> Send | None:
        told = _mo.decode(data)
        if type(told) is _Error:
            raise RuntimeError(f"refused: {data.decode()}")
        if type(told) is _Board:
            self._board = told
        return (0, self._move()) if self._begun else None

    def _move(self) -> bytes:
        board, chance = self._board, self._random.random()
        assert board is not None
        if board.status != "playing":
            return b'{"type":"new"}'
        if chance < 0.002:
            return b'{"type":"hint"}'
        if chance < 0.15 and board.can_undo:
            return b'{"type":"undo"}'
        if chance < 0.25 and board.can_redo:
            return b'{"type":"redo"}'
        to = self._random.choice(board.valid).encode()
        return b'{"type":"play","to":"%s","moves":%d}' % (to, board.moves)
