"""Accounts, public pages and one's own data, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.kit import Outcome
from parlour.server.history import MATCH, PLAYED
from parlour.server.keys import SigningKey
from parlour.server.people import People
from parlour.server.ratings import MOST_POINTS, Point, thinned
from parlour.store.memory import MemoryStore
from tests.server.test_history import person, roster, won_by
from tests.store.conftest import Join, join, start
from tests.support import Opener, OpenHouse, Visitor, soon

__all__ = ["join", "start"]

PASSWORD = "correct horse"


async def me(visitor: Visitor) -> dict[str, Any]:
    _, told = await visitor.call("GET", "/api/me")
    return dict(told)


async def with_account(house: OpenHouse, name: str, public: bool = False) -> tuple[Visitor, str]:
    """Somebody with an account, and their id."""
    visitor = await house.visitor()
    status, told = await visitor.call("POST", "/api/account", {"name": name, "password": PASSWORD})
    assert (status, told["name"], told["account"], told["public"]) == (201, name, True, False)
    if public:
        assert (await visitor.call("PUT", "/api/account", {"public": True}))[1]["public"]
    return visitor, (await me(visitor))["id"]


async def finished(house: OpenHouse, *visitors: str, number: int = 1, public: bool = False) -> None:
    """These have just played a match of Super Rummy, and the first one won."""
    face = roster(visitors, number)
    face.game, face.public = "rummy", public
    for player in face.seating:
        player.address = player.id
    for game in house.server.games:
        if game.id == "rummy":
            face.settings = game.settings()
    house.server.people.finished(face, won_by(0))
    assert await house.server.store.settled()


async def count(visitor: Visitor) -> int:
    _, told = await visitor.call("GET", "/api/me/matches")
    return len(told["matches"])


async def test_a_guest_who_makes_an_account_keeps_the_history(house: OpenHouse) -> None:
    guest = await house.visitor()
    who = (await me(guest))["id"]
    await finished(house, who, person(1))
    await guest.call("POST", "/api/account", {"name": "Ada", "password": PASSWORD})
    assert (await me(guest))["id"] == who
    assert await count(guest) == 1
    # On another device: a guest of another id, until they sign in.
    other = await house.visitor()
    await finished(house, (await me(other))["id"], person(1), number=2)
    assert await count(other) == 1
    wrong = {"name": "Ada", "password": "incorrect horse"}
    assert (await other.call("POST", "/api/session", wrong))[0] == 403
    right = {"name": " ada", "password": PASSWORD}
    status, told = await other.call("POST", "/api/session", right)
    assert (status, told["name"]) == (200, "Ada")
    assert (await me(other))["id"] == who
    _, told = await other.call("GET", "/api/me/matches")
    assert [match["replay"] for match in told["matches"]] == ["t-1"]
    assert (await other.call("DELETE", "/api/session"))[0] == 200
    assert (await me(other))["id"] != who


async def test_only_those_who_agreed_are_shown(house: OpenHouse) -> None:
    ada, ada_id = await with_account(house, "Ada")
    bob, bob_id = await with_account(house, "Bob", public=True)
    stranger = await house.visitor()
    await finished(house, ada_id, bob_id, public=True)
    missing = await stranger.call("GET", "/api/players/nobody")
    assert missing[0] == 404
    # The same answer, whether there is an account or not.
    assert await stranger.call("GET", "/api/players/Ada") == missing
    assert await ada.call("GET", "/api/players/Ada") == missing
    status, shown = await stranger.call("GET", "/api/players/bob")
    assert (status, shown["name"], shown["you"], shown["against_you"]) == (200, "Bob", False, [])
    assert shown["games"] == [{"game": "rummy", "played": 1, "ahead": 0, "behind": 1}]
    (rating,) = shown["ratings"]
    assert (rating["game"], rating["pool"], rating["games"]) == ("rummy", "rummy", 1)
    assert [point[1] for point in rating["curve"]] == [rating["rating"]]
    assert rating["rating"] < 1500
    _, seen = await ada.call("GET", "/api/players/bob")
    assert seen["against_you"] == [{"game": "rummy", "played": 1, "ahead": 1, "behind": 0}]

    async def leaders(visitor: Visitor) -> list[tuple[int, str, bool]]:
        _, told = await visitor.call("GET", "/api/leaderboards/rummy")
        return [(each["rank"], each["name"], each["you"]) for each in told["pools"][0]["leaders"]]

    assert await leaders(stranger) == [(1, "Bob", False)]
    assert await leaders(ada) == [(1, "Ada", True), (2, "Bob", False)]
    await ada.call("PUT", "/api/account", {"public": True})
    assert await leaders(stranger) == [(1, "Ada", False), (2, "Bob", False)]
    await bob.call("PUT", "/api/account", {"public": False})
    assert await leaders(stranger) == [(1, "Ada", False)]
    assert await stranger.call("GET", "/api/players/Bob") == missing
    # In their own history, people who played together see each other all the same.
    _, told = await ada.call("GET", "/api/me/record")
    assert [(each["name"], each["public"]) for each in told["rivals"]] == [("Player 1", False)]


async def test_an_email_address_finds_nobody(house: OpenHouse) -> None:
    visitor = await house.visitor()
    account = {"username": "Ada", "password": PASSWORD, "email": "ada@example.org"}
    await visitor.call("POST", "/user/guest")
    await visitor.call("POST", "/user/claim", account)
    await visitor.call("PUT", "/api/account", {"public": True})
    assert (await visitor.call("GET", "/api/players/Ada"))[0] == 200
    assert (await visitor.call("GET", "/api/players/ada@example.org"))[0] == 404


async def test_a_guest_has_no_public_profile(house: OpenHouse) -> None:
    guest = await house.visitor()
    await me(guest)
    status, told = await guest.call("PUT", "/api/account", {"public": True})
    assert (status, told["error"]["code"]) == (409, "no-account")


async def test_the_export_has_everything(house: OpenHouse) -> None:
    ada, ada_id = await with_account(house, "Ada", public=True)
    _, bob_id = await with_account(house, "Bob")
    for number in range(1, 4):
        await finished(house, ada_id, bob_id, number=number, public=True)
    status, told = await ada.call("GET", "/api/me/export")
    assert status == 200
    assert (told["id"], told["next"]) == (ada_id, "")
    assert (told["account"]["name"], told["account"]["public"]) == ("Ada", True)
    assert len(told["matches"]) == len(told["account"]["ratings"][0]["curve"]) == 3
    assert told["record"]["games"][0]["played"] == 3
    assert bob_id not in str(told)
    assert (await (await house.visitor()).call("GET", "/api/me/export"))[0] == 401


async def test_deleting_takes_somebody_out_of_everything(open_house: Opener) -> None:
    house = await open_house()
    ada, ada_id = await with_account(house, "Ada", public=True)
    bob, bob_id = await with_account(house, "Bob")
    for number in range(1, 61):
        await finished(house, ada_id, bob_id, number=number, public=True)
    await finished(house, ada_id, number=61)
    elsewhere = await house.visitor()
    await elsewhere.call("POST", "/api/session", {"name": "Ada", "password": PASSWORD})
    _, night = await ada.call("POST", "/api/evenings")
    night_path = f"/api/evenings/{night['code']}"
    await bob.call("POST", f"{night_path}/members")
    _, told = await ada.call("GET", "/api/me/export")
    assert [(each["code"], each["host"]) for each in told["game_nights"]] == [(night["code"], True)]
    for name in ("", "Bob", "ada"):
        status, told = await ada.call("POST", "/api/me/erase", {"name": name})
        assert (status, told["error"]["code"]) == (400, "bad-name")
    assert await count(ada) == 20
    assert (await ada.call("POST", "/api/me/erase", {"name": "Ada"}))[0] == 200
    # A match that was under way ends later.
    await finished(house, ada_id, bob_id, number=62, public=True)
    assert (await me(ada))["id"] != ada_id
    assert (await me(elsewhere))["id"] != ada_id
    again = {"name": "Ada", "password": PASSWORD}
    assert (await elsewhere.call("POST", "/api/session", again))[0] == 403

    async def check(house: OpenHouse) -> None:
        facts = await house.server.store.recall("")
        left = {key for key, value in facts.items() if ada_id in key or ada_id.encode() in value}
        # That tokens are void, and that matches under way name nobody.
        assert left == {f"erased:{ada_id}", f"signed-out:{ada_id}"}
        named = [key for key, value in facts.items() if b"Player 0" in value or "ada" in key]
        assert named == []
        assert f"{MATCH}t-61" not in facts
        assert f"{MATCH}t-62" in facts
        assert len([key for key in facts if key.startswith(PLAYED)]) == 61
        _, told = await bob.call("GET", "/api/me/matches")
        assert {match["players"][0]["name"] for match in told["matches"]} == {""}
        _, told = await bob.call("GET", "/api/me/record")
        assert told["games"][0]["played"] == 61
        assert told["rivals"] == []
        _, told = await bob.call("GET", night_path)
        assert [(m["name"], m["host"]) for m in told["members"]] == [("Bob", True)]

    await check(house)
    await house.server.stop()
    house = await open_house()
    bob.base = house.base
    await check(house)
    # Nobody has the name any more.
    await with_account(house, "Ada")


async def test_no_rating_names_somebody_who_was_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.server.ratings.MOST_OPPONENTS", 1)
    store = MemoryStore()
    people = People(store, (), SigningKey())
    ada, bob, cleo = person(1), person(2), person(3)
    homes = {ada: "a", bob: "b", cleo: "c"}
    # Ada has met Cleo last; Bob has met nobody but Ada.
    for other in (bob, cleo):
        people.ratings.note("pool", {ada: 0, other: 1}, homes, 1_000)
    await people.erase(ada)
    for _ in range(2):
        facts = await store.recall("")
        named = [key for key, value in facts.items() if ada in key or ada.encode() in value]
        assert named == [f"erased:{ada}"]
        # A match that ends at another node, which has not heard of it yet.
        people.ratings.note("pool", {ada: 0, bob: 1, cleo: 2}, homes, 2_000)
    assert [people.ratings.standings(who)["pool"].games for who in (bob, cleo)] == [3, 3]


@pytest.mark.slow
async def test_another_node_learns_that_an_account_is_gone(join: Join) -> None:
    key = SigningKey()
    stores = await join(), await join()
    one, other = (People(store, (), key) for store in stores)
    for store in stores:
        await store.read_watched()
    await one.accounts.create(person(1), "Ada", PASSWORD, "")
    await one.show(person(1), True)
    await soon(lambda: other.is_public(person(1)))
    one.history.finished(roster([person(1), person(2)]), Outcome((0,), "out"))
    await other.erase(person(1))
    await soon(lambda: one.accounts.of(person(1)) is None and not one.is_public(person(1)))
    assert one.accounts.called("ada") is None
    assert (await one.history.page(person(2))).matches[0].players[0].name == ""
    await one.accounts.create(person(3), "Ada", PASSWORD, "")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/account", {"name": "Ada", "password": PASSWORD, "email": "x"}),
        ("/api/account", {"name": "A" * 301, "password": PASSWORD}),
        ("/api/account", {"name": "Ada", "password": "short"}),
        ("/api/account", {"name": "Ada"}),
        ("/api/session", {"name": 1, "password": PASSWORD}),
        ("/api/me/erase", {}),
        ("/api/me/erase", {"name": None}),
    ],
)
async def test_bad_requests_change_nothing(
    house: OpenHouse, path: str, body: dict[str, Any]
) -> None:
    visitor = await house.visitor()
    await me(visitor)
    assert (await visitor.call("POST", path, body))[0] == 400
    assert not (await visitor.call("GET", "/api/account"))[1]["account"]


async def test_accounts_are_limited(house: OpenHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.server.accounts.MOST_ACCOUNTS", 1)
    await with_account(house, "Ada")
    bob = await house.visitor()
    status, told = await bob.call("POST", "/api/account", {"name": "Bob", "password": PASSWORD})
    assert (status, told["error"]["code"]) == (503, "too-many-names")


async def test_pages_of_other_origins_change_nothing(house: OpenHouse) -> None:
    ada, ada_id = await with_account(house, "Ada")
    for method, path, body in (
        ("POST", "/api/account", {"name": "Eve", "password": PASSWORD}),
        ("PUT", "/api/account", {"public": True}),
        ("POST", "/api/session", {"name": "Ada", "password": PASSWORD}),
        ("DELETE", "/api/session", None),
        ("POST", "/api/me/erase", {"name": "Ada"}),
    ):
        headers = {"Origin": "https://evil.example"}
        status, told = await ada.call(method, path, body, headers=headers)
        assert (status, told["error"]["code"]) == (403, "origin")
    _, told = await ada.call("GET", "/api/account")
    assert (told["account"], told["public"]) == (True, False)
    assert (await me(ada))["id"] == ada_id


def test_a_curve_keeps_its_beginning_and_its_end() -> None:
    curve: list[Point] = []
    for at in range(5_000):
        curve = thinned([*curve, Point(at, at)])
        assert len(curve) <= MOST_POINTS
    times = [point.at for point in curve]
    assert times[0] == 0
    assert times[-50:] == list(range(4_950, 5_000))
    assert times == sorted(times)
