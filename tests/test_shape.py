"""The structure of the code: shared code names no game, tests do not sleep, lists are current."""

from __future__ import annotations

import ast
import fnmatch
import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest

import parlour
from parlour.games import installed_games
from parlour.protocol import Game, extras, plain, requests
from parlour.protocol.requests import Request
from scripts.mutate import GROUPS, IN_NO_GROUP

ROOT = Path(parlour.__file__).parent
TESTS = Path(__file__).parent
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LONG = 350
"""Lines of a module; a longer one needs a reason."""
SHARED = ("house", "server", "protocol", "table", "bus", "store")


@pytest.mark.parametrize("package", SHARED)
def test_shared_code_names_no_game(package: str) -> None:
    names = [name for game in installed_games() for name in (game.id, game.name)]
    word = re.compile(rf"(?<![A-Za-z])({'|'.join(map(re.escape, names))})(?![A-Za-z])", re.I)
    for path in sorted((ROOT / package).rglob("*.py")):
        found = word.search(path.read_text())
        assert found is None, f"{path.relative_to(ROOT)} names {found and found[0]}"


FOR_ONE_GAME = {
    # Lobbies
    "Lobby.content": "only Quips' rules read files",
    "Lobby.most_points": "Cambia and Quips count points of their own, ONU and MO none",
    "Lobby.solo": "MO is the only game for one",
    "Entry.terms": "the settings of Quips' protocol: a password, spectators, addresses",
    "Names.longest": "Quips' protocol allows longer names than a lobby shows well",
    "Names.renamed": "Quips' protocol never refuses a name",
    "Seating.open": "only at Quips people come and go in mid-match",
    "Seating.outsider": "only ONU's players come over a relay",
    "Seating.stand_ins": "an absent player of ONU costs the others a whole turn's time",
    "Start.again": "only Cambia's circuit starts its next match whoever is ready",
    "Start.patience": "only Quips starts without people who do not say that they are ready",
    "Talk.words": "Quips' clients show text as HTML; its settings can forbid talk",
    "Talk.written": "only Quips has cards that players write",
    # Rules
    "Match.fumble": "only ONU's players answer in free text, so wrong answers must cost something",
    "Match.retold": "only MO lets moves be taken back without end",
    "TurnMatch.go_on": "at Hearts those who are away also pass cards, which is nobody's turn",
    "OpenMatch.asleep": "only Quips goes on without people who do not move",
    "OpenMatch.stirred": "only Quips goes on without people who do not move",
    "Bots.experience": "only Quips' bots depend on what people find funny",
    "Bots.person": "only at Quips the taste of people decides",
    # Protocols
    "Codec.set_right": "a Quips client forgets its own hand after a refused card",
    "Codec.worker_module": "only MO answers questions that take a search",
    "Door.admit": "a game of Cambia's flat form is refused by 404 or 410, before the upgrade",
    "Door.meant": "three kinds of Quips' clients connect to one path",
    "Door.origins": "Quips' clients are served from another port of the same host",
    "Door.subprotocols": "only Cambia's clients offer any",
    "Wire.scope": "only Cambia's flat form has a socket for each game",
    "Wire.framing": "only Cambia's enveloped form numbers its frames",
    "Applaud": "only Quips' protocol lets spectators talk",
    "Attempt": "see Match.fumble",
    "MoveTo": "only Super Rummy's protocol joins a lobby from within another one",
    # HTTP
    "RouteSet.any_content_type": "Cambia's clients send bodies that do not say what they are",
    "RouteSet.refusal": "Cambia's clients read a refusal that is not inside of `error`",
}
"""Features of shared code that only one game uses, with the reason. Keep the list short."""


def test_what_shared_code_offers_serves_more_than_one_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    examples: list[Game] = []
    for source in sorted((ROOT.parent.parent / "examples").glob("*/src")):
        monkeypatch.syspath_prepend(source)
        examples.append(importlib.import_module(f"parlour_{source.parent.name}").GAME)
    users: dict[str, set[str]] = defaultdict(set)
    for game in (*installed_games(), *examples):
        for record in (game, game.lobby, game.bots, game.routes, *game.wires):
            for hook in _fields_in_use(record):
                users[hook].add(game.id)
        for cls in _classes_of(game):
            for hook in _overridden(cls):
                users[hook].add(game.id)
        # The plain protocol and the extras make requests for more than one game.
        for module in (*_modules_of(game), plain, extras):
            for request in _requests_in(module):
                users[request].add(game.id)
    alone = {hook for hook, games in users.items() if len(games) == 1}
    unlisted = {hook: users[hook] for hook in alone - FOR_ONE_GAME.keys()}
    assert not unlisted, "used by one game alone, and no reason is given"
    outdated = FOR_ONE_GAME.keys() - alone
    assert not outdated, "listed, but not used by one game alone"


def _fields_in_use(record: Any) -> Iterator[str]:
    """The fields of a record that do not have their default value."""
    if not is_dataclass(record):
        return
    for field in fields(record):
        default = field.default if field.default_factory is MISSING else field.default_factory()
        # A part of a lobby is counted by the methods that it overrides.
        if default is MISSING or (_is_shared(type(default)) and not isinstance(default, Enum)):
            continue
        if getattr(record, field.name) != default:
            yield f"{type(record).__name__}.{field.name}"


def _modules_of(game: Game) -> list[ModuleType]:
    package = importlib.import_module(game.deal.__module__.rpartition(".")[0])
    found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    return [package, *(importlib.import_module(module.name) for module in found)]


def _requests_in(module: ModuleType) -> Iterator[str]:
    """The kinds of request, besides inputs, that a module imports."""
    for name, value in vars(module).items():
        if value in get_args(Request) and value.__module__ == requests.__name__:
            yield name


def _classes_of(game: Game) -> set[type]:
    """The classes in a game's package, and the shared classes that its record is made of."""
    own = {
        cls
        for module in _modules_of(game)
        for _, cls in inspect.getmembers(module, inspect.isclass)
        if cls.__module__ == module.__name__
    }
    parts = [getattr(game.lobby, field.name) for field in fields(game.lobby)]
    parts += [part for wire in game.wires for part in (wire.codec, wire.door)]
    return own | {type(part) for part in parts}


def _overridden(cls: type) -> Iterator[str]:
    """The attributes that `cls` overrides, with the shared class that introduced them."""
    shared = [base for base in cls.__mro__ if _is_shared(base)]
    for base in shared:
        for name, default in vars(base).items():
            inherited = any(name in vars(other) for other in base.__mro__[1:])
            if name.startswith("_") or inherited or _is_required(default):
                continue
            if inspect.getattr_static(cls, name) is not default:
                yield f"{base.__name__}.{name}"


def _is_shared(cls: type) -> bool:
    module = cls.__module__
    return module.startswith("parlour.") and not module.startswith("parlour.games.")


def _is_required(method: Any) -> bool:
    """Whether every subclass must override it."""
    return inspect.isfunction(method) and "NotImplementedError" in inspect.getsource(method)


def test_long_modules_say_why_they_are_long() -> None:
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text()
        if text.count("\n") > LONG:
            about = ast.get_docstring(ast.parse(text)) or ""
            assert re.search("[Ll]onger than|is long", about), f"{path.name} does not say why"


def sleeps(path: Path) -> set[str]:
    """The functions of a file that sleep on the wall clock, named as pytest names tests."""
    found: set[str] = set()

    def look(node: ast.AST, within: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call) and _is_sleep(child):
                found.add(within)
            named = isinstance(child, (*FUNCTIONS, ast.ClassDef))
            look(child, f"{within}::{child.name}" if named else within)

    look(ast.parse(path.read_text()), path.relative_to(TESTS.parent).as_posix())
    return found


def _is_sleep(call: ast.Call) -> bool:
    """Whether it waits for longer than one iteration of the event loop."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr == "sleep"):
        return False
    of = call.func.value
    seconds = call.args[0] if call.args else None
    turn = isinstance(seconds, ast.Constant) and seconds.value == 0
    return isinstance(of, ast.Name) and of.id in ("asyncio", "time") and not turn


def test_tests_wait_for_what_happens_and_not_for_a_clock() -> None:
    text = (TESTS.parent / "docs" / "testing.md").read_text()
    table = text.partition("\n## Time\n")[2].partition("\n## ")[0]
    listed = set(re.findall(r"^\| `(tests/[^`]+)`", table, re.MULTILINE))
    found = {name for path in TESTS.rglob("*.py") for name in sleeps(path)}
    unlisted = [name for name in found if not listed & {name, name.partition("::")[0]}]
    assert sorted(unlisted) == [], "wait for an event, or list it in docs/testing.md"
    outdated = [name for name in listed if not any(f.startswith(name) for f in found)]
    assert outdated == []


@pytest.mark.parametrize("name", GROUPS)
def test_mutations_are_made_in_files_and_tried_with_tests_that_there_are(name: str) -> None:
    group = GROUPS[name]
    sources = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py")]
    missing = [file for file in group.files if not fnmatch.filter(sources, file)]
    tests = [path.partition("::")[0] for path in (*group.tests, *group.wider)]
    assert missing + [path for path in tests if not (TESTS.parent / path).exists()] == []


def test_every_module_is_mutated_or_there_is_a_reason_why_not() -> None:
    patterns = [*(file for group in GROUPS.values() for file in group.files), *IN_NO_GROUP]
    sources = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py")]
    left_out = [
        file
        for file in sources
        if (ROOT / file).read_text().strip()
        and not any(fnmatch.fnmatch(file, pattern) for pattern in patterns)
    ]
    assert sorted(left_out) == [], "add it to a group of scripts/mutate.py, or to IN_NO_GROUP"


def test_the_way_of_a_move_names_methods_that_there_are() -> None:
    there: set[str] = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                methods = [m for m in node.body if isinstance(m, FUNCTIONS)]
                there |= {f"{node.name}.{method.name}" for method in methods}
    text = (ROOT.parent.parent / "docs" / "architecture.md").read_text()
    way = text.partition("\n## The way of a move\n")[2].partition("\n- ")[0]
    named = re.findall(r"`([A-Z]\w+\.\w+)`", way)
    assert len(named) > 10
    assert [name for name in named if name not in there] == []
