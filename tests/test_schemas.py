"""Published schemas are correct: every frame of recorded games is valid."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from parlour.battery import Night, Trial, play_bots, random_night
from parlour.kit import Illegal
from parlour.protocol import Game, Wire
from tests.cambia.trial import CAMBIA
from tests.mo.trial import MO
from tests.onu.trial import ONU
from tests.quips.trial import QUIPS
from tests.rummy.trial import RUMMY

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ROOT / "docs" / "protocols"
TRIALS = (RUMMY, CAMBIA, QUIPS, ONU, MO)
GAMES = 20


def tag_of(wire: Wire) -> str:
    """The field that has the type of a message."""
    field: str = wire.codec.outgoing.__args__[0].__struct_config__.tag_field
    return field


def schema(wire: Wire) -> Any:
    return json.loads((DOCUMENTS / f"{wire.name}.schema.json").read_text())


def outgoing(document: Any, wire: Wire) -> dict[str, str]:
    """The names of the definitions of outgoing messages, by type."""
    names = [each["$ref"].rpartition("/")[2] for each in document["$defs"]["outgoing"]["anyOf"]]
    tag = tag_of(wire)
    return {document["$defs"][name]["properties"][tag]["enum"][0]: name for name in names}


def frames(document: Any, only: str = "") -> Draft202012Validator:
    """What the server may send, framed as it sends it.

    `only`: as this definition says. Whatever is of one kind is of one of all kinds, and a
    validator that need not try them all is done many times sooner.
    """
    Draft202012Validator.check_schema(document)
    rest = {key: value for key, value in document.items() if key != "anyOf"}
    if only:
        kinds = {"anyOf": [{"$ref": f"#/$defs/{only}"}]}
        rest["$defs"] = {**document["$defs"], "outgoing": kinds}
    return Draft202012Validator({**rest, "$ref": "#/$defs/frame"})


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


Sent = dict[Wire, dict[str, list[bytes]]]


@pytest.fixture(scope="module", params=TRIALS, ids=lambda trial: trial.game.id)
def sent(request: pytest.FixtureRequest) -> Sent:
    """By wire and type of message, every frame of recorded games and of refusals.

    Of messages that are the same byte for byte, one is framed: the others would be found to be
    what it is found to be.
    """
    trial: Trial = request.param
    found: Sent = {wire: defaultdict(list) for wire in trial.game.wires}
    seen: set[tuple[Wire, bytes]] = set()
    for night in recorded(trial):
        for connection in night.greeted:
            wire = trial.game.wires[connection % 100]
            refusal = wire.codec.refuse("some-code", "Some sentence.")
            messages = [*night.greeted[connection], *night.told.get(connection, [])]
            messages += [] if refusal is None else [refusal]
            for number, data in enumerate(messages, 1):
                if (wire, data) not in seen:
                    seen.add((wire, data))
                    kind = json.loads(data)[tag_of(wire)]
                    framing = wire.framing
                    frame = data if framing is None else framing.frame(data, number)
                    found[wire][kind].append(frame)
    return found


@pytest.mark.slow
def test_every_frame_of_recorded_games_is_as_the_schema_says(sent: Sent) -> None:
    for wire, by_type in sent.items():
        assert len(by_type) > 1, "a recorded game has several kinds of messages"
        document = schema(wire)
        names = outgoing(document, wire)
        for kind, these in by_type.items():
            validator = frames(document, names[kind])
            for frame in these:
                told = json.loads(frame)
                assert told[tag_of(wire)] == kind
                wrong = next(validator.iter_errors(told), None)
                assert wrong is None, f"{wire.name} {kind}: {wrong}"


@pytest.mark.slow
def test_a_frame_that_lacks_something_is_not_as_the_schema_says(sent: Sent) -> None:
    """Or the test above could not fail: what is required is missed, wherever it is taken away."""
    for wire, by_type in sent.items():
        document = schema(wire)
        validator = frames(document)
        names = outgoing(document, wire)
        for kind, these in by_type.items():
            assert validator.is_valid(json.loads(these[0]))
            for name in document["$defs"][names[kind]]["required"]:
                told = json.loads(these[0])
                inner = told["payload"] if wire.framing is not None else told
                del inner[name]
                assert not validator.is_valid(told), f"{wire.name} {kind} without {name}"
            if wire.framing is not None:
                assert not validator.is_valid(json.loads(these[0])["payload"]), "no envelope"


def patterns(schema: Any) -> Iterator[str]:
    """Every regular expression in a schema."""
    if isinstance(schema, dict):
        found = schema.get("pattern")
        yield from [found] if isinstance(found, str) else []
        yield from schema.get("patternProperties", ())
    for inner in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(inner, dict | list):
            yield from patterns(inner)


def published() -> set[str]:
    """The regular expressions of all documents, and of the settings that `GET /api/games` gives."""
    documents = [json.loads(path.read_text()) for path in DOCUMENTS.glob("*.json")]
    documents += [trial.game.settings_schema() for trial in TRIALS]
    return {pattern for document in documents for pattern in patterns(document)}


def test_every_published_pattern_is_one_in_javascript() -> None:
    assert len(published()) == 3
    page = runpy.run_path(str(ROOT / "scripts" / "page.py"))
    node = page["machine_node"]() or page["wheel_node"]()
    script = """
        const told = JSON.parse(require("fs").readFileSync(0, "utf8"));
        const tried = told.patterns.map((p) => told.texts.map((t) => new RegExp(p, "u").test(t)));
        process.stdout.write(JSON.stringify(tried));
    """
    texts = ["", "a-1", "a-1\n", "\na-1", "a 1", "\u00e4", "ab" * 32]
    told = json.dumps({"patterns": sorted(published()), "texts": texts})
    done = subprocess.run(
        [node / "node", "-e", script], input=told, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    usual = [True, True, False, False, False, False]
    hex_digits = [False] * 6
    assert json.loads(done.stdout) == [[*hex_digits, True], [*usual, False], [*usual, True]]


def test_every_published_pattern_is_of_the_kind_that_all_validators_know() -> None:
    """JSON Schema, 6.4: no looking around, and no anchors but ^ and $. RE2 refuses the former."""
    for pattern in published():
        assert not re.search(r"\(\?|\\[AZzbB]", pattern), pattern
        assert pattern[0] == "^", pattern
        assert pattern[-1] == "$", pattern


@pytest.mark.parametrize(("game", "name"), [(ONU.game, "channel"), (MO.game, "seed")])
def test_a_setting_with_a_pattern_is_read_exactly(game: Game, name: str) -> None:
    """In Python $ is also before a line's end that is the last character."""
    assert game.configure(game.settings(), {name: "a-1"})
    for wrong in ("a-1\n", "\na-1", "a 1"):
        with pytest.raises(Illegal):
            game.configure(game.settings(), {name: wrong})
