"""The routes of evenings, below `/api/evenings`."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec

from parlour.kit import Illegal
from parlour.protocol import Asked, Desk, OpenRequest, Route, RouteSet
from parlour.protocol.operations import OPEN
from parlour.protocol.routes import routes_of
from parlour.server.api import Strength, visitor_of
from parlour.server.evenings import Evening, Evenings, EveningTable, Score

GameId = Annotated[str, msgspec.Meta(max_length=40)]


class MemberInfo(msgspec.Struct, frozen=True):
    """Somebody at a game night."""

    number: int
    name: str
    host: bool
    you: bool
    left: bool
    vote: str
    """The game they would like to play next; "": none."""
    points: int
    """One for every person who came in behind them, over all matches."""
    wins: int
    played: int


class EveningTableInfo(msgspec.Struct, frozen=True):
    """The table at which they play now."""

    code: str
    game: str


class EveningInfo(msgspec.Struct, frozen=True):
    """A game night."""

    code: str
    members: list[MemberInfo]
    """In the order in which they came."""
    table: EveningTableInfo | None
    tables: int
    """How many there have been."""
    host_away: bool
    """Nothing was heard of the host for a while: any member may become the host."""
    until: int
    """When it is over, in milliseconds since the epoch."""


class Vote(msgspec.Struct, forbid_unknown_fields=True):
    game: GameId
    """"": none."""


class NewHost(msgspec.Struct, forbid_unknown_fields=True):
    member: int
    """Your own number takes over from a host who is away."""


class NextTable(msgspec.Struct, forbid_unknown_fields=True):
    game: GameId
    settings: dict[str, Any] = {}
    bots: int = 0
    strength: Strength = ""


_ONE: Final = "/api/evenings/{code}"


class EveningRoutes:
    """Opens evenings, and the tables at which they are played."""

    def __init__(self, evenings: Evenings) -> None:
        self._evenings = evenings

    def routes(self) -> RouteSet:
        return RouteSet(title="Evenings", routes=routes_of(self))

    @Route("POST", "/api/evenings", who="newcomer", status=201)
    async def open(self, desk: Desk, asked: Asked) -> EveningInfo:
        """Open a game night, whose host you are."""
        visitor = visitor_of(asked)
        address = asked.arrival.address
        code = await self._evenings.open(visitor, address)
        return await self._shown(desk, code, await self._evenings.of(code, visitor), visitor)

    @Route("GET", _ONE, who="anybody")
    async def evening(self, desk: Desk, asked: Asked) -> EveningInfo:
        """A game night: who is there, their votes and points, and where they play."""
        code, visitor = _code(asked), asked.visitor
        return await self._shown(desk, code, await self._evenings.of(code, visitor), visitor)

    @Route("POST", f"{_ONE}/members", who="newcomer")
    async def join(self, desk: Desk, asked: Asked) -> EveningInfo:
        """Come to a game night, or come back."""
        code, visitor = _code(asked), visitor_of(asked)
        return await self._shown(desk, code, await self._evenings.join(code, visitor), visitor)

    @Route("DELETE", f"{_ONE}/members", who="known")
    async def leave(self, desk: Desk, asked: Asked) -> EveningInfo:
        """Leave it; your points stay."""
        code, visitor = _code(asked), visitor_of(asked)
        return await self._shown(desk, code, await self._evenings.leave(code, visitor), visitor)

    @Route("PUT", f"{_ONE}/vote", who="known", body=Vote)
    async def vote(self, desk: Desk, asked: Asked) -> EveningInfo:
        """Say which game you would like to play next."""
        code, visitor = _code(asked), visitor_of(asked)
        evening = await self._evenings.vote(code, visitor, asked.body.game)
        return await self._shown(desk, code, evening, visitor)

    @Route("PUT", f"{_ONE}/host", who="known", body=NewHost)
    async def host(self, desk: Desk, asked: Asked) -> EveningInfo:
        """Make somebody else the host, or yourself if the host is away."""
        code, visitor = _code(asked), visitor_of(asked)
        evening = await self._evenings.make_host(code, visitor, asked.body.member)
        return await self._shown(desk, code, evening, visitor)

    @Route("POST", f"{_ONE}/tables", who="known", body=NextTable, status=201)
    async def play(self, desk: Desk, asked: Asked) -> EveningInfo:
        """Open the next table, to which everybody goes; the host may do that."""
        code, visitor = _code(asked), visitor_of(asked)
        await self._evenings.check_may_play(code, visitor)
        wanted = msgspec.structs.asdict(asked.body)
        address = asked.arrival.address
        roster = await desk.call(OPEN, OpenRequest(visitor=visitor, address=address, **wanted))
        table = EveningTable(roster.id, roster.code, roster.game)
        evening = await self._evenings.play(code, visitor, table)
        return await self._shown(desk, code, evening, visitor)

    async def _shown(
        self, desk: Desk, code: str, evening: Evening, visitor: str | None
    ) -> EveningInfo:
        scores = await self._evenings.scores(evening)
        members = []
        for number, member in enumerate(evening.members):
            if not member.visitor:
                continue
            score = scores.get(member.visitor, Score())
            members.append(
                MemberInfo(
                    number,
                    desk.name_of(member.visitor),
                    member.visitor == evening.host,
                    member.visitor == visitor,
                    member.left,
                    member.vote,
                    score.points,
                    score.wins,
                    score.played,
                )
            )
        last = evening.tables[-1] if evening.tables else None
        return EveningInfo(
            code,
            members,
            None if last is None else EveningTableInfo(last.code, last.game),
            len(evening.tables),
            self._evenings.host_away(evening),
            evening.until,
        )


def _code(asked: Asked) -> str:
    code = asked.params["code"].upper()
    if len(code) != 6 or not code.isascii() or not code.isalpha():
        raise Illegal("no-such-evening", "The code of a game night has six letters.")
    return code
