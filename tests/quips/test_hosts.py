"""Who the host is, how a client knows it, and what whoever is host may do."""

from __future__ import annotations

from typing import Any

import pytest

from tests.quips.guests import Guest, Guests, greeted, hosted, skip_time
from tests.quips.strict import Extended
from tests.quips.tools import black, brought, white
from tests.support import Visitor, soon


async def _sits(visit: Guests, code: str, name: str) -> tuple[Visitor, Guest]:
    """Somebody with a session, as on the page."""
    visitor = await visit.house.visitor()
    await visitor.call("GET", "/api/me")
    socket = await visitor.socket(f"/game?table={code}&name={name}&extended=1")
    guest = Guest(Extended(), socket, visitor.http)
    visit.cluster.append(guest)
    return visitor, await greeted(guest)


def _host(guest: Guest) -> str:
    assert isinstance(guest.client, Extended)
    return guest.client.host


async def _host_by_http(visitor: Visitor, code: str) -> int | None:
    _, table = await visitor.call("GET", f"/api/tables/{code}")
    host: int | None = table["host"]
    return host


async def test_the_next_one_is_host_while_the_opener_is_gone(guests: Any) -> None:
    visit = await guests()
    host, code, me = await hosted(visit, "&extended=1")
    ann, ann_there = await _sits(visit, code, "Ann")
    _, ben_there = await _sits(visit, code, "Ben")
    assert {_host(guest) for guest in (ann_there, ben_there)} == {"Host"}
    assert await _host_by_http(ann, code) == me.client.id
    await me.leave()
    await ben_there.until(lambda c: _host(ben_there) == "Ann")
    assert await _host_by_http(host, code) == ann_there.client.id
    back = Guest(Extended(), await host.socket(f"/game?table={code}&extended=1"), host.http)
    visit.cluster.append(back)
    await ben_there.until(lambda c: _host(ben_there) not in ("Ann", ""))
    assert await _host_by_http(ann, code) != ann_there.client.id


async def test_a_host_who_loses_the_line_in_a_game_is_stood_in_for(guests: Any) -> None:
    visit = await guests(round_end_timeout=60_000)
    host, code, me = await hosted(visit, "&extended=1", enable_game_ready_up=False)
    _, ann = await _sits(visit, code, "Ann")
    _, ben = await _sits(visit, code, "Ben")
    for guest in (me, ann, ben):
        await guest.until(lambda c: c.stage == "playing")
    me.drop()
    await ben.until(lambda c: _host(ben) == "Ann")
    late = await greeted(await visit.program(f"?table={code}&extended=1", "/spectate"))
    assert _host(late) == "Ann"
    back = Guest(Extended(), await host.socket(f"/game?table={code}&extended=1"), host.http)
    visit.cluster.append(back)
    await ben.until(lambda c: _host(ben) == "Host")
    await greeted(back)
    assert _host(back) == "Host"


async def test_nobody_is_host_of_the_houses_own_table(guests: Any) -> None:
    visit = await guests()
    ann = await greeted(await visit.program("?name=Ann&extended=1"))
    assert _host(ann) == ""
    (table,) = visit.house.tables
    assert await _host_by_http(await visit.house.visitor(), table.roster.code) is None


async def test_whoever_is_host_runs_the_table(guests: Any) -> None:
    visit = await guests()
    _, code, me = await hosted(visit, "&extended=1")
    ann, ann_there = await _sits(visit, code, "Ann")
    ben, ben_there = await _sits(visit, code, "Ben")
    path = f"/api/tables/{code}"
    asks: list[tuple[str, str, Any, int]] = [
        ("PUT", "/lock", {"locked": False}, 200),
        ("PUT", "/settings", {"settings": {"max_rounds": 9}}, 200),
        ("POST", "/packs", {"name": "mine", "pack": brought([white(1), black(1)])}, 201),
        ("POST", "/bots", None, 201),
        ("DELETE", "/bots", {}, 200),
        ("POST", "/kick", {"place": ben_there.client.id}, 200),
    ]
    stranger = await visit.house.visitor()
    for method, rest, body, _ in asks:
        for visitor in (ann, stranger):
            status, _ = await visitor.call(method, path + rest, body)
            assert status == 403
    await me.leave()
    await ann_there.until(lambda c: _host(ann_there) == "Ann")
    for method, rest, body, expected in asks:
        for visitor in (ben, stranger):
            status, _ = await visitor.call(method, path + rest, body)
            assert status == 403
        status, _ = await ann.call(method, path + rest, body)
        assert status == expected, rest
    assert await ben_there.closed() == 1000


async def test_settings_change_between_games_and_all_of_them_or_none(guests: Any) -> None:
    visit = await guests()
    host, code, me = await hosted(visit, "&extended=1")
    path = f"/api/tables/{code}/settings"
    status, table = await host.call("PUT", path, {"settings": {"max_points": 3, "hand_size": 7}})
    assert status == 200
    assert (table["settings"]["max_points"], table["settings"]["hand_size"]) == (3, 7)
    assert await me.fence() == ["s_allcards", "s_players", "s_gamestate"]
    for wrong in ({"max_points": 5, "hand_size": 99}, {"max_points": 5, "colour": "red"}):
        status, answer = await host.call("PUT", path, {"settings": wrong})
        assert (status, answer["error"]["code"]) == (400, "bad-settings")
    assert await me.fence() == []
    status, table = await host.call("PUT", path, {"settings": {"player_password": "duck"}})
    assert status == 200
    assert "player_password" not in table["settings"]
    late = await visit.program(f"?table={code}&name=Late")
    assert await late.closed() == 1000
    assert late.client.rejected == "reject_bad_password"
    _, table = await host.call("GET", f"/api/tables/{code}")
    assert (table["settings"]["max_points"], table["settings"]["hand_size"]) == (3, 7)


async def test_settings_stay_while_a_game_runs(guests: Any) -> None:
    visit = await guests()
    host, code, me = await hosted(visit, "&extended=1", enable_game_ready_up=False)
    for name in ("Ann", "Ben"):
        await _sits(visit, code, name)
    await me.until(lambda c: c.stage == "playing")
    path = f"/api/tables/{code}/settings"
    status, answer = await host.call("PUT", path, {"settings": {"max_points": 3}})
    assert (status, answer["error"]["code"]) == (409, "round-running")


@pytest.mark.parametrize(
    ("ban", "more", "reason"),
    [
        (False, "&extended=1", "reject_kicked"),
        (True, "&extended=1", "reject_banned"),
        (False, "", "reject_banned"),
        (True, "", "reject_banned"),
    ],
)
async def test_who_is_put_out_hears_whether_it_is_for_good_if_they_can(
    guests: Any, ban: bool, more: str, reason: str
) -> None:
    """Existing clients know no other reason for it."""
    visit = await guests()
    host, code, _ = await hosted(visit)
    ann = await greeted(await visit.program(f"?table={code}&name=Ann{more}"))
    body = {"place": ann.client.id, "ban": ban}
    await host.call("POST", f"/api/tables/{code}/kick", body)
    assert await ann.closed() == 1000
    assert ann.client.rejected == reason
    again = await visit.program(f"?table={code}&name=Ann{more}")
    if ban:
        assert await again.closed() == 1000
        assert again.client.rejected == "reject_banned"
    else:
        await greeted(again)


async def test_who_was_put_out_for_good_is_known_by_their_token_too(guests: Any) -> None:
    """From another address, with nothing else to know them by."""
    visit = await guests({"proxy_headers": True})
    host, code, _ = await hosted(visit)

    async def come(more: str, address: str) -> Guest:
        headers = {"X-Forwarded-For": address}
        return await visit.program(f"?table={code}&name=Ann{more}", headers=headers)

    ann = await greeted(await come("", "192.0.2.1"))
    body = {"place": ann.client.id, "ban": True}
    await host.call("POST", f"/api/tables/{code}/kick", body)
    assert await ann.closed() == 1000
    again = await come(f"&player_token={ann.client.token}", "192.0.2.2")
    assert await again.closed() == 1000
    assert again.client.rejected == "reject_banned"
    await greeted(await come("", "192.0.2.2"))


async def test_a_table_whose_host_is_gone_for_long_has_another(guests: Any) -> None:
    """Also after a game in which the place was kept for them."""
    visit = await guests(player_preserve_time=5)
    _, code, me = await hosted(visit, "&extended=1", enable_game_ready_up=False)
    _, ann = await _sits(visit, code, "Ann")
    for name in ("Ben", "Cid"):
        await _sits(visit, code, name)
    await ann.until(lambda c: c.stage == "playing")
    me.drop()
    (table,) = visit.house.tables
    await soon(lambda: not table.roster.players[0].present)
    skip_time(visit, 200)
    await ann.until(lambda c: c.entry(me.client.id) is None)
    assert _host(ann) == "Ann"


async def test_who_opened_a_table_is_not_asked_for_its_password_and_runs_it(guests: Any) -> None:
    visit = await guests()
    # `hosted` says no password; guests must, even those who come before the opener.
    host, code, guest = await hosted(visit, "&extended=1", player_password="duck")
    assert _host(guest) == "Host"
    await guest.leave()
    early = await visit.program(f"?table={code}&name=Early&password=duck&extended=1")
    await greeted(early)
    socket = await host.socket(f"/game?table={code}&name=Host&extended=1")
    back = await greeted(Guest(Extended(), socket, host.http))
    assert _host(back) == "Host"
    await early.until(lambda c: _host(early) == "Host")


@pytest.mark.parametrize(
    ("said", "sentence"),
    [("", "This table asks players for a password."), ("x", "That is not this table's password.")],
)
async def test_who_has_said_no_password_is_not_told_that_it_is_wrong(
    guests: Any, said: str, sentence: str
) -> None:
    visit = await guests(player_password="duck")
    guest = await visit.newer("Ann", password=said)
    assert await guest.closed() == 1000
    assert guest.client.rejected == "reject_bad_password"
    assert guest.client.why == sentence
