"""Everything that two players and an onlooker are told of one game, kept to be read.

A card is written `Color.Number.Effect`, and so many blank ones `n blank`. `PARLOUR_RECORD=1` writes
it anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.support import OpenHouse
from tests.wcp.clients import AnsweringBot, Session
from tests.wcp.conftest import Entrant
from tests.wcp.tables import open_table, ping

SEED = "13"
"""Of a short game."""
GOLDEN = Path(__file__).parent.parent / "golden" / "onu-channel.txt"


CARD = re.compile(r'\{"Color":(\d),"Number":(-?\d),"Effect":(\d)\}')
BLANKS = re.compile(r"4\.-1\.0(?:,4\.-1\.0)*")


def shortened(content: str) -> str:
    cards = CARD.sub(r"\1.\2.\3", content)
    return BLANKS.sub(lambda found: f"{found[0].count(',') + 1} blank", cards)


def transcript(session: Session) -> str:
    """One line for each message: from whom, to whom, what."""
    lines = [f"# What {session.user} hears."]
    for message in session.heard:
        payload = message["payload"]
        to = ",".join(message["to"])
        content = shortened(payload["content"])
        lines.append(f"{message['from']} -> {to}: {payload['name']} {content}".rstrip())
    return "\n".join(lines) + "\n"


async def test_a_game_in_a_channel_is_told_as_it_was(
    house: OpenHouse, enter: Entrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.house.house.secrets.token_hex", lambda size: SEED * size)
    table = await open_table(house)
    sessions = [
        await enter(kind, house, table.code, user)
        for kind, user in ((AnsweringBot, "ann"), (AnsweringBot, "ben"), (Session, "eve"))
    ]
    await ping(table, *sessions[:2])
    await table.start()
    for session in sessions:
        await session.hear("onu-won")
    told = "\n".join(transcript(session) for session in sessions)
    if os.environ.get("PARLOUR_RECORD"):
        GOLDEN.write_text(told)
    assert told == GOLDEN.read_text()
