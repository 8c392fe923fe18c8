"""What goes over the network: wires, HTTP routes, the extras, the plain protocol. No I/O."""

from parlour.protocol.codec import Codec, Manner
from parlour.protocol.door import (
    GUESSED_WRONG,
    At,
    CloseWith,
    Common,
    Door,
    Hello,
    Origins,
    Own,
    Seek,
    TurnAway,
)
from parlour.protocol.game import Game
from parlour.protocol.plain import PlainCodec, plain_wire
from parlour.protocol.requests import (
    Answer,
    Applaud,
    Attempt,
    BadMessage,
    InContext,
    MoveTo,
    Question,
    Quit,
    Request,
    SitDown,
    StopWaiting,
    WaitForSeat,
)
from parlour.protocol.routes import Arrival, Asked, Desk, Rank, Reply, Route, RouteSet, TablePage
from parlour.protocol.wire import Framing, Scope, Wire

__all__ = [
    "GUESSED_WRONG",
    "Answer",
    "Applaud",
    "Arrival",
    "Asked",
    "At",
    "Attempt",
    "BadMessage",
    "CloseWith",
    "Codec",
    "Common",
    "Desk",
    "Door",
    "Framing",
    "Game",
    "Hello",
    "InContext",
    "Manner",
    "MoveTo",
    "Origins",
    "Own",
    "PlainCodec",
    "Question",
    "Quit",
    "Rank",
    "Reply",
    "Request",
    "Route",
    "RouteSet",
    "Scope",
    "Seek",
    "SitDown",
    "StopWaiting",
    "TablePage",
    "TurnAway",
    "WaitForSeat",
    "Wire",
    "plain_wire",
]
