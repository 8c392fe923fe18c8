"""JSON Schema (2020-12) and AsyncAPI (3.0) documents of a wire."""

from __future__ import annotations

import inspect
import re
from typing import Any

import msgspec

from parlour.described import Struct, field_docs
from parlour.documents.messages import Messages, doc_of
from parlour.protocol import Game, Wire

Json = dict[str, Any]


def title(game: Game, wire: Wire) -> str:
    """The name of a game; and of the wire, unless it is the one that the page speaks."""
    return game.name if wire.name == game.id else f"{game.name}, {wire.name}"


def schema(title: str, wire: Messages) -> Json:
    """Every message of both directions, as JSON Schema; `frame` is what the server really sends."""
    envelope = _envelope(wire, [s.__struct_config__.tag for s in wire.outgoing], "#/$defs/outgoing")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "description": wire.doc,
        "anyOf": [{"$ref": "#/$defs/incoming"}, {"$ref": "#/$defs/frame"}],
        "$defs": {
            "frame": envelope or {"$ref": "#/$defs/outgoing"},
            "incoming": {
                "description": "What clients send.",
                "anyOf": _refs(wire.incoming, "#/$defs/"),
            },
            "outgoing": {
                "description": "What the server sends.",
                "anyOf": _refs(wire.outgoing, "#/$defs/"),
            },
            **_definitions(wire, "#/$defs/"),
        },
    }


def asyncapi(title: str, wire: Messages) -> Json:
    """The same as an AsyncAPI document, from the server's point of view."""
    channels: Json = {}
    operations: Json = {}
    for path in wire.paths:
        address, parameters = _address(path)
        name = re.sub(r"\W+", "-", address).strip("-")
        channels[name] = {
            "address": address,
            "title": title,
            "messages": {
                struct.__name__: {"$ref": f"#/components/messages/{struct.__name__}"}
                for struct in dict.fromkeys((*wire.outgoing, *wire.incoming))
            },
            "bindings": {"ws": {"method": "GET"}},
        }
        if parameters:
            channels[name]["parameters"] = {p: {"description": f"`{p}`"} for p in parameters}
        for action, structs in (("receive", wire.incoming), ("send", wire.outgoing)):
            operations[f"{action}-{name}"] = {
                "action": action,
                "channel": {"$ref": f"#/channels/{name}"},
                "messages": _refs(structs, f"#/channels/{name}/messages/"),
            }
    description = wire.doc
    if wire.subprotocols:
        offered = ", ".join(f"`{each}`" for each in wire.subprotocols)
        description += f"\n\nWebSocket subprotocol: {offered}."
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": title,
            "version": "1.0.0",
            "description": description,
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {"here": {"host": "localhost:3000", "protocol": "ws"}},
        "channels": channels,
        "operations": operations,
        "components": {
            "messages": {
                struct.__name__: _message(struct, wire)
                for struct in dict.fromkeys((*wire.outgoing, *wire.incoming))
            },
            "schemas": {
                name: _draft_7(each)
                for name, each in (
                    *_definitions(wire, "#/components/schemas/").items(),
                    *_enveloped(wire, "#/components/schemas/").items(),
                )
            },
        },
    }


def _refs(structs: list[Struct], where: str) -> list[Json]:
    return [{"$ref": f"{where}{struct.__name__}"} for struct in structs]


def _definitions(wire: Messages, where: str) -> Json:
    """msgspec's schemas with our docstrings; fields that are always sent are `required`."""
    structs = wire.structs()
    _, found = msgspec.json.schema_components(structs, ref_template=f"{where}{{name}}")
    for definition in found.values():
        if "description" in definition:
            # Until Python 3.13 a docstring keeps the indentation of its source.
            definition["description"] = inspect.cleandoc(definition["description"])
    for struct in structs:
        definition = found[struct.__name__]
        for field in wire.fields(struct):
            about = definition["properties"][field.name]
            if field.doc and "description" not in about:
                definition["properties"][field.name] = {"description": field.doc, **about}
            if field.always and field.name not in definition["required"]:
                if not wire.accepts_less(struct):
                    definition["required"].append(field.name)
    return found


def _envelope(wire: Messages, tags: list[Any], payload: str) -> Json | None:
    """The envelope around messages with these tags; None: there is none."""
    if wire.envelope is None:
        return None
    _, found = msgspec.json.schema_components([wire.envelope])
    made: Json = found[wire.envelope.__name__]
    for name, doc in field_docs(wire.envelope).items():
        made["properties"][name] = {"description": doc, **made["properties"][name]}
    made["properties"]["type"]["enum"] = tags
    # Readers of older drafts ignore keywords beside a `$ref`.
    made["properties"]["payload"] = {"$ref": payload}
    return made


def _enveloped(wire: Messages, where: str) -> Json:
    """Every message the server sends, in its envelope; nothing where there is none."""
    found: Json = {}
    for struct in wire.outgoing:
        tag, payload = struct.__struct_config__.tag, f"{where}{struct.__name__}"
        envelope = _envelope(wire, [tag], payload)
        if envelope is not None:
            name = f"Enveloped{struct.__name__}"
            found[name] = {**envelope, "title": name}
    return found


def _message(struct: Struct, wire: Messages) -> Json:
    tag = struct.__struct_config__.tag
    first, _, rest = doc_of(struct).partition("\n\n")
    message: Json = {"name": tag, "title": struct.__name__}
    if first:
        message["summary"] = " ".join(first.split())
    if rest:
        message["description"] = rest
    wrapped = wire.envelope is not None and struct in wire.outgoing
    name = f"Enveloped{struct.__name__}" if wrapped else struct.__name__
    return {**message, "payload": {"$ref": f"#/components/schemas/{name}"}}


def _address(path: str) -> tuple[str, list[str]]:
    """An aiohttp route as an AsyncAPI address: names without their patterns."""
    address = re.sub(r"\{(\w+)(:[^{}]*)?\}", r"{\1}", path)
    return address, re.findall(r"\{(\w+)\}", address)


def _draft_7(schema: Any) -> Any:
    """AsyncAPI's schemas are draft 7 with a discriminator that is a plain name."""
    if isinstance(schema, list):
        return [_draft_7(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: _draft_7(each) for key, each in schema.items()}
    if isinstance(plain.get("discriminator"), dict) and "propertyName" in plain["discriminator"]:
        plain["discriminator"] = plain["discriminator"]["propertyName"]
    if "$ref" in plain and len(plain) > 1:
        # Draft 7 ignores keywords beside a `$ref`.
        plain = {"allOf": [{"$ref": plain.pop("$ref")}], **plain}
    if "prefixItems" in plain:
        plain["items"] = plain.pop("prefixItems")
        plain["additionalItems"] = False
    return plain
