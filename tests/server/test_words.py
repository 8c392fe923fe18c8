"""The word list: what is not said at this house, and that a fold never asks it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.house import WordList
from parlour.server.config import BadConfig, Config
from parlour.server.server import Server
from parlour.store.sqlite import SqliteStore
from parlour.table import inputs as do
from tests.support import Opener


def test_whole_words_become_stars_whatever_their_case() -> None:
    words = WordList(["drat", "oh dear", " ", "a+b"])
    assert words.starred("Drat! Oh dear, dratted; a+b.") == "****! *******, dratted; ***."


def test_of_words_that_begin_alike_the_longest_is_meant() -> None:
    for listed in (["oh", "Oh dear"], ["Oh dear", "oh"]):
        assert WordList(listed).starred("oh dear, oh!") == "*******, **!"


def test_a_list_of_blanks_is_empty() -> None:
    words = WordList(["", " "])
    assert words.starred("drat and bother") == "drat and bother"
    assert words.pattern is None


@given(st.text(max_size=40), st.lists(st.text(max_size=8), max_size=5))
def test_a_text_keeps_its_length_and_no_word_is_left(text: str, listed: list[str]) -> None:
    words = WordList(listed)
    starred = words.starred(text)
    assert len(starred) == len(text)
    assert words.starred(starred) == starred


async def test_talk_and_names_are_starred_before_they_are_logged(
    open_house: Opener, tmp_path: Path
) -> None:
    file = tmp_path / "words.txt"
    file.write_text("drat\nbother\n")
    house = await open_house(word_list=str(file))
    guest = await house.rummy()
    await guest.send("name", name="Drat it")
    await guest.expect("lobby")
    assert guest.names == ["**** it"]
    [table] = house.tables
    log = [do.decode(entry.data) for entry in await house.server.store.entries(table.roster.id)]
    assert [entry.name for entry in log if isinstance(entry, do.Rename)] == ["**** it"]


def test_a_word_list_that_is_not_there_is_said_at_the_start(tmp_path: Path) -> None:
    config = Config(data=":memory:", word_list=str(tmp_path / "nothing"))
    with pytest.raises(BadConfig, match="word list"):
        Server(config)


async def test_a_server_that_cannot_start_leaves_its_log_to_others(tmp_path: Path) -> None:
    for wrong in ("key", "words"):
        folder = tmp_path / wrong
        folder.mkdir()
        if wrong == "key":
            (folder / "session.key").write_text("no key")
        missing = str(folder / "missing.txt") if wrong == "words" else None
        with pytest.raises(BadConfig):
            Server(Config(data=str(folder), word_list=missing))
        SqliteStore(folder / "parlour.sqlite").release()
