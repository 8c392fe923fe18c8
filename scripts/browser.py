"""Finds a Chromium for the tests, and installs one if there is none.

    python scripts/browser.py     prints the path of the executable on stdout

It takes the first of these that works: `PARLOUR_CHROMIUM`; a Chromium without windows (which needs
half the processor time) on PATH, or Debian's package of it, if we are root; a Chromium or Chrome on
PATH; Debian's package; Playwright's own download.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

SHELL = "chromium-headless-shell"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def starts(path: str) -> bool:
    """Whether the browser at `path` exists and starts."""
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, stdin=subprocess.DEVNULL, check=False
        )
    except OSError:
        return False
    return done.returncode == 0


def on_path(*names: str) -> str | None:
    found = (shutil.which(name) for name in names)
    return next((path for path in found if path is not None and starts(path)), None)


def quietly(*command: str) -> bool:
    """Run an installer; its output is shown only if it fails."""
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        check=False,
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
    return done.returncode == 0


def from_debian(name: str) -> str | None:
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return None
    print(f"Installing Debian's {name} for the browser tests...", file=sys.stderr, flush=True)
    install = ("apt-get", "install", "--yes", "--no-install-recommends", name)
    # A fresh image has no package lists, and an old one has stale ones.
    quietly("apt-get", "update")
    return on_path(name) if quietly(*install) else None


def from_playwright() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    if starts(path):
        return path
    print("Downloading Playwright's chromium for the browser tests...", file=sys.stderr, flush=True)
    if quietly(sys.executable, "-m", "playwright", "install", "chromium") and starts(path):
        return path
    return None


def main() -> int:
    chosen = os.environ.get("PARLOUR_CHROMIUM")
    if chosen is not None and not starts(chosen):
        print(
            f"PARLOUR_CHROMIUM is {chosen}, which does not start. Correct or unset it.",
            file=sys.stderr,
        )
        return 1
    path = (
        chosen
        or on_path(SHELL)
        or from_debian(SHELL)
        or on_path(*NAMES)
        or from_debian("chromium")
        or from_playwright()
    )
    if path is None:
        print(
            "The browser tests need Chromium, and installing it failed. Set PARLOUR_CHROMIUM.",
            file=sys.stderr,
        )
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
