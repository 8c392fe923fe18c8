"""A wire's messages as its types and docstrings describe them."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args

import msgspec
from msgspec import inspect as mi

from parlour.described import Struct, field_docs


@dataclass(frozen=True)
class Field:
    """A field of a message or a part of one."""

    name: str
    type: mi.Type
    doc: str
    always: bool
    """Whether it is always present, in the direction in which its struct is sent."""
    never_null: bool
    """A null that is left out is never written."""


class Types:
    """The structs that clients send and those that the server sends, with all their parts."""

    def __init__(self, name: str, incoming: list[Struct], outgoing: list[Struct]) -> None:
        self.name = name
        self.incoming = incoming
        self.outgoing = outgoing
        self._sent = set(reach(self.outgoing))
        self._taken = set(reach(self.incoming))
        named = {struct.__name__: struct for struct in self.structs()}
        if len(named) < len(self.structs()):
            twice = [s.__qualname__ for s in self.structs() if named[s.__name__] is not s]
            raise ValueError(f"{self.name}: two types share a name: {', '.join(twice)}")

    def structs(self) -> list[Struct]:
        """Structs that we send, then those that only clients send; parts before their wholes."""
        return [*dict.fromkeys((*reach(self.outgoing), *reach(self.incoming)))]

    def fields(self, struct: Struct) -> list[Field]:
        info = mi.type_info(struct)
        assert isinstance(info, mi.StructType)
        omits = struct.__struct_config__.omit_defaults
        docs = field_docs(struct)
        unset = {f.name for f in msgspec.structs.fields(struct) if f.default is msgspec.UNSET}
        # Clients may leave a default out; we leave it out only with `omit_defaults`.
        complete = struct in self._sent and not omits
        return [
            Field(
                field.encode_name,
                field.type,
                docs.get(field.name) or description(field.type),
                always=field.required or (complete and field.name not in unset),
                never_null=omits and field.default is None,
            )
            for field in info.fields
        ]

    def accepts_less(self, struct: Struct) -> bool:
        """Whether clients send it, and so may leave its defaults out."""
        return struct in self._taken


class Messages(Types):
    """Both unions of one wire, and everything they are made of."""

    def __init__(self, wire: Any) -> None:
        self.codec = type(wire.codec)
        self.paths: tuple[str, ...] = wire.paths
        self.subprotocols: tuple[str, ...] = wire.door.subprotocols
        self.envelope: Struct | None = None if wire.framing is None else wire.framing.envelope
        self.unions = (wire.codec.incoming, wire.codec.outgoing)
        """As the codec has them: what clients send, and what the server sends."""
        super().__init__(wire.name, *map(members, self.unions))

    @property
    def doc(self) -> str:
        """The docstrings of the codec's module and class."""
        module = sys.modules[self.codec.__module__]
        return f"{doc_of(module)}\n\n{doc_of(self.codec)}".strip()


def members(union: Any) -> list[Struct]:
    return list(get_args(union)) or [union]


def reach(structs: list[Struct]) -> Iterator[Struct]:
    """The structs and all they are made of, parts first."""
    seen: set[Struct] = set()

    def walk(kind: mi.Type) -> Iterator[Struct]:
        if isinstance(kind, mi.StructType):
            if kind.cls not in seen:
                seen.add(kind.cls)
                for field in kind.fields:
                    yield from walk(field.type)
                yield kind.cls
        elif isinstance(kind, mi.Metadata):
            yield from walk(kind.type)
        elif isinstance(kind, mi.UnionType):
            for part in kind.types:
                yield from walk(part)
        elif isinstance(kind, mi.TupleType):
            for part in kind.item_types:
                yield from walk(part)
        elif isinstance(kind, mi.DictType):
            yield from walk(kind.value_type)
        elif isinstance(kind, mi.CollectionType):
            yield from walk(kind.item_type)

    for struct in structs:
        yield from walk(mi.type_info(struct))


def doc_of(thing: Any) -> str:
    """Its own docstring, not an inherited one."""
    return inspect.cleandoc(vars(thing).get("__doc__") or "")


def description(kind: mi.Type) -> str:
    """The constraints of a type, from its `Meta`."""
    if isinstance(kind, mi.Metadata):
        return str((kind.extra_json_schema or {}).get("description", ""))
    return ""
