"""A wire's messages as TypeScript, for the page."""

from __future__ import annotations

import json
import re
from typing import Any, get_args

from msgspec import inspect as mi

from protocols.messages import Field, Messages, Struct, doc_of

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


def typescript(title: str, wire: Messages) -> str:
    """The whole module."""
    return _Module(title, wire).text()


class _Module:
    def __init__(self, title: str, wire: Messages) -> None:
        self._title = title
        self._wire = wire
        self._structs = {struct.__name__ for struct in wire.structs()}
        self._names: dict[str, str] = {}
        self._used: dict[str, str] = {}
        incoming, outgoing = wire.union_names()
        self._unions = {incoming, outgoing}
        for name, union in wire.aliases().items():
            if len(get_args(union)) > 1 and name not in self._unions:
                # In Python a message and a literal of another module may share a name.
                name += "Name" if name in self._structs else ""
                self._names.setdefault(self._inline(mi.type_info(union)), name)

    def text(self) -> str:
        wire = self._wire
        incoming, outgoing = wire.union_names()
        sent: list[Struct] = []
        taken: list[Struct] = []
        for struct in wire.structs():
            (taken if struct in wire.incoming else sent).append(struct)
        blocks = [
            *(self._interface(struct) for struct in sent),
            _type(outgoing, [s.__name__ for s in wire.outgoing]),
            *(self._interface(struct) for struct in taken),
            _type(incoming, [s.__name__ for s in wire.incoming]),
        ]
        head = (
            f"/** {self._title}: the messages, as they go over the wire.\n *\n"
            " * Made by `make types` from the server's own; change them there. */"
        )
        named = [_type(name, _parts(text)) for text, name in self._used.items()]
        return "\n\n".join([head, *named, *blocks]) + "\n"

    def _interface(self, struct: Struct) -> str:
        lines = [*_comment(doc_of(struct), ""), f"export interface {struct.__name__} {{"]
        config = struct.__struct_config__
        if config.tag is not None:
            lines.append(f"  {config.tag_field}: {_quoted(config.tag)}")
        for field in self._wire.fields(struct):
            lines += _comment(field.doc, "  ")
            kind = self._of(struct, field)
            lines.append(f"  {field.name}{'' if field.always else '?'}: {kind}")
        return "\n".join([*lines, "}"])

    def _of(self, struct: Struct, field: Field) -> str:
        kind = field.type
        if field.never_null and isinstance(kind, mi.UnionType):
            kind = mi.UnionType(tuple(t for t in kind.types if not isinstance(t, mi.NoneType)))
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
            return " | ".join(_quoted(value) for value in self._wire.in_order(kind))
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
