"""Names that look alike, or like nothing."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from parlour.house.lookalikes import check_visible, skeletons
from parlour.kit import Illegal
from parlour.table import inputs as do
from tests.support import Client, Opener, OpenHouse, Visitor, soon

ALIKE = [
    ("Ada", "\u0410da"),  # Cyrillic A
    ("Ada", "Аda".upper()),
    ("Ada", "\uff21\uff44\uff41"),  # full width
    ("Ada", "aDA"),
    ("Ada", "A\u0501a"),  # Komi de
    ("Bob", "\u0412ob"),  # Cyrillic Ve
    ("Bob", "B\u03bfb"),  # Greek omicron
    ("Ian", "lan"),
    ("Bill", "Bi1I"),
    ("Tom", "Torn"),
    ("Bob", "B0b"),
    ("Zoë", "Zoe\u0308"),
    ("Ada \u2764", "Ada \u2764\ufe0f"),  # a heart, and the same in colour
    ("𝔓aypal", "Paypal"),
]
APART = [("Ada", "Ida"), ("Ada", "Ada 2"), ("Zoë", "Zoe"), ("Анна", "Anna"), ("Иван", "Ivan")]


@pytest.fixture(autouse=True)
def look_anew() -> None:
    """No test goes by what another one has seen."""
    skeletons.cache_clear()


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_look_alike_share_a_look(one: str, other: str) -> None:
    assert not skeletons(one).isdisjoint(skeletons(other))


@pytest.mark.parametrize(("one", "other"), APART)
def test_names_that_do_not_share_none(one: str, other: str) -> None:
    assert skeletons(one).isdisjoint(skeletons(other))


SELECTORS = st.characters(min_codepoint=0xFE00, max_codepoint=0xFE0F) | st.characters(
    min_codepoint=0xE0100, max_codepoint=0xE01EF
)


@given(st.sampled_from(["Ada", "Bob"]), SELECTORS)
@example("Ada", "\ufe00")
@example("Ada", "\ufe0f")
@example("Ada", "\U000e0100")
@example("Ada", "\U000e01ef")
def test_how_a_character_is_to_be_drawn_makes_no_other_name(name: str, selector: str) -> None:
    assert not skeletons(name).isdisjoint(skeletons(name[0] + selector + name[1:]))
    assert skeletons(name).isdisjoint(skeletons(f"Ida{selector}"))


@given(st.text(max_size=20))
def test_a_name_looks_like_itself_in_any_case(name: str) -> None:
    assert skeletons(name)
    assert name == "" or not skeletons(name).isdisjoint(skeletons(name.casefold()))


@given(st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=20))
def test_plain_names_are_seen(name: str) -> None:
    check_visible(name)


INVISIBLE = ["\u3164", "\u2800", "\uffa0", "\u115f", "A\u034fda", "Ada\u3164"]


@pytest.mark.parametrize("name", INVISIBLE)
async def test_who_can_not_be_seen_does_not_sit_down(house: OpenHouse, name: str) -> None:
    visitor = await house.visitor()
    status, no = await visitor.call("PUT", "/api/me", {"name": name})
    assert (status, no["error"]["code"]) == (400, "bad-name")
    guest = await house.rummy()
    assert await guest.refused("name", name=name) == "bad-name"
    body = {"username": name, "password": "correct horse"}
    status, no = await visitor.call("POST", "/user/create", body)
    assert (status, no["code"]) == (400, "bad-name")
    with pytest.raises(Illegal):
        check_visible(name)


async def test_nobody_at_a_table_looks_like_somebody_else(house: OpenHouse) -> None:
    ada, other = await house.table_of(2)
    await ada.send("name", name="Ada")
    await other.until("lobby")
    for name in ("\u0410da", "\uff21da", "A\u0501a", "\u0410da "):
        assert await other.refused("name", name=name) == "name-taken"
    await other.send("name", name="Ida")
    assert (await other.expect("lobby"))["lobby"]["players"][1]["name"] == "Ida"
    # One's own name may be written in another way.
    await ada.send("name", name="\u0410da")
    while ada.names[0] != "\u0410da":
        await ada.expect("lobby")
    # Who comes with such a name gets a number, as with the same name.
    late = await house.visitor()
    await late.call("PUT", "/api/me", {"name": "Ada"})
    guest = await late.rummy(f"?table={ada.code}&token={await late.token()}")
    assert (await guest.expect("lobby"))["lobby"]["players"][2]["name"] == "Ada 2"


async def test_what_was_called_so_before_folds_as_it_was(open_house: Opener) -> None:
    """Only who comes is judged, never the log."""
    house = await open_house()
    first, second = await house.visitor(), await house.visitor()
    ada = await first.rummy(f"?token={await first.token()}")
    await ada.expect("lobby")
    other = await second.rummy(f"?table={ada.code}&token={await second.token()}")
    await other.expect("lobby")
    live = house.server.house.index.find(ada.code)
    assert live is not None
    live.receive(do.Rename(live.roster.players[0].place, "Ada"))
    live.receive(do.Rename(live.roster.players[1].place, "\u0410da"))
    live.receive(do.Rename(live.roster.players[0].place, "\u3164"))
    await other.until("lobby")
    names = [p.name for p in live.roster.players]
    await house.shut(ada, other)
    house = await open_house()
    assert [[p.name for p in table.roster.players] for table in house.tables] == [names]


async def test_usernames_look_different(open_house: Opener) -> None:
    house = await open_house()
    body = {"username": "Ada", "password": "correct horse"}
    assert (await (await house.visitor()).call("POST", "/user/create", body))[0] == 201
    for _ in range(2):
        body["username"] = "\u0410da"
        status, no = await (await house.visitor()).call("POST", "/user/create", body)
        assert (status, no["code"]) == (409, "name-taken")
        await house.server.stop()
        house = await open_house()
    body["username"] = "Ida"
    assert (await (await house.visitor()).call("POST", "/user/create", body))[0] == 201


async def owner_of(house: OpenHouse, username: str) -> Visitor:
    owner = await house.visitor()
    body = {"username": username, "password": "correct horse"}
    assert (await owner.call("POST", "/user/create", body))[0] == 201
    return owner


async def named(client: Client) -> str:
    """What a player of Super Rummy is called, who came last."""
    return str((await client.until("lobby"))["lobby"]["players"][-1]["name"])


async def test_an_accounts_name_is_for_its_owner_alone(house: OpenHouse) -> None:
    before = await house.visitor()
    await before.call("PUT", "/api/me", {"name": "Ada"})
    owner = await owner_of(house, "Ada")
    # Who was called so before there was the account is told apart from now on.
    client = await before.rummy(f"?token={await before.token()}")
    assert await named(client) == "Ada 2"
    for name in ("Ada", "ada", "\u0410da", "Ada ", "\u00a0ada"):
        status, no = await before.call("PUT", "/api/me", {"name": name})
        assert (status, no["error"]["code"]) == (409, "name-taken")
        assert await client.refused("name", name=name) == "name-taken"
    await client.send("name", name="Ida")
    assert await named(client) == "Ida"
    # The owner has it with and without a token, and may ask for it again.
    for query in ("", f"?token={await owner.token()}"):
        mine = await owner.rummy(query)
        assert await named(mine) == "Ada"
        await mine.send("name", name="Countess")
        assert await named(mine) == "Countess"
        await mine.send("name", name="ADA")
        assert await named(mine) == "ADA"
    # To another table it is taken along.
    other = await (await house.visitor()).rummy()
    await other.expect("lobby")
    await mine.send("join", code=other.code)
    assert await named(other) == "ADA"


@pytest.mark.parametrize("name", ["Ada", "\u0410d\u0430"])
async def test_names_in_an_address_are_held_to_it_too(house: OpenHouse, name: str) -> None:
    owner = await owner_of(house, "Ada")
    await owner_of(house, "Ada 2")
    wanted = {"game": "quips", "settings": {"allow_duplicates": True}}
    _, table = await owner.call("POST", "/api/tables", wanted)
    guest = await house.visitor()
    path = f"/play?table={table['code']}&name={name}"
    sockets = [await visitor.socket(path) for visitor in (guest, owner)]
    await soon(lambda: len(house.tables[0].roster.players) == 2)
    names = [player.name for player in house.tables[0].roster.players]
    assert not any(socket.closed for socket in sockets)
    assert names == [f"{name} 3", name]


async def test_nobody_has_the_name_of_the_nameless(house: OpenHouse) -> None:
    visitor = await house.visitor()
    body = {"username": "player", "password": "correct horse"}
    status, no = await visitor.call("POST", "/user/create", body)
    assert (status, no["code"]) == (409, "name-taken")
