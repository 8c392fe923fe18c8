"""A match that notes what it is asked, and tables of it: for tests of what tables ask of rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest

from parlour.kit import Illegal, OpenMatch, Outcome, PutOut, Setup
from parlour.marks import Whole
from parlour.protocol import Game
from parlour.table import HOSTED as HOSTED_LOBBY
from parlour.table import STANDING as STANDING_LOBBY
from parlour.table import Lobby, Table
from parlour.table import inputs as do
from parlour.table.lobby import AtOnceWhenReady, Entry, Options, Start
from tests import highcard


@dataclass(slots=True)
class Note:
    """What the match was asked."""

    what: str
    args: tuple[Any, ...]


@dataclass(slots=True)
class All(Whole):
    """Everything there is."""

    text: str


@dataclass(slots=True)
class Do:
    """Give the events named."""

    what: str


class Notebook(OpenMatch[Any, Any]):
    """A match that notes what it is asked, and does what an action says."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.ended: Outcome | None = None
        self.at: int | None = None
        self.asked: list[Note] = []
        self.rngs: set[int] = set()

    def note(self, what: str, rng: Any, *args: Any) -> list[Any]:
        self.rngs.add(id(rng))
        self.asked.append(Note(what, args))
        return [Note(what, args)]

    def legal(self, seat: int) -> Sequence[Any]:
        return []

    def apply(self, seat: int, action: Any, rng: Any, now: int) -> list[Any]:
        match action.what:
            case "end":
                self.ended = Outcome((seat,), "done")
            case "put out":
                return [
                    Note("before", ()),
                    PutOut(1 - seat, "idle", "Too slow."),
                    Note("after", ()),
                ]
            case "all":
                return [Note("little", ()), All("everything")]
            case "due":
                self.at = now + 50
        return self.note("apply", rng, seat, action.what, now)

    def outcome(self) -> Outcome | None:
        return self.ended

    def due(self) -> int | None:
        return self.at

    def tick(self, rng: Any, now: int) -> list[Any]:
        self.at = None
        return self.note("tick", rng, now)

    def gone(self, seat: int, rng: Any, now: int) -> list[Any]:
        return self.note("gone", rng, seat, now)

    def back(self, seat: int, rng: Any, now: int) -> list[Any]:
        return self.note("back", rng, seat, now)

    def join(self, player: str, computer: bool, rng: Any, now: int) -> list[Any]:
        if player == "?":
            raise Illegal("no", "No.")
        return self.note("join", rng, player, computer, now)

    def leave(self, seat: int, rng: Any, now: int) -> list[Any]:
        return self.note("leave", rng, seat, now)

    def abandon(self, rng: Any, now: int) -> list[Any]:
        self.ended = Outcome((), "abandoned")
        return self.note("abandon", rng, now)

    def fumble(self, seat: int, rng: Any, now: int) -> list[Any]:
        return self.note("fumble", rng, seat, now)

    def stirred(self, seat: int, rng: Any, now: int) -> list[Any]:
        return self.note("stirred", rng, seat, now)


class Noted(Options):
    """Notes what it is asked about settings."""

    asked: ClassVar[list[Any]] = []

    def changes(self, settings: Any, patch: dict[str, Any], players: int) -> dict[str, Any]:
        self.asked.append((settings, patch, players))
        return {**patch, "think": 7}


class ReadyOrNot(AtOnceWhenReady):
    check = Start.check


GAME = replace(
    highcard.GAME,
    deal=lambda setup, rng, now: (Notebook(setup), [Note("dealt", (now,))]),
    view=lambda event, seat: event,
    actions=(Do,),
    lobby=Lobby(options=Noted()),
    max_seats=6,
)
STANDING = replace(GAME, lobby=replace(STANDING_LOBBY, entry=Entry(), start=ReadyOrNot()))
HOSTED = replace(GAME, lobby=HOSTED_LOBBY)


def opened(game: Game = GAME, people: int = 2, opener: str | None = "v0", now: int = 0) -> Table:
    opening = do.Open(
        id="t", code="123456", game="high", seed="5e" * 32, settings={}, opener=opener
    )
    table = Table(game, opening, now)
    for number in range(people):
        table.receive(do.Join(f"v{number}", f"Guest {number}", resumable=True), now)
    return table


def playing(game: Game = GAME, people: int = 2) -> tuple[Table, Notebook]:
    table = opened(game, people)
    table.receive(do.Start(do.HOUSE), 5)
    match = table.match
    assert isinstance(match, Notebook)
    return table, match


def refused(table: Table, entry: do.Input, now: int = 9) -> str:
    with pytest.raises(Illegal) as no:
        table.receive(entry, now)
    assert no.value.sentence.endswith(".")
    return no.value.code
