"""Who a visitor is, for how long, and how they stop being it."""

from __future__ import annotations

import asyncio
from typing import Any

import jwt
import pytest
from yarl import URL

from parlour.protocol import Hello
from parlour.server import sessions
from parlour.server.accounts import MOST_GUESSES, MOST_PLACES
from parlour.server.gateway import SIGNED_OUT
from parlour.server.listeners import TableListener
from parlour.server.sessions import DEVICE, LIFETIME, MOST_SIGNED_OUT, RENEWED_AFTER
from tests.support import Client, Opener, OpenHouse, Visitor, soon

PASSWORD = "correct horse"


class Clock:
    """The wall clock, as sessions see it."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(sessions, "time", made)
    return made


def cookie(visitor: Visitor, name: str = "parlour_session") -> str:
    return next(c.value for c in visitor.http.cookie_jar if c.key == name)


def show(visitor: Visitor, token: str) -> None:
    """From now on this browser has that token, and no other."""
    visitor.http.cookie_jar.clear()
    visitor.http.cookie_jar.update_cookies({"parlour_session": token}, URL(visitor.base))


async def known_as(house: OpenHouse, token: str) -> str | None:
    """Whom a token stands for, by HTTP; the same on a socket."""
    visitor = await house.visitor()
    status, me = await visitor.call("GET", f"/api/me?token={token}")
    if status == 403:
        assert await visitor.refusal(f"/rummy?token={token}") == 403
        return None
    assert status == 200
    return str(me["id"])


async def test_a_token_holds_for_its_time_and_no_longer(clock: Clock, house: OpenHouse) -> None:
    visitor = await house.visitor()
    token = await visitor.token()
    me = (await visitor.call("GET", "/api/me"))[1]["id"]
    claims = jwt.decode(token, options={"verify_signature": False})
    assert claims == {"sub": me, "iat": clock.now, "exp": clock.now + LIFETIME}
    clock.now += LIFETIME
    assert await known_as(house, token) == me
    clock.now += 1
    assert await known_as(house, token) is None


async def test_a_token_in_use_is_renewed_in_time(clock: Clock, house: OpenHouse) -> None:
    visitor = await house.visitor()
    me = (await visitor.call("GET", "/api/me"))[1]["id"]
    first = cookie(visitor)
    clock.now += RENEWED_AFTER
    await visitor.call("GET", "/api/tables")
    assert cookie(visitor) == first
    clock.now += 1
    await visitor.call("GET", "/api/tables")
    second = cookie(visitor)
    assert second != first
    # On a socket, too.
    clock.now += RENEWED_AFTER + 1
    socket = await visitor.socket("/rummy")
    assert cookie(visitor) != second
    await socket.close()
    for _ in range(5):
        clock.now += LIFETIME - 10
        assert (await visitor.call("GET", "/api/me"))[1]["id"] == me


async def test_a_strangers_token_is_not_renewed(clock: Clock, house: OpenHouse) -> None:
    visitor = await house.visitor()
    await visitor.token()
    old = cookie(visitor)
    clock.now += LIFETIME + 1
    show(visitor, old)
    page = await visitor.get("/api/tables")
    assert "Set-Cookie" not in page.headers
    show(visitor, f"{old[:-4]}AAAA")
    assert "Set-Cookie" not in (await visitor.get("/api/tables")).headers


async def test_tokens_from_before_they_expired_hold_for_one_lifetime_more(
    clock: Clock, open_house: Opener
) -> None:
    house = await open_house()
    me = house.server.sessions.new_visitor()
    endless = house.server.sessions._key.sign({"sub": me})
    assert await known_as(house, endless) == me
    await house.server.stop()
    clock.now += LIFETIME - 1
    house = await open_house()
    assert await known_as(house, endless) == me
    # Used in a cookie, it becomes one that expires.
    visitor = await house.visitor()
    show(visitor, endless)
    await visitor.call("GET", "/api/tables")
    assert "exp" in jwt.decode(cookie(visitor), options={"verify_signature": False})
    clock.now += 2
    assert await known_as(house, endless) is None


@pytest.mark.parametrize("account", [True, False])
async def test_signing_out_makes_every_token_void_also_after_a_restart(
    clock: Clock, open_house: Opener, account: bool
) -> None:
    house = await open_house()
    visitor = await house.visitor()
    if account:
        await visitor.call("POST", "/user/create", {"username": "Ada", "password": PASSWORD})
    else:
        await visitor.call("POST", "/user/guest")
    tokens = [cookie(visitor), cookie(visitor, "auth_token"), await visitor.token()]
    other = await house.visitor()
    others = await other.token()
    assert (await visitor.call("POST", "/user/logout"))[0] == 200
    for _ in range(2):
        assert [await known_as(house, token) for token in tokens] == [None] * 3
        assert await known_as(house, others) is not None
        await house.server.stop()
        house = await open_house()
    if account:
        # In the same second somebody may sign in again.
        visitor = await house.visitor()
        body = {"username": "Ada", "password": PASSWORD}
        status, told = await visitor.call("POST", "/user/login", body)
        assert status == 200
        assert await known_as(house, told["token"]) == told["id"]
        assert (await visitor.call("POST", "/user/logout"))[0] == 200
        assert await known_as(house, told["token"]) is None


async def test_signing_out_closes_the_visitors_sockets(house: OpenHouse) -> None:
    visitor, other = await house.visitor(), await house.visitor()
    await visitor.call("POST", "/user/guest")
    token = await visitor.token()
    _, lobby = await visitor.call("POST", "/lobby/create", {})
    theirs = [
        await visitor.socket(f"/rummy?token={token}"),
        await visitor.socket(f"/ws/{lobby['id']}"),
        await visitor.socket("/mo"),
    ]
    others = await other.rummy()
    await others.expect("lobby")
    assert (await visitor.call("POST", "/user/logout"))[0] == 200
    for socket in theirs:
        assert await Client(socket).closed() == SIGNED_OUT
    await others.send("name", name="Ada")
    await others.expect("lobby")
    await soon(lambda: len(house.server.gateway._of_visitor) == 1)
    await others.close()
    await soon(lambda: not house.server.gateway._of_visitor)


async def test_who_signs_out_while_connecting_is_not_let_in(
    house: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = await house.visitor()
    await visitor.call("POST", "/user/guest")
    seen: list[str] = []
    admit = TableListener.admit

    async def slowly(listener: TableListener, hello: Hello) -> Any:
        admitted = await admit(listener, hello)
        assert hello.visitor is not None
        await house.server.sessions.sign_out(hello.visitor, guest=True)
        seen.append(hello.visitor)
        return admitted

    monkeypatch.setattr(TableListener, "admit", slowly)
    socket = await visitor.socket("/rummy")
    assert await Client(socket).closed() == SIGNED_OUT
    assert seen
    assert not house.tables


async def test_tokens_of_a_guest_are_void_once_they_have_an_account(
    clock: Clock, open_house: Opener
) -> None:
    house = await open_house()
    visitor = await house.visitor()
    _, me = await visitor.call("POST", "/user/guest")
    tokens = [cookie(visitor), cookie(visitor, "auth_token"), await visitor.token()]
    socket = await visitor.rummy(f"?token={tokens[-1]}")
    await socket.expect("lobby")
    body = {"username": "Ada", "password": PASSWORD}
    assert (await visitor.call("POST", "/user/claim", body))[0] == 200
    # The game that they are in goes on.
    await socket.send("name", name="Ada")
    await socket.expect("lobby")
    for _ in range(2):
        assert [await known_as(house, token) for token in tokens] == [None] * 3
        visitor.base = house.base
        assert (await visitor.call("GET", "/user/me"))[1]["id"] == me["id"]
        await house.server.stop()
        house = await open_house()
    # What is remembered of it is forgotten with the last of these tokens.
    clock.now += LIFETIME + 1
    await house.server.stop()
    house = await open_house()
    assert await house.server.store.recall("claimed:") == {}


async def test_what_is_remembered_of_guests_who_signed_out_is_bounded(
    house: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MOST_SIGNED_OUT >= 1000
    monkeypatch.setattr(sessions, "MOST_SIGNED_OUT", 5)
    for _ in range(20):
        visitor = await house.visitor()
        await visitor.call("POST", "/user/guest")
        assert (await visitor.call("POST", "/user/logout"))[0] == 200
    assert len(await house.server.store.recall("signed-out:")) == 5
    assert len(house.server.sessions._void) == 5


# Signing in


async def signs_in(visitor: Visitor, password: str) -> int:
    body = {"username": "Ada", "password": password}
    return (await visitor.call("POST", "/user/login", body))[0]


@pytest.mark.usefixtures("no_more_attempts")
async def test_wrong_passwords_slow_the_guesser_and_never_the_owner(open_house: Opener) -> None:
    house = await open_house(proxy_headers=True)
    owner = await house.visitor(headers={"X-Forwarded-For": "192.0.2.1"})
    body = {"username": "Ada", "password": PASSWORD}
    assert (await owner.call("POST", "/user/create", body))[0] == 201
    guesser = await house.visitor(headers={"X-Forwarded-For": "192.0.2.2"})
    tried = [await signs_in(guesser, f"wrong password {n}") for n in range(12)]
    assert tried[:10] == [403] * 10
    assert tried[-1] == 429
    # A right guess is not told from a wrong one any more, and the owner comes in at once.
    assert await signs_in(guesser, PASSWORD) == 429
    assert await signs_in(owner, PASSWORD) == 200
    # Who mistypes and then remembers starts anew.
    for _ in range(3):
        assert [await signs_in(owner, "mistyped it") for _ in range(8)] == [403] * 8
        assert await signs_in(owner, PASSWORD) == 200


@pytest.mark.usefixtures("no_more_attempts")
async def test_guesses_at_the_owners_address_do_not_keep_their_browser_out(
    open_house: Opener,
) -> None:
    house = await open_house()
    owner, guesser = await house.visitor(), await house.visitor()
    body = {"username": "Ada", "password": PASSWORD}
    assert (await owner.call("POST", "/user/create", body))[0] == 201
    await owner.call("POST", "/user/logout")
    tried = [await signs_in(guesser, f"wrong password {n}") for n in range(11)]
    assert tried == [403] * 10 + [429]
    assert await signs_in(guesser, PASSWORD) == 429
    assert await signs_in(owner, PASSWORD) == 200
    # What their browser shows is no session, cannot be made up, and is good for one account alone.
    device = cookie(owner, DEVICE)
    assert await known_as(house, device) is None
    other = await house.visitor()
    body = {"username": "Bob", "password": PASSWORD}
    assert (await other.call("POST", "/user/create", body))[0] == 201
    for shown in (cookie(other, DEVICE), device[:-4] + "AAAA", cookie(owner)):
        guesser.http.cookie_jar.clear()
        guesser.http.cookie_jar.update_cookies({DEVICE: shown}, URL(guesser.base))
        assert await signs_in(guesser, PASSWORD) == 429
    # Neither is it a way to guess on and on.
    tried = [await signs_in(owner, f"wrong password {n}") for n in range(11)]
    assert tried == [403] * 10 + [429]


@pytest.mark.usefixtures("no_more_attempts")
async def test_guesses_from_many_addresses_do_not_keep_the_owner_out(open_house: Opener) -> None:
    house = await open_house(proxy_headers=True)
    home = {"X-Forwarded-For": "192.0.2.1"}
    owner = await house.visitor(headers=home)
    body = {"username": "Ada", "password": PASSWORD}
    assert (await owner.call("POST", "/user/create", body))[0] == 201
    crowd = [
        await house.visitor(headers={"X-Forwarded-For": f"198.51.100.{n}"}) for n in range(119)
    ]

    async def guess(guesser: Visitor) -> list[int]:
        return [await signs_in(guesser, f"wrong password {n}") for n in range(4)]

    guessing = [asyncio.create_task(guess(guesser)) for guesser in crowd]
    await asyncio.sleep(0)
    # Their browser at a place where it never was, and another one at home.
    away = await house.visitor(headers={"X-Forwarded-For": "203.0.113.1"})
    away.http.cookie_jar.update_cookies({DEVICE: cookie(owner, DEVICE)}, URL(away.base))
    at_home = await house.visitor(headers=home)
    for _ in range(10):
        assert await signs_in(away, PASSWORD) == 200
        assert await signs_in(at_home, PASSWORD) == 200
        at_home.http.cookie_jar.clear()
    heard = [status for statuses in await asyncio.gather(*guessing) for status in statuses]
    assert heard.count(403) <= MOST_GUESSES
    assert set(heard) <= {403, 429, 503}
    # All others together have to wait, whatever they know.
    assert await signs_in(crowd[0], PASSWORD) == 429
    # Where somebody has signed in before is known after a restart, too.
    await house.server.stop()
    house = await open_house(proxy_headers=True)
    accounts = house.server.people.accounts
    (ada,) = accounts._by_id.values()
    assert accounts._knows(ada, "192.0.2.1")
    assert accounts._knows(ada, "203.0.113.1")
    assert not accounts._knows(ada, "198.51.100.1")
    facts = await house.server.store.recall("known:")
    assert "192.0.2" not in str(facts)


async def test_it_is_known_of_the_last_places_alone_where_somebody_signed_in(
    house: OpenHouse,
) -> None:
    accounts = house.server.people.accounts
    ada = await accounts.create("visitor", "Ada", PASSWORD, "", "place 0")
    for number in range(1, 2 * MOST_PLACES):
        assert await accounts.login("Ada", PASSWORD, f"place {number}") == ada
    known = [n for n in range(2 * MOST_PLACES) if accounts._knows(ada, f"place {n}")]
    assert known == list(range(MOST_PLACES, 2 * MOST_PLACES))


async def test_one_address_does_not_keep_others_from_signing_in(open_house: Opener) -> None:
    house = await open_house(proxy_headers=True)
    owner = await house.visitor(headers={"X-Forwarded-For": "192.0.2.1"})
    body = {"username": "Ada", "password": PASSWORD}
    assert (await owner.call("POST", "/user/create", body))[0] == 201
    crowd = await house.visitor(headers={"X-Forwarded-For": "192.0.2.2"})
    wrong = [
        asyncio.ensure_future(
            crowd.call("POST", "/user/login", {"username": f"u{n}", "password": PASSWORD})
        )
        for n in range(60)
    ]
    await asyncio.sleep(0)
    assert await signs_in(owner, PASSWORD) == 200
    statuses = {status for status, _ in await asyncio.gather(*wrong)}
    assert statuses <= {403, 503}
    assert 503 in statuses
