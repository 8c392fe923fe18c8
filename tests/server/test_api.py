"""The control plane: every route, what it says and what it refuses, and who is who."""

from __future__ import annotations

import logging
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import jwt
import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from parlour.games import installed_games
from parlour.games.rummy import rules
from parlour.games.rummy.moves import Moved
from parlour.games.rummy.settings import Settings
from parlour.kit import Setup
from parlour.rng import ProvableRng, commitment
from parlour.server.config import BadConfig
from parlour.server.keys import SigningKey
from parlour.server.sessions import COOKIE, FOR_YEARS
from tests import highcard
from tests.support import Opener, OpenHouse, Visitor, soon

RUMMY = {"game": "rummy"}
EVIL = {"Origin": "https://evil.example"}


def error(answer: tuple[int, Any]) -> tuple[int, str]:
    """A refusal's status and code; every refusal has a sentence, too."""
    status, body = answer
    assert list(body) == ["error"]
    assert set(body["error"]) == {"code", "message"}
    assert body["error"]["message"].endswith(".")
    return status, body["error"]["code"]


async def new_table(visitor: Visitor, **wanted: Any) -> dict[str, Any]:
    status, table = await visitor.call("POST", "/api/tables", {**RUMMY, **wanted})
    assert status == 201
    return dict(table)


# Who is who


async def test_a_newcomer_is_somebody_from_now_on(house: OpenHouse) -> None:
    visitor = await house.visitor()
    answer = await visitor.get("/api/me")
    me = msgspec.json.decode(answer.body)
    assert set(me) == {"id", "name", "token"}
    assert str(uuid.UUID(me["id"])) == me["id"]
    assert me["name"] == "Player"
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith(f"{COOKIE}={me['token']};")
    flags = {flag.strip() for flag in cookie.split(";")[1:]}
    assert {"HttpOnly", "SameSite=Lax", "Path=/", f"Max-Age={FOR_YEARS}"} <= flags
    again = await visitor.get("/api/me")
    assert msgspec.json.decode(again.body)["id"] == me["id"]
    assert "Set-Cookie" not in again.headers


async def test_two_newcomers_are_two(house: OpenHouse) -> None:
    one, two = await house.visitor(), await house.visitor()
    assert await one.token() != await two.token()


async def test_a_token_is_as_good_as_the_cookie(house: OpenHouse) -> None:
    one, other = await house.visitor(), await house.visitor()
    token = await one.token()
    _, me = await one.call("GET", "/api/me")
    _, same = await other.call("GET", f"/api/me?token={token}")
    assert same["id"] == me["id"]
    table = await new_table(one)
    assert (await other.call("POST", f"/api/tables/{table['code']}/bots?token={token}"))[0] == 201


async def test_a_forged_token_is_refused(house: OpenHouse) -> None:
    visitor = await house.visitor()
    head, body, signature = (await visitor.token()).split(".")
    me = {"sub": (await visitor.call("GET", "/api/me"))[1]["id"]}
    ours = house.server.sessions._key._private
    stranger = await house.visitor()
    for forged in (
        "x",
        "a.b.c",
        f"{head}.{body}.",
        f"{head}.{body[:-2]}AA.{signature}",
        "é",
        jwt.encode(me, None, algorithm="none"),
        jwt.encode(me, ours.public_key().public_bytes_raw() * 2, algorithm="HS256"),
        jwt.encode(me, Ed25519PrivateKey.generate(), algorithm="EdDSA"),
        jwt.encode({**me, "exp": 1}, ours, algorithm="EdDSA"),
        jwt.encode({}, ours, algorithm="EdDSA"),
    ):
        answer = await stranger.call("GET", "/api/me", params={"token": forged})
        assert error(answer) == (403, "bad-token")
        answer = await stranger.call("POST", "/api/tables", RUMMY, params={"token": forged})
        assert error(answer) == (403, "bad-token")
        assert await stranger.refusal("/rummy", params={"token": forged}) == 403
    assert house.tables == []


async def test_a_cookie_of_another_house_makes_a_newcomer(
    open_house: Opener, tmp_path: Any
) -> None:
    house = await open_house()
    elsewhere = await open_house(data=str(tmp_path / "elsewhere"))
    token = await (await elsewhere.visitor()).token()
    visitor = await house.visitor(cookies={COOKIE: token})
    answer = await visitor.get("/api/me")
    assert answer.status == 200
    assert "Set-Cookie" in answer.headers


def test_a_key_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pulled(file: int) -> None:
        raise OSError(5, "The plug was pulled")

    with monkeypatch.context() as at_that_moment:
        at_that_moment.setattr("os.fsync", pulled)
        with pytest.raises(BadConfig, match=r"session\.key can't be written"):
            SigningKey.of_folder(tmp_path)
    assert not (tmp_path / "session.key").exists()
    SigningKey.of_folder(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["session.key"]


async def test_a_name_is_kept_and_worn_at_the_table(open_house: Opener) -> None:
    house = await open_house()
    visitor = await house.visitor()
    status, me = await visitor.call("PUT", "/api/me", {"name": "  Ada   Byron "})
    assert (status, me["name"]) == (200, "Ada Byron")
    guest = await visitor.rummy()
    await guest.expect("lobby")
    assert guest.names == ["Ada Byron"]
    await house.shut(guest)
    token = str(me["token"])
    visitor = await (await open_house()).visitor()
    _, again = await visitor.call("GET", f"/api/me?token={token}")
    # The token is another one when a second has passed.
    assert {**again, "token": token} == me


async def test_what_is_no_name_is_refused(house: OpenHouse) -> None:
    visitor = await house.visitor()
    for name in ("", " ", "x" * 21, "?!", "a\nb\x00"):
        assert error(await visitor.call("PUT", "/api/me", {"name": name})) == (400, "bad-name")
    bodies: list[Any] = [{}, {"name": 7}, {"name": "Ada", "id": "x"}, [], "Ada"]
    for body in bodies:
        assert error(await visitor.call("PUT", "/api/me", body)) == (400, "bad-message")


# Games and tables


async def test_a_game_says_what_it_is(house: OpenHouse) -> None:
    _, found = await (await house.visitor()).call("GET", "/api/games")
    rummy = next(g for g in found["games"] if g["id"] == "rummy")
    assert rummy["name"] == "Super Rummy"
    assert rummy["seats"] == {"min": 2, "max": 4}
    assert rummy["sockets"] == ["/rummy", "/stream"]
    assert rummy["bots"] is True
    assert rummy["defaults"] == msgspec.to_builtins(Settings())
    schema = rummy["settings"]["$defs"]["Settings"]["properties"]
    assert list(schema) == list(rummy["defaults"])
    assert all(field["description"] for field in schema.values())
    published = {game.id: game.settings_schema() for game in installed_games()}
    assert {game["id"]: game["settings"] for game in found["games"]} == published


async def test_a_preset_of_every_game_opens_a_table(house: OpenHouse) -> None:
    visitor = await house.visitor()
    for game in (await visitor.call("GET", "/api/games"))[1]["games"]:
        for preset in game["presets"]:
            wanted = {"game": game["id"], "settings": preset["settings"]}
            assert (await visitor.call("POST", "/api/tables", wanted))[0] == 201, preset


async def test_a_table_shows_its_own_name_and_whether_it_asks_for_a_password(
    house: OpenHouse,
) -> None:
    visitor = await house.visitor()
    for game, settings, shown in (
        ("quips", {"server_name": "Bad puns", "player_password": "pssst"}, ("Bad puns", True)),
        ("quips", {}, ("", False)),
        ("cambia", {"name": "Friday"}, ("Friday", False)),
        ("rummy", {}, ("", False)),
    ):
        wanted = {"game": game, "settings": settings, "public": True}
        status, table = await visitor.call("POST", "/api/tables", wanted)
        assert (status, table["name"], table["password"]) == (201, *shown)
        assert "pssst" not in str(table)


async def test_a_table_is_opened_as_asked(house: OpenHouse) -> None:
    visitor = await house.visitor()
    table = await new_table(visitor, settings={"deck_count": 2}, public=True, bots=2)
    assert table["settings"] == msgspec.to_builtins(Settings(deck_count=2))
    assert table["game"] == "rummy"
    assert table["public"] is True
    assert table["seats"] == {"min": 2, "max": 4}
    assert table["running"] is False
    assert table["round"] == 0
    assert [(p["human"], p["present"]) for p in table["players"]] == [(False, True)] * 2
    for name in (table["code"], table["id"], f"{table['code'][:3]} {table['code'][3:]}"):
        assert (await visitor.call("GET", f"/api/tables/{name}")) == (200, table)
    # Nobody's identity is anybody else's business.
    me = (await visitor.call("GET", "/api/me"))[1]
    assert me["id"] not in str(table)


@pytest.mark.parametrize(
    ("wanted", "refusal"),
    [
        ({"game": "chess"}, (404, "no-such-game")),
        ({"settings": {"deck_count": 3}}, (400, "bad-settings")),
        ({"settings": {"colour": "red"}}, (400, "bad-settings")),
        ({"bots": -1}, (400, "bad-bots")),
        ({"bots": 4}, (400, "bad-bots")),
        ({"bots": "two"}, (400, "bad-message")),
        ({"bots": True}, (400, "bad-message")),
        ({"public": 1}, (400, "bad-message")),
        ({"settings": []}, (400, "bad-message")),
        ({"colour": "red"}, (400, "bad-message")),
    ],
)
async def test_a_table_that_can_not_be_is_not_opened(
    house: OpenHouse, wanted: dict[str, Any], refusal: tuple[int, str]
) -> None:
    visitor = await house.visitor()
    assert error(await visitor.call("POST", "/api/tables", {**RUMMY, **wanted})) == refusal
    assert house.tables == []


async def test_a_game_without_bots_takes_none(
    open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = (*installed_games(), replace(highcard.GAME, bots=None))
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: games)
    visitor = await (await open_house()).visitor()
    opened = [
        await visitor.call("POST", "/api/tables", {"game": "high", "bots": bots}) for bots in (0, 1)
    ]
    assert opened[0][0] == 201
    assert error(opened[1]) == (400, "bad-bots")


async def test_bodies_that_are_not_what_was_asked_for_are_refused(house: OpenHouse) -> None:
    visitor = await house.visitor()
    as_json = {"Content-Type": "application/json"}
    for body in (b"", b"{", b"\xff", b"null", b'{"game":"rummy"} x', b"[" * 100_000):
        answer = await visitor.call("POST", "/api/tables", data=body, headers=as_json)
        assert error(answer) == (400, "bad-message")
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        body, headers = b'{"game":"rummy"}', {"Content-Type": kind}
        answer = await visitor.call("POST", "/api/tables", data=body, headers=headers)
        assert error(answer) == (400, "bad-message")
    answer = await visitor.call("POST", "/api/tables", data=b" " * 300_000, headers=as_json)
    assert error(answer) == (413, "too-large")
    assert house.tables == []


async def test_what_is_not_there_is_said_in_json_too(house: OpenHouse) -> None:
    visitor = await house.visitor()
    assert error(await visitor.call("GET", "/api/nothing")) == (404, "not-found")
    assert error(await visitor.call("DELETE", "/api/me")) == (405, "not-allowed")
    assert error(await visitor.call("GET", "/api/tables/000000")) == (404, "no-such-table")
    for path in ("bots", "start"):
        answer = await visitor.call("POST", f"/api/tables/000000/{path}")
        assert error(answer) == (404, "no-such-table")


async def test_private_tables_are_listed_for_those_who_sit_there_alone(house: OpenHouse) -> None:
    one, two = await house.visitor(), await house.visitor()
    private, public = await new_table(one), await new_table(one, public=True)
    guest = await one.rummy(f"?table={private['code']}")
    await guest.expect("lobby")
    listed = (await one.call("GET", "/api/tables?game=rummy"))[1]["tables"]
    assert [t["code"] for t in listed] == [private["code"], public["code"]]
    assert [p["name"] for p in listed[0]["players"]] == ["Player"]
    for query in ("", "?game=rummy"):
        listed = (await two.call("GET", f"/api/tables{query}"))[1]["tables"]
        assert [t["code"] for t in listed] == [public["code"]]
    assert (await two.call("GET", "/api/tables?game=mo"))[1] == {"tables": []}


async def test_the_opener_and_members_run_a_table_and_nobody_else(house: OpenHouse) -> None:
    opener, member, outsider = [await house.visitor() for _ in range(3)]
    table = await new_table(opener)
    path = f"/api/tables/{table['code']}"
    await member.token()
    guest = await member.rummy(f"?table={table['code']}")
    await guest.expect("lobby")
    now: dict[str, Any] = {}
    for visitor in (opener, member):
        status, now = await visitor.call("POST", f"{path}/bots")
        assert status == 201
        await guest.expect("lobby")
        assert [p["name"] for p in now["players"]] == guest.names
    for method, where in (("POST", "bots"), ("DELETE", "bots"), ("POST", "start")):
        assert error(await outsider.call(method, f"{path}/{where}")) == (403, "not-here")
    assert await guest.fence() == []
    bots = [p for p in now["players"] if not p["human"]]
    status, now = await member.call("DELETE", f"{path}/bots", {"bot": bots[0]["place"]})
    assert status == 200
    assert [p for p in now["players"] if not p["human"]] == [bots[1]]
    assert (await opener.call("DELETE", f"{path}/bots"))[0] == 200
    assert error(await opener.call("DELETE", f"{path}/bots")) == (409, "no-bot")
    assert error(await opener.call("POST", f"{path}/start")) == (409, "too-few")
    for _ in range(3):
        assert (await opener.call("POST", f"{path}/bots"))[0] == 201
    assert error(await opener.call("POST", f"{path}/bots")) == (409, "table-full")
    status, now = await member.call("POST", f"{path}/start")
    assert (status, now["running"], now["round"]) == (200, True, 1)
    await guest.until("start")
    for method, where in (("POST", "bots"), ("DELETE", "bots"), ("POST", "start")):
        assert error(await opener.call(method, f"{path}/{where}")) == (409, "round-running")


async def test_a_table_is_joined_by_its_code_watched_by_it_and_nothing_else(
    house: OpenHouse,
) -> None:
    table = await new_table(await house.visitor(), bots=3)
    guest = await house.rummy(f"?table={table['code'][:3]}%20{table['code'][3:]}")
    await guest.expect("lobby")
    watcher = await house.rummy(f"?watch={table['code']}")
    assert (await watcher.expect("lobby"))["spectator"] is True
    assert watcher.me in [p["id"] for p in watcher.lobby["players"]]
    for query, code, close in (
        ("?table=000000", "no-such-table", 4404),
        ("?watch=000000", "no-such-table", 4404),
        (f"?table={table['code']}", "table-full", 4409),
    ):
        late = await house.rummy(query)
        assert (await late.expect("error"))["code"] == code
        assert await late.closed() == close
    await guest.send("start")
    await guest.until("turn")
    late = await house.rummy(f"?table={table['code']}")
    assert await late.closed() == 4409


# Pages of others


async def test_a_page_of_somebody_else_can_change_nothing(house: OpenHouse) -> None:
    visitor = await house.visitor()
    table = await new_table(visitor, bots=2)
    path = f"/api/tables/{table['code']}"
    before = [t.version for t in house.tables]
    for method, where, body in (
        ("PUT", "/api/me", {"name": "Mallory"}),
        ("POST", "/api/tables", RUMMY),
        ("POST", f"{path}/bots", None),
        ("DELETE", f"{path}/bots", None),
        ("POST", f"{path}/start", None),
    ):
        answer = await visitor.call(method, where, body, headers=EVIL)
        assert error(answer) == (403, "origin")
    assert [t.version for t in house.tables] == before
    assert (await visitor.call("GET", "/api/me"))[1]["name"] == "Player"
    for where in ("/api/me", "/api/tables", path):
        page = await visitor.get(where, headers=EVIL)
        assert "Access-Control-Allow-Origin" not in page.headers


async def test_too_many_changes_too_fast_are_refused(limited_house: OpenHouse) -> None:
    visitor = await limited_house.visitor()
    answer = (200, None)
    while answer[0] == 200:
        answer = await visitor.call("PUT", "/api/me", {"name": "Ada"})
    assert error(answer) == (429, "too-fast")


async def test_codes_can_not_be_guessed_in_a_hurry(limited_house: OpenHouse) -> None:
    visitor = await limited_house.visitor()
    table = await new_table(visitor)
    answer = (404, None)
    while answer[0] == 404:
        answer = await visitor.call("GET", "/api/tables/nowhere")
    assert error(answer) == (429, "too-fast")
    # A right guess is not told from a wrong one any more.
    assert (await visitor.call("GET", f"/api/tables/{table['code']}"))[0] == 429


async def test_what_is_said_to_one_visitor_is_kept_by_no_cache(house: OpenHouse) -> None:
    visitor = await house.visitor()
    for path in ("/api/me", "/api/tables", "/api/nothing", "/user/me"):
        assert (await visitor.get(path)).headers["Cache-Control"] == "no-store", path


# Replays


async def played(house: OpenHouse, visitor: Visitor) -> dict[str, Any]:
    """A table at which one round has been played out; its replay was not to be had before."""
    table = await new_table(visitor, bots=1, settings={"hand_size": 7})
    guest = await visitor.rummy(f"?table={table['code']}")
    await guest.expect("lobby")
    await guest.send("start")
    await guest.until("turn")
    _, now = await visitor.call("GET", f"/api/tables/{table['code']}")
    answer = await visitor.call("GET", f"/api/replays/{now['fairness']['replay']}")
    assert error(answer) == (404, "no-such-replay")
    await guest.play_round()
    return dict(now)


async def test_a_round_can_be_seen_again_once_it_is_over_and_proves_itself_fair(
    open_house: Opener,
) -> None:
    house = await open_house()
    visitor = await house.visitor()
    table = await played(house, visitor)
    stranger = await house.visitor()
    status, replay = await stranger.call("GET", f"/api/replays/{table['fairness']['replay']}")
    assert status == 200
    seed = bytes.fromhex(replay["seed"])
    assert replay["commitment"] == table["fairness"]["commitment"] == commitment(seed)
    assert replay["game"] == "rummy"
    assert replay["settings"] == table["settings"]
    assert len(replay["players"]) == 2
    # Whoever has the seed can deal the same cards again.
    settings = msgspec.convert(replay["settings"], Settings)
    _, dealt = rules.deal(Setup(settings, ["a", "b"]), ProvableRng(seed, "match"), 0)
    moves = [e for e in dealt if isinstance(e, Moved)]
    told = [e for e in replay["steps"][0]["events"] if e["event"] == "Moved"]
    assert [[c["face"] for c in e["cards"]] for e in told] == [
        [c.face for c in e.cards] for e in moves
    ]
    assert [e["event"] for e in replay["steps"][-1]["events"]].count("Finished") == 1
    # The table's own seed, from which those of rounds to come are made, stays where it is.
    [live] = house.tables
    me = (await visitor.call("GET", "/api/me"))[1]
    for secret in (live.opening.seed, live.match_secret(2).hex(), me["id"]):
        assert secret not in msgspec.json.encode(replay).decode()


async def test_what_is_no_replay_is_not_found(open_house: Opener) -> None:
    house = await open_house()
    visitor = await house.visitor()
    table = await played(house, visitor)
    for name in (
        "x",
        "-",
        f"{table['id']}",
        f"{table['id']}-0",
        f"{table['id']}-2",
        f"{table['id']}--1",
        f"{table['id']}-{'9' * 5000}",
        f"{uuid.uuid4()}-1",
        f"{table['id']}-²",
        f"{table['code']}-1",
    ):
        answer = await visitor.call("GET", f"/api/replays/{name}")
        assert error(answer) == (404, "no-such-replay"), name


# Those who watch over the house


async def test_the_house_says_how_it_is(open_house: Opener) -> None:
    house = await open_house()
    visitor = await house.visitor()
    assert await visitor.call("GET", "/healthz") == (200, {"ok": True, "state": "open"})
    assert await visitor.call("GET", "/readyz") == (200, {"ready": True})
    guest = await visitor.rummy()
    await guest.expect("lobby")
    metrics = (await visitor.get("/metrics")).body.decode()
    assert 'parlour_connections{wire="rummy"} 1.0' in metrics
    assert "parlour_tables 1.0" in metrics
    house.server.lifecycle.close()
    assert await visitor.call("GET", "/readyz") == (503, {"ready": False})
    answer = await visitor.call("POST", "/api/tables", RUMMY)
    assert error(answer) == (503, "closing")
    late = await house.rummy("?")
    assert (await late.expect("error"))["code"] == "closing"
    assert await late.closed() == 1001


async def test_every_answer_carries_the_security_headers(house: OpenHouse) -> None:
    visitor = await house.visitor()
    for path in ("/", "/api/me", "/api/nothing", "/nothing", "/rummy"):
        answer = await visitor.get(path)
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"], path
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Server"] == "Parlour"


async def test_no_secret_is_ever_logged(
    open_house: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    house = await open_house(log_level="debug")
    visitor = await house.visitor()
    token = await visitor.token()
    table = await played(house, visitor)
    guest = await visitor.rummy(f"?token={token}")
    await guest.event()
    await guest.send_raw(f'{{"type":"{token}"}}')
    await guest.expect("error")
    await visitor.call("GET", f"/api/replays/{table['fairness']['replay']}?token={token}")
    assert await visitor.refusal(f"/rummy?token={token}x") == 403
    [live] = house.tables
    secrets = [token, live.opening.seed, live.match_secret(1).hex(), live.match_secret(2).hex()]
    await house.shut(guest)
    await (await open_house()).shut()
    logged = "\n".join(f"{r.getMessage()} {r.exc_text or ''}" for r in caplog.records)
    assert "Set-Cookie" not in logged
    for secret in secrets:
        assert secret not in logged


async def test_bots_come_as_strong_as_they_are_asked_for(house: OpenHouse) -> None:
    visitor = await house.visitor()
    body = {"game": "rummy", "bots": 2, "strength": "easy"}
    status, table = await visitor.call("POST", "/api/tables", body)
    assert status == 201
    path = f"/api/tables/{table['code']}/bots"
    assert (await visitor.call("POST", path, {"strength": "normal"}))[0] == 201
    assert (await visitor.call("POST", path))[0] == 201
    (there,) = house.tables
    assert [player.strength for player in there.roster.players] == ["easy", "easy", "normal", ""]
    status, refused = await visitor.call("POST", path, {"strength": "godlike"})
    assert (status, refused["error"]["code"]) == (409, "bad-strength")
    body["strength"] = "godlike"
    status, refused = await visitor.call("POST", "/api/tables", body)
    assert (status, refused["error"]["code"]) == (409, "bad-strength")
    # Nothing is left of a table that could not have its bots.
    assert len(house.tables) == 1
    _, games = await visitor.call("GET", "/api/games")
    offered = {game["id"]: game["strengths"] for game in games["games"]}
    assert offered["rummy"] == ["easy", "normal", "hard"]
    assert offered["mo"] == []


async def test_a_table_says_whether_you_have_a_seat_there_or_were_banned(house: OpenHouse) -> None:
    visitor, stranger = await house.visitor(), await house.visitor()
    await visitor.token()
    await stranger.token()
    _, table = await visitor.call("POST", "/api/tables", {"game": "rummy", "public": True})
    player = await visitor.rummy(f"?table={table['code']}")
    await player.until("lobby")
    for who, yours in ((visitor, True), (stranger, False)):
        _, listed = await who.call("GET", "/api/tables")
        assert [each["yours"] for each in listed["tables"]] == [yours]
        _, one = await who.call("GET", f"/api/tables/{table['code']}")
        assert (one["yours"], one["banned"]) == (yours, False)
    banned = await stranger.rummy(f"?table={table['code']}")
    await banned.until("lobby")
    kick = {"place": 1, "ban": True}
    status, _ = await visitor.call("POST", f"/api/tables/{table['code']}/kick", kick)
    assert status == 200
    for who, expected in ((visitor, False), (stranger, True)):
        _, listed = await who.call("GET", "/api/tables")
        _, one = await who.call("GET", f"/api/tables/{table['code']}")
        assert [each["banned"] for each in (*listed["tables"], one)] == [expected] * 2


async def test_the_list_shows_tables_as_they_are_now(house: OpenHouse) -> None:
    """Their bytes are kept from one answer to the next, and no longer than they are true."""
    opener, stranger = await house.visitor(), await house.visitor()
    await opener.token()
    codes = [
        (await opener.call("POST", "/api/tables", {"game": "rummy", "public": True}))[1]["code"]
        for _ in range(2)
    ]
    path = f"/api/tables/{codes[0]}"
    seen: list[Any] = []

    async def look() -> None:
        _, listed = await stranger.call("GET", "/api/tables")
        for shown in listed["tables"]:
            _, one = await stranger.call("GET", f"/api/tables/{shown['code']}")
            assert one == shown
        shown = next(each for each in listed["tables"] if each["code"] == codes[0])
        assert shown not in seen
        seen.append(shown)
        assert (await stranger.call("GET", "/api/tables"))[1] == listed

    await look()
    player = await opener.rummy(f"?table={codes[0]}")
    await player.until("lobby")
    await look()
    for method, where, body in (
        ("POST", "/bots", {}),
        ("PUT", "/lock", {"locked": True}),
        ("PUT", "/settings", {"settings": {"hand_size": 7}}),
        ("POST", "/start", None),
    ):
        status, told = await opener.call(method, path + where, body)
        assert status < 300, told
        await look()
    await player.close()
    await soon(lambda: not house.tables[0].roster.players[0].present)
    await look()
