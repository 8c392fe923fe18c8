"""The strict clients break at what existing ones break at: else their games would prove nothing."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.quips.strict import Broken, Newer, Older

TOKEN = "0123456789abcdef" * 2
WHITE = {"id": "w_a", "content": {"en": "A goose"}, "flags": [], "tier": 0, "tier_cost": 0}
BLACK = {"id": "b_a", "content": {"en": "Hm: ______."}, "flags": [], "pick": 1, "draw": 0}


def entry(number: int, **changed: Any) -> dict[str, Any]:
    return {
        "name": f"P{number}",
        "id": number,
        "score": 0,
        "upgrade_points": 0,
        "voted_skip": False,
        "idle": False,
        "is_bot": False,
        "ready_up": False,
    } | changed


def players(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"msg": "s_players", "players": list(entries or (entry(0), entry(1), entry(2)))}


def cards(white: dict[str, Any] | None = None, black: Any = None, **pack: Any) -> dict[str, Any]:
    sent = [{**WHITE, "next_tier_id": "", **(white or {})}, {**BLACK, **(black or {})}]
    about = {"id": "p", "name": "P", "accent": "navy", "accent_color": "", "trophies": []}
    return {"msg": "s_allcards", "packs": [about | {"accent_background": "", "cards": sent} | pack]}


def hand(*held: str, blanks: int = 2) -> dict[str, Any]:
    return {"msg": "s_hand", "blanks": blanks, "discards": 5, "hand": list(held)}


def played(*selection: str) -> dict[str, Any]:
    return {"msg": "s_cardsplayed", "selection": list(selection)}


def state(stage: str = "playing", **changed: Any) -> dict[str, Any]:
    return {
        "msg": "s_gamestate",
        "stage": stage,
        "ready_up": False,
        "round": 1,
        "black_card": "b_a",
        "judge": 0,
        "pending_players": [1, 2],
        "plays": [],
        "winning_play": -1,
        "winning_player": -1,
        "judge_voted_self": False,
        "game_results": None,
    } | changed


def lobby(**changed: Any) -> dict[str, Any]:
    bare = {"round": 0, "black_card": None, "judge": -1, "pending_players": []}
    return state("game_starting", **bare | changed)


def info(**changed: Any) -> dict[str, Any]:
    about = {"player_id": 1, "player_name": "P1", "player_token": TOKEN}
    return {"msg": "s_clientinfo", **about, **changed}


AUX = {"msg": "s_auxclientdata", "aux_points": 0}
GREETING = [info(), players(), cards(), hand("w_a"), state(), AUX, played()]


def hears(client: Newer, *messages: Any) -> Newer:
    for message in messages:
        client.hear(msgspec.json.encode(message))
    return client


@pytest.mark.parametrize("kind", [Newer, Older])
def test_a_greeting_and_a_round_break_nobody(kind: type[Newer]) -> None:
    client = hears(kind(), *GREETING)
    assert client.can_play
    client.says("c_playcards")
    judging = state("judging", pending_players=[], plays=[["w_a"]])
    hears(client, hand("w_a", blanks=1), played("w_a"), state(pending_players=[2]), judging)
    end = {"stage": "round_end", "winning_play": 0, "winning_player": 1}
    hears(
        client, judging | end, played(), players(), state(round=2), hand(), played(), AUX, lobby()
    )


@pytest.mark.parametrize(
    "wrong",
    [
        info(player_token="x" * 32),
        info(player_token="f" * 32),
        info(player_id=2),
        players(entry(0), entry(1, name="P0")),
        players(entry(0, name="<b>")),
        players(entry(0, score=None)),
        players(entry(-1)),
        players(entry(0, is_bot=True)),
        cards({"content": {"de": "Eine Gans"}}),
        cards({"content": {"en": "A", "de-AT": "B"}}),
        cards({"content": {"en": "\u00a0"}}),
        cards({"content": {"en": "I <3 geese"}}),
        cards({"next_tier_id": "w_b"}),
        cards({"id": "w_a-b"}),
        cards(black={"content": {"en": "Hm: ___."}}),
        cards(accent="slategray"),
        cards(id="a pack"),
        hand("w_a"),
        hand("w_z"),
        hand("w_a", blanks=-1),
        state(judge=-1),
        state(judge=1),
        state(judge=7),
        state(pending_players=[7]),
        state(plays=[["w_a"]]),
        state(black_card="b_z"),
        state(ready_up=True),
        {key: value for key, value in state().items() if key != "plays"},
        state("judging", pending_players=[], plays=[]),
        state("round_end", pending_players=[], plays=[["w_a"]]),
        state("game_end"),
        lobby(),
        lobby(judge=0),
        {"msg": "s_auxclientdata", "aux_points": None},
        {"msg": "s_chat_msg", "author": "P0", "body": "<b>"},
        {"msg": "s_chat_msg", "author": "<b>", "body": "x"},
        {"msg": "s_chat_msg", "author": "P0", "body": "x" * 301},
        {"msg": "s_notify_skipped", "skipped_id": "b_a", "replacement_id": "b_z"},
    ],
    ids=lambda message: message["msg"],
)
def test_one_wrong_message_breaks_a_client(wrong: Any) -> None:
    client = hears(Newer(), *GREETING)
    with pytest.raises((Broken, KeyError)):
        hears(client, wrong)


def test_the_same_hand_again_answers_a_question_and_nothing_else() -> None:
    client = hears(Newer(), *GREETING)
    client.says("c_discardcard")
    hears(client, hand("w_a"))
    with pytest.raises(Broken):
        hears(client, hand("w_a"))


def test_a_new_round_shows_nothing_of_the_last() -> None:
    for left in (played("w_a"), players(entry(0), entry(1, voted_skip=True), entry(2))):
        with pytest.raises(Broken):
            hears(Newer(), *GREETING, left, state(round=2))


def test_a_lobby_shows_nothing_of_the_last_game() -> None:
    empty = [hand(), played(), AUX]
    hears(Newer(), *GREETING, *empty, players(), lobby(ready_up=True))
    for left in (
        players(entry(1, score=1)),
        players(entry(1, idle=True)),
        {"msg": "s_auxclientdata", "aux_points": 1},
        played("w_a"),
    ):
        with pytest.raises(Broken):
            hears(Newer(), *GREETING, *empty, players(), left, lobby())


def test_who_watches_is_never_asked_whether_they_are_ready() -> None:
    hears(Newer(watching=True), players(), cards(), lobby())
    with pytest.raises(Broken):
        hears(Newer(watching=True), players(), cards(), lobby(ready_up=True))


def test_the_older_know_neither_chat_nor_skips_nor_base64() -> None:
    for wrong in (
        {"msg": "s_chat_msg", "author": "P0", "body": "x"},
        {"msg": "s_notify_skipped", "skipped_id": "b_a", "replacement_id": "b_a"},
        played("custom_eA=="),
        played("custom: two\nlines"),
    ):
        with pytest.raises(Broken):
            hears(Older(), *GREETING, wrong)
