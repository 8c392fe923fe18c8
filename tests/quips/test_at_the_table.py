"""What is told when, message by message (spec: "When things are sent", "Walk", "Surprising")."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from parlour.games.quips.deck import custom_id
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
from tests.support import soon

SLOW = {"round_end_timeout": 60_000, "game_end_timeout": 60_000}


async def test_a_play_is_told_to_its_player_and_the_state_to_all(guests: Any) -> None:
    company = await begun(await guests(**SLOW), "Ann", "Ben", "Cleo")
    judge, (first, second) = the_judge(company), the_others(company)
    hand = first.client.hand
    assert hand is not None
    await first.say("c_playcards", cards=hand[: first.client.pick])
    await first.until(lambda c: c.played != [])
    assert first.client.heard[-2:] == ["s_hand", "s_cardsplayed"]
    assert await hushed(first, second, judge) == [["s_gamestate"], ["s_gamestate"], ["s_gamestate"]]
    assert first.client.played == hand[: first.client.pick]
    state = judge.client.state
    assert state is not None
    assert state["pending_players"] == [second.client.id]
    assert state["plays"] == []


async def _to_judging(company: list[Guest]) -> None:
    for guest in the_others(company):
        guest.surprising = False
        await guest.play_cards()
    await hushed(*company)


async def test_a_verdict_is_told_before_the_round_is_over(guests: Any) -> None:
    company = await begun(await guests(**SLOW), "Ann", "Ben", "Cleo", "Dora", older=1)
    await _to_judging(company)
    judge = the_judge(company)
    plays = judge.client.state["plays"]
    assert len(plays) == 3
    await judge.say("c_judgecards", play_index=1)
    await judge.until(lambda c: c.stage == "round_end")
    heard = dict(zip(company, await hushed(*company), strict=True))
    state = judge.client.state
    for guest in company:
        told = heard[guest] if guest is not judge else ["s_players", "s_gamestate"]
        won = guest.client.id == state["winning_player"]
        aux = ["s_auxclientdata"] if won else []
        assert told == ["s_players", *aux, "s_gamestate"]
        assert (guest.client.points or 0) == (guest.client.pick if won else 0)
    assert state["plays"] == plays
    assert state["winning_play"] == 1


async def test_a_new_round_resets_what_clients_forget_to(guests: Any) -> None:
    company = await begun(await guests(round_end_timeout=0, max_rounds=9), "Ann", "Ben", "Cleo")
    await _to_judging(company)
    judge = the_judge(company)
    await judge.say("c_judgecards", play_index=0)
    for guest in company:
        await guest.until(lambda c: c.state is not None and c.state["round"] == 2)
        told = [msg for msg in guest.client.heard if msg != "s_hand"]
        assert told[-3:] == ["s_cardsplayed", "s_players", "s_gamestate"]
        assert guest.client.played == []
    assert the_judge(company) is not judge


@pytest.mark.parametrize("kind", ["twice", "stale", "null", "nulls", "none", "many", "blank"])
async def test_a_play_that_cannot_be_gives_the_hand_back(guests: Any, kind: str) -> None:
    """Faults: ids that come twice, stale ids, a double click. Nobody else hears of it."""
    company = await begun(await guests(**SLOW, blank_cards=0, pick_one_only=True), *"ABC")
    player = the_others(company)[0]
    hand = player.client.hand
    assert hand is not None
    cards = {
        "twice": [hand[0], hand[0]],
        "stale": ["w_gone"],
        "null": None,
        "nulls": [None],
        "none": [],
        "many": hand[:5],
        "blank": [player.client.custom("mine")],
    }[kind]
    await player.say("c_playcards", cards=cards)
    assert await player.hear() == "s_hand"
    assert await player.hear() == "s_error"
    assert player.client.hand == hand
    assert player.client.can_play
    assert await hushed(*company) == [[], [], []]
    await player.play_cards()


async def test_a_double_click_does_no_harm(guests: Any) -> None:
    company = await begun(await guests(**SLOW), "Ann", "Ben", "Cleo")
    player = the_others(company)[0]
    hand = player.client.hand
    assert hand is not None
    cards = hand[: player.client.pick]
    await player.say("c_playcards", cards=cards)
    await player.say("c_playcards", cards=[])
    await player.until_heard("s_error")
    assert player.client.played == cards
    assert player.client.heard[-5:] == [
        "s_hand",
        "s_cardsplayed",
        "s_gamestate",
        "s_hand",
        "s_error",
    ]


async def test_a_discard_that_comes_twice_throws_one_card_away(guests: Any) -> None:
    company = await begun(await guests(**SLOW, discards=5), "Ann", "Ben", "Cleo")
    player = company[0]
    hand = player.client.hand
    assert hand is not None
    await player.say("c_discardcard", card_id=hand[3])
    await player.say("c_discardcard", card_id=hand[3])
    assert [await player.hear() for _ in range(3)] == ["s_hand", "s_hand", "s_error"]
    assert player.client.discards == 4
    assert player.client.hand is not None
    assert set(hand) - set(player.client.hand) == {hand[3]}
    assert await hushed(*company) == [[], [], []]


async def test_a_refused_upgrade_gives_the_hand_back(guests: Any) -> None:
    company = await begun(await guests(**SLOW), "Ann", "Ben", "Cleo")
    hand = company[0].client.hand
    assert hand is not None
    for card in (hand[0], "", None, "w_gone"):
        await company[0].say("c_upgradecard", card_id=card)
        assert [await company[0].hear() for _ in range(2)] == ["s_hand", "s_error"]
    assert company[0].client.hand == hand


async def test_the_hand_is_told_when_it_changes_and_only_then(guests: Any) -> None:
    """It is rebuilt under somebody who is typing."""
    company = await begun(await guests(**SLOW), "Ann", "Ben", "Cleo")
    first, second = the_others(company)
    before = second.client.rebuilt
    await first.play_cards()
    await first.say("c_chat_msg", body="hurry up")
    await first.say("c_updateinfo", userinfo={"name": "Someone Else"})
    await first.say("c_vote_skip", voted=True)
    await hushed(*company)
    assert second.client.rebuilt == before


async def test_a_name_is_answered_even_without_a_change(guests: Any) -> None:
    visit = await guests(**SLOW)
    ann = await greeted(await visit.newer("Ann"))
    ben = await greeted(await visit.newer("Ben"))
    await hushed(ann, ben)
    await ben.say("c_updateinfo", userinfo={"name": "Ben"})
    await ben.say("c_updateinfo", userinfo={"name": "ANN"})
    await ben.say("c_updateinfo", userinfo={})
    lobby = ["s_players", "s_gamestate"]
    (told,) = await hushed(ben)
    assert told == ["s_clientinfo", *lobby] * 3
    assert ben.client.name == "ANN 2"
    await ben.say("c_updateinfo", userinfo={"name": "<i>"})
    await hushed(ann, ben)
    assert [p["name"] for p in ann.client.players or ()] == ["Ann", "Player"]


async def test_a_name_can_change_in_the_middle_of_a_game(guests: Any) -> None:
    company = await begun(await guests(**SLOW), "Ann", "Ben", "Cleo", older=1)
    await company[1].say("c_updateinfo", userinfo={"name": "Benjamin"})
    assert await company[1].fence() == ["s_clientinfo", "s_players"]
    told = await hushed(company[0], company[2])
    assert told == [["s_players"], ["s_players"]]
    for guest in company:
        assert [p["name"] for p in guest.client.players or ()] == ["Ann", "Benjamin", "Cleo"]


async def test_people_talk_without_html_and_not_without_end(guests: Any) -> None:
    visit = await guests(**SLOW)
    ann = await greeted(await visit.newer("Ann"))
    ben = await greeted(await visit.newer("Ben"))
    old = await greeted(await visit.older("Cleo"))
    watcher = await greeted(await visit.newer(path="/spectate"))
    await hushed(ann, ben, old, watcher)
    await ann.say("c_chat_msg", body=" <img src=x>\x00 a &\n b " + "x" * 400)
    await hushed(ann, ben, old, watcher)
    said = ("Ann", ("img src=x> a & b " + "x" * 400)[:300])
    assert ben.client.chat == watcher.client.chat == [said]
    await ann.say("c_chat_msg", body=" <\t ")
    await watcher.say("c_chat_msg", body="me too")
    await hushed(ann, watcher)
    assert "nothing-said" in ann.client.errors
    assert "watching" in watcher.client.errors
    for number in range(20):
        await ann.say("c_chat_msg", body=str(number))
    await hushed(ann, ben)
    assert len(ben.client.chat) == 8
    assert "too-fast" in ann.client.errors


async def test_nobody_talks_where_chat_is_off(guests: Any) -> None:
    visit = await guests(enable_chat=False)
    ann = await greeted(await visit.newer("Ann"))
    await ann.say("c_chat_msg", body="hello")
    await hushed(ann)
    assert ann.client.chat == []
    assert "no-chat" in ann.client.errors


async def test_a_skipped_card_gives_plays_back_and_is_announced_last(guests: Any) -> None:
    company = await begun(await guests(**SLOW), "Ann", "Ben", "Cleo", older=1)
    player = the_others(company)[0]
    black = player.client.state["black_card"]
    await player.play_cards()
    await hushed(*company)
    voters = [guest for guest in company if guest.client.generation == "newer"]
    await voters[0].say("c_vote_skip", voted=True)
    await voters[0].fence()
    for guest in company:
        await guest.fence()
        assert [p["voted_skip"] for p in guest.client.players or ()].count(True) == 1
    await voters[1].say("c_vote_skip", voted=True)
    for guest in company:
        start = len(guest.client.heard)
        await guest.until(lambda c: c.state is not None and c.state["black_card"] != black)
        if guest.client.generation == "newer":
            await guest.until(lambda c: c.skips == 1)
        told = [msg for msg in guest.client.heard[start:] if msg != "s_hand"]
        usual = ["s_cardsplayed", "s_players", "s_gamestate"]
        extra = ["s_notify_skipped"] if guest.client.generation == "newer" else []
        assert told == usual + extra
        assert guest.client.played == []
        assert not any(p["voted_skip"] for p in guest.client.players or ())
    assert player.client.can_play


async def test_a_vote_where_skips_are_off_does_no_harm(guests: Any) -> None:
    company = await begun(await guests(**SLOW, allow_skips=False), "Ann", "Ben", "Cleo")
    await company[0].say("c_vote_skip", voted=True)
    await hushed(company[0])
    assert "no-skips" in company[0].client.errors
    assert await hushed(*company[1:]) == [[], []]


async def test_a_game_starts_when_all_who_can_say_so_are_ready(guests: Any) -> None:
    visit = await guests(**SLOW)
    ann = await greeted(await visit.newer("Ann"))
    old = await greeted(await visit.older("Ben"))
    assert not ann.client.asked_if_ready
    cleo = await greeted(await visit.newer("Cleo"))
    watcher = await greeted(await visit.newer(path="/spectate"))
    await hushed(ann, old, cleo, watcher)
    assert ann.client.state is not None
    assert ann.client.state["ready_up"]
    assert watcher.client.state is not None
    assert not watcher.client.state["ready_up"]
    assert [p["ready_up"] for p in ann.client.players or ()] == [False, True, False]
    await ann.say("c_ready_up", status=True)
    await ann.say("c_ready_up", status=False)
    await cleo.say("c_ready_up", status=True)
    await hushed(ann, old, cleo)
    assert old.client.stage == "game_starting"
    assert [p["ready_up"] for p in old.client.players or ()] == [False, True, True]
    await ann.say("c_ready_up", status=True)
    for guest in (ann, old, cleo, watcher):
        await guest.until(lambda c: c.stage == "playing")
        assert [p["ready_up"] for p in guest.client.players or ()] == [False, True, False]


async def test_when_who_was_not_ready_leaves_the_others_begin(guests: Any) -> None:
    visit = await guests(**SLOW)
    company = [await greeted(await visit.newer(name)) for name in ("Ann", "Ben", "Cleo")]
    late = await greeted(await visit.newer("Dora"))
    for guest in company:
        await guest.ready()
    await hushed(*company)
    assert company[0].client.stage == "game_starting"
    await late.leave()
    for guest in company:
        await guest.until(lambda c: c.stage == "playing")


async def test_without_ready_up_a_game_begins_as_soon_as_enough_are_there(guests: Any) -> None:
    visit = await guests(**SLOW, enable_game_ready_up=False)
    company = [await greeted(await visit.newer(name)) for name in ("Ann", "Ben", "Cleo")]
    for guest in company:
        await guest.until(lambda c: c.stage == "playing")
        assert not guest.client.asked_if_ready


async def test_bots_fill_a_table_and_let_one_person_play(guests: Any) -> None:
    visit = await guests(bot_count=3, bot_names=("Ada", "<b>"))
    ann = await greeted(await visit.newer("Ann"))
    names = [p["name"] for p in ann.client.players or ()]
    assert names[-1] == "Ann"
    assert {"Ada", "Player"} < set(names)
    assert [p["is_bot"] for p in ann.client.players or ()] == [True, True, True, False]
    await ann.play(1)


async def test_whoever_joins_in_mid_round_is_pending_at_once(guests: Any) -> None:
    visit = await guests(**SLOW)
    company = await begun(visit, "Ann", "Ben", "Cleo")
    for come in (visit.newer, visit.older):
        newcomer = await greeted(await come("Dora"))
        assert newcomer.client.can_play
        told = await hushed(*company)
        assert told == [["s_players", "s_gamestate"]] * 3
        state = company[0].client.state
        assert state is not None
        assert newcomer.client.id in state["pending_players"]
        await newcomer.play_cards()
        await hushed(*company)


async def test_the_next_game_begins_from_nothing(guests: Any) -> None:
    visit = await guests(round_end_timeout=0, game_end_timeout=0, max_rounds=1)
    company = await begun(visit, "Ann", "Ben", "Cleo")
    await _to_judging(company)
    await the_judge(company).say("c_judgecards", play_index=0)
    for guest in company:
        await guest.until(lambda c: c.games_seen == 1)
        start = len(guest.client.heard)
        await guest.until(lambda c: c.stage == "game_starting")
        assert guest.client.heard[start:] == [
            "s_auxclientdata",
            "s_hand",
            "s_cardsplayed",
            "s_players",
            "s_gamestate",
        ]
        assert (guest.client.points, guest.client.hand, guest.client.played) == (0, [], [])
        for entry in guest.client.players or ():
            assert (entry["score"], entry["ready_up"]) == (0, False)


async def test_what_somebody_wrote_is_read_by_both_generations(guests: Any) -> None:
    company = await begun(await guests(**SLOW, pick_one_only=True, blank_cards=1), *"ABC", older=1)
    by_age = {guest.client.generation: guest for guest in company}
    players = the_others(company)
    text = "  two\nlines <of> ünï  "
    for player in players:
        await player.say("c_playcards", cards=[player.client.custom(text)])
        await player.until(lambda c: c.played != [])
    await hushed(*company)
    canonical = "two\nlines of> ünï"
    state = by_age["newer"].client.state
    assert state is not None
    assert [custom_id(canonical)] in state["plays"]
    state = by_age["older"].client.state
    assert state is not None
    assert state["plays"] == [["custom: two lines of> ünï"]] * 2


async def test_all_cards_are_sent_again_to_who_asks(guests: Any) -> None:
    visit = await guests()
    ann = await greeted(await visit.newer("Ann"))
    watcher = await greeted(await visit.newer(path="/spectate"))
    for guest in (ann, watcher):
        guest.client.packs = None
        await guest.say("c_getallcards")
        assert await guest.hear() == "s_allcards"
        assert guest.client.packs


async def test_messages_that_are_none_change_nothing(guests: Any) -> None:
    company = await begun(await guests(**SLOW), "Ann", "Ben", "Cleo")
    for text in (
        "",
        "null",
        "{}",
        '{"msg":"c_nothing"}',
        '{"msg":"c_judgecards","play_index":"0"}',
        '{"msg":"c_playcards","cards":{}}',
        '{"msg":"c_updateinfo"}',
        "[" * 5000,
    ):
        await company[0].socket.send_str(text)
        assert await company[0].hear() == "s_error"
    assert await hushed(*company) == [[], [], []]


async def test_a_verdict_that_comes_late_changes_nothing(guests: Any) -> None:
    company = await begun(await guests(**SLOW), "Ann", "Ben", "Cleo")
    await _to_judging(company)
    judge = the_judge(company)
    await judge.say("c_judgecards", play_index=7)
    await judge.say("c_judgecards", play_index=1)
    await judge.say("c_judgecards", play_index=0)
    await judge.until(lambda c: c.stage == "round_end")
    await hushed(*company)
    assert judge.client.state["winning_play"] == 1


async def test_a_table_that_cannot_be_dealt_says_why(guests: Any) -> None:
    visit = await guests(use_packs=("nothing",))
    company = [await greeted(await visit.newer(name)) for name in ("Ann", "Ben", "Cleo")]
    assert company[0].client.packs == []
    for guest in company:
        await guest.ready()
    for guest in company:
        await guest.until(lambda c: "too-few-cards" in c.errors)
        assert guest.client.stage == "game_starting"


async def test_whole_games_of_ten_with_a_crowd_that_changes(guests: Any) -> None:
    """Both generations, bots, newcomers in every round, and somebody who leaves."""
    visit: Guests = await guests(max_rounds=6, max_players=10, bot_count=2, blank_cards=2)
    company = [await greeted(await visit.newer(f"N{n}")) for n in range(3)]
    company.append(await greeted(await visit.older("O1")))
    watcher = await greeted(await visit.newer(path="/spectate"))
    playing = [asyncio.ensure_future(guest.play(1)) for guest in company]
    watching = asyncio.ensure_future(watcher.until(lambda c: c.games_seen == 1))
    for number in range(3):
        come = visit.older if number % 2 else visit.newer
        late = await greeted(await come(f"L{number}"))
        playing.append(asyncio.ensure_future(late.play(1)))
    leaver = await greeted(await visit.newer("Leaver"))
    await leaver.leave()
    (table,) = visit.house.tables
    await soon(lambda: not all(p.present for p in table.roster.people))
    # Nobody is waited for as long as that who has gone.
    skip_time(visit, 21)
    await asyncio.gather(watching, *playing)


@pytest.mark.parametrize("name", ["\u0410nn", "Ann\u115f"])
async def test_a_name_that_is_refused_is_answered_with_the_one_they_have(
    guests: Any, name: str
) -> None:
    """It looks like somebody else's, or holds what can't be seen. Spec: `s_clientinfo` after every
    `c_updateinfo`."""
    visit = await guests()
    ann, ben = [await greeted(await visit.newer(name)) for name in ("Ann", "Ben")]
    await hushed(ann, ben)
    await ben.say("c_updateinfo", userinfo={"name": name})
    await ben.until_heard("s_clientinfo")
    assert await ben.hear() == "s_error"
    assert ben.client.name == "Ben"
    assert await ann.fence() == []
