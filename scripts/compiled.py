"""Compiles the modules on the path of a message with mypyc.

    python scripts/compiled.py            build extension modules, and put them beside their sources
    python scripts/compiled.py --remove   delete them: Python runs the sources again
    python scripts/compiled.py --fresh    succeed if all are there and none is older than its source

Python imports an extension module rather than the source beside it, so nothing else changes. The
wheel's build hook (hatch_build.py) and the benches use this file, too.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterable, Mapping
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src"
SUFFIX = str(sysconfig.get_config_var("EXT_SUFFIX"))


def _files(modules: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(
        f"parlour/{folder}{module}.py"
        for folder, names in modules.items()
        for module in names.split()
    )


RULES = _files(
    {
        "": "cards kit rng",
        "games/cambia/": (
            "actions bot cards clock layout odds picture rules scoring snaps specials"
        ),
        "games/mo/": "analysis board picture rules search solver why worth",
        "games/onu/": "cards core",
        "games/rummy/": "bot melds outs picture rules",
    }
)
"""Rules that `bench.rules` measures, interpreted and compiled."""
PATH = _files(
    {
        "games/cambia/wire/": "codec enveloped flat telling",
        "games/rummy/wire/": "codec",
        "house/": "alarm audience house journal live pictures requests",
        "server/": "connection frames gateway limits outgoing",
        "table/": "management phase playing queue steps waiting",
    }
)
"""Modules on the path of a message. Modules with msgspec structs can't be compiled, because mypyc
drops what a class statement says besides its bases. `kit` is not, because a weak reference to an
instance of a compiled class crashes the process, and tests of packages make some."""

# Run in a process of its own: mypyc and setuptools end it if something is wrong.
_BUILD = """
import os
import sys
from mypyc.build import mypycify
from setuptools import setup

name, built, *files = sys.argv[1:]
made = mypycify(
    ["--config-file=", *files],
    opt_level=os.environ.get("MYPYC_OPT_LEVEL", "1"),
    group_name=name,
    target_dir=f"{built}/c",
)
folders = ["--build-lib", f"{built}/lib", "--build-temp", f"{built}/objects"]
setup(name=name, packages=[], ext_modules=made, script_args=["-q", "build_ext", *folders])
"""


def has_compiler() -> bool:
    """Whether there are a C compiler and Python's headers."""
    compiler = os.environ.get("CC") or str(sysconfig.get_config_var("CC") or "cc")
    headers = Path(sysconfig.get_path("include"), "Python.h")
    return shutil.which(compiler.split()[0]) is not None and headers.is_file()


def has_mypyc() -> bool:
    return all(importlib.util.find_spec(name) is not None for name in ("mypyc", "setuptools"))


def build(source: Path = SOURCE, files: Iterable[str] = PATH, into: str = "") -> None:
    """Compile these files below `source`; the extension modules land beside them, or below `into`
    in the same folders. One more, which they share, lands in the topmost folder."""
    target = Path(into or source)
    files = list(files)
    with tempfile.TemporaryDirectory(prefix="compiled-") as built:
        done = subprocess.run(
            [sys.executable, "-c", _BUILD, files[0].partition("/")[0], built, *files],
            cwd=source,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"mypyc failed:\n{done.stdout}{done.stderr}")
        shutil.copytree(Path(built, "lib"), target, dirs_exist_ok=True)


def remove() -> None:
    for file in SOURCE.rglob(f"*{SUFFIX}"):
        file.unlink()


def fresh() -> bool:
    """Whether all extension modules are there, and none is older than its source."""
    for file in map(SOURCE.joinpath, PATH):
        made = file.with_suffix(SUFFIX)
        if not made.exists() or made.stat().st_mtime < file.stat().st_mtime:
            return False
    return True


def main() -> int:
    options = ArgumentParser(description="Compile the modules on the path of a message.")
    options.add_argument("--remove", action="store_true", help="delete the extension modules")
    options.add_argument("--fresh", action="store_true", help="succeed if they are up to date")
    chosen = options.parse_args()
    if chosen.fresh:
        return 0 if fresh() else 1
    if not chosen.remove and not has_compiler():
        print("Compiling needs a C compiler and Python's headers.", file=sys.stderr)
        return 1
    remove()
    if not chosen.remove:
        build()
    return 0


if __name__ == "__main__":
    sys.exit(main())
