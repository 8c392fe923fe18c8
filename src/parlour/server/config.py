"""What the server can be told: flags, then `PARLOUR_*` variables, then a TOML file.

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

MOST: Final = 10**9
"""Of anything: more than anybody needs and, unlike infinity, what clocks can count to."""
MOST_BYTES: Final = 2**20
"""Of a file that is written by hand."""

POSTGRES: Final = ("postgresql", "postgres")
PREFIX: Final = "PARLOUR_"
VARIABLES: Final = frozenset(
    ("CONFIG", "WCP_PASSWORD", "CHROMIUM", "SCREENSHOTS", "BATTERY_EFFORT", "RECORD")
)
"""Variables of ours that are no settings: of other commands, and of tests."""


class BadConfig(Exception):
    """Something about the configuration can't be; the sentence says what and where."""


def _says(text: str, **bounds: Any) -> Meta:
    if bounds:
        bounds.setdefault("le", MOST)
    return Meta(description=text, **bounds)


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything in force. `parlour config` prints it."""

    host: Annotated[str, _says("Address to listen on.")] = "0.0.0.0"  # noqa: S104 - a game night is a LAN's
    port: Annotated[int, _says("Port to listen on; 0 lets the machine choose.", ge=0, le=65535)] = (
        3000
    )
    data: Annotated[str, _says("Folder of the log, or :memory: to keep nothing.")] = "data"
    store: Annotated[
        str | None,
        _says("Database of the record, postgresql://...; left out, it is in the data folder."),
    ] = None
    bus: Annotated[
        str | None,
        _says("What carries messages between nodes, nats://...; left out, this one is alone."),
    ] = None
    role: Annotated[
        Literal["both", "gateway", "owner"],
        _says("Whether this node holds connections, runs tables, or both."),
    ] = "both"
    lease: Annotated[
        float,
        _says("Seconds a node may be out of touch before others take its tables over.", ge=0.5),
    ] = 2.0
    node: Annotated[
        str | None, _says("What this node is called; left out, by its machine and port.")
    ] = None
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], _says("How much to say.")
    ] = "info"
    tls_cert: Annotated[str | None, _says("PEM file with the certificate chain.")] = None
    tls_key: Annotated[str | None, _says("PEM file with the certificate's key.")] = None
    public_url: Annotated[str | None, _says("Address people use, where it differs.")] = None
    proxy_headers: Annotated[
        bool, _says("Believe X-Forwarded-For and -Proto of trusted proxies.")
    ] = False
    trusted_proxies: Annotated[
        tuple[str, ...], _says("Addresses or networks whose word about that is believed.")
    ] = ("127.0.0.0/8", "::1")
    origins: Annotated[list[str], _says("Other origins whose pages may connect; '*' for any.")] = []
    hosts: Annotated[list[str], _says("Other names this house goes by; '*' for any.")] = []
    word_list: Annotated[
        str | None, _says("File of words, one a line, that become stars in what people write.")
    ] = None
    packs: Annotated[str | None, _says("Folder of card packs that are there besides ours.")] = None
    games: Annotated[
        dict[str, dict[str, Any]], _says("By game, what its tables are set to unless told so.")
    ] = {}
    bot_pace: Annotated[float, _says("How slowly bots play: 1 like people, 0 at once.", ge=0)] = 1.0

    message_size: Annotated[int, _says("Largest message taken, in bytes.", ge=256)] = 16_384
    message_rate: Annotated[float, _says("Messages per second and connection.", gt=0)] = 500.0
    message_burst: Annotated[int, _says("Messages a connection may send at once.", ge=1)] = 1000
    address_rate: Annotated[float, _says("Messages per second and address.", gt=0)] = 2500.0
    address_burst: Annotated[int, _says("Messages an address may send at once.", ge=1)] = 5000
    address_connections: Annotated[int, _says("Connections per address.", ge=1)] = 500
    request_rate: Annotated[float, _says("HTTP requests per second and address.", gt=0)] = 50.0
    request_burst: Annotated[int, _says("HTTP requests an address may send at once.", ge=1)] = 500
    outgoing_bytes: Annotated[
        int, _says("What may wait for a slow reader, besides one message.", ge=4096)
    ] = 262_144
    outgoing_total: Annotated[
        int,
        _says("What may wait for all together, in bytes; then who holds most is cut.", ge=65_536),
    ] = 268_435_456
    heartbeat: Annotated[float, _says("Seconds between pings.", gt=0)] = 30.0
    idle_timeout: Annotated[float, _says("Seconds a connection may say nothing at all.", gt=0)] = (
        4 * 3600.0
    )
    request_timeout: Annotated[
        float, _says("Seconds HTTP waits for a request, or for the rest of one.", gt=0)
    ] = 60.0
    wcp_port: Annotated[
        Annotated[int, Meta(ge=0, le=65535)] | None,
        _says("Another port for the relay alone; some tools ask on 5000."),
    ] = None
    wcp_open: Annotated[
        bool | None,
        _says("Any user with any password on the relay; left out, on this machine only."),
    ] = None
    wcp_message_rate: Annotated[
        float, _says("Messages per second and session of the relay; more have to wait.", gt=0)
    ] = 50.0
    wcp_message_burst: Annotated[
        int, _says("Messages a session of the relay may send at once.", ge=1)
    ] = 200
    tables: Annotated[int, _says("Tables the house has.", ge=1)] = 10_000
    tables_per_session: Annotated[int, _says("Tables one visitor may open.", ge=1)] = 20
    spectators: Annotated[int, _says("Spectators at one table.", ge=0)] = 50
    keep_seats: Annotated[
        int, _says("Seconds the seats of people who are away are kept.", ge=30, le=604_800)
    ] = 600

    @property
    def secure(self) -> bool:
        """Whether people reach us by https."""
        return self.tls_cert is not None or (self.public_url or "").startswith("https:")

    @property
    def node_name(self) -> str:
        """What operators call this node."""
        return self.node or f"{socket.gethostname()}:{self.port}"

    @property
    def root(self) -> str:
        """The path that all our addresses begin with: "" on a host of our own, or "/parlour"."""
        return urlsplit(self.public_url or "").path.rstrip("/")

    @property
    def relay_is_open(self) -> bool:
        """Whether anybody may use the relay: if nothing is said, when only this machine can."""
        if self.wcp_open is not None:
            return self.wcp_open
        behind_a_proxy = self.proxy_headers or self.public_url is not None
        return is_loopback(self.host) and not behind_a_proxy

    def check(self) -> Config:
        """Itself, if its parts fit together; the public address as browsers write it."""
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
        return (
            self
            if not self.public_url
            else msgspec.structs.replace(self, public_url=f"{site(self.public_url)}{self.root}/")
        )


def shown(field: str, value: Any) -> str:
    """A setting to be printed: without the password of a URL."""
    if field not in ("store", "bus") or value is None:
        return str(value)
    parts = urlsplit(str(value))
    if parts.password is None:
        return str(value)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{parts.username}:***@{host}"))


def load(
    flags: Mapping[str, Any], environ: Mapping[str, str] = os.environ, file: str | None = None
) -> tuple[Config, dict[str, str]]:
    """The configuration in force, and where each value that is no default came from.

    `file` is the TOML file to read; an empty name is none.
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
    """A file that somebody wrote by hand, whatever it is that they named."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise BadConfig(f"The {what} {path} is too large: more than {MOST_BYTES} bytes.")
        # Some editors write a mark in front of what is UTF-8.
        return data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as wrong:
        raise BadConfig(f"The {what} {path} can't be read: {wrong}.") from None


def _scheme(key: str, url: str) -> str:
    try:
        return urlsplit(url).scheme
    except ValueError as wrong:
        raise BadConfig(f"{key} is no address: {wrong}.") from None


def _check_variables(environ: Mapping[str, str]) -> None:
    """A variable that looks like one of ours and is none is a slip, like an unknown key."""
    known = VARIABLES | {field.upper() for field in Config.__struct_fields__}
    for variable in sorted(environ):
        name = variable.removeprefix(PREFIX)
        if name != variable and name not in known:
            raise BadConfig(f"There is no variable {variable}{_perhaps(name, known, PREFIX)}.")


def _perhaps(name: str, known: Iterable[str], prefix: str = "") -> str:
    """What may have been meant instead."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return f" (did you mean {prefix}{near[0]}?)" if near else ""


def _field(key: str, value: Any, where: str, strict: bool) -> Any:
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
    """Whether there is one; what we may not look at is there, and reading it will say more."""
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
