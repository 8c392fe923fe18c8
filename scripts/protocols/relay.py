"""The JSON Schema of the relay's messages, and of what ONU puts into them."""

from __future__ import annotations

from typing import Any

import msgspec

from parlour.games.onu.messages import CONTENTS
from parlour.wcp.message import DEEPEST, MOST_BYTES


def relay_schema() -> dict[str, Any]:
    """A frame is `$defs/frame`. By label, the JSON in its content has a schema of its own."""
    _, structs = msgspec.json.schema_components(
        set(CONTENTS.values()), ref_template="#/$defs/{name}"
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The Websocket Collab Protocol, and ONU over it",
        "$ref": "#/$defs/frame",
        "$defs": {
            "frame": {
                "description": (
                    f"One text frame of at most {MOST_BYTES} bytes, {DEEPEST} levels deep at most."
                ),
                "type": "object",
                "required": ["version", "type", "from", "to", "payload"],
                "properties": {
                    "version": {"type": "integer", "description": "It goes out as 1."},
                    "type": {"type": "string", "examples": ["message", "data"]},
                    "from": {"type": "string", "description": "The sender's user name."},
                    "to": {
                        "type": "array",
                        "items": {"type": "string"},
                        "description": "User names, or `all`.",
                    },
                    "payload": {"$ref": "#/$defs/payload"},
                },
            },
            "payload": {
                "type": "object",
                "required": ["name", "content"],
                "properties": {"name": {"type": "string"}, "content": {"type": "string"}},
                "allOf": [_content(label, kind.__name__) for label, kind in CONTENTS.items()],
            },
            **dict(sorted(structs.items())),
        },
    }


def _content(label: str, name: str) -> dict[str, Any]:
    """With this label, the content is the JSON of that."""
    content = {
        "contentMediaType": "application/json",
        "contentSchema": {"$ref": f"#/$defs/{name}"},
    }
    return {
        "if": {"properties": {"name": {"const": label}}},
        "then": {"properties": {"content": content}},
    }
