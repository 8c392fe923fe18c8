"""The settings of the server: flags, then `PARLOUR_*` variables, then a TOML file.

One `Config` field is one flag, one variable and one key, with the same meaning in each.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterable, Mapping
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit, urlunsplit

import msgspec
from msgspec import Meta

from parlour.described import described

MOST: Final = 10**9
"""The largest number for any setting: unlike infinity, timers can be set to it."""
MOST_BYTES: Final = 2**20
"""Of a file that people write."""

POSTGRES: Final = ("postgresql", "postgres")
PREFIX: Final = "PARLOUR_"
VARIABLES: Final = frozenset(
    ("CONFIG", "WCP_PASSWORD", "CHROMIUM", "SCREENSHOTS", "BATTERY_EFFORT", "RECORD")
)
"""`PARLOUR_` variables that are not settings: for other commands, and for tests."""


class BadConfig(Exception):
    """A mistake in the configuration; the sentence says what and where."""


def _bounds(le: int = MOST, **bounds: Any) -> Meta:
    return Meta(le=le, **bounds)


@described
class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings. `parlour config` prints them."""

    host: str = "0.0.0.0"  # noqa: S104 - a game night is a LAN's
    """Address to listen on."""
    port: Annotated[int, _bounds(ge=0, le=65535)] = 3000
    """Port to listen on; 0 lets the machine choose."""
    data: str = "data"
    """Folder for all data; :memory: keeps nothing on disk."""
    store: str | None = None
    """PostgreSQL database for all data, postgresql://...; by default the data folder."""
    bus: str | None = None
    """NATS server between several nodes, nats://...; by default there is one node."""
    role: Literal["both", "gateway", "owner"] = "both"
    """gateway (holds connections), owner (runs tables) or both."""
    lease: Annotated[float, _bounds(ge=0.5)] = 2.0
    """Seconds without contact after which others take over a node's tables."""
    node: str | None = None
    """Name of this node; by default its machine and port."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Least severe log lines: debug, info, warning or error."""
    tls_cert: str | None = None
    """PEM file with the certificate chain."""
    tls_key: str | None = None
    """PEM file with the certificate's key."""
    public_url: str | None = None
    """Address that people type, if they use a proxy or a domain."""
    proxy_headers: bool = False
    """Use X-Forwarded-For and X-Forwarded-Proto of trusted proxies."""
    trusted_proxies: tuple[str, ...] = ("127.0.0.0/8", "::1")
    """Addresses or networks of these proxies, separated by commas."""
    origins: list[str] = []
    """Other sites whose pages may connect, separated by commas; '*' for any."""
    hosts: list[str] = []
    """Other host names of this server, separated by commas; '*' for any."""
    word_list: str | None = None
    """File of words, one per line; stars replace them in names and talk."""
    packs: str | None = None
    """Folder with more card packs."""
    games: dict[str, dict[str, Any]] = {}
    """Default settings of the tables of each game, as JSON."""
    bot_pace: Annotated[float, _bounds(ge=0)] = 1.0
    """Pause of bots before a move: 1 as long as people, 0 none."""

    message_size: Annotated[int, _bounds(ge=256)] = 16_384
    """Largest message accepted, in bytes."""
    message_rate: Annotated[float, _bounds(gt=0)] = 500.0
    """Most messages per second of one connection."""
    message_burst: Annotated[int, _bounds(ge=1)] = 1000
    """Most messages that one connection may send at once."""
    address_rate: Annotated[float, _bounds(gt=0)] = 2500.0
    """Most messages per second from one address."""
    address_burst: Annotated[int, _bounds(ge=1)] = 5000
    """Most messages that one address may send at once."""
    address_connections: Annotated[int, _bounds(ge=1)] = 500
    """Most connections from one address."""
    request_rate: Annotated[float, _bounds(gt=0)] = 50.0
    """Most HTTP requests per second from one address."""
    request_burst: Annotated[int, _bounds(ge=1)] = 500
    """Most HTTP requests that one address may send at once."""
    outgoing_bytes: Annotated[int, _bounds(ge=4096)] = 262_144
    """Most bytes that wait for one slow client, besides one message."""
    outgoing_total: Annotated[int, _bounds(ge=65_536)] = 268_435_456
    """Most bytes that wait for all clients; then the slowest are closed."""
    heartbeat: Annotated[float, _bounds(gt=0)] = 30.0
    """Seconds of silence after which a connection is pinged."""
    idle_timeout: Annotated[float, _bounds(gt=0)] = 4 * 3600.0
    """Seconds without a message after which a connection is closed."""
    request_timeout: Annotated[float, _bounds(gt=0)] = 60.0
    """Seconds in which an HTTP request must arrive."""
    wcp_port: Annotated[int, Meta(ge=0, le=65535)] | None = None
    """A second port, for the relay only; some tools expect 5000."""
    wcp_open: bool | None = None
    """Accept any user and password on the relay; by default only on localhost."""
    wcp_message_rate: Annotated[float, _bounds(gt=0)] = 50.0
    """Most messages per second of one session of the relay; more wait."""
    wcp_message_burst: Annotated[int, _bounds(ge=1)] = 200
    """Most messages that a session of the relay may send at once."""
    tables: Annotated[int, _bounds(ge=1)] = 10_000
    """Most tables that are open at a time."""
    tables_per_session: Annotated[int, _bounds(ge=1)] = 20
    """Most open tables of one visitor."""
    spectators: Annotated[int, _bounds(ge=0)] = 50
    """Most spectators at one table."""
    keep_seats: Annotated[int, _bounds(ge=30, le=604_800)] = 600
    """Seconds for which the seat of a disconnected player is kept."""

    @property
    def secure(self) -> bool:
        """Whether people use https."""
        return self.tls_cert is not None or (self.public_url or "").startswith("https:")

    @property
    def node_name(self) -> str:
        """This node, for operators."""
        return self.node or f"{socket.gethostname()}:{self.port}"

    @property
    def root(self) -> str:
        """The path that all our addresses begin with: "", or "/parlour" for example."""
        return urlsplit(self.public_url or "").path.rstrip("/")

    @property
    def relay_is_open(self) -> bool:
        """Whether anybody may use the relay; by default if only this machine can connect."""
        if self.wcp_open is not None:
            return self.wcp_open
        behind_a_proxy = self.proxy_headers or self.public_url is not None
        return is_loopback(self.host) and not behind_a_proxy

    def check(self) -> Config:
        """The same settings, checked together, with `public_url` as browsers write it."""
        from parlour.server.addresses import site

        if (self.tls_cert is None) != (self.tls_key is None):
            raise BadConfig("TLS needs both tls_cert and tls_key.")
        for name in ("tls_cert", "tls_key"):
            path = getattr(self, name)
            if path is not None and not is_file(path):
                raise BadConfig(f"{name}: there is no file {path}.")
        if self.store is not None and _scheme("store", self.store) not in POSTGRES:
            raise BadConfig("store must start with postgresql://.")
        if self.bus is not None and _scheme("bus", self.bus) not in ("nats", "tls"):
            raise BadConfig("bus must start with nats://.")
        if self.bus is not None and self.store is None:
            raise BadConfig("bus needs a store that nodes share: postgresql://...")
        if self.bus is None and self.role != "both":
            raise BadConfig("Without a bus there is one node, which is both gateway and owner.")
        if self.packs is not None and not is_folder(self.packs):
            raise BadConfig(f"packs: there is no folder {self.packs}.")
        for proxy in self.trusted_proxies:
            try:
                ip_network(proxy, strict=False)
            except ValueError:
                raise BadConfig(
                    f"trusted_proxies: {proxy!r} is no address and no network (10.0.0.0/8, say)."
                ) from None
        if self.public_url and not _is_address(self.public_url):
            raise BadConfig(
                "public_url must start with http:// or https:// and name a host; a path behind it "
                "has letters, digits, dots, dashes and underscores."
            )
        if not self.public_url:
            return self
        return msgspec.structs.replace(self, public_url=f"{site(self.public_url)}{self.root}/")


def shown(field: str, value: object) -> str:
    """A setting as it is printed: without the password of a URL."""
    if field not in ("store", "bus") or value is None:
        return str(value)
    parts = urlsplit(str(value))
    if parts.password is None:
        return str(value)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{parts.username}:***@{host}"))


def load(
    flags: Mapping[str, object], environ: Mapping[str, str] = os.environ, file: str | None = None
) -> tuple[Config, dict[str, str]]:
    """The settings, and where each value that is not a default came from.

    `file` is the TOML file to read; "" reads none.
    """
    told: dict[str, Any] = {}
    source: dict[str, str] = {}
    if file is None:
        file = environ.get("PARLOUR_CONFIG", "parlour.toml" if is_file("parlour.toml") else "")
    if file:
        for key, value in _read(Path(file)).items():
            told[key] = _field(key, value, file, strict=True)
            source[key] = file
    _check_variables(environ)
    for field in Config.__struct_fields__:
        variable = f"{PREFIX}{field.upper()}"
        if variable in environ:
            told[field] = _field(field, environ[variable], variable, strict=False)
            source[field] = variable
    for key, value in flags.items():
        if value is not None:
            source[key] = f"--{'no-' if value is False else ''}{key.replace('_', '-')}"
            told[key] = _field(key, value, source[key], strict=False)
    return Config(**told).check(), source


def _read(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(read_text("configuration file", path))
    except RecursionError:
        raise BadConfig(f"The configuration file {path} is nested too deeply.") from None
    except tomllib.TOMLDecodeError as wrong:
        raise BadConfig(f"The configuration file {path} is no TOML: {wrong}.") from None


def read_text(what: str, path: Path) -> str:
    """The text of a file that people write; raises `BadConfig`."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise BadConfig(f"The {what} {path} is too large: more than {MOST_BYTES} bytes.")
        # Some editors write a byte order mark.
        return data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as wrong:
        raise BadConfig(f"The {what} {path} can't be read: {wrong}.") from None


def _scheme(key: str, url: str) -> str:
    try:
        return urlsplit(url).scheme
    except ValueError as wrong:
        raise BadConfig(f"{key} is no address: {wrong}.") from None


def _check_variables(environ: Mapping[str, str]) -> None:
    """An unknown `PARLOUR_` variable is a mistake, like an unknown key."""
    known = VARIABLES | {field.upper() for field in Config.__struct_fields__}
    for variable in sorted(environ):
        name = variable.removeprefix(PREFIX)
        if name != variable and name not in known:
            raise BadConfig(f"There is no variable {variable}{_perhaps(name, known, PREFIX)}.")


def _perhaps(name: str, known: Iterable[str], prefix: str = "") -> str:
    """A hint at a known name that looks similar."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return f" (did you mean {prefix}{near[0]}?)" if near else ""


def _field(key: str, value: object, where: str, strict: bool) -> Any:
    types = {f.name: f.type for f in msgspec.structs.fields(Config)}
    if key not in types:
        raise BadConfig(f"{where}: there is no setting called {key!r}{_perhaps(key, types)}.")
    if key in ("origins", "hosts", "trusted_proxies") and isinstance(value, str) and not strict:
        value = [one.strip() for one in value.split(",") if one.strip()]
    if key == "games" and isinstance(value, str) and not strict:
        try:
            value = msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError) as wrong:
            raise BadConfig(f"{where}: {key} must be JSON here: {wrong}.") from None
    try:
        return msgspec.convert(value, types[key], strict=strict)
    except msgspec.ValidationError as wrong:
        raise BadConfig(f"{where}: {key} can't be {value!r}: {wrong}.") from None


def is_file(path: str) -> bool:
    """Whether it exists. If that may not be read, True: opening it will say why not."""
    try:
        return Path(path).is_file()
    except PermissionError:
        return True
    except OSError:  # a name that is too long
        return False


def is_folder(path: str) -> bool:
    try:
        return Path(path).is_dir()
    except OSError:
        return False


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to a host."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # "http://[", say
        return False
    plain = re.fullmatch(r"(/[A-Za-z0-9._~-]+)*/?", parts.path) is not None
    return known and plain and not parts.query and not parts.fragment
