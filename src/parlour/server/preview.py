"""Tags of the page for programs that show a preview of a link (Open Graph).

These programs run no scripts, so the server writes the tags into the page's head. The tags repeat
only what the address says: the game, but nothing of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from aiohttp import web

from parlour.protocol import Game
from parlour.server.brought import files_of
from parlour.server.page import folder
from parlour.server.policy import RequestPolicy


class LinkPreview:
    """Meta tags for each address of the page."""

    def __init__(
        self, games: Sequence[Game], public_url: str | None, policy: RequestPolicy
    ) -> None:
        self._games = {game.id: game for game in games}
        self._public_url = (public_url or "").rstrip("/")
        self._policy = policy

    def tags(self, request: web.Request) -> str:
        place, _, rest = request.path.lstrip("/").partition("/")
        game = self._games.get(rest.partition("/")[0])
        title, text = "Parlour", "Card games with friends, bots and strangers, at your own table."
        picture = "share.png"
        if game is not None and place in ("table", "play", "learn"):
            title, text, picture = game.name, game.blurb, _picture(game)
        elif place == "replay":
            title, text = "A replay", "A finished match to watch, move by move."
        elif place == "evening":
            title, text = "A game night", "Friends who play one game after another. Come along."
        told = {
            "type": "website",
            "site_name": "Parlour",
            "title": title,
            "description": text,
            # Programs that fetch pictures need the whole address.
            "image": f"{self._public_url or self._here(request)}/{picture}",
        }
        return "".join(
            f'<meta property="og:{name}" content="{escape(value)}" />'
            for name, value in told.items()
        )

    def _here(self, request: web.Request) -> str:
        came = self._policy.arrival(request)
        return f"{came.scheme}://{came.host}"


def _picture(game: Game) -> str:
    """The path of a game's own picture, or of everybody's."""
    if "share.png" in files_of(game.assets):
        return f"package/{game.id}/share.png"
    own = f"share-{game.id}.png"
    return own if (folder() / own).is_file() else "share.png"
