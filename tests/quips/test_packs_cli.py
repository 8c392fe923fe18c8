"""`parlour packs`: what is there, what is wrong with it, and how to begin."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from parlour.games.quips.decks import ours
from parlour.games.quips.packchecks import ACCENTS, listed
from parlour.games.quips.packfile import MAX_BYTES, read
from parlour.packs_cli import packs_app


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def packs(*args: str) -> Result:
    return CliRunner().invoke(packs_app, args)


def write(name: str, **fields: object) -> Path:
    cards = [{"id": f"w_{name}", "content": {"en": "Hm."}}]
    pack = {"id": name, "name": name, "cards": cards, **fields}
    path = Path(f"{name}.json")
    path.write_text(json.dumps(pack))
    return path


def test_list_shows_ours_with_their_counts_and_languages() -> None:
    result = packs("list")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert len(lines) == 1 + len(ours())
    for data, line in zip(ours().values(), lines[1:], strict=True):
        pack = read(data)
        upgrades = sum(white.tier > 0 for white in pack.whites())
        counts = [len(pack.blacks()), len(pack.whites()) - upgrades, upgrades, len(pack.trophies)]
        assert line.split()[0] == pack.id
        assert pack.name in line
        assert line.split()[-7:] == [*map(str, counts), "de,", "en", "Parlour"]


def test_list_shows_the_packs_of_a_folder_and_what_it_skips() -> None:
    write("mine", cards=[{"id": "w_a", "content": {"fr": "Une oie"}}])
    write("broken", cards=[3], accent=5)
    result = packs("list", ".")
    assert result.exit_code == 0
    (mine,) = (line for line in result.stdout.splitlines() if line.startswith("mine"))
    assert mine.split() == ["mine", "mine", "0", "1", "0", "0", "fr", "mine.json"]
    (skipped,) = (line for line in result.stdout.splitlines() if line.startswith("skipped"))
    assert "broken.json: Pack, accent" in skipped
    assert "(1 more)" in skipped


def test_list_of_a_folder_that_is_not_there_fails_with_a_sentence() -> None:
    result = packs("list", "nowhere")
    assert result.exit_code == 2
    assert "nowhere can't be listed" in result.stderr


def test_check_explains_every_mistake_of_every_file() -> None:
    good = write("good")
    bad = write("bad", cards=[{"id": "w_[red]x", "content": {}}], accent="[red]")
    result = packs("check", str(good), str(bad), "missing.json")
    assert result.exit_code == 1
    assert "good.json is good" in result.stdout
    # Square brackets are shown, not obeyed.
    assert "  Pack, accent: '[red]' can't be; write one of red" in result.stdout
    assert "  Card 1 (w_[red]x), id:" in result.stdout
    assert "  Card 1 (w_[red]x), content:" in result.stdout
    assert "missing.json\n  There is no such file." in result.stdout


def test_check_of_good_files_succeeds_and_tells_of_ids_that_are_taken() -> None:
    taken = read(next(iter(ours().values()))).cards[0]
    write("first", cards=[{"id": taken.id, "content": {"en": "Hm?"}}])
    result = packs("check", ".")
    assert result.exit_code == 0
    assert f"note Card {taken.id} of pack first is left out" in result.stdout


def test_check_of_our_own_files_has_nothing_to_remark() -> None:
    for name, data in ours().items():
        Path(name).write_bytes(data)
    result = packs("check", ".")
    assert result.exit_code == 0
    assert "note" not in result.stdout


def test_check_reads_no_more_of_a_file_than_a_pack_may_have() -> None:
    with Path("huge.json").open("wb") as file:
        file.truncate(1 << 40)
    result = packs("check", "huge.json")
    assert result.exit_code == 1
    assert f"at most {MAX_BYTES:,}" in result.stdout


def test_check_of_an_empty_folder_says_so() -> None:
    result = packs("check", ".")
    assert result.exit_code == 2
    assert "no .json file" in result.stderr


def test_new_writes_a_pack_that_passes_and_touches_no_file_that_is_there() -> None:
    result = packs("new", "Rainy Days & Co.")
    assert result.exit_code == 0
    file = Path("rainy_days_co.json")
    pack = read(file.read_bytes())
    assert (pack.id, pack.name) == ("rainy_days_co", "Rainy Days & Co.")
    assert pack.blacks()
    assert pack.whites()
    assert pack.trophies
    assert '"//"' in file.read_text()
    assert listed(ACCENTS) in file.read_text()
    assert packs("check", str(file)).exit_code == 0

    file.write_text("mine")
    again = packs("new", "Rainy Days & Co.")
    assert again.exit_code == 2
    assert "exists already" in again.stderr
    assert file.read_text() == "mine"


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("!!!",), "needs a letter"),
        (("x" * 101,), "characters"),
        (("a<b",), "leave out the <"),
        (("fine", "--folder", "nowhere"), "can't be written"),
    ],
)
def test_new_refuses_with_a_sentence(args: tuple[str, ...], sentence: str) -> None:
    result = packs("new", *args)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert not list(Path().iterdir())
