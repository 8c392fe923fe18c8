"""A flat and an enveloped player at one table: every message of a game, field by field."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cambia.guests import Evening, Form, Guest, fields
from tests.support import Event

FACE = {"rank", "suit", "value"}
HANDS = ("AH 6C 3D 4S", "5H 6D 5C 9S")


class Pair:
    """Two players in different forms, the first of them to move."""

    def __init__(self, evening: Evening, one: Guest, other: Guest) -> None:
        self.evening = evening
        self.one = one
        self.other = other

    async def all_hear(self, type: str) -> Event:
        """The next message of this type, which must be the same for both."""
        heard = await self.one.game.until(type)
        assert await self.other.game.until(type) == heard
        return heard

    async def draw(self, who: Guest) -> Event:
        await who.say("action_draw_stockpile")
        return (await who.game.until("private_draw_stockpile"))["card"]

    async def draw_and_discard(self, who: Guest) -> Event:
        card = await self.draw(who)
        await who.say("action_discard", card={"id": card["id"]})
        return card

    async def pass_turn(self, who: Guest) -> None:
        """Draw, discard, and skip what that may offer."""
        await self.draw_and_discard(who)
        heard = await who.game.event()
        while heard["type"] not in ("game_player_turn", "game_end"):
            if heard["type"] == "player_special_choice":
                await who.say("action_special", special="skip")
            heard = await who.game.event()

    def hand(self, who: Guest) -> list[str]:
        return self.evening.hand(who)


async def dealt(
    evening: Evening,
    stockpile: str,
    forms: tuple[Form, Form] = ("flat", "enveloped"),
    hands: tuple[str, str] = HANDS,
    top: str = "8C",
    **rules: Any,
) -> Pair:
    evening.stack(hands, top, stockpile)
    pair = await evening.guests(*forms, houseRules=rules)
    await evening.begin(pair)
    return Pair(evening, *pair)


@pytest.fixture(params=[("flat", "enveloped"), ("enveloped", "flat")], ids="-first ".join)
def forms(request: pytest.FixtureRequest) -> tuple[Form, Form]:
    """Who of the two is to move first."""
    return request.param  # type: ignore[no-any-return]


async def test_a_draw_shows_its_face_to_its_player_alone(
    evening: Evening, forms: tuple[Form, Form]
) -> None:
    table = await dealt(evening, "OR 2C", forms)
    one, other = table.one, table.other
    await one.say("action_draw_stockpile")
    heard = await table.all_hear("player_draw_stockpile")
    assert fields(heard) == {"user", "card", "source", "stockpileSize", "payload"}
    assert heard["user"] == {"id": one.id}
    assert fields(heard["card"]) == {"id"}
    assert heard["source"] == heard["payload"]["source"] == "stockpile"
    assert heard["stockpileSize"] == heard["payload"]["stockpileSize"] == 44
    assert heard["payload"]["discardSize"] == 1
    mine = await one.game.expect("private_draw_stockpile")
    assert mine["user"] == {"id": one.id}
    assert mine["source"] == mine["payload"]["source"] == "stockpile"
    # Fault: a joker's value 0 was missing.
    assert mine["card"] == {"id": heard["card"]["id"], "rank": "O", "suit": "R", "value": 0}
    await one.say("action_discard", card={"id": mine["card"]["id"]})
    assert (await table.all_hear("player_discard"))["card"] == mine["card"]
    assert "private_draw_stockpile" not in [m["type"] for m in other.game.heard]


async def test_a_discard_is_public_and_a_replacement_names_its_place(
    evening: Evening, forms: tuple[Form, Form]
) -> None:
    table = await dealt(evening, "2C 2H", forms)
    await table.draw_and_discard(table.one)
    thrown = await table.all_hear("player_discard")
    assert fields(thrown) == {"user", "card"}
    assert fields(thrown["card"]) == {"id", *FACE}
    turn = await table.all_hear("game_player_turn")
    assert fields(turn) == {"user", "payload"}
    assert fields(turn["payload"]) == {"turn", "serverNow", "turnDeadline"}
    assert turn["user"] == {"id": table.other.id}
    assert turn["payload"]["turn"] == 2
    assert turn["payload"]["turnDeadline"] - turn["payload"]["serverNow"] == 15_000

    drawn = await table.draw(table.other)
    old = table.hand(table.other)[1]
    await table.other.say("action_replace", card={"id": old, "idx": 1})
    replaced = await table.all_hear("player_discard")
    user = {"id": table.other.id}
    assert replaced["user"] == user
    assert replaced["card"] == {
        "id": old,
        "rank": "6",
        "suit": "D",
        "value": 6,
        "idx": 1,
        "user": user,
    }
    assert table.hand(table.other)[1] == drawn["id"]


async def test_a_replacement_may_name_the_drawn_card_and_a_place(evening: Evening) -> None:
    table = await dealt(evening, "2C")
    drawn = await table.draw(table.one)
    gone = table.hand(table.one)[3]
    await table.one.say("action_replace", card={"id": drawn["id"], "idx": 3})
    assert (await table.all_hear("player_discard"))["card"]["id"] == gone
    assert table.hand(table.one)[3] == drawn["id"]


@pytest.mark.parametrize("named", ["card1", "card"])
async def test_peeks_tell_all_which_card_and_one_its_face(
    evening: Evening, forms: tuple[Form, Form], named: str
) -> None:
    table = await dealt(evening, "7D TC", forms)
    for who, whose, special in (
        (table.one, table.one, "peek_self"),
        (table.other, table.one, "peek_other"),
    ):
        thrown = await table.draw_and_discard(who)
        choice = await table.all_hear("player_special_choice")
        assert fields(choice) == {"user", "card", "special", "payload"}
        assert choice["user"] == {"id": who.id}
        assert choice["card"] == thrown
        assert choice["special"] == special
        assert fields(choice["payload"]) == {"serverNow", "turnDeadline"}
        card = table.hand(whose)[0]
        await who.say("action_special", special=special, **{named: {"id": card}})
        told = await table.all_hear("player_special_action")
        assert fields(told) == {"user", "special", "card", "card1"}
        assert told["special"] == special
        assert told["user"] == {"id": who.id}
        assert told["card"] == told["card1"] == {"id": card, "idx": 0, "user": {"id": whose.id}}
        seen = await who.game.expect("private_special_action_success")
        assert fields(seen) == {"user", "special", "card", "card1"}
        assert seen["card"] == seen["card1"]
        assert seen["card"] == {**told["card"], "rank": "A", "suit": "H", "value": 1}


@pytest.mark.parametrize("special", ["swap_blind", "blind_swap"])
async def test_a_swap_is_told_with_the_cards_where_they_lie_now(
    evening: Evening, forms: tuple[Form, Form], special: str
) -> None:
    table = await dealt(evening, "JD", forms)
    await table.draw_and_discard(table.one)
    mine, theirs = table.hand(table.one)[0], table.hand(table.other)[2]
    await table.one.say("action_special", special=special, card1={"id": mine}, card2={"id": theirs})
    told = await table.all_hear("player_special_action")
    assert fields(told) == {"user", "special", "card1", "card2"}
    assert told["special"] == "swap_blind"
    assert told["card1"] == {"id": mine, "idx": 2, "user": {"id": table.other.id}}
    assert told["card2"] == {"id": theirs, "idx": 0, "user": {"id": table.one.id}}


@pytest.mark.parametrize("special", ["swap_peek", "peek_swap", "swap_look"])
async def test_a_king_looks_then_swaps(
    evening: Evening, forms: tuple[Form, Form], special: str
) -> None:
    table = await dealt(evening, "KS", forms)
    one = table.one
    await table.draw_and_discard(one)
    assert (await table.all_hear("player_special_choice"))["special"] == "swap_peek"
    mine, theirs = table.hand(one)[0], table.hand(table.other)[3]
    pair = {"card1": {"id": mine, "idx": 0}, "card2": {"id": theirs, "idx": 3}}
    await one.say("action_special", special=special, **pair)
    told = await table.all_hear("player_special_action")
    assert fields(told) == {"user", "special", "card1", "card2", "payload"}
    assert told["special"] == "swap_peek_reveal"
    assert told["card1"] == {"id": mine, "idx": 0, "user": {"id": one.id}}
    assert told["card2"] == {"id": theirs, "idx": 3, "user": {"id": table.other.id}}
    assert fields(told["payload"]) == {"serverNow", "turnDeadline"}
    seen = one.game.heard[-2]
    assert seen["type"] == "private_special_action_success"
    assert fields(seen) == {"user", "special", "card1", "card2"}
    assert seen["special"] == "swap_peek_reveal"
    assert seen["card1"] == {**told["card1"], "rank": "A", "suit": "H", "value": 1}
    assert seen["card2"] == {**told["card2"], "rank": "9", "suit": "S", "value": 9}
    await one.say("action_special", special="swap_peek_swap", **pair)
    told = await table.all_hear("player_special_action")
    assert fields(told) == {"user", "special", "card1", "card2"}
    assert told["special"] == "swap_peek_swap"
    assert told["card1"] == {"id": mine, "idx": 3, "user": {"id": table.other.id}}
    assert told["card2"] == {"id": theirs, "idx": 0, "user": {"id": one.id}}


async def test_snaps_right_and_wrong(evening: Evening, forms: tuple[Form, Form]) -> None:
    table = await dealt(evening, "2C 2H 2D 2S", forms, HANDS, "6S")
    right = table.hand(table.one)[1]
    await table.one.say("action_snap", card={"id": right})
    told = await table.all_hear("player_snap_success")
    assert fields(told) == {"user", "card"}
    user = {"id": table.one.id}
    assert told["user"] == user
    assert told["card"] == {
        "id": right,
        "rank": "6",
        "suit": "C",
        "value": 6,
        "idx": 1,
        "user": user,
    }
    assert right not in table.hand(table.one)

    wrong = table.hand(table.other)[0]
    await table.other.say("action_snap", card={"id": wrong})
    told = await table.all_hear("player_snap_fail")
    user = {"id": table.other.id}
    assert fields(told) == {"user", "card"}
    assert told["card"] == {
        "id": wrong,
        "rank": "5",
        "suit": "H",
        "value": 5,
        "idx": 0,
        "user": user,
    }
    for count in (1, 2):
        told = await table.all_hear("player_snap_penalty")
        assert fields(told) == {"user", "player", "card", "stockpileSize", "payload"}
        assert told["user"] == told["player"] == user
        assert fields(told["card"]) == {"id"}
        size = 45 - count
        assert told["stockpileSize"] == size
        assert told["payload"] == {"count": count, "total": 2, "stockpileSize": size}
        mine = await table.other.game.expect("private_snap_penalty")
        assert fields(mine) == {"user", "player", "card", "stockpileSize", "payload"}
        assert mine["user"] == mine["player"] == user
        assert (mine["stockpileSize"], mine["payload"]) == (size, told["payload"])
        assert mine["card"] == {"id": told["card"]["id"], "idx": 3 + count}
    assert len(table.hand(table.other)) == 6


async def test_a_locked_card_fails_privately_and_may_be_chosen_again(
    evening: Evening, forms: tuple[Form, Form]
) -> None:
    table = await dealt(evening, "JD", forms)
    one, other = table.one, table.other
    await one.say("action_cambia")
    told = await table.all_hear("player_cambia")
    assert told == {"type": "player_cambia", "user": {"id": one.id}}
    await table.draw_and_discard(other)
    mine, locked = table.hand(other)[0], table.hand(one)[0]
    await other.say(
        "action_special", special="swap_blind", card1={"id": mine}, card2={"id": locked}
    )
    told = await other.game.until("private_special_action_fail")
    assert fields(told) == {"user", "special", "card1", "card2", "payload", "message"}
    assert told["special"] == "swap_blind"
    assert told["card1"] == {"id": mine, "idx": 0, "user": {"id": other.id}}
    assert told["card2"] == {"id": locked, "idx": 0, "user": {"id": one.id}}
    assert fields(told["payload"]) == {"message", "serverNow", "turnDeadline"}
    assert told["message"] == told["payload"]["message"]
    await other.say("action_special", special="skip")
    told = await table.all_hear("player_special_action")
    assert told == {"type": "player_special_action", "user": {"id": other.id}, "special": "skip"}
    assert "private_special_action_fail" not in [m["type"] for m in one.game.heard]


async def test_the_end_turns_all_cards_up(evening: Evening, forms: tuple[Form, Form]) -> None:
    table = await dealt(evening, "2C", forms)
    one, other = table.one, table.other
    await one.say("action_cambia")
    await table.pass_turn(other)
    told = await one.game.until("game_end")
    assert other.game.heard[-1] == told
    result = told["payload"]
    assert fields(result) == {
        "scores",
        "winner",
        "winners",
        "caller",
        "penaltyApplied",
        "winBonusApplied",
        "reason",
        "hands",
    }
    assert result["scores"] == {one.id: 14, other.id: 25}
    assert result["winner"] == one.id
    assert result["winners"] == [one.id]
    assert result["caller"] == one.id
    assert result["penaltyApplied"] is False
    assert result["winBonusApplied"] is False
    assert [card["value"] for card in result["hands"][one.id]] == [1, 6, 3, 4]
    for guest in (one, other):
        results = await guest.lobby.until("game_results")
        assert fields(results) == {"winner", "scores", "lobby_status", "winners"}
        assert results["winner"] == one.id
        assert results["scores"] == result["scores"]
        users = results["lobby_status"]["users"]
        assert [(u["id"], u["is_ready"]) for u in users] == [(one.id, False), (other.id, False)]


async def test_the_discard_pile_is_drawn_from_openly(
    evening: Evening, forms: tuple[Form, Form]
) -> None:
    table = await dealt(evening, "2C", forms, allowDrawFromDiscardPile=True)
    await table.one.say("action_draw_discardpile")
    told = await table.all_hear("player_draw_stockpile")
    assert told["source"] == told["payload"]["source"] == "discardpile"
    assert fields(told["card"]) == {"id", *FACE}
    assert (told["stockpileSize"], told["payload"]["discardSize"]) == (45, 0)
    mine = await table.one.game.expect("private_draw_stockpile")
    assert (mine["source"], mine["card"]) == ("discardpile", told["card"])


async def test_a_reshuffle_tells_the_new_size_twice(
    evening: Evening, forms: tuple[Form, Form]
) -> None:
    table = await dealt(evening, "2C", forms)
    layout = evening.match(table.one).layout
    layout.discards[:0] = layout.stockpile[:-2]
    del layout.stockpile[:-2]
    await table.one.say("action_draw_stockpile")
    told = await table.all_hear("game_reshuffle_stockpile")
    assert told == {
        "type": "game_reshuffle_stockpile",
        "stockpileSize": 44,
        "payload": {"stockpileSize": 44},
    }


async def test_anothers_card_is_paid_for(evening: Evening, forms: tuple[Form, Form]) -> None:
    table = await dealt(evening, "2C", forms, HANDS, "6S", allowOpponentSnapping=True)
    one, other = table.one, table.other
    theirs = table.hand(other)[1]
    await one.say("action_snap", card={"id": theirs})
    told = await table.all_hear("player_snap_success")
    assert told["user"] == {"id": one.id}
    assert told["card"]["user"] == {"id": other.id}
    (debt,) = evening.match(one).snaps.debts
    assert told["payload"] == {"moveDeadline": debt.deadline}
    mine = table.hand(one)[2]
    await one.say("action_snap_move", card={"id": mine, "idx": 2})
    told = await table.all_hear("player_snap_move")
    assert fields(told) == {"user", "card", "payload"}
    assert told["card"] == {"id": mine, "idx": 1, "user": {"id": other.id}}
    assert told["payload"] == {"sourceIdx": 2}


async def test_the_timer_plays_and_says_so(evening: Evening, forms: tuple[Form, Form]) -> None:
    table = await dealt(evening, "7D 2C 2H 2D", forms, autoKickTurnCount=2)
    watch = evening.watch
    await table.draw_and_discard(table.one)
    await table.all_hear("player_special_choice")
    watch.forward(15_000)
    told = await table.all_hear("player_special_action")
    assert told == {
        "type": "player_special_action",
        "user": {"id": table.one.id},
        "special": "skip",
        "timedOut": True,
    }
    await table.all_hear("game_player_turn")
    watch.forward(15_000)
    assert (await table.all_hear("player_discard"))["timedOut"] is True
    await table.all_hear("game_player_turn")
    watch.forward(15_000)
    told = await table.all_hear("game_auto_play")
    assert told["user"] == {"id": table.one.id}
    assert told["payload"] == {"active": True}
    assert (await table.all_hear("game_player_turn"))["user"] == {"id": table.other.id}
    await table.one.say("action_snap", card={"id": table.hand(table.one)[0]})
    assert (await table.all_hear("game_auto_play"))["payload"] == {"active": False}


@pytest.mark.parametrize("gone", ["flat", "enveloped"])
async def test_who_goes_and_comes_back_finds_the_game_as_it_is(
    evening: Evening, gone: Form
) -> None:
    table = await dealt(evening, "2C 3C", ("flat", "enveloped"), turnTimerSec=0)
    pair = {guest.form: guest for guest in (table.one, table.other)}
    leaver, stayer = pair.pop(gone), next(iter(pair.values()))
    await leaver.close()
    told = await stayer.game.until("player_disconnect")
    assert told == {"type": "player_disconnect", "user": {"id": leaver.id}}
    if gone == "flat":
        # It is this player's turn, and nobody waits for ever.
        timer = await stayer.game.until("game_turn_timer")
        assert timer["user"] == {"id": leaver.id}
        payload = timer["payload"]
        assert payload["turnDeadline"] == payload["serverNow"] + 15_000
    # Fault: no game state after a reload.
    await leaver.enter()
    if gone == "flat":
        assert leaver.state["in_game"] is True
        path = f"/game/ws/{leaver.state['game_id']}"
        socket = await leaver.visitor.socket(path, protocols=["game"])
        leaver.game = type(leaver.lobby)(socket)
        state = (await leaver.game.expect("private_sync_state"))["state"]
    else:
        assert leaver.game.heard[0]["type"] == "private_sync_state"
        state = leaver.game.heard[0]["state"]
    told = await stayer.game.until("player_reconnect")
    assert told == {"type": "player_reconnect", "user": {"id": leaver.id}}
    hands = {p["playerId"]: [c["id"] for c in p["revealedHand"]] for p in state["players"]}
    assert hands == {g.id: table.hand(g) for g in (leaver, stayer)}


async def test_who_loses_the_games_socket_alone_is_away_from_the_game(evening: Evening) -> None:
    table = await dealt(evening, "2C 3C", ("flat", "enveloped"), turnTimerSec=0)
    pair = {guest.form: guest for guest in (table.one, table.other)}
    leaver, stayer = pair["flat"], pair["enveloped"]
    game_id = evening.roster(leaver).match_id
    for _ in range(2):
        await leaver.game.close()
        assert (await stayer.game.until("player_disconnect"))["user"] == {"id": leaver.id}
        # In the lobby as well, or only there, is not at the game.
        await leaver.lobby.close()
        await leaver.enter()
        socket = await leaver.visitor.socket(f"/game/ws/{game_id}", protocols=["game"])
        leaver.game = type(leaver.lobby)(socket)
        await leaver.game.expect("private_sync_state")
        assert (await stayer.game.until("player_reconnect"))["user"] == {"id": leaver.id}
    assert [e["type"] for e in stayer.game.heard].count("player_disconnect") == 2
    assert [e["type"] for e in stayer.game.heard].count("player_reconnect") == 2


@pytest.mark.parametrize("form", ["flat", "enveloped"])
async def test_who_stayed_in_the_lobby_is_there_when_the_game_they_left_is_over(
    evening: Evening, form: Form
) -> None:
    table = await dealt(evening, "2C 3C", (form, "flat"), turnTimerSec=0)
    stayer, leaver = table.one, table.other
    await leaver.game.close()
    await stayer.game.until("player_disconnect")
    # Also who came to the lobby after others had come to the game.
    await leaver.lobby.close()
    await leaver.enter()
    await stayer.say("action_cambia")
    await stayer.game.until("player_cambia")
    for _ in range(3):
        evening.watch.forward(60_000)
    await stayer.game.until("game_end")
    players = {p.id: p.present for p in evening.roster(stayer).players}
    assert players == {leaver.id: True, stayer.id: True}
    await leaver.say("ready")
    await leaver.lobby.until("ready_update")


@pytest.mark.parametrize("source", ["stockpile", "discardpile"])
async def test_who_reloads_with_a_drawn_card_is_told_where_it_came_from(
    evening: Evening, source: str
) -> None:
    """A card from the discard pile fires no ability: its player has to know."""
    table = await dealt(evening, "7D", ("enveloped", "flat"), allowDrawFromDiscardPile=True)
    await table.one.say(f"action_draw_{source}")
    drawn = (await table.one.game.until("private_draw_stockpile"))["card"]
    for who, knows in ((table.one, True), (table.other, source == "discardpile")):
        again = await Guest(who.visitor, "enveloped", who.lobby_id).enter()
        player = again.game.heard[0]["state"]["players"][0]
        face = drawn if knows else {"id": drawn["id"]}
        assert player["drawnCard"] == {**face, "known": knows, "source": source}
