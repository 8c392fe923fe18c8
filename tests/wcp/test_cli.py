"""`parlour wcp`, `parlour onu table`, `parlour bot onu`, and the examples, as programs."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from parlour.cli import app
from parlour.kit import Illegal
from parlour.relay.manage import AUDIENCE, Order
from parlour.server.keys import SigningKey
from parlour.server.orders import SignedOrder, sign, verified
from tests.support import PARLOUR, PATIENCE, Opener, OpenHouse
from tests.wcp.clients import AnsweringBot, Session, Window
from tests.wcp.conftest import Entrant

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "onu_bots"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith("PARLOUR_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "200")


def parlour(*args: str) -> list[str]:
    """What a command that must work prints, line by line."""
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout.splitlines()


def sentence(*args: str) -> str:
    """What a command that must not work has to say."""
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 2, done.output
    return done.stderr.strip()


# -- settings -------------------------------------------------------------------------


def setting(name: str, *flags: str) -> list[str]:
    """A setting's value, and where it comes from."""
    return next(line.split()[1:] for line in parlour("config", *flags) if line.startswith(name))


def test_the_relay_is_set_up_by_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    assert setting("wcp_open") == ["None", "default"]
    assert setting("wcp_open", "--wcp-open") == ["True", "--wcp-open"]
    assert setting("wcp_open", "--no-wcp-open") == ["False", "--no-wcp-open"]
    monkeypatch.setenv("PARLOUR_WCP_OPEN", "false")
    assert setting("wcp_open") == ["False", "PARLOUR_WCP_OPEN"]
    assert setting("wcp_port", "--wcp-port", "5000") == ["5000", "--wcp-port"]
    for wrong in ("many", "-1", "70000"):
        assert "--wcp-port: wcp_port can't be" in sentence("config", "--wcp-port", wrong)


# -- users and channels ---------------------------------------------------------------


def test_without_a_server_the_file_is_changed(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    parlour("wcp", "user", "add", "ann", "--password", "secret")
    parlour("wcp", "user", "add", "Ben", "--password", "secret")
    parlour("wcp", "channel", "add", "lounge")
    assert parlour("wcp", "user", "list") == ["Ben", "ann"]
    assert parlour("wcp", "channel", "list") == ["lounge"]
    parlour("wcp", "user", "remove", "ANN")
    assert parlour("wcp", "user", "list") == ["Ben"]
    assert "reserved" in sentence("wcp", "channel", "add", "metrics")
    assert "already" in sentence("wcp", "channel", "add", "LOUNGE")
    assert "no user called ann" in sentence("wcp", "user", "remove", "ann")
    assert "A name has" in sentence("wcp", "user", "add", "a b", "--password", "x")
    assert "secret" not in (tmp_path / "data" / "parlour.sqlite").read_bytes().decode("latin-1")


def test_a_folder_that_is_not_there_is_not_made() -> None:
    assert "no data folder" in sentence("wcp", "user", "list")
    assert "name one" in sentence("wcp", "user", "list", "--data", ":memory:")


async def test_a_running_server_is_asked_to_do_it(
    open_house: Opener, enter: Entrant, tmp_path: Path
) -> None:
    house = await open_house(wcp_open=False)
    where = ("--data", str(tmp_path / "data"), "--url", house.base)

    def change() -> None:
        parlour("wcp", "user", "add", "ann", "--password", "secret", *where)
        parlour("wcp", "channel", "add", "lounge", *where)
        assert parlour("wcp", "user", "list", *where) == ["ann"]
        assert "reserved" in sentence("wcp", "channel", "add", "onu", *where)
        elsewhere = ("--data", str(tmp_path / "data"), "--url", "http://127.0.0.1:1")
        assert "Say where it is with --url" in sentence("wcp", "user", "list", *elsewhere)

    await asyncio.to_thread(change)
    await enter(Session, house, "lounge", "ann")


async def test_an_order_needs_the_servers_key(open_house: Opener, tmp_path: Path) -> None:
    house = await open_house(wcp_open=False)
    visitor = await house.visitor()
    other = SigningKey()
    token = await visitor.token()
    for order in ("", "x", sign(other, AUDIENCE, Order("list")).order, token):
        status, no = await visitor.call("POST", "/api/wcp", {"order": order})
        assert (status, no["error"]["code"]) == (403, "bad-token")
    own = SigningKey.of_folder(tmp_path / "data")
    order = sign(own, AUDIENCE, Order("nothing"))
    assert (await visitor.call("POST", "/api/wcp", {"order": order.order}))[0] == 400
    # Nobody is signed in by an order, and an old one is worth nothing.
    assert house.server.sessions.check(order.order)[0] is None
    old = sign(own, AUDIENCE, Order("list")).order
    assert verified(own, AUDIENCE, SignedOrder(old), Order) == Order("list")
    with pytest.raises(Illegal):
        verified(own, AUDIENCE, sign(own, AUDIENCE, Order("list"), good_for=-60), Order)


# -- tables and bots ------------------------------------------------------------------

Runner = Callable[..., "asyncio.Future[asyncio.subprocess.Process]"]


@pytest.fixture
async def programs() -> AsyncIterator[list[asyncio.subprocess.Process]]:
    """Programs that a test has started; none outlives it."""
    started: list[asyncio.subprocess.Process] = []
    yield started
    for process in started:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def start(*command: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "COLUMNS": "200", "PYTHONUNBUFFERED": "1"},
    )


async def test_a_table_from_the_terminal_with_four_bots_as_programs(
    house: OpenHouse, enter: Entrant, programs: list[asyncio.subprocess.Process]
) -> None:
    """A table opened from a terminal, played at by `parlour bot onu` and the three examples."""
    window = await enter(Window, house, "lounge", "eve")
    relay = f"ws://127.0.0.1:{house.server.port}"
    await enter(AnsweringBot, house, "lounge", "flo")
    flags = ("--channel", "lounge", "--pace", "0", "--no-seat", "--take-over")
    table = await start(*PARLOUR, "onu", "table", "--url", house.base, *flags)
    programs.append(table)
    players = ("--url", relay, "--channel", "lounge", "--user", "ann", "--password", "x")
    programs.append(await start(*PARLOUR, "bot", "onu", *players, "--name", "Ann"))
    for name, user in (("document", "ben"), ("short", "cleo"), ("talking", "dora")):
        program = (sys.executable, str(EXAMPLES / f"{name}.py"), relay, "lounge", user)
        programs.append(await start(*program))
    assert table.stdout is not None
    assert table.stdin is not None
    printed: list[str] = []

    async def prints(*words: str) -> None:
        """Returns once there is a line with all of these."""
        while not any(all(word in line for word in words) for line in printed):
            printed.append((await table.stdout.readline()).decode())
            assert printed[-1], printed

    async with asyncio.timeout(6 * PATIENCE):
        # A bot that never pings is given a seat by its user name; the name at the table is free.
        table.stdin.write(b"seat nobody\nseat flo The Flo\nwhat now\n")
        await prints("No such user is in the channel.")
        await prints("At the table", "The Flo")
        # A bot could play for The Flo, were they away.
        table.stdin.write(b"bot Nobody\nbot The Flo\n")
        await prints("Nobody at the table is called so.")
        await prints("No round is running.")
        await prints("Ann", "ben", "cleo", "dora")
        table.stdin.write(b"\n")
        lines: list[str] = []
        # Everybody plays and somebody talks: a whole game may take a few hundred answers.
        while not all(
            any(line.startswith(begins) for line in lines)
            for begins in ("Ann plays", "ben plays", "cleo plays", "dora plays", "dora: ")
        ):
            lines.append((await table.stdout.readline()).decode())
            assert lines[-1], lines
    assert lines[0].startswith("A game begins.")
    assert {player["UserName"] for player in window.states[0]["Players"]} == {
        "ann",
        "ben",
        "cleo",
        "dora",
        "flo",
    }


async def test_what_goes_wrong_is_said_in_a_sentence(house: OpenHouse) -> None:
    def wrong() -> None:
        nowhere = ("--url", "http://127.0.0.1:1")
        assert "can't be reached" in sentence("onu", "table", *nowhere)
        channel = ("--channel", "metrics", "--url", house.base)
        assert "no channel called metrics" in sentence("onu", "table", *channel)
        bot = ("bot", "onu", "--channel", "lounge", "--user", "ann", "--password", "x")
        assert "can't be reached" in sentence(*bot, "--url", "ws://127.0.0.1:1")
        url = f"ws://127.0.0.1:{house.server.port}"
        refused = ("bot", "onu", "--channel", "metrics", "--user", "ann", "--password", "x")
        assert "refused" in sentence(*refused, "--url", url)

    await asyncio.to_thread(wrong)


def test_the_examples_document_bot_answers_as_ours_does() -> None:
    sys.path.insert(0, str(EXAMPLES))
    try:
        import document  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(EXAMPLES))
    from parlour.onu import DocumentBot, Turn
    from tests.wcp.test_bots import PROMPTS

    for prompt in PROMPTS:
        turn = Turn.read(json.dumps(prompt))
        assert turn is not None
        own, other = DocumentBot().choose(turn), document.DocumentBot().choose(turn)
        assert (own.action, own.card_index or 0) == (other.action, other.card_index or 0)
        assert own.wild_color == other.wild_color
