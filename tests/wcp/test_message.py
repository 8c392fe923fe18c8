"""Messages of the relay: whatever comes is read or refused, and what is read is told the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.battery.suite_wires import json_values
from parlour.wcp.message import DEEPEST, Message, NotAMessage, read

names = st.text(max_size=20)
extras = st.dictionaries(names, json_values, max_size=3)


@st.composite
def near_messages(draw: st.DrawFn) -> dict[str, Any]:
    """A message, or one with something in it that may not be."""
    whole: dict[str, Any] = {
        "version": 1,
        "type": draw(names),
        "from": draw(names),
        "to": draw(st.lists(names, max_size=3)),
        "payload": {"name": draw(names), "content": draw(names)},
    }
    where = draw(st.sampled_from([None, *whole, "name", "content"]))
    if where in whole:
        whole[where] = draw(json_values)
    elif where is not None:
        whole["payload"][where] = draw(json_values)
    return {**draw(extras), **whole}


def of_the_shape(told: Any) -> bool:
    """The protocol's rule, said once more and in other words."""
    match told:
        case {
            "version": int() as version,
            "type": str(),
            "from": str(),
            "to": [*users],
            "payload": {"name": str(), "content": str()},
        }:
            return not isinstance(version, bool) and all(isinstance(u, str) for u in users)
        case _:
            return False


@given(near_messages() | json_values)
def test_exactly_what_has_the_shape_is_read(told: Any) -> None:
    try:
        read(json.dumps(told))
    except NotAMessage:
        assert not of_the_shape(told)
    else:
        assert of_the_shape(told)


@given(near_messages())
def test_what_is_read_is_told_as_it_was_in_ascii(told: dict[str, Any]) -> None:
    try:
        message = read(json.dumps(told, ensure_ascii=False))
    except NotAMessage:
        return
    frame = message.encode()
    assert frame.isascii()
    assert json.loads(frame) == {**told, "version": 1}
    assert read(frame) == message


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_nothing_else_comes_of_bad_bytes_than_a_refusal(data: bytes | str) -> None:
    with pytest.raises(NotAMessage):
        read(data)


@pytest.mark.parametrize("where", ["message", "payload"])
def test_a_message_is_only_so_deep(where: str) -> None:
    """Read at a depth at which writing fails, one message took its sender's connection down."""

    def nested(depth: int) -> str:
        """A message in which lists and objects lie so deep in each other."""
        payload: dict[str, Any] = {"name": "", "content": ""}
        whole = {"version": 1, "type": "data", "from": "ann", "to": [], "payload": payload}
        (whole if where == "message" else payload)["more"] = "MORE"
        inside = depth - (1 if where == "message" else 2)
        return json.dumps(whole).replace('"MORE"', "[" * inside + "]" * inside)

    assert read(read(nested(DEEPEST)).encode()) == read(nested(DEEPEST))
    for depth in (DEEPEST + 1, 64, *range(900, 1_100)):
        with pytest.raises(NotAMessage):
            read(nested(depth))


def test_whom_a_message_is_for() -> None:
    assert Message("ann", ("all",), "", "").is_for("ben")
    assert Message("ann", ("ben", "cleo"), "", "").is_for("cleo")
    assert not Message("ann", ("ben",), "", "").is_for("ann")
