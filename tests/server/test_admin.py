"""The operator's page: its routes, its link, its record, and messages to everybody."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from typer.testing import CliRunner

from parlour.cli import app
from parlour.server.admin.audit import month_of
from parlour.server.admin.operators import FOR_RIGHTS, RIGHTS, Link, RightsOrder, new_link
from parlour.server.config import Config
from parlour.server.keys import SigningKey
from parlour.server.moderation import _AUDIENCE as OF_TABLES
from parlour.server.orders import sign, signing_key
from tests.support import PATIENCE, Opener, OpenHouse, Visitor

OPERATOR = "/api/operator"
PASSWORD = "a long enough one"


class Key:
    """Somebody who can read the data folder."""

    def __init__(self, house: OpenHouse, folder: Path) -> None:
        self.key = SigningKey.of_folder(folder)
        self.where = ("--data", str(folder), "--url", house.base)

    async def says(self, *words: str) -> str:
        done = await asyncio.to_thread(
            CliRunner().invoke, app, ["admin", *words, *self.where], catch_exceptions=False
        )
        return done.stdout if done.exit_code == 0 else done.stderr


@pytest.fixture
async def house(open_house: Opener) -> OpenHouse:
    return await open_house()


@pytest.fixture
def key(house: OpenHouse, tmp_path: Path) -> Key:
    return Key(house, tmp_path / "data")


@pytest.fixture
async def operator(house: OpenHouse, key: Key) -> Visitor:
    """A browser in which a link was opened."""
    visitor = await house.visitor()
    assert await _opens(visitor, new_link(key.key)) == 200
    return visitor


async def _opens(visitor: Visitor, link: str) -> int:
    status, _ = await visitor.call("POST", f"{OPERATOR}/session", {"order": link})
    return status


async def _may(visitor: Visitor) -> bool:
    status, told = await visitor.call("GET", OPERATOR)
    assert (status, told.get("error", {}).get("code")) in (
        (200, None),
        (403, "operator-only"),
        (401, "no-cookie"),
    )
    return status == 200


async def _record(operator: Visitor) -> list[dict[str, Any]]:
    _, told = await operator.call("GET", OPERATOR)
    status, record = await operator.call("GET", f"{OPERATOR}/audit/{month_of(told['at'])}")
    assert status == 200
    entries: list[dict[str, Any]] = record["entries"]
    return entries


# Who may


async def test_the_command_prints_a_link_that_works_once(house: OpenHouse, key: Key) -> None:
    printed = (await key.says()).strip()
    base, _, link = printed.partition("/admin#")
    assert base == house.base
    first, second = await house.visitor(), await house.visitor()
    await first.token()
    assert not await _may(first)
    assert await _opens(first, link) == 200
    assert await _may(first)
    assert await _opens(second, link) == 403
    assert not await _may(second)


async def test_no_link_is_printed_that_leads_nowhere(
    house: OpenHouse, key: Key, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key.where = ("--data", str(tmp_path / "data"))
    monkeypatch.setenv("PARLOUR_PORT", str(house.server.port))
    assert (await key.says()).startswith(f"http://localhost:{house.server.port}/admin#")
    await house.server.stop()
    assert "Say where it is with --url" in await key.says()


async def test_the_right_survives_a_restart_and_can_be_given_up(
    house: OpenHouse, key: Key, operator: Visitor, open_house: Opener
) -> None:
    await house.server.stop()
    again = await open_house()
    operator.base = again.base
    assert await _may(operator)
    assert (await operator.call("DELETE", f"{OPERATOR}/session"))[0] == 200
    assert not await _may(operator)


async def test_only_a_link_signed_with_the_servers_key_is_good(
    house: OpenHouse, operator: Visitor, key: Key
) -> None:
    before = await _record(operator)
    visitor = await house.visitor()
    good = Link("x" * 20)
    for link in (
        "",
        await visitor.token(),
        new_link(SigningKey()),
        # Signed with the right key, for something else.
        sign(key.key, OF_TABLES, good).order,
        sign(key.key, "parlour-admin-link", good, good_for=-1).order,
        sign(key.key, "parlour-admin-link", {"number": "short"}).order,
    ):
        assert await _opens(visitor, link) == 403
    assert not await _may(visitor)
    # Strangers can't fill the record, from which nothing is ever deleted.
    assert await _record(operator) == before


async def test_a_token_in_an_address_is_not_enough(house: OpenHouse, operator: Visitor) -> None:
    token = await operator.token()
    stranger = await house.visitor()
    status, told = await stranger.call("GET", f"{OPERATOR}?token={token}")
    assert (status, told["error"]["code"]) == (403, "operator-only")
    assert (await stranger.call("GET", OPERATOR))[0] == 401


async def test_an_account_can_be_given_the_right(house: OpenHouse, key: Key) -> None:
    assert "no account of that name" in await key.says("grant", "Ada")
    visitor = await house.visitor()
    body = {"name": "Ada", "password": PASSWORD}
    assert (await visitor.call("POST", "/api/account", body))[0] == 201
    assert await key.says("grant", "ada") == "Ada\n"
    assert await _may(visitor)
    # Giving up ends only what a link gave.
    await visitor.call("DELETE", f"{OPERATOR}/session")
    assert await _may(visitor)
    assert await key.says("list") == "Ada\n"
    assert "Nobody has the operator's right" in await key.says("revoke", "Ada")
    assert not await _may(visitor)
    order = sign(SigningKey(), FOR_RIGHTS, RightsOrder("grant", "Ada")).order
    assert (await visitor.call("POST", RIGHTS, {"order": order}))[0] == 403


async def test_every_route_is_for_operators_alone(house: OpenHouse) -> None:
    visitor = await house.visitor()
    await visitor.token()
    guarded = [
        (route.method, route.path)
        for route in house.server.operator_routes.routes
        if route.who == "known"
    ]
    assert len(guarded) == 8
    bodies = {
        "act": {"what": "lock", "table": "1"},
        "notice": {"text": "x"},
        "nodes": {"node": "a", "what": "drain"},
    }
    for method, path in guarded:
        body = bodies.get(path.rpartition("/")[2]) if method != "GET" else None
        status, told = await visitor.call(method, path.replace("{month}", "2027-01"), body)
        assert (status, told["error"]["code"]) == (403, "operator-only"), path


# What it shows and does


async def test_it_shows_tables_people_and_figures(house: OpenHouse, operator: Visitor) -> None:
    ann, _ = await house.table_of(2)
    _, told = await operator.call("GET", f"{OPERATOR}/open")
    (table,) = told["tables"]
    assert (table["code"], table["public"], told["own"]) == (ann.code, False, [])
    assert [player["place"] for player in table["players"]] == [0, 1]
    _, overview = await operator.call("GET", OPERATOR)
    figures = {(f["name"], *f.get("labels", {}).values()): f["value"] for f in overview["figures"]}
    assert figures["parlour_tables",] == 1
    assert figures["parlour_connections", "rummy"] == 2
    assert figures["parlour_database_bytes",] > 1000
    text = (await operator.get("/metrics")).body.decode()
    for name, *_ in figures:
        assert name in text


async def test_tables_come_in_pages(house: OpenHouse, operator: Visitor) -> None:
    codes = []
    for _ in range(101):
        visitor = await house.visitor()
        _, table = await visitor.call("POST", "/api/tables", {"game": "rummy"})
        codes.append(table["code"])
    _, first = await operator.call("GET", f"{OPERATOR}/open")
    _, rest = await operator.call("GET", f"{OPERATOR}/open?after={first['next']}")
    assert [each["code"] for each in (*first["tables"], *rest["tables"])] == codes
    assert "next" not in rest


async def test_an_action_is_done_and_recorded(house: OpenHouse, operator: Visitor) -> None:
    ann, _ = await house.table_of(2)

    async def does(what: str, **fields: str) -> int:
        body = {"what": what, "table": ann.code, **fields}
        return (await operator.call("POST", f"{OPERATOR}/act", body))[0]

    assert await does("rename", who="0", name="Somebody") == 200
    assert await does("lock") == 200
    assert await does("kick", who="Nobody") == 403
    assert await does("kick", who="1") == 200
    assert await does("unpack", name="a pack") == 409
    (live,) = house.tables
    assert live.roster.locked
    assert [player.name for player in live.roster.players] == ["Somebody"]
    assert await does("close") == 200
    assert not house.tables
    recorded = [(e["what"], e["who"], e["text"], e["refused"]) for e in await _record(operator)]
    assert recorded[::-1] == [
        ("open-link", "", "", ""),
        ("rename", "0", "Somebody", ""),
        ("lock", "", "", ""),
        ("kick", "Nobody", "", ""),
        ("kick", "Nobody", "", "not-here"),
        ("kick", "1", "", ""),
        ("unpack", "", "a pack", ""),
        ("unpack", "", "a pack", "no-such-content"),
        ("close", "", "", ""),
    ]
    assert {e["target"] for e in await _record(operator)} == {"", ann.code}


async def test_a_table_gets_another_name_where_it_has_one(
    house: OpenHouse, operator: Visitor
) -> None:
    host = await house.visitor()
    shouting = {"game": "cambia", "settings": {"name": "LOUD WORDS"}}
    _, table = await host.call("POST", "/api/tables", shouting)
    nameless = (await host.call("POST", "/api/tables", {"game": "rummy"}))[1]["code"]

    async def renames(code: str, name: str) -> tuple[int, str]:
        order = {"what": "rename", "table": code, "name": name}
        status, _ = await operator.call("POST", f"{OPERATOR}/act", order)
        return status, (await host.call("GET", f"/api/tables/{code}"))[1]["name"]

    assert await renames(table["code"], "Quiet words") == (200, "Quiet words")
    assert await renames(table["code"], "x" * 41) == (400, "Quiet words")
    assert await renames(table["code"], "") == (200, "")
    assert await renames(nameless, "x") == (409, "")


async def test_an_account_gets_another_name(
    house: OpenHouse, operator: Visitor, open_house: Opener
) -> None:
    async def joins(name: str) -> Visitor:
        visitor = await house.visitor()
        body = {"name": name, "password": PASSWORD}
        assert (await visitor.call("POST", "/api/account", body))[0] == 201
        return visitor

    async def renames(who: str, name: str) -> str:
        order = {"what": "rename", "who": who, "name": name}
        _, told = await operator.call("POST", f"{OPERATOR}/act", order)
        return str(told.get("error", {}).get("code", ""))

    async def signs_in(name: str) -> int:
        body = {"name": name, "password": PASSWORD}
        return (await (await house.visitor()).call("POST", "/api/session", body))[0]

    loud = await joins("Loud")
    await joins("Ada")
    assert await renames("Loud", "Ada") == "name-taken"
    assert await renames("Nobody", "x") == "no-such-account"
    assert await renames("Loud", "") == "bad-name"
    assert await renames("loud", "LOUD") == ""
    assert await renames("Loud", "Quiet") == ""
    assert (await loud.call("GET", "/api/account"))[1]["name"] == "Quiet"
    assert [await signs_in(name) for name in ("Loud", "Quiet")] == [403, 200]
    await joins("Loud")
    await house.server.stop()
    house = await open_house()
    assert [await signs_in(name) for name in ("Loud", "Quiet", "Ada")] == [200, 200, 200]
    # At a table the account of the person there is called so, too.
    operator.base = loud.base = house.base
    client = await loud.rummy(f"?token={await loud.token()}")
    await client.expect("lobby")
    body = {"what": "rename", "table": client.code, "who": "0", "name": "Silent"}
    assert (await operator.call("POST", f"{OPERATOR}/act", body))[0] == 200
    assert (await loud.call("GET", "/api/account"))[1]["name"] == "Silent"


async def test_rights_and_refused_links_are_recorded(
    house: OpenHouse, operator: Visitor, key: Key
) -> None:
    link = {"order": new_link(key.key)}
    other = await house.visitor()
    await other.token()
    for status in (200, 403):
        assert (await other.call("POST", f"{OPERATOR}/session", link))[0] == status
    assert (await other.call("DELETE", f"{OPERATOR}/session"))[0] == 200
    assert "no account" in await key.says("grant", "Nobody")
    recorded = [(e["what"], e["target"], e["refused"]) for e in await _record(operator)]
    assert recorded[:-1][::-1] == [
        ("open-link", "", ""),
        ("open-link", "", ""),
        ("open-link", "", "used-link"),
        ("give-up", "", ""),
        ("grant", "Nobody", ""),
        ("grant", "Nobody", "no-such-account"),
    ]


async def test_orders_of_the_command_line_are_recorded(
    house: OpenHouse, operator: Visitor, tmp_path: Path
) -> None:
    ann = await house.rummy()
    where = ["--data", str(tmp_path / "data"), "--url", house.base]
    await asyncio.to_thread(CliRunner().invoke, app, ["table", "lock", ann.code, *where])
    last = (await _record(operator))[0]
    assert (last["by"], last["what"], last["target"]) == ("the command line", "lock", ann.code)


async def test_one_machine_has_no_nodes(operator: Visitor) -> None:
    assert await operator.call("GET", f"{OPERATOR}/nodes") == (200, {"nodes": []})
    body = {"node": "a", "what": "drain"}
    status, told = await operator.call("POST", f"{OPERATOR}/nodes", body)
    assert (status, told["error"]["code"]) == (404, "no-such-node")


async def test_a_node_that_nobody_can_stand_in_for_is_not_drained(
    open_house: Opener, database: str
) -> None:
    house = await open_house(store=database)
    operator = await house.visitor()
    assert await _opens(operator, new_link(await signing_key(Config(store=database)))) == 200
    _, told = await operator.call("GET", f"{OPERATOR}/nodes")
    (node,) = told["nodes"]
    order = {"node": str(node["number"]), "what": "drain"}
    status, no = await operator.call("POST", f"{OPERATOR}/nodes", order)
    assert (status, no["error"]["code"]) == (409, "bad-order")
    assert "nobody can have its tables" in no["error"]["message"]
    last = (await _record(operator))[0]
    assert (last["what"], last["refused"]) == ("drain", "bad-order")


async def test_faults_are_shown_without_all_that_was_sent(
    house: OpenHouse, operator: Visitor
) -> None:
    logging.getLogger("parlour.table").error("something %s", "x" * 5_000)
    _, overview = await operator.call("GET", OPERATOR)
    fault = overview["faults"][0]
    assert (fault["level"], fault["text"][:10], len(fault["text"])) == ("ERROR", "something ", 500)


@pytest.mark.parametrize("month", ["2027", "2027-13", "2027-1", "..", "2027-01:"])
async def test_a_month_is_checked(operator: Visitor, month: str) -> None:
    assert (await operator.call("GET", f"{OPERATOR}/audit/{month}"))[0] in (400, 404)


# Messages to everybody


async def _hears(socket: aiohttp.ClientWebSocketResponse) -> str:
    async with asyncio.timeout(PATIENCE):
        async for frame in socket:
            told = frame.json()
            if told["type"] == "extras_notice":
                return str(told["text"])
    raise AssertionError("the connection was closed")


async def test_a_notice_reaches_those_who_ask_for_it_and_newcomers(
    house: OpenHouse, operator: Visitor
) -> None:
    async def socket(query: str) -> aiohttp.ClientWebSocketResponse:
        return await (await house.visitor()).socket(f"/rummy{query}")

    there, silent = await socket("?extras=story,notice"), await socket("?extras=story")

    async def says(text: str) -> None:
        status, _ = await operator.call("PUT", f"{OPERATOR}/notice", {"text": text})
        assert status == 200

    await says("  Back in\nfive minutes.  ")
    assert await _hears(there) == "Back in five minutes."
    assert await _hears(await socket("?extras=notice")) == "Back in five minutes."
    _, hall = await operator.call("GET", "/api/tables")
    assert hall["notice"] == "Back in five minutes."
    await says("")
    assert await _hears(there) == ""
    assert "notice" not in (await operator.call("GET", "/api/tables"))[1]
    # A client that did not ask is told nothing: the answer to a ping follows the greeting.
    await silent.send_json({"type": "extras_ping"})
    async with asyncio.timeout(PATIENCE):
        async for frame in silent:
            kind = frame.json()["type"]
            assert kind != "extras_notice"
            if kind == "extras_pong":
                return


async def test_a_notice_is_still_told_after_a_restart(
    house: OpenHouse, operator: Visitor, open_house: Opener
) -> None:
    await operator.call("PUT", f"{OPERATOR}/notice", {"text": "Soon.", "minutes": 5})
    await house.server.stop()
    again = await open_house()
    _, hall = await (await again.visitor()).call("GET", "/api/tables")
    assert hall["notice"] == "Soon."


@pytest.mark.parametrize(
    "wrong", [{"text": "x", "minutes": 0}, {"text": "x" * 301}, {"text": 1}, {}, {"much": "x"}]
)
async def test_a_notice_is_checked(operator: Visitor, wrong: dict[str, Any]) -> None:
    assert (await operator.call("PUT", f"{OPERATOR}/notice", wrong))[0] == 400
