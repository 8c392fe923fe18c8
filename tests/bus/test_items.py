"""What nodes ask of each other arrives as it was sent, whatever there is to ask."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import inspect

from parlour.bus import Refusal
from parlour.bus.items import VERSIONS, AnyItem, Ask, Reply, decode_items, encode
from parlour.bus.operations import BETWEEN_NODES, read_answer, read_arguments, write_answer
from parlour.games import installed_games
from parlour.house.operations import FUNCTIONS
from parlour.protocol import RunRequest, TablePage
from parlour.protocol.operations import OPERATIONS
from parlour.table import Content, Roster
from parlour.table import inputs as do

GAMES = {game.id: game for game in installed_games()}
plain = st.one_of(st.none(), st.booleans(), st.integers(-(2**40), 2**40), st.text(max_size=5))


def values(kind: inspect.Type) -> st.SearchStrategy[Any]:
    """Anything that a field of this type may hold."""
    match kind:
        case (
            inspect.StructType(cls=cls, fields=fields)
            | inspect.DataclassType(cls=cls, fields=fields)
        ):
            return st.builds(cls, **{field.name: values(field.type) for field in fields})
        case inspect.UnionType(types=types):
            return st.one_of([values(each) for each in types])
        case inspect.ListType(item_type=item):
            return st.lists(values(item), max_size=3)
        case inspect.TupleType(item_types=items):
            return st.tuples(*[values(each) for each in items])
        case inspect.VarTupleType(item_type=item):
            return st.lists(values(item), max_size=3).map(tuple)
        case inspect.DictType(key_type=key, value_type=value):
            return st.dictionaries(values(key), values(value), max_size=3)
        case inspect.EnumType(cls=cls):
            return st.sampled_from(cls)
        case inspect.StrType():
            return st.text(max_size=8)
        case inspect.IntType():
            return st.integers(-(2**62), 2**62)
        case inspect.BytesType():
            return st.binary(max_size=20)
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case inspect.AnyType():
            return plain
        case inspect.CustomType(cls=cls) if cls is Content:
            return st.builds(Content, st.text(max_size=8), st.binary(max_size=20))
        case _:
            raise AssertionError(f"no values are known of {kind}")


def of(kind: Any) -> st.SearchStrategy[Any]:
    return values(inspect.type_info(kind))


@st.composite
def rosters(draw: st.DrawFn) -> Roster:
    game = draw(st.sampled_from(list(GAMES.values())))
    roster: Roster = draw(of(Roster))
    roster.game, roster.settings = game.id, game.settings()
    return roster


def asked(method: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """As the other node reads it."""
    (item,) = decode_items(encode([Ask(1, method, msgspec.Raw(encode(arguments)))]))
    assert isinstance(item, Ask)
    return read_arguments(item)


def answered(method: str, answer: Any) -> Any:
    (item,) = decode_items(encode([Reply(1, None, msgspec.Raw(write_answer(answer)))]))
    assert isinstance(item, Reply)
    return read_answer(method, item.answer, GAMES)


def test_every_operation_has_a_function() -> None:
    at_the_bus = {"join", "move", "alive", "request"}
    known = {operation.name for operation in OPERATIONS} | BETWEEN_NODES.keys()
    assert known == FUNCTIONS.keys() | at_the_bus


VERSION_2 = {
    "Frame": ["connection", "data"],
    "Bounced": ["connection", "data"],
    "Gone": ["connection"],
    "Say": ["connections", "data"],
    "End": ["connections", "code", "reason"],
    "Version": ["table", "version"],
    "MovedTo": ["connection", "table", "code", "place", "version"],
    "HereNow": ["connection", "table", "version", "done"],
    "Released": ["table"],
    "Note": ["data"],
    "Ask": ["number", "method", "arguments"],
    "Reply": ["number", "refused", "answer"],
}
OPERATIONS_2 = {
    "open", "run", "pin", "common", "find", "list_tables", "list_all", "replay", "replay_frames",
    "join", "move", "rejoin", "alive", "request",
}  # fmt: skip


def test_what_older_nodes_can_not_read_makes_a_new_version() -> None:
    """If this fails, an item is new or has changed: raise `VERSIONS`, as is said there, and write
    down beside `VERSION_2` what the new version says. A version stays as it was once it was out."""
    assert VERSIONS == (2,)
    items = {item.__struct_config__.tag: item.__struct_fields__ for item in get_args(AnyItem)}
    assert {tag: list(fields) for tag, fields in items.items()} == VERSION_2
    assert BETWEEN_NODES.keys() == OPERATIONS_2


@pytest.mark.parametrize("method", BETWEEN_NODES)
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_question_arrives_as_it_was_asked(method: str, data: st.DataObject) -> None:
    arguments = data.draw(of(BETWEEN_NODES[method].arguments))
    assert asked(method, arguments) == arguments


@pytest.mark.parametrize("kind", get_args(do.Input), ids=lambda kind: kind.__name__)
@settings(max_examples=20, deadline=None)
@given(st.data())
def test_every_input_arrives_as_it_was_sent(kind: Any, data: st.DataObject) -> None:
    entry = data.draw(of(kind))
    request = RunRequest("table", "visitor", entry)
    assert asked("run", (request,)) == (request,)


@settings(max_examples=60, deadline=None)
@given(rosters())
def test_a_roster_arrives_with_its_content_named(roster: Roster) -> None:
    there = answered("find", roster)
    assert there == roster
    assert not any(each.here for each in there.content.values())


@settings(max_examples=30, deadline=None)
@given(st.lists(rosters(), max_size=3), st.integers(0, 2**60))
def test_a_page_of_a_list_arrives(tables: list[Roster], next_: int) -> None:
    there = answered("list_tables", TablePage(tables, next_))
    assert there == TablePage(tables, next_)


SPECIAL = {"find", "list_tables", "list_all", "replay", "replay_frames"}


@pytest.mark.parametrize("method", sorted(BETWEEN_NODES.keys() - SPECIAL))
@settings(max_examples=30, deadline=None)
@given(st.data())
def test_every_other_answer_arrives(method: str, data: st.DataObject) -> None:
    kind = BETWEEN_NODES[method].answer
    answer: Any = data.draw(rosters() if kind is Roster else of(kind))
    assert answered(method, answer) == answer


@pytest.mark.parametrize("method", ["replay", "replay_frames"])
@given(st.binary())
def test_a_replay_arrives(method: str, told: bytes) -> None:
    assert bytes(answered(method, msgspec.Raw(told))) == told


@given(of(Refusal))
def test_a_refusal_arrives(refusal: Refusal) -> None:
    (item,) = decode_items(encode([Reply(1, refusal, msgspec.Raw(b"\xc0"))]))
    assert isinstance(item, Reply)
    assert item.refused == refusal
