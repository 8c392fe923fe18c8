"""Descriptions of fields, from the docstrings below them."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Annotated

import msgspec
import pytest
from msgspec import Meta

from parlour.described import described, field_docs


class Base(msgspec.Struct):
    first: int
    """Of the base."""


@described
class Below(Base):
    """Its own docstring belongs to no field."""

    second: Annotated[int, Meta(ge=1, le=3)] = 1
    """One of
    three."""
    third: str = ""


def test_docstrings_become_descriptions_beside_the_bounds() -> None:
    properties = msgspec.json.schema(Below)["$defs"]["Below"]["properties"]
    second = {"type": "integer", "minimum": 1, "maximum": 3, "default": 1}
    assert properties["second"] == {"description": "One of three.", **second}
    assert "description" not in properties["third"]


def test_bounds_are_still_checked() -> None:
    assert msgspec.convert({"first": 0, "second": 3}, Below) == Below(0, 3)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"first": 0, "second": 4}, Below)


def test_fields_of_a_base_keep_their_docstrings() -> None:
    assert field_docs(Below) == {"first": "Of the base.", "second": "One of\nthree."}


def test_a_struct_whose_source_is_missing_has_no_descriptions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bare = ModuleType("bare")
    monkeypatch.setitem(sys.modules, "bare", bare)
    struct = msgspec.defstruct("Bare", [("size", int)], module="bare")
    assert msgspec.json.schema(described(struct))["$defs"]["Bare"]["properties"] == {
        "size": {"type": "integer"}
    }
