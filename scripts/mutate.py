"""Mutation testing: small changes to the code, one by one, each of which some test must notice.

    python scripts/mutate.py            every group
    python scripts/mutate.py table kit  these
    python scripts/mutate.py bus --some '*[37]'   of this one a fifth: those whose numbers end so

A group is some files, and tests that are fast enough to be run for every change of them; some have
others that are run for what those did not notice. mutmut works on copies under build/mutants/; what
is printed at the end are the changes that no test noticed. Look at each: a test is missing, or the
code says something it need not say.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutants"
COPIED = ("src", "tests", "scripts", "docs", "web/src", "pyproject.toml", "README.md")
UNNOTICED = ("survived", "no tests")
SAME = "the same in other letters"
STATEMENT = re.compile(
    r"\b(SELECT|INSERT|UPDATE|DELETE|PRAGMA|CREATE|ALTER|FROM|WHERE|JOIN|RETURNING|VALUES)\b"
)


@dataclass(frozen=True)
class Group:
    files: tuple[str, ...]
    """Of the package; a `*` stands for any names, with folders in them too."""
    tests: tuple[str, ...]
    leaving_out: str = ""
    """Tests that take too long for this, as pytest's `-k` names them."""
    wider: tuple[str, ...] = ()
    """Tests that take longer, also of those left out: run for what the others did not notice."""


PROPERTIES = "refused_input or same_inputs or what_holds"
"""The slow tests of tests/table; they find what they find in `make test`."""

BATTERY = "tests/battery/test_battery.py"

GROUPS: dict[str, Group] = {
    "kit": Group(("kit.py",), ("tests/test_kit.py",)),
    "table": Group(
        tuple(
            f"table/{name}.py"
            for name in (
                *("phase", "waiting", "playing", "queue", "management", "table"),
                *("lobby", "seating", "roster"),
            )
        ),
        ("tests/table",),
        PROPERTIES,
    ),
    "inputs": Group(("table/inputs.py", "table/game.py"), ("tests/table",), PROPERTIES),
    "live": Group(
        tuple(f"house/{name}.py" for name in ("audience", "bots", "live", "pictures", "requests")),
        tuple(
            f"tests/server/test_{name}.py"
            for name in (
                *("alarms", "audience", "coming_back", "extras", "house", "kept", "lookalikes"),
                *("pictures", "questions", "rummy_lobby", "standing", "table_bots"),
            )
        ),
        "power_may_go_off",
        # The other games' wires ask for more than Super Rummy's.
        wider=(
            *(
                f"tests/cambia/test_{name}.py"
                for name in ("both_forms", "enveloped", "flat", "snapshots")
            ),
            *(f"tests/mo/test_{name}.py" for name in ("condense", "wire")),
            *(
                f"tests/quips/test_{name}.py"
                for name in (
                    "at_the_table",
                    "door",
                    "extended",
                    "hosts",
                    "lost_lines",
                    "running_it",
                )
            ),
            *(f"tests/server/test_{name}.py" for name in ("limits", "room")),
            "tests/cluster/test_two_nodes.py",
        ),
    ),
    "house": Group(
        tuple(
            f"house/{name}.py"
            for name in (
                *("common", "folding", "house", "index", "moving", "opening", "rejoin", "room"),
                *("library", "services"),
            )
        ),
        (
            *(
                f"tests/server/test_{name}.py"
                for name in (
                    *("api", "house", "kept", "library", "lists", "opening", "rejoin"),
                    *("room", "rummy_lobby", "standing"),
                )
            ),
            "tests/quips/test_brought_packs.py",
        ),
        wider=(
            *(f"tests/server/test_{name}.py" for name in ("hosts", "limits", "replays")),
            *(f"tests/cambia/test_{name}.py" for name in ("flat", "lobby")),
            "tests/store/test_shut.py",
            *(
                f"tests/cluster/test_{name}.py"
                for name in ("around_every_game", "common", "led_back", "two_nodes")
            ),
        ),
    ),
    "records": Group(
        tuple(
            f"house/{name}.py"
            for name in (*("journal", "lookalikes", "replay", "slow_answers", "words", "workers"),)
        ),
        tuple(
            f"tests/server/test_{name}.py"
            for name in (
                *("api", "clock", "journal", "kept", "lookalikes", "replays", "slow_answers"),
                *("words", "workers"),
            )
        ),
    ),
    "store": Group(
        tuple(
            f"store/{name}.py"
            for name in (
                *("backup", "base", "claim", "memory", "schema", "sqlite", "wal", "writer"),
            )
        ),
        tuple(
            f"tests/store/test_{name}.py"
            for name in (
                *("backup", "checksum", "claim", "commits", "shut", "sqlite", "stores"),
                *("wal", "writer"),
            )
        ),
        "kept_in_order or postgres",
    ),
    "postgres": Group(
        tuple(
            f"store/{name}.py"
            for name in (
                *("lease", "move", "ownership"),
                *("postgres", "postgres_batch", "postgres_link", "postgres_reading"),
                "postgres_schema",
            )
        ),
        tuple(
            f"tests/store/test_{name}.py"
            for name in (
                *("codes", "lease", "move", "out_of_reach", "ownership", "postgres"),
                *("postgres_link", "stores"),
            )
        ),
        "memory or sqlite or written_anew_is or facts_are_amended or kept_in_order or over_a_house",
        wider=(
            "tests/store/test_stores.py",
            "tests/store/test_move.py",
            *(f"tests/cluster/test_{name}.py" for name in ("common", "two_nodes")),
        ),
    ),
    "rummy": Group(
        ("games/rummy/rules.py", "games/rummy/melds.py", "games/rummy/moves.py"),
        (
            *(
                f"tests/rummy/test_{name}.py"
                for name in ("rules", "any_settings", "endings", "melds", "outs", "picture")
            ),
            f"{BATTERY}::TestRummy",
        ),
        "bot_games or near_messages or random_bytes",
    ),
    "cambia": Group(
        tuple(
            f"games/cambia/{name}.py"
            for name in ("rules", "clock", "layout", "snaps", "specials", "scoring")
        ),
        tuple(
            f"tests/cambia/test_{name}.py"
            for name in (
                "abilities",
                "circuit",
                "knowledge",
                "naming",
                "rules",
                "specials",
                "endings",
                "snaps",
                "timers",
            )
        ),
    ),
    "mo": Group(
        ("games/mo/rules.py", "games/mo/board.py", "games/mo/tableau.py"),
        tuple(
            f"tests/mo/test_{name}.py"
            for name in ("rules", "positions", "told", "undo", "condense", "tutorial")
        ),
        "power_may_go_off or log_of_undo_and_redo",
    ),
    # The rules, and what takes them to the relay: its hosts and a bot's base class.
    "onu": Group(
        ("*onu/*",),
        (
            *(
                f"tests/onu/test_{name}.py"
                for name in ("core", "rules", "standstill", "time", "picture", "lobby", "bot")
            ),
            f"{BATTERY}::TestOnu",
            *(
                f"tests/wcp/test_{name}.py"
                for name in ("bots", "game", "host", "host_answers", "host_company", "show")
            ),
        ),
        "bot_games or near_messages or random_bytes or take_seats",
    ),
    "bus": Group(
        ("bus/*",),
        ("tests/bus",),
        "test_nats or owners_are_asked",
        wider=tuple(
            f"tests/cluster/test_{name}.py"
            for name in ("around_every_game", "common", "led_back", "outsiders", "two_nodes")
        ),
    ),
    "wcp": Group(
        ("relay/*", "wcp/*"),
        tuple(
            f"tests/wcp/test_{name}.py"
            for name in ("client", "fuzz", "game", "message", "nodes", "pages", "relay")
        ),
        "leads_somewhere",
        wider=tuple(f"tests/wcp/test_{name}.py" for name in ("bots", "host", "host_company")),
    ),
    "server": Group(
        ("server/*",),
        ("tests/server",),
        "recipes or workers or operators or killed or closes_cleanly or full_disk",
        wider=(
            *(f"tests/cambia/test_{name}.py" for name in ("enveloped", "flat", "rest")),
            "tests/cli/test_cli.py",
            "tests/cluster/test_two_nodes.py",
        ),
    ),
    "quips": Group(
        tuple(f"games/quips/{name}.py" for name in ("rules", "board", "clocks", "supply")),
        tuple(
            f"tests/quips/test_{name}.py"
            for name in (
                *("rules", "clocks", "skips", "legal", "judges", "coming_and_going"),
                "supply",
            )
        ),
    ),
}

SETTINGS = """
[tool.mutmut]
source_paths = ["src/"]
only_mutate = {files}
also_copy = ["docs", "scripts", "tests", "web", "README.md"]
pytest_add_cli_args = [
    "-p", "scripts.while_mutating", "-k", {choice},
    "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:playwright",
]
pytest_add_cli_args_test_selection = {tests}
# Sentences for people may be worded anyhow; codes for programs stand in them, too.
do_not_mutate_patterns = [
    'Illegal\\(', 'Refusal\\(', 'StoreTrouble\\(', 'LookupError\\(', 'ValueError\\(',
    'log\\.', 'index\\.found\\(',
]
use_setproctitle = false
# A change that makes a loop endless is noticed soon enough.
timeout_multiplier = 4
"""


def prepare(name: str, group: Group, tests: tuple[str, ...], leaving_out: str = "") -> Path:
    """A copy of the project in which the group's files will be changed."""
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for each in COPIED:
        source = ROOT / each
        if source.is_dir():
            shutil.copytree(source, folder / each, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / each)
    choice = f"not ({leaving_out})" if leaving_out else ""
    with (folder / "pyproject.toml").open("a") as settings:
        settings.write(
            SETTINGS.format(
                files=[f"src/parlour/{file}" for file in group.files],
                choice=repr(choice),
                tests=list(tests),
            )
        )
    return folder


def mutmut(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "mutmut", *words],
        cwd=folder,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout


def results(folder: Path) -> dict[str, str]:
    """By the name of a change, what became of it."""
    lines = mutmut(folder, "results", "--all", "true").splitlines()
    pairs = (line.strip().rpartition(": ") for line in lines if "__mutmut_" in line)
    return {name: result for name, _, result in pairs}


def tried(folder: Path, children: str, changes: Sequence[str] = ()) -> dict[str, str]:
    """What becomes of these changes (without any named: of all) in a prepared folder."""
    said = mutmut(folder, "run", "--max-children", children, *changes)
    found = results(folder)
    if set(found.values()) <= {"not checked"}:
        # Mostly a test that fails without any change.
        sys.exit(f"{said[-3000:]}\nNo change of {folder.name} could be tried.")
    return found


def run(name: str, group: Group, children: str, some: Sequence[str]) -> dict[str, str]:
    """What becomes of the changes of a group's files: all, or some."""
    found = tried(prepare(name, group, group.tests, group.leaving_out), children, some)
    unnoticed = [change for change, result in found.items() if result in UNNOTICED]
    if group.wider and unnoticed:
        again = tried(prepare(f"{name}-wider", group, group.wider), children, unnoticed)
        # What none of the wider tests runs over keeps the result that it has.
        found |= {c: again[c] for c in unnoticed if again[c] != "no tests"}
    return found


def shown(folder: Path, change: str) -> list[str]:
    """The lines that a change takes away, and those it puts in their place."""
    lines = mutmut(folder, "show", change).splitlines()
    return [line for line in lines if line[:1] in ("+", "-") and line[:3] not in ("+++", "---")]


def same_statement(lines: list[str]) -> bool:
    """Whether all that a change does is to write SQL in other letters."""
    old, new = ([line[1:].upper() for line in lines if line[0] == sign] for sign in "-+")
    return old == new and any(STATEMENT.search(line) for line in old)


def main() -> int:
    parser = argparse.ArgumentParser(description="Look for changes that no test notices.")
    parser.add_argument("groups", nargs="*", metavar="group", help=", ".join(GROUPS))
    parser.add_argument("--some", nargs="*", default=[], help="only changes with names like this")
    parser.add_argument("--children", default="2", help="how many changes are tried at a time")
    options = parser.parse_args()
    unknown = set(options.groups) - set(GROUPS)
    if unknown:
        parser.error(f"there is no group called {', '.join(sorted(unknown))}")
    for name in options.groups or GROUPS:
        found = run(name, GROUPS[name], options.children, options.some)
        for change, result in found.items():
            if result == "survived":
                lines = shown(WORK / name, change)
                if same_statement(lines):
                    found[change] = SAME
                else:
                    print(f"\n{result}: {change}", *lines, sep="\n")
            elif result == "no tests":
                print(f"\n{result}: {change}")
        counts = Counter(found.values())
        noticed = sum(counts[r] for r in ("killed", "timeout", "suspicious", "segfault"))
        total = noticed + sum(counts[result] for result in UNNOTICED)
        print(
            f"\n{name}: {noticed} of {total} changes noticed ({100 * noticed // max(1, total)} %)"
        )
        print(", ".join(f"{count} {result}" for result, count in counts.most_common()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
