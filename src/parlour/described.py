"""Descriptions of the fields of structs: the docstrings below them in the source."""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache
from itertools import pairwise
from typing import Annotated, TypeVar, get_type_hints

import msgspec

Struct = type[msgspec.Struct]
T = TypeVar("T", bound=Struct)


def described(struct: T) -> T:
    """A class decorator: the docstrings become part of the types, and so of the JSON Schema.

    For settings, whose descriptions are shown to people.
    """
    hints = get_type_hints(struct, include_extras=True)
    for field, doc in field_docs(struct).items():
        about = msgspec.Meta(description=" ".join(doc.split()))
        struct.__annotations__[field] = Annotated[hints[field], about]
    return struct


def field_docs(struct: Struct) -> dict[str, str]:
    """The docstrings below a struct's fields, those of its bases included."""
    docs: dict[str, str] = {}
    for base in reversed(struct.__mro__):
        if issubclass(base, msgspec.Struct) and base is not msgspec.Struct:
            docs |= _docs_in(base.__module__).get(base.__qualname__, {})
    return docs


@cache
def _docs_in(module: str) -> dict[str, dict[str, str]]:
    """By class, then by field."""
    found: dict[str, dict[str, str]] = {}
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError):  # there is no source: all works, without descriptions
        return found
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            docs = found.setdefault(node.name, {})
            for line, after in pairwise(node.body):
                if isinstance(line, ast.AnnAssign) and isinstance(after, ast.Expr):
                    doc = getattr(after.value, "value", None)
                    if isinstance(doc, str):
                        docs[ast.unparse(line.target)] = inspect.cleandoc(doc)
    return found
