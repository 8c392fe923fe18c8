"""Evenings: friends under one code, their votes and points, and the host."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import msgspec
import pytest

from parlour.kit import Illegal, Outcome
from parlour.server.evenings import (
    AWAY,
    EVENING,
    EVENINGS,
    LASTS,
    MOST_AT_ADDRESS,
    MOST_MEMBERS,
    MOST_TABLES,
    NOTED,
    Evenings,
    EveningTable,
    Score,
)
from parlour.server.history import History
from parlour.store.memory import MemoryStore
from tests.server.test_history import person, played, roster
from tests.store.conftest import Join, join, start
from tests.support import Opener, OpenHouse, Visitor

__all__ = ["join", "start"]

ADA, BOB, CLEO = person(1), person(2), person(3)
HOME = "192.0.2.1"


class Clock:
    now = 1_700_000_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def evenings(clock: Clock) -> Evenings:
    return Evenings(MemoryStore(), clock)


async def refused(doing: Awaitable[object]) -> str:
    with pytest.raises(Illegal) as no:
        await doing
    return no.value.code


async def three(evenings: Evenings) -> str:
    code = await evenings.open(ADA, HOME)
    await evenings.join(code, BOB)
    await evenings.join(code, CLEO)
    return code


def table(number: int) -> EveningTable:
    return EveningTable(f"t{number}", f"{number:06}", "cards")


async def test_friends_come_under_one_code_and_vote(evenings: Evenings) -> None:
    code = await three(evenings)
    await evenings.vote(code, BOB, "mo")
    await evenings.vote(code, CLEO, "onu")
    evening = await evenings.vote(code, CLEO, "mo")
    assert [(m.visitor, m.vote) for m in evening.members] == [(ADA, ""), (BOB, "mo"), (CLEO, "mo")]
    assert evening == await evenings.of(code, None)
    # Somebody who comes again is not counted twice.
    assert await evenings.join(code, BOB) == evening
    assert await refused(evenings.vote(code, person(4), "mo")) == "not-here"
    # A vote is not kept for somebody who leaves.
    await evenings.leave(code, BOB)
    assert [m.vote for m in (await evenings.join(code, BOB)).members] == ["", "", "mo"]


async def test_only_the_host_opens_the_next_table_and_the_votes_are_over(
    evenings: Evenings,
) -> None:
    code = await three(evenings)
    await evenings.vote(code, BOB, "cards")
    assert await refused(evenings.play(code, BOB, table(1))) == "host-only"
    assert await refused(evenings.check_may_play(code, BOB)) == "host-only"
    await evenings.check_may_play(code, ADA)
    evening = await evenings.play(code, ADA, table(1))
    assert evening.tables == [table(1)]
    assert [m.vote for m in evening.members] == ["", "", ""]


async def test_hosting_is_handed_over_and_passes_on(evenings: Evenings, clock: Clock) -> None:
    code = await three(evenings)
    assert await refused(evenings.make_host(code, BOB, 1)) == "host-only"
    assert (await evenings.make_host(code, ADA, 2)).host == CLEO
    assert await refused(evenings.make_host(code, ADA, 0)) == "host-only"
    # The host leaves: the one who came first of those who are left.
    assert (await evenings.leave(code, CLEO)).host == ADA
    assert await refused(evenings.make_host(code, ADA, 2)) == "no-such-member"
    assert await refused(evenings.make_host(code, ADA, -1)) == "no-such-member"
    # Nothing is heard of the host: anybody takes over, but gives it to nobody else.
    clock.now += AWAY
    await evenings.join(code, CLEO)
    assert evenings.host_away(await evenings.of(code, BOB))
    assert await refused(evenings.make_host(code, BOB, 2)) == "host-only"
    assert (await evenings.make_host(code, BOB, 1)).host == BOB
    for who in (ADA, BOB, CLEO):
        evening = await evenings.leave(code, who)
    assert evening.host == ""
    assert (await evenings.join(code, CLEO)).host == CLEO


async def test_a_host_who_looks_on_is_not_away(evenings: Evenings, clock: Clock) -> None:
    code = await three(evenings)
    for _ in range(4):
        clock.now += NOTED
        await evenings.of(code, BOB)
        assert not evenings.host_away(await evenings.of(code, ADA))
    clock.now += AWAY - 1
    assert not evenings.host_away(await evenings.of(code, BOB))
    clock.now += 1
    assert evenings.host_away(await evenings.of(code, BOB))


async def test_points_are_counted_across_the_tables_of_an_evening(evenings: Evenings) -> None:
    code = await three(evenings)
    history = History(evenings._store)
    for number in (1, 2):
        await evenings.play(code, ADA, table(number))
    everybody = [ADA, None, BOB, CLEO]
    history.finished(roster(everybody, 1, "t1"), Outcome((2,), "out", {0: 5, 1: 4, 2: 9, 3: 5}))
    history.finished(roster(everybody, 2, "t1"), Outcome((1,), "out", {0: 3, 1: 9, 2: 2, 3: 1}))
    history.finished(roster([BOB, CLEO], 1, "t2"), Outcome((1,), "out"))
    history.finished(roster(everybody, 1, "t3"), Outcome((0,), "out"))  # not of this evening
    scores = await evenings.scores(await evenings.of(code, ADA))
    # Bots are no opponents, and nobody comes in ahead in a draw.
    assert scores == {ADA: Score(0, 0, 2), BOB: Score(3, 1, 3), CLEO: Score(3, 1, 3)}


async def test_only_so_many_matches_are_read_for_the_points(
    evenings: Evenings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.server.evenings.MOST_MATCHES", 3)
    code = await three(evenings)
    history = History(evenings._store)
    for number in (1, 2):
        await evenings.play(code, ADA, table(number))
        for round_ in (1, 2):
            history.finished(roster([ADA, BOB], round_, f"t{number}"), Outcome((0,), "out"))
    scores = await evenings.scores(await evenings.of(code, ADA))
    assert scores == {ADA: Score(3, 3, 3), BOB: Score(0, 0, 3)}


async def test_somebody_is_taken_out_of_all_evenings(evenings: Evenings, clock: Clock) -> None:
    await three(evenings)
    clock.now += 1
    code = await evenings.open(BOB, HOME)
    await evenings.join(code, ADA)
    await evenings.make_host(code, BOB, 1)
    # The first one is over, and still in the store.
    clock.now += LASTS - 1
    assert len(await evenings.of_member(ADA)) == 2
    await evenings.forget(ADA)
    evening = await evenings.of(code, BOB)
    assert (evening.host, [m.visitor for m in evening.members]) == (BOB, [BOB, ""])
    assert ADA not in str(await evenings._store.recall(""))
    await evenings.join(code, CLEO)
    assert (await evenings.make_host(code, BOB, 2)).host == CLEO


async def test_an_evening_is_over_after_a_day(evenings: Evenings, clock: Clock) -> None:
    store: Any = evenings._store
    code = await three(evenings)
    clock.now += LASTS
    for doing in (evenings.of(code, ADA), evenings.join(code, BOB)):
        assert await refused(doing) == "no-such-evening"
    other = await evenings.open(BOB, HOME)
    assert set(await store.recall(EVENING)) == {EVENING + other}
    assert list(msgspec.json.decode((await store.recall(EVENINGS))[EVENINGS])) == [other]


async def test_evenings_members_and_tables_are_limited(
    evenings: Evenings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(MOST_AT_ADDRESS):
        code = await evenings.open(ADA, "2001:db8::1")
    # The same network, another address.
    assert await refused(evenings.open(BOB, "2001:db8::2")) == "too-fast"
    monkeypatch.setattr("parlour.server.evenings.MOST_EVENINGS", MOST_AT_ADDRESS + 1)
    await evenings.open(BOB, HOME)
    assert await refused(evenings.open(BOB, HOME)) == "house-full"
    for number in range(2, MOST_MEMBERS + 1):
        await evenings.join(code, person(number))
    assert await refused(evenings.join(code, person(99))) == "evening-full"
    await evenings.leave(code, BOB)
    assert await refused(evenings.join(code, person(99))) == "evening-full"
    await evenings.join(code, BOB)
    for number in range(MOST_TABLES):
        await evenings.play(code, ADA, table(number))
    assert await refused(evenings.check_may_play(code, ADA)) == "too-many-tables"
    assert await refused(evenings.play(code, ADA, table(99))) == "too-many-tables"


async def test_two_nodes_change_one_evening(join: Join) -> None:
    here, there = Evenings(await join()), Evenings(await join())
    code = await here.open(ADA, HOME)
    await there.join(code, BOB)
    await here.join(code, CLEO)
    evening = await there.vote(code, BOB, "mo")
    assert [m.visitor for m in evening.members] == [ADA, BOB, CLEO]
    assert await here.of(code, None) == evening


# -- over HTTP ------------------------------------------------------------------------


async def asked(who: Visitor, method: str, path: str, body: object = None) -> dict[str, Any]:
    status, answer = await who.call(method, f"/api/evenings{path}", body)
    assert status in (200, 201), answer
    assert isinstance(answer, dict)
    return answer


async def test_an_evening_of_two_goes_on_after_a_restart(open_house: Opener) -> None:
    house = await open_house()
    ada, bob = await house.visitor(), await house.visitor()
    code = (await asked(ada, "POST", ""))["code"]
    evening = await asked(bob, "POST", f"/{code.lower()}/members")
    assert [(m["host"], m["you"]) for m in evening["members"]] == [(True, False), (False, True)]
    await bob.call("PUT", "/api/me", {"name": "Bob"})
    evening = await asked(bob, "PUT", f"/{code}/vote", {"game": "rummy"})
    # The name they have now.
    assert [m["name"] for m in evening["members"]] == ["Player", "Bob"]
    status, no = await bob.call("POST", f"/api/evenings/{code}/tables", {"game": "rummy"})
    assert (status, no["error"]["code"]) == (403, "host-only")
    evening = await asked(ada, "POST", f"/{code}/tables", {"game": "rummy"})
    where = evening["table"]
    await house.server.stop()
    again = await open_house()
    for each in (ada, bob):
        each.base = f"http://127.0.0.1:{again.server.port}"
    later = await asked(bob, "GET", f"/{code}")
    assert later["table"] == where
    status, found = await bob.call("GET", f"/api/tables/{where['code']}")
    assert (status, found["game"]) == (200, "rummy")
    await asked(ada, "PUT", f"/{code}/host", {"member": 1})
    left = await asked(ada, "DELETE", f"/{code}/members")
    assert [(m["host"], m["left"]) for m in left["members"]] == [(False, True), (True, False)]


async def test_points_of_real_matches_are_told_and_no_ids(open_house: Opener) -> None:
    house = await open_house(data=":memory:")
    ada, bob = await house.visitor(), await house.visitor()
    code = (await asked(ada, "POST", ""))["code"]
    await asked(bob, "POST", f"/{code}/members")
    id_ = await played(ada, bob)
    roster_ = house.server.house.index.find(id_)
    assert roster_ is not None
    where = EveningTable(id_, roster_.roster.code, "rummy")
    me = msgspec.json.decode((await ada.get("/api/me")).body)["id"]
    await Evenings(house.server.store).play(code, me, where)
    answer = await ada.get(f"/api/evenings/{code}")
    evening = msgspec.json.decode(answer.body)
    assert sorted(m["points"] for m in evening["members"]) in ([0, 1], [0, 0])
    assert [m["played"] for m in evening["members"]] == [1, 1]
    assert me.encode() not in answer.body


@pytest.mark.parametrize("code", ["XXXXXX", "123456", "BCDF", "BCDFGHJ", "%C3%84BCDFG"])
async def test_a_wrong_code_is_refused(house: OpenHouse, code: str) -> None:
    ada = await house.visitor()
    status, no = await ada.call("GET", f"/api/evenings/{code}")
    assert (status, no["error"]["code"]) == (404, "no-such-evening")
