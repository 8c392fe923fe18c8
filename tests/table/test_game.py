"""Settings laid over settings, what of them is secret, and actions as the log keeps them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from parlour.kit import Illegal
from parlour.table import inputs as do
from parlour.table import own_name, shown_settings
from tests import highcard


class Inner(msgspec.Struct, frozen=True, kw_only=True):
    depth: int = 1
    width: int = 2


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    inner: Inner = Inner()
    size: Annotated[int, Meta(ge=0, le=9)] = 3
    password: Annotated[str, Meta(extra_json_schema={"secret": True})] = ""


GAME = replace(highcard.GAME, settings=Settings)


def refused(patch: dict[str, Any]) -> str:
    with pytest.raises(Illegal) as no:
        GAME.configure(Settings(), patch)
    assert no.value.code == "bad-settings"
    return no.value.sentence


def test_a_patch_changes_what_it_names_at_any_depth_and_nothing_else() -> None:
    before = Settings(inner=Inner(depth=5, width=6), size=7)
    after = GAME.configure(before, {"inner": {"width": 8}})
    assert after == Settings(inner=Inner(depth=5, width=8), size=7)
    assert GAME.configure(before, {}) == before
    assert before == Settings(inner=Inner(depth=5, width=6), size=7)


def test_a_wrong_patch_is_refused_whole_and_says_where() -> None:
    assert refused({"colour": 1}) == "There is no setting called colour in settings."
    assert refused({"inner": {"height": 1}}) == "There is no setting called height in inner."
    assert refused({"inner": 4}) == "inner must be an object."
    assert "size" in refused({"size": 10})


def test_secret_settings_are_in_nothing_that_is_shown() -> None:
    secret = Settings(password="pssst", size=4)
    assert shown_settings(secret) == {"inner": {"depth": 1, "width": 2}, "size": 4}
    assert shown_settings(Inner()) == {"depth": 1, "width": 2}


class Named(msgspec.Struct):
    name: Annotated[str, Meta(extra_json_schema={"names_table": True})] = "Tables"


def test_a_table_is_called_what_its_players_named_it() -> None:
    assert own_name(Named("Friday\u202e  night\n")) == "Friday night"
    assert own_name(Named()) == ""
    assert own_name(Settings()) == ""


@dataclass(slots=True)
class Swap:
    one: str
    many: list[int]


@given(st.text(), st.lists(st.integers(-(2**53), 2**53)))
def test_an_action_in_the_log_is_its_name_and_its_fields(one: str, many: list[int]) -> None:
    action = Swap(one, many)
    assert do.pack(action) == ["Swap", one, many]
    assert do.unpack(do.pack(action), {"Swap": Swap}) == action
    for kept in (action, do.pack(action)):
        again = do.decode(do.encode(do.Act(3, kept)))
        assert again == do.Act(3, ["Swap", one, many])


def test_an_entry_of_the_log_is_json_that_names_what_it_does() -> None:
    assert do.encode(do.Join("v", "Ada")) == b'{"do":"Join","visitor":"v","name":"Ada"}'
    assert do.decode(b'{"do":"Tick"}') == do.Tick()
    with pytest.raises(Illegal) as no:
        do.unpack(["Dance"], {"Swap": Swap})
    assert no.value.code == "unknown-action"
