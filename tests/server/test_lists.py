"""Lists over HTTP: in pages, each asker's own first, and nothing sent twice."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from parlour.bus.lookup import NODES_APART
from parlour.house import index as indexes
from parlour.house.index import TableIndex
from tests.support import Opener, OpenHouse, Visitor

MANY = {"tables_per_session": 1000}


async def opened(visitor: Visitor, **fields: Any) -> str:
    status, table = await visitor.call("POST", "/api/tables", {"game": "rummy", **fields})
    assert status == 201
    return str(table["id"])


async def listed(visitor: Visitor, query: str = "") -> list[list[str]]:
    """Every page of the list, each as the ids of its tables."""
    pages: list[list[str]] = []
    after = "0"
    while True:
        status, told = await visitor.call("GET", f"/api/tables?after={after}{query}")
        assert status == 200
        pages.append([table["id"] for table in told["tables"]])
        if "next" not in told:
            return pages
        after = told["next"]


def whole(pages: list[list[str]]) -> list[str]:
    return [table for page in pages for table in page]


async def test_the_list_has_pages(open_house: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexes, "PAGE", 5)
    house = await open_house(**MANY)
    host, other = await house.visitor(), await house.visitor()
    await other.token()
    public = [await opened(host, public=True) for _ in range(12)]
    hidden = await opened(host)
    solitaires = [await opened(host, public=True, game="mo") for _ in range(2)]
    pages = await listed(other)
    assert [len(page) for page in pages] == [5, 5, 4]
    assert whole(pages) == public + solitaires
    assert await listed(other, "&game=mo") == [solitaires]
    # Who sits somewhere finds that table before all others, and no table twice.
    guest = await other.rummy(f"?table={hidden}")
    await guest.expect("lobby")
    elsewhere = await host.rummy(f"?table={public[7]}")
    await elsewhere.expect("lobby")
    pages = await listed(other)
    assert pages[0] == [hidden, *public[:5]]
    assert whole(pages) == [hidden, *public, *solitaires]
    pages = await listed(host)
    assert pages[0] == [public[7], *public[:5]]
    assert sorted(whole(pages)) == sorted(public + solitaires)
    # Who has left does not.
    await guest.send("join", code=(await host.call("GET", f"/api/tables/{public[0]}"))[1]["code"])
    await guest.expect("lobby")
    assert whole(await listed(other)) == public + solitaires


async def test_a_page_after_nothing_in_particular_is_refused(house: OpenHouse) -> None:
    visitor = await house.visitor()
    for after in ("x", "-1", "9" * 30, "1.5"):
        status, no = await visitor.call("GET", f"/api/tables?after={after}")
        assert (status, no["error"]["code"]) == (400, "bad-message")


async def test_a_page_may_begin_at_another_node(house: OpenHouse) -> None:
    """The number says a node, too, and is longer then; here there is only one node."""
    visitor = await house.visitor()
    status, told = await visitor.call("GET", f"/api/tables?after={3 * NODES_APART}")
    assert (status, told) == (200, {"tables": []})


@pytest.mark.parametrize("path", ["/api/games", "/api/tables"])
async def test_what_has_not_changed_is_not_sent_again(house: OpenHouse, path: str) -> None:
    visitor = await house.visitor()
    await opened(visitor, public=True)
    first = await visitor.get(path)
    assert first.status == 200
    for known in (first.headers["ETag"], f'"other", {first.headers["ETag"].removeprefix("W/")}'):
        again = await visitor.get(path, headers={"If-None-Match": known})
        assert (again.status, again.body) == (304, b"")
        assert again.headers["ETag"] == first.headers["ETag"]
    for unknown in ('"other"', "nonsense"):
        again = await visitor.get(path, headers={"If-None-Match": unknown})
        assert (again.status, again.body) == (200, first.body)
    await opened(visitor, public=True)
    after = await visitor.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert after.status == (304 if path == "/api/games" else 200)


@pytest.mark.parametrize("path", ["/api/games", "/api/games/rummy/lessons/first-round"])
async def test_the_games_may_be_kept_but_are_asked_for_again(house: OpenHouse, path: str) -> None:
    page = await (await house.visitor()).get(path)
    assert page.headers["Cache-Control"] == "no-cache"


class Roster:
    """As much of one as the index looks at."""

    def __init__(self, id: str, game: str, public: bool, opener: str | None) -> None:
        self.id = self.code = id
        self.game = game
        self.public = public
        self.opener = opener
        self.match_ids: list[str] = []
        self.invited: list[str] = []
        self.seated: set[str] = set()

    @property
    def match_id(self) -> str:
        return self.match_ids[-1]

    @property
    def people(self) -> list[Any]:
        return [SimpleNamespace(visitor=visitor) for visitor in sorted(self.seated)]

    def of_visitor(self, visitor: str) -> str | None:
        return visitor if visitor in self.seated else None


class Live:
    def __init__(self, id: str, game: str, public: bool, opener: str | None) -> None:
        self.roster = Roster(id, game, public, opener)
        self.id = id
        self.game = SimpleNamespace(id=game)
        self.taken_by = f"{opener}'s"
        self.shut = False

    @property
    def is_common(self) -> bool:
        return self.roster.public and self.roster.opener is None

    def concerns(self, visitor: str | None) -> bool:
        return visitor in self.roster.seated or visitor in self.roster.invited


GAMES = ("rummy", "mo")

steps = st.lists(
    st.tuples(
        st.sampled_from(["open", "close", "sit", "deal", "leave", "invite", "open", "deal"]),
        st.integers(0, 30),
        st.sampled_from("abc"),
        st.booleans(),
    ),
    min_size=10,
    max_size=60,
)


def check(index: Any, tables: list[Live]) -> None:
    """Whether it finds and lists these tables."""
    for live in tables:
        for name in (live.roster.id, live.roster.code, *live.roster.match_ids):
            assert index.find(name) is live
            assert index.ended.get(name) is None
    for game in GAMES:
        common = index.common.get(game)
        assert common is None or common in [t for t in tables if t.game.id == game and t.is_common]
    for visitor in "abc":
        theirs = sum(live.roster.opener == visitor for live in tables)
        assert (index.opened[visitor], index.taken[f"{visitor}'s"]) == (theirs, theirs)
    for who in ("a", "b", "c", None):
        for wanted in (None, *GAMES):
            found: list[Any] = []
            after = 0
            while True:
                page, after = index.page(wanted, who, after)
                found += page
                if not after:
                    break
            seen = [
                live
                for live in tables
                if wanted in (None, live.roster.game) and (live.roster.public or live.concerns(who))
            ]
            assert len(found) == len(seen)
            assert set(found) == set(seen)
            own = sum(live.concerns(who) for live in seen)
            assert all(live.concerns(who) for live in found[:own])


GUESTS = [(what, 0, visitor, True) for visitor in "abc" for what in ("sit", "leave")]
"""They come and go one after the other."""


@given(steps, st.integers(1, 4))
@example([("open", 1, "a", True), *GUESTS], 1)
def test_the_index_finds_what_there_is_and_lists_what_a_visitor_may_see(
    steps: list[tuple[str, int, str, bool]], size: int
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(indexes, "PAGE", size)
        patched.setattr(indexes, "MOST_CONCERNED", 2)
        patched.setattr(indexes, "MOST_ENDED", 2)
        # As many more as ten for each table: so few that some are forgotten in a short evening.
        patched.setattr(indexes, "MOST_REMEMBERED", -9)
        index: Any = TableIndex()
        tables: list[Live] = []
        over: list[tuple[str, Roster]] = []
        last: dict[tuple[str, str], Live] = {}
        for number, (what, which, visitor, public) in enumerate(steps):
            live: Any = tables[which % len(tables)] if tables else None
            match what:
                case "open":
                    # What nobody has opened is the house's own.
                    opener = None if which % 5 == 0 else visitor
                    tables.append(Live(f"{number}", GAMES[which % 2], public, opener))
                    index.add(tables[-1], tables[-1].roster)
                case _ if live is None:
                    continue
                case "close":
                    tables.remove(live)
                    index.remove(live)
                    over += [(match, live.roster) for match in live.roster.match_ids]
                case "sit":
                    live.roster.seated.add(visitor)
                    index.sat_down(visitor, live)
                    last[visitor, live.roster.game] = live
                    there = {table.roster.id for table in tables}
                    few = len(index._last_seat) <= 10 * len(tables) - 9
                    assert few or there.issuperset(index._last_seat.values())
                case "leave":
                    live.roster.seated.discard(visitor)
                case "invite":
                    live.roster.invited.append(visitor)
                    index.concerns(visitor, live)
                case "deal":
                    live.roster.match_ids.append(f"{live.roster.id}-{number}")
                    index.dealt(live)
        for live in tables:
            visitors = index._visitors.get(live.roster.id, set())
            assert len(visitors) <= 2 or any(live.concerns(visitor) for visitor in visitors)
        check(index, tables)
        for match, roster in over:
            assert index.find(match) is None
            assert index.ended.get(match) is (roster if (match, roster) in over[-2:] else None)
        for (who, game), live in last.items():
            led_back = live in tables and who in live.roster.seated
            assert index.last_of(who, game) is (live if led_back else None)
        # After a restart it is made of the same tables.
        again: Any = TableIndex()
        for live in tables:
            again.add(live, live.roster)
        check(again, tables)
        for who in "abc":
            for game in GAMES:
                sits_at = [t for t in tables if t.game.id == game and who in t.roster.seated]
                assert again.last_of(who, game) is (sits_at[-1] if sits_at else None)
        for live in list(tables):
            index.remove(live)
        for left in (index._of_visitor, index._visitors, index._public, index.opened):
            assert not left
        assert not index.taken
        assert not index._by_name
