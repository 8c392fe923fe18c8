"""`parlour packs`: list, check and create card packs for Quips."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parlour.console import escape, fail, out, say, say_rows
from parlour.server.config import is_folder

if TYPE_CHECKING:
    from parlour.games.quips.packcards import Pack

packs_app = typer.Typer(help="List, check and create card packs for Quips.", no_args_is_help=True)


@packs_app.command("list")
def list_packs(
    folder: Annotated[
        Path | None, typer.Argument(help="A folder whose packs are listed, too.")
    ] = None,
) -> None:
    """List the packs that come with Parlour, and those of a folder.

    Shows how many cards they have, and the languages in which every card has a text. Files with
    mistakes are named at the end; `parlour packs check` explains them.
    """
    from parlour.games.quips.decks import ours
    from parlour.games.quips.packfile import BadPack, read

    found = [(read(data), "Parlour") for data in ours().values()]
    bad: list[str] = []
    for file in _json_files(folder) if folder is not None else []:
        try:
            found.append((_read_file(file), file.name))
        except BadPack as wrong:
            more = len(wrong.reasons) - 1
            bad.append(f"{file.name}: {wrong.reasons[0]}" + (f" ({more} more)" if more else ""))
    titles = "pack name black white upgrades trophies languages from"
    rows: list[list[str]] = [[*titles.split()]]
    for pack, source in found:
        tiers = [white.tier for white in pack.whites()]
        counts = (len(pack.blacks()), tiers.count(0), len(tiers) - tiers.count(0))
        numbers = [str(count) for count in (*counts, len(pack.trophies))]
        rows.append([pack.id, pack.name, *numbers, _languages(pack), source])
    say_rows(rows)
    _tell_duplicates(pack for pack, _ in found)
    for sentence in bad:
        out.print(f"[bold red]skipped[/] {escape(sentence)}", soft_wrap=True)


@packs_app.command("check")
def check_packs(
    files: Annotated[
        list[Path], typer.Argument(help="Pack files, or folders of them.", metavar="FILES...")
    ],
) -> None:
    """Check pack files, and explain every mistake; exit code 1 if there is one."""
    from parlour.games.quips.decks import ours
    from parlour.games.quips.packfile import BadPack, read

    good: list[Pack] = []
    faulty = False
    for path in files:
        for file in _json_files(path) if is_folder(str(path)) else [path]:
            try:
                pack = _read_file(file)
            except BadPack as wrong:
                faulty = True
                out.print(f"[bold red]{escape(str(file))}[/]", soft_wrap=True)
                for reason in wrong.reasons:
                    say(f"  {reason}")
                continue
            good.append(pack)
            out.print(f"[bold green]{escape(str(file))}[/] {_summary(pack)}", soft_wrap=True)
    if not good and not faulty:
        fail("There is no .json file in this folder.")
    own = [read(data) for data in ours().values()]
    known = {pack.id: pack for pack in own}
    # Our own files, checked, are no duplicates of themselves.
    _tell_duplicates([*own, *(pack for pack in good if known.get(pack.id) != pack)])
    if faulty:
        raise typer.Exit(1)


@packs_app.command("new")
def new_pack(
    name: Annotated[str, typer.Argument(help="The name of the pack, like “Rainy Days”.")],
    folder: Annotated[Path, typer.Option(help="Where to put the file.")] = Path("."),
) -> None:
    """Write a small example pack with notes, to be filled in; it passes `check`."""
    from parlour.games.quips.packfile import BadPack, read

    ident = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:40].rstrip("_")
    if not ident:
        fail("The name needs a letter from a to z or a digit, from which the pack's id is made.")
    data = _template(ident, name)
    try:
        read(data)
    except BadPack as wrong:
        fail(f"This name cannot be used. {wrong.reasons[0]}")
    file = folder / f"{ident}.json"
    try:
        # "x": never overwrite an existing file.
        with file.open("xb") as fresh:
            fresh.write(data)
    except FileExistsError:
        fail(f"{file} exists already. Choose another name, or move the file away.")
    except OSError as wrong:
        fail(f"{file} can't be written: {wrong.strerror or wrong}.")
    out.print(f"Wrote [bold]{escape(str(file))}[/]. Fill it, then:", soft_wrap=True)
    say(f"  parlour packs check {file}")


def _json_files(folder: Path) -> list[Path]:
    try:
        return sorted(file for file in folder.iterdir() if file.suffix == ".json")
    except OSError as wrong:
        fail(f"{folder} can't be listed: {wrong.strerror or wrong}.")


def _read_file(file: Path) -> Pack:
    """The pack of a file. An unreadable file is a bad pack: the others are still checked."""
    from parlour.games.quips.packfile import MAX_BYTES, BadPack, read

    try:
        if not file.is_file():
            raise BadPack(["There is no such file."])
        with file.open("rb") as source:
            return read(source.read(MAX_BYTES + 1))
    except OSError as wrong:
        raise BadPack([f"The file can't be read: {wrong.strerror or wrong}."]) from None


def _tell_duplicates(packs: Iterable[Pack]) -> None:
    from parlour.games.quips.packs import gather

    for sentence in gather(packs).duplicates:
        out.print(f"[bold yellow]note[/] {escape(sentence)}", soft_wrap=True)


def _summary(pack: Pack) -> str:
    cards = f"{len(pack.blacks())} black and {len(pack.whites())} white cards"
    return f"is good: {cards}, trophies: {len(pack.trophies)}, languages: {_languages(pack)}."


def _languages(pack: Pack) -> str:
    """Those in which every card can be read."""
    return ", ".join(pack.languages()) or "mixed"


def _template(ident: str, name: str) -> bytes:
    """The example pack, with another id and name."""
    text = (files("parlour.games.quips") / "template.json").read_text("utf-8")
    text = text.replace("template", ident)
    return text.replace('"Template"', json.dumps(name, ensure_ascii=False)).encode()
