"""People who drop, come back, fall asleep or are restarted under (spec: "Tokens", "Idle")."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.quips.conftest import QUICK
from tests.quips.guests import (
    Guest,
    Guests,
    begun,
    greeted,
    hushed,
    skip_time,
    the_judge,
    the_others,
)
from tests.support import Opener, soon

SLOW = {"round_end_timeout": 60_000, "game_end_timeout": 60_000}


def _away(visit: Guests, count: int) -> bool:
    return sum(not p.present for t in visit.house.tables for p in t.roster.people) == count


@pytest.mark.parametrize("politely", [True, False])
async def test_who_drops_comes_back_by_token_to_all_they_had(guests: Any, politely: bool) -> None:
    visit = await guests(**SLOW)
    company = await begun(visit, "Ann", "Ben", "Cleo")
    player, other = the_others(company)
    player.surprising = False
    await player.play_cards()
    await hushed(*company)
    if politely:
        await player.leave()
    else:
        player.drop()
    await soon(lambda: _away(visit, 1))
    listed = [entry["id"] for entry in other.client.players or ()]
    assert player.client.id in listed
    back = await greeted(await visit.newer("Whoever", token=player.client.token))
    assert back.client.summary() == player.client.summary()
    await other.play_cards()
    await the_judge([back, *(g for g in company if g is not player)]).fence()
    assert await back.fence() == ["s_gamestate"]
    assert back.client.stage == "judging"


async def test_a_dropped_judge_is_replaced_and_comes_back_as_a_player(guests: Any) -> None:
    visit = await guests(**SLOW)
    company = await begun(visit, "Ann", "Ben", "Cleo", "Dora")
    judge = the_judge(company)
    for player in the_others(company):
        await player.play_cards()
    judge.drop()
    await soon(lambda: _away(visit, 1))
    skip_time(visit, 21)
    others = [guest for guest in company if guest is not judge]
    await hushed(*others)
    new = the_judge(others)
    assert new.client.played == []
    assert len(new.client.state["plays"]) == 2
    back = await greeted(await visit.newer("Whoever", token=judge.client.token))
    assert back.client.id == judge.client.id
    await new.say("c_judgecards", play_index=0)
    await new.until(lambda c: c.stage == "round_end")


async def test_a_seat_is_kept_for_so_long_and_no_longer(guests: Any) -> None:
    visit = await guests(**SLOW, player_preserve_time=60)
    company = await begun(visit, "Ann", "Ben", "Cleo", "Dora")
    gone = company[3]
    gone.drop()
    await soon(lambda: _away(visit, 1))
    skip_time(visit, 59)
    await hushed(*company[:3])
    assert company[0].client.entry(gone.client.id) is not None
    skip_time(visit, 2)
    await hushed(*company[:3])
    assert company[0].client.entry(gone.client.id) is None
    late = await greeted(await visit.newer("Dora", token=gone.client.token))
    assert late.client.id != gone.client.id
    assert late.client.token != gone.client.token


async def test_too_few_are_left_and_the_table_waits_again(guests: Any) -> None:
    visit = await guests(**SLOW, player_preserve_time=30)
    company = await begun(visit, "Ann", "Ben", "Cleo")
    await the_others(company)[0].play_cards()
    await hushed(*company)
    gone, *rest = company
    gone.drop()
    await soon(lambda: _away(visit, 1))
    skip_time(visit, 31)
    for guest in rest:
        start = len(guest.client.heard)
        await guest.until(lambda c: c.stage == "game_starting")
        told = guest.client.heard[start:]
        assert told[-5:] == [
            "s_auxclientdata",
            "s_hand",
            "s_cardsplayed",
            "s_players",
            "s_gamestate",
        ]
        assert (guest.client.hand, guest.client.played) == ([], [])
        assert len(guest.client.players or ()) == 2
        assert not guest.client.asked_if_ready


async def test_no_seat_is_kept_before_a_game(guests: Any) -> None:
    visit = await guests()
    ann = await greeted(await visit.newer("Ann"))
    ben = await greeted(await visit.newer("Ben"))
    ben.drop()
    await ann.until(lambda c: len(c.players or ()) == 2)
    await ann.until(lambda c: len(c.players or ()) == 1)
    again = await greeted(await visit.newer("Ben", token=ben.client.token))
    assert again.client.token != ben.client.token


async def test_sleepers_are_marked_passed_over_and_put_out(guests: Any) -> None:
    visit = await guests(**SLOW, pick_one_only=True, afk_time_seconds=90)
    company = await begun(visit, "Ann", "Ben", "Cleo", "Dora")
    sleeper, *awake = the_others(company)
    for player in awake:
        await player.play_cards()
    judge = the_judge(company)
    await hushed(*company)
    skip_time(visit, 99)
    await hushed(judge)
    assert judge.client.stage == "playing"
    skip_time(visit, 2)
    await hushed(judge)
    entry = judge.client.entry(sleeper.client.id)
    assert entry is not None
    assert entry["idle"]
    assert judge.client.stage == "judging"
    await judge.say("c_judgecards", play_index=0)
    await hushed(judge)
    skip_time(visit, 181)
    assert await sleeper.closed() == 1000
    assert sleeper.client.rejected == "reject_afk"
    assert sleeper.client.heard[-1] == "s_rejectclient"
    for guest in (judge, *awake):
        await guest.fence()
        assert guest.client.entry(sleeper.client.id) is None


@pytest.mark.parametrize(
    "message",
    [
        {"msg": "c_chat_msg", "body": "back"},
        {"msg": "c_getallcards"},
        {"msg": "c_playcards", "cards": ["w_stale"]},
        {"msg": "c_judgecards", "play_index": 0},
        {"msg": "c_ready_up", "status": True},
        {"msg": "c_updateinfo", "userinfo": {"name": "Awake"}},
    ],
    ids=lambda message: message["msg"],
)
async def test_any_message_wakes_a_sleeper(guests: Any, message: dict[str, Any]) -> None:
    visit = await guests(**SLOW, pick_one_only=True)
    company = await begun(visit, "Ann", "Ben", "Cleo")
    sleeper, other = the_others(company)
    skip_time(visit, 101)
    await hushed(the_judge(company))
    await other.until(lambda c: c.entry(sleeper.client.id)["idle"])
    entry = other.client.entry(sleeper.client.id)
    assert entry is not None
    assert entry["idle"]
    assert sleeper.client.can_play
    await sleeper.say(**message)
    await other.until(lambda c: not (c.entry(sleeper.client.id) or {"idle": True})["idle"])


async def test_a_restart_in_mid_game_loses_nothing(open_house: Opener) -> None:
    settings = {"games": {"quips": {**QUICK, **SLOW}}}
    visit = Guests(await open_house(**settings))
    company = await begun(visit, "Ann", "Ben", "Cleo")
    player, other = the_others(company)
    player.surprising = False
    await player.play_cards()
    await hushed(*company)
    closing = asyncio.ensure_future(visit.house.server.stop())
    assert [await guest.closed() for guest in company] == [1012] * 3
    await closing

    visit = Guests(await open_house(**settings))
    back: list[Guest] = []
    for guest in company:
        token = guest.client.token
        back.append(await greeted(await visit.newer("Whoever", token=token)))
    await hushed(*back)
    for guest, before in zip(back, company, strict=True):
        assert guest.client.summary() == before.client.summary()
    await back[company.index(other)].play_cards()
    judge = the_judge(back)
    await judge.until(lambda c: c.stage == "judging")
    await judge.judge()


async def test_a_restart_before_a_game_holds_nobody_up(open_house: Opener) -> None:
    """Whoever does not come back is neither listed nor waited for."""
    visit = Guests(await open_house())
    company = [await greeted(await visit.newer(name)) for name in ("Ann", "Ben", "Cleo", "Dora")]
    closing = asyncio.ensure_future(visit.house.server.stop())
    for guest in company:
        await guest.closed()
    await closing
    visit = Guests(await open_house())
    back = [await greeted(await visit.newer("?", token=g.client.token)) for g in company[:3]]
    assert [guest.client.id for guest in back] == [guest.client.id for guest in company[:3]]
    assert [p["name"] for p in back[2].client.players or ()] == ["Ann", "Ben", "Cleo"]
    for guest in back:
        await guest.ready()
    for guest in back:
        await guest.until(lambda c: c.stage == "playing")


async def _waited_for(visit: Guests) -> list[Guest]:
    """Three who are ready and Dora, who does not say so."""
    company = [await greeted(await visit.newer(name)) for name in ("Ann", "Ben", "Cleo", "Dora")]
    for guest in company[:3]:
        await guest.ready()
    await hushed(*company)
    return company


async def test_who_is_not_ready_holds_a_game_up_for_so_long_and_no_longer(guests: Any) -> None:
    visit = await guests(**SLOW)
    company = await _waited_for(visit)
    dora = company[3]
    skip_time(visit, 89)
    await hushed(*company)
    assert {guest.client.stage for guest in company} == {"game_starting"}
    skip_time(visit, 2)
    for guest in company[:3]:
        await guest.until(lambda c: c.stage == "playing")
    entry = company[0].client.entry(dora.client.id)
    assert entry is not None
    assert entry["idle"]
    assert dora.client.id in company[0].client.state["pending_players"]
    for player in the_others(company[:3]):
        await player.play_cards()
    await company[0].until(lambda c: c.stage == "judging")
    skip_time(visit, 177)
    await dora.until(lambda c: c.stage == "judging")
    skip_time(visit, 4)
    assert await dora.closed() == 1000
    assert dora.client.rejected == "reject_afk"


async def test_who_wakes_up_in_the_game_that_began_without_them_plays(guests: Any) -> None:
    visit = await guests(**SLOW)
    company = await _waited_for(visit)
    dora = company[3]
    skip_time(visit, 91)
    await dora.until(lambda c: c.can_play)
    dora.surprising = False
    await dora.play_cards()
    skip_time(visit, 85)
    await hushed(*company)
    assert not company[0].client.entry(dora.client.id)["idle"]


async def test_nobody_starts_by_saying_now_and_then_that_they_are_not_ready(guests: Any) -> None:
    """Whatever the one who is waited for sends, the others wait no longer than that."""
    visit = await guests(**SLOW)
    company = await _waited_for(visit)
    for _ in range(3):
        skip_time(visit, 25)
        await company[3].say("c_ready_up", status=False)
        await company[3].say("c_chat_msg", body="wait")
        await hushed(*company)
    skip_time(visit, 16)
    for guest in company:
        await guest.until(lambda c: c.stage == "playing")


async def test_nobody_is_awaited_while_too_few_others_are_ready(guests: Any) -> None:
    visit = await guests(**SLOW)
    company = [await greeted(await visit.newer(name)) for name in ("Ann", "Ben", "Cleo")]
    for guest in company[:2]:
        await guest.ready()
    await hushed(*company)
    skip_time(visit, 1000)
    await hushed(*company)
    assert {guest.client.stage for guest in company} == {"game_starting"}
    assert {guest.client.rejected for guest in company} == {None}


async def test_somebody_alone_with_computers_is_not_hurried(guests: Any) -> None:
    visit = await guests(**SLOW, bot_count=4)
    ann = await greeted(await visit.newer("Ann"))
    skip_time(visit, 1000)
    await ann.fence()
    assert (ann.client.stage, ann.client.rejected) == ("game_starting", None)


# The older generation, which has no token


@pytest.mark.parametrize("politely", [True, False])
async def test_an_older_client_that_reloads_has_its_seat_again(guests: Any, politely: bool) -> None:
    visit = await guests(**SLOW, max_players=4)
    company = await begun(visit, "Ann", "Ben", "Cleo", older=2)
    ann, *older = company
    for again in range(6):
        leaving = older[again % 2]
        if politely:
            await leaving.leave()
        else:
            leaving.drop()
        await soon(lambda: _away(visit, 1))
        back = await greeted(await visit.older(leaving.client.name))
        assert back.client.summary() == leaving.client.summary()
        older[again % 2] = back
    await ann.fence()
    assert [entry["name"] for entry in ann.client.players or ()] == ["Ann", "Ben", "Cleo"]


async def test_the_seat_is_not_somebody_elses(guests: Any) -> None:
    """Another name, a newer client, another address: a new player each."""
    visit = await guests(**SLOW)
    company = await begun(visit, "Ann", "Ben", "Cleo", older=1)
    cleo = company[2]
    await cleo.leave()
    await soon(lambda: _away(visit, 1))
    other = await greeted(await visit.older("Cleopatra"))
    newer = await greeted(await visit.newer("Cleo"))
    (table,) = visit.house.tables
    for player in table.roster.people:
        if player.place == cleo.client.id:
            player.address = "elsewhere"
    elsewhere = await greeted(await visit.older("Cleo"))
    ids = {guest.client.id for guest in (cleo, other, newer, elsewhere)}
    assert len(ids) == 4


async def test_of_two_with_one_name_each_has_their_own_seat_again(guests: Any) -> None:
    """They are told apart by a number, which their clients do not know of."""
    visit = await guests(**SLOW)
    company = await begun(visit, "Ann", "Ben", "Cleo", "Cleo", older=2)
    second = company[3]
    await second.leave()
    await soon(lambda: _away(visit, 1))
    back = await greeted(await visit.older("Cleo"))
    assert (back.client.id, back.client.name) == (second.client.id, "Cleo 2")
    third = await greeted(await visit.older("Cleo"))
    assert third.client.name == "Cleo 3"


async def test_of_two_who_are_away_the_name_without_a_number_goes_first(guests: Any) -> None:
    visit = await guests(**SLOW)
    gone = await greeted(await visit.older("Cleo"))
    second = await greeted(await visit.older("Cleo"))
    assert second.client.name == "Cleo 2"
    await gone.leave()
    await soon(lambda: len(visit.house.tables[0].roster.people) == 1)
    company = await begun(visit, "Ann", "Ben", "Cleo", older=1)
    for leaving in (second, company[2]):
        await leaving.leave()
    await soon(lambda: _away(visit, 2))
    for was in (company[2], second):
        back = await greeted(await visit.older("Cleo"))
        assert (back.client.id, back.client.name) == (was.client.id, was.client.name)


async def test_cookies_of_a_newer_client_make_no_newer_one(guests: Any) -> None:
    visit = await guests(**SLOW)
    left_over = {"client_lang": "de-AT", "player_token": "0" * 32}
    company = [
        *[await greeted(await visit.newer(name)) for name in ("Ann", "Ben")],
        await greeted(await visit.older("Cleo", **left_over)),
    ]
    for guest in company[:2]:
        await guest.ready()
    # It can't say that it is ready, and reads no card that somebody wrote in Base64.
    for guest in company:
        await guest.until(lambda c: c.stage == "playing")
    player = next(g for g in the_others(company) if g is not company[2])
    state = player.client.state
    assert state is not None
    written = [player.client.custom("mine")] * min(player.client.pick, player.client.blanks)
    hand = player.client.hand or []
    await player.say("c_playcards", cards=[*written, *hand][: player.client.pick])
    for guest in the_others(company):
        if guest is not player:
            guest.surprising = False
            await guest.play_cards()
    await company[2].until(lambda c: c.stage == "judging")


async def test_an_older_client_takes_no_seat_by_a_token_that_was_left_over(guests: Any) -> None:
    """Its person's newer client may come back for it."""
    visit = await guests(**SLOW)
    company = await begun(visit, "Ann", "Ben", "Cleo")
    cleo = company[2]
    await cleo.leave()
    await soon(lambda: _away(visit, 1))
    older = await greeted(await visit.older("Cleo", player_token=cleo.client.token))
    assert older.client.id != cleo.client.id
    back = await greeted(await visit.newer("Cleo", token=cleo.client.token))
    assert back.client.id == cleo.client.id
