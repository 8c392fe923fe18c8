"""The published schemas are true: every frame of whole recorded games is what they say."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from parlour.battery import Night, Trial, play_bots, random_night
from parlour.table import Wire
from tests.cambia.trial import CAMBIA
from tests.mo.trial import MO
from tests.onu.trial import ONU
from tests.quips.trial import QUIPS
from tests.rummy.trial import RUMMY

DOCUMENTS = Path(__file__).resolve().parent.parent / "docs" / "protocols"
TRIALS = (RUMMY, CAMBIA, QUIPS, ONU, MO)
GAMES = 20
OF_EACH_TYPE = 25
"""So many frames of a type are looked at; a validator takes its time."""


def tag_of(wire: Wire) -> str:
    """The field that says what kind of message one is."""
    field: str = wire.outgoing.__args__[0].__struct_config__.tag_field
    return field


def schema(wire: Wire) -> Any:
    return json.loads((DOCUMENTS / f"{wire.name}.schema.json").read_text())


def frames(schema: Any) -> Draft202012Validator:
    """What the server may send, framed as it sends it."""
    Draft202012Validator.check_schema(schema)
    only = {key: value for key, value in schema.items() if key != "anyOf"}
    return Draft202012Validator({**only, "$ref": "#/$defs/frame"})


def recorded(trial: Trial) -> list[Night]:
    """Whole games of bots where there are any, and nights of chance with people who come and go."""
    nights = [random_night(trial, Random(seed), 200) for seed in range(GAMES // 2)]
    if trial.game.bots is not None:
        least, most = trial.game.min_seats, trial.game.max_seats
        nights += [
            play_bots(trial, least + seed % (most - least + 1), seed, restless=seed % 2 == 0)
            for seed in range(GAMES // 2)
        ]
    return nights


def sent(trial: Trial) -> dict[Wire, dict[str, list[bytes]]]:
    """By wire and type of message, the frames of recorded games and of refusals."""
    found: dict[Wire, dict[str, list[bytes]]] = {
        wire: defaultdict(list) for wire in trial.game.wires
    }
    for night in recorded(trial):
        for connection in night.greeted:
            wire = trial.game.wires[connection % 100]
            refusal = wire.refuse("some-code", "Some sentence.")
            messages = [*night.greeted[connection], *night.told.get(connection, [])]
            messages += [] if refusal is None else [refusal]
            for number, data in enumerate(messages, 1):
                kind = json.loads(data)[tag_of(wire)]
                if len(found[wire][kind]) < OF_EACH_TYPE:
                    found[wire][kind].append(wire.frame(data, number))
    return found


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.game.id)
def test_every_frame_of_recorded_games_is_as_the_schema_says(trial: Trial) -> None:
    for wire, by_type in sent(trial).items():
        assert len(by_type) > 1, "a recorded game has several kinds of messages"
        document = schema(wire)
        validator = frames(document)
        for kind, these in by_type.items():
            for frame in these:
                told = json.loads(frame)
                assert told[tag_of(wire)] == kind
                wrong = next(validator.iter_errors(told), None)
                assert wrong is None, f"{wire.name} {kind}: {wrong}"


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.game.id)
def test_a_frame_that_lacks_something_is_not_as_the_schema_says(trial: Trial) -> None:
    """Or the test above could not fail: what is required is missed, wherever it is taken away."""
    for wire, by_type in sent(trial).items():
        document = schema(wire)
        validator = frames(document)
        definitions = {
            each["properties"][tag_of(wire)]["enum"][0]: each
            for each in (
                document["$defs"][r["$ref"].rpartition("/")[2]] for r in outgoing(document)
            )
        }
        for kind, these in by_type.items():
            for name in definitions[kind]["required"]:
                told = json.loads(these[0])
                inner = told["payload"] if wire.envelope is not None else told
                del inner[name]
                assert not validator.is_valid(told), f"{wire.name} {kind} without {name}"
            if wire.envelope is not None:
                assert not validator.is_valid(json.loads(these[0])["payload"]), "no envelope"


def outgoing(document: Any) -> list[Any]:
    listed: list[Any] = document["$defs"]["outgoing"]["anyOf"]
    return listed
