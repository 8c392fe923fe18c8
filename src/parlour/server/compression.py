"""Answers made smaller on their way. Files of the page are compressed when it is built."""

from __future__ import annotations

from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler

LEAST: Final = 1400
"""Bytes that fit into one packet anyway. What holds a token is shorter, too, so that nobody can
guess at one by how well it compresses together with something of their own."""


@web.middleware
async def compress_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    """gzip for JSON that is long enough to gain by it, for whoever takes it."""
    response = await handler(request)
    if not isinstance(response, web.Response) or response.content_type != "application/json":
        return response
    body = response.body
    if isinstance(body, bytes) and len(body) >= LEAST:
        response.headers["Vary"] = "Accept-Encoding"
        if "gzip" in request.headers.get("Accept-Encoding", "").lower():
            response.enable_compression(web.ContentCoding.gzip)
    return response
