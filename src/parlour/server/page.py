"""The page, as files: built from `web/` into this package, served with strict headers."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from aiohttp import web

from parlour.server.connection import UnclosedWebSocket

ROUTES = (
    "/",
    "/table/{rest:.*}",
    "/play/{rest:.*}",
    "/replay/{rest:.*}",
    "/{game}/{code}/screen",
    "/{game}/{channel}/overlay",
)
"""Addresses the page finds its own way from."""

SECURITY = {
    "Content-Security-Policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

_UNBUILT = """<!doctype html><meta charset="utf-8"><title>Parlour</title>
<h1>Parlour is running</h1>
<p>Its page has not been built yet. <code>make page</code> builds it; bots can play already.</p>"""


def folder() -> Path:
    return Path(str(files("parlour"))) / "page"


class Index:
    """The one HTML file, whose addresses are made those of this house."""

    def __init__(self, file: Path, root: str) -> None:
        self._file = file
        self._root = root
        self._read_at = -1
        self._text = ""

    def text(self) -> str:
        """As it is now: the page may be built anew while the house is open."""
        try:
            changed = self._file.stat().st_mtime_ns
            if changed != self._read_at:
                self._text = self._file.read_text("utf-8").replace('"./', f'"{self._root}/')
                self._read_at = changed
        except OSError:
            return _UNBUILT
        return self._text


def add_page(app: web.Application, root: str = "") -> None:
    """Serve the page: hashed assets for ever, everything else checked each time.

    `root` is the path that its addresses begin with, as browsers see them.
    """
    built = folder()
    page = Index(built / "index.html", root)

    async def index(request: web.Request) -> web.StreamResponse:
        headers = {"Cache-Control": "no-cache"}
        return web.Response(text=page.text(), content_type="text/html", headers=headers)

    async def top_level(request: web.Request) -> web.StreamResponse:
        # Only names that lie in the folder itself: icons, the manifest, the service worker.
        file = built / request.match_info["name"]
        if not file.is_file():
            raise web.HTTPNotFound
        return web.FileResponse(file, headers={"Cache-Control": "no-cache"})

    for route in ROUTES:
        app.router.add_get(route, index)
    if (built / "assets").is_dir():
        # aiohttp sends the file with .br or .gz behind its name, if the browser takes that.
        app.router.add_static("/assets/", built / "assets")
    endings = "svg|png|ico|js|json|txt|webmanifest"
    app.router.add_get(rf"/{{name:[A-Za-z0-9_-]+\.(?:{endings})}}", top_level)


async def secure(request: web.Request, response: web.StreamResponse) -> None:
    """The headers every answer carries, but one that has to be short."""
    if isinstance(response, UnclosedWebSocket):
        return
    for name, value in SECURITY.items():
        response.headers.setdefault(name, value)
    # aiohttp would name itself and its version here, for attackers to look up.
    response.headers["Server"] = "Parlour"
    if request.path.startswith("/assets/") and response.status == 200:
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        response.headers["Vary"] = "Accept-Encoding"
    else:
        # Answers hold tokens and private tables: no cache may keep them.
        response.headers.setdefault("Cache-Control", "no-store")
