"""Who may come in (spec: "Flat", "Enveloped"): the close codes both forms share."""

from __future__ import annotations

from parlour.protocol import CloseWith, Hello
from parlour.table import Roster

BAD_SUBPROTOCOL = 3000
BAD_TOKEN = 3001
BAD_USER = 3002
NO_SUCH_LOBBY = 3003


def check_caller(
    hello: Hello, subprotocols: tuple[str, ...], optional: bool = False
) -> CloseWith | None:
    """The subprotocol, then who they say they are. Saying nothing makes a guest."""
    offered = any(name in subprotocols for name in hello.offered)
    if not offered and not (optional and not hello.offered):
        return CloseWith(BAD_SUBPROTOCOL, f"This socket speaks {' or '.join(subprotocols)}.")
    if hello.bad_user:
        return CloseWith(BAD_USER, "This token names no user.")
    if hello.bad_token:
        return CloseWith(BAD_TOKEN, "This token is not one of ours.")
    return None


def check_lobby(hello: Hello, roster: Roster | None) -> CloseWith | None:
    """A lobby is named by its id or its code: to know either is enough to enter."""
    wanted = hello.params["lobby_id"]
    if roster is None or roster.game != "cambia" or wanted not in (roster.id, roster.code):
        return CloseWith(NO_SUCH_LOBBY, "There is no such lobby.")
    return None
