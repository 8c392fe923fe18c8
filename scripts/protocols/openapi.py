"""OpenAPI 3.1 documents, from sets of routes."""

from __future__ import annotations

import inspect
import re
from typing import Any

import msgspec

from parlour.protocol import Route, RouteSet
from parlour.server.routes import STATUS

_WHO = {
    "nobody": "Needs no session.",
    "anybody": "A session is looked at, if there is one.",
    "known": "Needs a session: 401 without one, 403 with a bad one.",
    "newcomer": "Who has no session gets one with the answer.",
}


def openapi(routes: RouteSet) -> dict[str, Any]:
    """The document of one set of routes."""
    types = _types(routes)
    _, components = msgspec.json.schema_components(
        types, ref_template="#/components/schemas/{name}"
    )
    for component in components.values():
        if "description" in component:
            # Python 3.13 removes the indentation of docstrings, earlier versions keep it.
            component["description"] = inspect.cleandoc(component["description"])
    paths: dict[str, dict[str, Any]] = {}
    for route in routes.routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, routes)
    return {
        "openapi": "3.1.0",
        "info": {"title": routes.title, "version": "1"},
        "paths": paths,
        "components": {"schemas": components},
    }


def _types(routes: RouteSet) -> list[Any]:
    named = [t for r in routes.routes for t in (r.body, r.gives) if t is not None and t is not Any]
    return list(dict.fromkeys(named))


def _operation(route: Route, routes: RouteSet) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "summary": route.summary,
        "description": _WHO[route.who],
        "operationId": f"{route.method.lower()}{_camel(route.path)}",
    }
    names = re.findall(r"\{(\w+)\}", route.path)
    if names:
        operation["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in names
        ]
    if route.body is not None:
        operation["requestBody"] = {"content": _json(_schema(route.body))}
    refused = _json({"example": routes.refusal("a-code", "A sentence.")})
    operation["responses"] = {
        str(route.status): {"description": "Done.", "content": _json(_schema(route.gives))},
        "default": {
            "description": "Refused; by code one of "
            + ", ".join(str(status) for status in sorted({*STATUS.values(), 409}))
            + ".",
            "content": refused,
        },
    }
    return operation


def _schema(kind: Any) -> dict[str, Any]:
    if kind is Any:
        return {}
    (schema,), _ = msgspec.json.schema_components(
        [kind], ref_template="#/components/schemas/{name}"
    )
    return schema


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    if "example" in schema:
        return {"application/json": schema}
    return {"application/json": {"schema": schema}}


def _camel(path: str) -> str:
    return "".join(word.capitalize() for word in re.findall(r"\w+", path))
