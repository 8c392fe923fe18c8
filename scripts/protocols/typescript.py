"""The messages of sockets and HTTP as TypeScript, for the page.

A module has types for both directions, and for what the server sends also shapes, with which the
page checks it (web/src/lib/shapes.ts). Both are made from the same structs.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import inspect as mi

from parlour.described import Struct
from parlour.documents.messages import Field, Messages, Types, doc_of, reach
from parlour.protocol import RouteSet

WIDTH = 100
NAMED_FROM = 5
"""A literal of so many words is named after its field."""

_PLAIN: dict[type[mi.Type], str] = {
    mi.AnyType: "unknown",
    mi.RawType: "unknown",
    mi.NoneType: "null",
    mi.BoolType: "boolean",
    mi.IntType: "number",
    mi.FloatType: "number",
    mi.StrType: "string",
    mi.UUIDType: "string",
}


def messages_module(title: str, wire: Messages) -> str:
    """A wire's messages."""
    incoming, outgoing = _union_names(wire)
    module = _Module(wire, {incoming, outgoing}, wire.codec.__module__)
    (tag,) = {struct.__struct_config__.tag_field for struct in wire.outgoing}
    assert isinstance(tag, str)
    kinds = {str(s.__struct_config__.tag): s.__name__ for s in wire.outgoing}
    sent, taken = module.interfaces()
    blocks = [
        *sent,
        _type(outgoing, list(kinds.values())),
        *taken,
        _type(incoming, [s.__name__ for s in wire.incoming]),
        *module.shapes(exported=()),
        module.union(outgoing, tag, kinds),
    ]
    return module.text(f"{title}: the messages, as they go over the wire.", blocks)


def bodies_module(title: str, routes: RouteSet) -> str:
    """The bodies of a set of routes."""
    bodies = Types(
        routes.title,
        structs_in([route.body for route in routes.routes]),
        structs_in([route.gives for route in routes.routes]),
    )
    module = _Module(bodies, set())
    sent, taken = module.interfaces()
    blocks = [*sent, *taken, *module.shapes(exported=bodies.outgoing)]
    return module.text(f"{title}: what is sent and answered over HTTP.", blocks)


class _Module:
    def __init__(self, types: Types, unions: set[str], *modules: str) -> None:
        """`modules`: where to look for names first."""
        self._types = types
        self._structs = {struct.__name__ for struct in types.structs()}
        self._names: dict[str, str] = {}
        self._used: dict[str, str] = {}
        self._literals: dict[str, str] = {}
        """The shape of each literal that has a name, by that name."""
        self._imports = {"struct"}
        self._unions = unions
        self._orders: dict[frozenset[Any], list[Any]] = {}
        """The values of literals in the order of the source; msgspec sorts them."""
        for struct in types.structs():
            for field in msgspec.structs.fields(struct):
                for values in _literals(field.type):
                    self._orders.setdefault(frozenset(values), values)
        for name, union in _aliases(types.structs(), modules).items():
            if len(get_args(union)) > 1 and name not in self._unions:
                # In Python a message and a literal of another module may share a name.
                name += "Name" if name in self._structs else ""
                self._names.setdefault(self._inline(mi.type_info(union)), name)

    def text(self, about: str, blocks: list[str]) -> str:
        """The whole module."""
        head = (
            f"/** {about}\n *\n * Made by `make types` from the server's own; change them there. */"
        )
        named = [_type(name, _parts(text)) for text, name in self._used.items()]
        body = "\n\n".join([*named, *blocks])
        names = [*(f"  {name}," for name in sorted(self._imports)), "  type Shape,"]
        imports = "\n".join(["import {", *names, "} from '../lib/shapes'"])
        return "\n\n".join([head, imports, body]) + "\n"

    def interfaces(self) -> tuple[list[str], list[str]]:
        """Those of what the server sends, and of what only clients send."""
        sent: list[str] = []
        taken: list[str] = []
        for struct in self._types.structs():
            (taken if struct in self._types.incoming else sent).append(self._interface(struct))
        return sent, taken

    def shapes(self, exported: Sequence[Struct]) -> list[str]:
        """Constants for the shapes of what the server sends, parts first."""
        found: list[str] = []
        for struct in dict.fromkeys(reach(self._types.outgoing)):
            config = struct.__struct_config__
            fields: dict[str, str] = {}
            if config.tag is not None:
                fields[str(config.tag_field)] = self._call("oneOf", _quoted(config.tag))
            for field in self._types.fields(struct):
                shape = self._shape(_kind(field))
                fields[field.name] = shape if field.always else self._call("maybe", shape)
            found.append(_constant(struct.__name__, "struct(", fields, struct in exported))
        literals = [_literal(name, shape) for name, shape in self._literals.items()]
        return [*literals, *found]

    def union(self, name: str, tag: str, kinds: dict[str, str]) -> str:
        """The shape of what the server sends: by the value of the field `tag`, a struct."""
        self._imports.add("messages")
        return _constant(name, f"messages({_quoted(tag)}, ", kinds, exported=True)

    def _interface(self, struct: Struct) -> str:
        lines = [*_comment(doc_of(struct), ""), f"export interface {struct.__name__} {{"]
        config = struct.__struct_config__
        if config.tag is not None:
            lines.append(f"  {config.tag_field}: {_quoted(config.tag)}")
        for field in self._types.fields(struct):
            lines += _comment(field.doc, "  ")
            kind = self._of(struct, field)
            lines.append(f"  {field.name}{'' if field.always else '?'}: {kind}")
        return "\n".join([*lines, "}"])

    def _of(self, struct: Struct, field: Field) -> str:
        kind = _kind(field)
        if isinstance(kind, mi.LiteralType):
            self._name_after(struct, field, kind)
        return self._text(kind)

    def _name_after(self, struct: Struct, field: Field, kind: mi.LiteralType) -> None:
        if len(kind.values) < NAMED_FROM or not all(isinstance(v, str) for v in kind.values):
            return
        name = field.name.title().replace("_", "")
        if name in self._structs | self._unions | set(self._names.values()):
            name = struct.__name__ + name
        self._names.setdefault(self._inline(kind), name)

    def _text(self, kind: mi.Type) -> str:
        """The type, by its name where it has one."""
        inline = self._inline(kind)
        if inline in self._names:
            return self._used.setdefault(inline, self._names[inline])
        return inline

    def _inline(self, kind: mi.Type) -> str:
        if type(kind) in _PLAIN:
            return _PLAIN[type(kind)]
        if isinstance(kind, mi.Metadata):
            return self._inline(kind.type)
        if isinstance(kind, mi.LiteralType):
            return " | ".join(_quoted(value) for value in self._in_order(kind))
        if isinstance(kind, mi.StructType):
            return kind.cls.__name__
        if isinstance(kind, mi.UnionType):
            # Null last, as people write it.
            parts = sorted(kind.types, key=lambda part: isinstance(part, mi.NoneType))
            return " | ".join(dict.fromkeys(self._text(part) for part in parts))
        if isinstance(kind, mi.DictType):
            return f"Record<string, {self._text(kind.value_type)}>"
        if isinstance(kind, mi.TupleType):
            return f"[{', '.join(self._text(part) for part in kind.item_types)}]"
        if isinstance(kind, mi.CollectionType):
            item = self._text(kind.item_type)
            return f"({item})[]" if " | " in item else f"{item}[]"
        raise TypeError(f"no TypeScript for {kind}")

    def _shape(self, kind: mi.Type) -> str:
        if type(kind) in _PLAIN:
            name = "nil" if isinstance(kind, mi.NoneType) else _PLAIN[type(kind)]
            self._imports.add(name)
            return name
        if isinstance(kind, mi.Metadata):
            return self._shape(kind.type)
        if isinstance(kind, mi.LiteralType):
            values = [_quoted(value) for value in self._in_order(kind)]
            shape = self._call("oneOf", *values)
            named = self._used.get(" | ".join(values))
            if named is not None:
                self._literals[named] = shape
            return named or shape
        if isinstance(kind, mi.StructType):
            return kind.cls.__name__
        if isinstance(kind, mi.UnionType):
            # Null last: of a value that fits none, what is wrong with the first is reported.
            parts = sorted(kind.types, key=lambda part: isinstance(part, mi.NoneType))
            shapes = list(dict.fromkeys(self._shape(part) for part in parts))
            return shapes[0] if len(shapes) == 1 else self._call("or", *shapes)
        if isinstance(kind, mi.DictType):
            return self._call("record", self._shape(kind.value_type))
        if isinstance(kind, mi.TupleType):
            return self._call("tuple", *(self._shape(part) for part in kind.item_types))
        if isinstance(kind, mi.CollectionType):
            return self._call("list", self._shape(kind.item_type))
        raise TypeError(f"no shape for {kind}")

    def _in_order(self, literal: mi.LiteralType) -> list[Any]:
        return self._orders.get(frozenset(literal.values), list(literal.values))

    def _call(self, name: str, *arguments: str) -> str:
        """A call of a function of shapes.ts, which is imported then."""
        self._imports.add(name)
        return f"{name}({', '.join(arguments)})"


def structs_in(types: Sequence[Any]) -> list[Struct]:
    found = dict.fromkeys(t for t in types if isinstance(t, type))
    return [t for t in found if issubclass(t, msgspec.Struct)]


def _union_names(wire: Messages) -> tuple[str, str]:
    """The codec's module's own names for the two unions."""
    own = vars(sys.modules[wire.codec.__module__])
    incoming, outgoing = (
        next((name for name, value in own.items() if name[0].isupper() and value == union), None)
        for union in wire.unions
    )
    return (incoming, outgoing) if incoming and outgoing else ("Incoming", "Outgoing")


def _aliases(structs: list[Struct], modules: Sequence[str]) -> dict[str, Any]:
    """Names for literals and unions of parts, in these modules and those of the structs."""
    found: dict[str, Any] = {}
    for module in dict.fromkeys((*modules, *(struct.__module__ for struct in structs))):
        for name, value in vars(sys.modules[module]).items():
            origin = get_origin(value)
            ours = origin in (Union, UnionType) and set(get_args(value)) <= set(structs)
            if name[0].isupper() and (ours or origin is Literal):
                found.setdefault(name, value)
    return found


def _literals(hint: Any) -> Iterator[list[Any]]:
    """The values of every literal in an annotation."""
    if get_origin(hint) is Literal:
        yield list(get_args(hint))
    else:
        for part in get_args(hint):
            yield from _literals(part)


def _kind(field: Field) -> mi.Type:
    """The type of a field that is present; without null, if a null is left out."""
    kind = field.type
    if field.never_null and isinstance(kind, mi.UnionType):
        return mi.UnionType(tuple(t for t in kind.types if not isinstance(t, mi.NoneType)))
    return kind


def _constant(name: str, call: str, fields: dict[str, str], exported: bool) -> str:
    start = f"export const {name}: Shape<{name}> = " if exported else f"const {name} = "
    if not fields:
        return f"{start}{call}{{}})"
    lines = [f"  {key}: {shape}," if key != shape else f"  {key}," for key, shape in fields.items()]
    return "\n".join([f"{start}{call}{{", *lines, "})"])


def _literal(name: str, shape: str) -> str:
    line = f"const {name} = {shape}"
    if len(line) <= WIDTH:
        return line
    values = shape.removeprefix("oneOf(").removesuffix(")").split(", ")
    return "\n".join([f"const {name} = oneOf(", *(f"  {value}," for value in values), ")"])


def _type(name: str, parts: list[str]) -> str:
    line = f"export type {name} = {' | '.join(parts)}"
    if len(line) <= WIDTH:
        return line
    line = f"  {' | '.join(parts)}"
    if len(line) <= WIDTH:
        return f"export type {name} =\n{line}"
    return "\n".join([f"export type {name} =", *(f"  | {part}" for part in parts)])


def _parts(union: str) -> list[str]:
    return union.split(" | ")


def _quoted(value: Any) -> str:
    if isinstance(value, str):
        return "'" + json.dumps(value)[1:-1].replace("'", "\\'") + "'"
    return json.dumps(value)


def _comment(doc: str, indent: str) -> list[str]:
    """A doc comment on one line, or filled."""
    if not doc:
        return []
    paragraphs = [" ".join(each.split()) for each in re.split(r"\n\s*\n", doc)]
    line = f"{indent}/** {paragraphs[0]} */"
    if len(paragraphs) == 1 and len(line) <= WIDTH:
        return [line]
    lines = [f"{indent}/**"]
    for number, paragraph in enumerate(paragraphs):
        if number:
            lines.append(f"{indent} *")
        words = paragraph.split(" ")
        line = f"{indent} *"
        for word in words:
            if len(line) + 1 + len(word) > WIDTH:
                lines.append(line)
                line = f"{indent} *"
            line += f" {word}"
        lines.append(line)
    return [*lines, f"{indent} */"]
