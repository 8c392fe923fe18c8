"""The recipes of docs/hosting.md as they are written there: their commands and configurations, with
a real nginx and a real Caddy, and clients that ask as existing ones do."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from parlour.games import installed_games
from tests.server.certificates import write_certificate
from tests.support import PARLOUR, PATIENCE, Process, own_port, soon
from tests.wcp.clients import basic

pytestmark = pytest.mark.slow

HOSTING = (Path(__file__).parents[2] / "docs" / "hosting.md").read_text()
TABLES = "/api/tables"


def blocks(language: str) -> list[str]:
    """What the document has in this language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", HOSTING, re.DOTALL | re.MULTILINE)


def command(beginning: str) -> list[str]:
    """The document's first command that begins so, in words."""
    lines = "".join(blocks("sh")).splitlines()
    return shlex.split(next(line for line in lines if line.startswith(beginning)))[1:]


class Ports:
    """Ports of this machine in place of those that the document names."""

    def __init__(self) -> None:
        self._free: dict[str, int] = {}

    def __getitem__(self, number: str) -> int:
        return self._free.setdefault(number, own_port())

    def instead(self, text: str) -> str:
        return re.sub(r"127\.0\.0\.1:(\d+)", lambda found: f"127.0.0.1:{self[found[1]]}", text)


def nginx(folder: Path, ports: Ports, certificate: tuple[str, str]) -> list[str]:
    """Write what the document says for nginx into this folder; gives the command."""
    snippet, *servers = blocks("nginx")
    (folder / "snippets").mkdir()
    (folder / "snippets/parlour.conf").write_text(snippet)
    text = ports.instead("".join(servers)).replace("/srv/", f"{folder}/")
    text = re.sub(r"listen (\d+)", lambda found: f"listen 127.0.0.1:{ports[found[1]]}", text)
    for named, file in zip(("fullchain", "privkey"), certificate, strict=True):
        text = text.replace(f"/etc/ssl/cards/{named}.pem", file)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    (folder / "nginx.conf").write_text(
        f"daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{temporary}{text}}}\n"
    )
    return ["nginx", "-e", "stderr", "-p", str(folder), "-c", "nginx.conf"]


def caddy(folder: Path, ports: Ports, certificate: tuple[str, str]) -> list[str]:
    """The same for Caddy. It would fetch certificates for these names."""

    def site(found: re.Match[str]) -> str:
        addresses = []
        for address in found[1].split(", "):
            plain = address.startswith("http://")
            name, _, port = address.removeprefix("http://").partition(":")
            here = ports[port or ("80" if plain else "443")]
            addresses.append(f"{'http' if plain else 'https'}://{name}:{here}")
        tls = "" if plain else f"\n    tls {' '.join(certificate)}"
        return f"{', '.join(addresses)} {{{tls}"

    text = ports.instead("".join(blocks("caddy"))).replace("/srv/", f"{folder}/")
    text = re.sub(r"^(\w[^{\n]*) \{$", site, text, flags=re.MULTILINE)
    (folder / "Caddyfile").write_text(f"{{\n    admin off\n    auto_https off\n}}\n{text}")
    return ["caddy", "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


class ThisMachine(AbstractResolver):
    """Every name leads here."""

    async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[ResolveResult]:
        here = {"hostname": host, "host": "127.0.0.1", "port": port}
        return [ResolveResult(**here, family=family, proto=0, flags=0)]  # type: ignore[typeddict-item]

    async def close(self) -> None:
        pass


class Client:
    """Somebody's browser or program before the proxy."""

    def __init__(self, ports: Ports, house: Process, data: Path) -> None:
        self.ports = ports
        self.house = house
        self.data = data
        connector = aiohttp.TCPConnector(resolver=ThisMachine(), ssl=False)
        self.http = aiohttp.ClientSession(connector=connector)

    def at(self, name: str, port: str = "443") -> str:
        return f"http{'s' if port == '443' else ''}://{name}.example:{self.ports[port]}"

    async def socket(self, url: str, *subprotocols: str, **headers: str) -> Any:
        return await self.http.ws_connect(url, protocols=subprotocols, headers=headers)


async def told(socket: Any, count: int = 1) -> list[dict[str, Any]]:
    async with asyncio.timeout(PATIENCE):
        return [await socket.receive_json() for _ in range(count)]


@pytest.fixture(params=[nginx, caddy])
async def client(
    request: pytest.FixtureRequest, tmp_path: Path, serve: Callable[..., Awaitable[Process]]
) -> AsyncIterator[Client]:
    """A client of the house behind that proxy, both set up by the document's words."""
    if shutil.which(request.param.__name__) is None:
        pytest.skip(f"There is no {request.param.__name__} here.")
    ports, folder = Ports(), tmp_path / "proxy"
    folder.mkdir()
    for page in re.findall(r"/srv/([a-z-]+)", HOSTING):
        (folder / page).mkdir(exist_ok=True)
        (folder / page / "index.html").write_text(f"the page of {page}")
    words = [*command("parlour serve --host 127.0.0.1"), *_added("--wcp-port")]
    flags = [str(ports[word]) if word.isdigit() else word for word in words[1:]]
    flags = [f"{word}:{ports['443']}" if word.startswith("https:") else word for word in flags]
    house = await serve(*flags)
    made = request.param(folder, ports, write_certificate(tmp_path))
    proxy = await asyncio.create_subprocess_exec(*made, stderr=asyncio.subprocess.PIPE)
    visitor = Client(ports, house, tmp_path / "data")
    try:
        await _listening(proxy, ports["5000"])
        yield visitor
    finally:
        await visitor.http.close()
        with suppress(ProcessLookupError):
            proxy.terminate()
        await proxy.communicate()


def _added(flag: str) -> list[str]:
    """A flag that the text adds to the command."""
    found = re.search(rf"add `({flag} [^`]+)` to the command", HOSTING)
    assert found
    return found[1].split()


async def _listening(proxy: asyncio.subprocess.Process, port: int) -> None:
    async def taken() -> bool:
        assert proxy.returncode is None, (await proxy.communicate())[1].decode()
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return False
        writer.close()
        return True

    await soon(taken)


async def test_pages_come_from_the_proxy_and_the_house_has_its_own(client: Client) -> None:
    for name in ("rummy", "cambia", "quips"):
        async with client.http.get(f"{client.at(name)}/") as answer:
            assert await answer.text() == f"the page of {name}"
    for port in ("80", "3000"):
        async with client.http.get(f"{client.at('older-quips', port)}/") as answer:
            assert await answer.text() == "the page of older-quips"
    async with client.http.get(f"{client.at('cards')}/api/connection") as answer:
        assert (await answer.json())["proxy"] == "believed"
    # An address of the page's own, below one of the protocol's.
    async with client.http.get(f"{client.at('cambia')}/lobby/123456") as answer:
        assert await answer.text() == "the page of cambia"


async def test_super_rummys_page_is_told_its_lobby(client: Client) -> None:
    page = client.at("rummy")
    (lobby,) = await told(await client.socket(f"{page}/stream", Origin=page))
    assert lobby["type"] == "lobby"
    with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
        await client.socket(f"{page}/stream", Origin="https://evil.example")


async def test_cambias_page_has_its_cookie_its_lobby_and_both_sockets(client: Client) -> None:
    page = client.at("cambia")
    asked = {"headers": {"Origin": page}, "json": {}}
    async with client.http.post(f"{page}/user/guest", **asked) as answer:
        cookie = answer.cookies["auth_token"]
        assert (answer.status, cookie["secure"], cookie["httponly"]) == (200, True, True)
    async with client.http.post(f"{page}/lobby/create", **asked) as answer:
        lobby = (await answer.json())["id"]
    socket = await client.socket(f"{page}/ws/{lobby}", "cambia", Origin=page)
    assert socket.protocol == "cambia"
    (frame,) = await told(socket)
    assert (frame["seq"], frame["type"]) == (1, "lobby_state")
    await socket.close()
    socket = await client.socket(f"{page}/lobby/ws/{lobby}", "lobby", Origin=page)
    assert (socket.protocol, (await told(socket))[0]["type"]) == ("lobby", "lobby_state")
    for path in ("/user/me", "/lobby/list", "/matchmaking/queues", "/friends/list", "/leaderboard"):
        async with client.http.get(f"{page}{path}") as answer:
            assert answer.content_type == "application/json"


GREETING = ["s_clientinfo", "s_players", "s_allcards", "s_hand", "s_gamestate", "s_auxclientdata"]


async def test_quips_newer_page_asks_for_the_port_and_sits_down(client: Client) -> None:
    page = client.at("quips")
    async with client.http.get(f"{page}/gameinfo") as answer:
        assert (await answer.json())["game_port"] == client.ports["443"]
    seated = await client.socket(f"{page}/play", Origin=page, Cookie="name=Ann")
    greeting = await told(seated, 7)
    assert [each["msg"] for each in greeting] == [*GREETING, "s_cardsplayed"]
    assert greeting[1]["players"][0]["name"] == "Ann"
    (players,) = await told(await client.socket(f"{page}/spectate", Origin=page))
    assert players["msg"] == "s_players"


async def test_quips_older_page_finds_its_port(client: Client) -> None:
    page, game = client.at("older-quips", "80"), client.at("older-quips", "3000")
    greeting = await told(await client.socket(f"{game}/game", Origin=page, Cookie="name=Ann"), 7)
    assert [each["msg"] for each in greeting] == [*GREETING, "s_cardsplayed"]
    # Older clients count as ready: so this is one.
    assert [(each["name"], each["ready_up"]) for each in greeting[1]["players"]] == [("Ann", True)]


@pytest.mark.parametrize("port", ["443", "5000"])
async def test_characters_play_onu_over_the_relay(client: Client, port: str) -> None:
    users, channel = ("ann", "ben"), "lounge"
    added = command("parlour wcp user add ann")
    await _run(client, added)
    await _run(client, ["ben" if word == "ann" else word for word in added])
    await _run(client, command(f"parlour wcp channel add {channel}"))
    relay = client.at("cards", port)
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await client.socket(f"{relay}/{channel}", **basic("ann", "wrong"))
    assert refused.value.status == 401
    assert refused.value.headers is not None
    assert refused.value.headers["WWW-Authenticate"] == 'Basic realm="Websocket Collab"'
    sessions = [
        await client.socket(f"{relay}/{channel}", **basic(user, "secret")) for user in users
    ]
    async with client.http.get(f"{relay}/Websocket?roomId={channel}") as answer:
        assert sorted(await answer.json()) == [*users]
    settings = {"channel": channel, "autoSeat": True, "autoStart": 2, "pace": 0}
    async with client.http.post(
        f"{client.at('cards')}{TABLES}", json={"game": "onu", "settings": settings}
    ) as answer:
        assert answer.status == 201
    started = []
    for session in sessions:
        while (message := (await told(session))[0])["payload"]["name"] != "onu-start":
            assert message["from"] == "onu-host"
        started.append(json.loads(message["payload"]["content"]))
    assert [len(state["Players"]) for state in started] == [2, 2]
    # They come back after an abrupt end alone, so the proxy must not make it a polite one.
    await client.house.kill()
    for session in sessions:
        async with asyncio.timeout(PATIENCE):
            while (frame := await session.receive()).type is aiohttp.WSMsgType.TEXT:
                pass
        assert frame.type is aiohttp.WSMsgType.CLOSED


async def _run(client: Client, words: list[str]) -> None:
    words = [*map(client.ports.instead, words), "--data", str(client.data)]
    process = await asyncio.create_subprocess_exec(
        *PARLOUR, *words, env={"PARLOUR_WCP_PASSWORD": "secret"}
    )
    assert await process.wait() == 0


async def test_a_program_comes_back_to_its_game_of_mo(client: Client) -> None:
    boards = []
    for _ in range(2):
        socket = await client.socket(f"{client.at('cards')}/mo")
        boards += await told(socket)
        await socket.close()
    assert boards[0]["type"] == "board"
    assert boards[0]["seed"] == boards[1]["seed"]


# -- without a proxy ------------------------------------------------------------------


def passed_by_nginx(name: str) -> list[re.Pattern[str]]:
    """Which addresses of a page of this name are passed on to the house."""
    server = next(block for block in blocks("nginx") if f"server_name {name};" in block)
    found = re.findall(r"location (=|~) (\S+) \{\s*proxy_pass", server)
    return [re.compile(f"{re.escape(at)}$" if kind == "=" else at) for kind, at in found]


def passed_by_caddy(name: str) -> list[re.Pattern[str]]:
    site = next(block for block in blocks("caddy") if name in block)
    if regular := re.search(r"path_regexp (\S+)", site):
        return [re.compile(regular[1])]
    listed = re.search(r"@parlour path (.+)|reverse_proxy (/\S+)", site)
    assert listed
    return [re.compile(f"{re.escape(at)}$") for at in (listed[1] or listed[2]).split()]


ASKED_FOR = {"rummy": {"/stream"}, "quips": {"/gameinfo", "/play", "/spectate"}}
"""Where it is not all that the game has."""


@pytest.mark.parametrize("passed_by", [passed_by_nginx, passed_by_caddy])
@pytest.mark.parametrize("host", ["rummy", "cambia", "quips", "older-quips"])
def test_what_a_page_asks_for_is_what_its_game_has(
    host: str, passed_by: Callable[[str], list[re.Pattern[str]]]
) -> None:
    game = next(game for game in installed_games() if host.endswith(game.id))
    has = {path for wire in game.wires for path in wire.paths}
    has |= {route.path for route in game.routes.routes} if game.routes else set()
    asked = {"/game"} if host == "older-quips" else ASKED_FOR.get(host, has)
    assert asked <= has
    patterns = passed_by(f"{host}.example")
    passed = {
        path
        for path in has
        if any(pattern.match(re.sub(r"\{\w+\}", "1f0e", path)) for pattern in patterns)
    }
    assert passed == asked
