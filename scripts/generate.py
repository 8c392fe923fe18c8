"""Generates documents and TypeScript from the types of messages, routes and operations.

    python scripts/generate.py          write the files
    python scripts/generate.py --check  fail if a file is out of date

In docs/protocols: for each wire <wire>.schema.json and <wire>.asyncapi.json; for each set of routes
an OpenAPI document (api, people, evenings, operator, wcp, <game>); schemas of the relay (wcp) and
of the extras; in <game>.md the examples under `<!-- example: ... -->`. Also docs/operations.md.

In web/src/protocol, the types and shapes that the page needs: for each game <game>.ts; extras.ts;
and for HTTP api.ts, shown.ts (what contains scenes), people.ts, evenings.ts,
operator.ts and wcp.ts.
"""

from __future__ import annotations

import argparse
import difflib
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from protocols import operations
from protocols.examples import EXAMPLES, fill
from protocols.openapi import openapi
from protocols.relay import relay_schema
from protocols.typescript import bodies_module, messages_module, structs_in

from parlour.documents import wires as documents
from parlour.documents.messages import Messages, reach
from parlour.games import installed_games
from parlour.protocol import RouteSet, Wire, plain_wire
from parlour.protocol.extras import Extras
from parlour.relay.routes import RelayRoutes
from parlour.scenes import Scene
from parlour.server.api import ControlPlane
from parlour.server.config import Config
from parlour.server.evening_routes import EveningRoutes
from parlour.server.people_routes import PeopleRoutes
from parlour.server.reach import Reach
from parlour.server.server import Server

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = Path("docs/protocols")
PAGE = Path("web/src/protocol")


def generated() -> dict[Path, str]:
    """All generated files: path and text."""
    files: dict[Path, str] = {}
    for game in installed_games():
        for wire in game.wires:
            messages = Messages(wire)
            title = documents.title(game, wire)
            files[DOCUMENTS / f"{wire.name}.schema.json"] = _json(documents.schema(title, messages))
            files[DOCUMENTS / f"{wire.name}.asyncapi.json"] = _json(
                documents.asyncapi(title, messages)
            )
            if wire.name == game.id:
                # The page speaks the wire that has the game's name.
                files[PAGE / f"{game.id}.ts"] = messages_module(title, messages)
        if game.routes is not None:
            files[DOCUMENTS / f"{game.id}.openapi.json"] = _json(openapi(game.routes))
        page = DOCUMENTS / f"{game.id}.md"
        if game.id in EXAMPLES and (ROOT / page).is_file():
            files[page] = fill((ROOT / page).read_text(), EXAMPLES[game.id]())
    # For the page's table of any game: the lobby's messages, without those of a game.
    lobby = Messages(plain_wire("plain", (), ()))
    files[PAGE / "plain.ts"] = messages_module("The plain protocol", lobby)
    extras = Messages(Wire("extras", (), Extras()))
    files[DOCUMENTS / "extras.schema.json"] = _json(documents.schema("Extras", extras))
    files[PAGE / "extras.ts"] = messages_module("Extras", extras)
    control_plane = ControlPlane(installed_games(), Reach(Config()), str).routes()
    files[DOCUMENTS / "api.openapi.json"] = _json(openapi(control_plane))
    hall, shown = _by_scenes(control_plane)
    files[PAGE / "api.ts"] = bodies_module(hall.title, hall)
    files[PAGE / "shown.ts"] = bodies_module(f"{shown.title}, scenes", shown)
    nothing: Any = None
    server = Server(Config(data=":memory:"))
    people = PeopleRoutes(server.people, server.sessions).routes()
    files[DOCUMENTS / "people.openapi.json"] = _json(openapi(people))
    files[PAGE / "people.ts"] = bodies_module(people.title, people)
    evenings = EveningRoutes(nothing).routes()
    files[DOCUMENTS / "evenings.openapi.json"] = _json(openapi(evenings))
    files[PAGE / "evenings.ts"] = bodies_module(evenings.title, evenings)
    operators = server.operator_routes
    files[DOCUMENTS / "operator.openapi.json"] = _json(openapi(operators))
    files[PAGE / "operator.ts"] = bodies_module(operators.title, operators)
    relay = relay_routes()
    files[DOCUMENTS / "wcp.openapi.json"] = _json(openapi(relay))
    files[PAGE / "wcp.ts"] = bodies_module(relay.title, relay)
    files[DOCUMENTS / "wcp.schema.json"] = _json(relay_schema())
    files[Path("docs/operations.md")] = operations.page()
    return files


def _by_scenes(routes: RouteSet) -> tuple[RouteSet, RouteSet]:
    """Routes whose answers contain no scenes, and those whose answers do. The page loads the types
    of the latter only where it needs them."""
    scenic = [route for route in routes.routes if Scene in reach(structs_in([route.gives]))]
    others = [route for route in routes.routes if route not in scenic]
    return replace(routes, routes=tuple(others)), replace(routes, routes=tuple(scenic))


def relay_routes() -> RouteSet:
    """The relay's routes, on both of its ports."""
    nothing: Any = None
    routes = RelayRoutes(nothing, nothing, nothing, nothing, nothing)
    house = routes.of_house()
    return replace(house, routes=(*routes.of_port().routes, *house.routes))


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Generate documents and types from the messages.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail on a difference")
    check: bool = parser.parse_args().check
    drifted = 0
    for name, text in generated().items():
        path = ROOT / name
        there = path.read_text() if path.is_file() else ""
        if there == text:
            continue
        drifted += 1
        if check:
            difference = difflib.unified_diff(
                there.splitlines(), text.splitlines(), f"{name}, there", f"{name}, made", n=1
            )
            print("\n".join(list(difference)[:30]))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            print(f"wrote {name}")
    if check and drifted:
        print(f"{drifted} generated files are out of date. Run `make types`.")
    return 1 if check and drifted else 0


if __name__ == "__main__":
    sys.exit(main())
