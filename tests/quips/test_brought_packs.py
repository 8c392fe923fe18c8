"""Packs of one's own, by upload and from a folder; what is kept of them, and for how long."""

from __future__ import annotations

import logging
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import pytest

from parlour.games.quips import GAME
from parlour.games.quips.decks import ours
from parlour.house import library as libraries
from parlour.house import operations
from parlour.house.folding import fold
from parlour.table import Table
from tests.quips.guests import SLOW, Guest, Guests, begun, greeted, hosted, skip_time
from tests.quips.tools import black, brought, mixed_cards, pack, white
from tests.support import Opener, soon


async def test_a_pack_of_ones_own_is_played_with_at_this_table_alone(guests: Any) -> None:
    visit = await guests()
    host, code, me = await hosted(visit)
    elsewhere = await greeted(await visit.newer("Ann"))
    body = {"name": "mine", "pack": brought([white(1), black(1)])}
    status, table = await host.call("POST", f"/api/tables/{code}/packs", body)
    assert status == 201
    assert table["packs"][-1] == "mine"
    assert await me.fence() == ["s_allcards", "s_players", "s_gamestate"]
    assert "w_1" in me.client.whites
    assert await elsewhere.fence() == []
    assert "w_1" not in elsewhere.client.whites
    body = {"name": "mine", "pack": brought([white(2), black(1)])}
    await host.call("POST", f"/api/tables/{code}/packs", body)
    await me.fence()
    assert "w_1" not in me.client.whites
    assert "w_2" in me.client.whites


async def test_a_pack_may_be_as_large_as_its_documentation_says(guests: Any) -> None:
    visit = await guests()
    host, code, me = await hosted(visit)
    texts = dict.fromkeys(("en", "de", "fr"), "x" * 150)
    cards = [{"id": f"w_{n}", "content": texts} for n in range(1_700)]
    large = brought([*cards, black(1)])
    assert 800_000 < len(msgspec.json.encode(large)) < 1 << 20
    body = {"name": "large", "pack": large}
    status, answer = await host.call("POST", f"/api/tables/{code}/packs", body)
    assert status == 201, answer
    await me.until(lambda client: "w_1699" in client.whites)
    body = {"name": "larger", "pack": brought([*cards, *cards, black(1)], "larger")}
    sent = BytesIO(msgspec.json.encode(body))
    headers = {"Content-Type": "application/json"}
    status, answer = await host.call(
        "POST", f"/api/tables/{code}/packs", data=sent, headers=headers
    )
    assert (status, answer["error"]["code"]) == (413, "too-large")


async def test_a_bad_pack_is_refused_with_its_reasons(guests: Any) -> None:
    visit = await guests()
    host, code, me = await hosted(visit)
    body = {"name": "bad", "pack": brought([{"id": "w_<", "content": {}}])}
    status, answer = await host.call("POST", f"/api/tables/{code}/packs", body)
    assert status == 400
    assert "w_<" in answer["error"]["message"]
    status, _ = await host.call("POST", f"/api/tables/{code}/packs", {"name": "", "pack": {}})
    assert status == 400
    ours = me.client.packs
    assert ours
    body = {"name": "mine", "pack": brought([white(1), black(1)], ours[0]["id"])}
    status, answer = await host.call("POST", f"/api/tables/{code}/packs", body)
    assert status == 400
    assert ours[0]["id"] in answer["error"]["message"]
    assert await me.fence() == []


async def test_a_table_takes_so_many_packs_and_new_ones_for_those_it_has(
    guests: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operations, "MOST_ADDED", 2)
    visit = await guests()
    host, code, me = await hosted(visit)

    async def brings(name: str, number: int) -> str:
        body = {"name": name, "pack": brought([white(number), black(1)], name)}
        status, answer = await host.call("POST", f"/api/tables/{code}/packs", body)
        return "" if status == 201 else str(answer["error"]["code"])

    assert [await brings(name, 1) for name in ("one", "two")] == ["", ""]
    kept = await _kept(visit)
    assert await brings("three", 1) == "too-much-content"
    assert await _kept(visit) == kept
    assert await brings("two", 2) == ""
    await me.fence()
    assert "w_2" in me.client.whites


async def test_packs_do_not_change_in_the_middle_of_a_game(guests: Any) -> None:
    visit = await guests()
    host, code, me = await hosted(visit, enable_game_ready_up=False)
    for name in ("Ann", "Ben"):
        await greeted(await visit.program(f"?name={name}&table={code}"))
    await me.until(lambda c: c.stage == "playing")
    body = {"name": "mine", "pack": brought([white(1), black(1)])}
    status, _ = await host.call("POST", f"/api/tables/{code}/packs", body)
    assert status == 409
    await me.fence()
    assert "w_1" not in me.client.whites


async def test_packs_of_a_folder_are_there_and_bad_ones_are_reported(
    open_house: Opener, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "packs"
    folder.mkdir()
    (folder / "good.json").write_bytes(pack(mixed_cards(), id="good")["good"])
    (folder / "bad.json").write_text('{"id": "bad"}')
    (folder / "worse.json").write_text("not JSON")
    (folder / "notes.txt").write_text("no pack at all")
    with caplog.at_level(logging.WARNING, "parlour.server"):
        house = await open_house(packs=str(folder))
    reported = [record.getMessage() for record in caplog.records]
    assert [line.split(" ")[0] for line in reported] == ["bad.json", "worse.json"]
    assert "not JSON" in reported[1]
    visit = Guests(house)
    _, info = await (await house.visitor()).call("GET", "/gameinfo")
    assert [each["id"] for each in info["pack_info"]][-1] == "good"
    assert len(info["pack_info"]) == 4
    ann = await greeted(await visit.newer("Ann"))
    assert "w_1" in ann.client.whites


async def test_a_changed_file_changes_no_table_that_is_open(
    open_house: Opener, tmp_path: Path
) -> None:
    folder = tmp_path / "packs"
    folder.mkdir()
    file = folder / "mine.json"
    file.write_bytes(pack(mixed_cards(), id="mine")["mine"])
    settings = {"packs": str(folder), "games": {"quips": {"use_packs": ["mine"], **SLOW}}}
    visit = Guests(await open_house(**settings))
    company = await begun(visit, "Ann", "Ben", "Cleo")
    cards = company[0].client.packs
    await visit.house.server.stop()
    file.write_text("gone")
    visit = Guests(await open_house(**settings))
    token = company[0].client.token
    back = await greeted(await visit.newer("Ann", token=token))
    assert back.client.packs == cards
    assert back.client.hand == company[0].client.hand


# Sharing them


async def test_a_pack_is_private_to_its_table_until_its_host_shares_it(guests: Any) -> None:
    visit = await guests()
    ann, first, me = await hosted(visit)
    ben, second, there = await hosted(visit)
    mine = {"name": "mine", "pack": brought([white(1), black(1)])}
    _, table = await ann.call("POST", f"/api/tables/{first}/packs", mine)
    assert table["brought"] == [{"name": "mine", "shared": False}]
    take = {"name": "mine", "table": first}
    status, answer = await ben.call("POST", f"/api/tables/{second}/packs", take)
    assert (status, answer["error"]["code"]) == (409, "not-shared")
    for visitor in (ben, await visit.house.visitor()):
        body = {"name": "mine", "shared": True}
        status, _ = await visitor.call("PUT", f"/api/tables/{first}/packs", body)
        assert status == 403
    status, table = await ann.call("PUT", f"/api/tables/{first}/packs", body)
    assert (status, table["brought"]) == (200, [{"name": "mine", "shared": True}])
    status, table = await ben.call("POST", f"/api/tables/{second}/packs", take)
    assert (status, table["brought"]) == (201, [{"name": "mine", "shared": False}])
    await there.fence()
    assert "w_1" in there.client.whites
    # Shared no more, it stays with who has it, and goes to nobody else.
    body = {"name": "mine", "shared": False}
    await ann.call("PUT", f"/api/tables/{first}/packs", body)
    cid, third, _ = await hosted(visit)
    status, _ = await cid.call("POST", f"/api/tables/{third}/packs", take)
    assert status == 409
    await _left_for_good(visit, me)
    assert len(await _kept(visit)) == 1
    await _folded(visit, _table(visit, second).roster.id)


async def test_only_what_was_brought_is_shared(guests: Any) -> None:
    visit = await guests()
    host, code, me = await hosted(visit)
    _, table = await host.call("GET", f"/api/tables/{code}")
    for name in (table["packs"][0], "nowhere"):
        body = {"name": name, "shared": True}
        status, answer = await host.call("PUT", f"/api/tables/{code}/packs", body)
        assert (status, answer["error"]["code"]) == (409, "no-such-content")
    for wrong in (
        {"name": "mine"},
        {"name": "mine", "table": code, "pack": brought([white(1), black(1)])},
    ):
        status, answer = await host.call("POST", f"/api/tables/{code}/packs", wrong)
        assert (status, answer["error"]["code"]) == (400, "bad-message")
    assert await me.fence() == []


async def test_what_is_shared_is_known_after_a_restart(open_house: Opener) -> None:
    visit = Guests(await open_house())
    host, code, me = await hosted(visit)
    for name in ("mine", "yours"):
        body = {"name": name, "pack": brought([white(1), black(1)], name)}
        await host.call("POST", f"/api/tables/{code}/packs", body)
    await host.call("PUT", f"/api/tables/{code}/packs", {"name": "mine", "shared": True})
    await visit.house.server.stop()
    del me
    visit = Guests(await open_house())
    _, table = await (await visit.house.visitor()).call("GET", f"/api/tables/{code}")
    assert [(p["name"], p["shared"]) for p in table["brought"]] == [
        ("mine", True),
        ("yours", False),
    ]


def _table(visit: Guests, code: str) -> Table:
    (table,) = [t for t in visit.house.tables if t.roster.code == code]
    return table


# How long they are kept


async def _folded(visit: Guests, table: str) -> Table:
    """A table as its log says."""
    house = visit.house.server.house
    return await fold(GAME, house.library, table, await house.journal.store.entries(table))


async def _kept(visit: Guests) -> set[str]:
    """What the record keeps that somebody brought, and for whom."""
    store = visit.house.server.store
    brought, content = await store.recall("brought:"), await store.recall("content:")
    assert len({key.split(":")[1] for key in brought}) == len(content) - len(ours())
    return set(brought)


async def _left_for_good(visit: Guests, *company: Guest) -> None:
    """All get up, and their table closes."""
    there = [len(t.roster.people) for t in visit.house.tables]
    for guest in company:
        await guest.leave()
    here = len(visit.house.tables)
    await soon(
        lambda: (
            sum(p.present for t in visit.house.tables for p in t.roster.people)
            <= sum(there) - len(company)
        )
    )
    skip_time(visit, 121)
    skip_time(visit, 61)
    await soon(lambda: len(visit.house.tables) < here)
    await visit.house.server.house.journal.kept(None)


async def test_a_pack_goes_with_the_last_log_that_names_it(guests: Any) -> None:
    visit = await guests()
    mine = brought([white(1), black(1)])
    first, second = await hosted(visit), await hosted(visit)
    for host, code, _ in (first, second):
        await host.call("POST", f"/api/tables/{code}/packs", {"name": "mine", "pack": mine})
    assert len(await _kept(visit)) == 2
    await _left_for_good(visit, first[2])
    assert len(await _kept(visit)) == 1
    # It is still there for the other one, and for who brings it again.
    await _folded(visit, visit.house.tables[0].roster.id)
    await _left_for_good(visit, second[2])
    assert await _kept(visit) == set()
    host, code, me = await hosted(visit)
    await host.call("POST", f"/api/tables/{code}/packs", {"name": "mine", "pack": mine})
    assert len(await _kept(visit)) == 1
    await me.fence()
    assert "w_1" in me.client.whites


async def test_every_pack_a_log_names_is_kept_as_long_as_the_log(guests: Any) -> None:
    """Also one that was replaced, for the log can't be folded without it."""
    visit = await guests(enable_game_ready_up=False)
    host, code, me = await hosted(visit)
    for number in (1, 2):
        body = {"name": "mine", "pack": brought([white(number), black(1)])}
        await host.call("POST", f"/api/tables/{code}/packs", body)
    company = [me]
    company += [await greeted(await visit.program(f"?table={code}&name={n}")) for n in "AB"]
    await me.until(lambda c: c.stage == "playing")
    (table,) = visit.house.tables
    await _left_for_good(visit, *company)
    assert len(await _kept(visit)) == 2
    folded = await _folded(visit, table.roster.id)
    assert folded.roster.content.keys() == table.roster.content.keys()


async def test_what_was_brought_is_known_again_after_a_restart(open_house: Opener) -> None:
    visit = Guests(await open_house())
    host, code, _ = await hosted(visit)
    body = {"name": "mine", "pack": brought([white(1), black(1)])}
    await host.call("POST", f"/api/tables/{code}/packs", body)
    kept = await _kept(visit)
    await visit.house.server.stop()
    visit = Guests(await open_house())
    assert await _kept(visit) == kept != set()
    await _left_for_good(visit)
    assert await _kept(visit) == set()


async def test_a_pack_that_comes_too_late_leaves_nothing_behind(guests: Any) -> None:
    visit = await guests()
    host, code, me = await hosted(visit, enable_game_ready_up=False)
    for name in ("Ann", "Ben"):
        await greeted(await visit.program(f"?name={name}&table={code}"))
    await me.until(lambda c: c.stage == "playing")
    body = {"name": "mine", "pack": brought([white(1), black(1)])}
    status, _ = await host.call("POST", f"/api/tables/{code}/packs", body)
    assert status == 409
    assert await _kept(visit) == set()


async def test_what_the_house_has_itself_is_never_thrown_away(
    open_house: Opener, tmp_path: Path
) -> None:
    """Though somebody brought the very same before, or brings it later."""
    folder = tmp_path / "packs"
    folder.mkdir()
    data = pack(mixed_cards(), id="mine")["mine"]
    visit = Guests(await open_house())
    host, code, _ = await hosted(visit)
    body = {"name": "mine", "pack": msgspec.json.decode(data)}
    await host.call("POST", f"/api/tables/{code}/packs", body)
    await visit.house.server.stop()
    (folder / "mine.json").write_bytes(data)
    visit = Guests(await open_house(packs=str(folder)))
    await greeted(await visit.newer("Ann"))
    (common,) = [t for t in visit.house.tables if t.roster.opener is None]
    digest = list(common.roster.content.values())[-1].digest
    skip_time(visit, 121)
    skip_time(visit, 61)
    await soon(lambda: len(visit.house.tables) == 1)
    await visit.house.server.house.journal.kept(None)
    store = visit.house.server.store
    # It is needed by no table any more, but by the house.
    assert await store.recall("brought:") == {f"brought:{digest}:": b""}
    assert await store.recall(f"content:{digest}")


async def test_one_address_brings_so_much_whoever_asks(
    guests: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(libraries, "MOST_BROUGHT", 20)
    monkeypatch.setattr(libraries, "LEAST_BROUGHT", 2)
    visit = await guests()
    codes: list[str] = []
    for number in range(3):
        host, code, _ = await hosted(visit)
        body = {"name": "mine", "pack": brought([white(number), black(1)])}
        _, answer = await host.call("POST", f"/api/tables/{code}/packs", body)
        codes.append(answer.get("error", {}).get("code", ""))
    assert codes == ["", "", "too-much-content"]
