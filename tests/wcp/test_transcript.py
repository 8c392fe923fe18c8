"""Everything that two players and an onlooker are told of one game, kept to be read.

A card is written `Color.Number.Effect`, and so many blank ones `n blank`. `PARLOUR_RECORD=1` writes
it anew.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from parlour.games.onu.messages import CONTENTS
from tests.support import OpenHouse
from tests.wcp.clients import AnsweringBot, Session
from tests.wcp.conftest import Entrant
from tests.wcp.tables import open_table, ping

SEED = "13"
"""Of a short game."""
GOLDEN = Path(__file__).parent.parent / "golden" / "onu-channel.txt"
DOCUMENTS = Path(__file__).parents[2] / "docs" / "protocols"


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


def check_schema(sessions: list[Session]) -> None:
    """Every frame is of the published schema, and so is the JSON in it; each label has come."""
    schema = json.loads((DOCUMENTS / "wcp.schema.json").read_text())
    frame = Draft202012Validator(schema)
    seen = set()
    for message in (message for session in sessions for message in session.heard):
        frame.validate(message)
        name, content = message["payload"]["name"], message["payload"]["content"]
        if name in CONTENTS:
            seen.add(name)
            part = {**schema, "$ref": f"#/$defs/{CONTENTS[name].__name__}"}
            Draft202012Validator(part).validate(json.loads(content))
    assert seen == set(CONTENTS)


async def test_a_game_in_a_channel_is_told_as_it_was(
    house: OpenHouse, enter: Entrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.house.opening.new_seed", lambda: SEED * 32)
    table = await open_table(house)
    sessions = [
        await enter(kind, house, table.code, user)
        for kind, user in ((AnsweringBot, "ann"), (AnsweringBot, "ben"), (Session, "eve"))
    ]
    await ping(table, *sessions[:2])
    await table.start()
    for session in sessions:
        await session.hear("onu-won")
    check_schema(sessions)
    told = "\n".join(transcript(session) for session in sessions)
    if os.environ.get("PARLOUR_RECORD"):
        GOLDEN.write_text(told)
    assert told == GOLDEN.read_text()
