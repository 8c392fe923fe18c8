"""A person's matches and counts: written with the end of each match, and read in pages."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.kit import Outcome
from parlour.server.history import (
    MATCH,
    MOST_RIVALS,
    PLAYED,
    RECORD,
    Count,
    FinishedMatch,
    History,
    Record,
    Sat,
    counted,
)
from parlour.store import Store
from parlour.store.memory import MemoryStore
from parlour.table.roster import Player, Roster
from tests.store.conftest import Join, join, start
from tests.support import Opener, OpenHouse, Visitor

__all__ = ["join", "start"]


def person(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def roster(visitors: Sequence[str | None], round_: int = 1, table: str = "t") -> Roster[Any]:
    """A table at which these have just played; None: a bot."""
    seating = [
        Player(place, f"id{place}", f"Player {place}", visitor)
        for place, visitor in enumerate(visitors)
    ]
    face = Roster(table, "123456", "cards", False, None, 0, 2, 8, seating=seating)
    face.round = round_
    return face


def won_by(*winners: int) -> Outcome:
    return Outcome(winners, "out")


async def test_a_match_is_in_the_history_of_everybody_who_played_it() -> None:
    history = History(MemoryStore())
    history.finished(roster([person(1), None, person(2)]), Outcome((2,), "out", {0: 7, 1: 9, 2: 0}))
    for who in (1, 2):
        page = await history.page(person(who))
        assert page.next == ""
        (match,) = page.matches
        assert (match.replay, match.game, match.how) == ("t-1", "cards", "out")
        assert [sat.name for sat in match.players] == ["Player 0", "Player 1", "Player 2"]
        assert [sat.place for sat in match.players] == [1, 2, 0]
        assert [sat.bot for sat in match.players] == [False, True, False]
        assert [sat.points for sat in match.players] == [7, 9, 0]
    lost, won = (await history.record(person(1)), await history.record(person(2)))
    assert lost.games == {"cards": Count(1, 0, 1)}
    assert won.games == {"cards": Count(1, 1, 0)}
    # Bots are no opponents to count.
    assert list(lost.rivals) == [person(2)]
    assert lost.rivals[person(2)].games == {"cards": Count(1, 0, 1)}
    assert won.rivals[person(1)].games == {"cards": Count(1, 1, 0)}
    assert (await history.page(person(3))).matches == []


async def test_a_match_is_counted_once() -> None:
    history = History(MemoryStore())
    for _ in range(2):
        history.finished(roster([person(1), person(2)]), won_by(0))
    assert len((await history.page(person(1))).matches) == 1
    assert (await history.record(person(1))).games["cards"].played == 1


async def test_nothing_is_kept_of_matches_without_people() -> None:
    store = MemoryStore()
    History(store).finished(roster([None, None, "wcp:ada"]), won_by(0))
    assert await store.recall("") == {}


async def test_nobody_is_ahead_where_all_are_equal() -> None:
    history = History(MemoryStore())
    history.finished(roster([person(1), person(2)]), won_by())
    record = await history.record(person(1))
    assert record.games["cards"] == record.rivals[person(2)].games["cards"] == Count(1, 0, 0)


async def test_a_history_has_pages() -> None:
    history = History(MemoryStore())
    for number in range(1, 41):
        history.finished(roster([person(1)], number), won_by(0))
    found: list[str] = []
    sizes: list[int] = []
    before = ""
    while True:
        page = await history.page(person(1), before)
        sizes.append(len(page.matches))
        found += [match.replay for match in page.matches]
        before = page.next
        if not before:
            break
    assert sizes == [20, 20]
    assert sorted(found) == sorted(f"t-{number}" for number in range(1, 41))


matches = st.lists(
    st.tuples(
        st.lists(st.integers(0, 9), min_size=1, max_size=5, unique=True),
        st.lists(st.integers(0, 3), min_size=5, max_size=5),
        st.sampled_from(["a", "b"]),
    ),
    max_size=30,
)


@given(matches)
def test_counts_add_up(played: list[tuple[list[int], list[int], str]]) -> None:
    records = {person(number): Record() for number in range(10)}
    times: Counter[tuple[int, str]] = Counter()
    for number, (people, places, game) in enumerate(played):
        players = [
            Sat(f"P{who}", place, place == 0, visitor=person(who))
            for who, place in zip(people, places, strict=False)
        ]
        match = FinishedMatch(f"t-{number}", game, number, "out", players)
        for who in people:
            records[person(who)] = counted(records[person(who)], match, person(who))
            times[who, game] += 1
    for who in range(10):
        record = records[person(who)]
        for game, count in record.games.items():
            assert count.played == times[who, game] >= count.ahead + count.behind
        # Both sides tell the same.
        for other, rival in record.rivals.items():
            mirrored = records[other].rivals[person(who)].games
            for game, met in rival.games.items():
                twin = mirrored[game]
                assert (met.played, met.ahead, met.behind) == (twin.played, twin.behind, twin.ahead)
        assert record == msgspec.json.decode(msgspec.json.encode(record), type=Record)


def test_only_the_last_opponents_are_counted() -> None:
    record = Record()
    for number in range(1, MOST_RIVALS + 3):
        players = [Sat("me", 0, True, visitor=person(0)), Sat("x", 1, visitor=person(number))]
        record = counted(record, FinishedMatch("t", "a", number, "", players), person(0))
    assert list(record.rivals) == [person(n) for n in range(3, MOST_RIVALS + 3)]
    assert record.games["a"].played == MOST_RIVALS + 2


@pytest.mark.slow
async def test_matches_that_end_at_several_nodes_all_count(join: Join) -> None:
    one, other = await join(), await join()
    stores: list[Store] = [one, other]
    for number in range(1, 11):
        for store in stores:
            table = f"t{stores.index(store)}"
            players = [person(1), person(2)][:: 1 if store is one else -1]
            History(store).finished(roster(players, number, table), won_by(number % 2))
    for store in stores:
        assert await store.settled()
    for store in stores:
        record = await History(store).record(person(1))
        assert record.games["cards"] == Count(20, 10, 10)
        assert record.rivals[person(2)].games["cards"] == Count(20, 10, 10)
        assert len((await History(store).page(person(2), most=50)).matches) == 20


# Over HTTP


async def mine(visitor: Visitor) -> list[dict[str, Any]]:
    answer: dict[str, Any] = msgspec.json.decode((await visitor.get("/api/me/matches")).body)
    assert answer["next"] == ""
    found: list[dict[str, Any]] = answer["matches"]
    return found


async def test_people_see_their_matches_also_after_a_restart(open_house: Opener) -> None:
    house = await open_house()
    ada, bob, stranger = [await house.visitor() for _ in range(3)]
    table = await played(ada, bob)
    before = [await mine(each) for each in (ada, bob, stranger)]
    assert [len(each) for each in before] == [1, 1, 0]
    (match,) = before[0]
    assert match["replay"] == f"{table}-1"
    assert match["game"] == "rummy"
    assert [player["you"] for player in match["players"]].count(True) == 1
    assert [player["won"] for player in match["players"]].count(True) == 1
    assert (await stranger.get(f"/api/replays/{match['replay']}")).status == 200
    records = [msgspec.json.decode((await each.get("/api/me/record")).body) for each in (ada, bob)]
    assert [record["games"][0]["played"] for record in records] == [1, 1]
    met = [record["rivals"][0]["games"][0] for record in records]
    assert (met[0]["ahead"], met[0]["behind"]) == (met[1]["behind"], met[1]["ahead"])
    await house.server.stop()
    again = await open_house()
    for visitor, told in ((ada, before[0]), (bob, before[1])):
        visitor.base = f"http://127.0.0.1:{again.server.port}"
        assert await mine(visitor) == told


async def played(ada: Visitor, bob: Visitor) -> str:
    """Two play a round of Super Rummy; returns the table's id."""
    request = {"game": "rummy", "bots": 1, "settings": {"hand_size": 7}}
    _, table = await ada.call("POST", "/api/tables", request)
    await bob.token()
    players = [await each.rummy(f"?table={table['code']}") for each in (ada, bob)]
    await players[1].expect("lobby")
    await players[1].send("start")
    for player in players:
        await player.until("start")
    await asyncio.gather(*[player.play_round() for player in players])
    for player in players:
        await player.close()
    return str(table["id"])


async def test_a_wrong_page_is_refused(house: OpenHouse) -> None:
    visitor = await house.visitor()
    for before in ("x", "1700000000000", "1700000000000:" + "a" * 61, "%", "1700000000000:a%00"):
        answer = await visitor.get(f"/api/me/matches?before={before}")
        assert answer.status == 400


async def test_no_id_of_another_visitor_is_told(open_house: Opener) -> None:
    history_keys = (MATCH, PLAYED, RECORD)
    house = await open_house(data=":memory:")
    ada, bob = await house.visitor(), await house.visitor()
    await played(ada, bob)
    ids = [msgspec.json.decode((await each.get("/api/me")).body)["id"] for each in (ada, bob)]
    facts = [await house.server.store.recall(prefix) for prefix in history_keys]
    assert all(facts)
    for path in ("/api/me/matches", "/api/me/record"):
        told = (await ada.get(path)).body
        assert all(each.encode() not in told for each in ids)
