"""A game as a table sees it: its rules, its settings, its lobby. `protocol.Game` adds wires."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic

import msgspec

from parlour.choices import Choices
from parlour.kit import A, Bots, E, Illegal, Match, Millis, P, S, Seat, Setup
from parlour.lessons import Lesson
from parlour.rng import Rng
from parlour.scenes import Scene
from parlour.table.lobby import Lobby


@dataclass(frozen=True, kw_only=True)
class GameRules(Generic[S, A, E, P]):
    """The game as a table needs it: settings, actions, events and picture."""

    id: str
    name: str
    blurb: str
    summary: str = ""
    """The rules in a few sentences, for the terminal's help."""
    min_seats: int
    max_seats: int
    settings: type[S]
    actions: tuple[type[A], ...]
    deal: Callable[[Setup[S], Rng, Millis], tuple[Match[A, E], list[E]]]
    """`(setup, rng, now) -> match, its first events`."""
    view: Callable[[E, Seat | None], E | None]
    """An event as a seat may see it. If spectators (None) see it whole, everybody does."""
    picture: Callable[[Seat | None], P]
    """An empty picture for a viewer, to be folded from what `view` lets through. `kit.Story`
    does, where bots need no more than all that was shown."""
    scene: Callable[[P, Choices], Scene] | None = None
    """The scene of a viewer with this picture, with places for the viewer's choices; None: only
    programs can play the game."""
    words: Callable[[E, P], str] | None = None
    """An event, as a viewer is shown it, in a sentence for the list of moves and for screen
    readers; "": it needs none. `{0}` stands for the name of the player at seat 0. The picture is
    the viewer's before the event."""
    lessons: tuple[Lesson, ...] = ()
    """Lessons that teach the game by playing it; for games with a scene."""
    lobby: Lobby[S]
    """How a table of this game behaves around its matches."""
    bots: Bots | None = None

    def seats(self, settings: S) -> tuple[int, int]:
        """How many it takes, and how many can sit down, under these settings."""
        return self.lobby.options.seats(settings, self.min_seats, self.max_seats)

    def action_types(self) -> dict[str, type[A]]:
        return {a.__name__: a for a in self.actions}

    def configure(self, current: S, patch: dict[str, Any]) -> S:
        """`current` with `patch` laid over it, checked whole; all of it or an `Illegal`."""
        merged = _overlay(msgspec.to_builtins(current), patch, "settings")
        try:
            settings: S = msgspec.convert(merged, self.settings)
        except msgspec.ValidationError as wrong:
            raise Illegal("bad-settings", f"These settings can't be: {wrong}.") from None
        return settings

    def settings_schema(self) -> dict[str, Any]:
        """The JSON Schema of the settings as it is published.

        A pattern here ends in `\\Z`, because in Python a newline may follow `$`. Elsewhere `$` is
        the end, and `\\Z` is not known in many languages.
        """
        schema = msgspec.json.encode(msgspec.json.schema(self.settings))
        portable: dict[str, Any] = msgspec.json.decode(schema.replace(rb'\\Z"', b'$"'))
        return portable


def shown_settings(settings: msgspec.Struct) -> dict[str, Any]:
    """Settings as plain data, as anybody may be told them.

    Those whose `Meta` says `extra_json_schema={"secret": True}` (a password, say) are left out.
    """
    secret = secret_settings(type(settings))
    return {key: v for key, v in msgspec.to_builtins(settings).items() if key not in secret}


def secret_settings(settings: type[msgspec.Struct]) -> frozenset[str]:
    """The names of those that nobody else may be told."""
    return _marked(settings, "secret")


def chooses_deal(settings: msgspec.Struct) -> bool:
    """Whether these settings ask for a certain deal: a setting whose `Meta` says
    `extra_json_schema={"chooses_deal": True}` is not the default."""
    fields = _marked(type(settings), "chooses_deal")
    return any(getattr(settings, field) != getattr(type(settings)(), field) for field in fields)


def own_name(settings: msgspec.Struct) -> str:
    """The name that players gave their table; "": none.

    It is the setting whose `Meta` says `extra_json_schema={"names_table": True}`, in a game that
    has one, unless it is still the default.
    """
    for field in _marked(type(settings), "names_table"):
        name: str = getattr(settings, field)
        if name != getattr(type(settings)(), field):
            return " ".join("".join(c if c.isprintable() else " " for c in name).split())
    return ""


def renaming(settings: msgspec.Struct, name: str) -> dict[str, Any]:
    """The change of settings that gives a table this name ("": none); empty in a game whose tables
    have no names."""
    kind = type(settings)
    return {field: name or getattr(kind(), field) for field in _marked(kind, "names_table")}


@cache
def _marked(settings: type[msgspec.Struct], mark: str) -> frozenset[str]:
    """The names of the settings whose schema has this mark."""
    properties = msgspec.json.schema(settings)["$defs"][settings.__name__].get("properties", {})
    return frozenset(name for name, schema in properties.items() if schema.get(mark))


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
