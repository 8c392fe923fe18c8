"""Cambia's HTTP: identity, accounts, lobbies, the leaderboard."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Mapping
from typing import Any

import jwt
import pytest

from parlour.server.accounts import HASHER, Accounts
from parlour.server.ratings import (
    MOST_OF_A_PAIR,
    MOST_OPPONENTS,
    RECENT,
    Ratings,
    Standing,
    rated,
)
from parlour.store.memory import MemoryStore
from tests.cambia.guests import Evening, Guest, fields
from tests.support import PATIENCE, Opener, OpenHouse, Visitor, turns_of_the_loop

PASSWORD = "correct horse"

NEEDS_COOKIE = [
    ("POST", "/user/claim"),
    ("POST", "/user/logout"),
    ("POST", "/lobby/create"),
    ("GET", "/lobby/list"),
    ("POST", "/lobby/00000000-0000-4000-8000-000000000000/join"),
    ("GET", "/matchmaking/queues"),
    ("GET", "/friends/list"),
    ("GET", "/leaderboard?pool=head_to_head"),
]


async def guest(house: OpenHouse) -> tuple[Visitor, str]:
    visitor = await house.visitor()
    status, answer = await visitor.call("POST", "/user/guest")
    assert status == 200
    return visitor, answer["id"]


async def account(house: OpenHouse, username: str, address: str = "") -> tuple[Visitor, str]:
    visitor = await house.visitor(headers={"X-Forwarded-For": address} if address else {})
    body = {"username": username, "password": PASSWORD}
    status, user = await visitor.call("POST", "/user/create", body)
    assert status == 201, user
    return visitor, user["id"]


# Cookies


@pytest.mark.parametrize(("method", "path"), NEEDS_COOKIE)
async def test_no_cookie_is_401_and_a_bad_one_403(house: OpenHouse, method: str, path: str) -> None:
    visitor = await house.visitor()
    status, answer = await visitor.call(method, path)
    assert status == 401
    assert fields(answer) == {"code", "message"}
    for bad in ("forged", jwt.encode({"sub": "x"}, "k" * 32, algorithm="HS256")):
        headers = {"Cookie": f"auth_token={bad}"}
        status, _ = await visitor.call(method, path, headers=headers)
        assert status == 403


async def test_me_is_403_for_both(house: OpenHouse) -> None:
    visitor = await house.visitor()
    assert (await visitor.call("GET", "/user/me"))[0] == 403
    headers = {"Cookie": "auth_token=forged"}
    assert (await visitor.call("GET", "/user/me", headers=headers))[0] == 403


async def test_a_guest_has_one_identity_everywhere(house: OpenHouse) -> None:
    visitor, id = await guest(house)
    cookies = {c.key: c for c in visitor.http.cookie_jar}
    assert cookies["auth_token"]["httponly"]
    assert cookies["auth_token"]["samesite"] == "Lax"
    status, me = await visitor.call("GET", "/user/me")
    assert status == 200
    assert me == {"id": id, "username": "Player", "is_ephemeral": True, "is_admin": False}
    assert (await visitor.call("GET", "/api/me"))[1]["id"] == id
    assert (await visitor.call("POST", "/user/guest"))[1] == {"id": id}
    await visitor.call("PUT", "/api/me", {"name": "Ada"})
    assert (await visitor.call("GET", "/user/me"))[1]["username"] == "Ada"
    only = {"Cookie": f"auth_token={cookies['auth_token'].value}"}
    other = await house.visitor()
    assert (await other.call("GET", "/user/me", headers=only))[1]["id"] == id


async def test_the_token_is_an_eddsa_jwt_with_the_user_as_its_subject(house: OpenHouse) -> None:
    visitor, id = await guest(house)
    token = next(c.value for c in visitor.http.cookie_jar if c.key == "auth_token")
    assert jwt.get_unverified_header(token)["alg"] == "EdDSA"
    assert jwt.decode(token, options={"verify_signature": False})["sub"] == id


# Accounts


async def test_an_account_is_made_left_and_entered_again(house: OpenHouse) -> None:
    visitor, id = await account(house, "Ada")
    user = {"id": id, "username": "Ada", "is_ephemeral": False, "is_admin": False}
    assert await visitor.call("GET", "/user/me") == (200, user)
    assert await visitor.call("POST", "/user/logout") == (200, {})
    assert (await visitor.call("GET", "/user/me"))[0] == 403
    body = {"username": "aDA", "password": PASSWORD}
    status, answer = await visitor.call("POST", "/user/login", body)
    assert status == 200
    assert answer["id"] == id
    assert jwt.decode(answer["token"], options={"verify_signature": False})["sub"] == id
    assert (await visitor.call("GET", "/user/me"))[1]["id"] == id
    assert (await visitor.call("GET", "/api/me"))[1]["id"] == id


async def test_an_address_is_as_good_as_a_name_to_sign_in_with(house: OpenHouse) -> None:
    visitor = await house.visitor()
    body = {"username": "Ada", "password": PASSWORD, "email": "Ada@example.org"}
    _, user = await visitor.call("POST", "/user/create", body)
    body = {"email": "ada@example.org", "password": PASSWORD}
    status, answer = await visitor.call("POST", "/user/login", body)
    assert (status, answer["id"]) == (200, user["id"])


@pytest.mark.parametrize("username", ["Ada", "Nobody"])
async def test_a_wrong_password_and_an_unknown_name_are_told_alike(
    house: OpenHouse, username: str
) -> None:
    visitor, _ = await account(house, "Ada")
    body = {"username": username, "password": "wrong password"}
    status, answer = await visitor.call("POST", "/user/login", body)
    assert status == 403
    assert answer == {
        "code": "wrong-password",
        "message": "There is no account with that name and password.",
    }


async def test_claiming_keeps_the_guests_id_and_seat(evening: Evening) -> None:
    (host,) = await evening.guests("enveloped")
    body = {"username": "Ada", "password": PASSWORD}
    status, user = await host.visitor.call("POST", "/user/claim", body)
    assert status == 200
    assert user == {"id": host.id, "username": "Ada", "is_ephemeral": False, "is_admin": False}
    again = await Guest(host.visitor, "enveloped", host.lobby_id).enter()
    assert again.id == host.id
    body["username"] = "Grace"
    status, answer = await host.visitor.call("POST", "/user/claim", body)
    assert (status, answer["code"]) == (400, "has-account")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"username": "Ada", "password": "short"}, 400),
        ({"username": "Ada", "password": "x" * 129}, 400),
        ({"username": "", "password": PASSWORD}, 400),
        ({"username": "-- --", "password": PASSWORD}, 400),
        ({"username": "x" * 21, "password": PASSWORD}, 400),
        ({"username": 7, "password": PASSWORD}, 400),
        ({"username": "Ada", "password": PASSWORD, "email": "nowhere"}, 400),
        ({"username": "Ada"}, 400),
        ([], 400),
        # Case and width make no difference to who somebody is.
        ({"username": "ＴＡＫＥＮ", "password": PASSWORD}, 409),
    ],
)
async def test_what_is_no_account_is_refused(house: OpenHouse, body: Any, status: int) -> None:
    visitor, _ = await account(house, "Taken")
    assert (await visitor.call("POST", "/user/create", body))[0] == status


async def test_accounts_and_ratings_outlast_the_house(open_house: Opener) -> None:
    house = await open_house()
    _, id = await account(house, "Ada")
    await house.server.stop()
    house = await open_house()
    visitor = await house.visitor()
    body = {"username": "Ada", "password": PASSWORD}
    status, answer = await visitor.call("POST", "/user/login", body)
    assert (status, answer["id"]) == (200, id)


async def test_two_who_want_one_name_at_once_do_not_both_get_it(house: OpenHouse) -> None:
    visitors = [await house.visitor() for _ in range(4)]
    body = {"username": "Ada", "password": PASSWORD}
    answers = await asyncio.gather(*(v.call("POST", "/user/create", body) for v in visitors))
    assert sorted(status for status, _ in answers) == [201, 409, 409, 409]


async def test_hashing_never_holds_the_loop_up(monkeypatch: pytest.MonkeyPatch) -> None:
    accounts = Accounts(MemoryStore())
    hashed = threading.Event()
    monkeypatch.setattr(type(HASHER), "hash", lambda *_: hashed.wait(PATIENCE) and "hash")
    making = [
        asyncio.create_task(accounts.create(f"visitor {n}", f"name {n}", PASSWORD, ""))
        for n in range(4)
    ]
    # Were it hashed in the loop, this would wait for the first one.
    await turns_of_the_loop()
    assert not any(task.done() for task in making)
    hashed.set()
    await asyncio.gather(*making)


@pytest.mark.usefixtures("no_more_attempts")
async def test_guessing_is_slowed_down(house: OpenHouse) -> None:
    visitor, _ = await account(house, "Ada")
    body = {"username": "Ada", "password": "wrong password"}
    statuses = [(await visitor.call("POST", "/user/login", body))[0] for _ in range(12)]
    assert statuses[:10] == [403] * 10
    assert statuses[-1] == 429


async def test_a_strange_page_can_change_nothing(house: OpenHouse) -> None:
    visitor, _ = await guest(house)
    headers = {"Origin": "https://elsewhere.example"}
    for path in ("/user/logout", "/lobby/create", "/user/create", "/user/guest"):
        assert (await visitor.call("POST", path, {}, headers=headers))[0] == 403


# Lobbies


async def test_a_lobby_is_made_as_asked(house: OpenHouse) -> None:
    visitor, id = await guest(house)
    body = {
        "type": "public",
        "gameMode": "circuit_4p",
        "houseRules": {"turnTimerSec": 20},
        "circuit": {"rules": {"targetScore": 50}},
        "settings": {"countdownSec": 5},
        "name": "Friday",
        "something": "else",
    }
    status, lobby = await visitor.call("POST", "/lobby/create", body)
    assert status == 200
    assert lobby["hostUserID"] == id
    assert (lobby["type"], lobby["gameMode"], lobby["name"]) == ("public", "circuit_4p", "Friday")
    assert lobby["houseRules"]["turnTimerSec"] == 20
    assert lobby["circuit"]["enabled"] is True
    assert lobby["circuit"]["mode"] == "circuit_4p"
    assert lobby["circuit"]["rules"]["targetScore"] == 50
    assert lobby["settings"] == {"autoStart": True, "countdownSec": 5}
    status, listed = await visitor.call("GET", "/lobby/list")
    assert listed == {
        lobby["id"]: {"lobby": lobby, "playerCount": 0, "maxPlayers": 4, "name": "Friday"}
    }


@pytest.mark.parametrize(
    "body",
    [
        {"type": "secret"},
        {"gameMode": "solo"},
        {"houseRules": {"snapRace": "yes"}},
        {"houseRules": 3},
        {"circuit": {"rules": {"targetScore": 0}}},
        {"name": 5},
        {"name": "x" * 41},
        [],
    ],
)
async def test_a_lobby_that_cannot_be_is_not_made(house: OpenHouse, body: Any) -> None:
    visitor, _ = await guest(house)
    status, answer = await visitor.call("POST", "/lobby/create", body)
    assert status == 400
    assert fields(answer) == {"code", "message"}
    assert len(house.server.house.index) == 0


async def test_nobody_has_more_lobbies_than_the_house_allows(open_house: Opener) -> None:
    house = await open_house(tables_per_session=2)
    visitor, _ = await guest(house)
    statuses = [(await visitor.call("POST", "/lobby/create", {}))[0] for _ in range(3)]
    assert statuses == [200, 200, 429]


async def test_only_public_lobbies_are_listed(evening: Evening) -> None:
    public = (await evening.guests("flat", type="public"))[0]
    for kind in ("private", "matchmaking"):
        await evening.lobby(type=kind)
    stranger, _ = await guest(evening.house)
    _, listed = await stranger.call("GET", "/lobby/list")
    assert list(listed) == [public.lobby_id]
    entry = listed[public.lobby_id]
    assert (entry["playerCount"], entry["maxPlayers"]) == (1, 8)
    # Whoever made the private one is not shown it either: they know it.
    _, listed = await public.visitor.call("GET", "/lobby/list")
    assert list(listed) == [public.lobby_id]


async def test_a_matchmaking_lobby_is_a_queue(evening: Evening) -> None:
    visitor, lobby_id = await evening.lobby(type="matchmaking", gameMode="head_to_head")
    stranger, _ = await guest(evening.house)
    _, queues = await stranger.call("GET", "/matchmaking/queues")
    assert queues == [
        {
            "queueId": lobby_id,
            "name": "head_to_head",
            "gameMode": "head_to_head",
            "ratingPool": "head_to_head",
            "players": 2,
            "playerCount": 0,
        }
    ]
    host = await Guest(visitor, "enveloped", lobby_id).enter()
    assert host.state["lobby_type"] == "matchmaking"
    await Guest(stranger, "flat", lobby_id).enter()
    assert (await stranger.call("GET", "/matchmaking/queues"))[1] == []


async def test_joining_says_whether_there_is_room(evening: Evening) -> None:
    host, member = await evening.guests("flat", "flat", gameMode="head_to_head")
    stranger, _ = await guest(evening.house)
    path = f"/lobby/{host.lobby_id}/join"
    assert await member.visitor.call("POST", path) == (200, {"lobby_id": host.lobby_id})
    assert (await stranger.call("POST", path))[0] == 409
    assert (await stranger.call("POST", "/lobby/nonsense/join"))[0] == 404
    _, table = await stranger.call("POST", "/api/tables", {"game": "rummy"})
    assert (await stranger.call("POST", f"/lobby/{table['id']}/join"))[0] == 404
    await member.say("leave_lobby")
    await host.lobby.until("lobby_update")
    assert await stranger.call("POST", path) == (200, {"lobby_id": host.lobby_id})


async def test_the_list_of_friends_is_empty(house: OpenHouse) -> None:
    visitor, _ = await guest(house)
    assert await visitor.call("GET", "/friends/list") == (200, [])


@pytest.mark.parametrize(
    ("name", "pool"), [("1v1", "head_to_head"), ("4p", "group_of_4"), ("7p8p", "circuit_7p8p")]
)
async def test_pools_go_by_the_names_existing_clients_have(
    house: OpenHouse, name: str, pool: str
) -> None:
    visitor, _ = await guest(house)
    status, board = await visitor.call("GET", f"/leaderboard?pool={name}")
    assert (status, board["pool"]) == (200, pool)


# The leaderboard


STANDARD = {"type": "public", "gameMode": "head_to_head"}


@pytest.fixture
async def reached(open_house: Opener) -> AsyncIterator[Evening]:
    """An evening in a house that tells its visitors' addresses apart."""
    with Evening(await open_house(proxy_headers=True)) as evening:
        yield evening


async def won_by_ada(
    evening: Evening, lobby: dict[str, Any], addresses: tuple[str, str]
) -> tuple[Visitor, str, str]:
    """A game of two accounts; gives the loser, and the ids of both."""
    evening.stack(("AH 2C 3D 4S", "JH JD QC QS"), "8C", "2H")
    (ada, ada_id), (bob, bob_id) = [
        await account(evening.house, name, address)
        for name, address in zip(("Ada", "Bob"), addresses, strict=True)
    ]
    _, made = await ada.call("POST", "/lobby/create", lobby)
    one = await Guest(ada, "enveloped", made["id"]).enter()
    other = await Guest(bob, "flat", made["id"]).enter()
    await evening.begin([one, other])
    await one.say("action_cambia")
    await one.game.until("player_cambia")
    evening.watch.forward(15_000)
    await one.lobby.until("game_results")
    return bob, ada_id, bob_id


@pytest.mark.parametrize("kind", ["public", "matchmaking"])
async def test_a_game_between_accounts_is_on_the_leaderboard(reached: Evening, kind: str) -> None:
    lobby = {**STANDARD, "type": kind}
    bob, ada_id, bob_id = await won_by_ada(reached, lobby, ("192.0.2.1", "192.0.2.2"))
    for pool in ("head_to_head", "h2h"):
        status, board = await bob.call("GET", f"/leaderboard?pool={pool}")
        assert status == 200
        assert board["pool"] == "head_to_head"
        first, second = board["rows"]
        assert (first["rank"], first["userId"], first["username"]) == (1, ada_id, "Ada")
        assert (first["games"], first["wins"]) == (1, 1)
        assert first["rating"] > 1500 > second["rating"]
        assert board["you"] == second
        assert (second["userId"], second["wins"]) == (bob_id, 0)
    assert (await bob.call("GET", "/leaderboard?pool=custom"))[1]["rows"] == []
    _, board = await bob.call("GET", "/leaderboard?limit=1")
    assert len(board["rows"]) == 1
    for query in ("?pool=chess", "?limit=-1", "?limit=" + 5000 * "9"):
        assert (await bob.call("GET", "/leaderboard" + query))[0] == 400


@pytest.mark.parametrize(
    ("lobby", "addresses"),
    [
        ({"type": "private"}, ("192.0.2.1", "192.0.2.2")),
        ({}, ("192.0.2.1", "192.0.2.1")),
        ({}, ("2001:db8::1", "2001:db8::2")),
        ({"houseRules": {"snapRace": True}}, ("192.0.2.1", "192.0.2.2")),
        ({"circuit": {"enabled": True}}, ("192.0.2.1", "192.0.2.2")),
    ],
    ids=["private", "one address", "one network", "house rules", "no such circuit"],
)
async def test_games_that_two_could_arrange_are_not_rated(
    reached: Evening, lobby: dict[str, Any], addresses: tuple[str, str]
) -> None:
    bob, _, _ = await won_by_ada(reached, {**STANDARD, **lobby}, addresses)
    assert (await bob.call("GET", "/leaderboard?pool=head_to_head"))[1]["rows"] == []


async def test_an_abandoned_game_counts_for_nothing(reached: Evening) -> None:
    evening = reached
    ada, _ = await account(evening.house, "Ada", "192.0.2.1")
    bob, _ = await account(evening.house, "Bob", "192.0.2.2")
    _, lobby = await ada.call("POST", "/lobby/create", {"type": "public"})
    players = [await Guest(v, "enveloped", lobby["id"]).enter() for v in (ada, bob)]
    await evening.begin(players)
    for player in players:
        await player.say("leave_lobby")
        assert await player.lobby.closed() == 1000
    assert evening.house.server.house.index.find(lobby["id"]) is None
    assert (await ada.call("GET", "/leaderboard?pool=custom"))[1]["rows"] == []


async def test_guests_are_not_rated(reached: Evening) -> None:
    evening = reached
    host = await evening.house.visitor(headers={"X-Forwarded-For": "192.0.2.1"})
    await host.call("POST", "/user/guest")
    _, made = await host.call("POST", "/lobby/create", {"type": "public"})
    other = await evening.house.visitor(headers={"X-Forwarded-For": "192.0.2.2"})
    one, other = [await Guest(v, "enveloped", made["id"]).enter() for v in (host, other)]
    await evening.begin([one, other])
    await one.say("action_cambia")
    await one.game.until("player_cambia")
    evening.watch.forward(15_000)
    await one.lobby.until("game_results")
    assert (await one.visitor.call("GET", "/leaderboard?pool=custom"))[1]["rows"] == []


async def test_ratings_follow_the_papers_worked_example() -> None:
    """Glickman's own: 1500 (200) beats 1400 (30), loses to 1550 (100) and 1700 (300)."""
    store = MemoryStore()
    for name, rating, rd in (
        ("me", 1500, 200),
        ("a", 1400, 30),
        ("b", 1550, 100),
        ("c", 1700, 300),
    ):
        fact = f'{{"rating":{rating},"rd":{rd},"games":9,"wins":3,"peak":1800}}'
        store.remember(f"rating:pool:{name}", fact.encode())
    ratings = Ratings(store, (), Accounts(store))
    await ratings.load()
    note(ratings, {"b": 1, "c": 1, "me": 2, "a": 3})
    again = Ratings(store, (), Accounts(store))
    await again.load()
    mine = dict(again.ranked("pool"))["me"]
    assert round(mine.rating) == 1464
    assert mine.rd == pytest.approx(151.4, abs=0.05)
    assert (mine.games, mine.wins, mine.peak) == (10, 3, 1800)


def note(ratings: Ratings, places: Mapping[str, int], now: int = 0) -> None:
    """A match of people who are all at addresses of their own."""
    ratings.note("pool", places, {visitor: visitor for visitor in places}, now)


async def test_a_draw_between_equals_changes_only_the_doubt() -> None:
    store = MemoryStore()
    ratings = Ratings(store, (), Accounts(store))
    note(ratings, {"a": 1, "b": 1})
    note(ratings, {"a": 1})
    await ratings.load()
    assert len(ratings.ranked("pool")) == 2
    for _, standing in ratings.ranked("pool"):
        assert standing.rating == pytest.approx(1500)
        assert standing.rd < 350
        assert standing.games == 1


def test_whoever_is_at_one_address_is_rated_against_the_others_alone() -> None:
    before = {name: Standing() for name in "abc"}
    homes = {"a": "here", "b": "here", "c": "there"}
    after = rated(before, {"a": 1, "b": 2, "c": 3}, homes, 0)
    # Each of them beat one, and neither the other.
    assert after["a"].rating == after["b"].rating > 1500 > after["c"].rating
    assert [after[name].wins for name in "abc"] == [1, 1, 0]
    homes["c"] = "here"
    assert rated(before, {"a": 1, "b": 2, "c": 3}, homes, 0) == {}
    # Where an address is not known, nobody can say that it is another.
    assert rated(before, {"a": 1, "b": 2, "c": 3}, {}, 0) == {}


def test_the_same_opponent_again_and_again_counts_less_and_less() -> None:
    stand = {"a": Standing(), "b": Standing()}
    homes = {"a": "here", "b": "there"}
    gains: list[float] = []
    for now in range(100):
        after = {**stand, **rated(stand, {"a": 1, "b": 2}, homes, now)}
        gains.append(after["a"].rating - stand["a"].rating)
        stand = after
    assert gains == sorted(gains, reverse=True)
    assert gains[MOST_OF_A_PAIR:] == [0.0] * (100 - MOST_OF_A_PAIR)
    assert stand["a"].games == MOST_OF_A_PAIR
    assert 1500 < stand["a"].rating < 1750
    # Against somebody else it counts as ever, and a week later against the same one, too.
    other = {"a": stand["a"], "c": Standing()}
    assert rated(other, {"a": 1, "c": 2}, {"a": "here", "c": "far"}, 100)["a"].games == 9
    later = rated(stand, {"a": 1, "b": 2}, homes, 100 + RECENT)
    assert later["a"].games == 9
    assert later["a"].met == {"b": [100 + RECENT]}


def test_what_is_remembered_of_opponents_is_bounded() -> None:
    stand = Standing()
    for number in range(2 * MOST_OPPONENTS):
        other = str(number)
        stand = rated({"a": stand, other: Standing()}, {"a": 1, other: 2}, {"a": "h"}, 0)["a"]
    assert list(stand.met) == [str(n) for n in range(MOST_OPPONENTS, 2 * MOST_OPPONENTS)]
