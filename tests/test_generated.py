"""Generated documents are up to date and valid."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from parlour.games import installed_games
from parlour.server.api import ControlPlane
from parlour.server.config import Config
from parlour.server.reach import Reach
from parlour.server.routes import STATUS
from parlour.server.server import Server

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ROOT / "docs" / "protocols"
WIRES = [wire for game in installed_games() for wire in game.wires]
KEY = re.compile(r"[A-Za-z0-9.\-_]+")
"""AsyncAPI 3.0, Components Object: how a key may look."""

wires = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)


def test_everything_generated_is_as_the_messages_are() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/generate.py", "--check"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def read(name: str) -> Any:
    return json.loads((DOCUMENTS / name).read_text())


def refs(part: Any) -> list[str]:
    """Every reference in a document."""
    if isinstance(part, list):
        return [ref for each in part for ref in refs(each)]
    if isinstance(part, dict):
        own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
        return own + [ref for each in part.values() for ref in refs(each)]
    return []


def at(document: Any, ref: str) -> Any:
    """The target of a reference; raises `KeyError` if there is none."""
    assert ref.startswith("#/"), ref
    for step in ref[2:].split("/"):
        document = document[step]
    return document


def names(union: Any) -> set[str]:
    return {struct.__name__ for struct in union.__args__}


@wires
def test_a_schema_has_every_message_of_both_directions(wire: Any) -> None:
    document = read(f"{wire.name}.schema.json")
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    for ref in refs(document):
        at(document, ref)
    for direction, union in (("incoming", wire.codec.incoming), ("outgoing", wire.codec.outgoing)):
        listed = document["$defs"][direction]["anyOf"]
        assert {ref["$ref"].rpartition("/")[2] for ref in listed} == names(union)


@wires
def test_a_schema_requires_what_is_always_sent_and_nothing_else(wire: Any) -> None:
    document = read(f"{wire.name}.schema.json")
    for struct in wire.codec.outgoing.__args__:
        definition = document["$defs"][struct.__name__]
        omits = struct.__struct_config__.omit_defaults
        for field in msgspec.structs.fields(struct):
            left_out = field.default is msgspec.UNSET or (omits and not field.required)
            assert (field.encode_name in definition["required"]) is not left_out


@wires
def test_an_asyncapi_document_is_one(wire: Any) -> None:
    """The structure that the AsyncAPI 3.0.0 specification asks for, object by object."""
    document = read(f"{wire.name}.asyncapi.json")
    assert set(document) == {
        "asyncapi",
        "info",
        "defaultContentType",
        "servers",
        "channels",
        "operations",
        "components",
    }
    assert document["asyncapi"] == "3.0.0"
    assert document["info"]["title"]
    assert document["info"]["version"]
    for server in document["servers"].values():
        assert server["host"]
        assert server["protocol"] in ("ws", "wss")
    for ref in refs(document):
        at(document, ref)
    for keys in (document["servers"], *document["components"].values()):
        assert all(KEY.fullmatch(key) for key in keys)
    for message in document["components"]["messages"].values():
        assert set(message) <= {"name", "title", "summary", "description", "payload"}
        assert message["payload"]["$ref"].startswith("#/components/schemas/")


@wires
def test_an_asyncapi_channel_is_a_path_with_its_parameters(wire: Any) -> None:
    document = read(f"{wire.name}.asyncapi.json")
    channels = document["channels"].values()
    assert len(channels) == len(wire.paths)
    for channel, path in zip(channels, wire.paths, strict=True):
        parameters = set(re.findall(r"\{(\w+)", path))
        assert set(channel.get("parameters", {})) == parameters
        assert set(re.findall(r"\{([^}]*)\}", channel["address"])) == parameters
        assert set(channel["messages"]) == names(wire.codec.incoming) | names(wire.codec.outgoing)


@wires
def test_an_asyncapi_operation_lists_what_its_direction_carries(wire: Any) -> None:
    document = read(f"{wire.name}.asyncapi.json")
    operations = document["operations"].values()
    assert len(operations) == 2 * len(wire.paths)
    for operation in operations:
        assert set(operation) == {"action", "channel", "messages"}
        where = operation["channel"]["$ref"]
        union = {"receive": wire.codec.incoming, "send": wire.codec.outgoing}[operation["action"]]
        # An operation must refer to messages of its channel, through the channel.
        assert {ref["$ref"] for ref in operation["messages"]} == {
            f"{where}/messages/{name}" for name in names(union)
        }


@wires
def test_an_asyncapi_schema_keeps_to_draft_7(wire: Any) -> None:
    def walk(part: Any) -> None:
        if isinstance(part, list):
            for each in part:
                walk(each)
        elif isinstance(part, dict):
            # Names of properties are free; only keywords are checked.
            for name, each in part.items():
                if name == "properties":
                    for schema in each.values():
                        walk(schema)
                    continue
                assert name not in ("prefixItems", "$defs", "unevaluatedProperties")
                assert name != "discriminator" or isinstance(each, str)
                assert name != "$ref" or set(part) == {"$ref"}
                if name not in ("enum", "default", "const"):
                    walk(each)

    walk(read(f"{wire.name}.asyncapi.json")["components"]["schemas"])


SETS = {
    "api": ControlPlane(installed_games(), Reach(Config()), str).routes(),
    "operator": Server(Config(data=":memory:")).operator_routes,
} | {game.id: game.routes for game in installed_games() if game.routes is not None}


@pytest.mark.parametrize("name", SETS)
def test_an_openapi_document_has_every_route_and_resolves(name: str) -> None:
    document = read(f"{name}.openapi.json")
    assert document["openapi"] == "3.1.0"
    for ref in refs(document):
        at(document, ref)
    operations = {
        (method.upper(), path): operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    assert set(operations) == {(r.method, r.path) for r in SETS[name].routes}
    ids = [operation["operationId"] for operation in operations.values()]
    assert len(set(ids)) == len(ids)
    for (_, path), operation in operations.items():
        named = {parameter["name"] for parameter in operation.get("parameters", ())}
        assert named == set(re.findall(r"\{(\w+)\}", path))


def test_every_refusal_of_the_control_plane_is_on_its_page() -> None:
    page = (DOCUMENTS / "api.md").read_text()
    assert [code for code in STATUS if f"`{code}`" not in page] == []
    for route in SETS["api"].routes:
        assert f"`{route.method} {route.path}`" in page


@pytest.mark.parametrize(
    ("game", "files"),
    [
        ("rummy", ("*.py", "wire/*.py")),
        ("quips", ("*.py", "wire/*.py")),
        ("onu", ("*.py",)),
    ],
)
def test_every_error_code_of_a_table_is_on_its_page(game: str, files: tuple[str, ...]) -> None:
    page = (DOCUMENTS / f"{game}.md").read_text()
    folder = ROOT / "src/parlour/games" / game
    text = "".join(path.read_text() for pattern in files for path in folder.glob(pattern))
    codes = set(re.findall(r'(?:Illegal|BadMessage)\(\s*"([a-z-]+)"', text))
    assert codes
    assert [code for code in sorted(codes) if f"`{code}`" not in page] == []
