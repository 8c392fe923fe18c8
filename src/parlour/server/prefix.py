"""A house below a path of somebody's host: https://cards.example/parlour/ (`public_url`).

Some proxies take the path away before they ask us, some do not; both are understood. It is taken
off a request before anything else looks at it, so that no route and no log knows of it. What goes
out needs it in two places: the page (`page.py`) and the cookies (`sessions.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from aiohttp import web
from aiohttp.http_parser import RawRequestMessage
from yarl import URL

from parlour.server.config import BadConfig

Factory = Callable[..., web.BaseRequest]


def check_root(root: str, paths: Iterable[str]) -> None:
    """Raise `BadConfig` if a path is one of our own: nobody could tell the two apart."""
    first = root.split("/")[1] if root else ""
    if first and any(path.split("/")[1:2] == [first] for path in paths):
        raise BadConfig(
            f"public_url can't have the path {root}: addresses of the house begin with /{first}, "
            "too. Choose another one, /parlour/ say."
        )


def take_off(root: str, server: web.Server) -> None:
    """Let every request to `server` that begins with `root` look as if it did not."""
    make: Factory = server.request_factory

    def without(message: RawRequestMessage, *rest: Any) -> web.BaseRequest:
        path, mark, query = message.path.partition("?")
        if path == root or path.startswith(f"{root}/"):
            path = path[len(root) :] or "/"
            url = URL.build(path=path, query_string=query, encoded=True)
            message = message._replace(path=f"{path}{mark}{query}", url=url)
        return make(message, *rest)

    if root:
        server.request_factory = without
