"""The private names of aiohttp that we use are still there, and are used in one module only.

That they still do what they did is seen on real sockets: `test_frames.py` and the tests of the
relay (`tests/wcp`).
"""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

import parlour
from parlour.server import aiohttp_private

SOURCES = Path(parlour.__file__).parent
HERE = Path(aiohttp_private.__file__)

NEEDED: dict[str, tuple[type[object], str]] = {
    "_post_start": (web.WebSocketResponse, "the moment after the handshake, before it is read on"),
    "_message_tail": (web.RequestHandler, "the bytes that came together with the handshake"),
}

PARAMETERS = {"_post_start": ["self", "request", "protocol", "writer"]}


@pytest.mark.parametrize("name", NEEDED)
def test_aiohttp_still_has(name: str) -> None:
    owner, purpose = NEEDED[name]
    changed = (
        f"aiohttp {aiohttp.__version__} changed {owner.__name__}.{name}. {HERE.name} uses it for: "
        f"{purpose}. Adapt that module, or lower the bound of aiohttp in pyproject.toml."
    )
    assert hasattr(owner, name), changed
    if name in PARAMETERS:
        assert list(inspect.signature(getattr(owner, name)).parameters) == PARAMETERS[name], changed


def test_every_private_name_in_use_is_listed() -> None:
    nodes = list(ast.walk(ast.parse(HERE.read_text())))
    names = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    names |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    private = {name for name in names if name.startswith("_") and not name.startswith("__")}
    assert private == set(NEEDED)


def test_no_other_module_extends_or_imports_what_is_private() -> None:
    """Other uses are found by ruff (SLF001)."""
    for module in SOURCES.rglob("*.py"):
        if module == HERE:
            continue
        for node in ast.walk(ast.parse(module.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith("aiohttp._"), module
            if isinstance(node, ast.ClassDef):
                bases = [ast.unparse(base) for base in node.bases]
                assert not [base for base in bases if base.startswith(("web.", "aiohttp."))], module
