"""Who runs a table: kicking, locking, settings; and what the server is told."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from parlour.server.config import BadConfig, Config, load
from parlour.server.server import Server
from parlour.table import inputs as do
from tests.quips.guests import SLOW, Guest, begun, greeted, hosted, hushed
from tests.quips.strict import Newer
from tests.quips.tools import black, brought, mixed_cards, pack, tiered
from tests.support import soon


async def _one_game(guest: Guest) -> None:
    """Play to the end of the game that is under way, or the next."""
    while guest.client.games_seen == 0:
        if guest.client.can_play:
            await guest.play_cards()
        elif guest.client.judges:
            await guest.judge()
        else:
            await guest.hear()


async def test_the_host_puts_somebody_out_who_hears_why_and_no_more(guests: Any) -> None:
    visit = await guests()
    host, code, me = await hosted(visit)
    ann = await greeted(await visit.program(f"?name=Ann&table={code}"))
    body = {"place": ann.client.id}
    status, _ = await host.call("POST", f"/api/tables/{code}/kick", body)
    assert status == 200
    assert await ann.closed() == 1000
    assert ann.client.rejected == "reject_banned"
    await me.fence()
    assert [p["name"] for p in me.client.players or ()] == ["Host"]
    await greeted(await visit.program(f"?name=Ann&table={code}"))


async def test_whoever_is_banned_does_not_come_back_by_token_or_address(guests: Any) -> None:
    visit = await guests()
    host, code, me = await hosted(visit)
    ann = await greeted(await visit.program(f"?name=Ann&table={code}"))
    ben = await greeted(await visit.program(f"?name=Ben&table={code}"))
    for guest in (me, ann, ben):
        await guest.ready()
    for guest in (me, ann, ben):
        await guest.until(lambda c: c.stage == "playing")
    body = {"place": ann.client.id, "ban": True}
    await host.call("POST", f"/api/tables/{code}/kick", body)
    assert await ann.closed() == 1000
    for path in ("/game", "/spectate"):
        again = await visit.program(f"?table={code}&player_token={ann.client.token}", path)
        assert await again.closed() == 1000
        assert again.client.rejected == "reject_banned"
    # Who sits there already may come from the same address.
    host_again = await host.socket(f"/game?table={code}")
    assert not host_again.closed
    await greeted(Guest(Newer(), host_again, host.http))


async def test_a_locked_table_takes_nobody_else(guests: Any) -> None:
    visit = await guests()
    host, code, _ = await hosted(visit)
    status, table = await host.call("PUT", f"/api/tables/{code}/lock", {"locked": True})
    assert (status, table["locked"]) == (200, True)
    ann = await visit.program(f"?table={code}")
    assert await ann.closed() == 1000
    assert ann.client.rejected == "reject_server_full"
    stranger = await visit.house.visitor()
    status, _ = await stranger.call("PUT", f"/api/tables/{code}/lock", {"locked": False})
    assert status == 403
    await host.call("PUT", f"/api/tables/{code}/lock", {"locked": False})
    await greeted(await visit.program(f"?table={code}"))


async def test_nobody_runs_the_houses_own_table(guests: Any) -> None:
    visit = await guests()
    ann = await greeted(await visit.program("?name=Ann"))
    (table,) = visit.house.tables
    visitor = await visit.house.visitor()
    path = f"/api/tables/{table.roster.code}"
    for method, rest, body in (
        ("POST", "/kick", {"place": ann.client.id}),
        ("PUT", "/lock", {"locked": True}),
        ("POST", "/packs", {"name": "x", "pack": {}}),
    ):
        status, _ = await visitor.call(method, path + rest, body)
        assert status == 403


# Cards


async def test_an_upgrade_is_paid_for_and_told_to_all(guests: Any) -> None:
    visit = await guests()
    host, code, me = await hosted(
        visit, use_packs=["mine"], enable_game_ready_up=False, max_rounds=9, round_end_timeout=0
    )
    cards = [card for number in range(90) for card in tiered(number, (1,))]
    body = {"name": "mine", "pack": brought([*cards, *(black(n) for n in range(5))])}
    await host.call("POST", f"/api/tables/{code}/packs", body)
    company = [me]
    company += [await greeted(await visit.program(f"?table={code}&name={n}")) for n in "AB"]
    for guest in company:
        await guest.until(lambda c: c.stage == "playing")
    while not any(guest.client.points for guest in company):
        for guest in company:
            await guest.fence()
            if guest.client.can_play:
                guest.surprising = False
                await guest.play_cards()
            elif guest.client.judges:
                await guest.say("c_judgecards", play_index=0)
    rich = next(guest for guest in company if guest.client.points)
    await hushed(*company)
    hand = rich.client.hand
    assert hand is not None
    await rich.say("c_upgradecard", card_id=hand[2])
    assert await rich.fence() == ["s_auxclientdata", "s_hand", "s_players"]
    assert rich.client.points == 0
    assert rich.client.hand == [*hand[:2], f"{hand[2]}_1", *hand[3:]]
    others = [guest for guest in company if guest is not rich]
    assert await hushed(*others) == [["s_players"], ["s_players"]]


async def test_trophies_come_in_the_languages_of_the_company(guests: Any) -> None:
    visit = await guests()
    host, code, me = await hosted(
        visit,
        use_packs=["mine"],
        enable_game_ready_up=False,
        pick_one_only=True,
        max_rounds=1,
        round_end_timeout=0,
    )
    trophy = {
        "id": "t_here",
        "name": {"en": "Here", "de": "Da"},
        "desc": {"en": "Was there", "de": "War da"},
        "trophy_class": "here",
        "requirements": [{"type": "cards_played", "min": 1}],
    }
    mine = msgspec.json.decode(pack(mixed_cards(), [trophy], id="mine")["mine"])
    status, _ = await host.call("POST", f"/api/tables/{code}/packs", {"name": "m", "pack": mine})
    assert status == 201
    company = [me]
    for language in ("de-LI", "nds-NL"):
        query = f"?table={code}&name={language}&client_lang={language}"
        company.append(await greeted(await visit.program(query)))
        company[-1].client.language = language
    await asyncio.gather(*(_one_game(guest) for guest in company))
    state = me.client.state
    assert state is not None
    winners = state["game_results"]["trophy_winners"]
    assert len(winners) == 2
    name = winners[0]["trophies"][0]["name"]
    assert {key: name[key] for key in ("de-LI", "nds-NL", "nds", "de", "en-US")} == {
        "de-LI": "Da",
        "nds-NL": "Here",
        "nds": "Here",
        "de": "Da",
        "en-US": "Here",
    }


async def test_settings_that_change_the_cards_send_them_again(guests: Any) -> None:
    visit = await guests()
    _, code, me = await hosted(visit)
    (table,) = [t for t in visit.house.tables if t.roster.code == code]
    packs = [each["id"] for each in me.client.packs or ()]
    live = visit.house.server.house.index.find(code)
    assert live is not None
    live.receive(do.Configure(do.HOUSE, {"exclude_packs": packs[:1], "enable_upgrades": False}))
    assert await me.fence() == ["s_allcards", "s_players", "s_gamestate"]
    assert [each["id"] for each in me.client.packs or ()] == packs[1:]
    assert {card["next_tier_id"] for card in me.client.whites.values()} == {""}
    assert table.roster.settings.enable_upgrades is False


# What the server is told


@pytest.mark.parametrize(
    ("games", "why"),
    [
        ({"quipps": {}}, "quipps"),
        ({"quips": {"max_players": 2}}, "max_players"),
        ({"quips": {"colour": "red"}}, "colour"),
    ],
)
async def test_settings_that_cannot_be_are_found_out_at_once(games: Any, why: str) -> None:
    with pytest.raises(BadConfig, match=why):
        Server(Config(data=":memory:", games=games))


def test_settings_of_games_come_from_a_file_or_as_json(tmp_path: Path) -> None:
    file = tmp_path / "parlour.toml"
    file.write_text("[games.quips]\nhand_size = 7\n")
    assert load({}, {}, file)[0].games == {"quips": {"hand_size": 7}}
    told = '{"quips": {"hand_size": 8}}'
    assert load({}, {"PARLOUR_GAMES": told}, file)[0].games == {"quips": {"hand_size": 8}}
    for wrong in ("quips", "[]", '{"quips": 3}'):
        with pytest.raises(BadConfig, match="games"):
            load({"games": wrong}, {})
    with pytest.raises(BadConfig, match="packs"):
        load({"packs": str(tmp_path / "nowhere")}, {})


async def test_bots_alone_play_when_they_are_told_to(guests: Any) -> None:
    visit = await guests()
    host = await visit.house.visitor()
    _, table = await host.call("POST", "/api/tables", {"game": "quips", "bots": 3})
    assert not table["running"]
    watcher = await greeted(await visit.program(f"?table={table['code']}", "/spectate"))
    status, _ = await host.call("POST", f"/api/tables/{table['code']}/start")
    assert status == 200
    await watcher.until(lambda c: c.games_seen == 1)


async def test_a_table_may_be_set_otherwise_than_the_house(guests: Any) -> None:
    visit = await guests(server_name="House", hand_size=7)
    _, code, _ = await hosted(visit, hand_size=8)
    visitor = await visit.house.visitor()
    _, info = await visitor.call("GET", f"/gameinfo?table={code}")
    assert (info["server_name"], info["hand_size"]) == ("House", 8)
    _, info = await visitor.call("GET", "/gameinfo")
    assert (info["server_name"], info["hand_size"]) == ("House", 7)


async def test_a_replay_tells_nobodys_token_or_address(guests: Any) -> None:
    visit = await guests(max_rounds=1, **dict.fromkeys(SLOW, 0))
    company = await begun(visit, "Ann", "Ben", "Cleo")
    (table,) = visit.house.tables
    late = await greeted(await visit.newer("Dora"))
    company.append(late)

    await asyncio.gather(*(_one_game(guest) for guest in company))
    await soon(lambda: not table.roster.running)
    page = await (await visit.house.visitor()).get(f"/api/replays/{table.roster.id}-1")
    assert page.status == 200
    replay = page.body.decode()
    assert '"Join"' in replay
    for player in table.roster.players:
        assert player.key
        assert player.key not in replay
        assert player.address
        assert player.address not in replay


async def test_words_of_the_houses_list_are_on_no_card_that_somebody_writes(
    guests: Any, tmp_path: Path
) -> None:
    words = tmp_path / "words.txt"
    words.write_text("drat\n")
    visit = await guests({"word_list": str(words)}, pick_one_only=True, **SLOW)
    company = await begun(visit, "Ann", "Ben", "Cleo")
    writer = company[1]
    await writer.say("c_playcards", cards=[writer.client.custom("Oh Drat, a duck")])
    await writer.until(lambda c: c.played)
    assert writer.client.played == [writer.client.custom("Oh ****, a duck")]
    other = company[2]
    assert other.client.hand
    await other.say("c_playcards", cards=other.client.hand[:1])
    await other.until(lambda c: c.stage == "judging")
    assert [writer.client.custom("Oh ****, a duck")] in (other.client.state or {})["plays"]
