"""Mutation testing: small changes to the code, one by one, each of which some test must notice.

    python scripts/mutate.py            every group
    python scripts/mutate.py table kit  these groups
    python scripts/mutate.py bus --some '*[37]'   a fifth of this group: numbers that end in 3 or 7

A group has some files, and tests that are fast enough to run for every mutation of these files.
Some groups have slower tests, which run only for the mutations that survived. mutmut works on
copies under build/mutants/. The script prints the mutations that no test noticed. Look at each: a
test is missing, or the code is not needed.
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
COPIED = "src tests bench examples scripts docs web/src pyproject.toml README.md".split()
UNNOTICED = ("survived", "no tests")
SAME = "only letter case of SQL"
STATEMENT = re.compile(
    r"\b(SELECT|INSERT|UPDATE|DELETE|PRAGMA|CREATE|ALTER|FROM|WHERE|JOIN|RETURNING|VALUES)\b"
)


@dataclass(frozen=True)
class Group:
    files: tuple[str, ...]
    """Relative to the package; a `*` also matches folders."""
    tests: tuple[str, ...]
    leaving_out: str = ""
    """An expression for pytest's `-k`: tests that are too slow to run for every mutation."""
    wider: tuple[str, ...] = ()
    """Slower tests, run only for the mutations that survived the others."""


PROPERTIES = "refused_input or same_inputs or what_holds"
"""The slow tests of tests/table, which run only in `make test`."""

BATTERY = "tests/battery/test_battery.py"


def modules(folder: str, names: str) -> tuple[str, ...]:
    """Files in a folder of the package."""
    return tuple(f"{folder}/{name}.py" for name in names.split())


def tests(folder: str, names: str) -> tuple[str, ...]:
    """Files in a folder of tests/."""
    return tuple(f"tests/{folder}/test_{name}.py" for name in names.split())


GROUPS: dict[str, Group] = {
    "kit": Group(
        ("kit.py", "turns.py"),
        ("tests/test_kit.py", "tests/examples/test_descriptions.py"),
    ),
    "described": Group(
        ("choices.py", "described.py", "lessons.py", "scenes.py", "show.py", "teaching.py"),
        tests(".", "choices described kit lessons scenes show"),
    ),
    "chance": Group(
        ("cards.py", "fingerprint.py", "letters.py", "rng.py"),
        (
            *tests(".", "cards chance kit lessons"),
            *tests("quips", "packs"),
            *tests("server", "lookalikes"),
            *tests("table", "checkpoint"),
        ),
    ),
    "table": Group(
        modules(
            "table",
            "phase waiting playing queue management table lobby seating roster notes series steps",
        ),
        ("tests/table",),
        PROPERTIES,
    ),
    "inputs": Group(modules("table", "inputs game"), ("tests/table",), PROPERTIES),
    "kept": Group(
        modules("table", "chain checkpoint condense"),
        (
            *tests("table", "checkpoint"),
            *tests("mo", "condense"),
            *tests("server", "exported fairness"),
        ),
        "power_may_go_off",
    ),
    "protocol": Group(
        ("protocol/*",),
        (
            *tests("table", "plain series longer_timers"),
            *tests("server", "extras kept bodies"),
            *tests("wcp", "hosting"),
        ),
        wider=tests("server", "api coming_back missed moderation"),
    ),
    "live": Group(
        modules("house", "audience bots live pictures requests"),
        tests(
            "server",
            "alarms audience coming_back extras house kept lookalikes"
            " pictures questions rummy_lobby standing table_bots",
        ),
        "power_may_go_off",
        # The wires of the other games use more of the house than Super Rummy's.
        wider=(
            *tests("cambia", "both_forms enveloped flat snapshots"),
            *tests("mo", "condense wire"),
            *tests("quips", "at_the_table door extended hosts lost_lines running_it"),
            *tests("server", "limits room"),
            *tests("cluster", "two_nodes"),
        ),
    ),
    "house": Group(
        modules(
            "house",
            "common folding house index moving opening rejoin room library services"
            " asleep checkpoints loader missed newcomers operations saved",
        ),
        (
            *tests(
                "server",
                "api checkpoints coming_back house kept library lists loader missed opening rejoin"
                " room rummy_lobby standing",
            ),
            *tests("quips", "brought_packs"),
        ),
        wider=(
            *tests("server", "hosts limits replays"),
            *tests("cambia", "flat lobby"),
            *tests("store", "shut"),
            *tests("cluster", "around_every_game common led_back two_nodes"),
        ),
    ),
    "records": Group(
        modules(
            "house",
            "alarm archived erased exported failures frames journal lookalikes recorded replay"
            " scenes slow_answers verified words workers",
        ),
        tests(
            "server",
            "alarms api clock erased exported failures fairness journal kept lookalikes"
            " replay_frames replays slow_answers words workers",
        ),
    ),
    "store": Group(
        modules(
            "store",
            "__init__ archive backup checksum claim codes compact memory packed pairing schema"
            " sqlite wal watching writer",
        ),
        tests(
            "store",
            "backup checksum claim codes commits packed pairing shut sqlite stores wal writer",
        ),
        "kept_in_order or postgres",
    ),
    "postgres": Group(
        modules(
            "store",
            "directory lease move nodes ownership postgres postgres_compact postgres_facts"
            " postgres_link postgres_reading postgres_schema postgres_writer",
        ),
        tests(
            "store",
            "codes lease move out_of_reach ownership partitions postgres postgres_compact"
            " postgres_link stores",
        ),
        "memory or sqlite or written_anew_is or facts_are_amended or kept_in_order or over_a_house",
        wider=(*tests("store", "stores move"), *tests("cluster", "common two_nodes")),
    ),
    "rummy": Group(
        modules("games/rummy", "rules melds moves choices outs picture"),
        (
            *tests("rummy", "rules any_settings choices endings melds outs picture"),
            f"{BATTERY}::TestRummy",
        ),
        "bot_games or near_messages or random_bytes",
    ),
    "cambia": Group(
        modules("games/cambia", "rules cards clock layout snaps specials scoring scene"),
        tests(
            "cambia",
            "abilities circuit knowledge naming rules scene specials endings snaps timers",
        ),
    ),
    "mo": Group(
        modules("games/mo", "rules board tableau scene"),
        tests("mo", "rules positions scene told undo condense tutorial"),
        "power_may_go_off or log_of_undo_and_redo",
    ),
    # The parts of a hint. Any good answer is right, so only gross changes are noticed.
    "hints": Group(
        modules("games/mo", "analysis lane search solution solver why worth"),
        tests("mo", "search solution symmetry told"),
    ),
    # The rules, and what takes them to the relay: its hosts and a bot's base class.
    "onu": Group(
        ("*onu/*",),
        (
            *tests("onu", "core rules standstill time picture lobby bot"),
            f"{BATTERY}::TestOnu",
            *tests("wcp", "bots game host host_answers host_others show"),
        ),
        "bot_games or near_messages or random_bytes or take_seats",
    ),
    "bus": Group(
        ("bus/*",),
        ("tests/bus",),
        "test_nats or owners_are_asked",
        wider=tests("cluster", "around_every_game common led_back outsiders two_nodes"),
    ),
    "wcp": Group(
        ("relay/*", "wcp/*"),
        tests("wcp", "client fuzz game message nodes pages relay"),
        "leads_somewhere",
        wider=tests("wcp", "bots host host_others"),
    ),
    "server": Group(
        ("server/*",),
        ("tests/server",),
        # `no_other_module` parses all sources, which are many times as long with their mutations;
        # the others start servers or other processes, and are slow.
        "recipes or workers or operators or killed or closes_cleanly or full_disk"
        " or no_other_module or low_limit_on_files or test_running or slow_answers",
        wider=(
            *tests("cambia", "enveloped flat rest"),
            *tests("cli", "cli"),
            *tests("cluster", "two_nodes"),
        ),
    ),
    "quips": Group(
        modules("games/quips", "rules moves board changes clocks supply judges scene"),
        tests("quips", "rules clocks scene skips legal judges coming_and_going supply"),
    ),
    "packs": Group(
        modules("games/quips", "deck packcards packchecks packfile packs packtexts results"),
        tests("quips", "packs pack_choice our_packs trophies"),
    ),
    "bots": Group(
        ("games/*/bot.py", "games/*/odds.py", "games/quips/experience.py", "arena/*"),
        (
            "tests/test_arena.py",
            *tests("rummy", "bot"),
            *tests("cambia", "bot"),
            *tests("quips", "bot"),
        ),
        "is_measured or better_than",
    ),
    "wires": Group(
        ("games/*/wire.py", "games/*/wire/*", "games/*/lobby.py", "games/*/routes.py"),
        (
            *tests("cambia", "both_forms enveloped flat lobby naming rest snapshots"),
            *tests("mo", "wire"),
            *tests("quips", "at_the_table door extended frames lost_lines running_it sockets"),
            *tests("server", "rummy_lobby"),
        ),
    ),
    "terminal": Group(("terminal/*",), ("tests/terminal",)),
}

IN_NO_GROUP = {
    "battery/*": "tests/battery breaks games on purpose, which takes a minute for each mutation",
    "*cli.py": "commands are tested as programs, in which mutmut sees nothing",
    "console.py": "as commands",
    "doctor.py": "its tests make servers with faults, which takes too long",
    "documents/*": "the generated files are compared as a whole",
    "lifecycle.py": "one state, with tests wherever a process ends",
    "*/__init__.py": "records of games, and names that are imported",
    "*/settings.py": "data: types, bounds and defaults",
    "*/lesson.py": "data, which the battery plays",
    "games/*/actions.py": "data: the types of actions",
    "games/*/events.py": "data: the types of events; the battery looks at each `view`",
    "games/*/choices.py": "the battery compares choices with what the rules take",
    "games/*/picture.py": "the battery compares pictures",
    "games/*/scene.py": "the battery checks scenes",
    "table/events.py": "data: the types of events",
    "marks.py": "data",
    "onu.py": "names that are imported",
}
"""Patterns of modules that are not mutated, with the reason."""

SETTINGS = """
[tool.mutmut]
source_paths = ["src/"]
only_mutate = {files}
also_copy = ["bench", "docs", "examples", "scripts", "tests", "web", "README.md"]
pytest_add_cli_args = [
    "-p", "scripts.while_mutating", "-k", {choice},
    "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:playwright",
]
pytest_add_cli_args_test_selection = {tests}
# The wording of messages is not tested. (These calls also contain error codes.)
do_not_mutate_patterns = [
    'Illegal\\(', 'Refusal\\(', 'StoreTrouble\\(', 'LookupError\\(', 'ValueError\\(',
    'log\\.', 'index\\.found\\(',
]
use_setproctitle = false
# A mutation that makes a loop endless should fail soon.
timeout_multiplier = 4
"""


def prepare(name: str, group: Group, tests: tuple[str, ...], leaving_out: str = "") -> Path:
    """A copy of the project in which mutmut changes the group's files."""
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
    """The result of each mutation, by its name."""
    lines = mutmut(folder, "results", "--all", "true").splitlines()
    pairs = (line.strip().rpartition(": ") for line in lines if "__mutmut_" in line)
    return {name: result for name, _, result in pairs}


def tried(folder: Path, children: str, changes: Sequence[str] = ()) -> dict[str, str]:
    """Try these mutations (by default all) in a prepared folder; gives their results."""
    said = mutmut(folder, "run", "--max-children", children, *changes)
    found = results(folder)
    if set(found.values()) <= {"not checked"}:
        # Usually a test fails even without a mutation.
        sys.exit(f"{said[-3000:]}\nNo change of {folder.name} could be tried.")
    return found


def run(name: str, group: Group, children: str, some: Sequence[str]) -> dict[str, str]:
    """The results of all or `some` mutations of a group's files."""
    found = tried(prepare(name, group, group.tests, group.leaving_out), children, some)
    unnoticed = [change for change, result in found.items() if result in UNNOTICED]
    if group.wider and unnoticed:
        again = tried(prepare(f"{name}-wider", group, group.wider), children, unnoticed)
        # A mutation that no wider test reaches keeps its result.
        found |= {c: again[c] for c in unnoticed if again[c] != "no tests"}
    return found


def shown(folder: Path, change: str) -> list[str]:
    """The lines that a mutation removes and adds."""
    lines = mutmut(folder, "show", change).splitlines()
    return [line for line in lines if line[:1] in ("+", "-") and line[:3] not in ("+++", "---")]


def same_statement(lines: list[str]) -> bool:
    """Whether a mutation only changes upper and lower case in SQL, which means the same."""
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
