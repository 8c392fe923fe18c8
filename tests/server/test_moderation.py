"""The operator's say at any table: by a command, and by its route."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner

from parlour.cli import app
from parlour.relay.manage import AUDIENCE as OF_THE_RELAY
from parlour.server.config import Config
from parlour.server.keys import SigningKey
from parlour.server.moderation import _AUDIENCE, PATH, TableOrder, moderate
from parlour.server.orders import sign
from tests.quips.guests import Guest, Guests, greeted, hosted
from tests.support import Opener


@pytest.fixture
async def visit(open_house: Opener) -> Guests:
    return Guests(await open_house())


class Operator:
    """Whoever has the data folder."""

    def __init__(self, visit: Guests, tmp_path: Path) -> None:
        url = f"http://127.0.0.1:{visit.house.server.port}"
        self._where = ("--data", str(tmp_path / "data"), "--url", url)

    async def does(self, *words: str) -> list[str]:
        done = await asyncio.to_thread(
            CliRunner().invoke, app, ["table", *words, *self._where], catch_exceptions=False
        )
        return (done.stdout if done.exit_code == 0 else done.stderr).splitlines()


@pytest.fixture
def operator(visit: Guests, tmp_path: Path) -> Operator:
    return Operator(visit, tmp_path)


async def _two(visit: Guests) -> tuple[str, list[Guest]]:
    """Two people at the house's own table, and its code."""
    company = [await greeted(await visit.newer(name)) for name in ("Ann", "Ben")]
    (table,) = visit.house.tables
    return table.roster.code, company


async def test_the_operator_puts_people_out(visit: Guests, operator: Operator) -> None:
    code, (ann, ben) = await _two(visit)
    assert await operator.does("list") == [f"{code}  quips", "    0  Ann", "    1  Ben"]
    assert await operator.does("kick", code, "ben") == [f"{code}  quips", "    0  Ann"]
    assert await ben.closed() == 1000
    assert ben.client.rejected == "reject_banned"
    await ann.until(lambda c: len(c.players or ()) == 1)
    again = await greeted(await visit.newer("Ben"))
    assert await operator.does("ban", code, str(again.client.id)) == [
        f"{code}  quips",
        "    0  Ann",
    ]
    assert await again.closed() == 1000
    banned = await visit.newer("Ben", token=again.client.token)
    assert await banned.closed() == 1000
    assert banned.client.rejected == "reject_banned"


async def test_a_table_is_locked_and_unlocked(visit: Guests, operator: Operator) -> None:
    code, _ = await _two(visit)
    assert (await operator.does("lock", code))[0] == f"{code}  quips, locked"
    turned_away = await visit.newer("Cleo")
    assert await turned_away.closed() == 1000
    assert turned_away.client.rejected == "reject_server_full"
    assert (await operator.does("unlock", code))[0] == f"{code}  quips"
    await greeted(await visit.newer("Cleo"))


async def test_the_operator_has_a_say_at_somebodys_own_table_too(
    visit: Guests, operator: Operator
) -> None:
    _, code, me = await hosted(visit)
    assert await operator.does("list") == []
    assert await operator.does("list", code) == [f"{code}  quips", "    0  Host"]
    await operator.does("kick", code, "Host")
    assert await me.closed() == 1000


async def test_a_table_is_closed(visit: Guests, operator: Operator) -> None:
    code, (ann, _) = await _two(visit)
    await operator.does("close", code)
    await ann.closed()
    (no,) = await operator.does("list", code)
    assert "no table with that code" in no


async def test_what_is_not_there_is_said(visit: Guests, operator: Operator) -> None:
    code, _ = await _two(visit)
    (no,) = await operator.does("kick", code, "Nobody")
    assert "Nobody of that name or place" in no
    (no,) = await operator.does("lock", "000000")
    assert "no table with that code" in no
    operator._where = (*operator._where[:3], "http://127.0.0.1:1")
    (no,) = await operator.does("list")
    assert "Say where it is with --url" in no
    operator._where = ("--data", "nowhere")
    (no,) = await operator.does("list")
    assert "There is no server's key in nowhere" in no


async def test_an_order_needs_the_servers_key(visit: Guests, tmp_path: Path) -> None:
    code, (ann, _) = await _two(visit)
    visitor = await visit.house.visitor()
    own, order = SigningKey.of_folder(tmp_path / "data"), TableOrder("kick", code, "Ann")
    for signed in (
        "",
        await visitor.token(),
        sign(SigningKey(), _AUDIENCE, order).order,
        # Signed with the right key, for something else.
        sign(own, OF_THE_RELAY, order).order,
    ):
        status, no = await visitor.call("POST", PATH, {"order": signed})
        assert (status, no["error"]["code"]) == (403, "bad-token")
    body = {"order": sign(own, _AUDIENCE, {"what": "burn", "table": code}).order}
    assert (await visitor.call("POST", PATH, body))[0] == 403
    # Members and strangers may not do what the operator may.
    status, _ = await visitor.call("POST", f"/api/tables/{code}/kick", {"place": 0})
    assert status in (403, 409)
    await ann.fence()
    assert ann.client.entry(0) is not None


async def test_with_a_database_the_key_is_there(open_house: Opener, database: str) -> None:
    visit = Guests(await open_house(store=database))
    code, _ = await _two(visit)
    url = f"http://127.0.0.1:{visit.house.server.port}"
    order = TableOrder("lock", code)
    (table,) = (await moderate(Config(store=database), url, order)).tables
    assert table.locked


def test_every_command_says_what_it_does() -> None:
    done = CliRunner().invoke(app, ["table", "--help"])
    for command in ("list", "kick", "ban", "lock", "unlock", "close"):
        assert command in done.stdout
