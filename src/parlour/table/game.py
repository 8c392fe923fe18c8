"""A game as the table and the shell see it: one frozen record per game folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from parlour.kit import Bot, Illegal, Match, Millis, Seat
from parlour.rng import Rng
from parlour.table.wire import Wire

Deal = Callable[
    [Any, Sequence[str], Rng, Millis, Any],
    tuple[Match[Any, Any], list[Any]],
]
"""`(settings, players, rng, now, previous match) -> match, its first events`."""


def plain_name(name: str) -> str:
    """Trimmed, 1 to 20 characters, at least one letter or digit; anything printable."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= 20:
        raise Illegal("bad-name", "A name has 1 to 20 characters.")
    if not any(c.isalnum() for c in name):
        raise Illegal("bad-name", "A name needs at least one letter or digit.")
    if not name.isprintable():
        raise Illegal("bad-name", "A name can't hold control characters.")
    return name


@dataclass(frozen=True, kw_only=True)
class Game:
    """What one game folder offers. The table asks it; it never asks back."""

    id: str
    name: str
    blurb: str
    min_seats: int
    max_seats: int
    settings: type[msgspec.Struct]
    actions: tuple[type[Any], ...]
    deal: Deal
    view: Callable[[Any, Seat | None], Any]
    """What a seat may know of an event. What a spectator (None) is shown whole, everybody is."""
    wires: tuple[Wire, ...]
    bot: Callable[[Seat, Rng], Bot[Any, Any]] | None
    bot_names: tuple[str, ...] = ()

    told: Callable[[Any, int], Any] = field(default=lambda settings, players: settings)
    """The settings as clients are told them, with so many players at the table."""
    fewer_seats: Callable[[Any], int] | None = None
    """Where the settings allow fewer than `max_seats`: how many."""
    may_start: Literal["anyone", "host"] = "anyone"
    """Who may start, configure and seat bots."""
    needs_ready: bool = False
    """Whether people say "ready" first, and all being ready starts a countdown."""
    countdown: Callable[[Any], Millis | None] = field(default=lambda settings: None)
    """How long that countdown takes by the settings; None: as long as is usual on the wire
    of whoever was ready last."""
    starts_itself: Callable[[Any], bool] = field(default=lambda settings: True)
    """Whether there is a countdown at all under these settings; if not, somebody starts."""
    joins_midway: bool = False
    """Whether somebody may sit down while a match runs."""
    deals_at_once: bool = False
    """A game for one: the first to sit down finds the cards dealt."""
    goes_on: bool = False
    """Whether an end can be taken back: such a match is over only when its people have gone."""
    tells_all: bool = False
    """Whether every event says so much that nobody need be shown what came before it."""
    grace: Millis = 30_000
    """How long a match waits for a resumable player before the rules hear of it; 0: they hear
    at once, and the player may still come back while the match runs."""
    again: Callable[[Any], Millis | None] = field(default=lambda match: None)
    """How long after a match the next one starts by itself; None: it does not."""
    good_name: Callable[[str], str] = plain_name
    player_id: Callable[[str | None, str], str] = field(default=lambda visitor, token: token)
    """A player's public id, from the visitor (None: a bot) and a fresh 32-digit token."""

    def seats_for(self, settings: Any) -> int:
        """How many can sit down under these settings."""
        return self.max_seats if self.fewer_seats is None else self.fewer_seats(settings)

    def action_types(self) -> dict[str, type[Any]]:
        return {a.__name__: a for a in self.actions}

    def news(self, current: Any, patch: dict[str, Any], players: int) -> dict[str, Any]:
        """`patch` without what a client merely sends back as it was told.

        Who sends all the settings in order to change one means that one.
        """
        told = msgspec.to_builtins(self.told(current, players))
        if told.keys() - patch.keys():
            return patch
        own = msgspec.to_builtins(current)
        return {
            key: value
            for key, value in patch.items()
            if key not in told or told[key] == own[key] or told[key] != value
        }

    def configure(self, current: Any, patch: dict[str, Any]) -> Any:
        """`current` with `patch` laid over it, checked whole; all of it or an `Illegal`."""
        merged = _overlay(msgspec.to_builtins(current), patch, "settings")
        try:
            return msgspec.convert(merged, self.settings)
        except msgspec.ValidationError as wrong:
            raise Illegal("bad-settings", f"These settings can't be: {wrong}.") from None


def _overlay(base: dict[str, Any], patch: dict[str, Any], where: str) -> dict[str, Any]:
    merged = dict(base)
    for key, value in patch.items():
        if key not in base:
            raise Illegal("bad-settings", f"There is no setting called {key} in {where}.")
        old = base[key]
        if isinstance(old, dict):
            if not isinstance(value, dict):
                raise Illegal("bad-settings", f"{key} must be an object.")
            value = _overlay(old, value, key)
        merged[key] = value
    return merged
