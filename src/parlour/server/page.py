"""The page: files built from `web/` into this package, served with strict headers."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from parlour.server.aiohttp_private import Handshake
from parlour.server.config import Config
from parlour.server.limits import RateLimiter
from parlour.server.policy import RequestPolicy

CheckRate: TypeAlias = Callable[[web.Request], None]
"""Raises `HTTPTooManyRequests` for an address that has sent too many."""

ROUTES = (
    "/",
    "/table/{rest:.*}",
    "/play/{rest:.*}",
    "/admin",
    "/learn/{rest:.*}",
    "/replay/{rest:.*}",
    "/evening/{rest:.*}",
    "/me",
    "/player/{rest:.*}",
    "/ratings/{rest:.*}",
    "/{game}/{code}/screen",
    "/{game}/{channel}/overlay",
)
"""Addresses that the page itself routes."""

SECURITY = {
    "Content-Security-Policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; "
        "form-action 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

_STAY_HTTPS = "max-age=15552000"
"""Half a year."""

_ABOUT = "<!-- about -->"
"""The place in the HTML file for what link previews are told."""

_UNBUILT = """<!doctype html><meta charset="utf-8"><title>Parlour</title>
<h1>Parlour is running</h1>
<p>Its page has not been built yet. <code>make page</code> builds it; bots can play already.</p>"""


def folder() -> Path:
    return Path(str(files("parlour"))) / "page"


class Index:
    """The HTML file, with its addresses made to begin with `root`."""

    def __init__(self, file: Path, root: str) -> None:
        self._file = file
        self._root = root
        self._read_at = -1
        self._text = ""

    def text(self, about: str) -> str:
        """The file with `about` in its head. It is read again when it has changed: the page may be
        built while the server runs."""
        try:
            changed = self._file.stat().st_mtime_ns
            if changed != self._read_at:
                self._text = self._file.read_text("utf-8").replace('"./', f'"{self._root}/')
                self._read_at = changed
        except OSError:
            return _UNBUILT
        return self._text.replace(_ABOUT, about)


def file_limit(config: Config, policy: RequestPolicy) -> CheckRate:
    """A limit for files alone: when many people at one address load the page at once, their games
    must not be slowed down."""
    files = RateLimiter(config.request_rate, config.request_burst)

    def check_rate(request: web.Request) -> None:
        if not files.take(policy.address(request)):
            raise web.HTTPTooManyRequests(text="That was too fast: slow down.\n")

    return check_rate


def add_page(
    app: web.Application, check_rate: CheckRate, about: Callable[[web.Request], str], root: str = ""
) -> None:
    """Serve the page: browsers cache hashed assets for ever, and revalidate everything else.

    `about` says what the head of the page tells link previews (`preview.py`); `root` is the path
    that its addresses begin with, as browsers see them.
    """
    built = folder()
    page = Index(built / "index.html", root)

    async def index(request: web.Request) -> web.StreamResponse:
        check_rate(request)
        headers = {"Cache-Control": "no-cache"}
        return web.Response(
            text=page.text(about(request)), content_type="text/html", headers=headers
        )

    async def asset(request: web.Request) -> web.StreamResponse:
        check_rate(request)
        return _file(built / "assets" / request.match_info["name"])

    async def top_level(request: web.Request) -> web.StreamResponse:
        # Files in the folder itself: icons, the manifest, the service worker.
        check_rate(request)
        return _file(built / request.match_info["name"], {"Cache-Control": "no-cache"})

    for route in ROUTES:
        app.router.add_get(route, index)
    # File systems take no longer names, and raise an error for them.
    app.router.add_get(r"/assets/{name:[A-Za-z0-9_.-]{1,120}}", asset)
    endings = "svg|png|ico|js|json|txt|webmanifest"
    app.router.add_get(rf"/{{name:[A-Za-z0-9_-]{{1,120}}\.(?:{endings})}}", top_level)


def _file(file: Path, headers: dict[str, str] | None = None) -> web.FileResponse:
    if not file.is_file():
        raise web.HTTPNotFound
    # aiohttp sends the compressed file (.br, .gz) beside it if the browser accepts that.
    return web.FileResponse(file, headers=headers)


def not_found(check_rate: CheckRate, root: str) -> Middleware:
    """A middleware: shows people the page, which says so, for unknown addresses."""
    page = Index(folder() / "index.html", root)

    @web.middleware
    async def show(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except web.HTTPNotFound:
            check_rate(request)
            if request.path.startswith("/api/") or "text/html" not in request.headers.get(
                "Accept", ""
            ):
                raise
            return web.Response(status=404, text=page.text(""), content_type="text/html")

    return show


async def secure(policy: RequestPolicy, request: web.Request, response: web.StreamResponse) -> None:
    """The headers of every answer, except of handshakes that must be short."""
    if isinstance(response, Handshake) and response.bare:
        return
    for name, value in SECURITY.items():
        response.headers.setdefault(name, value)
    if policy.https_alone(request):
        response.headers["Strict-Transport-Security"] = _STAY_HTTPS
    # aiohttp would name itself and its version here, which helps attackers.
    response.headers["Server"] = "Parlour"
    if request.path.startswith("/assets/") and response.status == 200:
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        response.headers["Vary"] = "Accept-Encoding"
    else:
        # Answers contain tokens and private tables: no cache may keep them.
        response.headers.setdefault("Cache-Control", "no-store")
