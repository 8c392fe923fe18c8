"""The doors: who is let in, how others are refused (spec: "Transport", "Tokens", "Closing")."""

from __future__ import annotations

import re
from typing import ClassVar, Final

import msgspec

from parlour.games.quips.wire.messages import Reason, SendRejectClient, SendRejectExtended
from parlour.protocol import At, CloseWith, Common, Door, Hello, Origins, Seek

SPECTATE: Final = "/spectate"

_encode: Final = msgspec.json.Encoder().encode

REJECTED: Final = 1000
"""After any code but this one and 1001, existing clients reconnect forever."""
RESTART: Final = 1012
TRY_LATER: Final = 1013

KICKED: Final = "reject_kicked"
"""For clients with our extensions. Others know only `reject_banned`."""

_REASONS: Final[dict[str, Reason]] = {
    "table-full": "reject_server_full",
    "house-full": "reject_server_full",
    "locked": "reject_server_full",
    "bad-password": "reject_bad_password",
    "duplicate": "reject_duplicate",
    "banned": "reject_banned",
    "kicked": "reject_banned",
    "reject_afk": "reject_afk",
    "no-such-table": "reject_no_such_table",
}
"""By our own codes. Other refusals are temporary, and the client may try again."""

_ESCAPE: Final = re.compile(rb"%([0-9A-Fa-f]{2})")
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}")


def decoded(cookie: str) -> str:
    """A cookie's value as it was before it was percent-encoded; `+` stays what it is."""
    data = cookie.encode("utf-8", "surrogateescape")
    plain = _ESCAPE.sub(lambda found: bytes((int(found[1], 16),)), data)
    return plain.decode("utf-8", "replace")


class NewerDoor(Door):
    """For the newer generation of existing clients."""

    origins: ClassVar[Origins] = Origins.SAME_HOST

    def seek(self, hello: Hello) -> Seek:
        """Where a connection belongs. The query goes before cookies; empty values are ignored."""

        def said(*names: str) -> str | None:
            given = [hello.query.get(name) for name in names]
            given += [decoded(hello.cookies.get(name, "")) for name in names]
            return next(filter(None, given), None)

        table = said("table")
        language = said("client_lang") or ""
        watch = hello.path == SPECTATE
        # The session counts only with a table or a token in the query: browsers send our page's
        # cookies for existing clients, too.
        known = hello.visitor is not None and bool({"table", "token"} & hello.query.keys())
        return Seek(
            where=Common() if table is None else At("".join(table.split())),
            watch=watch,
            key=said("password", "game_password"),
            claim=None if watch else said("player_token"),
            stranger=not known,
            resumable=True,
            name=said("name"),
            language=language if _LANGUAGE.fullmatch(language) else "",
        )

    def turn_away(self, code: str, sentence: str) -> CloseWith:
        reason = _REASONS.get(code)
        if reason is None:
            return CloseWith(RESTART if code == "closing" else TRY_LATER, sentence)
        return CloseWith(REJECTED, reason, _encode(SendRejectClient(reason, sentence)))


class OlderDoor(NewerDoor):
    """For the older generation, which knows no token."""

    def meant(self, hello: Hello) -> bool:
        """Spec: an `Origin` header and no query; cookies may be left over from a newer client."""
        return hello.origin is not None and not hello.query

    def seek(self, hello: Hello) -> Seek:
        # A token in a cookie belongs to a newer client in the same browser.
        return msgspec.structs.replace(super().seek(hello), claim=None, by_name=True)


class ExtendedDoor(NewerDoor):
    """For clients that ask for our extensions."""

    def meant(self, hello: Hello) -> bool:
        return "extended" in hello.query

    def turn_away(self, code: str, sentence: str) -> CloseWith:
        """Somebody who was put out, but may come back, is told so."""
        if code != "kicked":
            return super().turn_away(code, sentence)
        return CloseWith(REJECTED, KICKED, _encode(SendRejectExtended(KICKED, sentence)))
