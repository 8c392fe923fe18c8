"""The host over real sockets: seats, prompts, answers, secrets, coming back, other hosts."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from parlour.games.onu.lobby import RelayLobby
from tests.support import OpenHouse, Visitor, soon
from tests.wcp.clients import AnsweringBot, Session, Told, Window
from tests.wcp.conftest import Entrant

BLANK = {"Color": 4, "Number": -1, "Effect": 0}


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is a second or three to people is a moment here."""
    monkeypatch.setattr("parlour.onu.host.PROBE", 0.1)
    monkeypatch.setattr("parlour.onu.show.PROMPT_AGAIN", 0.05)
    monkeypatch.setattr("parlour.games.onu.rules.RE_PROMPT", 50)


class TableOf:
    """A table and its opener."""

    def __init__(self, opener: Visitor, info: Told) -> None:
        self.opener = opener
        self.code = str(info["code"])
        self.path = f"/api/tables/{self.code}"

    async def info(self) -> Told:
        status, info = await self.opener.call("GET", self.path)
        assert status == 200, info
        return dict(info)

    async def names(self) -> list[str]:
        return [player["name"] for player in (await self.info())["players"]]

    async def seated(self, count: int) -> None:
        async with asyncio.timeout(10):
            while len(await self.names()) != count:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)

    async def start(self) -> None:
        status, told = await self.opener.call("POST", self.path + "/start")
        assert status == 200, told


async def open_table(house: OpenHouse, **settings: Any) -> TableOf:
    opener = await house.visitor()
    wanted = {"game": "onu", "settings": {"pace": 0, **settings}}
    status, info = await opener.call("POST", "/api/tables", wanted)
    assert status == 201, info
    return TableOf(opener, info)


async def ping(table: TableOf, *sessions: Session) -> None:
    """Take a seat for each, in this order."""
    before = len(await table.names())
    for number, session in enumerate(sessions, before + 1):
        await session.send("onu-ping", session.user.title(), ["onu-host"])
        await table.seated(number)


def cards(session: Session, label: str = "onu-start") -> dict[str, list[Told]]:
    """By user, the cards of the last State of this label."""
    state = json.loads(session.contents(label)[-1])
    return {player["UserName"]: player["Cards"] for player in state["Players"]}


def prompt(session: Session) -> Told:
    """The last one."""
    return dict(json.loads(session.contents("onu-player-turn")[-1]))


def turns(session: Session) -> int:
    return len(session.contents("onu-player-turn"))


DRAW = json.dumps({"Action": 1, "CardIndex": None, "WildColor": 0})


# -- secrets --------------------------------------------------------------------------


async def test_everybody_is_sent_a_state_of_their_own(house: OpenHouse, enter: Entrant) -> None:
    table = await open_table(house)
    ann, ben, eve = [await enter(Window, house, table.code, user) for user in ("ann", "ben", "eve")]
    await ping(table, ann, ben)
    await table.start()
    for session in (ann, ben, eve):
        await session.hear("onu-start")
        await session.hear("onu-turn")
    for session, others in ((ann, ["ben"]), (ben, ["ann"]), (eve, ["ann", "ben"])):
        told = cards(session)
        assert all(told[user] == [BLANK] * 7 for user in others)
        if session is not eve:
            assert BLANK not in told[session.user]
            assert len(told[session.user]) == 7
        state = session.state
        assert state["Deck"] == [BLANK] * (54 - 14 - 1)
        assert len(state["Stack"]) == 1
        assert state["Stack"][0]["Color"] in range(4)
        assert state["Host"] == "onu-host"
        assert state["PlayerTurn"] == "ann"
        # Nobody overhears what is for somebody else.
        assert all(
            m["to"] in ([session.user], ["all"]) for m in session.heard if m["from"] == "onu-host"
        )
    await ann.hear("onu-player-turn")
    assert prompt(ann)["HandCards"] == cards(ann)["ann"]
    assert prompt(ann) == {
        "TurnDirection": "Right",
        "TopStackCard": ann.state["Stack"][-1],
        "HandCards": cards(ann)["ann"],
        "PlayerHands": [{"Name": "Ann", "CardCount": 7}, {"Name": "Ben", "CardCount": 7}],
        "PlayerOrder": ["Ann", "Ben"],
        "TurnEffect": 0,
    }
    assert not turns(ben)


async def test_with_open_state_the_hands_over_the_relay_are_shown(
    house: OpenHouse, enter: Entrant
) -> None:
    table = await open_table(house, openState=True)
    ann, ben, eve = [await enter(Window, house, table.code, user) for user in ("ann", "ben", "eve")]
    await ping(table, ann, ben)
    status, _ = await table.opener.call("POST", table.path + "/bots")
    assert status == 201
    await table.start()
    for session in (ann, ben, eve):
        await session.hear("onu-start")
    assert cards(eve) == cards(ann) == cards(ben)
    told = cards(eve)
    assert BLANK not in told["ann"] + told["ben"]
    # A computer player's hand is not ours to show, nor would a person's on the page be.
    assert [hand for user, hand in told.items() if user.startswith("bot:")] == [[BLANK] * 7]


# -- seats ----------------------------------------------------------------------------


async def test_a_ping_seats_once_and_never_renames(house: OpenHouse, enter: Entrant) -> None:
    table = await open_table(house)
    ann = await enter(Session, house, table.code, "ann")
    await ping(table, ann)
    await ann.send("onu-ping", "Somebody else", ["onu-host"])
    assert (await ann.hear("onu-pong", 2))["payload"]["content"] == "Parlour"
    ben = await enter(Session, house, table.code, "ben")
    # Display names are unique at a table.
    await ben.send("onu-ping", "  ANN\n", ["onu-host"])
    await table.seated(2)
    cleo = await enter(Session, house, table.code, "cleo")
    await cleo.send("onu-ping", "???", ["onu-host"])
    await table.seated(3)
    assert await table.names() == ["Ann", "ANN 2", "cleo"]
    dora = await enter(Session, house, table.code, "dora")
    await dora.send("onu-ping", "a name that is far longer than it may be", ["onu-host"])
    await table.seated(4)
    assert (await table.names())[3] == "a name that is far l"


async def test_the_opener_seats_who_is_in_the_channel(house: OpenHouse, enter: Entrant) -> None:
    table = await open_table(house)
    await enter(Session, house, table.code, "ann")
    await enter(Session, house, table.code, "ben")
    status, info = await table.opener.call("POST", table.path + "/seats", {"user": "ann"})
    assert status == 201
    assert info == {
        "channel": table.code,
        "users": ["ann", "ben"],
        "standing": "hosting",
        "other_host": None,
    }
    named = {"user": "ben", "name": "The Ben"}
    assert (await table.opener.call("POST", table.path + "/seats", named))[0] == 201
    assert await table.names() == ["ann", "The Ben"]

    async def refusal(who: Visitor, user: str) -> Any:
        status, no = await who.call("POST", table.path + "/seats", {"user": user})
        return status, no["error"]["code"]

    assert await refusal(table.opener, "ann") == (409, "already-here")
    assert await refusal(table.opener, "nobody") == (409, "not-connected")
    assert await refusal(await house.visitor(), "ann") == (403, "not-here")
    # They are attended for, so their seats are kept.
    await soon(lambda: all(p.present for p in house.tables[0].roster.players))


async def test_auto_seat_and_auto_start_need_nobody(house: OpenHouse, enter: Entrant) -> None:
    table = await open_table(house, autoSeat=True, autoStart=3)
    bots = [await enter(AnsweringBot, house, table.code, user) for user in ("ann", "ben")]
    await table.seated(2)
    window = await enter(Window, house, table.code, "ann")
    assert not window.named("onu-start")
    bots.append(await enter(AnsweringBot, house, table.code, "cleo"))
    won = await bots[0].hear("onu-won")
    assert won["payload"]["content"] in ("ann", "ben", "cleo")


async def test_a_waiting_seat_without_a_session_is_freed(
    house: OpenHouse, enter: Entrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.games.onu.lobby.WAITING_SEAT", 50)
    table = await open_table(house)
    one, two = [await enter(Session, house, table.code, "ann") for _ in range(2)]
    await ping(table, one)
    await one.leave()
    await two.fence()
    assert await table.names() == ["Ann"]
    await two.leave()
    await table.seated(0)
    # The table is still there for who comes next.
    again = await enter(Session, house, table.code, "ann")
    await ping(table, again)


async def test_a_table_full_pongs_and_seats_nobody(house: OpenHouse, enter: Entrant) -> None:
    table = await open_table(house)
    users = [f"u{number}" for number in range(8)]
    sessions = [await enter(Session, house, table.code, user) for user in users]
    await ping(table, *sessions[:7])
    await sessions[7].send("onu-ping", "Eight", ["onu-host"])
    await sessions[7].hear("onu-pong", 8)
    await sessions[7].fence()
    assert len(await table.names()) == 7


async def test_a_table_is_opened_in_a_channel_that_there_is(
    house: OpenHouse, enter: Entrant
) -> None:
    house.server.collab.registry.add_channel("Stage")
    ann = await enter(Session, house, "stage", "ann")
    table = await open_table(house, channel="stage", takeOver=True)
    await ping(table, ann)

    async def refusal(channel: str) -> Any:
        wanted = {"game": "onu", "settings": {"channel": channel}}
        status, no = await table.opener.call("POST", "/api/tables", wanted)
        return status, no["error"]["code"]

    assert await refusal("STAGE") == (409, "channel-taken")
    assert await refusal("metrics") == (409, "no-such-channel")


async def test_a_table_is_found_by_its_channel_for_as_long_as_it_is_open(
    house: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RelayLobby, "keep_empty", lambda self: 0)
    house.server.collab.registry.add_channel("Stage")
    anybody = await house.visitor()

    async def found(channel: str) -> Any:
        status, told = await anybody.call("GET", f"/api/channels/{channel}/table")
        return told if status == 200 else (status, told["error"]["code"])

    nothing = (404, "no-such-table")
    assert await found("stage") == nothing
    assert await found("no%2Fsuch") == nothing
    table = await open_table(house, channel="stage")
    own = await open_table(house)
    assert await found("sTAGE") == {"code": table.code, "channel": "Stage"}
    assert await found(own.code) == {"code": own.code, "channel": own.code}
    # A table in a channel of another name is not found by its code.
    assert await found(table.code) == nothing
    # With the last person it closes.
    person = await table.opener.socket(f"/onu?table={table.code}")
    await table.seated(1)
    await person.send_json({"type": "leave"})
    async with asyncio.timeout(10):
        while await found("stage") != nothing:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


# -- answers --------------------------------------------------------------------------


async def two_at_table(
    house: OpenHouse, enter: Entrant, **settings: Any
) -> tuple[TableOf, Session, Session]:
    """Ann has been asked for her move."""
    table = await open_table(house, **settings)
    ann = await enter(Session, house, table.code, "ann")
    ben = await enter(Session, house, table.code, "ben")
    await ping(table, ann, ben)
    await table.start()
    await ann.hear("onu-player-turn")
    return table, ann, ben


def actions(house: OpenHouse) -> int:
    """How many inputs the table has taken."""
    return house.tables[0].version


async def test_only_the_awaited_user_may_answer_and_only_once(
    house: OpenHouse, enter: Entrant
) -> None:
    """The original let anybody act for anybody, and took every answer to one prompt."""
    _, ann, ben = await two_at_table(house, enter)
    before = actions(house)
    await ben.send("onu-player-action", DRAW)
    await ben.fence()
    assert actions(house) == before
    for _ in range(3):
        await ann.send("onu-player-action", DRAW)
    await ann.hear("onu-player-turn", 2)
    await ann.fence()
    # Answered in the same breath as it was asked again, one more may have been in time.
    assert len(prompt(ann)["HandCards"]) in (8, 9, 10)
    assert actions(house) - before == len(prompt(ann)["HandCards"]) - 7


async def test_a_draw_gives_a_card_and_the_same_player_is_asked_again(
    house: OpenHouse, enter: Entrant
) -> None:
    _, ann, ben = await two_at_table(house, enter)
    await ann.send("onu-player-action", DRAW)
    await ann.hear("onu-player-turn", 2)
    assert len(prompt(ann)["HandCards"]) == 8
    assert prompt(ann)["TurnEffect"] == 0
    assert len(cards(ann, "onu-turn")["ann"]) == 8
    assert cards(ben, "onu-turn")["ann"] == [BLANK] * 8
    assert not turns(ben)


BAD_ANSWERS = [
    "",
    "null",
    "{}",
    "[0]",
    "not json",
    '{"Action":NaN}',
    json.dumps({"Action": 0, "CardIndex": -1, "WildColor": 0}),
    json.dumps({"Action": 0, "CardIndex": 7, "WildColor": 0}),
    json.dumps({"Action": 0, "CardIndex": "0", "WildColor": 0}),
    json.dumps({"Action": 0, "CardIndex": True, "WildColor": 0}),
    json.dumps({"Action": 0, "CardIndex": 0.5, "WildColor": 0}),
    json.dumps({"Action": 0, "CardIndex": 10**30, "WildColor": 0}),
    json.dumps({"Action": 0, "CardIndex": 1e300, "WildColor": 0}),
    json.dumps({"Action": 0, "CardIndex": None, "WildColor": 0}),
    json.dumps({"Action": True, "CardIndex": 0, "WildColor": 0}),
    json.dumps({"Action": 2, "CardIndex": 0, "WildColor": 0}),
    "[" * 5000,
]


@pytest.mark.parametrize("answers", [BAD_ANSWERS[:5], BAD_ANSWERS[5:10], BAD_ANSWERS[10:15]])
async def test_a_bad_answer_brings_one_new_prompt_each(
    house: OpenHouse, enter: Entrant, answers: list[str]
) -> None:
    """The original sent two prompts for each, and took -1 for the last card."""
    _, ann, _ = await two_at_table(house, enter)
    for number, answer in enumerate(answers, 2):
        await ann.send("onu-player-action", answer)
        await ann.hear("onu-player-turn", number)
        await ann.fence()
        assert turns(ann) == number
        assert len(prompt(ann)["HandCards"]) == 7


async def test_after_five_new_prompts_a_bad_answer_is_a_draw_and_a_pass(
    house: OpenHouse, enter: Entrant
) -> None:
    _, ann, ben = await two_at_table(house, enter)
    for number in range(2, 7):
        await ann.send("onu-player-action", "{}")
        await ann.hear("onu-player-turn", number)
    await ann.send("onu-player-action", "{}")
    await ben.hear("onu-player-turn")
    assert turns(ann) == 6
    assert cards(ben, "onu-turn")["ann"] == [BLANK] * 8


async def test_who_never_answers_draws_and_passes(house: OpenHouse, enter: Entrant) -> None:
    _, ann, ben = await two_at_table(house, enter, turnTimeout=1)
    await ben.hear("onu-player-turn")
    assert prompt(ben)["PlayerHands"][0] == {"Name": "Ann", "CardCount": 8}
    # Too late, it plays nobody's card.
    before = actions(house)
    await ann.send("onu-player-action", DRAW)
    await ann.fence()
    assert actions(house) == before


def a_play(turn: Told) -> Told | None:
    """A card that fits, as an answer; with a colour only for a wild."""
    top = turn["TopStackCard"]
    for index, card in enumerate(turn["HandCards"]):
        if card["Color"] == 4:
            return {"Action": 0, "CardIndex": float(index), "WildColor": 2.0}
        same = card["Number"] >= 0 and card["Number"] == top["Number"]
        if same or card["Color"] == top["Color"]:
            return {"Action": 0.0, "CardIndex": index, "WildColor": None}
    return None


class Drawer(Session):
    """Plays what `a_play` finds, and otherwise draws."""

    async def on_message(self, message: Told) -> None:
        if message["payload"]["name"] == "onu-player-turn" and message["to"] == [self.user]:
            play = a_play(json.loads(message["payload"]["content"]))
            answer = DRAW if play is None else json.dumps(play)
            await self.send("onu-player-action", answer)


async def test_a_play_is_shown_before_its_state_and_a_wild_still_without_a_colour(
    house: OpenHouse, enter: Entrant
) -> None:
    table = await open_table(house)
    ann, ben = [await enter(Drawer, house, table.code, user) for user in ("ann", "ben")]
    window = await enter(Window, house, table.code, "ben")
    await ping(table, ann, ben)
    await table.start()
    won = await window.hear("onu-won")
    assert won["payload"]["content"] in ("Ann", "Ben")
    await window.fence()
    assert len(window.named("onu-won")) == 1
    told = [m["payload"]["name"] for m in window.heard if m["from"] == "onu-host"]
    anims = [number for number, name in enumerate(told) if name == "onu-play-anim"]
    assert anims
    states = [m for m in window.heard if m["from"] == "onu-host"]
    for number in anims:
        assert told[number + 1] == "onu-turn"
        anim = json.loads(states[number]["payload"]["content"])
        assert set(anim) == {"AnimFrom", "Card"}
        assert anim["AnimFrom"] in ("ann", "ben")
        top = json.loads(states[number + 1]["payload"]["content"])["Stack"][-1]
        if anim["Card"]["Effect"] in (4, 5):
            assert anim["Card"]["Color"] == 4
            assert top == {**anim["Card"], "Color": 2}
        else:
            assert top == anim["Card"]
    # The last state, then who won.
    assert told[-2:] == ["onu-turn", "onu-won"]
    # Every card is somewhere, at every moment.
    for state in window.states:
        held = sum(len(player["Cards"]) for player in state["Players"])
        assert held + len(state["Deck"]) + len(state["Stack"]) == 54


async def test_seats_survive_into_the_next_game_which_has_a_stack_of_its_own(
    house: OpenHouse, enter: Entrant
) -> None:
    """In the original a second game inherited the first one's stack."""
    table = await open_table(house)
    bots = [await enter(AnsweringBot, house, table.code, user) for user in ("ann", "ben")]
    window = await enter(Window, house, table.code, "eve", stays=60)
    await ping(table, *bots)
    for number in (1, 2):
        await table.start()
        await window.hear("onu-won", number)
        state = json.loads(window.contents("onu-start")[-1])
        assert len(state["Stack"]) == 1
    assert len(window.named("onu-won")) == 2


# -- coming back ----------------------------------------------------------------------


async def test_a_new_session_of_the_awaited_user_is_told_and_asked_alone(
    house: OpenHouse, enter: Entrant
) -> None:
    _, ann, ben = await two_at_table(house, enter)
    late = await enter(Window, house, ann.url.rsplit("/", 1)[1], "ann")
    await late.hear("onu-player-turn")
    assert [m["payload"]["name"] for m in late.heard] == ["onu-start", "onu-player-turn"]
    assert prompt(late) == prompt(ann)
    assert cards(late) == cards(ann)
    # Nobody else is disturbed.
    for session in (ann, ben):
        await session.fence()
        assert len(session.named("onu-start")) == 1
    assert turns(ann) == 1
    # A user who is not awaited is told, but not asked.
    later = await enter(Window, house, ann.url.rsplit("/", 1)[1], "ben")
    await later.hear("onu-start")
    await asyncio.sleep(0.15)
    await later.fence()
    assert not turns(later)


async def test_who_lost_the_last_session_comes_back_to_the_same_seat(
    house: OpenHouse, enter: Entrant
) -> None:
    table, ann, ben = await two_at_table(house, enter)
    held = cards(ann)["ann"]
    await ann.leave()
    await soon(lambda: not house.tables[0].roster.players[0].present)
    again = await enter(AnsweringBot, house, table.code, "ann")
    await again.hear("onu-start")
    assert cards(again)["ann"] == held
    await again.hear("onu-player-turn")
    await ben.until(lambda: turns(ben) or ben.named("onu-play-anim"))


async def test_a_ping_in_a_game_brings_a_state_to_who_plays_and_a_pong_to_others(
    house: OpenHouse, enter: Entrant
) -> None:
    table, ann, ben = await two_at_table(house, enter)
    await ben.send("onu-ping", "Ben", ["onu-host"])
    await ben.hear("onu-start", 2)
    eve = await enter(Session, house, table.code, "eve")
    await eve.send("onu-ping", "Eve", ["onu-host"])
    await eve.hear("onu-pong")
    await eve.fence()
    assert not eve.named("onu-start")
    assert len(await table.names()) == 2
    assert len(ann.named("onu-start")) == 1
    # Who is awaited is not asked a second time for that.
    await ann.send("onu-ping", "Ann", ["onu-host"])
    await ann.hear("onu-start", 2)
    await asyncio.sleep(0.15)
    await ann.fence()
    assert turns(ann) == 1


# -- people on the page ---------------------------------------------------------------


async def test_a_person_on_the_page_plays_with_characters_and_keeps_a_secret(
    house: OpenHouse, enter: Entrant
) -> None:
    table = await open_table(house)
    bot = await enter(AnsweringBot, house, table.code, "ann")
    eve = await enter(Window, house, table.code, "eve", stays=60)
    await ping(table, bot)
    page = await table.opener.socket(f"/onu?table={table.code}")
    await table.seated(2)
    await table.start()
    hand: list[Told] = []
    seat = 1
    while True:
        told = json.loads((await page.receive(10)).data)
        match told["type"]:
            case "dealt":
                assert told["players"][0]["cards"] == [BLANK] * 7
                hand, top = told["players"][seat]["cards"], told["stack"][-1]
                assert BLANK not in hand
            case "drew" if told["seat"] == seat:
                hand += told["cards"]
            case "played":
                top = {**told["card"], "Color": told["color"]}
                if told["seat"] == seat:
                    del hand[told["index"]]
            case "prompted" if told["seat"] == seat:
                play = a_play({"TopStackCard": top, "HandCards": hand})
                if play is None:
                    await page.send_json({"type": "draw"})
                else:
                    move = {"type": "play", "index": int(play["CardIndex"]), "color": 2}
                    await page.send_json(move)
            case "ended":
                break
            case "error":
                raise AssertionError(told)
    await eve.hear("onu-won")
    await page.close()
    for state in (*eve.states, *map(json.loads, bot.contents("onu-turn"))):
        person = state["Players"][seat]
        assert person["UserName"].startswith("page:")
        assert person["Cards"] == [BLANK] * len(person["Cards"])


async def test_what_players_say_is_said_at_the_table(house: OpenHouse, enter: Entrant) -> None:
    table = await open_table(house)
    ann = await enter(Session, house, table.code, "ann")
    eve = await enter(Session, house, table.code, "eve")
    await ping(table, ann)
    watching = await (await house.visitor()).socket(f"/onu?watch={table.code}")
    for session in (eve, ann):
        await session.send("whoever", f"{session.user} speaks", type="message")
    while (told := json.loads((await watching.receive(10)).data))["type"] != "said":
        pass
    assert (told["name"], told["text"]) == ("Ann", "ann speaks")
    await watching.close()


# -- other hosts ----------------------------------------------------------------------


async def test_we_answer_whether_there_is_a_host_in_games_too(
    house: OpenHouse, enter: Entrant
) -> None:
    _, ann, ben = await two_at_table(house, enter)
    await ben.send("onu-hashost", "")
    told = await ann.hear("onu-ishost")
    assert (told["from"], told["to"], told["payload"]["content"]) == ("onu-host", ["all"], "")


async def test_nobody_else_speaks_as_the_host_where_we_do(house: OpenHouse, enter: Entrant) -> None:
    """In the original a second host displaced the first."""
    table = await open_table(house)
    ann = await enter(Session, house, table.code, "ann")
    ben = await enter(Session, house, table.code, "ben")
    for label in ("ishost", "start", "turn", "player-turn", "play-anim", "won"):
        await ann.send(f"onu-{label}", "{}")
    # Somebody opens a waiting room of their own, and is told that there is a host.
    await ann.send("onu-ping", "Ann", ["ann"])
    await ben.hear("onu-ishost")
    told = [m["payload"]["name"] for m in ben.heard]
    assert told == ["onu-ping", "onu-ishost"]
    assert not await table.names()


async def test_where_somebody_else_hosts_we_do_not(house: OpenHouse, enter: Entrant) -> None:
    house.server.collab.registry.add_channel("stage")

    class OtherHost(Session):
        async def on_message(self, message: Told) -> None:
            if message["payload"]["name"] == "onu-hashost":
                await self.send("onu-ishost", "")

    other = await enter(OtherHost, house, "stage", "cleo")
    ann = await enter(Session, house, "stage", "ann")
    table = await open_table(house, channel="stage")
    await ann.hear("onu-ishost")
    await soon(lambda: house.server.collab.hosts.host_of(table.code).standing.value == "yielded")
    status, info = await table.opener.call("GET", table.path + "/channel")
    assert (status, info["standing"], info["other_host"]) == (200, "yielded", "cleo")
    await ann.send("onu-ping", "Ann", ["onu-host"])
    await other.send("onu-turn", "{}")
    await ann.hear("onu-turn")
    await ann.fence()
    assert not ann.named("onu-pong")
    assert (await table.opener.call("POST", table.path + "/seats", {"user": "ann"}))[0] == 409
    # Asked again, and answered again; overridden, we host.
    stranger = await house.visitor()
    assert (await stranger.call("POST", table.path + "/host", {"override": True}))[0] == 403
    status, info = await table.opener.call("POST", table.path + "/host")
    assert info["standing"] == "yielded"
    status, info = await table.opener.call("POST", table.path + "/host", {"override": True})
    assert info["standing"] == "hosting"
    await ping(table, ann)


async def test_where_nobody_hosts_nobody_says_so(house: OpenHouse, enter: Entrant) -> None:
    ann = await enter(Session, house, "lounge", "ann")
    await ann.send("onu-hashost", "")
    await ann.fence()
    assert len(ann.heard) == 2
