"""Super Rummy's lobby over real sockets: the faults of the original server, each one mended."""

from __future__ import annotations

import asyncio
import itertools
import secrets

import pytest

from tests.support import Opener, OpenHouse, RummyClient, moved, soon


async def in_round(house: OpenHouse, players: int) -> list[RummyClient]:
    """So many guests at one table, the cards dealt and everything heard."""
    table = await house.table_of(players)
    await table[0].send("start")
    for player in table:
        await player.until("turn")
    return table


async def test_each_client_finds_itself_in_a_private_lobby_of_its_own(house: OpenHouse) -> None:
    one, two = await house.rummy(), await house.rummy()
    for client in (one, two):
        assert len(client.code) == 6
        assert client.code.isdecimal()
        assert [p["id"] for p in client.lobby["players"]] == [client.me]
        assert len(client.lobby["settings"]) == 12
        assert await client.fence() == []
    assert one.code != two.code


async def test_both_paths_speak_the_same_protocol(house: OpenHouse) -> None:
    guest = await (await house.visitor()).rummy(path="/stream")
    await guest.expect("lobby")


async def test_two_windows_of_one_browser_are_two_players(house: OpenHouse) -> None:
    browser = await house.visitor()
    await browser.token()  # and with it the cookie
    one, two = await browser.rummy(path="/stream"), await browser.rummy(path="/stream")
    for window in (one, two):
        await window.expect("lobby")
    await two.send("join", code=one.code)
    for window in (one, two):
        await window.expect("lobby")
        assert window.names == ["Player", "Player 2"]
    assert one.me != two.me


async def test_joining_tells_those_there_and_those_left_behind(house: OpenHouse) -> None:
    here, away = await house.table_of(2), await house.table_of(2)
    await away[0].send("join", code=f" {here[0].code[:3]} {here[0].code[3:]} ")
    for client in (*here, away[0]):
        await client.expect("lobby")
        assert client.names == ["Player", "Player 2", "Player 3"]
    await away[1].expect("lobby")
    assert [p["id"] for p in away[1].lobby["players"]] == [away[1].me]
    for client in (*here, *away):
        assert await client.fence() == []


async def test_nobody_has_a_name_twice_whatever_its_case(house: OpenHouse) -> None:
    one, two = await house.rummy(), await house.rummy()
    await one.send("name", name="  Ada  ")
    await one.expect("lobby")
    assert one.names == ["Ada"]
    await two.send("name", name="aDA")
    await two.expect("lobby")
    await two.send("join", code=one.code)
    await two.expect("lobby")
    assert two.names == ["Ada", "aDA 2"]
    await one.expect("lobby")
    assert await two.refused("name", name="ADA") == "name-taken"
    for bad in ("", "   ", "x" * 21, "!?", "a\x07b"):
        assert await two.refused("name", name=bad) == "bad-name"
    assert await one.fence() == []


async def test_who_goes_with_one_of_two_tabs_stays_with_the_other(house: OpenHouse) -> None:
    browser, elsewhere = await house.visitor(), await house.rummy()
    token = await browser.token()
    tab = await browser.rummy(f"?token={token}")
    await tab.expect("lobby")
    other = await browser.rummy(f"?token={token}")
    await other.expect("lobby")
    assert (other.code, other.me) == (tab.code, tab.me)
    await tab.send("join", code=elsewhere.code)
    await elsewhere.expect("lobby")
    # The table is still theirs, and still open.
    await other.send("name", name="Ada")
    await other.expect("lobby")
    assert other.names == ["Ada"]


async def test_who_watches_a_table_that_closes_is_told_so(open_house: Opener) -> None:
    house = await open_house()
    guest = await house.rummy()
    (table,) = house.tables
    watcher = await (await house.visitor()).rummy(f"?watch={guest.code}")
    await watcher.expect("lobby")
    await guest.close()
    assert await watcher.closed() == 4410
    # Nothing was played, so nothing is kept.
    await house.shut()
    house = await open_house()
    assert await house.server.store.find_table(table.roster.id) is None
    assert house.tables == []


async def test_the_log_of_a_table_that_was_played_at_outlives_it(open_house: Opener) -> None:
    house = await open_house()
    one, two = await in_round(house, 2)
    (table,) = house.tables
    await asyncio.gather(one.close(), two.close())
    await soon(lambda: house.tables == [])
    await house.shut()
    house = await open_house()
    row = await house.server.store.find_table(table.roster.id)
    assert row is not None
    assert row.closed is not None
    assert row.closed >= row.opened
    assert house.tables == []


async def test_refusals_say_why_and_are_counted(house: OpenHouse) -> None:
    guest = await house.rummy()
    await guest.send("start")
    assert (await guest.expect("error"))["message"]
    metrics = await (await house.visitor()).get("/metrics")
    counted = b'parlour_rejected_messages_total{code="too-few",game="rummy"} 1.0'
    assert counted in metrics.body


async def test_joining_ones_own_code_changes_nothing(house: OpenHouse) -> None:
    guest, other = await house.rummy(), await house.rummy()
    await guest.send("join", code=guest.code)
    assert await guest.fence() == []
    await other.send("join", code=guest.code)
    await other.expect("lobby")
    assert len(other.names) == 2


async def test_a_code_that_leads_nowhere_is_refused(house: OpenHouse) -> None:
    guest = await house.rummy()
    nowhere = next(c for c in ("000000", "000001") if c != guest.code)
    for code in (nowhere, "", "12345", "x" * 6):
        assert await guest.refused("join", code=code) == "no-such-table"


async def test_who_moves_takes_along_all_that_is_known_of_them(open_house: Opener) -> None:
    house = await open_house(proxy_headers=True)
    hosts = [await house.rummy() for _ in range(2)]
    visitor = await house.visitor(headers={"X-Forwarded-For": "192.0.2.7"})
    token = await visitor.token()
    guest = await visitor.rummy(f"?token={token}&extras")
    await guest.send("name", name="Ada")
    for host in hosts:
        await guest.send("join", code=host.code)
        await moved(guest, "Ada", "192.0.2.7", host, house)
    # It is in the log, too, and they are led back.
    await house.shut(guest, *hosts)
    house = await open_house()
    again = await house.rummy(f"?token={token}")
    assert (await again.expect("lobby"))["lobby"]["code"] == hosts[1].code
    assert "Ada" in again.names


async def test_two_lobbies_never_share_a_code(
    house: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = itertools.chain([7, 7, 7, 8], itertools.count(9))
    monkeypatch.setattr(secrets, "randbelow", lambda bound: next(numbers))
    one, two = await house.rummy(), await house.rummy()
    assert [one.code, two.code] == ["000007", "000008"]


async def test_a_fifth_player_and_a_fifth_bot_find_the_table_full(house: OpenHouse) -> None:
    table, fifth = await house.table_of(4), await house.rummy()
    assert await fifth.refused("join", code=table[0].code) == "table-full"
    assert await table[0].refused("ai", action="add") == "table-full"
    await fifth.send("ai", action="add")
    await fifth.expect("lobby")


async def test_bots_come_and_go_by_name(house: OpenHouse) -> None:
    guest = await house.rummy()
    for count in (2, 3, 4):
        await guest.send("ai", action="add")
        await guest.expect("lobby")
        assert len(set(guest.names)) == count
    assert [p["human"] for p in guest.lobby["players"]] == [True, False, False, False]
    for count in (3, 2, 1):
        await guest.send("ai", action="remove")
        await guest.expect("lobby")
        assert len(guest.names) == count
    assert await guest.refused("ai", action="remove") == "no-bot"


async def test_settings_change_for_everybody_or_not_at_all(house: OpenHouse) -> None:
    one, two = await house.table_of(2)
    before = one.lobby["settings"]
    await two.send("settings", settings={"deck_count": 2, "hand_size": 12})
    for client in (one, two):
        await client.expect("lobby")
        assert client.lobby["settings"] == before | {"deck_count": 2, "hand_size": 12}
    for wrong in ({"deck_count": 3}, {"hand_size": True}, {"pace": 1}, {"deck_count": 4, "x": 0}):
        assert await one.refused("settings", settings=wrong) == "bad-settings"
    assert await two.fence() == []


async def test_a_client_that_sends_all_settings_back_changes_the_one_it_changed(
    house: OpenHouse,
) -> None:
    """It was told the hand size in force and sends that, too: still by the number of players."""
    guest = await house.rummy()
    await guest.send("settings", settings=guest.lobby["settings"] | {"enable_jokers": True})
    await guest.expect("lobby")
    assert guest.lobby["settings"]["enable_jokers"] is True
    sizes = [guest.lobby["settings"]["hand_size"]]
    for _ in range(2):
        await guest.send("ai", action="add")
        await guest.expect("lobby")
        sizes.append(guest.lobby["settings"]["hand_size"])
    assert sizes == [10, 10, 7]
    # Said alone, or another number, it is meant; and 0 is by the number of players again.
    for wish, size in (
        ({"hand_size": 7}, 7),
        (guest.lobby["settings"] | {"hand_size": 12}, 12),
        ({"hand_size": 0}, 10),
    ):
        await guest.send("settings", settings=wish)
        await guest.expect("lobby")
        await guest.send("ai", action="remove")
        await guest.expect("lobby")
        assert guest.lobby["settings"]["hand_size"] == size
        await guest.send("ai", action="add")
        await guest.expect("lobby")


async def test_one_player_alone_can_not_start(house: OpenHouse) -> None:
    assert await (await house.rummy()).refused("start") == "too-few"


async def test_the_lobby_is_closed_while_a_round_runs(house: OpenHouse) -> None:
    elsewhere = await house.rummy()
    table = await in_round(house, 2)
    for player in table:
        for type, fields in (
            ("join", {"code": elsewhere.code}),
            ("ai", {"action": "add"}),
            ("ai", {"action": "remove"}),
            ("settings", {"settings": {"deck_count": 2}}),
            ("name", {"name": "Ada"}),
            ("start", {}),
        ):
            assert await player.refused(type, **fields) == "round-running"
    assert await elsewhere.refused("join", code=table[0].code) == "round-running"
    assert await elsewhere.fence() == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '"draw"',
        '{"type":"draw"}',
        '{"type":"dance"}',
        '{"type":7}',
        '{"card_id":"x"}',
        '{"type":"draw","card_id":3}',
        '{"type":"lay","card_id":"x","meld_number":-1}',
        '{"type":"lay","card_id":"x","meld_number":true}',
        '{"type":"lay","card_id":"x","meld_number":0.5}',
        '{"type":"lay","meld_number":0}',
        '{"type":"ai","action":"dance"}',
        "[" * 5000,
        '{"type":"settings","settings":' + '{"a":' * 2000 + "1" + "}" * 2001,
    ],
)
async def test_bad_input_is_answered_and_the_connection_stays(house: OpenHouse, text: str) -> None:
    guest = await house.rummy()
    await guest.send_raw(text)
    assert (await guest.expect("error"))["message"]
    assert await guest.fence() == []


async def test_a_disconnected_player_is_skipped_and_the_others_play_on(house: OpenHouse) -> None:
    one, two, three = await in_round(house, 3)
    assert one.turn == (one.me, "draw")
    gone = two.me
    await two.close()
    await one.play_turn()
    await three.my_turn()
    await three.play_turn()
    await one.my_turn()
    for client in (one, three):
        turns = [e["player_id"] for e in client.heard if e["type"] == "turn"]
        assert gone not in turns
        assert "lobby" not in [e["type"] for e in client.heard[-20:]]


async def test_the_turn_goes_on_when_the_player_in_turn_disconnects(house: OpenHouse) -> None:
    one, two, three = await in_round(house, 3)
    await one.close()
    for client in (two, three):
        assert (await client.expect("turn"))["player_id"] == two.me


async def test_with_one_player_left_the_round_ends_and_the_lobby_is_usable(
    house: OpenHouse,
) -> None:
    one, two = await in_round(house, 2)
    await one.close()
    end = await two.expect("end")
    assert end["winner_id"] is None
    assert sorted(end["hand_values"]) == sorted([one.me, two.me])
    await two.expect("lobby")
    assert [p["id"] for p in two.lobby["players"]] == [two.me]
    assert await two.fence() == []
    await two.send("ai", action="add")
    await two.expect("lobby")
    third = await house.rummy()
    await third.send("join", code=two.code)
    await third.expect("lobby")
    await two.expect("lobby")
    await third.send("start")
    await third.until("turn")


async def test_a_round_among_bots_alone_is_given_up_with_its_table(house: OpenHouse) -> None:
    guest = await house.rummy()
    for _ in range(2):
        await guest.send("ai", action="add")
        await guest.expect("lobby")
    await guest.send("start")
    await guest.until("turn")
    code = guest.code
    await guest.close()
    other = await house.rummy()
    assert await other.refused("join", code=code) == "no-such-table"


async def test_no_lobby_in_a_round_and_exactly_one_right_after_it(open_house: Opener) -> None:
    house = await open_house()
    one, two = await house.table_of(2)
    await two.send("ai", action="add")
    for client in (one, two):
        await client.expect("lobby")
    for _ in range(2):
        for client in (one, two):
            client.heard.clear()
        await two.send("start")
        await asyncio.gather(one.play_round(), two.play_round())
        for client in (one, two):
            types = [e["type"] for e in client.heard]
            assert types[0] == "start"
            assert types[-2:] == ["end", "lobby"]
            assert types.count("lobby") == 1
            assert await client.fence() == []
