"""Pages of other origins may neither connect nor post, unless the operator names them."""

from __future__ import annotations

from tests.support import Opener, OpenHouse


async def admitted(house: OpenHouse, origin: str | None, **headers: str) -> bool:
    """Whether a page of this origin may connect; what it may post is the same question."""
    visitor = await house.visitor()
    if origin is not None:
        headers["Origin"] = origin
    answer = await visitor.get("/rummy", headers=headers)
    status, _ = await visitor.call("POST", "/api/tables", {"game": "rummy"}, headers=headers)
    assert (answer.status, status) in ((426, 201), (403, 403))
    return status == 201


async def test_pages_of_other_origins_may_not_connect(house: OpenHouse) -> None:
    port = house.server.port
    assert await admitted(house, None)
    assert await admitted(house, f"http://127.0.0.1:{port}")
    assert await admitted(house, "http://parlour.lan:1", Host="Parlour.lan:1")
    for origin in (
        "https://evil.example",
        "null",
        "",
        f"http://127.0.0.1:{port + 1}",
        f"http://evil.example:{port}",
        f"http://127.0.0.1:{port}.evil.example",
        f"http://127.0.0.1:{port}@evil.example",
        "http://[",
        "http://[::1",
    ):
        assert not await admitted(house, origin), origin


async def test_other_origins_may_be_let_in_by_name(open_house: Opener) -> None:
    house = await open_house(origins=["https://friend.example"])
    assert await admitted(house, "https://friend.example")
    assert not await admitted(house, "http://friend.example")
    assert not await admitted(house, "https://friend.example.evil.example")


async def test_a_default_port_makes_no_other_origin(open_house: Opener) -> None:
    house = await open_house(
        origins=["https://friend.example:443"],
        public_url="http://cards.example:80",
        hosts=["else.example"],
    )
    assert await admitted(house, "https://friend.example")
    assert await admitted(house, "http://cards.example")
    assert await admitted(house, "http://else.example", Host="else.example:80")
    assert not await admitted(house, "http://friend.example:443")
    assert not await admitted(house, "http://else.example", Host="else.example:443")


async def test_all_origins_may_be_let_in(open_house: Opener) -> None:
    house = await open_house(origins=["*"])
    assert await admitted(house, "https://anybody.example")
    assert await admitted(house, "null")


async def test_the_public_address_is_our_own_origin(open_house: Opener) -> None:
    house = await open_house(public_url="https://Parlour.example/")
    assert await admitted(house, "https://parlour.example")
    assert not await admitted(house, "http://parlour.example")
