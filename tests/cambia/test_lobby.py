"""The lobby: readiness and its countdown, hosts, rules, bots, coming and going."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.games.cambia import GAME
from parlour.games.cambia.lobby import LOBBY
from parlour.games.cambia.settings import HouseRules
from parlour.kit import Illegal
from parlour.table import Table
from parlour.table import inputs as do
from tests.cambia.guests import Evening, Form, Guest
from tests.cambia.test_flat import closed_with
from tests.support import soon

USUAL = {"flat": 10_000, "enveloped": 3_000}
forms = pytest.mark.parametrize("form", ["flat", "enveloped"])


async def counting(evening: Evening, guest: Guest) -> None:
    await soon(lambda: evening.roster(guest).countdown is not None)


# Readiness


@forms
async def test_readying_again_in_the_countdown_starts_a_full_new_one(
    evening: Evening, form: Form
) -> None:
    """Fault: unready and ready again started early, with the first countdown's timer."""
    host, guest = await evening.guests(form, form)
    await host.say("ready")
    await guest.say("ready")
    await counting(evening, host)
    evening.watch.forward(USUAL[form] - 500)
    await guest.say("unready")
    await soon(lambda: evening.roster(host).countdown is None)
    await guest.say("ready")
    await counting(evening, host)
    evening.watch.forward(USUAL[form] - 500)
    await guest.say("chat", msg="still here")
    await host.lobby.until("chat")
    assert not evening.roster(host).running
    evening.watch.forward(500)
    await host.enter_game()
    assert evening.roster(host).round == 1


async def test_ready_said_twice_does_not_begin_the_countdown_again(evening: Evening) -> None:
    host, guest = await evening.guests("flat", "flat")
    await host.say("ready")
    await guest.say("ready")
    await counting(evening, host)
    when = evening.roster(host).countdown
    await guest.say("ready")
    await guest.say("chat", msg="again")
    await host.lobby.until("chat")
    assert evening.roster(host).countdown == when


@pytest.mark.parametrize("how", ["leave_lobby", "disconnect"])
async def test_leaving_calls_the_countdown_off(evening: Evening, how: str) -> None:
    host, one, other = await evening.guests("flat", "enveloped", "flat")
    for guest in (host, one, other):
        await guest.say("ready")
    await host.lobby.until("lobby_countdown_start")
    if how == "leave_lobby":
        await other.say("leave_lobby")
    else:
        await other.close()
    await host.lobby.until("lobby_countdown_cancel")
    assert (await one.lobby.until("phase_change", phase="open"))["phase"] == "open"
    assert evening.roster(host).countdown is None


@pytest.mark.parametrize("how", ["leave_lobby", "disconnect"])
async def test_when_the_only_one_not_ready_has_left_the_countdown_starts(
    evening: Evening, how: str
) -> None:
    host, one, other = await evening.guests("flat", "enveloped", "flat")
    for guest in (host, one):
        await guest.say("ready")
        await host.lobby.until("ready_update", user_id=guest.id)
    if how == "leave_lobby":
        await other.say("leave_lobby")
    else:
        await other.close()
        await soon(lambda: not evening.roster(host).players[2].present)
        evening.watch.forward(30_000)
    assert (await host.lobby.until("lobby_countdown_start"))["seconds"] == 3
    assert (await one.lobby.until("phase_change"))["phase"] == "countdown"


async def test_the_last_to_be_ready_decides_between_two_usual_countdowns(evening: Evening) -> None:
    flat, enveloped = await evening.guests("flat", "enveloped")
    await flat.say("ready")
    await enveloped.say("ready")
    assert (await flat.lobby.until("lobby_countdown_start"))["seconds"] == 3
    await flat.say("unready")
    await flat.say("ready")
    await enveloped.lobby.until("phase_change", phase="open")
    assert (await enveloped.lobby.until("phase_change"))["seconds"] == 10


async def test_a_lobby_may_have_a_countdown_of_its_own_or_none(evening: Evening) -> None:
    settings = {"autoStart": False, "countdownSec": 7}
    host, guest = await evening.guests("flat", "enveloped", settings=settings)
    await host.say("ready")
    await guest.say("ready")
    assert await guest.refused("start_game") == "host-only"
    assert evening.roster(host).countdown is None
    await host.say("update_rules", rules={"settings": {"autoStart": True}})
    await guest.say("unready")
    await guest.say("ready")
    assert (await host.lobby.until("lobby_countdown_start"))["seconds"] == 7
    # The host need not wait for it.
    await host.say("start_game")
    await host.lobby.until("game_start")
    assert evening.roster(host).running


@forms
async def test_who_connects_in_the_middle_of_a_countdown_is_told_what_is_left(
    evening: Evening, form: Form
) -> None:
    host, guest = await evening.guests(form, form, settings={"countdownSec": 20})
    await host.say("ready")
    await guest.say("ready")
    await counting(evening, host)
    evening.watch.forward(7_500)
    # Not a newcomer: who sits down calls the countdown off.
    again = await Guest(guest.visitor, form, guest.lobby_id).enter()
    told = await again.lobby.event()
    if form == "flat":
        assert told == {"type": "lobby_countdown_start", "seconds": 13}
    else:
        assert told == {"type": "phase_change", "phase": "countdown", "seconds": 13}


async def test_one_alone_starts_nothing(evening: Evening) -> None:
    (host,) = await evening.guests("flat")
    await host.say("ready")
    assert await host.refused("start_game") == "too-few"
    assert evening.roster(host).countdown is None


# Hosts


async def test_the_host_of_a_private_lobby_can_enter_it_and_stays_its_host(
    evening: Evening,
) -> None:
    """Fault: the host was locked out of a private lobby."""
    visitor, lobby_id = await evening.lobby(type="private")
    stranger = await evening.house.visitor()
    early = await Guest(stranger, "enveloped", lobby_id).enter()
    assert early.state["your_is_host"] is True
    host = await Guest(visitor, "flat", lobby_id).enter()
    assert host.state["your_is_host"] is True
    assert (await early.lobby.until("lobby_state"))["host_id"] == host.id
    await host.close()
    again = await Guest(visitor, "enveloped", lobby_id).enter()
    assert again.state["your_is_host"] is True


async def test_when_the_host_leaves_the_next_one_is(evening: Evening) -> None:
    host, one, other = await evening.guests("flat", "flat", "enveloped")
    await host.say("leave_lobby")
    assert await host.lobby.closed() == 1000
    told = await one.lobby.until("lobby_update", host_id=one.id)
    assert [u["id"] for u in told["lobby_status"]["users"]] == [one.id, other.id]
    assert (await other.lobby.until("lobby_state", host_id=one.id))["your_is_host"] is False


async def test_leaving_leaves_on_every_socket(evening: Evening) -> None:
    host, guest = await evening.guests("flat", "flat")
    await evening.begin([host, guest])
    await guest.say("leave_lobby")
    assert await guest.lobby.closed() == 1000
    assert await guest.game.closed() == 1000
    assert (await host.game.until("player_disconnect"))["user"] == {"id": guest.id}


async def test_only_the_host_has_the_hosts_powers(evening: Evening) -> None:
    host, guest = await evening.guests("enveloped", "flat")
    for type, more in (
        ("update_rules", {"rules": {}}),
        ("start_game", {}),
        ("add_bot", {}),
        ("remove_bot", {}),
    ):
        assert await guest.refused(type, **more) == "host-only"
    code = host.state["code"]
    status, _ = await guest.visitor.call("POST", f"/api/tables/{code}/bots")
    assert status == 403


# Bots


@forms
async def test_the_host_seats_bots_and_plays_them(evening: Evening, form: Form) -> None:
    (host,) = await evening.guests(form)
    for _ in range(3):
        await host.say("add_bot")
    await soon(lambda: len(evening.roster(host).bots) == 3)
    leaving = evening.roster(host).bots[0]
    await host.say("remove_bot", userID=leaving.id)
    await soon(lambda: len(evening.roster(host).bots) == 2)
    assert leaving not in evening.roster(host).bots
    await host.say("ready")
    await counting(evening, host)
    # Bots are always ready; another one calls the countdown off and starts a full one.
    evening.watch.forward(USUAL[form] - 500)
    await host.say("add_bot")
    await soon(lambda: len(evening.roster(host).bots) == 3)
    evening.watch.forward(USUAL[form] - 500)
    assert not evening.roster(host).running
    evening.watch.forward(500)
    state = (await host.enter_game())["state"]
    assert len(state["players"]) == 4
    # Bots only: the next of them would be refused.
    assert await host.refused("add_bot") == "round-running"


@pytest.mark.parametrize(("edition", "person"), [(1, False), (LOBBY.edition, True)])
def test_bots_have_names_of_persons_where_a_table_is_not_of_the_first_edition(
    edition: int, person: bool
) -> None:
    opening = do.Open("id", "123456", "cambia", "00" * 32, {}, edition=edition)
    table = Table(GAME, opening, 0)
    for _ in range(7):
        table.receive(do.AddBot(do.HOUSE), 0)
    names = {bot.name for bot in table.roster.bots}
    assert names.isdisjoint({"Snap", "Peek", "Blind", "Jack", "Joker"}) is person


async def test_a_lobby_of_bots_alone_starts_nothing(evening: Evening) -> None:
    visitor, lobby_id = await evening.lobby()
    for _ in range(2):
        status, _ = await visitor.call("POST", f"/api/tables/{lobby_id}/bots")
        assert status == 201
    host = await Guest(visitor, "enveloped", lobby_id).enter()
    assert host.state["phase"] == "open"


# Rules


async def test_a_wrong_type_refuses_the_whole_change(evening: Evening) -> None:
    host, guest = await evening.guests("flat", "enveloped")
    before = evening.roster(host).settings
    wrong: list[dict[str, Any]] = [
        {"houseRules": {"turnTimerSec": "15", "snapRace": True}},
        {"houseRules": {"snapRace": 1}},
        {"houseRules": {"penaltyDrawCount": -1}},
        {"houseRules": {"numJokers": True}},
        {"houseRules": {"numJokers": 10**30}},
        {"houseRules": []},
        {"houseRules": {"snapRace": True}, "circuit": {"enabled": "yes"}},
        {"circuit": {"rules": {"targetScore": None}}},
        {"circuit": {"rules": 3}},
        {"settings": {"autoStart": None}},
    ]
    for rules in wrong:
        code = await host.refused("update_rules", rules=rules)
        assert code in ("bad-settings", "bad-message"), rules
        assert evening.roster(host).settings == before
    assert await host.refused("update_rules", rules=7) == "bad-message"
    assert await host.refused("update_rules") == "bad-message"
    # What another server has is passed over; what is null is not there.
    rules = {"houseRules": {"cardsPerPlayer": 6, "numJokers": 1}, "circuit": None}
    await host.say("update_rules", rules=rules)
    told = await guest.lobby.until("lobby_state", house_rules={**_plain(before), "numJokers": 1})
    assert "cardsPerPlayer" not in told["house_rules"]


def _plain(settings: Any) -> dict[str, Any]:
    rules: HouseRules = settings.houseRules
    return {name: getattr(rules, name) for name in rules.__struct_fields__}


json_values = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.lists(st.none())


@given(st.dictionaries(st.sampled_from(HouseRules.__struct_fields__), json_values, min_size=1))
def test_whatever_a_host_asks_for_is_taken_whole_or_refused_whole(rules: dict[str, Any]) -> None:
    current = GAME.settings()
    try:
        changed = GAME.configure(current, {"houseRules": rules})
    except Illegal as no:
        assert no.code == "bad-settings"
        return
    for name in HouseRules.__struct_fields__:
        old, new = getattr(current.houseRules, name), getattr(changed.houseRules, name)
        assert new == rules.get(name, old)
        assert type(new) is type(old)


async def test_rules_do_not_change_in_the_middle_of_a_game(evening: Evening) -> None:
    guests = await evening.guests("flat", "flat")
    await evening.begin(guests)
    rules = {"houseRules": {"numJokers": 0}}
    assert await guests[0].refused("update_rules", rules=rules) == "round-running"


# Coming and going


async def test_a_lost_connection_keeps_its_place_for_a_while(evening: Evening) -> None:
    host, guest = await evening.guests("enveloped", "flat")
    await guest.say("ready")
    await host.lobby.until("lobby_state")
    await guest.close()
    await soon(lambda: not evening.roster(host).players[1].present)
    assert evening.roster(host).players[1].ready is False
    evening.watch.forward(590_000)
    await guest.enter()
    assert [u["connected"] for u in guest.state["lobby_status"]["users"]] == [True, True]
    await guest.close()
    await soon(lambda: not evening.roster(host).players[1].present)
    evening.watch.forward(600_000)
    await soon(lambda: len(evening.roster(host).players) == 1)


async def test_full_lobbies_and_running_games_take_no_newcomers(evening: Evening) -> None:
    host, guest = await evening.guests("enveloped", "flat", gameMode="head_to_head")
    stranger = await evening.house.visitor()
    path = f"/ws/{host.lobby_id}"
    assert await closed_with(stranger, path) == 4409
    await host.say("update_rules", rules={"houseRules": {"turnTimerSec": 0}})
    await evening.begin([host, guest])
    assert await closed_with(stranger, path) == 4409


async def test_an_invited_user_sees_the_private_lobby_in_the_hall(evening: Evening) -> None:
    (host,) = await evening.guests("flat", type="private")
    friend = await evening.house.visitor()
    _, me = await friend.call("POST", "/user/guest")
    assert await friend.call("GET", "/api/tables") == (200, {"tables": []})
    assert await host.refused("invite", userID="a friend") == "bad-message"
    await host.say("invite", userID=me["id"])
    await host.say("chat", msg="invited")
    await host.lobby.until("chat")
    _, shown = await friend.call("GET", "/api/tables")
    assert [table["id"] for table in shown["tables"]] == [host.lobby_id]
    assert await friend.call("GET", "/lobby/list") == (200, {})


async def test_a_circuit_goes_on_by_itself(evening: Evening) -> None:
    circuit = {"enabled": True, "rules": {"targetScore": 10_000}}
    guests = await evening.guests("enveloped", "flat", circuit=circuit)
    enveloped, flat = guests
    await evening.begin(guests)
    await enveloped.say("action_cambia")
    await enveloped.game.until("player_cambia")
    evening.watch.forward(15_000)
    end = (await enveloped.game.until("game_end"))["payload"]
    assert set(end["circuit"]) == {"totals", "over", "champions"}
    assert end["circuit"]["totals"] == end["scores"]
    assert end["winBonusApplied"] is True
    rest = await enveloped.lobby.until("phase_change", phase="post_game")
    assert rest["seconds"] == 10
    evening.watch.forward(10_000)
    state = (await enveloped.enter_game())["state"]
    assert {p["playerId"]: p["total"] for p in state["players"]} == end["circuit"]["totals"]
    await flat.enter_game()
    assert evening.roster(flat).round == 2
