"""Addresses: which are told to whom, and which are the same."""

from __future__ import annotations

import socket
import sys
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.cli import _welcome
from parlour.server import addresses
from parlour.server.addresses import local_url, network_url, site
from parlour.server.config import Config
from parlour.server.server import Server


@pytest.mark.parametrize(
    ("settings", "address"),
    [
        ({"host": "0.0.0.0"}, "http://localhost:3000"),
        ({"host": "::"}, "http://localhost:3000"),
        ({"host": ""}, "http://localhost:3000"),
        ({"host": "192.0.2.7"}, "http://192.0.2.7:3000"),
        ({"host": "2001:db8::7"}, "http://[2001:db8::7]:3000"),
        ({"public_url": "https://cards.example"}, "http://localhost:3000"),
    ],
)
def test_the_address_to_open_is_one_a_browser_takes(settings: dict[str, str], address: str) -> None:
    assert local_url(Config(**settings), 3000) == address


def own_hosts() -> set[str]:
    """The addresses that this machine can be reached by, found by trying to listen there."""
    found = set()
    for family in (socket.AF_INET, socket.AF_INET6):
        for host in addresses._hosts(family):
            with socket.socket(family) as probe:
                probe.bind((host, 0))
                found.add(host)
    return found


@pytest.mark.parametrize("way_out", [True, False])
def test_others_are_told_an_address_of_the_kind_that_is_listened_to(
    monkeypatch: pytest.MonkeyPatch, way_out: bool
) -> None:
    assert network_url(Config(host="127.0.0.1"), 3000) is None
    if not way_out:
        # Nothing may be sent there, so that asking for the way fails as it does without a route.
        monkeypatch.setattr(
            addresses, "_FAR", {socket.AF_INET: "255.255.255.255", socket.AF_INET6: "nowhere"}
        )
    elsewhere = {host for host in own_hosts() if not ip_address(host).is_loopback}
    for host, kinds in (("0.0.0.0", {4}), ("", {4, 6}), ("::", {6})):
        told = network_url(Config(host=host), 3000)
        possible = {each for each in elsewhere if ip_address(each).version in kinds}
        assert (urlsplit(told).hostname in possible) if told else not possible


@pytest.mark.skipif(sys.platform != "linux", reason="lists its interfaces elsewhere")
def test_of_ipv6_addresses_others_are_told_one_of_global_scope(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    listed = tmp_path / "if_inet6"
    listed.write_text(
        "00000000000000000000000000000001 01 80 10 80       lo\n"
        "fe800000000000000000000000000007 02 40 20 80     eth0\n"
        "fd000000000000000000000000000007 02 40 00 80     eth0\n"
    )
    monkeypatch.setattr(addresses, "_ADDRESSES_6", listed)
    monkeypatch.setattr(addresses, "_FAR", {socket.AF_INET6: "nowhere"})
    assert network_url(Config(host="::"), 3000) == "http://[fd00::7]:3000"
    listed.unlink()
    assert network_url(Config(host="::"), 3000) is None


def test_an_address_in_brackets_is_printed_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # In the terminal's markup, brackets are no text.
    monkeypatch.setattr(addresses, "_hosts", lambda family: iter(["fd00::7"]))
    server = Server(Config(data=":memory:", host="::", port=4110))
    _welcome(server, 0)
    assert "Others on your network http://[fd00::7]:4110\n" in capsys.readouterr().out


def test_the_public_address_is_everybodys_and_this_machine_has_its_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _welcome(Server(Config(data=":memory:", public_url="https://cards.example")), 0)
    said = capsys.readouterr().out
    assert "Play on this machine   http://localhost:3000\n" in said
    assert "Everybody              https://cards.example\n" in said
    assert "Others" not in said


HOSTS = st.sampled_from(["cards.example", "CARDS.example", "127.0.0.1", "[2001:DB8::1]"])


@given(HOSTS, st.sampled_from([("http", 80), ("https", 443)]), st.integers(1, 65535))
def test_a_default_port_is_as_good_as_none(host: str, known: tuple[str, int], port: int) -> None:
    scheme, default = known
    bare, said = site(f"{scheme}://{host}"), site(f"{scheme}://{host}:{port}/path?x")
    assert bare is not None
    assert (bare == said) is (port == default)
    assert str(bare) == f"{scheme}://{host.lower()}"
    assert str(said) == (str(bare) if port == default else f"{bare}:{port}")


@pytest.mark.parametrize("nothing", ["", "null", "http://", "http://[", "http://x:99999", "x"])
def test_what_is_no_address_leads_nowhere(nothing: str) -> None:
    assert site(nothing) is None
