"""Coming in: cookies and query, names, passwords, tokens, rejections (spec: "Transport")."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.games.quips.lobby import QuipsNames
from parlour.games.quips.wire.door import ExtendedDoor, NewerDoor, OlderDoor, decoded
from parlour.protocol import At, Common, Hello, Seek
from tests.quips.guests import ELSEWHERE, Guest, greeted
from tests.quips.strict import Newer
from tests.support import CLOSE, PING, soon

# What cookies and query say


@given(st.text())
def test_a_cookie_is_what_its_client_encoded(text: str) -> None:
    assert decoded(quote(text, safe="=/:<>@{}[]|^+")) == text


@given(st.binary())
def test_any_cookie_can_be_read(sent: bytes) -> None:
    """Headers are bytes, and come to us so that none of them is lost."""
    decoded(sent.decode("utf-8", "surrogateescape")).encode()


def test_a_plus_stays_and_broken_escapes_do_no_harm() -> None:
    assert decoded("a+b%20c") == "a+b c"
    assert decoded("100%") == "100%"
    assert decoded("%zz%FF") == "%zz\N{REPLACEMENT CHARACTER}"


def _seek(path: str = "/play", **said: Any) -> Seek:
    return NewerDoor().seek(Hello(path=path, **said))


def test_the_query_goes_before_cookies() -> None:
    cookies = {"name": "Ann", "player_token": "1" * 32, "game_password": "a", "table": "111111"}
    seek = _seek(cookies=cookies)
    assert (seek.name, seek.claim, seek.key) == ("Ann", "1" * 32, "a")
    assert seek.where == At("111111")
    query = {"name": "Ben", "player_token": "2" * 32, "password": "b", "table": "222 222"}
    seek = _seek(cookies=cookies, query=query)
    assert (seek.name, seek.claim, seek.key) == ("Ben", "2" * 32, "b")
    assert seek.where == At("222222")


def test_what_is_empty_is_not_said() -> None:
    empty = {"name": "", "player_token": "", "game_password": "", "client_lang": ""}
    assert _seek(cookies=empty) == _seek()
    assert _seek().where == Common()


def test_a_token_is_ignored_by_who_watches() -> None:
    cookies = {"player_token": "1" * 32}
    assert _seek("/spectate", cookies=cookies).claim is None
    assert _seek("/spectate", cookies=cookies).watch


def test_our_own_pages_cookies_move_nobody() -> None:
    """Cookies know no ports: who asks for no table by the address is a stranger at the common
    one, whoever the browser is to us."""
    known = _seek(visitor="somebody", cookies={"parlour_session": "token"})
    assert known == _seek()
    assert known.stranger
    assert not _seek(visitor="somebody", query={"table": "123456"}).stranger


def test_a_language_is_a_tag_or_nothing() -> None:
    assert _seek(cookies={"client_lang": "de-AT"}).language == "de-AT"
    assert _seek(cookies={"client_lang": "<b>"}).language == ""
    assert _seek(cookies={"client_lang": "x" * 99}).language == ""


@pytest.mark.parametrize(
    ("older", "hello"),
    [
        (True, Hello("/game", origin=ELSEWHERE)),
        (True, Hello("/game", origin=ELSEWHERE, cookies={"name": "Ann", "parlour_session": "x"})),
        (True, Hello("/game", origin=ELSEWHERE, cookies={"player_token": "1" * 32})),
        (False, Hello("/game")),
        (False, Hello("/game", origin=ELSEWHERE, query={"name": "Ann"})),
        (True, Hello("/game", origin=ELSEWHERE, cookies={"client_lang": "en"})),
    ],
)
def test_the_older_generation_is_told_by_what_it_does_not_say(older: bool, hello: Hello) -> None:
    assert OlderDoor().meant(hello) == older
    assert NewerDoor().meant(hello)
    assert not ExtendedDoor().meant(hello)


@given(st.text(max_size=40))
def test_no_name_is_refused_and_none_is_html(name: str) -> None:
    good = QuipsNames().good(name)
    assert 1 <= len(good) <= 32
    assert not set('<>&"') & set(good)
    assert good == good.strip() == QuipsNames().good(good)


@pytest.mark.parametrize(
    ("said", "called"),
    [
        ("  Zoë O'Neil-2_x., ", "Zoë O'Neil-2_x.,"),
        ("", "Player"),
        ("x" * 32, "x" * 32),
        ("x" * 33, "Player"),
        ("<b>Ann</b>", "Player"),
        ("two\nlines", "Player"),
        ("...", "Player"),
        ("Ann\u3164", "Player"),
        ("नमस्ते", "नमस्ते"),
    ],
)
def test_what_people_are_called(said: str, called: str) -> None:
    assert QuipsNames().good(said) == called


# At the door itself


async def test_names_come_by_cookie_and_by_query_and_are_made_unique(guests: Any) -> None:
    visit = await guests()
    ann = await greeted(await visit.newer("Änn"))
    again = await greeted(await visit.program("?name=%C3%84nn"))
    raw = await greeted(await visit.newer("Ben", client_lang="=/:<>@{}[]|^"))
    unseen = await greeted(await visit.newer("\u115f\u3164"))
    assert unseen.client.name == "Player"
    assert [g.client.name for g in (ann, again, raw)] == ["Änn", "Änn 2", "Ben"]
    long = await greeted(await visit.newer("y" * 32))
    longer = await greeted(await visit.newer("y" * 32))
    assert long.client.name == "y" * 32
    assert longer.client.name == "y" * 30 + " 2"


async def _turned_away(guest: Guest, reason: str) -> None:
    """After the upgrade: one message, and a close that existing clients take for an answer."""
    assert await guest.closed() == 1000
    assert guest.client.rejected == reason
    assert guest.client.heard == ["s_rejectclient"]


async def test_a_password_is_asked_of_players(guests: Any) -> None:
    visit = await guests(player_password="swørd + =/")
    await _turned_away(await visit.newer("Ann"), "reject_bad_password")
    await _turned_away(await visit.newer("Ann", password="sword"), "reject_bad_password")
    await _turned_away(await visit.older("Ann"), "reject_bad_password")
    await greeted(await visit.newer("Ann", password="swørd + =/"))
    await greeted(await visit.program("?password=sw%C3%B8rd%20%2B%20%3D/"))
    await greeted(await visit.newer(path="/spectate"))


async def test_a_password_may_hold_what_cookies_should_not(guests: Any) -> None:
    password = "=/:<>@{}[]|^+"
    visit = await guests(player_password=password)
    await greeted(await visit.newer("Ann", game_password=password))


async def test_a_full_table_turns_away_by_both_roads(guests: Any) -> None:
    visit = await guests(max_players=3, max_spectators=1)
    for name in ("Ann", "Ben", "Cleo"):
        await greeted(await visit.newer(name))
    await _turned_away(await visit.newer("Dora"), "reject_server_full")
    await _turned_away(await visit.older("Dora"), "reject_server_full")
    await greeted(await visit.newer(path="/spectate"))
    await _turned_away(await visit.newer(path="/spectate"), "reject_server_full")


async def test_turning_somebody_away_again_and_again_leaves_nothing_behind(guests: Any) -> None:
    visit = await guests(max_players=3)
    for name in ("Ann", "Ben", "Cleo"):
        await greeted(await visit.newer(name))
    (table,) = visit.house.tables
    before = table.version
    for _ in range(5):
        await _turned_away(await visit.older("Dora"), "reject_server_full")
    assert visit.house.tables == [table]
    assert table.version == before


async def test_one_player_per_address_where_the_table_wants_it_so(guests: Any) -> None:
    visit = await guests(allow_duplicates=False)
    ann = await greeted(await visit.newer("Ann"))
    await _turned_away(await visit.newer("Ben"), "reject_duplicate")
    await greeted(await visit.newer(path="/spectate"))
    await ann.leave()
    (table,) = visit.house.tables
    await soon(lambda: table.roster.players == [])
    await greeted(await visit.newer("Ben"))


async def test_a_token_in_use_is_never_a_duplicate(guests: Any) -> None:
    """Tabs share the cookie: the second one is somebody else, with a token of their own."""
    visit = await guests()
    ann = await greeted(await visit.newer("Ann"))
    reading = asyncio.ensure_future(ann.until(lambda c: len(c.players or ()) == 2))
    tab = await greeted(await visit.newer("Ann", token=ann.client.token))
    await reading
    assert tab.client.id != ann.client.id
    assert tab.client.token != ann.client.token
    assert tab.client.name == "Ann 2"


async def test_an_unknown_token_makes_a_new_player(guests: Any) -> None:
    visit = await guests()
    ann = await greeted(await visit.newer("Ann", token="0" * 32))
    ben = await greeted(await visit.newer("Ben", token="not-a-token"))
    assert {ann.client.token, ben.client.token}.isdisjoint({"0" * 32, "not-a-token"})


async def test_tokens_are_told_to_their_owners_alone(guests: Any) -> None:
    visit = await guests()
    ann = await greeted(await visit.newer("Ann"))
    ben = await visit.newer("Ben")
    frames: list[str] = []
    for _ in range(7):
        frames.append((await ben.socket.receive()).data)
    assert not any(ann.client.token in frame for frame in frames)
    assert any('"s_clientinfo"' in frame for frame in frames)


async def test_a_silent_connection_loses_its_seat_to_who_has_its_token(guests: Any) -> None:
    """A page that lost its line comes back before we have noticed."""
    visit = await guests()
    ann = await greeted(await visit.newer("Ann"))
    # Nobody reads this one any more, so no ping is answered.
    silent = await visit.house.raw(f"/play?name=Ben&player_token={'0' * 32}")
    token = (await silent.event())["player_token"]
    await ann.until(lambda c: len(c.players or ()) == 2)
    ben = await greeted(await visit.newer("Ben", token=token))
    assert ben.client.token == token
    assert [p["name"] for p in ben.client.players or ()] == ["Ann", "Ben"]
    opcodes: list[int] = []
    while CLOSE not in opcodes:
        opcodes.append((await silent.receive())[0])
    assert PING in opcodes


async def test_of_two_who_come_back_at_once_one_has_the_seat(guests: Any) -> None:
    visit = await guests()
    ann = await greeted(await visit.newer("Ann"))
    await greeted(await visit.newer("Ben"))
    silent = await visit.house.raw("/play?name=Cleo")
    token = (await silent.event())["player_token"]
    both = await asyncio.gather(*(visit.newer("Cleo", token=token) for _ in range(2)))

    async def settle(guest: Guest) -> str:
        await greeted(guest)
        await guest.until(lambda c: len(c.players or ()) == 4)
        return guest.client.token

    tokens = await asyncio.gather(*(settle(guest) for guest in both))
    assert sorted(t == token for t in tokens) == [False, True]
    await ann.until(lambda c: len(c.players or ()) == 4)


# Origins and the join screen


async def test_pages_from_another_port_of_the_same_host_may_connect(guests: Any) -> None:
    visit = await guests()
    visitor = await visit.house.visitor()
    assert await visitor.refusal("/play", headers={"Origin": "http://elsewhere.example"}) == 403
    assert await visitor.refusal("/rummy", headers={"Origin": ELSEWHERE}) == 403
    await greeted(await visit.newer("Ann"))


async def test_a_page_from_another_port_does_not_speak_for_our_visitors(guests: Any) -> None:
    visit = await guests()
    host = await visit.house.visitor()
    _, table = await host.call("POST", "/api/tables", {"game": "quips"})
    path = f"/game?table={table['code']}"
    socket = await host.socket(path, headers={"Origin": ELSEWHERE})
    stranger = await greeted(Guest(Newer(), socket, host.http))
    ours = await greeted(Guest(Newer(), await host.socket(path), host.http))
    assert stranger.client.id != ours.client.id
    (found,) = [t for t in visit.house.tables if t.roster.code == table["code"]]
    me = found.roster.at(ours.client.id)
    assert me is not None
    assert me.visitor == found.roster.opener


async def test_the_join_screen_is_told_what_there_is(guests: Any) -> None:
    visit = await guests(server_name="Tuesday", max_players=5, bot_count=2, hand_size=7)
    visitor = await visit.house.visitor()
    _, info = await visitor.call("GET", "/gameinfo")
    assert info["server_name"] == "Tuesday"
    assert (info["max_players"], info["current_player_count"], info["bot_count"]) == (5, 2, 2)
    assert info["white_card_count"] >= 240
    assert info["black_card_count"] >= 60
    assert all(set(pack) == {"id", "name"} for pack in info["pack_info"])
    assert len(info["pack_info"]) == 3
    await greeted(await visit.newer("Ann"))
    _, info = await visitor.call("GET", "/gameinfo")
    assert info["current_player_count"] == 3
    assert len(visit.house.tables) == 1
    headers = {"Host": "games.lan:8443"}
    _, info = await visitor.call("GET", "/gameinfo", headers=headers)
    assert info["game_port"] == 8443
    status, _ = await visitor.call("GET", "/gameinfo?table=000000")
    assert status == 404


async def test_the_port_is_the_one_that_browsers_reach(guests: Any) -> None:
    visit = await guests({"public_url": "https://games.example:8443", "proxy_headers": True})
    visitor = await visit.house.visitor()
    for host, scheme, port in (
        # A proxy may leave out the port, or the name.
        ("games.example", "https", 8443),
        ("127.0.0.1:3001", "https", 8443),
        # A client's page has a name of its own.
        ("quips.example", "https", 443),
        ("quips.example:8080", "http", 8080),
        ("quips.example", "http", 80),
    ):
        headers = {"Host": host, "X-Forwarded-Proto": scheme}
        _, info = await visitor.call("GET", "/gameinfo", headers=headers)
        assert (host, scheme, info["game_port"]) == (host, scheme, port)


async def test_a_table_of_ones_own_is_found_by_its_code(guests: Any) -> None:
    visit = await guests()
    host = await visit.house.visitor()
    _, table = await host.call(
        "POST", "/api/tables", {"game": "quips", "settings": {"player_password": "x"}}
    )
    assert "player_password" not in table["settings"]
    code = table["code"]
    ann = await greeted(await visit.program(f"?name=Ann&table={code}&password=x"))
    await greeted(await visit.newer("Ben"))
    assert len(visit.house.tables) == 2
    assert [p["name"] for p in ann.client.players or ()] == ["Ann"]
    guest = await visit.program("?table=000000")
    assert await guest.closed() == 1000
    assert guest.client.rejected == "reject_no_such_table"


async def test_a_closing_house_asks_everybody_to_come_back(guests: Any) -> None:
    """Existing clients stop for good on 1000 and 1001."""
    visit = await guests()
    company = [
        await greeted(await visit.newer("Ann")),
        await greeted(await visit.older("Ben")),
        await greeted(await visit.newer(path="/spectate")),
    ]
    closing = asyncio.ensure_future(visit.house.server.stop())
    assert [await guest.closed() for guest in company] == [1012] * 3
    await closing
