"""FastAPI on uvicorn: a bare fan-out. It has no rules, no log, no seats and no limits.

One message in and validated, two encodings, one message out to each player at the table. It runs
with uvloop and httptools, in an environment of its own.
"""

from __future__ import annotations

import sys
from typing import Literal

import uvicorn
from fastapi import FastAPI, WebSocket, WebSocketDisconnect
from pydantic import BaseModel

PLAYER = "fedcba9876543210fedcba9876543210"


class Draw(BaseModel):
    type: Literal["draw"]
    card_id: str


class Face(BaseModel):
    suit: str
    rank: str


class Card(BaseModel):
    id: str
    face: Face | None


class Place(BaseModel):
    type: Literal["player"] = "player"
    player_id: str
    position: int


class Move(BaseModel):
    type: Literal["move"] = "move"
    cards: list[Card]
    destination: Place


app = FastAPI()
tables: dict[str, list[WebSocket]] = {}


@app.websocket("/echo")
async def fan_out(socket: WebSocket, table: str) -> None:
    await socket.accept()
    seats = tables.setdefault(table, [])
    seats.append(socket)
    await socket.send_text('{"type":"lobby"}')
    try:
        while True:
            action = Draw.model_validate_json(await socket.receive_text())
            owners = _move(action.card_id, Face(suit="hearts", rank="10"))
            public = _move(action.card_id, None)
            for other in seats:
                await other.send_text(owners if other is socket else public)
    except WebSocketDisconnect:
        seats.remove(socket)


def _move(card: str, face: Face | None) -> str:
    place = Place(player_id=PLAYER, position=3)
    return Move(cards=[Card(id=card, face=face)], destination=place).model_dump_json()


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
