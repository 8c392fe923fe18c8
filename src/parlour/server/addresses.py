"""Addresses of the server: as it prints them, as links begin, and compared as origins."""

from __future__ import annotations

import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from parlour.server.config import Config

_FAR: Final = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses outside this network that nobody has (RFC 5737, RFC 3849)."""
_EVERYWHERE: Final = {
    "0.0.0.0": (socket.AF_INET,),  # noqa: S104 - compared, not bound
    "": (socket.AF_INET, socket.AF_INET6),
    "::": (socket.AF_INET6,),
}
"""Hosts that mean all addresses of this machine, of these families."""
_GET_ADDRESS: Final = 0x8915
"""Linux: SIOCGIFADDR of netdevice(7)."""
_ADDRESSES_6: Final = Path("/proc/net/if_inet6")
_INTERFACE: Final = struct.Struct("16s16x8x")


def local_url(config: Config, port: int) -> str:
    """The address to open on this machine."""
    return _url(config, "localhost" if config.host in _EVERYWHERE else config.host, port)


def network_url(config: Config, port: int) -> str | None:
    """The address for others in the same network; None if we do not listen there."""
    for family in _EVERYWHERE.get(config.host, ()):
        for host in _hosts(family):
            if not ip_address(host).is_loopback:
                return _url(config, host, port)
    return None


def _url(config: Config, host: str, port: int) -> str:
    scheme = "https" if config.tls_cert else "http"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def _hosts(family: socket.AddressFamily) -> Iterator[str]:
    """Addresses of this machine, first the one it uses towards the Internet."""
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        # Nothing is sent: connecting a datagram socket only chooses an address of ours.
        probe.connect((_FAR[family], 9))
        yield probe.getsockname()[0]
    # Without a route to the Internet (two machines on one cable), ask the interfaces.
    if sys.platform == "linux":
        yield from _interfaces_4() if family is socket.AF_INET else _interfaces_6()


def _interfaces_4() -> Iterator[str]:
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            # An interface without an address answers with an error.
            with suppress(OSError):
                request = _INTERFACE.pack(name.encode())
                answer = fcntl.ioctl(probe, _GET_ADDRESS, request)
                yield socket.inet_ntoa(answer[20:24])


def _interfaces_6() -> Iterator[str]:
    with suppress(OSError):
        for line in _ADDRESSES_6.read_text().splitlines():
            digits, _, _, scope, *_ = line.split()
            # Only addresses of global scope (0) can be used without naming an interface.
            if int(scope, 16) == 0:
                yield str(ip_address(bytes.fromhex(digits)))


class Site(NamedTuple):
    """An origin: two URLs are of the same one if these fields are equal."""

    scheme: str
    host: str
    port: int | None

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port in (None, _DEFAULT_PORTS.get(self.scheme)) else f":{self.port}"
        return f"{self.scheme}://{host}{port}"


_DEFAULT_PORTS: Final = {"http": 80, "https": 443, "ws": 80, "wss": 443}


def site(url: str) -> Site | None:
    """The origin of a URL or an Origin header; None if it is not an address."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:  # "http://[", say
        return None
    if not parts.hostname:
        return None
    return Site(parts.scheme, parts.hostname, port or _DEFAULT_PORTS.get(parts.scheme))
