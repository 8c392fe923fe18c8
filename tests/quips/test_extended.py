"""What clients hear that ask for our extensions, and existing ones do not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from parlour.games.quips.lobby import MOST_AT_ONCE, SPECTATOR
from parlour.house.audience import APPLAUSE_TIME, MOST_APPLAUSE
from tests.quips.guests import Guest, Guests, greeted, hushed, skip_time, the_judge, the_others
from tests.quips.strict import Extended

UNTIL_TOLD = {"round_end_timeout": 60_000, "game_end_timeout": 60_000}


def _extended(guest: Guest) -> Extended:
    assert isinstance(guest.client, Extended)
    return guest.client


async def _mixed(visit: Guests, *names: str) -> list[Guest]:
    """A game under way with people of all generations; all but the last two have asked for more."""
    company = [
        await greeted(await visit.program(f"?name={name}&extended=1")) for name in names[:-2]
    ]
    company.append(await greeted(await visit.newer(names[-2])))
    company.append(await greeted(await visit.older(names[-1])))

    async def get_ready(guest: Guest) -> None:
        if guest.client.generation != "older":
            await guest.until(lambda c: c.asked_if_ready or c.stage == "playing")
            await guest.say("c_ready_up", status=True)
        await guest.until(lambda c: c.stage == "playing")

    await asyncio.gather(*(get_ready(guest) for guest in company))
    await hushed(*company)
    return company


async def _to_judging(company: list[Guest]) -> Guest:
    for guest in the_others(company):
        guest.surprising = False
        await guest.play_cards()
    for guest in company:
        await guest.until(lambda c: c.stage == "judging")
    await hushed(*company)
    return the_judge(company)


# Turning over


async def test_what_the_judge_turns_over_is_seen_by_who_asked_and_by_nobody_else(
    guests: Any,
) -> None:
    visit = await guests(**UNTIL_TOLD)
    company = await _mixed(visit, "Ann", "Ben", "Cid", "Dan")
    watcher = await greeted(await visit.program("?extended=1", "/spectate"))
    existing = await greeted(await visit.newer(path="/spectate"))
    judge = await _to_judging(company)
    assert judge is company[0]
    await hushed(watcher, existing)
    for index in (2, 0):
        await judge.say("c_turn", play_index=index)
    everybody = (*company, watcher, existing)
    heard = [[msg for msg in each if msg != "s_error"] for each in await hushed(*everybody)]
    for guest, told in zip(everybody, heard, strict=True):
        if isinstance(guest.client, Extended):
            assert (told, guest.client.turned) == (["s_turned"] * 2, [2, 0])
        else:
            assert told == []
    late = await greeted(await visit.program("?extended=1", "/spectate"))
    assert late.client.heard == ["s_players", "s_allcards", "s_turned", "s_gamestate"]
    assert _extended(late).turned == [2, 0]
    await judge.say("c_judgecards", play_index=1)
    await watcher.until(lambda c: c.stage == "round_end")
    skip_time(visit, 60)
    await watcher.until(lambda c: c.stage == "playing")
    assert _extended(watcher).turned == []


@pytest.mark.parametrize(
    ("who", "index", "code"),
    [("judge", 9, "no-such-play"), ("judge", -1, "no-such-play"), ("other", 0, "not-judge")],
)
async def test_only_the_judge_turns_over_and_only_what_is_there(
    guests: Any, who: str, index: int, code: str
) -> None:
    visit = await guests(**UNTIL_TOLD)
    company = await _mixed(visit, "Ann", "Ben", "Cid", "Dan")
    judge = await _to_judging(company)
    guest = judge if who == "judge" else company[1]
    before = len(guest.client.errors)
    await guest.say("c_turn", play_index=index)
    await guest.until(lambda c: len(c.errors) > before)
    assert guest.client.errors[-1] == code
    assert _extended(guest).turned == []


async def test_what_lies_open_is_not_turned_over_again(guests: Any) -> None:
    visit = await guests(**UNTIL_TOLD)
    company = await _mixed(visit, "Ann", "Ben", "Cid", "Dan")
    judge = await _to_judging(company)
    for _ in range(2):
        await judge.say("c_turn", play_index=1)
    await judge.until(lambda c: "already-turned" in c.errors)
    assert _extended(judge).turned == [1]


async def test_whose_client_turns_over_is_listed(guests: Any) -> None:
    visit = await guests()
    company = await _mixed(visit, "Ann", "Ben", "Cid", "Dan")
    listed = {e["name"]: e["turns"] for e in company[0].client.players or ()}
    assert listed == {"Ann": True, "Ben": True, "Cid": False, "Dan": False}
    # Whoever comes back may do so with another client.
    company[2].drop()
    token = company[2].client.token
    back = await greeted(await visit.program(f"?player_token={token}&extended=1"))
    listed = {e["name"]: e["turns"] for e in back.client.players or ()}
    assert listed == {"Ann": True, "Ben": True, "Cid": True, "Dan": False}


# Applause


async def test_who_watches_applauds_and_all_hear_it_as_chat(guests: Any) -> None:
    visit = await guests()
    company = await _mixed(visit, "Ann", "Ben", "Cid", "Dan")
    watcher = await greeted(await visit.program("?extended=1", "/spectate"))
    screen = await greeted(await visit.newer(path="/spectate"))
    (table,) = visit.house.tables
    version = table.version
    await watcher.say("c_applaud", cheer="Bravo!")
    for guest in (watcher, screen, *company[:-1]):
        await guest.until_heard("s_chat_msg")
        assert guest.client.chat == [(SPECTATOR, "Bravo!")]
    # It changes nothing, so the log knows nothing of it; the older generation knows no chat.
    assert table.version == version
    assert await company[-1].fence() == []


async def test_who_plays_says_it_by_name(guests: Any) -> None:
    visit = await guests()
    company = await _mixed(visit, "Ann", "Ben", "Cid", "Dan")
    await company[1].say("c_applaud", cheer="Ouch!")
    await company[2].until_heard("s_chat_msg")
    assert company[2].client.chat == [("Ben", "Ouch!")]
    # Who does so too often is told no more than that: a hand is rebuilt under who is typing.
    for _ in range(MOST_AT_ONCE):
        await company[1].say("c_applaud", cheer="Ouch!")
    heard = await company[1].fence()
    assert heard == ["s_chat_msg"] * MOST_AT_ONCE + ["s_error"]


@pytest.mark.parametrize(
    "message",
    [
        {"msg": "c_chat_msg", "body": "Bravo!"},
        {"msg": "c_applaud", "cheer": "Boo to all of you"},
        {"msg": "c_applaud"},
    ],
)
async def test_who_watches_says_nothing_else(guests: Any, message: dict[str, str]) -> None:
    visit = await guests()
    ann = await greeted(await visit.program("?name=Ann&extended=1"))
    watcher = await greeted(await visit.program("?extended=1", "/spectate"))
    await watcher.say(**message)
    await watcher.until(lambda c: c.errors)
    assert watcher.client.errors[0] in ("watching", "bad-message")
    assert await ann.fence() == []


async def test_nobody_applauds_where_people_do_not_talk(guests: Any) -> None:
    visit = await guests(enable_chat=False)
    ann = await greeted(await visit.program("?name=Ann&extended=1"))
    watcher = await greeted(await visit.program("?extended=1", "/spectate"))
    await watcher.say("c_applaud", cheer="Bravo!")
    await watcher.until(lambda c: c.errors)
    assert watcher.client.errors == ["no-chat"]
    assert await ann.fence() == []


async def test_existing_clients_that_watch_can_not_applaud(guests: Any) -> None:
    visit = await guests()
    watcher = await greeted(await visit.newer(path="/spectate"))
    await watcher.say("c_applaud", cheer="Bravo!")
    await watcher.until(lambda c: c.errors)
    assert watcher.client.errors == ["bad-message"]


async def test_applause_has_a_pace_for_each_and_for_all_who_watch(guests: Any) -> None:
    visit = await guests()
    ann = await greeted(await visit.program("?name=Ann&extended=1"))
    crowd = [
        await greeted(await visit.program("?extended=1", "/spectate"))
        for _ in range(1 + MOST_APPLAUSE // MOST_AT_ONCE)
    ]

    async def clap(guest: Guest) -> None:
        for _ in range(MOST_AT_ONCE + 1):
            await guest.say("c_applaud", cheer="Ha ha!")
        await guest.fence()

    await crowd[-1].say("c_applaud", cheer="Ha ha!")
    await crowd[-1].fence()
    skip_time(visit, 1)
    for guest in crowd:
        await clap(guest)
    assert crowd[0].client.errors.count("too-fast") == 1
    await ann.fence()
    assert len(ann.client.chat) == MOST_APPLAUSE
    # The first of it has died away, and nothing else.
    skip_time(visit, APPLAUSE_TIME / 1000 - 1)
    await clap(crowd[-1])
    await ann.fence()
    assert len(ann.client.chat) == MOST_APPLAUSE + 1
    skip_time(visit, APPLAUSE_TIME / 1000)
    await clap(crowd[-1])
    await ann.fence()
    assert len(ann.client.chat) == MOST_APPLAUSE + 1 + MOST_AT_ONCE
